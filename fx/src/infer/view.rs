//! Views and copies: the elements stay, sizes and strides change.

use super::{
    InferError, Rule,
    call::{Call, Result, tuple},
    strides,
};
use crate::aten::Aten;
use crate::aten::Packet;
use crate::graph::Meta;
use symshapes::{DType, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::view, |c| match c.op() {
        Aten::view_dtype => Err(c.unsupported("a view as another dtype")),
        _ => sized(c, "size", false),
    }),
    (Packet::_unsafe_view, |c| sized(c, "size", false)),
    (Packet::reshape, |c| sized(c, "shape", true)),
    (Packet::_reshape_alias, |c| strided(c, "stride")),
    (Packet::as_strided, |c| strided(c, "stride")),
    (Packet::view_as, |c| {
        let (x, sizes) = (c.tensor("self")?, c.tensor("other")?.sizes.clone());
        reshaped(c, x, sizes, false)
    }),
    (Packet::view_as_real, view_as_real),
    (Packet::view_as_complex, view_as_complex),
    (Packet::flatten, flatten),
    (Packet::unflatten, unflatten),
    (Packet::lift_fresh, |c| Ok(c.tensor("self")?.clone().into())),
    (Packet::alias, |c| Ok(c.tensor("self")?.clone().into())),
    (Packet::detach, detached),
    (Packet::data, detached),
    (Packet::clone, copied),
    (Packet::lift_fresh_copy, copied),
    (Packet::contiguous, contiguous),
    (Packet::_to_copy, to_copy),
    (Packet::to, to),
    (Packet::type_as, to),
    (Packet::copy, |c| {
        let (x, source) = (c.tensor("self")?, c.tensor("src")?);
        expanded(c, source, &x.sizes)?;
        Ok(c.preserved(x, x.dtype)?.into())
    }),
    (Packet::expand, expand),
    (Packet::expand_as, |c| {
        let (x, sizes) = (c.tensor("self")?, c.tensor("other")?.sizes.clone());
        expanded(c, x, &sizes)
    }),
    (Packet::permute, permute),
    (Packet::transpose, transpose),
    (Packet::t, t),
    (Packet::movedim, movedim),
    (Packet::unsqueeze, unsqueeze),
    (Packet::squeeze, squeeze),
    (Packet::slice, slice),
    (Packet::select, select),
    (Packet::narrow, narrow),
    (Packet::split, split),
    (Packet::split_with_sizes, split),
    (Packet::chunk, chunk),
    (Packet::unbind, unbind),
    (Packet::diagonal, diagonal),
    (Packet::ravel, |c| {
        // Of a tensor that is not row-major a copy, though there may be a view.
        let x = c.tensor("self")?;
        let count = strides::numel(&mut c.pool, &x.sizes);
        match strides::is_contiguous(&mut c.pool, x) {
            Some(true) => reshaped(c, x, vec![count], true),
            Some(false) => Ok(c.contiguous(x, x.dtype, vec![count]).into()),
            None => Err(c.undecided("whether a tensor is row-major")),
        }
    }),
    (Packet::reshape_as, |c| {
        let (x, sizes) = (c.tensor("self")?, c.tensor("other")?.sizes.clone());
        reshaped(c, x, sizes, true)
    }),
    (Packet::unsafe_split, split),
    (Packet::unsafe_split_with_sizes, split),
    (Packet::unsafe_chunk, chunk),
    (Packet::alias_copy, |c| copy_of(c, |c| Ok(c.tensor("self")?.clone().into()))),
    (Packet::diagonal_copy, |c| copy_of(c, diagonal)),
    (Packet::expand_copy, |c| copy_of(c, expand)),
    (Packet::permute_copy, |c| copy_of(c, permute)),
    (Packet::select_copy, |c| copy_of(c, select)),
    (Packet::slice_copy, |c| copy_of(c, slice)),
    (Packet::split_copy, |c| copy_of(c, split)),
    (Packet::split_with_sizes_copy, |c| copy_of(c, split)),
    (Packet::squeeze_copy, |c| copy_of(c, squeeze)),
    (Packet::t_copy, |c| copy_of(c, t)),
    (Packet::transpose_copy, |c| copy_of(c, transpose)),
    (Packet::unbind_copy, |c| copy_of(c, unbind)),
    (Packet::unfold_copy, |c| copy_of(c, unfold)),
    (Packet::unsqueeze_copy, |c| copy_of(c, unsqueeze)),
    (Packet::narrow_copy, |c| copy_of(c, narrow)),
    (Packet::view_copy, |c| match c.op() {
        Aten::view_copy_default => copy_of(c, |c| sized(c, "size", true)),
        _ => Err(c.unsupported("a view as another dtype")),
    }),
    (Packet::unfold, unfold),
];

