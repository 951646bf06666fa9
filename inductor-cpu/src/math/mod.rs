//! The elementary functions on vectors.
//!
//! In `f32` they are those of [`inductor::math`], within 2 units in the last place, denormals included. In `f64` the
//! exponential and the logarithm are made likewise. Rows without a vector algorithm call the C library lane by lane.

mod double;
mod lanes;
mod trig;

use crate::ir::{Elem, Ir, Val, elem};
use inductor::math::{arc, erf, exp, log};

/// Declares functions: for `f64` and for `f32` an algorithm, or the C library's.
macro_rules! functions {
    ($($name:ident($($arg:ident),+) $f64:expr, $f32:expr;)*) => {
        $(
            #[doc = concat!("The primitive `", stringify!($name), "`.")]
            pub(crate) fn $name<'c>(ir: &Ir<'c>, $($arg: Val<'c>),+) -> Val<'c> {
                let args = [$($arg),+];
                if elem(args[0]) == Elem::F32 { $f32(ir, args) } else { $f64(ir, args) }
            }
        )*
    };
}

functions! {
    exp(a) double::exp, unary(exp::exp);
    exp2(a) by_lane("ri_exp2_f64"), unary(exp::exp2);
    expm1(a) by_lane("ri_expm1_f64"), unary(exp::expm1);
    log(a) double::log, unary(log::log);
    log2(a) by_lane("ri_log2_f64"), unary(log::log2);
    log10(a) by_lane("ri_log10_f64"), unary(log::log10);
    log1p(a) by_lane("ri_log1p_f64"), unary(log::log1p);
    sin(a) by_lane("ri_sin_f64"), trig::sin;
    cos(a) by_lane("ri_cos_f64"), trig::cos;
    tan(a) by_lane("ri_tan_f64"), trig::tan;
    asin(a) by_lane("ri_asin_f64"), unary(arc::asin);
    acos(a) by_lane("ri_acos_f64"), unary(arc::acos);
    atan(a) by_lane("ri_atan_f64"), unary(arc::atan);
    atan2(a, b) by_lane("ri_atan2_f64"), binary(arc::atan2);
    sinh(a) by_lane("ri_sinh_f64"), unary(exp::sinh);
    cosh(a) by_lane("ri_cosh_f64"), unary(exp::cosh);
    tanh(a) by_lane("ri_tanh_f64"), unary(exp::tanh);
    erf(a) by_lane("ri_erf_f64"), unary(erf::erf);
    erfc(a) by_lane("ri_erfc_f64"), by_lane("ri_erfc_f32");
    pow(a, b) by_lane("ri_pow_f64"), double::pow;
    fmod(a, b) by_lane("ri_fmod_f64"), by_lane("ri_fmod_f32");
}

/// A function of one operand that [`inductor::math`] spells out.
fn unary<'c>(function: impl Fn(&Ir<'c>, Val<'c>) -> Val<'c>) -> impl Fn(&Ir<'c>, [Val<'c>; 1]) -> Val<'c> {
    move |ir, [x]| function(ir, x)
}

/// A function of two operands that [`inductor::math`] spells out.
fn binary<'c>(function: impl Fn(&Ir<'c>, Val<'c>, Val<'c>) -> Val<'c>) -> impl Fn(&Ir<'c>, [Val<'c>; 2]) -> Val<'c> {
    move |ir, [x, y]| function(ir, x, y)
}

/// The C library's function.
fn by_lane<'c, const N: usize>(symbol: &'static str) -> impl Fn(&Ir<'c>, [Val<'c>; N]) -> Val<'c> {
    move |ir, args| ir.map_lanes(symbol, &args)
}

/// `1 / (1 + exp(-x))`
pub(crate) fn sigmoid<'c>(ir: &Ir<'c>, a: Val<'c>) -> Val<'c> {
    if elem(a) == Elem::F32 {
        return exp::sigmoid(ir, a);
    }
    let one = ir.like(a, 1.0);
    ir.fdiv(one, ir.fadd(one, exp(ir, ir.fneg(a))))
}
