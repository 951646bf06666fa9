//! The element-wise overloads. Which arguments are operands, and in which dtype they meet, stands in
//! [`fx::infer::pointwise`]; here stands what is computed of one element of each.

use super::{
    Tensor, activation,
    call::{Call, Kernel, Result},
    scalar,
};
use fx::aten::Packet;
use fx::{
    arg::Arg,
    infer::{pointwise as rows, promote::Operand},
    packets,
    prim::Pointwise as P,
    scalar::Scalar,
};
use symshapes::{DType, DTypeClass};

/// True for an element-wise operator of which one element is computed here: those that take a series are the library's.
pub(super) fn computes(packet: Packet) -> bool {
    const OF_SERIES: &[Packet] = packets![digamma erfinv i0 igamma igammac lgamma polygamma];
    const SPECIAL: &[Packet] = packets![special_entr special_ndtr special_xlog1py];
    !OF_SERIES.contains(&packet) && (!packet.name().starts_with("special_") || SPECIAL.contains(&packet))
}

/// The rule of every element-wise overload.
pub(super) fn rule(call: &Call) -> Result {
    let row = rows::row(call.op()).ok_or_else(|| call.unsupported("an op that is not element-wise"))?;
    let operands = operands(call, row.operands)?;
    let standings: Vec<Operand> = operands.iter().map(Value::standing).collect();
    let (common, result) = call.fits(row.promotion(call).apply(&standings))?;
    let tensors: Vec<&Tensor> = operands.iter().filter_map(Value::tensor).collect();
    if tensors.is_empty() {
        return Err(call.unsupported("no tensor among the operands"));
    }
    let sizes = call.broadcast(&tensors)?;
    let columns = operands.iter().map(|o| call.fits(o.elements(common, &sizes))).collect::<Result<Vec<_>>>()?;
    let kernel = kernel(call, common.compute())?;
    let numel: usize = sizes.iter().product();
    let elements = (0..numel).map(|i| kernel(&columns.iter().map(|c| c[i]).collect::<Vec<_>>()));
    Ok(call.fits(Tensor::from_values(result, &sizes, elements))?.into())
}

/// An operand.
enum Value<'a> {
    Tensor(&'a Tensor),
    Number(DTypeClass, Scalar),
}

impl<'a> Value<'a> {
    fn standing(&self) -> Operand {
        match self {
            Value::Tensor(t) => Operand::tensor(t.dtype(), t.rank()),
            Value::Number(class, _) => Operand::Number(*class),
        }
    }

    fn tensor(&self) -> Option<&'a Tensor> {
        match self {
            Value::Tensor(t) => Some(t),
            Value::Number(..) => None,
        }
    }

    /// The elements, broadcast to `sizes`. Tensors are rounded to the common dtype (conditions stay bool), numbers
    /// only to the one that it computes in.
    fn elements(&self, common: DType, sizes: &[usize]) -> Option<Vec<Scalar>> {
        Some(match self {
            Value::Tensor(t) if t.dtype() == DType::Bool => t.broadcast(sizes)?.values().collect(),
            Value::Tensor(t) => t.to(common).broadcast(sizes)?.values().collect(),
            Value::Number(_, n) => vec![n.round_to(common.compute()); sizes.iter().product()],
        })
    }
}

fn operands<'a>(call: &Call<'a>, names: &[&str]) -> Result<Vec<Value<'a>>> {
    let mut operands = Vec::new();
    for name in names {
        if let Some(tensor) = call.opt_tensor(name) {
            operands.push(Value::Tensor(tensor));
        } else if let Some(number) = call.opt_scalar(name) {
            let class = match call.get(name) {
                Arg::Bool(_) => DTypeClass::Bool,
                Arg::Int(_) => DTypeClass::Int,
                _ => DTypeClass::Float,
            };
            operands.push(Value::Number(class, number));
        } else if call.has(name) && *call.get(name) != Arg::None {
            return Err(call.unsupported(format!("`{name}` that is neither tensor nor number")));
        }
    }
    Ok(operands)
}

