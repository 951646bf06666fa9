//! Softmax, normalisations, losses and their gradients.

use super::{
    Rule,
    call::{Call, Result, tuple},
    strides,
};
use crate::aten::Packet;
use crate::{arg::Arg, graph::Meta};
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_softmax, softmax),
    (Packet::_log_softmax, softmax),
    (Packet::softmax, softmax),
    (Packet::log_softmax, softmax),
    (Packet::_safe_softmax, softmax),
    (Packet::_softmax_backward_data, softmax_backward),
    (Packet::_log_softmax_backward_data, softmax_backward),
    (Packet::native_layer_norm, |c| Ok(tuple(layer_norm(c)?))),
    (Packet::layer_norm, |c| {
        let [out, ..] = layer_norm(c)?;
        Ok(out.into())
    }),
    (Packet::native_layer_norm_backward, |c| gradients(c, |c, x| Ok(c.contiguous(x, x.dtype, x.sizes.clone())))),
    (Packet::_native_batch_norm_legit_no_training, |c| batch_norm(c, false)),
    (Packet::_native_batch_norm_legit_functional, |c| batch_norm(c, c.bool("training")?)),
    (Packet::native_batch_norm_backward, |c| gradients(c, same_format)),
    (Packet::native_group_norm, group_norm),
    (Packet::group_norm, |c| {
        let x = c.tensor("input")?;
        let (channels, groups) = (*c.fits(x.sizes.get(1))?, c.expr("num_groups")?);
        let rest = c.pool.modulo(channels, groups);
        c.demand_equal(rest, Expr::ZERO)?;
        of_channels(c, channels, &["weight", "bias"])?;
        Ok(same_format(c, x)?.into())
    }),
    (Packet::batch_norm, |c| {
        let x = c.tensor("input")?;
        let channels = *c.fits(x.sizes.get(1))?;
        of_channels(c, channels, &["weight", "bias", "running_mean", "running_var"])?;
        if c.bool("training")? {
            // There has to be more than one value in a channel.
            let others = [&x.sizes[..1], &x.sizes[2..]].concat();
            let (count, two) = (strides::numel(&mut c.pool, &others), c.pool.int(2));
            c.demand_at_most(two, count)?;
        }
        Ok(same_format(c, x)?.into())
    }),
    (Packet::dropout, |c| {
        let x = c.tensor("input")?;
        Ok(if c.bool("train")? { c.preserved(x, x.dtype)? } else { x.clone() }.into())
    }),
    (Packet::feature_dropout, |c| {
        let x = c.tensor("input")?;
        c.fits((x.sizes.len() >= 2).then_some(()))?;
        Ok(if c.bool("train")? { c.preserved(x, x.dtype)? } else { x.clone() }.into())
    }),
    (Packet::instance_norm, |c| {
        let x = c.tensor("input")?;
        let (&[_, channels], true) = (c.fits(x.sizes.get(..2))?, x.sizes.len() > 2) else { return c.fits(None) };
        of_channels(c, channels, &["weight", "bias", "running_mean", "running_var"])?;
        Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
    }),
    (Packet::rms_norm, |c| {
        let x = c.tensor("input")?;
        normalised(c, x)?;
        Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
    }),
    (Packet::_weight_norm, |c| {
        let v = c.tensor("v")?;
        of_slices(c, v)?;
        Ok(c.contiguous(v, v.dtype, v.sizes.clone()).into())
    }),
    (Packet::_weight_norm_interface, |c| {
        let (v, g) = (c.tensor("v")?, c.tensor("g")?);
        of_slices(c, v)?;
        let norm = if g.dtype == DType::BF16 { DType::F32 } else { g.dtype };
        let weight = c.contiguous(v, v.dtype, v.sizes.clone());
        Ok(tuple([weight, c.strided(g, norm, g.sizes.clone(), g.strides.clone())]))
    }),
    (Packet::_weight_norm_interface_backward, |c| {
        let (v, g) = (c.tensor("saved_v")?, c.tensor("saved_g")?);
        Ok(tuple([c.contiguous(v, v.dtype, v.sizes.clone()), c.contiguous(g, g.dtype, g.sizes.clone())]))
    }),
    (Packet::mse_loss, loss),
    (Packet::l1_loss, loss_of_one_type),
    (Packet::nll_loss_nd, |c| {
        let x = c.tensor("self")?;
        let sizes = loss_of_classes(c, x)?;
        Ok(c.contiguous(x, x.dtype, sizes).into())
    }),
    (Packet::smooth_l1_loss, loss),
    (Packet::huber_loss, loss),
    (Packet::soft_margin_loss, loss_of_one_type),
    (Packet::hinge_embedding_loss, loss_of_one_type),
    (Packet::cosine_embedding_loss, |c| {
        let (a, b) = (c.tensor("input1")?, c.tensor("input2")?);
        let target = c.tensor("target")?;
        if a.dtype != b.dtype {
            return Err(c.unsupported("tensors of two types"));
        }
        // Rows and a number for each, or one row and a number.
        let rank = target.sizes.len();
        c.fits((rank <= 1 && a.sizes.len() == rank + 1 && b.sizes.len() == rank + 1).then_some(()))?;
        let sizes = c.broadcast(&[&a.sizes[..rank], &b.sizes[..rank], &target.sizes])?;
        c.broadcast(&[&a.sizes, &b.sizes])?;
        let sizes = if c.int("reduction")? == 0 { sizes } else { Vec::new() };
        Ok(c.contiguous(a, a.dtype, sizes).into())
    }),
    (Packet::soft_margin_loss_backward, loss_gradient),
    (Packet::binary_cross_entropy, loss_of_equals),
    (Packet::binary_cross_entropy_with_logits, loss_of_equals),
    (Packet::log_sigmoid_forward, |c| {
        let x = c.tensor("self")?;
        if x.device.kind != DeviceKind::Cpu {
            return Err(c.unsupported("a device that keeps nothing for the gradient"));
        }
        Ok(tuple([0; 2].map(|_| c.contiguous(x, x.dtype, x.sizes.clone()))))
    }),
    (Packet::glu, |c| {
        let x = c.tensor("self")?;
        let (mut sizes, dim, two) = (x.sizes.clone(), c.dim("dim", x.sizes.len())?, c.pool.int(2));
        let size = c.fits(sizes.get_mut(dim))?;
        let rest = c.pool.modulo(*size, two);
        *size = c.pool.floor_div(*size, two);
        c.demand_equal(rest, Expr::ZERO)?;
        Ok(c.contiguous(x, x.dtype, sizes).into())
    }),
    (Packet::native_batch_norm, |c| batch_norm(c, c.bool("training")?)),
    (Packet::_native_batch_norm_legit, |c| batch_norm(c, true)),
    (Packet::_fused_rms_norm, |c| {
        let x = c.tensor("input")?;
        let of_rows = row_sizes(c, x)?;
        Ok(tuple([c.contiguous(x, x.dtype, x.sizes.clone()), c.contiguous(x, x.dtype.compute(), of_rows)]))
    }),
    (Packet::mse_loss_backward, loss_gradient),
    (Packet::smooth_l1_loss_backward, loss_gradient),
    (Packet::huber_loss_backward, loss_gradient),
    (Packet::glu_backward, |c| {
        let x = c.tensor("self")?;
        Ok(c.preserved(x, x.dtype)?.into())
    }),
    (Packet::native_group_norm_backward, |c| gradients(c, same_format)),
    (Packet::native_dropout, |c| {
        let x = c.tensor("input")?;
        Ok(tuple([c.preserved(x, x.dtype)?, c.preserved(x, DType::Bool)?]))
    }),
    (Packet::grid_sampler_2d_backward, sampler_gradients),
    (Packet::grid_sampler_3d_backward, sampler_gradients),
    (Packet::nll_loss_forward, nll_loss),
    (Packet::nll_loss2d_forward, nll_loss),
    (Packet::cross_entropy_loss, cross_entropy),
    (Packet::nll_loss2d_backward, |c| {
        let x = c.tensor("self")?;
        Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
    }),
    (Packet::nll_loss_backward, |c| {
        let x = c.tensor("self")?;
        Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
    }),
];

