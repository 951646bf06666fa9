//! Softmax, normalisations and losses, with their gradients.

use super::{
    Rule, Tensor, Value,
    call::{Call, Result, tuple},
    reduce::{lanes, mean_and_squares},
};
use fx::aten::Packet;
use fx::{arg::Arg, scalar::Scalar};
use symshapes::DType;

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_softmax, |c| softmax(c, false)),
    (Packet::softmax, |c| softmax(c, false)),
    (Packet::_safe_softmax, |c| softmax(c, false)),
    (Packet::_log_softmax, |c| softmax(c, true)),
    (Packet::log_softmax, |c| softmax(c, true)),
    (Packet::_softmax_backward_data, |c| softmax_backward(c, false)),
    (Packet::_log_softmax_backward_data, |c| softmax_backward(c, true)),
    (Packet::native_layer_norm, layer_norm),
    (Packet::layer_norm, |c| first(layer_norm(c)?)),
    (Packet::native_layer_norm_backward, layer_norm_backward),
    (Packet::_fused_rms_norm, rms_norm),
    (Packet::rms_norm, |c| first(rms_norm(c)?)),
    (Packet::native_group_norm, group_norm),
    (Packet::group_norm, |c| first(group_norm(c)?)),
    (Packet::batch_norm, |c| match c.bool("training")? {
        true => Err(c.unsupported("running statistics that are written to")),
        false => first(batch_norm(c, false)?),
    }),
    (Packet::dropout, |c| match c.bool("train")? && c.float("p")? != 0.0 {
        true => Err(c.unsupported("random numbers")),
        false => Ok(c.tensor("input")?.clone().into()),
    }),
    (Packet::_native_batch_norm_legit_no_training, |c| batch_norm(c, false)),
    (Packet::_native_batch_norm_legit_functional, |c| batch_norm(c, c.bool("training")?)),
    (Packet::_native_batch_norm_legit, |c| batch_norm(c, c.bool("training")?)),
    (Packet::native_batch_norm_backward, batch_norm_backward),
    (Packet::nll_loss_forward, nll_loss),
    (Packet::nll_loss_backward, nll_loss_backward),
    (Packet::mse_loss, mse_loss),
];

fn first(value: Value) -> Result {
    match value {
        Value::Tuple(items) => Ok(items.into_iter().next().unwrap_or(Value::Plain(Arg::None))),
        other => Ok(other),
    }
}

/// A tensor computed from all elements of its lane along `dim`: `f` maps the lane's floats to as many.
fn by_lane(c: &Call, x: &Tensor, dim: usize, dtype: DType, f: impl Fn(&[f64]) -> Vec<f64>) -> Result<Tensor> {
    if x.rank() == 0 {
        return c.fits(Tensor::from_values(dtype, &[], f(&x.floats())));
    }
    let mut order: Vec<usize> = (0..x.rank()).filter(|&d| d != dim).collect();
    order.push(dim);
    let last = x.permute(&order);
    let len = x.sizes()[dim].max(1);
    let values: Vec<f64> = last.floats().chunks(len).flat_map(f).collect();
    let back: Vec<usize> = (0..x.rank()).map(|d| order.iter().position(|&o| o == d).expect("a permutation")).collect();
    Ok(c.fits(Tensor::from_values(dtype, last.sizes(), values))?.permute(&back))
}

fn softmax(c: &Call, log: bool) -> Result {
    let x = c.tensor("self")?;
    let widened = c.has("half_to_float") && c.bool("half_to_float")?;
    let dtype = c.dtype()?.unwrap_or(if widened { DType::F32 } else { x.dtype() });
    let safe = c.op().packet() == Packet::_safe_softmax;
    let lane = |v: &[f64]| {
        let max = v.iter().copied().fold(f64::NEG_INFINITY, |a, b| if b.is_nan() { b } else { a.max(b) });
        if safe && max == f64::NEG_INFINITY {
            return vec![0.0; v.len()];
        }
        let sum: f64 = v.iter().map(|x| (x - max).exp()).sum();
        v.iter().map(|x| if log { x - max - sum.ln() } else { (x - max).exp() / sum }).collect()
    };
    Ok(by_lane(c, &x.to(dtype), c.dim("dim", x.rank())?, dtype, lane)?.into())
}

