//! Prints the algorithms of [`inductor::math`] as LLVM IR, on scalars or vectors.

use crate::ir::{Elem, Ir, Val, lanes};
use inductor::math::{Lanes, ROUNDER};
use inkwell::values::InstructionOpcode;
use inkwell::{FloatPredicate, IntPredicate};

/// Methods of [`Lanes`] that are methods of [`Ir`].
macro_rules! operations {
    ($($name:ident($($arg:ident),+) $method:ident;)*) => {
        $(fn $name(&self, $($arg: Val<'c>),+) -> Val<'c> { Ir::$method(self, $($arg),+) })*
    };
}

/// Methods of [`Lanes`] that compare floats.
macro_rules! comparisons {
    ($($name:ident $predicate:ident;)*) => {
        $(fn $name(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> { self.fcmp(FloatPredicate::$predicate, a, b) })*
    };
}

impl<'c> Lanes for Ir<'c> {
    type Val = Val<'c>;

    operations! {
        add(a, b) fadd; sub(a, b) fsub; mul(a, b) fmul; div(a, b) fdiv; mad(a, b, c) mad;
        neg(x) fneg; abs(x) fabs; sqrt(x) sqrt; select(cond, a, b) select;
        int_add(a, b) add; int_sub(a, b) sub; shl(a, bits) shl; shr(a, bits) ashr;
    }

    comparisons! { lt OLT; gt OGT; eq OEQ; unordered UNO; }

    fn number(&self, like: Val<'c>, x: f64) -> Val<'c> {
        self.like(like, x)
    }

    fn int(&self, like: Val<'c>, value: i64) -> Val<'c> {
        self.bits_like(like, value)
    }

    fn copysign(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.intrinsic("llvm.copysign", &[a, b])
    }

    fn below_or_nan(&self, x: Val<'c>, bound: f64) -> Val<'c> {
        self.fcmp(FloatPredicate::ULT, x, self.like(x, bound))
    }

    fn nan_where(&self, _cond: impl FnOnce(&Self) -> Val<'c>, y: Val<'c>) -> Val<'c> {
        y
    }

    fn bits(&self, x: Val<'c>) -> Val<'c> {
        self.bitcast(x, Elem::I32)
    }

    fn of_bits(&self, bits: Val<'c>) -> Val<'c> {
        self.bitcast(bits, Elem::F32)
    }

    fn to_float(&self, n: Val<'c>) -> Val<'c> {
        self.cast(InstructionOpcode::SIToFP, n, Elem::F32)
    }

    fn is_negative(&self, n: Val<'c>) -> Val<'c> {
        self.icmp(IntPredicate::SLT, n, self.like(n, 0.0))
    }

    fn has_bit(&self, n: Val<'c>, bit: i64) -> Val<'c> {
        self.non_zero(self.and(n, self.bits_like(n, bit)))
    }

    fn integer(&self, rounded: Val<'c>) -> Val<'c> {
        self.fsub(rounded, self.like(rounded, ROUNDER))
    }

    /// AVX-512 has an instruction for it.
    fn scale(&self, p: Val<'c>, rounded: Val<'c>, more: i64) -> Val<'c> {
        if !(self.host.avx512 && lanes(p) == 16) {
            return inductor::math::scale(self, p, rounded, more);
        }
        let n = self.fsub(rounded, self.like(p, ROUNDER - more as f64));
        let (every, current_rounding) = (self.int(Elem::I16, 1, -1), self.int(Elem::I32, 1, 4));
        self.intrinsic_on("llvm.x86.avx512.mask.scalef.ps.512", &[], &[p, n, p, every, current_rounding])
    }
}
