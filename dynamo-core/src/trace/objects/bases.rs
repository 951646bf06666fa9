//! Objects whose classes come from one of Python's own: what they hold, and what the methods of `dict`, `OrderedDict`
//! and `list` do with it.
//!
//! Invariant: methods that the class has in the place of the base's are called where the base's own call them.

use super::{Body, Tracer};
use crate::{
    bytecode::Comparison,
    host::{ClassAttr, Obj, View},
    reason::{Kind, Reason, raised},
    trace::{
        Traced,
        core::{
            state::{self, Base, Sort, State, StateId},
            value::{Keywords, Value, ValueId},
        },
        python::{builtins, containers},
    },
};
use guards::Constant;
use indexmap::IndexMap;

/// The classes whose methods are called on what objects hold.
const BASES: [&str; 7] = [
    "builtins.dict",
    "builtins.frozenset",
    "builtins.list",
    MAPPING_PROXY,
    "builtins.set",
    "builtins.tuple",
    "collections.OrderedDict",
];

/// Methods that change nothing.
const READING: [&str; 21] = [
    "__contains__",
    "__eq__",
    "__getitem__",
    "__iter__",
    "__len__",
    "__ne__",
    "__reversed__",
    "copy",
    "count",
    "difference",
    "get",
    "index",
    "intersection",
    "isdisjoint",
    "issubset",
    "issuperset",
    "items",
    "keys",
    "symmetric_difference",
    "union",
    "values",
];

/// The class of read-only mappings, by the name that it gives itself and by that which it is found under.
const MAPPING_PROXY: &str = "builtins.mappingproxy";
pub(in crate::trace) const READ_ONLY: &str = "types.MappingProxyType";

/// True for a method of read-only mappings, by its dotted name.
pub(super) fn is_of_read_only(function: &str) -> bool {
    function.rsplit_once('.').is_some_and(|(class, _)| class == MAPPING_PROXY)
}

/// True for a method of one of these classes, by its dotted name.
pub(super) fn is_of_base(function: &str) -> bool {
    function.rsplit_once('.').is_some_and(|(class, _)| BASES.contains(&class))
}

