//! Making objects of the program's classes anew.
//!
//! Invariant: no code of the class runs: what its `__init__` and `__setattr__` did is in the attributes already.

use super::{Output, construct};
use crate::{
    bytecode::Const,
    trace::{
        Traced,
        value::{State, StateId},
    },
};

impl Output<'_, '_> {
    /// Pushes an object that the program has made; it is known before its attributes, which may lead back to it.
    pub(super) fn push_instance(&mut self, state: StateId) -> Traced<()> {
        if let Some(&local) = self.states.get(&state) {
            self.builder.load_local(local);
            return Ok(());
        }
        let State::Instance(instance) = self.t.heap.get(state).clone() else { return Err(construct("an object")) };
        self.call_named("builtins.object.__new__", 1, |out| out.push(instance.class))?;
        self.keep_state(state);
        let local = self.states[&state];
        for (name, value) in instance.attrs {
            self.call_named("builtins.object.__setattr__", 3, |out| {
                out.builder.load_local(local);
                out.builder.load_const(Const::Str(name));
                out.push(value)
            })?;
            self.builder.pop();
        }
        Ok(())
    }
}
