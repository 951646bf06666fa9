//! Reductions.

use fx::prim::Reduction;
use smallvec::SmallVec;
use symshapes::{DType, Expr};

use super::args::wrap_dim;
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::Tensor;

/// One reduction, over `dim` or everything.
pub(crate) fn plain(b: &mut Builder, kind: Reduction, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let dtype = match kind {
        Reduction::Any | Reduction::All => DType::Bool,
        Reduction::ArgMax | Reduction::ArgMin => b.dtype(x).compute(),
        _ => a.compute()?,
    };
    let x = b.convert(x, dtype);
    let dims = a.dims("dim", b.rank(x), true)?;
    let keep = a.has("keepdim") && a.bool("keepdim")?;
    refuse_empty(b, kind, x, &dims)?;
    if b.rank(x) == 0 {
        let one = b.reshape(x, &[Expr::ONE]);
        return Ok(b.reduce(kind, one, &[0], false));
    }
    if is_whole_arg(kind, &dims) && b.rank(x) > 1 {
        // The position counts in the flattened tensor.
        let count = b.numel(x);
        let flat = b.reshape(x, &[count]);
        let out = b.reduce(kind, flat, &[0], false);
        let sizes = a.result()?.sizes.clone();
        return Ok(b.reshape(out, &sizes));
    }
    Ok(b.reduce(kind, x, &dims, keep))
}

fn is_whole_arg(kind: Reduction, dims: &[usize]) -> bool {
    matches!(kind, Reduction::ArgMax | Reduction::ArgMin) && dims.len() > 1
}

/// Extrema of nothing raise in eager.
fn refuse_empty(b: &Builder, kind: Reduction, x: Tensor, dims: &[usize]) -> Rewrite<()> {
    let needs_element = matches!(kind, Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin);
    let may_be_empty = dims.iter().any(|&d| b.sizes(x).get(d).is_some_and(|&n| b.graph.pool.range(n).lo < 1));
    if needs_element && may_be_empty { unsupported("an extremum of nothing") } else { Ok(()) }
}

pub(crate) fn mean(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let dims = a.dims("dim", b.rank(x), true)?;
    let count = b.count(x, &dims);
    let keep = a.has("keepdim") && a.bool("keepdim")?;
    let sum = if b.rank(x) == 0 { x } else { b.reduce(Reduction::Sum, x, &dims, keep) };
    Ok(b.div_size(sum, count))
}

/// Variance and mean over `dim`, both kept, in two passes.
fn moments(b: &mut Builder, a: &Args) -> Rewrite<(Tensor, Tensor, SmallVec<[usize; 5]>)> {
    let x = a.operand(b, "self")?;
    if b.rank(x) == 0 || !b.dtype(x).is_float() {
        return unsupported("variance of a scalar");
    }
    let dims = a.dims("dim", b.rank(x), true)?;
    let count = b.count(x, &dims);
    let correction = a.opt_float("correction")?.unwrap_or(1.0);
    let mean = b.mean_keep(x, &dims);
    let centred = b.sub(x, mean);
    let square = b.mul(centred, centred);
    let sum = b.sum_keep(square, &dims);
    let divisor = degrees(b, count, correction, sum);
    let var = b.div(sum, divisor);
    Ok((var, mean, dims))
}

/// `max(count - correction, 0)` in the dtype of a tensor.
fn degrees(b: &mut Builder, count: Expr, correction: f64, like: Tensor) -> Tensor {
    if let Some(count) = b.graph.pool.as_int(count) {
        return b.lit((count as f64 - correction).max(0.0), like);
    }
    let count = b.size(count, DType::F64);
    let left = b.add_lit(count, -correction);
    let zero = b.lit(0.0, left);
    let left = b.maximum(left, zero);
    b.convert(left, b.dtype(like))
}

/// Sizes that a reduction's promise has: kept dimensions vanish unless asked for.
fn to_promised(b: &mut Builder, a: &Args, t: Tensor) -> Rewrite {
    let sizes = a.result()?.sizes.clone();
    Ok(b.reshape(t, &sizes))
}

pub(crate) fn var(b: &mut Builder, a: &Args) -> Rewrite {
    let (var, _, _) = moments(b, a)?;
    to_promised(b, a, var)
}

pub(crate) fn var_mean(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let (var, mean, _) = moments(b, a)?;
    Ok(vec![Some(to_promised(b, a, var)?), Some(to_promised(b, a, mean)?)])
}

/// An extremum along one dimension and its position.
pub(crate) fn best(b: &mut Builder, a: &Args, kind: Reduction) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "self")?;
    if b.rank(x) == 0 || b.dtype(x) == DType::Bool {
        return unsupported("extremum with position of a scalar or bool");
    }
    let dim = wrap_dim(a.int("dim")?, b.rank(x))?;
    refuse_empty(b, kind, x, &[dim])?;
    let keep = a.bool("keepdim")?;
    let arg = if kind == Reduction::Max { Reduction::ArgMax } else { Reduction::ArgMin };
    let value = b.reduce(kind, x, &[dim], keep);
    let position = b.reduce(arg, x, &[dim], keep);
    Ok(vec![Some(value), Some(position)])
}

pub(crate) fn logsumexp(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let dims = a.dims("dim", b.rank(x), true)?;
    refuse_empty(b, Reduction::Max, x, &dims)?;
    let max = b.reduce(Reduction::Max, x, &dims, true);
    // An infinite maximum would give NaN by inf - inf.
    let magnitude = b.map(fx::prim::Pointwise::Abs, &[max]);
    let infinity = b.lit(f64::INFINITY, max);
    let is_infinite = b.eq(magnitude, infinity);
    let zero = b.lit(0.0, max);
    let shift = b.select(is_infinite, zero, max);
    let shifted = b.sub(x, shift);
    let e = b.exp(shifted);
    let sum = b.sum_keep(e, &dims);
    let log = b.log(sum);
    let out = b.add(log, shift);
    to_promised(b, a, out)
}
