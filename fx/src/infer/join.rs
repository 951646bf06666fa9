//! Several tensors into one, and rearrangements that copy.

use super::{
    Rule,
    call::{Call, Result},
    linear::shared,
    promote::{DEFAULT_FLOAT, Operand, result_type},
    strides,
};
use crate::aten::{Aten, Packet};
use symshapes::{DType, Device, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::cat, |c| {
        let (tensors, dim) = (c.tensors("tensors")?, c.int("dim")?);
        Ok(cat(c, &tensors, dim)?.into())
    }),
    (Packet::stack, stack),
    (Packet::repeat, repeat),
    (Packet::flip, |c| {
        let x = c.tensor("self")?;
        let mut dims = c.dims("dims", x.sizes.len())?;
        let count = dims.len();
        dims.sort_unstable();
        dims.dedup();
        c.fits((dims.len() == count).then_some(()))?;
        Ok(c.preserved(x, x.dtype)?.into())
    }),
    (Packet::rot90, |c| {
        let x = c.tensor("self")?;
        let dims = c.dims("dims", x.sizes.len())?;
        let &[a, b] = &dims[..] else { return c.fits(None) };
        c.fits((a != b).then_some(()))?;
        let turns = c.int("k")?.rem_euclid(4);
        if turns == 0 {
            return Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into());
        }
        let mut turned = c.preserved(x, x.dtype)?;
        if turns != 2 {
            turned.sizes.swap(a, b);
            turned.strides.swap(a, b);
        }
        Ok(turned.into())
    }),
    (Packet::diag_embed, diag_embed),
    (Packet::roll, row_major),
    (Packet::tril, row_major),
    (Packet::triu, row_major),
    (Packet::constant_pad_nd, pad),
    (Packet::block_diag, blocks),
    (Packet::_chunk_cat, chunks),
    (Packet::repeat_interleave, interleaved),
];

/// Matrices with the last dimension along a diagonal.
fn diag_embed(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let rank = x.sizes.len() + 1;
    let (a, b) = (c.dim("dim1", rank)?, c.dim("dim2", rank)?);
    let (last, mut sizes) = (*c.fits(x.sizes.last())?, x.sizes[..x.sizes.len() - 1].to_vec());
    c.fits((a != b).then_some(()))?;
    let offset = c.int("offset")?.saturating_abs();
    let side = c.pool.add_int(last, offset);
    for dim in [a.min(b), a.max(b)] {
        sizes.insert(dim, side);
    }
    Ok(c.contiguous(x, x.dtype, sizes).into())
}

fn row_major(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
}

/// Channels last if all are; an empty one-dimensional tensor goes with anything.
fn cat(c: &mut Call, tensors: &[&TensorMeta], dim: i64) -> Result<TensorMeta> {
    let standings: Vec<Operand> = tensors.iter().map(|t| Operand::tensor(t.dtype, t.sizes.len())).collect();
    let dtype = c.fits(result_type(&standings))?;
    let skipped = |c: &Call, t: &TensorMeta| t.sizes.len() == 1 && c.pool.as_int(t.sizes[0]) == Some(0);
    let counted: Vec<&TensorMeta> = tensors.iter().copied().filter(|t| !skipped(c, t)).collect();
    let first = *c.fits(counted.first().or(tensors.first()))?;
    let dim = c.wrap(dim, first.sizes.len())?;
    let mut sizes = first.sizes.clone();
    let mut last = true;
    for (i, t) in counted.iter().enumerate() {
        if t.sizes.len() != sizes.len() {
            return c.fits(None);
        }
        if i > 0 {
            for d in (0..sizes.len()).filter(|&d| d != dim) {
                shared(c, sizes[d], t.sizes[d])?;
            }
            sizes[dim] = c.pool.add(sizes[dim], t.sizes[dim]);
        }
        last &= c.suggests_channels_last(t)?;
    }
    Ok(c.in_format(first, dtype, sizes, last))
}

/// A concatenation seen with the joined dimension split; along a new last dimension, one of columns.
fn stack(c: &mut Call) -> Result {
    let tensors = c.tensors("tensors")?;
    let first = *c.fits(tensors.first())?;
    let rank = first.sizes.len();
    let dim = c.dim("dim", rank + 1)?;
    let mut sizes = first.sizes.clone();
    sizes.insert(dim, c.pool.int(tensors.len() as i64));
    if dim == rank {
        return Ok(c.contiguous(first, first.dtype, sizes).into());
    }
    let joined = cat(c, &tensors, dim as i64)?;
    let strides = strides::viewed(&mut c.pool, &joined, &sizes);
    let strides = strides.flatten().ok_or_else(|| c.undecided("the strides of a stack"))?;
    Ok(TensorMeta { sizes, strides, ..joined }.into())
}

fn repeat(c: &mut Call) -> Result {
    let (x, mut sizes) = (c.tensor("self")?, c.exprs("repeats")?);
    let skip = c.fits(sizes.len().checked_sub(x.sizes.len()))?;
    for (d, &size) in x.sizes.iter().enumerate() {
        sizes[skip + d] = c.pool.mul(sizes[skip + d], size);
    }
    Ok(c.contiguous(x, x.dtype, sizes).into())
}

