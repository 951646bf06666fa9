//! Functions of elements that give other types than they take, membership, histograms, and reads under a mask.

use super::{
    Rule,
    call::{Call, Result, tuple},
    index::indexed,
    pointwise::number_class,
    promote::{DEFAULT_FLOAT, Operand, result_type},
    strides,
    transform::complex,
};
use crate::{
    aten::{Aten, Packet},
    graph::Meta,
};
use symshapes::{DType, DTypeClass, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::frexp, |c| {
        let x = c.tensor("self")?;
        c.fits(x.dtype.is_float().then_some(()))?;
        Ok(tuple([c.preserved(x, x.dtype)?, c.preserved(x, DType::I32)?]))
    }),
    (Packet::ldexp, scaled),
    (Packet::polar, |c| {
        let (abs, angle) = (c.tensor("abs")?, c.tensor("angle")?);
        c.one_dtype(abs, angle)?;
        if !matches!(abs.dtype, DType::F32 | DType::F64) {
            return Err(c.unsupported("parts of complex numbers that are no wide floats"));
        }
        by_elements(c, abs, complex(abs.dtype), &[abs, angle])
    }),
    (Packet::_prelu_kernel_backward, |c| {
        let (grad, x, weight) = (c.tensor("grad_output")?, c.tensor("self")?, c.tensor("weight")?);
        c.one_dtype(x, grad)?;
        c.one_dtype(x, weight)?;
        c.fits(x.dtype.is_float().then_some(()))?;
        let gradient = by_elements(c, x, x.dtype, &[x, weight, grad])?;
        Ok(Meta::Tuple(vec![Some(gradient.clone()), Some(gradient)]))
    }),
    (Packet::mvlgamma, |c| {
        let x = c.tensor("self")?;
        c.fits((x.dtype != DType::Bool && c.int("p")? >= 1).then_some(()))?;
        let dtype = if x.dtype.is_int() { DEFAULT_FLOAT } else { x.dtype };
        Ok(c.contiguous(x, dtype, x.sizes.clone()).into())
    }),
    (Packet::isin, members),
    (Packet::value_selecting_reduction_backward, selected_gradient),
    (Packet::_unsafe_masked_index, |c| {
        let (x, mask) = (c.tensor("self")?, c.tensor("mask")?);
        let read = under_mask(c, x, mask)?;
        if number_class(c, "fill")? > x.dtype.class() {
            return Err(c.unsupported("a number that the elements do not hold"));
        }
        let sizes = c.broadcast(&[&read, &mask.sizes])?;
        Ok(c.contiguous(x, x.dtype, sizes).into())
    }),
    (Packet::_unsafe_masked_index_put_accumulate, |c| {
        let (x, mask, values) = (c.tensor("self")?, c.tensor("mask")?, c.tensor("values")?);
        let written = under_mask(c, x, mask)?;
        c.one_dtype(x, values)?;
        let given = c.broadcast(&[&values.sizes, &mask.sizes])?;
        c.demand_broadcast(&given, &written)?;
        Ok(c.preserved(x, x.dtype)?.into())
    }),
    (Packet::_histogramdd_bin_edges, |c| {
        let (x, bins) = bins(c)?;
        let mut edges = Vec::new();
        for bins in bins {
            let count = c.pool.add_int(bins, 1);
            edges.push(c.contiguous(x, x.dtype, vec![count]));
        }
        Ok(tuple(edges))
    }),
    (Packet::_histogramdd_from_bin_cts, histogram),
    (Packet::_histogramdd_from_bin_tensors, histogram),
];

/// A result of an element-wise function, laid out as its operands.
fn by_elements(c: &mut Call, like: &TensorMeta, dtype: DType, operands: &[&TensorMeta]) -> Result {
    let sizes = c.broadcast(&operands.iter().map(|t| &t.sizes[..]).collect::<Vec<_>>())?;
    let strides = strides::elementwise(&mut c.pool, &sizes, operands);
    let strides = strides.ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(c.strided(like, dtype, sizes, strides).into())
}

/// Elements times powers of two: floats and whole exponents have a kernel, others are multiplied.
fn scaled(c: &mut Call) -> Result {
    let (x, exponent) = (c.tensor("self")?, c.tensor("other")?);
    if x.dtype.is_float() && exponent.dtype.is_int() {
        if x.strides.contains(&Expr::ZERO) {
            return Err(c.unsupported("elements that are repeated"));
        }
        return by_elements(c, x, x.dtype, &[x, exponent]);
    }
    if x.dtype.is_float() && exponent.dtype == DType::Bool {
        return Err(c.rejected("truth values as exponents"));
    }
    if strides::is_contiguous(&mut c.pool, exponent) != Some(true) {
        return Err(c.unsupported("exponents that are not dense"));
    }
    let powers = if exponent.dtype.is_float() { exponent.dtype } else { DEFAULT_FLOAT };
    let powers = c.contiguous(exponent, powers, exponent.sizes.clone());
    let standings = [x, &powers].map(|t| Operand::tensor(t.dtype, t.sizes.len()));
    let dtype = c.fits(result_type(&standings))?;
    by_elements(c, x, dtype, &[x, &powers])
}

