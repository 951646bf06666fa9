//! Rearrangements: views, copies, concatenation, padding. Every one of them only picks elements.

use super::{
    InterpError, Rule, Tensor, Value,
    call::{Call, Result, tuple},
};
use fx::aten::Packet;
use fx::{arg::Arg, scalar::Scalar};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::view, view),
    (Packet::reshape, view),
    (Packet::_unsafe_view, view),
    (Packet::_reshape_alias, view),
    (Packet::view_as, |c| c.fits(c.tensor("self")?.reshape(c.tensor("other")?.sizes())).map(Value::from)),
    (Packet::flatten, flatten),
    (Packet::unflatten, unflatten),
    (Packet::clone, copy),
    (Packet::contiguous, copy),
    (Packet::alias, copy),
    (Packet::detach, copy),
    (Packet::lift_fresh_copy, copy),
    (Packet::to, to),
    (Packet::_to_copy, to),
    (Packet::type_as, |c| Ok(c.tensor("self")?.to(c.tensor("other")?.dtype()).into())),
    (Packet::copy, copied_onto),
    (Packet::copy_, copied_onto),
    (Packet::expand, expand),
    (Packet::expand_as, |c| c.fits(c.tensor("self")?.broadcast(c.tensor("other")?.sizes())).map(Value::from)),
    (Packet::permute, |c| {
        let x = c.tensor("self")?;
        Ok(x.permute(&c.dims("dims", x.rank())?).into())
    }),
    (Packet::transpose, transpose),
    (Packet::t, |c| {
        let x = c.tensor("self")?;
        let reversed: Vec<usize> = (0..x.rank()).rev().collect();
        Ok(x.permute(&reversed).into())
    }),
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
    (Packet::cat, |c| cat(c, &c.tensors("tensors")?, c.int("dim")?)),
    (Packet::stack, stack),
    (Packet::repeat, repeat),
    (Packet::flip, flip),
    (Packet::roll, roll),
    (Packet::constant_pad_nd, pad),
    (Packet::diagonal, diagonal),
    (Packet::tril, |c| triangle(c, |row, column, d| column - row <= d)),
    (Packet::triu, |c| triangle(c, |row, column, d| column - row >= d)),
    (Packet::slice_scatter, slice_scatter),
    (Packet::select_scatter, select_scatter),
    (Packet::slice_backward, slice_backward),
    (Packet::select_backward, select_backward),
    (Packet::pixel_shuffle, pixel_shuffle),
    (Packet::unfold, unfold),
];

/// The source with the dtype and sizes of the target.
fn copied_onto(c: &Call) -> Result {
    let (target, source) = (c.tensor("self")?, c.tensor("src")?);
    Ok(c.fits(source.to(target.dtype()).broadcast(target.sizes()))?.into())
}

fn copy(c: &Call) -> Result {
    Ok(c.tensor("self")?.clone().into())
}

fn to(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let dtype = match c.opt_tensor("other") {
        Some(other) => Some(other.dtype()),
        None => c.dtype()?,
    };
    Ok(x.to(dtype.unwrap_or(x.dtype())).into())
}

/// The sizes named by `size` or `shape`, with one −1 worked out.
fn view(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let name = if c.has("size") { "size" } else { "shape" };
    if !c.has(name) {
        return Err(c.unsupported("a view as another dtype"));
    }
    let sizes = c.ints(name)?;
    let known: usize = sizes.iter().filter(|&&s| s >= 0).map(|&s| s as usize).product();
    let inferred = x.numel().checked_div(known).unwrap_or(0);
    let sizes: Vec<usize> = sizes.into_iter().map(|s| if s < 0 { inferred } else { s as usize }).collect();
    Ok(c.fits(x.reshape(&sizes))?.into())
}

fn flatten(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let (start, end) = (c.dim("start_dim", x.rank())?, c.dim("end_dim", x.rank())?);
    let sizes = x.sizes();
    if sizes.is_empty() {
        return Ok(c.fits(x.reshape(&[1]))?.into());
    }
    let merged = sizes[start..=end].iter().product();
    let sizes = [&sizes[..start], &[merged], &sizes[end + 1..]].concat();
    Ok(c.fits(x.reshape(&sizes))?.into())
}

