//! The error function.

use super::exp::exp_within;
use crate::emit::ir::{Ir, Val};
use inkwell::FloatPredicate;

/// `erf(x) / x - 1` in `x²`, up to [`SMALL`].
const ERF: [f64; 6] = [-0.00059768936, 0.00499098, -0.026765566, 0.112818025, -0.37612495, 0.12837915];
const SMALL: f64 = 0.92;

/// `ln(1 - erf(x))` from [`SMALL`] to 4, where `erf` is 1.
const LOG_ERFC: [f64; 7] =
    [0.00019593826, -0.0030432267, 0.022226956, -0.103931665, -0.6371822, -1.1276757, -0.00019566652];

/// A polynomial near 0, else `1 - exp(p(|x|))`.
pub(super) fn erf<'c>(ir: &Ir<'c>, [x]: [Val<'c>; 1]) -> Val<'c> {
    let a = ir.fabs(x);
    let log = ir.horner(ir.at_most(a, 4.0), &LOG_ERFC);
    let large = ir.fsub(ir.like(x, 1.0), exp_within(ir, log));
    let small = ir.mad(x, ir.horner(ir.fmul(x, x), &ERF), x);
    ir.select(ir.is(a, FloatPredicate::OLT, SMALL), small, ir.copysign(large, x))
}
