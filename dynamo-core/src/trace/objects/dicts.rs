//! `__dict__` of objects: the attributes by name.
//!
//! Invariant: nobody sees the dict itself: what it shows is read from the object, and what is written to it is written
//! to the object.

use super::{Body, Instance, Tracer};
use crate::{
    host::View,
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            state::{Key, State, StateId},
            value::{Keywords, Value, ValueId},
        },
        python::containers,
    },
};
use guards::{Constant, Element, GuardKind};
use indexmap::{IndexMap, IndexSet};

impl Tracer<'_> {
    /// The value that `object.__dict__` has for a key.
    pub(in crate::trace) fn dict_entry(&mut self, object: ValueId, key: ValueId) -> Traced<Option<ValueId>> {
        let Value::Const(Constant::Str(name)) = self.get(key)? else { return Err(self.no_entry(object)) };
        let instance = self.dict_owner(object)?;
        if matches!(instance.body, Body::Found(obj) if self.was_deleted(obj, &name)) {
            return Ok(None);
        }
        let found = self.own_attr_of(instance, &name)?;
        let Body::Found(obj) = instance.body else { return Ok(found) };
        if found.is_none() {
            if let Some(source) = self.source(instance.this) {
                let name = self.sources.string(&name);
                self.guard(source, GuardKind::NotPresentInGenericDict(name));
            }
        } else if !self.names_written(obj).any(|written| written == name) {
            // Where the value is only handed on, nothing else asks whether it is there.
            let Some(dict) = self.own_source(instance, "__dict__") else { return Err(self.no_entry(object)) };
            let key = self.sources.constant(Constant::Str(name));
            self.guard(dict, GuardKind::DictContains(Element::Constant(key)));
        }
        Ok(found)
    }

    /// The object whose `__dict__` is read or written, all of whose attributes are in it: those of `__slots__` are
    /// read as others are, but are no entries.
    fn dict_owner(&mut self, object: ValueId) -> Traced<Instance> {
        let instance = self.instance_of(object, "__dict__")?;
        if self.has_no_slots(instance) { Ok(instance) } else { Err(self.no_entry(object)) }
    }

    fn no_entry(&mut self, object: ValueId) -> Reason {
        Reason::new(Kind::Attribute, format!("`__dict__` of {}.", self.describe(object)))
    }

    /// A method of `object.__dict__`.
    pub(in crate::trace) fn call_dict_of(
        &mut self,
        object: ValueId,
        method: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced {
        match (method, args, &keywords[..]) {
            ("get", &[key, ref default @ ..], []) if default.len() < 2 => {
                let default = default.first().copied();
                Ok(self.dict_entry(object, key)?.or(default).unwrap_or_else(|| self.none()))
            }
            _ => {
                let copy = match method {
                    "keys" | "values" | "items" => self.dict_shown(object)?,
                    "copy" => self.dict_copy(object)?,
                    _ => return Err(self.no_entry(object)),
                };
                containers::call_method(self, copy, method, args, keywords)
            }
        }
    }

    /// A dict of the entries of `object.__dict__`, over which a view or an iterator goes; it changes as the object
    /// does.
    pub(in crate::trace) fn dict_shown(&mut self, object: ValueId) -> Traced {
        let (object, copy) = (self.force(object)?, self.dict_copy(object)?);
        if let Value::State(state) = self.objects.values[copy] {
            self.objects.dict_copies.push((object, state));
        }
        Ok(copy)
    }

    /// The object whose `__dict__` a state shows.
    pub(in crate::trace) fn object_shown(&self, state: StateId) -> Option<ValueId> {
        self.objects.dict_copies.iter().find(|&&(_, copy)| copy == state).map(|&(object, _)| object)
    }

    /// Shows a change of an attribute where views and iterators go over an object's `__dict__`; `None` deletes it.
    pub(in crate::trace) fn show_change(&mut self, object: ValueId, name: &str, new: Option<ValueId>) {
        let shown = self.objects.dict_copies.iter().filter(|&&(of, _)| of == object);
        let copies: Vec<StateId> = shown.map(|&(_, state)| state).collect();
        for copy in copies {
            let constant = Constant::Str(name.to_owned());
            let (key, text) = (Key::Const(constant.clone()), self.constant(constant));
            let State::Dict(entries) = self.heap.change(copy) else { continue };
            match new {
                Some(new) => entries.entry(key).or_insert((text, new)).1 = new,
                None => {
                    entries.shift_remove(&key);
                    self.lose_places(copy);
                }
            }
        }
    }

    /// A dict of the entries of `object.__dict__` as they are now.
    pub(in crate::trace) fn dict_copy(&mut self, object: ValueId) -> Traced {
        let instance = self.dict_owner(object)?;
        let mut entries = IndexMap::new();
        for (name, value) in self.entries_of_dict(instance)? {
            let key = Constant::Str(name);
            let name = self.constant(key.clone());
            entries.insert(Key::Const(key), (name, value));
        }
        Ok(self.state(State::Dict(entries)))
    }

    /// The entries of an object's `__dict__` as they are now, in their order. Of an object of the caller's the keys are
    /// guarded.
    pub(super) fn entries_of_dict(&mut self, instance: Instance) -> Traced<Vec<(String, ValueId)>> {
        let refused = |t: &mut Self| t.no_entry(instance.this);
        let obj = match instance.body {
            Body::Made(state) => {
                let State::Instance(made) = self.heap.get(state).clone() else { return Err(refused(self)) };
                return Ok(made.attrs.into_iter().collect());
            }
            Body::Found(obj) => obj,
        };
        let (Some(dict), Some(source)) = (self.host.dict_of(obj), self.own_source(instance, "__dict__")) else {
            return Err(refused(self));
        };
        // A module's parameters, buffers and modules are written elsewhere.
        if self.is_nn_module(instance) && self.has_written(obj) {
            return Err(refused(self));
        }
        let View::Dict(found) = self.host.view(dict) else { return Err(refused(self)) };
        let kind = GuardKind::DictKeysMatch(self.dict_keys(&found));
        self.guard(source, kind);
        let mut names: IndexSet<String> = IndexSet::new();
        for (key, _) in found {
            let View::Constant(Constant::Str(name)) = self.host.view(key) else { return Err(refused(self)) };
            names.insert(name);
        }
        names.extend(self.names_written(obj).map(str::to_owned));
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            if self.was_deleted(obj, &name) {
                continue;
            }
            let value = self.own_attr_of(instance, &name)?.ok_or_else(|| refused(self))?;
            entries.push((name, value));
        }
        Ok(entries)
    }

    /// `object.__dict__[key]`
    pub(in crate::trace) fn get_dict_entry(&mut self, object: ValueId, key: ValueId) -> Traced {
        match self.dict_entry(object, key)? {
            Some(found) => Ok(found),
            None => Err(self.missing_key(key)?),
        }
    }

    /// `object.__dict__[key] = value`
    pub(in crate::trace) fn set_dict_entry(&mut self, object: ValueId, key: ValueId, value: ValueId) -> Traced<()> {
        let Value::Const(Constant::Str(name)) = self.get(key)? else { return Err(self.no_entry(object)) };
        let instance = self.dict_owner(object)?;
        match instance.body {
            Body::Made(_) => self.write_own(instance, &name, value),
            // The code that stays would go through the class's own way to write.
            Body::Found(_) => Err(self.no_entry(object)),
        }
    }
}
