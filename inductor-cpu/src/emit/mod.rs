//! From one kernel of loop IR to one LLVM function.
//!
//! The function is `fn(args, scratch, sizes, begin, end)`: it runs the root loop's axis over `begin..end`, where
//! `begin` is a multiple of the lane count if the root is a vector loop. A value that depends on the axis of the
//! enclosing vector loop is a few vectors of `lanes` elements each (the copies of an unrolled iteration, side by side);
//! every other value is a scalar.
//!
//! Invariant: nothing is decided here that loop IR states; what is chosen is the lane count and how far to unroll.

mod access;
mod convert;
mod cost;
mod divide;
mod flow;
mod index;
mod interleave;
mod loops;
mod memory;
mod nontemporal;
mod pointwise;
mod prefetch;
mod reduce;
mod transpose;

pub(crate) use cost::{Work, work};

use crate::ir::{Elem, Ir, Val};
use crate::target::Host;
use cranelift_entity::SecondaryMap;
use fx::prim::Pointwise;
use index::SymValue;
use inductor::loop_ir::{Acc, Kernel, Loop, Op, Param, ParamData, Role, Scalar, Stmt, Value};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{IntValue, PointerValue};
use interleave::Turn;
use loops::VectorLoop;
use reduce::AccState;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use symshapes::{DType, Expr, Sym};
use transpose::Ahead;

/// Scratch rows start at multiples of this.
pub(crate) const SCRATCH_ALIGN: usize = 64;

/// A value in registers.
#[derive(Clone, Debug)]
pub(crate) enum Many<'c> {
    /// A scalar, equal in every lane.
    Uniform(Val<'c>),
    /// One vector per copy of the unrolled iteration.
    Wide(SmallVec<[Val<'c>; 4]>),
}

/// The state of emission.
pub(crate) struct Emitter<'k, 'c> {
    pub(crate) ir: Ir<'c>,
    pub(crate) kernel: &'k Kernel,
    /// Lanes of every vector loop of the kernel.
    pub(crate) lanes: u32,
    buffers: SecondaryMap<Param, Option<PointerValue<'c>>>,
    values: SecondaryMap<Value, Option<Many<'c>>>,
    accs: SecondaryMap<Acc, Option<AccState<'c>>>,
    reduced: SecondaryMap<Acc, Option<Many<'c>>>,
    syms: FxHashMap<Sym, SymValue<'c>>,
    vector: Option<VectorLoop<'c>>,
    ahead: Option<Ahead<'c>>,
    /// The iterations that the loop in the root's runs at a time; `None` if it runs all of them at once.
    rows: Option<loops::Range<'c>>,
    /// The condition for results to go past the caches: the arguments are large enough. `None` if they never may.
    nontemporal: Option<Val<'c>>,
    /// The loads that ask for what is read later.
    prefetched: FxHashSet<Value>,
}

/// Emits a kernel as the function `symbol` of a module of its own.
///
/// # Errors
/// The first thing in the kernel that this backend cannot express.
pub(crate) fn emit<'c>(
    context: &'c Context,
    kernel: &Kernel,
    symbol: &str,
    host: &'static Host,
) -> Result<Module<'c>, String> {
    check(kernel)?;
    let mut emitter = Emitter {
        ir: Ir::new(context, symbol, host),
        kernel,
        lanes: lane_count(kernel, host),
        buffers: SecondaryMap::new(),
        values: SecondaryMap::new(),
        accs: SecondaryMap::new(),
        reduced: SecondaryMap::new(),
        syms: FxHashMap::default(),
        vector: None,
        ahead: None,
        rows: None,
        nontemporal: None,
        prefetched: prefetch::prefetched_loads(kernel, host.machine),
    };
    emitter.find_sizes();
    emitter.find_buffers();
    emitter.find_streams();
    emitter.root();
    emitter.end_streams();
    Ok(emitter.ir.finish())
}

/// Checks the assumptions that emission makes about a kernel.
fn check(kernel: &Kernel) -> Result<(), String> {
    let dtypes = kernel.params.values().map(|p| p.dtype).chain(kernel.values.values().map(|v| v.dtype));
    for dtype in dtypes.chain(kernel.accs.values().map(|a| a.dtype)) {
        if Elem::of(dtype).is_none() {
            return Err(format!("no arithmetic on {dtype}"));
        }
    }
    let is_stored = |v: &Value| kernel.values[*v].dtype != kernel.values[*v].dtype.compute();
    for data in kernel.values.values() {
        let Op::Map(op, args) = &data.op else { continue };
        // Which of two elements it is does not depend on what they mean.
        if *op != Pointwise::Where && args.iter().any(is_stored) {
            return Err(format!("{op} of elements that are only stored"));
        }
        if let Some(&value) = args.last()
            && !op.domain().contains(kernel.values[value].dtype)
        {
            return Err(format!("{op} on {}", kernel.values[value].dtype));
        }
    }
    if !kernel.root.accs.is_empty() {
        return Err("the parallel loop owns an accumulator".to_owned());
    }
    Ok(())
}

