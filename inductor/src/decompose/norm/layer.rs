//! Normalisation over the last dimensions, by mean and variance or by the root mean square, and its derivatives.

use fx::prim::Reduction;
use symshapes::DType;

use super::super::{Args, Builder, Rewrite, unsupported};
use super::{across, computed_in, mean_rstd, normalise, output_mask, root_of};
use crate::tensor_ir::Tensor;

pub(crate) fn layer_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "input")?;
    let inner = a.items("normalized_shape")?.len();
    let dims: Vec<usize> = (b.rank(x) - inner..b.rank(x)).collect();
    if b.may_be_empty(x) {
        return unsupported("layer norm of nothing");
    }
    let (mean, rstd) = mean_rstd(b, x, &dims, a.float("eps")?);
    let (weight, bias) = (a.opt_operand(b, "weight")?, a.opt_operand(b, "bias")?);
    let out = normalise(b, x, mean, rstd, weight, bias);
    Ok(vec![Some(out), Some(mean), Some(rstd)])
}

pub(crate) fn layer_norm_backward(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = computed_in(a);
    let mut get = |name: &str| -> Rewrite { Ok(b.convert(a.tensor(name)?, dtype)) };
    let (grad, x, mean, rstd) = (get("grad_out")?, get("input")?, get("mean")?, get("rstd")?);
    let weight = a.opt_tensor("weight")?.map(|w| b.convert(w, dtype));
    let inner = a.items("normalized_shape")?.len();
    let rank = b.rank(x);
    let (outer, dims): (Vec<usize>, Vec<usize>) = (0..rank).partition(|&d| d < rank - inner);
    let count = b.count(x, &dims);
    let centred = b.sub(x, mean);
    let unit = b.mul(centred, rstd);
    let [wants_x, wants_w, wants_b] = output_mask(a);
    let dx = wants_x.then(|| {
        let scaled = weight.map_or(grad, |w| b.mul(grad, w));
        let product = b.mul(scaled, unit);
        let (sum, dot) = (b.sum_keep(scaled, &dims), b.sum_keep(product, &dims));
        let (mean_grad, mean_dot) = (b.div_size(sum, count), b.div_size(dot, count));
        let along = b.mul(unit, mean_dot);
        let rest = b.sub(scaled, mean_grad);
        let rest = b.sub(rest, along);
        b.mul(rest, rstd)
    });
    let dw = wants_w.then(|| {
        let product = b.mul(grad, unit);
        b.reduce(Reduction::Sum, product, &outer, false)
    });
    let db = wants_b.then(|| b.reduce(Reduction::Sum, grad, &outer, false));
    Ok(vec![dx, dw, db])
}

/// `x * rsqrt(mean(x²) + eps) * weight`, and the reciprocal root.
pub(crate) fn rms_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "input")?;
    let inner = a.items("normalized_shape")?.len();
    let dims: Vec<usize> = (b.rank(x) - inner..b.rank(x)).collect();
    if b.may_be_empty(x) {
        return unsupported("RMS norm of nothing");
    }
    let eps = match (a.opt_float("eps")?, a.result()?.dtype) {
        (Some(eps), _) => eps,
        (None, DType::F32) => f64::from(f32::EPSILON),
        (None, DType::F64) => f64::EPSILON,
        (None, dtype) => return unsupported(format!("RMS norm of {dtype} without epsilon")),
    };
    let square = b.mul(x, x);
    let mean = b.mean_keep(square, &dims);
    let rstd = root_of(b, mean, eps);
    let mut out = b.mul(x, rstd);
    if let Some(weight) = a.opt_operand(b, "weight")? {
        out = b.mul(out, weight);
    }
    Ok(vec![Some(out), Some(rstd)])
}

pub(crate) fn rms_norm_backward(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = computed_in(a);
    let mut get = |name: &str| -> Rewrite { Ok(b.convert(a.tensor(name)?, dtype)) };
    let (grad, x, rstd) = (get("grad_out")?, get("input")?, get("rstd")?);
    if b.may_be_empty(x) {
        return unsupported("RMS norm of nothing");
    }
    let weight = a.opt_tensor("weight")?.map(|w| b.convert(w, dtype));
    let rank = b.rank(x);
    let inner = a.items("normalized_shape")?.len();
    let (outer, dims): (Vec<usize>, Vec<usize>) = (0..rank).partition(|&d| d < rank - inner);
    let count = b.count(x, &dims);
    let unit = b.mul(x, rstd);
    let [wants_x, wants_w, _] = output_mask(a);
    let dx = wants_x.then(|| {
        let scaled = weight.map_or(grad, |w| b.mul(grad, w));
        let rest = across(b, scaled, unit, &dims, count);
        b.mul(rest, rstd)
    });
    let dw = (wants_w && weight.is_some()).then(|| {
        let product = b.mul(grad, unit);
        b.reduce(Reduction::Sum, product, &outer, false)
    });
    Ok(vec![dx, dw])
}
