//! Products of more than two tensors, distances between rows, and outer products that are added.

use super::{
    Rule,
    call::{Call, Result},
    linear::shared,
    pointwise::number_class,
    promote::{Operand, result_type},
    strides,
};
use crate::aten::Packet;
use symshapes::{DType, DTypeClass, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_trilinear, trilinear),
    (Packet::conv_tbc, convolution_of_steps),
    (Packet::addr, outer),
    (Packet::_euclidean_dist, |c| {
        let (a, b) = (c.tensor("x1")?, c.tensor("x2")?);
        c.one_dtype(a, b)?;
        c.fits(a.dtype.is_float().then_some(()))?;
        let (&[ref left @ .., rows, width], &[ref right @ .., others, wide]) = (&a.sizes[..], &b.sizes[..]) else {
            return c.fits(None);
        };
        shared(c, width, wide)?;
        let batch = c.broadcast(&[left, right])?;
        Ok(c.contiguous(a, a.dtype, [batch, vec![rows, others]].concat()).into())
    }),
    (Packet::_pdist_forward, |c| {
        let (x, pairs) = paired(c)?;
        Ok(c.contiguous(x, x.dtype, vec![pairs]).into())
    }),
    (Packet::_pdist_backward, |c| {
        let (x, pairs) = paired(c)?;
        for name in ["grad_output", "pdist"] {
            c.one_dtype(x, c.tensor(name)?)?;
            c.demand_sizes(name, &[pairs])?;
        }
        let distances = c.tensor("pdist")?;
        if strides::is_contiguous(&mut c.pool, distances) != Some(true) {
            return Err(c.unsupported("distances that are not dense"));
        }
        Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
    }),
];

/// Dense rows of the processor, and the number of pairs of them.
fn paired<'a>(c: &mut Call<'a>) -> Result<(&'a TensorMeta, Expr)> {
    let x = c.tensor("self")?;
    let is_known = matches!(x.dtype, DType::F32 | DType::F64) && x.device.kind == DeviceKind::Cpu;
    let (&[rows, _], true) = (&x.sizes[..], is_known) else {
        return Err(c.unsupported("other than rows of wide floats of the processor"));
    };
    if strides::is_contiguous(&mut c.pool, x) != Some(true) {
        return Err(c.unsupported("rows that are not dense"));
    }
    let others = c.pool.add_int(rows, -1);
    let ordered = c.pool.mul(rows, others);
    Ok((x, c.pool.floor_div_int(ordered, 2)))
}

/// Sums over some dimensions of the product of three tensors, each with dimensions of one element put in.
fn trilinear(c: &mut Call) -> Result {
    let factors = [c.tensor("i1")?, c.tensor("i2")?, c.tensor("i3")?];
    let rank = factors[0].sizes.len() + c.ints("expand1")?.len();
    let mut expanded: Vec<Vec<Expr>> = Vec::new();
    for (factor, name) in factors.into_iter().zip(["expand1", "expand2", "expand3"]) {
        c.one_dtype(factors[0], factor)?;
        let put_in = distinct(c, name, rank)?;
        c.fits((factor.sizes.len() + put_in.len() == rank).then_some(()))?;
        let mut own = factor.sizes.iter().copied();
        let size = |d| if put_in.contains(&d) { Some(Expr::ONE) } else { own.next() };
        expanded.push((0..rank).filter_map(size).collect());
    }
    let sizes = c.broadcast(&expanded.iter().map(|sizes| &sizes[..]).collect::<Vec<_>>())?;
    let (summed, unrolled) = (distinct(c, "sumdim", rank)?, c.int("unroll_dim")?);
    c.fits((0..rank as i64).contains(&unrolled).then_some(()))?;
    if !factors[0].dtype.is_float() {
        return Err(c.unsupported("products of integers"));
    }
    let kept = sizes.into_iter().enumerate().filter(|(d, _)| !summed.contains(d)).map(|(_, size)| size).collect();
    Ok(c.contiguous(factors[0], factors[0].dtype, kept).into())
}

/// Dimensions that a list names, each once; none if it is empty.
fn distinct(c: &Call, name: &str, rank: usize) -> Result<Vec<usize>> {
    let mut dims = c.ints(name)?.into_iter().map(|d| c.wrap(d, rank)).collect::<std::result::Result<Vec<_>, _>>()?;
    let count = dims.len();
    dims.sort_unstable();
    dims.dedup();
    if dims.len() == count { Ok(dims) } else { Err(c.rejected("a dimension that is named twice")) }
}

/// A convolution over the first dimension, of steps, with the channels in the last.
fn convolution_of_steps(c: &mut Call) -> Result {
    let (x, weight, bias) = (c.tensor("self")?, c.tensor("weight")?, c.tensor("bias")?);
    let (&[steps, batch, channels], &[window, inner, outer]) = (&x.sizes[..], &weight.sizes[..]) else {
        return c.fits(None);
    };
    shared(c, channels, inner)?;
    c.demand_sizes("bias", &[outer])?;
    c.one_dtype(x, weight)?;
    let is_dense = |c: &mut Call, t| strides::is_contiguous(&mut c.pool, t) == Some(true);
    if bias.dtype != x.dtype || x.dtype == DType::Bool || !is_dense(c, x) || !is_dense(c, weight) {
        return Err(c.unsupported("operands that are not dense, or a bias of another type"));
    }
    let pad = c.int("pad")?;
    let room = c.pool.add_int(steps, pad.saturating_mul(2).saturating_add(1));
    let steps = c.pool.sub(room, window);
    c.demand_at_most(Expr::ZERO, steps)?;
    Ok(c.contiguous(x, x.dtype, vec![steps, batch, outer]).into())
}

/// The outer product of two vectors, added to a matrix element by element.
fn outer(c: &mut Call) -> Result {
    let (x, rows, columns) = (c.tensor("self")?, c.tensor("vec1")?, c.tensor("vec2")?);
    let (&[height], &[width]) = (&rows.sizes[..], &columns.sizes[..]) else { return c.fits(None) };
    let sizes = vec![height, width];
    c.demand_broadcast(&x.sizes, &sizes)?;
    let standings = [x, rows, columns].map(|t| Operand::tensor(t.dtype, t.sizes.len()));
    let dtype = c.fits(result_type(&standings))?;
    if x.sizes.is_empty() && x.dtype != dtype {
        return Err(c.unsupported("a number of another type"));
    }
    for name in ["alpha", "beta"] {
        let class = number_class(c, name)?;
        if class > dtype.class().max(DTypeClass::Int) || (class == DTypeClass::Bool && dtype != DType::Bool) {
            return Err(c.rejected("a factor of another kind than the elements"));
        }
    }
    let down = TensorMeta { sizes: vec![height, Expr::ONE], strides: vec![rows.strides[0], Expr::ONE], ..rows.clone() };
    let across =
        TensorMeta { sizes: vec![Expr::ONE, width], strides: vec![Expr::ONE, columns.strides[0]], ..columns.clone() };
    let strides = strides::elementwise(&mut c.pool, &sizes, &[x, &down, &across]);
    let strides = strides.ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(c.strided(x, dtype, sizes, strides).into())
}
