//! Windows of few elements that move over an image: pooling and depthwise convolution as maps over shifted images,
//! which fuse with what is around them.
//!
//! Only where nothing asks for the positions of maxima, and where a channel of the result comes from one of the image.

use fx::aten::Overload;
use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::{Args, Builder, Rewrite, unsupported, window_backward};
use crate::Options;
use crate::tensor_ir::{Dims, Tensor};

/// Larger windows are a library's: each element is a load of its own.
pub(super) const MOST_ELEMENTS: usize = 25;

/// How an operator with a window becomes primitives.
pub(super) type Windowed = fn(&mut Builder, &Args) -> Rewrite;

/// The rule for an operator, of whose results only the first is used.
pub(super) fn rule(overload: &Overload, options: &Options) -> Option<Windowed> {
    Some(match overload.name.as_str() {
        "max_pool2d_with_indices.default" | "max_pool2d.default" => max,
        "avg_pool2d.default" => average,
        "_adaptive_avg_pool2d.default" | "adaptive_avg_pool2d.default" => adaptive,
        "im2col.default" => columns,
        "avg_pool2d_backward.default" => window_backward::average,
        "_adaptive_avg_pool2d_backward.default" => window_backward::adaptive,
        "col2im.default" => window_backward::columns,
        "convolution.default" | "conv2d.default" if options.depthwise => depthwise,
        _ => return None,
    })
}

/// How a window moves along one dimension.
#[derive(Clone, Copy)]
struct Axis {
    window: i64,
    stride: i64,
    padding: i64,
    dilation: i64,
}

/// The greatest element under each window; `NaN` is greater than all.
fn max(b: &mut Builder, a: &Args) -> Rewrite {
    let image = a.tensor("self")?;
    let axes = axes(b, a, image, pair(a, "kernel_size", [0; 2])?)?;
    let elements = elements(b, a, image, axes, f64::NEG_INFINITY)?;
    elements.into_iter().reduce(|x, y| b.map(Pointwise::Maximum, &[x, y])).map_or_else(|| unsupported("no window"), Ok)
}

