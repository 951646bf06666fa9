//! Norms of vectors and matrices, singular values, and systems of tensors (`LinearAlgebra.cpp`,
//! `BatchLinearAlgebra.cpp`).

use super::{
    Expand, ExpandSeveral,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};
use symshapes::{DTypeClass, Expr};

/// The composites of this family that give a tensor.
pub(super) const ROWS: &[(Aten, Expand)] = &[
    (Aten::linalg_norm_default, |p| {
        let this = p.node("self")?;
        let dims = p.bound.opt_ints("dim")?;
        let order = p.arg("ord");
        if order.is_none() {
            return vector_norm(p, this, Arg::Int(2), p.arg("dim"), p.arg("keepdim"));
        }
        let count = dims.as_ref().map_or(p.rank(this)?, Vec::len);
        p.demand(matches!(count, 1 | 2), "neither vectors nor matrices")?;
        match count {
            1 => vector_norm(p, this, order, p.arg("dim"), p.arg("keepdim")),
            _ => matrix_norm(p, this, order.as_float(), dims.as_deref().unwrap_or(&[0, 1])),
        }
    }),
    (Aten::linalg_norm_ord_str, |p| {
        let this = p.node("self")?;
        let dims = p.bound.opt_ints("dim")?;
        p.demand(dims.is_some() || p.rank(this)? == 2, "a tensor that is no matrix")?;
        named_matrix_norm(p, this, dims.as_deref().unwrap_or(&[0, 1]))
    }),
    (Aten::linalg_matrix_norm_default, |p| {
        let this = p.node("self")?;
        matrix_norm(p, this, p.bound.get("ord").as_float(), &p.bound.ints("dim")?)
    }),
    (Aten::linalg_matrix_norm_str_ord, |p| {
        let this = p.node("self")?;
        named_matrix_norm(p, this, &p.bound.ints("dim")?)
    }),
    (Aten::frobenius_norm_dim, |p| {
        let this = p.node("self")?;
        let dims = p.bound.ints("dim")?;
        p.demand(dims.len() <= 2, "more than two dimensions")?;
        if dims.is_empty() {
            return Err(p.unsupported("no dimension"));
        }
        p.call(Aten::norm_ScalarOpt_dim, [Arg::Node(this), Arg::Float(2.0), p.arg("dim"), p.arg("keepdim")])
    }),
    (Aten::nuclear_norm_default, |p| {
        let this = p.node("self")?;
        p.demand(p.rank(this)? == 2, "a tensor that is no matrix")?;
        nuclear_norm(p, this, [0, 1])
    }),
    (Aten::nuclear_norm_dim, |p| {
        let this = p.node("self")?;
        let dims = matrix_dims(p, this, &p.bound.ints("dim")?)?;
        nuclear_norm(p, this, dims)
    }),
    (Aten::linalg_tensorinv_default, tensor_inverse),
    (Aten::linalg_tensorsolve_default, tensor_solve),
    (Aten::pinverse_default, |p| {
        let this = p.node("self")?;
        p.call(Aten::linalg_pinv_default, [Arg::Node(this), p.arg("rcond"), Arg::Bool(false)])
    }),
];

/// The composites of this family that give several tensors.
pub(super) const SEVERAL: &[(Aten, ExpandSeveral)] = &[(Aten::svd_default, |p| {
    let this = p.node("self")?;
    if !p.bool("compute_uv")? || p.is_complex(this)? {
        return Err(p.unsupported("singular values alone, or complex numbers"));
    }
    let is_full = Arg::Bool(!p.bool("some")?);
    let factors = p.with(Aten::linalg_svd_default, this, is_full)?;
    let mut factors = p.results(factors)?;
    if let Some(right) = factors.last_mut() {
        *right = p.call(Aten::transpose_int, [Arg::Node(*right), Arg::Int(-2), Arg::Int(-1)])?;
    }
    Ok(factors)
})];

fn vector_norm(p: &mut Parts, of: NodeId, order: Arg, dims: Arg, keepdim: Arg) -> Outcome {
    let dtype = [("dtype", p.arg("dtype"))];
    let named = if dtype[0].1.is_none() { &[][..] } else { &dtype[..] };
    p.call_named(Aten::linalg_vector_norm_default, vec![Arg::Node(of), order, dims, keepdim], named)
}

/// The two dimensions of matrices, counted from the front.
fn matrix_dims(p: &Parts, of: NodeId, dims: &[i64]) -> Outcome<[usize; 2]> {
    let rank = p.rank(of)?;
    p.demand(rank >= 2, "a tensor that holds no matrices")?;
    let &[rows, columns] = dims else { return Err(p.rejected("other than two dimensions")) };
    let dims = [p.wrap(rows, rank)?, p.wrap(columns, rank)?];
    p.demand(dims[0] != dims[1], "a dimension that is named twice")?;
    p.demand(p.dtype(of)?.class() >= DTypeClass::Float, "elements that are no floats")?;
    Ok(dims)
}

/// The tensor in the element type that the call names.
fn in_named_dtype(p: &mut Parts, of: NodeId) -> Outcome {
    match p.bound.opt_dtype("dtype")? {
        Some(dtype) => p.cast(of, dtype),
        None => Ok(of),
    }
}

