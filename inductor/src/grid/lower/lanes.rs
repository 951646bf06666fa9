//! Index expressions within a vector: neighbouring items of the innermost loop, from a multiple of their number on.
//!
//! Expressions that are the same for all lanes, or run by ones, are computed once, for the first.

use super::{Lower, Reason};
use crate::grid::Val;
use symshapes::{Expr, Node, Sym};

/// Neighbouring items, from a multiple of their number on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours {
    /// The variable of the innermost loop, by which alone they differ.
    pub(super) innermost: Sym,
    /// Their number.
    pub(super) count: i64,
}

/// The lane that is being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// The items of all lanes.
    pub(super) items: Neighbours,
    /// Its value in the first lane.
    pub(super) first: Val,
    /// The number of the first lane's item.
    pub(super) base: Val,
    /// The lane's number.
    pub(super) number: i64,
}

impl Lower<'_> {
    /// The increment of an expression from lane to lane; `None` if that is not known.
    pub(super) fn step(&self, e: Expr, items: Neighbours) -> Option<i64> {
        if !self.pool.mentions(e, items.innermost) {
            return Some(0);
        }
        let step = |e| self.step(e, items);
        let divides = |by| self.pool.divisible_by(by, items.count) && step(by) == Some(0);
        match self.pool.node(e) {
            Node::Sym(_) => Some(1),
            Node::Add(sum) => sum.terms.iter().try_fold(0, |total, term| Some(total + term.coeff * step(term.mono)?)),
            Node::FloorDiv(a, b) => (step(*a) == Some(1) && self.is_aligned(*a, items) && divides(*b)).then_some(0),
            Node::Mod(a, b) => (step(*a) == Some(1) && self.is_aligned(*a, items) && divides(*b)).then_some(1),
            _ => None,
        }
    }

    /// True if an expression is a multiple of the number of items in the first lane.
    pub(super) fn is_aligned(&self, e: Expr, items: Neighbours) -> bool {
        let lanes = items.count;
        if self.pool.divisible_by(e, lanes) {
            return true;
        }
        let is_aligned = |e| self.is_aligned(e, items);
        match self.pool.node(e) {
            Node::Sym(sym) => *sym == items.innermost,
            Node::Add(sum) => {
                sum.constant % lanes == 0
                    && sum.terms.iter().all(|term| term.coeff % lanes == 0 || is_aligned(term.mono))
            }
            Node::Mul(factors) => factors.iter().any(|&factor| is_aligned(factor)),
            Node::Mod(a, b) => is_aligned(*a) && self.pool.divisible_by(*b, lanes),
            _ => false,
        }
    }

    /// The value of an expression in the lane at hand by way of the first one's; `None` if it is not to be had so.
    pub(super) fn by_first_lane(&mut self, e: Expr) -> Result<Option<Val>, Reason> {
        let Some(lane) = self.lane else { return Ok(None) };
        let innermost = lane.items.innermost;
        if !self.pool.mentions(e, innermost) {
            return Ok(None);
        }
        let Some(step) = self.step(e, lane.items) else { return Ok(None) };
        let Some(linear) = self.linear.last_mut() else { return Ok(None) };
        let here = std::mem::replace(&mut linear.at, lane.base);
        let own = self.syms.insert(innermost, lane.first);
        self.lane = None;
        let first = self.index(e);
        self.lane = Some(lane);
        if let Some(linear) = self.linear.last_mut() {
            linear.at = here;
        }
        match own {
            Some(own) => self.syms.insert(innermost, own),
            None => self.syms.remove(&innermost),
        };
        let beyond = self.b.i32(step * lane.number);
        Ok(Some(self.b.add(first?, beyond)))
    }
}
