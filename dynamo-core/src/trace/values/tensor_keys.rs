//! Tensors as keys of dicts: each is equal to itself only, as `Tensor.__hash__` has it. Optimisers keep their state so.
//!
//! Invariant: a key is a tensor of the caller's, by its object. Its value is read by way of the key's place in the
//! dict, and all keys of the dict are guarded by identity, in their order. A tensor that is found in other ways too is
//! guarded to be the key that it is, or none of the keys.

use crate::{
    host::Obj,
    trace::{
        Tracer,
        core::{
            state::Key,
            value::{Value, ValueId},
        },
    },
};
use guards::{GuardKind, SourceId, Step};

impl Tracer<'_> {
    /// An entry of a dict of the caller's whose key is a tensor: the key, and key and value as they are tracked.
    pub(in crate::trace) fn tensor_entry(
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
                self.guards.tensor_keys.push((key, at));
                (self.lazy(key, at), self.lazy(value, of))
            }
            None => (self.value(Value::Lazy(key)), self.value(Value::Lazy(value))),
        };
        (Key::Obj(key), entry)
    }

    /// Guards which of the tensors that were found are keys of the caller's dicts, and that the others are none.
    pub(in crate::trace) fn guard_tensor_keys(&mut self) {
        let keys = std::mem::take(&mut self.guards.tensor_keys);
        for &(obj, place) in &keys {
            let found = self.objects.known.get(&obj).and_then(|&known| self.source(known));
            let found = found.or_else(|| keys.iter().find(|(other, _)| *other == obj).map(|&(_, first)| first));
            if let Some(found) = found.filter(|&found| found != place) {
                self.guard(place, GuardKind::DuplicateInput(found));
            }
            let source = found.unwrap_or(place);
            self.keep_key(source);
        }
    }
}
