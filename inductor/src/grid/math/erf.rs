//! The error function and its complement.

use super::exp::{exp, exp_within};
use crate::grid::build::Builder;
use crate::grid::{Binary, Val};

/// `erf(x) / x - 1` in `x²`, up to [`SMALL`].
const ERF: [f64; 6] = [-0.00059768936, 0.00499098, -0.026765566, 0.112818025, -0.37612495, 0.12837915];
const SMALL: f64 = 0.92;

/// `ln(1 - erf(x))` from [`SMALL`] to 4, where `erf` is 1.
const LOG_ERFC: [f64; 7] =
    [0.00019593826, -0.0030432267, 0.022226956, -0.103931665, -0.6371822, -1.1276757, -0.00019566652];

/// `exp(x²) erfc(x) / t` in `t = 2 / (2 + x)`, from [`NEAR`] on.
const TAIL: [f64; 9] = [
    -0.0617399662733078,
    0.2978302240371704,
    -0.5139873623847961,
    0.3070691227912903,
    -0.045075926929712296,
    0.20975258946418762,
    0.24151402711868286,
    0.2825672924518585,
    0.282076895236969,
];
const NEAR: f64 = 0.47;

/// `erf` up to [`SMALL`].
fn small(b: &Builder, x: Val) -> Val {
    b.fma(x, b.horner(b.mul(x, x), &ERF), x)
}

/// A polynomial near 0, else `1 - exp(p(|x|))`.
pub(super) fn erf(b: &Builder, x: Val) -> Val {
    let a = b.abs(x);
    let log = b.horner(b.at_most(a, 4.0), &LOG_ERFC);
    let large = b.sub(b.like(x, 1.0), exp_within(b, log));
    b.select(b.is(a, Binary::Lt, SMALL), small(b, x), b.copysign(large, x))
}

/// `1 - erf(x)` near 0, else `exp(-x²)` times a polynomial; `x²` is taken in two parts.
pub(super) fn erfc(b: &Builder, x: Val) -> Val {
    let (one, two) = (b.like(x, 1.0), b.like(x, 2.0));
    let a = b.at_most(b.abs(x), 11.0);
    let high = b.high_part(a);
    let rest = b.mul(b.sub(high, a), b.add(high, a));
    let square = b.mul(exp(b, b.neg(b.mul(high, high))), exp(b, rest));
    let t = b.div(two, b.add(a, two));
    let tail = b.mul(b.mul(square, t), b.horner(t, &TAIL));
    let far = b.select(b.is(x, Binary::Lt, 0.0), b.sub(two, tail), tail);
    b.select(b.is(a, Binary::Lt, NEAR), b.sub(one, small(b, x)), far)
}
