//! Leaves of autograd: parameters of the caller's, and why the program makes none in a graph.
//!
//! A backend differentiates a graph with regard to its inputs. A tensor that the graph makes is none, so it would come
//! out of the graph as one that requires no gradients.

use crate::{
    host::{Lookup, Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{Keywords, Value, ValueId},
    },
};
use fx::NodeId;
use guards::{Constant, GuardKind, SourceId};

impl Tracer<'_> {
    /// Finds out whether autograd lets the program change the tensor of the caller's in whose memory a node is, and
    /// guards that it does.
    pub(in crate::trace) fn note_computed(&mut self, node: NodeId) {
        let input = self.first_name(self.whole(node));
        let requires_grad = self.graph.torch[input].tensor_meta().is_some_and(|meta| meta.requires_grad);
        let is_open = self.modes.grad && requires_grad && self.is_input(input);
        if !is_open || self.graph.computed.contains(&input) {
            return;
        }
        let is_input = |value: ValueId| matches!(self.objects.values[value], Value::Tensor(node) if self.first_name(node) == input);
        let found = self.objects.known.iter().find(|&(_, &value)| is_input(value)).map(|(&obj, &value)| (obj, value));
        if let Some((obj, value)) = found
            && let Some(source) = self.source(value)
            && self.is_computed(obj, source)
        {
            self.graph.computed.push(input);
        }
    }

    /// True for a tensor that a recorded call has computed, and that is no view of a leaf, under guards; and for one
    /// that autograd does not follow yet.
    fn is_computed(&mut self, tensor: Obj, source: SourceId) -> bool {
        if !matches!(self.host.view(tensor), View::Tensor(view) if view.requires_grad) {
            return true;
        }
        let Lookup::Found(base) = self.host.attr(tensor, "_base") else { return false };
        let of_base = self.sources.attr(source, "_base");
        if self.is_none_object(base) {
            if !self.has_history(tensor, source) {
                return false;
            }
            self.guard(of_base, GuardKind::NoneMatch);
            return true;
        }
        self.has_history(base, of_base)
    }

    /// True for a tensor that a recorded call has computed, under a guard.
    fn has_history(&mut self, tensor: Obj, source: SourceId) -> bool {
        match self.host.attr(tensor, "grad_fn") {
            Lookup::Found(history) if !self.is_none_object(history) => {
                let source = self.sources.attr(source, "grad_fn");
                self.guard(source, GuardKind::NotNoneMatch);
                true
            }
            _ => false,
        }
    }

    fn is_none_object(&mut self, obj: Obj) -> bool {
        matches!(self.host.view(obj), View::Constant(Constant::None))
    }

    /// True for a parameter of the caller's.
    pub(in crate::trace) fn is_parameter(&self, node: NodeId) -> bool {
        self.graph.parameters.contains(&self.first_name(node))
    }

    /// True for the result of a call that may give a parameter back which it is given.
    pub(in crate::trace) fn may_be_parameter(&mut self, value: ValueId) -> Traced<bool> {
        let Value::Tensor(of) = self.get(value)? else { return Ok(false) };
        let mut open = vec![self.first_name(of)];
        if self.is_parameter(of) {
            return Ok(false);
        }
        while let Some(node) = open.pop() {
            let node = self.first_name(node);
            if self.is_parameter(node) && self.may_be_same(node, of) {
                return Ok(true);
            }
            if !self.is_input(node) && !self.is_fresh(node) && !self.is_new_object(node) {
                open.extend(self.graph.torch[node].inputs());
            }
        }
        Ok(false)
    }

    /// True unless the metadata of two nodes tells that they give two tensors.
    fn may_be_same(&self, a: NodeId, b: NodeId) -> bool {
        match (self.graph.torch[a].tensor_meta(), self.graph.torch[b].tensor_meta()) {
            (Some(a), Some(b)) => (a.dtype, a.device, &a.sizes) == (b.dtype, b.device, &b.sizes),
            _ => true,
        }
    }

    /// Ends the graph before a call that makes a leaf which requires gradients, or a parameter.
    pub(in crate::trace) fn makes_no_leaf(&mut self, target: &str, keywords: &Keywords) -> Traced<()> {
        if matches!(target, "torch.nn.parameter.Parameter" | "torch.nn.parameter.Buffer") {
            return Err(Reason::new(Kind::Call, format!("`{target}`, which makes a leaf.")));
        }
        let Some(&(_, given)) = keywords.iter().find(|(name, _)| name == "requires_grad") else { return Ok(()) };
        match self.get(given)? {
            Value::Const(Constant::None | Constant::Bool(false)) => Ok(()),
            _ => Err(Reason::new(Kind::Call, format!("`{target}` with `requires_grad`, which makes a leaf."))),
        }
    }
}
