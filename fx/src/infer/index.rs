//! Reading and writing where tensors of positions say.

use super::{
    Rule,
    call::{Call, Result},
    strides,
};
use crate::aten::Packet;
use symshapes::{DType, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::embedding, |c| {
        let (weight, index) = (c.tensor("weight")?, c.tensor("indices")?);
        let sizes = [&index.sizes[..], &weight.sizes[1..]].concat();
        Ok(c.contiguous(weight, weight.dtype, sizes).into())
    }),
    (Packet::embedding_dense_backward, |c| {
        let (grad, rows) = (c.tensor("grad_output")?, c.expr("num_weights")?);
        let width = *c.fits(grad.sizes.last())?;
        Ok(c.contiguous(grad, grad.dtype, vec![rows, width]).into())
    }),
    (Packet::index_select, |c| {
        let (x, index) = (c.tensor("self")?, c.tensor("index")?);
        let (mut sizes, dim) = (x.sizes.clone(), c.dim("dim", x.sizes.len())?);
        let count = strides::numel(&mut c.pool, &index.sizes);
        *c.fits(sizes.get_mut(dim))? = count;
        Ok(c.contiguous(x, x.dtype, sizes).into())
    }),
    (Packet::gather, |c| {
        let (x, index) = (c.tensor("self")?, c.tensor("index")?);
        within(c, index, x, true)?;
        Ok(c.contiguous(x, x.dtype, index.sizes.clone()).into())
    }),
    (Packet::scatter, row_major),
    (Packet::scatter_add, row_major),
    (Packet::index_add, |c| {
        let (x, index, source) = (c.tensor("self")?, c.tensor("index")?, c.tensor("source")?);
        let dim = c.dim("dim", x.sizes.len())?;
        let mut sizes = x.sizes.clone();
        if let Some(size) = sizes.get_mut(dim) {
            *size = strides::numel(&mut c.pool, &index.sizes);
        }
        if !(sizes.is_empty() && source.sizes.len() < 2) {
            c.demand_sizes("source", &sizes)?;
        }
        preserved(c)
    }),
    (Packet::take, |c| {
        let (x, index) = (c.tensor("self")?, c.tensor("index")?);
        Ok(c.contiguous(x, x.dtype, index.sizes.clone()).into())
    }),
    (Packet::scatter_reduce, row_major),
    (Packet::index_copy, preserved),
    (Packet::index_reduce, preserved),
    (Packet::masked_scatter, |c| {
        let (x, mask) = (c.tensor("self")?, c.tensor("mask")?);
        let sizes = c.broadcast(&[&x.sizes, &mask.sizes])?;
        Ok(c.contiguous(x, x.dtype, sizes).into())
    }),
    (Packet::masked_scatter_backward, |c| {
        let (grad, sizes) = (c.tensor("grad_output")?, c.exprs("sizes")?);
        Ok(c.contiguous(grad, grad.dtype, sizes).into())
    }),
    (Packet::nonzero_static, |c| {
        let (x, count) = (c.tensor("self")?, c.expr("size")?);
        let sizes = vec![count, c.pool.int(x.sizes.len() as i64)];
        Ok(c.contiguous(x, DType::I64, sizes).into())
    }),
    (Packet::put, preserved),
    (Packet::as_strided_copy, |c| {
        let (x, sizes) = (c.tensor("self")?, c.exprs("size")?);
        Ok(c.contiguous(x, x.dtype, sizes).into())
    }),
    (Packet::as_strided_scatter, strides_kept),
    (Packet::index_put, preserved),
    (Packet::_unsafe_index_put, preserved),
    (Packet::diagonal_scatter, strides_kept),
    (Packet::index_fill, preserved),
    (Packet::slice_scatter, strides_kept),
    (Packet::select_scatter, strides_kept),
    (Packet::index, |c| Ok(indexed(c)?.into())),
    (Packet::_unsafe_index, |c| Ok(indexed(c)?.into())),
    (Packet::slice_backward, input_sized),
    (Packet::select_backward, input_sized),
    (Packet::unfold_backward, input_sized),
    (Packet::diagonal_backward, input_sized),
];

