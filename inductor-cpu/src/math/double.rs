//! Exponential and logarithm in `f64`, within 2 units in the last place, and the power in `f32` by way of them.
//!
//! The reductions are those of `f32`. `ln(1 + f) = 2 atanh(s)` with `s = f / (2 + f)`, written so that `f` itself,
//! which is exact, is the largest term.

use crate::ir::{Elem, Ir, Val, lanes};
use inductor::math::{Lanes, log};
use inkwell::FloatPredicate;
use inkwell::values::InstructionOpcode as Cast;

/// Added to a number below 2^51, leaves it rounded to an integer in the low bits of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The bits of [`ROUNDER`], of 1, and of `sqrt(1/2)`.
const ROUNDER_BITS: i64 = 0x4338_0000_0000_0000;
const ONE_BITS: i64 = 0x3ff0_0000_0000_0000;
const SQRT_HALF_BITS: i64 = 0x3fe6_a09e_667f_3bcd;

/// `ln 2` in two parts, of which the first has so few bits that its multiples are exact.
const LN2: [f64; 2] = [0.6931471803691238, 1.9082149292705877e-10];

/// `(exp(r) - 1 - r) / r²` for `|r| ≤ ln 2 / 2`.
const EXP: [f64; 11] = [
    2.0914686968086876e-9,
    2.5105217004720745e-8,
    2.75572736431103e-7,
    2.7557255400206422e-6,
    2.4801587325547743e-5,
    0.00019841269874820627,
    0.0013888888888883748,
    0.008333333333326136,
    0.04166666666666667,
    0.1666666666666667,
    0.5,
];

/// `(2 atanh(s) - 2s) / s³` in `s²`.
const ATANH: [f64; 8] = [
    0.13088034850927555,
    0.13268638369266825,
    0.15386244737621665,
    0.18181795547521137,
    0.22222222392581045,
    0.28571428570799784,
    0.40000000000000885,
    0.6666666666666666,
];

pub(super) fn exp<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let x = ir.at_most(ir.at_least(x, -746.0), 710.0);
    let rounded = ir.mad(x, ir.like(x, std::f64::consts::LOG2_E), ir.like(x, ROUNDER));
    let n = ir.fsub(rounded, ir.like(x, ROUNDER));
    let r = LN2.iter().fold(x, |r, &part| ir.mad(n, ir.like(x, -part), r));
    let tail = ir.mad(ir.fmul(r, r), ir.horner(r, &EXP), r);
    scale(ir, ir.fadd(tail, ir.like(r, 1.0)), rounded)
}

/// `p * 2^n`, over- and underflowing as it should, where `rounded` is `n` plus [`ROUNDER`].
fn scale<'c>(ir: &Ir<'c>, p: Val<'c>, rounded: Val<'c>) -> Val<'c> {
    if ir.host.avx512 && lanes(p) == 8 {
        let n = ir.fsub(rounded, ir.like(p, ROUNDER));
        let (every, current_rounding) = (ir.int(Elem::I8, 1, -1), ir.int(Elem::I32, 1, 4));
        return ir.intrinsic_on("llvm.x86.avx512.mask.scalef.pd.512", &[], &[p, n, p, every, current_rounding]);
    }
    let bits = ir.bitcast(rounded, Elem::I64);
    let n = ir.sub(bits, ir.bits_like(p, ROUNDER_BITS));
    let half = ir.ashr(n, ir.like(n, 1.0));
    let power = |n| ir.bitcast(ir.add(ir.shl(n, ir.like(n, 52.0)), ir.bits_like(p, ONE_BITS)), Elem::F64);
    ir.fmul(ir.fmul(p, power(half)), power(ir.sub(n, half)))
}

pub(super) fn log<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let tiny = ir.below(x, f64::MIN_POSITIVE);
    let normal = ir.select(tiny, ir.fmul(x, ir.like(x, 2f64.powi(54))), x);
    let shift = ir.select(tiny, ir.like(x, -54.0), ir.like(x, 0.0));
    let bits = ir.bitcast(normal, Elem::I64);
    let above = ir.sub(bits, ir.bits_like(x, SQRT_HALF_BITS));
    let e = ir.ashr(above, ir.like(bits, 52.0));
    let mantissa = ir.bitcast(ir.sub(bits, ir.shl(e, ir.like(e, 52.0))), Elem::F64);
    let f = ir.fsub(mantissa, ir.like(x, 1.0));
    let e = ir.fadd(ir.cast(Cast::SIToFP, e, Elem::F64), shift);
    let s = ir.fdiv(f, ir.fadd(f, ir.like(f, 2.0)));
    let z = ir.fmul(s, s);
    let half_square = ir.fmul(ir.fmul(f, f), ir.like(f, 0.5));
    let series = ir.fmul(z, ir.horner(z, &ATANH));
    let low = ir.mad(s, ir.fadd(half_square, series), ir.fmul(e, ir.like(e, LN2[1])));
    let y = ir.mad(e, ir.like(e, LN2[0]), ir.fsub(f, ir.fsub(half_square, low)));
    log::edges(ir, x, 0.0, y)
}

/// `|a|^b` in `f64`, which rounds away all that is lost there; then the sign, and what has no logarithm.
pub(super) fn pow<'c>(ir: &Ir<'c>, [a, b]: [Val<'c>; 2]) -> Val<'c> {
    use FloatPredicate::{OEQ, ONE, UNE};
    let size = ir.fabs(a);
    let magnitude = in_doubles(ir, size, b);
    let half = ir.fmul(b, ir.like(b, 0.5));
    let is_fraction = ir.fcmp(UNE, ir.trunc(b), b);
    let is_odd = ir.and(ir.fcmp(ONE, ir.trunc(half), half), ir.fcmp(OEQ, ir.trunc(b), b));
    let is_negative = ir.below(ir.copysign(ir.like(a, 1.0), a), 0.0);
    let y = ir.select(ir.and(is_negative, is_odd), ir.fneg(magnitude), magnitude);
    let is_below = ir.and(ir.below(a, 0.0), ir.fcmp(ONE, a, ir.like(a, f64::NEG_INFINITY)));
    let y = ir.select(ir.and(is_below, is_fraction), ir.like(a, f64::NAN), y);
    let endless = ir.and(ir.equals(size, 1.0), ir.equals(ir.fabs(b), f64::INFINITY));
    let is_one = ir.or(ir.or(ir.equals(a, 1.0), ir.equals(b, 0.0)), endless);
    ir.select(is_one, ir.like(a, 1.0), y)
}

/// `exp(b ln(a))`, a register of doubles at a time.
fn in_doubles<'c>(ir: &Ir<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
    let count = lanes(a);
    if count > 1 && count as usize * 8 > ir.host.vector_bytes {
        let half = |first| in_doubles(ir, ir.part(a, first, count / 2), ir.part(b, first, count / 2));
        return ir.merge(half(0), half(count / 2), count, |lane| lane);
    }
    let [a, b] = [a, b].map(|v| ir.cast(Cast::FPExt, v, Elem::F64));
    let y = exp(ir, [ir.fmul(b, log(ir, [a]))]);
    ir.cast(Cast::FPTrunc, y, Elem::F32)
}