/// A view by sizes, one of which may be −1. Where the strides do not allow it, a copy if `copies`.
fn sized(c: &mut Call, name: &str, copies: bool) -> Result {
    let x = c.tensor("self")?;
    let sizes = filled(c, name, &x.sizes)?;
    reshaped(c, x, sizes, copies)
}

/// Sizes of as many elements as these, where −1 stands for the one that follows from the others.
fn filled(c: &mut Call, name: &str, of: &[Expr]) -> std::result::Result<Vec<Expr>, InferError> {
    let mut sizes = c.exprs(name)?;
    if let Some(open) = sizes.iter().position(|&s| c.pool.as_int(s) == Some(-1)) {
        sizes[open] = c.pool.int(1);
        let (all, known) = (strides::numel(&mut c.pool, of), strides::numel(&mut c.pool, &sizes));
        let zero = c.pool.int(0);
        sizes[open] = if known == zero { zero } else { c.pool.floor_div(all, known) };
    }
    Ok(sizes)
}

fn reshaped(c: &mut Call, x: &TensorMeta, sizes: Vec<Expr>, copies: bool) -> Result {
    let (all, wanted) = (strides::numel(&mut c.pool, &x.sizes), strides::numel(&mut c.pool, &sizes));
    match c.pool.has_to_equal(all, wanted) {
        Some(true) => {}
        Some(false) => return c.fits(None),
        None => return Err(c.undecided("whether a view has as many elements")),
    }
    match strides::viewed(&mut c.pool, x, &sizes).ok_or_else(|| c.undecided("the strides of a view"))? {
        Some(strides) => Ok(TensorMeta { sizes, strides, ..x.clone() }.into()),
        None if copies => Ok(c.contiguous(x, x.dtype, sizes).into()),
        None => Err(c.unsupported("strides that allow no such view")),
    }
}

fn strided(c: &mut Call, stride: &str) -> Result {
    let x = c.tensor("self")?;
    let (sizes, strides) = (c.exprs("size")?, c.exprs(stride)?);
    let offset = if c.given("storage_offset") { c.expr("storage_offset")? } else { x.offset };
    Ok(TensorMeta { sizes, strides, offset, ..x.clone() }.into())
}

fn detached(c: &mut Call) -> Result {
    Ok(TensorMeta { requires_grad: false, ..c.tensor("self")?.clone() }.into())
}

fn flatten(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let rank = x.sizes.len();
    let (start, end) = (c.dim("start_dim", rank)?, c.dim("end_dim", rank)?);
    if rank == 0 {
        let one = c.pool.int(1);
        return reshaped(c, x, vec![one], true);
    }
    let merged = strides::numel(&mut c.pool, &x.sizes[start..=end]);
    let sizes = [&x.sizes[..start], &[merged], &x.sizes[end + 1..]].concat();
    reshaped(c, x, sizes, true)
}

