//! Reductions, scans and orderings: row-major results but for `sort`.

use super::{
    Rule,
    call::{Call, Result, tuple},
    promote::DEFAULT_FLOAT,
};
use crate::aten::Packet;
use symshapes::{DType, DTypeClass, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::sum, |c| reduced(c, counted)),
    (Packet::prod, |c| reduced(c, counted)),
    (Packet::mean, mean),
    (Packet::amax, |c| reduced(c, |x| x.dtype)),
    (Packet::amin, |c| reduced(c, |x| x.dtype)),
    (Packet::any, |c| reduced(c, truth)),
    (Packet::all, |c| reduced(c, truth)),
    (Packet::count_nonzero, |c| reduced(c, |_| DType::I64)),
    (Packet::logsumexp, |c| {
        // Of no dimension, torch takes the largest of all.
        c.fits((!c.list("dim").is_some_and(<[_]>::is_empty) || c.tensor("self")?.sizes.is_empty()).then_some(()))?;
        reduced(c, floating)
    }),
    (Packet::linalg__powsum, powers),
    (Packet::linalg_vector_norm, |c| reduced(c, |x| x.dtype)),
    (Packet::renorm, |c| {
        let (x, order, most) = (c.tensor("self")?, c.float("p")?, c.float("maxnorm")?);
        c.fits((x.sizes.len() > 1).then_some(()))?;
        c.dim("dim", x.sizes.len())?;
        if order.is_nan() || order <= 0.0 || most.is_nan() || most < 0.0 {
            return Err(c.unsupported("an order or a norm that is not positive"));
        }
        Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
    }),
    (Packet::var, |c| reduced(c, |x| x.dtype)),
    (Packet::std, |c| reduced(c, |x| x.dtype)),
    (Packet::var_mean, |c| pair(c, |x| x.dtype)),
    (Packet::std_mean, |c| pair(c, |x| x.dtype)),
    (Packet::nansum, |c| reduced(c, counted)),
    (Packet::norm, |c| reduced(c, floating)),
    (Packet::dist, |c| scalar(c, floating)),
    (Packet::trace, |c| scalar(c, counted)),
    (Packet::median, extreme),
    (Packet::nanmedian, extreme),
    (Packet::mode, |c| pair(c, |_| DType::I64)),
    (Packet::kthvalue, |c| pair(c, |_| DType::I64)),
    (Packet::aminmax, |c| pair(c, |x| x.dtype)),
    (Packet::argmax, |c| reduced(c, |_| DType::I64)),
    (Packet::argmin, |c| reduced(c, |_| DType::I64)),
    (Packet::max, extreme),
    (Packet::min, extreme),
    (Packet::cumsum, scan),
    (Packet::cumprod, scan),
    (Packet::logcumsumexp, scan),
    (Packet::cummax, scan_with_positions),
    (Packet::cummin, scan_with_positions),
    (Packet::histc, |c| {
        let (x, bins) = (c.tensor("self")?, c.expr("bins")?);
        Ok(c.contiguous(x, x.dtype, vec![bins]).into())
    }),
    (Packet::bucketize, places),
    (Packet::searchsorted, places),
    (Packet::sort, sort),
    (Packet::topk, topk),
    (Packet::segment_reduce, segments),
];

/// Integers have no mean, unless a dtype for it is given.
fn mean(c: &mut Call) -> Result {
    if c.dtype()?.is_none() && c.tensor("self")?.dtype.class() < DTypeClass::Float {
        return Err(c.unsupported("a mean of integers"));
    }
    reduced(c, |x| x.dtype)
}

/// Integers and bool are counted in `int64`.
fn counted(x: &TensorMeta) -> DType {
    if x.dtype.class() < DTypeClass::Float { DType::I64 } else { x.dtype }
}

/// `any` and `all` of bytes stay bytes, as they were before there was bool.
fn truth(x: &TensorMeta) -> DType {
    if x.dtype == DType::U8 { DType::U8 } else { DType::Bool }
}

fn floating(x: &TensorMeta) -> DType {
    if x.dtype.class() < DTypeClass::Float { DEFAULT_FLOAT } else { x.dtype }
}

/// The sizes after the call's reduction.
fn sizes(c: &mut Call, x: &TensorMeta) -> Result<Vec<Expr>> {
    let dims = c.dims("dim", x.sizes.len())?;
    let keep = c.has("keepdim") && c.bool("keepdim")?;
    let one = c.pool.int(1);
    let size = |(d, &s): (usize, &Expr)| match (dims.contains(&d), keep) {
        (false, _) => Some(s),
        (true, true) => Some(one),
        (true, false) => None,
    };
    Ok(x.sizes.iter().enumerate().filter_map(size).collect())
}

