//! The functions of `float32` that a device may lack, in terms of what every device has.
//!
//! Most are the algorithms of [`crate::math`], printed as values of a grid kernel; those here are for devices alone.
//! Denormal results may be flushed, as devices do. No step lets a device that assumes there is no NaN go wrong where
//! bits can tell.

mod erfc;
mod far;
mod pow;
mod trig;

use super::build::Builder;
use super::{Binary, Ty, Unary, Val};
use crate::math::{Lanes, ROUNDER_BITS, arc, erf, exp, log};
use fx::prim::Pointwise;

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
        Pointwise::Erfc => erfc::erfc(b, x),
        Pointwise::Pow => pow::pow(b, x, y),
        Pointwise::Fmod => pow::fmod(b, x, y),
        _ => return None,
    })
}

/// Methods of [`Lanes`] that are one operation.
macro_rules! operations {
    ($($name:ident $op:ident;)*) => {
        $(fn $name(&self, a: Val, b: Val) -> Val { self.binary(Binary::$op, a, b) })*
    };
}

/// Prints values of a grid kernel.
impl Lanes for Builder {
    type Val = Val;

    operations! {
        add Add; sub Sub; mul Mul; div Div; int_add Add; int_sub Sub; shl Shl; shr Shr;
        lt Lt; gt Gt; eq Eq;
    }

    fn number(&self, like: Val, x: f64) -> Val {
        self.like(like, x)
    }

    fn int(&self, _like: Val, value: i64) -> Val {
        self.i32(value)
    }

    fn mad(&self, a: Val, b: Val, c: Val) -> Val {
        self.fma(a, b, c)
    }

    fn neg(&self, x: Val) -> Val {
        self.unary(Unary::Neg, x)
    }

    fn abs(&self, x: Val) -> Val {
        self.unary(Unary::Abs, x)
    }

    fn sqrt(&self, x: Val) -> Val {
        self.unary(Unary::Sqrt, x)
    }

    fn copysign(&self, a: Val, b: Val) -> Val {
        Builder::copysign(self, a, b)
    }

    fn unordered(&self, a: Val, b: Val) -> Val {
        self.or(self.is_nan(a), self.is_nan(b))
    }

    fn below_or_nan(&self, x: Val, bound: f64) -> Val {
        self.or(self.below(x, bound), self.is_nan(x))
    }

    fn select(&self, cond: Val, a: Val, b: Val) -> Val {
        Builder::select(self, cond, a, b)
    }

    fn nan_where(&self, cond: impl FnOnce(&Self) -> Val, y: Val) -> Val {
        self.select(cond(self), self.like(y, f64::NAN), y)
    }

    fn bits(&self, x: Val) -> Val {
        Builder::bits(self, Ty::I32, x)
    }

    fn of_bits(&self, bits: Val) -> Val {
        Builder::bits(self, Ty::F32, bits)
    }

    fn to_float(&self, n: Val) -> Val {
        self.cast(Ty::F32, n)
    }

    fn is_negative(&self, n: Val) -> Val {
        self.binary(Binary::Lt, n, self.i32(0))
    }

    fn has_bit(&self, n: Val, bit: i64) -> Val {
        self.ne(self.and(n, self.i32(bit)), self.i32(0))
    }

    /// Taken from the bits: a device may take a sum and a difference of a constant to be nothing.
    fn integer(&self, rounded: Val) -> Val {
        self.cast(Ty::F32, self.sub(Builder::bits(self, Ty::I32, rounded), self.i32(ROUNDER_BITS)))
    }
}

impl Builder {
    /// The number with the low half of its mantissa cut off: products of two such are exact.
    fn high_part(&self, x: Val) -> Val {
        let bits = self.and(self.bits(Ty::I32, x), self.i32(-0x1000));
        self.bits(Ty::F32, bits)
    }

    /// True on NaN, told by the bits where the device might assume that there is none.
    pub(super) fn is_nan(&self, x: Val) -> Val {
        if self.sees_nan || self.ty(x) == Ty::F64 {
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
