//! Losses and distances (`Loss.cpp`, `Distance.cpp`).

use super::{
    Expand,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};

/// The composites of this family.
pub(super) const ROWS: &[(Aten, Expand)] = &[
    (Aten::kl_div_default, kl_div),
    (Aten::poisson_nll_loss_default, poisson_nll),
    (Aten::margin_ranking_loss_default, |p| {
        let (first, second, target) = (p.node("input1")?, p.node("input2")?, p.node("target")?);
        let ranks = [first, second, target].map(|tensor| p.rank(tensor));
        let [a, b, c] = ranks;
        let (a, b, c) = (a?, b?, c?);
        p.demand(a == b && b == c, "tensors of several ranks")?;
        let apart = p.binary(Aten::sub_Tensor, first, second)?;
        let turned = p.unary(Aten::neg_default, target)?;
        let loss = p.binary(Aten::mul_Tensor, turned, apart)?;
        let loss = p.with(Aten::add_Scalar, loss, p.arg("margin"))?;
        let loss = p.with(Aten::clamp_min_default, loss, 0)?;
        p.reduced(loss)
    }),
    (Aten::triplet_margin_loss_default, triplet),
    (Aten::pairwise_distance_default, |p| {
        let (x, y) = (p.node("x1")?, p.node("x2")?);
        distance(p, x, y, p.arg("keepdim"))
    }),
    (Aten::cosine_similarity_default, cosine_similarity),
    (Aten::cdist_default, cdist),
    (Aten::pdist_default, |p| {
        let this = p.node("self")?;
        p.demand(p.rank(this)? == 2, "a tensor that is no matrix")?;
        p.demand(p.dtype(this)?.is_float(), "elements that are no floats")?;
        p.demand(p.float("p")? >= 0.0, "a negative order")?;
        let rows = p.unary(Aten::contiguous_default, this)?;
        p.with(Aten::_pdist_forward_default, rows, p.arg("p"))
    }),
    (Aten::nll_loss_default, |p| p.first(Aten::nll_loss_forward_default, NLL)),
    (Aten::nll_loss2d_default, |p| p.first(Aten::nll_loss2d_forward_default, NLL)),
    (Aten::multilabel_margin_loss_default, |p| {
        p.first(Aten::multilabel_margin_loss_forward_default, &["self", "target", "reduction"])
    }),
];

/// The parameters of the negative log likelihood.
const NLL: &[&str] = &["self", "target", "weight", "reduction", "ignore_index"];

fn kl_div(p: &mut Parts) -> Outcome {
    let (this, target) = (p.node("self")?, p.node("target")?);
    p.demand(!p.is_complex(this)? && !p.is_complex(target)?, "complex numbers")?;
    let losses = if p.bool("log_target")? {
        let apart = p.binary(Aten::sub_Tensor, target, this)?;
        let share = p.unary(Aten::exp_default, target)?;
        p.binary(Aten::mul_Tensor, share, apart)?
    } else {
        let cross = p.binary(Aten::mul_Tensor, target, this)?;
        let own = p.binary(Aten::xlogy_Tensor, target, target)?;
        p.binary(Aten::sub_Tensor, own, cross)?
    };
    p.reduced(losses)
}

fn poisson_nll(p: &mut Parts) -> Outcome {
    let (input, target) = (p.node("input")?, p.node("target")?);
    let mut loss = if p.bool("log_input")? {
        let cross = p.binary(Aten::mul_Tensor, target, input)?;
        let rate = p.unary(Aten::exp_default, input)?;
        p.binary(Aten::sub_Tensor, rate, cross)?
    } else {
        let kept = p.with(Aten::add_Scalar, input, p.arg("eps"))?;
        let log = p.unary(Aten::log_default, kept)?;
        let cross = p.binary(Aten::mul_Tensor, target, log)?;
        p.binary(Aten::sub_Tensor, input, cross)?
    };
    if p.bool("full")? {
        let factorial = stirling(p, target)?;
        loss = p.binary(Aten::add_Tensor, loss, factorial)?;
    }
    p.reduced(loss)
}

/// Stirling's approximation of the logarithm of a factorial; 0 for numbers up to 1.
fn stirling(p: &mut Parts, target: NodeId) -> Outcome {
    let circle = p.with(Aten::mul_Scalar, target, std::f64::consts::TAU)?;
    let circle = p.unary(Aten::log_default, circle)?;
    let half = p.with(Aten::mul_Scalar, circle, 0.5)?;
    let log = p.unary(Aten::log_default, target)?;
    let product = p.binary(Aten::mul_Tensor, target, log)?;
    let less = p.binary(Aten::sub_Tensor, product, target)?;
    let all = p.binary(Aten::add_Tensor, less, half)?;
    let is_small = p.with(Aten::le_Scalar, target, 1)?;
    p.call(Aten::masked_fill_Scalar, [Arg::Node(all), Arg::Node(is_small), Arg::Int(0)])
}

/// The norm of differences along the last dimension, each moved from zero by `eps`.
fn distance(p: &mut Parts, x: NodeId, y: NodeId, keepdim: Arg) -> Outcome {
    let apart = p.binary(Aten::sub_Tensor, x, y)?;
    let apart = p.with(Aten::add_Scalar, apart, p.arg("eps"))?;
    let rank = p.rank(apart)? as i64;
    let dims = Arg::List(vec![Arg::Int((rank - 1).max(0))]);
    p.call(Aten::norm_ScalarOpt_dim, [Arg::Node(apart), p.arg("p"), dims, keepdim])
}

