//! Convolution and pooling over the last dimensions. Channels last spreads from any operand that has it.

use super::{
    Rule,
    call::{Call, Result, tuple},
    strides,
};
use crate::aten::Packet;
use crate::{arg::Arg, graph::Meta};
use symshapes::{DType, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::convolution, convolution),
    (Packet::conv1d, convolution),
    (Packet::conv2d, convolution),
    (Packet::conv3d, convolution),
    (Packet::conv_transpose1d, convolution),
    (Packet::conv_transpose2d, convolution),
    (Packet::conv_transpose3d, convolution),
    (Packet::convolution_backward, convolution_backward),
    (Packet::max_pool2d_with_indices, |c| Ok(with_places(&pooled(c, 2)?))),
    (Packet::max_pool3d_with_indices, |c| Ok(with_places(&pooled(c, 3)?))),
    (Packet::max_unpool2d, |c| unpooled(c, 2)),
    (Packet::max_unpool3d, |c| unpooled(c, 3)),
    (Packet::avg_pool3d, |c| Ok(pooled(c, 3)?.into())),
    (Packet::adaptive_max_pool2d, |c| Ok(with_places(&resized(c, 2)?))),
    (Packet::adaptive_max_pool3d, |c| Ok(with_places(&resized(c, 3)?))),
    (Packet::_adaptive_avg_pool3d, |c| Ok(resized(c, 3)?.into())),
    (Packet::max_pool2d, |c| Ok(pooled(c, 2)?.into())),
    (Packet::avg_pool2d, |c| Ok(pooled(c, 2)?.into())),
    (Packet::max_pool2d_with_indices_backward, input_gradient),
    (Packet::avg_pool2d_backward, input_gradient),
    (Packet::_adaptive_avg_pool2d_backward, input_gradient),
    (Packet::_adaptive_avg_pool2d, |c| Ok(resized(c, 2)?.into())),
    (Packet::adaptive_avg_pool2d, |c| Ok(resized(c, 2)?.into())),
    (Packet::_adaptive_avg_pool3d_backward, row_major_gradient),
    (Packet::adaptive_max_pool2d_backward, row_major_gradient),
    (Packet::adaptive_max_pool3d_backward, row_major_gradient),
    (Packet::avg_pool3d_backward, row_major_gradient),
    (Packet::max_pool3d_with_indices_backward, row_major_gradient),
    (Packet::reflection_pad1d_backward, row_major_gradient),
    (Packet::reflection_pad2d_backward, row_major_gradient),
    (Packet::reflection_pad3d_backward, row_major_gradient),
    (Packet::replication_pad1d_backward, row_major_gradient),
    (Packet::replication_pad2d_backward, row_major_gradient),
    (Packet::replication_pad3d_backward, row_major_gradient),
    (Packet::upsample_bicubic2d_backward, resized_row_major_gradient),
    (Packet::upsample_linear1d_backward, resized_row_major_gradient),
    (Packet::upsample_nearest1d_backward, resized_row_major_gradient),
    (Packet::upsample_nearest3d_backward, resized_row_major_gradient),
    (Packet::upsample_trilinear3d_backward, resized_row_major_gradient),
    (Packet::upsample_nearest2d_backward, resized_gradient),
    (Packet::upsample_bilinear2d_backward, resized_gradient),
];

/// A list with one value for each spatial dimension.
pub(super) fn spatial(c: &Call, name: &str, count: usize) -> Result<Vec<i64>> {
    let values = c.ints(name)?;
    Ok(if values.len() == 1 { vec![values[0]; count] } else { values })
}

fn convolution(c: &mut Call) -> Result {
    let (x, weight) = (c.tensor("input")?, c.tensor("weight")?);
    c.one_dtype(x, weight)?;
    let rank = x.sizes.len();
    if rank != weight.sizes.len() || rank < 3 {
        return Err(c.unsupported("an input without batch"));
    }
    // Operators of one direction alone have no flag.
    let transposed = if c.has("transposed") { c.bool("transposed")? } else { c.has("output_padding") };
    let groups = c.int("groups")?;
    let channels = if transposed { c.pool.mul_int(weight.sizes[1], groups) } else { weight.sizes[0] };
    let mut sizes = vec![x.sizes[0], channels];
    let list = |name| spatial(c, name, rank - 2);
    let (stride, padding, dilation) = (list("stride")?, list("padding")?, list("dilation")?);
    let extra = if transposed { list("output_padding")? } else { vec![0; rank - 2] };
    for d in 0..rank - 2 {
        let window = c.pool.add_int(weight.sizes[d + 2], -1);
        let window = c.pool.mul_int(window, dilation[d]);
        sizes.push(if transposed {
            let last = c.pool.add_int(x.sizes[d + 2], -1);
            let reach = c.pool.mul_int(last, stride[d]);
            let reach = c.pool.add(reach, window);
            c.pool.add_int(reach, 1 + extra[d] - 2 * padding[d])
        } else {
            let room = c.pool.sub(x.sizes[d + 2], window);
            let room = c.pool.add_int(room, 2 * padding[d] - 1);
            let step = c.pool.int(stride[d]);
            let count = c.pool.floor_div(room, step);
            c.pool.add_int(count, 1)
        });
    }
    let last = c.suggests_channels_last(x)? || c.suggests_channels_last(weight)?;
    Ok(c.in_format(x, x.dtype, sizes, last).into())
}

