//! The error function.

use super::Lanes;
use super::exp::exp_within;

/// `erf(x) / x - 1` in `x²`, up to [`SMALL`].
const ERF: [f64; 6] = [-0.00059768936, 0.00499098, -0.026765566, 0.112818025, -0.37612495, 0.12837915];
const SMALL: f64 = 0.92;

/// `ln(1 - erf(x))` from [`SMALL`] to 4, where `erf` is 1.
const LOG_ERFC: [f64; 7] =
    [0.00019593826, -0.0030432267, 0.022226956, -0.103931665, -0.6371822, -1.1276757, -0.00019566652];

/// The error function of a number up to 0.92 in magnitude.
pub fn small<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    l.mad(x, l.horner(l.mul(x, x), &ERF), x)
}

/// The error function: a polynomial near 0, else `1 - exp(p(|x|))`.
pub fn erf<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let a = l.abs(x);
    let log = l.horner(l.at_most(a, 4.0), &LOG_ERFC);
    let large = l.sub(l.number(x, 1.0), exp_within(l, log));
    l.select(l.below(a, SMALL), small(l, x), l.copysign(large, x))
}
