//! Normalisation over groups of channels, and its derivative.

use fx::prim::Reduction;
use symshapes::Expr;

use super::super::{Args, Builder, Promise, Rewrite, unsupported};
use super::{across, centred, computed_in, expand_like, mean_rstd, normalise, output_mask, root_of};
use crate::tensor_ir::{Dims, Tensor, numel};

pub(crate) fn group_norm(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "input")?;
    if b.may_be_empty(x) {
        return unsupported("group norm of nothing");
    }
    let [n, c, ref inner @ ..] = *Dims::from_slice(b.sizes(x)) else {
        return unsupported("group norm without channels");
    };
    let pool = &mut b.graph.pool;
    let hw = numel(pool, inner);
    let groups = a.size(pool, if a.has("group") { "group" } else { "num_groups" })?;
    let Some(width) = pool.exact_div(c, groups) else {
        return unsupported("channels that no number of groups divides");
    };
    let grouped = b.reshape(x, &[n, groups, width, hw]);
    let eps = a.float("eps")?;
    let is_last = hw != Expr::ONE && a.results.iter().flatten().next().is_some_and(lies_last);
    let (mean, rstd) = if is_last { by_channel(b, grouped, eps) } else { mean_rstd(b, grouped, &[2, 3], eps) };
    let mut per_channel = |name: &str| -> Rewrite<Option<Tensor>> {
        Ok(a.opt_operand(b, name)?.map(|t| b.reshape(t, &[Expr::ONE, groups, width, Expr::ONE])))
    };
    let (weight, bias) = (per_channel("weight")?, per_channel("bias")?);
    let sizes = Dims::from_slice(b.sizes(x));
    let out = match weight {
        Some(weight) if is_last => {
            // Both are stored, a value for each channel.
            let scale = b.mul(rstd, weight);
            let offset = b.mul(mean, scale);
            let shift = match bias {
                Some(bias) => b.sub(bias, offset),
                None => b.neg(offset),
            };
            let mut channels: Dims = sizes.iter().map(|_| Expr::ONE).collect();
            channels[..2].copy_from_slice(&[n, c]);
            let [scale, shift] = [scale, shift].map(|t| {
                let t = b.reshape(t, &channels);
                expand_like(b, t, x)
            });
            b.fma(x, scale, shift)
        }
        _ => {
            let out = normalise(b, grouped, mean, rstd, weight, bias);
            b.reshape(out, &sizes)
        }
    };
    let (mean, rstd) = (b.reshape(mean, &[n, groups]), b.reshape(rstd, &[n, groups]));
    Ok(vec![Some(out), Some(mean), Some(rstd)])
}

/// True if the channels lie side by side.
fn lies_last(promise: &Promise) -> bool {
    promise.strides.get(1) == Some(&Expr::ONE)
}

/// Mean and reciprocal standard deviation of groups `[n, group, channel, position]`, by way of those of each channel:
/// where channels lie side by side they go over lanes, and a group may have too few to fill them.
fn by_channel(b: &mut Builder, x: Tensor, eps: f64) -> (Tensor, Tensor) {
    let (own, left) = centred(b, x, &[3]);
    let square = b.mul(left, left);
    let within = b.mean_keep(square, &[3]);
    let (mean, apart) = centred(b, own, &[2]);
    let square = b.mul(apart, apart);
    let var = b.add(within, square);
    let var = b.mean_keep(var, &[2]);
    (mean, root_of(b, var, eps))
}

pub(crate) fn group_norm_backward(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let dtype = computed_in(a);
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
