//! Attention by the kernels of devices.
//!
//! The states of random generators that flash attention gives are of a type that metadata does not know: nothing is
//! said of them.

use super::{
    Rule,
    call::{Call, Result, tuple},
    linear::{heads_inside, shared},
    strides,
};
use crate::{arg::Arg, aten::Packet, graph::Meta};
use std::cmp::Ordering;
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_scaled_dot_product_flash_attention, |c| {
        let [q, k, v] = heads(c, ON_GPU)?;
        of_halves(c, q)?;
        let out = laid_out_as(c, q, &[&q.sizes[..3], &v.sizes[3..]].concat())?;
        let sums = sums(c, q, q.sizes[..3].to_vec());
        let (rows, columns) = (Some(Meta::Int(q.sizes[2])), Some(Meta::Int(k.sizes[2])));
        let mask = unwritten_mask(c, q)?;
        Ok(Meta::Tuple(vec![some(out), some(sums), None, None, rows, columns, None, None, some(mask)]))
    }),
    (Packet::_scaled_dot_product_efficient_attention, |c| {
        let [q, _, v] = heads(c, ON_GPU)?;
        of_floats(c, q)?;
        let out = heads_inside(c, q, q.dtype, &[&q.sizes[..3], &v.sizes[3..]].concat())?;
        let rows = padded_rows(c, q.sizes[2])?;
        let sums = sums(c, q, vec![q.sizes[0], q.sizes[1], rows]);
        let [seed, offset] = generator(c, q);
        Ok(tuple([out, sums, seed, offset]))
    }),
    (Packet::_scaled_dot_product_cudnn_attention, |c| {
        let [q, k, v] = heads(c, ON_GPU)?;
        of_halves(c, q)?;
        fused(c, q, [&q.sizes[..3], &[Expr::ONE]].concat(), k, v)
    }),
    (Packet::_scaled_dot_product_fused_attention_overrideable, |c| {
        let [q, k, v] = fused_heads(c)?;
        let (rows, heads) = (q.sizes[q.sizes.len() - 2], q.sizes[q.sizes.len() - 3]);
        let batch = if q.sizes.len() == 4 { q.sizes[0] } else { Expr::ONE };
        fused(c, q, vec![batch, heads, rows], k, v)
    }),
    (Packet::_scaled_dot_product_flash_attention_backward, like_inputs),
    (Packet::_scaled_dot_product_cudnn_attention_backward, like_inputs),
    (Packet::_scaled_dot_product_efficient_attention_backward, |c| {
        let inputs = heads(c, ON_GPU)?;
        of_floats(c, inputs[0])?;
        let mut gradients = Vec::new();
        for t in inputs {
            gradients.push(Some(Meta::Tensor(heads_inside(c, t, t.dtype, &t.sizes)?)));
        }
        gradients.push(bias_gradient(c)?.map(Meta::Tensor));
        Ok(Meta::Tuple(gradients))
    }),
    (Packet::_flash_attention_forward, flash_forward),
    (Packet::_efficient_attention_forward, efficient_forward),
];

/// The devices that fused kernels are for, and tensors that stand for theirs.
const ON_GPU: &[DeviceKind] = &[DeviceKind::Cuda, DeviceKind::Meta];

fn some(tensor: TensorMeta) -> Option<Meta> {
    Some(Meta::Tensor(tensor))
}

/// Gradients that lie as the queries, keys and values do.
fn like_inputs(c: &mut Call) -> Result {
    let inputs = heads(c, ON_GPU)?;
    of_halves(c, inputs[0])?;
    Ok(tuple(inputs.map(|t| c.preserved(t, t.dtype)).into_iter().collect::<Result<Vec<_>>>()?))
}

/// Queries, keys and values of some devices: for each of a batch and each head rows of numbers.
fn heads<'a>(c: &mut Call<'a>, devices: &[DeviceKind]) -> Result<[&'a TensorMeta; 3]> {
    let inputs = operands(c, devices)?;
    c.fits(inputs.iter().all(|t| t.sizes.len() == 4).then_some(()))?;
    are_alike(c, &inputs)?;
    Ok(inputs)
}

fn operands<'a>(c: &mut Call<'a>, devices: &[DeviceKind]) -> Result<[&'a TensorMeta; 3]> {
    let [q, k, v] = [c.tensor("query")?, c.tensor("key")?, c.tensor("value")?];
    c.one_dtype(q, k)?;
    c.one_dtype(q, v)?;
    if [q, k, v].iter().any(|t| !devices.contains(&t.device.kind)) {
        return Err(c.unsupported("attention on a device that the kernel is not for"));
    }
    Ok([q, k, v])
}

