//! `Tensor.grad`.
//!
//! Invariant: what is traced changes it by assignments alone, which are replayed; `backward` ends the graph.

use crate::{
    host::{Lookup, Obj},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// `tensor.grad` of a tensor of the caller's, read by way of it; a new tensor that requires no gradients has none.
    pub(in crate::trace) fn gradient(&mut self, tensor: ValueId) -> Traced {
        if let Value::Tensor(node) = self.objects.values[tensor]
            && self.is_fresh(node)
            && self.graph.torch[node].tensor_meta().is_some_and(|meta| !meta.requires_grad)
        {
            return Ok(self.none());
        }
        let found = self.callers_object(tensor);
        let (Some(obj), Some(source)) = (found, self.source(tensor)) else { return Err(self.no_attr(tensor, "grad")) };
        if self.written(obj, "grad").is_some() {
            return self.object_attr(tensor, obj, "grad");
        }
        match self.host.attr(obj, "grad") {
            Lookup::Found(grad) => {
                let source = self.sources.attr(source, "grad");
                Ok(self.lazy(grad, source))
            }
            _ => Err(self.no_attr(tensor, "grad")),
        }
    }

    /// `tensor.grad = new` of a tensor of the caller's: nothing, or another tensor like it. What torch refuses ends the
    /// graph.
    pub(in crate::trace) fn set_gradient(&mut self, tensor: ValueId, new: ValueId) -> Traced<()> {
        let (tensor, new) = (self.force(tensor)?, self.force(new)?);
        let obj = self.callers_object(tensor).filter(|_| self.source(tensor).is_some());
        let meta = |t: &Self, value| match t.objects.values[value] {
            Value::Tensor(node) => t.graph.torch[node].tensor_meta().cloned(),
            _ => None,
        };
        let is_fit = match (&self.objects.values[tensor], &self.objects.values[new]) {
            (_, Value::Const(Constant::None)) => true,
            (&Value::Tensor(this), &Value::Tensor(grad)) if self.first_name(this) != self.first_name(grad) => {
                match (meta(self, tensor), meta(self, new)) {
                    (Some(a), Some(b)) => (a.dtype, a.device, &a.sizes) == (b.dtype, b.device, &b.sizes),
                    _ => false,
                }
            }
            _ => false,
        };
        match obj {
            Some(obj) if is_fit => self.write_attr(tensor, obj, "grad", new),
            _ => return Err(self.no_change(tensor)),
        }
        Ok(())
    }

    /// The object that a tensor of the caller's is.
    fn callers_object(&self, tensor: ValueId) -> Option<Obj> {
        self.objects.known.iter().find(|&(_, &known)| known == tensor).map(|(&obj, _)| obj)
    }
}
