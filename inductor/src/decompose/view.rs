//! Views, copies and what puts tensors together.

use fx::prim::Pointwise;
use symshapes::{DType, Expr, Pool};

use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, Op, Tensor};

/// Whatever only changes sizes: the graph has traced the new ones.
pub(crate) fn reshape(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let sizes = a.result()?.sizes.clone();
    Ok(b.reshape(x, &sizes))
}

pub(crate) fn t(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    Ok(if b.rank(x) == 2 { b.permute(x, &[1, 0]) } else { x })
}

pub(crate) fn transpose(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let rank = b.rank(x);
    let (i, j) = (a.dim("dim0", rank)?, a.dim("dim1", rank)?);
    let mut perm: Vec<usize> = (0..rank).collect();
    if rank > 0 {
        perm.swap(i, j);
    }
    Ok(b.permute(x, &perm))
}

pub(crate) fn permute(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let perm = a.dims("dims", b.rank(x), false)?;
    Ok(b.permute(x, &perm))
}

pub(crate) fn expand(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let sizes = a.result()?.sizes.clone();
    Ok(b.expand(x, &sizes))
}

pub(crate) fn select(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let dim = a.dim("dim", b.rank(x))?;
    let len = b.sizes(x)[dim];
    let pool = &mut b.graph.pool;
    let index = a.size(pool, "index")?;
    let index = from_start(pool, index, len)?;
    let one = b.slice(x, dim, index, 1, Expr::ONE);
    let sizes = a.result()?.sizes.clone();
    Ok(b.reshape(one, &sizes))
}

/// A position that counts from the end where it is negative.
pub(super) fn from_start(pool: &mut Pool, position: Expr, len: Expr) -> Rewrite<Expr> {
    let range = pool.range(position);
    match (range.lo >= 0, range.hi < 0) {
        (true, _) => Ok(position),
        (_, true) => Ok(pool.add(position, len)),
        _ => unsupported("a position of unknown sign"),
    }
}

/// A bound of a slice, clamped into `0..=len` as Python does.
pub(super) fn slice_bound(pool: &mut Pool, bound: Expr, len: Expr) -> Rewrite<Expr> {
    let bound = from_start(pool, bound, len)?;
    let bound = pool.max(bound, Expr::ZERO);
    Ok(pool.min(bound, len))
}

pub(crate) fn slice(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let dim = a.dim("dim", b.rank(x))?;
    let own = b.sizes(x)[dim];
    let pool = &mut b.graph.pool;
    let start = a.opt_size(pool, "start")?.unwrap_or(Expr::ZERO);
    let start = slice_bound(pool, start, own)?;
    let len = a.result()?.sizes[dim];
    let step = if a.has("step") { a.int("step")? } else { 1 };
    Ok(b.slice(x, dim, start, step, len))
}

/// Pieces along a dimension; the graph has traced their sizes.
pub(crate) fn split(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.tensor("self")?;
    let dim = a.dim("dim", b.rank(x))?;
    let mut start = Expr::ZERO;
    let mut pieces = Vec::new();
    for promise in a.results {
        let Some(promise) = promise else { return unsupported("a piece of unknown size") };
        let len = promise.sizes[dim];
        pieces.push(Some(b.slice(x, dim, start, 1, len)));
        start = b.graph.pool.add(start, len);
    }
    Ok(pieces)
}

pub(crate) fn unbind(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.tensor("self")?;
    let dim = a.dim("dim", b.rank(x))?;
    let mut sizes = Dims::from_slice(b.sizes(x));
    sizes.remove(dim);
    let Some(count) = b.graph.pool.as_int(b.sizes(x)[dim]) else { return unsupported("pieces of unknown number") };
    let pieces = (0..count).map(|i| {
        let at = b.int(i);
        let piece = b.slice(x, dim, at, 1, Expr::ONE);
        Some(b.reshape(piece, &sizes))
    });
    Ok(pieces.collect())
}

pub(crate) fn flip(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let dims = a.dims("dims", b.rank(x), false)?;
    Ok(b.flip(x, &dims))
}

/// A copy in functional terms is the value itself; where it must lie otherwise, the stores see to it.
pub(crate) fn copy(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let converted = b.convert(x, a.result()?.dtype);
    if converted != x {
        return Ok(converted);
    }
    // A tensor of its own, so that the copy's strides do not become its source's.
    let sizes = Dims::from_slice(b.sizes(x));
    let dtype = b.dtype(x);
    Ok(b.push(Op::Convert(x), dtype, &sizes))
}

/// The tensor itself if it lies as is asked for, else a copy that does.
pub(crate) fn contiguous(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let strides = &a.result()?.strides;
    let lies_so = b.graph.tensors[x].strides.as_ref().is_some_and(|own| own == strides);
    if lies_so { Ok(x) } else { copy(b, a) }
}

fn present(parts: Vec<Option<Tensor>>) -> Rewrite<Vec<Tensor>> {
    parts.into_iter().collect::<Option<_>>().map_or_else(|| unsupported("an absent tensor"), Ok)
}

