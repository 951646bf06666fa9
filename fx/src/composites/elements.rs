//! Differences, statistics and powers of elements (`ReduceOps.cpp`, `Correlation.cpp`, `Pow.cpp`, `LossCTC.cpp`).

use super::{
    Expand, ExpandSeveral,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};
use symshapes::{DType, DTypeClass, Expr};

/// The composites of this family that give a tensor.
pub(super) const ROWS: &[(Aten, Expand)] = &[
    (Aten::argsort_default, |p| {
        let sorted = p.call(Aten::sort_default, p.args(&["self", "dim", "descending"]))?;
        p.pick(sorted, 1)
    }),
    (Aten::argsort_stable, |p| {
        let named = ["stable", "dim", "descending"].map(|name| (name, p.arg(name)));
        let sorted = p.call_named(Aten::sort_stable, p.args(&["self"]), &named)?;
        p.pick(sorted, 1)
    }),
    (Aten::float_power_Tensor_Scalar, |p| {
        let base = in_double(p, "self")?;
        let exponent = p.float("exponent")?;
        p.with(Aten::pow_Tensor_Scalar, base, exponent)
    }),
    (Aten::float_power_Tensor_Tensor, |p| {
        let (base, exponent) = (in_double(p, "self")?, in_double(p, "exponent")?);
        p.binary(Aten::pow_Tensor_Tensor, base, exponent)
    }),
    (Aten::float_power_Scalar, |p| {
        let exponent = in_double(p, "exponent")?;
        let base = p.float("self")?;
        p.call(Aten::pow_Scalar, [Arg::Float(base), Arg::Node(exponent)])
    }),
    (Aten::diff_default, differences),
    (Aten::cov_default, |p| {
        let this = p.node("self")?;
        if !p.bound.get("fweights").is_none() || !p.bound.get("aweights").is_none() {
            return Err(p.unsupported("weights"));
        }
        covariance(p, this, p.int("correction")?)
    }),
    (Aten::corrcoef_default, correlation),
    (Aten::ctc_loss_IntList, ctc_loss),
];

/// The composites of this family that give several tensors.
pub(super) const SEVERAL: &[(Aten, ExpandSeveral)] = &[
    (Aten::gradient_scalarint, |p| {
        let dims = p.bound.opt_int("dim")?.map(|dim| vec![dim]);
        gradients(p, dims)
    }),
    (Aten::gradient_scalararray, |p| gradients(p, Some(p.bound.ints("dim")?))),
    (Aten::gradient_array, |p| gradients(p, Some(p.bound.ints("dim")?))),
];

/// An operand in double precision.
fn in_double(p: &mut Parts, name: &str) -> Outcome {
    let of = p.node(name)?;
    if p.is_complex(of)? {
        return Err(p.unsupported("complex numbers"));
    }
    p.cast(of, DType::F64)
}

/// Differences of neighbours, taken `n` times.
fn differences(p: &mut Parts) -> Outcome {
    let (this, n) = (p.node("self")?, p.int("n")?);
    let rank = p.rank(this)?;
    p.demand(rank > 0 && n >= 0, "a tensor without dimensions, or a negative order")?;
    let dim = p.wrap(p.int("dim")?, rank)?;
    if n == 0 {
        return Err(p.unsupported("an order of zero"));
    }
    let ends = ["prepend", "append"].map(|name| p.bound.node(name).map(Arg::Node));
    let [before, after] = ends;
    let parts: Vec<Arg> = before.into_iter().chain([Arg::Node(this)]).chain(after).collect();
    let mut tensor = match parts.len() {
        1 => this,
        _ => p.call(Aten::cat_default, [Arg::List(parts), Arg::Int(dim as i64)])?,
    };
    let size = p.sizes_of(tensor)?[dim];
    let times = if n == 1 { 1 } else { n.min(p.value(size)?) };
    let op = if p.dtype(tensor)? == DType::Bool { Aten::logical_xor_default } else { Aten::sub_Tensor };
    for _ in 0..times {
        let (earlier, later) = (p.slice(tensor, dim, 0, -1)?, p.slice(tensor, dim, 1, i64::MAX)?);
        tensor = p.binary(op, later, earlier)?;
    }
    Ok(tensor)
}

