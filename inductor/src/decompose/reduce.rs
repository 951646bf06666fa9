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
    if !b.dtype(x).is_float() {
        return unsupported("variance of integers");
    }
    let x = if b.rank(x) == 0 { b.reshape(x, &[Expr::ONE]) } else { x };
    let dims = a.dims("dim", b.rank(x), true)?;
    let count = b.count(x, &dims);
    let correction = match a.has("unbiased") {
        true => f64::from(u8::from(a.bool("unbiased")?)),
        false => a.opt_float("correction")?.unwrap_or(1.0),
    };
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
    if b.dtype(x) == DType::Bool {
        return unsupported("extremum with position of bool");
    }
    if b.rank(x) == 0 {
        return Ok(vec![Some(x), Some(b.full(0.0, DType::I64, &[]))]);
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

/// The roots of [`var`]'s results.
pub(crate) fn std(b: &mut Builder, a: &Args) -> Rewrite {
    let var = var(b, a)?;
    Ok(b.sqrt(var))
}

pub(crate) fn std_mean(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let mut results = var_mean(b, a)?;
    if let Some(Some(var)) = results.first_mut() {
        *var = b.sqrt(*var);
    }
    Ok(results)
}

/// The sum without what is NaN.
pub(crate) fn nansum(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let x = if b.dtype(x).is_float() {
        let is_nan = b.map(fx::prim::Pointwise::IsNan, &[x]);
        let zero = b.lit(0.0, x);
        b.select(is_nan, zero, x)
    } else {
        x
    };
    sum_promised(b, a, x)
}

pub(crate) fn count_nonzero(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.tensor("self")?;
    let is_any = b.convert(x, DType::Bool);
    let ones = b.convert(is_any, DType::I64);
    sum_promised(b, a, ones)
}

/// The sum over `dim`, or everything.
fn sum_promised(b: &mut Builder, a: &Args, x: Tensor) -> Rewrite {
    let dims = a.dims("dim", b.rank(x), true)?;
    let sum = if b.rank(x) == 0 { x } else { b.reduce(Reduction::Sum, x, &dims, false) };
    to_promised(b, a, sum)
}

/// Both extrema along one dimension, or of everything.
pub(crate) fn aminmax(b: &mut Builder, a: &Args) -> Rewrite<Vec<Option<Tensor>>> {
    let x = a.operand(b, "self")?;
    let dims: SmallVec<[usize; 5]> = match a.opt_int("dim")? {
        Some(dim) => SmallVec::from_slice(&[wrap_dim(dim, b.rank(x))?]),
        None => (0..b.rank(x)).collect(),
    };
    refuse_empty(b, Reduction::Max, x, &dims)?;
    let extrema = [Reduction::Min, Reduction::Max].map(|kind| {
        let extremum = if b.rank(x) == 0 { x } else { b.reduce(kind, x, &dims, false) };
        to_promised(b, a, extremum).map(Some)
    });
    extrema.into_iter().collect()
}

/// The `p`-norm over dimensions: the largest magnitude where `p` is infinite, how many are not 0 where it is 0.
pub(crate) fn vector_norm(b: &mut Builder, a: &Args, p: &str) -> Rewrite {
    let x = a.operand(b, "self")?;
    if !b.dtype(x).is_float() {
        return unsupported("integers");
    }
    let p = a.opt_float(p)?.unwrap_or(2.0);
    let dims = a.dims("dim", b.rank(x), true)?;
    let norm = power_norm(b, x, p, &dims)?;
    to_promised(b, a, norm)
}

/// The `p`-norm of floats over dimensions, which vanish.
pub(crate) fn power_norm(b: &mut Builder, x: Tensor, p: f64, dims: &[usize]) -> Rewrite {
    use fx::prim::Pointwise as P;
    let size = b.map(P::Abs, &[x]);
    let over = |b: &mut Builder, kind: Reduction, x: Tensor| {
        if b.rank(x) == 0 { x } else { b.reduce(kind, x, dims, false) }
    };
    Ok(if p.is_infinite() {
        let kind = if p > 0.0 { Reduction::Max } else { Reduction::Min };
        refuse_empty(b, kind, x, dims)?;
        over(b, kind, size)
    } else if p == 0.0 {
        let is_any = b.convert(x, DType::Bool);
        let ones = b.convert(is_any, b.dtype(x));
        over(b, Reduction::Sum, ones)
    } else if p == 1.0 {
        over(b, Reduction::Sum, size)
    } else if p == 2.0 {
        let square = b.mul(x, x);
        let sum = over(b, Reduction::Sum, square);
        b.sqrt(sum)
    } else {
        let exponent = b.lit(p, size);
        let power = b.map(P::Pow, &[size, exponent]);
        let sum = over(b, Reduction::Sum, power);
        let root = b.lit(1.0 / p, sum);
        b.map(P::Pow, &[sum, root])
    })
}

/// The sum of the main diagonal.
pub(crate) fn trace(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let [rows, cols] = *b.sizes(x) else { return unsupported("not a matrix") };
    let len = b.graph.pool.min(rows, cols);
    let diagonal = b.diagonal(x, [0, 1], [0, 0], len);
    Ok(b.reduce(Reduction::Sum, diagonal, &[0], false))
}

/// The product of two vectors.
pub(crate) fn dot(b: &mut Builder, a: &Args) -> Rewrite {
    let other = if a.has("tensor") { "tensor" } else { "other" };
    let (x, y) = (a.operand(b, "self")?, a.operand(b, other)?);
    let product = b.mul(x, y);
    Ok(b.reduce(Reduction::Sum, product, &[0], false))
}
