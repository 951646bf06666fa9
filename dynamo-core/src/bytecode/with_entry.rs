//! The instructions that enter a `with` block in 3.14: older versions have one, `BEFORE_WITH`.
//!
//! They look `__exit__` and `__enter__` up, move the way out below what is to be called, and call that. Nobody sees
//! the states in between, so tracer and splitter take them for one instruction.

use super::{Arg, Body, Op};

/// The instructions with their arguments. Before the first one the manager lies on the stack twice.
const ENTRY: [(Op, u32); 5] = [
    (Op::LoadSpecial, Special::Exit as u32),
    (Op::Swap, 2),
    (Op::Swap, 3),
    (Op::LoadSpecial, Special::Enter as u32),
    (Op::Call, 0),
];

/// The special methods that `LOAD_SPECIAL` looks up.
enum Special {
    /// `__enter__`
    Enter = 0,
    /// `__exit__`
    Exit = 1,
}

/// The place in the order of the last of these instructions, if the first one is at `first`. They have one handler.
pub(crate) fn end_of_entry(body: &Body, first: usize) -> Option<usize> {
    let insts = body.order().get(first..first + ENTRY.len())?;
    let handler = body.inst(insts[0]).handler;
    let fits = insts.iter().zip(ENTRY).all(|(&inst, (op, arg))| {
        let data = body.inst(inst);
        data.op == op && data.arg == Arg::Int(arg) && data.handler == handler
    });
    fits.then_some(first + ENTRY.len() - 1)
}
