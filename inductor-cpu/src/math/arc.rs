//! Inverse trigonometric functions.

use crate::emit::ir::{Elem, Ir, Val};
use inductor::grid::tables::{ASIN, ASIN_SMALL, ATAN, HALF_PI, PI};
use inkwell::{FloatPredicate, IntPredicate};

/// `whole - part`, for a constant in two parts.
fn from_constant<'c>(ir: &Ir<'c>, whole: [f64; 2], part: Val<'c>) -> Val<'c> {
    let [high, low] = whole.map(|k| ir.like(part, k));
    ir.fsub(high, ir.fsub(part, low))
}

/// `asin` of `|x|` up to [`ASIN_SMALL`], and half of `acos(|x|)` beyond; with which of the two it is.
fn half_arc<'c>(ir: &Ir<'c>, a: Val<'c>) -> (Val<'c>, Val<'c>) {
    let half = ir.like(a, 0.5);
    let large = ir.is(a, FloatPredicate::OGT, ASIN_SMALL);
    let rest = ir.fmul(ir.fsub(ir.like(a, 1.0), a), half);
    let z = ir.select(large, rest, ir.fmul(a, a));
    let s = ir.select(large, ir.sqrt(rest), a);
    (ir.odd(s, z, &ASIN), large)
}

pub(super) fn asin<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let (p, large) = half_arc(ir, ir.fabs(x));
    let y = ir.select(large, from_constant(ir, HALF_PI, ir.fadd(p, p)), p);
    ir.copysign(y, x)
}

pub(super) fn acos<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let (p, large) = half_arc(ir, ir.fabs(x));
    let twice = ir.fadd(p, p);
    let negative = ir.is(x, FloatPredicate::OLT, 0.0);
    let far = ir.select(negative, from_constant(ir, PI, twice), twice);
    ir.select(large, far, from_constant(ir, HALF_PI, ir.copysign(p, x)))
}

/// `atan` on `0..=1`.
fn reduced<'c>(ir: &Ir<'c>, t: Val<'c>) -> Val<'c> {
    ir.odd(t, ir.fmul(t, t), &ATAN)
}

pub(super) fn atan<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let one = ir.like(x, 1.0);
    let a = ir.fabs(x);
    let large = ir.fcmp(FloatPredicate::OGT, a, one);
    let p = reduced(ir, ir.select(large, ir.fdiv(one, a), a));
    ir.copysign(ir.select(large, from_constant(ir, HALF_PI, p), p), x)
}

pub(super) fn atan2<'c>(ir: &Ir<'c>, [y, x]: [Val<'c>; 2]) -> Val<'c> {
    let (a, b) = (ir.fabs(y), ir.fabs(x));
    let steep = ir.fcmp(FloatPredicate::OGT, a, b);
    let (most, least) = (ir.select(steep, a, b), ir.select(steep, b, a));
    // 0/0 and ∞/∞ have angles too.
    let t = ir.fdiv(least, most);
    let t = ir.select(ir.is(most, FloatPredicate::OEQ, 0.0), ir.like(x, 0.0), t);
    let t = ir.select(ir.is(least, FloatPredicate::OEQ, f64::INFINITY), ir.like(x, 1.0), t);
    let p = reduced(ir, t);
    let p = ir.select(steep, from_constant(ir, HALF_PI, p), p);
    let bits = ir.bitcast(x, Elem::I32);
    let left = ir.icmp(IntPredicate::SLT, bits, ir.like(bits, 0.0));
    let p = ir.select(left, from_constant(ir, PI, p), p);
    let nan = ir.fcmp(FloatPredicate::UNO, x, y);
    ir.select(nan, ir.like(x, f64::NAN), ir.copysign(p, y))
}
