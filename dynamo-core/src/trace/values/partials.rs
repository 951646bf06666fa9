//! `functools.partial`: its keyword arguments, which live in a dict of its own, and the attributes that it is given.
//!
//! Those that the program has made keep both in the trace, and get them where code makes the partials again; those of
//! the caller's are read, and their keyword arguments have to stay as they were.

use crate::{
    host::Lookup,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::{Key, State},
            value::{Keywords, Value, ValueId},
        },
    },
};
use guards::{Constant, GuardKind};
use indexmap::IndexMap;

/// The attributes that a partial has beside its `__dict__`.
const KEYWORDS: &str = "keywords";
const DICT: &str = "__dict__";

/// Attributes that cannot be written, or that give a partial another nature.
const KEPT: [&str; 5] = ["func", "args", KEYWORDS, DICT, "__class__"];

impl Tracer<'_> {
    /// An attribute of a partial.
    pub(in crate::trace) fn partial_attr(&mut self, value: ValueId, name: &str) -> Traced {
        let Value::Partial(function, args, keywords) = self.objects.values[value].clone() else {
            return Err(self.no_attr(value, name));
        };
        match (name, self.found_object(value)) {
            ("func", _) => Ok(function),
            ("args", _) => Ok(self.value(Value::Tuple(args))),
            _ if self.has_attr_of_partial(value, name)? == Some(false) => Err(Reason::lacks(value, name)),
            (_, Some(found)) => match (self.source(value), self.host.instance_attr(found, name)) {
                (Some(source), Some(held)) if !KEPT.contains(&name) => {
                    let place = self.sources.attr(source, name);
                    self.found_attr(source, name, place);
                    Ok(self.lazy(held, place))
                }
                _ => self.object_attr(value, found, name),
            },
            (KEYWORDS, None) => match self.own_entry(value, KEYWORDS) {
                Some(known) => Ok(known),
                None => {
                    let mut entries = IndexMap::new();
                    for (name, given) in keywords {
                        let name = Constant::Str(name);
                        entries.insert(Key::Const(name.clone()), (self.constant(name), given));
                    }
                    let dict = self.state(State::Dict(entries));
                    let own = self.attrs_of(value).own;
                    self.put_entry(own, KEYWORDS, dict);
                    Ok(dict)
                }
            },
            (DICT, None) => Ok(self.dict_of_partial(value)),
            (_, None) => self.written_attr(value, name).ok_or_else(|| self.no_attr(value, name)),
        }
    }

    /// `partial.name = new`, of a partial that the program has made; false for anything else.
    pub(in crate::trace) fn set_partial_attr(&mut self, value: ValueId, name: &str, new: ValueId) -> Traced<bool> {
        let value = self.force(value)?;
        let is_partial = matches!(self.objects.values[value], Value::Partial(..));
        if !is_partial || self.source(value).is_some() || KEPT.contains(&name) {
            return Ok(false);
        }
        let dict = self.dict_of_partial(value);
        self.put_entry(dict, name, new);
        Ok(true)
    }

    /// True for a partial whose arguments one of it takes over: it has no `__dict__` yet.
    pub(in crate::trace) fn is_taken_over(&mut self, partial: ValueId) -> Traced<bool> {
        let partial = self.force(partial)?;
        Ok(self.own_entry(partial, DICT).is_none())
    }

    /// The keyword arguments that a call of a partial gives.
    ///
    /// # Errors
    /// If it is the caller's and the program has changed them, which the trace has read before.
    pub(in crate::trace) fn keywords_of_partial(&mut self, partial: ValueId) -> Traced<Keywords> {
        let partial = self.force(partial)?;
        let Value::Partial(_, _, keywords) = self.objects.values[partial].clone() else { return Ok(Vec::new()) };
        if let Some(dict) = self.own_entry(partial, KEYWORDS) {
            let name = |(key, (_, value))| match key {
                Key::Const(Constant::Str(name)) => Ok((name, value)),
                _ => Err(Reason::new(Kind::Call, "A `functools.partial` with a keyword that is no string.")),
            };
            return self.entries_of(dict).into_iter().map(name).collect();
        }
        if let Some(found) = self.found_object(partial)
            && let Lookup::Found(dict) = self.host.attr(found, KEYWORDS)
            && let Some(&known) = self.objects.known.get(&dict)
            && let Value::State(state) = self.objects.values[known]
            && self.heap.changed().contains(&state)
        {
            return Err(Reason::new(Kind::Mutation, "The keyword arguments of a `functools.partial`."));
        }
        Ok(keywords)
    }

    /// Whether a partial has an attribute, of its class's or of its own; `None` for anything else.
    pub(in crate::trace) fn has_attr_of_partial(&mut self, value: ValueId, name: &str) -> Traced<Option<bool>> {
        let value = self.force(value)?;
        let Value::Partial(..) = self.objects.values[value] else { return Ok(None) };
        let Some(class) = self.host.class_named("functools.partial") else { return Ok(None) };
        if !self.host.is_immutable(class) {
            return Ok(None);
        }
        if self.host.class_attr(class, name, None).is_some() {
            return Ok(Some(true));
        }
        match (self.found_object(value), self.source(value)) {
            (Some(obj), Some(source)) => {
                let present = self.host.instance_attr(obj, name).is_some();
                let name = self.sources.string(name);
                self.guard(source, GuardKind::HasAttr(name, present));
                Ok(Some(present))
            }
            (None, None) => Ok(Some(self.written_attr(value, name).is_some())),
            _ => Ok(None),
        }
    }

    fn dict_of_partial(&mut self, value: ValueId) -> ValueId {
        let attrs = self.attrs_of(value);
        self.put_entry(attrs.own, DICT, attrs.dict);
        attrs.dict
    }
}
