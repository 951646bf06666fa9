//! Abstract contents of a frame's slots before each instruction: a value, nothing, or the one or the other.
//!
//! The stack has empty slots too: `NULL` beside a callable, and what an inlined comprehension saves of a local that was
//! not bound. Of an exception that is being handled the stack holds what `PUSH_EXC_INFO` leaves there.
//!
//! Invariants: every way to an instruction is followed, so a slot that is said to hold a value does; the stack of a
//! state is as high as [`stack_depths`] says. Before the target of a `FOR_ITER` that is what the compiler counts, not
//! what is there: from 3.12 on the interpreter skips `END_FOR` (in 3.13 also the `POP_TOP` after it) when a loop ends.

use std::ops::Range;

use cranelift_entity::{EntityRef, SecondaryMap};

use super::access::{Access, accesses, free_slots};
use super::flow::ControlFlow;
use super::opcodes::Effect;
use super::{Arg, Body, CodeObject, DepthError, Inst, LocalId, Op, Operand, Version, stack_depths};

/// The abstract contents of a slot of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A value.
    Value,
    /// Nothing: `NULL`, a local that is not bound.
    Empty,
    /// A value or nothing, which depends on the way that was taken or on what an attribute was.
    Either,
    /// State of an exception that is being handled.
    Exception,
}

impl Slot {
    /// The contents of the slot where two ways meet.
    fn join(self, other: Slot) -> Slot {
        match (self, other) {
            (one, other) if one == other => one,
            (Slot::Exception, _) | (_, Slot::Exception) => Slot::Exception,
            _ => Slot::Either,
        }
    }
}

/// The slots of a frame before some instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameState {
    /// The stack, bottom first.
    pub stack: Vec<Slot>,
    /// The fast locals. A cell counts as a value, whatever it holds.
    pub locals: Vec<Slot>,
}

impl FrameState {
    /// The slot of a local.
    pub fn local(&self, local: LocalId) -> Slot {
        self.locals.get(local.index()).copied().unwrap_or(Slot::Empty)
    }

    /// A frame that is about to begin.
    fn entry(code: &CodeObject) -> FrameState {
        let mut locals = vec![Slot::Empty; code.local_count()];
        let arguments = code.argument_slots().min(locals.len());
        locals[..arguments].fill(Slot::Value);
        FrameState { stack: Vec::new(), locals }
    }

    /// Takes in what another way brings; whether that changed anything.
    fn join(&mut self, other: &FrameState) -> bool {
        let slots = self.stack.iter_mut().chain(&mut self.locals);
        let mut changed = false;
        for (slot, &other) in slots.zip(other.stack.iter().chain(&other.locals)) {
            let joined = slot.join(other);
            changed |= joined != *slot;
            *slot = joined;
        }
        changed
    }

    fn set_top(&mut self, slot: Slot) {
        if let Some(top) = self.stack.last_mut() {
            *top = slot;
        }
    }

    /// Pops so many and pushes these.
    fn replace(&mut self, popped: usize, pushed: &[Slot]) {
        self.stack.truncate(self.stack.len().saturating_sub(popped));
        self.stack.extend_from_slice(pushed);
    }
}

/// The frames before all instructions.
#[derive(Clone, Debug)]
pub struct FrameStates {
    before: SecondaryMap<Inst, Option<FrameState>>,
}

impl FrameStates {
    /// Follows every way through the body.
    ///
    /// # Errors
    /// The stack does not add up.
    pub fn new(code: &CodeObject, body: &Body, flow: &ControlFlow) -> Result<FrameStates, DepthError> {
        stack_depths(body)?;
        let mut walk = Walk { body, free: free_slots(code), before: SecondaryMap::new(), pending: Vec::new() };
        if let Some(&first) = body.order().first() {
            walk.reach(first, &FrameState::entry(code));
        }
        while let Some(inst) = walk.pending.pop() {
            walk.step(inst, flow);
        }
        Ok(FrameStates { before: walk.before })
    }

