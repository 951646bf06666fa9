//! Activations and their gradients, of one element, from their definitions.

use super::call::{Call, Kernel, Result};
use fx::aten::Packet;
use fx::{arg::Arg, scalar::Scalar};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};
use symshapes::DType;

/// The constants of `selu`: its fixed point has mean 0 and variance 1.
const SELU_ALPHA: f64 = 1.6732632423543772;
const SELU_SCALE: f64 = 1.0507009873554805;

/// The kernel of an activation, on one element of each operand.
pub(super) fn kernel<'a>(call: &'a Call, packet: Packet, dtype: DType) -> Result<Kernel<'a>> {
    if packet.name().ends_with("_backward") { gradient(call, packet) } else { forward(call, packet, dtype) }
}

fn of_one<'a>(f: impl Fn(f64) -> f64 + 'a) -> Kernel<'a> {
    Box::new(move |x| f(x[0].as_f64()).into())
}

fn of_two<'a>(f: impl Fn(f64, f64) -> f64 + 'a) -> Kernel<'a> {
    Box::new(move |x| f(x[0].as_f64(), x[1].as_f64()).into())
}

fn forward<'a>(call: &'a Call, packet: Packet, dtype: DType) -> Result<Kernel<'a>> {
    Ok(match packet {
        Packet::gelu if tanh_form(call)? => of_one(|x| x * gelu_tanh(x).0),
        Packet::gelu => of_one(|x| x * normal_cdf(x)),
        Packet::silu => of_one(|x| x * sigmoid(x)),
        Packet::mish => of_one(|x| x * softplus(x).tanh()),
        Packet::elu => {
            let (alpha, scale, inner) = (call.float("alpha")?, call.float("scale")?, call.float("input_scale")?);
            of_one(move |x| if x <= 0.0 { (x * inner).exp_m1() * alpha * scale } else { x * scale })
        }
        Packet::celu => {
            let alpha = call.float("alpha")?;
            of_one(move |x| if x <= 0.0 { alpha * (x / alpha).exp_m1() } else { x })
        }
        Packet::selu => of_one(|x| SELU_SCALE * if x <= 0.0 { SELU_ALPHA * x.exp_m1() } else { x }),
        Packet::leaky_relu => {
            let slope = call.float("negative_slope")?;
            of_one(move |x| if x > 0.0 { x } else { x * slope })
        }
        Packet::relu6 => of_one(|x| clamp(x, 0.0, 6.0)),
        Packet::hardtanh => {
            let (min, max) = (call.float("min_val")?, call.float("max_val")?);
            of_one(move |x| clamp(x, min, max))
        }
        Packet::hardswish => of_one(|x| x * clamp(x + 3.0, 0.0, 6.0) / 6.0),
        Packet::hardsigmoid => of_one(|x| clamp(x + 3.0, 0.0, 6.0) / 6.0),
        Packet::softplus => {
            let (beta, threshold) = (call.float("beta")?, call.float("threshold")?);
            of_one(move |x| if x * beta > threshold { x } else { (x * beta).exp().ln_1p() / beta })
        }
        Packet::log_sigmoid => of_one(|x| -softplus(-x)),
        Packet::hardshrink => {
            let bound = call.float("lambd")?;
            of_one(move |x| if x.abs() <= bound { 0.0 } else { x })
        }
        Packet::softshrink => {
            let bound = call.float("lambd")?;
            of_one(move |x| match x {
                x if x > bound => x - bound,
                x if x < -bound => x + bound,
                _ => x * 0.0,
            })
        }
        Packet::_prelu_kernel => of_two(|x, slope| if x > 0.0 { x } else { x * slope }),
        Packet::threshold => {
            let (threshold, value) = (call.scalar("threshold")?, call.scalar("value")?);
            Box::new(move |x| if x[0].as_f64() <= threshold.as_f64() { value } else { x[0] })
        }
        Packet::logit => {
            let eps = call.opt_float("eps")?;
            of_one(move |x| {
                let x = eps.map_or(x, |e| clamp(x, e, 1.0 - e));
                (x / (1.0 - x)).ln()
            })
        }
        Packet::nan_to_num => nan_to_num(call, dtype)?,
        _ => return Err(call.unsupported("this element-wise op is not interpreted")),
    })
}

