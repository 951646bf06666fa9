//! `__exit__` of context managers while an exception propagates out of a `with` block.
//!
//! The program's own managers are called with the exception's class, the exception, and an opaque traceback. A
//! generator of `contextmanager` has the exception thrown in at its `yield`.
//!
//! Invariant: an exception that propagates further is the same value.

use crate::{
    host::FunctionPolicy,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            context::Context,
            frame::Next,
            state::{Exhausted, Iter, State},
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// The result of `__exit__` with an exception: true if the exception is suppressed.
    pub(in crate::trace) fn leave_with(&mut self, exit: ValueId, exception: ValueId) -> Traced {
        let ends = match self.get(exit)? {
            Value::Exit(Context::Suppress(classes), _) => {
                let mut caught = false;
                for class in classes {
                    caught = caught || self.is_exception_of(exception, class)?;
                }
                caught
            }
            Value::Exit(Context::Generator(generator), _) => self.throw(generator, exception)?,
            Value::Exit(Context::Stack(stack), _) => match self.exit_stack(stack)? {
                Some(stack) => self.unwind(stack, Some(exception))?,
                None => false,
            },
            Value::Exit(..) => {
                let none = self.none();
                self.call(exit, vec![none; 3], vec![])?;
                false
            }
            Value::Method { function, .. } if self.is_skipped(function)? => {
                // The known managers do the same with an exception and without.
                let none = self.none();
                return self.call(exit, vec![none; 3], vec![]);
            }
            _ => return self.tell(exit, exception),
        };
        Ok(self.constant(Constant::Bool(ends)))
    }

    fn is_skipped(&mut self, function: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(function)?, Value::Function(function) if function.policy == FunctionPolicy::Skipped))
    }

    /// Calls what wants to know of an exception.
    fn tell(&mut self, exit: ValueId, exception: ValueId) -> Traced {
        let class = self.type_of_object(exception)?;
        let class = class.ok_or_else(|| Reason::new(Kind::Context, "It is told of an exception."))?;
        let traceback = self.value(Value::Traceback);
        self.call(exit, vec![class, exception, traceback], vec![])
    }

    /// Has a generator that is a manager raise an exception where it waits. True if it ends there.
    pub(in crate::trace) fn throw(&mut self, generator: ValueId, exception: ValueId) -> Traced<bool> {
        let Value::State(state) = self.get(generator)? else { return Err(not_waiting()) };
        let State::Iter(Iter::Generator(frame)) = self.heap.get(state).clone() else { return Err(not_waiting()) };
        let mut frame = *frame;
        let at = frame.at.checked_sub(1).ok_or_else(not_waiting)?;
        if frame.delegates() {
            return Err(Reason::new(Kind::Context, "A generator that waits for another one."));
        }
        *self.heap.change(state) = State::Iter(Iter::Running);
        let reason = self.raise(exception)?;
        let next = if self.catch(&mut frame, at, &reason) { self.run(&mut frame) } else { Err(reason) };
        *self.heap.change(state) = State::Iter(Iter::Done(Exhausted::Generator));
        match next {
            Ok(Next::Yield(_)) => Err(raised("RuntimeError: generator didn't stop after throw()").uncaught()),
            Ok(_) => Ok(true),
            Err(reason) if reason.kind == Kind::Raised && self.exceptions.raising == Some(exception) => {
                self.caught(exception);
                Ok(false)
            }
            // Out of a generator it would be a RuntimeError.
            Err(reason) if reason.exception.as_deref() == Some("StopIteration") => Err(self.uncaught(reason)),
            Err(reason) => Err(reason),
        }
    }
}

fn not_waiting() -> Reason {
    Reason::new(Kind::Context, "A generator that does not wait.")
}
