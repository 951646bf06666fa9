//! What looks an image up at places that are computed: padding with what is inside, the nearest pixel, quarter turns.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::args::wrap_dim;
use super::index::gather_from;
use super::{Args, Builder, Rewrite, resample, unsupported};
use crate::tensor_ir::{GatherDim, Tensor};

/// The source at `place(dim)` along the dimensions where that is a place, else at the result's own position.
fn looked_up(
    b: &mut Builder,
    source: Tensor,
    sizes: &[Expr],
    mut place: impl FnMut(&mut Builder, usize) -> Rewrite<Option<Tensor>>,
) -> Rewrite {
    let dims = (0..b.rank(source)).map(|dim| {
        Ok(match place(b, dim)? {
            Some(index) => GatherDim::Index(b.expand(index, sizes)),
            None => GatherDim::Out(dim),
        })
    });
    let dims = dims.collect::<Rewrite<_>>()?;
    gather_from(b, source, dims, sizes)
}

/// Padding whose elements are those at `edge(position, last)`, where `position` counts from the source's first element
/// and `last` is the position of its last one.
fn padded(b: &mut Builder, a: &Args, edge: impl Fn(&mut Builder, Tensor, Tensor) -> Tensor) -> Rewrite {
    let source = a.tensor("self")?;
    let sizes = a.result()?.sizes.clone();
    let rank = sizes.len();
    let Some(padding) = a.opt_ints("padding")? else { return unsupported("no padding") };
    if padding.len() % 2 != 0 || padding.len() / 2 > rank || rank != b.rank(source) {
        return unsupported("padding of another form");
    }
    looked_up(b, source, &sizes, |b, dim| {
        // The last dimension's numbers come first.
        let at = 2 * (rank - 1 - dim);
        let (Some(&low), Some(&high)) = (padding.get(at), padding.get(at + 1)) else { return Ok(None) };
        if (low, high) == (0, 0) {
            return Ok(None);
        }
        let last = b.graph.pool.add_int(b.sizes(source)[dim], -1);
        let last = b.size(last, DType::I64);
        let position = b.iota(sizes[dim], dim, rank);
        let position = b.add_lit(position, -low as f64);
        Ok(Some(edge(b, position, last)))
    })
}

/// Mirrored at the first and the last element, which are not repeated.
pub(crate) fn reflected(b: &mut Builder, a: &Args) -> Rewrite {
    padded(b, a, |b, position, last| {
        let position = b.map(Pointwise::Abs, &[position]);
        let beyond = b.sub(last, position);
        let beyond = b.map(Pointwise::Abs, &[beyond]);
        b.sub(last, beyond)
    })
}

/// The first and the last element over and over.
pub(crate) fn replicated(b: &mut Builder, a: &Args) -> Rewrite {
    padded(b, a, |b, position, last| {
        let zero = b.lit(0.0, position);
        let position = b.maximum(position, zero);
        b.minimum(position, last)
    })
}

/// Each pixel that of the source under its corner, or under its `middle`.
pub(crate) fn nearest(b: &mut Builder, a: &Args, middle: bool) -> Rewrite {
    let source = resample::image(a)?;
    let sizes = a.result()?.sizes.clone();
    let factors = super::resample::factors(a, sizes.len().saturating_sub(2))?;
    looked_up(b, source, &sizes, |b, dim| {
        let Some(factor) = dim.checked_sub(2).map(|dim| factors[dim]) else { return Ok(None) };
        let [from, to] = super::resample::lengths(b, source, &sizes, dim)?;
        Ok((from != to || middle).then(|| under(b, [from, to], factor, [dim, sizes.len()], middle)))
    })
}

/// Where the library looks: in `float32`, whatever the image is.
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

/// Turned by `k` quarters in the plane of two dimensions.
pub(crate) fn turned(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let Some(dims) = a.opt_ints("dims")? else { return unsupported("no plane") };
    let &[one, other] = dims.as_slice() else { return unsupported("another plane") };
    let (one, other) = (wrap_dim(one, b.rank(x))?, wrap_dim(other, b.rank(x))?);
    let mut perm: Vec<usize> = (0..b.rank(x)).collect();
    perm.swap(one, other);
    let turned = match a.int("k")?.rem_euclid(4) {
        0 => x,
        2 => b.flip(x, &[one, other]),
        quarter => {
            let flipped = b.flip(x, &[if quarter == 1 { other } else { one }]);
            b.permute(flipped, &perm)
        }
    };
    Ok(turned)
}
