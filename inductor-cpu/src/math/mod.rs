//! The elementary functions on vectors.
//!
//! In `f32` each is a range reduction and a polynomial, within 2 units in the last place, with NaN, infinities, signed
//! zeros and denormals right. In `f64`, and where no vector algorithm is written yet, each calls the C library lane by
//! lane.

use crate::emit::ir::{Elem, Ir, Val, elem};

/// Declares functions that call the C library lane by lane.
macro_rules! by_lane {
    ($($name:ident($($arg:ident),+) $f32:literal $f64:literal;)*) => {
        $(pub(crate) fn $name<'c>(ir: &Ir<'c>, $($arg: Val<'c>),+) -> Val<'c> {
            let args = [$($arg),+];
            ir.map_lanes(if elem(args[0]) == Elem::F32 { $f32 } else { $f64 }, &args)
        })*
    };
}

by_lane! {
    exp(a) "ri_exp_f32" "ri_exp_f64";
    exp2(a) "ri_exp2_f32" "ri_exp2_f64";
    expm1(a) "ri_expm1_f32" "ri_expm1_f64";
    log(a) "ri_log_f32" "ri_log_f64";
    log2(a) "ri_log2_f32" "ri_log2_f64";
    log10(a) "ri_log10_f32" "ri_log10_f64";
    log1p(a) "ri_log1p_f32" "ri_log1p_f64";
    sin(a) "ri_sin_f32" "ri_sin_f64";
    cos(a) "ri_cos_f32" "ri_cos_f64";
    tan(a) "ri_tan_f32" "ri_tan_f64";
    asin(a) "ri_asin_f32" "ri_asin_f64";
    acos(a) "ri_acos_f32" "ri_acos_f64";
    atan(a) "ri_atan_f32" "ri_atan_f64";
    sinh(a) "ri_sinh_f32" "ri_sinh_f64";
    cosh(a) "ri_cosh_f32" "ri_cosh_f64";
    tanh(a) "ri_tanh_f32" "ri_tanh_f64";
    erf(a) "ri_erf_f32" "ri_erf_f64";
    erfc(a) "ri_erfc_f32" "ri_erfc_f64";
    pow(a, b) "ri_pow_f32" "ri_pow_f64";
    fmod(a, b) "ri_fmod_f32" "ri_fmod_f64";
    atan2(a, b) "ri_atan2_f32" "ri_atan2_f64";
}

/// `1 / (1 + exp(-x))`
pub(crate) fn sigmoid<'c>(ir: &Ir<'c>, a: Val<'c>) -> Val<'c> {
    let one = ir.like(a, 1.0);
    ir.fdiv(one, ir.fadd(one, exp(ir, ir.fneg(a))))
}
