//! `Tensor.grad`.
//!
//! Invariant: nothing that is traced changes it: `backward` and assignments to it end the graph.

use super::{Traced, Tracer, value::ValueId};
use crate::host::Lookup;

impl Tracer<'_> {
    /// `tensor.grad` of a tensor of the caller's, read by way of it.
    pub(super) fn gradient(&mut self, tensor: ValueId) -> Traced {
        let found = self.known.iter().find(|&(_, &known)| known == tensor).map(|(&obj, _)| obj);
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