fn one(c: &mut Call, dtype: fn(&TensorMeta) -> DType) -> Result<TensorMeta> {
    let x = c.tensor("self")?;
    let sizes = sizes(c, x)?;
    let dtype = c.dtype()?.unwrap_or(dtype(x));
    Ok(c.contiguous(x, dtype, sizes))
}

fn reduced(c: &mut Call, dtype: fn(&TensorMeta) -> DType) -> Result {
    Ok(one(c, dtype)?.into())
}

fn pair(c: &mut Call, second: fn(&TensorMeta) -> DType) -> Result {
    Ok(tuple([one(c, |x| x.dtype)?, one(c, second)?]))
}

/// Along one dimension with positions, or of everything without.
fn extreme(c: &mut Call) -> Result {
    if c.has("dim") { pair(c, |_| DType::I64) } else { reduced(c, |x| x.dtype) }
}

fn scan(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dtype = c.dtype()?.unwrap_or(counted(x));
    Ok(c.contiguous(x, dtype, x.sizes.clone()).into())
}

fn scan_with_positions(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(tuple([x.dtype, DType::I64].map(|dtype| c.contiguous(x, dtype, x.sizes.clone()))))
}

/// A number, of all elements.
fn scalar(c: &mut Call, dtype: fn(&TensorMeta) -> DType) -> Result {
    let x = c.tensor("self")?;
    Ok(c.contiguous(x, dtype(x), Vec::new()).into())
}

/// The positions of values among sorted ones.
fn places(c: &mut Call) -> Result {
    let Some(x) = c.opt_tensor("self")? else { return Err(c.unsupported("the place of a number")) };
    let dtype = if c.bool("out_int32")? { DType::I32 } else { DType::I64 };
    Ok(c.contiguous(x, dtype, x.sizes.clone()).into())
}

/// One element for each segment of a dimension, whose lengths or ends are given for each index before it.
fn segments(c: &mut Call) -> Result {
    let (data, lengths, ends) = (c.tensor("data")?, c.opt_tensor("lengths")?, c.opt_tensor("offsets")?);
    if data.device.kind != DeviceKind::Cpu || c.given("indices") || (lengths.is_some() && ends.is_some()) {
        return Err(c.unsupported("segments of a device, by indices, or given twice"));
    }
    let given = c.fits(lengths.or(ends))?;
    c.fits((data.dtype.is_float() && matches!(given.dtype, DType::I32 | DType::I64)).then_some(()))?;
    c.fits(matches!(c.str("reduce")?, "sum" | "mean" | "max" | "min" | "prod").then_some(()))?;
    let (axis, mut sizes) = (c.dim("axis", data.sizes.len())?, given.sizes.clone());
    c.fits((sizes.len() == axis + 1 && axis < data.sizes.len()).then_some(()))?;
    for (&own, &of_data) in sizes[..axis].iter().zip(&data.sizes) {
        if c.pool.is_equal(own, of_data) != Some(true) {
            return Err(c.unsupported("segments of another number of rows"));
        }
    }
    c.demand_at_most(Expr::ONE, sizes[axis])?;
    if lengths.is_none() {
        sizes[axis] = c.pool.add_int(sizes[axis], -1);
    }
    sizes.extend(&data.sizes[axis + 1..]);
    Ok(c.contiguous(data, data.dtype, sizes).into())
}

fn sort(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(tuple([c.preserved(x, x.dtype)?, c.preserved(x, DType::I64)?]))
}

fn topk(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let mut sizes = x.sizes.clone();
    let dim = c.dim("dim", sizes.len())?;
    let count = c.expr("k")?;
    if let Some(size) = sizes.get_mut(dim) {
        *size = count;
    }
    Ok(tuple([c.contiguous(x, x.dtype, sizes.clone()), c.contiguous(x, DType::I64, sizes)]))
}

/// The sum of powers along dimensions that are named once.
fn powers(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    if x.device.kind != DeviceKind::Cpu || !c.dtype()?.unwrap_or(x.dtype).is_float() || !x.dtype.is_float() {
        return Err(c.unsupported("powers of other numbers, or on a device"));
    }
    let dims = c.dims("dim", x.sizes.len())?;
    let is_twice = |(at, dim)| dims[..at].contains(dim);
    c.fits((!dims.iter().enumerate().any(is_twice)).then_some(()))?;
    reduced(c, |x| x.dtype)
}
