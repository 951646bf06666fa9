//! Views and copies: the elements stay, sizes and strides change.

use super::{
    Rule,
    call::{Call, Result, tuple},
    strides,
};
use crate::{
    arg::Arg,
    graph::{Meta, TensorMeta},
};
use symshapes::Expr;

/// The rules of this family.
pub(super) const RULES: &[(&str, Rule)] = &[
    ("view", |c| sized(c, "size", false)),
    ("view.dtype", |c| Err(c.unsupported("a view as another dtype"))),
    ("_unsafe_view", |c| sized(c, "size", false)),
    ("reshape", |c| sized(c, "shape", true)),
    ("_reshape_alias", |c| strided(c, "stride")),
    ("as_strided", |c| strided(c, "stride")),
    ("view_as", |c| {
        let (x, sizes) = (c.tensor("self")?, c.tensor("other")?.sizes.clone());
        reshaped(c, x, sizes, false)
    }),
    ("flatten", flatten),
    ("alias", |c| Ok(c.tensor("self")?.clone().into())),
    ("detach", |c| Ok(TensorMeta { requires_grad: false, ..c.tensor("self")?.clone() }.into())),
    ("clone", copied),
    ("lift_fresh_copy", copied),
    ("contiguous", contiguous),
    ("_to_copy", to_copy),
    ("to", to),
    ("type_as", to),
    ("copy", |c| {
        let x = c.tensor("self")?;
        Ok(c.preserved(x, x.dtype)?.into())
    }),
    ("expand", expand),
    ("expand_as", |c| {
        let (x, sizes) = (c.tensor("self")?, c.tensor("other")?.sizes.clone());
        expanded(c, x, &sizes)
    }),
    ("permute", |c| {
        let x = c.tensor("self")?;
        let dims = c.dims("dims", x.sizes.len())?;
        Ok(permuted(x, &dims).into())
    }),
    ("transpose", |c| {
        let x = c.tensor("self")?;
        let mut dims: Vec<usize> = (0..x.sizes.len()).collect();
        let (a, b) = (c.dim("dim0", dims.len())?, c.dim("dim1", dims.len())?);
        if !dims.is_empty() {
            dims.swap(a, b);
        }
        Ok(permuted(x, &dims).into())
    }),
    ("t", |c| {
        let x = c.tensor("self")?;
        Ok(permuted(x, &(0..x.sizes.len()).rev().collect::<Vec<_>>()).into())
    }),
    ("movedim", movedim),
    ("unsqueeze", unsqueeze),
    ("squeeze", squeeze),
    ("slice", slice),
    ("select", select),
    ("narrow", narrow),
    ("split", split),
    ("split_with_sizes", split),
    ("chunk", chunk),
    ("unbind", unbind),
    ("diagonal", diagonal),
    ("unfold", unfold),
];

/// A view by sizes, one of which may be −1. Where the strides do not allow it, a copy if `copies`.
fn sized(c: &mut Call, name: &str, copies: bool) -> Result {
    let x = c.tensor("self")?;
    let mut sizes = c.exprs(name)?;
    if let Some(open) = sizes.iter().position(|&s| c.pool.as_int(s) == Some(-1)) {
        sizes[open] = c.pool.int(1);
        let (all, known) = (strides::numel(c.pool, &x.sizes), strides::numel(c.pool, &sizes));
        let zero = c.pool.int(0);
        sizes[open] = if known == zero { zero } else { c.pool.floor_div(all, known) };
    }
    reshaped(c, x, sizes, copies)
}

