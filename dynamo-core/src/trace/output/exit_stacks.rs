//! Making stacks of managers anew, for code that leaves them after the graph.

use super::{Output, construct};
use crate::trace::{
    Traced,
    core::{
        context::{Context, EXIT_STACK},
        state::{Leaving, StateId},
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
                    // It was entered when it was made.
                    Value::Exit(Context::Generator(_), manager) => self.call_method("push", manager)?,
                    Value::Exit(context, manager) => {
                        self.call_method("enter_context", manager)?;
                        self.entered.push(context);
                    }
                    _ => self.call_method("push", exit)?,
                },
                Leaving::Callback(function, args, keywords) => self.push_callback(function, &args, &keywords)?,
            }
            self.builder.pop();
        }
        Ok(())
    }

    /// Calls a method of what is on the top, and leaves that there, below the result.
    fn call_method(&mut self, name: &str, arg: ValueId) -> Traced<()> {
        self.builder.copy(1);
        self.builder.load_method(name);
        self.push(arg)?;
        self.builder.call(1);
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
}
