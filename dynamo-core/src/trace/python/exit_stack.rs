//! `contextlib.ExitStack`: what it is given to leave, and how it leaves that.
//!
//! A stack that code goes on with is made anew, and given again what is in it.
//!
//! Invariant: what leaves a stack does so in the reverse order of its coming, each once, whatever the others raise.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::{Context, EXIT_STACK},
            state::{Leaving, Sort, State, StateId},
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

/// Its methods.
pub(in crate::trace) const METHODS: &[&str] = &["callback", "close", "enter_context", "pop_all", "push"];

pub(in crate::trace) const ROWS: &[Row] = &[
    row("contextlib.ExitStack()", |t, _| Ok(t.make_exit_stack(Vec::new()))),
    row("contextlib.ExitStack.callback(self, callback, /, *args, **kwds)", |t, b| {
        let (stack, function) = (this(t, b)?, b.arg(1)?);
        t.give(stack, Leaving::Callback(function, b.rest().to_vec(), b.extra().clone()));
        Ok(function)
    }),
    row("contextlib.ExitStack.enter_context(self, cm)", |t, b| {
        let stack = this(t, b)?;
        let manager = b.arg(1)?;
        // An object that is no manager is told of in another text here.
        let entered = match t.lacks_specials(manager, &["__enter__"])? || t.lacks_specials(manager, &["__exit__"])? {
            true => Err(t.not_pushed(manager)),
            false => t.entered(manager),
        };
        let (exit, bound) = entered?;
        t.give(stack, Leaving::Exit(exit));
        Ok(bound)
    }),
    row("contextlib.ExitStack.push(self, exit)", |t, b| {
        let (stack, exit) = (this(t, b)?, b.arg(1)?);
        let leaving = t.way_out(exit)?;
        t.give(stack, Leaving::Exit(leaving));
        Ok(exit)
    }),
    row("contextlib.ExitStack.pop_all(self)", |t, b| {
        let stack = this(t, b)?;
        let State::Stack(entries) = t.heap.change(stack) else { return Ok(t.none()) };
        let entries = std::mem::take(entries);
        Ok(t.make_exit_stack(entries))
    }),
    row("contextlib.ExitStack.close(self)", |t, b| {
        let stack = this(t, b)?;
        t.unwind(stack, None)?;
        Ok(t.none())
    }),
];

/// The stack whose method is called.
fn this(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<StateId> {
    let this = b.arg(0)?;
    t.exit_stack(this)?.ok_or_else(|| Reason::new(Kind::Context, format!("`{}`.", b.name())))
}

impl Tracer<'_> {
    /// A new stack.
    pub(in crate::trace) fn make_exit_stack(&mut self, entries: Vec<Leaving>) -> ValueId {
        self.state(State::Stack(entries))
    }

    /// The state of a stack that the program has made; `None` for anything else.
    pub(in crate::trace) fn exit_stack(&mut self, value: ValueId) -> Traced<Option<StateId>> {
        Ok(match self.get(value)? {
            Value::State(state) if self.heap.sort(state) == Sort::Stack => Some(state),
            _ => None,
        })
    }

    fn give(&mut self, stack: StateId, entry: Leaving) {
        if let State::Stack(entries) = self.heap.change(stack) {
            entries.push(entry);
        }
    }

    /// The callable that `push` registers for its argument: a manager's method, or else the argument itself.
    fn way_out(&mut self, exit: ValueId) -> Traced {
        match self.get(exit)? {
            Value::Function(_) | Value::Method { .. } | Value::Partial(..) | Value::BoundBuiltin { .. } => Ok(exit),
            Value::State(state) if self.heap.sort(state) == Sort::Stack => {
                Ok(self.value(Value::Exit(Context::Stack(exit), exit)))
            }
            Value::Object(..) => {
                let method = self.special(exit, "__exit__")?;
                method.ok_or_else(|| self.not_pushed(exit))
            }
            _ => Err(self.not_pushed(exit)),
        }
    }

    fn not_pushed(&mut self, exit: ValueId) -> Reason {
        Reason::new(Kind::Context, format!("`{EXIT_STACK}` with {}.", self.describe(exit)))
    }

    /// Leaves everything in a stack, told of an exception or of none. True if it was given one, and it ends there.
    pub(in crate::trace) fn unwind(&mut self, stack: StateId, exception: Option<ValueId>) -> Traced<bool> {
        let (mut current, mut is_new, mut ends) = (exception, false, false);
        while let Some(entry) = self.last_given(stack) {
            match self.leave_entry(entry, current) {
                Ok(true) => (current, is_new, ends) = (None, false, true),
                Ok(false) => {}
                Err(reason) if reason.kind == Kind::Raised => match self.exception_of(&reason) {
                    Some(raised) => {
                        self.caught(raised);
                        (current, is_new) = (Some(raised), true);
                    }
                    None => return Err(reason),
                },
                Err(reason) => return Err(reason),
            }
        }
        match current {
            Some(raised) if is_new => Err(self.raise(raised)?),
            _ => Ok(exception.is_some() && ends),
        }
    }

    fn last_given(&mut self, stack: StateId) -> Option<Leaving> {
        match self.heap.get(stack) {
            State::Stack(entries) if entries.is_empty() => None,
            State::Stack(_) => match self.heap.change(stack) {
                State::Stack(entries) => entries.pop(),
                _ => None,
            },
            _ => None,
        }
    }

    /// True if what is left says that the exception ends there.
    fn leave_entry(&mut self, entry: Leaving, exception: Option<ValueId>) -> Traced<bool> {
        match (entry, exception) {
            (Leaving::Callback(function, args, keywords), _) => {
                self.call(function, args, keywords)?;
                Ok(false)
            }
            (Leaving::Exit(exit), None) => {
                let none = self.none();
                let said = self.call(exit, vec![none; 3], vec![])?;
                self.truth(said)
            }
            (Leaving::Exit(exit), Some(exception)) => {
                let said = self.leave_with(exit, exception)?;
                self.truth(said)
            }
        }
    }

    /// `__exit__` of a stack that no exception leaves.
    pub(in crate::trace) fn leave_stack(&mut self, stack: ValueId) -> Traced {
        if let Some(stack) = self.exit_stack(stack)? {
            self.unwind(stack, None)?;
        }
        Ok(self.constant(Constant::Bool(false)))
    }
}