fn unflatten(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let parts = filled(c, "sizes", &x.sizes[dim..=dim])?;
    let (whole, product) = (x.sizes[dim], strides::numel(&mut c.pool, &parts));
    if parts.is_empty() || c.pool.has_to_equal(whole, product) != Some(true) {
        return Err(c.undecided("whether a dimension has as many elements as its parts"));
    }
    let sizes = [&x.sizes[..dim], &parts, &x.sizes[dim + 1..]].concat();
    reshaped(c, x, sizes, false)
}

fn copied(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(c.formatted(x, x.dtype)?.into())
}

fn contiguous(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let format = c.opt_memory_format("memory_format")?;
    let already = match format {
        Some("channels_last" | "channels_last_3d") => strides::is_channels_last(&mut c.pool, x),
        _ => strides::is_contiguous(&mut c.pool, x),
    };
    if already.ok_or_else(|| c.undecided("the memory format"))? {
        Ok(x.clone().into())
    } else {
        Ok(c.formatted(x, x.dtype)?.into())
    }
}

fn to_copy(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let (dtype, device) = (c.dtype()?.unwrap_or(x.dtype), c.opt_device("device")?.unwrap_or(x.device));
    Ok(TensorMeta { device, ..c.formatted(x, dtype)? }.into())
}

/// `to` gives the tensor itself where nothing changes.
fn to(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let other = c.opt_tensor("other")?;
    let dtype = other.map_or(c.dtype()?, |o| Some(o.dtype)).unwrap_or(x.dtype);
    let given = if c.has("device") { c.opt_device("device")? } else { None };
    let device = other.map(|o| o.device).or(given).unwrap_or(x.device);
    let forced = c.has("copy") && c.bool("copy")? || c.given("memory_format");
    if dtype == x.dtype && device == x.device && !forced {
        return Ok(x.clone().into());
    }
    Ok(TensorMeta { device, ..c.formatted(x, dtype)? }.into())
}

fn expand(c: &mut Call) -> Result {
    let (x, mut sizes) = (c.tensor("self")?, c.exprs("size")?);
    let skip = c.fits(sizes.len().checked_sub(x.sizes.len()))?;
    for (size, &own) in sizes[skip..].iter_mut().zip(&x.sizes) {
        if c.pool.as_int(*size) == Some(-1) {
            *size = own;
        }
    }
    expanded(c, x, &sizes)
}

fn expanded(c: &mut Call, x: &TensorMeta, sizes: &[Expr]) -> Result {
    let skip = c.fits(sizes.len().checked_sub(x.sizes.len()))?;
    let mut strides = vec![c.pool.int(0); sizes.len()];
    for d in 0..x.sizes.len() {
        if x.sizes[d] == sizes[skip + d] {
            strides[skip + d] = x.strides[d];
        } else if c.pool.is_one(x.sizes[d]) == Some(true) {
        } else if c.pool.has_to_equal(x.sizes[d], sizes[skip + d]) == Some(true) {
            strides[skip + d] = x.strides[d];
        } else {
            return Err(c.undecided("whether a dimension that is expanded has size 1"));
        }
    }
    Ok(TensorMeta { sizes: sizes.to_vec(), strides, ..x.clone() }.into())
}

fn permuted(x: &TensorMeta, dims: &[usize]) -> TensorMeta {
    let pick = |items: &[Expr]| dims.iter().map(|&d| items[d]).collect();
    TensorMeta { sizes: pick(&x.sizes), strides: pick(&x.strides), ..x.clone() }
}

fn permute(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dims = c.dims("dims", x.sizes.len())?;
    Ok(permuted(x, &dims).into())
}

/// Element types of pairs of numbers, and that of each of the two.
const COMPLEX: [(DType, DType); 2] = [(DType::C64, DType::F32), (DType::C128, DType::F64)];

