//! Activations that are straight in pieces, and their derivatives.

use fx::prim::Pointwise;

use super::super::formula::Formula;
use super::super::{Args, Builder, Rewrite};
use super::backward;
use crate::tensor_ir::Tensor;

pub(crate) fn relu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let zero = b.lit(0.0, x);
    Ok(b.maximum(x, zero))
}

pub(crate) fn relu6(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    Ok(between(b, x, 0.0, 6.0))
}

/// `min(max(x, low), high)`; NaN stays.
fn between(b: &mut Builder, x: Tensor, low: f64, high: f64) -> Tensor {
    let (low, high) = (b.lit(low, x), b.lit(high, x));
    let x = b.maximum(x, low);
    b.minimum(x, high)
}

pub(crate) fn leaky_relu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let scaled = b.mul_lit(x, a.float("negative_slope")?);
    let zero = b.lit(0.0, x);
    let is_positive = b.gt(x, zero);
    Ok(b.select(is_positive, x, scaled))
}

pub(crate) fn leaky_relu_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let zero = b.lit(0.0, x);
    let is_positive = b.gt(x, zero);
    let scaled = b.mul_lit(grad, a.float("negative_slope")?);
    Ok(b.select(is_positive, grad, scaled))
}

pub(crate) fn hardtanh(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    Ok(between(b, x, a.float("min_val")?, a.float("max_val")?))
}

pub(crate) fn hardtanh_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    // Blocked outside, so that NaN passes as in eager.
    let (low, high) = (b.lit(a.float("min_val")?, x), b.lit(a.float("max_val")?, x));
    let (below, above) = (b.le(x, low), b.ge(x, high));
    let outside = b.map(Pointwise::Or, &[below, above]);
    let zero = b.lit(0.0, grad);
    Ok(b.select(outside, zero, grad))
}

pub(crate) fn hardsigmoid(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    Ok(hard_gate(b, x))
}

/// `min(max(x + 3, 0), 6) / 6`
fn hard_gate(b: &mut Builder, x: Tensor) -> Tensor {
    let shifted = b.add_lit(x, 3.0);
    let clamped = between(b, shifted, 0.0, 6.0);
    b.div_lit(clamped, 6.0)
}

pub(crate) fn hardsigmoid_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let linear = inside(b, x, -3.0, 3.0);
    let scaled = b.mul_lit(grad, 1.0 / 6.0);
    let zero = b.lit(0.0, scaled);
    Ok(b.select(linear, scaled, zero))
}

/// `x > low && x < high`
fn inside(b: &mut Builder, x: Tensor, low: f64, high: f64) -> Tensor {
    let (low, high) = (b.lit(low, x), b.lit(high, x));
    let (above, below) = (b.gt(x, low), b.lt(x, high));
    b.and(above, below)
}

pub(crate) fn hardswish(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let shifted = b.add_lit(x, 3.0);
    let clamped = between(b, shifted, 0.0, 6.0);
    let product = b.mul(x, clamped);
    Ok(b.div_lit(product, 6.0))
}

pub(crate) fn hardswish_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let third = b.div_lit(x, 3.0);
    let bend = b.add_lit(third, 0.5);
    let bent = b.mul(grad, bend);
    let (low, high) = (b.lit(-3.0, x), b.lit(3.0, x));
    let is_linear = b.ge(x, high);
    let linear = b.select(is_linear, grad, bent);
    let is_zero = b.le(x, low);
    let zero = b.lit(0.0, grad);
    Ok(b.select(is_zero, zero, linear))
}

pub(crate) fn threshold(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let (limit, value) = (b.lit(a.float("threshold")?, x), b.lit(a.float("value")?, x));
    let is_below = b.le(x, limit);
    Ok(b.select(is_below, value, x))
}

pub(crate) fn threshold_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let limit = b.lit(a.float("threshold")?, x);
    // Blocked where x <= limit: NaN passes, as in eager.
    let is_below = b.le(x, limit);
    let zero = b.lit(0.0, grad);
    Ok(b.select(is_below, zero, grad))
}

pub(crate) fn prelu(b: &mut Builder, a: &Args) -> Rewrite {
    let f = Formula::new(b);
    let (x, weight) = (f.operand(a, "self")?, f.operand(a, "weight")?);
    Ok(x.gt(0.0).pick(x, x * weight).tensor)
}

/// The gradients of input and weight.
pub(crate) fn prelu_backward(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let f = Formula::new(b);
    let (grad, x, weight) = (f.operand(a, "grad_output")?, f.operand(a, "self")?, f.operand(a, "weight")?);
    let is_positive = x.gt(0.0);
    let of_weight = is_positive.pick_number(0.0, x * grad);
    Ok(vec![Some(is_positive.pick(grad, weight * grad).tensor), Some(of_weight.tensor)])
}

/// 0 within `lambd` of 0.
pub(crate) fn hardshrink(b: &mut Builder, a: &Args) -> Rewrite {
    let limit = a.float("lambd")?;
    let f = Formula::new(b);
    let x = f.operand(a, "self")?;
    Ok((x.ge(-limit) & x.le(limit)).pick_number(0.0, x).tensor)
}

/// `lambd` nearer to 0, and 0 within it.
pub(crate) fn softshrink(b: &mut Builder, a: &Args) -> Rewrite {
    let limit = a.float("lambd")?;
    let f = Formula::new(b);
    let x = f.operand(a, "self")?;
    // The product keeps NaN.
    let inside = x.lt(-limit).pick(x + limit, x * 0.0);
    Ok(x.gt(limit).pick(x - limit, inside).tensor)
}

pub(crate) fn shrink_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let limit = a.float("lambd")?;
    backward(b, a, |grad, x| (x.ge(-limit) & x.le(limit)).pick_number(0.0, grad))
}
