//! Products with vectors, distances and rescaled rows: reductions, which fuse with what is around them.

use symshapes::Expr;

use super::reduce::power_norm;
use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Dims, Tensor};
use fx::prim::Reduction;

/// A matrix times a vector.
pub(crate) fn mv(b: &mut Builder, a: &Args) -> Rewrite {
    let (matrix, vector) = (a.operand(b, "self")?, a.operand(b, "vec")?);
    Ok(times(b, matrix, vector))
}

fn times(b: &mut Builder, matrix: Tensor, vector: Tensor) -> Tensor {
    let product = b.mul(matrix, vector);
    b.reduce(Reduction::Sum, product, &[1], false)
}

/// `beta * self + alpha * (mat @ vec)`, without `self` where `beta` is 0.
pub(crate) fn addmv(b: &mut Builder, a: &Args) -> Rewrite {
    let (alpha, beta) = (a.float("alpha")?, a.float("beta")?);
    let (x, matrix, vector) = (a.operand(b, "self")?, a.operand(b, "mat")?, a.operand(b, "vec")?);
    if !b.dtype(x).is_float() {
        return unsupported("integers");
    }
    let product = times(b, matrix, vector);
    let product = if alpha == 1.0 { product } else { b.mul_lit(product, alpha) };
    if beta == 0.0 {
        return Ok(product);
    }
    let x = if beta == 1.0 { x } else { b.mul_lit(x, beta) };
    Ok(b.add(x, product))
}

/// The norm of the difference.
pub(crate) fn dist(b: &mut Builder, a: &Args) -> Rewrite {
    let (x, y) = (a.operand(b, "self")?, a.operand(b, "other")?);
    if !b.dtype(x).is_float() {
        return unsupported("integers");
    }
    let difference = b.sub(x, y);
    let dims: Vec<usize> = (0..b.rank(difference)).collect();
    power_norm(b, difference, a.float("p")?, &dims)
}

/// Slices along a dimension, those whose norm is above `maxnorm` shrunk to it.
pub(crate) fn renorm(b: &mut Builder, a: &Args) -> Rewrite {
    let x = a.operand(b, "self")?;
    let (rank, most) = (b.rank(x), a.float("maxnorm")?);
    if !b.dtype(x).is_float() || rank < 2 {
        return unsupported("integers, or a vector");
    }
    let dim = a.dim("dim", rank)?;
    let others: Vec<usize> = (0..rank).filter(|&k| k != dim).collect();
    let norm = power_norm(b, x, a.float("p")?, &others)?;
    let kept: Dims = (0..rank).map(|k| if k == dim { b.sizes(x)[dim] } else { Expr::ONE }).collect();
    let norm = b.reshape(norm, &kept);
    let limit = b.lit(most, norm);
    let is_above = b.gt(norm, limit);
    let divisor = b.add_lit(norm, 1e-7);
    let factor = b.div(limit, divisor);
    let one = b.lit(1.0, norm);
    let factor = b.select(is_above, factor, one);
    Ok(b.mul(x, factor))
}