/// Complex numbers as pairs, along a new last dimension.
fn view_as_real(c: &mut Call) -> Result {
    let mut x = c.tensor("self")?.clone();
    let row = COMPLEX.iter().find(|(complex, _)| *complex == x.dtype);
    x.dtype = c.fits(row.map(|&(_, part)| part))?;
    for stride in &mut x.strides {
        *stride = c.pool.mul_int(*stride, 2);
    }
    x.offset = c.pool.mul_int(x.offset, 2);
    x.sizes.push(c.pool.int(2));
    x.strides.push(Expr::ONE);
    Ok(x.into())
}

/// Pairs along the last dimension, which lie side by side, as complex numbers.
fn view_as_complex(c: &mut Call) -> Result {
    let mut x = c.tensor("self")?.clone();
    let row = COMPLEX.iter().find(|(_, part)| *part == x.dtype);
    x.dtype = c.fits(row.map(|&(complex, _)| complex))?;
    let [size, stride] = [x.sizes.pop(), x.strides.pop()];
    c.fits((size.and_then(|size| c.pool.as_int(size)) == Some(2)).then_some(()))?;
    c.fits((stride == Some(Expr::ONE)).then_some(()))?;
    let halved = |c: &mut Call, places: Expr| {
        let half = c.pool.floor_div_int(places, 2);
        let is_even = c.pool.mul_int(half, 2) == places;
        if is_even { Ok(half) } else { Err(c.unsupported("pairs at odd places")) }
    };
    x.strides = x.strides.iter().map(|&stride| halved(c, stride)).collect::<Result<_>>()?;
    x.offset = halved(c, x.offset)?;
    Ok(x.into())
}

fn transpose(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let mut dims: Vec<usize> = (0..x.sizes.len()).collect();
    let (a, b) = (c.dim("dim0", dims.len())?, c.dim("dim1", dims.len())?);
    if !dims.is_empty() {
        dims.swap(a, b);
    }
    Ok(permuted(x, &dims).into())
}

fn t(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(permuted(x, &(0..x.sizes.len()).rev().collect::<Vec<_>>()).into())
}

/// Row-major copies of the views that another rule gives.
fn copy_of(c: &mut Call, view: Rule) -> Result {
    let copy = |c: &mut Call, meta: Meta| match meta {
        Meta::Tensor(of) => Meta::Tensor(c.contiguous(&of, of.dtype, of.sizes.clone())),
        other => other,
    };
    Ok(match view(c)? {
        Meta::Tuple(views) => Meta::Tuple(views.into_iter().map(|view| view.map(|view| copy(c, view))).collect()),
        view => copy(c, view),
    })
}

fn movedim(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let rank = x.sizes.len();
    let (source, destination) = (c.dims("source", rank)?, c.dims("destination", rank)?);
    let mut rest = (0..rank).filter(|d| !source.contains(d));
    let at = |d: usize| destination.iter().position(|&t| t == d).map(|i| source[i]);
    let dims = (0..rank).map(|d| at(d).or_else(|| rest.next())).collect::<Option<Vec<_>>>();
    Ok(permuted(x, &c.fits(dims)?).into())
}

fn unsqueeze(c: &mut Call) -> Result {
    let mut x = c.tensor("self")?.clone();
    let dim = c.dim("dim", x.sizes.len() + 1)?;
    let one = c.pool.int(1);
    let stride = if dim < x.sizes.len() { c.pool.mul(x.sizes[dim], x.strides[dim]) } else { one };
    x.sizes.insert(dim, one);
    x.strides.insert(dim, stride);
    Ok(x.into())
}

fn squeeze(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let none_named = c.has("dim") && c.list("dim").is_some_and(<[_]>::is_empty);
    let dims = if none_named { Vec::new() } else { c.dims("dim", x.sizes.len())? };
    let mut kept = Vec::new();
    for d in 0..x.sizes.len() {
        let dropped =
            dims.contains(&d) && c.pool.is_one(x.sizes[d]).ok_or_else(|| c.undecided("whether a size is 1"))?;
        kept.extend((!dropped).then_some(d));
    }
    Ok(permuted(x, &kept).into())
}

