//! Inference mode: tensors are made that can never record gradients.
//!
//! Entering and leaving are nodes of the graph, as in torch's own; both set whether autograd records, too. A call that
//! may fail when the graph runs is not traced inside: nobody would leave the mode.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            context::Inference,
            modes::{ENTER_INFERENCE, EXIT_INFERENCE, EnteredInference},
            value::{Value, ValueId},
        },
    },
};
use fx::Arg;
use guards::Constant;

impl Tracer<'_> {
    /// A manager that is made with this argument, or without one.
    pub(in crate::trace) fn make_inference(&mut self, mode: Option<ValueId>) -> Traced<Inference> {
        let unknown = || Reason::new(Kind::Context, "`inference_mode` of something that is no bool.");
        let enabled = match mode.map(|mode| self.get(mode)).transpose()? {
            None => true,
            Some(Value::Const(Constant::Bool(enabled))) => enabled,
            Some(_) => return Err(unknown()),
        };
        Ok(Inference { enabled, grad_after: self.modes.grad })
    }

    /// Enters a manager.
    pub(in crate::trace) fn enter_inference(&mut self, inference: Inference) -> Traced<Inference> {
        if !self.options.inference {
            return Err(Reason::new(Kind::Context, "`inference_mode`, of which the backend makes no graph."));
        }
        if self.graph.effects.retries {
            return Err(Reason::new(Kind::MayFail, "`inference_mode`."));
        }
        let node = self.emit_effect(ENTER_INFERENCE, vec![Arg::Bool(inference.enabled)]);
        self.graph.lowered.lacks(ENTER_INFERENCE);
        self.modes.inference.entered.push(EnteredInference {
            node,
            inference: self.modes.inference.current,
            grad: self.modes.grad,
        });
        let entered = Inference { grad_after: self.modes.grad, ..inference };
        (self.modes.inference.current, self.modes.grad) = (inference.enabled, !inference.enabled);
        Ok(entered)
    }

    /// Leaves the manager that was entered last.
    pub(in crate::trace) fn leave_inference(&mut self) -> Traced<()> {
        let entered = self.modes.inference.entered.pop().ok_or_else(|| raised("RuntimeError: no inference mode"))?;
        self.emit_effect(EXIT_INFERENCE, vec![Arg::Node(entered.node)]);
        (self.modes.inference.current, self.modes.grad) = (entered.inference, entered.grad);
        Ok(())
    }

    /// Ends the graph outside of every manager that it entered; gives whether autograd records there.
    pub(in crate::trace) fn restore_inference(&mut self) -> bool {
        for entered in self.modes.inference.entered.clone().into_iter().rev() {
            self.emit_effect(EXIT_INFERENCE, vec![Arg::Node(entered.node)]);
        }
        self.modes.inference.entered.first().map_or(self.modes.grad, |first| first.grad)
    }
}
