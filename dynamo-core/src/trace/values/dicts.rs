//! Dicts: their entries.

use crate::{
    reason::raised,
    trace::{
        Traced, Tracer,
        core::{
            state::{State, StateId, Table},
            value::{Value, ValueId},
        },
    },
};

impl Tracer<'_> {
    /// `dict[key]`
    pub(in crate::trace) fn dict_item(&mut self, dict: ValueId, state: StateId, given: ValueId) -> Traced {
        let (text, key) = (self.describe(given), self.key(given)?);
        if let Some(value) = self.value_at(state, &key) {
            return Ok(value);
        }
        let missing = self.missing(dict, state, given)?;
        missing.ok_or_else(|| raised(&format!("KeyError: {text}")))
    }

    /// `dict[key] = value`
    pub(in crate::trace) fn set_dict_item(&mut self, state: StateId, key: ValueId, value: ValueId) -> Traced<()> {
        let (forced, key) = (self.force(key)?, self.key(key)?);
        if let State::Dict(items) = self.heap.change(state) {
            let kept = items.get(&key).map_or(forced, |&(kept, _)| kept);
            items.insert(key, (kept, value));
        }
        Ok(())
    }

    /// Has iterators over a dict lose their places: its last change has deleted keys.
    pub(in crate::trace) fn lose_places(&mut self, dict: StateId) {
        self.heap.note_deletion(dict);
        let values = &self.objects.values;
        let is_state = |value: ValueId| matches!(values[value], Value::State(state) if state == dict);
        self.heap.lose_places(|value| match values[value] {
            Value::DictView(of, _) => is_state(of),
            _ => is_state(value),
        });
    }

    /// `del dict[key]`
    pub(in crate::trace) fn delete_dict_item(&mut self, state: StateId, key: ValueId) -> Traced<()> {
        let key = self.key(key)?;
        let State::Dict(items) = self.heap.change(state) else { return Ok(()) };
        let gone = items.shift_remove(&key).is_some();
        if gone {
            self.lose_places(state);
        }
        // A counter has every key.
        if gone || self.heap.table(state) == Table::Counter { Ok(()) } else { Err(raised("KeyError")) }
    }
}
