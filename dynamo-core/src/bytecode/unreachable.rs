//! Takes out of a body what is never executed.
//!
//! A handler goes with the last instruction that it covers: an entry of the exception table is nothing but the
//! instructions that name it.

use std::collections::HashMap;

use super::flow::ControlFlow;
use super::{Arg, Body, DepthError, Inst, Op};

/// Takes the instructions that are never reached from the first one out of the order.
///
/// # Errors
/// An op of another version, or a label that is bound to nothing.
pub fn remove_unreachable(body: &mut Body) -> Result<(), DepthError> {
    let Some(&first) = body.order().first() else { return Ok(()) };
    let reached = ControlFlow::new(body)?.reachable(first);
    body.retain(|inst, _| reached[inst]);
    Ok(())
}

/// Takes out jumps to the next instruction; what led there leads to that instruction.
pub fn remove_idle_jumps(body: &mut Body) {
    let next: HashMap<Inst, Inst> = body.order().windows(2).map(|pair| (pair[0], pair[1])).collect();
    let idle = |body: &Body, inst: Inst| match body.inst(inst) {
        data if data.op != Op::JumpForward => None,
        data => match data.arg {
            Arg::Jump(label) if body.target(label) == next.get(&inst).copied() => body.target(label),
            _ => None,
        },
    };
    let gone: HashMap<Inst, Inst> =
        body.order().iter().filter_map(|&inst| idle(body, inst).map(|target| (inst, target))).collect();
    let jumped = |inst: Inst| {
        let mut at = inst;
        while let Some(&next) = gone.get(&at) {
            at = next;
        }
        at
    };
    let moved: Vec<_> = body.labels().filter_map(|(label, inst)| Some((label, jumped(inst?)))).collect();
    for (label, inst) in moved {
        body.bind(label, inst);
    }
    body.retain(|inst, _| !gone.contains_key(&inst));
}