fn softmax(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let widened = c.has("half_to_float") && c.bool("half_to_float")?;
    let dtype = c.dtype()?.unwrap_or(if widened { DType::F32 } else { x.dtype });
    Ok(c.contiguous(x, dtype, x.sizes.clone()).into())
}

/// A loss of two tensors, element by element where it is not reduced.
fn loss(c: &mut Call) -> Result {
    let (x, target) = (c.tensor("self")?, c.tensor("target")?);
    c.one_dtype(x, target)?;
    let sizes = c.broadcast(&[&x.sizes, &target.sizes])?;
    if c.int("reduction")? != 0 {
        return Ok(c.contiguous(x, x.dtype, Vec::new()).into());
    }
    let strides = strides::elementwise(&mut c.pool, &sizes, &[x, target]);
    let strides = strides.ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(c.strided(x, x.dtype, sizes, strides).into())
}

/// A loss of two tensors, which ATen takes of two types, too.
fn loss_of_one_type(c: &mut Call) -> Result {
    match c.tensor("self")?.dtype == c.tensor("target")?.dtype {
        true => loss(c),
        false => Err(c.unsupported("tensors of two types")),
    }
}

/// A loss of two tensors of the same sizes: `torch.nn.functional` refuses others, which ATen broadcasts.
fn loss_of_equals(c: &mut Call) -> Result {
    let (x, target) = (c.tensor("self")?, c.tensor("target")?);
    let mut sizes = x.sizes.iter().zip(&target.sizes);
    if x.sizes.len() != target.sizes.len() || !sizes.all(|(&a, &b)| c.pool.has_to_equal(a, b) == Some(true)) {
        return Err(c.unsupported("a target of other sizes"));
    }
    loss(c)
}