fn unflatten(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let (dim, mut parts) = (c.dim("dim", x.rank())?, c.ints("sizes")?);
    let whole = x.sizes()[dim] as i64;
    if let Some(open) = parts.iter().position(|&part| part == -1) {
        parts[open] = 1;
        let known = parts.iter().product::<i64>();
        parts[open] = c.fits(whole.checked_div(known))?;
    }
    let parts: Vec<usize> = parts.iter().map(|&part| part as usize).collect();
    let sizes = [&x.sizes()[..dim], &parts, &x.sizes()[dim + 1..]].concat();
    Ok(c.fits(x.reshape(&sizes))?.into())
}

fn expand(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let wanted = c.ints("size")?;
    let skip = c.fits(wanted.len().checked_sub(x.rank()))?;
    let kept = |i: usize| i.checked_sub(skip).map(|i| x.sizes()[i]);
    let sizes = wanted.iter().enumerate().map(|(i, &s)| if s < 0 { kept(i) } else { Some(s as usize) });
    let sizes = c.fits(sizes.collect::<Option<Vec<_>>>())?;
    Ok(c.fits(x.broadcast(&sizes))?.into())
}

fn transpose(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let (a, b) = (c.dim("dim0", x.rank())?, c.dim("dim1", x.rank())?);
    let mut dims: Vec<usize> = (0..x.rank()).collect();
    if !dims.is_empty() {
        dims.swap(a, b);
    }
    Ok(x.permute(&dims).into())
}

fn movedim(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let (source, destination) = (c.dims("source", x.rank())?, c.dims("destination", x.rank())?);
    let mut dims = vec![usize::MAX; x.rank()];
    for (&s, &d) in source.iter().zip(&destination) {
        dims[d] = s;
    }
    let mut rest = (0..x.rank()).filter(|d| !source.contains(d));
    for slot in dims.iter_mut().filter(|d| **d == usize::MAX) {
        *slot = c.fits(rest.next())?;
    }
    Ok(x.permute(&dims).into())
}

fn unsqueeze(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let mut sizes = x.sizes().to_vec();
    sizes.insert(c.dim("dim", x.rank() + 1)?, 1);
    Ok(c.fits(x.reshape(&sizes))?.into())
}

fn squeeze(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let none_named = c.has("dim") && c.list("dim").is_some_and(<[_]>::is_empty);
    let dims = if none_named { Vec::new() } else { c.dims("dim", x.rank())? };
    let kept = x.sizes().iter().enumerate().filter(|(i, s)| **s != 1 || !dims.contains(i)).map(|(_, &s)| s);
    Ok(c.fits(x.reshape(&kept.collect::<Vec<_>>()))?.into())
}

/// A slice's dimension, first position, step and length.
struct Span {
    dim: usize,
    start: usize,
    step: usize,
    len: usize,
}

fn span(c: &Call, sizes: &[usize]) -> Result<Span> {
    let dim = c.dim("dim", sizes.len())?;
    let size = *c.fits(sizes.get(dim))? as i64;
    let bound = |i: i64| if i < 0 { i + size } else { i }.clamp(0, size);
    let start = bound(c.opt_int("start")?.unwrap_or(0));
    let end = bound(c.opt_int("end")?.unwrap_or(i64::MAX)).max(start);
    let step = c.int("step")?.max(1);
    Ok(Span { dim, start: start as usize, step: step as usize, len: ((end - start + step - 1) / step) as usize })
}

fn slice(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let s = span(c, x.sizes())?;
    let mut sizes = x.sizes().to_vec();
    sizes[s.dim] = s.len;
    Ok(x.gather(&sizes, |i| {
        let mut at = i.to_vec();
        at[s.dim] = s.start + s.step * i[s.dim];
        at
    })
    .into())
}

/// The part of `x` along `dim`.
fn part(x: &Tensor, dim: usize, start: usize, len: usize) -> Tensor {
    let mut sizes = x.sizes().to_vec();
    sizes[dim] = len;
    x.gather(&sizes, |i| {
        let mut at = i.to_vec();
        at[dim] += start;
        at
    })
}

