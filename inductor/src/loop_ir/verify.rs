//! The verifier: every invariant of the loop IR, checked in one walk over a kernel.
//!
//! - Each value is defined by exactly one `Let`, before its uses, in the same or an enclosing block.
//! - Each accumulator is owned by exactly one loop, never the parallel one; `Accumulate` stands inside that loop and
//!   `Reduced` after it in its block. `ArgMax` and `ArgMin` take a position, the others none.
//! - Each axis belongs to exactly one loop, its extent is at least 1 where it is a constant, and its symbol's range or
//!   bound holds all its values; extents and lengths are expressions of sizes;
//!   no vector loop stands in another.
//! - An index uses axes of enclosing loops, bound symbols in scope and sizes; it is not sure to leave its buffer:
//!   bounds are exact for affine indices of constant axes and lengths, and hold for some sizes elsewhere.
//! - `In` is not stored to; `Out` and `Scratch` are not loaded before a store, but for masked loads of what an earlier
//!   iteration of a serial loop has stored; `Add` needs a parallel extent of 1.
//! - Dtypes: operands of a primitive agree and are of its domain; a mask is `bool`; what is stored or accumulated has
//!   the dtype of its buffer or accumulator; a bound value is `int64`; bits are reinterpreted at the same width.
//! - Half floats are loaded, stored, converted and reinterpreted, nothing else; complex numbers do not occur.

use super::bounds::Bounds;
use super::{Acc, Axis, Kernel, Loop, Op, Param, Role, Stmt, StoreMode, Value};
use cranelift_entity::EntitySet;
use fx::prim::{Pointwise, Reduction};
use rustc_hash::FxHashSet;
use symshapes::{DType, DTypeClass, Expr, Range, Sym};

/// The violated invariant, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A value with two definitions.
    #[error("{0} is defined twice")]
    DefinedTwice(Value),
    /// A value used where its definition is not in scope.
    #[error("{0} is used where it is not defined")]
    NotInScope(Value),
    /// An axis with two loops.
    #[error("{0} has two loops")]
    AxisTwice(Axis),
    /// A loop without an iteration.
    #[error("{axis}: extent {extent} is not positive")]
    Extent {
        /// The axis.
        axis: Axis,
        /// Its extent.
        extent: i64,
    },
    /// A symbol whose range does not hold the values of its axis, or that is in use already.
    #[error("{0}: its symbol cannot stand for it")]
    AxisSymbol(Axis),
    /// A vector loop in a vector loop.
    #[error("{0}: a vector loop inside of another")]
    NestedVector(Axis),
    /// An accumulator with two loops, or with the parallel one.
    #[error("{0}: not owned by exactly one serial loop")]
    AccOwner(Acc),
    /// An element accumulated outside of the accumulator's loop.
    #[error("{0}: accumulated outside of its loop")]
    AccOutside(Acc),
    /// A result read elsewhere than after the loop, in the loop's block.
    #[error("{acc}: {value} does not stand after its loop in the same block")]
    ReducedPlace {
        /// The accumulator.
        acc: Acc,
        /// The value that reads it.
        value: Value,
    },
    /// A missing or superfluous position.
    #[error("{0}: exactly argmax and argmin take a position")]
    Position(Acc),
    /// An accumulator of a dtype that its reduction does not have.
    #[error("{acc}: {kind} of {dtype}")]
    AccDType {
        /// The accumulator.
        acc: Acc,
        /// Its reduction.
        kind: Reduction,
        /// Its dtype.
        dtype: DType,
    },
    /// An index with a symbol that is not in scope.
    #[error("the index `{index}` uses `{symbol}`, which is not in scope")]
    Symbol {
        /// The index.
        index: String,
        /// The symbol.
        symbol: String,
    },
    /// An index that rounds a float.
    #[error("the index `{index}` is not computed of integers alone")]
    Float {
        /// The index.
        index: String,
    },
    /// A symbol bound while it has a value.
    #[error("{0}: its symbol has a value already")]
    BoundTwice(Value),
    /// An index that leaves the buffer.
    #[error("{param}: the index `{index}` has values {range}, the buffer {len} elements")]
    Bounds {
        /// The buffer.
        param: Param,
        /// The index.
        index: String,
        /// Its values.
        range: Range,
        /// The buffer's length.
        len: String,
    },
    /// A negative length, or a complex dtype.
    #[error("{0}: not a buffer that kernels can have")]
    Param(Param),
    /// A store to an input.
    #[error("{0}: a store to an input")]
    StoreToInput(Param),
    /// A load of what was never stored.
    #[error("{param}: {value} loads what no statement before has stored")]
    LoadBeforeStore {
        /// The buffer.
        param: Param,
        /// The value.
        value: Value,
    },
    /// Addition to elements that several threads may hit.
    #[error("{0}: additions need a parallel extent of 1")]
    ParallelAdd(Param),
    /// A value of another dtype than its use or definition demands.
    #[error("{value} is {got}, not {want}")]
    DType {
        /// The value.
        value: Value,
        /// Its dtype.
        got: DType,
        /// The dtype demanded.
        want: DType,
    },
    /// A primitive with too few or too many operands.
    #[error("{value}: {op} takes {want} operands, not {got}")]
    Arity {
        /// The value.
        value: Value,
        /// The primitive.
        op: Pointwise,
        /// Its operands.
        want: usize,
        /// The number of operands given.
        got: usize,
    },
    /// A primitive outside its domain.
    #[error("{value}: {op} of {dtype}")]
    Domain {
        /// The value.
        value: Value,
        /// The primitive.
        op: Pointwise,
        /// The operands' dtype.
        dtype: DType,
    },
    /// Bits reinterpreted at another width.
    #[error("{value}: {from} and {to} differ in width")]
    Width {
        /// The value.
        value: Value,
        /// The dtype of the operand.
        from: DType,
        /// The dtype of the result.
        to: DType,
    },
    /// A half float or complex number where there can be none.
    #[error("{value}: {dtype} is not computed with")]
    Storage {
        /// The value.
        value: Value,
        /// Its dtype.
        dtype: DType,
    },
}

