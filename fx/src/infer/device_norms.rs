//! Batch normalisation by the libraries of devices, and without an update of the statistics.

use super::{
    Rule,
    call::{Call, Result, tuple},
    norm::{batch_norm, of_channels},
    strides,
};
use crate::{aten::Packet, graph::Meta};
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_batch_norm_no_update, |c| {
        let x = c.tensor("input")?;
        if x.device.kind != DeviceKind::Cpu {
            return Err(c.unsupported("statistics of a device, whose library keeps a reserve"));
        }
        c.fits((c.given("running_mean") && c.given("running_var")).then_some(()))?;
        let channels = *c.fits(x.sizes.get(1))?;
        let parameters = ["weight", "bias", "running_mean", "running_var"];
        fitting(c, channels, &parameters)?;
        of_one_type(c, x, &parameters)?;
        let Meta::Tuple(mut results) = batch_norm(c, false)? else { return c.fits(None) };
        results.push(Some(no_reserve(c, x)));
        Ok(Meta::Tuple(results))
    }),
    (Packet::cudnn_batch_norm, |c| {
        let (x, mut results) = normalised(c)?;
        // How much the library keeps for the gradient, it says when it runs.
        results.push((!c.bool("training")?).then(|| no_reserve(c, x)));
        Ok(Meta::Tuple(results))
    }),
    (Packet::miopen_batch_norm, |c| Ok(Meta::Tuple(normalised(c)?.1))),
    (Packet::cudnn_batch_norm_backward, gradients),
    (Packet::miopen_batch_norm_backward, gradients),
];

/// Bytes that a library keeps for the gradient: none.
fn no_reserve(c: &mut Call, x: &TensorMeta) -> Meta {
    let none = c.pool.int(0);
    c.contiguous(x, DType::U8, vec![none]).into()
}

/// The input of a library on a GPU, whose parameters are of the type in which it computes.
fn input<'a>(c: &mut Call<'a>) -> Result<(&'a TensorMeta, Expr)> {
    let (x, weight) = (c.tensor("input")?, c.tensor("weight")?);
    if x.device.kind != DeviceKind::Cuda || !x.dtype.is_float() || weight.dtype != x.dtype.compute() {
        return Err(c.unsupported("normalisation on another device, or of other types"));
    }
    let channels = *c.fits(x.sizes.get(1))?;
    fitting(c, channels, &["weight", "running_mean", "running_var"])?;
    let is_last = c.suggests_channels_last(x)?;
    let is_dense = if is_last { strides::is_channels_last } else { strides::is_contiguous };
    match is_dense(&mut c.pool, x) {
        Some(true) => Ok((x, channels)),
        Some(false) => Err(c.unsupported("an image that is neither row-major nor has channels last")),
        None => Err(c.undecided("the memory format")),
    }
}

/// Parameters with an element for each channel. The kernels take others, too.
fn fitting(c: &mut Call, channels: Expr, names: &[&str]) -> Result<()> {
    of_channels(c, channels, names).map_err(|_| c.unsupported("parameters of other sizes"))
}

/// Demands that all parameters are of the image's type, or wider than the halves that it holds.
fn of_one_type(c: &Call, x: &TensorMeta, names: &[&str]) -> Result<()> {
    let mut types = Vec::new();
    for name in names {
        types.extend(c.opt_tensor(name)?.map(|parameter| parameter.dtype));
    }
    let is_one = [x.dtype, x.dtype.compute()].into_iter().any(|dtype| types.iter().all(|&other| other == dtype));
    if is_one { Ok(()) } else { Err(c.unsupported("parameters of several types")) }
}

/// The normalised image, which alone has a gradient, and the statistics of its channels where there are new ones.
fn normalised<'a>(c: &mut Call<'a>) -> Result<(&'a TensorMeta, Vec<Option<Meta>>)> {
    let (x, channels) = input(c)?;
    fitting(c, channels, &["bias"])?;
    let is_training = c.bool("training")?;
    if !(is_training || c.given("running_mean") && c.given("running_var")) {
        return Err(c.unsupported("statistics that are not given"));
    }
    let others = [&x.sizes[..1], &x.sizes[2..]].concat();
    let count = strides::numel(&mut c.pool, &others);
    if is_training && count == Expr::ONE {
        return Err(c.unsupported("statistics of one value for each channel"));
    }
    let len = if is_training { channels } else { c.pool.int(0) };
    let statistics = c.contiguous(x, x.dtype.compute(), vec![len]);
    let statistics = Some(Meta::Tensor(TensorMeta { requires_grad: false, ..statistics }));
    Ok((x, vec![Some(c.preserved(x, x.dtype)?.into()), statistics.clone(), statistics]))
}

/// The gradients by an image and by its parameters.
fn gradients(c: &mut Call) -> Result {
    let ((x, channels), grad) = (input(c)?, c.tensor("grad_output")?);
    c.one_dtype(x, grad)?;
    if x.sizes != grad.sizes || x.strides != grad.strides || !c.given("save_mean") || !c.given("save_var") {
        return Err(c.unsupported("a gradient that lies otherwise than the image, or without statistics"));
    }
    fitting(c, channels, &["save_mean", "save_var"])?;
    let by_parameter = c.contiguous(x, x.dtype.compute(), vec![channels]);
    Ok(tuple([c.preserved(x, x.dtype)?, by_parameter.clone(), by_parameter]))
}
