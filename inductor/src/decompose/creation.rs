//! Tensors from nothing.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::args::Operand;
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Op, is_dense};

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

/// Zeros: whatever memory holds will do. Memory with gaps is only the caller's to make.
pub(crate) fn empty(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    if b.fills {
        return unsupported("memory that is to be filled");
    }
    if !is_dense(&mut b.graph.pool, &promise.sizes, &promise.strides) {
        return unsupported("strides with gaps");
    }
    filled(b, a, 0.0)
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

/// The start of an `arange`.
#[derive(Clone, Copy)]
enum Start {
    Int(Expr),
    Float(f64),
}

/// A tensor's sizes, filled with an argument: a number, or a tensor of one element.
pub(crate) fn fill(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    let Some(value) = a.number_or_tensor("value")? else { return unsupported("no value") };
    let value = super::pointwise::operand_tensor(b, value, promise.dtype);
    let value = b.reshape(value, &[]);
    Ok(b.expand(value, &promise.sizes))
}

/// Points at equal distances. As in eager, the first half counts from the start, the second from the end.
pub(crate) fn linspace(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    let (start, end, steps) = (a.float("start")?, a.float("end")?, a.int("steps")?);
    if !promise.dtype.is_float() || steps < 2 {
        return unsupported("integers or fewer than two points");
    }
    let dtype = promise.dtype.compute();
    let step = if dtype == DType::F64 {
        (end - start) / (steps - 1) as f64
    } else {
        f64::from((end as f32 - start as f32) / (steps - 1) as f32)
    };
    let iota = b.iota(promise.sizes[0], 0, 1);
    let position = b.convert(iota, dtype);
    let half = b.lit((steps / 2) as f64, position);
    let is_first = b.lt(position, half);
    let from_start = {
        let distance = b.mul_lit(position, step);
        b.add_lit(distance, start)
    };
    let from_end = {
        let last = b.lit((steps - 1) as f64, position);
        let left = b.sub(last, position);
        let distance = b.mul_lit(left, step);
        let end = b.lit(end, distance);
        b.sub(end, distance)
    };
    let value = b.select(is_first, from_start, from_end);
    Ok(b.convert(value, promise.dtype))
}

/// Ones on the main diagonal.
pub(crate) fn eye(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    let [rows, cols] = promise.sizes[..] else { return unsupported("not a matrix") };
    let (row, col) = (b.iota(rows, 0, 2), b.iota(cols, 1, 2));
    let on = b.eq(row, col);
    Ok(b.convert(on, promise.dtype))
}
