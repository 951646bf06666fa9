//! Softmax, normalisation and losses.

use fx::aten::rules::Extern;
use fx::prim::{Pointwise, Reduction};
use symshapes::{DType, Expr};

use super::{Args, Builder, Promise, Rewrite, library, unsupported};
use crate::tensor_ir::{Dims, Tensor};

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

pub(crate) fn log_softmax(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, dim) = softmax_input(b, a)?;
    let shifted = shifted(b, x, dim);
    let e = b.exp(shifted);
    let sum = b.sum_keep(e, &[dim]);
    let log = b.log(sum);
    let out = b.sub(shifted, log);
    promised(b, a, out)
}

/// Mean and reciprocal standard deviation over dimensions, kept, in two passes.
fn mean_rstd(b: &mut Builder, x: Tensor, dims: &[usize], eps: f64) -> (Tensor, Tensor) {
    let (mean, centred) = centred(b, x, dims);
    let square = b.mul(centred, centred);
    let var = b.mean_keep(square, dims);
    (mean, root_of(b, var, eps))
}

/// The mean over dimensions, kept, and what is left without it.
fn centred(b: &mut Builder, x: Tensor, dims: &[usize]) -> (Tensor, Tensor) {
    let mean = b.mean_keep(x, dims);
    let centred = b.sub(x, mean);
    (mean, centred)
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

/// `1 / sqrt(var + eps)`
pub(super) fn root_of(b: &mut Builder, var: Tensor, eps: f64) -> Tensor {
    let dtype = b.dtype(var);
    let wide = b.widen(var);
    let sum = b.add_lit(wide, eps);
    let root = b.rsqrt(sum);
    b.convert(root, dtype)
}

/// `(x - mean) * rstd * weight + bias`
fn normalise(
    b: &mut Builder,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Option<Tensor>,
    bias: Option<Tensor>,
) -> Tensor {
    let centred = b.sub(x, mean);
    let unit = b.mul(centred, rstd);
    match (weight, bias) {
        (Some(w), Some(c)) => {
            let (w, c) = (expand_like(b, w, unit), expand_like(b, c, unit));
            b.fma(unit, w, c)
        }
        (Some(w), None) => b.mul(unit, w),
        (None, Some(c)) => b.add(unit, c),
        (None, None) => unit,
    }
}

fn expand_like(b: &mut Builder, t: Tensor, like: Tensor) -> Tensor {
    let sizes = Dims::from_slice(b.sizes(like));
    b.expand(t, &sizes)
}

pub(crate) fn layer_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "input")?;
    let inner = a.items("normalized_shape")?.len();
    let dims: Vec<usize> = (b.rank(x) - inner..b.rank(x)).collect();
    if b.may_be_empty(x) {
        return unsupported("layer norm of nothing");
    }
    let (mean, rstd) = mean_rstd(b, x, &dims, a.float("eps")?);
    let (weight, bias) = (a.opt_operand(b, "weight")?, a.opt_operand(b, "bias")?);
    let out = normalise(b, x, mean, rstd, weight, bias);
    Ok(vec![Some(out), Some(mean), Some(rstd)])
}

/// `x * rsqrt(mean(x²) + eps) * weight`, and the reciprocal root.
pub(crate) fn rms_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "input")?;
    let inner = a.items("normalized_shape")?.len();
    let dims: Vec<usize> = (b.rank(x) - inner..b.rank(x)).collect();
    if b.may_be_empty(x) {
        return unsupported("RMS norm of nothing");
    }
    let eps = match (a.opt_float("eps")?, a.result()?.dtype) {
        (Some(eps), _) => eps,
        (None, DType::F32) => f64::from(f32::EPSILON),
        (None, DType::F64) => f64::EPSILON,
        (None, dtype) => return unsupported(format!("RMS norm of {dtype} without epsilon")),
    };
    let square = b.mul(x, x);
    let mean = b.mean_keep(square, &dims);
    let rstd = root_of(b, mean, eps);
    let mut out = b.mul(x, rstd);
    if let Some(weight) = a.opt_operand(b, "weight")? {
        out = b.mul(out, weight);
    }
    Ok(vec![Some(out), Some(rstd)])
}

