//! Arithmetic on elements: type promotion, and the operators that are more than one primitive.

use fx::Scalar;
use fx::prim::{Pointwise, Result as PrimResult};
use symshapes::{DType, DTypeClass, Expr};

use super::args::Operand;
use super::formula::Formula;
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Op, Tensor};

/// One primitive on the leading tensor and scalar parameters.
pub(crate) fn map(b: &mut Builder, op: Pointwise, a: &Args) -> Rewrite {
    let operands = leading_operands(a, op.arity())?;
    if op == Pointwise::Where {
        return where_(b, a, &operands);
    }
    let dtype = match op.result() {
        PrimResult::Bool => promote(b, &operands).compute(),
        PrimResult::Same => a.compute()?,
    };
    let args: Vec<Tensor> = operands.iter().map(|&o| operand_tensor(b, o, dtype)).collect();
    if may_raise(op) && !dtype.is_float() && !is_nonzero_constant(b, args[1]) {
        return unsupported("integer division by a tensor may raise");
    }
    Ok(b.map(op, &args))
}

fn may_raise(op: Pointwise) -> bool {
    matches!(op, Pointwise::Div | Pointwise::FloorDiv | Pointwise::Remainder | Pointwise::Fmod)
}

fn is_nonzero_constant(b: &Builder, t: Tensor) -> bool {
    match b.graph.tensors[t].op {
        Op::Full(Scalar::Int(v)) => v != 0,
        Op::Size(e) => b.graph.pool.range(e).lo > 0,
        Op::View(x, _) => is_nonzero_constant(b, x),
        _ => false,
    }
}

fn where_(b: &mut Builder, a: &Args, operands: &[Operand]) -> Rewrite {
    let Operand::Tensor(cond) = operands[0] else { return unsupported("condition is no tensor") };
    let cond = b.convert(cond, DType::Bool);
    let dtype = a.compute()?;
    let [x, y] = [1, 2].map(|k| operand_tensor(b, operands[k], dtype));
    Ok(b.select(cond, x, y))
}

/// The first `count` parameters that are tensors or numbers.
fn leading_operands(a: &Args, count: usize) -> Rewrite<Vec<Operand>> {
    let names = a.bound.op().overload().schema.params.iter().take(count).map(|p| p.name.as_str());
    names
        .map(|name| a.number_or_tensor(name)?.map_or_else(|| unsupported(format!("argument `{name}` is absent")), Ok))
        .collect()
}

/// An operand as a tensor of a dtype.
pub(crate) fn operand_tensor(b: &mut Builder, operand: Operand, dtype: DType) -> Tensor {
    match operand {
        Operand::Tensor(t) => b.convert(t, dtype),
        Operand::Number(value, _) => b.full(value, dtype, &[]),
        Operand::Size(e) => b.size(e, dtype),
    }
}

/// PyTorch's type promotion: tensors with dimensions first, then 0-dimensional ones, then numbers; a lower group counts
/// only where its kind of number is higher.
pub(crate) fn promote(b: &Builder, operands: &[Operand]) -> DType {
    let mut groups: [Option<DType>; 3] = [None; 3];
    for operand in operands {
        let (group, dtype) = match *operand {
            Operand::Tensor(t) => (usize::from(b.rank(t) == 0), b.dtype(t)),
            Operand::Number(_, dtype) => (2, dtype),
            Operand::Size(_) => (2, DType::I64),
        };
        groups[group] = Some(groups[group].map_or(dtype, |d| d.promote(dtype)));
    }
    groups.into_iter().flatten().reduce(combine).unwrap_or(DType::F32)
}

fn combine(higher: DType, lower: DType) -> DType {
    if higher.class() >= lower.class() || higher.class() == DTypeClass::Complex {
        higher
    } else {
        higher.promote(lower)
    }
}

/// The operands of `add` and its kin in the dtype of the result, that at `scaled` times `alpha`.
fn with_alpha(b: &mut Builder, a: &Args, operands: &[Operand], scaled: usize) -> Rewrite<[Tensor; 2]> {
    let dtype = a.compute()?;
    let mut both = [0, 1].map(|k| operand_tensor(b, operands[k], dtype));
    let alpha = a.float("alpha")?;
    if alpha != 1.0 {
        both[scaled] = b.mul_lit(both[scaled], alpha);
    }
    Ok(both)
}

pub(crate) fn add(b: &mut Builder, a: &Args) -> Rewrite {
    let [x, y] = with_alpha(b, a, &leading_operands(a, 2)?, 1)?;
    Ok(b.add(x, y))
}

