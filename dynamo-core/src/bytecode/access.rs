//! The local slots that an instruction reads and writes.
//!
//! A slot is what counts here, not what a cell holds: writing a variable that lives in a cell reads the slot, for the
//! cell has to be there.

use std::ops::Range;

use cranelift_entity::EntityRef;

use super::borrowed::owned;
use super::flow::ControlFlow;
use super::{Arg, Body, CodeObject, Inst, LocalId, Op, Operand};

/// The kinds of access of an instruction to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It takes what is there; the slot stays as it is.
    Read(LocalId),
    /// It puts the value on top of the stack there.
    Store(LocalId),
    /// It puts a cell there.
    Cell(LocalId),
    /// It empties the slot.
    Clear(LocalId),
}

impl Access {
    /// The slot.
    pub fn local(self) -> LocalId {
        match self {
            Access::Read(local) | Access::Store(local) | Access::Cell(local) | Access::Clear(local) => local,
        }
    }
}

/// The slots of the free variables.
pub(super) fn free_slots(code: &CodeObject) -> Range<usize> {
    let count = code.local_count();
    count - code.freevars.len()..count
}

/// The slots in which a code object makes cells.
pub(super) fn cell_slots(code: &CodeObject) -> impl Iterator<Item = LocalId> {
    let names = code.local_names().enumerate();
    names.filter(|(_, name)| code.cellvars.iter().any(|cell| cell == name)).map(|(slot, _)| LocalId::new(slot))
}

/// The accesses of `inst` to slots, in the order in which it makes them.
///
/// An instruction that fails or behaves otherwise if the slot is empty reads it. `free` are the slots of the free
/// variables.
pub fn accesses(body: &Body, inst: Inst, free: Range<usize>) -> Vec<Access> {
    let data = body.inst(inst);
    if data.op == Op::CopyFreeVars {
        return free.map(|slot| Access::Cell(LocalId::new(slot))).collect();
    }
    match body.operand(inst) {
        Some(Operand::Local(local)) => of_one(data.op, local),
        Some(Operand::LocalPair(first, second)) => of_two(data.op, first, second),
        _ => Vec::new(),
    }
}

/// The accesses of all instructions that may be executed from `from` on.
pub(super) fn reached_accesses<'a>(
    code: &CodeObject,
    body: &'a Body,
    flow: &ControlFlow,
    from: Inst,
) -> impl Iterator<Item = Access> + use<'a> {
    let (reached, free) = (flow.reachable(from), free_slots(code));
    let insts = body.order().iter().filter(move |&&inst| reached[inst]);
    insts.flat_map(move |&inst| accesses(body, inst, free.clone()))
}

fn of_one(op: Op, local: LocalId) -> Vec<Access> {
    match op {
        Op::StoreFast => vec![Access::Store(local)],
        Op::DeleteFast | Op::LoadFastAndClear => vec![Access::Read(local), Access::Clear(local)],
        Op::MakeCell => vec![Access::Read(local), Access::Cell(local)],
        // Loads, and whatever is done with the content of a cell.
        _ => vec![Access::Read(local)],
    }
}

fn of_two(op: Op, first: LocalId, second: LocalId) -> Vec<Access> {
    match op {
        Op::StoreFastStoreFast => vec![Access::Store(first), Access::Store(second)],
        Op::StoreFastLoadFast => vec![Access::Store(first), Access::Read(second)],
        _ => vec![Access::Read(first), Access::Read(second)],
    }
}

/// Splits a fused instruction into two: its first half and its second.
pub(super) fn unfused(op: Op, first: LocalId, second: LocalId) -> Option<[(Op, LocalId); 2]> {
    let (one, other) = match owned(op) {
        Op::LoadFastLoadFast => (Op::LoadFast, Op::LoadFast),
        Op::StoreFastLoadFast => (Op::StoreFast, Op::LoadFast),
        Op::StoreFastStoreFast => (Op::StoreFast, Op::StoreFast),
        _ => return None,
    };
    Some([(one, first), (other, second)])
}

/// The slot of an argument that names one slot alone.
pub(super) fn local_arg(local: LocalId) -> Arg {
    Arg::Int(local.as_u32())
}
