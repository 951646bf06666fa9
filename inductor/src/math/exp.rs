//! Exponentials, and the hyperbolic functions built on them.
//!
//! `exp(x) = 2^n exp(r)` with `n = round(x / ln 2)` and `|r| ≤ ln 2 / 2`; `ln 2` is subtracted in two parts.

use super::{LN2, Lanes};

/// `(exp(r) - 1 - r) / r²`, so that the error is small against `exp(r)`.
const EXP: [f64; 5] = [0.0013814465, 0.008368781, 0.041668393, 0.1666652, 0.49999994];

/// Counterpart of [`EXP`] whose error is small against `expm1(r)`.
const EXPM1: [f64; 5] = [0.0013946552, 0.008366644, 0.04166628, 0.16666542, 0.5];

/// `(2^r - 1) / r` for `|r| ≤ 1/2`.
const EXP2: [f64; 6] = [0.00015476045, 0.0013400416, 0.009618005, 0.055503275, 0.2402265, std::f64::consts::LN_2];

/// `(tanh(x) - x) / x³` in `x²`, up to [`TANH_SMALL`].
const TANH: [f64; 5] = [-0.005717037, 0.020650579, -0.053743497, 0.13331491, -0.33333284];
const TANH_SMALL: f64 = 0.625;

/// `(sinh(x) - x) / x³` in `x²`, up to 1.
const SINH: [f64; 4] = [2.8174397e-6, 0.00019836066, 0.0083333505, 0.16666667];

/// Below this, `exp` is 0; above [`EXP_MOST`], infinite.
const EXP_LEAST: f64 = -104.0;
const EXP_MOST: f64 = 89.0;

/// An argument split: `x = n ln 2 + r`; `n` is kept as [`Lanes::rounded`] gives it.
struct Split<V> {
    rounded: V,
    r: V,
}

fn split<L: Lanes>(l: &L, x: L::Val) -> Split<L::Val> {
    let rounded = l.rounded(x, std::f64::consts::LOG2_E);
    let n = l.integer(rounded);
    let r = l.mad(n, l.number(x, -LN2[0]), x);
    Split { rounded, r: l.mad(n, l.number(x, -LN2[1]), r) }
}

/// `exp(r)` on the reduced range.
fn reduced<L: Lanes>(l: &L, r: L::Val) -> L::Val {
    let q = l.horner(r, &EXP);
    l.add(l.mad(l.mul(r, r), q, r), l.number(r, 1.0))
}

/// `exp` for arguments within ±80.
pub fn exp_within<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let split = split(l, x);
    l.scale_within(reduced(l, split.r), split.rounded)
}

/// `e^x`
pub fn exp<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let split = split(l, l.at_most(l.at_least(x, EXP_LEAST), EXP_MOST));
    l.scale(reduced(l, split.r), split.rounded, 0)
}

/// `exp(a) / 2` for `a ≥ 0`, without early overflow.
fn half_exp<L: Lanes>(l: &L, a: L::Val) -> L::Val {
    let split = split(l, l.at_most(a, EXP_MOST + 1.0));
    l.scale(reduced(l, split.r), split.rounded, -1)
}

/// `2^x`
pub fn exp2<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let split = split_at_integer(l, x);
    exp2_of(l, &split)
}

/// `2^(x + rest)` for a small `rest`.
pub fn exp2_of_sum<L: Lanes>(l: &L, x: L::Val, rest: L::Val) -> L::Val {
    let split = split_at_integer(l, x);
    exp2_of(l, &Split { r: l.add(split.r, rest), ..split })
}

/// An exponent as an integer and the rest of it.
fn split_at_integer<L: Lanes>(l: &L, x: L::Val) -> Split<L::Val> {
    let x = l.at_most(l.at_least(x, -151.0), 129.0);
    let rounded = l.rounded(x, 1.0);
    Split { rounded, r: l.sub(x, l.integer(rounded)) }
}

fn exp2_of<L: Lanes>(l: &L, split: &Split<L::Val>) -> L::Val {
    let p = l.mad(l.horner(split.r, &EXP2), split.r, l.number(split.r, 1.0));
    l.scale(p, split.rounded, 0)
}

/// `e^x - 1`, as `2 (2^(n-1) expm1(r) + (2^(n-1) - 1/2))`: the inner difference is exact where it matters.
pub fn expm1<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let split = split(l, l.at_most(l.at_least(x, -18.0), EXP_MOST));
    let q = l.horner(split.r, &EXPM1);
    let t = l.mad(l.mul(split.r, split.r), q, split.r);
    // 2^n overflows at n = 128 where 2^(n-1) does not.
    let rounded = l.sub(split.rounded, l.number(x, 1.0));
    let power = l.scale_within(l.number(x, 1.0), rounded);
    let sum = l.mad(power, t, l.sub(power, l.number(x, 0.5)));
    let tiny = l.below(l.abs(x), 1e-30);
    l.select(tiny, x, l.add(sum, sum))
}

/// The logistic function `1 / (1 + exp(-x))`, from `e = exp(-|x|)`: `e / (1 + e)` below 0, `1 / (1 + e)` above; what
/// `1 + e` loses is made good below 0, where the error of `e` counts too.
pub fn sigmoid<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let one = l.number(x, 1.0);
    let e = exp(l, l.neg(l.abs(x)));
    let negative = l.below(x, 0.0);
    let sum = l.add(one, e);
    let lost = l.sub(e, l.sub(sum, one));
    let y = l.div(l.select(negative, e, one), sum);
    // d(e / s) = -(e / s) ds / s, and 1 / s = 1 - e / s.
    let share = l.sub(one, y);
    let better = l.mad(l.neg(l.mul(y, lost)), share, y);
    l.select(negative, better, y)
}

/// The hyperbolic tangent: a polynomial near 0, else `1 - 2 / (exp(2|x|) + 1)`.
pub fn tanh<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let (one, two) = (l.number(x, 1.0), l.number(x, 2.0));
    let a = l.abs(x);
    let bounded = l.at_most(a, 10.0);
    let e = exp_within(l, l.add(bounded, bounded));
    let large = l.sub(one, l.div(two, l.add(e, one)));
    let small = l.odd(x, l.mul(x, x), &TANH);
    let y = l.select(l.below(a, TANH_SMALL), small, large);
    l.copysign(y, x)
}

/// The hyperbolic sine.
pub fn sinh<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let a = l.abs(x);
    let e = half_exp(l, a);
    let large = l.sub(e, l.div(l.number(x, 0.25), e));
    let small = l.odd(x, l.mul(x, x), &SINH);
    l.select(l.below(a, 1.0), small, l.copysign(large, x))
}

/// The hyperbolic cosine.
pub fn cosh<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let e = half_exp(l, l.abs(x));
    l.add(e, l.div(l.number(x, 0.25), e))
}
