//! Sine, cosine, tangent: the argument less a multiple of π/2, taken in parts so short that the products are exact.
//!
//! That holds up to [`MODERATE`]; what is left of larger arguments is found [otherwise](super::far), where one occurs.

use crate::grid::build::Builder;
use crate::grid::{Stmt, Ty, Val};
use crate::math::Lanes;
use crate::math::trig::{self, Reduced, SMALL};

/// Up to here multiples of the parts of π/2 are exact.
const MODERATE: f64 = 65_536.0;

/// π/2 in parts, all but the last of 8 bits.
const HALF_PI: [f64; 5] =
    [1.5703125, 0.0004825592041015625, 1.2665987014770508e-6, 9.89530235528946e-10, 2.563344151594519e-12];

fn reduce(b: &Builder, x: Val) -> Reduced<Val> {
    let rounded = b.rounded(x, std::f64::consts::FRAC_2_PI);
    let n = b.integer(rounded);
    let r = HALF_PI.iter().fold(x, |r, &part| b.fma(n, b.like(x, -part), r));
    let (quadrant, r) = unless_far(b, x, b.bits(Ty::I32, rounded), r);
    trig::reduced(b, quadrant, r)
}

/// The quadrant and the rest of `x`: those given, or for large arguments those of the long way.
fn unless_far(b: &Builder, x: Val, quadrant: Val, rest: Val) -> (Val, Val) {
    let [quadrant, rest, angle] = [quadrant, rest, x].map(|v| b.var_with(v));
    let a = b.abs(x);
    let far = b.and(b.above(a, MODERATE), b.below(a, f64::INFINITY));
    b.open();
    // Read from a variable, the argument is of this block, and so is all that is computed from it.
    let (whole, left) = super::far::reduce(b, b.get(angle));
    b.set(quadrant, whole);
    b.set(rest, left);
    let then = b.close();
    b.push(Stmt::If { cond: far, then });
    (b.get(quadrant), b.get(rest))
}

/// NaN at ±∞, else `y`.
fn edges(b: &Builder, x: Val, y: Val) -> Val {
    b.nan_where(|b| b.equals(b.abs(x), f64::INFINITY), y)
}

pub(super) fn sin(b: &Builder, x: Val) -> Val {
    let reduced = reduce(b, x);
    edges(b, x, trig::sin(b, x, &reduced))
}

pub(super) fn cos(b: &Builder, x: Val) -> Val {
    let reduced = reduce(b, x);
    edges(b, x, trig::cos(b, &reduced))
}

pub(super) fn tan(b: &Builder, x: Val) -> Val {
    let Reduced { quadrant, sin, cos } = reduce(b, x);
    let is_odd = b.has_bit(quadrant, 1);
    let over = b.select(is_odd, b.neg(cos), sin);
    let under = b.select(is_odd, sin, cos);
    let small = b.below(b.abs(x), SMALL);
    edges(b, x, b.select(small, x, b.div(over, under)))
}