/// The first operand is the gradient of the result.
fn gradient<'a>(call: &'a Call, packet: Packet) -> Result<Kernel<'a>> {
    Ok(match packet {
        Packet::gelu_backward if tanh_form(call)? => of_two(|g, x| {
            let (half, slope) = gelu_tanh(x);
            g * (half + x * slope)
        }),
        Packet::gelu_backward => of_two(|g, x| {
            let density = (-x * x / 2.0).exp() * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0;
            g * (normal_cdf(x) + x * density)
        }),
        Packet::silu_backward => of_two(|g, x| g * sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x)))),
        Packet::mish_backward => of_two(|g, x| {
            let t = softplus(x).tanh();
            g * (t + x * sigmoid(x) * (1.0 - t * t))
        }),
        Packet::threshold_backward => {
            let threshold = call.float("threshold")?;
            Box::new(move |x| if x[1].as_f64() <= threshold { Scalar::Int(0) } else { x[0] })
        }
        Packet::hardshrink_backward | Packet::softshrink_backward => {
            let bound = call.float("lambd")?;
            of_two(move |g, x| if x.abs() <= bound { 0.0 } else { g })
        }
        Packet::leaky_relu_backward => {
            let slope = call.float("negative_slope")?;
            of_two(move |g, x| if x > 0.0 { g } else { g * slope })
        }
        Packet::hardswish_backward => of_two(|g, x| match x {
            x if x < -3.0 => 0.0,
            x if x <= 3.0 => g * (x / 3.0 + 0.5),
            _ => g,
        }),
        Packet::hardsigmoid_backward => of_two(|g, x| if x > -3.0 && x < 3.0 { g / 6.0 } else { 0.0 }),
        Packet::hardtanh_backward => {
            let (min, max) = (call.float("min_val")?, call.float("max_val")?);
            of_two(move |g, x| if x <= min || x >= max { 0.0 } else { g })
        }
        Packet::softplus_backward => {
            let (beta, threshold) = (call.float("beta")?, call.float("threshold")?);
            of_two(move |g, x| if x * beta > threshold { g } else { g * sigmoid(x * beta) })
        }
        Packet::log_sigmoid_backward => of_two(|g, x| g * sigmoid(-x)),
        Packet::tanh_backward => of_two(|g, y| g * (1.0 - y * y)),
        Packet::sigmoid_backward => of_two(|g, y| g * (1.0 - y) * y),
        Packet::elu_backward => elu_backward(call)?,
        _ => return Err(call.unsupported("this gradient is not interpreted")),
    })
}

fn elu_backward<'a>(call: &'a Call) -> Result<Kernel<'a>> {
    let (alpha, scale, inner) = (call.float("alpha")?, call.float("scale")?, call.float("input_scale")?);
    let is_result = call.bool("is_result")?;
    Ok(of_two(move |g, x| match (x <= 0.0, is_result) {
        (false, _) => g * scale,
        (true, true) => g * inner * (x + alpha * scale),
        (true, false) => g * inner * alpha * scale * (x * inner).exp(),
    }))
}

fn nan_to_num<'a>(call: &'a Call, dtype: DType) -> Result<Kernel<'a>> {
    // `dtype` is the one computed in: float16 saturates to infinity only when stored.
    let most = if dtype == DType::F64 { f64::MAX } else { f32::MAX.into() };
    if !dtype.is_float() {
        return Ok(Box::new(|x| x[0]));
    }
    if call.tensor("self")?.dtype() != dtype {
        return Err(call.unsupported("a half type"));
    }
    let nan = call.opt_float("nan")?.unwrap_or(0.0);
    let (top, bottom) = (call.opt_float("posinf")?.unwrap_or(most), call.opt_float("neginf")?.unwrap_or(-most));
    Ok(of_one(move |x| match x {
        x if x.is_nan() => nan,
        f64::INFINITY => top,
        f64::NEG_INFINITY => bottom,
        x => x,
    }))
}

fn tanh_form(call: &Call) -> Result<bool> {
    match call.get("approximate") {
        Arg::Str(form) if form == "tanh" => Ok(true),
        Arg::Str(form) if form == "none" => Ok(false),
        _ => Err(call.unsupported("an unknown approximation")),
    }
}

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `log(1 + exp(x))`, without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The normal distribution's cumulative function, accurate in the left tail.
pub(super) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// `(1 + tanh(√(2/π)(x + 0.044715x³))) / 2` and its slope.
fn gelu_tanh(x: f64) -> (f64, f64) {
    let root = (2.0 / PI).sqrt();
    let t = (root * (x + 0.044715 * x * x * x)).tanh();
    (0.5 * (1.0 + t), 0.5 * (1.0 - t * t) * root * (1.0 + 3.0 * 0.044715 * x * x))
}

/// NaN stays NaN.
fn clamp(x: f64, min: f64, max: f64) -> f64 {
    if x < min {
        min
    } else if x > max {
        max
    } else {
        x
    }
}
