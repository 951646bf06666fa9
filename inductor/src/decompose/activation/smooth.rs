//! Activations by exponentials and error functions, and their derivatives.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

use fx::prim::Pointwise;

use super::super::formula::Formula;
use super::super::{Args, Builder, Rewrite};
use super::backward;
use crate::tensor_ir::Tensor;

/// √(2/π), the inner factor of gelu's tanh form.
const GELU_BETA: f64 = SQRT_2 * FRAC_2_SQRT_PI * 0.5;

/// The cubic coefficient of gelu's tanh form.
const GELU_KAPPA: f64 = 0.044_715;

pub(crate) fn gelu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let bell = if a.str("approximate") == "tanh" { gelu_tanh(b, x) } else { gelu_erf(b, x) };
    let half = b.mul_lit(x, 0.5);
    let one_more = b.add_lit(bell, 1.0);
    Ok(b.mul(half, one_more))
}

pub(crate) fn gelu_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let slope = if a.str("approximate") == "tanh" { gelu_tanh_slope(b, x) } else { gelu_erf_slope(b, x) };
    Ok(b.mul(grad, slope))
}

/// `erf(x / √2)`
fn gelu_erf(b: &mut Builder, x: Tensor) -> Tensor {
    let scaled = b.mul_lit(x, FRAC_1_SQRT_2);
    b.erf(scaled)
}

/// Φ(x) + x φ(x)
fn gelu_erf_slope(b: &mut Builder, x: Tensor) -> Tensor {
    let erf = gelu_erf(b, x);
    let sum = b.add_lit(erf, 1.0);
    let cdf = b.mul_lit(sum, 0.5);
    let square = b.mul(x, x);
    let exponent = b.mul_lit(square, -0.5);
    let e = b.exp(exponent);
    let pdf = b.mul_lit(e, FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2 * 0.5);
    let tail = b.mul(x, pdf);
    b.add(cdf, tail)
}

/// `tanh(β (x + κ x³))`
fn gelu_tanh(b: &mut Builder, x: Tensor) -> Tensor {
    let square = b.mul(x, x);
    let cube = b.mul(square, x);
    let kappa = b.lit(GELU_KAPPA, x);
    let inner = b.fma(cube, kappa, x);
    let inner = b.mul_lit(inner, GELU_BETA);
    b.tanh(inner)
}

/// ½(1 + t) + ½x(1 - t²)β(1 + 3κx²), t the inner tanh.
fn gelu_tanh_slope(b: &mut Builder, x: Tensor) -> Tensor {
    let t = gelu_tanh(b, x);
    let sum = b.add_lit(t, 1.0);
    let left = b.mul_lit(sum, 0.5);
    let square = b.mul(t, t);
    let one = b.lit(1.0, t);
    let sech = b.sub(one, square);
    let x2 = b.mul(x, x);
    let inner = b.mul_lit(x2, 3.0 * GELU_KAPPA);
    let inner = b.add_lit(inner, 1.0);
    let inner = b.mul_lit(inner, 0.5 * GELU_BETA);
    let right = b.mul(sech, inner);
    let right = b.mul(right, x);
    b.add(left, right)
}

pub(crate) fn tanh_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y) = (a.operand(b, "grad_output")?, a.operand(b, "output")?);
    let square = b.mul(y, y);
    let one = b.lit(1.0, y);
    let slope = b.sub(one, square);
    Ok(b.mul(grad, slope))
}

pub(crate) fn sigmoid_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y) = (a.operand(b, "grad_output")?, a.operand(b, "output")?);
    let one = b.lit(1.0, y);
    let rest = b.sub(one, y);
    let slope = b.mul(rest, y);
    Ok(b.mul(grad, slope))
}

pub(crate) fn silu(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let gate = b.sigmoid(x);
    Ok(b.mul(x, gate))
}

pub(crate) fn silu_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let s = b.sigmoid(x);
    let one = b.lit(1.0, s);
    let rest = b.sub(one, s);
    let bend = b.mul(x, rest);
    let bend = b.add_lit(bend, 1.0);
    let slope = b.mul(s, bend);
    Ok(b.mul(grad, slope))
}

pub(crate) fn mish(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let soft = smooth_plus(b, x, 1.0, 20.0);
    let gate = b.tanh(soft);
    Ok(b.mul(x, gate))
}

pub(crate) fn mish_backward(b: &mut Builder, a: &Args) -> Rewrite {
    backward(b, a, |grad, x| {
        let t = x.gt(20.0).pick(x, x.exp().log1p()).tanh();
        grad * (t + x * x.sigmoid() * (1.0 - t * t))
    })
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

pub(crate) fn softplus_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (beta, threshold) = (a.float("beta")?, a.float("threshold")?);
    backward(b, a, |grad, x| {
        let scaled = x * beta;
        let e = scaled.exp();
        scaled.gt(threshold).pick(grad, grad * e / (e + 1.0))
    })
}

pub(crate) fn elu(b: &mut Builder, a: &Args) -> Rewrite {
    exponential(b, a, [a.float("alpha")?, a.float("scale")?, a.float("input_scale")?])
}

pub(crate) fn elu_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (alpha, scale, input_scale) = (a.float("alpha")?, a.float("scale")?, a.float("input_scale")?);
    let of_result = a.bool("is_result")?;
    let f = Formula::new(b);
    let (grad, x) = (f.operand(a, "grad_output")?, f.operand(a, "self_or_result")?);
    let decay = if of_result {
        grad * input_scale * (x + alpha * scale)
    } else {
        grad * (input_scale * alpha * scale) * (x * input_scale).exp()
    };
    Ok(x.le(0.0).pick(decay, grad * scale).tensor)
}

pub(crate) fn celu(b: &mut Builder, a: &Args) -> Rewrite {
    let alpha = a.float("alpha")?;
    exponential(b, a, [alpha, 1.0, 1.0 / alpha])
}

pub(crate) fn selu(b: &mut Builder, a: &Args) -> Rewrite {
    exponential(b, a, [1.673_263_242_354_377_2, 1.050_700_987_355_480_5, 1.0])
}

/// `scale * x` above 0, else `scale * alpha * (exp(input_scale * x) - 1)`.
fn exponential(b: &mut Builder, a: &Args, [alpha, scale, input_scale]: [f64; 3]) -> Rewrite {
    let f = Formula::new(b);
    let x = f.operand(a, "self")?;
    let decay = (x * input_scale).expm1() * (alpha * scale);
    Ok(x.gt(0.0).pick(x * scale, decay).tensor)
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

pub(crate) fn log_sigmoid_backward(b: &mut Builder, a: &Args) -> Rewrite {
    backward(b, a, |grad, x| {
        let e = (-x.abs()).exp();
        let part = e / (e + 1.0);
        grad * x.lt(0.0).pick(1.0 - part, part)
    })
}
