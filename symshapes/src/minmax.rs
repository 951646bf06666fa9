//! `Min` and `Max`: chains of leaves, none of which is proved to lie beyond another.

use crate::{
    ids::Expr,
    node::{Factors, Node},
    pool::{Op, Pool},
};

impl Pool {
    /// The lesser of two.
    pub fn min(&mut self, a: Expr, b: Expr) -> Expr {
        let (a, b) = (a.min(b), a.max(b));
        self.memo(Op::Min, a, b, |pool| pool.chain(Op::Min, a, b))
    }

    /// The greater of two.
    pub fn max(&mut self, a: Expr, b: Expr) -> Expr {
        let (a, b) = (a.min(b), a.max(b));
        self.memo(Op::Max, a, b, |pool| pool.chain(Op::Max, a, b))
    }

    /// True if `a <= b` is proved for all values in range.
    pub fn proves_le(&mut self, a: Expr, b: Expr) -> bool {
        if self.is_overflow(a) || self.is_overflow(b) {
            return false;
        }
        if a == b || self.range(a).is_below(self.range(b)) {
            return true;
        }
        let gap = self.sub(b, a);
        !self.is_overflow(gap) && self.proves_not_negative(gap)
    }

    /// The range decides; or, since `max(a, b) >= a` and `min(a, b) <= a`, the range with a leaf in its chain's place.
    fn proves_not_negative(&mut self, e: Expr) -> bool {
        if self.range(e).lo >= 0 {
            return true;
        }
        let sum = self.sum_of(e);
        sum.terms.iter().any(|term| {
            let op = match self.node(term.mono) {
                Node::Max(..) if term.coeff > 0 => Op::Max,
                Node::Min(..) if term.coeff < 0 => Op::Min,
                _ => return false,
            };
            let mut rest = sum.clone();
            rest.terms.retain(|t| t != term);
            self.leaves(op, term.mono).into_iter().any(|leaf| {
                let less = rest.plus_scaled(&self.sum_of(leaf), term.coeff);
                less.is_some_and(|less| self.range_of_sum(&less).lo >= 0)
            })
        })
    }

    /// `Min(a, a, b) => Min(a, b)`, and `Min(a, b) => a` where `a <= b` is proved; `Max` alike.
    fn chain(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        let mut kept = Factors::new();
        for leaf in self.leaves(op, a).into_iter().chain(self.leaves(op, b)) {
            if kept.iter().any(|&k| self.decides(op, k, leaf)) {
                continue;
            }
            kept.retain(|k| !self.decides(op, leaf, *k));
            kept.push(leaf);
        }
        kept.sort_unstable();
        let mut result = kept.pop().expect("the last leaf is kept or another one decided it");
        while let Some(leaf) = kept.pop() {
            result = self.intern(if op == Op::Min { Node::Min(leaf, result) } else { Node::Max(leaf, result) });
        }
        result
    }

    /// True if `leaf` never shows beside `winner`.
    fn decides(&mut self, op: Op, winner: Expr, leaf: Expr) -> bool {
        if op == Op::Min { self.proves_le(winner, leaf) } else { self.proves_le(leaf, winner) }
    }

    /// The leaves of a chain of `op`; of another expression, itself.
    fn leaves(&self, op: Op, mut e: Expr) -> Factors {
        let mut leaves = Factors::new();
        loop {
            match (op, self.node(e)) {
                (Op::Min, Node::Min(leaf, rest)) | (Op::Max, Node::Max(leaf, rest)) => {
                    leaves.push(*leaf);
                    e = *rest;
                }
                _ => {
                    leaves.push(e);
                    return leaves;
                }
            }
        }
    }
}