/// Demands equal batches, rows as long in queries and in keys, and as many keys as values.
fn are_alike(c: &mut Call, [q, k, v]: &[&TensorMeta; 3]) -> Result<()> {
    shared(c, q.sizes[3], k.sizes[3])?;
    shared(c, q.sizes[0], k.sizes[0])?;
    k.sizes[..3].iter().zip(&v.sizes).try_for_each(|(&a, &b)| shared(c, a, b))
}

/// Demands the types that the kernels of tensor cores take.
fn of_halves(c: &Call, q: &TensorMeta) -> Result<()> {
    let is_half = matches!(q.dtype, DType::F16 | DType::BF16);
    if is_half { Ok(()) } else { Err(c.unsupported("attention of other than halves")) }
}

fn of_floats(c: &Call, q: &TensorMeta) -> Result<()> {
    let is_fitting = matches!(q.dtype, DType::F16 | DType::BF16 | DType::F32);
    if is_fitting { Ok(()) } else { Err(c.unsupported("attention of other numbers")) }
}

/// A result in whose memory the dimensions have the order that they have in the queries'.
fn laid_out_as(c: &mut Call, q: &TensorMeta, sizes: &[Expr]) -> Result<TensorMeta> {
    let last = sizes.len() - 1;
    match c.pool.is_equal(sizes[last], q.sizes[last]) {
        Some(true) => return c.preserved(q, q.dtype),
        Some(false) => {}
        None => return Err(c.undecided("whether values are as wide as queries")),
    }
    let mut order: Vec<usize> = Vec::new();
    for dim in 0..sizes.len() {
        let mut at = order.len();
        while at > 0 && is_inside(c, q, dim, order[at - 1])? {
            at -= 1;
        }
        order.insert(at, dim);
    }
    let strides = strides::in_order(&mut c.pool, sizes, order);
    Ok(c.strided(q, q.dtype, sizes.to_vec(), strides))
}

/// True if one dimension lies inside another one, where repeated ones are outermost.
fn is_inside(c: &mut Call, q: &TensorMeta, dim: usize, other: usize) -> Result<bool> {
    let (here, there) = (q.strides[dim], q.strides[other]);
    if here == Expr::ZERO || there == Expr::ZERO {
        return Ok(here != Expr::ZERO);
    }
    let order = c.pool.compare(here, there).ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(order == Ordering::Less)
}

/// The logarithms of sums that the gradient needs. Autograd does not follow them, unless the operator has no formula.
fn sums(c: &mut Call, q: &TensorMeta, sizes: Vec<Expr>) -> TensorMeta {
    let sums = c.contiguous(q, DType::F32, sizes);
    TensorMeta { requires_grad: sums.requires_grad && c.has("q_descale"), ..sums }
}

/// The mask that is left out unless somebody debugs.
fn unwritten_mask(c: &mut Call, q: &TensorMeta) -> Result<TensorMeta> {
    if c.bool("return_debug_mask")? {
        return Err(c.unsupported("a mask to debug"));
    }
    let none = c.pool.int(0);
    let mask = c.contiguous(q, q.dtype, vec![none]);
    Ok(TensorMeta { requires_grad: mask.requires_grad && c.has("q_descale"), ..mask })
}

/// The state of the random generator with which the gradient drops the same elements.
fn generator(c: &mut Call, q: &TensorMeta) -> [TensorMeta; 2] {
    [0; 2].map(|_| c.contiguous(q, DType::I64, Vec::new()))
}

/// The number of sums for so many rows: kernels write 32 at a time, or none where no gradient is wanted.
fn padded_rows(c: &mut Call, rows: Expr) -> Result<Expr> {
    if !c.bool("compute_log_sumexp")? {
        return Ok(c.pool.int(0));
    }
    let rows = c.pool.add_int(rows, 31);
    let blocks = c.pool.floor_div_int(rows, 32);
    Ok(c.pool.mul_int(blocks, 32))
}

/// The results of kernels that keep the state of a generator, and no mask.
fn fused(c: &mut Call, q: &TensorMeta, of_sums: Vec<Expr>, k: &TensorMeta, v: &TensorMeta) -> Result {
    let last = q.sizes.len() - 1;
    let out = laid_out_as(c, q, &[&q.sizes[..last], &v.sizes[last..]].concat())?;
    let sums = sums(c, q, of_sums);
    let (rows, columns) = (Some(Meta::Int(q.sizes[last - 1])), Some(Meta::Int(k.sizes[last - 1])));
    let [seed, offset] = generator(c, q).map(some);
    Ok(Meta::Tuple(vec![some(out), some(sums), None, None, rows, columns, seed, offset, None]))
}

