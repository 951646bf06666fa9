//! Exponentials, and the hyperbolic functions built on them.
//!
//! `exp(x) = 2^n exp(r)` with `n = round(x / ln 2)` and `|r| ≤ ln 2 / 2`; `ln 2` is subtracted in two parts.

use super::poly::ROUNDER;
use crate::emit::ir::{Ir, Val};
use inkwell::FloatPredicate;

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

/// An argument split: `x = n ln 2 + r`; `n` is kept as [`Ir::rounded`] gives it.
struct Split<'c> {
    rounded: Val<'c>,
    r: Val<'c>,
}

fn split<'c>(ir: &Ir<'c>, x: Val<'c>) -> Split<'c> {
    let rounded = ir.rounded(x, std::f64::consts::LOG2_E);
    let n = ir.fsub(rounded, ir.like(x, ROUNDER));
    let r = ir.mad(n, ir.like(x, -LN2_HIGH), x);
    Split { rounded, r: ir.mad(n, ir.like(x, -LN2_LOW), r) }
}

/// `exp(r)` on the reduced range.
fn reduced<'c>(ir: &Ir<'c>, r: Val<'c>) -> Val<'c> {
    let q = ir.horner(r, &EXP);
    let t = ir.mad(ir.fmul(r, r), q, r);
    ir.fadd(t, ir.like(r, 1.0))
}

/// `exp` for arguments within ±80.
pub(super) fn exp_within<'c>(ir: &Ir<'c>, x: Val<'c>) -> Val<'c> {
    let split = split(ir, x);
    ir.scale_within(reduced(ir, split.r), split.rounded)
}

pub(super) fn exp<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let split = split(ir, ir.at_most(ir.at_least(x, EXP_LEAST), EXP_MOST));
    ir.scale(reduced(ir, split.r), split.rounded, 0)
}

/// `exp(a) / 2` for `a ≥ 0`, without early overflow.
fn half_exp<'c>(ir: &Ir<'c>, a: Val<'c>) -> Val<'c> {
    let split = split(ir, ir.at_most(a, EXP_MOST + 1.0));
    ir.scale(reduced(ir, split.r), split.rounded, -1)
}

pub(super) fn exp2<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let x = ir.at_most(ir.at_least(x, -151.0), 129.0);
    let rounded = ir.rounded(x, 1.0);
    let r = ir.fsub(x, ir.fsub(rounded, ir.like(x, ROUNDER)));
    let p = ir.mad(ir.horner(r, &EXP2), r, ir.like(r, 1.0));
    ir.scale(p, rounded, 0)
}

/// `2 (2^(n-1) expm1(r) + (2^(n-1) - 1/2))`: the inner difference is exact where it matters.
pub(super) fn expm1<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let split = split(ir, ir.at_most(ir.at_least(x, -18.0), EXP_MOST));
    let q = ir.horner(split.r, &EXPM1);
    let t = ir.mad(ir.fmul(split.r, split.r), q, split.r);
    let half = ir.like(x, 0.5);
    // 2^n overflows at n = 128 where 2^(n-1) does not.
    let rounded = ir.fsub(split.rounded, ir.like(x, 1.0));
    let power = ir.scale_within(ir.like(x, 1.0), rounded);
    let sum = ir.mad(power, t, ir.fsub(power, half));
    let tiny = ir.is(ir.fabs(x), FloatPredicate::OLT, 1e-30);
    ir.select(tiny, x, ir.fadd(sum, sum))
}

/// From `e = exp(-|x|)`: `e / (1 + e)` below 0, `1 / (1 + e)` above; what `1 + e` loses is made good below 0, where
/// the error of `e` counts too.
pub(super) fn sigmoid<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let one = ir.like(x, 1.0);
    let e = exp(ir, [ir.fneg(ir.fabs(x))]);
    let negative = ir.is(x, FloatPredicate::OLT, 0.0);
    let sum = ir.fadd(one, e);
    let lost = ir.fsub(e, ir.fsub(sum, one));
    let y = ir.fdiv(ir.select(negative, e, one), sum);
    // d(e / s) = -(e / s) ds / s, and 1 / s = 1 - e / s.
    let share = ir.fsub(one, y);
    let better = ir.mad(ir.fneg(ir.fmul(y, lost)), share, y);
    ir.select(negative, better, y)
}

/// A polynomial near 0, else `1 - 2 / (exp(2|x|) + 1)`.
pub(super) fn tanh<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let (one, two) = (ir.like(x, 1.0), ir.like(x, 2.0));
    let a = ir.fabs(x);
    let bounded = ir.at_most(a, 10.0);
    let e = exp_within(ir, ir.fadd(bounded, bounded));
    let large = ir.fsub(one, ir.fdiv(two, ir.fadd(e, one)));
    let small = ir.odd(x, ir.fmul(x, x), &TANH);
    ir.copysign(ir.select(ir.is(a, FloatPredicate::OLT, TANH_SMALL), small, large), x)
}

pub(super) fn sinh<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let a = ir.fabs(x);
    let e = half_exp(ir, a);
    let large = ir.fsub(e, ir.fdiv(ir.like(x, 0.25), e));
    let small = ir.odd(x, ir.fmul(x, x), &SINH);
    ir.select(ir.is(a, FloatPredicate::OLT, 1.0), small, ir.copysign(large, x))
}

pub(super) fn cosh<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let e = half_exp(ir, ir.fabs(x));
    ir.fadd(e, ir.fdiv(ir.like(x, 0.25), e))
}
