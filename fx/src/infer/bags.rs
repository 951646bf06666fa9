//! Embedding bags of the processor: sums, means or maxima of rows of a table, and their gradients.

use super::{
    Rule,
    call::{Call, Result, tuple},
    linear::shared,
};
use crate::aten::Packet;
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_embedding_bag, bags),
    (Packet::_embedding_bag_forward_only, bags),
    (Packet::_embedding_bag_backward, |c| {
        if c.bool("sparse")? {
            return Err(c.unsupported("a sparse gradient"));
        }
        by_table(c)
    }),
    (Packet::_embedding_bag_dense_backward, by_table),
    (Packet::_embedding_bag_per_sample_weights_backward, by_weights),
];

const SUM: i64 = 0;
const MAX: i64 = 2;

/// Demands that there are positions in a list, of which `of` names the parameter.
fn positions<'a>(c: &mut Call<'a>, of: &str) -> Result<&'a TensorMeta> {
    let index = c.tensor(of)?;
    if !matches!(index.dtype, DType::I32 | DType::I64) || index.sizes.len() != 1 {
        return Err(c.unsupported("positions in more dimensions, or that are no integers"));
    }
    if index.device.kind != DeviceKind::Cpu {
        return Err(c.unsupported("bags on a device"));
    }
    Ok(index)
}

/// The bags, the bag of each position, the sizes of the bags, and the places of the maxima.
fn bags(c: &mut Call) -> Result {
    let (table, index, offsets) = (c.tensor("weight")?, positions(c, "indices")?, positions(c, "offsets")?);
    let (&[_, width], mode) = (&table.sizes[..], c.int("mode")?) else { return c.fits(None) };
    if !table.dtype.is_float() || !(SUM..=MAX).contains(&mode) {
        return Err(c.rejected("a table of other than floats, or a mode that there is not"));
    }
    if width == Expr::ZERO {
        return Err(c.unsupported("rows without elements"));
    }
    accepts_weights(c, table, index)?;
    let ends = c.bool("include_last_offset")?;
    let count = c.pool.add_int(offsets.sizes[0], -i64::from(ends));
    c.demand_at_most(Expr::ZERO, count)?;
    let dtype = index.dtype.promote(offsets.dtype);
    let is_direct = mode == SUM && is_read_directly(c, table)?;
    let bag_of_each = if is_direct { Expr::ZERO } else { index.sizes[0] };
    // Without gradients, sums leave the sizes as they were made, with the end among them.
    let is_forward = c.op().packet() == Packet::_embedding_bag_forward_only;
    let counted = if is_forward && mode == SUM { offsets.sizes[0] } else { count };
    let places = if mode == MAX { vec![count, width] } else { vec![counted] };
    let out = c.contiguous(table, table.dtype, vec![count, width]);
    Ok(tuple([
        out,
        c.contiguous(table, dtype, vec![bag_of_each]),
        c.contiguous(table, dtype, vec![counted]),
        c.contiguous(table, dtype, places),
    ]))
}

/// Demands that weights, which sums alone have, are numbers of the table's type for each position.
fn accepts_weights(c: &mut Call, table: &TensorMeta, index: &TensorMeta) -> Result<()> {
    let Some(weights) = c.opt_tensor("per_sample_weights")? else { return Ok(()) };
    if c.int("mode")? != SUM || table.dtype != weights.dtype {
        return Err(c.rejected("weights of another type, or of no sum"));
    }
    c.demand_sizes("per_sample_weights", &index.sizes)
}

/// True if sums are taken of the rows where they lie, so that nobody notes the bag of each.
fn is_read_directly(c: &mut Call, table: &TensorMeta) -> Result<bool> {
    let strides = [Some(table.strides[1]), c.opt_tensor("per_sample_weights")?.map(|weights| weights.strides[0])];
    for stride in strides.into_iter().flatten() {
        let is_dense = c.pool.is_one(stride);
        if !is_dense.ok_or_else(|| c.undecided("whether rows are dense"))? {
            return Ok(false);
        }
    }
    let is_of_kernel = matches!(table.dtype, DType::F32 | DType::F16 | DType::BF16);
    Ok(is_of_kernel && c.int("padding_idx")? < 0)
}

/// The gradient by the table, which is row-major.
fn by_table(c: &mut Call) -> Result {
    let (grad, index, rows) = (c.tensor("grad")?, positions(c, "indices")?, c.expr("num_weights")?);
    let (&[bags, width], true) = (&grad.sizes[..], grad.dtype.is_float()) else {
        return Err(c.unsupported("a gradient of other than rows of floats"));
    };
    let mode = c.int("mode")?;
    if !(SUM..=MAX).contains(&mode) || (c.given("per_sample_weights") && mode != SUM) {
        return Err(c.rejected("a mode that there is not, or that has no weights"));
    }
    positions(c, "offset2bag")?;
    if c.op().packet() == Packet::_embedding_bag_dense_backward {
        c.demand_sizes("offset2bag", &index.sizes)?;
    } else {
        let offsets = positions(c, "offsets")?.sizes[0];
        c.demand_at_most(bags, offsets)?;
    }
    if mode == MAX {
        c.demand_sizes("maximum_indices", &[bags, width])?;
    }
    c.demand_at_most(Expr::ZERO, rows)?;
    Ok(c.contiguous(grad, grad.dtype, vec![rows, width]).into())
}

/// The gradient by the weights of sums.
fn by_weights(c: &mut Call) -> Result {
    let (grad, table, index) = (c.tensor("grad")?, c.tensor("weight")?, positions(c, "indices")?);
    positions(c, "offset2bag")?;
    positions(c, "offsets")?;
    c.one_dtype(grad, table)?;
    let (&[_, width], &[_, wide]) = (&grad.sizes[..], &table.sizes[..]) else { return c.fits(None) };
    shared(c, width, wide)?;
    if c.int("mode")? != SUM || !grad.dtype.is_float() {
        return Err(c.rejected("a gradient of no sum of floats"));
    }
    Ok(c.contiguous(grad, grad.dtype, index.sizes.clone()).into())
}
