//! From loop IR to a grid kernel: every decision that an emitter would otherwise have to take.
//!
//! The strategies, when each is chosen, and its mapping to threads and workgroups:
//! - *flat*: the loops inside the parallel one are few or short, or lanes run across rows. A thread for each iteration
//!   of the parallel loop and of the loops that nest perfectly in it; what is left inside is serial.
//! - *tiles*: flat, but some memory is contiguous along another loop than the innermost. A workgroup for each square of
//!   the two loops, so that what it reads or writes are whole cache lines both ways.
//! - *row*: there are independent loops inside, or rows in scratch. A workgroup for each iteration; its threads share
//!   each independent loop, reduce by a tree in workgroup memory, and wait for each other where they communicate. They
//!   keep what several loops read, and rows in scratch, in registers, where it fits them.
//! - *split*: few long rows are reduced by a single loop. Two stages: workgroups reduce pieces of a row to partial
//!   results in memory, then one workgroup for each row does the rest.
//! - *columns*: lanes run across rows, which are too few to be a thread each. Two stages: a thread reduces a piece of
//!   each item's loop to a partial result in memory, then a thread for each item does the rest.
//!
//! Additions to elements that several iterations may hit are atomic where memory allows it. A loop whose iterations
//! depend on each other, or are not known not to, is run by one thread (in a flat kernel each thread runs its own).
//! `mapping` has the rule that chooses, `deps` what makes iterations independent.
//!
//! Here stands the context that all parts of the lowering share.

mod convert;
mod deps;
mod index;
mod integer;
mod lanes;
mod mapping;
mod memory;
mod narrow;
mod online;
mod pointwise;
mod ranges;
mod reduce;
mod registers;
mod share;
mod stages;
mod tiles;
mod value;
mod vector;
mod walk;

use super::build::Builder;
use super::{Access, Arg, Binding, BindingData, Capabilities, GridKernel, Local, Shared, Stage, Stmt, Ty, Val};
use crate::loop_ir::{Acc, Kernel, Loop, Param, Stmt as LoopStmt, Value};
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use symshapes::{Expr, Pool, Range, Sym};

/// The reason why a kernel does not run on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel}: {reason}")]
pub struct Unsupported {
    /// The kernel's name.
    pub kernel: String,
    /// The reason: what the device lacks.
    pub reason: String,
}

/// A reason for [`Unsupported`].
type Reason = String;

/// The kernel in the form that a device of these capabilities runs.
///
/// # Errors
/// A kernel that needs what the device lacks.
pub fn lower(kernel: &Kernel, caps: &Capabilities) -> Result<GridKernel, Unsupported> {
    lower_by(kernel, caps, Lower::run)
}

/// An [elementwise](crate::loop_ir::access::is_elementwise) kernel as one stage whose groups are of one thread and do
/// one item each, the one with the group's number: what can be printed as a function of that number.
///
/// # Errors
/// A kernel that needs what the device lacks, or with loops inside the items.
pub fn lower_items(kernel: &Kernel, caps: &Capabilities) -> Result<GridKernel, Unsupported> {
    lower_by(kernel, caps, |lower| {
        lower.bind_params()?;
        let (items, _) = lower.items(&kernel.root);
        if items.leaf.iter().any(|stmt| matches!(stmt, LoopStmt::Loop(_))) {
            return Err("loops inside the items".to_owned());
        }
        lower.single(&items)
    })
}

fn lower_by<'a>(
    kernel: &'a Kernel,
    caps: &'a Capabilities,
    run: impl FnOnce(&mut Lower<'a>) -> Result<(), Reason>,
) -> Result<GridKernel, Unsupported> {
    let mut lower = Lower::new(kernel, caps);
    run(&mut lower).map_err(|reason| Unsupported { kernel: kernel.name.clone(), reason })?;
    let Lower { pool, bindings, args, limits, stages, .. } = lower;
    let kernel = GridKernel {
        name: kernel.name.clone(),
        exprs: pool,
        sizes: kernel.sizes.clone(),
        bindings,
        args,
        limits: limits.into_iter().collect(),
        stages,
    };
    if kernel.sizes.is_empty() && !kernel.admits(&[]) {
        return Err(Unsupported { kernel: kernel.name, reason: "indices of more than 30 bits".to_owned() });
    }
    debug_assert_eq!(super::verify::verify(&kernel, caps), Ok(()), "{kernel}");
    Ok(kernel)
}

