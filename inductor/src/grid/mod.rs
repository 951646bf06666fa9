//! The form of a kernel for devices that run a grid of workgroups (WebGPU, CUDA): every decision taken, only printing
//! left.
//!
//! A [`GridKernel`] is a list of [`Stage`]s, each one dispatch of workgroups of a fixed number of threads. A stage is
//! straight-line code of typed scalar values with structured loops and conditions; all index arithmetic is explicit
//! in 32-bit integers, narrow elements are packed into and extracted from words, reductions are trees in workgroup
//! memory, rows are kept in registers or workgroup memory, and functions that the device lacks are spelled out.
//!
//! [`lower()`] makes it from a loop-IR kernel and a table of [`Capabilities`]; [`verify`](mod@verify) checks it;
//! [`text`] prints it.
//!
//! Invariants (checked by [`verify`](mod@verify)):
//! - a value is defined by one `Let` or `For` before its uses, in the same or an enclosing block; constants, arguments
//!   and the thread's and group's numbers are defined everywhere;
//! - operand types are as [`Op`] states;
//! - a barrier stands where all threads of a group pass: in no loop or condition whose bounds depend on the thread;
//! - a stage accesses only bindings of its list, and in the way that stands there.
//!
//! A stage is right where no buffer that it writes is bound twice: to that the runtime sees.
//!
//! This module names no device and prints no language.

mod build;
pub mod capabilities;
pub mod eval;
mod launch;
pub mod lower;
mod math;
mod op;
pub mod pieces;
pub mod print;
pub mod text;
pub mod verify;

pub use capabilities::{Capabilities, FUNCTIONS, WideFloats};
pub use launch::split_groups;
pub use lower::{Unsupported, lower, lower_items};
pub use op::{Binary, Half, Op, Unary};

use cranelift_entity::{PrimaryMap, entity_impl};
use smallvec::SmallVec;
use symshapes::{DType, Expr, Pool, Sym};

use crate::loop_ir;

/// A buffer that a kernel is dispatched with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Binding(u32);
entity_impl!(Binding, "b");

/// A 32-bit integer handed in at launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arg(u32);
entity_impl!(Arg, "n");

/// A scalar value of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Val(u32);
entity_impl!(Val, "v");

/// A variable of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(u32);
entity_impl!(Var, "x");

/// An array in workgroup memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shared(u32);
entity_impl!(Shared, "w");

/// An array of a thread, for registers: its indices are known once the loops around it are unrolled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(u32);
entity_impl!(Local, "r");

/// One kernel: stages that run one after another, each seeing what those before have written.
#[derive(Clone, Debug)]
pub struct GridKernel {
    /// For people.
    pub name: String,
    /// The arena of every expression below.
    pub exprs: Pool,
    /// The sizes that are handed in at launch, as those of the loop-IR kernel.
    pub sizes: Vec<Sym>,
    /// The buffers of all stages.
    pub bindings: PrimaryMap<Binding, BindingData>,
    /// The 32-bit integers that all stages are handed, expressions of sizes: [`GridKernel::arguments`].
    pub args: PrimaryMap<Arg, Expr>,
    /// Expressions whose values must be small for the kernel's 32-bit arithmetic to be right: [`GridKernel::admits`].
    pub limits: Vec<Expr>,
    /// The dispatches.
    pub stages: Vec<Stage>,
}

/// The sources of a binding's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The caller's buffer for this param of the loop-IR kernel.
    Param(loop_ir::Param),
    /// A buffer of any contents, private to one launch.
    Temp,
}

/// A buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BindingData {
    /// The source of the buffer.
    pub source: Source,
    /// Type of the elements that it stands for.
    pub dtype: DType,
    /// Type of the array's elements in memory.
    pub mem: Mem,
    /// Elements of `dtype` in one element of `mem`: 1, or 2 or 4 in a word, the first in the low bits. The buffer
    /// ends with a whole word; what the bits after the last element are does not matter.
    pub packing: u32,
    /// The dtype is `int64` and memory holds `int32`: the runtime has checked that every value lies within
    /// ±[`NARROW_LIMIT`].
    pub narrowed: bool,
    /// The buffer must start at a multiple of so many elements of `mem`.
    pub alignment: u32,
    /// Number of elements of `dtype`, an expression of sizes.
    pub len: Expr,
}

/// Bytes that are loaded or stored at once, at most.
pub const VECTOR_BYTES: u32 = 16;

/// Elements that are loaded or stored at once.
pub type Lanes = SmallVec<[Val; 8]>;

/// Values of a narrowed buffer, and of limited expressions, are at most this far from 0, so that neither a sum of two
/// nor the number of the last thread, beyond the last element, leaves 32 bits.
pub const NARROW_LIMIT: i64 = 1 << 30;

/// Type of an element in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mem {
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
}

/// Type of a value in a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ty {
    /// True or false.
    Bool,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
}

