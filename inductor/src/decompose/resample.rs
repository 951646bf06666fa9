//! Images in another size, each pixel a weighted sum of those around the place where it comes from.

use fx::prim::Pointwise;
use smallvec::SmallVec;
use symshapes::{DType, Expr};

use super::formula::{Formula, Term};
use super::index::{gather_from, looked_up};
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, GatherDim, Tensor};

/// The interpolation kernels, by the neighbours that they weight.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// The two nearest along each dimension.
    Linear,
    /// The four nearest.
    Cubic,
}

/// The indices that pixels come from along one dimension, and their weights.
type Tap = (Tensor, Tensor);

pub(crate) fn resample(b: &mut Builder, a: &Args, kernel: Kernel) -> Rewrite {
    let source = image(a)?;
    let dtype = a.compute()?;
    let sizes = a.result()?.sizes.clone();
    let rank = sizes.len();
    if !dtype.is_float() || b.rank(source) != rank || rank < 3 {
        return unsupported("an image of integers");
    }
    let corners = a.bool("align_corners")?;
    let factors = factors(a, rank - 2)?;
    let mut taps = Vec::new();
    for (&factor, dim) in factors.iter().zip(2..) {
        let [from, to] = lengths(b, source, &sizes, dim)?;
        let at = place(b, [from, to], factor, corners, kernel, [dim, rank], dtype);
        taps.push(match kernel {
            Kernel::Linear => linear(b, at, from),
            Kernel::Cubic => cubic(b, at, from),
        });
    }
    weighted(b, source, dtype, &sizes, &taps, &mut SmallVec::new())
}

/// Each pixel that of the source under its corner, or under its `middle`.
pub(crate) fn nearest(b: &mut Builder, a: &Args, middle: bool) -> Rewrite {
    let source = image(a)?;
    let sizes = a.result()?.sizes.clone();
    let factors = factors(a, sizes.len().saturating_sub(2))?;
    looked_up(b, source, &sizes, |b, dim| {
        let Some(factor) = dim.checked_sub(2).map(|dim| factors[dim]) else { return Ok(None) };
        let [from, to] = lengths(b, source, &sizes, dim)?;
        Ok((from != to || middle).then(|| under(b, [from, to], factor, [dim, sizes.len()], middle)))
    })
}

/// The indices of the pixels that the library reads: it computes them in `float32`, whatever the image is.
fn under(b: &mut Builder, [from, to]: [i64; 2], factor: Option<f64>, [dim, rank]: [usize; 2], middle: bool) -> Tensor {
    let len = b.int(to);
    let position = b.iota(len, dim, rank);
    if to == 2 * from && !middle {
        let one = b.lit(1.0, position);
        return b.map(Pointwise::Shr, &[position, one]);
    }
    let ratio = match factor {
        Some(factor) if factor > 0.0 => (1.0 / factor) as f32,
        _ => from as f32 / to as f32,
    };
    let position = b.convert(position, DType::F32);
    let position = if middle { b.add_lit(position, 0.5) } else { position };
    let place = b.mul_lit(position, ratio.into());
    let place = b.map(Pointwise::Floor, &[place]);
    let place = b.convert(place, DType::I64);
    let last = b.lit((from - 1) as f64, place);
    b.minimum(place, last)
}

/// The lengths of a dimension before and after resizing. The library refuses images without pixels.
pub(super) fn lengths(b: &Builder, source: Tensor, sizes: &[Expr], dim: usize) -> Rewrite<[i64; 2]> {
    let known = |e: Expr| b.graph.pool.as_int(e).filter(|&length| length > 0);
    match (known(b.sizes(source)[dim]), known(sizes[dim])) {
        (Some(from), Some(to)) => Ok([from, to]),
        _ => unsupported("sizes that are not known, or no pixels"),
    }
}

/// The image that is resized.
pub(super) fn image(a: &Args) -> Rewrite {
    a.tensor(if a.has("input") { "input" } else { "self" })
}

/// The factors of a dimension each, where they are given.
pub(super) fn factors(a: &Args, dims: usize) -> Rewrite<Vec<Option<f64>>> {
    let single = [&["scales"][..], &["scales_h", "scales_w"], &["scales_d", "scales_h", "scales_w"]];
    let names = single[dims.clamp(1, 3) - 1];
    if names.iter().all(|name| a.has(name)) {
        return names.iter().map(|name| a.opt_float(name)).collect();
    }
    let factors: Vec<Option<f64>> = match a.items("scale_factors") {
        Ok(items) => items.iter().map(fx::Arg::as_float).collect(),
        Err(_) => vec![None; dims],
    };
    if factors.len() == dims { Ok(factors) } else { unsupported("factors of another number") }
}

