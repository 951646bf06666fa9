//! Normalisation and its derivatives.

pub(super) mod batch;
pub(super) mod group;
pub(super) mod layer;

use fx::Arg;
use symshapes::{DType, Expr};

use super::{Args, Builder};
use crate::tensor_ir::{Dims, Tensor};

/// Mean and reciprocal standard deviation over dimensions, kept, in two passes.
fn mean_rstd(b: &mut Builder, x: Tensor, dims: &[usize], eps: f64) -> (Tensor, Tensor) {
    let (mean, centred) = centred(b, x, dims);
    let square = b.mul(centred, centred);
    let var = b.mean_keep(square, dims);
    (mean, root_of(b, var, eps))
}

/// The mean over dimensions, kept, and what is left without it.
fn centred(b: &mut Builder, x: Tensor, dims: &[usize]) -> (Tensor, Tensor) {
    let mean = b.mean_keep(x, dims);
    let centred = b.sub(x, mean);
    (mean, centred)
}

/// `1 / sqrt(var + eps)`
fn root_of(b: &mut Builder, var: Tensor, eps: f64) -> Tensor {
    let dtype = b.dtype(var);
    let wide = b.widen(var);
    let sum = b.add_lit(wide, eps);
    let root = b.rsqrt(sum);
    b.convert(root, dtype)
}

/// `(x - mean) * rstd * weight + bias`
fn normalise(
    b: &mut Builder,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Option<Tensor>,
    bias: Option<Tensor>,
) -> Tensor {
    let centred = b.sub(x, mean);
    let unit = b.mul(centred, rstd);
    match (weight, bias) {
        (Some(w), Some(c)) => {
            let (w, c) = (expand_like(b, w, unit), expand_like(b, c, unit));
            b.fma(unit, w, c)
        }
        (Some(w), None) => b.mul(unit, w),
        (None, Some(c)) => b.add(unit, c),
        (None, None) => unit,
    }
}

fn expand_like(b: &mut Builder, t: Tensor, like: Tensor) -> Tensor {
    let sizes = Dims::from_slice(b.sizes(like));
    b.expand(t, &sizes)
}

/// The dtype in which the gradients are computed.
fn computed_in(a: &Args) -> DType {
    a.results.iter().flatten().next().map_or(DType::F32, |p| p.dtype.compute())
}

/// The mask of a norm's three gradients: those that are asked for.
fn output_mask(a: &Args) -> [bool; 3] {
    let mut mask = [true; 3];
    if let Arg::List(items) | Arg::Tuple(items) = a.bound.get("output_mask") {
        for (flag, item) in mask.iter_mut().zip(items) {
            *flag = *item != Arg::Bool(false);
        }
    }
    mask
}

/// `scaled - along * mean(scaled * along)`: what is left of a gradient across a direction.
fn across(b: &mut Builder, scaled: Tensor, along: Tensor, dims: &[usize], count: Expr) -> Tensor {
    let product = b.mul(scaled, along);
    let dot = b.sum_keep(product, dims);
    let mean = b.div_size(dot, count);
    let part = b.mul(along, mean);
    b.sub(scaled, part)
}