/// Gradient from that of the result and the result itself.
fn softmax_backward(c: &Call, log: bool) -> Result {
    let (grad, output) = (c.tensor("grad_output")?, c.tensor("output")?);
    let (dim, dtype) = (c.dim("dim", grad.rank())?, c.opt_dtype("input_dtype")?.unwrap_or(grad.dtype()));
    let dims: &[usize] = if grad.rank() == 0 { &[] } else { &[dim] };
    let weighted = Tensor::from_fn(DType::F64, grad.sizes(), |i| {
        (grad.float_at(i) * if log { 1.0 } else { output.float_at(i) }).into()
    });
    let sums = lanes(&weighted, dims);
    let totals = sums.lanes.iter().map(|lane| lane.iter().map(|v| v.as_f64()).sum::<f64>());
    let totals = c.fits(c.fits(Tensor::from_values(DType::F64, &sums.kept, totals))?.broadcast(grad.sizes()))?;
    Ok(Tensor::from_fn(dtype, grad.sizes(), |i| {
        let (g, y, total) = (grad.float_at(i), output.float_at(i), totals.float_at(i));
        (if log { g - y.exp() * total } else { y * (g - total) }).into()
    })
    .into())
}

/// The first of the normalised dimensions.
fn normalized_from(c: &Call, x: &Tensor) -> Result<usize> {
    c.fits(x.rank().checked_sub(c.ints("normalized_shape")?.len()))
}

/// The sizes with 1 for each dimension from `from` on.
fn ones_from(x: &Tensor, from: usize) -> Vec<usize> {
    x.sizes().iter().enumerate().map(|(d, &s)| if d < from { s } else { 1 }).collect()
}

/// Weight and bias (1 and 0 where absent) at an index of the trailing dimensions.
fn affine(c: &Call, index: &[usize]) -> (f64, f64) {
    let at = |name: &str, none: f64| c.opt_tensor(name).map_or(none, |t| t.float_at(index));
    (at("weight", 1.0), if c.has("bias") { at("bias", 0.0) } else { 0.0 })
}

fn layer_norm(c: &Call) -> Result {
    let (x, eps) = (c.tensor("input")?, c.float("eps")?);
    let from = normalized_from(c, x)?;
    let dims: Vec<usize> = (from..x.rank()).collect();
    let stats: Vec<(f64, f64)> = lanes(x, &dims)
        .lanes
        .iter()
        .map(|lane| {
            let (mean, squares) = mean_and_squares(lane);
            (mean, 1.0 / (squares / lane.len() as f64 + eps).sqrt())
        })
        .collect();
    let lane_of = |i: &[usize]| i[..from].iter().zip(x.sizes()).fold(0, |at, (i, s)| at * s + i);
    let out = Tensor::from_fn(x.dtype(), x.sizes(), |i| {
        let ((mean, rstd), (weight, bias)) = (stats[lane_of(i)], affine(c, &i[from..]));
        ((x.float_at(i) - mean) * rstd * weight + bias).into()
    });
    let kept = ones_from(x, from);
    // A half input with parameters of the same dtype keeps its statistics in it; other ones are in float32.
    let dtype = c.opt_tensor("weight").or(c.opt_tensor("bias")).map_or(x.dtype(), Tensor::dtype);
    let stat = |values: Vec<f64>| c.fits(Tensor::from_values(dtype, &kept, values));
    let means = stat(stats.iter().map(|s| s.0).collect())?;
    Ok(tuple([out, means, stat(stats.iter().map(|s| s.1).collect())?]))
}