/// The part of `x` at one position along `dim`, without that dimension.
fn at_position(c: &Call, x: &Tensor, dim: usize, position: usize) -> Result<Tensor> {
    let mut sizes = x.sizes().to_vec();
    sizes.remove(dim);
    c.fits(part(x, dim, position, 1).reshape(&sizes))
}

/// The position that `index` names along a dimension of `size`.
fn position(c: &Call, size: usize) -> Result<usize> {
    let index = c.int("index")?;
    let wrapped = if index < 0 { index + size as i64 } else { index };
    c.fits(usize::try_from(wrapped).ok().filter(|&i| i < size))
}

fn select(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.rank())?;
    Ok(at_position(c, x, dim, position(c, *c.fits(x.sizes().get(dim))?)?)?.into())
}

fn narrow(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.rank())?;
    let size = *c.fits(x.sizes().get(dim))?;
    let start = c.int("start")?;
    let start = c.fits(usize::try_from(if start < 0 { start + size as i64 } else { start }).ok())?;
    let len = c.fits(usize::try_from(c.int("length")?).ok().filter(|len| start + len <= size))?;
    Ok(part(x, dim, start, len).into())
}

/// The parts of these lengths along `dim`.
fn parts(c: &Call, x: &Tensor, dim: usize, lengths: &[usize]) -> Result {
    if lengths.iter().sum::<usize>() != *c.fits(x.sizes().get(dim))? {
        return c.fits(None);
    }
    let mut start = 0;
    Ok(tuple(lengths.iter().map(|&len| {
        start += len;
        part(x, dim, start - len, len)
    })))
}

/// The lengths of parts of at most `most` that make up `size`; one empty part for an empty dimension.
fn equal_parts(size: usize, most: usize) -> Vec<usize> {
    let count = size.div_ceil(most.max(1)).max(1);
    (0..count).map(|i| most.min(size - (i * most).min(size))).collect()
}

fn split(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.rank())?;
    let name = if c.has("split_sizes") { "split_sizes" } else { "split_size" };
    let lengths = match c.get(name) {
        Arg::Int(most) => equal_parts(*c.fits(x.sizes().get(dim))?, c.fits(usize::try_from(*most).ok())?),
        _ => c.sizes(name)?,
    };
    parts(c, x, dim, &lengths)
}

fn chunk(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.rank())?;
    let size = *c.fits(x.sizes().get(dim))?;
    let chunks = c.fits(usize::try_from(c.int("chunks")?).ok().filter(|&n| n > 0))?;
    let lengths = if size == 0 { vec![0; chunks] } else { equal_parts(size, size.div_ceil(chunks)) };
    parts(c, x, dim, &lengths)
}

fn unbind(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let dim = c.dim("dim", x.rank())?;
    let size = *c.fits(x.sizes().get(dim))?;
    Ok(tuple((0..size).map(|i| at_position(c, x, dim, i)).collect::<Result<Vec<_>>>()?))
}

fn cat(c: &Call, tensors: &[&Tensor], dim: i64) -> Result {
    // An empty one-dimensional tensor goes with anything, a courtesy to old programs.
    let counted: Vec<&Tensor> = tensors.iter().copied().filter(|t| t.sizes() != [0]).collect();
    let first = *c.fits(counted.first().or(tensors.first()))?;
    let dtype = tensors.iter().map(|t| t.dtype()).reduce(symshapes::DType::promote).unwrap_or(first.dtype());
    let dim = c.wrap(dim, first.rank())?;
    let mut sizes = first.sizes().to_vec();
    sizes[dim] = counted.iter().map(|t| t.sizes()[dim]).sum();
    let mut joined = Tensor::full(dtype, &sizes, Scalar::Int(0));
    let mut start = 0;
    for t in counted {
        for mut index in super::tensor::indices(t.sizes()) {
            let value = t.at(&index);
            index[dim] += start;
            joined.set(&index, value);
        }
        start += t.sizes()[dim];
    }
    Ok(joined.into())
}

fn stack(c: &Call) -> Result {
    let tensors = c.tensors("tensors")?;
    let dim = c.dim("dim", c.fits(tensors.first())?.rank() + 1)?;
    let raised = tensors.into_iter().map(|t| {
        let mut sizes = t.sizes().to_vec();
        sizes.insert(dim, 1);
        c.fits(t.reshape(&sizes))
    });
    let raised: Vec<Tensor> = raised.collect::<Result<_>>()?;
    cat(c, &raised.iter().collect::<Vec<_>>(), dim as i64)
}

