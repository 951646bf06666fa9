//! Powers, and the exact remainder.

use crate::grid::build::Builder;
use crate::grid::{Stmt, Ty, Unary, Val};
use crate::math::Lanes;
use crate::math::exp::exp2_of_sum;
use crate::math::log::{LOG2_E, correction, split};

/// `log2 e` in two parts, the first of 12 bits.
const LOG2_E_SHORT: [f64; 2] = [1.4423828125, 0.0003122283889634074];

/// `|x|^y` by `2^(y log2 |x|)`, the product in two parts; what C's `pow` has at the edges.
pub(super) fn pow(b: &Builder, x: Val, y: Val) -> Val {
    let (zero, one, infinity) = (b.like(x, 0.0), b.like(x, 1.0), b.like(x, f64::INFINITY));
    let a = b.abs(x);
    let rises = b.gt(y, zero);
    let m = magnitude(b, a, y);
    // 0 and ∞, as bases and as exponents.
    let is_end = b.or(b.eq(a, zero), b.eq(a, infinity));
    let m = b.select(is_end, b.select(b.eq(b.eq(a, infinity), rises), infinity, zero), m);
    let beyond = b.eq(b.gt(a, one), rises);
    let of_infinity = b.select(b.eq(a, one), one, b.select(beyond, infinity, zero));
    let m = b.select(b.eq(b.abs(y), infinity), of_infinity, m);
    // The sign, which only whole exponents leave defined.
    let whole = b.eq(b.unary(Unary::Floor, y), y);
    let short = b.below(b.abs(y), f64::from(1 << 24));
    let bounded = b.select(short, y, zero);
    let is_odd = b.and(whole, b.ne(b.and(b.cast(Ty::I32, bounded), b.i32(1)), b.i32(0)));
    let negative = b.lt(b.bits(Ty::I32, x), b.i32(0));
    let m = b.select(b.and(negative, is_odd), b.neg(m), m);
    let undefined = b.and(b.and(b.lt(x, zero), b.ne(a, infinity)), b.unary(Unary::Not, whole));
    let nan = b.or(undefined, b.or(b.is_nan(x), b.is_nan(y)));
    let m = b.select(nan, b.like(x, f64::NAN), m);
    b.select(b.or(b.eq(y, zero), b.eq(x, one)), one, m)
}

/// `a^y` for positive `a`.
fn magnitude(b: &Builder, a: Val, y: Val) -> Val {
    let (high, low) = log2_in_parts(b, a);
    // Beyond this every result but that of 1 is 0 or infinite.
    let y = b.at_most(b.at_least(y, -4.3e9), 4.3e9);
    let y_high = b.high_part(y);
    let product = b.mul(y_high, high);
    let rest = b.fma(y, low, b.mul(b.sub(y, y_high), high));
    let near = b.at_most(b.at_least(product, -400.0), 400.0);
    let far = b.add(product, rest);
    let sum = b.add(near, rest);
    let lost = b.add(b.sub(near, sum), rest);
    let within = b.below(b.abs(product), 400.0);
    exp2_of_sum(b, b.select(within, sum, far), b.select(within, lost, b.like(a, 0.0)))
}

/// The logarithm to base 2 of a positive number in two parts, of which the first has 12 bits.
fn log2_in_parts(b: &Builder, x: Val) -> (Val, Val) {
    let (e, f) = split(b, x);
    let [short, rest] = LOG2_E_SHORT.map(|k| b.like(f, k));
    let high = b.high_part(f);
    let product = b.mul(short, high);
    let more = b.fma(short, b.sub(f, high), b.fma(rest, f, b.mul(b.like(f, LOG2_E[0]), correction(b, f))));
    let first = b.high_part(b.add(e, b.add(product, more)));
    (first, b.add(b.add(b.sub(e, first), product), more))
}

/// The factor that makes a denormal divisor a normal number.
const RAISE: f64 = 16_777_216.0;

/// `x - y trunc(x / y)`, exactly. A denormal divisor, which has no exponent to raise, is raised first: the rest by that
/// one, raised as well, has the rest that is wanted. Where denormals count as 0 there is none, as by 0.
pub(super) fn fmod(b: &Builder, x: Val, y: Val) -> Val {
    let (zero, raise) = (b.like(x, 0.0), b.like(x, RAISE));
    let (a, by) = (b.abs(x), b.abs(y));
    let denormal = b.below(by, f64::from(f32::MIN_POSITIVE));
    let normal = b.select(denormal, b.mul(by, raise), by);
    let no_divisor = b.below(normal, f64::from(f32::MIN_POSITIVE));
    let endless = b.or(b.equals(a, f64::INFINITY), no_divisor);
    let none = b.or(b.or(b.is_nan(x), b.is_nan(y)), endless);
    // Where there is no remainder the loops do not run.
    let rest = subtract_multiples(b, b.select(none, zero, a), normal);
    let raised = subtract_multiples(b, b.select(denormal, b.mul(rest, raise), zero), normal);
    let rest = b.select(denormal, b.mul(raised, b.like(x, 1.0 / RAISE)), rest);
    b.select(none, b.like(x, f64::NAN), b.copysign(rest, x))
}

/// The rest of `a` by a normal number: multiples are subtracted that differ from what is left by less than that.
fn subtract_multiples(b: &Builder, a: Val, by: Val) -> Val {
    let rest = b.var_with(a);
    let exponent_bits = |x: Val| b.and(b.bits(Ty::I32, x), b.i32(0x7f80_0000));
    b.open();
    let r = b.get(rest);
    let cond = b.and(b.ge(r, by), b.above(r, 0.0));
    let head = b.close();
    b.open();
    let r = b.get(rest);
    let up = b.sub(exponent_bits(r), exponent_bits(by));
    let multiple = b.bits(Ty::F32, b.add(b.bits(Ty::I32, by), up));
    let half = b.mul(multiple, b.like(multiple, 0.5));
    b.set(rest, b.sub(r, b.select(b.le(multiple, r), multiple, half)));
    let body = b.close();
    b.push(Stmt::While { head, cond, body });
    b.get(rest)
}
