//! Indexing by tensors.

use fx::aten::rules::Extern;
use smallvec::SmallVec;
use symshapes::{DType, Expr};

use super::{Args, Builder, Rewrite, library, unsupported};
use crate::tensor_ir::{Dims, GatherDim, Op, Tensor};

/// An index tensor as `int64`; masks select a number of elements that depends on data.
pub(super) fn as_index(b: &mut Builder, index: Tensor) -> Rewrite {
    match b.dtype(index) {
        DType::Bool | DType::U8 => unsupported("indexing by a mask"),
        dtype if dtype.is_int() => Ok(b.convert(index, DType::I64)),
        dtype => unsupported(format!("indexing by {dtype}")),
    }
}

pub(super) fn gather_from(b: &mut Builder, source: Tensor, dims: SmallVec<[GatherDim; 5]>, sizes: &[Expr]) -> Rewrite {
    let is_empty = b.sizes(source).contains(&Expr::ZERO) && !sizes.contains(&Expr::ZERO);
    let indexed = dims.iter().zip(b.sizes(source)).filter(|(dim, _)| matches!(dim, GatherDim::Index(_)));
    let may_be_empty = indexed.into_iter().any(|(_, &n)| n != Expr::ZERO && b.graph.pool.range(n).lo < 1);
    if is_empty || may_be_empty {
        return unsupported("indexing into nothing");
    }
    let dtype = b.dtype(source);
    Ok(b.push(Op::Gather { source, dims }, dtype, sizes))
}

pub(crate) fn embedding(b: &mut Builder, a: &Args) -> Rewrite {
    let weight = a.tensor("weight")?;
    let index = as_index(b, a.tensor("indices")?)?;
    let sizes = a.result()?.sizes.clone();
    let last = sizes.len() - 1;
    let index = b.unsqueeze(index, last);
    let index = b.expand(index, &sizes);
    gather_from(b, weight, [GatherDim::Index(index), GatherDim::Out(last)].into_iter().collect(), &sizes)
}

pub(crate) fn index_select(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let index = as_index(b, a.tensor("index")?)?;
    let sizes = a.result()?.sizes.clone();
    let x = as_vector(b, x);
    let dim = a.dim("dim", b.rank(x))?;
    if sizes.is_empty() {
        let index = as_vector(b, index);
        return scalar_from(b, x, index);
    }
    let index = b.along(index, dim, sizes.len());
    gather_along(b, x, dim, index, &sizes)
}

pub(crate) fn gather(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let index = as_index(b, a.tensor("index")?)?;
    let sizes = a.result()?.sizes.clone();
    let x = as_vector(b, x);
    if sizes.is_empty() {
        let index = as_vector(b, index);
        return scalar_from(b, x, index);
    }
    let dim = a.dim("dim", b.rank(x))?;
    gather_along(b, x, dim, index, &sizes)
}

/// A scalar as one element along one dimension.
fn as_vector(b: &mut Builder, x: Tensor) -> Tensor {
    if b.rank(x) == 0 { b.reshape(x, &[Expr::ONE]) } else { x }
}

/// The one element of a vector that an index of one element names.
fn scalar_from(b: &mut Builder, x: Tensor, index: Tensor) -> Rewrite {
    if b.rank(x) != 1 {
        return unsupported("one place in more than a vector");
    }
    let one = gather_from(b, x, [GatherDim::Index(index)].into_iter().collect(), &[Expr::ONE])?;
    Ok(b.reshape(one, &[]))
}

/// `x` at `index` along a dimension, at the result's own position along the others.
fn gather_along(b: &mut Builder, x: Tensor, dim: usize, index: Tensor, sizes: &[Expr]) -> Rewrite {
    let index = b.expand(index, sizes);
    let dims = (0..b.rank(x)).map(|k| if k == dim { GatherDim::Index(index) } else { GatherDim::Out(k) }).collect();
    gather_from(b, x, dims, sizes)
}

/// `x[i, index[i]]` of `[n, c]` by `[n]`.
pub(super) fn pick(b: &mut Builder, x: Tensor, index: Tensor) -> Tensor {
    let sizes = Dims::from_slice(b.sizes(index));
    let dtype = b.dtype(x);
    let dims = [GatherDim::Out(0), GatherDim::Index(index)].into_iter().collect();
    b.push(Op::Gather { source: x, dims }, dtype, &sizes)
}

/// Indexing as numpy has it: index tensors broadcast together and take the place of the dimensions they index, in
/// front if those are not neighbours.
pub(crate) fn index(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let mut indices = a.tensors("indices")?;
    indices.resize(b.rank(x), None);
    let mut given = Vec::new();
    for (dim, index) in indices.iter().enumerate() {
        if let Some(index) = *index {
            given.push((dim, as_index(b, index)?));
        }
    }
    let Some(&(first, _)) = given.first() else { return Ok(x) };
    let all: Vec<Tensor> = given.iter().map(|&(_, t)| t).collect();
    let shape = b.broadcast_sizes(&all);
    let neighbours = given.windows(2).all(|w| w[1].0 == w[0].0 + 1);
    let at = if neighbours { first } else { 0 };
    let sizes = a.result()?.sizes.clone();
    let mut out_dims = (0..sizes.len()).filter(|k| !(at..at + shape.len()).contains(k));
    let mut dims = SmallVec::new();
    for dim in 0..b.rank(x) {
        let from = match given.iter().find(|(d, _)| *d == dim) {
            Some(&(_, t)) => GatherDim::Index(place(b, t, at, shape.len(), &sizes)),
            None => match out_dims.next() {
                Some(k) => GatherDim::Out(k),
                None => return unsupported("an index of unexpected rank"),
            },
        };
        dims.push(from);
    }
    gather_from(b, x, dims, &sizes)
}

/// An index tensor spread over the result: its dimensions stand at `at..at + rank`.
fn place(b: &mut Builder, t: Tensor, at: usize, rank: usize, sizes: &[Expr]) -> Tensor {
    let mut shape: Dims = sizes.iter().map(|_| Expr::ONE).collect();
    let own = Dims::from_slice(b.sizes(t));
    let from = at + rank - own.len();
    shape[from..from + own.len()].copy_from_slice(&own);
    let t = b.reshape(t, &shape);
    b.expand(t, sizes)
}

/// Running sums of integers; those of floats are eager's, which accumulates in double.
pub(crate) fn cumsum(b: &mut Builder, a: &Args) -> Rewrite {
    let dtype = a.result()?.dtype;
    if dtype.is_float() || a.result()?.sizes.is_empty() {
        return library(Extern::Scan);
    }
    let x = b.convert(a.tensor("self")?, dtype);
    let dim = a.dim("dim", b.rank(x))?;
    let sizes = Dims::from_slice(b.sizes(x));
    Ok(b.push(Op::Cumsum(x, dim), dtype, &sizes))
}

/// The source at `place(dim)` along the dimensions where that is a place, else at the result's own position.
pub(super) fn looked_up(
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
