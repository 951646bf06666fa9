//! `Min` and `Max`: chains of leaves, none of which is proved to lie beyond another.

use crate::{
    node::{Expr, Factors, Node},
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
        if a == b || self.range(a).hi <= self.range(b).lo || self.bounds(a, b) {
            return true;
        }
        let gap = self.sub(b, a);
        !self.is_overflow(gap) && self.range(gap).lo >= 0
    }

    /// The laws of lattices: `min(a, b) <= a` and `a <= max(a, b)`.
    fn bounds(&self, a: Expr, b: Expr) -> bool {
        self.leaves(Op::Min, a).contains(&b) || self.leaves(Op::Max, b).contains(&a)
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
