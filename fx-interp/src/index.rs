//! Reading and writing where tensors of positions say.

use super::{
    InterpError, Rule, Tensor,
    call::{Call, Result},
    tensor::indices,
};
use fx::aten::Packet;
use fx::{arg::Arg, scalar::Scalar};
use symshapes::DType;

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::embedding, embedding),
    (Packet::embedding_dense_backward, embedding_backward),
    (Packet::index_select, index_select),
    (Packet::index_add, index_add),
    (Packet::gather, gather),
    (Packet::scatter, |c| scatter(c, false)),
    (Packet::scatter_add, |c| scatter(c, true)),
    (Packet::index, index),
    (Packet::_unsafe_index, index),
    (Packet::index_put, index_put),
    (Packet::_unsafe_index_put, index_put),
    (Packet::nonzero, nonzero),
];

/// A position, counted from the end if negative, that must lie below `size`.
fn wrap(c: &Call, position: Scalar, size: usize) -> Result<usize> {
    let position = position.as_i64();
    let wrapped = if position < 0 { position + size as i64 } else { position };
    let inside = usize::try_from(wrapped).ok().filter(|&p| p < size);
    inside.ok_or_else(|| c.unsupported(format!("index {position} out of range for size {size}")))
}

/// All elements of a tensor as positions below `size`.
fn positions(c: &Call, index: &Tensor, size: usize) -> Result<Vec<usize>> {
    index.values().map(|p| wrap(c, p, size)).collect()
}

fn embedding(c: &Call) -> Result {
    let (weight, index) = (c.tensor("weight")?, c.tensor("indices")?);
    let [rows, width] = *weight.sizes() else { return c.fits(None) };
    let values: Vec<Scalar> = weight.values().collect();
    let taken = positions(c, index, rows)?.into_iter().flat_map(|r| values[r * width..][..width].to_vec());
    Ok(c.fits(Tensor::from_values(weight.dtype(), &[index.sizes(), &[width]].concat(), taken))?.into())
}

fn embedding_backward(c: &Call) -> Result {
    let (grad, index) = (c.tensor("grad_output")?, c.tensor("indices")?);
    let (rows, padding) = (c.int("num_weights")? as usize, c.int("padding_idx")?);
    if c.bool("scale_grad_by_freq")? {
        return Err(c.unsupported("gradients scaled by frequency"));
    }
    let width = *c.fits(grad.sizes().last())?;
    let mut sum = Tensor::full(DType::F64, &[rows, width], Scalar::Int(0));
    let grads = grad.floats();
    for (i, row) in positions(c, index, rows)?.into_iter().enumerate().filter(|(_, row)| *row as i64 != padding) {
        for column in 0..width {
            sum.accumulate(&[row, column], grads[i * width + column].into());
        }
    }
    Ok(sum.to(grad.dtype()).into())
}

fn index_select(c: &Call) -> Result {
    let (x, index) = (c.tensor("self")?, c.tensor("index")?);
    let dim = c.dim("dim", x.rank())?;
    let rows = positions(c, index, *c.fits(x.sizes().get(dim))?)?;
    let mut sizes = x.sizes().to_vec();
    sizes[dim] = rows.len();
    Ok(x.gather(&sizes, |i| {
        let mut at = i.to_vec();
        at[dim] = rows[i[dim]];
        at
    })
    .into())
}

fn index_add(c: &Call) -> Result {
    let (x, index, source) = (c.tensor("self")?, c.tensor("index")?, c.tensor("source")?);
    let (dim, alpha) = (c.dim("dim", x.rank())?, c.scalar("alpha")?);
    let rows = positions(c, index, *c.fits(x.sizes().get(dim))?)?;
    let mut sum = wide(x);
    for mut i in indices(source.sizes()) {
        let value = times(source.at(&i), alpha);
        i[dim] = rows[i[dim]];
        sum.accumulate(&i, value);
    }
    Ok(sum.to(x.dtype()).into())
}

/// A copy in which sums are not rounded.
fn wide(x: &Tensor) -> Tensor {
    x.to(if x.dtype().is_float() { DType::F64 } else { x.dtype() })
}

fn times(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.wrapping_mul(b)),
        (a, b) => Scalar::Float(a.as_f64() * b.as_f64()),
    }
}

fn gather(c: &Call) -> Result {
    let (x, index) = (c.tensor("self")?, c.tensor("index")?);
    let dim = c.dim("dim", x.rank())?;
    let rows = positions(c, index, x.sizes().get(dim).copied().unwrap_or(1))?;
    let values = indices(index.sizes()).zip(rows).map(|(mut at, row)| {
        if let Some(slot) = at.get_mut(dim) {
            *slot = row;
        }
        x.at(&at)
    });
    Ok(c.fits(Tensor::from_values(x.dtype(), index.sizes(), values))?.into())
}

