//! The functions of `float32` that a device may lack, in terms of what every device has.
//!
//! Each is a range reduction and a polynomial (our own fits), within a few units in the last place, with NaN,
//! infinities and signed zeros right; denormal results may be flushed, as devices do. No step needs a multiplication
//! and addition to be fused, and none lets a device that assumes there is no NaN go wrong where bits can tell.

mod arc;
mod erf;
mod exp;
mod far;
mod log;
mod pow;
mod trig;

use super::build::Builder;
use super::{Binary, Ty, Unary, Val};
use fx::prim::Pointwise;

/// Added to a number below 2^22, leaves it rounded to an integer in the low bits of the sum.
const ROUNDER: f64 = 12_582_912.0;

/// The bits of [`ROUNDER`] as `f32`.
const ROUNDER_BITS: i64 = 0x4b40_0000;

/// The bits of 1 as `f32`.
const ONE_BITS: i64 = 0x3f80_0000;

/// A function of `float32`, spelled out; `None` for what is no such function.
pub(super) fn expand(b: &Builder, op: Pointwise, args: &[Val]) -> Option<Val> {
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(x);
    Some(match op {
        Pointwise::Exp => exp::exp(b, x),
        Pointwise::Exp2 => exp::exp2(b, x),
        Pointwise::Expm1 => exp::expm1(b, x),
        Pointwise::Log => log::log(b, x),
        Pointwise::Log2 => log::log2(b, x),
        Pointwise::Log10 => log::log10(b, x),
        Pointwise::Log1p => log::log1p(b, x),
        Pointwise::Sin => trig::sin(b, x),
        Pointwise::Cos => trig::cos(b, x),
        Pointwise::Tan => trig::tan(b, x),
        Pointwise::Asin => arc::asin(b, x),
        Pointwise::Acos => arc::acos(b, x),
        Pointwise::Atan => arc::atan(b, x),
        Pointwise::Atan2 => arc::atan2(b, x, y),
        Pointwise::Sinh => exp::sinh(b, x),
        Pointwise::Cosh => exp::cosh(b, x),
        Pointwise::Tanh => exp::tanh(b, x),
        Pointwise::Erf => erf::erf(b, x),
        Pointwise::Erfc => erf::erfc(b, x),
        Pointwise::Pow => pow::pow(b, x, y),
        Pointwise::Fmod => pow::fmod(b, x, y),
        _ => return None,
    })
}

impl Builder {
    /// A polynomial by Horner's rule; the highest coefficient comes first.
    fn horner(&self, x: Val, coefficients: &[f64]) -> Val {
        let first = self.like(x, coefficients.first().copied().unwrap_or(0.0));
        coefficients.iter().skip(1).fold(first, |p, &c| self.fma(p, x, self.like(x, c)))
    }

    /// `x + x³ p(x²)`, given `z = x²`.
    fn odd(&self, x: Val, z: Val, coefficients: &[f64]) -> Val {
        let p = self.horner(z, coefficients);
        self.fma(self.mul(p, z), x, x)
    }

    /// At least `low`; NaN stays.
    fn at_least(&self, x: Val, low: f64) -> Val {
        self.select(self.is(x, Binary::Lt, low), self.like(x, low), x)
    }

    /// At most `high`; NaN stays.
    fn at_most(&self, x: Val, high: f64) -> Val {
        self.select(self.is(x, Binary::Gt, high), self.like(x, high), x)
    }

    /// `x` against a constant.
    fn is(&self, x: Val, op: Binary, constant: f64) -> Val {
        self.binary(op, x, self.like(x, constant))
    }

    fn abs(&self, x: Val) -> Val {
        self.unary(Unary::Abs, x)
    }

    fn neg(&self, x: Val) -> Val {
        self.unary(Unary::Neg, x)
    }

    /// `x * k` rounded to an integer, plus [`ROUNDER`]; `|x * k|` is below 2^22.
    fn rounded(&self, x: Val, k: f64) -> Val {
        self.fma(x, self.like(x, k), self.like(x, ROUNDER))
    }

    /// The integer that [`Builder::rounded`] gives, taken from its bits: a device may take a sum and a difference of
    /// [`ROUNDER`] to be nothing.
    fn integer(&self, rounded: Val) -> Val {
        self.cast(Ty::F32, self.sub(self.bits(Ty::I32, rounded), self.i32(ROUNDER_BITS)))
    }

    /// `p * 2^n` for `n` in −126..=127, where `n` comes from [`Builder::rounded`].
    fn scale_within(&self, p: Val, rounded: Val) -> Val {
        let bits = self.bits(Ty::I32, rounded);
        let power = self.add(self.shl(bits, self.i32(23)), self.i32(ONE_BITS));
        self.mul(p, self.bits(Ty::F32, power))
    }

    /// `p * 2^(n + more)`, over- and underflowing as it should, where `n` comes from [`Builder::rounded`].
    fn scale(&self, p: Val, rounded: Val, more: i64) -> Val {
        let n = self.sub(self.bits(Ty::I32, rounded), self.i32(ROUNDER_BITS - more));
        let half = self.shr(n, self.i32(1));
        let power = |n| {
            let bits = self.add(self.shl(n, self.i32(23)), self.i32(ONE_BITS));
            self.bits(Ty::F32, bits)
        };
        self.mul(self.mul(p, power(half)), power(self.sub(n, half)))
    }

    /// The number with the low half of its mantissa cut off: products of two such are exact.
    fn high_part(&self, x: Val) -> Val {
        let bits = self.and(self.bits(Ty::I32, x), self.i32(-0x1000));
        self.bits(Ty::F32, bits)
    }

    /// True on NaN, told by the bits where the device might assume that there is none.
    pub(super) fn is_nan(&self, x: Val) -> Val {
        if self.ty(x) == Ty::F64 {
            return self.ne(x, x);
        }
        let magnitude = self.and(self.bits(Ty::I32, x), self.i32(0x7fff_ffff));
        self.gt(magnitude, self.i32(0x7f80_0000))
    }

    /// The magnitude of `a` with the sign of `b`.
    pub(super) fn copysign(&self, a: Val, b: Val) -> Val {
        let (ty, ints, sign) = match self.ty(a) {
            Ty::F64 => (Ty::F64, Ty::I64, 1 << 63),
            ty => (ty, Ty::U32, 1 << 31),
        };
        let magnitude = self.and(self.bits(ints, a), self.constant(ints, sign - 1));
        let sign = self.and(self.bits(ints, b), self.constant(ints, sign));
        self.bits(ty, self.or(magnitude, sign))
    }
}