/// Truth values in rows, for each element or for a number.
fn members(c: &mut Call) -> Result {
    for name in ["element", "elements", "test_element", "test_elements"].into_iter().filter(|name| c.has(name)) {
        let tensor = c.opt_tensor(name)?;
        let class = tensor.map_or_else(|| number_class(c, name), |t| Ok(t.dtype.class()))?;
        if !matches!(class, DTypeClass::Int | DTypeClass::Float) {
            return Err(c.rejected("truth values or complex numbers"));
        }
    }
    if let Some(tested) = if c.has("test_elements") { c.opt_tensor("test_elements")? } else { None }
        && strides::is_contiguous(&mut c.pool, tested) != Some(true)
    {
        return Err(c.unsupported("a set that is not dense"));
    }
    let (like, sizes) = match c.op() {
        Aten::isin_Scalar_Tensor => (c.tensor("test_elements")?, Vec::new()),
        _ => (c.tensor("elements")?, c.tensor("elements")?.sizes.clone()),
    };
    Ok(c.contiguous(like, DType::Bool, sizes).into())
}

/// The gradient by a tensor of which a reduction has selected elements.
fn selected_gradient(c: &mut Call) -> Result {
    let (grad, places, sizes) = (c.tensor("grad")?, c.tensor("indices")?, c.exprs("sizes")?);
    let (dim, mut reduced) = (c.dim("dim", sizes.len())?, sizes.clone());
    if c.bool("keepdim")? && !sizes.is_empty() {
        reduced[dim] = Expr::ONE;
    } else if !sizes.is_empty() {
        reduced.remove(dim);
    }
    let fits = |c: &mut Call, t: &TensorMeta| {
        let mut pairs = t.sizes.iter().zip(&reduced);
        t.sizes.len() == reduced.len() && pairs.all(|(&a, &b)| c.pool.is_equal(a, b) == Some(true))
    };
    if places.dtype != DType::I64 || !fits(c, grad) || !fits(c, places) {
        return Err(c.unsupported("places or a gradient that are not those of the reduction"));
    }
    Ok(c.contiguous(grad, grad.dtype, sizes).into())
}

/// The sizes of what is read at places that are clamped to the tensor.
fn under_mask(c: &mut Call, x: &TensorMeta, mask: &TensorMeta) -> Result<Vec<Expr>> {
    let places = c.opt_tensors("indices")?;
    if mask.dtype != DType::Bool || places.iter().flatten().any(|t| !matches!(t.dtype, DType::I32 | DType::I64)) {
        return Err(c.unsupported("a mask of other elements, or places that are no integers"));
    }
    if x.sizes.contains(&Expr::ZERO) {
        return Err(c.unsupported("nothing to read"));
    }
    c.fits((places.len() <= x.sizes.len() && places.iter().any(Option::is_some)).then_some(()))?;
    Ok(indexed(c)?.sizes)
}

/// Points of the processor, whose coordinates lie in the last dimension, and the number of bins along each.
fn bins<'a>(c: &mut Call<'a>) -> Result<(&'a TensorMeta, Vec<Expr>)> {
    let x = c.tensor("self")?;
    if !matches!(x.dtype, DType::F32 | DType::F64) || x.device.kind != DeviceKind::Cpu || x.sizes.len() < 2 {
        return Err(c.unsupported("points of other numbers, or of a device"));
    }
    let (&axes, points) = c.fits(x.sizes.split_last())?;
    let bins = if c.op() == Aten::_histogramdd_from_bin_tensors_default { between(c, x)? } else { c.exprs("bins")? };
    if c.op() == Aten::_histogramdd_bin_edges_default {
        if bins.iter().any(|&count| c.pool.range(count).lo < 1) {
            return Err(c.unsupported("edges of no bins"));
        }
    } else if let Some(weight) = c.opt_tensor("weight")? {
        c.one_dtype(x, weight)?;
        c.demand_sizes("weight", points)?;
    }
    let count = c.pool.int(bins.len() as i64);
    c.demand_equal(axes, count)?;
    accepts_ends(c, bins.len())?;
    bins.iter().try_for_each(|&count| c.demand_at_most(Expr::ONE, count))?;
    Ok((x, bins))
}

/// Demands two ends in order for each dimension, where ends are given.
fn accepts_ends(c: &Call, dims: usize) -> Result<()> {
    let Some(ends) = (if c.has("range") { c.list("range") } else { None }) else { return Ok(()) };
    let are_in_order = ends.chunks_exact(2).all(|pair| pair[0].as_float() <= pair[1].as_float());
    match ends.len() == 2 * dims && are_in_order {
        true => Ok(()),
        false => Err(c.rejected("a range that does not name two ends for each dimension")),
    }
}

/// The number of bins between edges.
fn between(c: &mut Call, x: &TensorMeta) -> Result<Vec<Expr>> {
    let mut counts = Vec::new();
    for edges in c.tensors("bins")? {
        c.one_dtype(x, edges)?;
        let &[edges] = &edges.sizes[..] else { return c.fits(None) };
        counts.push(c.pool.add_int(edges, -1));
    }
    Ok(counts)
}

/// The number of points in each bin.
fn histogram(c: &mut Call) -> Result {
    let (x, bins) = bins(c)?;
    Ok(c.contiguous(x, x.dtype, bins).into())
}
