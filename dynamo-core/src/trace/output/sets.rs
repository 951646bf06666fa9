//! Sets, made as the program has made them: the order in which they give their items depends on that.
//!
//! Invariant: a set that is made of one of the caller's is made before that one changes.

use super::{Opaque, Output, construct};
use crate::{
    bytecode::{LocalId, Op},
    host::{SetHistory, SetOperand},
    trace::{
        Traced,
        core::{
            state::{CallOperand, Made, SetCall, SetCalls, Sort, State, StateId},
            value::{Value, ValueId},
        },
        python::sets::Items,
    },
};

/// The values that code needs to repeat the calls that made a set.
pub(super) fn parts(made: &Made) -> Vec<ValueId> {
    let Made::Again(calls) = made else { return Vec::new() };
    let (mut found, mut open) = (Vec::new(), vec![calls]);
    while let Some(calls) = open.pop() {
        match calls {
            SetCalls::Callers(set) => found.push(*set),
            SetCalls::Known(_) => {}
            SetCalls::Then(call) => {
                open.push(&call.on);
                for operand in &call.operands {
                    match operand {
                        CallOperand::Item(item) => found.push(*item),
                        CallOperand::Items(items) | CallOperand::Keys(items) => found.extend(items),
                        CallOperand::Set(calls) => open.push(calls),
                    }
                }
            }
        }
    }
    found
}

impl Output<'_, '_> {
    /// A set that the program has made by calls which code repeats.
    pub(super) fn called_set(&self, value: ValueId) -> Option<StateId> {
        let Value::State(state) = self.t.objects.values[value] else { return None };
        if self.t.heap.sort(state) != Sort::Set || self.t.heap.origin(state).is_some() {
            return None;
        }
        matches!(self.t.heap.get(state), State::Set(_, Made::Again(_))).then_some(state)
    }

    /// Pushes a set that the program has made.
    pub(super) fn push_set(&mut self, state: StateId, items: Items, made: &Made) -> Traced<()> {
        match made {
            Made::By(Some(step)) if items.len() > 1 || step.count > 1 => {
                self.push_history(&Some(step.clone()));
                self.keep_state(state);
            }
            Made::By(_) => {
                self.new_state(state, |builder| {
                    builder.emit(Op::BuildSet, 0);
                });
                for item in items.into_values() {
                    self.push_key(item)?;
                    self.builder.emit(Op::SetAdd, 1);
                }
            }
            Made::Again(calls) => {
                self.push_calls(calls)?;
                self.keep_state(state);
            }
            Made::Found | Made::Otherwise => return Err(construct("a set whose order cannot be repeated")),
        }
        Ok(())
    }

    /// Repeats what the program did with a set of the caller's.
    pub(super) fn change_set(&mut self, made: &Made) -> Traced<()> {
        let Made::Again(calls) = made else {
            return Err(construct("a change of a set whose order cannot be repeated"));
        };
        self.push_calls(calls)?;
        self.builder.pop();
        Ok(())
    }

    /// Repeats on a new object, whose class comes from `set`, what the program did with it, by the methods of `set`.
    pub(super) fn fill_set(&mut self, object: LocalId, made: &Made) -> Traced<()> {
        match made {
            Made::By(history) => {
                let (mut step, mut steps) = (history, Vec::new());
                while let Some(known) = step {
                    steps.push(known);
                    step = &known.before;
                }
                for step in steps.into_iter().rev() {
                    self.call_of_set(object, step.method, |out| {
                        step.operands.iter().try_for_each(|operand| out.push_operand(operand))?;
                        Ok(step.operands.len())
                    })?;
                }
                Ok(())
            }
            Made::Again(calls) => {
                let (mut at, mut later) = (calls, Vec::new());
                while let SetCalls::Then(call) = at {
                    later.push(call);
                    at = &call.on;
                }
                let SetCalls::Known(history) = at else { return Err(construct("a set of another one")) };
                self.fill_set(object, &Made::By(history.clone()))?;
                for call in later.into_iter().rev() {
                    self.call_of_set(object, call.method, |out| {
                        out.push_operands(&call.operands)?;
                        Ok(call.operands.len())
                    })?;
                }
                Ok(())
            }
            Made::Found | Made::Otherwise => Err(construct("a set whose order cannot be repeated")),
        }
    }

    /// Calls a method of `set` on an object, and drops what it gives; `operands` pushes so many.
    fn call_of_set(
        &mut self,
        object: LocalId,
        method: &str,
        operands: impl FnOnce(&mut Self) -> Traced<usize>,
    ) -> Traced<()> {
        let callee = self.constant(Opaque::Named(format!("builtins.set.{method}")));
        self.builder.callee(|builder| builder.load_const(callee));
        self.builder.load_local(object);
        let count = operands(self)?;
        self.builder.call(count as u32 + 1);
        self.builder.pop();
        Ok(())
    }

    fn push_operand(&mut self, operand: &SetOperand) -> Traced<()> {
        match operand {
            SetOperand::Item(item) => self.load_constant(item),
            SetOperand::Items(items) => {
                items.iter().try_for_each(|item| self.load_constant(item))?;
                self.builder.build_tuple(items.len() as u32);
                Ok(())
            }
            SetOperand::Keys(keys) => self.call_named("builtins.dict.fromkeys", 1, |out| {
                keys.iter().try_for_each(|key| out.load_constant(key))?;
                out.builder.build_tuple(keys.len() as u32);
                Ok(())
            }),
            SetOperand::Set(history) => {
                self.push_history(history);
                Ok(())
            }
            SetOperand::Frozen(_) => Err(construct("a set of a frozen one")),
        }
    }

    fn push_history(&mut self, history: &SetHistory) {
        let maker = self.constant(Opaque::Set(history.clone()));
        self.builder.callee(|builder| builder.load_const(maker));
        self.builder.call(0);
    }

    /// Pushes the set that calls lead to.
    fn push_calls(&mut self, calls: &SetCalls) -> Traced<()> {
        let (mut at, mut later) = (calls, Vec::new());
        while let SetCalls::Then(call) = at {
            later.push(call);
            at = &call.on;
        }
        match at {
            SetCalls::Callers(set) => self.push(*set)?,
            SetCalls::Known(history) => self.push_history(history),
            SetCalls::Then(_) => {}
        }
        later.into_iter().rev().try_for_each(|call| self.repeat(call))
    }

    /// Calls a method of the set on the top, and leaves the set that goes on.
    fn repeat(&mut self, call: &SetCall) -> Traced<()> {
        let changes = !call.makes();
        if changes {
            self.builder.copy(1);
        }
        self.builder.load_method(call.method);
        self.push_operands(&call.operands)?;
        self.builder.call(call.operands.len() as u32);
        if changes {
            self.builder.pop();
        }
        Ok(())
    }

    fn push_operands(&mut self, operands: &[CallOperand]) -> Traced<()> {
        for operand in operands {
            match operand {
                CallOperand::Item(item) => self.push_key(*item)?,
                CallOperand::Items(items) => {
                    items.iter().try_for_each(|&item| self.push_key(item))?;
                    self.builder.build_tuple(items.len() as u32);
                }
                CallOperand::Keys(keys) => self.call_named("builtins.dict.fromkeys", 1, |out| {
                    keys.iter().try_for_each(|&key| out.push_key(key))?;
                    out.builder.build_tuple(keys.len() as u32);
                    Ok(())
                })?,
                CallOperand::Set(calls) => self.push_calls(calls)?,
            }
        }
        Ok(())
    }
}
