//! Sine, cosine, tangent: the argument less a multiple of π/2, taken in parts so short that the products are exact.
//!
//! That holds up to [`MODERATE`]; what is left of larger arguments is found [otherwise](super::far), where one occurs.

use crate::grid::build::Builder;
use crate::grid::{Binary, Stmt, Ty, Val};

/// Below this, the sine and the tangent are the argument.
const SMALL: f64 = 1.0 / 4096.0;

/// Up to here multiples of the parts of π/2 are exact.
const MODERATE: f64 = 65_536.0;

/// π/2 in parts, all but the last of 8 bits.
const HALF_PI: [f64; 5] =
    [1.5703125, 0.0004825592041015625, 1.2665987014770508e-6, 9.89530235528946e-10, 2.563344151594519e-12];

/// `(sin(x) - x) / x³` and `(cos(x) - 1 + x²/2) / x⁴`, in `x²`, up to π/4.
const SIN: [f64; 3] = [-0.00019517215, 0.008332178, -0.16666655];
const COS: [f64; 3] = [2.4438355e-5, -0.0013887367, 0.041666646];

/// An angle's quadrant, and the sine and cosine of what is left of it.
struct Reduced {
    quadrant: Val,
    sin: Val,
    cos: Val,
}

fn reduce(b: &Builder, x: Val) -> Reduced {
    let rounded = b.rounded(x, std::f64::consts::FRAC_2_PI);
    let n = b.integer(rounded);
    let r = HALF_PI.iter().fold(x, |r, &part| b.fma(n, b.like(x, -part), r));
    let (quadrant, r) = unless_far(b, x, b.bits(Ty::I32, rounded), r);
    let z = b.mul(r, r);
    let sin = b.odd(r, z, &SIN);
    let flat = b.fma(z, b.like(z, -0.5), b.like(z, 1.0));
    let cos = b.fma(b.mul(z, z), b.horner(z, &COS), flat);
    Reduced { quadrant, sin, cos }
}

/// The quadrant and the rest of `x`: those given, or for large arguments those of the long way.
fn unless_far(b: &Builder, x: Val, quadrant: Val, rest: Val) -> (Val, Val) {
    let [quadrant, rest, angle] = [quadrant, rest, x].map(|v| b.var_with(v));
    let a = b.abs(x);
    let far = b.and(b.is(a, Binary::Gt, MODERATE), b.is(a, Binary::Lt, f64::INFINITY));
    b.open();
    // Read from a variable, the argument is of this block, and so is all that is computed from it.
    let (whole, left) = super::far::reduce(b, b.get(angle));
    b.set(quadrant, whole);
    b.set(rest, left);
    let then = b.close();
    b.push(Stmt::If { cond: far, then });
    (b.get(quadrant), b.get(rest))
}

/// True where bit `bit` of `quadrant` is set.
fn bit(b: &Builder, quadrant: Val, bit: i64) -> Val {
    b.ne(b.and(quadrant, b.i32(bit)), b.i32(0))
}

/// The sine of an angle `quadrant` right angles further.
fn turn(b: &Builder, of: &Reduced, quadrant: Val) -> Val {
    let v = b.select(bit(b, quadrant, 1), of.cos, of.sin);
    b.select(bit(b, quadrant, 2), b.neg(v), v)
}

/// NaN at ±∞, else `y`.
fn edges(b: &Builder, x: Val, y: Val) -> Val {
    b.select(b.is(b.abs(x), Binary::Eq, f64::INFINITY), b.like(x, f64::NAN), y)
}

pub(super) fn sin(b: &Builder, x: Val) -> Val {
    let reduced = reduce(b, x);
    let small = b.is(b.abs(x), Binary::Lt, SMALL);
    edges(b, x, b.select(small, x, turn(b, &reduced, reduced.quadrant)))
}

pub(super) fn cos(b: &Builder, x: Val) -> Val {
    let reduced = reduce(b, x);
    edges(b, x, turn(b, &reduced, b.add(reduced.quadrant, b.i32(1))))
}

pub(super) fn tan(b: &Builder, x: Val) -> Val {
    let Reduced { quadrant, sin, cos } = reduce(b, x);
    let is_odd = bit(b, quadrant, 1);
    let over = b.select(is_odd, b.neg(cos), sin);
    let under = b.select(is_odd, sin, cos);
    let small = b.is(b.abs(x), Binary::Lt, SMALL);
    edges(b, x, b.select(small, x, b.div(over, under)))
}
