//! Building kernels: arenas, blocks and random memory accesses.

use super::GenOptions;
use crate::rng::Rng;
use cranelift_entity::PrimaryMap;
use fx::prim::{Pointwise, Reduction};
use inductor::loop_ir::{
    Acc, AccData, Axis, AxisData, Kernel, Loop, Op, Param, ParamData, Role, Scalar, Stmt, StoreMode, Value, ValueData,
};
use symshapes::{DType, Expr, Pool, Range, Sym};

/// Ranges of sizes: with and without 0 and 1, bounded or not.
const RANGES: &[Range] =
    &[Range::new(0, i64::MAX), Range::new(1, i64::MAX), Range::new(2, i64::MAX), Range::new(0, 64), Range::new(2, 512)];

/// A loop variable, or a digit of one: an index expression that takes the values below an extent.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) at: Expr,
    pub(super) extent: Expr,
}

/// A block being written.
#[derive(Default)]
pub(super) struct Block {
    /// The positions of the enclosing loops, from outside in.
    pub(super) axes: Vec<Position>,
    /// Values that later steps may use; none of a half type.
    pub(super) values: Vec<Value>,
    /// The statements written so far.
    pub(super) stmts: Vec<Stmt>,
}

impl Block {
    /// An empty block of a loop inside of this one.
    pub(super) fn inside(&self, axis: Position) -> Block {
        let axes = self.axes.iter().copied().chain([axis]).collect();
        Block { axes, values: self.values.clone(), stmts: Vec::new() }
    }
}

