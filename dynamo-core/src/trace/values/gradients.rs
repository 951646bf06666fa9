//! `Tensor.grad`.
//!
//! Invariant: nothing that is traced changes it: `backward` and assignments to it end the graph.

use crate::{
    host::Lookup,
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};

impl Tracer<'_> {
    /// `tensor.grad` of a tensor of the caller's, read by way of it; a new tensor that requires no gradients has none.
    pub(in crate::trace) fn gradient(&mut self, tensor: ValueId) -> Traced {
        if let Value::Tensor(node) = self.objects.values[tensor]
            && self.is_fresh(node)
            && self.graph.torch[node].tensor_meta().is_some_and(|meta| !meta.requires_grad)
        {
            return Ok(self.none());
        }
        let found = self.objects.known.iter().find(|&(_, &known)| known == tensor).map(|(&obj, _)| obj);
        let (Some(obj), Some(source)) = (found, self.source(tensor)) else { return Err(self.no_attr(tensor, "grad")) };
        match self.host.attr(obj, "grad") {
            Lookup::Found(grad) => {
                let source = self.sources.attr(source, "grad");
                Ok(self.lazy(grad, source))
            }
            _ => Err(self.no_attr(tensor, "grad")),
        }
    }
}
