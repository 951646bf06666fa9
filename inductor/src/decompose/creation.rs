//! Tensors from nothing.

use fx::prim::Pointwise;
use symshapes::DType;

use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::Op;

/// One value everywhere, taken from an argument.
pub(crate) fn full(b: &mut Builder, a: &Args, name: &str) -> Rewrite {
    let value = a.float(name)?;
    filled(b, a, value)
}

/// One value everywhere.
pub(crate) fn filled(b: &mut Builder, a: &Args, value: f64) -> Rewrite {
    let promise = a.result()?;
    let (dtype, sizes) = (promise.dtype, promise.sizes.clone());
    Ok(b.full(value, dtype, &sizes))
}

pub(crate) fn arange(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    let (dtype, len) = (promise.dtype, promise.sizes[0]);
    let number = |name: &str| if a.has(name) { a.opt_float(name) } else { Ok(None) };
    let (start, step) = (number("start")?.unwrap_or(0.0), number("step")?.unwrap_or(1.0));
    if start.fract() == 0.0 && step.fract() == 0.0 {
        let iota = b.push(Op::Iota { start: start as i64, step: step as i64 }, DType::I64, &[len]);
        return Ok(b.convert(iota, dtype));
    }
    if !dtype.is_float() {
        return unsupported("integers from fractional bounds");
    }
    let iota = b.push(Op::Iota { start: 0, step: 1 }, DType::I64, &[len]);
    let position = b.convert(iota, DType::F64);
    let (start, step) = (b.full(start, DType::F64, &[len]), b.full(step, DType::F64, &[len]));
    let value = b.map(Pointwise::Fma, &[position, step, start]);
    Ok(b.convert(value, dtype))
}
