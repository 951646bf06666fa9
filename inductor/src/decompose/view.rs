//! Views, copies and what puts tensors together.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, Op, Tensor};

/// Operators that only change sizes: the graph has traced the new ones.
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
