//! The reference interpreter of loop IR: one scalar at a time, slow and obvious; the oracle of every backend.
//!
//! - Values are rounded to their dtype after each step; primitives compute as [`fx_interp::scalar`] has them.
//! - Sums and products of floats accumulate in `float64` and are rounded to the accumulator's dtype once.
//! - Whether a loop is a vector loop makes no difference.
//! - Every access is checked; an unmasked one outside its buffer is an error, as is reading an element of an `Out`
//!   buffer before it was written, or one of a scratch buffer before it was written in the same parallel iteration.

use cranelift_entity::SecondaryMap;
use fx::{
    prim::{Pointwise, Reduction},
    scalar::convert,
};
use fx_interp::scalar::pointwise;
use half::{bf16, f16};
use inductor::loop_ir::{Acc, Axis, Kernel, Loop, Op, Param, Role, Scalar, Stmt, StoreMode, Value};
use rustc_hash::FxHashMap;
use symshapes::{DType, Expr, Sym};

/// A run of elements of one type, with the very bytes that compiled code sees.
///
/// The memory is aligned to 8 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    dtype: DType,
    len: usize,
    /// The bytes in memory order, eight to a word; those after the last element are 0.
    words: Vec<u64>,
}

impl Buffer {
    /// A buffer of zeros. Complex dtypes have no buffers.
    pub fn zeroed(dtype: DType, len: usize) -> Buffer {
        debug_assert!(dtype.size() <= 8, "kernels know no {dtype}");
        Buffer { dtype, len, words: vec![0; (len * dtype.size()).div_ceil(8)] }
    }

    /// A buffer of these elements, each rounded to `dtype`.
    pub fn from_scalars(dtype: DType, elements: &[Scalar]) -> Buffer {
        let mut buffer = Buffer::zeroed(dtype, elements.len());
        elements.iter().enumerate().for_each(|(i, &x)| buffer.set(i, x));
        buffer
    }

    /// A buffer of `len` elements with these bytes in memory order; those beyond the last element do not matter.
    pub fn from_bytes(dtype: DType, len: usize, bytes: &[u8]) -> Buffer {
        let mut buffer = Buffer::zeroed(dtype, len);
        let size = dtype.size();
        for (i, element) in bytes.chunks_exact(size).take(len).enumerate() {
            let mut word = [0; 8];
            word[..size].copy_from_slice(element);
            buffer.set_bits(i, u64::from_le_bytes(word));
        }
        buffer
    }

    /// The bytes in memory order.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.truncate(self.len * self.dtype.size());
        bytes
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Every element.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.len).map(|i| self.get(i))
    }

    /// An element; `i` is below `len`.
    pub fn get(&self, i: usize) -> Scalar {
        decode(self.dtype, self.bits(i))
    }

    /// Writes an element, rounded to the dtype; `i` is below `len`.
    pub fn set(&mut self, i: usize, value: Scalar) {
        self.set_bits(i, encode(self.dtype, value));
    }

    /// The bits of an element, zero-extended.
    pub fn bits(&self, i: usize) -> u64 {
        assert!(i < self.len, "element {i} of {}", self.len);
        let (word, shift, mask) = self.place(i);
        (u64::from_le(self.words[word]) >> shift) & mask
    }

    /// Writes the bits of an element; those beyond its width are dropped.
    pub fn set_bits(&mut self, i: usize, bits: u64) {
        assert!(i < self.len, "element {i} of {}", self.len);
        let (word, shift, mask) = self.place(i);
        let old = u64::from_le(self.words[word]);
        self.words[word] = ((old & !(mask << shift)) | ((bits & mask) << shift)).to_le();
    }

    /// The address of the first element.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast()
    }

    /// The word of an element, its first bit there, and the mask of its width.
    fn place(&self, i: usize) -> (usize, usize, u64) {
        let size = self.dtype.size();
        (i * size / 8, i * size % 8 * 8, u64::MAX >> (64 - 8 * size))
    }
}

/// True if two elements of a buffer are equal, floats within `ulps` units in the last place of the larger of them
/// and 1. NaN is equal to NaN.
pub fn agree(dtype: DType, a: Scalar, b: Scalar, ulps: f64) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => {
            let digits = match dtype {
                DType::F16 => 10,
                DType::BF16 => 7,
                DType::F32 => 23,
                _ => 52,
            };
            let scale = a.abs().max(b.abs()).max(1.0) * 2f64.powi(-digits);
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= ulps * scale
        }
        (a, b) => a == b,
    }
}

