//! Bit operations, masks being constants, and the choice between two values: all of them are arithmetic, so they need
//! no nodes.
//!
//! Laws, with Python's integers, which have infinitely many sign bits:
//! - `x << k == x * 2**k` and `x >> k == x // 2**k`
//! - `x & (2**b - 2**a) == x % 2**b - x % 2**a`, and a mask is a sum of such runs of ones
//! - `x & m == x - (x & ~m)`
//! - `where(p, a, b) == b + [p]*(a - b)`, where `[p]` is 1 if `p` holds and 0 if not

use crate::{
    ids::{Expr, Pred},
    pool::Pool,
    pred_node::PredNode,
};

impl Pool {
    /// `x << k`; no value for a negative `k`, or one beyond 62.
    pub fn shift_left(&mut self, x: Expr, k: Expr) -> Expr {
        let two = self.int(2);
        let factor = self.pow(two, k);
        self.mul(x, factor)
    }

    /// `x >> k`, which keeps the sign; no value for a negative `k`, or for a `k` beyond 62 that is not constant.
    pub fn shift_right(&mut self, x: Expr, k: Expr) -> Expr {
        let Some(k) = self.as_int(k) else {
            let two = self.int(2);
            let divisor = self.pow(two, k);
            return self.floor_div(x, divisor);
        };
        match power_of_two(k) {
            Some(divisor) => self.floor_div_int(x, divisor),
            // Only the sign is left of an `i64`.
            None if k > 0 => {
                let half = self.floor_div_int(x, 1 << 62);
                self.floor_div_int(half, 2)
            }
            None => self.overflow(),
        }
    }

    /// `x & mask`
    pub fn bit_and(&mut self, x: Expr, mask: i64) -> Expr {
        if mask < 0 {
            let cleared = self.bit_and(x, !mask);
            return self.sub(x, cleared);
        }
        let (mut total, mut left) = (Expr::ZERO, mask.unsigned_abs());
        while left != 0 {
            let low = left.trailing_zeros();
            let high = low + (left >> low).trailing_ones();
            let run = [self.low_bits(x, high), self.low_bits(x, low)];
            let run = self.sub(run[0], run[1]);
            total = self.add(total, run);
            left &= u64::MAX << high;
        }
        total
    }

    /// `x % 2**count`
    fn low_bits(&mut self, x: Expr, count: u32) -> Expr {
        match power_of_two(count.into()) {
            Some(modulus) => self.modulo_int(x, modulus),
            // All but the sign: `x + 2**63` below zero, which takes two steps within `i64`.
            None => {
                let all = self.int(63);
                let sign = self.shift_right(x, all);
                let half = self.mul_int(sign, 1 << 62);
                let rest = self.sub(x, half);
                self.sub(rest, half)
            }
        }
    }

    /// `a` where the predicate holds, `b` elsewhere; it has a value only where both have.
    pub fn select(&mut self, p: Pred, a: Expr, b: Expr) -> Expr {
        if let Some(known) = self.as_bool(p) {
            return if known { a } else { b };
        }
        let (chosen, gap) = (self.indicator(p), self.sub(a, b));
        let step = self.mul(chosen, gap);
        self.add(b, step)
    }

    /// 1 where the predicate holds, 0 elsewhere; no value for relations of floats.
    pub fn indicator(&mut self, p: Pred) -> Expr {
        match self.pred_node(p).clone() {
            PredNode::Bool(value) => self.int(i64::from(value)),
            PredNode::Le(e) => {
                let gap = self.sub(Expr::ONE, e);
                let most = self.min(Expr::ONE, gap);
                self.max(Expr::ZERO, most)
            }
            PredNode::Ne(e) => {
                let size = self.abs(e);
                self.min(Expr::ONE, size)
            }
            PredNode::Eq(e) => {
                let size = self.abs(e);
                let differs = self.min(Expr::ONE, size);
                self.sub(Expr::ONE, differs)
            }
            PredNode::And(parts) => parts.into_iter().fold(Expr::ONE, |least, part| {
                let part = self.indicator(part);
                self.min(least, part)
            }),
            PredNode::Or(parts) => parts.into_iter().fold(Expr::ZERO, |most, part| {
                let part = self.indicator(part);
                self.max(most, part)
            }),
            PredNode::Float(_) | PredNode::Unknown => self.overflow(),
        }
    }
}

/// `2**k`, where it fits.
fn power_of_two(k: i64) -> Option<i64> {
    (0..63).contains(&k).then(|| 1 << k)
}