fn repeat(c: &Call) -> Result {
    let (x, repeats) = (c.tensor("self")?, c.sizes("repeats")?);
    let skip = c.fits(repeats.len().checked_sub(x.rank()))?;
    let size = |i: usize| if i < skip { 1 } else { x.sizes()[i - skip] };
    let sizes: Vec<usize> = repeats.iter().enumerate().map(|(i, r)| r * size(i)).collect();
    Ok(x.gather(&sizes, |i| i[skip..].iter().zip(x.sizes()).map(|(i, s)| i % s).collect()).into())
}

fn flip(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let dims = if c.ints("dims")?.is_empty() { Vec::new() } else { c.dims("dims", x.rank())? };
    let flipped = |(d, &i): (usize, &usize)| if dims.contains(&d) { x.sizes()[d] - 1 - i } else { i };
    Ok(x.gather(x.sizes(), |i| i.iter().enumerate().map(flipped).collect()).into())
}

fn roll(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let (shifts, dims) = (c.ints("shifts")?, c.ints("dims")?);
    if dims.is_empty() {
        let n = x.numel().max(1) as i64;
        let values: Vec<Scalar> = x.values().collect();
        let rolled = (0..values.len()).map(|i| values[(i as i64 - shifts[0]).rem_euclid(n) as usize]);
        return Ok(c.fits(Tensor::from_values(x.dtype(), x.sizes(), rolled))?.into());
    }
    let dims = c.dims("dims", x.rank())?;
    Ok(x.gather(x.sizes(), |i| {
        let mut at = i.to_vec();
        for (&d, &shift) in dims.iter().zip(&shifts) {
            at[d] = (at[d] as i64 - shift).rem_euclid(x.sizes()[d] as i64) as usize;
        }
        at
    })
    .into())
}

fn pad(c: &Call) -> Result {
    let (x, pad, value) = (c.tensor("self")?, c.ints("pad")?, c.scalar("value")?);
    let mut before = vec![0; x.rank()];
    let mut sizes: Vec<i64> = x.sizes().iter().map(|&s| s as i64).collect();
    for (pair, dim) in pad.chunks_exact(2).zip((0..x.rank()).rev()) {
        before[dim] = pair[0];
        sizes[dim] += pair[0] + pair[1];
    }
    let sizes = c.fits(sizes.into_iter().map(|s| usize::try_from(s).ok()).collect::<Option<Vec<_>>>())?;
    Ok(Tensor::from_fn(x.dtype(), &sizes, |i| {
        let at = i.iter().zip(&before).map(|(&i, b)| usize::try_from(i as i64 - b).ok());
        let at = at.collect::<Option<Vec<_>>>().filter(|at| at.iter().zip(x.sizes()).all(|(i, s)| i < s));
        at.map_or(value, |at| x.at(&at))
    })
    .into())
}

fn diagonal(c: &Call) -> Result {
    let x = c.tensor("self")?;
    let (offset, d1, d2) = (c.int("offset")?, c.dim("dim1", x.rank())?, c.dim("dim2", x.rank())?);
    let (row, column) = ((-offset).max(0) as usize, offset.max(0) as usize);
    let len = x.sizes()[d1].saturating_sub(row).min(x.sizes()[d2].saturating_sub(column));
    let others: Vec<usize> = (0..x.rank()).filter(|&d| d != d1 && d != d2).collect();
    let sizes: Vec<usize> = others.iter().map(|&d| x.sizes()[d]).chain([len]).collect();
    Ok(x.gather(&sizes, |i| {
        let mut at = vec![0; x.rank()];
        for (&d, &i) in others.iter().zip(i) {
            at[d] = i;
        }
        at[d1] = i[others.len()] + row;
        at[d2] = i[others.len()] + column;
        at
    })
    .into())
}