/// The kernel being written.
pub(super) struct Builder<'a> {
    pub(super) rng: Rng,
    pub(super) options: &'a GenOptions,
    pub(super) exprs: Pool,
    sizes: Vec<Sym>,
    params: PrimaryMap<Param, ParamData>,
    axes: PrimaryMap<Axis, AxisData>,
    values: PrimaryMap<Value, ValueData>,
    accs: PrimaryMap<Acc, AccData>,
    bound: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(seed: u64, options: &'a GenOptions) -> Builder<'a> {
        let (mut rng, mut exprs) = (Rng::new(seed), Pool::new());
        let count = if options.sizes == 0 { 0 } else { rng.between(1, options.sizes as i64) };
        let sizes = (0..count).map(|i| exprs.symbol(&format!("s{i}"), rng.pick(RANGES))).collect();
        Builder {
            rng,
            options,
            exprs,
            sizes,
            params: PrimaryMap::new(),
            axes: PrimaryMap::new(),
            values: PrimaryMap::new(),
            accs: PrimaryMap::new(),
            bound: 0,
        }
    }

    pub(super) fn finish(self, name: String, root: Loop) -> Kernel {
        let Builder { exprs, sizes, params, axes, values, accs, .. } = self;
        Kernel { name, exprs, sizes, params, axes, values, accs, root }
    }

    /// Some size, if there are any.
    pub(super) fn size(&mut self) -> Option<Expr> {
        let sym = (!self.sizes.is_empty()).then(|| self.rng.pick(&self.sizes))?;
        Some(self.exprs.sym(sym))
    }

    /// Some size that is never 0.
    fn divisor(&mut self) -> Option<Expr> {
        self.size().filter(|&size| self.exprs.range(size).lo >= 1)
    }

    /// An expression of sizes that is not negative: a size, a multiple, a sum, a product, or a part of one.
    pub(super) fn symbolic_extent(&mut self) -> Option<Expr> {
        let size = self.size()?;
        let (factor, amount) = (self.rng.pick(&[2, 3, 8, 12, 16]), self.rng.between(1, 3));
        Some(match self.rng.below(10) {
            0 | 1 => self.exprs.mul_int(size, factor),
            2 => self.exprs.add_int(size, amount),
            3 if self.exprs.range(size).lo >= amount => self.exprs.add_int(size, -amount),
            4 => {
                let other = self.size()?;
                self.exprs.mul(size, other)
            }
            5 => {
                let (more, two) = (self.exprs.add_int(size, 1), self.exprs.int(2));
                self.exprs.floor_div(more, two)
            }
            _ => size,
        })
    }

    pub(super) fn axis(&mut self, extent: Expr) -> Axis {
        let sym = self.exprs.position(&self.axes.next_key().to_string(), extent);
        self.axes.push(AxisData { sym, extent })
    }

    pub(super) fn position(&mut self, axis: Axis) -> Position {
        let AxisData { sym, extent } = self.axes[axis];
        Position { at: self.exprs.sym(sym), extent }
    }

    pub(super) fn acc(&mut self, kind: Reduction, dtype: DType) -> Acc {
        self.accs.push(AccData { kind, dtype })
    }

    pub(super) fn acc_data(&self, acc: Acc) -> &AccData {
        &self.accs[acc]
    }

    pub(super) fn param(&mut self, dtype: DType, len: Expr, role: Role) -> Param {
        let len = if self.exprs.range(len).lo < 0 { self.exprs.max(len, Expr::ZERO) } else { len };
        self.params.push(ParamData { dtype, len, role })
    }

    pub(super) fn dtype(&self, value: Value) -> DType {
        self.values[value].dtype
    }

    /// A type for a buffer.
    pub(super) fn memory_dtype(&mut self) -> DType {
        self.rng.pick(&self.options.dtypes)
    }

    /// True if indices may be loaded.
    pub(super) fn loads_indices(&self) -> bool {
        self.options.indirect && self.options.dtypes.contains(&DType::I64)
    }

    pub(super) fn let_(&mut self, block: &mut Block, op: Op, dtype: DType) -> Value {
        let value = self.values.push(ValueData { op, dtype });
        block.stmts.push(Stmt::Let(value));
        value
    }

    pub(super) fn map(&mut self, block: &mut Block, op: Pointwise, args: &[Value]) -> Value {
        let operand = self.dtype(args[args.len() - 1]);
        self.let_(block, Op::Map(op, args.into()), op.result_dtype(operand))
    }

    pub(super) fn number(&mut self, block: &mut Block, dtype: DType, number: f64) -> Value {
        let scalar = if dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
        self.let_(block, Op::Const(scalar), dtype)
    }

    pub(super) fn store(&mut self, block: &mut Block, place: (Param, Expr), value: Value, mask: Option<Value>) {
        let (param, index) = place;
        block.stmts.push(Stmt::Store { param, index, value, mask, mode: StoreMode::Set });
    }

    /// Loads an element and widens it, if it is a half float.
    pub(super) fn load_from(&mut self, block: &mut Block, param: Param, index: Expr, mask: Option<Value>) -> Value {
        let dtype = self.params[param].dtype;
        let value = self.let_(block, Op::Load { param, index, mask }, dtype);
        match dtype.compute() {
            wide if wide == dtype => value,
            wide => self.let_(block, Op::Convert(value), wide),
        }
    }

    /// Loads from a new input in some way, and offers the value to later steps.
    pub(super) fn load(&mut self, block: &mut Block) {
        let dtype = self.memory_dtype();
        let value = match self.rng.below(8) {
            0 if self.loads_indices() => self.load_indirect(block, dtype),
            1 | 2 => self.load_shifted(block, dtype),
            _ => {
                let (index, len) = self.read_layout(&block.axes);
                let param = self.param(dtype, len, Role::In);
                self.load_from(block, param, index, None)
            }
        };
        block.values.push(value);
    }

    /// A load whose index leaves the buffer at one side, where a mask forbids it.
    fn load_shifted(&mut self, block: &mut Block, dtype: DType) -> Value {
        let axis = self.rng.pick(&block.axes);
        let shift = self.rng.between(1, 2);
        let index = self.exprs.add_int(axis.at, -shift);
        let left = self.exprs.add_int(axis.extent, -shift);
        let len = self.exprs.max(left, Expr::ONE);
        let param = self.param(dtype, len, Role::In);
        let position = self.let_(block, Op::Index(axis.at), DType::I64);
        let amount = self.number(block, DType::I64, shift as f64);
        let mask = self.map(block, Pointwise::Ge, &[position, amount]);
        block.values.push(mask);
        self.load_from(block, param, index, Some(mask))
    }

    /// A row of a table, chosen by an index from memory.
    fn load_indirect(&mut self, block: &mut Block, dtype: DType) -> Value {
        let rows = self.rng.between(1, 9);
        let rows = self.rows(rows);
        let row = self.index_from_memory(block, rows);
        let width = self.rng.pick(&[1, 4]);
        let index = self.exprs.mul_int(row, width);
        let column = self.rng.between(0, width - 1);
        let index = self.exprs.add_int(index, column);
        let len = self.exprs.mul_int(rows, width);
        let param = self.param(dtype, len, Role::In);
        self.load_from(block, param, index, None)
    }

    /// The number of rows of a table: this many, or a size.
    pub(super) fn rows(&mut self, rows: i64) -> Expr {
        self.divisor().unwrap_or_else(|| self.exprs.int(rows))
    }

    /// An index below `len` that comes from memory.
    pub(super) fn index_from_memory(&mut self, block: &mut Block, len: Expr) -> Expr {
        let (index, size) = self.read_layout(&block.axes);
        let param = self.param(DType::I64, size, Role::In);
        let raw = self.load_from(block, param, index, None);
        let divisor = match self.exprs.as_int(len) {
            Some(len) => self.number(block, DType::I64, len as f64),
            None => self.let_(block, Op::Index(len), DType::I64),
        };
        let inside = self.map(block, Pointwise::Remainder, &[raw, divisor]);
        let sym = self.exprs.position(&format!("j{}", self.bound), len);
        self.bound += 1;
        self.let_(block, Op::Bind(sym, inside), DType::I64);
        self.exprs.sym(sym)
    }

    /// An index over some of the axes, and the length that it needs: broadcast, permuted, strided, reversed, or
    /// regrouped by division.
    pub(super) fn read_layout(&mut self, axes: &[Position]) -> (Expr, Expr) {
        let kept: Vec<Position> = axes.iter().copied().filter(|_| !self.rng.one_in(5)).collect();
        let (index, len) = self.write_layout(&kept);
        let divisor = self.rng.between(2, 5);
        let by = self.divisor().unwrap_or_else(|| self.exprs.int(divisor));
        match self.rng.below(12) {
            0 => {
                let last = self.exprs.add_int(len, -1);
                let quotient = self.exprs.floor_div(last, by);
                (self.exprs.floor_div(index, by), self.exprs.add_int(quotient, 1))
            }
            1 => (self.exprs.modulo(index, by), by),
            _ => (index, len),
        }
    }

    /// An index that hits each element at most once, and the length that it needs.
    pub(super) fn write_layout(&mut self, axes: &[Position]) -> (Expr, Expr) {
        let mut order = axes.to_vec();
        if self.rng.one_in(3) {
            (1..order.len()).for_each(|i| order.swap(i, self.rng.below(i + 1)));
        }
        let stride = if self.rng.one_in(5) { self.rng.between(2, 3) } else { 1 };
        let mut stride = self.exprs.int(stride);
        let (mut index, mut len) = (Expr::ZERO, Expr::ONE);
        for &Position { at, extent } in order.iter().rev() {
            let last = self.exprs.add_int(extent, -1);
            let end = self.exprs.mul(stride, last);
            let mut term = self.exprs.mul(at, stride);
            if self.rng.one_in(8) {
                term = self.exprs.sub(end, term);
            }
            index = self.exprs.add(index, term);
            len = self.exprs.add(len, end);
            stride = self.exprs.mul(stride, extent);
        }
        (index, len)
    }
}
