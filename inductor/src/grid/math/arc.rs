//! Inverse trigonometric functions.

use crate::grid::build::Builder;
use crate::grid::tables::{ASIN, ASIN_SMALL, ATAN, HALF_PI, PI};
use crate::grid::{Binary, Ty, Unary, Val};

/// `whole - part`, for a constant in two parts.
fn from_constant(b: &Builder, whole: [f64; 2], part: Val) -> Val {
    let [high, low] = whole.map(|k| b.like(part, k));
    b.sub(high, b.sub(part, low))
}

/// NaN beyond ±1, else `y`.
fn edges(b: &Builder, x: Val, y: Val) -> Val {
    b.select(b.is(b.abs(x), Binary::Gt, 1.0), b.like(x, f64::NAN), y)
}

/// `asin` of `|x|` up to [`ASIN_SMALL`], and half of `acos(|x|)` beyond; with which of the two it is.
fn half_arc(b: &Builder, a: Val) -> (Val, Val) {
    let large = b.is(a, Binary::Gt, ASIN_SMALL);
    let rest = b.mul(b.sub(b.like(a, 1.0), a), b.like(a, 0.5));
    let z = b.select(large, rest, b.mul(a, a));
    let s = b.select(large, b.unary(Unary::Sqrt, rest), a);
    (b.odd(s, z, &ASIN), large)
}

pub(super) fn asin(b: &Builder, x: Val) -> Val {
    let (p, large) = half_arc(b, b.abs(x));
    let y = b.select(large, from_constant(b, HALF_PI, b.add(p, p)), p);
    edges(b, x, b.copysign(y, x))
}

pub(super) fn acos(b: &Builder, x: Val) -> Val {
    let (p, large) = half_arc(b, b.abs(x));
    let twice = b.add(p, p);
    let far = b.select(b.is(x, Binary::Lt, 0.0), from_constant(b, PI, twice), twice);
    edges(b, x, b.select(large, far, from_constant(b, HALF_PI, b.copysign(p, x))))
}

/// `atan` on `0..=1`.
fn reduced(b: &Builder, t: Val) -> Val {
    b.odd(t, b.mul(t, t), &ATAN)
}

pub(super) fn atan(b: &Builder, x: Val) -> Val {
    let one = b.like(x, 1.0);
    let a = b.abs(x);
    let large = b.gt(a, one);
    let p = reduced(b, b.select(large, b.div(one, a), a));
    b.copysign(b.select(large, from_constant(b, HALF_PI, p), p), x)
}

pub(super) fn atan2(b: &Builder, y: Val, x: Val) -> Val {
    let (up, along) = (b.abs(y), b.abs(x));
    let steep = b.gt(up, along);
    let (most, least) = (b.select(steep, up, along), b.select(steep, along, up));
    // 0/0 and ∞/∞ have angles too.
    let t = b.div(least, most);
    let t = b.select(b.is(most, Binary::Eq, 0.0), b.like(x, 0.0), t);
    let t = b.select(b.is(least, Binary::Eq, f64::INFINITY), b.like(x, 1.0), t);
    let p = reduced(b, t);
    let p = b.select(steep, from_constant(b, HALF_PI, p), p);
    let left = b.lt(b.bits(Ty::I32, x), b.i32(0));
    let p = b.select(left, from_constant(b, PI, p), p);
    let nan = b.or(b.is_nan(x), b.is_nan(y));
    b.select(nan, b.like(x, f64::NAN), b.copysign(p, y))
}
