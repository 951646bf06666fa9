//! Intervals of integers, the abstract values of the range analysis.
//!
//! Invariant: `i64::MIN` as a lower bound and `i64::MAX` as an upper bound mean "unbounded" and stay so under every
//! operation; a bound that leaves `i64` is weakened to the nearest one that fits, so a range always contains every
//! value that the operands' ranges allow.

use crate::arith::floor_div_wide;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    ops::{Add, Mul},
};

/// An inclusive interval of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Range {
    /// The least value; `i64::MIN` is unbounded.
    pub lo: i64,
    /// The greatest value; `i64::MAX` is unbounded.
    pub hi: i64,
}

/// Stands for infinity while bounds are computed: divided by any `i64` it still lies outside `i64`.
const INFINITY: i128 = 1 << 126;

impl Range {
    /// Every integer.
    pub const ALL: Range = Range { lo: i64::MIN, hi: i64::MAX };

    /// The integers from `lo` to `hi`, both included.
    pub const fn new(lo: i64, hi: i64) -> Range {
        Range { lo, hi }
    }

    /// One integer.
    pub const fn point(value: i64) -> Range {
        Range { lo: value, hi: value }
    }

    /// The indices of a dimension of `len` elements: `0..len`.
    pub const fn index(len: i64) -> Range {
        Range { lo: 0, hi: len.saturating_sub(1) }
    }

    /// True if `value` lies in the range.
    pub const fn contains(self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// True if no integer lies in the range.
    pub const fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// True if no value is greater than any value of `other`.
    pub const fn is_below(self, other: Range) -> bool {
        self.hi != i64::MAX && other.lo != i64::MIN && self.hi <= other.lo
    }

    /// The integers in both ranges.
    pub fn intersect(self, other: Range) -> Range {
        Range { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The smallest range that holds both.
    pub fn union(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The `q` for which every value lies in `q*n ..= q*n + n - 1`, if there is one; `n` is positive.
    pub fn block(self, n: i64) -> Option<i64> {
        let bounded = self.lo != i64::MIN && self.hi != i64::MAX;
        let (first, last) = (self.lo.div_euclid(n), self.hi.div_euclid(n));
        (bounded && first == last).then_some(first)
    }

    /// The values of `x // y`, where `y` is not zero.
    pub fn floor_div(self, divisor: Range) -> Range {
        let positive = divisor.intersect(Range::new(1, i64::MAX));
        let negative = divisor.intersect(Range::new(i64::MIN, -1));
        match (positive.is_empty(), negative.is_empty()) {
            (false, true) => self.corners(positive, floor_div_wide),
            (true, false) => self.corners(negative, floor_div_wide),
            (false, false) => self.corners(positive, floor_div_wide).union(self.corners(negative, floor_div_wide)),
            (true, true) => Range::ALL,
        }
    }

    /// The values of `x % y` with Python's sign rule, where `y` is not zero.
    pub fn modulo(self, divisor: Range) -> Range {
        let mut result: Option<Range> = None;
        if divisor.hi > 0 {
            result = Some(self.modulo_positive(divisor));
        }
        if divisor.lo < 0 {
            let below = Range::new(if divisor.lo == i64::MIN { i64::MIN } else { divisor.lo + 1 }, 0);
            result = Some(result.map_or(below, |r| r.union(below)));
        }
        result.unwrap_or(Range::ALL)
    }

    /// The values of `x % y` over the positive part of `y`.
    fn modulo_positive(self, divisor: Range) -> Range {
        if self.lo >= 0 && self.hi != i64::MAX && self.hi < divisor.lo {
            return self;
        }
        let largest = if divisor.hi == i64::MAX { i64::MAX } else { divisor.hi - 1 };
        Range::new(0, if self.lo >= 0 { largest.min(self.hi) } else { largest })
    }

    /// The values of `min(x, y)`.
    pub fn min(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The values of `max(x, y)`.
    pub fn max(self, other: Range) -> Range {
        Range { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The values of `x ** y`, where `y` is not negative.
    pub fn pow(self, exponent: Range) -> Range {
        let n = exponent.intersect(Range::new(0, i64::MAX));
        if n.is_empty() {
            return Range::ALL;
        }
        if self.lo >= 0 {
            // A lower bound beyond `i64` is weakened to the nearest one that means no infinity.
            let least = if self.lo == 0 { 0 } else { power(self.lo, n.lo).min(i64::MAX - 1) };
            return Range::new(least, power(self.hi, n.hi).max(1));
        }
        let [below, above] = [self.lo, self.hi].map(|bound| power(bound.saturating_abs(), n.hi).max(1));
        let size = below.max(above);
        match n.lo == n.hi {
            true if n.lo % 2 == 0 => Range::new(0, size),
            true => Range::new(negative(below), if self.hi < 0 { -1 } else { above }),
            false => Range::new(negative(size), size),
        }
    }

    /// The hull of an operation that is monotone in each operand over the given ranges.
    fn corners(self, other: Range, op: fn(i128, i128) -> i128) -> Range {
        let (a, b) = (self.wide(), other.wide());
        let values = [op(a.0, b.0), op(a.0, b.1), op(a.1, b.0), op(a.1, b.1)];
        let [first, rest @ ..] = values;
        let (lo, hi) = rest.into_iter().fold((first, first), |(lo, hi), v| (lo.min(v), hi.max(v)));
        Range { lo: clamp(lo), hi: clamp(hi) }
    }

    /// The bounds, with the unbounded ones as infinities.
    fn wide(self) -> (i128, i128) {
        let lo = if self.lo == i64::MIN { -INFINITY } else { self.lo.into() };
        let hi = if self.hi == i64::MAX { INFINITY } else { self.hi.into() };
        (lo, hi)
    }
}

/// `base ** n` of numbers that are not negative; beyond `i64` it is unbounded.
fn power(base: i64, n: i64) -> i64 {
    match (base, n) {
        (_, 0) => 1,
        (0 | 1, _) => base,
        _ => u32::try_from(n).ok().and_then(|n| base.checked_pow(n)).unwrap_or(i64::MAX),
    }
}

/// `-bound`, where an unbounded one stays so.
fn negative(bound: i64) -> i64 {
    if bound == i64::MAX { i64::MIN } else { -bound }
}

/// The nearest `i64`.
fn clamp(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

impl Add for Range {
    type Output = Range;

    /// The values of `x + y`.
    fn add(self, other: Range) -> Range {
        let lo = if self.lo == i64::MIN || other.lo == i64::MIN { i64::MIN } else { self.lo.saturating_add(other.lo) };
        let hi = if self.hi == i64::MAX || other.hi == i64::MAX { i64::MAX } else { self.hi.saturating_add(other.hi) };
        Range { lo, hi }
    }
}

impl Mul for Range {
    type Output = Range;

    /// The values of `x * y`.
    fn mul(self, other: Range) -> Range {
        self.corners(other, i128::saturating_mul)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lo {
            i64::MIN => f.write_str("[-int_oo, ")?,
            lo => write!(f, "[{lo}, ")?,
        }
        match self.hi {
            i64::MAX => f.write_str("int_oo]"),
            hi => write!(f, "{hi}]"),
        }
    }
}