/// Estimates of derivatives along dimensions, at equal distances.
fn gradients(p: &mut Parts, dims: Option<Vec<i64>>) -> Outcome<Vec<NodeId>> {
    let this = p.node("self")?;
    let rank = p.rank(this)?;
    let spacing = if p.bound.has("spacing") { p.arg("spacing") } else { Arg::None };
    let spacing = if spacing.is_none() { Some(1.0) } else { spacing.as_float() };
    let spacing = spacing.ok_or_else(|| p.unsupported("a distance that is no number"))?;
    let order = p.int("edge_order")?;
    p.demand(matches!(order, 1 | 2), "an order of the edges that is not known")?;
    p.demand(p.dtype(this)?.class() >= DTypeClass::Int, "truth values")?;
    let dims = dims.unwrap_or_else(|| (0..rank as i64).collect());
    let mut along = Vec::new();
    for dim in dims {
        let dim = p.wrap(dim, rank)?;
        p.demand(!along.contains(&dim) && dim < rank, "a dimension that is named twice")?;
        let size = p.sizes_of(this)?[dim];
        let size = p.value(size)?;
        p.demand(size > order, "a dimension that is too small")?;
        along.push(dim);
    }
    along.into_iter().map(|dim| gradient(p, this, dim, spacing, order == 2)).collect()
}

fn gradient(p: &mut Parts, this: NodeId, dim: usize, spacing: f64, is_second_order: bool) -> Outcome {
    let apart = |p: &mut Parts, later: [i64; 2], earlier: [i64; 2]| {
        let (later, earlier) = (p.slice(this, dim, later[0], later[1])?, p.slice(this, dim, earlier[0], earlier[1])?);
        let apart = p.binary(Aten::sub_Tensor, later, earlier)?;
        p.with(Aten::div_Scalar, apart, spacing)
    };
    let inner = apart(p, [2, i64::MAX], [0, -2])?;
    let (first, last) = if is_second_order {
        let first = edge(p, this, dim, [(0, 1, -1.5), (1, 2, 2.0), (2, 3, -0.5)], spacing)?;
        let last = edge(p, this, dim, [(-1, i64::MAX, 1.5), (-2, -1, -2.0), (-3, -2, 0.5)], spacing)?;
        (first, last)
    } else {
        (apart(p, [1, 2], [0, 1])?, apart(p, [-1, i64::MAX], [-2, -1])?)
    };
    let inner = p.with(Aten::div_Scalar, inner, 2)?;
    let parts = Arg::List([first, inner, last].map(Arg::Node).into());
    p.call(Aten::cat_default, [parts, Arg::Int(dim as i64)])
}

/// A derivative at an edge by three elements, each with its weight.
fn edge(p: &mut Parts, this: NodeId, dim: usize, terms: [(i64, i64, f64); 3], spacing: f64) -> Outcome {
    let mut sum = None;
    for (start, end, weight) in terms {
        let element = p.slice(this, dim, start, end)?;
        let size = if sum.is_none() { weight } else { weight.abs() };
        let size = if size == 2.0 { Arg::Int(2) } else { Arg::Float(size) };
        let term = p.with(Aten::mul_Scalar, element, size)?;
        let op = if weight > 0.0 { Aten::add_Tensor } else { Aten::sub_Tensor };
        sum = Some(match sum {
            Some(sum) => p.binary(op, sum, term)?,
            None => term,
        });
    }
    let sum = sum.ok_or_else(|| p.unsupported("no term"))?;
    p.with(Aten::div_Scalar, sum, spacing)
}

