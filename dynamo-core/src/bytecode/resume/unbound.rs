//! Variables in cells that may have no value where they are read.
//!
//! In the original a read of such a variable raises `UnboundLocalError`. In a resume function it is a free variable, of
//! which the interpreter says `NameError`. So each of these reads gets a handler there: it reads a plain local of the
//! same name, which never has a value. A variable that a nested function deletes is not known to be without one.

use cranelift_entity::{EntityRef, SecondaryMap};

use super::LocalSet;
use crate::bytecode::access::free_slots;
use crate::bytecode::flow::ControlFlow;
use crate::bytecode::{Body, Builder, CodeObject, DepthError, Handler, Inst, LocalId, Op, Operand, stack_depths};

/// A read of a variable that may have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unbound {
    /// The instruction.
    pub(super) inst: Inst,
    /// The height of the stack before it.
    pub(super) depth: u32,
    /// The variable's slot.
    pub(super) cell: LocalId,
}

/// The reads of the code's own variables in cells that may have no value.
pub(super) fn unbound(code: &CodeObject, body: &Body, flow: &ControlFlow) -> Result<Vec<Unbound>, DepthError> {
    let own = own_cells(code);
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let depths = stack_depths(body)?;
    let bound = Bound::new(code, body, flow, own);
    let read = |&inst: &Inst| {
        let Some(Operand::Local(cell)) = body.operand(inst) else { return None };
        let may_be_empty = bound.before[inst].as_ref().is_some_and(|bound| !bound.contains(cell));
        let reads = matches!(body.inst(inst).op, Op::LoadDeref | Op::DeleteDeref);
        let depth = depths.before(inst).filter(|_| reads && may_be_empty && bound.own.contains(&cell))?;
        Some(Unbound { inst, depth, cell })
    };
    Ok(body.order().iter().filter_map(read).collect())
}

/// Gives a read its handler, which is appended; `name` is a local that never has a value.
pub(super) fn add_handler(builder: &mut Builder, read: Unbound, name: LocalId) {
    let target = builder.label();
    let handler = builder.body_mut().push_handler(Handler { target, depth: read.depth, lasti: false });
    let data = builder.body_mut().inst_mut(read.inst);
    let outer = std::mem::replace(&mut data.handler, handler.into());
    let span = data.span;
    builder.set_span(span);
    builder.set_handler(outer.expand());
    builder.bind(target);
    builder.pop();
    builder.load_checked(name);
    builder.return_value();
    builder.set_handler(None);
}

/// The variables in cells that are not free.
fn own_cells(code: &CodeObject) -> Vec<LocalId> {
    let free = free_slots(code);
    let names = code.local_names().enumerate().filter(|&(slot, _)| !free.contains(&slot));
    names
        .filter(|(_, name)| code.cellvars.iter().any(|cell| cell == name))
        .map(|(slot, _)| LocalId::new(slot))
        .collect()
}

/// The variables in cells that have a value before each instruction, whichever way was taken.
struct Bound {
    own: Vec<LocalId>,
    before: SecondaryMap<Inst, Option<LocalSet>>,
}

impl Bound {
    fn new(code: &CodeObject, body: &Body, flow: &ControlFlow, own: Vec<LocalId>) -> Bound {
        let mut entry = LocalSet::new();
        entry.extend(own.iter().copied().filter(|cell| cell.index() < code.argument_slots()));
        let mut bound = Bound { own, before: SecondaryMap::new() };
        let mut pending = Vec::new();
        if let Some(&first) = body.order().first() {
            bound.reach(first, &entry, &mut pending);
        }
        while let Some(inst) = pending.pop() {
            let Some(mut after) = bound.before[inst].clone() else { continue };
            let operand = body.operand(inst);
            if let (Op::DeleteDeref, Some(Operand::Local(cell))) = (body.inst(inst).op, operand) {
                after.remove(cell);
            }
            if let Some(handler) = flow.ways(inst).handler() {
                bound.reach(handler, &after, &mut pending);
            }
            if let (Op::StoreDeref, Some(Operand::Local(cell))) = (body.inst(inst).op, operand) {
                after.insert(cell);
            }
            for way in [flow.ways(inst).next(), flow.ways(inst).jump()].into_iter().flatten() {
                bound.reach(way, &after, &mut pending);
            }
        }
        bound
    }

    /// Notes that `inst` is reached with these bound.
    fn reach(&mut self, inst: Inst, bound: &LocalSet, pending: &mut Vec<Inst>) {
        let both = match &self.before[inst] {
            None => bound.clone(),
            Some(known) => {
                let mut both = LocalSet::new();
                both.extend(self.own.iter().copied().filter(|&cell| known.contains(cell) && bound.contains(cell)));
                if self.own.iter().all(|&cell| known.contains(cell) == both.contains(cell)) {
                    return;
                }
                both
            }
        };
        self.before[inst] = Some(both);
        pending.push(inst);
    }
}
