//! Linear algebra of the processor's library: determinants, inverses and factors of matrices.
//!
//! Matrices come out column-major, as LAPACK leaves them, and each of a batch lies by itself; one number of each
//! matrix, or one vector, is row-major.

use super::{
    Rule,
    call::{Call, Result, tuple},
    linear::shared,
    strides,
};
use crate::{arg::Arg, aten::Packet, graph::Meta};
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::linalg_inv, |c| one(c, "A")),
    (Packet::inverse, |c| one(c, "self")),
    (Packet::cholesky_inverse, |c| one(c, "self")),
    (Packet::linalg_cholesky, |c| one(c, "self")),
    (Packet::linalg_cholesky_ex, |c| one_and_info(c, "self")),
    (Packet::linalg_inv_ex, |c| one_and_info(c, "A")),
    (Packet::linalg_det, |c| numbers(c, "A")),
    (Packet::det, |c| numbers(c, "self")),
    (Packet::logdet, |c| numbers(c, "self")),
    (Packet::_linalg_det, |c| {
        let (factors, pivots, _) = lu(c, "A")?;
        Ok(tuple([number_of_each(c, "A")?, factors, pivots]))
    }),
    (Packet::linalg_slogdet, |c| Ok(tuple([number_of_each(c, "A")?, number_of_each(c, "A")?]))),
    (Packet::slogdet, |c| Ok(tuple([number_of_each(c, "self")?, number_of_each(c, "self")?]))),
    (Packet::_linalg_slogdet, |c| {
        let (factors, pivots, _) = lu(c, "A")?;
        Ok(tuple([number_of_each(c, "A")?, number_of_each(c, "A")?, detached(factors), pivots]))
    }),
    (Packet::linalg_eigh, |c| eigh(c, "self")),
    (Packet::_linalg_eigh, |c| eigh(c, "A")),
    (Packet::linalg_eigvalsh, |c| {
        of_triangle(c)?;
        Ok(eigenvalues(c, "self")?.into())
    }),
    (Packet::linalg_eig, |c| {
        let (values, vectors) = (eigenvalues(c, "self")?, square_result(c, "self")?);
        Ok(tuple([complex(values), complex(vectors)]))
    }),
    (Packet::linalg_eigvals, |c| Ok(complex(eigenvalues(c, "self")?).into())),
    (Packet::_linalg_eigvals, |c| Ok(complex(eigenvalues(c, "self")?).into())),
    (Packet::linalg_svdvals, |c| {
        let (a, [rows, columns]) = matrices(c, "A")?;
        let least = c.pool.min(rows, columns);
        Ok(c.contiguous(a, a.dtype, [batch(a), &[least]].concat()).into())
    }),
    (Packet::_linalg_svd, |c| {
        if c.bool("compute_uv")? {
            return decomposed(c);
        }
        let (a, [rows, columns]) = matrices(c, "A")?;
        let least = c.pool.min(rows, columns);
        let values = c.contiguous(a, a.dtype, [batch(a), &[least]].concat());
        let nothing = nothing(c, a);
        Ok(tuple([nothing.clone(), values, nothing]))
    }),
    (Packet::linalg_svd, decomposed),
    (Packet::linalg_qr, |c| {
        let (a, [rows, columns]) = matrices(c, "A")?;
        let between = match c.get("mode").as_str() {
            Some("reduced" | "r") => c.pool.min(rows, columns),
            Some("complete") => rows,
            _ => return c.fits(None),
        };
        let second = column_major(c, a, [between, columns]);
        let is_alone = c.get("mode").as_str() == Some("r");
        Ok(tuple([if is_alone { nothing(c, a) } else { column_major(c, a, [rows, between]) }, second]))
    }),
    (Packet::geqrf, |c| {
        let (a, [rows, columns]) = matrices(c, "self")?;
        let least = c.pool.min(rows, columns);
        let scales = c.contiguous(a, a.dtype, [batch(a), &[least]].concat());
        Ok(tuple([column_major(c, a, [rows, columns]), scales]))
    }),
    (Packet::linalg_lu_factor_ex, |c| lu_and_info(c, "A")),
    (Packet::_lu_with_info, |c| lu_and_info(c, "self")),
    (Packet::linalg_lu, |c| {
        of_pivots(c)?;
        unpacked(c, "A", true, true)
    }),
    (Packet::lu_unpack, |c| {
        let (lu, [rows, columns]) = matrices(c, "LU_data")?;
        let (data, pivots) = (c.bool("unpack_data")?, c.bool("unpack_pivots")?);
        if pivots {
            let least = c.pool.min(rows, columns);
            c.demand_sizes("LU_pivots", &[batch(lu), &[least]].concat())?;
            let is_of_type = c.tensor("LU_pivots")?.dtype == DType::I32;
            is_of_type.then_some(()).ok_or_else(|| c.rejected("pivots of another type"))?;
        }
        unpacked(c, "LU_data", data, pivots)
    }),
    (Packet::linalg_ldl_factor_ex, |c| {
        let (a, [.., n]) = square(c, "self")?;
        let pivots = c.contiguous(a, DType::I32, [batch(a), &[n]].concat());
        Ok(tuple([column_major(c, a, [n, n]), pivots, info(c, a)]))
    }),
    (Packet::linalg_matrix_exp, exponential),
    (Packet::linalg_matrix_sqrth, row_major),
    (Packet::linalg_polar, |c| {
        let (a, [rows, columns]) = matrices(c, "A")?;
        c.demand_at_most(columns, rows)?;
        let first = c.contiguous(a, a.dtype, a.sizes.clone());
        Ok(tuple([first, c.contiguous(a, a.dtype, [batch(a), &[columns; 2]].concat())]))
    }),
    (Packet::_linalg_check_errors, |c| match c.tensor("info")?.dtype {
        DType::I32 => Ok(Meta::Plain(Arg::None)),
        _ => Err(c.rejected("an account of another type")),
    }),
];