pub(crate) fn sub(b: &mut Builder, a: &Args) -> Rewrite {
    let [x, y] = with_alpha(b, a, &numbers(b, a)?, 1)?;
    Ok(b.sub(x, y))
}

/// `other - alpha * self`
pub(crate) fn rsub(b: &mut Builder, a: &Args) -> Rewrite {
    let [x, y] = with_alpha(b, a, &numbers(b, a)?, 0)?;
    Ok(b.sub(y, x))
}

/// The operands of a subtraction, which torch has not for truth values, whatever the other operand is.
fn numbers(b: &Builder, a: &Args) -> Rewrite<Vec<Operand>> {
    let operands = leading_operands(a, 2)?;
    let is_bool = |operand: &Operand| match *operand {
        Operand::Tensor(t) => b.dtype(t) == DType::Bool,
        Operand::Number(_, dtype) => dtype == DType::Bool,
        Operand::Size(_) => false,
    };
    if operands.iter().any(is_bool) { unsupported("subtraction of truth values") } else { Ok(operands) }
}

pub(crate) fn square(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    Ok(b.mul(x, x))
}

/// A power with a constant exponent: the small ones by multiplication and roots, as eager does.
pub(crate) fn pow_scalar(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let exponent = a.float("exponent")?;
    let is_float = b.dtype(x).is_float();
    let power = match exponent {
        0.0 => b.lit(1.0, x),
        1.0 => x,
        2.0 => b.mul(x, x),
        3.0 => {
            let square = b.mul(x, x);
            b.mul(square, x)
        }
        0.5 if is_float => b.sqrt(x),
        -0.5 if is_float => b.rsqrt(x),
        -1.0 if is_float => b.map(Pointwise::Reciprocal, &[x]),
        -2.0 if is_float => {
            let square = b.mul(x, x);
            b.map(Pointwise::Reciprocal, &[square])
        }
        _ if is_float || exponent >= 0.0 => {
            let e = b.lit(exponent, x);
            b.map(Pointwise::Pow, &[x, e])
        }
        _ => return unsupported("integer to a negative power"),
    };
    // `x ** 0` is a constant without dimensions.
    let sizes = a.result()?.sizes.clone();
    Ok(b.expand(power, &sizes))
}

/// A quotient, rounded as the argument `rounding_mode` says. Eager's kernels for a divisor of several elements compute
/// in the type of the tensors, which counts where that is narrow.
pub(crate) fn div_mode(b: &mut Builder, a: &Args) -> Rewrite {
    let stored = a.result()?.dtype;
    let of_one = a.opt_tensor("other").ok().flatten().is_none_or(|other| b.numel(other) == Expr::ONE);
    let is_narrow = stored.is_float() && stored != stored.compute() && !of_one;
    match a.str("rounding_mode") {
        "floor" if is_narrow => floor_div_narrow(b, a, stored),
        "floor" => map(b, Pointwise::FloorDiv, a),
        "trunc" if stored.is_float() => {
            let quotient = map(b, Pointwise::Div, a)?;
            let quotient = if is_narrow { b.rounded(quotient, stored) } else { quotient };
            Ok(b.map(Pointwise::Trunc, &[quotient]))
        }
        _ => map(b, Pointwise::Div, a),
    }
}

/// `div_floor_floating_vec` of ATen's `BinaryOpsKernel.cpp`, each step of which is stored.
fn floor_div_narrow(b: &mut Builder, a: &Args, stored: DType) -> Rewrite {
    let f = Formula::new(b);
    let (x, y) = (f.operand(a, "self")?, f.operand(a, "other")?);
    let quotient = (x / y).rounded(stored);
    let rest = x.with(Pointwise::Fmod, y);
    let is_endless = quotient.abs().eq(f64::INFINITY) & !x.abs().eq(f64::INFINITY);
    let multiple = is_endless.pick(x, (x - rest).rounded(stored));
    let div = (multiple / y).rounded(stored);
    let differ = (y.lt(0.0) & !rest.lt(0.0)) | (!y.lt(0.0) & rest.lt(0.0));
    let div = (!rest.eq(0.0) & differ).pick((div - 1.0).rounded(stored), div);
    let floor = div.map(Pointwise::Floor);
    let floor = (div - floor).rounded(stored).gt(0.5).pick((floor + 1.0).rounded(stored), floor);
    let zero = x.number(0.0).with(Pointwise::Copysign, quotient);
    let floor = div.eq(0.0).pick(zero, floor);
    Ok(y.eq(0.0).pick(quotient, floor).tensor)
}

