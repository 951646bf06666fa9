//! Quantiles, means, areas and what else is composed of sorted or compared elements (`Sorting.cpp`,
//! `Integration.cpp`, `TensorCompare.cpp`).

use super::{
    Expand,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};
use symshapes::DType;

/// The composites of this family.
pub(super) const ROWS: &[(Aten, Expand)] = &[
    (Aten::quantile_scalar, quantile),
    (Aten::msort_default, |p| {
        let this = p.node("self")?;
        let sorted = p.with(Aten::sort_default, this, 0)?;
        p.pick(sorted, 0)
    }),
    (Aten::nanmean_default, |p| {
        let this = p.node("self")?;
        p.demand(p.dtype(this)?.is_float(), "elements that are no floats")?;
        let is_nan = p.unary(Aten::isnan_default, this)?;
        let is_number = p.unary(Aten::logical_not_default, is_nan)?;
        let rest = p.args(&["dim", "keepdim"]);
        let count = p.call(Aten::sum_dim_IntList, [vec![Arg::Node(is_number)], rest.clone()].concat())?;
        let dtype = [("dtype", p.arg("dtype"))];
        let named = if dtype[0].1.is_none() { &[][..] } else { &dtype[..] };
        let sum = p.call_named(Aten::nansum_default, [vec![Arg::Node(this)], rest].concat(), named)?;
        p.binary(Aten::div_Tensor, sum, count)
    }),
    (Aten::isclose_default, is_close),
    (Aten::trapezoid_dx, |p| area(p, Aten::sum_dim_IntList)),
    (Aten::trapz_dx, |p| area(p, Aten::sum_dim_IntList)),
    (Aten::cumulative_trapezoid_dx, |p| area(p, Aten::cumsum_default)),
];

/// One quantile along a dimension, or of all elements; not a number where an element is none.
fn quantile(p: &mut Parts) -> Outcome {
    let (this, q) = (p.node("self")?, p.float("q")?);
    p.demand((0.0..=1.0).contains(&q), "a quantile out of range")?;
    let dtype = p.dtype(this)?;
    // The quantile is first rounded to the type of the elements.
    let q = match dtype {
        DType::F32 => f64::from(q as f32),
        DType::F64 => q,
        _ => return Err(p.rejected("elements that are neither single nor double")),
    };
    let (rank, keepdim) = (p.rank(this)?, p.bool("keepdim")?);
    let dim = p.bound.opt_int("dim")?.map(|dim| p.wrap(dim, rank)).transpose()?;
    if rank == 0 || (dim.is_none() && keepdim) {
        return Err(p.unsupported("a number, or all dimensions kept"));
    }
    let (rows, dim) = match dim {
        Some(dim) => (this, dim),
        None => (super::stacking::flat(p, this)?, 0),
    };
    let apart = p.with(Aten::unsqueeze_default, rows, -1)?;
    let rows = p.call(Aten::transpose_int, [Arg::Node(apart), Arg::Int(dim as i64), Arg::Int(-1)])?;
    let last = p.rank(rows)? - 1;
    let count = p.sizes_of(rows)?[last];
    let count = p.value(count)?;
    p.demand(count > 0, "no element")?;
    let place = places(p, rows, q * (count - 1) as f64, count - 1)?;
    let sorted = p.with(Aten::sort_default, rows, -1)?;
    let sorted = p.pick(sorted, 0)?;
    let found = interpolated(p, sorted, place, dtype)?;
    let found = p.with(Aten::squeeze_dim, found, -1)?;
    if keepdim { Ok(found) } else { p.with(Aten::squeeze_dim, found, dim as i64) }
}

/// The place of the quantile in each row, in double precision; the last one, where those that are no numbers are
/// sorted to, if there is any.
fn places(p: &mut Parts, rows: NodeId, place: f64, last: i64) -> Outcome {
    let place = match p.bound.str("interpolation")? {
        "linear" | "midpoint" => place,
        "lower" => place.floor(),
        "higher" => place.ceil(),
        "nearest" => place.round_ties_even(),
        _ => return Err(p.rejected("an interpolation of unknown name")),
    };
    let is_nan = p.unary(Aten::isnan_default, rows)?;
    let has_nan = p.call(Aten::any_dim, [Arg::Node(is_nan), Arg::Int(-1), Arg::Bool(true)])?;
    let sizes = p.sizes_of(has_nan)?;
    let sizes = p.size_args(&sizes);
    let named = [("dtype", Arg::DType(DType::F64))];
    let places = p.call_named(Aten::new_full_default, vec![Arg::Node(has_nan), sizes, Arg::Float(place)], &named)?;
    p.call(Aten::masked_fill_Scalar, [Arg::Node(places), Arg::Node(has_nan), Arg::Int(last)])
}

