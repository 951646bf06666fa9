//! Activation functions.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

use fx::prim::Pointwise;

use super::{Args, Builder, Rewrite};
use crate::tensor_ir::Tensor;

/// √(2/π), the inner factor of gelu's tanh form.
pub(super) const GELU_BETA: f64 = SQRT_2 * FRAC_2_SQRT_PI * 0.5;
/// The cubic coefficient of gelu's tanh form.
pub(super) const GELU_KAPPA: f64 = 0.044_715;

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
pub(super) fn between(b: &mut Builder, x: Tensor, low: f64, high: f64) -> Tensor {
    let (low, high) = (b.lit(low, x), b.lit(high, x));
    let x = b.maximum(x, low);
    b.minimum(x, high)
}

/// `x > low && x < high`
pub(super) fn inside(b: &mut Builder, x: Tensor, low: f64, high: f64) -> Tensor {
    let (low, high) = (b.lit(low, x), b.lit(high, x));
    let (above, below) = (b.gt(x, low), b.lt(x, high));
    b.and(above, below)
}

pub(crate) fn gelu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let bell = if a.str("approximate") == "tanh" { gelu_tanh(b, x) } else { gelu_erf(b, x) };
    let half = b.mul_lit(x, 0.5);
    let one_more = b.add_lit(bell, 1.0);
    Ok(b.mul(half, one_more))
}

/// `erf(x / √2)`
pub(super) fn gelu_erf(b: &mut Builder, x: Tensor) -> Tensor {
    let scaled = b.mul_lit(x, FRAC_1_SQRT_2);
    b.erf(scaled)
}

/// `tanh(β (x + κ x³))`
pub(super) fn gelu_tanh(b: &mut Builder, x: Tensor) -> Tensor {
    let square = b.mul(x, x);
    let cube = b.mul(square, x);
    let kappa = b.lit(GELU_KAPPA, x);
    let inner = b.fma(cube, kappa, x);
    let inner = b.mul_lit(inner, GELU_BETA);
    b.tanh(inner)
}

pub(crate) fn silu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let gate = b.sigmoid(x);
    Ok(b.mul(x, gate))
}

pub(crate) fn mish(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let soft = smooth_plus(b, x, 1.0, 20.0);
    let gate = b.tanh(soft);
    Ok(b.mul(x, gate))
}

pub(crate) fn softplus(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    Ok(smooth_plus(b, x, a.float("beta")?, a.float("threshold")?))
}

/// `log(1 + exp(βx)) / β`, linear where `βx` exceeds the threshold.
fn smooth_plus(b: &mut Builder, x: Tensor, beta: f64, threshold: f64) -> Tensor {
    let scaled = b.mul_lit(x, beta);
    let e = b.exp(scaled);
    let log = b.map(Pointwise::Log1p, &[e]);
    let soft = b.div_lit(log, beta);
    let limit = b.lit(threshold, x);
    let linear = b.gt(scaled, limit);
    b.select(linear, x, soft)
}

pub(crate) fn elu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let (alpha, scale, input_scale) = (a.float("alpha")?, a.float("scale")?, a.float("input_scale")?);
    let positive = b.mul_lit(x, scale);
    let inner = b.mul_lit(x, input_scale);
    let decay = b.map(Pointwise::Expm1, &[inner]);
    let negative = b.mul_lit(decay, alpha * scale);
    let zero = b.lit(0.0, x);
    let is_positive = b.gt(x, zero);
    Ok(b.select(is_positive, positive, negative))
}

pub(crate) fn leaky_relu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let scaled = b.mul_lit(x, a.float("negative_slope")?);
    let zero = b.lit(0.0, x);
    let is_positive = b.gt(x, zero);
    Ok(b.select(is_positive, x, scaled))
}

pub(crate) fn hardtanh(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    Ok(between(b, x, a.float("min_val")?, a.float("max_val")?))
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

pub(crate) fn hardswish(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let shifted = b.add_lit(x, 3.0);
    let clamped = between(b, shifted, 0.0, 6.0);
    let product = b.mul(x, clamped);
    Ok(b.div_lit(product, 6.0))
}

pub(crate) fn threshold(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let (limit, value) = (b.lit(a.float("threshold")?, x), b.lit(a.float("value")?, x));
    let is_below = b.le(x, limit);
    Ok(b.select(is_below, value, x))
}

/// The logarithm of the sigmoid, and `exp(-|x|)` which its backward wants.
pub(crate) fn log_sigmoid(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "self")?;
    let magnitude = b.map(Pointwise::Abs, &[x]);
    let minus = b.neg(magnitude);
    let e = b.exp(minus);
    let log = b.map(Pointwise::Log1p, &[e]);
    let zero = b.lit(0.0, x);
    let low = b.minimum(x, zero);
    let out = b.sub(low, log);
    Ok(vec![Some(out), Some(e)])
}
