//! The primitives on one element, with exact semantics.
//!
//! Integers wrap in their width. Floats are computed in `float64` and rounded to the dtype once, which for
//! `float32` gives the correctly rounded sum, difference, product, quotient and square root (a `float64` has more
//! than twice its digits); only `fma` needs, and gets, arithmetic of its own.

use fx::{prim::Pointwise, scalar::Scalar};
use symshapes::DType;

/// Applies `op` to operands of dtype `dtype`. The condition of `where` comes first and counts as bool.
///
/// The result has dtype `op.result_dtype(dtype)`. Integer division by zero, which callers exclude, gives 0.
pub fn pointwise(op: Pointwise, dtype: DType, args: &[Scalar]) -> Scalar {
    debug_assert_eq!(args.len(), op.arity(), "{op} has another arity");
    if op == Pointwise::Where {
        return if args[0].as_bool() { args[1] } else { args[2] }.round_to(dtype);
    }
    let operand = |i: usize| args[i.min(args.len() - 1)].round_to(dtype);
    let value = match (operand(0), operand(1), operand(2)) {
        (Scalar::Int(a), Scalar::Int(b), Scalar::Int(c)) => int(op, dtype, [a, b, c]),
        (a, b, c) => float(op, dtype, [a.as_f64(), b.as_f64(), c.as_f64()]),
    };
    value.round_to(op.result_dtype(dtype))
}

/// The primitives on integers and bool; what only floats have falls to [`float`].
fn int(op: Pointwise, dtype: DType, [a, b, c]: [i64; 3]) -> Scalar {
    use Pointwise as P;
    let width = if dtype == DType::Bool { 1 } else { 8 * dtype.size() as i64 };
    let value = match op {
        P::Neg => a.wrapping_neg(),
        P::Abs => a.wrapping_abs(),
        P::Sign => a.signum(),
        P::Add => a.wrapping_add(b),
        P::Sub => a.wrapping_sub(b),
        P::Mul => a.wrapping_mul(b),
        P::Fma => a.wrapping_mul(b).wrapping_add(c),
        P::Div | P::FloorDiv | P::Remainder | P::Fmod if b == 0 => 0,
        P::Div => a.wrapping_div(b),
        P::FloorDiv => floor_div_int(a, b),
        P::Remainder => a.wrapping_sub(floor_div_int(a, b).wrapping_mul(b)),
        P::Fmod => a.wrapping_rem(b),
        P::Maximum => a.max(b),
        P::Minimum => a.min(b),
        P::Pow => pow_int(a, b),
        P::Eq => (a == b).into(),
        P::Ne => (a != b).into(),
        P::Lt => (a < b).into(),
        P::Le => (a <= b).into(),
        P::Gt => (a > b).into(),
        P::Ge => (a >= b).into(),
        P::And => a & b,
        P::Or => a | b,
        P::Xor => a ^ b,
        P::Not if dtype == DType::Bool => 1 - a,
        P::Not => !a,
        P::Shl if (0..width).contains(&b) => a << b,
        P::Shl => 0,
        P::Shr => a >> if (0..width).contains(&b) { b } else { 63 },
        P::Floor | P::Ceil | P::Trunc | P::Round => a,
        P::IsNan | P::IsInf => 0,
        P::Signbit => (a < 0).into(),
        P::Copysign => a.wrapping_abs().wrapping_mul(if b < 0 { -1 } else { 1 }),
        _ => return float(op, dtype, [a as f64, b as f64, c as f64]),
    };
    Scalar::Int(value)
}