/// The gradient of a loss by one of two tensors that lie alike.
fn loss_gradient(c: &mut Call) -> Result {
    let (x, target) = (c.tensor("self")?, c.tensor("target")?);
    if (x.dtype, &x.sizes, &x.strides) != (target.dtype, &target.sizes, &target.strides) {
        return Err(c.unsupported("a loss of tensors that lie otherwise"));
    }
    Ok(c.preserved(x, x.dtype)?.into())
}

fn softmax_backward(c: &mut Call) -> Result {
    let (grad, dtype) = (c.tensor("grad_output")?, c.opt_dtype("input_dtype")?);
    Ok(c.contiguous(grad, dtype.unwrap_or(grad.dtype), grad.sizes.clone()).into())
}

/// Results and the statistics of each row.
fn layer_norm(c: &mut Call) -> Result<[TensorMeta; 3]> {
    let x = c.tensor("input")?;
    let of_rows = row_sizes(c, x)?;
    // A half input with parameters of the same dtype keeps its statistics in it; other ones are in float32.
    let weight = c.opt_tensor("weight")?.or(c.opt_tensor("bias")?);
    let dtype = weight.map_or(x.dtype, |w| w.dtype);
    let out = c.contiguous(x, x.dtype, x.sizes.clone());
    let mean = c.contiguous(x, dtype, of_rows);
    Ok([out, mean.clone(), mean])
}

/// The sizes of statistics of rows, which keep the normalised dimensions as 1.
fn row_sizes(c: &mut Call, x: &TensorMeta) -> Result<Vec<Expr>> {
    let from = normalised(c, x)?;
    Ok([&x.sizes[..from], &vec![Expr::ONE; x.sizes.len() - from]].concat())
}

/// The first of the dimensions that are normalised: their sizes, and those of the parameters, are the ones given.
fn normalised(c: &mut Call, x: &TensorMeta) -> Result<usize> {
    let wanted = c.exprs("normalized_shape")?;
    if wanted.is_empty() {
        return Err(c.rejected("no dimension to normalise"));
    }
    let from = c.fits(x.sizes.len().checked_sub(wanted.len()))?;
    for (&size, &wanted) in x.sizes[from..].iter().zip(&wanted) {
        c.demand_equal(size, wanted)?;
    }
    c.demand_sizes("weight", &wanted)?;
    if c.has("bias") {
        c.demand_sizes("bias", &wanted)?;
    }
    Ok(from)
}

/// Demands that `g` holds a norm of each slice of `v` along `dim`, or one of the whole if that is -1.
fn of_slices(c: &mut Call, v: &TensorMeta) -> Result<()> {
    if c.int("dim")? == -1 {
        return c.demand_sizes("g", &[]);
    }
    let dim = c.dim("dim", v.sizes.len())?;
    let sizes: Vec<Expr> = (0..).zip(&v.sizes).map(|(d, &size)| if d == dim { size } else { Expr::ONE }).collect();
    c.demand_sizes("g", &sizes)
}

/// Demands that parameters have an element for each channel.
pub(super) fn of_channels(c: &mut Call, channels: Expr, names: &[&str]) -> Result<()> {
    names.iter().try_for_each(|name| c.demand_sizes(name, &[channels]))
}

/// The input's sizes, in channels last where its strides suggest it.
pub(super) fn same_format(c: &mut Call, x: &TensorMeta) -> Result<TensorMeta> {
    c.in_format_of(x, x.sizes.clone())
}