/// The number of lanes of vector loops: a register's bytes over the size of the widest float (or else integer) computed
/// with inside them, from 4 to 8 bytes. Wider index arithmetic takes several registers.
pub(crate) fn lane_count(kernel: &Kernel, host: &Host) -> u32 {
    let mut dtypes = Vec::new();
    vector_dtypes(kernel, &kernel.root, false, &mut dtypes);
    let widest = |wanted: fn(DType) -> bool| dtypes.iter().filter(|&&d| wanted(d)).map(|d| d.size()).max();
    let bytes = widest(DType::is_float).or_else(|| widest(DType::is_int)).unwrap_or(4);
    (host.vector_bytes / bytes.clamp(4, 8)) as u32
}

/// The types computed with inside vector loops.
fn vector_dtypes(kernel: &Kernel, of: &Loop, inside: bool, dtypes: &mut Vec<DType>) {
    let inside = inside || of.vector;
    for stmt in &of.body {
        match *stmt {
            Stmt::Let(v) if inside && !is_widening(kernel, v) => dtypes.push(kernel.values[v].dtype.compute()),
            Stmt::Loop(ref inner) => vector_dtypes(kernel, inner, inside, dtypes),
            Stmt::Let(_) | Stmt::Store { .. } | Stmt::Accumulate { .. } => {}
        }
    }
}

/// True for a conversion to doubles. Where nothing is computed with them, they are for an accumulator, and it has two
/// registers for one of floats in any case.
fn is_widening(kernel: &Kernel, v: Value) -> bool {
    let data = &kernel.values[v];
    matches!(data.op, Op::Convert(_)) && data.dtype == DType::F64
}

/// Bytes of scratch that a kernel needs, given the value of each length.
pub(crate) fn scratch_bytes(kernel: &Kernel, value: &dyn Fn(Expr) -> i64) -> usize {
    let rows = kernel.params.values().filter(|p| p.role == Role::Scratch);
    rows.map(|row| (value(row.len) as usize * row.dtype.size()).next_multiple_of(SCRATCH_ALIGN)).sum()
}