/// The kernel of the call, on one element of each operand, in the dtype `dtype`.
fn kernel<'a>(call: &'a Call, dtype: DType) -> Result<Kernel<'a>> {
    let packet = call.op().packet();
    if let Some(op) = primitive(packet) {
        return Ok(Box::new(move |x| scalar::pointwise(op, dtype, x)));
    }
    if let Some(f) = unary(packet) {
        return Ok(Box::new(move |x| f(x[0].as_f64()).into()));
    }
    if let Some(f) = binary(packet) {
        return Ok(Box::new(move |x| f(x[0].as_f64(), x[1].as_f64()).into()));
    }
    match composed(call, packet, dtype)? {
        Some(kernel) => Ok(kernel),
        None => activation::kernel(call, packet, dtype),
    }
}

/// The operators that are a primitive on all their operands.
fn primitive(packet: Packet) -> Option<P> {
    Some(match packet {
        Packet::neg => P::Neg,
        Packet::abs => P::Abs,
        Packet::sign | Packet::sgn => P::Sign,
        Packet::floor => P::Floor,
        Packet::ceil => P::Ceil,
        Packet::trunc => P::Trunc,
        Packet::bitwise_not => P::Not,
        Packet::mul | Packet::multiply => P::Mul,
        Packet::maximum | Packet::max => P::Maximum,
        Packet::minimum | Packet::min => P::Minimum,
        Packet::fmod => P::Fmod,
        Packet::remainder => P::Remainder,
        Packet::floor_divide => P::FloorDiv,
        Packet::true_divide => P::Div,
        Packet::pow => P::Pow,
        Packet::atan2 => P::Atan2,
        Packet::copysign => P::Copysign,
        Packet::bitwise_and | Packet::__and__ => P::And,
        Packet::bitwise_or | Packet::__or__ => P::Or,
        Packet::bitwise_xor | Packet::__xor__ => P::Xor,
        Packet::bitwise_left_shift | Packet::__lshift__ => P::Shl,
        Packet::bitwise_right_shift | Packet::__rshift__ => P::Shr,
        Packet::eq => P::Eq,
        Packet::ne => P::Ne,
        Packet::lt => P::Lt,
        Packet::le => P::Le,
        Packet::gt => P::Gt,
        Packet::ge => P::Ge,
        Packet::r#where => P::Where,
        Packet::isnan => P::IsNan,
        Packet::isinf => P::IsInf,
        Packet::signbit => P::Signbit,
        Packet::sqrt => P::Sqrt,
        Packet::rsqrt => P::Rsqrt,
        Packet::reciprocal => P::Reciprocal,
        Packet::exp => P::Exp,
        Packet::exp2 => P::Exp2,
        Packet::expm1 => P::Expm1,
        Packet::log => P::Log,
        Packet::log2 => P::Log2,
        Packet::log10 => P::Log10,
        Packet::log1p => P::Log1p,
        Packet::sin => P::Sin,
        Packet::cos => P::Cos,
        Packet::tan => P::Tan,
        Packet::asin => P::Asin,
        Packet::acos => P::Acos,
        Packet::atan => P::Atan,
        Packet::sinh => P::Sinh,
        Packet::cosh => P::Cosh,
        Packet::tanh => P::Tanh,
        Packet::sigmoid => P::Sigmoid,
        Packet::erf => P::Erf,
        Packet::erfc => P::Erfc,
        _ => return None,
    })
}

