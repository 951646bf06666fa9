//! Integers that floats are rounded to: `TruncToInt(2.5*zf0)`.
//!
//! Invariants of [`Node::Round`](crate::Node::Round):
//! - The float is no constant, and nothing proves its rounding to be an expression of integers.
//! - There is a value only where the float is finite and its rounding fits in `i64`; elsewhere Python raises an error,
//!   or has an integer that no size can be.

use crate::{
    float_node::{EXACT, FloatBinary, FloatNode, FloatUnary, Rounding, nearest},
    ids::{Expr, Float},
    node::Node,
    pool::Pool,
    range::Range,
};

/// Doubles between which every value lies that is not NaN.
#[derive(Clone, Copy)]
struct Bounds {
    lo: f64,
    hi: f64,
}

impl Bounds {
    const ALL: Bounds = Bounds { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    fn of(range: Range) -> Bounds {
        Bounds { lo: nearest(range.lo), hi: nearest(range.hi) }
    }

    /// The bounds of an operation that is monotone in each operand: IEEE's rounding keeps that, so that the extremes
    /// lie in the corners.
    fn corners(self, other: Bounds, op: impl Fn(f64, f64) -> f64) -> Bounds {
        let corners = [op(self.lo, other.lo), op(self.lo, other.hi), op(self.hi, other.lo), op(self.hi, other.hi)];
        if corners.iter().any(|corner| corner.is_nan()) {
            return Bounds::ALL;
        }
        let lo = corners.into_iter().fold(f64::INFINITY, f64::min);
        Bounds { lo, hi: corners.into_iter().fold(f64::NEG_INFINITY, f64::max) }
    }
}

impl Pool {
    /// The integer that a float rounds to: an expression of integers where that is proved.
    pub fn round(&mut self, rounding: Rounding, f: Float) -> Expr {
        if let Some(exact) = self.round_exactly(rounding, f) {
            return exact;
        }
        match self.as_float(f).map(|value| rounding.apply(value)) {
            Some(Some(value)) => self.int(value),
            Some(None) => self.overflow(),
            None => self.intern(Node::Round(rounding, f)),
        }
    }

    /// The integer that a float rounds to, where that is proved to be an expression of integers.
    pub fn round_exactly(&mut self, rounding: Rounding, f: Float) -> Option<Expr> {
        let (numerator, divisor) = match *self.float_node(f) {
            // The quotient's rounding error is less than its distance to the next integer, though not to the middle
            // between two.
            FloatNode::IntTrueDiv(a, b) if self.is_exact(a) && self.is_exact(b) && rounding != Rounding::Nearest => {
                (a, b)
            }
            _ => self.dyadic_parts(f)?,
        };
        let (down, up) = (self.floor_div(numerator, divisor), self.ceil_div(numerator, divisor));
        let rounded = match rounding {
            Rounding::Floor => down,
            Rounding::Ceil => up,
            Rounding::Nearest => (down == up).then_some(down)?,
            Rounding::Trunc => {
                let (low, high) = (self.range(down), self.range(up));
                match (low.lo >= 0, high.hi <= 0) {
                    (true, _) => down,
                    (_, true) => up,
                    _ => {
                        let positive = self.le(Expr::ZERO, down);
                        self.select(positive, down, up)
                    }
                }
            }
        };
        (!self.is_overflow(rounded)).then_some(rounded)
    }

    /// True if [`Pool::round_exactly`] had an answer, were the integers small enough.
    pub fn rounds_exactly_if_small(&mut self, rounding: Rounding, f: Float) -> bool {
        matches!(self.float_node(f), FloatNode::IntTrueDiv(..)) && rounding != Rounding::Nearest || self.is_dyadic(f)
    }

    /// A range that contains every value of a rounded float.
    pub(crate) fn range_of_rounded(&self, rounding: Rounding, f: Float) -> Range {
        let Bounds { lo, hi } = self.float_bounds(f);
        let (lo, hi) = (rounding.whole(lo), rounding.whole(hi));
        let lo = if lo >= nearest(i64::MAX) { i64::MAX } else { rounding.apply(lo).unwrap_or(i64::MIN) };
        let hi = if hi < nearest(i64::MIN) { i64::MIN } else { rounding.apply(hi).unwrap_or(i64::MAX) };
        Range::new(lo, hi)
    }

    /// True if every value of a float is proved to lie no further from 0.
    pub fn lies_within(&self, f: Float, most: f64) -> bool {
        let Bounds { lo, hi } = self.float_bounds(f);
        -most <= lo && hi <= most
    }

    fn float_bounds(&self, f: Float) -> Bounds {
        match *self.float_node(f) {
            FloatNode::Const(bits) if f64::from_bits(bits).is_nan() => Bounds::ALL,
            FloatNode::Const(bits) => Bounds { lo: f64::from_bits(bits), hi: f64::from_bits(bits) },
            FloatNode::Sym(_) | FloatNode::RoundDecimal(..) => Bounds::ALL,
            FloatNode::Int(e) => Bounds::of(self.range(e)),
            FloatNode::IntTrueDiv(a, b) if self.range(b).lo > 0 => {
                Bounds::of(self.range(a)).corners(Bounds::of(self.range(b)), |a, b| a / b)
            }
            FloatNode::IntTrueDiv(..) => Bounds::ALL,
            FloatNode::Unary(op, x) => {
                let Bounds { lo, hi } = self.float_bounds(x);
                match op {
                    FloatUnary::Neg => Bounds { lo: -hi, hi: -lo },
                    FloatUnary::Abs if lo >= 0.0 => Bounds { lo, hi },
                    FloatUnary::Abs => Bounds { lo: 0.0, hi: hi.max(-lo) },
                    FloatUnary::Sqrt => Bounds { lo: lo.max(0.0).sqrt(), hi: hi.max(0.0).sqrt() },
                    _ => Bounds::ALL,
                }
            }
            FloatNode::Binary(op, x, y) => {
                let (x, y) = (self.float_bounds(x), self.float_bounds(y));
                match op {
                    FloatBinary::Add | FloatBinary::Sub | FloatBinary::Mul | FloatBinary::Min | FloatBinary::Max => {
                        x.corners(y, |x, y| op.apply(x, y))
                    }
                    FloatBinary::TrueDiv if y.lo > 0.0 => x.corners(y, |x, y| x / y),
                    FloatBinary::Pow if x.lo > 0.0 || (x.lo == 0.0 && y.lo >= 0.0) => x.corners(y, f64::powf),
                    _ => Bounds::ALL,
                }
            }
        }
    }

    /// True if every value of an integer is proved to be a double.
    pub(crate) fn is_exact(&self, e: Expr) -> bool {
        let range = self.range(e);
        !self.is_overflow(e) && range.lo > -EXACT && range.hi < EXACT
    }
}