type Result = std::result::Result<(), VerifyError>;

/// Checks every invariant of the [module](self)'s list.
///
/// # Errors
/// The first that does not hold, in program order.
pub fn verify(kernel: &Kernel) -> Result {
    for (param, data) in kernel.params.iter() {
        if kernel.exprs.range(data.len).hi < 0
            || kernel.exprs.symbols(data.len).iter().any(|sym| !kernel.sizes.contains(sym))
            || kernel.exprs.rounds_floats(data.len)
            || data.dtype.class() == DTypeClass::Complex
        {
            return Err(VerifyError::Param(param));
        }
    }
    if let Some(&acc) = kernel.root.accs.first() {
        return Err(VerifyError::AccOwner(acc));
    }
    let mut verifier = Verifier::new(kernel);
    verifier.loop_(&kernel.root)
}

/// The state of the verifier at a point of its walk over a kernel.
struct Verifier<'a> {
    kernel: &'a Kernel,
    bounds: Bounds<'a>,
    defined: EntitySet<Value>,
    used_axes: EntitySet<Axis>,
    owned: EntitySet<Acc>,
    stored: EntitySet<Param>,
    /// Values that may be used here, in the order of definition.
    values: Vec<Value>,
    in_scope: EntitySet<Value>,
    /// Axis and bound symbols in scope.
    symbols: Vec<Sym>,
    /// Symbols of axes: all of their values occur.
    axis_symbols: FxHashSet<Sym>,
    /// Accumulators of the enclosing loops.
    open: Vec<Acc>,
    /// Accumulators that are final in this block.
    closed: Vec<Acc>,
    in_vector: bool,
    /// Buffers that the enclosing serial loops store to, perhaps further down.
    carried: Vec<Param>,
}

