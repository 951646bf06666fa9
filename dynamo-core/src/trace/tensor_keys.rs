//! Tensors as keys of dicts: each is equal to itself only, as `Tensor.__hash__` has it. Optimisers keep their state so.
//!
//! Invariant: a key is a tensor of the caller's, by its object. Its value is read by way of the key's place in the
//! dict, and all keys of the dict are guarded by identity, in their order. A tensor that is found in other ways too is
//! guarded to be the key that it is, or none of the keys.

use super::{
    Traced, Tracer,
    value::{Key, ValueId},
};
use crate::{
    host::Obj,
    reason::{Kind, Reason},
};
use guards::{GuardKind, SourceId, Step};

impl Tracer<'_> {
    /// An entry of a dict of the caller's whose key is a tensor: the key, and key and value as they are tracked.
    pub(super) fn tensor_entry(
        &mut self,
        place: u32,
        key: Obj,
        value: Obj,
        dict: Option<SourceId>,
    ) -> (Key, (ValueId, ValueId)) {
        let entry = match dict {
            Some(dict) => {
                let at = self.sources.step(dict, Step::SetItem(place));
                let of = self.sources.item_of(dict, at);
                self.tensor_keys.push((key, at));
                (self.lazy(key, at), self.lazy(value, of))
            }
            None => {
                use super::value::Value::Lazy;
                (self.value(Lazy(key)), self.value(Lazy(value)))
            }
        };
        (Key::Obj(key), entry)
    }

    /// A tensor of the caller's as a key. Tensors that are two have to be so again.
    pub(super) fn key_of_tensor(&mut self, tensor: ValueId) -> Traced<Key> {
        let obj = self.known.iter().find(|&(_, &known)| known == tensor).map(|(&obj, _)| obj);
        let (Some(obj), Some(source)) = (obj, self.source(tensor)) else {
            return Err(Reason::new(Kind::Operator, "A tensor as a key that the function has made."));
        };
        if !self.keyed.contains(&source) {
            self.keyed.push(source);
        }
        Ok(Key::Obj(obj))
    }

    /// Guards which of the tensors that were found are keys of the caller's dicts, and that the others are none.
    pub(super) fn guard_tensor_keys(&mut self) {
        let keys = std::mem::take(&mut self.tensor_keys);
        for &(obj, place) in &keys {
            let found = self.known.get(&obj).and_then(|&known| self.source(known));
            let found = found.or_else(|| keys.iter().find(|(other, _)| *other == obj).map(|&(_, first)| first));
            if let Some(found) = found.filter(|&found| found != place) {
                self.guard(place, GuardKind::DuplicateInput(found));
            }
            let source = found.unwrap_or(place);
            if !self.keyed.contains(&source) {
                self.keyed.push(source);
            }
        }
    }
}