fn triangle(c: &Call, keep: fn(i64, i64, i64) -> bool) -> Result {
    let (x, d) = (c.tensor("self")?, c.int("diagonal")?);
    let first = c.fits(x.rank().checked_sub(2))?;
    Ok(Tensor::from_fn(x.dtype(), x.sizes(), |i| {
        if keep(i[first] as i64, i[first + 1] as i64, d) { x.at(i) } else { Scalar::Int(0) }
    })
    .into())
}

/// Puts `source` into a copy of `x` at the positions of the span.
fn put_span(c: &Call, mut x: Tensor, source: &Tensor, s: &Span) -> Result {
    let mut sizes = x.sizes().to_vec();
    sizes[s.dim] = s.len;
    let source = c.fits(source.broadcast(&sizes))?;
    for mut index in super::tensor::indices(&sizes) {
        let value = source.at(&index);
        index[s.dim] = s.start + s.step * index[s.dim];
        x.set(&index, value);
    }
    Ok(x.into())
}

fn slice_scatter(c: &Call) -> Result {
    let x = c.tensor("self")?;
    put_span(c, x.clone(), c.tensor("src")?, &span(c, x.sizes())?)
}

fn slice_backward(c: &Call) -> Result {
    let (grad, sizes) = (c.tensor("grad_output")?, c.sizes("input_sizes")?);
    let bound = |name: &str, none: i64| c.int(name).unwrap_or(none);
    let dim = c.dim("dim", sizes.len())?;
    let size = *c.fits(sizes.get(dim))? as i64;
    let wrap = |i: i64| if i < 0 { i + size } else { i }.clamp(0, size);
    let (start, end, step) = (wrap(bound("start", 0)), wrap(bound("end", i64::MAX)), bound("step", 1).max(1));
    let len = ((end.max(start) - start + step - 1) / step) as usize;
    let span = Span { dim, start: start as usize, step: step as usize, len };
    put_span(c, Tensor::full(grad.dtype(), &sizes, Scalar::Int(0)), grad, &span)
}

/// Puts `source` into `x` at position `index` of dimension `dim`.
fn put_select(c: &Call, x: Tensor, source: &Tensor) -> Result {
    let dim = c.dim("dim", x.rank())?;
    let start = position(c, *c.fits(x.sizes().get(dim))?)?;
    let mut sizes = source.sizes().to_vec();
    sizes.insert(dim, 1);
    let source = c.fits(source.reshape(&sizes))?;
    put_span(c, x, &source, &Span { dim, start, step: 1, len: 1 })
}

fn select_scatter(c: &Call) -> Result {
    put_select(c, c.tensor("self")?.clone(), c.tensor("src")?)
}

fn select_backward(c: &Call) -> Result {
    let grad = c.tensor("grad_output")?;
    put_select(c, Tensor::full(grad.dtype(), &c.sizes("input_sizes")?, Scalar::Int(0)), grad)
}

fn pixel_shuffle(c: &Call) -> Result {
    let (x, r) = (c.tensor("self")?, c.fits(usize::try_from(c.int("upscale_factor")?).ok())?);
    let [.., channels, height, width] = *x.sizes() else { return c.fits(None) };
    let lead = &x.sizes()[..x.rank() - 3];
    let n = lead.len();
    let split = [lead, &[channels / (r * r), r, r, height, width]].concat();
    let order: Vec<usize> = (0..n).chain([n, n + 3, n + 1, n + 4, n + 2]).collect();
    let joined = [lead, &[channels / (r * r), height * r, width * r]].concat();
    let shuffled = x.reshape(&split).map(|t| t.permute(&order)).and_then(|t| t.reshape(&joined));
    Ok(c.fits(shuffled)?.into())
}

fn unfold(c: &Call) -> Result<Value> {
    let x = c.tensor("self")?;
    let dim = c.dim("dimension", x.rank())?;
    let (size, step) = (c.int("size")? as usize, c.int("step")?.max(1) as usize);
    let mut sizes = x.sizes().to_vec();
    let count = sizes[dim].checked_sub(size).map(|rest| rest / step + 1);
    sizes[dim] = count.ok_or_else(|| -> InterpError { c.unsupported("a window longer than the dimension") })?;
    sizes.push(size);
    Ok(x.gather(&sizes, |i| {
        let mut at = i[..x.rank()].to_vec();
        at[dim] = at[dim] * step + i[x.rank()];
        at
    })
    .into())
}