/// The storage classes of a param's elements.
#[derive(Clone, Copy, Debug)]
enum StorageClass {
    /// In a buffer, from this element on.
    Buffer(Binding, Option<Val>),
    /// In workgroup memory.
    Shared(Shared, Ty),
    /// In registers of the thread that computes them.
    Registers(Local, Ty),
}

/// An accumulator whose loop is open: the partial result of a thread, or of all.
#[derive(Clone, Copy, Debug)]
struct Running {
    /// Of the elements.
    value: super::Var,
    /// For those that have one.
    position: Option<super::Var>,
}

/// Loops that a linear number runs over.
#[derive(Clone, Debug)]
struct Linear {
    /// The number, below the product of the extents.
    at: Val,
    /// The number as an expression of the loops' variables.
    expr: Expr,
    /// The loops' variables and extents, outermost first.
    axes: Vec<(Sym, Expr)>,
}

/// Elements that a thread collects to a word before it stores it.
#[derive(Clone, Copy, Debug)]
struct Gather {
    /// The offset of the elements' index from the linear number.
    offset: Expr,
    /// The word.
    word: super::Var,
    /// The element's number of those that the thread takes at once.
    element: Val,
    /// True at the last element of all.
    is_last: Val,
}

/// The context that all parts of the lowering share.
struct Lower<'a> {
    kernel: &'a Kernel,
    caps: &'a Capabilities,
    /// The kernel's expressions and those made here.
    pool: Pool,
    bindings: PrimaryMap<Binding, BindingData>,
    args: PrimaryMap<Arg, Expr>,
    arg_of: FxHashMap<Expr, Arg>,
    limits: IndexSet<Expr, FxBuildHasher>,
    stages: Vec<Stage>,
    /// The bindings of params; those of scratch are made with their stage.
    params: SecondaryMap<Param, Option<Binding>>,

    // Of the stage being built.
    b: Builder,
    threads: u32,
    access: SecondaryMap<Binding, Option<Access>>,
    places: SecondaryMap<Param, Option<StorageClass>>,
    values: SecondaryMap<Value, Option<Val>>,
    /// Of `int64` values, whose register is an `i32` where the range allows it.
    ranges: SecondaryMap<Value, Option<Range>>,
    syms: FxHashMap<Sym, Val>,
    linear: Vec<Linear>,
    gather: FxHashMap<Param, Gather>,
    vectors: Option<vector::Vectors>,
    /// The loads whose squares are in workgroup memory, while items of these are lowered.
    in_square: FxHashMap<Value, tiles::InSquare>,
    /// The lane of a vector that is being lowered.
    lane: Option<lanes::Lane>,
    /// The two loops that are being lowered as one.
    online: Option<online::Online>,
    /// The rows that threads keep in registers.
    rows: Option<registers::Rows>,
    running: SecondaryMap<Acc, Option<Running>>,
    reduced: SecondaryMap<Acc, Option<Val>>,
    /// Params that some thread of the group has stored to, or loaded from, since the last barrier.
    stored: EntitySet<Param>,
    loaded: EntitySet<Param>,
    /// Workgroup memory for reductions, by type and turn.
    trees: FxHashMap<(Ty, usize), Shared>,
}