/// The functions of one float.
fn unary(packet: Packet) -> Option<fn(f64) -> f64> {
    use std::f64::consts::PI;
    Some(match packet {
        Packet::frac => |x| x - x.trunc(),
        Packet::asinh => f64::asinh,
        Packet::acosh => f64::acosh,
        Packet::atanh => f64::atanh,
        Packet::sinc => |x| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) },
        Packet::deg2rad => f64::to_radians,
        Packet::rad2deg => f64::to_degrees,
        Packet::angle => |x| match x {
            x if x.is_nan() => x,
            x if x < 0.0 => PI,
            _ => 0.0,
        },
        Packet::special_entr => |x| match x {
            x if x.is_nan() || x > 0.0 => -x * x.ln(),
            0.0 => 0.0,
            _ => f64::NEG_INFINITY,
        },
        Packet::special_ndtr => activation::normal_cdf,
        _ => return None,
    })
}

/// The greatest common divisor, zero of zeros.
fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The float of this type next to `a` on the way to `b`.
macro_rules! next_after {
    ($float:ty, $a:expr, $b:expr) => {
        match ($a as $float, $b as $float) {
            (a, b) if a.is_nan() || b.is_nan() => <$float>::NAN,
            (a, b) if a < b => a.next_up(),
            (a, b) if a > b => a.next_down(),
            (_, b) => b,
        }
    };
}

/// The functions of two floats.
fn binary(packet: Packet) -> Option<fn(f64, f64) -> f64> {
    use std::f64::consts::LN_2;
    Some(match packet {
        Packet::hypot => f64::hypot,
        Packet::logaddexp => |a, b| if a == b { a + 2f64.ln() } else { a.max(b) + (-(a - b).abs()).exp().ln_1p() },
        Packet::logaddexp2 => |a, b| if a == b { a + 1.0 } else { a.max(b) + (-(a - b).abs()).exp2().ln_1p() / LN_2 },
        Packet::special_xlog1py => |a, b| if a == 0.0 && !b.is_nan() { 0.0 } else { a * b.ln_1p() },
        Packet::xlogy => |a, b| if a == 0.0 && !b.is_nan() { 0.0 } else { a * b.ln() },
        _ => return None,
    })
}