/// The value with these bits.
pub(crate) fn decode(dtype: DType, bits: u64) -> Scalar {
    match dtype {
        DType::Bool => Scalar::Int((bits as u8 != 0).into()),
        DType::U8 => Scalar::Int((bits as u8).into()),
        DType::I8 => Scalar::Int((bits as i8).into()),
        DType::I16 => Scalar::Int((bits as i16).into()),
        DType::I32 => Scalar::Int((bits as i32).into()),
        DType::I64 => Scalar::Int(bits as i64),
        DType::F16 => Scalar::Float(f16::from_bits(bits as u16).to_f64()),
        DType::BF16 => Scalar::Float(bf16::from_bits(bits as u16).to_f64()),
        DType::F32 => Scalar::Float(f32::from_bits(bits as u32).into()),
        DType::F64 | DType::C64 | DType::C128 => Scalar::Float(f64::from_bits(bits)),
    }
}

/// The bits of the value in `dtype`.
pub(crate) fn encode(dtype: DType, value: Scalar) -> u64 {
    let value = value.round_to(dtype);
    match dtype {
        DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => value.as_i64() as u64,
        DType::F16 => f16::from_f64(value.as_f64()).to_bits().into(),
        DType::BF16 => bf16::from_f64(value.as_f64()).to_bits().into(),
        DType::F32 => (value.as_f64() as f32).to_bits().into(),
        DType::F64 | DType::C64 | DType::C128 => value.as_f64().to_bits(),
    }
}

/// The reason why a kernel could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// The call has too few or too many buffers.
    #[error("{got} buffers for {want} params")]
    Count {
        /// The params that take a buffer.
        want: usize,
        /// The buffers given.
        got: usize,
    },
    /// The call has too few or too many sizes.
    #[error("{got} sizes, not {want}")]
    Sizes {
        /// The kernel's sizes.
        want: usize,
        /// The values given.
        got: usize,
    },
    /// A buffer with another dtype or fewer elements than its param.
    #[error("{param}: the buffer does not fit")]
    Mismatch {
        /// The param.
        param: Param,
    },
    /// An access outside a buffer.
    #[error("{param}: index {index} of {len}")]
    Bounds {
        /// The param.
        param: Param,
        /// The index.
        index: i64,
        /// The param's length.
        len: i64,
    },
    /// An index expression without a value.
    #[error("{param}: an index without a value")]
    Index {
        /// The param.
        param: Param,
    },
    /// A position or [`Op::Index`] without a value.
    #[error("an index expression without a value")]
    Expr,
    /// An element read before it was written.
    #[error("{param}: element {index} is read before it is written")]
    Unwritten {
        /// The param.
        param: Param,
        /// The index.
        index: i64,
    },
    /// A value used before its definition.
    #[error("{0} is not defined")]
    Undefined(Value),
    /// An accumulator used outside of its loop, or without an element where one is needed.
    #[error("{0} has no value")]
    NoElement(Acc),
}

type Result<T = ()> = std::result::Result<T, InterpError>;

/// Runs a kernel on `buffers`, one for each param other than scratch, in order, with these values of its sizes.
///
/// # Errors
/// Those of [`InterpError`]. Buffers may have been written by then.
pub fn run(kernel: &Kernel, sizes: &[i64], buffers: &mut [Buffer]) -> Result {
    let mut machine = Machine::new(kernel, sizes, buffers)?;
    machine.loop_(&kernel.root, true)
}

/// The state of a run.
struct Machine<'a> {
    kernel: &'a Kernel,
    buffers: &'a mut [Buffer],
    memory: SecondaryMap<Param, Memory>,
    values: SecondaryMap<Value, Option<Scalar>>,
    symbols: FxHashMap<Sym, i64>,
    accs: SecondaryMap<Acc, Running>,
}

/// The place of a param's elements, and which of them were written.
#[derive(Clone, Default)]
struct Memory {
    /// The number of the caller's buffer, if it is one.
    argument: Option<usize>,
    /// The elements of a scratch.
    scratch: Vec<Scalar>,
    /// The written flag of each element, for params that must be written first.
    written: Option<Vec<bool>>,
}

/// An accumulator while its loop runs.
#[derive(Clone, Copy, Default)]
struct Running {
    /// The best element or the total so far.
    total: Option<Scalar>,
    /// The best element's position.
    position: i64,
}

