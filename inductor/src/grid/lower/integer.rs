//! Primitives on integers and `bool`, and the ranges of 64-bit ones.

use super::ranges::{NARROWED, is_short};
use super::{Lower, Reason};
use crate::grid::{Binary, Stmt, Ty, Unary, Val};
use crate::loop_ir::Value;
use fx::prim::Pointwise as P;
use symshapes::{DType, Range};

type Result<T> = std::result::Result<T, Reason>;

impl Lower<'_> {
    /// A primitive on `bool`s.
    pub(super) fn map_bool(&self, op: P, [a, b, c]: [Val; 3]) -> Result<Val> {
        let ir = &self.b;
        let not = |v| ir.unary(Unary::Not, v);
        Ok(match op {
            P::Add | P::Or | P::Maximum => ir.or(a, b),
            P::Mul | P::And | P::Minimum => ir.and(a, b),
            P::Sub | P::Xor | P::Ne => ir.xor(a, b),
            P::Eq => not(ir.xor(a, b)),
            P::Lt => ir.and(not(a), b),
            P::Gt => ir.and(a, not(b)),
            P::Le => ir.or(not(a), b),
            P::Ge => ir.or(a, not(b)),
            P::Not => not(a),
            P::Pow => ir.or(a, not(b)),
            P::Fma => ir.or(ir.and(a, b), c),
            P::Neg | P::Abs | P::Sign | P::Div | P::FloorDiv => a,
            P::Remainder | P::Fmod => ir.bool(false),
            _ => return Err(format!("{op} of bool")),
        })
    }

    /// A primitive on 64-bit integers: in 32 bits where the operands and the result are known to fit.
    pub(super) fn map_wide(&mut self, op: P, args: &[Value]) -> Result<(Val, Option<Range>)> {
        let vals = args.iter().map(|&v| self.value(v)).collect::<Result<Vec<Val>>>()?;
        let ranges: Vec<Option<Range>> = args.iter().map(|&v| self.ranges[v]).collect();
        let range = ranges.iter().copied().collect::<Option<Vec<Range>>>().and_then(|ranges| range_of(op, &ranges));
        let all_short = vals.iter().all(|&v| self.b.ty(v) == Ty::I32);
        let gives_bool = op.result() == fx::prim::Result::Bool;
        let in_short = all_short && (gives_bool || range.is_some_and(is_short));
        let ty = if in_short { Ty::I32 } else { self.wide()? };
        let dtype = if in_short { DType::I32 } else { DType::I64 };
        let vals: Vec<Val> = vals.into_iter().map(|v| self.b.cast(ty, v)).collect();
        let value = self.map_int(op, dtype, operands(&vals))?;
        Ok((value, range.filter(|&range| in_short && is_short(range))))
    }

    /// A choice between 64-bit integers.
    pub(super) fn choose_wide(&mut self, cond: Val, args: [Value; 2]) -> Result<(Val, Option<Range>)> {
        let [a, b] = [self.value(args[0])?, self.value(args[1])?];
        let range = self.ranges[args[0]].zip(self.ranges[args[1]]).map(|(a, b)| a.union(b));
        let short = self.b.ty(a) == Ty::I32 && self.b.ty(b) == Ty::I32;
        let ty = if short { Ty::I32 } else { self.wide()? };
        let [a, b] = [a, b].map(|v| self.b.cast(ty, v));
        Ok((self.b.select(cond, a, b), range.or(short.then_some(NARROWED)).filter(|_| short)))
    }

    /// A primitive on integers in a register of their dtype.
    pub(super) fn map_int(&mut self, op: P, dtype: DType, [a, b, c]: [Val; 3]) -> Result<Val> {
        let ir = &self.b;
        let zero = ir.like(a, 0.0);
        let value = match op {
            P::Neg => ir.sub(zero, a),
            P::Abs => ir.select(ir.lt(a, zero), ir.sub(zero, a), a),
            P::Sign => {
                let negative = ir.select(ir.lt(a, zero), ir.like(a, -1.0), zero);
                ir.select(ir.gt(a, zero), ir.like(a, 1.0), negative)
            }
            P::Add => ir.add(a, b),
            P::Sub => ir.sub(a, b),
            P::Mul => ir.mul(a, b),
            P::Fma => ir.add(ir.mul(a, b), c),
            P::Div => self.quotient(a, b),
            P::FloorDiv => {
                let quotient = self.quotient(a, b);
                let rest = ir.sub(a, ir.mul(quotient, b));
                ir.select(self.wants_floor(rest, b), ir.sub(quotient, ir.like(a, 1.0)), quotient)
            }
            P::Remainder => {
                let rest = self.rest(a, b);
                ir.select(self.wants_floor(rest, b), ir.add(rest, b), rest)
            }
            P::Fmod => self.rest(a, b),
            P::Maximum => ir.max(a, b),
            P::Minimum => ir.min(a, b),
            P::Pow => self.power(a, b),
            P::Eq | P::Ne | P::Lt | P::Le | P::Gt | P::Ge => return Ok(ir.binary(comparison(op), a, b)),
            P::And => ir.and(a, b),
            P::Or => ir.or(a, b),
            P::Xor => ir.xor(a, b),
            P::Not => ir.unary(Unary::Not, a),
            P::Shl | P::Shr => self.shift(op, dtype, a, b),
            P::Floor | P::Ceil | P::Trunc | P::Round => a,
            P::Signbit => return Ok(ir.lt(a, zero)),
            P::IsNan | P::IsInf => return Ok(ir.bool(false)),
            _ => return Err(format!("{op} of {dtype}")),
        };
        Ok(self.normalised(dtype, value))
    }

    /// Truncating; by −1 a negation, by 0 anything.
    fn quotient(&self, a: Val, b: Val) -> Val {
        self.b.div(a, b)
    }

    fn rest(&self, a: Val, b: Val) -> Val {
        self.b.sub(a, self.b.mul(self.b.div(a, b), b))
    }

    /// 0, or the sign in every bit, where the amount is not within the width.
    fn shift(&self, op: P, dtype: DType, a: Val, by: Val) -> Val {
        let ir = &self.b;
        let (zero, width) = (ir.like(a, 0.0), 8.0 * dtype.size() as f64);
        let inside = ir.and(ir.ge(by, zero), ir.lt(by, ir.like(by, width)));
        if op == P::Shl {
            return ir.select(inside, ir.shl(a, ir.select(inside, by, zero)), zero);
        }
        // An unsigned number is kept in a wider register, whose sign bit is 0.
        let most = if dtype.is_signed() { width - 1.0 } else { width };
        ir.shr(a, ir.select(inside, by, ir.like(by, most)))
    }

    /// By squaring; negative exponents give 0 but for bases ±1.
    fn power(&self, base: Val, exponent: Val) -> Val {
        let ir = &self.b;
        let (zero, one) = (ir.like(base, 0.0), ir.like(base, 1.0));
        let [result, square, left] = [one, base, ir.max(exponent, zero)].map(|v| ir.var_with(v));
        ir.open();
        let cond = ir.gt(ir.get(left), zero);
        let head = ir.close();
        ir.open();
        let (r, s, e) = (ir.get(result), ir.get(square), ir.get(left));
        let is_odd = ir.ne(ir.and(e, one), zero);
        ir.set(result, ir.select(is_odd, ir.mul(r, s), r));
        ir.set(square, ir.mul(s, s));
        ir.set(left, ir.shr(e, one));
        let body = ir.close();
        ir.push(Stmt::While { head, cond, body });
        let power = ir.get(result);
        let is_odd = ir.ne(ir.and(exponent, one), zero);
        let minus = ir.like(base, -1.0);
        let of_minus = ir.select(is_odd, minus, one);
        let inverse = ir.select(ir.eq(base, minus), of_minus, zero);
        let inverse = ir.select(ir.eq(base, one), one, inverse);
        ir.select(ir.lt(exponent, zero), inverse, power)
    }
}