pub(crate) fn addcmul(b: &mut Builder, a: &Args) -> Rewrite {
    addc(b, a, Pointwise::Mul)
}

pub(crate) fn addcdiv(b: &mut Builder, a: &Args) -> Rewrite {
    addc(b, a, Pointwise::Div)
}

fn addc(b: &mut Builder, a: &Args, op: Pointwise) -> Rewrite {
    let (x, y, z) = (a.operand(b, "self")?, a.operand(b, "tensor1")?, a.operand(b, "tensor2")?);
    if !b.dtype(x).is_float() {
        return unsupported("integers");
    }
    let value = a.float("value")?;
    let y = if value == 1.0 { y } else { b.mul_lit(y, value) };
    let product = b.map(op, &[y, z]);
    Ok(b.add(x, product))
}

pub(crate) fn lerp(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, y) = (a.operand(b, "self")?, a.operand(b, "end")?);
    let weight = a.number_or_tensor("weight")?.map_or_else(|| unsupported("no weight"), Ok)?;
    let w = operand_tensor(b, weight, a.compute()?);
    // From the nearer end, as eager does, so that weight 1 gives the end exactly.
    let diff = b.sub(y, x);
    let low = b.fma(w, diff, x);
    let one = b.lit(1.0, w);
    let rest = b.sub(one, w);
    let minus = b.neg(diff);
    let high = b.fma(rest, minus, y);
    let magnitude = b.map(Pointwise::Abs, &[w]);
    let half = b.lit(0.5, w);
    let is_low = b.lt(magnitude, half);
    Ok(b.select(is_low, low, high))
}

/// Clamps to the bounds that are given; NaN stays NaN.
pub(crate) fn clamp(b: &mut Builder, a: &Args, min: &str, max: &str) -> Rewrite {
    let mut x = a.operand(b, "self")?;
    let dtype = b.dtype(x);
    for (name, op) in [(min, Pointwise::Maximum), (max, Pointwise::Minimum)] {
        if name.is_empty() {
            continue;
        }
        let Some(bound) = a.number_or_tensor(name)? else { continue };
        if let Operand::Number(value, _) = bound
            && !dtype.is_float()
            && Scalar::Float(value).round_to(dtype).as_f64() != value
        {
            if (value < 0.0) == (op == Pointwise::Maximum) {
                // No value of the type lies beyond it.
                continue;
            }
            return unsupported("a bound that no value of the type reaches");
        }
        let bound = operand_tensor(b, bound, dtype);
        x = b.map(op, &[x, bound]);
    }
    Ok(x)
}

pub(crate) fn logical_not(b: &mut Builder, a: &Args) -> Rewrite {
    let x = b.convert(a.tensor("self")?, DType::Bool);
    Ok(b.map(Pointwise::Not, &[x]))
}

pub(crate) fn logical(b: &mut Builder, a: &Args, op: Pointwise) -> Rewrite {
    let x = b.convert(a.tensor("self")?, DType::Bool);
    let y = b.convert(a.tensor("other")?, DType::Bool);
    Ok(b.map(op, &[x, y]))
}

pub(crate) fn nan_to_num(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let max = match a.result()?.dtype {
        DType::F32 => f64::from(f32::MAX),
        DType::F64 => f64::MAX,
        dtype => return unsupported(format!("dtype {dtype}")),
    };
    let nan = a.opt_float("nan")?.unwrap_or(0.0);
    let high = a.opt_float("posinf")?.unwrap_or(max);
    let low = a.opt_float("neginf")?.unwrap_or(-max);
    let mut out = x;
    for (special, value) in [(f64::INFINITY, high), (f64::NEG_INFINITY, low)] {
        let special = b.lit(special, x);
        let hit = b.eq(x, special);
        let value = b.lit(value, x);
        out = b.select(hit, value, out);
    }
    let hit = b.map(Pointwise::IsNan, &[x]);
    let value = b.lit(nan, x);
    Ok(b.select(hit, value, out))
}

pub(crate) fn masked_fill(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let dtype = a.compute()?;
    let mask = b.convert(a.tensor("mask")?, DType::Bool);
    let value = a.number_or_tensor("value")?.map_or_else(|| unsupported("no value"), Ok)?;
    let value = operand_tensor(b, value, dtype);
    let x = b.convert(x, dtype);
    Ok(b.select(mask, value, x))
}
