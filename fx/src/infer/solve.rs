//! Systems of linear equations on the processor, and products with what a factorisation left.
//!
//! Solutions are column-major, as LAPACK leaves them, or row-major where the unknown stands to the left.

use super::{
    Rule,
    call::{Call, Result, tuple},
    linalg::{batch, column_major, detached, in_columns, matrices, square},
    linear::shared,
};
use crate::aten::Packet;
use symshapes::{DType, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::linalg_solve, |c| Ok(solution(c)?.into())),
    (Packet::_linalg_solve_ex, |c| {
        let result = solution(c)?;
        let (a, [.., n]) = square(c, "A")?;
        let pivots = c.contiguous(a, DType::I32, [batch(a), &[n]].concat());
        let info = c.contiguous(a, DType::I32, batch(a).to_vec());
        Ok(tuple([result, detached(column_major(c, a, [n, n])), pivots, info]))
    }),
    (Packet::linalg_solve_triangular, |c| {
        let left = c.bool("left")?;
        let (b, sizes) = system(c, "self", "B", left)?;
        Ok(in_columns(c, b, sizes).into())
    }),
    (Packet::triangular_solve, |c| {
        let (b, sizes) = system(c, "A", "self", true)?;
        let (a, [.., n]) = square(c, "A")?;
        let coefficients = [&sizes[..sizes.len() - 2], &[n, n]].concat();
        Ok(tuple([in_columns(c, b, sizes), in_columns(c, a, coefficients)]))
    }),
    (Packet::cholesky_solve, |c| {
        let (b, sizes) = system(c, "input2", "self", true)?;
        Ok(in_columns(c, b, sizes).into())
    }),
    (Packet::linalg_ldl_solve, |c| {
        let (b, sizes) = system(c, "LD", "B", true)?;
        of_pivots(c, "LD", "pivots")?;
        Ok(in_columns(c, b, sizes).into())
    }),
    (Packet::linalg_lu_solve, |c| {
        let left = c.bool("left")?;
        let (b, sizes) = system(c, "LU", "B", left)?;
        of_pivots(c, "LU", "pivots")?;
        Ok(if left { in_columns(c, b, sizes) } else { c.contiguous(b, b.dtype, sizes) }.into())
    }),
    (Packet::lu_solve, |c| {
        let (b, sizes) = system(c, "LU_data", "self", true)?;
        of_pivots(c, "LU_data", "LU_pivots")?;
        Ok(in_columns(c, b, sizes).into())
    }),
    (Packet::linalg_pinv, pseudo_inverse),
    (Packet::linalg_householder_product, |c| {
        let (a, [rows, columns]) = matrices(c, "input")?;
        let scales = scales(c, "tau", a)?;
        c.demand_at_most(columns, rows)?;
        c.demand_at_most(scales, columns)?;
        Ok(column_major(c, a, [rows, columns]).into())
    }),
    (Packet::ormqr, |c| {
        let (a, [rows, columns]) = matrices(c, "self")?;
        let (other, sizes) = matrices(c, "input3")?;
        c.one_dtype(a, other)?;
        let facing = sizes[usize::from(!c.bool("left")?)];
        shared(c, facing, rows)?;
        equal(c, batch(a), batch(other))?;
        let (scales, least) = (scales(c, "input2", a)?, c.pool.min(facing, columns));
        shared(c, scales, least)?;
        Ok(column_major(c, other, sizes).into())
    }),
];

/// Demands that two lists of sizes are equal.
fn equal(c: &mut Call, a: &[Expr], b: &[Expr]) -> Result<()> {
    c.fits((a.len() == b.len()).then_some(()))?;
    a.iter().zip(b).try_for_each(|(&a, &b)| shared(c, a, b))
}

/// The right side of a system of square matrices `a`, and the sizes of its solution, whose batches are broadcast.
fn system<'a>(c: &mut Call<'a>, a: &str, b: &str, left: bool) -> Result<(&'a TensorMeta, Vec<Expr>)> {
    let (a, [.., n]) = square(c, a)?;
    let (b, [rows, columns]) = matrices(c, b)?;
    c.one_dtype(a, b)?;
    shared(c, n, if left { rows } else { columns })?;
    let sizes = [c.broadcast(&[batch(a), batch(b)])?, vec![rows, columns]].concat();
    Ok((b, sizes))
}

/// Demands a number for each row of the factors. Kernels that take others than `int32` read them as such.
fn of_pivots(c: &mut Call, factors: &str, pivots: &str) -> Result<()> {
    let factors = c.tensor(factors)?;
    if c.tensor(pivots)?.dtype != DType::I32 {
        return Err(c.unsupported("pivots of another type"));
    }
    c.demand_sizes(pivots, &factors.sizes[..factors.sizes.len() - 1])
}

/// The solution of a system whose right side holds matrices, or a vector for each matrix.
fn solution(c: &mut Call) -> Result<TensorMeta> {
    let (left, is_of_vectors) = (c.bool("left")?, holds_vectors(c, "A", "B")?);
    if !is_of_vectors {
        let (b, sizes) = system(c, "A", "B", left)?;
        return Ok(if left { in_columns(c, b, sizes) } else { c.contiguous(b, b.dtype, sizes) });
    }
    let ((a, [.., n]), b) = (square(c, "A")?, c.tensor("B")?);
    c.one_dtype(a, b)?;
    c.fits(left.then_some(()))?;
    shared(c, n, *c.fits(b.sizes.last())?)?;
    Ok(in_columns(c, b, [batch(a), &[n]].concat()))
}

/// True if the right side holds one vector, or one for each matrix.
fn holds_vectors(c: &mut Call, a: &str, b: &str) -> Result<bool> {
    let (a, b) = (c.tensor(a)?, c.tensor(b)?);
    if b.sizes.len() == 1 || b.sizes.len() + 1 != a.sizes.len() {
        return Ok(b.sizes.len() == 1);
    }
    for (&one, &other) in a.sizes.iter().zip(&b.sizes) {
        match c.pool.is_equal(one, other) {
            Some(true) => {}
            Some(false) => return Ok(false),
            None => return Err(c.undecided("whether there is a vector for each matrix")),
        }
    }
    Ok(true)
}

fn is_empty(c: &Call, a: &TensorMeta) -> bool {
    a.sizes.iter().any(|&size| c.pool.as_int(size) == Some(0))
}

/// The pseudo-inverse of each matrix. Tolerances that are tensors are broadcast against the batch.
fn pseudo_inverse(c: &mut Call) -> Result {
    let (a, [rows, columns]) = matrices(c, "self")?;
    if is_empty(c, a) {
        return Ok(c.contiguous(a, a.dtype, [batch(a), &[columns, rows]].concat()).into());
    }
    if c.has("hermitian") && c.bool("hermitian")? {
        shared(c, rows, columns)?;
    }
    let mut leading = batch(a).to_vec();
    for name in ["atol", "rtol", "rcond"] {
        if let Some(tolerance) = c.opt_tensor(name)? {
            c.fits(tolerance.dtype.is_float().then_some(()))?;
            leading = c.broadcast(&[&leading, &tolerance.sizes])?;
        }
    }
    Ok(c.contiguous(a, a.dtype, [leading, vec![columns, rows]].concat()).into())
}

/// The number of scales that a factorisation left for each matrix.
fn scales(c: &mut Call, name: &str, a: &TensorMeta) -> Result<Expr> {
    let scales = c.tensor(name)?;
    c.one_dtype(a, scales)?;
    let [others @ .., count] = &scales.sizes[..] else { return c.fits(None) };
    equal(c, others, batch(a))?;
    Ok(*count)
}