    /// The frame before an instruction; none if it is never reached.
    pub fn before(&self, inst: Inst) -> Option<&FrameState> {
        self.before[inst].as_ref()
    }
}

/// The state of [`FrameStates::new`].
struct Walk<'a> {
    body: &'a Body,
    free: Range<usize>,
    before: SecondaryMap<Inst, Option<FrameState>>,
    pending: Vec<Inst>,
}

impl Walk<'_> {
    /// Notes that `inst` is reached with `frame`.
    fn reach(&mut self, inst: Inst, frame: &FrameState) {
        let changed = match &mut self.before[inst] {
            Some(known) => known.join(frame),
            none => {
                *none = Some(frame.clone());
                true
            }
        };
        if changed {
            self.pending.push(inst);
        }
    }

    /// Follows one instruction to its successors.
    fn step(&mut self, inst: Inst, flow: &ControlFlow) {
        let (Some(before), Some(row)) = (self.before[inst].clone(), self.body.row(inst)) else { return };
        let ways = flow.ways(inst);
        let after = self.after(inst, &before, row.effect);
        if let Some(next) = ways.next() {
            self.reach(next, &after);
        }
        if let Some(jump) = ways.jump() {
            let taken = self.after(inst, &before, row.jump_effect);
            self.reach(jump, &taken);
        }
        let handler = self.body.inst(inst).handler.expand().map(|id| self.body.handler(id));
        if let (Some(target), Some(handler)) = (ways.handler(), handler) {
            let mut raised = before;
            raised.stack.truncate(handler.depth as usize);
            raised.stack.resize(handler.entry_depth() as usize, Slot::Exception);
            self.reach(target, &raised);
            raised.locals = after.locals;
            self.reach(target, &raised);
        }
    }

    /// The frame after an instruction that raises nothing, with its effect on the height of the stack.
    fn after(&self, inst: Inst, before: &FrameState, effect: Effect) -> FrameState {
        let data = self.body.inst(inst);
        let arg = if let Arg::Int(arg) = data.arg { arg } else { 0 };
        let mut frame = before.clone();
        self.touch_locals(inst, &mut frame);
        match pushes(data.op, self.body.version(), self.body.operand(inst)) {
            Pushes::Slots(popped, slots) => frame.replace(popped, &slots),
            Pushes::Saved(local) => frame.stack.push(before.local(local)),
            Pushes::Copy => {
                let index = before.stack.len().checked_sub(arg as usize);
                let copied = index.and_then(|index| before.stack.get(index));
                frame.stack.push(copied.copied().unwrap_or(Slot::Value));
            }
            Pushes::Swap => {
                let top = frame.stack.len().saturating_sub(1);
                if let Some(other) = frame.stack.len().checked_sub(arg as usize)
                    && other < top
                {
                    frame.stack.swap(top, other);
                }
            }
            pushes @ (Pushes::Nothing | Pushes::Values) => {
                let height = (frame.stack.len() as i64 + effect.of(arg)).max(0);
                frame.stack.resize(height as usize, Slot::Value);
                if pushes == Pushes::Values {
                    frame.set_top(Slot::Value);
                }
            }
        }
        frame
    }

    fn touch_locals(&self, inst: Inst, frame: &mut FrameState) {
        // In a local an exception is a value like any other.
        let stored = frame.stack.iter().rev().copied();
        let mut stored = stored.map(|slot| if slot == Slot::Exception { Slot::Value } else { slot });
        for access in accesses(self.body, inst, self.free.clone()) {
            let slot = match access {
                Access::Store(_) => stored.next().unwrap_or(Slot::Value),
                Access::Read(_) | Access::Cell(_) => Slot::Value,
                Access::Clear(_) => Slot::Empty,
            };
            // What an op saves before it empties a slot may well be nothing.
            if let Some(local) = frame.locals.get_mut(access.local().index()) {
                *local = slot;
            }
        }
    }
}

