//! Random operations on values, each within its domain.

use super::build::{Block, Builder};
use fx::prim::Pointwise as P;
use inductor::grid::FUNCTIONS;
use inductor::loop_ir::{Op, Role, Value};
use symshapes::{DType, DTypeClass};

/// Float primitives whose results are determined to the bit.
const EXACT: &[P] = &[
    P::Neg,
    P::Abs,
    P::Sign,
    P::Add,
    P::Sub,
    P::Mul,
    P::Div,
    P::Maximum,
    P::Minimum,
    P::Fma,
    P::Eq,
    P::Ne,
    P::Lt,
    P::Le,
    P::Gt,
    P::Ge,
    P::Where,
    P::Floor,
    P::Ceil,
    P::Trunc,
    P::Round,
    P::IsNan,
    P::IsInf,
    P::Signbit,
    P::Copysign,
    P::Sqrt,
];

/// Float primitives of which the last places may differ, beside the [functions](FUNCTIONS).
const INEXACT: &[P] = &[P::FloorDiv, P::Remainder, P::Rsqrt, P::Reciprocal, P::Sigmoid];

/// Integer primitives.
const INT: &[P] = &[
    P::Neg,
    P::Abs,
    P::Sign,
    P::Add,
    P::Sub,
    P::Mul,
    P::Div,
    P::FloorDiv,
    P::Remainder,
    P::Fmod,
    P::Maximum,
    P::Minimum,
    P::Pow,
    P::Eq,
    P::Ne,
    P::Lt,
    P::Le,
    P::Gt,
    P::Ge,
    P::Where,
    P::And,
    P::Or,
    P::Xor,
    P::Not,
    P::Shl,
    P::Shr,
];

/// Primitives on bool.
const BOOL: &[P] = &[P::Add, P::Mul, P::Eq, P::Ne, P::Where, P::And, P::Or, P::Xor, P::Not];

