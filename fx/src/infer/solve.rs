//! Systems of linear equations on the processor, least squares, and products with what a factorisation left.
//!
//! Solutions are column-major, as LAPACK leaves them, or row-major where the unknown stands to the left.

use super::{
    Rule,
    call::{Call, Result, tuple},
    linalg::{batch, column_major, detached, in_columns, matrices, nothing, square},
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
    (Packet::linalg_lstsq, least_squares),
    (Packet::linalg_pinv, pseudo_inverse),
    (Packet::pinverse, pseudo_inverse),
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

/// The drivers of least squares. All but the first find the rank, the last two singular values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Driver {
    Gels,
    Gelsy,
    Gelsd,
}

fn driver(c: &Call) -> Result<Driver> {
    match c.get("driver").as_str() {
        Some("gels") => Ok(Driver::Gels),
        Some("gelsd" | "gelss") => Ok(Driver::Gelsd),
        Some("gelsy") => Ok(Driver::Gelsy),
        None if !c.given("driver") => Ok(Driver::Gelsy),
        _ => c.fits(None),
    }
}

/// Solutions, residuals, ranks and singular values of least squares.
fn least_squares(c: &mut Call) -> Result {
    let ((a, [rows, columns]), b, driver) = (matrices(c, "self")?, c.tensor("b")?, driver(c)?);
    c.one_dtype(a, b)?;
    let is_of_vectors = holds_vectors(c, "self", "b")?;
    if b.sizes.len() + 1 == a.sizes.len() && !is_of_vectors {
        return Err(c.unsupported("right sides whose rows count as matrices of the batch"));
    }
    let mut right = b.sizes.clone();
    right.extend(is_of_vectors.then_some(Expr::ONE));
    c.fits((right.len() == a.sizes.len()).then_some(()))?;
    let [others @ .., height, width] = &right[..] else { return c.fits(None) };
    shared(c, rows, *height)?;
    let leading = c.broadcast(&[batch(a), others])?;
    // More equations than unknowns leave residuals.
    let over = c.pool.lt(columns, rows);
    let is_over = c.pool.decide(over).ok_or_else(|| c.undecided("whether there are more equations than unknowns"))?;
    if driver == Driver::Gelsd && (is_over || is_empty(c, a) || is_empty(c, b)) {
        return Err(c.unsupported("residuals, which are there where all ranks are full, or systems of no elements"));
    }
    let longest = if is_over { rows } else { columns };
    let mut solution = in_columns(c, a, [&leading[..], &[longest, *width]].concat());
    solution.sizes[leading.len()] = columns;
    if is_of_vectors {
        solution.sizes.pop();
        solution.strides.pop();
    }
    let has_residuals = is_over && driver == Driver::Gels;
    let residuals = has_residuals.then(|| [&leading[..], &[*width]].concat());
    let (ranks, values) = found(c, a, driver);
    Ok(tuple([solution, perhaps(c, a, residuals), ranks, values]))
}

/// The ranks of the matrices of a system and their singular values, which not all drivers find.
fn found(c: &mut Call, a: &TensorMeta, driver: Driver) -> (TensorMeta, TensorMeta) {
    let (none, least) = (c.pool.int(0), c.pool.min(a.sizes[a.sizes.len() - 2], a.sizes[a.sizes.len() - 1]));
    let ranks = if driver == Driver::Gels { vec![none] } else { batch(a).to_vec() };
    let values = (driver == Driver::Gelsd).then(|| [batch(a), &[least]].concat());
    (c.contiguous(a, DType::I64, ranks), detached(perhaps(c, a, values)))
}

/// A row-major tensor, or one without elements where there are no sizes.
fn perhaps(c: &mut Call, like: &TensorMeta, sizes: Option<Vec<Expr>>) -> TensorMeta {
    match sizes {
        Some(sizes) => c.contiguous(like, like.dtype, sizes),
        None => nothing(c, like),
    }
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
