//! Division and powers: where integers may trap, and where torch's float rules need several steps.
//!
//! Invariant: no integer division traps; a zero divisor gives some value.

use super::pointwise::Typed;
use crate::ir::{Elem, Val, elem};
use crate::math;
use inkwell::{FloatPredicate, IntPredicate};
use symshapes::DType;

impl<'c> Typed<'_, 'c> {
    /// IEEE on floats, truncating on integers.
    pub(super) fn div(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.dtype {
            DType::F32 | DType::F64 => self.ir.fdiv(a, b),
            DType::Bool => a,
            _ => self.int_div(a, b),
        }
    }

    /// Python's `//`.
    pub(super) fn floor_div(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.dtype {
            DType::F32 | DType::F64 => self.float_floor_div(a, b),
            DType::Bool => a,
            DType::U8 => self.int_div(a, b),
            _ => {
                let quotient = self.int_div(a, b);
                let rest = self.ir.sub(a, self.ir.mul(quotient, b));
                self.ir.select(self.wants_floor(rest, b), self.ir.sub(quotient, self.ir.like(a, 1.0)), quotient)
            }
        }
    }

    /// Python's `%`.
    pub(super) fn remainder(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.dtype {
            DType::F32 | DType::F64 => {
                let rest = math::fmod(self.ir, a, b);
                self.ir.select(self.wants_floor(rest, b), self.ir.fadd(rest, b), rest)
            }
            DType::Bool => self.ir.like(a, 0.0),
            DType::U8 => self.int_rem(a, b),
            _ => {
                let rest = self.int_rem(a, b);
                self.ir.select(self.wants_floor(rest, b), self.ir.add(rest, b), rest)
            }
        }
    }

    /// C's `fmod` or `%`.
    pub(super) fn fmod(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.dtype {
            DType::F32 | DType::F64 => math::fmod(self.ir, a, b),
            DType::Bool => self.ir.like(a, 0.0),
            _ => self.int_rem(a, b),
        }
    }

    /// Powers; integers wrap.
    pub(super) fn pow(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        if self.dtype.is_float() {
            return math::pow(self.ir, a, b);
        }
        let signed = self.dtype.is_signed();
        let wide = |v| self.ir.resize(v, signed, Elem::I64);
        self.ir.resize(self.ir.map_lanes("ri_powi", &[wide(a), wide(b)]), signed, elem(a))
    }

    /// True where a truncated remainder is not 0 and its sign differs from the divisor's.
    fn wants_floor(&self, rest: Val<'c>, b: Val<'c>) -> Val<'c> {
        let zero = self.ir.like(b, 0.0);
        let negative = |v| self.compare(FloatPredicate::OLT, IntPredicate::SLT, v, zero);
        let some = self.compare(FloatPredicate::UNE, IntPredicate::NE, rest, zero);
        self.ir.and(some, self.ir.xor(negative(rest), negative(b)))
    }

    /// The divisor with 0 replaced by 1.
    fn safe_divisor(&self, b: Val<'c>) -> Val<'c> {
        let zero = self.ir.icmp(IntPredicate::EQ, b, self.ir.like(b, 0.0));
        self.ir.select(zero, self.ir.like(b, 1.0), b)
    }

    /// Truncating. Division by −1 is a negation: the hardware's traps on the least integer.
    fn int_div(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let b = self.safe_divisor(b);
        if !self.dtype.is_signed() {
            return self.ir.udiv(a, b);
        }
        let minus_one = self.ir.icmp(IntPredicate::EQ, b, self.ir.like(b, -1.0));
        let quotient = self.ir.sdiv(a, self.ir.select(minus_one, self.ir.like(b, 1.0), b));
        self.ir.select(minus_one, self.ir.sub(self.ir.like(a, 0.0), a), quotient)
    }

    /// The remainder of [`Typed::int_div`].
    fn int_rem(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let b = self.safe_divisor(b);
        if !self.dtype.is_signed() {
            return self.ir.urem(a, b);
        }
        let minus_one = self.ir.icmp(IntPredicate::EQ, b, self.ir.like(b, -1.0));
        self.ir.srem(a, self.ir.select(minus_one, self.ir.like(b, 1.0), b))
    }

    /// torch's: from the exact remainder, so that the quotient is whole; `a / b` where `b` is 0.
    fn float_floor_div(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let ir = self.ir;
        let (zero, one, half) = (ir.like(a, 0.0), ir.like(a, 1.0), ir.like(a, 0.5));
        let rest = math::fmod(ir, a, b);
        let exact = ir.fdiv(ir.fsub(a, rest), b);
        let exact = ir.select(self.wants_floor(rest, b), ir.fsub(exact, one), exact);
        let floor = ir.floor(exact);
        let low = ir.fcmp(FloatPredicate::OGT, ir.fsub(exact, floor), half);
        let whole = ir.select(low, ir.fadd(floor, one), floor);
        let quotient = ir.fdiv(a, b);
        let signed_zero = ir.intrinsic("llvm.copysign", &[zero, quotient]);
        let whole = ir.select(ir.fcmp(FloatPredicate::UNE, exact, zero), whole, signed_zero);
        ir.select(ir.fcmp(FloatPredicate::OEQ, b, zero), quotient, whole)
    }
}