pub(crate) fn group_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "input")?;
    if b.may_be_empty(x) {
        return unsupported("group norm of nothing");
    }
    let [n, c, ref inner @ ..] = *Dims::from_slice(b.sizes(x)) else {
        return unsupported("group norm without channels");
    };
    let pool = &mut b.graph.pool;
    let hw = crate::tensor_ir::numel(pool, inner);
    let groups = a.size(pool, if a.has("group") { "group" } else { "num_groups" })?;
    let Some(width) = pool.exact_div(c, groups) else {
        return unsupported("channels that no number of groups divides");
    };
    let grouped = b.reshape(x, &[n, groups, width, hw]);
    let eps = a.float("eps")?;
    let is_last = hw != Expr::ONE && a.results.iter().flatten().next().is_some_and(lies_last);
    let (mean, rstd) = if is_last { by_channel(b, grouped, eps) } else { mean_rstd(b, grouped, &[2, 3], eps) };
    let mut per_channel = |name: &str| -> Rewrite<Option<Tensor>> {
        Ok(a.opt_operand(b, name)?.map(|t| b.reshape(t, &[Expr::ONE, groups, width, Expr::ONE])))
    };
    let (weight, bias) = (per_channel("weight")?, per_channel("bias")?);
    let sizes = Dims::from_slice(b.sizes(x));
    let out = match weight {
        Some(weight) if is_last => {
            // Both are stored, a value for each channel.
            let scale = b.mul(rstd, weight);
            let offset = b.mul(mean, scale);
            let shift = match bias {
                Some(bias) => b.sub(bias, offset),
                None => b.neg(offset),
            };
            let mut channels: Dims = sizes.iter().map(|_| Expr::ONE).collect();
            channels[..2].copy_from_slice(&[n, c]);
            let [scale, shift] = [scale, shift].map(|t| {
                let t = b.reshape(t, &channels);
                expand_like(b, t, x)
            });
            b.fma(x, scale, shift)
        }
        _ => {
            let out = normalise(b, grouped, mean, rstd, weight, bias);
            b.reshape(out, &sizes)
        }
    };
    let (mean, rstd) = (b.reshape(mean, &[n, groups]), b.reshape(rstd, &[n, groups]));
    Ok(vec![Some(out), Some(mean), Some(rstd)])
}

/// True if the channels lie side by side.
fn lies_last(promise: &Promise) -> bool {
    promise.strides.get(1) == Some(&Expr::ONE)
}

/// Mean and reciprocal standard deviation of groups `[n, group, channel, position]`, by way of those of each channel:
/// where channels lie side by side they go over lanes, and a group may have too few to fill them.
fn by_channel(b: &mut Builder, x: Tensor, eps: f64) -> (Tensor, Tensor) {
    let (own, left) = centred(b, x, &[3]);
    let square = b.mul(left, left);
    let within = b.mean_keep(square, &[3]);
    let (mean, apart) = centred(b, own, &[2]);
    let square = b.mul(apart, apart);
    let var = b.add(within, square);
    let var = b.mean_keep(var, &[2]);
    (mean, root_of(b, var, eps))
}

/// Dimensions of a batch norm's input other than the channels.
pub(super) fn batch_dims(rank: usize) -> Vec<usize> {
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

/// How a loss combines its elements; the values are torch's.
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

pub(crate) fn mse_loss(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, y) = (a.operand(b, "self")?, a.operand(b, "target")?);
    let diff = b.sub(x, y);
    let square = b.mul(diff, diff);
    let dims: Vec<usize> = (0..b.rank(square)).collect();
    let count = b.numel(square);
    Ok(match Combine::of(a)? {
        Combine::None => square,
        Combine::Sum => b.reduce(Reduction::Sum, square, &dims, false),
        Combine::Mean => {
            let sum = b.reduce(Reduction::Sum, square, &dims, false);
            b.div_size(sum, count)
        }
    })
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
    let picked = super::index::pick(b, x, safe);
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

/// Which targets count, and the targets with those that do not replaced by class 0.
pub(super) fn counted_targets(b: &mut Builder, a: &Args, target: Tensor) -> Rewrite<(Tensor, Tensor)> {
    let ignored = b.lit(a.int("ignore_index")? as f64, target);
    let counts = b.map(Pointwise::Ne, &[target, ignored]);
    let zero = b.lit(0.0, target);
    Ok((counts, b.select(counts, target, zero)))
}

/// True if the loss is the mean of its elements, `None` if it is not combined.
pub(super) fn is_mean(a: &Args) -> Rewrite<Option<bool>> {
    Ok(match Combine::of(a)? {
        Combine::None => None,
        Combine::Mean => Some(true),
        Combine::Sum => Some(false),
    })
}