impl Tracer<'_> {
    /// The contents of an object as an instance of a class of Python's own; of a plain container, itself.
    pub(in crate::trace) fn held(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        if let Value::State(_) = self.get(value)? {
            return self.force(value).map(Some);
        }
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        match instance.body {
            Body::Made(state) => match self.heap.get(state) {
                State::Instance(state::Instance { base: Some(Base::Container(_, held)), .. }) => Ok(Some(*held)),
                _ => Ok(None),
            },
            Body::Found(obj) => {
                if let Some(&known) = self.objects.bases.get(&obj) {
                    return Ok(Some(known));
                }
                let view = self.host.base_view(obj);
                let view = match view {
                    Some(view @ (View::Dict(_) | View::List(_) | View::Table(..))) => view,
                    Some(view) if self.shows_value(instance, &view)? => view,
                    _ => return Ok(None),
                };
                let held = self.wrap_base(obj, view, self.source(instance.this))?;
                self.objects.bases.insert(obj, held);
                Ok(Some(held))
            }
        }
    }

    /// The dict that an object holds whose class iterates over it as `dict` does.
    pub(in crate::trace) fn held_as_dict(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        match self.class_attr(instance, "__iter__")? {
            Some((ClassAttr::Builtin(method, _), _)) if method == "builtins.dict.__iter__" => self.held(value),
            _ => Ok(None),
        }
    }

    /// True for a read-only mapping of the caller's.
    pub(in crate::trace) fn is_read_only(&mut self, obj: Obj) -> bool {
        matches!(self.host.view(obj), View::Object(class) if class == MAPPING_PROXY)
    }

    /// `types.MappingProxyType(mapping)` of a dict.
    pub(in crate::trace) fn read_only(&mut self, mapping: ValueId) -> Traced {
        let refused = |t: &mut Self| Reason::new(Kind::Call, format!("A read-only view of {}.", t.describe(mapping)));
        let is_dict = matches!(self.get(mapping)?, Value::State(state) if self.heap.sort(state) == Sort::Dict);
        let Some(class) = self.host.class_named(READ_ONLY).filter(|_| is_dict) else { return Err(refused(self)) };
        let (class, mapping) = (self.value(Value::Class(READ_ONLY.to_owned(), class)), self.force(mapping)?);
        let base = Some(Base::Container(READ_ONLY.to_owned(), mapping));
        let state = self.heap.push(State::Instance(state::Instance { class, attrs: IndexMap::new(), base }), None);
        Ok(self.value(Value::Instance(state)))
    }

    /// True for what an object of the caller's holds: its class may show it otherwise.
    pub(in crate::trace) fn is_held(&self, state: StateId) -> bool {
        self.objects.bases.values().any(|&held| matches!(self.objects.values[held], Value::State(of) if of == state))
    }

    /// A method of `dict`, `OrderedDict` or `list` on an object that comes from them, or on one of them; `None` for
    /// any other function.
    pub(in crate::trace) fn call_on_base(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some((class, method)) = function.rsplit_once('.') else { return Ok(None) };
        let (true, Some((&this, rest))) = (BASES.contains(&class), args.split_first()) else { return Ok(None) };
        let Some(held) = self.held(this)? else { return Ok(None) };
        if let Some(result) = self.call_special_of_container(function, args)? {
            return Ok(Some(result));
        }
        let is_callers = matches!(self.instance(this)?, Some(instance) if matches!(instance.body, Body::Found(_)));
        if is_callers && !READING.contains(&method) && !self.is_writable_base(this)?
            || !self.is_as_base(this, method)?
        {
            return Err(Reason::new(Kind::Mutation, format!("`{function}` of {}.", self.describe(this))));
        }
        let compared = match rest {
            &[other] => self.held(other)?.unwrap_or(other),
            _ => held,
        };
        Ok(Some(match (method, rest) {
            ("__getitem__", &[key]) if matches!(class, "builtins.list" | "builtins.tuple") => {
                self.get_item(held, key)?
            }
            ("__getitem__", &[key]) => self.entry_of_held(this, held, key)?,
            ("__setitem__", &[key, value]) => {
                self.set_item(held, key, value)?;
                self.none()
            }
            ("__delitem__", &[key]) => {
                self.delete_item(held, key)?;
                self.none()
            }
            ("__contains__", &[item]) => {
                let found = self.contains(held, item)?;
                self.constant(Constant::Bool(found))
            }
            ("__len__", []) => builtins::length(self, held)?,
            ("__iter__", []) => self.iterate(held)?,
            ("__reversed__", []) => self.reversed(held)?,
            ("__eq__", [_]) => self.compare(Comparison::Eq, held, compared)?,
            ("__ne__", [_]) => self.compare(Comparison::Ne, held, compared)?,
            ("__init__", _) if class == "builtins.set" && self.truth(held)? => {
                return Err(Reason::new(Kind::Mutation, format!("`{function}` of {}.", self.describe(this))));
            }
            ("__init__", []) if keywords.is_empty() => self.none(),
            ("__init__", _) if class == "builtins.list" => {
                containers::call_method(self, held, "extend", rest, keywords)?
            }
            ("__init__", _) => containers::call_method(self, held, "update", rest, keywords)?,
            _ if method.starts_with("__") => return Err(raised(&format!("TypeError: {method}")).uncaught()),
            _ => self.call_method(held, method, rest, keywords.clone())?,
        }))
    }

    /// True for an object of the caller's whose dict or list is changed by the methods of Python's own class.
    fn is_writable_base(&mut self, this: ValueId) -> Traced<bool> {
        let Some(instance) = self.instance(this)? else { return Ok(false) };
        self.check_not_hashed(instance)?;
        let base = self.host.solid_base(instance.class);
        Ok(matches!(base.as_deref(), Some("builtins.dict" | "builtins.list" | "collections.OrderedDict")))
    }

    /// True for a method that does with an object what it does with a dict or list itself. Some of those of
    /// `OrderedDict` go through the methods that the object's class may have in their place, or make another object of
    /// that class.
    fn is_as_base(&mut self, this: ValueId, method: &str) -> Traced<bool> {
        let Some(instance) = self.instance(this)? else { return Ok(true) };
        if self.host.solid_base(instance.class).as_deref() != Some("collections.OrderedDict") {
            return Ok(true);
        }
        let through: &[&str] = match method {
            "__init__" | "__ior__" | "update" => &["__setitem__"],
            "setdefault" => &["__contains__", "__getitem__", "__setitem__"],
            "__or__" | "__ror__" | "copy" => return Ok(false),
            _ => &[],
        };
        for called in through {
            if !matches!(self.class_attr(instance, called)?, Some((ClassAttr::Builtin(..), _))) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `object[key]` of an object that holds a dict. For a key that is not there, `dict` asks the object's class.
    fn entry_of_held(&mut self, this: ValueId, held: ValueId, key: ValueId) -> Traced {
        let attr = match self.instance(this)? {
            Some(instance) => self.class_attr(instance, "__missing__")?,
            None => None,
        };
        // A builtin class's own is what the dict that is held does.
        if matches!(attr, None | Some((ClassAttr::Builtin(..), _))) || self.contains(held, key)? {
            return self.get_item(held, key);
        }
        let value = self.call_special(this, "__missing__", &[key])?;
        value.ok_or_else(|| Reason::new(Kind::Attribute, format!("`__missing__` of {}.", self.describe(this))))
    }
}