fn scatter(c: &Call, add: bool) -> Result {
    if c.has("reduce") {
        return Err(c.unsupported("a reduction"));
    }
    let (x, index) = (c.tensor("self")?, c.tensor("index")?);
    let dim = c.dim("dim", x.rank())?;
    let rows = positions(c, index, x.sizes().get(dim).copied().unwrap_or(1))?;
    let mut out = wide(x);
    for (at, row) in indices(index.sizes()).zip(rows) {
        let value = match c.opt_tensor("src") {
            Some(source) => source.at(&at),
            None => c.scalar("value")?,
        };
        let mut to = at;
        if let Some(slot) = to.get_mut(dim) {
            *slot = row;
        }
        if add {
            out.accumulate(&to, value);
        } else {
            out.set(&to, value);
        }
    }
    Ok(out.to(x.dtype()).into())
}

/// Positions for some dimensions of a tensor, broadcast against each other.
struct Advanced {
    /// For each dimension of the tensor the positions, where it is indexed.
    rows: Vec<Option<Vec<usize>>>,
    /// The common sizes of the index tensors.
    sizes: Vec<usize>,
    /// The position of the index tensors' dimensions among the dimensions that are kept.
    place: usize,
}

impl Advanced {
    fn of(c: &Call, x: &Tensor) -> Result<Advanced> {
        let mut given: Vec<Option<Tensor>> = Vec::new();
        for index in c.opt_tensors("indices")? {
            match index {
                Some(mask) if matches!(mask.dtype(), DType::Bool | DType::U8) => {
                    given.extend(coordinates(mask).into_iter().map(Some));
                }
                other => given.push(other.cloned()),
            }
        }
        given.resize(x.rank().max(given.len()), None);
        let sizes = c.fits(super::broadcast_sizes(given.iter().flatten().map(Tensor::sizes)))?;
        let rows = given.iter().enumerate().map(|(d, index)| {
            let Some(index) = index else { return Ok(None) };
            let size = *c.fits(x.sizes().get(d))?;
            positions(c, &c.fits(index.broadcast(&sizes))?, size).map(Some)
        });
        let rows: Vec<Option<Vec<usize>>> = rows.collect::<std::result::Result<_, InterpError>>()?;
        let indexed: Vec<usize> = (0..rows.len()).filter(|&d| rows[d].is_some()).collect();
        let adjacent = indexed.windows(2).all(|w| w[1] == w[0] + 1);
        let place = if adjacent { indexed.first().copied().unwrap_or(0) } else { 0 };
        Ok(Advanced { rows, sizes, place })
    }

    /// The sizes of what is indexed.
    fn result(&self, x: &Tensor) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..x.rank()).filter(|&d| self.rows[d].is_none()).map(|d| x.sizes()[d]).collect();
        kept.splice(self.place..self.place, self.sizes.iter().copied());
        kept
    }

    /// The index into the tensor of the element at `i` of the result.
    fn source(&self, i: &[usize]) -> Vec<usize> {
        let index = &i[self.place..self.place + self.sizes.len()];
        let flat = index.iter().zip(&self.sizes).fold(0, |at, (i, s)| at * s + i);
        let mut kept = i[..self.place].iter().chain(&i[self.place + self.sizes.len()..]).copied();
        self.rows.iter().map(|r| r.as_ref().map_or_else(|| kept.next().unwrap_or(0), |rows| rows[flat])).collect()
    }
}

/// The coordinates of the true elements of a mask, a tensor for each dimension.
fn coordinates(mask: &Tensor) -> Vec<Tensor> {
    let found: Vec<Vec<usize>> = indices(mask.sizes()).filter(|i| mask.at(i).as_bool()).collect();
    let along = |d: usize| Tensor::from_fn(DType::I64, &[found.len()], |n| Scalar::Int(found[n[0]][d] as i64));
    (0..mask.rank()).map(along).collect()
}

fn index(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let advanced = Advanced::of(c, x)?;
    Ok(x.gather(&advanced.result(x), |i| advanced.source(i)).into())
}

fn index_put(c: &Call) -> Result {
    let (x, values) = (c.tensor("self")?, c.tensor("values")?);
    let add = *c.get("accumulate") == Arg::Bool(true);
    let advanced = Advanced::of(c, x)?;
    let sizes = advanced.result(x);
    let values = c.fits(values.broadcast(&sizes))?;
    let mut out = wide(x);
    for i in indices(&sizes) {
        let to = advanced.source(&i);
        if add {
            out.accumulate(&to, values.at(&i));
        } else {
            out.set(&to, values.at(&i));
        }
    }
    Ok(out.to(x.dtype()).into())
}

fn nonzero(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let found: Vec<Vec<usize>> = indices(x.sizes()).filter(|i| x.at(i).as_bool()).collect();
    Ok(Tensor::from_fn(DType::I64, &[found.len(), x.rank()], |i| Scalar::Int(found[i[0]][i[1]] as i64)).into())
}
