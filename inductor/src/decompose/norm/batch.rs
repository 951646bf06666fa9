//! Batch normalisation and its derivative.

use fx::aten::rules::Extern;
use symshapes::{DType, Expr};

use super::super::{Args, Builder, Rewrite, library, unsupported};
use super::{computed_in, expand_like, output_mask, root_of};
use crate::tensor_ir::{Dims, Tensor};

/// Dimensions of a batch norm's input other than the channels.
fn batch_dims(rank: usize) -> Vec<usize> {
    (0..rank).filter(|&d| d != 1).collect()
}

/// A per-channel scale and shift, computed once for each channel, as eager's own kernel has it.
pub(crate) fn batch_norm_inference(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "input")?;
    let rank = b.rank(x);
    let var = a.operand(b, "running_var")?;
    let mean = a.operand(b, "running_mean")?;
    let mut scale = root_of(b, var, a.float("eps")?);
    if let Some(weight) = a.opt_operand(b, "weight")? {
        scale = b.mul(scale, weight);
    }
    let offset = b.mul(mean, scale);
    let shift = match a.opt_operand(b, "bias")? {
        Some(bias) => b.sub(bias, offset),
        None => b.neg(offset),
    };
    let (scale, shift) = (b.along(scale, 1, rank), b.along(shift, 1, rank));
    let (scale, shift) = (expand_like(b, scale, x), expand_like(b, shift, x));
    let out = b.fma(x, scale, shift);
    let none = b.full(0.0, DType::F32, &[Expr::ZERO]);
    Ok(vec![Some(out), Some(none), Some(none)])
}

/// The operator that eager has before it chooses among the others: by running statistics, or by those of the batch
/// where there are none.
pub(crate) fn batch_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    match (a.bool("training")?, a.opt_tensor("running_mean")?) {
        (false, Some(_)) => batch_norm_inference(b, a),
        (true, None) => batch_norm_alone(b, a),
        _ => unsupported("running statistics that change, or that are missing"),
    }
}

/// A batch norm by the batch's own statistics.
struct ByBatch {
    out: Tensor,
    /// Mean, reciprocal standard deviation, and variance without bias of each channel, wide.
    mean: Tensor,
    rstd: Tensor,
    unbiased: Tensor,
}

fn by_batch(b: &mut Builder, a: &Args) -> Rewrite<ByBatch> {
    if !a.bool("training")? {
        return library(Extern::Statistics);
    }
    let x = a.operand(b, "input")?;
    let (rank, dims) = (b.rank(x), batch_dims(b.rank(x)));
    let count = b.count(x, &dims);
    if b.may_be_empty(x) || b.graph.pool.range(count).lo < 2 {
        return unsupported("batch norm of one element or none");
    }
    let (mean, var) = wide_moments(b, x, &dims);
    let rstd = root_of(b, var, a.float("eps")?);
    let mut per_channel = |name: &str| -> Rewrite<Option<Tensor>> {
        Ok(a.opt_operand(b, name)?.map(|t| b.along(t, 1, rank)).map(|t| b.widen(t)))
    };
    let (weight, bias) = (per_channel("weight")?, per_channel("bias")?);
    let out = scale_and_shift(b, x, mean, rstd, weight, bias);
    let unbiased = unbiased(b, var, count);
    let channels = [b.sizes(x)[1]];
    let [mean, rstd, unbiased] = [mean, rstd, unbiased].map(|t| b.reshape(t, &channels));
    Ok(ByBatch { out, mean, rstd, unbiased })
}

/// Output, batch mean and reciprocal standard deviation.
pub(crate) fn batch_norm_alone(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let ByBatch { out, mean, rstd, .. } = by_batch(b, a)?;
    let [mean, rstd] = [mean, rstd].map(|t| b.convert(t, b.dtype(out)));
    Ok(vec![Some(out), Some(mean), Some(rstd)])
}

/// Output, batch mean and reciprocal standard deviation, and the new running statistics.
pub(crate) fn batch_norm_training(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let ByBatch { out, mean, rstd, unbiased } = by_batch(b, a)?;
    let momentum = a.float("momentum")?;
    let (old_mean, old_var) = (a.operand(b, "running_mean")?, a.operand(b, "running_var")?);
    let running_mean = blend(b, old_mean, mean, momentum);
    let running_var = blend(b, old_var, unbiased, momentum);
    let [mean, rstd] = [mean, rstd].map(|t| b.convert(t, b.dtype(out)));
    Ok(vec![Some(out), Some(mean), Some(rstd), Some(running_mean), Some(running_var)])
}

/// Mean and variance over dimensions, kept, in double precision.
///
/// An error of a channel's mean shifts the whole channel, so that what follows does not average it away.
fn wide_moments(b: &mut Builder, x: Tensor, dims: &[usize]) -> (Tensor, Tensor) {
    let wide = b.widen(x);
    let mean = b.mean_keep(wide, dims);
    let near = b.convert(mean, b.dtype(x));
    let centred = b.sub(x, near);
    let square = b.mul(centred, centred);
    let square = b.widen(square);
    let var = b.mean_keep(square, dims);
    (mean, var)
}

/// `(x - mean) * rstd * weight + bias` as one multiplication and addition for each element, given wide statistics.
fn scale_and_shift(
    b: &mut Builder,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Option<Tensor>,
    bias: Option<Tensor>,
) -> Tensor {
    let scale = weight.map_or(rstd, |w| b.mul(rstd, w));
    let scale = b.convert(scale, b.dtype(x));
    // From the scale as rounded: its error then counts by the distance from the mean.
    let rounded = b.widen(scale);
    let offset = b.mul(mean, rounded);
    let shift = match bias {
        Some(bias) => b.sub(bias, offset),
        None => b.neg(offset),
    };
    let shift = b.convert(shift, b.dtype(x));
    let (scale, shift) = (expand_like(b, scale, x), expand_like(b, shift, x));
    b.fma(x, scale, shift)
}

/// `var * (count / (count - 1))`
fn unbiased(b: &mut Builder, var: Tensor, count: Expr) -> Tensor {
    if let Some(count) = b.graph.pool.as_int(count) {
        return b.mul_lit(var, count as f64 / (count as f64 - 1.0));
    }
    let less = b.graph.pool.add_int(count, -1);
    let (count, less) = (b.size(count, DType::F64), b.size(less, DType::F64));
    let ratio = b.div(count, less);
    let ratio = b.convert(ratio, b.dtype(var));
    b.mul(var, ratio)
}

/// `(1 - momentum) * old + momentum * new`, with `new` wide
fn blend(b: &mut Builder, old: Tensor, new: Tensor, momentum: f64) -> Tensor {
    let wide = b.widen(old);
    let (kept, new) = (b.mul_lit(wide, 1.0 - momentum), b.mul_lit(new, momentum));
    let sum = b.add(kept, new);
    b.convert(sum, b.dtype(old))
}

pub(crate) fn batch_norm_backward(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = computed_in(a);
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
