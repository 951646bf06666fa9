//! Keys of dicts and items of sets that are equal to themselves only: tensors and functions.
//!
//! Invariant: a tensor is a key only where the trace knows which of the others it is: an input, which is guarded to be
//! none of the other keys, or the result of an operator that always gives a new tensor.

use super::{
    Traced, Tracer,
    value::{Key, ValueId},
};
use crate::{
    host::Obj,
    reason::{Kind, Reason},
};
use fx::NodeId;
use guards::SourceId;

impl Tracer<'_> {
    /// A tensor as a key.
    pub(super) fn key_of_tensor(&mut self, tensor: ValueId, node: NodeId) -> Traced<Key> {
        let first = self.first_name(node);
        match self.source(tensor) {
            Some(source) if self.is_input(first) => self.keep_key(source),
            None if self.is_made(first) => {}
            _ => return Err(self.no_key(tensor)),
        }
        Ok(Key::Tensor(first))
    }

    /// A Python function as a key, if it is one of the caller's.
    pub(super) fn key_of_function(&mut self, function: ValueId, object: Option<Obj>) -> Traced<Key> {
        let object = object.ok_or_else(|| self.no_key(function))?;
        if let Some(source) = self.source(function) {
            self.keep_key(source);
        }
        Ok(Key::Obj(object))
    }

    /// Has what is a key be none of the other keys again.
    pub(super) fn keep_key(&mut self, source: SourceId) {
        if !self.keyed.contains(&source) {
            self.keyed.push(source);
        }
    }

    /// True for a tensor of which the trace knows whether it is another one with this property.
    pub(super) fn has_identity(&self, node: NodeId) -> bool {
        let first = self.first_name(node);
        self.is_input(first) || self.is_made(first)
    }

    fn no_key(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("{} as a key.", self.describe(value)))
    }
}