/// With x̂ the normalised input and ĝ = grad·weight: rstd · (ĝ − mean(ĝ) − x̂·mean(ĝ·x̂)).
fn layer_norm_backward(c: &Call) -> Result {
    let (grad, x) = (c.tensor("grad_out")?, c.tensor("input")?);
    let from = normalized_from(c, x)?;
    let spread = |name| c.fits(c.tensor(name)?.broadcast(x.sizes()));
    let (mean, rstd) = (spread("mean")?, spread("rstd")?);
    let hat = |i: &[usize]| (x.float_at(i) - mean.float_at(i)) * rstd.float_at(i);
    let weighted = |i: &[usize]| grad.float_at(i) * affine_weight(c, &i[from..]);
    let dims: Vec<usize> = (from..x.rank()).collect();
    let mean_of = |f: &dyn Fn(&[usize]) -> f64| -> Result<Tensor> {
        let l = lanes(&Tensor::from_fn(DType::F64, x.sizes(), |i| f(i).into()), &dims);
        let means = l.lanes.iter().map(|lane| mean_and_squares(lane).0);
        c.fits(c.fits(Tensor::from_values(DType::F64, &l.kept, means))?.broadcast(x.sizes()))
    };
    let (m1, m2) = (mean_of(&weighted)?, mean_of(&|i| weighted(i) * hat(i))?);
    let dx = Tensor::from_fn(x.dtype(), x.sizes(), |i| {
        (rstd.float_at(i) * (weighted(i) - m1.float_at(i) - hat(i) * m2.float_at(i))).into()
    });
    let leading: Vec<usize> = (0..from).collect();
    let total = |f: &dyn Fn(&[usize]) -> f64| -> Result<Tensor> {
        let l = lanes(&Tensor::from_fn(DType::F64, x.sizes(), |i| f(i).into()), &leading);
        let sums = l.lanes.iter().map(|lane| lane.iter().map(|v| v.as_f64()).sum::<f64>());
        c.fits(Tensor::from_values(x.dtype(), &l.squeezed, sums))
    };
    masked(c, [dx, total(&|i| grad.float_at(i) * hat(i))?, total(&|i| grad.float_at(i))?])
}

fn affine_weight(c: &Call, index: &[usize]) -> f64 {
    c.opt_tensor("weight").map_or(1.0, |t| t.float_at(index))
}

/// The gradients that `output_mask` asks for; `None` for the others.
fn masked(c: &Call, gradients: [Tensor; 3]) -> Result {
    let wanted = c.list("output_mask").unwrap_or(&[]);
    let pick =
        |(i, g)| if wanted.get(i) == Some(&Arg::Bool(true)) { Value::Tensor(g) } else { Value::Plain(Arg::None) };
    Ok(Value::Tuple(gradients.into_iter().enumerate().map(pick).collect()))
}

fn rms_norm(c: &Call) -> Result {
    let x = c.tensor("input")?;
    let epsilon = if x.dtype().compute() == DType::F64 { f64::EPSILON } else { f32::EPSILON.into() };
    let eps = c.opt_float("eps")?.unwrap_or(epsilon);
    let from = normalized_from(c, x)?;
    let dims: Vec<usize> = (from..x.rank()).collect();
    let rms = |lane: &Vec<Scalar>| {
        let squares: f64 = lane.iter().map(|v| v.as_f64().powi(2)).sum();
        1.0 / (squares / lane.len() as f64 + eps).sqrt()
    };
    let rstd: Vec<f64> = lanes(x, &dims).lanes.iter().map(rms).collect();
    let lane_of = |i: &[usize]| i[..from].iter().zip(x.sizes()).fold(0, |at, (i, s)| at * s + i);
    let out = Tensor::from_fn(x.dtype(), x.sizes(), |i| {
        (x.float_at(i) * rstd[lane_of(i)] * affine_weight(c, &i[from..])).into()
    });
    Ok(tuple([out, c.fits(Tensor::from_values(x.dtype().compute(), &ones_from(x, from), rstd.clone()))?]))
}

