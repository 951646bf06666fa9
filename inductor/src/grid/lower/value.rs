//! Values: one `Let` of the loop IR each.
//!
//! A value's register is that of its dtype ([`Lower::register`]), but for `int64`: where its range shows that it fits,
//! it is an `i32`. Ranges come from constants, index expressions (which the kernel's limits keep small), conversions
//! and what narrowed buffers promise.

use super::ranges::{NARROWED, SHORT, is_short, range_of_dtype};
use super::{Lower, Reason};
use crate::grid::{Ty, Val, WideFloats, eval};
use crate::loop_ir::{Op, Param, Value};
use fx::Scalar;
use symshapes::{DType, Expr, Range};

type Result<T = ()> = std::result::Result<T, Reason>;

impl Lower<'_> {
    /// The register type of a dtype.
    pub(super) fn register(&self, dtype: DType) -> Ty {
        match dtype {
            DType::Bool => Ty::Bool,
            DType::U8 | DType::I8 | DType::I16 | DType::I32 => Ty::I32,
            DType::I64 if self.caps.wide_ints => Ty::I64,
            DType::I64 => Ty::I32,
            DType::F16 | DType::BF16 => Ty::U32,
            DType::F64 if self.caps.wide_floats == WideFloats::Native => Ty::F64,
            DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ty::F32,
        }
    }

    /// The register of a value that is in scope.
    pub(super) fn value(&self, value: Value) -> Result<Val> {
        self.values[value].ok_or_else(|| format!("{value} has no register"))
    }

    /// Computes a value here.
    pub(super) fn let_(&mut self, value: Value) -> Result {
        let data = &self.kernel.values[value];
        let (val, range) = match &data.op {
            Op::Const(scalar) => self.constant(data.dtype, *scalar)?,
            Op::Index(e) => self.index_as_value(*e)?,
            Op::Bind(sym, bound) => {
                let val = self.value(*bound)?;
                let short = self.b.cast(Ty::I32, val);
                self.syms.insert(*sym, short);
                (val, self.ranges[*bound])
            }
            Op::Load { param, index, mask } => match (self.lane_of(value), self.of_square(value)) {
                (Some(lane), _) => self.in_row(value, |this| Ok((this.loaded(data.dtype, lane), None)))?,
                (None, Some(element)) => (element, None),
                (None, None) => self.in_row(value, |this| this.load_value(*param, *index, *mask))?,
            },
            Op::Map(op, args) => self.map(*op, args)?,
            Op::Convert(from) => self.convert_value(*from, data.dtype)?,
            Op::Bitcast(from) => (self.bitcast(*from, data.dtype)?, None),
            Op::Reduced(acc) => self.result(*acc)?,
        };
        self.values[value] = Some(val);
        self.ranges[value] = range.filter(|_| data.dtype == DType::I64);
        Ok(())
    }

    fn constant(&self, dtype: DType, scalar: Scalar) -> Result<(Val, Option<Range>)> {
        let scalar = scalar.round_to(dtype);
        match (dtype, scalar) {
            (DType::I64, scalar) => {
                let range = Range::point(scalar.as_i64());
                let ty = if is_short(range) { Ty::I32 } else { self.wide()? };
                Ok((self.b.constant(ty, eval::int_bits(ty, scalar.as_i64())), Some(range)))
            }
            (_, Scalar::Int(i)) => {
                let ty = self.register(dtype);
                Ok((self.b.constant(ty, eval::int_bits(ty, i)), None))
            }
            (_, Scalar::Float(x)) => Ok((self.b.number(self.register(dtype), x), None)),
        }
    }

    /// The type of 64-bit integers, if the device has it.
    pub(super) fn wide(&self) -> Result<Ty> {
        if self.caps.wide_ints { Ok(Ty::I64) } else { Err("arithmetic on 64-bit integers".to_owned()) }
    }

    fn index_as_value(&mut self, e: Expr) -> Result<(Val, Option<Range>)> {
        let val = self.exact(e)?;
        let known = self.pool.range(e);
        Ok((val, Some(if is_short(known) { known } else { NARROWED })))
    }

    fn load_value(&mut self, param: Param, e: Expr, mask: Option<Value>) -> Result<(Val, Option<Range>)> {
        let dtype = self.kernel.params[param].dtype;
        let val = match mask {
            None => {
                let index = self.element(param, e)?;
                self.load(param, index)?
            }
            Some(mask) => {
                let mask = self.value(mask)?;
                // A register of another type than its dtype's comes from narrowed memory alone, and is an `i32` too.
                let zero = self.b.number(self.register(dtype), 0.0);
                let var = self.b.var_with(zero);
                self.if_(mask, |this| {
                    let index = this.element(param, e)?;
                    let val = this.load(param, index)?;
                    this.b.set(var, val);
                    Ok(())
                })?;
                self.b.get(var)
            }
        };
        let narrowed = dtype == DType::I64 && self.b.ty(val) == Ty::I32;
        let range = if self.is_scratch(param) { SHORT } else { NARROWED };
        Ok((val, narrowed.then_some(range)))
    }

    fn is_scratch(&self, param: Param) -> bool {
        self.kernel.params[param].role == crate::loop_ir::Role::Scratch
    }

    fn convert_value(&mut self, from: Value, to: DType) -> Result<(Val, Option<Range>)> {
        let dtype = self.kernel.values[from].dtype;
        let val = self.value(from)?;
        if to != DType::I64 {
            return Ok((self.convert(val, dtype, to)?, None));
        }
        if dtype == DType::I64 {
            return Ok((val, self.ranges[from]));
        }
        let Some(range) = range_of_dtype(dtype) else {
            let wide = self.wide()?;
            let number = self.convert(val, dtype, dtype.compute())?;
            return Ok((self.b.cast(wide, number), None));
        };
        Ok((self.b.cast(Ty::I32, val), Some(range)))
    }
}
