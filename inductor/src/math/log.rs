//! Logarithms: `x = 2^e (1 + f)` with `1 + f` between `sqrt(1/2)` and `sqrt(2)`, and `ln(1 + f) = f + f² p(f)`.

use super::{LN2, Lanes};

/// `(ln(1 + f) - f) / f²`.
const LOG: [f64; 9] =
    [-0.076261275, 0.12908189, -0.13243133, 0.14181256, -0.16608994, 0.20002, -0.25001588, 0.33333325, -0.49999988];

/// Constants in two parts; the first part of `log10 2` has few enough bits that its multiples are exact.
const LOG10_2: [f64; 2] = [0.301025390625, 4.605039066518657e-6];
const LOG10_E: [f64; 2] = [0.4342944920063019, -1.0103049952192578e-8];

/// `log2 e` in two parts.
pub const LOG2_E: [f64; 2] = [1.4426950216293335, 1.925963033500011e-8];

/// The bits of `sqrt(1/2)`.
const SQRT_HALF_BITS: i64 = 0x3f35_04f3;

/// The exponent of a positive normal number, as an integer.
fn exponent<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let above = l.int_sub(l.bits(x), l.int(x, SQRT_HALF_BITS));
    l.shr(above, l.int(x, 23))
}

/// `e` and `f` of a positive number; denormals are scaled up first.
pub fn split<L: Lanes>(l: &L, x: L::Val) -> (L::Val, L::Val) {
    let tiny = l.below(x, f64::from(f32::MIN_POSITIVE));
    let normal = l.select(tiny, l.mul(x, l.number(x, f64::from(1 << 23))), x);
    let shift = l.select(tiny, l.number(x, -23.0), l.number(x, 0.0));
    let e = exponent(l, normal);
    let mantissa = l.int_sub(l.bits(normal), l.shl(e, l.int(e, 23)));
    let f = l.sub(l.of_bits(mantissa), l.number(x, 1.0));
    (l.add(l.to_float(e), shift), f)
}

/// `ln(1 + f) - f`, as `f² p(f)`.
pub fn correction<L: Lanes>(l: &L, f: L::Val) -> L::Val {
    l.mul(l.mul(f, f), l.horner(f, &LOG))
}

/// −∞ at `pole`, NaN below it, +∞ at +∞, else `y`.
pub fn edges<L: Lanes>(l: &L, x: L::Val, pole: f64, y: L::Val) -> L::Val {
    let infinity = l.number(x, f64::INFINITY);
    let y = l.select(l.eq(x, infinity), infinity, y);
    let y = l.select(l.equals(x, pole), l.number(x, f64::NEG_INFINITY), y);
    l.select(l.below_or_nan(x, pole), l.number(x, f64::NAN), y)
}

/// `e ln 2 + ln(1 + f)`.
fn natural<L: Lanes>(l: &L, e: L::Val, f: L::Val) -> L::Val {
    let low = l.mad(e, l.number(e, LN2[1]), correction(l, f));
    l.mad(e, l.number(e, LN2[0]), l.add(f, low))
}

/// The natural logarithm.
pub fn log<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let (e, f) = split(l, x);
    edges(l, x, 0.0, natural(l, e, f))
}

/// `k ln(1 + f)` for a constant in two parts.
fn scaled<L: Lanes>(l: &L, f: L::Val, k: [f64; 2]) -> L::Val {
    let [high, low] = k.map(|k| l.number(f, k));
    let rest = l.mad(low, f, l.mul(high, correction(l, f)));
    l.mad(high, f, rest)
}

/// The logarithm to base 2.
pub fn log2<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let (e, f) = split(l, x);
    edges(l, x, 0.0, l.add(e, scaled(l, f, LOG2_E)))
}

/// The logarithm to base 10.
pub fn log10<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let (e, f) = split(l, x);
    let low = l.mad(e, l.number(e, LOG10_2[1]), scaled(l, f, LOG10_E));
    edges(l, x, 0.0, l.mad(e, l.number(e, LOG10_2[0]), low))
}

/// `ln(1 + x)`. With `e` that of `1 + x`: `f = 2^-e x + (2^-e - 1)`, rounded once. A quarter of `x` keeps `2^-e`
/// normal.
pub fn log1p<L: Lanes>(l: &L, x: L::Val) -> L::Val {
    let (one, quarter) = (l.number(x, 1.0), l.number(x, 0.25));
    let e = exponent(l, l.add(x, one));
    // The bits of 2^(2 - e).
    let power = l.of_bits(l.shl(l.int_sub(l.int(e, 129), e), l.int(e, 23)));
    let f = l.mad(l.mul(x, quarter), power, l.sub(l.mul(power, quarter), one));
    let y = natural(l, l.to_float(e), f);
    let tiny = l.below(l.abs(x), 1e-10);
    edges(l, x, -1.0, l.select(tiny, x, y))
}