/// The factors of a singular value decomposition.
fn decomposed(c: &mut Call) -> Result {
    let (a, [rows, columns]) = matrices(c, "A")?;
    let least = c.pool.min(rows, columns);
    let (left, right) = if c.bool("full_matrices")? { (rows, columns) } else { (least, least) };
    let values = c.contiguous(a, a.dtype, [batch(a), &[least]].concat());
    Ok(tuple([column_major(c, a, [rows, left]), values, column_major(c, a, [right, columns])]))
}

/// Matrices of the processor, whose sizes come last.
pub(super) fn matrices<'a>(c: &mut Call<'a>, name: &str) -> Result<(&'a TensorMeta, [Expr; 2])> {
    let a = c.tensor(name)?;
    if !matches!(a.dtype, DType::F32 | DType::F64) || a.device.kind != DeviceKind::Cpu {
        return Err(c.unsupported("matrices of other numbers, or of a device"));
    }
    match a.sizes[..] {
        [.., rows, columns] => Ok((a, [rows, columns])),
        _ => c.fits(None),
    }
}

/// Square matrices, whose sizes come last.
pub(super) fn square<'a>(c: &mut Call<'a>, name: &str) -> Result<(&'a TensorMeta, [Expr; 2])> {
    let (a, sizes) = matrices(c, name)?;
    shared(c, sizes[0], sizes[1])?;
    Ok((a, sizes))
}

/// The sizes before those of the matrices.
pub(super) fn batch(a: &TensorMeta) -> &[Expr] {
    &a.sizes[..a.sizes.len() - 2]
}

/// A matrix for each of a batch.
pub(super) fn column_major(c: &mut Call, of: &TensorMeta, sizes: [Expr; 2]) -> TensorMeta {
    in_columns(c, of, [batch(of), &sizes].concat())
}

/// A new tensor of these sizes, the last but one innermost if there are two.
pub(super) fn in_columns(c: &mut Call, like: &TensorMeta, mut sizes: Vec<Expr>) -> TensorMeta {
    let Some(inner) = sizes.len().checked_sub(2) else { return c.contiguous(like, like.dtype, sizes) };
    sizes.swap(inner, inner + 1);
    let mut result = c.contiguous(like, like.dtype, sizes);
    result.sizes.swap(inner, inner + 1);
    result.strides.swap(inner, inner + 1);
    result
}

/// A tensor without elements, which stands for what is not computed.
pub(super) fn nothing(c: &mut Call, like: &TensorMeta) -> TensorMeta {
    let none = c.pool.int(0);
    c.contiguous(like, like.dtype, vec![none])
}

/// A result that autograd does not follow.
pub(super) fn detached(result: TensorMeta) -> TensorMeta {
    TensorMeta { requires_grad: false, ..result }
}

/// The complex counterpart of real results.
fn complex(real: TensorMeta) -> TensorMeta {
    let dtype = if real.dtype == DType::F64 { DType::C128 } else { DType::C64 };
    TensorMeta { dtype, ..real }
}

