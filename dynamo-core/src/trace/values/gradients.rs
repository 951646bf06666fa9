//! `Tensor.grad`.
//!
//! Invariant: nothing that is traced changes it: `backward` and assignments to it end the graph.

use crate::{
    host::Lookup,
    trace::{Traced, Tracer, core::value::ValueId},
};

impl Tracer<'_> {
    /// `tensor.grad` of a tensor of the caller's, read by way of it.
    pub(in crate::trace) fn gradient(&mut self, tensor: ValueId) -> Traced {
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
