//! Attributes of functions: those that the program has made keep theirs in the trace, and get them where code makes the
//! functions again; attributes of the caller's functions are written as those of other objects.

use super::{
    Traced, Tracer,
    value::{Function, Key, Sort, State, Table, Value, ValueId},
};
use crate::{
    bytecode::{Const, Version},
    host::Scope,
};
use guards::Constant;
use indexmap::IndexMap;
use std::rc::Rc;

/// The attributes of a function that are not in its `__dict__` and that the program may write.
const OWN: [&str; 5] = ["__module__", "__name__", "__qualname__", "__doc__", "__annotations__"];

/// What the program has given to a function that it has made.
#[derive(Clone, Copy, Debug)]
pub(super) struct FunctionAttrs {
    /// Its `__dict__`.
    pub(super) dict: ValueId,
    /// A dict of its other attributes, as far as they were written or read.
    pub(super) own: ValueId,
}

impl Tracer<'_> {
    /// An attribute of a function that the program has made.
    pub(super) fn made_function_attr(&mut self, value: ValueId, function: &Rc<Function>, name: &str) -> Traced {
        if name == "__dict__" {
            return Ok(self.attrs_of_function(value).dict);
        }
        if let Some(written) = self.function_entry(value, name) {
            return Ok(written);
        }
        let object = &function.code.object;
        let constant = match name {
            "__name__" => Constant::Str(object.name.clone()),
            "__qualname__" => Constant::Str(object.qualname.clone()),
            "__module__" if matches!(self.host.global(function.globals.dict, "__name__"), Some((_, Scope::Module))) => {
                return self.load_global(function.globals, "__name__");
            }
            // Later versions say by a flag whether the first constant is one.
            "__doc__" if self.host.version() <= Version::V312 => match object.consts.first() {
                Some(Const::Str(text)) => Constant::Str(text.clone()),
                _ => Constant::None,
            },
            "__annotations__" => {
                let annotations = self.annotations_of(function)?;
                let own = self.attrs_of_function(value).own;
                self.put_entry(own, name, annotations);
                return Ok(annotations);
            }
            _ => return Err(self.absent_attr(value, name)?),
        };
        Ok(self.constant(constant))
    }

    /// `function.name = new`; false for what is no function.
    pub(super) fn set_function_attr(&mut self, value: ValueId, name: &str, new: ValueId) -> Traced<bool> {
        let value = self.force(value)?;
        let Value::Function(function) = self.values[value].clone() else { return Ok(false) };
        let is_dunder = name.starts_with("__") && name.ends_with("__") && name != "__wrapped__";
        if let Some(found) = function.object {
            if is_dunder || !self.host.plain_setattr(found, name) {
                return Ok(false);
            }
            self.write_attr(value, found, name, new);
            return Ok(true);
        }
        if is_dunder && !OWN.contains(&name) {
            return Ok(false);
        }
        if matches!(name, "__name__" | "__qualname__") && !matches!(self.get(new)?, Value::Const(Constant::Str(_))) {
            return Ok(false);
        }
        if name == "__annotations__" && !self.is_plain_dict(new)? {
            return Ok(false);
        }
        let attrs = self.attrs_of_function(value);
        self.put_entry(if OWN.contains(&name) { attrs.own } else { attrs.dict }, name, new);
        Ok(true)
    }

    /// The values that a function holds as attributes.
    pub(super) fn function_parts(&self, value: ValueId, function: &Function) -> Vec<ValueId> {
        let Some(attrs) = self.function_attrs.get(&value) else { return function.annotations.into_iter().collect() };
        let entries = [attrs.dict, attrs.own].map(|dict| self.entries_of(dict));
        let values = entries.into_iter().flat_map(IndexMap::into_values).flat_map(|(key, value)| [key, value]);
        values.chain([attrs.dict]).chain(function.annotations).collect()
    }

    pub(super) fn annotations_of(&mut self, function: &Function) -> Traced {
        let mut entries = IndexMap::new();
        let items = function.annotations.map_or(Ok(Vec::new()), |annotations| self.all_items(annotations))?;
        for pair in items.chunks_exact(2) {
            entries.insert(self.key(pair[0])?, (pair[0], pair[1]));
        }
        Ok(self.state(State::Dict(entries)))
    }

    fn attrs_of_function(&mut self, value: ValueId) -> FunctionAttrs {
        if let Some(&known) = self.function_attrs.get(&value) {
            return known;
        }
        let [dict, own] = [(); 2].map(|()| self.state(State::Dict(IndexMap::new())));
        let attrs = FunctionAttrs { dict, own };
        self.function_attrs.insert(value, attrs);
        attrs
    }

    fn function_entry(&self, value: ValueId, name: &str) -> Option<ValueId> {
        let attrs = self.function_attrs.get(&value)?;
        let key = Key::Const(Constant::Str(name.to_owned()));
        let dict = if OWN.contains(&name) { attrs.own } else { attrs.dict };
        self.entries_of(dict).get(&key).map(|&(_, value)| value)
    }

    pub(super) fn entries_of(&self, dict: ValueId) -> IndexMap<Key, (ValueId, ValueId)> {
        match self.values[dict] {
            Value::State(state) => match self.heap.get(state) {
                State::Dict(entries) => entries.clone(),
                _ => IndexMap::new(),
            },
            _ => IndexMap::new(),
        }
    }

    fn put_entry(&mut self, dict: ValueId, name: &str, new: ValueId) {
        let name = Constant::Str(name.to_owned());
        let key_value = self.constant(name.clone());
        if let Value::State(state) = self.values[dict]
            && let State::Dict(entries) = self.heap.change(state)
        {
            entries.entry(Key::Const(name)).or_insert((key_value, new)).1 = new;
        }
    }

    fn is_plain_dict(&mut self, value: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(value)?, Value::State(state) if self.heap.sort(state) == Sort::Dict && self.heap.table(state) == Table::Plain))
    }
}
