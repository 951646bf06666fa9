//! Making stacks of managers anew, for code that leaves them after the graph.

use super::{Output, construct};
use crate::trace::{
    Traced,
    core::{
        context::{Context, EXIT_STACK},
        state::{Leaving, Sort, State, StateId},
        value::{Value, ValueId},
    },
};

impl Output<'_, '_> {
    /// Pushes a new stack that is given again what is to be left.
    pub(super) fn push_exit_stack(&mut self, state: StateId, entries: Vec<Leaving>) -> Traced<()> {
        self.call_named(EXIT_STACK, 0, |_| Ok(()))?;
        self.keep_state(state);
        for entry in entries {
            match entry {
                Leaving::Exit(exit) => match self.t.objects.values[exit].clone() {
                    Value::Exit(Context::Stack(_), _) => return Err(construct("a stack of managers in another one")),
                    Value::Exit(_, manager) => {
                        self.builder.copy(1);
                        self.builder.load_method("enter_context");
                        self.push(manager)?;
                        self.builder.call(1);
                    }
                    _ => {
                        self.builder.copy(1);
                        self.builder.load_method("push");
                        self.push(exit)?;
                        self.builder.call(1);
                    }
                },
                Leaving::Callback(function, args, keywords) => self.push_callback(function, &args, &keywords)?,
            }
            self.builder.pop();
        }
        Ok(())
    }

    /// Calls the method `callback` of what is on the top, and leaves that there, below the result.
    fn push_callback(&mut self, function: ValueId, args: &[ValueId], keywords: &[(String, ValueId)]) -> Traced<()> {
        self.builder.copy(1);
        self.builder.load_attr("callback");
        let method = self.fresh("callback");
        self.builder.store_local(method);
        self.builder.callee(|builder| builder.take_local(method));
        self.call_with(function, args, keywords)
    }

    /// The ways out among values and in the stacks among them, outermost first.
    pub(super) fn managers(&self, values: &[ValueId]) -> Vec<ValueId> {
        let (mut found, mut seen) = (Vec::new(), Vec::new());
        let mut open: Vec<ValueId> = values.iter().rev().copied().collect();
        while let Some(value) = open.pop() {
            let value = self.t.objects.forced.get(&value).copied().unwrap_or(value);
            match self.t.objects.values[value] {
                Value::Exit(Context::Stack(stack), _) => open.push(stack),
                Value::Exit(..) => found.push(value),
                Value::State(state) if self.t.heap.sort(state) == Sort::Stack && !seen.contains(&state) => {
                    seen.push(state);
                    if let State::Stack(entries) = self.t.heap.get(state) {
                        open.extend(entries.iter().rev().filter_map(|entry| match entry {
                            Leaving::Exit(exit) => Some(*exit),
                            Leaving::Callback(..) => None,
                        }));
                    }
                }
                _ => {}
            }
        }
        found
    }
}
