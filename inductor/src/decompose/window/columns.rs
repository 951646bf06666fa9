//! Windows as columns of a matrix, and the image that is the sum of them.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::super::{Args, Builder, Rewrite, unsupported};
use super::pair;
use crate::heuristics;
use crate::tensor_ir::Dims;

/// Each place of a window as a column: its elements of all channels.
pub(super) fn im2col(b: &mut Builder, a: &Args) -> Rewrite {
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

/// The image whose windows, at each of its places, were made columns: a sum of what they hold of each element.
pub(super) fn col2im(b: &mut Builder, a: &Args) -> Rewrite {
    let (columns, out) = (a.tensor("self")?, a.result()?.sizes.clone());
    let [window, dilation] = [pair(a, "kernel_size", [0; 2])?, pair(a, "dilation", [1; 2])?];
    let [stride, padding] = [pair(a, "stride", [1; 2])?, pair(a, "padding", [0; 2])?];
    let is_small = (1..=heuristics::window_most_elements() as i64).contains(&window[0].saturating_mul(window[1]));
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
