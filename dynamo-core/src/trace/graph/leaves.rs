//! Leaves of autograd: parameters of the caller's, and why the program makes none in a graph.
//!
//! A backend differentiates a graph with regard to its inputs. A tensor that the graph makes is none, so it would come
//! out of the graph as one that requires no gradients.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{Keywords, Value, ValueId},
    },
};
use fx::NodeId;
use guards::Constant;

impl Tracer<'_> {
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
