//! Logarithms: `x = 2^e (1 + f)` with `1 + f` between `sqrt(1/2)` and `sqrt(2)`, and `ln(1 + f) = f + f² p(f)`.

use crate::grid::build::Builder;
use crate::grid::{Binary, Ty, Val};

/// `(ln(1 + f) - f) / f²`.
const LOG: [f64; 9] =
    [-0.076261275, 0.12908189, -0.13243133, 0.14181256, -0.16608994, 0.20002, -0.25001588, 0.33333325, -0.49999988];

/// Constants in two parts; the first parts of `ln 2` and `log10 2` have few enough bits that their multiples are exact.
const LN2: [f64; 2] = [0.693145751953125, 1.428606765330187e-6];
const LOG10_2: [f64; 2] = [0.301025390625, 4.605039066518657e-6];
const LOG2_E: [f64; 2] = [1.4426950216293335, 1.925963033500011e-8];
const LOG10_E: [f64; 2] = [0.4342944920063019, -1.0103049952192578e-8];

/// `log2 e` in two parts, the first of 12 bits.
const LOG2_E_SHORT: [f64; 2] = [1.4423828125, 0.0003122283889634074];

/// The bits of `sqrt(1/2)`.
const SQRT_HALF_BITS: i64 = 0x3f35_04f3;

/// The exponent of a positive normal number, as an integer.
fn exponent(b: &Builder, x: Val) -> Val {
    let above = b.sub(b.bits(Ty::I32, x), b.i32(SQRT_HALF_BITS));
    b.shr(above, b.i32(23))
}

/// `e` and `f` of a positive number; denormals are scaled up first.
fn split(b: &Builder, x: Val) -> (Val, Val) {
    let tiny = b.is(x, Binary::Lt, f64::from(f32::MIN_POSITIVE));
    let normal = b.select(tiny, b.mul(x, b.like(x, f64::from(1 << 23))), x);
    let shift = b.select(tiny, b.like(x, -23.0), b.like(x, 0.0));
    let e = exponent(b, normal);
    let mantissa = b.sub(b.bits(Ty::I32, normal), b.shl(e, b.i32(23)));
    let f = b.sub(b.bits(Ty::F32, mantissa), b.like(x, 1.0));
    (b.add(b.cast(Ty::F32, e), shift), f)
}

/// `f² p(f)`.
fn correction(b: &Builder, f: Val) -> Val {
    b.mul(b.mul(f, f), b.horner(f, &LOG))
}

/// −∞ at `pole`, NaN below it, +∞ at +∞, else `y`.
fn edges(b: &Builder, x: Val, pole: f64, y: Val) -> Val {
    let infinity = b.like(x, f64::INFINITY);
    let y = b.select(b.eq(x, infinity), infinity, y);
    let y = b.select(b.is(x, Binary::Eq, pole), b.like(x, f64::NEG_INFINITY), y);
    let none = b.or(b.is(x, Binary::Lt, pole), b.is_nan(x));
    b.select(none, b.like(x, f64::NAN), y)
}

/// `e ln 2 + ln(1 + f)`.
fn natural(b: &Builder, e: Val, f: Val) -> Val {
    let low = b.fma(e, b.like(e, LN2[1]), correction(b, f));
    b.fma(e, b.like(e, LN2[0]), b.add(f, low))
}

pub(super) fn log(b: &Builder, x: Val) -> Val {
    let (e, f) = split(b, x);
    edges(b, x, 0.0, natural(b, e, f))
}

/// `k ln(1 + f)` for a constant in two parts.
fn scaled(b: &Builder, f: Val, k: [f64; 2]) -> Val {
    let [high, low] = k.map(|k| b.like(f, k));
    let rest = b.fma(low, f, b.mul(high, correction(b, f)));
    b.fma(high, f, rest)
}

pub(super) fn log2(b: &Builder, x: Val) -> Val {
    let (e, f) = split(b, x);
    edges(b, x, 0.0, b.add(e, scaled(b, f, LOG2_E)))
}

/// The logarithm to base 2 of a positive number in two parts, of which the first has 12 bits.
pub(super) fn log2_in_parts(b: &Builder, x: Val) -> (Val, Val) {
    let (e, f) = split(b, x);
    let [short, rest] = LOG2_E_SHORT.map(|k| b.like(f, k));
    let high = b.high_part(f);
    let product = b.mul(short, high);
    let more = b.fma(short, b.sub(f, high), b.fma(rest, f, b.mul(b.like(f, LOG2_E[0]), correction(b, f))));
    let first = b.high_part(b.add(e, b.add(product, more)));
    (first, b.add(b.add(b.sub(e, first), product), more))
}

pub(super) fn log10(b: &Builder, x: Val) -> Val {
    let (e, f) = split(b, x);
    let low = b.fma(e, b.like(e, LOG10_2[1]), scaled(b, f, LOG10_E));
    edges(b, x, 0.0, b.fma(e, b.like(e, LOG10_2[0]), low))
}

/// With `e` that of `1 + x`: `f = 2^-e x + (2^-e - 1)`, rounded once. A quarter of `x` keeps `2^-e` normal.
pub(super) fn log1p(b: &Builder, x: Val) -> Val {
    let (one, quarter) = (b.like(x, 1.0), b.like(x, 0.25));
    let e = exponent(b, b.add(x, one));
    let power = b.bits(Ty::F32, b.shl(b.sub(b.i32(129), e), b.i32(23)));
    let f = b.fma(b.mul(x, quarter), power, b.sub(b.mul(power, quarter), one));
    let y = natural(b, b.cast(Ty::F32, e), f);
    let tiny = b.is(b.abs(x), Binary::Lt, 1e-10);
    edges(b, x, -1.0, b.select(tiny, x, y))
}