/// The covariances of rows, or the variance of one.
fn covariance(p: &mut Parts, this: NodeId, correction: i64) -> Outcome {
    p.demand(p.rank(this)? <= 2, "more than rows")?;
    if p.dtype(this)?.class() != DTypeClass::Float {
        return Err(p.unsupported("elements that are no real floats"));
    }
    let rows = match p.rank(this)? {
        2 => this,
        _ => {
            let row = Arg::List(vec![Arg::Int(1), Arg::Int(-1)]);
            p.with(Aten::view_default, this, row)?
        }
    };
    let count = p.sizes_of(rows)?[1];
    let count = p.value(count)?;
    if count <= correction.max(0) {
        return Err(p.unsupported("fewer observations than are corrected for"));
    }
    let sums = p.with(Aten::sum_dim_IntList, rows, vec![Arg::Int(1)])?;
    let means = p.with(Aten::div_Scalar, sums, count)?;
    let means = p.with(Aten::unsqueeze_default, means, 1)?;
    let apart = p.binary(Aten::sub_Tensor, rows, means)?;
    let turned = p.unary(Aten::t_default, apart)?;
    let products = p.binary(Aten::mm_default, apart, turned)?;
    let covariances = p.with(Aten::div_Scalar, products, count - correction)?;
    p.unary(Aten::squeeze_default, covariances)
}

fn correlation(p: &mut Parts) -> Outcome {
    let this = p.node("self")?;
    let covariances = covariance(p, this, 1)?;
    if p.rank(covariances)? == 0 {
        return p.binary(Aten::div_Tensor, covariances, covariances);
    }
    let variances = p.call(Aten::diagonal_copy_default, [Arg::Node(covariances)])?;
    let deviations = p.unary(Aten::sqrt_default, variances)?;
    let column = p.with(Aten::view_default, deviations, vec![Arg::Int(-1), Arg::Int(1)])?;
    let scaled = p.binary(Aten::div_Tensor, covariances, column)?;
    let row = p.with(Aten::view_default, deviations, vec![Arg::Int(1), Arg::Int(-1)])?;
    let scaled = p.binary(Aten::div_Tensor, scaled, row)?;
    p.call(Aten::clamp_default, [Arg::Node(scaled), Arg::Int(-1), Arg::Int(1)])
}

/// The loss of alignments with targets of known lengths.
fn ctc_loss(p: &mut Parts) -> Outcome {
    let (logs, targets, lengths) = (p.node("log_probs")?, p.node("targets")?, p.bound.ints("target_lengths")?);
    p.on_cpu(logs)?;
    let targets = p.cast(targets, DType::I64)?;
    let args = [vec![Arg::Node(logs), Arg::Node(targets)], p.args(&["input_lengths", "target_lengths", "blank"])];
    let zeroes = p.arg("zero_infinity");
    let losses = p.call(Aten::_ctc_loss_default, [args.concat(), vec![zeroes]].concat())?;
    let mut losses = p.pick(losses, 0)?;
    if p.bool("zero_infinity")? {
        let is_infinite = p.with(Aten::eq_Scalar, losses, f64::INFINITY)?;
        losses = p.call(Aten::where_ScalarSelf, [Arg::Node(is_infinite), Arg::Int(0), Arg::Node(losses)])?;
    }
    if p.bound.get("reduction").as_int() != Some(1) {
        return p.reduced(losses);
    }
    if p.rank(losses)? == 0 || lengths.is_empty() {
        return Err(p.unsupported("a batch without a dimension"));
    }
    let one = p.size_args(&[Expr::ONE]);
    let mut numbers = Vec::new();
    for length in lengths {
        let number = p.call(Aten::new_full_default, [Arg::Node(losses), one.clone(), Arg::Int(length.max(1))])?;
        numbers.push(Arg::Node(number));
    }
    let lengths = p.call(Aten::cat_default, [Arg::List(numbers)])?;
    let shares = p.binary(Aten::div_Tensor, losses, lengths)?;
    p.unary(Aten::mean_default, shares)
}
