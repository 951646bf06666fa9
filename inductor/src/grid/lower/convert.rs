//! Conversions between dtypes, as `Tensor.to` does them.
//!
//! Half floats are their bits in a `u32`: they widen to `f32` and nothing else is done with them. Narrow integers are
//! kept in an `i32`, always with the value that their own width gives.

use super::{Lower, Reason};
use crate::grid::{Half, Ty, Unary, Val};
use crate::loop_ir::Value;
use symshapes::DType;

type Result<T> = std::result::Result<T, Reason>;

impl Lower<'_> {
    /// Converts a register of one dtype to another, which is not `int64`.
    pub(super) fn convert(&mut self, v: Val, from: DType, to: DType) -> Result<Val> {
        match (from, to) {
            _ if from == to => Ok(v),
            (DType::F16, _) => {
                let wide = if self.caps.halves { self.b.widen(Half::F16, v) } else { self.f16_to_f32(v) };
                self.convert(wide, DType::F32, to)
            }
            (DType::BF16, _) => {
                let wide = self.b.bits(Ty::F32, self.b.shl(v, self.b.u32(16)));
                self.convert(wide, DType::F32, to)
            }
            (_, DType::F16) => {
                let single = self.convert(v, from, DType::F32)?;
                Ok(if self.caps.halves { self.b.narrow(Half::F16, single) } else { self.f32_to_f16(single) })
            }
            (_, DType::BF16) => {
                let single = self.convert(v, from, DType::F32)?;
                Ok(if self.caps.halves { self.b.narrow(Half::BF16, single) } else { self.f32_to_bf16(single) })
            }
            (_, DType::Bool) => Ok(self.non_zero(v)),
            _ if from.is_float() && to == DType::U8 => {
                // As PyTorch has it (`c10::static_cast_with_inter_type`), by way of 64 bits, where there are so many.
                let whole = self.b.cast(if self.caps.wide_ints { Ty::I64 } else { Ty::I32 }, v);
                let short = self.b.cast(Ty::I32, whole);
                Ok(self.normalised(to, short))
            }
            _ => {
                let value = self.b.cast(self.register(to), v);
                Ok(self.normalised(to, value))
            }
        }
    }

    /// True where a number is not 0 (true on NaN).
    pub(super) fn non_zero(&self, v: Val) -> Val {
        let b = &self.b;
        match b.ty(v) {
            Ty::Bool => v,
            Ty::F32 => b.ne(b.and(b.bits(Ty::U32, v), b.u32(0x7fff_ffff)), b.u32(0)),
            _ => b.ne(v, b.like(v, 0.0)),
        }
    }

    /// A register of an integer dtype, cut to its width.
    pub(super) fn normalised(&self, dtype: DType, v: Val) -> Val {
        match dtype {
            DType::U8 => self.b.and(v, self.b.i32(255)),
            DType::I8 => self.sign_extend(v, 8),
            DType::I16 => self.sign_extend(v, 16),
            _ => v,
        }
    }

    /// The bits of a value as another dtype of its width.
    pub(super) fn bitcast(&mut self, value: Value, to: DType) -> Result<Val> {
        let (from, v) = (self.kernel.values[value].dtype, self.value(value)?);
        let is_wide_float = |dtype| dtype == DType::F64 && self.register(dtype) != Ty::F64;
        if from != to && (is_wide_float(from) || is_wide_float(to)) {
            return Err("the bits of a float64".to_owned());
        }
        Ok(match (from, to) {
            _ if from == to => v,
            (_, DType::Bool) => self.non_zero(v),
            (_, DType::U8 | DType::I8 | DType::I16) => {
                let value = self.b.cast(Ty::I32, v);
                self.normalised(to, value)
            }
            (_, DType::F16 | DType::BF16) => {
                let bits = self.b.cast(Ty::U32, v);
                self.b.and(bits, self.b.u32(0xffff))
            }
            (DType::I64, _) => {
                let wide = self.b.cast(self.wide()?, v);
                self.b.bits(self.register(to), wide)
            }
            (_, DType::I64) => self.b.bits(self.wide()?, v),
            _ => self.b.bits(self.register(to), v),
        })
    }

    /// By integer arithmetic: the exponent moves, denormals count their smallest unit.
    fn f16_to_f32(&self, h: Val) -> Val {
        let b = &self.b;
        let sign = b.shl(b.and(h, b.u32(0x8000)), b.u32(16));
        let magnitude = b.and(h, b.u32(0x7fff));
        let moved = b.add(b.shl(magnitude, b.u32(13)), b.u32(112 << 23));
        let special = b.add(moved, b.u32(112 << 23));
        let units = b.cast(Ty::F32, b.cast(Ty::I32, magnitude));
        let denormal = b.bits(Ty::U32, b.mul(units, b.like(units, 2f64.powi(-24))));
        let bits = b.select(b.ge(magnitude, b.u32(0x7c00)), special, moved);
        let bits = b.select(b.lt(magnitude, b.u32(0x0400)), denormal, bits);
        b.bits(Ty::F32, b.or(bits, sign))
    }

    /// Rounds to nearest, ties to even. Below the least normal number, adding ½ leaves the units in the low bits.
    fn f32_to_f16(&self, x: Val) -> Val {
        let b = &self.b;
        let bits = b.bits(Ty::U32, x);
        let sign = b.and(b.shr(bits, b.u32(16)), b.u32(0x8000));
        let magnitude = b.and(bits, b.u32(0x7fff_ffff));
        let odd = b.and(b.shr(magnitude, b.u32(13)), b.u32(1));
        let rounded = b.add(b.add(magnitude, b.u32(0x0fff)), odd);
        let normal = b.sub(b.shr(rounded, b.u32(13)), b.u32(112 << 10));
        let raised = b.add(b.unary(Unary::Abs, x), b.like(x, 0.5));
        let denormal = b.sub(b.bits(Ty::U32, raised), b.u32(0x3f00_0000));
        let half = b.select(b.lt(magnitude, b.u32(0x3880_0000)), denormal, normal);
        let half = b.select(b.ge(magnitude, b.u32(0x477f_f000)), b.u32(0x7c00), half);
        let half = b.select(b.gt(magnitude, b.u32(0x7f80_0000)), b.u32(0x7e00), half);
        b.or(half, sign)
    }

    /// Rounds to nearest, ties to even; NaN stays NaN.
    fn f32_to_bf16(&self, x: Val) -> Val {
        let b = &self.b;
        let bits = b.bits(Ty::U32, x);
        let odd = b.and(b.shr(bits, b.u32(16)), b.u32(1));
        let rounded = b.shr(b.add(b.add(bits, b.u32(0x7fff)), odd), b.u32(16));
        b.select(b.is_nan(x), b.u32(0x7fc0), rounded)
    }
}
