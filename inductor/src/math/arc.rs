//! Inverse trigonometric functions.

use super::Lanes;

/// `(atan(x) - x) / x³` in `x²`, up to 1.
const ATAN: [f64; 9] = [
    -0.0018271847,
    0.011064315,
    -0.03145547,
    0.05823432,
    -0.08419446,
    0.10957572,
    -0.14265245,
    0.19998638,
    -0.33333302,
];

/// `(asin(x) - x) / x³` in `x²`, up to [`ASIN_SMALL`].
const ASIN: [f64; 6] = [0.044358324, 0.009336471, 0.033216547, 0.044341434, 0.07501451, 0.16666643];

/// A little above `cos(1)`: beyond, `acos` is below 1 and its doubling costs no accuracy.
const ASIN_SMALL: f64 = 0.5404;

/// π in two parts.
const PI: [f64; 2] = [3.1415927410125732, -8.742277657347586e-8];

/// π/2 in two parts.
const HALF_PI: [f64; 2] = [1.5707963705062866, -4.371138828673793e-8];

/// `whole - part`, for a constant in two parts.
fn from_constant<L: Lanes>(l: &L, whole: [f64; 2], part: L::Val) -> L::Val {
    let [high, low] = whole.map(|k| l.number(part, k));
    l.sub(high, l.sub(part, low))
}

/// NaN beyond ±1, else `y`.
fn edges<L: Lanes>(l: &L, x: L::Val, y: L::Val) -> L::Val {
    l.nan_where(|l| l.above(l.abs(x), 1.0), y)
}

/// `asin` of `|x|` up to [`ASIN_SMALL`], and half of `acos(|x|)` beyond; with which of the two it is.
fn half_arc<L: Lanes>(l: &L, a: L::Val) -> (L::Val, L::Val) {
    let large = l.above(a, ASIN_SMALL);
    let rest = l.mul(l.sub(l.number(a, 1.0), a), l.number(a, 0.5));
    let z = l.select(large, rest, l.mul(a, a));
    let s = l.select(large, l.sqrt(rest), a);
    (l.odd(s, z, &ASIN), large)
}

/// The inverse sine.
pub fn asin<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let (p, large) = half_arc(l, l.abs(x));
    let y = l.select(large, from_constant(l, HALF_PI, l.add(p, p)), p);
    edges(l, x, l.copysign(y, x))
}

/// The inverse cosine.
pub fn acos<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let (p, large) = half_arc(l, l.abs(x));
    let twice = l.add(p, p);
    let far = l.select(l.below(x, 0.0), from_constant(l, PI, twice), twice);
    edges(l, x, l.select(large, far, from_constant(l, HALF_PI, l.copysign(p, x))))
}

/// `atan` on `0..=1`.
fn reduced<L: Lanes>(l: &L, t: L::Val) -> L::Val {
    l.odd(t, l.mul(t, t), &ATAN)
}

/// The inverse tangent.
pub fn atan<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let one = l.number(x, 1.0);
    let a = l.abs(x);
    let large = l.gt(a, one);
    let p = reduced(l, l.select(large, l.div(one, a), a));
    l.copysign(l.select(large, from_constant(l, HALF_PI, p), p), x)
}

/// The angle of the point (`x`, `y`).
pub fn atan2<L: Lanes>(l: &L, y: L::Val, x: L::Val) -> L::Val {
    let (up, along) = (l.abs(y), l.abs(x));
    let steep = l.gt(up, along);
    let (most, least) = (l.select(steep, up, along), l.select(steep, along, up));
    // 0/0 and ∞/∞ have angles too.
    let t = l.div(least, most);
    let t = l.select(l.equals(most, 0.0), l.number(x, 0.0), t);
    let t = l.select(l.equals(least, f64::INFINITY), l.number(x, 1.0), t);
    let p = reduced(l, t);
    let p = l.select(steep, from_constant(l, HALF_PI, p), p);
    let left = l.is_negative(l.bits(x));
    let p = l.select(left, from_constant(l, PI, p), p);
    let nan = l.unordered(x, y);
    l.select(nan, l.number(x, f64::NAN), l.copysign(p, y))
}