fn triplet(p: &mut Parts) -> Outcome {
    let (anchor, near, far) = (p.node("anchor")?, p.node("positive")?, p.node("negative")?);
    let (a, b, c) = (p.rank(anchor)?, p.rank(near)?, p.rank(far)?);
    p.demand(a == b && b == c, "tensors of several ranks")?;
    let mut apart = |x, y| distance(p, x, y, Arg::Bool(false));
    let (to_near, mut to_far) = (apart(anchor, near)?, apart(anchor, far)?);
    if p.bool("swap")? {
        let between = distance(p, near, far, Arg::Bool(false))?;
        to_far = p.binary(Aten::minimum_default, to_far, between)?;
    }
    let loss = p.with(Aten::add_Scalar, to_near, p.arg("margin"))?;
    let loss = p.binary(Aten::sub_Tensor, loss, to_far)?;
    let loss = p.with(Aten::clamp_min_default, loss, 0)?;
    p.reduced(loss)
}

/// The sum of products of vectors of length 1. Autograd does not see that lengths are kept from zero.
fn cosine_similarity(p: &mut Parts) -> Outcome {
    let both = [p.node("x1")?, p.node("x2")?];
    let eps = p.float("eps")?;
    let (a, b) = (p.dtype(both[0])?, p.dtype(both[1])?);
    p.demand(a.is_float() && b.is_float(), "elements that are no floats")?;
    let dtype = match (p.rank(both[0])?, p.rank(both[1])?) {
        (0, 0) | (1.., 1..) => a.promote(b),
        _ if a == b => a,
        _ => return Err(p.unsupported("a number beside a tensor of another type")),
    };
    let shapes = [p.sizes_of(both[0])?, p.sizes_of(both[1])?];
    let sizes = p.broadcast(&[&shapes[0], &shapes[1]])?;
    let all = p.size_args(&sizes);
    let dim = Arg::List(vec![p.arg("dim")]);
    let mut shares = Vec::new();
    for (tensor, own) in both.into_iter().zip(&shapes) {
        let mut tensor = p.cast(tensor, dtype)?;
        if *own != sizes {
            tensor = p.with(Aten::expand_default, tensor, all.clone())?;
        }
        let norm = [Arg::Node(tensor), Arg::Int(2), dim.clone(), Arg::Bool(true)];
        let norm = p.call(Aten::linalg_vector_norm_default, norm)?;
        let length = kept_from_zero(p, norm, eps)?;
        shares.push(p.binary(Aten::div_Tensor, tensor, length)?);
    }
    let products = p.binary(Aten::mul_Tensor, shares[0], shares[1])?;
    p.with(Aten::sum_dim_IntList, products, dim)
}

/// Lengths that are at least `eps`, with the gradients of what they were.
fn kept_from_zero(p: &mut Parts, norm: NodeId, eps: f64) -> Outcome {
    let clamped = p.with(Aten::clamp_min_default, norm, eps)?;
    if !p.meta(norm)?.requires_grad {
        return Ok(clamped);
    }
    let more = p.binary(Aten::sub_Tensor, clamped, norm)?;
    let more = p.unary(Aten::detach_default, more)?;
    p.binary(Aten::add_Tensor, norm, more)
}

fn cdist(p: &mut Parts) -> Outcome {
    /// From so many rows on, distances in the plane are taken from a product of matrices.
    const LEAST_ROWS: i64 = 25;
    let (x, y, order) = (p.node("x1")?, p.node("x2")?, p.float("p")?);
    p.demand(p.dtype(x)?.is_float() && p.dtype(y)?.is_float(), "elements that are no floats")?;
    p.demand(order >= 0.0, "a negative order")?;
    let (of_x, of_y) = (p.sizes_of(x)?, p.sizes_of(y)?);
    let ([batch_x @ .., rows_x, wide_x], [batch_y @ .., rows_y, wide_y]) = (&of_x[..], &of_y[..]) else {
        return Err(p.rejected("a tensor that holds no matrices"));
    };
    if !p.are_equal(*wide_x, *wide_y)? {
        return Err(p.rejected("rows of two lengths"));
    }
    let mode = p.bound.opt_int("compute_mode")?.unwrap_or(0);
    p.demand((0..=2).contains(&mode), "an unknown mode")?;
    let mut is_product = order == 2.0 && mode == 1;
    if order == 2.0 && mode == 0 {
        is_product = p.value(*rows_x)? > LEAST_ROWS || p.value(*rows_y)? > LEAST_ROWS;
    }
    for &size in of_x.iter().chain(&of_y) {
        is_product &= p.value(size)? > 0;
    }
    if !is_product {
        return p.call(Aten::_cdist_forward_default, p.args(&["x1", "x2", "p", "compute_mode"]));
    }
    let batch = p.broadcast(&[batch_x, batch_y])?;
    let images = p.product(&batch);
    let result = [&batch[..], &[*rows_x, *rows_y]].concat();
    let (mut x, mut y) = (x, y);
    if !p.is_one(images)? {
        let mut joined = |tensor: NodeId, rows, wide| {
            let sizes = p.size_args(&[&batch[..], &[rows, wide]].concat());
            let expanded = p.with(Aten::expand_default, tensor, sizes)?;
            let rows_in_order = p.unary(Aten::contiguous_default, expanded)?;
            let sizes = p.size_args(&[images, rows, wide]);
            p.with(Aten::view_default, rows_in_order, sizes)
        };
        (x, y) = (joined(x, *rows_x, *wide_x)?, joined(y, *rows_y, *wide_y)?);
    }
    let apart = p.binary(Aten::_euclidean_dist_default, x, y)?;
    let sizes = p.size_args(&result);
    p.with(Aten::view_default, apart, sizes)
}
