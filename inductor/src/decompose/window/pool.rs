//! Pooling, and the gradients of means under windows that tile the image.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::super::{Args, Builder, Rewrite, unsupported};
use super::{axes, elements, pair};
use crate::tensor_ir::{Dims, Tensor};

/// The greatest element under each window; `NaN` is greater than all.
pub(super) fn max(b: &mut Builder, a: &Args) -> Rewrite {
    let image = a.tensor("self")?;
    let axes = axes(b, a, image, pair(a, "kernel_size", [0; 2])?)?;
    let elements = elements(b, a, image, axes, f64::NEG_INFINITY)?;
    elements.into_iter().reduce(|x, y| b.map(Pointwise::Maximum, &[x, y])).map_or_else(|| unsupported("no window"), Ok)
}

/// The mean under each window, of zeros beyond the image as well.
pub(super) fn average(b: &mut Builder, a: &Args) -> Rewrite {
    let image = a.tensor("self")?;
    let axes = axes(b, a, image, pair(a, "kernel_size", [0; 2])?)?;
    let has_padding = axes.iter().any(|axis| axis.padding > 0);
    let divisor = a.opt_int("divisor_override")?;
    if a.bool("ceil_mode")? || (has_padding && divisor.is_none() && !a.bool("count_include_pad")?) {
        return unsupported("windows of several sizes");
    }
    let elements = elements(b, a, image, axes, 0.0)?;
    let count = divisor.unwrap_or(elements.len() as i64);
    let sum = elements.into_iter().reduce(|x, y| b.map(Pointwise::Add, &[x, y]));
    let Some(sum) = sum else { return unsupported("no window") };
    let count = b.lit(count as f64, sum);
    Ok(b.map(Pointwise::Div, &[sum, count]))
}

/// Of a mean under windows that tile the image.
pub(super) fn average_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let window = pair(a, "kernel_size", [0; 2])?;
    let moves = [pair(a, "stride", window)?, pair(a, "padding", [0; 2])?];
    if moves != [window, [0; 2]] || a.bool("ceil_mode")? {
        return unsupported("windows that do not tile the image");
    }
    let count = a.opt_int("divisor_override")?.unwrap_or(window[0] * window[1]);
    spread(b, a, window, count)
}

/// The mean under windows that tile the image.
pub(super) fn adaptive(b: &mut Builder, a: &Args) -> Rewrite {
    let image = a.tensor("self")?;
    let (sizes, rank) = (Dims::from_slice(b.sizes(image)), b.rank(image));
    let [rows, columns] = a.opt_ints("output_size")?.unwrap_or_default()[..] else {
        return unsupported("a size of other than two dimensions");
    };
    if !matches!(b.dtype(image), DType::F32 | DType::F64) || rank < 3 {
        return unsupported("a window over this dtype or rank");
    }
    let mut tiles = Dims::from_slice(&sizes[..rank - 2]);
    for (&size, count) in sizes[rank - 2..].iter().zip([rows, columns]) {
        match b.graph.pool.as_int(size) {
            Some(size) if count > 0 && size > 0 && size % count == 0 => {
                tiles.extend([b.int(count), b.int(size / count)]);
            }
            _ => return unsupported("windows of several sizes"),
        }
    }
    let tiled = b.reshape(image, &tiles);
    let mean = b.mean_keep(tiled, &[rank - 1, rank + 1]);
    let mean = b.convert(mean, b.dtype(image));
    Ok(b.reshape(mean, &a.result()?.sizes))
}

/// Of a mean under windows that tile the image, of which so many are wanted.
pub(super) fn adaptive_backward(b: &mut Builder, a: &Args) -> Rewrite {
    let (image, windows) = (a.tensor("self")?, a.tensor("grad_output")?);
    let last = |b: &Builder, t: Tensor| b.sizes(t).iter().rev().map(|&n| b.graph.pool.as_int(n)).collect::<Vec<_>>();
    let (&[Some(width), Some(height), ..], &[Some(columns), Some(rows), ..]) =
        (&last(b, image)[..], &last(b, windows)[..])
    else {
        return unsupported("a size that is not known");
    };
    if rows < 1 || columns < 1 || height % rows != 0 || width % columns != 0 {
        return unsupported("windows of several sizes");
    }
    let window = [height / rows, width / columns];
    spread(b, a, window, window[0] * window[1])
}

/// To each element under a window its part of the window's gradient; what no window covers has none.
fn spread(b: &mut Builder, a: &Args, window: [i64; 2], count: i64) -> Rewrite {
    let grad = a.tensor("grad_output")?;
    let (sizes, rank) = (a.result()?.sizes.clone(), b.rank(grad));
    if !matches!(b.dtype(grad), DType::F32 | DType::F64) || rank < 3 || window.iter().any(|&n| n < 1) {
        return unsupported("a window over this dtype or rank");
    }
    let count = b.lit(count as f64, grad);
    let mut image = b.map(Pointwise::Div, &[grad, count]);
    for (dim, length) in [rank - 2, rank - 1].into_iter().zip(window) {
        let windows = b.sizes(image)[dim];
        let [length, covered] = [b.int(length), b.graph.pool.mul_int(windows, length)];
        image = b.unsqueeze(image, dim + 1);
        let mut tiled = Dims::from_slice(b.sizes(image));
        tiled[dim + 1] = length;
        image = b.expand(image, &tiled);
        tiled.remove(dim + 1);
        tiled[dim] = covered;
        image = b.reshape(image, &tiled);
        if covered != sizes[dim] {
            image = b.pad(image, dim, Expr::ZERO, sizes[dim], 0.0);
        }
    }
    Ok(image)
}
