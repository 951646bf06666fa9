//! `__dict__` of objects: the attributes by name.
//!
//! Invariant: nobody sees the dict itself: what it shows is read from the object, and what is written to it is written
//! to the object.

use super::{Body, Instance, Tracer, modules::TABLES};
use crate::{
    host::{Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            state::{Key, SlotOf, State, StateId},
            value::{Keywords, Value, ValueId},
        },
        python::{builtins::length, containers, dict_methods::pairs},
    },
};
use guards::{Constant, Element, GuardKind};
use indexmap::{IndexMap, IndexSet};

impl Tracer<'_> {
    /// The value that `object.__dict__` has for a key.
    pub(in crate::trace) fn dict_entry(&mut self, object: ValueId, key: ValueId) -> Traced<Option<ValueId>> {
        let Value::Const(Constant::Str(name)) = self.get(key)? else { return Err(self.no_entry(object)) };
        if let Value::Module(_, module) = self.get(object)? {
            return self.module_entry(object, module, name);
        }
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

    /// The value that `module.__dict__` has for a name.
    fn module_entry(&mut self, module: ValueId, obj: Obj, name: String) -> Traced<Option<ValueId>> {
        let module = self.force(module)?;
        if let Some(state) = self.written_in_module(module, &name)? {
            return Ok(match self.heap.get(state) {
                State::Slot { value: Some(value), .. } if !self.is_deleted(state) => Some(*value),
                _ => None,
            });
        }
        let (Some(dict), Some(source)) = (self.host.dict_of(obj), self.source(module)) else {
            return Err(self.no_entry(module));
        };
        let found = self.host.item(dict, &name);
        let source = self.sources.attr(source, "__dict__");
        let key = Element::Constant(self.sources.constant(Constant::Str(name.clone())));
        let kind = if found.is_some() { GuardKind::DictContains(key) } else { GuardKind::DictNotContains(key) };
        self.guard(source, kind);
        let place = self.sources.item(source, Constant::Str(name));
        Ok(found.map(|found| self.lazy(found, place)))
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
            ("__contains__", &[key], []) => {
                let found = self.dict_entry(object, key)?;
                Ok(self.constant(Constant::Bool(found.is_some())))
            }
            ("__getitem__", &[key], []) => self.get_dict_entry(object, key),
            ("__setitem__", &[key, value], []) => {
                self.set_dict_entry(object, key, value)?;
                Ok(self.none())
            }
            ("update", ..) => {
                let more = self.state(State::Dict(IndexMap::new()));
                containers::call_method(self, more, "update", args, keywords)?;
                for (key, value) in pairs(self, more)? {
                    self.set_dict_entry(object, key, value)?;
                }
                Ok(self.none())
            }
            ("setdefault", &[key, ref default @ ..], []) if default.len() < 2 => {
                if let Some(found) = self.dict_entry(object, key)? {
                    return Ok(found);
                }
                let default = default.first().copied().unwrap_or_else(|| self.none());
                self.set_dict_entry(object, key, default)?;
                Ok(default)
            }
            ("pop", &[key, ref default @ ..], []) if default.len() < 2 => {
                match (self.dict_entry(object, key)?, default.first()) {
                    (Some(found), _) => {
                        self.delete_dict_entry(object, key)?;
                        Ok(found)
                    }
                    (None, Some(&default)) => Ok(default),
                    (None, None) => Err(self.missing_key(key)?),
                }
            }
            ("clear", [], []) => {
                let instance = self.dict_owner(object)?;
                for (name, _) in self.entries_of_dict(instance)? {
                    let key = self.constant(Constant::Str(name));
                    self.delete_dict_entry(object, key)?;
                }
                Ok(self.none())
            }
            _ => {
                let copy = match method {
                    "keys" | "values" | "items" => self.dict_shown(object)?,
                    "__iter__" => {
                        let shown = self.dict_shown(object)?;
                        return self.iterate(shown);
                    }
                    "__len__" => {
                        let copy = self.dict_copy(object)?;
                        return length(self, copy);
                    }
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
        let Body::Found(obj) = instance.body else { return self.write_own(instance, &name, value) };
        self.check_not_hashed(instance)?;
        // An entry that was deleted comes back as the last one.
        let is_special = name.starts_with("__") && name.ends_with("__");
        if is_special || self.was_deleted(obj, &name) || !self.writes_into_dict(instance, obj, &name) {
            return Err(self.no_entry(object));
        }
        self.write_entry(instance.this, obj, &name, value);
        Ok(())
    }

    /// True for a name that is written into `__dict__` of an object of the caller's and nowhere else.
    fn writes_into_dict(&mut self, instance: Instance, obj: Obj, name: &str) -> bool {
        let has_dict = self.host.dict_of(obj).is_some_and(|dict| matches!(self.host.view(dict), View::Dict(_)));
        let written = self.written(obj, name).map(|state| self.heap.get(state));
        let is_entry = matches!(written, None | Some(State::Slot { of: SlotOf::Entry(_), .. }));
        if !has_dict || !is_entry && !self.host.plain_setattr(obj, name) {
            return false;
        }
        // A module may have registered something else under the name.
        !self.is_nn_module(instance)
            || TABLES.iter().all(|table| {
                let table = self.host.instance_attr(obj, table);
                table.is_none_or(|table| {
                    self.host.item(table, name).is_none() && !self.objects.known.contains_key(&table)
                })
            })
    }

    /// `del object.__dict__[key]`
    pub(in crate::trace) fn delete_dict_entry(&mut self, object: ValueId, key: ValueId) -> Traced<()> {
        let Value::Const(Constant::Str(name)) = self.get(key)? else { return Err(self.no_entry(object)) };
        if self.dict_entry(object, key)?.is_none() {
            return Err(self.missing_key(key)?);
        }
        let instance = self.dict_owner(object)?;
        // The class's own way to delete does no more than this.
        if let Body::Found(obj) = instance.body
            && (!self.host.plain_delattr(obj, &name) || !self.writes_into_dict(instance, obj, &name))
        {
            return Err(self.no_entry(object));
        }
        self.instance_delete(instance, &name)
    }

    /// The dict to read where one is wanted: for `object.__dict__` a copy of its entries as they are now.
    pub(in crate::trace) fn dict_read(&mut self, value: ValueId) -> Traced {
        match self.get(value)? {
            Value::InstanceDict(object) => self.dict_copy(object),
            _ => Ok(value),
        }
    }
}
