//! Writes loop IR with nested scopes: every value is placed as far out as its operands allow, once.
//!
//! Invariants: scopes close in the reverse order of opening; a value is used only while its scope is open.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use fx::prim::{Pointwise, Reduction};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symshapes::{DType, Expr, Pool, Sym};

use super::nest::LoopAxis;
use crate::loop_ir::{
    Acc, AccData, Axis, AxisData, Kernel, Loop, Op, Param, ParamData, Role, Scalar, Stmt, StoreMode, Value, ValueData,
};

/// A kernel under construction.
pub(super) struct Scopes<'p> {
    /// The pool of sizes and index expressions; the kernel gets those that it uses in a pool of its own.
    pub(super) exprs: &'p mut Pool,
    /// The buffers.
    pub(super) params: PrimaryMap<Param, ParamData>,
    pub(super) values: PrimaryMap<Value, ValueData>,
    accs: PrimaryMap<Acc, AccData>,
    axes: PrimaryMap<Axis, AxisData>,
    open: Vec<Scope>,
    next_id: u32,
    /// The depth at which each symbol is defined.
    sym_depth: FxHashMap<Sym, usize>,
    /// The scope that defines each value: its depth and its number.
    home: SecondaryMap<Value, (usize, u32)>,
    interned: FxHashMap<Key, Value>,
    bound: FxHashMap<Value, Sym>,
}

struct Scope {
    id: u32,
    axis: Axis,
    vector: bool,
    accs: Vec<Acc>,
    stmts: Vec<Stmt>,
}

/// A computation, by which equal ones are found.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Const(u64, bool, DType),
    Index(Expr),
    Load(Param, Expr, Option<Value>),
    Map(Pointwise, SmallVec<[Value; 3]>),
    Convert(Value, DType),
}

