//! `contextlib.ExitStack`: what it is given to leave, and how it leaves that.
//!
//! A stack that code goes on with is made anew, and given again what is in it.
//!
//! Invariant: what leaves a stack does so in the reverse order of its coming, each once, whatever the others raise.

use super::{
    Traced, Tracer,
    call::Keywords,
    context::Context,
    value::{Leaving, Sort, State, StateId, Value, ValueId},
};
use crate::reason::{Kind, Reason};
use guards::Constant;

/// The class.
pub(super) const CLASS: &str = "contextlib.ExitStack";

/// Its methods.
pub(super) const METHODS: &[&str] = &["callback", "close", "enter_context", "pop_all", "push"];

impl Tracer<'_> {
    /// A new stack.
    pub(super) fn make_exit_stack(&mut self, entries: Vec<Leaving>) -> ValueId {
        self.state(State::Stack(entries))
    }

    /// The state of a stack that the program has made; `None` for anything else.
    pub(super) fn exit_stack(&mut self, value: ValueId) -> Traced<Option<StateId>> {
        Ok(match self.get(value)? {
            Value::State(state) if self.heap.sort(state) == Sort::Stack => Some(state),
            _ => None,
        })
    }

    /// A method of a stack.
    pub(super) fn exit_stack_method(
        &mut self,
        stack: StateId,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced {
        match (name, args) {
            ("callback", [function, args @ ..]) => {
                self.give(stack, Leaving::Callback(*function, args.to_vec(), keywords.clone()));
                Ok(*function)
            }
            ("enter_context", &[manager]) if keywords.is_empty() => {
                let (exit, bound) = self.entered(manager)?;
                self.give(stack, Leaving::Exit(exit));
                Ok(bound)
            }
            ("push", &[exit]) if keywords.is_empty() => {
                let leaving = self.way_out(exit)?;
                self.give(stack, Leaving::Exit(leaving));
                Ok(exit)
            }
            ("pop_all", []) => {
                let State::Stack(entries) = self.heap.change(stack) else { return Ok(self.none()) };
                let entries = std::mem::take(entries);
                Ok(self.make_exit_stack(entries))
            }
            ("close", []) => {
                self.unwind(stack, None)?;
                Ok(self.none())
            }
            _ => Err(Reason::new(Kind::Context, format!("`{CLASS}.{name}`."))),
        }
    }

    fn give(&mut self, stack: StateId, entry: Leaving) {
        if let State::Stack(entries) = self.heap.change(stack) {
            entries.push(entry);
        }
    }

    /// What `push` calls of what it is given: a manager's method, or else the thing itself.
    fn way_out(&mut self, exit: ValueId) -> Traced {
        match self.get(exit)? {
            Value::Function(_) | Value::Method { .. } | Value::Partial(..) | Value::BoundBuiltin { .. } => Ok(exit),
            Value::State(state) if self.heap.sort(state) == Sort::Stack => {
                Ok(self.value(Value::Exit(Context::Stack(exit))))
            }
            Value::Object(..) => {
                let method = self.get_attr(exit, "__exit__").map_err(|reason| self.uncaught(reason))?;
                match self.get(method)? {
                    Value::Method { .. } => Ok(method),
                    _ => Err(self.not_pushed(exit)),
                }
            }
            _ => Err(self.not_pushed(exit)),
        }
    }

    fn not_pushed(&mut self, exit: ValueId) -> Reason {
        Reason::new(Kind::Context, format!("`{CLASS}.push` of {}.", self.describe(exit)))
    }

    /// Leaves everything in a stack, told of an exception or of none. True if it was given one, and it ends there.
    pub(super) fn unwind(&mut self, stack: StateId, exception: Option<ValueId>) -> Traced<bool> {
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
    pub(super) fn leave_stack(&mut self, stack: ValueId) -> Traced {
        if let Some(stack) = self.exit_stack(stack)? {
            self.unwind(stack, None)?;
        }
        Ok(self.constant(Constant::Bool(false)))
    }
}
