//! Attributes of functions: those that the program has made keep theirs in the trace, and get them where code makes the
//! functions again; attributes of the caller's functions are written as those of other objects.

use crate::{
    bytecode::{Const, Version, code::flags},
    host::{Code, Scope, View},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            object_table::MadeAttrs,
            state::{Key, Sort, State, Table},
            value::{Function, Keywords, Value, ValueId},
        },
    },
};
use guards::{Constant, Element, GuardKind};
use indexmap::IndexMap;
use std::rc::Rc;

/// Attributes that only look as if functions had them.
const PLAIN: [&str; 2] = ["__wrapped__", "__isabstractmethod__"];

/// The attributes of a function that are not in its `__dict__` and that the program may write.
const OWN: [&str; 7] =
    ["__module__", "__name__", "__qualname__", "__doc__", "__annotate__", "__annotations__", "__type_params__"];

impl Tracer<'_> {
    /// An attribute of a function that the program has made.
    pub(in crate::trace) fn made_function_attr(
        &mut self,
        value: ValueId,
        function: &Rc<Function>,
        name: &str,
    ) -> Traced {
        if name == "__dict__" {
            return Ok(self.attrs_of(value).dict);
        }
        if let Some(written) = self.function_entry(value, name) {
            return Ok(written);
        }
        let object = &function.code.object;
        let constant = match name {
            "__code__" => return Ok(self.value(Value::Code(function.code.clone()))),
            "__defaults__" if function.defaults.is_empty() => Constant::None,
            "__defaults__" => return Ok(self.value(Value::Tuple(function.defaults.clone()))),
            "__kwdefaults__" if function.kwdefaults.is_empty() => Constant::None,
            "__name__" => Constant::Str(object.name.clone()),
            "__qualname__" => Constant::Str(object.qualname.clone()),
            "__module__" if matches!(self.host.global(function.globals.dict, "__name__"), Some((_, Scope::Module))) => {
                return self.load_global(function.globals, "__name__");
            }
            // From 3.14 on a flag says whether the first constant is one.
            "__doc__" => match object.consts.first() {
                Some(Const::Str(text))
                    if self.host.version() <= Version::V313 || object.flags & flags::HAS_DOCSTRING != 0 =>
                {
                    Constant::Str(text.clone())
                }
                _ => Constant::None,
            },
            "__annotate__" if self.host.version() >= Version::V314 => {
                return Ok(function.annotate.unwrap_or_else(|| self.none()));
            }
            "__annotations__" if self.is_annotated_late(value, function)? => {
                return Err(Reason::new(Kind::Attribute, "Annotations that are evaluated when they are read."));
            }
            "__annotations__" => {
                let annotations = self.annotations_of(function)?;
                let own = self.attrs_of(value).own;
                self.put_entry(own, name, annotations);
                return Ok(annotations);
            }
            "__type_params__" if self.host.version() >= Version::V312 => Constant::Tuple(Vec::new()),
            "__globals__" => {
                let source = self.scope_source(function.globals);
                return Ok(self.lazy(function.globals.dict, source));
            }
            _ => return Err(self.absent_attr(value, name)?),
        };
        Ok(self.constant(constant))
    }

    /// An attribute of a code object.
    pub(in crate::trace) fn code_attr(&mut self, value: ValueId, code: &Code, name: &str) -> Traced {
        let object = &code.object;
        let int = |number: u32| Constant::Int(number.into());
        let names = |names: &[String]| Constant::Tuple(names.iter().cloned().map(Constant::Str).collect());
        let constant = match name {
            "co_argcount" => int(object.argcount),
            "co_posonlyargcount" => int(object.posonlyargcount),
            "co_kwonlyargcount" => int(object.kwonlyargcount),
            "co_flags" => int(object.flags),
            "co_firstlineno" => Constant::Int(object.firstlineno.into()),
            "co_name" => Constant::Str(object.name.clone()),
            "co_qualname" => Constant::Str(object.qualname.clone()),
            "co_filename" => Constant::Str(object.filename.clone()),
            "co_varnames" => names(&object.varnames),
            "co_freevars" => names(&object.freevars),
            "co_cellvars" => names(&object.cellvars),
            _ => return Err(self.no_attr(value, name)),
        };
        Ok(self.constant(constant))
    }

    /// `function.name = new`; false for what is no function.
    pub(in crate::trace) fn set_function_attr(&mut self, value: ValueId, name: &str, new: ValueId) -> Traced<bool> {
        let value = self.force(value)?;
        let Value::Function(function) = self.objects.values[value].clone() else { return Ok(false) };
        let is_dunder = name.starts_with("__") && name.ends_with("__") && !PLAIN.contains(&name);
        if let Some(found) = function.object {
            if is_dunder || !self.host.plain_setattr(found, name) {
                return Ok(false);
            }
            self.write_attr(value, found, name, new);
            return Ok(true);
        }
        if is_dunder && !OWN.contains(&name) || name == "__annotate__" && self.host.version() < Version::V314 {
            return Ok(false);
        }
        if matches!(name, "__name__" | "__qualname__") && !matches!(self.get(new)?, Value::Const(Constant::Str(_))) {
            return Ok(false);
        }
        if name == "__type_params__" && !matches!(self.get(new)?, Value::Tuple(_) | Value::Const(Constant::Tuple(_))) {
            return Ok(false);
        }
        if name == "__annotations__" && !self.is_plain_dict(new)? {
            return Ok(false);
        }
        // Each of the two takes the other one's place.
        if name == "__annotate__" && self.function_entry(value, "__annotations__").is_some()
            || name == "__annotations__" && self.is_annotated_late(value, &function)?
        {
            return Ok(false);
        }
        if name == "__annotate__" && !matches!(self.get(new)?, Value::Function(_) | Value::Const(Constant::None)) {
            return Ok(false);
        }
        let attrs = self.attrs_of(value);
        self.put_entry(if OWN.contains(&name) { attrs.own } else { attrs.dict }, name, new);
        Ok(true)
    }

    /// `functools.update_wrapper` of a function that the program has made and of another function, with the attributes
    /// that are usual; `None` for any other call.
    pub(in crate::trace) fn update_wrapper(
        &mut self,
        function: &Function,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let names = ["wrapper", "wrapped", "assigned", "updated"];
        if function.name != "functools.update_wrapper" || args.len() > names.len() || function.defaults.len() != 2 {
            return Ok(None);
        }
        let named = |name: &str| keywords.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
        let given: Vec<Option<ValueId>> =
            names.iter().enumerate().map(|(at, name)| args.get(at).copied().or_else(|| named(name))).collect();
        let (Some(wrapper), Some(wrapped)) = (given[0], given[1]) else { return Ok(None) };
        let (wrapper, wrapped) = (self.force(wrapper)?, self.force(wrapped)?);
        let (Value::Function(made), Value::Function(of)) =
            (self.objects.values[wrapper].clone(), self.objects.values[wrapped].clone())
        else {
            return Ok(None);
        };
        let mut usual = Vec::new();
        for (at, &default) in function.defaults.iter().enumerate() {
            let default = self.as_constant(default)?;
            if let Some(given) = given[at + 2]
                && self.as_constant(given)? != default
            {
                return Ok(None);
            }
            usual.push(default);
        }
        let (None, Some(Constant::Tuple(assigned))) = (made.object, usual.swap_remove(0)) else { return Ok(None) };
        for name in assigned {
            let Constant::Str(name) = name else { return Ok(None) };
            let value = self.get_attr(wrapped, &name)?;
            if !self.set_function_attr(wrapper, &name, value)? {
                return Err(self.no_change(wrapper));
            }
        }
        for (name, value) in self.dict_of_function(wrapped, &of)? {
            self.set_entry(wrapper, &name, value);
        }
        self.set_entry(wrapper, "__wrapped__", wrapped);
        Ok(Some(wrapper))
    }

    /// The entries of a function's `__dict__`; of one of the caller's the keys are guarded.
    fn dict_of_function(&mut self, value: ValueId, function: &Function) -> Traced<Vec<(String, ValueId)>> {
        let Some(found) = function.object else {
            let entries = self.objects.made_attrs.get(&value).map(|attrs| self.entries_of(attrs.dict));
            let named = |(key, (_, value))| match key {
                Key::Const(Constant::Str(name)) => Some((name, value)),
                _ => None,
            };
            return Ok(entries.into_iter().flatten().filter_map(named).collect());
        };
        let refused = |t: &mut Self| t.no_attr(value, "__dict__");
        let (Some(dict), Some(source)) = (self.host.dict_of(found), self.source(value)) else {
            return Err(refused(self));
        };
        let View::Dict(items) = self.host.view(dict) else { return Err(refused(self)) };
        if self.has_written(found) {
            return Err(refused(self));
        }
        let (mut keys, mut entries) = (Vec::new(), Vec::new());
        for (key, value) in items {
            let View::Constant(Constant::Str(name)) = self.host.view(key) else { return Err(refused(self)) };
            keys.push(Element::Constant(self.sources.constant(Constant::Str(name.clone()))));
            let place = self.sources.attr(source, &name);
            entries.push((name, self.lazy(value, place)));
        }
        let place = self.sources.attr(source, "__dict__");
        self.guard(place, GuardKind::DictKeysMatch(keys));
        Ok(entries)
    }

    fn set_entry(&mut self, function: ValueId, name: &str, new: ValueId) {
        let dict = self.attrs_of(function).dict;
        self.put_entry(dict, name, new);
    }

    /// The values that a function holds as attributes.
    pub(in crate::trace) fn function_parts(&self, value: ValueId, function: &Function) -> Vec<ValueId> {
        let given = function.annotations.into_iter().chain(function.annotate);
        self.attribute_parts(value).into_iter().chain(given).collect()
    }

    /// The attributes of a function or a partial that the program has made, their names and the dict of most of them.
    pub(in crate::trace) fn attribute_parts(&self, value: ValueId) -> Vec<ValueId> {
        let Some(attrs) = self.objects.made_attrs.get(&value) else { return Vec::new() };
        let entries = [attrs.dict, attrs.own].map(|dict| self.entries_of(dict));
        let values = entries.into_iter().flat_map(IndexMap::into_values).flat_map(|(key, value)| [key, value]);
        values.chain([attrs.dict]).collect()
    }

    /// True for a function that the program has made, whose annotations a function gives (3.14).
    fn is_annotated_late(&mut self, value: ValueId, function: &Function) -> Traced<bool> {
        match self.function_entry(value, "__annotate__").or(function.annotate) {
            Some(annotate) => Ok(!self.is_none(annotate)?),
            None => Ok(false),
        }
    }

    pub(in crate::trace) fn annotations_of(&mut self, function: &Function) -> Traced {
        let mut entries = IndexMap::new();
        let items = function.annotations.map_or(Ok(Vec::new()), |annotations| self.all_items(annotations))?;
        for pair in items.chunks_exact(2) {
            entries.insert(self.key(pair[0])?, (pair[0], pair[1]));
        }
        Ok(self.state(State::Dict(entries)))
    }

    /// The attributes of a function or a partial that the program has made, which has some from now on.
    pub(super) fn attrs_of(&mut self, value: ValueId) -> MadeAttrs {
        if let Some(&known) = self.objects.made_attrs.get(&value) {
            return known;
        }
        let [dict, own] = [(); 2].map(|()| self.state(State::Dict(IndexMap::new())));
        let attrs = MadeAttrs { dict, own };
        self.objects.made_attrs.insert(value, attrs);
        attrs
    }

    fn function_entry(&self, value: ValueId, name: &str) -> Option<ValueId> {
        if OWN.contains(&name) { self.own_entry(value, name) } else { self.written_attr(value, name) }
    }

    /// An entry of the `__dict__` of a function or a partial that the program has made.
    pub(super) fn written_attr(&self, value: ValueId, name: &str) -> Option<ValueId> {
        self.entry(self.objects.made_attrs.get(&value)?.dict, name)
    }

    /// Another attribute of a function or a partial that the program has made, if it was written or read.
    pub(in crate::trace) fn own_entry(&self, value: ValueId, name: &str) -> Option<ValueId> {
        self.entry(self.objects.made_attrs.get(&value)?.own, name)
    }

    fn entry(&self, dict: ValueId, name: &str) -> Option<ValueId> {
        self.entries_of(dict).get(&Key::Const(Constant::Str(name.to_owned()))).map(|&(_, value)| value)
    }

    pub(in crate::trace) fn entries_of(&self, dict: ValueId) -> IndexMap<Key, (ValueId, ValueId)> {
        match self.objects.values[dict] {
            Value::State(state) => match self.heap.get(state) {
                State::Dict(entries) => entries.clone(),
                _ => IndexMap::new(),
            },
            _ => IndexMap::new(),
        }
    }

    pub(super) fn put_entry(&mut self, dict: ValueId, name: &str, new: ValueId) {
        let name = Constant::Str(name.to_owned());
        let key_value = self.constant(name.clone());
        if let Value::State(state) = self.objects.values[dict]
            && let State::Dict(entries) = self.heap.change(state)
        {
            entries.entry(Key::Const(name)).or_insert((key_value, new)).1 = new;
        }
    }

    fn is_plain_dict(&mut self, value: ValueId) -> Traced<bool> {
        Ok(
            matches!(self.get(value)?, Value::State(state) if self.heap.sort(state) == Sort::Dict && self.heap.table(state) == Table::Plain),
        )
    }
}