/// One dispatch.
#[derive(Clone, Debug)]
pub struct Stage {
    /// For people, and the name of the entry point: an identifier.
    pub name: String,
    /// The buffers that it accesses; its binding numbers are the positions here.
    pub bindings: Vec<(Binding, Access)>,
    /// Threads of a workgroup.
    pub threads: u32,
    /// Number of workgroups, an expression of sizes: [`split_groups`]. Where it is 0 nothing is dispatched.
    pub groups: Expr,
    /// Arrays in workgroup memory.
    pub shared: PrimaryMap<Shared, ArrayData>,
    /// Arrays of each thread; their elements start as anything.
    pub locals: PrimaryMap<Local, ArrayData>,
    /// The values.
    pub vals: PrimaryMap<Val, ValData>,
    /// The variables; each starts as 0.
    pub vars: PrimaryMap<Var, Ty>,
    /// The statements that each thread executes.
    pub body: Vec<Stmt>,
}

/// The kinds of access of a stage to a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Access {
    /// Only reads it.
    Read,
    /// Reads and writes it.
    Write,
    /// Reads and writes it, and all of that by atomic instructions.
    Atomic,
}

/// An array in workgroup memory, or of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArrayData {
    /// Type of an element.
    pub ty: Ty,
    /// Number of elements.
    pub len: u32,
}

/// A scalar: its computation and its type.
#[derive(Clone, PartialEq, Debug)]
pub struct ValData {
    /// The computation.
    pub op: Op,
    /// Its type.
    pub ty: Ty,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// Computes a value here.
    Let(Val),
    /// Sets a variable.
    Set(Var, Val),
    /// Writes an element of a buffer: of its [`Mem::register`], cut to its width.
    Store {
        /// The buffer.
        binding: Binding,
        /// The element's index, an `i32`.
        index: Val,
        /// The stored value.
        value: Val,
    },
    /// Reads elements one after another, from a multiple of their number on, in one go: a power of two, which take
    /// [`VECTOR_BYTES`] at most.
    LoadVector {
        /// The buffer, which has that alignment.
        binding: Binding,
        /// The first element's index, an `i32`.
        index: Val,
        /// The elements, of [`Op::Lane`].
        lanes: Lanes,
    },
    /// Writes elements one after another, as [`Stmt::LoadVector`] reads them.
    StoreVector {
        /// The buffer, which has that alignment.
        binding: Binding,
        /// The first element's index, an `i32`.
        index: Val,
        /// The stored elements.
        lanes: Lanes,
    },
    /// Writes an element of workgroup memory.
    StoreShared {
        /// The array.
        shared: Shared,
        /// The element's index, an `i32`.
        index: Val,
        /// The stored value.
        value: Val,
    },
    /// Writes an element of an array of the thread.
    StoreLocal {
        /// The array.
        local: Local,
        /// The element's index, an `i32`.
        index: Val,
        /// The stored value.
        value: Val,
    },
    /// Changes an element of an atomic buffer.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// The buffer.
        binding: Binding,
        /// The element's index, an `i32`.
        index: Val,
        /// The operand.
        value: Val,
    },
    /// A condition.
    If {
        /// A `bool`.
        cond: Val,
        /// The statements that run if it holds.
        then: Vec<Stmt>,
    },
    /// Counts from `start` to below `end`.
    For {
        /// The counter, of [`Op::Counter`].
        counter: Val,
        /// The first value, an `i32`.
        start: Val,
        /// The exclusive upper bound of the counter, an `i32`.
        end: Val,
        /// The increment of the counter, positive.
        step: Val,
        /// Copies of the body that should be made: as many as there are iterations where the counter makes the indices
        /// of [`Local`]s.
        copies: u32,
        /// Run for each value.
        body: Vec<Stmt>,
    },
    /// Repeats `head` and, as long as `cond` holds then, `body`.
    While {
        /// Computes the condition.
        head: Vec<Stmt>,
        /// A `bool`, which may be defined in `head`.
        cond: Val,
        /// Run while it holds.
        body: Vec<Stmt>,
    },
    /// All threads of the group wait here; what they have written before, to workgroup memory and to buffers, the
    /// group sees after.
    Barrier,
}

/// The operations of an atomic statement on an element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Adds an integer, or a float where the device can.
    Add,
    /// Keeps the bits of the operand.
    And,
    /// Sets the bits of the operand.
    Or,
}

impl Mem {
    /// Bytes of one.
    pub const fn bytes(self) -> u32 {
        match self {
            Mem::I8 | Mem::U8 => 1,
            Mem::I16 | Mem::U16 => 2,
            Mem::I32 | Mem::U32 | Mem::F32 => 4,
            Mem::I64 | Mem::F64 => 8,
        }
    }

    /// The type of a value loaded from it or stored to it.
    pub const fn register(self) -> Ty {
        match self {
            Mem::I8 | Mem::U8 | Mem::I16 | Mem::I32 => Ty::I32,
            Mem::U16 | Mem::U32 => Ty::U32,
            Mem::I64 => Ty::I64,
            Mem::F32 => Ty::F32,
            Mem::F64 => Ty::F64,
        }
    }
}

impl ArrayData {
    /// Bytes of the array; a `bool` takes a word.
    pub const fn bytes(&self) -> u32 {
        let bits = if self.ty.bits() < 32 { 32 } else { self.ty.bits() };
        self.len * (bits / 8)
    }
}

impl Ty {
    /// Bits of one; those of a `bool` count as 1.
    pub const fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::I32 | Ty::U32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 => 64,
        }
    }

    /// True for floats.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }
}