impl<'c> Emitter<'_, 'c> {
    /// Loads the sizes.
    fn find_sizes(&mut self) {
        let sizes = self.ir.argument(2).into_pointer_value();
        for (at, &sym) in self.kernel.sizes.iter().enumerate() {
            let value = self.ir.load_int(sizes, at as i64);
            self.syms.insert(sym, SymValue::Scalar(value));
        }
    }

    /// Loads the buffers' addresses; scratch rows lie one after the other.
    fn find_buffers(&mut self) {
        let args = self.ir.argument(0).into_pointer_value();
        let scratch = self.ir.argument(1).into_pointer_value();
        let (mut position, mut offset) = (0, self.ir.i64(0));
        for (param, data) in &self.kernel.params {
            let address = if data.role == Role::Scratch {
                let row = self.ir.at(Elem::I8, scratch, offset);
                offset = self.ir.add_nsw(offset, self.row_bytes(data));
                row
            } else {
                position += 1;
                self.ir.load_pointer(args, position - 1)
            };
            self.buffers[param] = Some(address);
        }
    }

    /// Bytes from one scratch row to the next.
    fn row_bytes(&self, row: &ParamData) -> IntValue<'c> {
        let bytes = self.ir.mul_nsw(self.scalar_index(row.len), row.dtype.size() as i64);
        let last = self.ir.add_nsw(bytes, self.ir.i64(SCRATCH_ALIGN as i64 - 1));
        self.ir.and(last.into(), self.ir.i64(-(SCRATCH_ALIGN as i64)).into()).into_int_value()
    }

    /// The address of a buffer.
    fn buffer(&self, param: Param) -> PointerValue<'c> {
        self.buffers[param].expect("found at entry")
    }

    /// The type of a buffer's elements in registers.
    fn elem_of(&self, param: Param) -> Elem {
        Elem::of(self.kernel.params[param].dtype).expect("the kernel was checked")
    }

    /// Statements in order.
    fn block(&mut self, stmts: &[Stmt]) {
        for (at, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::Let(value) => {
                    let many = self.evaluate(*value);
                    self.values[*value] = Some(many);
                }
                Stmt::Loop(inner) => self.inner_loop(inner),
                Stmt::Store { param, index, value, mask, mode } => match self.turn(stmts, at) {
                    Some(Turn::Later) => {}
                    Some(Turn::Now(interleaved)) => self.store_interleaved(&interleaved),
                    None => self.store(*param, *index, *value, *mask, *mode),
                },
                Stmt::Accumulate { acc, value, position } => self.accumulate(*acc, *value, *position),
            }
        }
    }

    /// A value that was computed before.
    fn value(&self, value: Value) -> &Many<'c> {
        self.values[value].as_ref().expect("defined before its use")
    }

    /// The unroll factor: the number of copies of an iteration that stand side by side.
    fn copies(&self) -> u32 {
        self.vector.as_ref().map_or(1, |v| v.copies)
    }

    /// A value's vector in one copy of the unrolled iteration.
    fn wide(&self, many: &Many<'c>, copy: u32) -> Val<'c> {
        match many {
            Many::Uniform(v) => self.ir.splat(*v, self.lanes),
            Many::Wide(vs) => vs[copy as usize],
        }
    }

    /// One vector per copy.
    fn each(&self, f: impl FnMut(u32) -> Val<'c>) -> Many<'c> {
        Many::Wide((0..self.copies()).map(f).collect())
    }

    fn evaluate(&mut self, value: Value) -> Many<'c> {
        let kernel = self.kernel;
        let data = &kernel.values[value];
        match &data.op {
            Op::Const(scalar) => Many::Uniform(self.constant(*scalar, data.dtype)),
            Op::Index(expr) => self.index_value(*expr),
            Op::Bind(sym, of) => {
                let many = self.value(*of).clone();
                self.syms.insert(*sym, SymValue::Bound(many.clone()));
                many
            }
            Op::Load { param, index, mask } => match self.read_ahead(value, *param) {
                Some(many) => many,
                None => {
                    self.ask_ahead(value);
                    self.load(*param, *index, *mask)
                }
            },
            Op::Map(op, args) => self.map(*op, args),
            Op::Convert(of) => {
                let (from, of) = (kernel.values[*of].dtype, self.value(*of));
                self.unary(of, |ir, v| ir.convert(v, from, data.dtype))
            }
            Op::Bitcast(of) => self.unary(self.value(*of), |ir, v| ir.reinterpret(v, data.dtype)),
            Op::Reduced(acc) => self.reduced[*acc].clone().expect("stands after its loop"),
        }
    }

    fn constant(&self, scalar: Scalar, dtype: DType) -> Val<'c> {
        let elem = Elem::of(dtype).expect("the kernel was checked");
        match scalar {
            Scalar::Int(i) if dtype.is_float() => self.ir.float(elem, 1, i as f64),
            Scalar::Int(i) => self.ir.int(elem, 1, i),
            Scalar::Float(f) if dtype == DType::F32 => self.ir.float(elem, 1, f64::from(f as f32)),
            Scalar::Float(f) if dtype.is_float() => self.ir.float(elem, 1, f),
            Scalar::Float(f) => self.ir.int(elem, 1, f as i64),
        }
    }

    fn unary(&self, of: &Many<'c>, f: impl Fn(&Ir<'c>, Val<'c>) -> Val<'c>) -> Many<'c> {
        match of {
            Many::Uniform(v) => Many::Uniform(f(&self.ir, *v)),
            Many::Wide(vs) => Many::Wide(vs.iter().map(|&v| f(&self.ir, v)).collect()),
        }
    }

    /// A primitive: on scalars where every operand is one.
    fn map(&self, op: Pointwise, args: &[Value]) -> Many<'c> {
        let dtype = self.kernel.values[args[args.len() - 1]].dtype;
        let operands: SmallVec<[&Many<'c>; 3]> = args.iter().map(|&a| self.value(a)).collect();
        let scalars: Option<SmallVec<[Val<'c>; 3]>> = operands
            .iter()
            .map(|m| match m {
                Many::Uniform(v) => Some(*v),
                Many::Wide(_) => None,
            })
            .collect();
        if let Some(scalars) = scalars {
            return Many::Uniform(self.ir.pointwise(op, dtype, &scalars));
        }
        if let (Pointwise::Pow, Some(factors)) = (op, self.small_power(args)) {
            let base = operands[0];
            return self.each(|copy| {
                let x = self.wide(base, copy);
                (1..factors).fold(x, |power, _| self.ir.fmul(power, x))
            });
        }
        self.each(|copy| {
            let vectors: SmallVec<[Val<'c>; 3]> = operands.iter().map(|m| self.wide(m, copy)).collect();
            self.ir.pointwise(op, dtype, &vectors)
        })
    }

    /// The number of factors, if this power of a float is a product of two or three.
    fn small_power(&self, args: &[Value]) -> Option<u32> {
        match self.kernel.values[*args.get(1)?].op {
            Op::Const(Scalar::Float(2.0)) => Some(2),
            Op::Const(Scalar::Float(3.0)) => Some(3),
            _ => None,
        }
    }
}
