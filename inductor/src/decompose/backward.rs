//! Derivatives: the `*_backward` operators that autograd writes into training graphs.

use std::f64::consts::FRAC_2_SQRT_PI;

use fx::Arg;
use fx::aten::rules::Extern;
use fx::prim::{Pointwise, Reduction};
use symshapes::{DType, Expr};

use super::activation::{GELU_BETA, GELU_KAPPA, gelu_erf, gelu_tanh, inside};
use super::norm::{batch_dims, counted_targets, is_mean, root_of};
use super::view::{from_start, slice_bound, unselect};
use super::{Args, Builder, Rewrite, library, unsupported};
use crate::tensor_ir::{Dims, Op, Tensor};

/// `grad` where the condition holds, else 0.
fn pass(b: &mut Builder, cond: Tensor, grad: Tensor) -> Tensor {
    let zero = b.lit(0.0, grad);
    b.select(cond, grad, zero)
}

pub(crate) fn threshold(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let limit = b.lit(a.float("threshold")?, x);
    // Blocked where x <= limit: NaN passes, as in eager.
    let is_below = b.le(x, limit);
    let zero = b.lit(0.0, grad);
    Ok(b.select(is_below, zero, grad))
}

pub(crate) fn tanh(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y) = (a.operand(b, "grad_output")?, a.operand(b, "output")?);
    let square = b.mul(y, y);
    let one = b.lit(1.0, y);
    let slope = b.sub(one, square);
    Ok(b.mul(grad, slope))
}

pub(crate) fn sigmoid(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y) = (a.operand(b, "grad_output")?, a.operand(b, "output")?);
    let one = b.lit(1.0, y);
    let rest = b.sub(one, y);
    let slope = b.mul(rest, y);
    Ok(b.mul(grad, slope))
}

pub(crate) fn gelu(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let slope = if a.str("approximate") == "tanh" { gelu_tanh_slope(b, x) } else { gelu_erf_slope(b, x) };
    Ok(b.mul(grad, slope))
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

pub(crate) fn silu(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let s = b.sigmoid(x);
    let one = b.lit(1.0, s);
    let rest = b.sub(one, s);
    let bend = b.mul(x, rest);
    let bend = b.add_lit(bend, 1.0);
    let slope = b.mul(s, bend);
    Ok(b.mul(grad, slope))
}

pub(crate) fn leaky_relu(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let zero = b.lit(0.0, x);
    let is_positive = b.gt(x, zero);
    let scaled = b.mul_lit(grad, a.float("negative_slope")?);
    Ok(b.select(is_positive, grad, scaled))
}

pub(crate) fn hardtanh(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    // Blocked outside, so that NaN passes as in eager.
    let (low, high) = (b.lit(a.float("min_val")?, x), b.lit(a.float("max_val")?, x));
    let (below, above) = (b.le(x, low), b.ge(x, high));
    let outside = b.map(Pointwise::Or, &[below, above]);
    let zero = b.lit(0.0, grad);
    Ok(b.select(outside, zero, grad))
}

pub(crate) fn hardsigmoid(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, x) = (a.operand(b, "grad_output")?, a.operand(b, "self")?);
    let linear = inside(b, x, -3.0, 3.0);
    let scaled = b.mul_lit(grad, 1.0 / 6.0);
    Ok(pass(b, linear, scaled))
}

