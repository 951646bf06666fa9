//! Derivatives of normalisation over groups and by the root mean square.

use fx::prim::Reduction;
use symshapes::{DType, Expr};

use super::backward::output_mask;
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, Tensor};

/// The dtype in which the gradients are computed.
fn compute(a: &Args) -> DType {
    a.results.iter().flatten().next().map_or(DType::F32, |p| p.dtype.compute())
}

/// `scaled - along * mean(scaled * along)`: what is left of a gradient across a direction.
fn across(b: &mut Builder, scaled: Tensor, along: Tensor, dims: &[usize], count: Expr) -> Tensor {
    let product = b.mul(scaled, along);
    let dot = b.sum_keep(product, dims);
    let mean = b.div_size(dot, count);
    let part = b.mul(along, mean);
    b.sub(scaled, part)
}

pub(crate) fn group_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = compute(a);
    let [n, c, hw, groups] = ["N", "C", "HxW", "group"].map(|name| a.size(&mut b.graph.pool, name));
    let (n, c, hw, groups) = (n?, c?, hw?, groups?);
    let Some(width) = b.graph.pool.exact_div(c, groups) else {
        return unsupported("channels that no number of groups divides");
    };
    let input = a.tensor("input")?;
    if b.may_be_empty(input) {
        return unsupported("group norm of nothing");
    }
    let mut get = |name: &str, sizes: &[Expr]| -> Rewrite<Option<Tensor>> {
        let Some(t) = a.opt_tensor(name)? else { return Ok(None) };
        let t = b.convert(t, dtype);
        Ok(Some(b.reshape(t, sizes)))
    };
    let (whole, each, channel) =
        ([n, groups, width, hw], [n, groups, Expr::ONE, Expr::ONE], [Expr::ONE, groups, width, Expr::ONE]);
    let found = (get("grad_out", &whole)?, get("input", &whole)?, get("mean", &each)?, get("rstd", &each)?);
    let (Some(grad), Some(x), Some(mean), Some(rstd)) = found else { return unsupported("an absent tensor") };
    let weight = get("weight", &channel)?;
    let centred = b.sub(x, mean);
    let unit = b.mul(centred, rstd);
    let [wants_x, wants_w, wants_b] = output_mask(a);
    let dx = wants_x.then(|| {
        let sizes = Dims::from_slice(b.sizes(input));
        let scaled = weight.map_or(grad, |w| b.mul(grad, w));
        let count = b.graph.pool.mul(width, hw);
        let sum = b.sum_keep(scaled, &[2, 3]);
        let mean = b.div_size(sum, count);
        let rest = across(b, scaled, unit, &[2, 3], count);
        let rest = b.sub(rest, mean);
        let dx = b.mul(rest, rstd);
        b.reshape(dx, &sizes)
    });
    let by_channel = |b: &mut Builder, t: Tensor| {
        let sum = b.reduce(Reduction::Sum, t, &[0, 3], false);
        b.reshape(sum, &[c])
    };
    let dw = wants_w.then(|| {
        let product = b.mul(grad, unit);
        by_channel(b, product)
    });
    let db = wants_b.then(|| by_channel(b, grad));
    Ok(vec![dx, dw, db])
}

pub(crate) fn rms_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = compute(a);
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