fn group_norm(c: &Call) -> Result {
    let (x, eps, groups) =
        (c.tensor("input")?, c.float("eps")?, c.int(if c.has("group") { "group" } else { "num_groups" })? as usize);
    let [n, channels, ..] = *x.sizes() else { return c.fits(None) };
    let grouped = c.fits(x.reshape(&[n, groups, x.numel() / (n * groups).max(1)]))?;
    let stats: Vec<(f64, f64)> = lanes(&grouped, &[2])
        .lanes
        .iter()
        .map(|lane| {
            let (mean, squares) = mean_and_squares(lane);
            (mean, 1.0 / (squares / lane.len() as f64 + eps).sqrt())
        })
        .collect();
    let out = Tensor::from_fn(x.dtype(), x.sizes(), |i| {
        let (mean, rstd) = stats[i[0] * groups + i[1] * groups / channels];
        let (weight, bias) = affine(c, &i[1..2]);
        ((x.float_at(i) - mean) * rstd * weight + bias).into()
    });
    let stat = |values: Vec<f64>| c.fits(Tensor::from_values(x.dtype(), &[n, groups], values));
    let means = stat(stats.iter().map(|s| s.0).collect())?;
    Ok(tuple([out, means, stat(stats.iter().map(|s| s.1).collect())?]))
}

/// Results, in training saved mean and inverse deviation (else empty), and for the functional form the new running
/// statistics.
fn batch_norm(c: &Call, training: bool) -> Result {
    let (x, eps) = (c.tensor("input")?, c.float("eps")?);
    let channels = *c.fits(x.sizes().get(1))?;
    let others: Vec<usize> = (0..x.rank()).filter(|&d| d != 1).collect();
    let l = lanes(x, &others);
    let moments: Vec<(f64, f64)> = if training {
        l.lanes.iter().map(|lane| mean_and_squares(lane)).map(|(m, s)| (m, s / (x.numel() / channels) as f64)).collect()
    } else {
        let (mean, var) = (c.tensor("running_mean")?.floats(), c.tensor("running_var")?.floats());
        mean.into_iter().zip(var).collect()
    };
    let out = Tensor::from_fn(x.dtype(), x.sizes(), |i| {
        let ((mean, var), (weight, bias)) = (moments[i[1]], affine(c, &i[1..2]));
        ((x.float_at(i) - mean) / (var + eps).sqrt() * weight + bias).into()
    });
    let saved = |values: Vec<f64>| {
        let len = if training { channels } else { 0 };
        c.fits(Tensor::from_values(x.dtype().compute(), &[len], values.into_iter().take(len)))
    };
    let mean = saved(moments.iter().map(|m| m.0).collect())?;
    let mut results = vec![out, mean, saved(moments.iter().map(|m| 1.0 / (m.1 + eps).sqrt()).collect())?];
    // The functional form gives the running statistics, too.
    if c.op().schema.returns.len() > results.len() {
        let count = (x.numel() / channels.max(1)) as f64;
        let unbiased: Vec<f64> = moments.iter().map(|m| m.1 * count / (count - 1.0)).collect();
        let means: Vec<f64> = moments.iter().map(|m| m.0).collect();
        results.push(running(c, "running_mean", training, &means)?);
        results.push(running(c, "running_var", training, &unbiased)?);
    }
    Ok(tuple(results))
}

/// The running statistic after this batch.
fn running(c: &Call, name: &str, training: bool, batch: &[f64]) -> Result<Tensor> {
    let (old, momentum) = (c.tensor(name)?, c.float("momentum")?);
    if !training {
        return Ok(old.clone());
    }
    let next = old.floats().into_iter().zip(batch).map(|(old, new)| old * (1.0 - momentum) + new * momentum);
    c.fits(Tensor::from_values(old.dtype(), old.sizes(), next))
}

fn batch_norm_backward(c: &Call) -> Result {
    let (grad, x, train) = (c.tensor("grad_out")?, c.tensor("input")?, c.bool("train")?);
    let (mean, scale) = if train {
        (c.tensor("save_mean")?.floats(), c.tensor("save_invstd")?.floats())
    } else {
        let eps = c.float("eps")?;
        let var = c.tensor("running_var")?.floats();
        (c.tensor("running_mean")?.floats(), var.into_iter().map(|v| 1.0 / (v + eps).sqrt()).collect())
    };
    let channels = mean.len();
    let (mut sum, mut dot) = (vec![0.0; channels], vec![0.0; channels]);
    for i in super::tensor::indices(x.sizes()) {
        sum[i[1]] += grad.float_at(&i);
        dot[i[1]] += grad.float_at(&i) * (x.float_at(&i) - mean[i[1]]);
    }
    let count = (x.numel() / channels.max(1)) as f64;
    let dx = Tensor::from_fn(x.dtype(), x.sizes(), |i| {
        let (ch, g) = (i[1], grad.float_at(i));
        let centred = (x.float_at(i) - mean[ch]) * scale[ch] * scale[ch] * dot[ch] / count;
        let g = if train { g - sum[ch] / count - centred } else { g };
        (g * scale[ch] * affine_weight(c, &i[1..2])).into()
    });
    let dtype = c.opt_tensor("weight").map_or(x.dtype(), Tensor::dtype);
    let dw = dot.iter().zip(&scale).map(|(d, s)| d * s);
    let (dw, db) = (Tensor::from_values(dtype, &[channels], dw), Tensor::from_values(dtype, &[channels], sum.clone()));
    masked(c, [dx, c.fits(dw)?, c.fits(db)?])
}