pub(crate) fn hardswish(b: &mut Builder, a: &Args) -> Rewrite {
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

/// `grad * mask * scale`
pub(crate) fn dropout(b: &mut Builder, a: &Args) -> Rewrite {
    let grad = a.operand(b, "grad_output")?;
    let mask = a.operand(b, "mask")?;
    let scaled = b.mul_lit(mask, a.float("scale")?);
    Ok(b.mul(grad, scaled))
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

pub(crate) fn softmax(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y, dim) = softmax_inputs(b, a)?;
    let product = b.mul(grad, y);
    let sum = b.sum_keep(product, &[dim]);
    let shared = b.mul(y, sum);
    Ok(b.sub(product, shared))
}

pub(crate) fn log_softmax(b: &mut Builder, a: &Args) -> Rewrite {
    let (grad, y, dim) = softmax_inputs(b, a)?;
    let sum = b.sum_keep(grad, &[dim]);
    let p = b.exp(y);
    let shared = b.mul(p, sum);
    Ok(b.sub(grad, shared))
}

pub(crate) fn select(b: &mut Builder, a: &Args) -> Rewrite {
    let grad = a.operand(b, "grad_output")?;
    let sizes = a.result()?.sizes.clone();
    let dim = a.dim("dim", sizes.len())?;
    let pool = &mut b.graph.pool;
    let index = a.size(pool, "index")?;
    let index = from_start(pool, index, sizes[dim])?;
    Ok(unselect(b, grad, dim, index, sizes[dim]))
}

pub(crate) fn slice(b: &mut Builder, a: &Args) -> Rewrite {
    let grad = a.operand(b, "grad_output")?;
    let sizes = a.result()?.sizes.clone();
    let dim = a.dim("dim", sizes.len())?;
    let step = a.int("step")?;
    let pool = &mut b.graph.pool;
    let start = a.size(pool, "start")?;
    let start = slice_bound(pool, start, sizes[dim])?;
    if step == 1 {
        return Ok(b.pad(grad, dim, start, sizes[dim], 0.0));
    }
    let unsupported = || unsupported("a slice with a step, from or up to where is not known");
    let (Some(from), 1..) = (pool.as_int(start), step) else { return unsupported() };
    // Stretches of `step` elements, of which one is given.
    let (length, first) = (pool.mul_int(b.graph.tensors[grad].sizes[dim], step), pool.int(from - from % step));
    let room = pool.sub(sizes[dim], first);
    let over = pool.sub(length, room);
    let Some(over) = pool.as_int(over) else { return unsupported() };
    let grad = b.unsqueeze(grad, dim + 1);
    let mut stretch = Dims::from_slice(b.sizes(grad));
    let mut parts = Vec::new();
    for (zeros, given) in [(from % step, Some(grad)), (step - 1 - from % step, None)] {
        if zeros > 0 {
            stretch[dim + 1] = b.int(zeros);
            parts.push(b.full(0.0, b.dtype(grad), &stretch));
        }
        parts.extend(given);
    }
    stretch[dim + 1] = b.int(step);
    let mut whole = b.push(Op::Cat(parts, dim + 1), b.dtype(grad), &stretch);
    stretch.remove(dim + 1);
    stretch[dim] = length;
    whole = b.reshape(whole, &stretch);
    if over > 0 {
        whole = b.slice(whole, dim, Expr::ZERO, 1, room);
    }
    Ok(b.pad(whole, dim, first, sizes[dim], 0.0))
}

/// Which of a norm's three gradients are asked for.
pub(super) fn output_mask(a: &Args) -> [bool; 3] {
    let mut mask = [true; 3];
    if let Arg::List(items) | Arg::Tuple(items) = a.bound.get("output_mask") {
        for (flag, item) in mask.iter_mut().zip(items) {
            *flag = *item != Arg::Bool(false);
        }
    }
    mask
}

pub(crate) fn layer_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = a.results.iter().flatten().next().map_or(DType::F32, |p| p.dtype.compute());
    let mut get = |name: &str| -> Rewrite { Ok(b.convert(a.tensor(name)?, dtype)) };
    let (grad, x, mean, rstd) = (get("grad_out")?, get("input")?, get("mean")?, get("rstd")?);
    let weight = a.opt_tensor("weight")?.map(|w| b.convert(w, dtype));
    let inner = a.items("normalized_shape")?.len();
    let rank = b.rank(x);
    let (outer, dims): (Vec<usize>, Vec<usize>) = (0..rank).partition(|&d| d < rank - inner);
    let count = b.count(x, &dims);
    let centred = b.sub(x, mean);
    let unit = b.mul(centred, rstd);
    let [wants_x, wants_w, wants_b] = output_mask(a);
    let dx = wants_x.then(|| {
        let scaled = weight.map_or(grad, |w| b.mul(grad, w));
        let product = b.mul(scaled, unit);
        let (sum, dot) = (b.sum_keep(scaled, &dims), b.sum_keep(product, &dims));
        let (mean_grad, mean_dot) = (b.div_size(sum, count), b.div_size(dot, count));
        let along = b.mul(unit, mean_dot);
        let rest = b.sub(scaled, mean_grad);
        let rest = b.sub(rest, along);
        b.mul(rest, rstd)
    });
    let dw = wants_w.then(|| {
        let product = b.mul(grad, unit);
        b.reduce(Reduction::Sum, product, &outer, false)
    });
    let db = wants_b.then(|| b.reduce(Reduction::Sum, grad, &outer, false));
    Ok(vec![dx, dw, db])
}