/// Demands that positions are no more than the tensor that they lead into has, but along the dimension that they lead
/// through.
fn within(c: &mut Call, index: &TensorMeta, x: &TensorMeta, through: bool) -> Result<()> {
    let (rank, dim) = (x.sizes.len(), c.dim("dim", x.sizes.len())?);
    if index.sizes.len() != rank {
        return Ok(());
    }
    let along = (0..rank).filter(|&d| !through || d != dim);
    along.into_iter().try_for_each(|d| c.demand_at_most(index.sizes[d], x.sizes[d]))
}

fn row_major(c: &mut Call) -> Result {
    let (x, index) = (c.tensor("self")?, c.tensor("index")?);
    within(c, index, x, true)?;
    if c.has("src") {
        within(c, index, c.tensor("src")?, false)?;
    }
    Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
}

fn preserved(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(c.preserved(x, x.dtype)?.into())
}

/// A copy with the strides of its original, gaps between elements included (`clone_preserve_strides`), unless elements
/// share memory.
fn strides_kept(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let overlaps = x.strides.iter().zip(&x.sizes).any(|(&stride, &size)| stride == Expr::ZERO && size != Expr::ONE);
    if overlaps { preserved(c) } else { Ok(c.strided(x, x.dtype, x.sizes.clone(), x.strides.clone()).into()) }
}

fn input_sized(c: &mut Call) -> Result {
    // `unfold_backward` alone calls it otherwise.
    let grad = if c.has("grad_in") { c.tensor("grad_in")? } else { c.tensor("grad_output")? };
    let sizes = c.exprs("input_sizes")?;
    Ok(c.contiguous(grad, grad.dtype, sizes).into())
}

/// Advanced indexing. The dimensions of the index tensors stand where the indexed ones stood if these are adjacent,
/// else in front; the result's strides follow those of the tensor along the others.
pub(super) fn indexed(c: &mut Call) -> Result<TensorMeta> {
    let x = c.tensor("self")?;
    let mut given = c.opt_tensors("indices")?;
    if given.iter().flatten().any(|t| matches!(t.dtype, DType::Bool | DType::U8)) {
        return Err(c.unsupported("a mask, which selects a number of elements that depends on its values"));
    }
    given.resize(x.sizes.len().max(given.len()), None);
    let shapes: Vec<&[Expr]> = given.iter().flatten().map(|t| &t.sizes[..]).collect();
    let index_sizes = c.broadcast(&shapes)?;
    let indexed: Vec<usize> = (0..given.len()).filter(|&d| given[d].is_some()).collect();
    let adjacent = indexed.windows(2).all(|w| w[1] == w[0] + 1);
    let place = if adjacent { indexed.first().copied().unwrap_or(0) } else { 0 };
    let kept: Vec<usize> = (0..x.sizes.len()).filter(|&d| given[d].is_none()).collect();
    let zero = c.pool.int(0);
    let mut sizes: Vec<Expr> = kept.iter().map(|&d| x.sizes[d]).collect();
    sizes.splice(place..place, index_sizes.iter().copied());
    let mut own: Vec<Expr> = kept.iter().map(|&d| x.strides[d]).collect();
    own.splice(place..place, index_sizes.iter().map(|_| zero));
    let mut rows = vec![own];
    for t in given.iter().flatten() {
        rows.push(index_strides(c, t, &index_sizes, place, sizes.len()));
    }
    let strides = strides::by_strides(&mut c.pool, &sizes, &rows).ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(c.strided(x, x.dtype, sizes, strides))
}

/// The strides of an index tensor among the result's dimensions.
fn index_strides(c: &mut Call, t: &TensorMeta, sizes: &[Expr], place: usize, rank: usize) -> Vec<Expr> {
    let zero = c.pool.int(0);
    let mut row = vec![zero; rank];
    let skip = sizes.len() - t.sizes.len();
    for (d, (&size, &stride)) in t.sizes.iter().zip(&t.strides).enumerate() {
        row[place + skip + d] =
            if c.pool.is_one(size) == Some(true) && size != sizes[skip + d] { zero } else { stride };
    }
    row
}
