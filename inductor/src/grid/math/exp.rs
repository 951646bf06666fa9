//! Exponentials, and the hyperbolic functions built on them.
//!
//! `exp(x) = 2^n exp(r)` with `n = round(x / ln 2)` and `|r| ≤ ln 2 / 2`; `ln 2` is subtracted in two parts.

use crate::grid::build::Builder;
use crate::grid::{Binary, Val};

/// `(exp(r) - 1 - r) / r²`, so that the error is small against `exp(r)`.
const EXP: [f64; 5] = [0.0013814465, 0.008368781, 0.041668393, 0.1666652, 0.49999994];

/// The same, so that the error is small against `expm1(r)`.
const EXPM1: [f64; 5] = [0.0013946552, 0.008366644, 0.04166628, 0.16666542, 0.5];

/// `(2^r - 1) / r` for `|r| ≤ 1/2`.
const EXP2: [f64; 6] = [0.00015476045, 0.0013400416, 0.009618005, 0.055503275, 0.2402265, std::f64::consts::LN_2];

/// `(tanh(x) - x) / x³` in `x²`, up to [`TANH_SMALL`].
const TANH: [f64; 5] = [-0.005717037, 0.020650579, -0.053743497, 0.13331491, -0.33333284];
const TANH_SMALL: f64 = 0.625;

/// `(sinh(x) - x) / x³` in `x²`, up to 1.
const SINH: [f64; 4] = [2.8174397e-6, 0.00019836066, 0.0083333505, 0.16666667];

/// `ln 2`: the first part has few enough bits that its multiples are exact.
const LN2_HIGH: f64 = 0.693145751953125;
const LN2_LOW: f64 = 1.428606765330187e-6;

/// Below this, `exp` is 0; above [`EXP_MOST`], infinite.
const EXP_LEAST: f64 = -104.0;
const EXP_MOST: f64 = 89.0;

/// An argument split: `x = n ln 2 + r`; `n` is kept as [`Builder::rounded`] gives it.
struct Split {
    rounded: Val,
    r: Val,
}

fn split(b: &Builder, x: Val) -> Split {
    let rounded = b.rounded(x, std::f64::consts::LOG2_E);
    let n = b.integer(rounded);
    let r = b.fma(n, b.like(x, -LN2_HIGH), x);
    Split { rounded, r: b.fma(n, b.like(x, -LN2_LOW), r) }
}

/// `exp(r)` on the reduced range.
fn reduced(b: &Builder, r: Val) -> Val {
    let q = b.horner(r, &EXP);
    b.add(b.fma(b.mul(r, r), q, r), b.like(r, 1.0))
}

/// `exp` for arguments within ±80.
pub(super) fn exp_within(b: &Builder, x: Val) -> Val {
    let split = split(b, x);
    b.scale_within(reduced(b, split.r), split.rounded)
}

pub(super) fn exp(b: &Builder, x: Val) -> Val {
    let split = split(b, b.at_most(b.at_least(x, EXP_LEAST), EXP_MOST));
    b.scale(reduced(b, split.r), split.rounded, 0)
}

/// `exp(a) / 2` for `a ≥ 0`, without early overflow.
fn half_exp(b: &Builder, a: Val) -> Val {
    let split = split(b, b.at_most(a, EXP_MOST + 1.0));
    b.scale(reduced(b, split.r), split.rounded, -1)
}

pub(super) fn exp2(b: &Builder, x: Val) -> Val {
    exp2_of_sum(b, x, b.like(x, 0.0))
}

/// `2^(x + rest)` for a small `rest`.
pub(super) fn exp2_of_sum(b: &Builder, x: Val, rest: Val) -> Val {
    let x = b.at_most(b.at_least(x, -151.0), 129.0);
    let rounded = b.rounded(x, 1.0);
    let r = b.add(b.sub(x, b.integer(rounded)), rest);
    let p = b.fma(b.horner(r, &EXP2), r, b.like(r, 1.0));
    b.scale(p, rounded, 0)
}

/// `2 (2^(n-1) expm1(r) + (2^(n-1) - 1/2))`: the inner difference is exact where it matters.
pub(super) fn expm1(b: &Builder, x: Val) -> Val {
    let split = split(b, b.at_most(b.at_least(x, -18.0), EXP_MOST));
    let q = b.horner(split.r, &EXPM1);
    let t = b.fma(b.mul(split.r, split.r), q, split.r);
    // 2^n overflows at n = 128 where 2^(n-1) does not.
    let rounded = b.sub(split.rounded, b.like(x, 1.0));
    let power = b.scale_within(b.like(x, 1.0), rounded);
    let sum = b.fma(power, t, b.sub(power, b.like(x, 0.5)));
    let tiny = b.is(b.abs(x), Binary::Lt, 1e-30);
    b.select(tiny, x, b.add(sum, sum))
}

/// A polynomial near 0, else `1 - 2 / (exp(2|x|) + 1)`.
pub(super) fn tanh(b: &Builder, x: Val) -> Val {
    let (one, two) = (b.like(x, 1.0), b.like(x, 2.0));
    let a = b.abs(x);
    let bounded = b.at_most(a, 10.0);
    let e = exp_within(b, b.add(bounded, bounded));
    let large = b.sub(one, b.div(two, b.add(e, one)));
    let small = b.odd(x, b.mul(x, x), &TANH);
    let y = b.select(b.is(a, Binary::Lt, TANH_SMALL), small, large);
    b.copysign(y, x)
}

pub(super) fn sinh(b: &Builder, x: Val) -> Val {
    let a = b.abs(x);
    let e = half_exp(b, a);
    let large = b.sub(e, b.div(b.like(x, 0.25), e));
    let small = b.odd(x, b.mul(x, x), &SINH);
    b.select(b.is(a, Binary::Lt, 1.0), small, b.copysign(large, x))
}

pub(super) fn cosh(b: &Builder, x: Val) -> Val {
    let e = half_exp(b, b.abs(x));
    b.add(e, b.div(b.like(x, 0.25), e))
}
