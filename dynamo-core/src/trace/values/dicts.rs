//! Dicts: their entries.

use crate::{
    reason::{Contents, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{State, StateId, Table},
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// `dict[key]`
    pub(in crate::trace) fn dict_item(&mut self, dict: ValueId, state: StateId, given: ValueId) -> Traced {
        let key = self.key(given)?;
        if let Some(value) = self.value_at(state, &key) {
            return Ok(value);
        }
        match self.missing(dict, state, given)? {
            Some(value) => Ok(value),
            None => Err(self.missing_key(given)?),
        }
    }

    /// The `KeyError` of a key that is not there.
    pub(in crate::trace) fn missing_key(&mut self, key: ValueId) -> Traced<Reason> {
        let reason = raised(&format!("KeyError: {}", self.describe(key)));
        let key = self.force(key)?;
        Ok(match self.objects.values[key] {
            // Some functions of CPython's raise the items of a tuple.
            Value::Tuple(_) | Value::Size(_) | Value::Record(..) | Value::Const(Constant::Tuple(_)) => reason,
            _ => reason.with(Contents::Key(key)),
        })
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
    pub(in crate::trace) fn delete_dict_item(&mut self, state: StateId, given: ValueId) -> Traced<()> {
        let key = self.key(given)?;
        let State::Dict(items) = self.heap.change(state) else { return Ok(()) };
        let gone = items.shift_remove(&key).is_some();
        if gone {
            self.lose_places(state);
        }
        // A counter has every key.
        if gone || self.heap.table(state) == Table::Counter { Ok(()) } else { Err(self.missing_key(given)?) }
    }
}