/// The elements at places, between two of them where a place has a fraction.
fn interpolated(p: &mut Parts, sorted: NodeId, place: NodeId, dtype: DType) -> Outcome {
    let gather = |p: &mut Parts, at| p.call(Aten::gather_default, [Arg::Node(sorted), Arg::Int(-1), Arg::Node(at)]);
    let below = p.cast(place, DType::I64)?;
    let low = gather(p, below)?;
    let weight = match p.bound.str("interpolation")? {
        "linear" => {
            let fraction = p.binary(Aten::sub_Tensor, place, below)?;
            p.cast(fraction, dtype)?
        }
        "midpoint" => p.with(Aten::full_like_default, low, 0.5)?,
        _ => return Ok(low),
    };
    let above = p.unary(Aten::ceil_default, place)?;
    let above = p.cast(above, DType::I64)?;
    let high = gather(p, above)?;
    p.call(Aten::lerp_Tensor, [Arg::Node(low), Arg::Node(high), Arg::Node(weight)])
}

fn is_close(p: &mut Parts) -> Outcome {
    let (this, other) = (p.node("self")?, p.node("other")?);
    let (relative, absolute) = (p.float("rtol")?, p.float("atol")?);
    p.demand(p.dtype(this)? == p.dtype(other)?, "tensors of two element types")?;
    p.demand(relative >= 0.0 && absolute >= 0.0, "a negative tolerance")?;
    if !p.dtype(this)?.is_float() || p.is_complex(this)? {
        return Err(p.unsupported("elements that are no real floats"));
    }
    let mut close = p.binary(Aten::eq_Tensor, this, other)?;
    if p.bool("equal_nan")? {
        let both = [this, other].map(|tensor| p.binary(Aten::ne_Tensor, tensor, tensor));
        let [a, b] = both;
        let are_nan = p.binary(Aten::bitwise_and_Tensor, a?, b?)?;
        close = p.binary(Aten::bitwise_or_Tensor, close, are_nan)?;
    }
    if relative == 0.0 && absolute == 0.0 {
        return Ok(close);
    }
    let allowed = p.with(Aten::mul_Scalar, other, relative)?;
    let allowed = p.unary(Aten::abs_default, allowed)?;
    let allowed = p.with(Aten::add_Scalar, allowed, absolute)?;
    let apart = p.binary(Aten::sub_Tensor, this, other)?;
    let apart = p.unary(Aten::abs_default, apart)?;
    let is_within = p.binary(Aten::le_Tensor, apart, allowed)?;
    let is_finite = p.unary(Aten::isfinite_default, apart)?;
    let is_near = p.binary(Aten::bitwise_and_Tensor, is_finite, is_within)?;
    p.binary(Aten::bitwise_or_Tensor, close, is_near)
}

/// Areas under elements at equal distances, all or running.
fn area(p: &mut Parts, reduction: Aten) -> Outcome {
    let (this, distance) = (p.node("y")?, p.float("dx")?);
    let rank = p.rank(this)?;
    let dim = p.wrap(p.int("dim")?, rank)?;
    if rank == 0 || !p.dtype(this)?.is_float() {
        return Err(p.unsupported("a number, or elements that are no floats"));
    }
    let size = p.sizes_of(this)?[dim];
    let size = p.value(size)?;
    p.demand(size > 0, "no element")?;
    let (earlier, later) = (p.slice(this, dim, 0, -1)?, p.slice(this, dim, 1, i64::MAX)?);
    let sums = p.binary(Aten::add_Tensor, earlier, later)?;
    let dim = Arg::Int(dim as i64);
    let dim = if reduction == Aten::sum_dim_IntList { Arg::List(vec![dim]) } else { dim };
    let sums = p.with(reduction, sums, dim)?;
    p.with(Aten::mul_Scalar, sums, distance / 2.0)
}
