//! The element-wise overloads. Which arguments are operands, and in which dtype they meet, stands in
//! [`fx::infer::pointwise`]; here stands what is computed of one element of each.

use super::{
    Tensor, activation,
    call::{Call, Result},
    scalar,
};
use fx::{
    arg::Arg,
    infer::{pointwise as rows, promote::Operand},
    prim::Pointwise as P,
    scalar::Scalar,
};
use symshapes::{DType, DTypeClass};

/// What is computed of one element of each operand that is present.
pub(super) type Kernel<'a> = Box<dyn Fn(&[Scalar]) -> Scalar + 'a>;

/// The rule of every element-wise overload.
pub(super) fn rule(call: &Call) -> Result {
    let row = rows::row(call.overload()).ok_or_else(|| call.unsupported("an op that is not element-wise"))?;
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

/// What the call computes of one element of each operand, in the dtype `dtype`.
fn kernel<'a>(call: &'a Call, dtype: DType) -> Result<Kernel<'a>> {
    let base = call.overload().base();
    if let Some(op) = primitive(base) {
        return Ok(Box::new(move |x| scalar::pointwise(op, dtype, x)));
    }
    if let Some(f) = unary(base) {
        return Ok(Box::new(move |x| f(x[0].as_f64()).into()));
    }
    if let Some(f) = binary(base) {
        return Ok(Box::new(move |x| f(x[0].as_f64(), x[1].as_f64()).into()));
    }
    match composed(call, base, dtype)? {
        Some(kernel) => Ok(kernel),
        None => activation::kernel(call, base, dtype),
    }
}

/// The operators that are a primitive on all their operands.
fn primitive(base: &str) -> Option<P> {
    Some(match base {
        "neg" => P::Neg,
        "abs" => P::Abs,
        "sign" | "sgn" => P::Sign,
        "floor" => P::Floor,
        "ceil" => P::Ceil,
        "trunc" => P::Trunc,
        "bitwise_not" => P::Not,
        "mul" | "multiply" => P::Mul,
        "maximum" | "max" => P::Maximum,
        "minimum" | "min" => P::Minimum,
        "fmod" => P::Fmod,
        "remainder" => P::Remainder,
        "floor_divide" => P::FloorDiv,
        "true_divide" => P::Div,
        "pow" => P::Pow,
        "atan2" => P::Atan2,
        "copysign" => P::Copysign,
        "bitwise_and" | "__and__" => P::And,
        "bitwise_or" | "__or__" => P::Or,
        "bitwise_xor" | "__xor__" => P::Xor,
        "bitwise_left_shift" | "__lshift__" => P::Shl,
        "bitwise_right_shift" | "__rshift__" => P::Shr,
        "eq" => P::Eq,
        "ne" => P::Ne,
        "lt" => P::Lt,
        "le" => P::Le,
        "gt" => P::Gt,
        "ge" => P::Ge,
        "where" => P::Where,
        "isnan" => P::IsNan,
        "isinf" => P::IsInf,
        "signbit" => P::Signbit,
        "sqrt" => P::Sqrt,
        "rsqrt" => P::Rsqrt,
        "reciprocal" => P::Reciprocal,
        "exp" => P::Exp,
        "exp2" => P::Exp2,
        "expm1" => P::Expm1,
        "log" => P::Log,
        "log2" => P::Log2,
        "log10" => P::Log10,
        "log1p" => P::Log1p,
        "sin" => P::Sin,
        "cos" => P::Cos,
        "tan" => P::Tan,
        "asin" => P::Asin,
        "acos" => P::Acos,
        "atan" => P::Atan,
        "sinh" => P::Sinh,
        "cosh" => P::Cosh,
        "tanh" => P::Tanh,
        "sigmoid" => P::Sigmoid,
        "erf" => P::Erf,
        "erfc" => P::Erfc,
        _ => return None,
    })
}

/// The functions of one float.
fn unary(base: &str) -> Option<fn(f64) -> f64> {
    use std::f64::consts::PI;
    Some(match base {
        "frac" => |x| x - x.trunc(),
        "asinh" => f64::asinh,
        "acosh" => f64::acosh,
        "atanh" => f64::atanh,
        "sinc" => |x| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) },
        "deg2rad" => f64::to_radians,
        "rad2deg" => f64::to_degrees,
        _ => return None,
    })
}

