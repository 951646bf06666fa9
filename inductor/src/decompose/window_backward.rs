//! Gradients of windows that move over an image, as maps: where windows tile the image each element is in one of them,
//! and where they move by single steps the image is a sum of shifted images.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::window::{MOST_ELEMENTS, pair};
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, Tensor};

/// Of a mean under windows that tile the image.
pub(super) fn average(b: &mut Builder, a: &Args) -> Rewrite {
    let window = pair(a, "kernel_size", [0; 2])?;
    let moves = [pair(a, "stride", window)?, pair(a, "padding", [0; 2])?];
    if moves != [window, [0; 2]] || a.bool("ceil_mode")? {
        return unsupported("windows that do not tile the image");
    }
    let count = a.opt_int("divisor_override")?.unwrap_or(window[0] * window[1]);
    spread(b, a, window, count)
}

/// Of a mean under windows that tile the image, of which so many are wanted.
pub(super) fn adaptive(b: &mut Builder, a: &Args) -> Rewrite {
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

/// The image whose windows, at each of its places, were made columns: a sum of what they hold of each element.
pub(super) fn columns(b: &mut Builder, a: &Args) -> Rewrite {
    let (columns, out) = (a.tensor("self")?, a.result()?.sizes.clone());
    let [window, dilation] = [pair(a, "kernel_size", [0; 2])?, pair(a, "dilation", [1; 2])?];
    let [stride, padding] = [pair(a, "stride", [1; 2])?, pair(a, "padding", [0; 2])?];
    let is_small = (1..=MOST_ELEMENTS as i64).contains(&window[0].saturating_mul(window[1]));
    if !matches!(b.dtype(columns), DType::F32 | DType::F64) || stride != [1; 2] || !is_small || window[0] < 1 {
        return unsupported("windows that are large or move by several steps");
    }
    let (first, mut places) = (out.len() - 2, Dims::from_slice(&out[..out.len() - 2]));
    places.extend(window.map(|n| b.int(n)));
    let mut padded = [0; 2];
    for k in 0..2 {
        let (Some(size), true) = (b.graph.pool.as_int(out[first + k]), padding[k] >= 0 && dilation[k] > 0) else {
            return unsupported("a size that is not known");
        };
        padded[k] = size + 2 * padding[k];
        let count = padded[k] - dilation[k] * (window[k] - 1);
        if count < 1 {
            return unsupported("no window");
        }
        places.push(b.int(count));
    }
    let places = b.reshape(columns, &places);
    let mut sum = None;
    for at in (0..window[0]).flat_map(|y| (0..window[1]).map(move |x| [y, x])) {
        let mut image = places;
        for (k, &place) in at.iter().enumerate() {
            let place = b.int(place);
            image = b.slice(image, first + k, place, 1, Expr::ONE);
        }
        let mut sizes = Dims::from_slice(b.sizes(image));
        sizes.drain(first..first + 2);
        image = b.reshape(image, &sizes);
        for k in 0..2 {
            let (low, length) = (b.int(at[k] * dilation[k]), b.int(padded[k]));
            image = b.pad(image, first + k, low, length, 0.0);
            let low = b.int(padding[k]);
            image = b.slice(image, first + k, low, 1, out[first + k]);
        }
        sum = Some(sum.map_or(image, |sum| b.map(Pointwise::Add, &[sum, image])));
    }
    sum.map_or_else(|| unsupported("no window"), Ok)
}