/// The place in the source, in the dtype of the computation, as the library rounds it.
fn place(
    b: &mut Builder,
    [from, to]: [i64; 2],
    factor: Option<f64>,
    corners: bool,
    kernel: Kernel,
    [dim, rank]: [usize; 2],
    dtype: DType,
) -> Tensor {
    let rounded = |ratio: f64| if dtype == DType::F64 { ratio } else { f64::from(ratio as f32) };
    let len = b.int(to);
    let position = b.iota(len, dim, rank);
    let position = b.convert(position, dtype);
    if corners {
        let ratio = if to > 1 { (from - 1) as f64 / (to - 1) as f64 } else { 0.0 };
        return b.mul_lit(position, rounded(ratio));
    }
    let ratio = match factor {
        Some(factor) if factor > 0.0 => 1.0 / factor,
        _ => from as f64 / to as f64,
    };
    let f = Formula::new(b);
    let place = (f.term(position) + 0.5) * rounded(ratio) - 0.5;
    if kernel == Kernel::Cubic { place } else { place.max(0.0) }.tensor
}

/// A position, kept inside.
fn inside(b: &mut Builder, position: Tensor, from: i64) -> Tensor {
    let (zero, last) = (b.lit(0.0, position), b.lit((from - 1) as f64, position));
    let position = b.maximum(position, zero);
    b.minimum(position, last)
}

fn linear(b: &mut Builder, at: Tensor, from: i64) -> Vec<Tap> {
    let floor = b.map(Pointwise::Floor, &[at]);
    let low = b.convert(floor, DType::I64);
    let low = inside(b, low, from);
    let high = b.add_lit(low, 1.0);
    let high = inside(b, high, from);
    let floor = b.convert(low, b.dtype(at));
    let f = Formula::new(b);
    let part = (f.term(at) - f.term(floor)).max(0.0).min(1.0);
    let (near, far) = ((1.0 - part).tensor, part.tensor);
    vec![(low, near), (high, far)]
}

/// The cubic convolution of Keys, as sharp as the library has it.
const SHARPNESS: f64 = -0.75;

fn cubic(b: &mut Builder, at: Tensor, from: i64) -> Vec<Tap> {
    fn near<'f, 'b>(x: Term<'f, 'b>) -> Term<'f, 'b> {
        (x * (SHARPNESS + 2.0) - (SHARPNESS + 3.0)) * x * x + 1.0
    }
    fn far<'f, 'b>(x: Term<'f, 'b>) -> Term<'f, 'b> {
        ((x * SHARPNESS - 5.0 * SHARPNESS) * x + 8.0 * SHARPNESS) * x - 4.0 * SHARPNESS
    }
    let floor = b.map(Pointwise::Floor, &[at]);
    let weights = {
        let f = Formula::new(b);
        let part = (f.term(at) - f.term(floor)).max(0.0).min(1.0);
        let rest = 1.0 - part;
        [far(part + 1.0), near(part), near(rest), far(rest + 1.0)].map(|weight| weight.tensor)
    };
    let first = b.convert(floor, DType::I64);
    let tap = |(offset, weight): (i32, Tensor)| {
        let position = b.add_lit(first, f64::from(offset));
        (inside(b, position, from), weight)
    };
    (-1..).zip(weights).map(tap).collect()
}

/// The weighted sum over the taps of the dimensions that are left, at the places of the others.
fn weighted(
    b: &mut Builder,
    source: Tensor,
    dtype: DType,
    sizes: &[Expr],
    taps: &[Vec<Tap>],
    places: &mut SmallVec<[Tensor; 3]>,
) -> Rewrite {
    let Some((along, rest)) = taps.split_first() else {
        let whole = Dims::from_slice(sizes);
        let indices: Vec<Tensor> = places.iter().map(|&place| b.expand(place, &whole)).collect();
        let dims = [GatherDim::Out(0), GatherDim::Out(1)].into_iter();
        let pixel = gather_from(b, source, dims.chain(indices.into_iter().map(GatherDim::Index)).collect(), sizes)?;
        return Ok(b.convert(pixel, dtype));
    };
    let mut sum = None;
    for &(place, weight) in along {
        places.push(place);
        let part = weighted(b, source, dtype, sizes, rest, places)?;
        places.pop();
        let part = b.mul(part, weight);
        sum = Some(sum.map_or(part, |sum| b.add(sum, part)));
    }
    sum.map_or_else(|| unsupported("no neighbours"), Ok)
}
