//! Exceptions that the program raises and catches while it is traced.
//!
//! An exception is an instance whose base is a [`Base::Exception`](crate::trace::core::state::Base), from where it is
//! raised to its handler. One that leaves the traced function is not replayed: the graph breaks before the instruction
//! that raises it, which then runs in the original code. The same holds for a graph break within a handler of the
//! traced function itself: generated code cannot rebuild the state of a handler, so the graph breaks where the
//! exception was raised; the handler runs in the original code, and what comes after it is traced in a resume function.
//!
//! Invariant: `Exceptions::handled` is the exception that `raise` without operands raises again; frames that are left
//! by an exception leave it as they found it.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            exceptions::Link,
            frame::Frame,
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// The value of the exception that a reason is about, if it is one that handlers may see.
    pub(in crate::trace) fn exception_of(&mut self, reason: &Reason) -> Option<ValueId> {
        if let Some(raising) = self.exceptions.raising.take() {
            return Some(raising);
        }
        let name = reason.exception.as_ref()?;
        let class = self.host.class_named(&format!("builtins.{name}"))?;
        let contents = self.contents_of(reason.contents.as_deref().cloned());
        let exception = self.make_exception(&format!("builtins.{name}"), class, contents);
        let context = self.exceptions.handled;
        self.exceptions.chain.push(Link { exception, cause: None, context });
        Some(exception)
    }

    /// The reason without the exception: no handler may catch it.
    pub(in crate::trace) fn uncaught(&mut self, reason: Reason) -> Reason {
        self.exceptions.raising = None;
        reason.uncaught()
    }

    /// Goes on in the handler of the instruction that failed, if it is a raised exception and there is one.
    pub(in crate::trace) fn catch(&mut self, f: &mut Frame, at: usize, reason: &Reason) -> bool {
        let Some(inst) = f.body().order().get(at).copied() else { return false };
        let Some(handler) = f.body().inst(inst).handler.expand().map(|id| *f.body().handler(id)) else { return false };
        let depth = handler.depth as usize;
        if reason.kind != Kind::Raised || f.stack.len() < depth {
            return false;
        }
        let Some(exception) = self.exception_of(reason) else { return false };
        f.stack.truncate(depth);
        if handler.lasti {
            let place = self.constant(Constant::Int(0));
            f.push(place);
        }
        f.push(exception);
        self.caught(exception);
        f.keywords.clear();
        f.jump(handler.target).is_ok()
    }

    /// Notes that an exception goes no further for now.
    pub(in crate::trace) fn caught(&mut self, exception: ValueId) {
        self.exceptions.raising = None;
        self.exceptions.raised.push(exception);
        self.call_stack.failed_at = None;
    }

    /// Forgets an exception that a builtin function has taken for an answer.
    pub(in crate::trace) fn forget_raised(&mut self) {
        self.exceptions.raising = None;
        self.call_stack.failed_at = None;
    }

    /// `RAISE_VARARGS`: the reason by which the exception travels; with no operand the one that is handled.
    pub(in crate::trace) fn raise_varargs(&mut self, f: &mut Frame, count: u32) -> Traced<Reason> {
        let cause = if count == 2 { Some(f.pop()?) } else { None };
        let exception = match (count, self.exceptions.handled) {
            (0, Some(handled)) => handled,
            (0, None) => {
                let refused = raised("RuntimeError: No active exception to reraise");
                return Err(if self.is_called_outside_handlers() { refused } else { refused.uncaught() });
            }
            _ => f.pop()?,
        };
        let reason = self.raise(exception)?;
        if let (true, Some(raising)) = (count > 0, self.exceptions.raising) {
            self.chain(raising, cause).map_err(|refused| self.uncaught(refused))?;
        }
        Ok(reason)
    }

    /// `PUSH_EXC_INFO`: the exception is handled from here on, and the one that was handled lies below it.
    pub(in crate::trace) fn push_exc_info(&mut self, f: &mut Frame) -> Traced<()> {
        let exception = f.pop()?;
        let before = self.exceptions.handled.unwrap_or_else(|| self.none());
        f.stack.extend([before, exception]);
        self.exceptions.handled = Some(exception);
        Ok(())
    }

    /// `POP_EXCEPT`: the exception that was handled before is handled again.
    pub(in crate::trace) fn pop_except(&mut self, f: &mut Frame) -> Traced<()> {
        let before = f.pop()?;
        self.exceptions.handled = self.exception_class(before).map(|_| before);
        Ok(())
    }

    /// `CHECK_EXC_MATCH`
    pub(in crate::trace) fn check_exc_match(&mut self, f: &mut Frame) -> Traced<()> {
        let class = f.pop()?;
        let exception = f.stack.last().copied().ok_or_else(|| raised("SystemError: no exception"))?;
        let matches = self.is_exception_of(exception, class)?;
        self.push_bool(f, matches);
        Ok(())
    }

    /// `LOAD_ASSERTION_ERROR`, `LOAD_COMMON_CONSTANT` of a class
    pub(in crate::trace) fn load_builtin_class(&mut self, f: &mut Frame, name: &str) -> Traced<()> {
        let class = self.host.class_named(name).ok_or_else(|| raised(&format!("SystemError: no {name}")))?;
        self.push_value(f, Value::Class(name.to_owned(), class));
        Ok(())
    }

    /// `CLEANUP_THROW`: what was thrown through a generator into the one for which it waits comes out of that, unless
    /// it is a `StopIteration`, which ends the wait.
    pub(in crate::trace) fn cleanup_throw(&mut self, f: &mut Frame) -> Traced<Reason> {
        let (exception, _sent, _inner) = (f.pop()?, f.pop()?, f.pop()?);
        let name = "builtins.StopIteration";
        let class = self.host.class_named(name).ok_or_else(|| raised("SystemError: no StopIteration"))?;
        let own = self.exception_class(exception).map(|(_, own)| own);
        let ends = own.and_then(|own| self.host.is_subclass(own, class));
        if ends != Some(false) {
            return Err(Reason::new(Kind::Iteration, "A generator that ends while something is thrown into it."));
        }
        self.raise(exception)
    }

    /// `INTRINSIC_STOPITERATION_ERROR`: a `StopIteration` that leaves a generator is a `RuntimeError`.
    pub(in crate::trace) fn stop_iteration_error(&mut self, f: &Frame) -> Traced<()> {
        let exception = f.stack[f.place(1)?];
        for class in ["builtins.StopIteration", "builtins.StopAsyncIteration"] {
            let class = self.host.class_named(class).ok_or_else(|| raised("SystemError: no StopIteration"))?;
            let own = self.exception_class(exception).map(|(_, own)| own);
            let ends = own.and_then(|own| self.host.is_subclass(own, class));
            if ends != Some(false) {
                return Err(raised("RuntimeError: generator raised StopIteration").uncaught());
            }
        }
        Ok(())
    }

    /// `WITH_EXCEPT_START`: calls the manager's `__exit__`, which lies below the place where the exception was raised,
    /// the exception that was handled before, and the exception.
    pub(in crate::trace) fn with_except_start(&mut self, f: &mut Frame) -> Traced<()> {
        let exception = f.stack[f.place(1)?];
        let exit = self.block_exit(f, f.place(4)?)?;
        let result = self.leave_with(exit, exception)?;
        f.push(result);
        Ok(())
    }

    /// The operand of `raise` or `from`, of a class of exceptions an instance.
    pub(in crate::trace) fn raisable(&mut self, operand: ValueId) -> Traced {
        match self.get(operand)? {
            Value::Class(_, class) if self.host.is_exception(class) => {
                let made = self.call(operand, vec![], vec![])?;
                self.force(made)
            }
            _ => self.force(operand),
        }
    }

    /// The reason by which an exception travels to its handler.
    pub(in crate::trace) fn raise(&mut self, exception: ValueId) -> Traced<Reason> {
        let exception = self.raisable(exception)?;
        let Some((name, _)) = self.exception_class(exception) else {
            return Err(Reason::new(Kind::Call, format!("Raising {}.", self.describe(exception))));
        };
        let reason = Reason::new(Kind::Raised, format!("`{name}`."));
        self.exceptions.raising = Some(exception);
        Ok(reason)
    }

    /// Whether an exception is an instance of a class, or of one of a tuple of classes.
    pub(in crate::trace) fn is_exception_of(&mut self, exception: ValueId, class: ValueId) -> Traced<bool> {
        let Some((_, own)) = self.exception_class(exception) else {
            return Err(Reason::new(Kind::Call, format!("A handler of {}.", self.describe(exception))));
        };
        match self.get(class)? {
            Value::Class(_, class) => {
                let unknown = || Reason::new(Kind::Call, "A handler of a class that decides for itself.");
                self.host.is_subclass(own, class).ok_or_else(unknown)
            }
            Value::Tuple(classes) => {
                for class in classes {
                    if self.is_exception_of(exception, class)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Err(Reason::new(Kind::Call, format!("A handler of {}.", self.describe(class)))),
        }
    }
}