/// The operators that combine several primitives, exact on integers.
fn composed<'a>(call: &'a Call, packet: Packet, dtype: DType) -> Result<Option<Kernel<'a>>> {
    let prim = move |op, x: &[Scalar]| scalar::pointwise(op, dtype, x);
    let zero = Scalar::zero(dtype);
    Ok(Some(match packet {
        Packet::add | Packet::sub | Packet::subtract | Packet::rsub => {
            let alpha = call.opt_scalar("alpha").unwrap_or(Scalar::Int(1));
            let op = if packet == Packet::add { P::Add } else { P::Sub };
            let (a, b) = if packet == Packet::rsub { (1, 0) } else { (0, 1) };
            Box::new(move |x| match dtype.is_float() {
                // The product is not rounded: with alpha = 1 it is exact, else torch may fuse it.
                true if op == P::Add => Scalar::Float(x[a].as_f64() + alpha.as_f64() * x[b].as_f64()),
                true => Scalar::Float(x[a].as_f64() - alpha.as_f64() * x[b].as_f64()),
                false => prim(op, &[x[a], prim(P::Mul, &[x[b], alpha])]),
            })
        }
        Packet::div | Packet::divide => match call.has("rounding_mode").then(|| call.get("rounding_mode")) {
            Some(Arg::Str(mode)) if mode == "floor" => Box::new(move |x| prim(P::FloorDiv, x)),
            Some(Arg::Str(_)) => Box::new(move |x| match prim(P::Div, x) {
                Scalar::Float(q) => q.trunc().into(),
                int => int,
            }),
            _ => Box::new(move |x| prim(P::Div, x)),
        },
        Packet::round if call.has("decimals") => return Ok(None),
        Packet::round => Box::new(move |x| prim(P::Round, x)),
        Packet::positive => Box::new(|x| x[0]),
        Packet::square => Box::new(move |x| prim(P::Mul, &[x[0], x[0]])),
        Packet::relu => Box::new(move |x| prim(P::Maximum, &[x[0], zero])),
        Packet::fmax | Packet::fmin => {
            let op = if packet == Packet::fmax { P::Maximum } else { P::Minimum };
            Box::new(move |x| match x {
                [a, b] if a.as_f64().is_nan() => *b,
                [a, b] if b.as_f64().is_nan() => *a,
                _ => prim(op, x),
            })
        }
        Packet::clamp | Packet::clip | Packet::clamp_min | Packet::clamp_max => clamp(call, dtype),
        Packet::gcd => Box::new(|x| Scalar::Int(gcd(x[0].as_i64(), x[1].as_i64()))),
        Packet::lcm => Box::new(|x| {
            let (a, b) = (x[0].as_i64(), x[1].as_i64());
            Scalar::Int((a / gcd(a, b).max(1) * b).abs())
        }),
        Packet::nextafter => match call.tensor("self")?.dtype() {
            DType::F32 => Box::new(|x| f64::from(next_after!(f32, x[0].as_f64(), x[1].as_f64())).into()),
            DType::F64 => Box::new(|x| next_after!(f64, x[0].as_f64(), x[1].as_f64()).into()),
            dtype => return Err(call.unsupported(format!("neighbours among {dtype}"))),
        },
        Packet::masked_fill => Box::new(|x| if x[1].as_bool() { x[2] } else { x[0] }),
        Packet::heaviside => Box::new(move |x| match x[0].as_f64() {
            a if a.is_nan() => x[0],
            0.0 => x[1],
            a => (a > 0.0).into(),
        }),
        Packet::addcmul | Packet::addcdiv => {
            let value = call.scalar("value")?;
            let op = if packet == Packet::addcmul { P::Mul } else { P::Div };
            Box::new(move |x| prim(P::Add, &[x[0], prim(op, &[prim(P::Mul, &[value, x[1]]), x[2]])]))
        }
        Packet::lerp => Box::new(|x| (x[0].as_f64() + x[2].as_f64() * (x[1].as_f64() - x[0].as_f64())).into()),
        Packet::logical_not => Box::new(|x| (!x[0].as_bool()).into()),
        Packet::logical_and => Box::new(|x| (x[0].as_bool() && x[1].as_bool()).into()),
        Packet::logical_or => Box::new(|x| (x[0].as_bool() || x[1].as_bool()).into()),
        Packet::logical_xor => Box::new(|x| (x[0].as_bool() != x[1].as_bool()).into()),
        Packet::isfinite => Box::new(|x| x[0].as_f64().is_finite().into()),
        Packet::isposinf => Box::new(|x| (x[0].as_f64() == f64::INFINITY).into()),
        Packet::isneginf => Box::new(|x| (x[0].as_f64() == f64::NEG_INFINITY).into()),
        Packet::native_dropout_backward => {
            let scale = call.float("scale")?;
            Box::new(move |x| (x[0].as_f64() * x[1].as_f64() * scale).into())
        }
        _ => return Ok(None),
    }))
}

/// The bounds that the call gives are the operands after the first.
fn clamp<'a>(call: &Call, dtype: DType) -> Kernel<'a> {
    let given = |name: &str| call.has(name) && *call.get(name) != Arg::None;
    let (min, max) = (given("min"), given("max"));
    Box::new(move |x| {
        let mut value = x[0];
        if min {
            value = scalar::pointwise(P::Maximum, dtype, &[value, x[1]]);
        }
        if max {
            value = scalar::pointwise(P::Minimum, dtype, &[value, x[1 + usize::from(min)]]);
        }
        value
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn neighbours_are_one_bit_away() {
        let of = |a: f64, b: f64| next_after!(f32, a, b);
        assert_eq!([of(1.0, 2.0), of(1.0, 0.0), of(0.0, -1.0)], [1.0 + f32::EPSILON, 1.0 - f32::EPSILON / 2.0, -1e-45]);
        assert_eq!((of(f64::INFINITY, 0.0), of(2.0, 2.0)), (f32::MAX, 2.0));
        assert!(of(f64::NAN, 0.0).is_nan() && of(0.0, f64::NAN).is_nan());
    }
}