impl Builder<'_> {
    /// Computes some value from those of the block, and offers it to later steps.
    pub(super) fn step(&mut self, block: &mut Block) {
        let value = match self.rng.below(12) {
            0 => {
                let position = self.rng.pick(&block.axes).at;
                let size = if self.options.sizes > 0 && self.rng.one_in(3) { self.symbolic_extent() } else { None };
                self.let_(block, Op::Index(size.unwrap_or(position)), DType::I64)
            }
            1 => {
                let to = self.memory_dtype().compute();
                self.converted(block, to)
            }
            2 => self.bitcast(block),
            _ => self.primitive(block),
        };
        block.values.push(value);
    }

    fn primitive(&mut self, block: &mut Block) -> Value {
        let sample = self.rng.pick(&block.values);
        let dtype = self.dtype(sample);
        let op = match dtype.class() {
            DTypeClass::Bool => self.rng.pick(BOOL),
            DTypeClass::Int => self.rng.pick(INT),
            _ => self.rng.pick(EXACT),
        };
        self.apply(block, op, dtype)
    }

    /// A value of a primitive that is not correctly rounded, for a store.
    pub(super) fn inexact(&mut self, block: &mut Block) -> Value {
        let dtype =
            if self.options.dtypes.contains(&DType::F64) && self.rng.one_in(3) { DType::F64 } else { DType::F32 };
        let op = self.rng.pick(&[INEXACT, FUNCTIONS].concat());
        self.apply(block, op, dtype)
    }

    /// Applies a primitive to random operands that it is defined on.
    fn apply(&mut self, block: &mut Block, op: P, dtype: DType) -> Value {
        let mut args: Vec<Value> = (0..op.arity()).map(|_| self.operand(block, dtype)).collect();
        match op {
            P::Where => args[0] = self.operand(block, DType::Bool),
            P::Div | P::FloorDiv | P::Remainder | P::Fmod if !dtype.is_float() => {
                args[1] = self.low_bits(block, args[1], 7);
                let one = self.number(block, dtype, 1.0);
                args[1] = self.map(block, P::Or, &[args[1], one]);
            }
            P::Pow if !dtype.is_float() => args[1] = self.low_bits(block, args[1], 3),
            P::Signbit => args[0] = self.number_or_zero(block, args[0]),
            P::Copysign => args[1] = self.number_or_zero(block, args[1]),
            _ => {}
        }
        let value = self.map(block, op, &args);
        if matches!(op, P::Maximum | P::Minimum) { self.plus_zero(block, value) } else { value }
    }

    fn low_bits(&mut self, block: &mut Block, value: Value, mask: i64) -> Value {
        let dtype = self.dtype(value);
        let mask = self.number(block, dtype, mask as f64);
        self.map(block, P::And, &[value, mask])
    }

    /// The value, with one sign for zeros.
    pub(super) fn plus_zero(&mut self, block: &mut Block, value: Value) -> Value {
        let dtype = self.dtype(value);
        if !dtype.is_float() {
            return value;
        }
        let zero = self.number(block, dtype, 0.0);
        self.map(block, P::Add, &[value, zero])
    }

    /// The value of a float, with 0 for NaN.
    fn number_or_zero(&mut self, block: &mut Block, value: Value) -> Value {
        let dtype = self.dtype(value);
        let zero = self.number(block, dtype, 0.0);
        let ordered = self.map(block, P::Eq, &[value, value]);
        self.map(block, P::Where, &[ordered, value, zero])
    }

    /// A value of this dtype: one that is there, a constant, or another one converted.
    pub(super) fn operand(&mut self, block: &mut Block, dtype: DType) -> Value {
        let known: Vec<Value> = block.values.iter().copied().filter(|&v| self.dtype(v) == dtype).collect();
        match self.rng.below(8) {
            0 => {
                let least = if dtype.is_signed() { 0 } else { 2 };
                let numbers = [-3.0, -0.5, 0.0, 1.0, 2.5, 7.0, 100.0];
                let number = numbers[least + self.rng.below(numbers.len() - least)];
                self.number(block, dtype, if dtype == DType::Bool { f64::from(number > 1.0) } else { number })
            }
            1..7 if !known.is_empty() => self.rng.pick(&known),
            _ => self.converted(block, dtype),
        }
    }

    /// Some value, converted to this dtype.
    fn converted(&mut self, block: &mut Block, to: DType) -> Value {
        let value = self.rng.pick(&block.values);
        self.convert(block, value, to)
    }

    /// The value in another dtype, by way of a range that it has.
    pub(super) fn convert(&mut self, block: &mut Block, value: Value, to: DType) -> Value {
        let from = self.dtype(value);
        if from == to {
            return value;
        }
        let value = if from.is_float() && to.is_int() {
            let (least, finite) = (if to.is_signed() { -100.0 } else { 0.0 }, self.number_or_zero(block, value));
            self.clamp(block, finite, least, 100.0)
        } else if to.compute() != to && from != DType::F32 {
            self.convert(block, value, DType::F32)
        } else {
            value
        };
        self.let_(block, Op::Convert(value), to)
    }

    /// The value between two bounds; NaN stays.
    pub(super) fn clamp(&mut self, block: &mut Block, value: Value, least: f64, most: f64) -> Value {
        let dtype = self.dtype(value);
        let (least, most) = (self.number(block, dtype, least), self.number(block, dtype, most));
        let value = self.map(block, P::Maximum, &[value, least]);
        self.map(block, P::Minimum, &[value, most])
    }

    /// The bits of a value as another type of its width.
    fn bitcast(&mut self, block: &mut Block) -> Value {
        let value = self.rng.pick(&block.values);
        let to = match self.dtype(value) {
            DType::F32 => DType::I32,
            DType::I32 => DType::F32,
            DType::F64 => DType::I64,
            DType::I64 => DType::F64,
            DType::U8 => DType::I8,
            DType::I8 => DType::U8,
            _ => return self.primitive(block),
        };
        let value = if self.dtype(value).is_float() { self.number_or_zero(block, value) } else { value };
        self.let_(block, Op::Bitcast(value), to)
    }

    /// Stores a value in a new output, perhaps in another dtype, perhaps not everywhere.
    pub(super) fn output(&mut self, block: &mut Block) {
        let exact = !self.options.inexact || self.rng.one_in(2);
        let (value, dtype) = if exact {
            (self.rng.pick(&block.values), self.memory_dtype())
        } else {
            let value = self.inexact(block);
            let narrow: Vec<DType> = self.options.dtypes.iter().copied().filter(|d| d.compute() != *d).collect();
            let dtype = self.dtype(value);
            let narrows = dtype == DType::F32 && !narrow.is_empty() && self.rng.one_in(4);
            (value, if narrows { self.rng.pick(&narrow) } else { dtype })
        };
        let value = self.convert(block, value, dtype);
        let mask = if self.rng.one_in(8) { Some(self.operand(block, DType::Bool)) } else { None };
        let (index, len) = self.write_layout(&block.axes);
        let param = self.param(dtype, len, Role::Out);
        self.store(block, (param, index), value, mask);
    }

    /// Changes the elements of a new buffer in place.
    pub(super) fn update(&mut self, block: &mut Block) {
        let (dtype, (index, len)) = (self.memory_dtype(), self.write_layout(&block.axes));
        let param = self.param(dtype, len, Role::InOut);
        let old = self.load_from(block, param, index, None);
        block.values.push(old);
        self.step(block);
        let value = self.rng.pick(&block.values);
        let value = self.convert(block, value, dtype);
        self.store(block, (param, index), value, None);
    }
}
