//! The kernels that Fourier transforms come down to, and the short-time transform, which is one of windows.

use super::{
    Rule,
    call::{Call, Result},
    strides,
};
use crate::aten::Packet;
use std::cmp::Ordering;
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[(Packet::stft, short_time)];

/// The type of the complex numbers whose parts are of this type.
pub(super) fn complex(dtype: DType) -> DType {
    if dtype == DType::F64 { DType::C128 } else { DType::C64 }
}

/// The type of the parts of complex numbers.
pub(super) fn real(dtype: DType) -> DType {
    if dtype == DType::C128 { DType::F64 } else { DType::F32 }
}

/// The number of frequencies of a real signal of this length that determine the others.
pub(super) fn half(c: &mut Call, length: Expr) -> Expr {
    let half = c.pool.floor_div_int(length, 2);
    c.pool.add_int(half, 1)
}

/// Complex frequencies of complex signals along some dimensions; a copy where there are none.
pub(super) fn of_complex(c: &mut Call, x: &TensorMeta, dims: &[usize]) -> Result<TensorMeta> {
    if dims.is_empty() {
        return c.preserved(x, x.dtype);
    }
    let dims = outermost_first(c, x, dims)?;
    laid_out(c, x, x.dtype, x.sizes.clone(), &dims)
}

/// Complex frequencies of real signals, all of them or those that determine the others.
pub(super) fn of_real(c: &mut Call, x: &TensorMeta, dims: &[usize], onesided: bool) -> Result<TensorMeta> {
    let (&last, others) = c.fits(dims.split_last())?;
    let mut sizes = x.sizes.clone();
    if onesided {
        sizes[last] = half(c, sizes[last]);
    }
    let mut dims = outermost_first(c, x, others)?;
    dims.push(last);
    laid_out(c, x, complex(x.dtype), sizes, &dims)
}

/// Real signals of complex frequencies, with so many elements in the last of the dimensions. The others are
/// transformed before.
pub(super) fn to_real(c: &mut Call, x: &TensorMeta, dims: &[usize], size: Expr) -> Result<TensorMeta> {
    let (&last, others) = c.fits(dims.split_last())?;
    let x = if others.is_empty() { x.clone() } else { of_complex(c, x, others)? };
    let mut sizes = x.sizes.clone();
    sizes[last] = size;
    laid_out(c, &x, real(x.dtype), sizes, &[last])
}

/// A result with its signals innermost, the last of `dims` first, and the other dimensions around them in the order of
/// the operand's strides.
fn laid_out(c: &mut Call, x: &TensorMeta, dtype: DType, sizes: Vec<Expr>, dims: &[usize]) -> Result<TensorMeta> {
    let (ones, batch): (Vec<usize>, Vec<usize>) =
        (0..sizes.len()).filter(|d| !dims.contains(d)).partition(|&d| c.pool.is_one(x.sizes[d]) == Some(true));
    let batch = outermost_first(c, x, &batch)?;
    for pair in batch.windows(2) {
        let (outer, inner) = (x.strides[pair[0]], x.strides[pair[1]]);
        if c.pool.compare(outer, inner) == Some(Ordering::Equal) {
            return Err(c.unsupported("batches without an order"));
        }
    }
    let order = ones.iter().chain(&batch).chain(dims).rev().copied();
    let strides = strides::in_order(&mut c.pool, &sizes, order);
    Ok(c.strided(x, dtype, sizes, strides))
}

/// Dimensions by decreasing strides; those of one stride stay in order.
fn outermost_first(c: &mut Call, x: &TensorMeta, dims: &[usize]) -> Result<Vec<usize>> {
    let mut sorted: Vec<usize> = Vec::with_capacity(dims.len());
    for &dim in dims {
        let mut at = sorted.len();
        while at > 0 {
            let order = c.pool.compare(x.strides[dim], x.strides[sorted[at - 1]]);
            if order.ok_or_else(|| c.undecided("the order of strides"))? != Ordering::Greater {
                break;
            }
            at -= 1;
        }
        sorted.insert(at, dim);
    }
    Ok(sorted)
}

/// The operand with its signals cut, or else padded, to these sizes.
pub(super) fn resized(c: &mut Call, mut x: TensorMeta, signals: &[(usize, Expr)]) -> Result<TensorMeta> {
    let mut padded: Vec<(usize, Expr)> = Vec::new();
    for &(dim, size) in signals {
        if c.pool.is_equal(x.sizes[dim], size) == Some(true) {
            continue;
        }
        match c.pool.compare(x.sizes[dim], size) {
            Some(Ordering::Less) => padded.push((dim, size)),
            Some(_) => x.sizes[dim] = size,
            None => return Err(c.undecided("whether signals are cut")),
        }
    }
    if padded.is_empty() {
        return Ok(x);
    }
    let mut sizes = x.sizes.clone();
    padded.into_iter().for_each(|(dim, size)| sizes[dim] = size);
    c.in_format_of(&x, sizes)
}

