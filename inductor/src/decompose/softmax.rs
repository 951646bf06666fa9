//! Softmax and its logarithm, and their derivatives.

use fx::prim::Reduction;
use symshapes::Expr;

use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::Tensor;

/// The input in floats and the dimension of a softmax; a scalar counts as having one.
fn softmax_input(b: &mut Builder, a: &Args) -> Rewrite<(Tensor, usize)> {
    let x = a.operand(b, "self")?;
    let x = if b.rank(x) == 0 { b.reshape(x, &[Expr::ONE]) } else { x };
    let dim = a.dim("dim", b.rank(x))?;
    if b.graph.pool.range(b.sizes(x)[dim]).lo < 1 {
        return unsupported("softmax over nothing");
    }
    Ok((x, dim))
}

/// `x - max(x)`
fn shifted(b: &mut Builder, x: Tensor, dim: usize) -> Tensor {
    let max = b.reduce(Reduction::Max, x, &[dim], true);
    b.sub(x, max)
}

fn softmax_over(b: &mut Builder, x: Tensor, dim: usize) -> Tensor {
    let shifted = shifted(b, x, dim);
    let e = b.exp(shifted);
    let sum = b.sum_keep(e, &[dim]);
    b.div(e, sum)
}

fn promised(b: &mut Builder, a: &Args, t: Tensor) -> Rewrite {
    let sizes = a.result()?.sizes.clone();
    Ok(b.reshape(t, &sizes))
}

pub(crate) fn softmax(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, dim) = softmax_input(b, a)?;
    let out = softmax_over(b, x, dim);
    promised(b, a, out)
}

/// Softmax that gives 0 for rows which are −∞ throughout.
pub(crate) fn safe_softmax(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, dim) = softmax_input(b, a)?;
    let out = softmax_over(b, x, dim);
    let max = b.reduce(Reduction::Max, x, &[dim], true);
    let low = b.lit(f64::NEG_INFINITY, max);
    let is_masked = b.eq(max, low);
    let zero = b.lit(0.0, out);
    let out = b.select(is_masked, zero, out);
    promised(b, a, out)
}

/// The inputs of a softmax's backward: gradient, output and dimension.
fn softmax_inputs(b: &mut Builder, a: &Args) -> Rewrite<(Tensor, Tensor, usize)> {
    let (grad, y) = (a.operand(b, "grad_output")?, a.operand(b, "output")?);
    if b.rank(y) == 0 {
        return unsupported("softmax of a scalar");
    }
    let dim = a.dim("dim", b.rank(y))?;
    Ok((grad, y, dim))
}

pub(crate) fn softmax_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y, dim) = softmax_inputs(b, a)?;
    let product = b.mul(grad, y);
    let sum = b.sum_keep(product, &[dim]);
    let shared = b.mul(y, sum);
    Ok(b.sub(product, shared))
}

pub(crate) fn log_softmax(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, dim) = softmax_input(b, a)?;
    let shifted = shifted(b, x, dim);
    let e = b.exp(shifted);
    let sum = b.sum_keep(e, &[dim]);
    let log = b.log(sum);
    let out = b.sub(shifted, log);
    promised(b, a, out)
}

pub(crate) fn log_softmax_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y, dim) = softmax_inputs(b, a)?;
    let sum = b.sum_keep(grad, &[dim]);
    let p = b.exp(y);
    let shared = b.mul(p, sum);
    Ok(b.sub(grad, shared))
}