fn reshaped(c: &mut Call, x: &TensorMeta, sizes: Vec<Expr>, copies: bool) -> Result {
    let (all, wanted) = (strides::numel(c.pool, &x.sizes), strides::numel(c.pool, &sizes));
    if all != wanted {
        let numbers = c.pool.as_int(all).is_some() && c.pool.as_int(wanted).is_some();
        return if numbers { c.fits(None) } else { Err(c.undecided("whether a view has as many elements")) };
    }
    match strides::viewed(c.pool, x, &sizes) {
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

fn flatten(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let rank = x.sizes.len();
    let (start, end) = (c.dim("start_dim", rank)?, c.dim("end_dim", rank)?);
    if rank == 0 {
        let one = c.pool.int(1);
        return reshaped(c, x, vec![one], true);
    }
    let merged = strides::numel(c.pool, &x.sizes[start..=end]);
    let sizes = [&x.sizes[..start], &[merged], &x.sizes[end + 1..]].concat();
    reshaped(c, x, sizes, true)
}

fn copied(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    Ok(c.formatted(x, x.dtype)?.into())
}

fn contiguous(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let format = c.opt_memory_format("memory_format")?;
    let already = match format {
        Some("channels_last" | "channels_last_3d") => strides::is_channels_last(c.pool, x),
        _ => strides::is_contiguous(c.pool, x),
    };
    if already { Ok(x.clone().into()) } else { Ok(c.formatted(x, x.dtype)?.into()) }
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
        } else if !c.is_one(x.sizes[d]) {
            return Err(c.undecided("whether a dimension that is expanded has size 1"));
        }
    }
    Ok(TensorMeta { sizes: sizes.to_vec(), strides, ..x.clone() }.into())
}

fn permuted(x: &TensorMeta, dims: &[usize]) -> TensorMeta {
    let pick = |items: &[Expr]| dims.iter().map(|&d| items[d]).collect();
    TensorMeta { sizes: pick(&x.sizes), strides: pick(&x.strides), ..x.clone() }
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
    let dims = c.dims("dim", x.sizes.len())?;
    let kept: Vec<usize> = (0..x.sizes.len()).filter(|&d| !(dims.contains(&d) && c.is_one(x.sizes[d]))).collect();
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
    let range = c.pool.range(at);
    let at = match (range.lo >= 0, range.hi < 0) {
        (true, _) => at,
        (_, true) => c.pool.add(at, size),
        _ => return Err(c.undecided("whether a bound counts from the end")),
    };
    let zero = c.pool.int(0);
    let low = c.pool.max(at, zero);
    Ok(c.pool.min(low, size))
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
    let range = c.pool.range(index);
    let at = match (range.lo >= 0, range.hi < 0) {
        (true, _) => index,
        (_, true) => c.pool.add(index, size),
        _ => return Err(c.undecided("whether an index counts from the end")),
    };
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

/// The size of a dimension whose number of parts the graph needs to know.
fn known(c: &Call, x: &TensorMeta, dim: usize) -> Result<i64> {
    let size = *c.fits(x.sizes.get(dim))?;
    c.pool.as_int(size).ok_or_else(|| c.undecided("into how many parts a dimension splits"))
}

/// The lengths of parts of at most `most` that make up the dimension.
fn equal_parts(c: &mut Call, size: i64, most: i64) -> Vec<Expr> {
    let most = most.max(1);
    let count = (size + most - 1) / most;
    (0..count.max(1)).map(|i| c.pool.int(most.min(size - i * most))).collect()
}

fn split(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let name = if c.has("split_sizes") { "split_sizes" } else { "split_size" };
    let lengths = if let Arg::Int(most) = *c.get(name) {
        let size = known(c, x, dim)?;
        equal_parts(c, size, most)
    } else if c.list(name).is_some() {
        c.exprs(name)?
    } else {
        return Err(c.undecided("the length of the parts"));
    };
    Ok(parts(c, x, dim, &lengths))
}

fn chunk(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let (size, chunks) = (known(c, x, dim)?, c.int("chunks")?.max(1));
    let lengths = equal_parts(c, size, (size + chunks - 1) / chunks);
    Ok(parts(c, x, dim, &lengths))
}

fn unbind(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.sizes.len())?;
    let size = known(c, x, dim)?;
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
    let room = c.pool.add_int(x.sizes[dim], -size);
    let steps = c.pool.int(step);
    let count = c.pool.floor_div(room, steps);
    x.sizes[dim] = c.pool.add_int(count, 1);
    x.sizes.push(c.pool.int(size));
    x.strides.push(x.strides[dim]);
    x.strides[dim] = c.pool.mul_int(x.strides[dim], step);
    Ok(x.into())
}