fn floor_div_int(a: i64, b: i64) -> i64 {
    let quotient = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn pow_int(base: i64, exponent: i64) -> i64 {
    match (base, u32::try_from(exponent)) {
        (_, Ok(n)) => base.wrapping_pow(n),
        (1, _) => 1,
        (-1, _) => 1 - 2 * (exponent & 1),
        (_, Err(_)) if exponent < 0 => 0,
        // Any even base is 0 in 64 bits after 64 steps; an odd one repeats with a period that divides 2^62.
        (_, Err(_)) if base & 1 == 0 => 0,
        (_, Err(_)) => pow_long(base, exponent),
    }
}

/// Square and multiply, for exponents beyond 32 bits.
fn pow_long(mut base: i64, mut exponent: i64) -> i64 {
    let mut value = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            value = value.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    value
}

/// The primitives on floats; comparisons give 0 or 1.
fn float(op: Pointwise, dtype: DType, [a, b, c]: [f64; 3]) -> Scalar {
    use Pointwise as P;
    let round = |x: f64| Scalar::Float(x).round_to(dtype.compute()).as_f64();
    let value = match op {
        P::Neg => -a,
        P::Abs => a.abs(),
        P::Sign => f64::from(a > 0.0) - f64::from(a < 0.0),
        P::Add => a + b,
        P::Sub => a - b,
        P::Mul => a * b,
        P::Div => a / b,
        P::FloorDiv => floor_div_float(a, b, round),
        P::Remainder => remainder_float(a, b, round),
        P::Fmod => a % b,
        P::Maximum => {
            if a.is_nan() || a > b {
                a
            } else {
                b
            }
        }
        P::Minimum => {
            if a.is_nan() || a < b {
                a
            } else {
                b
            }
        }
        P::Pow => a.powf(b),
        P::Fma if dtype.compute() == DType::F32 => (a as f32).mul_add(b as f32, c as f32).into(),
        P::Fma => a.mul_add(b, c),
        P::Eq => return (a == b).into(),
        P::Ne => return (a != b).into(),
        P::Lt => return (a < b).into(),
        P::Le => return (a <= b).into(),
        P::Gt => return (a > b).into(),
        P::Ge => return (a >= b).into(),
        P::Where => {
            if a != 0.0 {
                b
            } else {
                c
            }
        }
        P::And | P::Or | P::Xor | P::Not | P::Shl | P::Shr => {
            debug_assert!(false, "{op} on {dtype}");
            f64::NAN
        }
        P::Floor => a.floor(),
        P::Ceil => a.ceil(),
        P::Trunc => a.trunc(),
        P::Round => a.round_ties_even(),
        P::IsNan => return a.is_nan().into(),
        P::IsInf => return a.is_infinite().into(),
        P::Signbit => return a.is_sign_negative().into(),
        P::Copysign => a.copysign(b),
        P::Sqrt => a.sqrt(),
        P::Rsqrt => 1.0 / a.sqrt(),
        P::Reciprocal => 1.0 / a,
        P::Exp => a.exp(),
        P::Exp2 => a.exp2(),
        P::Expm1 => a.exp_m1(),
        P::Log => a.ln(),
        P::Log2 => a.log2(),
        P::Log10 => a.log10(),
        P::Log1p => a.ln_1p(),
        P::Sin => a.sin(),
        P::Cos => a.cos(),
        P::Tan => a.tan(),
        P::Asin => a.asin(),
        P::Acos => a.acos(),
        P::Atan => a.atan(),
        P::Atan2 => a.atan2(b),
        P::Sinh => a.sinh(),
        P::Cosh => a.cosh(),
        P::Tanh => a.tanh(),
        P::Sigmoid => 1.0 / (1.0 + (-a).exp()),
        P::Erf => libm::erf(a),
        P::Erfc => libm::erfc(a),
    };
    Scalar::Float(value)
}

/// The floor of `a / b`, found from the exact remainder so that the quotient's rounding cannot carry it across an
/// integer. Division by zero divides as IEEE has it.
fn floor_div_float(a: f64, b: f64, round: impl Fn(f64) -> f64) -> f64 {
    if b == 0.0 {
        return a / b;
    }
    let remainder = a % b;
    let mut quotient = round(round(a - remainder) / b);
    if remainder != 0.0 && (b < 0.0) != (remainder < 0.0) {
        quotient = round(quotient - 1.0);
    }
    if quotient == 0.0 {
        return 0f64.copysign(a / b);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// The remainder with the sign of the divisor.
fn remainder_float(a: f64, b: f64, round: impl Fn(f64) -> f64) -> f64 {
    let remainder = a % b;
    if remainder != 0.0 && (b < 0.0) != (remainder < 0.0) { round(remainder + b) } else { remainder }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn f32s(op: Pointwise, args: &[f32]) -> f32 {
        let args: Vec<Scalar> = args.iter().map(|&x| Scalar::Float(x.into())).collect();
        pointwise(op, DType::F32, &args).as_f64() as f32
    }

    fn ints(op: Pointwise, dtype: DType, args: &[i64]) -> i64 {
        let args: Vec<Scalar> = args.iter().map(|&i| Scalar::Int(i)).collect();
        pointwise(op, dtype, &args).as_i64()
    }

    #[test]
    fn integers_wrap_and_floor() {
        use Pointwise::*;
        assert_eq!(ints(Add, DType::U8, &[200, 100]), 44);
        assert_eq!(ints(Abs, DType::I8, &[-128]), -128);
        assert_eq!(ints(FloorDiv, DType::I32, &[-7, 2]), -4);
        assert_eq!(ints(Remainder, DType::I32, &[-7, 2]), 1);
        assert_eq!(ints(Fmod, DType::I32, &[-7, 2]), -1);
        assert_eq!(ints(Pow, DType::I64, &[-1, -3]), -1);
        assert_eq!(ints(Pow, DType::I64, &[2, -1]), 0);
        assert_eq!(ints(Pow, DType::I64, &[3, 1 << 40]), pow_long(3, 1 << 40));
        assert_eq!(ints(Shl, DType::I32, &[1, 32]), 0);
        assert_eq!(ints(Shr, DType::I32, &[-5, 40]), -1);
        assert_eq!(ints(Not, DType::Bool, &[1]), 0);
        assert_eq!(ints(Not, DType::U8, &[1]), 254);
        assert_eq!(ints(Add, DType::Bool, &[1, 1]), 1);
        assert_eq!(ints(FloorDiv, DType::I64, &[i64::MIN, -1]), i64::MIN);
    }

    #[test]
    fn nan_propagates_through_extrema_only() {
        assert!(f32s(Pointwise::Maximum, &[f32::NAN, 1.0]).is_nan());
        assert!(f32s(Pointwise::Minimum, &[1.0, f32::NAN]).is_nan());
        assert_eq!(f32s(Pointwise::Sign, &[f32::NAN]), 0.0);
    }

    #[test]
    fn every_primitive_takes_every_float() {
        for &op in Pointwise::ALL {
            if matches!(
                op,
                Pointwise::And | Pointwise::Or | Pointwise::Xor | Pointwise::Not | Pointwise::Shl | Pointwise::Shr
            ) {
                continue;
            }
            for x in [f64::NAN, f64::INFINITY, -0.0, 1e-310, 2.5] {
                pointwise(op, DType::F64, &vec![Scalar::Float(x); op.arity()]);
            }
        }
    }

    proptest! {
        #[test]
        fn float32_arithmetic_is_the_machines(a: f32, b: f32, c: f32) {
            for (op, want) in [
                (Pointwise::Add, a + b),
                (Pointwise::Sub, a - b),
                (Pointwise::Mul, a * b),
                (Pointwise::Div, a / b),
            ] {
                let got = f32s(op, &[a, b]);
                prop_assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{op}: {got} {want}");
            }
            prop_assert_eq!(f32s(Pointwise::Fma, &[a, b, c]).to_bits(), a.mul_add(b, c).to_bits());
            prop_assert_eq!(f32s(Pointwise::Sqrt, &[a.abs()]).to_bits(), a.abs().sqrt().to_bits());
        }

        #[test]
        fn integer_division_splits_the_dividend(a: i64, b in 1i64..1000, negate: bool) {
            let b = if negate { -b } else { b };
            let q = ints(Pointwise::FloorDiv, DType::I64, &[a, b]);
            let r = ints(Pointwise::Remainder, DType::I64, &[a, b]);
            prop_assert_eq!(q.wrapping_mul(b).wrapping_add(r), a);
            prop_assert!(r == 0 || (r < 0) == (b < 0));
        }
    }
}