/// A matrix of the same sizes for each that is square.
fn square_result(c: &mut Call, name: &str) -> Result<TensorMeta> {
    let (a, sizes) = square(c, name)?;
    Ok(column_major(c, a, sizes))
}

fn one(c: &mut Call, name: &str) -> Result {
    Ok(square_result(c, name)?.into())
}

/// A number for each matrix that says what went wrong.
fn info(c: &mut Call, a: &TensorMeta) -> TensorMeta {
    c.contiguous(a, DType::I32, batch(a).to_vec())
}

fn one_and_info(c: &mut Call, name: &str) -> Result {
    let (a, sizes) = square(c, name)?;
    Ok(tuple([column_major(c, a, sizes), info(c, a)]))
}

fn number_of_each(c: &mut Call, name: &str) -> Result<TensorMeta> {
    let (a, _) = square(c, name)?;
    Ok(c.contiguous(a, a.dtype, batch(a).to_vec()))
}

fn numbers(c: &mut Call, name: &str) -> Result {
    Ok(number_of_each(c, name)?.into())
}

fn eigenvalues(c: &mut Call, name: &str) -> Result<TensorMeta> {
    let (a, [.., n]) = square(c, name)?;
    Ok(c.contiguous(a, a.dtype, [batch(a), &[n]].concat()))
}

/// Eigenvalues of symmetric matrices, and eigenvectors where they are asked for.
fn eigh(c: &mut Call, name: &str) -> Result {
    of_triangle(c)?;
    let (a, sizes) = square(c, name)?;
    let is_alone = c.has("compute_v") && !c.bool("compute_v")?;
    let vectors = if is_alone { nothing(c, a) } else { column_major(c, a, sizes) };
    Ok(tuple([eigenvalues(c, name)?, vectors]))
}

/// Demands that the triangle that is read is the upper or the lower one.
fn of_triangle(c: &Call) -> Result<()> {
    match c.get("UPLO").as_str() {
        Some("L" | "U" | "l" | "u") => Ok(()),
        _ => c.fits(None),
    }
}

/// Demands that rows are exchanged, as the processor's library does it.
fn of_pivots(c: &Call) -> Result<()> {
    if c.bool("pivot")? { Ok(()) } else { Err(c.unsupported("factors without pivots, which a device alone has")) }
}

/// The two triangular factors in one matrix, which rows were exchanged, and what went wrong.
fn lu(c: &mut Call, name: &str) -> Result<(TensorMeta, TensorMeta, TensorMeta)> {
    let (a, sizes) = matrices(c, name)?;
    let least = c.pool.min(sizes[0], sizes[1]);
    let pivots = c.contiguous(a, DType::I32, [batch(a), &[least]].concat());
    Ok((column_major(c, a, sizes), pivots, info(c, a)))
}

fn lu_and_info(c: &mut Call, name: &str) -> Result {
    of_pivots(c)?;
    let (factors, pivots, info) = lu(c, name)?;
    Ok(tuple([factors, pivots, info]))
}

/// A permutation, which has no gradient, and two triangular factors.
fn unpacked(c: &mut Call, name: &str, data: bool, pivots: bool) -> Result {
    let (a, [rows, columns]) = matrices(c, name)?;
    let least = c.pool.min(rows, columns);
    let mut part = |wanted: bool, sizes: [Expr; 2]| match wanted {
        true => c.contiguous(a, a.dtype, [batch(a), &sizes].concat()),
        false => nothing(c, a),
    };
    let permutation = detached(part(pivots, [rows, rows]));
    Ok(tuple([permutation, part(data, [rows, least]), part(data, [least, columns])]))
}

/// A function of each square matrix, row-major.
fn row_major(c: &mut Call) -> Result {
    let (a, _) = square(c, "self")?;
    Ok(c.contiguous(a, a.dtype, a.sizes.clone()).into())
}

/// The exponential of each matrix: of numbers in the order of their strides, else row-major. Batches become one list.
fn exponential(c: &mut Call) -> Result {
    let (a, [.., n]) = square(c, "self")?;
    if c.pool.is_one(n).ok_or_else(|| c.undecided("whether matrices are numbers"))? {
        return Ok(c.preserved(a, a.dtype)?.into());
    }
    let list = [strides::numel(&mut c.pool, batch(a)), n, n];
    match strides::viewed(&mut c.pool, a, &list) {
        Some(Some(_)) => row_major(c),
        Some(None) => Err(c.rejected("a batch of matrices that is no list of them")),
        None => Err(c.undecided("whether a batch of matrices is a list of them")),
    }
}
