//! Tensors from nothing.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::args::Operand;
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::Op;

/// One value everywhere, taken from an argument.
pub(crate) fn full(b: &mut Builder, a: &Args, name: &str) -> Rewrite {
    let promise = a.result()?;
    if let Some(Operand::Size(e)) = a.number_or_tensor(name)? {
        let value = b.size(e, promise.dtype);
        return Ok(b.expand(value, &promise.sizes));
    }
    Ok(b.full(a.float(name)?, promise.dtype, &promise.sizes))
}

/// One value everywhere.
pub(crate) fn filled(b: &mut Builder, a: &Args, value: f64) -> Rewrite {
    let promise = a.result()?;
    Ok(b.full(value, promise.dtype, &promise.sizes))
}

pub(crate) fn arange(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    let (dtype, len) = (promise.dtype, promise.sizes[0]);
    let number = |name: &str| if a.has(name) { a.number_or_tensor(name) } else { Ok(None) };
    let (start, step) = (number("start")?, number("step")?.unwrap_or(Operand::Number(1.0, DType::I64)));
    let Operand::Number(step, _) = step else { return unsupported("a symbolic step") };
    let start = match start {
        None => Start::Int(Expr::ZERO),
        Some(Operand::Size(e)) => Start::Int(e),
        Some(Operand::Number(v, _)) if v.fract() == 0.0 => Start::Int(b.int(v as i64)),
        Some(Operand::Number(v, _)) => Start::Float(v),
        Some(Operand::Tensor(_)) => return unsupported("a tensor as a bound"),
    };
    if let (Start::Int(start), 0.0) = (start, step.fract()) {
        let iota = b.push(Op::Iota { start, step: step as i64 }, DType::I64, &[len]);
        return Ok(b.convert(iota, dtype));
    }
    if !dtype.is_float() {
        return unsupported("integers from fractional bounds");
    }
    let iota = b.iota(len, 0, 1);
    let position = b.convert(iota, DType::F64);
    let start = match start {
        Start::Int(e) => b.size(e, DType::F64),
        Start::Float(v) => b.full(v, DType::F64, &[len]),
    };
    let step = b.full(step, DType::F64, &[len]);
    let value = b.map(Pointwise::Fma, &[position, step, start]);
    Ok(b.convert(value, dtype))
}

/// Where an `arange` begins.
#[derive(Clone, Copy)]
enum Start {
    Int(Expr),
    Float(f64),
}