impl<'p> Scopes<'p> {
    /// An empty kernel over a pool.
    pub(super) fn new(exprs: &'p mut Pool) -> Scopes<'p> {
        Scopes {
            exprs,
            params: PrimaryMap::new(),
            values: PrimaryMap::new(),
            accs: PrimaryMap::new(),
            axes: PrimaryMap::new(),
            open: Vec::new(),
            next_id: 0,
            sym_depth: FxHashMap::default(),
            home: SecondaryMap::new(),
            interned: FxHashMap::default(),
            bound: FxHashMap::default(),
        }
    }

    /// Opens a loop.
    pub(super) fn open(&mut self, axis: LoopAxis) {
        let LoopAxis { sym, extent, vector } = axis;
        // Passes over one row share the symbol, but each has an axis of its own.
        let axis = self.axes.push(AxisData { sym, extent });
        self.sym_depth.insert(sym, self.open.len());
        self.open.push(Scope { id: self.next_id, axis, vector, accs: Vec::new(), stmts: Vec::new() });
        self.next_id += 1;
    }

    /// Closes the innermost loop and puts it into the one around it, or returns it if it is the outermost.
    pub(super) fn close(&mut self) -> Option<Loop> {
        let Scope { axis, vector, accs, stmts, .. } = self.open.pop().expect("a scope is open");
        let done = Loop { axis, vector, accs, body: stmts };
        match self.open.last_mut() {
            Some(around) => {
                around.stmts.push(Stmt::Loop(done));
                None
            }
            None => Some(done),
        }
    }

    /// Number of open loops.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The finished kernel, and the sizes that it is launched with as symbols of the pool.
    pub(super) fn finish(self, name: String, root: Loop) -> (Kernel, Vec<Sym>) {
        let Scopes { exprs, params, values, accs, axes, .. } = self;
        let kernel = Kernel { name, exprs: Pool::new(), sizes: Vec::new(), params, axes, values, accs, root };
        super::compact::compact(kernel, exprs)
    }

    fn is_live(&self, v: Value) -> bool {
        let (depth, id) = self.home[v];
        self.open.get(depth).is_some_and(|s| s.id == id)
    }

    fn expr_depth(&self, e: Expr) -> usize {
        self.exprs.symbols(e).iter().map(|s| self.sym_depth.get(s).copied().unwrap_or(0)).max().unwrap_or(0)
    }

    fn value_depth(&self, v: Value) -> usize {
        self.home[v].0
    }

    /// Defines a value at a depth, unless an equal one is at hand.
    fn define(&mut self, key: Option<Key>, depth: usize, op: Op, dtype: DType) -> Value {
        if let Some(key) = &key
            && let Some(&v) = self.interned.get(key)
            && self.is_live(v)
        {
            return v;
        }
        let v = self.values.push(ValueData { op, dtype });
        let scope = &mut self.open[depth];
        scope.stmts.push(Stmt::Let(v));
        self.home[v] = (depth, scope.id);
        if let Some(key) = key {
            self.interned.insert(key, v);
        }
        v
    }

    /// A value's type.
    pub(super) fn dtype(&self, v: Value) -> DType {
        self.values[v].dtype
    }

    /// The position that a value is, if it is one.
    pub(super) fn as_index(&self, v: Value) -> Option<Expr> {
        match self.values[v].op {
            Op::Index(e) => Some(e),
            _ => None,
        }
    }

    /// The position or integer constant that a value is.
    fn as_expr(&mut self, v: Value) -> Option<Expr> {
        match self.values[v].op {
            Op::Index(e) => Some(e),
            Op::Const(Scalar::Int(i)) if self.values[v].dtype == DType::I64 => Some(self.exprs.int(i)),
            _ => None,
        }
    }

    /// A constant. One of a half type is a wider one converted: nothing is computed in halves.
    pub(super) fn constant(&mut self, value: Scalar, dtype: DType) -> Value {
        let is_half = dtype.compute() != dtype;
        // A backend rounds a wide float itself.
        let value = if dtype.is_float() && !is_half { value } else { value.round_to(dtype) };
        if is_half {
            let wide = self.constant(value, dtype.compute());
            return self.define(Some(Key::Convert(wide, dtype)), 0, Op::Convert(wide), dtype);
        }
        let (bits, is_float) = match value {
            Scalar::Int(i) => (i as u64, false),
            Scalar::Float(f) => (f.to_bits(), true),
        };
        self.define(Some(Key::Const(bits, is_float, dtype)), 0, Op::Const(value), dtype)
    }

    /// An integer constant of type `int64`.
    pub(super) fn int(&mut self, value: i64) -> Value {
        self.constant(Scalar::Int(value), DType::I64)
    }

    /// A position as a value.
    pub(super) fn index(&mut self, e: Expr) -> Value {
        if let Some(value) = self.exprs.as_int(e) {
            return self.int(value);
        }
        let depth = self.expr_depth(e);
        self.define(Some(Key::Index(e)), depth, Op::Index(e), DType::I64)
    }

    /// An element of a buffer.
    pub(super) fn load(&mut self, param: Param, index: Expr, mask: Option<Value>) -> Value {
        let depth = self.expr_depth(index).max(mask.map_or(0, |m| self.value_depth(m)));
        let dtype = self.params[param].dtype;
        // What this kernel writes may differ between two loads.
        let key = (self.params[param].role == Role::In).then_some(Key::Load(param, index, mask));
        let depth = if key.is_some() { depth } else { self.open.len() - 1 };
        self.define(key, depth, Op::Load { param, index, mask }, dtype)
    }

    /// True if a load need not be masked, and is the same in more turns of the loops without the mask: what is computed
    /// of it alone moves out of them.
    pub(super) fn is_unneeded(&mut self, mask: Value, param: Param, index: Expr) -> bool {
        let ParamData { role, len, .. } = self.params[param];
        role == Role::In
            && self.expr_depth(index) < self.value_depth(mask)
            && self.exprs.is_not_negative(index)
            && self.exprs.is_less(index, len)
    }

    /// A primitive.
    pub(super) fn map(&mut self, op: Pointwise, args: &[Value]) -> Value {
        if let Some(folded) = self.fold(op, args) {
            return folded;
        }
        let depth = args.iter().map(|&a| self.value_depth(a)).max().unwrap_or(0);
        let operand = self.dtype(*args.last().expect("a primitive has an operand"));
        let args: SmallVec<[Value; 3]> = args.into();
        let key = Key::Map(op, args.clone());
        self.define(Some(key), depth, Op::Map(op, args), op.result_dtype(operand))
    }

    /// Arithmetic of positions stays a position, so that what is indexed with it has a known stride.
    fn fold(&mut self, op: Pointwise, args: &[Value]) -> Option<Value> {
        if !matches!(op, Pointwise::Add | Pointwise::Sub | Pointwise::Mul) || self.dtype(args[0]) != DType::I64 {
            return None;
        }
        let (a, b) = (self.as_expr(args[0])?, self.as_expr(args[1])?);
        let e = match op {
            Pointwise::Add => self.exprs.add(a, b),
            Pointwise::Sub => self.exprs.sub(a, b),
            _ => {
                let factor = self.exprs.as_int(b).map(|k| (a, k)).or_else(|| Some((b, self.exprs.as_int(a)?)));
                let (e, k) = factor?;
                self.exprs.mul_int(e, k)
            }
        };
        (!self.exprs.is_overflow(e)).then(|| self.index(e))
    }

    /// Converts a value to a dtype.
    pub(super) fn convert(&mut self, v: Value, dtype: DType) -> Value {
        if self.dtype(v) == dtype {
            return v;
        }
        if let Op::Convert(wide) = self.values[v].op
            && matches!(self.values[wide].op, Op::Const(_))
        {
            // A constant of a half type is rounded already.
            return self.convert(wide, dtype);
        }
        if let Op::Const(value) = self.values[v].op {
            return self.constant(fx::scalar::convert(value, self.values[v].dtype, dtype), dtype);
        }
        let depth = self.value_depth(v);
        self.define(Some(Key::Convert(v, dtype)), depth, Op::Convert(v), dtype)
    }

    /// `cond ? a : b`; half floats are chosen between as `float32`.
    pub(super) fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let dtype = self.dtype(a);
        let (a, b) = (self.convert(a, dtype.compute()), self.convert(b, dtype.compute()));
        let chosen = self.map(Pointwise::Where, &[cond, a, b]);
        self.convert(chosen, dtype)
    }

