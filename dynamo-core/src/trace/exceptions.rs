//! Exceptions that the program raises and catches while it is traced.
//!
//! An exception is a [`Value::Exception`] from where it is raised to its handler. One that leaves the traced function
//! is not replayed: the graph ends before the instruction that raises it, which then runs as it is. So it is if
//! anything ends the graph in a handler of the traced function itself: nothing but the interpreter can build that state
//! again, and the graph ends where the exception was raised. The handler runs as it is, then, and what comes after it
//! is traced in its turn.
//!
//! Invariant: [`Tracer::handled`] is the exception that `raise` without operands raises again; frames that are left by
//! an exception leave it as they found it.

use super::{
    Traced, Tracer,
    frame::Frame,
    items::raised,
    value::{Value, ValueId},
};
use crate::{
    bytecode::Op,
    host::Obj,
    reason::{Kind, Reason},
};
use guards::Constant;

impl Tracer<'_> {
    /// A call of a class of exceptions.
    pub(super) fn make_exception(&mut self, name: &str, class: Obj, args: &[ValueId]) -> ValueId {
        self.value(Value::Exception { name: name.to_owned(), class, args: Some(args.to_vec()) })
    }

    /// The value of the exception that a reason is about, if it is one that handlers may see.
    pub(super) fn exception_of(&mut self, reason: &Reason) -> Option<ValueId> {
        if let Some(raising) = self.raising.take() {
            return Some(raising);
        }
        let name = reason.exception.as_ref()?;
        let class = self.host.class_named(&format!("builtins.{name}"))?;
        // Its text is CPython's own, which a handler must not ask for.
        Some(self.value(Value::Exception { name: format!("builtins.{name}"), class, args: None }))
    }

    /// The reason without the exception: no handler may catch it.
    pub(super) fn uncaught(&mut self, reason: Reason) -> Reason {
        self.raising = None;
        reason.uncaught()
    }

    /// Goes on in the handler of the instruction that failed, if it is a raised exception and there is one.
    pub(super) fn catch(&mut self, f: &mut Frame, at: usize, reason: &Reason) -> bool {
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
    pub(super) fn caught(&mut self, exception: ValueId) {
        self.raising = None;
        self.raised.push(exception);
        self.failed_at = None;
    }

    /// Forgets an exception that a builtin function has taken for an answer.
    pub(super) fn forget_raised(&mut self) {
        self.raising = None;
        self.failed_at = None;
    }

    /// Raising, and what handlers begin and end with.
    pub(super) fn exception_op(&mut self, f: &mut Frame, op: Op, arg: u32) -> Traced<bool> {
        match op {
            Op::RaiseVarargs => {
                let cause = if arg == 2 { Some(f.pop()?) } else { None };
                let exception = match (arg, self.handled) {
                    (0, Some(handled)) => handled,
                    (0, None) => return Err(raised("RuntimeError: No active exception to reraise")),
                    _ => f.pop()?,
                };
                let again = arg == 0;
                let reason = self.raise(exception)?;
                if let (false, Some(raising)) = (again, self.raising) {
                    self.chain(raising, cause).map_err(|refused| self.uncaught(refused))?;
                }
                return Err(reason);
            }
            Op::Reraise => {
                let exception = f.pop()?;
                return Err(self.raise(exception)?);
            }
            Op::PushExcInfo => {
                let exception = f.pop()?;
                let before = self.handled.unwrap_or_else(|| self.none());
                f.stack.extend([before, exception]);
                self.handled = Some(exception);
            }
            Op::PopExcept => {
                let before = f.pop()?;
                self.handled = matches!(self.values[before], Value::Exception { .. }).then_some(before);
            }
            Op::CheckExcMatch => {
                let class = f.pop()?;
                let exception = f.stack.last().copied().ok_or_else(|| raised("SystemError: no exception"))?;
                let matches = self.is_exception_of(exception, class)?;
                let value = self.constant(Constant::Bool(matches));
                f.push(value);
            }
            Op::LoadAssertionError => {
                let name = "builtins.AssertionError";
                let class = self.host.class_named(name).ok_or_else(|| raised("SystemError: no AssertionError"))?;
                let class = self.value(Value::Class(name.to_owned(), class));
                f.push(class);
            }
            // INTRINSIC_STOPITERATION_ERROR: what leaves a generator is no end of it.
            Op::CallIntrinsic1 if arg == 3 => {
                let exception = f.stack[f.place(1)?];
                for class in ["builtins.StopIteration", "builtins.StopAsyncIteration"] {
                    let class = self.host.class_named(class).ok_or_else(|| raised("SystemError: no StopIteration"))?;
                    let ends = match self.get(exception)? {
                        Value::Exception { class: own, .. } => self.host.is_subclass(own, class),
                        _ => None,
                    };
                    if ends != Some(false) {
                        return Err(raised("RuntimeError: generator raised StopIteration").uncaught());
                    }
                }
            }
            Op::WithExceptStart => {
                // The way out lies below the place, the exception that was handled before, and the exception.
                let exit = f.stack[f.place(4)?];
                let exception = f.stack[f.place(1)?];
                let result = self.leave_with(exit, exception)?;
                f.push(result);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The reason by which an exception travels to its handler.
    pub(super) fn raise(&mut self, exception: ValueId) -> Traced<Reason> {
        let exception = match self.get(exception)? {
            Value::Class(name, class) if self.host.is_exception(class) => self.make_exception(&name, class, &[]),
            _ => self.force(exception)?,
        };
        let Value::Exception { name, .. } = &self.values[exception] else {
            return Err(Reason::new(Kind::Call, format!("Raising {}.", self.describe(exception))));
        };
        let reason = Reason::new(Kind::Raised, format!("`{name}`."));
        self.raising = Some(exception);
        Ok(reason)
    }

    /// Whether an exception is an instance of a class, or of one of a tuple of classes.
    pub(super) fn is_exception_of(&mut self, exception: ValueId, class: ValueId) -> Traced<bool> {
        let Value::Exception { class: own, .. } = self.get(exception)? else {
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
