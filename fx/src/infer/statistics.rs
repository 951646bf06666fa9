//! Batch norm in the form that keeps notes for its gradient, and that gradient.

use super::{
    Rule,
    call::{Call, Result},
    norm::{batch_norm, gradients, of_channels, same_format},
};
use crate::{aten::Packet, graph::Meta};
use symshapes::{DType, DeviceKind, Expr};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_batch_norm_with_update_functional, with_notes),
    (Packet::batch_norm_backward, |c| {
        let (x, grad) = (c.tensor("input")?, c.tensor("grad_out")?);
        if x.device.kind != DeviceKind::Cpu || !x.dtype.is_float() || grad.dtype != x.dtype {
            return Err(c.unsupported("gradients of another type, or a device"));
        }
        c.demand_sizes("grad_out", &x.sizes)?;
        of_channels(c, *c.fits(x.sizes.get(1))?, &["weight"])?;
        gradients(c, same_format)
    }),
];

/// A batch norm of tensors whose types a kernel takes together; it notes nothing for the gradient on the processor.
fn with_notes(c: &mut Call) -> Result {
    let x = c.tensor("input")?;
    let parameters = ["weight", "bias", "running_mean", "running_var"];
    let given = parameters.iter().map(|name| c.opt_tensor(name)).collect::<Result<Vec<_>>>()?;
    let mut dtypes = given.iter().flatten().map(|t| t.dtype);
    let dtype = dtypes.next().unwrap_or(x.dtype);
    let is_known = x.dtype.is_float() && (dtype == x.dtype || dtype == x.dtype.compute());
    if x.device.kind != DeviceKind::Cpu || !is_known || dtypes.any(|other| other != dtype) {
        return Err(c.unsupported("parameters of several types, or a device"));
    }
    of_channels(c, *c.fits(x.sizes.get(1))?, &parameters)?;
    let results = batch_norm(c, true)?;
    let Meta::Tuple(mut results) = results else { return Ok(results) };
    let notes = c.contiguous(x, DType::U8, vec![Expr::ZERO]);
    results.insert(3, Some(notes.into()));
    Ok(Meta::Tuple(results))
}
