//! Sine, cosine, tangent: the argument less a multiple of π/2, taken in three parts with fused steps.
//!
//! Beyond [`MODERATE`], and without fused multiply-add, the C library does it.

use crate::ir::{Elem, Ir, Val, lanes};
use inductor::math::trig::{self, Reduced, SMALL};
use inductor::math::{Lanes, ROUNDER};

/// Up to here the three parts of π/2 leave an accurate remainder.
const MODERATE: f64 = 1e5;

/// π/2 in three parts.
const HALF_PI: [f64; 3] = [1.5707963705062866, -4.371138828673793e-8, -1.7151245100058819e-15];

/// `(tan(x) - x) / x³` in `x²`, up to π/4.
const TAN: [f64; 7] = [0.0044166064, 4.114627e-6, 0.010906528, 0.021253403, 0.054065835, 0.13332607, 0.33333352];

/// An angle's quadrant in the low bits, its distance from a multiple of the first part of π/2 (exact), and which.
fn near_multiple<'c>(ir: &Ir<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>, Val<'c>) {
    let rounded = ir.rounded(x, std::f64::consts::FRAC_2_PI);
    let n = ir.fsub(rounded, ir.like(x, ROUNDER));
    (ir.bitcast(rounded, Elem::I32), ir.fma(n, ir.like(x, -HALF_PI[0]), x), n)
}

/// The remainder as a sum of two: the tangent magnifies what one would lose.
fn remainder<'c>(ir: &Ir<'c>, exact: Val<'c>, n: Val<'c>) -> (Val<'c>, Val<'c>) {
    let [second, third] = [HALF_PI[1], HALF_PI[2]].map(|part| ir.like(n, -part));
    let product = ir.fmul(n, second);
    let product_lost = ir.fma(n, second, ir.fneg(product));
    let r = ir.fadd(exact, product);
    let added = ir.fsub(r, exact);
    let lost = ir.fadd(ir.fsub(exact, ir.fsub(r, added)), ir.fsub(product, added));
    (r, ir.fadd(lost, ir.fma(n, third, product_lost)))
}

fn reduce<'c>(ir: &Ir<'c>, x: Val<'c>) -> Reduced<Val<'c>> {
    let (quadrant, exact, n) = near_multiple(ir, x);
    let r = HALF_PI[1..].iter().fold(exact, |r, &part| ir.fma(n, ir.like(x, -part), r));
    trig::reduced(ir, quadrant, r)
}

/// `fast` where every lane is moderate, else the C library's function.
fn guarded<'c>(ir: &Ir<'c>, x: Val<'c>, symbol: &str, fast: impl FnOnce(&Ir<'c>) -> Val<'c>) -> Val<'c> {
    if !ir.host.fma {
        return ir.map_lanes(symbol, &[x]);
    }
    let far = ir.above(ir.fabs(x), MODERATE);
    let any = if lanes(x) == 1 { far } else { ir.any(far) };
    ir.either(any, |ir| ir.map_lanes(symbol, &[x]), fast)
}

pub(super) fn sin<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    guarded(ir, x, "ri_sin_f32", |ir| trig::sin(ir, x, &reduce(ir, x)))
}

pub(super) fn cos<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    guarded(ir, x, "ri_cos_f32", |ir| trig::cos(ir, &reduce(ir, x)))
}

/// `-1 / (t + lost)`, with the quotient's own error made good.
fn negative_reciprocal<'c>(ir: &Ir<'c>, t: Val<'c>, lost: Val<'c>) -> Val<'c> {
    let quotient = ir.fdiv(ir.like(t, -1.0), t);
    let error = ir.fma(quotient, t, ir.like(t, 1.0));
    ir.fma(quotient, ir.fma(quotient, lost, error), quotient)
}

pub(super) fn tan<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    guarded(ir, x, "ri_tan_f32", |ir| {
        let (quadrant, exact, n) = near_multiple(ir, x);
        let (r, lost) = remainder(ir, exact, n);
        let z = ir.fmul(r, r);
        let rise = ir.fmul(ir.fmul(r, z), ir.horner(z, &TAN));
        let rough = ir.fadd(r, rise);
        let rise = ir.mad(lost, ir.mad(rough, rough, ir.like(x, 1.0)), rise);
        let tan = ir.fadd(r, rise);
        let tan_lost = ir.fsub(rise, ir.fsub(tan, r));
        let cotangent = negative_reciprocal(ir, tan, tan_lost);
        let small = ir.below(ir.fabs(x), SMALL);
        ir.select(small, x, ir.select(ir.has_bit(quadrant, 1), cotangent, tan))
    })
}
