//! The modes of autograd: whether it records, as `no_grad`, `enable_grad` and `set_grad_enabled` say.
//!
//! Entering and leaving are nodes of the graph, as in torch's own. What the mode is while tracing stands in
//! `Modes::grad`; the graph ends in the mode in which it began, and code that goes on inside of a context enters it
//! anew.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::{Class, Grad},
            modes::SET_GRAD,
            value::{Value, ValueId},
        },
    },
};
use fx::{Arg, NodeId};
use guards::Constant;

impl Tracer<'_> {
    /// A call of one of the classes.
    pub(in crate::trace) fn make_grad(&mut self, class: Class, mode: Option<ValueId>) -> Traced<Grad> {
        let after = self.modes.grad;
        let inside = match (class, mode) {
            (Class::Never, None) => false,
            (Class::Always, None) => true,
            (Class::Given, Some(mode)) => match self.get(mode)? {
                Value::Const(Constant::Bool(_)) | Value::SymBool { .. } => self.truth(mode)?,
                _ => return Err(Reason::new(Kind::Call, "`set_grad_enabled` of something that is no bool.")),
            },
            _ => return Err(Reason::new(Kind::Call, format!("`{}` of a function.", class.name()))),
        };
        if class == Class::Given {
            self.set_grad(inside);
        }
        Ok(Grad { inside, after, class })
    }

    /// Enters a manager.
    pub(in crate::trace) fn enter_grad(&mut self, grad: Grad) -> Grad {
        let grad = if grad.class == Class::Given { grad } else { Grad { after: self.modes.grad, ..grad } };
        self.set_grad(grad.inside);
        grad
    }

    /// Enters a manager that the trace found: it is told of the mode before, as others may hold it, or have entered it.
    pub(in crate::trace) fn enter_grad_object(&mut self, manager: ValueId, grad: Grad) -> Traced<(ValueId, ValueId)> {
        let exit = self.get_attr(manager, "__exit__")?;
        let before = self.constant(Constant::Bool(self.modes.grad));
        self.set_attr(manager, "prev", before)?;
        self.set_grad(grad.inside);
        Ok((exit, self.none()))
    }

    /// `__exit__` of a manager that was entered before the trace began.
    pub(in crate::trace) fn leave_grad_object(&mut self, class: Class, this: ValueId) -> Traced {
        let previous = self.get_attr(this, "prev")?;
        match self.get(previous)? {
            Value::Const(Constant::Bool(mode)) => {
                self.set_grad(mode);
                Ok(self.none())
            }
            _ => Err(Reason::new(Kind::Context, format!("`{}`.", class.name()))),
        }
    }

    /// Sets the mode from here on.
    pub(in crate::trace) fn set_grad(&mut self, mode: bool) {
        // As torch has it, a manager that changes nothing is no node.
        if self.modes.grad != mode {
            self.put_grad(mode);
        }
    }

    /// `torch._C._set_grad_enabled(mode)`, which is a node whatever the mode is.
    pub(in crate::trace) fn put_grad(&mut self, mode: bool) {
        self.modes.grad = mode;
        self.call_set_grad(mode);
    }

    /// Ends the graph in the mode in which it began.
    pub(in crate::trace) fn restore_grad(&mut self) {
        let (entry, now) = (self.host.grad_enabled(), self.restore_inference());
        if now != entry {
            self.call_set_grad(entry);
        }
    }

    /// Drops each node that sets the mode where the next node sets it back, as torch does.
    pub(in crate::trace) fn drop_idle_modes(&mut self) {
        let nodes: Vec<NodeId> = self.graph.torch.nodes().collect();
        let mode_of = |node: NodeId| match (&*self.graph.torch[node].target, &self.graph.torch[node].args[..]) {
            (SET_GRAD, [Arg::Bool(mode)]) => Some(*mode),
            _ => None,
        };
        let (mut mode, mut dropped, mut at) = (self.host.grad_enabled(), Vec::new(), 0);
        while at < nodes.len() {
            let next = nodes.get(at + 1).copied().and_then(mode_of);
            match mode_of(nodes[at]) {
                Some(set) if set != mode && next == Some(mode) => {
                    dropped.extend_from_slice(&nodes[at..at + 2]);
                    at += 1;
                }
                Some(set) => mode = set,
                None => {}
            }
            at += 1;
        }
        if dropped.is_empty() {
            return;
        }
        let lowered: Vec<NodeId> = dropped.iter().filter_map(|&node| self.graph.lowered.of[node].expand()).collect();
        self.graph.torch.retain(|node| !dropped.contains(&node));
        self.graph.lowered.graph.retain(|node| !lowered.contains(&node));
    }

    fn call_set_grad(&mut self, mode: bool) {
        let node = self.emit_effect(SET_GRAD, vec![Arg::Bool(mode)]);
        self.graph.lowered.copy(&self.graph.torch, node);
        self.graph.lowered.forget_casts();
        // Where nothing is recorded anyway, the graph in overloads is run so as a whole.
        if mode && !self.host.grad_enabled() {
            self.graph.lowered.lacks(SET_GRAD);
        }
    }
}
