//! Losses and their derivatives.

use fx::aten::rules::Extern;
use fx::prim::{Pointwise, Reduction};
use symshapes::DType;

use super::formula::{Formula, Term};
use super::index::pick;
use super::{Args, Builder, Rewrite, library, unsupported};
use crate::tensor_ir::Tensor;

/// The reductions of a loss over its elements; the values are torch's.
#[derive(PartialEq)]
enum Combine {
    None,
    Mean,
    Sum,
}

impl Combine {
    fn of(a: &Args) -> Rewrite<Combine> {
        match a.int("reduction")? {
            0 => Ok(Combine::None),
            1 => Ok(Combine::Mean),
            2 => Ok(Combine::Sum),
            other => unsupported(format!("reduction {other}")),
        }
    }
}

/// The elements combined as the argument `reduction` says.
fn combined(b: &mut Builder, a: &Args, elements: Tensor) -> Rewrite {
    let combine = Combine::of(a)?;
    if combine == Combine::None {
        return Ok(elements);
    }
    let dims: Vec<usize> = (0..b.rank(elements)).collect();
    let count = b.numel(elements);
    let sum = b.reduce(Reduction::Sum, elements, &dims, false);
    Ok(if combine == Combine::Mean { b.div_size(sum, count) } else { sum })
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
    let combine = Combine::of(a)?;
    let grad = a.operand(b, "grad_output")?;
    let f = Formula::new(b);
    let slope = formula(f.operand(a, "self")?, f.operand(a, "target")?).tensor;
    let product = b.mul(slope, grad);
    let count = b.numel(slope);
    Ok(if combine == Combine::Mean { b.div_size(product, count) } else { product })
}

pub(crate) fn mse_loss(b: &mut Builder, a: &Args) -> Rewrite {
    forward(b, a, |x, y| {
        let z = x - y;
        z * z
    })
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

/// `log1p(exp(-y x))`; eager stores the result of each operator.
pub(crate) fn soft_margin(b: &mut Builder, a: &Args) -> Rewrite {
    let dtype = a.result()?.dtype;
    forward(b, a, |x, y| (-x * y).rounded(dtype).exp().rounded(dtype).log1p().rounded(dtype))
}

/// `-y e / (1 + e)` times the gradient, where `e` is `exp(-y x)`; eager stores the result of each operator.
pub(crate) fn soft_margin_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (combine, dtype, grad) = (Combine::of(a)?, a.result()?.dtype, a.operand(b, "grad_output")?);
    let f = Formula::new(b);
    let (x, y) = (f.operand(a, "self")?, f.operand(a, "target")?);
    let e = (-y * x).rounded(dtype).exp().rounded(dtype);
    let (slope, below) = (-(y * e).rounded(dtype), (e + 1.0).rounded(dtype));
    let (slope, below) = (slope.tensor, below.tensor);
    let count = b.numel(slope);
    let slope = if combine == Combine::Mean { b.div_size(slope, count) } else { slope };
    let slope = b.rounded(slope, dtype);
    let quotient = b.div(slope, below);
    let quotient = b.rounded(quotient, dtype);
    Ok(b.mul(quotient, grad))
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

/// Negative log likelihood of `[n, c]` scores without class weights: the loss and the number of targets counted.
pub(crate) fn nll_loss(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "self")?;
    let target = a.tensor("target")?;
    if b.rank(x) != 2 || a.opt_tensor("weight")?.is_some() || b.dtype(target) != DType::I64 {
        return library(Extern::Loss);
    }
    let (n, dtype) = (b.sizes(x)[0], b.dtype(x));
    let (counts, safe) = counted_targets(b, a, target)?;
    let picked = pick(b, x, safe);
    let loss = b.neg(picked);
    let zero = b.lit(0.0, loss);
    let loss = b.select(counts, loss, zero);
    let ones = b.convert(counts, dtype);
    let total = b.reduce(Reduction::Sum, ones, &[0], false);
    let sum = |b: &mut Builder| b.reduce(Reduction::Sum, loss, &[0], false);
    Ok(match Combine::of(a)? {
        Combine::None => {
            let nothing = b.full(0.0, dtype, &[]);
            debug_assert_eq!(b.sizes(loss), [n]);
            vec![Some(loss), Some(nothing)]
        }
        Combine::Sum => vec![Some(sum(b)), Some(total)],
        Combine::Mean => {
            let sum = sum(b);
            vec![Some(b.div(sum, total)), Some(total)]
        }
    })
}

/// The gradient of the negative log likelihood: one entry in each row that counts.
pub(crate) fn nll_loss_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let target = a.tensor("target")?;
    let sizes = a.result()?.sizes.clone();
    if sizes.len() != 2 || a.opt_tensor("weight")?.is_some() || b.dtype(target) != DType::I64 {
        return library(Extern::Loss);
    }
    let grad = a.operand(b, "grad_output")?;
    let (counts, safe) = counted_targets(b, a, target)?;
    let scale = match Combine::of(a)? {
        Combine::Mean => {
            let total = a.operand(b, "total_weight")?;
            b.div(grad, total)
        }
        Combine::Sum => grad,
        Combine::None => b.unsqueeze(grad, 1),
    };
    let minus = b.neg(scale);
    let minus = b.expand(minus, &sizes);
    let (safe, counts) = (b.unsqueeze(safe, 1), b.unsqueeze(counts, 1));
    let class = b.iota(sizes[1], 1, 2);
    let is_target = b.eq(class, safe);
    let hit = b.and(is_target, counts);
    let zero = b.lit(0.0, minus);
    Ok(b.select(hit, minus, zero))
}

/// The mask of the targets that count, and the targets with the others replaced by class 0.
fn counted_targets(b: &mut Builder, a: &Args, target: Tensor) -> Rewrite<(Tensor, Tensor)> {
    let ignored = b.lit(a.int("ignore_index")? as f64, target);
    let counts = b.map(Pointwise::Ne, &[target, ignored]);
    let zero = b.lit(0.0, target);
    Ok((counts, b.select(counts, target, zero)))
}
