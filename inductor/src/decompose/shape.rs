//! Rearrangements that are more than one view: their elements are those of the operand, elsewhere or several times.

use symshapes::{DType, Expr};

use super::args::wrap_dim;
use super::index::{as_index, gather_from};
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, GatherDim, Op, Tensor};

/// A size that is known.
fn known(b: &Builder, e: Expr) -> Rewrite<i64> {
    b.graph.pool.as_int(e).map_or_else(|| unsupported("a size that is not known"), Ok)
}

/// Each element `shifts` further along the dimensions, those that leave at the front again.
pub(crate) fn roll(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let shifts = a.opt_ints("shifts")?.unwrap_or_default();
    let dims = a.opt_ints("dims")?.unwrap_or_default();
    if b.may_be_empty(x) {
        return unsupported("rolling nothing");
    }
    if dims.is_empty() {
        let [shift] = shifts[..] else { return unsupported("shifts without dimensions") };
        let (sizes, count) = (Dims::from_slice(b.sizes(x)), b.numel(x));
        let flat = b.reshape(x, &[count]);
        let flat = rolled(b, flat, &[(0, shift)])?;
        return Ok(b.reshape(flat, &sizes));
    }
    let mut moves: Vec<(usize, i64)> = Vec::new();
    for (&dim, &shift) in dims.iter().zip(&shifts) {
        let dim = wrap_dim(dim, b.rank(x))?;
        match moves.iter_mut().find(|(own, _)| *own == dim) {
            Some((_, sum)) => *sum = sum.wrapping_add(shift),
            None => moves.push((dim, shift)),
        }
    }
    rolled(b, x, &moves)
}

/// The parts that change places along the first dimension, each rolled along the others, so that each element moves
/// once.
fn rolled(b: &mut Builder, x: Tensor, moves: &[(usize, i64)]) -> Rewrite {
    let Some((&(dim, shift), others)) = moves.split_first() else { return Ok(x) };
    let len = known(b, b.sizes(x)[dim])?;
    let shift = shift.rem_euclid(len);
    if shift == 0 {
        return rolled(b, x, others);
    }
    let [start, left, moved] = [len - shift, len - shift, shift].map(|n| b.int(n));
    let tail = b.slice(x, dim, start, 1, moved);
    let head = b.slice(x, dim, Expr::ZERO, 1, left);
    let parts = vec![rolled(b, tail, others)?, rolled(b, head, others)?];
    let (sizes, dtype) = (Dims::from_slice(b.sizes(x)), b.dtype(x));
    Ok(b.push(Op::Cat(parts, dim), dtype, &sizes))
}

/// Turned by `k` quarters in the plane of two dimensions.
pub(crate) fn rot90(b: &mut Builder, a: &Args) -> Rewrite {
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

/// The two dimensions of a diagonal and its offset.
fn diagonal_of(a: &Args, rank: usize) -> Rewrite<(usize, usize, i64)> {
    let (one, other) = (a.dim("dim1", rank)?, a.dim("dim2", rank)?);
    if one == other {
        return unsupported("a diagonal of one dimension");
    }
    Ok((one, other, a.int("offset")?))
}

/// The elements at `(i, i + offset)` of two dimensions, as the last one.
pub(crate) fn diagonal(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let (one, other, offset) = diagonal_of(a, b.rank(x))?;
    let sizes = a.result()?.sizes.clone();
    if sizes.contains(&Expr::ZERO) {
        return Ok(b.full(0.0, a.result()?.dtype, &sizes));
    }
    let starts = [(-offset).max(0), offset.max(0)];
    Ok(b.diagonal(x, [one, other], starts, sizes[sizes.len() - 1]))
}

/// A matrix for each row: the row on its diagonal, 0 elsewhere.
pub(crate) fn diag_embed(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let sizes = a.result()?.sizes.clone();
    let (one, other, offset) = diagonal_of(a, sizes.len())?;
    spread_diagonal(b, x, &sizes, [one, other], offset)
}

/// The gradient of [`diagonal`].
pub(crate) fn diagonal_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let grad = a.tensor("grad_output")?;
    let sizes = a.result()?.sizes.clone();
    let (one, other, offset) = diagonal_of(a, sizes.len())?;
    spread_diagonal(b, grad, &sizes, [one, other], offset)
}

