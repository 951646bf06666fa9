//! The cost model of kernels: how far to unroll a vector loop, and how much work one iteration of the root is.

use super::lane_count;
use crate::heuristics;
use crate::machine::PAGE_BYTES;
use crate::target::Host;
use fx::prim::Cost;
use inductor::loop_ir::{Acc, Kernel, Loop, Op, Param, Role, Stmt, Value};
use symshapes::{DType, Expr, Sym};

/// Estimated work of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// Nanoseconds for one iteration of the root axis.
    pub(crate) ns: f64,
    /// The launch splits the root at multiples of this.
    pub(crate) grain: i64,
    /// The launch runs at most so many iterations at once.
    pub(crate) longest: i64,
}

/// Estimates a kernel's work, given the value of each extent.
pub(crate) fn work(kernel: &Kernel, host: &Host, value: &dyn Fn(Expr) -> i64) -> Work {
    let lanes = i64::from(lane_count(kernel, host));
    let lane = kernel.root.vector.then(|| kernel.axes[kernel.root.axis].sym);
    let body = run_time(kernel, &kernel.root.body, if kernel.root.vector { 1 } else { lanes }, lane, value);
    let units = if kernel.root.vector { body / lanes as f64 } else { body };
    let grain = if kernel.root.vector { lanes * i64::from(copies(kernel, host, &kernel.root, None).max(4)) } else { 1 };
    let longest = if reads_rows(kernel, lanes as u32) { heuristics::rows_at_once() } else { i64::MAX };
    Work { ns: units * heuristics::unit_ns(), grain, longest }
}

/// Units of one run through a block. `lanes` are the iterations that a vector loop inside takes at once, `lane` is the
/// axis of the one around.
fn run_time(kernel: &Kernel, body: &[Stmt], lanes: i64, lane: Option<Sym>, value: &dyn Fn(Expr) -> i64) -> f64 {
    body.iter()
        .map(|stmt| match stmt {
            Stmt::Loop(inner) => {
                let axis = &kernel.axes[inner.axis];
                let (at_once, inside, lane) = if inner.vector { (lanes, 1, Some(axis.sym)) } else { (1, lanes, lane) };
                let rounds = (value(axis.extent) as f64 / at_once as f64).ceil();
                rounds * run_time(kernel, &inner.body, inside, lane, value)
            }
            Stmt::Store { index, .. } => access(kernel, *index, lane),
            Stmt::Let(v) => match kernel.values[*v].op {
                Op::Load { index, .. } => access(kernel, index, lane),
                _ => stmt_cost(kernel, stmt) as f64,
            },
            Stmt::Accumulate { .. } => stmt_cost(kernel, stmt) as f64,
        })
        .sum()
}

/// Units of one vector to or from these places.
fn access(kernel: &Kernel, index: Expr, lane: Option<Sym>) -> f64 {
    if lane.is_some_and(|lane| lies_apart(kernel, index, lane)) {
        heuristics::scattered_cost()
    } else {
        heuristics::access_cost()
    }
}

/// True if neighbouring lanes are known to lie further apart than one element.
fn lies_apart(kernel: &Kernel, index: Expr, lane: Sym) -> bool {
    let apart = |(sym, step): &(Sym, i64)| *sym == lane && step.abs() > 1;
    kernel.exprs.affine(index).is_some_and(|(_, steps)| steps.iter().any(apart))
}

/// True if a vector loop reads rows across its lanes, which go through tiles: those of several copies are in each
/// other's way.
fn transposes(kernel: &Kernel, of: &Loop) -> bool {
    let lane = kernel.axes[of.axis].sym;
    let reads = |stmt: &Stmt| match stmt {
        Stmt::Let(v) => match kernel.values[*v].op {
            Op::Load { index, .. } => lies_apart(kernel, index, lane),
            _ => false,
        },
        Stmt::Loop(_) | Stmt::Store { .. } | Stmt::Accumulate { .. } => false,
    };
    of.body.iter().any(|stmt| if let Stmt::Loop(inner) = stmt { inner.body.iter().any(reads) } else { false })
}

/// Bytes of the buffers together where every size has its typical value.
pub(super) fn typical_bytes(kernel: &Kernel) -> Option<i64> {
    kernel.arguments().map(|(_, data)| Some(kernel.exprs.hint(data.len)? * data.dtype.size() as i64)).sum()
}

/// True if, as far as is known, each step along an axis leads to a place so many bytes or more further on.
pub(super) fn lies_past(kernel: &Kernel, param: Param, index: Expr, axis: Sym, bytes: i64) -> bool {
    let least = bytes / kernel.params[param].dtype.size() as i64;
    let is_near = |&(sym, step): &(Sym, i64)| sym != axis || step.abs() < least;
    let steps = kernel.exprs.affine(index).map(|(_, steps)| steps);
    kernel.exprs.mentions(index, axis) && !steps.is_some_and(|steps| steps.iter().all(is_near))
}

