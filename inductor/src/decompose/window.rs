//! Windows of few elements that move over an image: pooling and depthwise convolution as maps over shifted images,
//! which fuse with what is around them; their gradients, where windows tile the image or move by single steps.
//!
//! Only where nothing asks for the positions of maxima, and where a channel of the result comes from one of the image.

mod columns;
mod depthwise;
mod pool;

use crate::heuristics;
use fx::aten::Aten;
use symshapes::{DType, Expr};

use super::{Args, Builder, Rewrite, unsupported};
use crate::backend::Capabilities;
use crate::tensor_ir::{Dims, Tensor};

/// A rule that turns an operator with a window into primitives.
pub(super) type Windowed = fn(&mut Builder, &Args) -> Rewrite;

/// The rule for an operator, of whose results only the first is used.
pub(super) fn rule(overload: Aten, target: &Capabilities) -> Option<Windowed> {
    Some(match overload {
        Aten::max_pool2d_with_indices_default | Aten::max_pool2d_default => pool::max,
        Aten::avg_pool2d_default => pool::average,
        Aten::_adaptive_avg_pool2d_default | Aten::adaptive_avg_pool2d_default => pool::adaptive,
        Aten::im2col_default => columns::im2col,
        Aten::avg_pool2d_backward_default => pool::average_backward,
        Aten::_adaptive_avg_pool2d_backward_default => pool::adaptive_backward,
        Aten::col2im_default => columns::col2im,
        Aten::convolution_default | Aten::conv2d_default if target.multiplies => depthwise::depthwise,
        _ => return None,
    })
}

/// The geometry of a window along one dimension.
#[derive(Clone, Copy)]
struct Axis {
    window: i64,
    stride: i64,
    padding: i64,
    dilation: i64,
}

/// The geometry of a window of this size along both dimensions, if it is a small one.
fn axes(b: &Builder, a: &Args, image: Tensor, window: [i64; 2]) -> Rewrite<[Axis; 2]> {
    if !matches!(b.dtype(image), DType::F32 | DType::F64) || b.rank(image) < 3 {
        return unsupported("a window over this dtype or rank");
    }
    let (stride, padding) = (pair(a, "stride", window)?, pair(a, "padding", [0; 2])?);
    let dilation = if a.has("dilation") { pair(a, "dilation", [1; 2])? } else { [1; 2] };
    let axis = |k| Axis { window: window[k], stride: stride[k], padding: padding[k], dilation: dilation[k] };
    let axes = [0, 1].map(axis);
    let is_small = (1..=heuristics::window_most_elements() as i64).contains(&window[0].saturating_mul(window[1]));
    let is_usual = |axis: &Axis| axis.window > 0 && axis.stride > 0 && axis.dilation > 0 && axis.padding >= 0;
    if is_small && axes.iter().all(is_usual) { Ok(axes) } else { unsupported("a large window") }
}

/// A number for both dimensions, or one for each.
fn pair(a: &Args, name: &str, missing: [i64; 2]) -> Rewrite<[i64; 2]> {
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
