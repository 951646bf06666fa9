//! Loop IR: what a kernel does, as explicit loops over typed scalar values.
//!
//! A kernel is one parallel loop (its range is handed in at launch, a piece per thread) around a tree of serial loops.
//! At most one loop on any path from the root is a vector loop: inside it, values that depend on its axis hold one
//! element per lane, all others one element. Statements run in order. Every placement decision (loop order, what is
//! hoisted where, accumulators, row scratch) has been taken when a kernel exists: a backend only prints it.
//!
//! Invariants (checked by [`verify`]):
//! - a value is defined by exactly one `Let`, before its uses, in the same or an enclosing block;
//! - `Reduced(acc)` stands after the loop that owns `acc`, in the block of that loop;
//! - `Accumulate(acc)` stands inside the loop that owns `acc`;
//! - an index uses only sizes, axes of enclosing loops and index symbols bound to `int64` values in scope; extents and
//!   lengths use only sizes;
//! - operand dtypes are as [`fx::prim`] demands; a mask is `bool`.
//!
//! This module names no device.

pub mod access;
mod bounds;
pub mod text;
pub mod verify;

pub use fx::Scalar;

use cranelift_entity::{PrimaryMap, entity_impl};
use fx::prim::{Pointwise, Reduction};
use symshapes::{DType, Expr, Pool, Sym};

/// A buffer that a kernel is called with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Param(u32);
entity_impl!(Param, "%");

/// A loop variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Axis(u32);
entity_impl!(Axis, "i");

/// A scalar value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);
entity_impl!(Value, "v");

/// An accumulator of a reduction loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Acc(u32);
entity_impl!(Acc, "a");

/// One kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The name, for people; not part of the kernel's identity.
    pub name: String,
    /// The arena of every index expression below.
    pub exprs: Pool,
    /// The sizes that are handed in at launch, in this order: symbols of `exprs`, whose ranges are promises.
    pub sizes: Vec<Sym>,
    /// The buffers, in the order of the call.
    pub params: PrimaryMap<Param, ParamData>,
    /// The loop variables.
    pub axes: PrimaryMap<Axis, AxisData>,
    /// The scalar values.
    pub values: PrimaryMap<Value, ValueData>,
    /// The accumulators.
    pub accs: PrimaryMap<Acc, AccData>,
    /// The parallel loop around everything.
    pub root: Loop,
}

/// The roles of a buffer in a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Only read.
    In,
    /// Only written (and perhaps read back after the write).
    Out,
    /// Read and written.
    InOut,
    /// Private to each thread, not an argument of the call: a row kept between two loops.
    Scratch,
}

/// A buffer: elements of one type, addressed by a flat index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ParamData {
    /// Type of an element in memory (`bool` is one byte, 0 or 1).
    pub dtype: DType,
    /// Elements, an expression of sizes: every index is at least 0 and below this.
    pub len: Expr,
    /// The kernel's use of the buffer.
    pub role: Role,
}

/// A loop variable; its values are `0..extent`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AxisData {
    /// Its symbol in index expressions, made by [`Pool::position`]: known to be below the extent.
    pub sym: Sym,
    /// Number of iterations, an expression of sizes. A constant one is at least 1; another may be 0.
    pub extent: Expr,
}

/// A scalar and the operation that defines it.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// The computation.
    pub op: Op,
    /// Its type. Nothing is computed in a half float: a value of such a type comes from a `Load`, `Convert` or
    /// `Bitcast`, and goes to a `Store`, `Convert` or `Bitcast`.
    pub dtype: DType,
}