/// The gradients by input, weight and bias that `output_mask` asks for.
pub(super) fn gradients(c: &mut Call, input: fn(&mut Call, &TensorMeta) -> Result<TensorMeta>) -> Result {
    let (x, mask) = (c.tensor("input")?, c.list("output_mask").unwrap_or(&[]));
    let wanted = |i: usize| mask.get(i) == Some(&Arg::Bool(true));
    let dx = if wanted(0) { Some(Meta::Tensor(input(c, x)?)) } else { None };
    let parameter = c.opt_tensor("weight")?;
    let sizes = match (parameter, c.has("normalized_shape")) {
        (Some(weight), _) => weight.sizes.clone(),
        (None, true) => c.exprs("normalized_shape")?,
        (None, false) => vec![*c.fits(x.sizes.get(1))?],
    };
    let dtype = parameter.map_or(x.dtype, |w| w.dtype);
    let mut by = |i: usize| wanted(i).then(|| Meta::Tensor(c.contiguous(x, dtype, sizes.clone())));
    Ok(Meta::Tuple(vec![dx, by(1), by(2)]))
}

pub(super) fn batch_norm(c: &mut Call, training: bool) -> Result {
    let x = c.tensor("input")?;
    let channels = *c.fits(x.sizes.get(1))?;
    let out = same_format(c, x)?;
    let len = if training { channels } else { c.pool.int(0) };
    // On the CPU, statistics of halves are halves, unless a parameter is wider.
    let mut is_mixed = x.device.kind != DeviceKind::Cpu;
    for name in ["weight", "bias", "running_mean", "running_var"] {
        is_mixed |= c.opt_tensor(name)?.is_some_and(|parameter| parameter.dtype != x.dtype);
    }
    let stat = c.contiguous(x, if is_mixed { x.dtype.compute() } else { x.dtype }, vec![len]);
    let mut results = vec![out, stat.clone(), stat];
    // The functional form gives the running statistics, too.
    if c.op().schema.returns.len() == 5 {
        for name in ["running_mean", "running_var"] {
            let running = c.tensor(name)?;
            results.push(c.contiguous(running, running.dtype, running.sizes.clone()));
        }
    }
    Ok(tuple(results))
}

fn group_norm(c: &mut Call) -> Result {
    let x = c.tensor("input")?;
    let out = same_format(c, x)?;
    let (batch, groups) = (c.expr("N")?, c.expr("group")?);
    let stat = c.contiguous(x, x.dtype, vec![batch, groups]);
    Ok(tuple([out, stat.clone(), stat]))
}

/// The gradients by an image, where that is asked for, and by places in it, both row-major.
fn sampler_gradients(c: &mut Call) -> Result {
    let wanted = c.list("output_mask").and_then(|mask| mask.first());
    let is_wanted = wanted == Some(&Arg::Bool(true));
    let [image, places] = [c.tensor("input")?, c.tensor("grid")?].map(|t| c.contiguous(t, t.dtype, t.sizes.clone()));
    Ok(Meta::Tuple(vec![is_wanted.then_some(Meta::Tensor(image)), Some(Meta::Tensor(places))]))
}

/// Of rows, by the numbers of classes.
fn cross_entropy(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    if x.sizes.len() != 2 || !x.dtype.is_float() {
        return Err(c.unsupported("a cross entropy of other than rows"));
    }
    let sizes = loss_of_classes(c, x)?;
    Ok(c.contiguous(x, x.dtype, sizes).into())
}

fn nll_loss(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let sizes = loss_of_classes(c, x)?;
    Ok(tuple([c.contiguous(x, x.dtype, sizes), c.contiguous(x, x.dtype, Vec::new())]))
}

/// The sizes of a loss by the numbers of classes, which lie in the second dimension, or in the only one.
fn loss_of_classes(c: &mut Call, x: &TensorMeta) -> Result<Vec<Expr>> {
    let (classes, places) = match &x.sizes[..] {
        [] => return c.fits(None),
        [classes] => (*classes, Vec::new()),
        [rows, classes, inner @ ..] => (*classes, [&[*rows], inner].concat()),
    };
    let target = c.tensor("target")?;
    if target.dtype != DType::I64 || target.sizes.len() != places.len() {
        return Err(c.unsupported("a target that holds no class for each place"));
    }
    c.demand_sizes("target", &places)?;
    if let Some(weight) = c.opt_tensor("weight")? {
        c.one_dtype(x, weight)?;
        of_channels(c, classes, &["weight"])?;
    }
    Ok(if c.int("reduction")? == 0 { places } else { Vec::new() })
}