/// The weight of each row's target, and the target; `None` where it is to be ignored.
fn targets(c: &Call) -> Result<Vec<Option<(usize, f64)>>> {
    let (x, target, ignore) = (c.tensor("self")?, c.tensor("target")?, c.int("ignore_index")?);
    let classes = *c.fits(x.sizes().last())?;
    let weight = c.opt_tensor("weight").map(Tensor::floats);
    target
        .values()
        .map(|t| match t.as_i64() {
            t if t == ignore => Ok(None),
            t => {
                let class = c.fits(usize::try_from(t).ok().filter(|&t| t < classes))?;
                Ok(Some((class, weight.as_ref().map_or(1.0, |w| w[class]))))
            }
        })
        .collect()
}

/// 0: no reduction, 1: mean, 2: sum.
fn nll_loss(c: &Call) -> Result {
    let (x, targets, reduction) = (c.tensor("self")?, targets(c)?, c.int("reduction")?);
    let classes = *c.fits(x.sizes().last())?;
    let values = x.floats();
    let loss =
        |(row, t): (usize, &Option<(usize, f64)>)| t.map_or(0.0, |(class, w)| -w * values[row * classes + class]);
    let losses: Vec<f64> = targets.iter().enumerate().map(loss).collect();
    let total: f64 = targets.iter().flatten().map(|(_, w)| w).sum();
    let scalar = |value: f64| Tensor::full(x.dtype(), &[], value.into());
    let out = match reduction {
        0 => c.fits(Tensor::from_values(x.dtype(), c.tensor("target")?.sizes(), losses))?,
        1 => scalar(losses.iter().sum::<f64>() / total),
        _ => scalar(losses.iter().sum()),
    };
    Ok(tuple([out, scalar(if reduction == 0 { 0.0 } else { total })]))
}

fn nll_loss_backward(c: &Call) -> Result {
    let (grad, x, targets) = (c.tensor("grad_output")?, c.tensor("self")?, targets(c)?);
    let (reduction, total) = (c.int("reduction")?, c.tensor("total_weight")?.float_at(&[]));
    let classes = *c.fits(x.sizes().last())?;
    let grads = grad.floats();
    let mut values = vec![0.0; x.numel()];
    for (row, target) in targets.iter().enumerate() {
        if let Some((class, weight)) = *target {
            let scale = if reduction == 1 { weight / total } else { weight };
            values[row * classes + class] = -scale * grads[if reduction == 0 { row } else { 0 }];
        }
    }
    Ok(c.fits(Tensor::from_values(x.dtype(), x.sizes(), values))?.into())
}

fn mse_loss(c: &Call) -> Result {
    let (x, target) = (c.tensor("self")?, c.tensor("target")?);
    let sizes = c.broadcast(&[x, target])?;
    let (a, b) = (c.fits(x.broadcast(&sizes))?.floats(), c.fits(target.broadcast(&sizes))?.floats());
    let squares: Vec<f64> = a.into_iter().zip(b).map(|(a, b)| (a - b).powi(2)).collect();
    let sum: f64 = squares.iter().sum();
    Ok(match c.int("reduction")? {
        0 => c.fits(Tensor::from_values(x.dtype(), &sizes, squares))?,
        1 => Tensor::full(x.dtype(), &[], (sum / squares.len() as f64).into()),
        _ => Tensor::full(x.dtype(), &[], sum.into()),
    }
    .into())
}