fn matrix_norm(p: &mut Parts, of: NodeId, order: Option<f64>, dims: &[i64]) -> Outcome {
    let [mut inner, mut outer] = matrix_dims(p, of, dims)?;
    let order = order.ok_or_else(|| p.unsupported("an order that is no number"))?;
    // Of no elements there is neither a greatest nor a least one, but such a matrix has a norm.
    let sizes = p.sizes_of(of)?;
    if [inner, outer].iter().any(|&dim| sizes[dim] == Expr::ZERO) {
        return Err(p.unsupported("a matrix without elements"));
    }
    let of = in_named_dtype(p, of)?;
    let extreme = if order > 0.0 { Aten::amax_default } else { Aten::amin_default };
    let keepdim = p.bool("keepdim")?;
    if order.abs() == 2.0 {
        return of_singular_values(p, of, [inner, outer], extreme);
    }
    p.demand(order.abs() == 1.0 || order.abs() == f64::INFINITY, "an order that has no matrix norm")?;
    if order.abs() == f64::INFINITY {
        (inner, outer) = (outer, inner);
    }
    if !keepdim && inner < outer {
        outer -= 1;
    }
    let [inner, outer] = [inner, outer].map(|dim| Arg::List(vec![Arg::Int(dim as i64)]));
    let sums = [Arg::Node(of), Arg::Float(1.0), inner, Arg::Bool(keepdim)];
    let sums = p.call(Aten::linalg_vector_norm_default, sums)?;
    p.call(extreme, [Arg::Node(sums), outer, Arg::Bool(keepdim)])
}

fn named_matrix_norm(p: &mut Parts, of: NodeId, dims: &[i64]) -> Outcome {
    let dims = matrix_dims(p, of, dims)?;
    match p.bound.str("ord")? {
        "fro" => {
            let dims = Arg::List(dims.map(|dim| Arg::Int(dim as i64)).into());
            vector_norm(p, of, Arg::Int(2), dims, p.arg("keepdim"))
        }
        "nuc" => {
            let of = in_named_dtype(p, of)?;
            nuclear_norm(p, of, dims)
        }
        _ => Err(p.rejected("an order of unknown name")),
    }
}

fn nuclear_norm(p: &mut Parts, of: NodeId, dims: [usize; 2]) -> Outcome {
    of_singular_values(p, of, dims, Aten::sum_dim_IntList)
}

/// The singular values of matrices that stand in two dimensions, reduced.
fn of_singular_values(p: &mut Parts, of: NodeId, dims: [usize; 2], reduction: Aten) -> Outcome {
    let rank = p.rank(of)?;
    let order: Vec<usize> = (0..rank).filter(|dim| !dims.contains(dim)).chain(dims).collect();
    let matrices = p.permute(of, &order)?;
    let values = p.unary(Aten::linalg_svdvals_default, matrices)?;
    let keepdim = p.bool("keepdim")?;
    let last = Arg::List(vec![Arg::Int(-1)]);
    let reduced = p.call(reduction, [Arg::Node(values), last, Arg::Bool(keepdim)])?;
    if !keepdim {
        return Ok(reduced);
    }
    let column = p.with(Aten::unsqueeze_default, reduced, -1)?;
    let mut back = vec![0; rank];
    order.iter().enumerate().for_each(|(place, &dim)| back[dim] = place);
    p.permute(column, &back)
}

fn tensor_inverse(p: &mut Parts) -> Outcome {
    let (this, ind) = (p.node("self")?, p.int("ind")?);
    let sizes = p.sizes_of(this)?;
    let ind = usize::try_from(ind).ok().filter(|&ind| ind > 0 && ind <= sizes.len());
    let ind = ind.ok_or_else(|| p.rejected("a number of dimensions that is not positive"))?;
    let (rows, columns) = (p.product(&sizes[..ind]), p.product(&sizes[ind..]));
    if !p.are_equal(rows, columns)? {
        return Err(p.rejected("a tensor that is no square matrix"));
    }
    let square = p.reshape(this, &[columns, columns])?;
    let inverse = p.unary(Aten::linalg_inv_default, square)?;
    p.reshape(inverse, &[&sizes[ind..], &sizes[..ind]].concat())
}

fn tensor_solve(p: &mut Parts) -> Outcome {
    let (mut this, other) = (p.node("self")?, p.node("other")?);
    let rank = p.rank(this)?;
    if let Some(dims) = p.bound.opt_ints("dims")? {
        let from = dims.into_iter().map(|dim| p.wrap(dim, rank)).collect::<Outcome<Vec<_>>>()?;
        let first = rank.checked_sub(from.len()).ok_or_else(|| p.rejected("a dimension that is named twice"))?;
        this = p.move_dims(this, &from, &(first..rank).collect::<Vec<_>>())?;
    }
    let (own, of_other) = (p.sizes_of(this)?, p.sizes_of(other)?);
    p.demand(of_other.len() <= rank, "more dimensions than there are")?;
    let wanted = &own[of_other.len()..];
    let (unknowns, equations): (Expr, Expr) = (p.product(wanted), p.product(&of_other));
    if !p.are_equal(unknowns, equations)? {
        return Err(p.rejected("a system that is not square"));
    }
    let square = p.reshape(this, &[unknowns, unknowns])?;
    let right = p.reshape(other, &[equations])?;
    let solved = p.binary(Aten::linalg_solve_default, square, right)?;
    p.reshape(solved, wanted)
}