fn spread_diagonal(b: &mut Builder, x: Tensor, sizes: &[Expr], [one, other]: [usize; 2], offset: i64) -> Rewrite {
    if sizes.contains(&Expr::ZERO) || b.may_be_empty(x) {
        return Ok(b.full(0.0, b.dtype(x), sizes));
    }
    // Along the shorter way down the row is padded, so that it fits whichever dimension it is seen along.
    let rank = sizes.len();
    let own = b.rank(x);
    let (down, right) = ((-offset).max(0), offset.max(0));
    let low = b.int(down);
    let row = b.pad(x, own - 1, low, sizes[one], 0.0);
    // The row's dimensions in the result: its last one is `one`, the others keep their order.
    let mut perm: Vec<usize> = (0..rank).filter(|d| *d != one && *d != other).collect();
    perm.push(one);
    let mut shape: Dims = sizes.iter().map(|_| Expr::ONE).collect();
    perm.iter().for_each(|&d| shape[d] = sizes[d]);
    let mut order: Vec<usize> = (0..own).collect();
    order.sort_by_key(|&k| perm[k]);
    let row = b.permute(row, &order);
    let row = b.reshape(row, &shape);
    let row = b.expand(row, sizes);
    let (i, j) = (b.iota(sizes[one], one, rank), b.iota(sizes[other], other, rank));
    let i = b.add_lit(i, (right - down) as f64);
    let on = b.eq(i, j);
    let on = b.expand(on, sizes);
    let zero = b.lit(0.0, row);
    Ok(b.select(on, row, zero))
}

/// Windows along a dimension, their elements as the last one.
pub(crate) fn unfold(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let sizes = a.result()?.sizes.clone();
    if b.rank(x) == 0 || sizes.contains(&Expr::ZERO) {
        return unsupported("windows of a scalar or of nothing");
    }
    let dim = a.dim("dimension", b.rank(x))?;
    Ok(b.windows(x, dim, a.int("step")?, &sizes))
}

/// Channels become blocks of pixels.
pub(crate) fn pixel_shuffle(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let factor = a.int("upscale_factor")?;
    let sizes = a.result()?.sizes.clone();
    let n = sizes.len();
    let by = b.int(factor);
    let own = Dims::from_slice(b.sizes(x));
    let mut split = Dims::from_slice(&sizes[..n - 2]);
    split.extend([by, by, own[n - 2], own[n - 1]]);
    let x = b.reshape(x, &split);
    let lead = n - 2;
    let mut perm: Vec<usize> = (0..lead).collect();
    perm.extend([lead + 2, lead, lead + 3, lead + 1]);
    let x = b.permute(x, &perm);
    Ok(b.reshape(x, &sizes))
}

/// Blocks of pixels become channels.
pub(crate) fn pixel_unshuffle(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let factor = a.int("downscale_factor")?;
    let sizes = a.result()?.sizes.clone();
    let n = sizes.len();
    let by = b.int(factor);
    let own = Dims::from_slice(b.sizes(x));
    let mut split = Dims::from_slice(&own[..n - 2]);
    split.extend([sizes[n - 2], by, sizes[n - 1], by]);
    let x = b.reshape(x, &split);
    let lead = n - 2;
    let mut perm: Vec<usize> = (0..lead).collect();
    perm.extend([lead + 1, lead + 3, lead, lead + 2]);
    let x = b.permute(x, &perm);
    Ok(b.reshape(x, &sizes))
}

/// Groups of channels take turns.
pub(crate) fn channel_shuffle(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let sizes = Dims::from_slice(b.sizes(x));
    let groups = a.size(&mut b.graph.pool, "groups")?;
    let Some(each) = b.graph.pool.exact_div(sizes[1], groups) else {
        return unsupported("channels that no number of groups divides");
    };
    let mut split = Dims::from_slice(&sizes[..1]);
    split.extend([groups, each]);
    split.extend_from_slice(&sizes[2..]);
    let x = b.reshape(x, &split);
    let mut perm: Vec<usize> = (0..split.len()).collect();
    perm.swap(1, 2);
    let x = b.permute(x, &perm);
    Ok(b.reshape(x, &sizes))
}

/// Elements at places counted in row-major order.
pub(crate) fn take(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let index = a.tensor("index")?;
    if b.dtype(index) != DType::I64 {
        return unsupported("places other than int64");
    }
    let index = as_index(b, index)?;
    let sizes = a.result()?.sizes.clone();
    let count = b.numel(x);
    let flat = b.reshape(x, &[count]);
    gather_from(b, flat, [GatherDim::Index(index)].into_iter().collect(), &sizes)
}

/// The elements of `src`, in the sizes and dtype of another tensor.
pub(crate) fn copy(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    let source = b.convert(a.tensor("src")?, promise.dtype);
    Ok(b.expand(source, &promise.sizes))
}