/// The part of `x` that starts at `start` along `dim` and steps by `step`.
fn part(c: &mut Call, x: &TensorMeta, dim: usize, start: Expr, len: Expr, step: i64) -> TensorMeta {
    let mut part = x.clone();
    let skipped = c.pool.mul(start, x.strides[dim]);
    part.offset = c.pool.add(x.offset, skipped);
    part.sizes[dim] = len;
    part.strides[dim] = c.pool.mul_int(x.strides[dim], step);
    part
}

/// A bound of a slice, counted from the end if negative, held between 0 and the size.
fn bound(c: &mut Call, name: &str, size: Expr, none: Expr) -> Result<Expr> {
    if !c.given(name) {
        return Ok(none);
    }
    let at = c.expr(name)?;
    // The greatest integer is how torch writes "to the end".
    if c.pool.as_int(at) == Some(i64::MAX) {
        return Ok(size);
    }
    let at = from_start(c, at, size)?;
    let (inside, positive) = (c.pool.le(at, size), c.pool.le(Expr::ZERO, at));
    let high = match c.pool.decide(inside) {
        Some(true) => at,
        Some(false) => size,
        None => c.pool.min(at, size),
    };
    Ok(match c.pool.decide(positive) {
        Some(true) => high,
        Some(false) => Expr::ZERO,
        None => c.pool.max(high, Expr::ZERO),
    })
}

/// A position counted from the start, where a negative one counts from the end.
fn from_start(c: &mut Call, at: Expr, size: Expr) -> Result<Expr> {
    let negative = c.pool.lt(at, Expr::ZERO);
    match c.pool.decide(negative) {
        Some(false) => Ok(at),
        Some(true) => Ok(c.pool.add(at, size)),
        None => Err(c.undecided("whether a position counts from the end")),
    }
}

fn slice(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let size = *c.fits(x.sizes.get(dim))?;
    let (zero, step) = (c.pool.int(0), c.int("step")?);
    let start = bound(c, "start", size, zero)?;
    let end = bound(c, "end", size, size)?;
    let span = c.pool.sub(end, start);
    let span = c.pool.max(span, zero);
    let step_expr = c.pool.int(step);
    let len = c.pool.ceil_div(span, step_expr);
    Ok(part(c, x, dim, start, len, step).into())
}

/// `x` at one position of `dim`, without that dimension.
fn at_position(c: &mut Call, x: &TensorMeta, dim: usize, at: Expr) -> TensorMeta {
    let one = c.pool.int(1);
    let mut picked = part(c, x, dim, at, one, 1);
    picked.sizes.remove(dim);
    picked.strides.remove(dim);
    picked
}

fn select(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let (size, index) = (*c.fits(x.sizes.get(dim))?, c.expr("index")?);
    let at = from_start(c, index, size)?;
    let zero = c.pool.int(0);
    for within in [c.pool.le(zero, at), c.pool.lt(at, size)] {
        if c.pool.decide(within) == Some(false) {
            return Err(c.out_of_range());
        }
    }
    Ok(at_position(c, x, dim, at).into())
}

fn narrow(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let size = *c.fits(x.sizes.get(dim))?;
    let zero = c.pool.int(0);
    let (start, len) = (bound(c, "start", size, zero)?, c.expr("length")?);
    Ok(part(c, x, dim, start, len, 1).into())
}

/// The parts of these lengths along `dim`.
fn parts(c: &mut Call, x: &TensorMeta, dim: usize, lengths: &[Expr]) -> Meta {
    let mut start = c.pool.int(0);
    let parts: Vec<TensorMeta> = lengths
        .iter()
        .map(|&len| {
            let one = part(c, x, dim, start, len, 1);
            start = c.pool.add(start, len);
            one
        })
        .collect();
    tuple(parts)
}