/// The mean under each window, of zeros beyond the image as well.
fn average(b: &mut Builder, a: &Args) -> Rewrite {
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

/// The mean under windows that tile the image.
fn adaptive(b: &mut Builder, a: &Args) -> Rewrite {
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

/// Each place of a window as a column: its elements of all channels.
fn columns(b: &mut Builder, a: &Args) -> Rewrite {
    let image = a.tensor("self")?;
    let rank = b.rank(image);
    let (window, dilation) = (pair(a, "kernel_size", [0; 2])?, pair(a, "dilation", [1; 2])?);
    let (stride, padding) = (pair(a, "stride", [1; 2])?, pair(a, "padding", [0; 2])?);
    if dilation != [1; 2] || rank < 3 {
        return unsupported("windows whose elements lie apart");
    }
    let mut places = image;
    for k in 0..2 {
        let dim = rank - 2 + k;
        let Some(size) = b.graph.pool.as_int(b.sizes(places)[dim]) else {
            return unsupported("a size that is not known");
        };
        let padded = size + 2 * padding[k];
        if window[k] < 1 || stride[k] < 1 || padding[k] < 0 || padded < window[k] {
            return unsupported("no window");
        }
        if padding[k] > 0 {
            let (low, len) = (b.int(padding[k]), b.int(padded));
            places = b.pad(places, dim, low, len, 0.0);
        }
        let mut sizes = Dims::from_slice(b.sizes(places));
        sizes[dim] = b.int((padded - window[k]) / stride[k] + 1);
        sizes.push(b.int(window[k]));
        places = b.windows(places, dim, stride[k], &sizes);
    }
    let order: Vec<usize> = (0..rank - 2).chain([rank, rank + 1, rank - 2, rank - 1]).collect();
    let columns = b.permute(places, &order);
    Ok(b.reshape(columns, &a.result()?.sizes))
}

/// A convolution in which no two channels meet.
fn depthwise(b: &mut Builder, a: &Args) -> Rewrite {
    let (image, weight) = (a.tensor("input")?, a.tensor("weight")?);
    let sizes = |b: &Builder, t| b.sizes(t).iter().map(|&n| b.graph.pool.as_int(n)).collect::<Vec<_>>();
    let &[Some(outputs), Some(1), Some(rows), Some(columns)] = sizes(b, weight).as_slice() else {
        return unsupported("a convolution of several channels");
    };
    let channels = sizes(b, image).get(1).copied().flatten();
    if (a.has("transposed") && a.bool("transposed")?) || a.int("groups")? != outputs || channels != Some(outputs) {
        return unsupported("a convolution of several channels");
    }
    if a.result()?.strides.get(1) == Some(&Expr::ONE) {
        return unsupported("channels last, along which the weights of an element lie apart");
    }
    let axes = axes(b, a, image, [rows, columns])?;
    let elements = elements(b, a, image, axes, 0.0)?;
    let along_channels = [b.int(outputs), Expr::ONE, Expr::ONE];
    let mut sum = a.opt_tensor("bias")?.map(|bias| b.reshape(bias, &along_channels));
    for (number, element) in elements.into_iter().enumerate() {
        let (row, column) = (b.int(number as i64 / columns), b.int(number as i64 % columns));
        let factor = b.slice(weight, 2, row, 1, Expr::ONE);
        let factor = b.slice(factor, 3, column, 1, Expr::ONE);
        let factor = b.reshape(factor, &along_channels);
        sum = Some(match sum {
            Some(sum) => b.fma(element, factor, sum),
            None => b.map(Pointwise::Mul, &[element, factor]),
        });
    }
    sum.map_or_else(|| unsupported("no window"), Ok)
}

/// How a window of this size moves, if it is a small one.
fn axes(b: &Builder, a: &Args, image: Tensor, window: [i64; 2]) -> Rewrite<[Axis; 2]> {
    if !matches!(b.dtype(image), DType::F32 | DType::F64) || b.rank(image) < 3 {
        return unsupported("a window over this dtype or rank");
    }
    let (stride, padding) = (pair(a, "stride", window)?, pair(a, "padding", [0; 2])?);
    let dilation = if a.has("dilation") { pair(a, "dilation", [1; 2])? } else { [1; 2] };
    let axis = |k| Axis { window: window[k], stride: stride[k], padding: padding[k], dilation: dilation[k] };
    let axes = [0, 1].map(axis);
    let is_small = (1..=MOST_ELEMENTS as i64).contains(&window[0].saturating_mul(window[1]));
    let is_usual = |axis: &Axis| axis.window > 0 && axis.stride > 0 && axis.dilation > 0 && axis.padding >= 0;
    if is_small && axes.iter().all(is_usual) { Ok(axes) } else { unsupported("a large window") }
}

/// A number for both dimensions, or one for each.
pub(super) fn pair(a: &Args, name: &str, missing: [i64; 2]) -> Rewrite<[i64; 2]> {
    match a.opt_ints(name)?.as_deref() {
        None | Some([]) => Ok(missing),
        Some(&[both]) => Ok([both; 2]),
        Some(&[rows, columns]) => Ok([rows, columns]),
        Some(_) => unsupported("a window over more than two dimensions"),
    }
}

/// For each element of the window, the image shifted by it, with a value beyond its edges.
fn elements(b: &mut Builder, a: &Args, mut image: Tensor, axes: [Axis; 2], beyond: f64) -> Rewrite<Vec<Tensor>> {
    let out = Dims::from_slice(&a.result()?.sizes);
    let more = i64::from(a.has("ceil_mode") && a.bool("ceil_mode")?);
    let first = b.rank(image) - 2;
    for (k, axis) in axes.iter().enumerate() {
        // With `ceil_mode`, the last window may hang over the edge by all but one step.
        let grown = 2 * axis.padding + more * (axis.stride - 1);
        if grown > 0 {
            let len = b.graph.pool.add_int(b.sizes(image)[first + k], grown);
            let low = b.int(axis.padding);
            image = b.pad(image, first + k, low, len, beyond);
        }
    }
    let mut elements = Vec::new();
    for (row, column) in (0..axes[0].window).flat_map(|y| (0..axes[1].window).map(move |x| (y, x))) {
        let mut shifted = image;
        for (k, (axis, at)) in axes.iter().zip([row, column]).enumerate() {
            let start: Expr = b.int(at * axis.dilation);
            shifted = b.slice(shifted, first + k, start, axis.stride, out[first + k]);
        }
        elements.push(shifted);
    }
    Ok(elements)
}