fn convolution_backward(c: &mut Call) -> Result {
    let (grad, x, weight) = (c.tensor("grad_output")?, c.tensor("input")?, c.tensor("weight")?);
    let last = c.suggests_channels_last(x)? || c.suggests_channels_last(weight)?;
    let mask = c.list("output_mask").unwrap_or(&[]);
    let wanted = |i: usize| mask.get(i) == Some(&Arg::Bool(true));
    let channels = *c.fits(grad.sizes.get(1))?;
    let dx = wanted(0).then(|| Meta::Tensor(c.in_format(x, x.dtype, x.sizes.clone(), last)));
    let dw = wanted(1).then(|| Meta::Tensor(c.in_format(weight, weight.dtype, weight.sizes.clone(), last)));
    let db = wanted(2).then(|| Meta::Tensor(c.contiguous(weight, weight.dtype, vec![channels])));
    Ok(Meta::Tuple(vec![dx, dw, db]))
}

/// The number of windows along one dimension. With `ceil_mode` a last one counts if it starts inside the input or
/// its left padding.
pub(super) fn windows(
    c: &mut Call,
    size: Expr,
    kernel: i64,
    stride: i64,
    padding: i64,
    dilation: i64,
    ceil: bool,
) -> Result<Expr> {
    let room = c.pool.add_int(size, 2 * padding - dilation * (kernel - 1) - 1);
    let step = c.pool.int(stride);
    let count = c.pool.floor_div(room, step);
    let count = c.pool.add_int(count, 1);
    if !ceil {
        return Ok(count);
    }
    let rest = c.pool.modulo(room, step);
    let (partial, reach, end) = (c.pool.ne(rest, Expr::ZERO), c.pool.mul(count, step), c.pool.add_int(size, padding));
    let starts_inside = c.pool.lt(reach, end);
    let more = c.pool.and(partial, starts_inside);
    let more = c.pool.decide(more).ok_or_else(|| c.undecided("whether a last window counts"))?;
    Ok(c.pool.add_int(count, i64::from(more)))
}

/// Planes or volumes of the sizes that are asked for, planes laid out as their input.
fn unpooled(c: &mut Call, dims: usize) -> Result {
    let (x, places, sizes) = (c.tensor("self")?, c.tensor("indices")?, c.exprs("output_size")?);
    let leading = c.fits(x.sizes.len().checked_sub(dims).filter(|leading| matches!(leading, 1 | 2)))?;
    if sizes.len() != dims || places.sizes.len() != x.sizes.len() {
        return c.fits(None);
    }
    for (&size, &place) in x.sizes.iter().zip(&places.sizes) {
        super::linear::shared(c, size, place)?;
    }
    if places.dtype != DType::I64 {
        return Err(c.rejected("places that are no integers"));
    }
    let sizes = [&x.sizes[..leading], &sizes].concat();
    Ok(if dims == 2 { c.in_format_of(x, sizes)? } else { c.contiguous(x, x.dtype, sizes) }.into())
}

/// The result of pooling over windows of this many dimensions.
fn pooled(c: &mut Call, dims: usize) -> Result<TensorMeta> {
    let x = c.tensor("self")?;
    let lead = c.fits(x.sizes.len().checked_sub(dims))?;
    let list = |c: &Call, name| spatial(c, name, dims);
    let (kernel, padding, ceil) = (list(c, "kernel_size")?, list(c, "padding")?, c.bool("ceil_mode")?);
    let stride = if c.ints("stride")?.is_empty() { kernel.clone() } else { list(c, "stride")? };
    let dilation = if c.has("dilation") { list(c, "dilation")? } else { vec![1; dims] };
    let mut sizes = x.sizes.clone();
    for d in 0..dims {
        let count = windows(c, x.sizes[lead + d], kernel[d], stride[d], padding[d], dilation[d], ceil)?;
        c.demand_at_most(Expr::ONE, count)?;
        sizes[lead + d] = count;
    }
    c.in_format_of(x, sizes)
}

/// The result of pooling this many dimensions to a given size.
fn resized(c: &mut Call, count: usize) -> Result<TensorMeta> {
    let (x, output) = (c.tensor("self")?, c.exprs("output_size")?);
    let lead = c.fits(x.sizes.len().checked_sub(count))?;
    let output = if output.len() == 1 { vec![output[0]; count] } else { output };
    c.in_format_of(x, [&x.sizes[..lead], &output].concat())
}

/// An image, and the places in another one that its elements come from.
fn with_places(image: &TensorMeta) -> Meta {
    let places = TensorMeta { dtype: DType::I64, requires_grad: false, ..image.clone() };
    tuple([image.clone(), places])
}

/// The gradient by an image that was resized, in the format of that by the result.
fn resized_gradient(c: &mut Call) -> Result {
    let (grad, sizes) = (c.tensor("grad_output")?, c.exprs("input_size")?);
    Ok(c.in_format_of(grad, sizes)?.into())
}

/// The gradient by a row-major image.
fn row_major_gradient(c: &mut Call) -> Result {
    let (x, grad) = (c.tensor("self")?, c.tensor("grad_output")?);
    are_row_major(c, &[x, grad])?;
    Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
}

/// The gradient by an image that was resized to a row-major one.
fn resized_row_major_gradient(c: &mut Call) -> Result {
    let (grad, sizes) = (c.tensor("grad_output")?, c.exprs("input_size")?);
    are_row_major(c, &[grad])?;
    Ok(c.contiguous(grad, grad.dtype, sizes).into())
}

/// Images that lie otherwise have gradients that do, which is not the same for all of these operators.
fn are_row_major(c: &mut Call, images: &[&TensorMeta]) -> Result<()> {
    for image in images {
        if strides::is_contiguous(&mut c.pool, image) != Some(true) || c.suggests_channels_last(image)? {
            return Err(c.unsupported("an image that is not row-major"));
        }
    }
    Ok(())
}

fn input_gradient(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(c.in_format_of(x, x.sizes.clone())?.into())
}