/// True if a loop in the vector loop reads, each time, from a page of memory further on, as far as is known.
fn turns_pages(kernel: &Kernel, of: &Loop) -> bool {
    let turns = |stmt: &Stmt, sym: Sym| match *stmt {
        Stmt::Let(v) => match kernel.values[v].op {
            Op::Load { param, index, .. } => lies_past(kernel, param, index, sym, PAGE_BYTES),
            _ => false,
        },
        Stmt::Loop(_) | Stmt::Store { .. } | Stmt::Accumulate { .. } => false,
    };
    of.body.iter().any(|stmt| match stmt {
        Stmt::Loop(inner) => inner.body.iter().any(|stmt| turns(stmt, kernel.axes[inner.axis].sym)),
        Stmt::Let(_) | Stmt::Store { .. } | Stmt::Accumulate { .. } => false,
    })
}

/// True if a block of so many iterations as there are lanes is so short that they stand one after the other.
pub(super) fn is_short(kernel: &Kernel, of: &Loop) -> bool {
    block_cost(kernel, &of.body) <= heuristics::unroll_four_cost()
}

/// True if a vector loop over rows is typically so long that each of its rows is worth being written from one end to
/// the other, and there is a block of rows.
pub(super) fn pays_as_rows(kernel: &Kernel, root: &Loop, rows: &Loop, lanes: u32) -> bool {
    let typical = |of: &Loop| kernel.exprs.hint(kernel.axes[of.axis].extent).unwrap_or(0);
    typical(root) >= heuristics::long_row_vectors() * i64::from(lanes) && typical(rows) >= i64::from(lanes)
}

/// True if the root reads rows across its lanes and writes long ones.
pub(super) fn reads_rows(kernel: &Kernel, lanes: u32) -> bool {
    let pays = |rows| transposes(kernel, &kernel.root) && pays_as_rows(kernel, &kernel.root, rows, lanes);
    only_loop(kernel, &kernel.root).is_some_and(pays)
}

/// The loop inside that is all of a loop's body, but for values before it that no store changes.
pub(super) fn only_loop<'l>(kernel: &Kernel, of: &'l Loop) -> Option<&'l Loop> {
    let (Stmt::Loop(only), before) = of.body.split_last()? else { return None };
    let is_steady = |stmt: &Stmt| match *stmt {
        Stmt::Let(v) => match kernel.values[v].op {
            Op::Load { param, .. } => kernel.params[param].role == Role::In,
            // What a symbol stands for has to be known where the loop is judged.
            Op::Bind(..) => false,
            _ => true,
        },
        _ => false,
    };
    before.iter().all(is_steady).then_some(only)
}

/// The unroll factor of a vector loop (copies of its body side by side), given the number of whole vectors if known.
pub(super) fn copies(kernel: &Kernel, host: &Host, of: &Loop, full: Option<i64>) -> u32 {
    let wanted = match (host.copies, block_cost(kernel, &of.body)) {
        (Some(copies), _) => i64::from(copies),
        (None, _) if transposes(kernel, of) => 1,
        (None, cost) if cost <= heuristics::unroll_eight_cost() && turns_pages(kernel, of) => 8,
        (None, cost) if cost <= heuristics::unroll_four_cost() => 4,
        (None, cost) if cost <= heuristics::unroll_two_cost() => 2,
        (None, _) => 1,
    };
    let Some(full) = full else { return wanted as u32 };
    let most = wanted.min(full.max(1));
    // A slightly smaller number that leaves no remainder saves a loop.
    let even = (most / 2 + 1..=most).rev().find(|c| full % c == 0);
    even.unwrap_or(most) as u32
}

/// The copies of the vector loops in `owner` that feed an accumulator, where there are any.
pub(super) fn accumulating_copies(kernel: &Kernel, host: &Host, owner: &Loop, acc: Acc, lanes: u32) -> Option<u32> {
    let full = kernel.exprs.as_int(kernel.axes[owner.axis].extent).map(|extent| extent / i64::from(lanes));
    if owner.vector {
        return feeds(&owner.body, acc).then(|| copies(kernel, host, owner, full));
    }
    let inner = owner.body.iter().filter_map(|stmt| match stmt {
        Stmt::Loop(inner) => accumulating_copies(kernel, host, inner, acc, lanes),
        _ => None,
    });
    inner.max()
}

fn feeds(body: &[Stmt], acc: Acc) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Accumulate { acc: this, .. } => *this == acc,
        Stmt::Loop(inner) => feeds(&inner.body, acc),
        Stmt::Let(_) | Stmt::Store { .. } => false,
    })
}

/// Units of code in a block, loops counted once.
fn block_cost(kernel: &Kernel, body: &[Stmt]) -> i64 {
    body.iter().map(|stmt| stmt_cost(kernel, stmt)).sum()
}

fn stmt_cost(kernel: &Kernel, stmt: &Stmt) -> i64 {
    match stmt {
        Stmt::Let(value) => value_cost(kernel, *value),
        Stmt::Loop(inner) => block_cost(kernel, &inner.body),
        Stmt::Store { .. } | Stmt::Accumulate { .. } => 1,
    }
}

fn value_cost(kernel: &Kernel, value: Value) -> i64 {
    let data = &kernel.values[value];
    match &data.op {
        Op::Const(_) | Op::Bind(..) | Op::Reduced(_) => 0,
        Op::Index(_) | Op::Load { .. } | Op::Convert(_) | Op::Bitcast(_) => 1,
        Op::Map(op, _) => match (op.cost(), data.dtype) {
            (Cost::Cheap, _) => 1,
            (Cost::Medium, _) => 6,
            (Cost::Dear, DType::F64) => 100,
            (Cost::Dear, _) => 25,
        },
    }
}