pub(crate) fn batch_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = a.results.iter().flatten().next().map_or(DType::F32, |p| p.dtype.compute());
    let mut get = |name: &str| -> Rewrite { Ok(b.convert(a.tensor(name)?, dtype)) };
    let (grad, x) = (get("grad_out")?, get("input")?);
    let train = a.bool("train")?;
    let (mean, rstd) = if train {
        (get("save_mean")?, get("save_invstd")?)
    } else {
        let var = get("running_var")?;
        let mean = get("running_mean")?;
        (mean, root_of(b, var, a.float("eps")?))
    };
    let (rank, dims) = (b.rank(x), batch_dims(b.rank(x)));
    let count = b.count(x, &dims);
    if b.graph.pool.range(count).lo < 1 || b.sizes(mean) != [b.sizes(x)[1]] {
        return unsupported("batch norm of nothing");
    }
    let (mean, rstd) = (b.along(mean, 1, rank), b.along(rstd, 1, rank));
    let centred = b.sub(x, mean);
    let product = b.mul(grad, centred);
    let (sum, dot) = (b.sum_keep(grad, &dims), b.sum_keep(product, &dims));
    let scale = match a.opt_tensor("weight")? {
        Some(weight) => {
            let weight = b.convert(weight, dtype);
            let weight = b.along(weight, 1, rank);
            b.mul(weight, rstd)
        }
        None => rstd,
    };
    let [wants_x, wants_w, wants_b] = output_mask(a);
    let channels: Dims = [b.sizes(x)[1]].into_iter().collect();
    let dx = wants_x.then(|| {
        if !train {
            return b.mul(grad, scale);
        }
        let [wide_sum, wide_dot, wide_rstd] = [sum, dot, rstd].map(|t| b.widen(t));
        let mean_grad = b.div_size(wide_sum, count);
        let mean_grad = b.convert(mean_grad, dtype);
        let var = b.mul(wide_rstd, wide_rstd);
        let slope = b.mul(var, wide_dot);
        let slope = b.div_size(slope, count);
        let slope = b.convert(slope, dtype);
        let along = b.mul(centred, slope);
        let rest = b.sub(grad, mean_grad);
        let rest = b.sub(rest, along);
        b.mul(rest, scale)
    });
    let dw = wants_w.then(|| {
        let dw = b.mul(dot, rstd);
        b.reshape(dw, &channels)
    });
    let db = wants_b.then(|| b.reshape(sum, &channels));
    Ok(vec![dx, dw, db])
}

/// The gradient of the negative log likelihood: one entry in each row that counts.
pub(crate) fn nll_loss(b: &mut Builder, a: &Args) -> Rewrite {
    let target = a.tensor("target")?;
    let sizes = a.result()?.sizes.clone();
    if sizes.len() != 2 || a.opt_tensor("weight")?.is_some() || b.dtype(target) != DType::I64 {
        return library(Extern::Loss);
    }
    let grad = a.operand(b, "grad_output")?;
    let (counts, safe) = counted_targets(b, a, target)?;
    let scale = match is_mean(a)? {
        Some(true) => {
            let total = a.operand(b, "total_weight")?;
            b.div(grad, total)
        }
        Some(false) => grad,
        None => b.unsqueeze(grad, 1),
    };
    let minus = b.neg(scale);
    let minus = b.expand(minus, &sizes);
    let (safe, counts) = (b.unsqueeze(safe, 1), b.unsqueeze(counts, 1));
    let class = b.iota(sizes[1], 1, 2);
    let is_target = b.eq(class, safe);
    let hit = b.and(is_target, counts);
    Ok(pass(b, hit, minus))
}