/// The operations that define a scalar value.
#[derive(Clone, Debug)]
pub enum Op {
    /// A constant, rounded to the value's dtype.
    Const(Scalar),
    /// An index expression as an `int64`.
    Index(Expr),
    /// An `int64` value that index expressions refer to by this symbol (indirect addressing). The caller has brought
    /// it into bounds; the pool's range for the symbol states them.
    Bind(Sym, Value),
    /// An element of a buffer; where `mask` is false nothing is read and the value is 0.
    Load {
        /// The buffer.
        param: Param,
        /// Flat index in elements.
        index: Expr,
        /// Read only where this is true.
        mask: Option<Value>,
    },
    /// A primitive applied to values.
    Map(Pointwise, smallvec::SmallVec<[Value; 3]>),
    /// Conversion to the value's dtype as `Tensor.to` does it (float to int truncates; to bool: `!= 0`).
    Convert(Value),
    /// The bits of a value of the same width, reinterpreted.
    Bitcast(Value),
    /// The final value of an accumulator.
    Reduced(Acc),
}

/// An accumulator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccData {
    /// The reduction of elements. `ArgMax`/`ArgMin` keep the best element and its position; their result is `int64`.
    pub kind: Reduction,
    /// Type of the accumulated elements.
    pub dtype: DType,
}

/// A counted loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    /// The loop variable.
    pub axis: Axis,
    /// True if the backend should spread this axis over vector lanes.
    pub vector: bool,
    /// Accumulators that start anew before this loop and are final after it.
    pub accs: Vec<Acc>,
    /// Run for each value of the axis.
    pub body: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// Compute a value here.
    Let(Value),
    /// A loop inside.
    Loop(Loop),
    /// Write one element.
    Store {
        /// The buffer.
        param: Param,
        /// Flat index in elements.
        index: Expr,
        /// The value to write; of the buffer's dtype.
        value: Value,
        /// Write only where this is true.
        mask: Option<Value>,
        /// Overwrite or add.
        mode: StoreMode,
    },
    /// Combine a value into an accumulator.
    Accumulate {
        /// The accumulator.
        acc: Acc,
        /// The element.
        value: Value,
        /// For `ArgMax` and `ArgMin`: the element's position.
        position: Option<Expr>,
    },
}

/// The effects of a store on the element that was there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StoreMode {
    /// Overwrites it.
    Set,
    /// Adds to it. Different iterations may hit one element; the parallel loop then has extent 1.
    Add,
}

impl Kernel {
    /// The value of an expression of sizes, given theirs; `None` if it has none.
    pub fn size(&self, e: Expr, sizes: &[i64]) -> Option<i64> {
        let value = |sym| self.sizes.iter().position(|&size| size == sym).and_then(|at| sizes.get(at).copied());
        self.exprs.as_int(e).or_else(|| self.exprs.eval(e, &value))
    }

    /// The number of iterations of an axis, if it is a constant.
    pub fn extent(&self, axis: Axis) -> Option<i64> {
        self.exprs.as_int(self.axes[axis].extent)
    }

    /// Calls `visit` with every statement in program order; a loop comes before its body.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Stmt)) {
        self.root.walk(visit);
    }

    /// The params that a caller passes, in order: all but the scratch.
    pub fn arguments(&self) -> impl Iterator<Item = (Param, &ParamData)> {
        self.params.iter().filter(|(_, data)| data.role != Role::Scratch)
    }
}

impl Loop {
    /// Calls `visit` with every statement inside, in program order; a loop comes before its body.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Stmt)) {
        for stmt in &self.body {
            visit(stmt);
            if let Stmt::Loop(inner) = stmt {
                inner.walk(visit);
            }
        }
    }
}

impl Op {
    /// Calls `visit` with every value that the computation takes.
    pub fn operands(&self, mut visit: impl FnMut(Value)) {
        match self {
            Op::Const(_) | Op::Index(_) | Op::Reduced(_) => {}
            Op::Bind(_, value) | Op::Convert(value) | Op::Bitcast(value) => visit(*value),
            Op::Load { mask, .. } => mask.iter().copied().for_each(visit),
            Op::Map(_, args) => args.iter().copied().for_each(visit),
        }
    }
}