/// Queries, keys and values of devices that bring a kernel of their own, a batch or one of it.
fn fused_heads<'a>(c: &mut Call<'a>) -> Result<[&'a TensorMeta; 3]> {
    let [q, k, v] = operands(c, &[DeviceKind::Other, DeviceKind::Meta])?;
    let rank = q.sizes.len();
    c.fits((matches!(rank, 3 | 4) && k.sizes.len() == rank && v.sizes.len() == rank).then_some(()))?;
    shared(c, k.sizes[rank - 2], v.sizes[rank - 2])?;
    if let Some(bias) = c.opt_tensor("attn_bias")? {
        let columns = *c.fits(bias.sizes.last())?;
        c.demand_broadcast(&[columns], &[k.sizes[rank - 2]])?;
    }
    Ok([q, k, v])
}

/// The gradient by what is added to the scores, if it is wanted. Each row begins at a multiple of 16 elements.
fn bias_gradient(c: &mut Call) -> Result<Option<TensorMeta>> {
    let wanted = c.list("grad_input_mask").and_then(|mask| mask.get(3)) == Some(&Arg::Bool(true));
    let Some(bias) = c.opt_tensor("attn_bias")?.filter(|_| wanted) else { return Ok(None) };
    let mut sizes = bias.sizes.clone();
    let last = c.fits(sizes.last_mut())?;
    let rounded = c.pool.add_int(*last, 15);
    let blocks = c.pool.floor_div_int(rounded, 16);
    *last = c.pool.mul_int(blocks, 16);
    let strides = strides::contiguous(&mut c.pool, &sizes);
    Ok(Some(c.strided(bias, bias.dtype, bias.sizes.clone(), strides)))
}

/// Flash attention of rows of heads, of a batch or of sequences one after another.
fn flash_forward(c: &mut Call) -> Result {
    let inputs @ [q, k, v] = operands(c, ON_GPU)?;
    of_halves(c, q)?;
    let is_packed = c.given("cum_seq_q");
    if is_packed != c.given("cum_seq_k") || c.has("block_table") && c.given("block_table") {
        return Err(c.unsupported("sequences of queries or of keys alone, or in blocks"));
    }
    let rank = if is_packed { 3 } else { 4 };
    c.fits(inputs.iter().all(|t| t.sizes.len() == rank).then_some(()))?;
    let of_sums = if is_packed {
        shared(c, q.sizes[2], k.sizes[2])?;
        k.sizes[..2].iter().zip(&v.sizes).try_for_each(|(&a, &b)| shared(c, a, b))?;
        vec![q.sizes[1], q.sizes[0]]
    } else {
        are_alike(c, &inputs)?;
        vec![q.sizes[0], q.sizes[2], q.sizes[1]]
    };
    let out = laid_out_as(c, q, &[&q.sizes[..rank - 1], &v.sizes[rank - 1..]].concat())?;
    let (sums, mask) = (sums(c, q, of_sums), unwritten_mask(c, q)?);
    Ok(Meta::Tuple(vec![some(out), some(sums), None, None, some(mask)]))
}

/// Attention of rows of heads that needs little memory.
fn efficient_forward(c: &mut Call) -> Result {
    let inputs @ [q, k, v] = operands(c, ON_GPU)?;
    of_floats(c, q)?;
    c.fits(inputs.iter().all(|t| t.sizes.len() == 4).then_some(()))?;
    are_alike(c, &inputs)?;
    let out = c.contiguous(q, q.dtype, [&q.sizes[..3], &v.sizes[3..]].concat());
    let (mut batch, mut rows, mut columns) = (q.sizes[0], q.sizes[1], k.sizes[1]);
    if let Some(starts) = c.opt_tensor("cu_seqlens_q")? {
        let count = *c.fits(starts.sizes.first())?;
        batch = c.pool.add_int(count, -1);
        rows = c.expr("max_seqlen_q")?;
    }
    if c.given("max_seqlen_k") {
        columns = c.expr("max_seqlen_k")?;
    }
    let padded = padded_rows(c, rows)?;
    let sums = sums(c, q, vec![batch, q.sizes[2], padded]);
    let [seed, offset] = generator(c, q).map(some);
    let (rows, columns) = (Some(Meta::Int(rows)), Some(Meta::Int(columns)));
    Ok(Meta::Tuple(vec![some(out), some(sums), seed, offset, rows, columns]))
}