/// Frequencies of overlapping windows of each signal, by window.
fn short_time(c: &mut Call) -> Result {
    let x = c.tensor("self")?;
    let (length, width) = (c.int("n_fft")?, c.opt_int("win_length")?);
    let width = width.unwrap_or(length);
    let hop = c.opt_int("hop_length")?.unwrap_or(length / 4);
    if x.device.kind != DeviceKind::Cpu || c.given("align_to_window") {
        return Err(c.unsupported("signals of a device, or windows that are aligned"));
    }
    let is_other = |t: &TensorMeta| !matches!(t.dtype, DType::F32 | DType::F64);
    if is_other(x) || c.opt_tensor("window")?.is_some_and(is_other) {
        return Err(c.unsupported("halves, integers or complex numbers"));
    }
    let returns_complex = c.opt_bool("return_complex")?;
    if returns_complex.is_none() || length <= 0 || hop <= 0 || width <= 0 || width > length {
        return Err(c.rejected("no choice of a result, or a window that does not fit"));
    }
    let input = extended(c, x, length)?;
    let windows = windowed(c, &input, [length, hop, width])?;
    let onesided = c.opt_bool("onesided")?.unwrap_or(true);
    let mut out = of_real(c, &windows, &[2], onesided)?;
    out.sizes.swap(1, 2);
    out.strides.swap(1, 2);
    if x.sizes.len() == 1 {
        out.sizes.remove(0);
        out.strides.remove(0);
    }
    Ok(if returns_complex == Some(true) { out } else { parts(c, out) }.into())
}

/// The parts of complex numbers, along a last dimension.
fn parts(c: &mut Call, mut of: TensorMeta) -> TensorMeta {
    let two = c.pool.int(2);
    for stride in &mut of.strides {
        *stride = c.pool.mul(*stride, two);
    }
    of.sizes.push(two);
    of.strides.push(Expr::ONE);
    of.dtype = real(of.dtype);
    of
}

/// Rows of signals, padded at both ends by half a window where windows are centred.
fn extended(c: &mut Call, x: &TensorMeta, length: i64) -> Result<TensorMeta> {
    let mut input = x.clone();
    if let [size] = x.sizes[..] {
        input.sizes.insert(0, Expr::ONE);
        let whole = c.pool.mul(size, x.strides[0]);
        input.strides.insert(0, whole);
    }
    let &[rows, size] = &input.sizes[..] else { return c.fits(None) };
    if !c.has("center") || !c.bool("center")? {
        return Ok(input);
    }
    let pad = length / 2;
    if pad == 0 {
        return Err(c.unsupported("windows of one element"));
    }
    match c.str("pad_mode")? {
        "reflect" => {
            let (pad, most) = (c.pool.int(pad), c.pool.add_int(size, -1));
            c.demand_at_most(pad, most)?;
            c.demand_at_most(Expr::ONE, rows)?;
        }
        "constant" => {}
        "replicate" => [rows, size].into_iter().try_for_each(|size| c.demand_at_most(Expr::ONE, size))?,
        _ => return Err(c.unsupported("another way to pad")),
    }
    let size = c.pool.add_int(size, 2 * pad);
    Ok(c.contiguous(&input, input.dtype, vec![rows, size]))
}

/// Overlapping windows of rows, weighted where a window is given or is narrower than the transform.
fn windowed(c: &mut Call, rows: &TensorMeta, [length, hop, width]: [i64; 3]) -> Result<TensorMeta> {
    let (size, whole) = (rows.sizes[1], c.pool.int(length));
    c.demand_at_most(whole, size)?;
    let room = c.pool.add_int(size, -length);
    let steps = c.pool.floor_div_int(room, hop);
    let sizes = vec![rows.sizes[0], c.pool.add_int(steps, 1), whole];
    let step = c.pool.mul_int(rows.strides[1], hop);
    let strides = vec![rows.strides[0], step, rows.strides[1]];
    let windows = TensorMeta { sizes, strides, ..rows.clone() };
    let width_expr = c.pool.int(width);
    c.demand_sizes("window", &[width_expr])?;
    let window = c.opt_tensor("window")?;
    if window.is_none() && width == length {
        return Ok(windows);
    }
    let dtype = window.map_or(rows.dtype, |window| window.dtype);
    let weights = c.contiguous(rows, dtype, vec![whole]);
    weighted(c, &windows, &weights)
}

fn weighted(c: &mut Call, windows: &TensorMeta, weights: &TensorMeta) -> Result<TensorMeta> {
    let dtype = windows.dtype.promote(weights.dtype);
    let strides = strides::elementwise(&mut c.pool, &windows.sizes, &[windows, weights]);
    let strides = strides.ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(c.strided(windows, dtype, windows.sizes.clone(), strides))
}
