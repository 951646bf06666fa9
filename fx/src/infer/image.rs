//! Padding, resizing and rearranging images, and columns of windows.

use super::{
    Rule,
    call::{Call, Result},
    conv::{spatial, windows},
};
use crate::arg::Arg;
use crate::aten::Packet;
use symshapes::{DType, DeviceKind, Expr};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::reflection_pad1d, padded),
    (Packet::reflection_pad2d, padded),
    (Packet::reflection_pad3d, padded),
    (Packet::replication_pad1d, padded),
    (Packet::replication_pad2d, padded),
    (Packet::replication_pad3d, padded),
    (Packet::pixel_shuffle, |c| shuffled(c, "upscale_factor", true)),
    (Packet::pixel_unshuffle, |c| shuffled(c, "downscale_factor", false)),
    (Packet::native_channel_shuffle, channels_shuffled),
    (Packet::channel_shuffle, channels_shuffled),
    (Packet::upsample_nearest1d, upsampled),
    (Packet::upsample_nearest2d, upsampled),
    (Packet::upsample_nearest3d, upsampled),
    (Packet::_upsample_nearest_exact1d, upsampled),
    (Packet::_upsample_nearest_exact2d, upsampled),
    (Packet::_upsample_nearest_exact3d, upsampled),
    (Packet::upsample_linear1d, upsampled),
    (Packet::upsample_bilinear2d, upsampled),
    (Packet::upsample_trilinear3d, upsampled),
    (Packet::upsample_bicubic2d, upsampled),
    (Packet::max_unpool2d, unpooled),
    (Packet::im2col, columns),
    (Packet::col2im, folded),
    (Packet::grid_sampler_2d, sampled),
    (Packet::grid_sampler_3d, sampled),
    (Packet::_grid_sampler_2d_cpu_fallback, |c| {
        let (x, grid) = (c.tensor("input")?, c.tensor("grid")?);
        if x.dtype != DType::F32 || grid.dtype != DType::F32 || x.device.kind != DeviceKind::Cpu {
            return Err(c.unsupported("images of other numbers, or on a device"));
        }
        let ([batch, _, height, width], [images, .., last]) = (&x.sizes[..], &grid.sizes[..]) else {
            return c.fits(None);
        };
        c.fits((grid.sizes.len() == 4).then_some(()))?;
        c.demand_equal(*batch, *images)?;
        let two = c.pool.int(2);
        c.demand_equal(*last, two)?;
        [height, width].into_iter().try_for_each(|&side| c.demand_at_most(Expr::ONE, side))?;
        sampled(c)
    }),
];

/// The image with its last dimensions extended at both ends, by pairs from the last one on.
fn padded(c: &mut Call) -> Result {
    let (x, pad) = (c.tensor("self")?, c.exprs("padding")?);
    let mut sizes = x.sizes.clone();
    c.fits((pad.len() % 2 == 0 && pad.len() < 2 * sizes.len()).then_some(()))?;
    let packet = c.op().packet();
    let reflects = matches!(packet, Packet::reflection_pad1d | Packet::reflection_pad2d | Packet::reflection_pad3d);
    for (pair, size) in pad.chunks_exact(2).zip(sizes.iter_mut().rev()) {
        if reflects {
            // What is mirrored has to be there, less the element that it is mirrored at.
            let most = c.pool.add_int(*size, -1);
            pair.iter().try_for_each(|&by| c.demand_at_most(by, most))?;
        }
        *size = c.pool.add(*size, pair[0]);
        *size = c.pool.add(*size, pair[1]);
        c.demand_at_most(Expr::ONE, *size)?;
    }
    Ok(c.in_format_of(x, sizes)?.into())
}

/// Channels as pixels of finer images, or the other way round.
fn shuffled(c: &mut Call, factor: &str, finer: bool) -> Result {
    let (x, factor) = (c.tensor("self")?, c.int(factor)?);
    let from = c.fits(x.sizes.len().checked_sub(3))?;
    let mut sizes = x.sizes.clone();
    let (area, side) = (c.pool.int(factor.saturating_mul(factor)), c.pool.int(factor));
    for (d, size) in sizes[from..].iter_mut().enumerate() {
        let (by, grows) = if d == 0 { (area, !finer) } else { (side, finer) };
        *size = if grows {
            c.pool.mul(*size, by)
        } else {
            let rest = c.pool.modulo(*size, by);
            c.demand_equal(rest, Expr::ZERO)?;
            c.pool.floor_div(*size, by)
        };
    }
    Ok(c.in_format_of(x, sizes)?.into())
}

/// Channels in another order, which groups of them divide.
fn channels_shuffled(c: &mut Call) -> Result {
    let (x, groups) = (c.tensor("self")?, c.expr("groups")?);
    let (&channels, true) = (c.fits(x.sizes.get(1))?, x.sizes.len() > 2) else { return c.fits(None) };
    c.demand_at_most(Expr::ONE, groups)?;
    let rest = c.pool.modulo(channels, groups);
    c.demand_equal(rest, Expr::ZERO)?;
    Ok(c.in_format_of(x, x.sizes.clone())?.into())
}

