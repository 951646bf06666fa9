//! Guards on the keys of input dicts, one by one or as a whole, and on the presence of attributes.
//!
//! Invariants:
//! - A read of a dict's state by `Heap::get` reads it as a whole: all of its keys are
//!   guarded, in their order. Only the functions here read a single key.
//! - A key that is present is guarded by the guards on its value, or, if there are none, by a guard of its own. A key
//!   that is absent has a guard of its own.

use crate::trace::{
    Traced, Tracer,
    core::{
        state::{Key, Sort, State, StateId, Table},
        value::{Value, ValueId},
    },
};
use guards::{Collection, Constant, Element, Guard, GuardKind, Source, SourceId, Step};
use rustc_hash::FxHashSet;

impl Tracer<'_> {
    /// The value that a dict has for a key, if any; for a dict of the caller's, whether the key is there is guarded.
    pub(in crate::trace) fn value_at(&mut self, dict: StateId, key: &Key) -> Option<ValueId> {
        let value = self.heap.value_at(dict, key);
        match (self.asked_key(dict, key), value) {
            (None, _) => {}
            (Some((source, element)), None) => self.guard(source, GuardKind::DictNotContains(element)),
            (Some((source, element)), Some(value)) => match self.source(value) {
                Some(place) => {
                    let guard = Guard::new(source, GuardKind::DictContains(element)).at(self.place());
                    self.guards.asked.found.push((guard, place));
                }
                None => self.guard(source, GuardKind::DictContains(element)),
            },
        }
        value
    }

    /// Guards that an attribute is there, unless something is guarded of its value.
    pub(in crate::trace) fn found_attr(&mut self, of: SourceId, name: &str, place: SourceId) {
        let (of, kind) = match self.sources.get(place) {
            Some(Source::Step { base, step: Step::Item(_) }) => {
                let name = self.sources.constant(Constant::Str(name.to_owned()));
                (base, GuardKind::DictContains(Element::Constant(name)))
            }
            Some(Source::Step { step: Step::GenericAttr(_), .. }) => (place, GuardKind::Present),
            _ => (of, GuardKind::HasAttr(self.sources.string(name), true)),
        };
        let guard = Guard::new(of, kind).at(self.place());
        self.guards.asked.found.push((guard, place));
    }

    /// Guards that a variable or a member of a class is there, unless something is guarded of its value.
    pub(in crate::trace) fn found_variable(&mut self, place: SourceId) {
        let guard = Guard::new(place, GuardKind::Present).at(self.place());
        self.guards.asked.found.push((guard, place));
    }

    /// Whether a dict has a key.
    pub(in crate::trace) fn has_key(&mut self, dict: StateId, key: &Key) -> bool {
        let has = self.heap.value_at(dict, key).is_some();
        if let Some((source, element)) = self.asked_key(dict, key) {
            let kind = if has { GuardKind::DictContains(element) } else { GuardKind::DictNotContains(element) };
            self.guard(source, kind);
        }
        has
    }

    /// Whether two dicts are equal; a dict and another container are not. `None` without a dict, or with what is no
    /// container.
    pub(in crate::trace) fn are_equal_dicts(&mut self, a: ValueId, b: ValueId) -> Traced<Option<bool>> {
        let sort = |t: &Self, value: ValueId| match t.objects.values[value] {
            Value::State(state) => Some((t.heap.sort(state), state)),
            _ => None,
        };
        let (one, other) = match (sort(self, a), sort(self, b)) {
            (Some((Sort::Dict, one)), Some((Sort::Dict, other))) => (one, other),
            (Some((Sort::Dict, _)), Some((Sort::List | Sort::Set, _)))
            | (Some((Sort::List | Sort::Set, _)), Some((Sort::Dict, _))) => return Ok(Some(false)),
            _ => return Ok(None),
        };
        let (State::Dict(items), State::Dict(others)) = (self.heap.get(one).clone(), self.heap.get(other).clone())
        else {
            return Ok(None);
        };
        match (self.heap.table(one), self.heap.table(other)) {
            // To them a key that is missing counts as one with zero.
            (Table::Counter, Table::Counter) if !items.keys().all(|key| others.contains_key(key)) => return Ok(None),
            (Table::Counter, Table::Counter) if items.len() != others.len() => return Ok(None),
            (Table::Ordered, Table::Ordered) if !items.keys().eq(others.keys()) => return Ok(Some(false)),
            _ => {}
        }
        if items.len() != others.len() {
            return Ok(Some(false));
        }
        for (key, (_, x)) in items {
            let Some(&(_, y)) = others.get(&key) else { return Ok(Some(false)) };
            if !self.is_same_or_equal(x, y)? {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    /// The source of a dict, and its key as guards have it; `None` if nothing is to be guarded. Of keys that guards
    /// cannot ask for all are guarded.
    fn asked_key(&mut self, dict: StateId, key: &Key) -> Option<(SourceId, Element)> {
        let source = self.guards.asked.open(dict)?;
        match key {
            Key::Const(constant) if is_plain(constant) => {
                Some((source, Element::Constant(self.sources.constant(constant.clone()))))
            }
            _ => {
                self.guard_all_keys(dict);
                None
            }
        }
    }

    /// Guards all keys of the dicts that were read as a whole.
    pub(in crate::trace) fn guard_keys(&mut self) {
        for dict in self.heap.take_read() {
            self.guard_all_keys(dict);
        }
    }

    fn guard_all_keys(&mut self, dict: StateId) {
        if let Some(source) = self.guards.asked.open(dict)
            && let Some((_, keys)) = self.guards.asked.keys.get(&dict)
        {
            let keys = keys.clone();
            self.guard_key_order(dict, source, keys);
            self.guards.asked.whole.push(dict);
        }
    }

    fn guard_key_order(&mut self, dict: StateId, source: SourceId, keys: Vec<Element>) {
        if self.heap.origin(dict).is_some_and(|obj| self.is_read_only(obj)) {
            return self.guard(source, GuardKind::MappingKeysCheck(keys));
        }
        if self.heap.table(dict) != Table::Ordered {
            return self.guard(source, GuardKind::DictKeysMatch(keys));
        }
        // The order is not that of the dict below.
        self.guard(source, GuardKind::SequenceLength(keys.len() as u32, Collection::Sequence));
        for (place, key) in (0..).zip(keys) {
            if let Element::Constant(key) = key {
                let place = self.sources.step(source, Step::SetItem(place));
                self.guard(place, GuardKind::EqualsMatch(key));
            }
        }
    }

    /// Guards the keys, attributes and variables that were found and whose values nothing is guarded of.
    pub(in crate::trace) fn guard_presence(&mut self) {
        let mut guarded: FxHashSet<SourceId> = FxHashSet::default();
        for guard in &self.guards.emitted {
            let mut next = Some(guard.source);
            while let Some(source) = next.filter(|&source| guarded.insert(source)) {
                next = self.sources.get(source).and_then(Source::base);
            }
        }
        let whole: Vec<SourceId> = self
            .guards
            .asked
            .whole
            .iter()
            .filter_map(|dict| self.guards.asked.keys.get(dict))
            .map(|&(source, _)| source)
            .collect();
        for (guard, value) in std::mem::take(&mut self.guards.asked.found) {
            if !guarded.contains(&value) && !whole.contains(&guard.source) {
                self.guards.emitted.push(guard);
            }
        }
    }
}

/// True for keys of which a guard finds the equal ones.
fn is_plain(constant: &Constant) -> bool {
    matches!(constant, Constant::None | Constant::Bool(_) | Constant::Int(_) | Constant::Str(_) | Constant::Bytes(_))
}
