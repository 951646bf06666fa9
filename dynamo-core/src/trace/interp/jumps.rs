//! Jumps, loops, and `yield from`.

use super::step::{top, unsupported};
use crate::{
    bytecode::{Label, Op, Version},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            frame::{Frame, Next},
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// Jumps if the truth of what is on the stack is this one.
    pub(in crate::trace) fn jump_if_truth_is(&mut self, wanted: bool, f: &mut Frame, to: Label) -> Traced<()> {
        let value = f.pop()?;
        if self.truth(value)? == wanted { f.jump(to) } else { Ok(()) }
    }

    /// Jumps if what is on the stack is None, or if it is not, as wanted.
    pub(in crate::trace) fn jump_if_none_is(&mut self, wanted: bool, f: &mut Frame, to: Label) -> Traced<()> {
        let value = f.pop()?;
        if self.is_none(value)? == wanted { f.jump(to) } else { Ok(()) }
    }

    /// Jumps if the truth of what is on the stack is this one, and leaves it there; else takes it off.
    pub(in crate::trace) fn jump_or_pop(&mut self, wanted: bool, f: &mut Frame, to: Label) -> Traced<()> {
        let op = if wanted { Op::JumpIfTrueOrPop } else { Op::JumpIfFalseOrPop };
        let value = top(f, op)?;
        if self.truth(value)? == wanted { f.jump(to) } else { f.pop().map(drop) }
    }

    /// `FOR_ITER`
    pub(in crate::trace) fn for_iter(&mut self, f: &mut Frame, end: Label) -> Traced<()> {
        let iterator = top(f, Op::ForIter)?;
        if let Value::State(state) = self.get(iterator)?
            && self.heap.origin(state).is_some()
        {
            // Each turn of a loop that goes on after a break would be a capture of its own.
            return Err(Reason::new(Kind::Iteration, "Over an iterator of the caller's."));
        }
        match self.next_item(iterator)? {
            Some(item) => f.push(item),
            None => self.end_loop(f, end)?,
        }
        Ok(())
    }

    /// `SEND`: the next step of the generator below what is sent, which has to be None.
    pub(in crate::trace) fn send(&mut self, f: &mut Frame, end: Label) -> Traced<()> {
        let sent = f.pop()?;
        let from = top(f, Op::Send)?;
        let next = match self.is_none(sent)? {
            true => self.resume(from)?,
            false => {
                let generator = self.generator(from)?;
                self.send_to(generator, sent)?
            }
        };
        match next {
            Next::Yield(item) => f.push(item),
            Next::Return(result) => self.end_delegation(f, end, result)?,
            Next::Go => return Err(unsupported(Op::Send)),
        }
        Ok(())
    }

    /// A loop ends: 3.11 jumps with the iterator popped; 3.12 and 3.13 skip the instructions that pop it; 3.14 skips
    /// `END_FOR` and leaves the iterator to `POP_ITER`.
    fn end_loop(&mut self, f: &mut Frame, label: Label) -> Traced<()> {
        let version = self.host.version();
        if version < Version::V314 {
            f.pop()?;
        }
        f.jump(label)?;
        if f.data().is_some_and(|data| data.op == Op::EndFor) {
            f.at += if version == Version::V313 { 2 } else { 1 };
        }
        Ok(())
    }

    /// A `yield from` ends: 3.11 jumps with the iterator popped; later versions leave that to `END_SEND`.
    fn end_delegation(&mut self, f: &mut Frame, label: Label, result: ValueId) -> Traced<()> {
        f.jump(label)?;
        if f.data().is_none_or(|data| data.op != Op::EndSend) {
            f.pop()?;
        }
        f.push(result);
        Ok(())
    }

    /// A value as a bool, which is what jumps take since 3.13. A tensor before a jump stays what it is: the graph ends
    /// at the jump, as in versions whose jumps take any value, and the code that is made for it asks for the truth. The
    /// truth of a symbolic number before a `not` is symbolic as well.
    pub(in crate::trace) fn condition(&mut self, f: &Frame, value: ValueId) -> Traced {
        if f.data().is_some_and(|next| next.op.is_jump_by_truth()) && matches!(self.get(value)?, Value::Tensor(_)) {
            return Ok(value);
        }
        // A comparison of symbols is one already: whoever depends on it decides it.
        let before_not = f.data().is_some_and(|next| next.op == Op::UnaryNot);
        if matches!(self.get(value)?, Value::SymBool { .. }) || before_not && self.get(value)?.is_symbolic() {
            return self.number_bool(value);
        }
        let truth = self.truth(value)?;
        Ok(self.constant(Constant::Bool(truth)))
    }
}