/// The effects of instructions on the stack, beyond its height.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pushes {
    /// The slots that it leaves on the stack stay as they were; those that it adds on top are values.
    Nothing,
    /// The top is a value, whatever was there before.
    Values,
    /// It pops so many and pushes these.
    Slots(usize, Vec<Slot>),
    /// It pushes what is in a local, be it nothing.
    Saved(LocalId),
    /// It pushes a copy of the slot that is so deep.
    Copy,
    /// It exchanges the top with the slot that is so deep.
    Swap,
}

fn pushes(op: Op, version: Version, operand: Option<Operand>) -> Pushes {
    let flag = matches!(operand, Some(Operand::Name(_, flags)) if flags & 1 == 1);
    // The slot that is `NULL` for a plain call: above the callable from 3.13 on.
    let beside = |slot: Slot| if version >= Version::V313 { vec![Slot::Value, slot] } else { vec![slot, Slot::Value] };
    match (op, operand) {
        (Op::PushNull, _) => Pushes::Slots(0, vec![Slot::Empty]),
        (Op::LoadGlobal, _) if flag => Pushes::Slots(0, beside(Slot::Empty)),
        (Op::LoadAttr, _) if flag => Pushes::Slots(1, beside(Slot::Either)),
        (Op::LoadMethod, _) => Pushes::Slots(1, beside(Slot::Either)),
        (Op::LoadSuperAttr, _) if flag => Pushes::Slots(3, beside(Slot::Either)),
        (Op::LoadSpecial, _) => Pushes::Slots(1, beside(Slot::Either)),
        (Op::PushExcInfo, _) => Pushes::Slots(1, vec![Slot::Exception; 2]),
        (Op::LoadFastAndClear, Some(Operand::Local(local))) => Pushes::Saved(local),
        (Op::Copy, _) => Pushes::Copy,
        (Op::Swap, _) => Pushes::Swap,
        _ if PUSH_NOTHING.contains(&op) => Pushes::Nothing,
        _ => Pushes::Values,
    }
}

/// The ops that put nothing in the place of what was on the stack.
const PUSH_NOTHING: &[Op] = &[
    Op::CopyFreeVars,
    Op::DeleteAttr,
    Op::DeleteDeref,
    Op::DeleteFast,
    Op::DeleteGlobal,
    Op::DeleteName,
    Op::DeleteSubscr,
    Op::DictMerge,
    Op::DictUpdate,
    Op::EndAsyncFor,
    Op::EndFor,
    Op::ForIter,
    Op::ImportStar,
    Op::JumpBackward,
    Op::JumpBackwardNoInterrupt,
    Op::JumpForward,
    Op::JumpIfFalseOrPop,
    Op::JumpIfTrueOrPop,
    Op::KwNames,
    Op::ListAppend,
    Op::ListExtend,
    Op::MakeCell,
    Op::MapAdd,
    Op::Nop,
    Op::NotTaken,
    Op::PopExcept,
    Op::PopIter,
    Op::PopJumpBackwardIfFalse,
    Op::PopJumpBackwardIfNone,
    Op::PopJumpBackwardIfNotNone,
    Op::PopJumpBackwardIfTrue,
    Op::PopJumpForwardIfFalse,
    Op::PopJumpForwardIfNone,
    Op::PopJumpForwardIfNotNone,
    Op::PopJumpForwardIfTrue,
    Op::PopJumpIfFalse,
    Op::PopJumpIfNone,
    Op::PopJumpIfNotNone,
    Op::PopJumpIfTrue,
    Op::PopTop,
    Op::Precall,
    Op::PrintExpr,
    Op::Resume,
    Op::SetAdd,
    Op::SetUpdate,
    Op::SetupAnnotations,
    Op::StoreAttr,
    Op::StoreDeref,
    Op::StoreFast,
    Op::StoreFastStoreFast,
    Op::StoreGlobal,
    Op::StoreName,
    Op::StoreSlice,
    Op::StoreSubscr,
    Op::UnpackEx,
    Op::UnpackSequence,
];