/// The functions of two floats.
fn binary(base: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match base {
        "hypot" => f64::hypot,
        "logaddexp" => |a, b| if a == b { a + 2f64.ln() } else { a.max(b) + (-(a - b).abs()).exp().ln_1p() },
        "xlogy" => |a, b| if a == 0.0 && !b.is_nan() { 0.0 } else { a * b.ln() },
        _ => return None,
    })
}

/// The operators that combine several primitives, exact on integers.
fn composed<'a>(call: &'a Call, base: &str, dtype: DType) -> Result<Option<Kernel<'a>>> {
    let prim = move |op, x: &[Scalar]| scalar::pointwise(op, dtype, x);
    let zero = Scalar::zero(dtype);
    Ok(Some(match base {
        "add" | "sub" | "subtract" | "rsub" => {
            let alpha = call.opt_scalar("alpha").unwrap_or(Scalar::Int(1));
            let op = if base == "add" { P::Add } else { P::Sub };
            let (a, b) = if base == "rsub" { (1, 0) } else { (0, 1) };
            Box::new(move |x| match dtype.is_float() {
                // The product is not rounded: with alpha = 1 it is exact, else torch may fuse it.
                true if op == P::Add => Scalar::Float(x[a].as_f64() + alpha.as_f64() * x[b].as_f64()),
                true => Scalar::Float(x[a].as_f64() - alpha.as_f64() * x[b].as_f64()),
                false => prim(op, &[x[a], prim(P::Mul, &[x[b], alpha])]),
            })
        }
        "div" | "divide" => match call.has("rounding_mode").then(|| call.get("rounding_mode")) {
            Some(Arg::Str(mode)) if mode == "floor" => Box::new(move |x| prim(P::FloorDiv, x)),
            Some(Arg::Str(_)) => Box::new(move |x| match prim(P::Div, x) {
                Scalar::Float(q) => q.trunc().into(),
                int => int,
            }),
            _ => Box::new(move |x| prim(P::Div, x)),
        },
        "round" if call.has("decimals") => return Ok(None),
        "round" => Box::new(move |x| prim(P::Round, x)),
        "positive" => Box::new(|x| x[0]),
        "square" => Box::new(move |x| prim(P::Mul, &[x[0], x[0]])),
        "relu" => Box::new(move |x| prim(P::Maximum, &[x[0], zero])),
        "fmax" | "fmin" => {
            let op = if base == "fmax" { P::Maximum } else { P::Minimum };
            Box::new(move |x| match x {
                [a, b] if a.as_f64().is_nan() => *b,
                [a, b] if b.as_f64().is_nan() => *a,
                _ => prim(op, x),
            })
        }
        "clamp" | "clip" | "clamp_min" | "clamp_max" => clamp(call, dtype),
        "masked_fill" => Box::new(|x| if x[1].as_bool() { x[2] } else { x[0] }),
        "heaviside" => Box::new(move |x| match x[0].as_f64() {
            a if a.is_nan() => x[0],
            0.0 => x[1],
            a => (a > 0.0).into(),
        }),
        "addcmul" | "addcdiv" => {
            let value = call.scalar("value")?;
            let op = if base == "addcmul" { P::Mul } else { P::Div };
            Box::new(move |x| prim(P::Add, &[x[0], prim(op, &[prim(P::Mul, &[value, x[1]]), x[2]])]))
        }
        "lerp" => Box::new(|x| (x[0].as_f64() + x[2].as_f64() * (x[1].as_f64() - x[0].as_f64())).into()),
        "logical_not" => Box::new(|x| (!x[0].as_bool()).into()),
        "logical_and" => Box::new(|x| (x[0].as_bool() && x[1].as_bool()).into()),
        "logical_or" => Box::new(|x| (x[0].as_bool() || x[1].as_bool()).into()),
        "logical_xor" => Box::new(|x| (x[0].as_bool() != x[1].as_bool()).into()),
        "isfinite" => Box::new(|x| x[0].as_f64().is_finite().into()),
        "isposinf" => Box::new(|x| (x[0].as_f64() == f64::INFINITY).into()),
        "isneginf" => Box::new(|x| (x[0].as_f64() == f64::NEG_INFINITY).into()),
        "native_dropout_backward" => {
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
