//! The complement of the error function.

use crate::grid::Val;
use crate::grid::build::Builder;
use crate::math::Lanes;
use crate::math::erf::small;
use crate::math::exp::exp;

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

/// `1 - erf(x)` near 0, else `exp(-x²)` times a polynomial; `x²` is taken in two parts.
pub(super) fn erfc(b: &Builder, x: Val) -> Val {
    let (one, two) = (b.like(x, 1.0), b.like(x, 2.0));
    let a = b.at_most(b.abs(x), 11.0);
    let high = b.high_part(a);
    let rest = b.mul(b.sub(high, a), b.add(high, a));
    let square = b.mul(exp(b, b.neg(b.mul(high, high))), exp(b, rest));
    let t = b.div(two, b.add(a, two));
    let tail = b.mul(b.mul(square, t), b.horner(t, &TAIL));
    let far = b.select(b.below(x, 0.0), b.sub(two, tail), tail);
    b.select(b.below(a, NEAR), b.sub(one, small(b, x)), far)
}
