//! Logarithms: `x = 2^e (1 + f)` with `1 + f` between `sqrt(1/2)` and `sqrt(2)`, and `ln(1 + f) = f + f² p(f)`.

use crate::emit::ir::{Elem, Ir, Val};
use inkwell::FloatPredicate;
use inkwell::values::InstructionOpcode;

/// `(ln(1 + f) - f) / f²`.
const LOG: [f64; 9] =
    [-0.076261275, 0.12908189, -0.13243133, 0.14181256, -0.16608994, 0.20002, -0.25001588, 0.33333325, -0.49999988];

/// Constants in two parts; the first parts of `ln 2` and `log10 2` have few enough bits that their multiples are exact.
const LN2: [f64; 2] = [0.693145751953125, 1.428606765330187e-6];
const LOG10_2: [f64; 2] = [0.301025390625, 4.605039066518657e-6];
const LOG2_E: [f64; 2] = [1.4426950216293335, 1.925963033500011e-8];
const LOG10_E: [f64; 2] = [0.4342944920063019, -1.0103049952192578e-8];

/// The bits of `sqrt(1/2)`.
const SQRT_HALF_BITS: i64 = 0x3f35_04f3;

/// The exponent of a positive normal number, as an integer.
fn exponent<'c>(ir: &Ir<'c>, x: Val<'c>) -> Val<'c> {
    let bits = ir.bitcast(x, Elem::I32);
    let above = ir.sub(bits, ir.bits_like(x, SQRT_HALF_BITS));
    ir.ashr(above, ir.like(bits, 23.0))
}

/// `e` and `f` of a positive number; denormals are scaled up first.
fn split<'c>(ir: &Ir<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    let tiny = ir.is(x, FloatPredicate::OLT, f64::from(f32::MIN_POSITIVE));
    let normal = ir.select(tiny, ir.fmul(x, ir.like(x, f64::from(1 << 23))), x);
    let shift = ir.select(tiny, ir.like(x, -23.0), ir.like(x, 0.0));
    let e = exponent(ir, normal);
    let mantissa = ir.sub(ir.bitcast(normal, Elem::I32), ir.shl(e, ir.like(e, 23.0)));
    let f = ir.fsub(ir.bitcast(mantissa, Elem::F32), ir.like(x, 1.0));
    (ir.fadd(ir.cast(InstructionOpcode::SIToFP, e, Elem::F32), shift), f)
}

/// `f² p(f)`.
fn correction<'c>(ir: &Ir<'c>, f: Val<'c>) -> Val<'c> {
    ir.fmul(ir.fmul(f, f), ir.horner(f, &LOG))
}

/// −∞ at `pole`, NaN below it, +∞ at +∞, else `y`.
pub(super) fn edges<'c>(ir: &Ir<'c>, x: Val<'c>, pole: f64, y: Val<'c>) -> Val<'c> {
    let infinity = ir.like(x, f64::INFINITY);
    let y = ir.select(ir.fcmp(FloatPredicate::OEQ, x, infinity), infinity, y);
    let y = ir.select(ir.is(x, FloatPredicate::OEQ, pole), ir.like(x, f64::NEG_INFINITY), y);
    ir.select(ir.is(x, FloatPredicate::ULT, pole), ir.like(x, f64::NAN), y)
}

/// `e ln 2 + ln(1 + f)`.
fn natural<'c>(ir: &Ir<'c>, e: Val<'c>, f: Val<'c>) -> Val<'c> {
    let low = ir.mad(e, ir.like(e, LN2[1]), correction(ir, f));
    ir.mad(e, ir.like(e, LN2[0]), ir.fadd(f, low))
}

pub(super) fn log<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let (e, f) = split(ir, x);
    edges(ir, x, 0.0, natural(ir, e, f))
}

/// `k ln(1 + f)` for a constant in two parts, plus `more`.
fn scaled<'c>(ir: &Ir<'c>, f: Val<'c>, k: [f64; 2]) -> Val<'c> {
    let [high, low] = k.map(|k| ir.like(f, k));
    let rest = ir.mad(low, f, ir.fmul(high, correction(ir, f)));
    ir.mad(high, f, rest)
}

pub(super) fn log2<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let (e, f) = split(ir, x);
    edges(ir, x, 0.0, ir.fadd(e, scaled(ir, f, LOG2_E)))
}

pub(super) fn log10<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let (e, f) = split(ir, x);
    let low = ir.mad(e, ir.like(e, LOG10_2[1]), scaled(ir, f, LOG10_E));
    edges(ir, x, 0.0, ir.mad(e, ir.like(e, LOG10_2[0]), low))
}

/// With `e` that of `1 + x`: `f = 2^-e x + (2^-e - 1)`, rounded once. A quarter of `x` keeps `2^-e` normal.
pub(super) fn log1p<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let (one, quarter) = (ir.like(x, 1.0), ir.like(x, 0.25));
    let e = exponent(ir, ir.fadd(x, one));
    let power_bits = ir.shl(ir.sub(ir.like(e, 129.0), e), ir.like(e, 23.0));
    let power = ir.bitcast(power_bits, Elem::F32);
    let f = ir.mad(ir.fmul(x, quarter), power, ir.fsub(ir.fmul(power, quarter), one));
    let y = natural(ir, ir.cast(InstructionOpcode::SIToFP, e, Elem::F32), f);
    let tiny = ir.is(ir.fabs(x), FloatPredicate::OLT, 1e-10);
    edges(ir, x, -1.0, ir.select(tiny, x, y))
}
