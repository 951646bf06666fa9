//! The control flow of a body: the instructions that execution may go to from each one.
//!
//! Invariant: what a [`ControlFlow`] names is in the order of the body of which it was made.

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;

use super::{Arg, Body, Inst, Label, Op, Version};

/// The reason why heights could not be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DepthError {
    /// Two ways lead to an instruction with stacks of different heights.
    #[error("{inst}: reached with {first} and with {second} values on the stack")]
    Mismatch {
        /// The instruction.
        inst: Inst,
        /// One height.
        first: u32,
        /// The other.
        second: u32,
    },
    /// More is popped than is there.
    #[error("{inst}: {op} pops more than the {depth} values on the stack")]
    Underflow {
        /// The instruction.
        inst: Inst,
        /// The op that pops.
        op: Op,
        /// The number of values on the stack.
        depth: u32,
    },
    /// A handler keeps more values than the instruction that it covers has below it.
    #[error("{inst}: its handler keeps {kept} of {depth} values")]
    Handler {
        /// The instruction.
        inst: Inst,
        /// The number of values that the handler keeps.
        kept: u32,
        /// The number of values on the stack.
        depth: u32,
    },
    /// A label bound to nothing in the order.
    #[error("{0} is not bound")]
    Unbound(Label),
    /// An op of another version.
    #[error("{inst}: this version has no {op}")]
    UnknownOp {
        /// The instruction.
        inst: Inst,
        /// Its opcode.
        op: Op,
    },
    /// The last instruction goes on to the next.
    #[error("{0}: execution runs off the end")]
    NoEnd(Inst),
}

/// The ways on from one instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ways {
    next: PackedOption<Inst>,
    jump: PackedOption<Inst>,
    handler: PackedOption<Inst>,
}

impl Ways {
    /// The instruction after it, if execution may fall through to one.
    pub fn next(self) -> Option<Inst> {
        self.next.expand()
    }

    /// The instruction that it jumps to, if it jumps.
    pub fn jump(self) -> Option<Inst> {
        self.jump.expand()
    }

    /// The handler of what it raises, if it is not out of the frame.
    pub fn handler(self) -> Option<Inst> {
        self.handler.expand()
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = Inst> {
        [self.next, self.jump, self.handler].into_iter().filter_map(PackedOption::expand)
    }
}

/// The ways on from every instruction of a body.
#[derive(Clone, Debug)]
pub struct ControlFlow {
    ways: SecondaryMap<Inst, Ways>,
}

impl ControlFlow {
    /// Resolves every jump and handler.
    ///
    /// # Errors
    /// An op of another version, or a label that is bound to nothing in the order.
    pub fn new(body: &Body) -> Result<ControlFlow, DepthError> {
        let mut placed = SecondaryMap::with_capacity(body.inst_bound());
        for &inst in body.order() {
            placed[inst] = true;
        }
        let target = |label: Label| {
            let inst = body.target(label).filter(|&inst| placed[inst]);
            inst.map(PackedOption::from).ok_or(DepthError::Unbound(label))
        };
        let mut ways: SecondaryMap<Inst, Ways> = SecondaryMap::with_capacity(body.inst_bound());
        for (index, &inst) in body.order().iter().enumerate() {
            let data = body.inst(inst);
            let row = body.row(inst).ok_or(DepthError::UnknownOp { inst, op: data.op })?;
            if row.flow.falls_through() {
                ways[inst].next = body.order().get(index + 1).copied().into();
            }
            if let (Arg::Jump(label), true) = (data.arg, row.flow.jumps()) {
                ways[inst].jump = target(label)?;
            }
            if let Some(handler) = data.handler.expand() {
                ways[inst].handler = target(body.handler(handler).target)?;
            }
        }
        Ok(ControlFlow { ways })
    }

    /// The ways on from an instruction; none from one that is not in the order.
    pub fn ways(&self, inst: Inst) -> Ways {
        self.ways[inst]
    }

    /// The instructions that are reachable from `start`, itself included.
    pub fn reachable(&self, start: Inst) -> SecondaryMap<Inst, bool> {
        let mut reached = SecondaryMap::new();
        let mut pending = vec![start];
        while let Some(inst) = pending.pop() {
            if !std::mem::replace(&mut reached[inst], true) {
                pending.extend(self.ways[inst].iter());
            }
        }
        reached
    }
}

/// The instruction at which execution goes on when it goes to `inst`.
///
/// That is `inst`, but for the end of a loop: the target of an exhausted `FOR_ITER` is `END_FOR`, which the
/// interpreters from 3.12 on skip, in 3.13 together with the `POP_TOP` that follows. In its place 3.14 has `POP_ITER`,
/// which is executed. What comes after has the stack without the iterator.
pub fn landing(body: &Body, inst: Inst) -> Inst {
    if body.inst(inst).op != Op::EndFor {
        return inst;
    }
    let skipped = if body.version() < Version::V313 { 1 } else { 2 };
    let mut from_here = body.order().iter().skip_while(|&&other| other != inst);
    from_here.nth(skipped).copied().unwrap_or(inst)
}
