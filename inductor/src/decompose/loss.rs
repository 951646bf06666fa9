//! Losses between two tensors, and their derivatives.

use fx::prim::Reduction;

use super::formula::{Formula, Term};
use super::norm::is_mean;
use super::{Args, Builder, Rewrite};
use crate::tensor_ir::Tensor;

/// The elements combined as the argument `reduction` says.
fn combined(b: &mut Builder, a: &Args, elements: Tensor) -> Rewrite {
    let Some(is_mean) = is_mean(a)? else { return Ok(elements) };
    let dims: Vec<usize> = (0..b.rank(elements)).collect();
    let count = b.numel(elements);
    let sum = b.reduce(Reduction::Sum, elements, &dims, false);
    Ok(if is_mean { b.div_size(sum, count) } else { sum })
}

/// A loss by a formula of input and target.
fn forward(
    b: &mut Builder,
    a: &Args,
    formula: impl for<'f, 'b> FnOnce(Term<'f, 'b>, Term<'f, 'b>) -> Term<'f, 'b>,
) -> Rewrite {
    let f = Formula::new(b);
    let elements = formula(f.operand(a, "self")?, f.operand(a, "target")?).tensor;
    combined(b, a, elements)
}

/// A derivative by a formula of input and target, times the gradient, and divided by their number if the loss is the
/// mean.
fn backward(
    b: &mut Builder,
    a: &Args,
    formula: impl for<'f, 'b> FnOnce(Term<'f, 'b>, Term<'f, 'b>) -> Term<'f, 'b>,
) -> Rewrite {
    let mean = is_mean(a)? == Some(true);
    let grad = a.operand(b, "grad_output")?;
    let f = Formula::new(b);
    let slope = formula(f.operand(a, "self")?, f.operand(a, "target")?).tensor;
    let product = b.mul(slope, grad);
    let count = b.numel(slope);
    Ok(if mean { b.div_size(product, count) } else { product })
}

pub(crate) fn mse_backward(b: &mut Builder, a: &Args) -> Rewrite {
    backward(b, a, |x, y| (x - y) * 2.0)
}

/// Quadratic near 0, linear with slope `delta` from `delta` on.
pub(crate) fn huber(b: &mut Builder, a: &Args) -> Rewrite {
    let delta = a.float("delta")?;
    forward(b, a, |x, y| {
        let z = (x - y).abs();
        z.le(delta).pick(z * z * 0.5, (z - delta * 0.5) * delta)
    })
}

pub(crate) fn huber_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let delta = a.float("delta")?;
    backward(b, a, |x, y| clamped(x - y, delta))
}

/// Kept within the limit of 0; NaN stays.
fn clamped<'f, 'b>(x: Term<'f, 'b>, limit: f64) -> Term<'f, 'b> {
    x.max(-limit).min(limit)
}

/// Quadratic near 0, linear with slope 1 from `beta` on.
pub(crate) fn smooth_l1(b: &mut Builder, a: &Args) -> Rewrite {
    let beta = a.float("beta")?;
    forward(b, a, |x, y| {
        let z = (x - y).abs();
        if beta == 0.0 { z } else { z.lt(beta).pick(z * z * 0.5 / beta, z - beta * 0.5) }
    })
}

pub(crate) fn smooth_l1_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let beta = a.float("beta")?;
    backward(b, a, |x, y| {
        let z = x - y;
        if beta == 0.0 { z.map(fx::prim::Pointwise::Sign) } else { clamped(z, beta) / beta }
    })
}

pub(crate) fn soft_margin(b: &mut Builder, a: &Args) -> Rewrite {
    forward(b, a, |x, y| (-y * x).exp().log1p())
}

pub(crate) fn soft_margin_backward(b: &mut Builder, a: &Args) -> Rewrite {
    backward(b, a, |x, y| {
        let e = (-y * x).exp();
        -y * e / (e + 1.0)
    })
}

/// Binary cross-entropy of logits, with the classes' and the positive answers' weights.
pub(crate) fn bce_with_logits(b: &mut Builder, a: &Args) -> Rewrite {
    let f = Formula::new(b);
    let (x, y) = (f.operand(a, "self")?, f.operand(a, "target")?);
    let (weight, positive) = (f.opt_operand(a, "weight")?, f.opt_operand(a, "pos_weight")?);
    // log(1 + exp(-x)) without overflow.
    let soft = (-x).max(0.0) + (-x.abs()).exp().log1p();
    let soft = match positive {
        Some(positive) => soft * ((positive - 1.0) * y + 1.0),
        None => soft,
    };
    let loss = (1.0 - y) * x + soft;
    let loss = weight.map_or(loss, |weight| loss * weight).tensor;
    combined(b, a, loss)
}
