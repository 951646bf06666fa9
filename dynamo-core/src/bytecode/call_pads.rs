//! Keeps calls within the reach of their handlers.
//!
//! When Python code that was called raises, CPython from 3.13 on looks up the handler of the code unit *before* the
//! calling instruction. The compiler's code never shows this: what pushes the arguments of a call has the call's own
//! handler. Code that was moved about can have something else before a call, or another block.

use super::operands::SUBSCRIPT;
use super::{Arg, Body, InstData, Op, Version};

/// The ops that may run Python code in a frame of its own without leaving the interpreter.
const CALLS: [Op; 8] =
    [Op::BinaryOp, Op::BinarySubscr, Op::Call, Op::CallFunctionEx, Op::CallKw, Op::ForIter, Op::LoadAttr, Op::Send];

/// Puts a `NOP` with a call's handler before it where what stands there has another handler.
pub fn pad_calls(body: &mut Body) {
    if body.version() < Version::V313 {
        return;
    }
    for index in (0..body.order().len()).rev() {
        let data = *body.inst(body.order()[index]);
        let before = index.checked_sub(1).and_then(|index| body.inst(body.order()[index]).handler.expand());
        let calls = CALLS.contains(&data.op) && (data.op != Op::BinaryOp || data.arg == Arg::Int(SUBSCRIPT));
        if calls && data.handler.is_some() && data.handler.expand() != before {
            body.insert(index, [InstData { op: Op::Nop, arg: Arg::None, ..data }]);
        }
    }
}