impl<'a> Lower<'a> {
    fn new(kernel: &'a Kernel, caps: &'a Capabilities) -> Lower<'a> {
        Lower {
            kernel,
            caps,
            pool: kernel.exprs.clone(),
            bindings: PrimaryMap::new(),
            args: PrimaryMap::new(),
            arg_of: FxHashMap::default(),
            limits: IndexSet::default(),
            stages: Vec::new(),
            params: SecondaryMap::new(),
            b: Builder::new(caps.sees_nan),
            threads: caps.threads,
            access: SecondaryMap::new(),
            places: SecondaryMap::new(),
            values: SecondaryMap::new(),
            ranges: SecondaryMap::new(),
            syms: FxHashMap::default(),
            linear: Vec::new(),
            gather: FxHashMap::default(),
            vectors: None,
            in_square: FxHashMap::default(),
            lane: None,
            online: None,
            rows: None,
            running: SecondaryMap::new(),
            reduced: SecondaryMap::new(),
            stored: EntitySet::new(),
            loaded: EntitySet::new(),
            trees: FxHashMap::default(),
        }
    }

    fn run(&mut self) -> Result<(), Reason> {
        self.bind_params()?;
        let mapping = mapping::choose(self);
        self.map_to_stages(&mapping)
    }

    /// Notes that the stage accesses a buffer.
    fn touch(&mut self, binding: Binding, access: Access) {
        let known = &mut self.access[binding];
        *known = Some(known.map_or(access, |known| known.max(access)));
    }

    /// Runs `f` with a block open, and gives the block.
    fn block(&mut self, f: impl FnOnce(&mut Self) -> Result<(), Reason>) -> Result<Vec<Stmt>, Reason> {
        self.b.open();
        let done = f(self);
        let stmts = self.b.close();
        done.map(|()| stmts)
    }

    /// A condition around what `f` builds; none where it is known to hold.
    fn if_(&mut self, cond: Val, f: impl FnOnce(&mut Self) -> Result<(), Reason>) -> Result<(), Reason> {
        if self.b.as_const(cond) == Some(1) {
            return f(self);
        }
        let then = self.block(f)?;
        if !then.is_empty() {
            self.b.push(Stmt::If { cond, then });
        }
        Ok(())
    }

    /// A counted loop around what `f` builds.
    fn for_(
        &mut self,
        [start, end, step]: [Val; 3],
        f: impl FnOnce(&mut Self, Val) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        self.unrolled(1, [start, end, step], f)
    }

    /// `f` for each of so many turns, with copies of the body for all.
    fn turns(&mut self, count: u32, f: impl FnOnce(&mut Self, Val) -> Result<(), Reason>) -> Result<(), Reason> {
        let [first, end, step] = [0, count.into(), 1].map(|n| self.b.i32(n));
        if count == 1 { f(self, first) } else { self.unrolled(count, [first, end, step], f) }
    }

    /// A counted loop of whose body so many copies should be made.
    fn unrolled(
        &mut self,
        copies: u32,
        [start, end, step]: [Val; 3],
        f: impl FnOnce(&mut Self, Val) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        self.b.open();
        let counter = self.b.counter();
        let done = f(self, counter);
        let body = self.b.close();
        self.b.push(Stmt::For { counter, start, end, step, copies, body });
        done
    }

    /// The number of iterations of a loop.
    fn extent(&self, l: &Loop) -> Expr {
        self.kernel.axes[l.axis].extent
    }

    /// A typical value of an expression of sizes; `unknown` where there is no hint.
    fn typical(&self, e: Expr, unknown: i64) -> i64 {
        self.pool.as_int(e).or_else(|| self.pool.hint(e)).unwrap_or(unknown)
    }
}

/// The params that statements load from and store to.
fn params_of(kernel: &Kernel, stmts: &[LoopStmt]) -> (EntitySet<Param>, EntitySet<Param>) {
    let (mut loads, mut stores) = (EntitySet::new(), EntitySet::new());
    each_access(kernel, stmts, |param, stores_to| {
        let params = if stores_to { &mut stores } else { &mut loads };
        params.insert(param);
    });
    (loads, stores)
}

/// Calls `visit` with the param of each load and store, and whether it is a store.
fn each_access(kernel: &Kernel, stmts: &[LoopStmt], mut visit: impl FnMut(Param, bool)) {
    let mut visit = |stmt: &LoopStmt| match stmt {
        LoopStmt::Let(value) => {
            if let crate::loop_ir::Op::Load { param, .. } = kernel.values[*value].op {
                visit(param, false);
            }
        }
        LoopStmt::Store { param, .. } => visit(*param, true),
        LoopStmt::Loop(_) | LoopStmt::Accumulate { .. } => {}
    };
    for stmt in stmts {
        visit(stmt);
        if let LoopStmt::Loop(inner) = stmt {
            inner.walk(&mut visit);
        }
    }
}