impl<'a> Verifier<'a> {
    fn new(kernel: &'a Kernel) -> Verifier<'a> {
        Verifier {
            kernel,
            bounds: Bounds::new(kernel),
            defined: EntitySet::new(),
            used_axes: EntitySet::new(),
            owned: EntitySet::new(),
            stored: EntitySet::new(),
            values: Vec::new(),
            in_scope: EntitySet::new(),
            symbols: Vec::new(),
            axis_symbols: FxHashSet::default(),
            open: Vec::new(),
            closed: Vec::new(),
            in_vector: false,
            carried: Vec::new(),
        }
    }

    fn loop_(&mut self, l: &Loop) -> Result {
        self.header(l)?;
        let sym = self.kernel.axes[l.axis].sym;
        let (values, symbols, open) = (self.values.len(), self.symbols.len(), self.open.len());
        let carried = self.carried.len();
        let is_serial = !self.symbols.is_empty() && !l.vector;
        if is_serial {
            l.walk(&mut |stmt| {
                if let Stmt::Store { param, .. } = stmt {
                    self.carried.push(*param);
                }
            });
        }
        let closed = std::mem::take(&mut self.closed);
        let in_vector = self.in_vector;
        self.in_vector |= l.vector;
        self.symbols.push(sym);
        self.axis_symbols.insert(sym);
        self.open.extend(&l.accs);
        l.body.iter().try_for_each(|stmt| self.stmt(stmt))?;
        for value in self.values.drain(values..) {
            self.in_scope.remove(value);
        }
        self.axis_symbols.remove(&sym);
        self.symbols.truncate(symbols);
        self.carried.truncate(carried);
        self.open.truncate(open);
        self.closed = closed;
        self.in_vector = in_vector;
        self.closed.extend(&l.accs);
        Ok(())
    }

    fn header(&mut self, l: &Loop) -> Result {
        let axis = l.axis;
        let data = &self.kernel.axes[axis];
        if !self.used_axes.insert(axis) {
            return Err(VerifyError::AxisTwice(axis));
        }
        let exprs = &self.kernel.exprs;
        let known = exprs.as_int(data.extent);
        if let Some(extent) = known.filter(|&extent| extent < 1) {
            return Err(VerifyError::Extent { axis, extent });
        }
        self.sizes_only(data.extent)?;
        let range = exprs.symbol_range(data.sym);
        let holds_all = match known {
            Some(extent) => range.contains(0) && range.contains(extent - 1),
            None => exprs.bound(data.sym) == Some(data.extent),
        };
        if !holds_all || self.symbols.contains(&data.sym) {
            return Err(VerifyError::AxisSymbol(axis));
        }
        if self.in_vector && l.vector {
            return Err(VerifyError::NestedVector(axis));
        }
        l.accs.iter().try_for_each(|&acc| self.acc_header(acc))
    }

    fn acc_header(&mut self, acc: Acc) -> Result {
        let data = &self.kernel.accs[acc];
        let fits = match data.kind {
            Reduction::Any | Reduction::All => data.dtype == DType::Bool,
            _ => data.dtype.compute() == data.dtype && data.dtype.class() != DTypeClass::Complex,
        };
        match (self.owned.insert(acc), fits) {
            (true, true) => Ok(()),
            (true, false) => Err(VerifyError::AccDType { acc, kind: data.kind, dtype: data.dtype }),
            (false, _) => Err(VerifyError::AccOwner(acc)),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result {
        match stmt {
            Stmt::Let(value) => self.let_(*value),
            Stmt::Loop(inner) => self.loop_(inner),
            Stmt::Store { param, index, value, mask, mode } => {
                self.typed(*value, self.kernel.params[*param].dtype)?;
                self.access(*param, *index, *mask)?;
                self.store(*param, *mode)
            }
            Stmt::Accumulate { acc, value, position } => {
                if !self.open.contains(acc) {
                    return Err(VerifyError::AccOutside(*acc));
                }
                let data = &self.kernel.accs[*acc];
                let takes_position = matches!(data.kind, Reduction::ArgMax | Reduction::ArgMin);
                if position.is_some() != takes_position {
                    return Err(VerifyError::Position(*acc));
                }
                self.typed(*value, data.dtype)?;
                position.map_or(Ok(()), |e| self.index(e))
            }
        }
    }

    fn store(&mut self, param: Param, mode: StoreMode) -> Result {
        let parallel = self.kernel.extent(self.kernel.root.axis);
        if self.kernel.params[param].role == Role::In {
            return Err(VerifyError::StoreToInput(param));
        }
        if mode == StoreMode::Add && parallel != Some(1) {
            return Err(VerifyError::ParallelAdd(param));
        }
        self.stored.insert(param);
        Ok(())
    }

    fn let_(&mut self, value: Value) -> Result {
        if !self.defined.insert(value) {
            return Err(VerifyError::DefinedTwice(value));
        }
        self.op(value)?;
        self.half_rule(value)?;
        self.values.push(value);
        self.in_scope.insert(value);
        Ok(())
    }

    fn op(&mut self, value: Value) -> Result {
        let data = &self.kernel.values[value];
        match &data.op {
            Op::Const(_) => Ok(()),
            Op::Index(e) => {
                self.index(*e)?;
                self.gives(value, DType::I64)
            }
            Op::Bind(sym, bound) => self.bind(value, *sym, *bound),
            Op::Load { param, index, mask } => self.load(value, *param, *index, *mask),
            Op::Map(op, args) => self.map(value, *op, args),
            Op::Convert(v) => self.used(*v).map(drop),
            Op::Bitcast(v) => {
                let from = self.used(*v)?;
                let same = from.size() == data.dtype.size();
                if same { Ok(()) } else { Err(VerifyError::Width { value, from, to: data.dtype }) }
            }
            Op::Reduced(acc) => {
                if !self.closed.contains(acc) {
                    return Err(VerifyError::ReducedPlace { acc: *acc, value });
                }
                let acc = &self.kernel.accs[*acc];
                self.gives(value, acc.kind.result_dtype(acc.dtype))
            }
        }
    }

    fn bind(&mut self, value: Value, sym: Sym, bound: Value) -> Result {
        self.typed(bound, DType::I64)?;
        if self.symbols.contains(&sym) {
            return Err(VerifyError::BoundTwice(value));
        }
        self.symbols.push(sym);
        self.gives(value, DType::I64)
    }

    fn load(&mut self, value: Value, param: Param, index: Expr, mask: Option<Value>) -> Result {
        self.access(param, index, mask)?;
        let data = &self.kernel.params[param];
        let is_stored = self.stored.contains(param) || (mask.is_some() && self.carried.contains(&param));
        if matches!(data.role, Role::Out | Role::Scratch) && !is_stored {
            return Err(VerifyError::LoadBeforeStore { param, value });
        }
        self.gives(value, data.dtype)
    }

    fn map(&mut self, value: Value, op: Pointwise, args: &[Value]) -> Result {
        if args.len() != op.arity() {
            return Err(VerifyError::Arity { value, op, want: op.arity(), got: args.len() });
        }
        let dtype = self.kernel.values[args[args.len() - 1]].dtype;
        for (i, &arg) in args.iter().enumerate() {
            let is_condition = op == Pointwise::Where && i == 0;
            self.typed(arg, if is_condition { DType::Bool } else { dtype })?;
        }
        if !op.domain().contains(dtype) {
            return Err(VerifyError::Domain { value, op, dtype });
        }
        self.gives(value, op.result_dtype(dtype))
    }

    /// Only loads, conversions and reinterpretations make half floats or take them; stores take them too.
    fn half_rule(&self, value: Value) -> Result {
        let storage = |v: Value| {
            let dtype = self.kernel.values[v].dtype;
            let computes = dtype.compute() == dtype && dtype.class() != DTypeClass::Complex;
            if computes { Ok(()) } else { Err(VerifyError::Storage { value: v, dtype }) }
        };
        let data = &self.kernel.values[value];
        if data.dtype.class() == DTypeClass::Complex {
            return storage(value);
        }
        match &data.op {
            Op::Load { .. } | Op::Convert(_) | Op::Bitcast(_) => Ok(()),
            Op::Map(_, args) => args.iter().try_for_each(|&arg| storage(arg)).and(storage(value)),
            Op::Const(_) | Op::Index(_) | Op::Bind(..) | Op::Reduced(_) => storage(value),
        }
    }

    /// The dtype of a value that is in scope.
    fn used(&self, value: Value) -> std::result::Result<DType, VerifyError> {
        let known = self.in_scope.contains(value);
        if known { Ok(self.kernel.values[value].dtype) } else { Err(VerifyError::NotInScope(value)) }
    }

    /// A value that is in scope and has this dtype.
    fn typed(&self, value: Value, want: DType) -> Result {
        self.used(value)?;
        self.gives(value, want)
    }

    fn gives(&self, value: Value, want: DType) -> Result {
        let got = self.kernel.values[value].dtype;
        if got == want { Ok(()) } else { Err(VerifyError::DType { value, got, want }) }
    }

    fn index(&self, e: Expr) -> Result {
        self.integers_only(e)?;
        let exprs = &self.kernel.exprs;
        match exprs.symbols(e).iter().find(|sym| !self.symbols.contains(sym) && !self.kernel.sizes.contains(sym)) {
            Some(&sym) => {
                Err(VerifyError::Symbol { index: exprs.display(e).to_string(), symbol: exprs.name(sym).to_owned() })
            }
            None => Ok(()),
        }
    }

    fn integers_only(&self, e: Expr) -> Result {
        let exprs = &self.kernel.exprs;
        if exprs.rounds_floats(e) { Err(VerifyError::Float { index: exprs.display(e).to_string() }) } else { Ok(()) }
    }

    /// An expression in which nothing but sizes occurs.
    fn sizes_only(&self, e: Expr) -> Result {
        self.integers_only(e)?;
        let exprs = &self.kernel.exprs;
        let other = exprs.symbols(e).into_iter().find(|sym| !self.kernel.sizes.contains(sym));
        other.map_or(Ok(()), |sym| {
            Err(VerifyError::Symbol { index: exprs.display(e).to_string(), symbol: exprs.name(sym).to_owned() })
        })
    }

    fn access(&mut self, param: Param, index: Expr, mask: Option<Value>) -> Result {
        self.index(index)?;
        if let Some(mask) = mask {
            return self.typed(mask, DType::Bool);
        }
        let exprs = &self.kernel.exprs;
        let (range, len) = (exprs.range(index), self.kernel.params[param].len);
        if self.bounds.may_fit(index, len, &self.axis_symbols) {
            return Ok(());
        }
        let (index, len) = (exprs.display(index).to_string(), exprs.display(len).to_string());
        Err(VerifyError::Bounds { param, index, range, len })
    }
}
