//! Linear algebra of the processor's library. Matrices come out column-major, as LAPACK leaves them, and each of a
//! batch lies by itself; one number of each matrix, or one vector, is row-major.

use super::{
    Rule,
    call::{Call, Result, tuple},
    linear::shared,
};
use crate::aten::Packet;
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::linalg_inv, |c| one(c, "A")),
    (Packet::inverse, |c| one(c, "self")),
    (Packet::linalg_cholesky, |c| one(c, "self")),
    (Packet::linalg_det, |c| numbers(c, "A")),
    (Packet::det, |c| numbers(c, "self")),
    (Packet::logdet, |c| numbers(c, "self")),
    (Packet::linalg_slogdet, |c| Ok(tuple([number_of_each(c, "A")?, number_of_each(c, "A")?]))),
    (Packet::slogdet, |c| Ok(tuple([number_of_each(c, "self")?, number_of_each(c, "self")?]))),
    (Packet::linalg_eigh, |c| {
        let (a, [.., n]) = square(c, "self")?;
        let values = c.contiguous(a, a.dtype, [batch(a), &[n]].concat());
        Ok(tuple([values, column_major(c, a, [n, n])]))
    }),
    (Packet::linalg_eigvalsh, |c| {
        let (a, [.., n]) = square(c, "self")?;
        Ok(c.contiguous(a, a.dtype, [batch(a), &[n]].concat()).into())
    }),
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
        let (least, none) = (c.pool.min(rows, columns), c.pool.int(0));
        let values = c.contiguous(a, a.dtype, [batch(a), &[least]].concat());
        let nothing = c.contiguous(a, a.dtype, vec![none]);
        Ok(tuple([nothing.clone(), values, nothing]))
    }),
    (Packet::linalg_svd, decomposed),
    (Packet::linalg_qr, |c| {
        let (a, [rows, columns]) = matrices(c, "A")?;
        let between = match c.get("mode").as_str() {
            Some("reduced") => c.pool.min(rows, columns),
            Some("complete") => rows,
            _ => return Err(c.unsupported("a factor alone")),
        };
        Ok(tuple([column_major(c, a, [rows, between]), column_major(c, a, [between, columns])]))
    }),
    (Packet::linalg_solve, |c| {
        let (a, [.., n]) = square(c, "A")?;
        if !c.bool("left")? || a.sizes.len() != c.tensor("B")?.sizes.len() {
            return Err(c.unsupported("systems from the right, of vectors, or of other batches"));
        }
        let (b, [rows, columns]) = matrices(c, "B")?;
        c.one_dtype(a, b)?;
        for (&one, &other) in batch(a).iter().zip(batch(b)).chain([(&n, &rows)]) {
            shared(c, one, other)?;
        }
        Ok(column_major(c, a, [n, columns]).into())
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
fn matrices<'a>(c: &mut Call<'a>, name: &str) -> Result<(&'a TensorMeta, [Expr; 2])> {
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
fn square<'a>(c: &mut Call<'a>, name: &str) -> Result<(&'a TensorMeta, [Expr; 2])> {
    let (a, sizes) = matrices(c, name)?;
    shared(c, sizes[0], sizes[1])?;
    Ok((a, sizes))
}

fn batch(a: &TensorMeta) -> &[Expr] {
    &a.sizes[..a.sizes.len() - 2]
}

/// A matrix for each of a batch.
fn column_major(c: &mut Call, of: &TensorMeta, [rows, columns]: [Expr; 2]) -> TensorMeta {
    let mut result = c.contiguous(of, of.dtype, [batch(of), &[columns, rows]].concat());
    let inner = result.sizes.len() - 2;
    result.sizes.swap(inner, inner + 1);
    result.strides.swap(inner, inner + 1);
    result
}

/// A matrix of the same sizes.
fn one(c: &mut Call, name: &str) -> Result {
    let (a, sizes) = square(c, name)?;
    Ok(column_major(c, a, sizes).into())
}

fn number_of_each(c: &mut Call, name: &str) -> Result<TensorMeta> {
    let (a, _) = square(c, name)?;
    Ok(c.contiguous(a, a.dtype, batch(a).to_vec()))
}

fn numbers(c: &mut Call, name: &str) -> Result {
    Ok(number_of_each(c, name)?.into())
}
