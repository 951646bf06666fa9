//! Conversions between dtypes, as `Tensor.to` does them.
//!
//! Half floats are their bits in registers: they widen to `f32` and nothing else is done with them.

use crate::ir::{Elem, Ir, Val, elem, lanes, vector_of};
use inkwell::values::InstructionOpcode as Cast;
use inkwell::{FloatPredicate, IntPredicate};
use symshapes::DType;

impl<'c> Ir<'c> {
    /// Converts `v` from one dtype to another.
    pub(super) fn convert(&self, v: Val<'c>, from: DType, to: DType) -> Val<'c> {
        match (from, to) {
            _ if from == to => v,
            (DType::F16, _) => self.convert(self.f16_to_f32(v), DType::F32, to),
            (DType::BF16, _) => self.convert(self.bf16_to_f32(v), DType::F32, to),
            (_, DType::F16) => self.f32_to_f16(self.convert(v, from, DType::F32)),
            (_, DType::BF16) => self.f32_to_bf16(self.convert(v, from, DType::F32)),
            (_, DType::Bool) => self.non_zero(v),
            _ => self.convert_number(v, from, to),
        }
    }

    /// True where `v` is not 0 (true on NaN).
    pub(crate) fn non_zero(&self, v: Val<'c>) -> Val<'c> {
        let zero = self.like(v, 0.0);
        match elem(v) {
            Elem::F32 | Elem::F64 => self.fcmp(FloatPredicate::UNE, v, zero),
            _ => self.icmp(IntPredicate::NE, v, zero),
        }
    }

    /// Between integers (or bool) and floats of full width.
    fn convert_number(&self, v: Val<'c>, from: DType, to: DType) -> Val<'c> {
        let target = Elem::of(to).expect("the kernel was checked");
        match (from.is_float(), to.is_float()) {
            (true, true) if to == DType::F64 => self.cast(Cast::FPExt, v, target),
            (true, true) => self.cast(Cast::FPTrunc, v, target),
            (true, false) => self.float_to_int(v, target),
            (false, true) if from.is_signed() => self.cast(Cast::SIToFP, v, target),
            (false, true) => self.cast(Cast::UIToFP, v, target),
            (false, false) => self.resize(v, from.is_signed(), target),
        }
    }

    /// Truncates; narrow types wrap, as a conversion by way of `int32` does.
    fn float_to_int(&self, v: Val<'c>, target: Elem) -> Val<'c> {
        match target {
            Elem::I64 => self.cast(Cast::FPToSI, v, Elem::I64),
            _ => self.resize(self.cast(Cast::FPToSI, v, Elem::I32), true, target),
        }
    }

    /// An integer of another width.
    pub(super) fn resize(&self, v: Val<'c>, signed: bool, target: Elem) -> Val<'c> {
        match elem(v).width().cmp(&target.width()) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.cast(Cast::Trunc, v, target),
            std::cmp::Ordering::Less if signed => self.cast(Cast::SExt, v, target),
            std::cmp::Ordering::Less => self.cast(Cast::ZExt, v, target),
        }
    }

    /// The bits of `v` as a value of `to`.
    pub(super) fn reinterpret(&self, v: Val<'c>, to: DType) -> Val<'c> {
        match (elem(v), Elem::of(to).expect("the kernel was checked")) {
            (a, b) if a == b => v,
            (Elem::I1, _) => self.cast(Cast::ZExt, v, Elem::I8),
            (_, Elem::I1) => self.non_zero(v),
            (_, target) => self.bitcast(v, target),
        }
    }

    /// The fence keeps LLVM from doing comparisons and signs on halves, of which most processors have no vectors.
    fn f16_to_f32(&self, v: Val<'c>) -> Val<'c> {
        let half = vector_of(self.context.f16_type().into(), lanes(v));
        let v = self.b.build_cast(Cast::BitCast, v, half, "").expect("same width");
        let wide = self.b.build_cast(Cast::FPExt, v, self.ty(Elem::F32, lanes(v)), "").expect("half widens");
        self.intrinsic("llvm.arithmetic.fence", &[wide])
    }

    fn f32_to_f16(&self, v: Val<'c>) -> Val<'c> {
        let half = vector_of(self.context.f16_type().into(), lanes(v));
        let v = self.b.build_cast(Cast::FPTrunc, v, half, "").expect("half narrows");
        self.b.build_cast(Cast::BitCast, v, self.ty(Elem::I16, lanes(v)), "").expect("same width")
    }

    fn bf16_to_f32(&self, v: Val<'c>) -> Val<'c> {
        let wide = self.cast(Cast::ZExt, v, Elem::I32);
        self.bitcast(self.shl(wide, self.like(wide, 16.0)), Elem::F32)
    }

    /// Rounds to nearest, ties to even; NaN stays NaN.
    fn f32_to_bf16(&self, v: Val<'c>) -> Val<'c> {
        let bits = self.bitcast(v, Elem::I32);
        let high = self.lshr(bits, self.like(bits, 16.0));
        let odd = self.and(high, self.like(bits, 1.0));
        let rounded = self.add(self.add(bits, self.like(bits, f64::from(0x7fff))), odd);
        let rounded = self.lshr(rounded, self.like(bits, 16.0));
        let result = self.select(self.is_nan(v), self.like(bits, f64::from(0x7fc0)), rounded);
        self.cast(Cast::Trunc, result, Elem::I16)
    }
}
