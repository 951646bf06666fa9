//! Building kernels: arenas, blocks and random memory accesses.

use super::{GenOptions, rng::Rng};
use crate::loop_ir::{
    Acc, AccData, Axis, AxisData, Kernel, Loop, Op, Param, ParamData, Role, Scalar, Stmt, StoreMode, Value, ValueData,
};
use cranelift_entity::PrimaryMap;
use fx::prim::{Pointwise, Reduction};
use symshapes::{DType, Expr, Pool, Range};

/// A block being written.
#[derive(Default)]
pub(super) struct Block {
    /// Axes of the enclosing loops, from outside in.
    pub(super) axes: Vec<Axis>,
    /// Values that later steps may use; none of a half type.
    pub(super) values: Vec<Value>,
    /// What was written.
    pub(super) stmts: Vec<Stmt>,
}

impl Block {
    /// An empty block of a loop inside of this one.
    pub(super) fn inside(&self, axis: Axis) -> Block {
        let axes = self.axes.iter().copied().chain([axis]).collect();
        Block { axes, values: self.values.clone(), stmts: Vec::new() }
    }
}

/// The kernel being written.
pub(super) struct Builder<'a> {
    pub(super) rng: Rng,
    pub(super) options: &'a GenOptions,
    pub(super) exprs: Pool,
    params: PrimaryMap<Param, ParamData>,
    axes: PrimaryMap<Axis, AxisData>,
    values: PrimaryMap<Value, ValueData>,
    accs: PrimaryMap<Acc, AccData>,
    bound: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(seed: u64, options: &'a GenOptions) -> Builder<'a> {
        Builder {
            rng: Rng::new(seed),
            options,
            exprs: Pool::new(),
            params: PrimaryMap::new(),
            axes: PrimaryMap::new(),
            values: PrimaryMap::new(),
            accs: PrimaryMap::new(),
            bound: 0,
        }
    }

    pub(super) fn finish(self, name: String, root: Loop) -> Kernel {
        let Builder { exprs, params, axes, values, accs, .. } = self;
        Kernel { name, exprs, sizes: Vec::new(), params, axes, values, accs, root }
    }

    pub(super) fn axis(&mut self, extent: i64) -> Axis {
        let sym = self.exprs.symbol(&self.axes.next_key().to_string(), Range::index(extent));
        let extent = self.exprs.int(extent);
        self.axes.push(AxisData { sym, extent })
    }

    pub(super) fn extent(&self, axis: Axis) -> i64 {
        self.exprs.as_int(self.axes[axis].extent).expect("c")
    }

    pub(super) fn axis_expr(&mut self, axis: Axis) -> Expr {
        self.exprs.sym(self.axes[axis].sym)
    }

    pub(super) fn acc(&mut self, kind: Reduction, dtype: DType) -> Acc {
        self.accs.push(AccData { kind, dtype })
    }

    pub(super) fn acc_data(&self, acc: Acc) -> &AccData {
        &self.accs[acc]
    }

    pub(super) fn param(&mut self, dtype: DType, len: i64, role: Role) -> Param {
        let len = self.exprs.int(len);
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
        let (position, amount) = (self.axis_expr(axis), self.exprs.int(shift));
        let index = self.exprs.sub(position, amount);
        let param = self.param(dtype, (self.extent(axis) - shift).max(1), Role::In);
        let position = self.let_(block, Op::Index(position), DType::I64);
        let amount = self.number(block, DType::I64, shift as f64);
        let mask = self.map(block, Pointwise::Ge, &[position, amount]);
        block.values.push(mask);
        self.load_from(block, param, index, Some(mask))
    }

    /// A row of a table, chosen by an index from memory.
    fn load_indirect(&mut self, block: &mut Block, dtype: DType) -> Value {
        let rows = self.rng.between(1, 9);
        let row = self.index_from_memory(block, rows);
        let width = self.rng.pick(&[1, 4]);
        let mut index = self.exprs.mul_int(row, width);
        let column = self.rng.between(0, width - 1);
        let column = self.exprs.int(column);
        index = self.exprs.add(index, column);
        let param = self.param(dtype, rows * width, Role::In);
        self.load_from(block, param, index, None)
    }

    /// An index below `len` that comes from memory.
    pub(super) fn index_from_memory(&mut self, block: &mut Block, len: i64) -> Expr {
        let (index, size) = self.read_layout(&block.axes);
        let param = self.param(DType::I64, size, Role::In);
        let raw = self.load_from(block, param, index, None);
        let divisor = self.number(block, DType::I64, len as f64);
        let inside = self.map(block, Pointwise::Remainder, &[raw, divisor]);
        let sym = self.exprs.symbol(&format!("j{}", self.bound), Range::index(len));
        self.bound += 1;
        self.let_(block, Op::Bind(sym, inside), DType::I64);
        self.exprs.sym(sym)
    }

    /// An index over some of the axes, and the length that it needs: broadcast, permuted, strided, reversed, or
    /// regrouped by division.
    pub(super) fn read_layout(&mut self, axes: &[Axis]) -> (Expr, i64) {
        let kept: Vec<Axis> = axes.iter().copied().filter(|_| !self.rng.one_in(5)).collect();
        let (index, len) = self.write_layout(&kept);
        let divisor = self.rng.between(2, 5);
        let by = self.exprs.int(divisor);
        match self.rng.below(12) {
            0 => (self.exprs.floor_div(index, by), (len - 1) / divisor + 1),
            1 => (self.exprs.modulo(index, by), divisor),
            _ => (index, len),
        }
    }

    /// An index that hits each element at most once, and the length that it needs.
    pub(super) fn write_layout(&mut self, axes: &[Axis]) -> (Expr, i64) {
        let mut order = axes.to_vec();
        if self.rng.one_in(3) {
            (1..order.len()).for_each(|i| order.swap(i, self.rng.below(i + 1)));
        }
        let mut stride = if self.rng.one_in(5) { self.rng.between(2, 3) } else { 1 };
        let (mut index, mut last) = (self.exprs.int(0), 0);
        for &axis in order.iter().rev() {
            let (position, extent) = (self.axis_expr(axis), self.extent(axis));
            let mut term = self.exprs.mul_int(position, stride);
            if self.rng.one_in(8) {
                let end = self.exprs.int(stride * (extent - 1));
                term = self.exprs.sub(end, term);
            }
            index = self.exprs.add(index, term);
            last += stride * (extent - 1);
            stride *= extent;
        }
        (index, last + 1)
    }
}
