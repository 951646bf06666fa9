//! Images resized with smoothing, and pooled over windows at random places; the gradients of both.

use super::{
    Rule,
    call::{Call, Result, tuple},
};
use crate::aten::Packet;
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_upsample_bilinear2d_aa, smoothed),
    (Packet::_upsample_bicubic2d_aa, smoothed),
    (Packet::_upsample_bilinear2d_aa_backward, |c| {
        let (grad, sizes) = (c.tensor("grad_output")?, resized_from(c, 2, &[])?);
        Ok(c.in_format_of(grad, sizes)?.into())
    }),
    (Packet::_upsample_bicubic2d_aa_backward, |c| {
        let (grad, sizes) = (c.tensor("grad_output")?, resized_from(c, 2, &[])?);
        Ok(c.contiguous(grad, grad.dtype, sizes).into())
    }),
    (Packet::_upsample_nearest_exact1d_backward, |c| {
        let (grad, sizes) = (c.tensor("grad_output")?, resized_from(c, 1, HALVES)?);
        Ok(c.contiguous(grad, grad.dtype, sizes).into())
    }),
    (Packet::_upsample_nearest_exact2d_backward, |c| {
        let (grad, sizes) = (c.tensor("grad_output")?, resized_from(c, 2, HALVES)?);
        Ok(c.in_format_of(grad, sizes)?.into())
    }),
    (Packet::_upsample_nearest_exact3d_backward, |c| {
        let (grad, sizes) = (c.tensor("grad_output")?, resized_from(c, 3, HALVES)?);
        Ok(c.contiguous(grad, grad.dtype, sizes).into())
    }),
    (Packet::fractional_max_pool2d, |c| pooled(c, 2)),
    (Packet::fractional_max_pool3d, |c| pooled(c, 3)),
    (Packet::fractional_max_pool2d_backward, |c| pooling_gradient(c, 2)),
    (Packet::fractional_max_pool3d_backward, |c| pooling_gradient(c, 3)),
];

const HALVES: &[DType] = &[DType::F16, DType::BF16];

/// Demands wide floats of the processor, or one of some other types.
fn accepts(c: &Call, x: &TensorMeta, others: &[DType]) -> Result<()> {
    let is_known = matches!(x.dtype, DType::F32 | DType::F64) || others.contains(&x.dtype);
    match is_known && x.device.kind == DeviceKind::Cpu {
        true => Ok(()),
        false => Err(c.unsupported("images of other numbers, or of a device")),
    }
}

/// Demands that there is something along each of some dimensions.
fn not_empty(c: &mut Call, sizes: &[Expr]) -> Result<()> {
    sizes.iter().try_for_each(|&size| c.demand_at_most(Expr::ONE, size))
}

/// Images of a given size.
fn smoothed(c: &mut Call) -> Result {
    if c.given("scale_factors") {
        return Err(c.unsupported("scale factors"));
    }
    let x = c.tensor(if c.has("input") { "input" } else { "self" })?;
    accepts(c, x, &[DType::U8])?;
    let output = c.exprs("output_size")?;
    c.fits((x.sizes.len() == 4 && output.len() == 2).then_some(()))?;
    not_empty(c, &[&x.sizes[1..], &output].concat())?;
    Ok(c.in_format_of(x, [&x.sizes[..2], &output].concat())?.into())
}

/// The sizes of an image of so many dimensions that was resized: the gradient is one by the result.
fn resized_from(c: &mut Call, dims: usize, others: &[DType]) -> Result<Vec<Expr>> {
    let grad = c.tensor("grad_output")?;
    accepts(c, grad, others)?;
    let (sizes, output) = (c.exprs("input_size")?, c.exprs("output_size")?);
    c.fits((sizes.len() == dims + 2 && output.len() == dims).then_some(()))?;
    c.demand_sizes("grad_output", &[&sizes[..2], &output].concat())?;
    not_empty(c, &[&sizes[1..], &output].concat())?;
    Ok(sizes)
}

/// The sizes before the pooled dimensions, those along them, and what they are pooled to.
fn planes<'a>(c: &mut Call<'a>, dims: usize) -> Result<(&'a TensorMeta, usize, Vec<Expr>)> {
    let x = c.tensor("self")?;
    accepts(c, x, HALVES)?;
    let lead = c.fits(x.sizes.len().checked_sub(dims).filter(|lead| matches!(lead, 1 | 2)))?;
    let given = |name| c.list(name).map(<[_]>::len);
    if given("output_size") != Some(dims) || given("kernel_size") != Some(dims) {
        return Err(c.rejected("one size for all dimensions"));
    }
    Ok((x, lead, c.exprs("output_size")?))
}

/// The largest of each window, and its place.
fn pooled(c: &mut Call, dims: usize) -> Result {
    let (x, lead, output) = planes(c, dims)?;
    not_empty(c, &x.sizes[lead - 1..])?;
    for (d, kernel) in c.ints("kernel_size")?.into_iter().enumerate() {
        c.fits((kernel > 0).then_some(()))?;
        // Volumes have room for more than the last window.
        let reach = c.pool.add_int(output[d], if dims == 3 { kernel } else { kernel - 1 });
        c.demand_at_most(Expr::ZERO, output[d])?;
        c.demand_at_most(reach, x.sizes[lead + d])?;
    }
    samples(c, x, lead, dims)?;
    let sizes = [&x.sizes[..lead], &output].concat();
    Ok(tuple([c.contiguous(x, x.dtype, sizes.clone()), c.contiguous(x, DType::I64, sizes)]))
}

/// Demands a random number for each channel and dimension, for at least as many images as there are.
fn samples(c: &mut Call, x: &TensorMeta, lead: usize, dims: usize) -> Result<()> {
    let samples = c.tensor("random_samples")?;
    c.one_dtype(x, samples)?;
    let [images, channels, axes] = samples.sizes[..] else { return c.fits(None) };
    let (batch, dims) = (if lead == 2 { x.sizes[0] } else { Expr::ONE }, c.pool.int(dims as i64));
    c.demand_at_most(batch, images)?;
    c.demand_equal(channels, x.sizes[lead - 1])?;
    c.demand_equal(axes, dims)
}

fn pooling_gradient(c: &mut Call, dims: usize) -> Result {
    let (x, lead, output) = planes(c, dims)?;
    let (grad, places) = (c.tensor("grad_output")?, c.tensor("indices")?);
    c.one_dtype(x, grad)?;
    if places.dtype != DType::I64 {
        return Err(c.rejected("places that are no integers"));
    }
    let sizes = [&x.sizes[..lead], &output].concat();
    c.demand_sizes("grad_output", &sizes)?;
    c.demand_sizes("indices", &sizes)?;
    Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
}