impl<'a> Machine<'a> {
    fn new(kernel: &'a Kernel, sizes: &[i64], buffers: &'a mut [Buffer]) -> Result<Machine<'a>> {
        if kernel.sizes.len() != sizes.len() {
            return Err(InterpError::Sizes { want: kernel.sizes.len(), got: sizes.len() });
        }
        let want = kernel.arguments().count();
        if buffers.len() != want {
            return Err(InterpError::Count { want, got: buffers.len() });
        }
        let mut memory: SecondaryMap<Param, Memory> = SecondaryMap::new();
        for (i, (param, data)) in kernel.arguments().enumerate() {
            let len = kernel.size(data.len, sizes).ok_or(InterpError::Mismatch { param })?;
            if buffers[i].dtype() != data.dtype || (buffers[i].len() as i64) < len {
                return Err(InterpError::Mismatch { param });
            }
            let written = (data.role == Role::Out).then(|| vec![false; len.max(0) as usize]);
            memory[param] = Memory { argument: Some(i), scratch: Vec::new(), written };
        }
        Ok(Machine {
            kernel,
            buffers,
            memory,
            values: SecondaryMap::new(),
            symbols: kernel.sizes.iter().copied().zip(sizes.iter().copied()).collect(),
            accs: SecondaryMap::new(),
        })
    }

    /// The value of an expression of sizes, 0 if it has none.
    fn size(&self, e: Expr) -> i64 {
        self.kernel.exprs.eval(e, &|sym| self.symbols.get(&sym).copied()).unwrap_or(0).max(0)
    }

    fn loop_(&mut self, l: &Loop, parallel: bool) -> Result {
        for &acc in &l.accs {
            self.accs[acc] = Running { total: self.start(acc), position: 0 };
        }
        for i in 0..self.size(self.kernel.axes[l.axis].extent) {
            if parallel {
                self.forget_scratch();
            }
            self.enter(l.axis, i);
            l.body.iter().try_for_each(|stmt| self.stmt(stmt))?;
        }
        Ok(())
    }

    fn enter(&mut self, axis: Axis, i: i64) {
        self.symbols.insert(self.kernel.axes[axis].sym, i);
    }

    fn forget_scratch(&mut self) {
        for (param, data) in self.kernel.params.iter().filter(|(_, data)| data.role == Role::Scratch) {
            let len = self.size(data.len) as usize;
            let scratch = vec![Scalar::zero(data.dtype); len];
            self.memory[param] = Memory { argument: None, scratch, written: Some(vec![false; len]) };
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result {
        match stmt {
            Stmt::Let(value) => {
                let data = &self.kernel.values[*value];
                self.values[*value] = Some(self.op(&data.op, data.dtype)?.round_to(data.dtype));
                Ok(())
            }
            Stmt::Loop(inner) => self.loop_(inner, false),
            Stmt::Store { param, index, value, mask, mode } => {
                let value = self.value(*value)?;
                if !self.passes(*mask)? {
                    return Ok(());
                }
                let index = self.element(*param, *index)?;
                self.store(*param, index, value, *mode)
            }
            Stmt::Accumulate { acc, value, position } => {
                let value = self.value(*value)?;
                let position = position.map_or(Ok(0), |e| self.index(e, InterpError::Expr))?;
                self.accumulate(*acc, value, position)
            }
        }
    }

    fn op(&mut self, op: &Op, dtype: DType) -> Result<Scalar> {
        match op {
            Op::Const(scalar) => Ok(*scalar),
            Op::Index(e) => self.index(*e, InterpError::Expr).map(Scalar::Int),
            Op::Bind(sym, value) => {
                let value = self.value(*value)?;
                self.symbols.insert(*sym, value.as_i64());
                Ok(value)
            }
            Op::Load { mask, .. } if !self.passes(*mask)? => Ok(Scalar::zero(dtype)),
            Op::Load { param, index, .. } => {
                let index = self.element(*param, *index)?;
                self.load(*param, index)
            }
            Op::Map(op, args) => {
                let values = args.iter().map(|&v| self.value(v)).collect::<Result<Vec<Scalar>>>()?;
                let operand = args.last().map_or(dtype, |&v| self.kernel.values[v].dtype);
                Ok(pointwise(*op, operand, &values))
            }
            Op::Convert(v) => Ok(convert(self.value(*v)?, self.kernel.values[*v].dtype, dtype)),
            Op::Bitcast(v) => Ok(decode(dtype, encode(self.kernel.values[*v].dtype, self.value(*v)?))),
            Op::Reduced(acc) => self.reduced(*acc),
        }
    }

    fn value(&self, value: Value) -> Result<Scalar> {
        self.values[value].ok_or(InterpError::Undefined(value))
    }

    fn passes(&self, mask: Option<Value>) -> Result<bool> {
        mask.map_or(Ok(true), |mask| self.value(mask).map(Scalar::as_bool))
    }

    fn index(&self, e: Expr, error: InterpError) -> Result<i64> {
        self.kernel.exprs.eval(e, &|sym| self.symbols.get(&sym).copied()).ok_or(error)
    }

    /// The index of an element, within its param.
    fn element(&self, param: Param, e: Expr) -> Result<usize> {
        let index = self.index(e, InterpError::Index { param })?;
        let len = self.size(self.kernel.params[param].len);
        if (0..len).contains(&index) { Ok(index as usize) } else { Err(InterpError::Bounds { param, index, len }) }
    }

    fn load(&self, param: Param, index: usize) -> Result<Scalar> {
        let memory = &self.memory[param];
        if memory.written.as_ref().is_some_and(|written| !written[index]) {
            return Err(InterpError::Unwritten { param, index: index as i64 });
        }
        Ok(memory.argument.map_or_else(|| memory.scratch[index], |i| self.buffers[i].get(index)))
    }

    fn store(&mut self, param: Param, index: usize, value: Scalar, mode: StoreMode) -> Result {
        let dtype = self.kernel.params[param].dtype;
        let value = match mode {
            StoreMode::Set => value,
            StoreMode::Add => pointwise(Pointwise::Add, dtype, &[self.load(param, index)?, value]),
        };
        let memory = &mut self.memory[param];
        if let Some(written) = &mut memory.written {
            written[index] = true;
        }
        match memory.argument {
            Some(i) => self.buffers[i].set(index, value),
            None => memory.scratch[index] = value.round_to(dtype),
        }
        Ok(())
    }

    /// The initial value of an accumulator; `None` for those that need a first element.
    fn start(&self, acc: Acc) -> Option<Scalar> {
        let data = &self.kernel.accs[acc];
        let number = |i: i64| if data.dtype.is_float() { Scalar::Float(i as f64) } else { Scalar::Int(i) };
        match data.kind {
            Reduction::Sum | Reduction::Any => Some(number(0)),
            Reduction::Prod | Reduction::All => Some(number(1)),
            Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin => None,
        }
    }

    fn accumulate(&mut self, acc: Acc, value: Scalar, position: i64) -> Result {
        let data = &self.kernel.accs[acc];
        let running = self.accs[acc];
        self.accs[acc] = match (data.kind, running.total) {
            (Reduction::ArgMax | Reduction::ArgMin, Some(best)) => {
                let better = beats(data.kind, (value, position), (best, running.position));
                if better { Running { total: Some(value), position } } else { running }
            }
            (_, None) => Running { total: Some(value), position },
            (kind, Some(total)) => Running { total: Some(combine(kind, data.dtype, total, value)), position },
        };
        Ok(())
    }

    fn reduced(&self, acc: Acc) -> Result<Scalar> {
        let running = self.accs[acc];
        let total = running.total.ok_or(InterpError::NoElement(acc))?;
        Ok(match self.kernel.accs[acc].kind {
            Reduction::ArgMax | Reduction::ArgMin => Scalar::Int(running.position),
            _ => total,
        })
    }
}

/// The total with one more element; wide, to be rounded when it is final.
fn combine(kind: Reduction, dtype: DType, total: Scalar, value: Scalar) -> Scalar {
    let wide = if dtype.is_float() { DType::F64 } else { DType::I64 };
    let op = match kind {
        Reduction::Sum => Pointwise::Add,
        Reduction::Prod => Pointwise::Mul,
        Reduction::Max | Reduction::ArgMax => Pointwise::Maximum,
        Reduction::Min | Reduction::ArgMin => Pointwise::Minimum,
        Reduction::Any => return (total.as_bool() || value.as_bool()).into(),
        Reduction::All => return (total.as_bool() && value.as_bool()).into(),
    };
    pointwise(op, wide, &[total, value])
}

/// True if the element `new` comes before `best` for `ArgMax` or `ArgMin`: NaN first, then the better, then the lower
/// position.
fn beats(kind: Reduction, new: (Scalar, i64), best: (Scalar, i64)) -> bool {
    let is_nan = |x: Scalar| matches!(x, Scalar::Float(x) if x.is_nan());
    let (a, b) = if kind == Reduction::ArgMax { (new.0, best.0) } else { (best.0, new.0) };
    let strictly = match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a > b,
        (a, b) => a.as_f64() > b.as_f64(),
    };
    match (is_nan(new.0), is_nan(best.0)) {
        (true, true) => new.1 < best.1,
        (true, false) => true,
        (false, true) => false,
        (false, false) => strictly || (new.0 == best.0 && new.1 < best.1),
    }
}
