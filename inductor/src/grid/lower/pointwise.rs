//! Primitives, by the class of their operands.
//!
//! A function of floats that the device has is called; others are [spelled out](crate::grid::math).

use super::integer::{comparison, operands};
use super::{Lower, Reason};
use crate::grid::{Binary, Ty, Unary, Val, math};
use crate::loop_ir::Value;
use fx::prim::Pointwise as P;
use symshapes::{DType, DTypeClass, Range};

type Result<T> = std::result::Result<T, Reason>;

impl Lower<'_> {
    /// A primitive applied to values.
    pub(super) fn map(&mut self, op: P, args: &[Value]) -> Result<(Val, Option<Range>)> {
        let Some(&last) = args.last() else { return Err(format!("{op} without operands")) };
        let dtype = self.kernel.values[last].dtype;
        if op == P::Where {
            let cond = self.value(args[0])?;
            if dtype == DType::I64 {
                return self.choose_wide(cond, [args[1], args[2]]);
            }
            let (a, b) = (self.value(args[1])?, self.value(args[2])?);
            return Ok((self.b.select(cond, a, b), None));
        }
        if dtype == DType::I64 {
            return self.map_wide(op, args);
        }
        let vals = args.iter().map(|&v| self.value(v)).collect::<Result<Vec<Val>>>()?;
        let operands = operands(&vals);
        let value = match dtype.class() {
            DTypeClass::Bool => self.map_bool(op, operands)?,
            DTypeClass::Int => self.map_int(op, dtype, operands)?,
            _ => self.map_float(op, operands)?,
        };
        Ok((value, None))
    }

    /// A sum of two elements in the registers of their dtype.
    pub(super) fn sum_of_elements(&mut self, dtype: DType, a: Val, b: Val) -> Result<Val> {
        match dtype.class() {
            DTypeClass::Bool => Ok(self.b.or(a, b)),
            DTypeClass::Int => {
                let ty = self.register(dtype);
                let (a, b) = (self.b.cast(ty, a), self.b.cast(ty, b));
                self.map_int(P::Add, dtype, [a, b, b])
            }
            _ if dtype.compute() == dtype => Ok(self.b.add(a, b)),
            _ => {
                let (a, b) = (self.convert(a, dtype, DType::F32)?, self.convert(b, dtype, DType::F32)?);
                let sum = self.b.add(a, b);
                self.convert(sum, DType::F32, dtype)
            }
        }
    }

    fn map_float(&mut self, op: P, [x, y, z]: [Val; 3]) -> Result<Val> {
        let b = &self.b;
        let one = b.like(x, 1.0);
        let zero = b.like(x, 0.0);
        Ok(match op {
            P::Neg => b.unary(Unary::Neg, x),
            P::Abs => b.unary(Unary::Abs, x),
            P::Sign => {
                let negative = b.select(b.lt(x, zero), b.like(x, -1.0), zero);
                b.select(b.gt(x, zero), one, negative)
            }
            P::Add => b.add(x, y),
            P::Sub => b.sub(x, y),
            P::Mul => b.mul(x, y),
            P::Div => b.div(x, y),
            P::FloorDiv => self.float_floor_div(x, y)?,
            P::Remainder => {
                let rest = self.function(P::Fmod, &[x, y])?;
                self.b.select(self.wants_floor(rest, y), self.b.add(rest, y), rest)
            }
            P::Maximum => self.maximum(x, y),
            P::Minimum => self.minimum(x, y),
            P::Fma => b.fma(x, y, z),
            P::Eq | P::Ne | P::Lt | P::Le | P::Gt | P::Ge => self.compare_floats(op, x, y),
            P::Floor => b.unary(Unary::Floor, x),
            P::Ceil => b.unary(Unary::Ceil, x),
            P::Trunc => b.unary(Unary::Trunc, x),
            P::Round => b.unary(Unary::Round, x),
            P::IsNan => b.is_nan(x),
            P::IsInf => self.is_infinite(x),
            P::Signbit => {
                let bits = b.bits(if b.ty(x) == Ty::F64 { Ty::I64 } else { Ty::I32 }, x);
                b.lt(bits, b.like(bits, 0.0))
            }
            P::Copysign => b.copysign(x, y),
            P::Sqrt => b.unary(Unary::Sqrt, x),
            P::Rsqrt => b.div(one, b.unary(Unary::Sqrt, x)),
            P::Reciprocal => b.div(one, x),
            P::Sigmoid => {
                let e = self.function(P::Exp, &[self.b.unary(Unary::Neg, x)])?;
                self.b.div(one, self.b.add(one, e))
            }
            P::Pow | P::Atan2 | P::Fmod => self.function(op, &[x, y])?,
            P::Where | P::And | P::Or | P::Xor | P::Not | P::Shl | P::Shr => return Err(format!("{op} of a float")),
            _ => self.function(op, &[x])?,
        })
    }

    /// A function that the device has, or else spelled out.
    pub(super) fn function(&self, op: P, args: &[Val]) -> Result<Val> {
        if self.caps.functions.contains(&op) {
            return Ok(self.b.call(op, args));
        }
        let spelled = (self.b.ty(args[0]) == Ty::F32).then(|| math::expand(&self.b, op, args)).flatten();
        spelled.ok_or_else(|| format!("{op} of {}", self.b.ty(args[0])))
    }

    /// Comparisons are false on NaN, and `ne` true.
    fn compare_floats(&self, op: P, x: Val, y: Val) -> Val {
        self.b.binary(comparison(op), x, y)
    }

    fn is_infinite(&self, x: Val) -> Val {
        let b = &self.b;
        match b.ty(x) {
            Ty::F32 => b.eq(b.and(b.bits(Ty::U32, x), b.u32(0x7fff_ffff)), b.u32(0x7f80_0000)),
            _ => b.eq(b.unary(Unary::Abs, x), b.like(x, f64::INFINITY)),
        }
    }

    /// True where `a` is greater than `b`; for `bool`, where only `a` is true.
    pub(super) fn greater(&self, a: Val, b: Val) -> Val {
        if self.b.ty(a) == Ty::Bool { self.b.and(a, self.b.unary(Unary::Not, b)) } else { self.b.gt(a, b) }
    }

    /// The greater of two numbers; NaN if either is.
    pub(super) fn maximum(&self, a: Val, b: Val) -> Val {
        match self.b.ty(a) {
            Ty::Bool => self.b.or(a, b),
            Ty::F32 if self.caps.functions.contains(&P::Maximum) => self.b.call(P::Maximum, &[a, b]),
            ty if ty.is_float() => self.extreme(Binary::Lt, Binary::Ge, a, b),
            _ => self.b.max(a, b),
        }
    }

    /// The lesser of two numbers; NaN if either is.
    pub(super) fn minimum(&self, a: Val, b: Val) -> Val {
        match self.b.ty(a) {
            Ty::Bool => self.b.and(a, b),
            Ty::F32 if self.caps.functions.contains(&P::Minimum) => self.b.call(P::Minimum, &[a, b]),
            ty if ty.is_float() => self.extreme(Binary::Gt, Binary::Le, a, b),
            _ => self.b.min(a, b),
        }
    }

    /// `b` where it is NaN or `a replaces b` holds, else `a`; a NaN in `a` is never replaced by a number. `stays` is
    /// the opposite of `replaces` for numbers.
    fn extreme(&self, replaces: Binary, stays: Binary, a: Val, b: Val) -> Val {
        let ir = &self.b;
        if ir.sees_nan {
            return ir.select(ir.or(ir.is_nan(a), ir.binary(stays, a, b)), a, b);
        }
        let replaced = ir.binary(replaces, a, b);
        let not_nan = ir.unary(Unary::Not, ir.is_nan(a));
        let takes = ir.and(ir.or(replaced, ir.is_nan(b)), not_nan);
        ir.select(takes, b, a)
    }

    /// torch's: from the exact remainder, so that the quotient is whole; `a / b` where `b` is 0.
    fn float_floor_div(&self, x: Val, y: Val) -> Result<Val> {
        let rest = self.function(P::Fmod, &[x, y])?;
        let b = &self.b;
        let (zero, one, half) = (b.like(x, 0.0), b.like(x, 1.0), b.like(x, 0.5));
        let exact = b.div(b.sub(x, rest), y);
        let exact = b.select(self.wants_floor(rest, y), b.sub(exact, one), exact);
        let floor = b.unary(Unary::Floor, exact);
        let low = b.gt(b.sub(exact, floor), half);
        let whole = b.select(low, b.add(floor, one), floor);
        // Division by 0, told apart without dividing: a device may take 0 / 0 for 0.
        let sign = b.mul(b.copysign(one, x), b.copysign(one, y));
        let infinite = b.copysign(b.like(x, f64::INFINITY), sign);
        let none = b.or(b.eq(x, zero), b.is_nan(x));
        let of_zero = b.select(none, b.like(x, f64::NAN), infinite);
        let signed_zero = b.copysign(zero, sign);
        let whole = b.select(b.ne(exact, zero), whole, signed_zero);
        Ok(b.select(b.eq(y, zero), of_zero, whole))
    }
}
