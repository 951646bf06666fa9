//! Sine and cosine of an angle less a multiple of π/2, which a target subtracts as it can.

use super::Lanes;

/// Below this, the sine and the tangent are the argument.
pub const SMALL: f64 = 1.0 / 4096.0;

/// `(sin(x) - x) / x³` and `(cos(x) - 1 + x²/2) / x⁴`, in `x²`, up to π/4.
const SIN: [f64; 3] = [-0.00019517215, 0.008332178, -0.16666655];
const COS: [f64; 3] = [2.4438355e-5, -0.0013887367, 0.041666646];

/// An angle's quadrant in the low two bits of an integer, and the sine and cosine of what is left of it.
pub struct Reduced<V> {
    /// The right angles.
    pub quadrant: V,
    /// The sine of the rest.
    pub sin: V,
    /// The cosine of the rest.
    pub cos: V,
}

/// The sine and cosine of `rest`, which is within ±π/4.
pub fn reduced<L: Lanes>(l: &L, quadrant: L::Val, rest: L::Val) -> Reduced<L::Val> {
    let z = l.mul(rest, rest);
    let sin = l.odd(rest, z, &SIN);
    let flat = l.mad(z, l.number(z, -0.5), l.number(z, 1.0));
    let cos = l.mad(l.mul(z, z), l.horner(z, &COS), flat);
    Reduced { quadrant, sin, cos }
}

/// The sine of an angle `quadrant` right angles further.
fn turn<L: Lanes>(l: &L, of: &Reduced<L::Val>, quadrant: L::Val) -> L::Val {
    let v = l.select(l.has_bit(quadrant, 1), of.cos, of.sin);
    l.select(l.has_bit(quadrant, 2), l.neg(v), v)
}

/// The sine of `x`, given what is left of it.
pub fn sin<L: Lanes>(l: &L, x: L::Val, of: &Reduced<L::Val>) -> L::Val {
    let small = l.below(l.abs(x), SMALL);
    l.select(small, x, turn(l, of, of.quadrant))
}

/// The cosine of an angle, given what is left of it.
pub fn cos<L: Lanes>(l: &L, of: &Reduced<L::Val>) -> L::Val {
    turn(l, of, l.int_add(of.quadrant, l.int(of.quadrant, 1)))
}