pub(crate) fn cat(b: &mut Builder, a: &Args) -> Rewrite {
    let parts = present(a.tensors("tensors")?)?;
    let promise = a.result()?.clone();
    let dim = a.dim("dim", promise.sizes.len())?;
    // Empty vectors may stand among tensors of any rank.
    let parts: Vec<Tensor> = parts.into_iter().filter(|&t| !b.sizes(t).contains(&Expr::ZERO)).collect();
    join(b, parts, dim, promise.dtype, &promise.sizes)
}

fn join(b: &mut Builder, parts: Vec<Tensor>, dim: usize, dtype: DType, sizes: &[Expr]) -> Rewrite {
    let parts: Vec<Tensor> = parts.into_iter().map(|t| b.convert(t, dtype)).collect();
    Ok(match parts.as_slice() {
        [] => b.full(0.0, dtype, sizes),
        _ => b.push(Op::Cat(parts, dim), dtype, sizes),
    })
}

pub(crate) fn stack(b: &mut Builder, a: &Args) -> Rewrite {
    let parts = present(a.tensors("tensors")?)?;
    let promise = a.result()?.clone();
    let dim = a.dim("dim", promise.sizes.len())?;
    let parts = parts.into_iter().map(|t| b.unsqueeze(t, dim)).collect();
    join(b, parts, dim, promise.dtype, &promise.sizes)
}

/// Padding from the last dimension on; negative amounts cut.
pub(crate) fn constant_pad(b: &mut Builder, a: &Args) -> Rewrite {
    let mut x = a.tensor("self")?;
    let pad = a.sizes(&mut b.graph.pool, "pad")?;
    let value = a.float("value")?;
    for (k, amounts) in pad.chunks_exact(2).enumerate() {
        let Some(dim) = b.rank(x).checked_sub(1 + k) else { return unsupported("more amounts than dimensions") };
        let (low, high) = (amounts[0], amounts[1]);
        let own = b.sizes(x)[dim];
        let pool = &mut b.graph.pool;
        let [Some(low), Some(high)] = [low, high].map(|n| signed(pool, n)) else {
            return unsupported("an amount of unknown sign");
        };
        let cut = pool.add(low.cut, high.cut);
        let kept = pool.sub(own, cut);
        let grown = pool.add(low.add, high.add);
        let len = pool.add(kept, grown);
        x = b.slice(x, dim, low.cut, 1, kept);
        if grown != Expr::ZERO {
            x = b.pad(x, dim, low.add, len, value);
        }
    }
    Ok(x)
}

/// What one side of a dimension loses or gets; one of them is 0.
struct Amount {
    cut: Expr,
    add: Expr,
}

fn signed(pool: &mut Pool, n: Expr) -> Option<Amount> {
    let range = pool.range(n);
    match (range.lo >= 0, range.hi <= 0) {
        (true, _) => Some(Amount { cut: Expr::ZERO, add: n }),
        (_, true) => Some(Amount { cut: pool.neg(n), add: Expr::ZERO }),
        _ => None,
    }
}

/// Repetition: each dimension gets a leading one that is broadcast, then both merge.
pub(crate) fn repeat(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let sizes = a.result()?.sizes.clone();
    if sizes.contains(&Expr::ZERO) {
        return unsupported("repetition of nothing");
    }
    let offset = sizes.len() - b.rank(x);
    let (mut split, mut wide) = (Dims::new(), Dims::new());
    for (k, &n) in sizes.iter().enumerate() {
        let own = if k < offset { Expr::ONE } else { b.sizes(x)[k - offset] };
        let Some(times) = b.graph.pool.exact_div(n, own) else { return unsupported("a size that is no multiple") };
        split.extend([Expr::ONE, own]);
        wide.extend([times, own]);
    }
    let x = b.reshape(x, &split);
    let x = b.expand(x, &wide);
    Ok(b.reshape(x, &sizes))
}

/// The lower (`column - row <= diagonal`) or upper (`>=`) triangle; 0 elsewhere.
pub(crate) fn triangle(b: &mut Builder, a: &Args, keep: Pointwise) -> Rewrite {
    let x = a.tensor("self")?;
    let rank = b.rank(x);
    let [.., rows, cols] = *b.sizes(x) else { return unsupported("a tensor of fewer than two dimensions") };
    let row = b.iota(rows, rank - 2, rank);
    let col = b.iota(cols, rank - 1, rank);
    let distance = b.sub(col, row);
    let diagonal = a.size(&mut b.graph.pool, "diagonal")?;
    let diagonal = b.size(diagonal, DType::I64);
    let inside = b.map(keep, &[distance, diagonal]);
    let zero = b.lit(0.0, x);
    Ok(b.select(inside, x, zero))
}

/// The pad that undoes a selection: used by backward rules.
pub(super) fn unselect(b: &mut Builder, grad: Tensor, dim: usize, index: Expr, len: Expr) -> Tensor {
    let grad = b.unsqueeze(grad, dim);
    b.pad(grad, dim, index, len, 0.0)
}