/// The number of parts into which a dimension splits, which the graph needs to know.
fn count(c: &mut Call, parts: Expr) -> Result<i64> {
    c.pool.value(parts).ok_or_else(|| c.undecided("into how many parts a dimension splits"))
}

/// The lengths of parts of at most `most` that make up the dimension.
fn equal_parts(c: &mut Call, size: Expr, most: Expr) -> Result<Vec<Expr>> {
    let most = c.pool.max(most, Expr::ONE);
    let parts = c.pool.ceil_div(size, most);
    let full = count(c, parts)?.max(1) - 1;
    let taken = c.pool.mul_int(most, full);
    let last = c.pool.sub(size, taken);
    Ok(std::iter::repeat_n(most, full as usize).chain([last]).collect())
}

fn split(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let name = if c.has("split_sizes") { "split_sizes" } else { "split_size" };
    let lengths = if c.list(name).is_some() {
        c.exprs(name)?
    } else {
        let (size, most) = (*c.fits(x.sizes.get(dim))?, c.expr(name)?);
        equal_parts(c, size, most)?
    };
    Ok(parts(c, x, dim, &lengths))
}

fn chunk(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let (size, chunks) = (*c.fits(x.sizes.get(dim))?, c.int("chunks")?);
    let count = c.fits(usize::try_from(chunks).ok().filter(|&count| count > 0))?;
    let lengths = if c.pool.as_int(size) == Some(0) {
        // As many empty ones as are asked for.
        vec![Expr::ZERO; count]
    } else {
        let chunks = c.pool.int(chunks);
        let most = c.pool.ceil_div(size, chunks);
        equal_parts(c, size, most)?
    };
    Ok(parts(c, x, dim, &lengths))
}

fn unbind(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let size = *c.fits(x.sizes.get(dim))?;
    let size = count(c, size)?;
    let picked: Vec<TensorMeta> = (0..size)
        .map(|i| {
            let at = c.pool.int(i);
            at_position(c, x, dim, at)
        })
        .collect();
    Ok(tuple(picked))
}

fn diagonal(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let rank = x.sizes.len();
    let (offset, a, b) = (c.int("offset")?, c.dim("dim1", rank)?, c.dim("dim2", rank)?);
    let (rows, columns) = (c.pool.add_int(x.sizes[a], offset.min(0)), c.pool.add_int(x.sizes[b], -offset.max(0)));
    let (zero, shorter) = (c.pool.int(0), c.pool.min(rows, columns));
    let len = c.pool.max(shorter, zero);
    let skipped = if offset < 0 { c.pool.mul_int(x.strides[a], -offset) } else { c.pool.mul_int(x.strides[b], offset) };
    let mut diagonal = permuted(x, &(0..rank).filter(|&d| d != a && d != b).collect::<Vec<_>>());
    diagonal.sizes.push(len);
    diagonal.strides.push(c.pool.add(x.strides[a], x.strides[b]));
    diagonal.offset = c.pool.add(x.offset, skipped);
    Ok(diagonal.into())
}

fn unfold(c: &mut Call) -> Result {
    let mut x = c.tensor("self")?.clone();
    let dim = c.dim("dimension", x.sizes.len())?;
    let (size, step) = (c.int("size")?, c.int("step")?);
    if x.sizes.is_empty() {
        // A number is one window.
        c.fits((0..=1).contains(&size).then_some(()))?;
        (x.sizes, x.strides) = (vec![c.pool.int(size)], vec![Expr::ONE]);
        return Ok(x.into());
    }
    let room = c.pool.add_int(x.sizes[dim], -size);
    let steps = c.pool.int(step);
    let count = c.pool.floor_div(room, steps);
    x.sizes[dim] = c.pool.add_int(count, 1);
    x.sizes.push(c.pool.int(size));
    x.strides.push(x.strides[dim]);
    x.strides[dim] = c.pool.mul_int(x.strides[dim], step);
    Ok(x.into())
}
