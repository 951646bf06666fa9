//! Matrix products and attention.

use super::{
    Rule,
    call::{Call, Result, tuple},
};
use crate::aten::Packet;
use crate::graph::Meta;
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::mm, |c| product(c, "self", "mat2")),
    (Packet::bmm, |c| product(c, "self", "mat2")),
    (Packet::mv, |c| product(c, "self", "vec")),
    (Packet::dot, |c| product(c, "self", "tensor")),
    (Packet::matmul, |c| product(c, "self", "other")),
    (Packet::addmm, |c| added(c, "mat1", "mat2")),
    (Packet::baddbmm, |c| added(c, "batch1", "batch2")),
    (Packet::addmv, |c| added(c, "mat", "vec")),
    (Packet::addbmm, |c| {
        let (a, b) = (c.tensor("batch1")?, c.tensor("batch2")?);
        c.one_dtype(a, b)?;
        let ([batch, rows, inner], [others, wide, columns]) = (&a.sizes[..], &b.sizes[..]) else { return c.fits(None) };
        shared(c, *batch, *others)?;
        shared(c, *inner, *wide)?;
        c.demand_broadcast(&c.tensor("self")?.sizes, &[*rows, *columns])?;
        Ok(c.contiguous(a, a.dtype, vec![*rows, *columns]).into())
    }),
    (Packet::vdot, |c| product(c, "self", "other")),
    (Packet::_cdist_forward, |c| {
        let (a, b) = (c.tensor("x1")?, c.tensor("x2")?);
        c.one_dtype(a, b)?;
        let ([left @ .., rows, width], [right @ .., others, other_width]) = (&a.sizes[..], &b.sizes[..]) else {
            return c.fits(None);
        };
        shared(c, *width, *other_width)?;
        let sizes = [c.broadcast(&[left, right])?, vec![*rows, *others]].concat();
        Ok(c.contiguous(a, a.dtype, sizes).into())
    }),
    (Packet::_cdist_backward, |c| {
        let (a, b) = (c.tensor("x1")?, c.tensor("x2")?);
        c.one_dtype(a, b)?;
        // Batches that are broadcast take another way.
        let ([left @ .., _, _], [right @ .., _, _]) = (&a.sizes[..], &b.sizes[..]) else { return c.fits(None) };
        if left != right {
            return Err(c.unsupported("batches that are broadcast"));
        }
        Ok(c.contiguous(a, a.dtype, a.sizes.clone()).into())
    }),
    (Packet::linear, linear),
    (Packet::linalg_cross, cross),
    (Packet::cross, cross),
    (Packet::_int_mm, |c| {
        let (a, b) = (c.tensor("self")?, c.tensor("mat2")?);
        if a.device.kind != DeviceKind::Cpu {
            return Err(c.unsupported("a product on a device, which takes some sizes alone"));
        }
        if !matches!(a.dtype, DType::I8 | DType::U8) || b.dtype != DType::I8 {
            return Err(c.rejected("factors that are no bytes"));
        }
        let ([rows, inner], [wide, columns]) = (&a.sizes[..], &b.sizes[..]) else { return c.fits(None) };
        shared(c, *inner, *wide)?;
        Ok(c.contiguous(a, DType::I32, vec![*rows, *columns]).into())
    }),
    (Packet::_addmm_activation, |c| {
        let (added_to, a) = (c.tensor("self")?, c.tensor("mat1")?);
        c.one_dtype(added_to, a)?;
        c.fits((a.sizes.len() == 2 && c.tensor("mat2")?.sizes.len() == 2).then_some(()))?;
        if !a.dtype.is_float() {
            return Err(c.unsupported("an activation of integers"));
        }
        added(c, "mat1", "mat2")
    }),
    (Packet::scaled_dot_product_attention, attention),
    (Packet::_scaled_dot_product_flash_attention_for_cpu, flash),
    (Packet::_scaled_dot_product_flash_attention_for_cpu_backward, |c| {
        let inputs = [c.tensor("query")?, c.tensor("key")?, c.tensor("value")?];
        let gradients = inputs.map(|t| heads_inside(c, t, t.dtype, &t.sizes));
        Ok(tuple(gradients.into_iter().collect::<Result<Vec<_>>>()?))
    }),
];

/// A size that two operands have in common.
pub(super) fn shared(c: &mut Call, a: Expr, b: Expr) -> Result<()> {
    match c.pool.has_to_equal(a, b) {
        Some(true) => Ok(()),
        Some(false) => c.fits(None),
        None => Err(c.undecided("whether two sizes are equal")),
    }
}

/// `torch.matmul`'s sizes, which hold for the products of fixed rank too.
fn product(c: &mut Call, a: &str, b: &str) -> Result {
    let (a, b) = (c.tensor(a)?, c.tensor(b)?);
    c.one_dtype(a, b)?;
    let (a_last, b_rank) = (*c.fits(a.sizes.last())?, b.sizes.len());
    shared(c, a_last, *c.fits(b.sizes.get(b_rank.max(2) - 2))?)?;
    let (row, column) = (a.sizes.len() == 1, b_rank == 1);
    let batch = |t: &TensorMeta| t.sizes[..t.sizes.len().saturating_sub(2)].to_vec();
    let mut sizes = c.broadcast(&[&batch(a), &batch(b)])?;
    sizes.extend((!row).then(|| a.sizes[a.sizes.len() - 2]));
    sizes.extend((!column).then(|| b.sizes[b_rank - 1]));
    Ok(c.contiguous(a, a.dtype, sizes).into())
}