/// Three operands, of which those that are missing repeat the last.
pub(super) fn operands(vals: &[Val]) -> [Val; 3] {
    [0, 1, 2].map(|i: usize| vals[i.min(vals.len() - 1)])
}

/// The comparison of a primitive that is one.
pub(super) fn comparison(op: P) -> Binary {
    match op {
        P::Ne => Binary::Ne,
        P::Lt => Binary::Lt,
        P::Le => Binary::Le,
        P::Gt => Binary::Gt,
        P::Ge => Binary::Ge,
        _ => Binary::Eq,
    }
}

/// The range of a primitive's result, if one follows from those of its operands.
pub(super) fn range_of(op: P, ranges: &[Range]) -> Option<Range> {
    let a = ranges[0];
    let b = ranges.get(1).copied().unwrap_or(a);
    let minus = Range::point(-1);
    Some(match op {
        P::Neg => a * minus,
        P::Abs => (a * minus).max(a),
        P::Sign => Range::new(-1, 1),
        P::Add => a + b,
        P::Sub => a + b * minus,
        P::Mul => a * b,
        P::Fma => a * b + *ranges.get(2)?,
        P::Maximum => a.max(b),
        P::Minimum => a.min(b),
        P::FloorDiv if b.lo > 0 => a.floor_div(b),
        P::Div if a.lo >= 0 && b.lo > 0 => a.floor_div(b),
        P::Remainder if b.lo > 0 => a.modulo(b),
        P::And if a.lo >= 0 || b.lo >= 0 => Range::new(
            0,
            if a.lo < 0 {
                b.hi
            } else if b.lo < 0 {
                a.hi
            } else {
                a.hi.min(b.hi)
            },
        ),
        _ => return None,
    })
}
