//! Slices: taken, put in place, and their derivatives.

use symshapes::{DType, Expr, Pool};

use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, Op, Tensor};

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

pub(crate) fn select_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let grad = a.operand(b, "grad_output")?;
    let sizes = a.result()?.sizes.clone();
    let dim = a.dim("dim", sizes.len())?;
    let pool = &mut b.graph.pool;
    let index = a.size(pool, "index")?;
    let index = from_start(pool, index, sizes[dim])?;
    Ok(unselect(b, grad, dim, index, sizes[dim]))
}

/// The pad that undoes a selection.
fn unselect(b: &mut Builder, grad: Tensor, dim: usize, index: Expr, len: Expr) -> Tensor {
    let grad = b.unsqueeze(grad, dim);
    b.pad(grad, dim, index, len, 0.0)
}

/// A tensor with another in place of one of its slices.
pub(crate) fn select_scatter(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, dtype) = (a.tensor("self")?, a.result()?.dtype);
    let source = b.convert(a.tensor("src")?, dtype);
    let (rank, dim) = (b.rank(x), a.dim("dim", b.rank(x))?);
    let len = b.sizes(x)[dim];
    let index = a.size(&mut b.graph.pool, "index")?;
    let index = from_start(&mut b.graph.pool, index, len)?;
    let position = b.iota(len, dim, rank);
    let index = b.size(index, DType::I64);
    let is_there = b.eq(position, index);
    let source = b.unsqueeze(source, dim);
    Ok(b.select(is_there, source, x))
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

pub(crate) fn slice_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let grad = a.operand(b, "grad_output")?;
    let sizes = a.result()?.sizes.clone();
    let dim = a.dim("dim", sizes.len())?;
    let step = a.int("step")?;
    let pool = &mut b.graph.pool;
    let start = a.size(pool, "start")?;
    let start = slice_bound(pool, start, sizes[dim])?;
    if step == 1 {
        return Ok(b.pad(grad, dim, start, sizes[dim], 0.0));
    }
    let unsupported = || unsupported("a slice with a step, from or up to where is not known");
    let (Some(from), 1..) = (pool.as_int(start), step) else { return unsupported() };
    // Stretches of `step` elements, of which one is given.
    let (length, first) = (pool.mul_int(b.graph.tensors[grad].sizes[dim], step), pool.int(from - from % step));
    let room = pool.sub(sizes[dim], first);
    let over = pool.sub(length, room);
    let Some(over) = pool.as_int(over) else { return unsupported() };
    let grad = b.unsqueeze(grad, dim + 1);
    let mut stretch = Dims::from_slice(b.sizes(grad));
    let mut parts = Vec::new();
    for (zeros, given) in [(from % step, Some(grad)), (step - 1 - from % step, None)] {
        if zeros > 0 {
            stretch[dim + 1] = b.int(zeros);
            parts.push(b.full(0.0, b.dtype(grad), &stretch));
        }
        parts.extend(given);
    }
    stretch[dim + 1] = b.int(step);
    let mut whole = b.push(Op::Cat(parts, dim + 1), b.dtype(grad), &stretch);
    stretch.remove(dim + 1);
    stretch[dim] = length;
    whole = b.reshape(whole, &stretch);
    if over > 0 {
        whole = b.slice(whole, dim, Expr::ZERO, 1, room);
    }
    Ok(b.pad(whole, dim, first, sizes[dim], 0.0))
}

/// A tensor with another in place of a range of it.
pub(crate) fn slice_scatter(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, dtype) = (a.tensor("self")?, a.result()?.dtype);
    let source = b.convert(a.tensor("src")?, dtype);
    if a.int("step")? != 1 {
        return super::library(fx::aten::rules::Extern::Scatter);
    }
    let (rank, dim) = (b.rank(x), a.dim("dim", b.rank(x))?);
    let (len, own) = (b.sizes(x)[dim], b.sizes(source)[dim]);
    let mut wanted = Dims::from_slice(b.sizes(x));
    wanted[dim] = own;
    let source = b.expand(source, &wanted);
    let start = a.opt_size(&mut b.graph.pool, "start")?.unwrap_or(Expr::ZERO);
    let start = slice_bound(&mut b.graph.pool, start, len)?;
    let end = b.graph.pool.add(start, own);
    let padded = b.pad(source, dim, start, len, 0.0);
    let position = b.iota(len, dim, rank);
    let (low, high) = (b.size(start, DType::I64), b.size(end, DType::I64));
    let (after, before) = (b.ge(position, low), b.lt(position, high));
    let inside = b.and(after, before);
    Ok(b.select(inside, padded, x))
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