fn pad(c: &mut Call) -> Result {
    let (x, pad) = (c.tensor("self")?, c.exprs("pad")?);
    let mut sizes = x.sizes.clone();
    if pad.len() % 2 != 0 || pad.len() > 2 * sizes.len() {
        return Err(c.unsupported("a pad of more or half dimensions"));
    }
    for (pair, size) in pad.chunks_exact(2).zip(sizes.iter_mut().rev()) {
        *size = c.pool.add(*size, pair[0]);
        *size = c.pool.add(*size, pair[1]);
        if c.pool.range(*size).lo < 0 {
            c.demand_at_most(Expr::ZERO, *size)?;
        }
    }
    Ok(c.in_format_of(x, sizes)?.into())
}

/// Matrices along the diagonal of one; vectors are rows.
fn blocks(c: &mut Call) -> Result {
    let tensors = c.tensors("tensors")?;
    let Some(&first) = tensors.first() else {
        return Ok(c.fresh(DEFAULT_FLOAT, Device::CPU, vec![Expr::ONE, Expr::ZERO]).into());
    };
    let (mut rows, mut columns) = (Expr::ZERO, Expr::ZERO);
    for tensor in &tensors {
        let (height, width) = match tensor.sizes[..] {
            [] => (Expr::ONE, Expr::ONE),
            [width] => (Expr::ONE, width),
            [height, width] => (height, width),
            _ => return c.fits(None),
        };
        (rows, columns) = (c.pool.add(rows, height), c.pool.add(columns, width));
    }
    let dtype = tensors.iter().fold(first.dtype, |dtype, tensor| dtype.promote(tensor.dtype));
    let standings: Vec<Operand> = tensors.iter().map(|t| Operand::tensor(t.dtype, t.sizes.len())).collect();
    if result_type(&standings) != Some(dtype) {
        return Err(c.unsupported("numbers of a wider type"));
    }
    Ok(c.contiguous(first, dtype, vec![rows, columns]).into())
}

/// Tensors cut along a dimension into so many chunks, padded where one is short, and the chunks joined.
fn chunks(c: &mut Call) -> Result {
    let (tensors, count) = (c.tensors("tensors")?, c.expr("num_chunks")?);
    let first = *c.fits(tensors.first())?;
    c.fits((!first.sizes.is_empty()).then_some(()))?;
    let dim = c.dim("dim", first.sizes.len())?;
    c.demand_at_most(Expr::ONE, count)?;
    let mut width = Expr::ZERO;
    for tensor in tensors {
        c.one_dtype(first, tensor)?;
        let (&size, inner) = c.fits(tensor.sizes.get(dim..).and_then(<[_]>::split_first))?;
        tensor.sizes[..dim].iter().zip(&first.sizes).try_for_each(|(&a, &b)| shared(c, a, b))?;
        tensor.sizes.iter().try_for_each(|&size| c.demand_at_most(Expr::ONE, size))?;
        let chunk = c.pool.ceil_div(size, count);
        let inner = strides::numel(&mut c.pool, inner);
        let own = c.pool.mul(chunk, inner);
        width = c.pool.add(width, own);
    }
    Ok(c.contiguous(first, first.dtype, [&first.sizes[..dim], &[count, width]].concat()).into())
}

/// Elements that are repeated in place, as many times as a number says or to a size that is given.
fn interleaved(c: &mut Call) -> Result {
    let size = if c.given("output_size") { Some(c.expr("output_size")?) } else { None };
    let repeats = c.opt_tensor("repeats")?;
    if repeats.is_some_and(|t| !matches!(t.dtype, DType::I32 | DType::I64) || t.sizes.len() != 1) {
        return Err(c.unsupported("numbers of other types, or in more dimensions"));
    }
    let missing = |c: &Call| c.unsupported("a size that depends on data");
    if c.op() == Aten::repeat_interleave_Tensor {
        let (repeats, size) = (c.tensor("repeats")?, size.ok_or_else(|| missing(c))?);
        return Ok(c.contiguous(repeats, repeats.dtype, vec![size]).into());
    }
    let x = c.tensor("self")?;
    let (mut sizes, mut dim) = (vec![strides::numel(&mut c.pool, &x.sizes)], 0);
    if c.given("dim") {
        c.fits((!x.sizes.is_empty()).then_some(()))?;
        (sizes, dim) = (x.sizes.clone(), c.dim("dim", x.sizes.len())?);
    }
    sizes[dim] = match repeats {
        Some(repeats) => {
            if repeats.sizes[0] != Expr::ONE {
                shared(c, repeats.sizes[0], sizes[dim])?;
            }
            size.ok_or_else(|| missing(c))?
        }
        None => {
            let times = c.expr("repeats")?;
            c.demand_at_most(Expr::ZERO, times)?;
            c.pool.mul(sizes[dim], times)
        }
    };
    Ok(c.contiguous(x, x.dtype, sizes).into())
}