    /// The conjunction of two conditions.
    pub(super) fn both(&mut self, a: Option<Value>, b: Value) -> Value {
        a.map_or(b, |a| self.map(Pointwise::And, &[a, b]))
    }

    /// True if a value is known to be 0 wherever a condition does not hold: what is read under it.
    pub(super) fn is_zero_unless(&self, value: Value, condition: Value) -> bool {
        matches!(self.values[value].op, Op::Load { mask: Some(mask), .. } if self.implies(mask, condition))
    }

    fn implies(&self, a: Value, b: Value) -> bool {
        a == b
            || matches!(&self.values[a].op, Op::Map(Pointwise::And, parts) if parts.iter().any(|&part| self.implies(part, b)))
    }

    /// The symbol by which indices refer to an `int64` value within `0..len`.
    pub(super) fn bind(&mut self, v: Value, len: Expr) -> Expr {
        if let Some(&sym) = self.bound.get(&v)
            && self.is_live(v)
        {
            return self.exprs.sym(sym);
        }
        let sym = self.exprs.position(&format!("j{}", self.bound.len()), len);
        let depth = self.value_depth(v);
        self.define(None, depth, Op::Bind(sym, v), DType::I64);
        self.sym_depth.insert(sym, depth);
        self.bound.insert(v, sym);
        self.exprs.sym(sym)
    }

    /// Writes an element, in the innermost open loop.
    pub(super) fn store(&mut self, param: Param, index: Expr, value: Value, mask: Option<Value>) {
        let store = Stmt::Store { param, index, value, mask, mode: StoreMode::Set };
        self.innermost().stmts.push(store);
    }

    /// Writes one value where a condition holds, as far out as that is known.
    pub(super) fn note(&mut self, param: Param, value: Value, condition: Value) {
        let depth = self.value_depth(condition);
        let mode = StoreMode::Set;
        let store = Stmt::Store { param, index: Expr::ZERO, value, mask: Some(condition), mode };
        self.open[depth].stmts.push(store);
    }

    /// An accumulator of the loop at a depth.
    pub(super) fn accumulator(&mut self, depth: usize, kind: Reduction, dtype: DType) -> Acc {
        let acc = self.accs.push(AccData { kind, dtype });
        self.open[depth].accs.push(acc);
        acc
    }

    /// Combines a value into an accumulator, in the innermost open loop.
    pub(super) fn accumulate(&mut self, acc: Acc, value: Value, position: Option<Expr>) {
        self.innermost().stmts.push(Stmt::Accumulate { acc, value, position });
    }

    /// The final value of an accumulator, in the innermost open loop.
    pub(super) fn reduced(&mut self, acc: Acc) -> Value {
        let AccData { kind, dtype } = self.accs[acc].clone();
        let depth = self.open.len() - 1;
        self.define(None, depth, Op::Reduced(acc), kind.result_dtype(dtype))
    }

    /// True while a value may be used.
    pub(super) fn is_usable(&self, v: Value) -> bool {
        self.is_live(v)
    }

    fn innermost(&mut self) -> &mut Scope {
        self.open.last_mut().expect("a scope is open")
    }
}