/// Images of a given size, or of their own times factors; none may be empty.
fn upsampled(c: &mut Call) -> Result {
    let x = c.tensor(if c.has("self") { "self" } else { "input" })?;
    let inner = c.fits(x.sizes.get(2..))?;
    let output = match c.has("scale_factors") && c.given("scale_factors") {
        true => scaled(c, inner)?,
        false => c.exprs("output_size")?,
    };
    c.fits((inner.len() == output.len()).then_some(()))?;
    for &size in output.iter().chain(inner) {
        c.demand_at_most(Expr::ONE, size)?;
    }
    Ok(c.in_format_of(x, [&x.sizes[..2], &output].concat())?.into())
}

/// Sizes times the call's factors, rounded down (`compute_output_size` in `UpSample.cpp`).
fn scaled(c: &mut Call, sizes: &[Expr]) -> Result<Vec<Expr>> {
    let factors: Option<Vec<f64>> = c.list("scale_factors").map(|list| list.iter().filter_map(Arg::as_float).collect());
    let factors = c.fits(factors.filter(|factors| factors.len() == sizes.len()))?;
    if c.given("output_size") {
        return c.fits(None);
    }
    let size = |(&size, factor): (&Expr, f64)| match c.pool.as_int(size) {
        Some(size) => Ok(c.pool.int((size as f64 * factor) as i64)),
        None if factor.fract() == 0.0 => Ok(c.pool.mul_int(size, factor as i64)),
        None => Err(c.undecided("a size times a fraction")),
    };
    sizes.iter().zip(factors).map(size).collect()
}

/// Images of a given size, with the elements of smaller ones at given places.
fn unpooled(c: &mut Call) -> Result {
    let (x, output) = (c.tensor("self")?, c.exprs("output_size")?);
    let from = c.fits(x.sizes.len().checked_sub(output.len()))?;
    Ok(c.in_format_of(x, [&x.sizes[..from], &output].concat())?.into())
}

/// Columns of the windows of images: for each image the channels' windows, by positions.
fn columns(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let [batch @ .., channels, height, width] = &x.sizes[..] else { return c.fits(None) };
    c.fits((batch.len() <= 1).then_some(()))?;
    let (area, positions) = sliding(c, [*height, *width])?;
    let window = c.pool.mul_int(*channels, area);
    Ok(c.contiguous(x, x.dtype, [batch, &[window, positions]].concat()).into())
}

/// The images that overlapping columns add up to.
fn folded(c: &mut Call) -> Result {
    let (x, image) = (c.tensor("self")?, c.exprs("output_size")?);
    let image = if let [side] = image[..] { vec![side; 2] } else { image };
    let (&[height, width], [batch @ .., channels, columns]) = (&image[..], &x.sizes[..]) else { return c.fits(None) };
    c.fits((batch.len() <= 1).then_some(()))?;
    let (area, positions) = sliding(c, [height, width])?;
    c.demand_equal(*columns, positions)?;
    let rest = c.pool.modulo_int(*channels, area);
    c.demand_equal(rest, Expr::ZERO)?;
    let channels = c.pool.floor_div_int(*channels, area);
    Ok(c.contiguous(x, x.dtype, [batch, &[channels, height, width]].concat()).into())
}

/// The area of a window, and in how many places of an image of this height and width it stands.
fn sliding(c: &mut Call, image: [Expr; 2]) -> Result<(i64, Expr)> {
    let [kernel, stride, padding, dilation] =
        ["kernel_size", "stride", "padding", "dilation"].map(|name| spatial(c, name, 2));
    let (kernel, stride, padding, dilation) = (kernel?, stride?, padding?, dilation?);
    let positive = [&kernel, &stride, &dilation].iter().all(|sides| sides.len() == 2 && sides.iter().all(|&n| n > 0));
    c.fits((positive && padding.len() == 2 && padding.iter().all(|&n| n >= 0)).then_some(()))?;
    let mut positions = Expr::ONE;
    for (d, side) in image.into_iter().enumerate() {
        let count = windows(c, side, kernel[d], stride[d], padding[d], dilation[d], false)?;
        c.demand_at_most(Expr::ONE, count)?;
        positions = c.pool.mul(positions, count);
    }
    Ok((kernel[0].saturating_mul(kernel[1]), positions))
}

/// Pixels at the places that a grid holds.
fn sampled(c: &mut Call) -> Result {
    let (x, grid) = (c.tensor("input")?, c.tensor("grid")?);
    let [batch, channels, ..] = x.sizes[..] else { return c.fits(None) };
    let inner = c.fits(grid.sizes.get(1..x.sizes.len() - 1))?;
    let sizes = [&[batch, channels], inner].concat();
    Ok(c.contiguous(x, x.dtype, sizes).into())
}