/// A product, and what is added to it.
fn added(c: &mut Call, a: &str, b: &str) -> Result {
    let result = product(c, a, b)?;
    if let Meta::Tensor(sum) = &result {
        c.demand_broadcast(&c.tensor("self")?.sizes, &sum.sizes)?;
    }
    Ok(result)
}

/// The cross product of vectors of three elements along `dim`, by default the first that has three.
fn cross(c: &mut Call) -> Result {
    let (a, b) = (c.tensor("self")?, c.tensor("other")?);
    if a.device.kind != DeviceKind::Cpu || a.dtype == DType::Bool {
        return Err(c.unsupported("vectors of a device, or of truth values"));
    }
    c.one_dtype(a, b)?;
    c.fits((a.sizes.len() == b.sizes.len() && !a.sizes.is_empty()).then_some(()))?;
    let three = c.pool.int(3);
    let dim = if c.given("dim") { c.dim("dim", a.sizes.len())? } else { first_of(c, a, three)? };
    for side in [a, b] {
        shared(c, side.sizes[dim], three)?;
    }
    let sizes = c.broadcast(&[&a.sizes, &b.sizes])?;
    Ok(c.contiguous(a, a.dtype, sizes).into())
}

/// The first dimension of a size.
fn first_of(c: &mut Call, x: &TensorMeta, wanted: Expr) -> Result<usize> {
    for (dim, &size) in x.sizes.iter().enumerate() {
        match c.pool.is_equal(size, wanted) {
            Some(true) => return Ok(dim),
            Some(false) => {}
            None => return Err(c.undecided("which dimension has the size")),
        }
    }
    c.fits(None)
}

fn linear(c: &mut Call) -> Result {
    let (x, weight) = (c.tensor("input")?, c.tensor("weight")?);
    c.one_dtype(x, weight)?;
    shared(c, *c.fits(x.sizes.last())?, *c.fits(weight.sizes.last())?)?;
    let features = &weight.sizes[..weight.sizes.len() - 1];
    let sizes = [&x.sizes[..x.sizes.len() - 1], features].concat();
    if let Some(bias) = c.opt_tensor("bias")? {
        c.demand_broadcast(&bias.sizes, &sizes)?;
    }
    Ok(c.contiguous(x, x.dtype, sizes).into())
}

/// Attention of the processor on row-major operands, whose result every kernel lays out alike. The fused kernels lay it
/// out as the query, where a dimension of size one may have any stride.
fn attention(c: &mut Call) -> Result {
    let (q, k, v) = (c.tensor("query")?, c.tensor("key")?, c.tensor("value")?);
    c.one_dtype(q, k)?;
    c.one_dtype(q, v)?;
    if q.device.kind != DeviceKind::Cpu {
        return Err(c.unsupported("attention on a device, where the kernel that torch chooses decides the strides"));
    }
    if [q, k, v].into_iter().any(|t| super::strides::is_contiguous(&mut c.pool, t) != Some(true)) {
        return Err(c.unsupported("attention on operands that are not row-major"));
    }
    let is_alike = |t: &TensorMeta| t.sizes.len() == q.sizes.len() && t.sizes.first() == q.sizes.first();
    if ![k, v].into_iter().all(is_alike) {
        return Err(c.unsupported("attention that broadcasts"));
    }
    let mut sizes = q.sizes.clone();
    *c.fits(sizes.last_mut())? = *c.fits(v.sizes.last())?;
    let out = c.contiguous(q, q.dtype, sizes);
    if out.sizes == q.sizes && out.strides != q.strides {
        return Err(c.unsupported("attention on a query with strides of its own"));
    }
    Ok(out.into())
}

/// The result is laid out as the query; the logarithms lie with the heads innermost.
fn flash(c: &mut Call) -> Result {
    let q = c.tensor("query")?;
    let out = c.preserved(q, q.dtype)?;
    let sums = heads_inside(c, q, q.dtype.compute(), &q.sizes[..q.sizes.len().min(3)])?;
    Ok(tuple([out, sums]))
}

/// A tensor in whose memory dimension 2, the rows, lies outside dimension 1, the heads.
pub(super) fn heads_inside(c: &mut Call, like: &TensorMeta, dtype: DType, sizes: &[Expr]) -> Result<TensorMeta> {
    let mut swapped = sizes.to_vec();
    if swapped.len() < 3 {
        return c.fits(None);
    }
    swapped.swap(1, 2);
    let mut made = c.contiguous(like, dtype, swapped);
    made.sizes.swap(1, 2);
    made.strides.swap(1, 2);
    Ok(made)
}
