//! `super()`: attributes that are looked up from a place in the method resolution order on.

use super::{Instance, Tracer};
use crate::{
    bytecode::code::flags,
    host::{ClassAttr, Obj},
    reason::{Kind, Reason, raised},
    trace::{
        Traced,
        core::{
            frame::Frame,
            state::State,
            value::{Value, ValueId},
        },
    },
};
use guards::{Constant, GuardKind, SourceId};

/// The class of what `super()` gives.
pub(in crate::trace) const CLASS: &str = "builtins.super";

/// The classes of descriptors that wrap a function.
pub(super) const STATIC_METHOD: &str = "builtins.staticmethod";
pub(super) const CLASS_METHOD: &str = "builtins.classmethod";

impl Tracer<'_> {
    /// `super()` without arguments: the class in whose body the function stands, and the first argument.
    pub(in crate::trace) fn bare_super(&mut self, f: &Frame) -> Traced {
        let object = &f.code.object;
        let unknown = || raised("RuntimeError: super(): no arguments");
        if object.argcount == 0 && object.flags & flags::VARARGS == 0 {
            return Err(unknown());
        }
        let at = object.local_names().position(|name| name == "__class__").ok_or_else(unknown)?;
        let content = |t: &mut Self, slot: usize| -> Traced {
            let value = f.locals.get(slot).copied().flatten().ok_or_else(unknown)?;
            match t.get(value)? {
                Value::State(state) => match t.heap.get(state) {
                    State::Cell(content) => content.ok_or_else(unknown),
                    _ => Ok(value),
                },
                _ => Ok(value),
            }
        };
        // The first argument may be a variable that closures share, whose cell has a slot of its own.
        let first = object.varnames.first().cloned().unwrap_or_default();
        let shared = object.cellvars.contains(&first);
        let slot = if shared { object.local_names().position(|name| name == first) } else { Some(0) };
        let (class, this) = (content(self, at)?, content(self, slot.unwrap_or(0))?);
        self.make_super(class, this)
    }

    /// `super(class, this)`
    pub(in crate::trace) fn make_super(&mut self, class: ValueId, this: ValueId) -> Traced {
        let (class, this) = (self.force(class)?, self.force(this)?);
        if !matches!(self.objects.values[class], Value::Class(..)) {
            return Err(raised("TypeError: super() argument 1 must be a type"));
        }
        Ok(self.value(Value::Super(class, this)))
    }

    /// The second argument of `super` as an object of the first; `None` for a class that comes from it.
    fn instance_of_super(&mut self, start: Obj, this: ValueId) -> Traced<Option<Instance>> {
        let this = self.force(this)?;
        match self.objects.values[this] {
            Value::Class(_, class) if class == start || self.host.is_subclass(class, start) == Some(true) => Ok(None),
            Value::Class(_, class) => Ok(Some(self.instance_of_metaclass(this, class))),
            _ => self.instance(this),
        }
    }

    /// `super(class, this).name`
    pub(in crate::trace) fn super_get(&mut self, class: ValueId, this: ValueId, name: &str) -> Traced {
        let unknown =
            |t: &mut Self| Reason::new(Kind::Attribute, format!("`{name}` of `super` of {}.", t.describe(this)));
        let Value::Class(_, start) = self.get(class)? else { return Err(unknown(self)) };
        let instance = self.instance_of_super(start, this)?;
        // With a class that comes from the first as the second argument, functions are not bound.
        let (owner, owner_value) = match (instance, self.get(this)?) {
            (Some(instance), _) => (instance.class, self.class_value(instance)?),
            (None, Value::Class(_, obj)) => (obj, Some(this)),
            _ => return Err(unknown(self)),
        };
        let Some(owner_value) = owner_value else { return Err(unknown(self)) };
        let owner_value = self.force(owner_value)?;
        if self.host.is_subclass(owner, start) != Some(true) && owner != start {
            return Err(unknown(self));
        }
        if self.may_be_written(name) {
            return Err(unknown(self));
        }
        let Some((_, found)) = self.host.class_attr(owner, name, Some(start)) else {
            return Err(Reason::raised(&format!("AttributeError: {name}")).uncaught());
        };
        let entry = match self.source(owner_value) {
            Some(source) => self.class_entry(source, owner, name, Some(start)),
            None if self.host.is_immutable(owner) => None,
            None => return Err(unknown(self)),
        };
        Ok(match found {
            ClassAttr::Function(function) => {
                let function = self.entry_function(entry, function, None)?;
                if instance.is_some() { self.value(Value::Method { function, this }) } else { function }
            }
            ClassAttr::Builtin(method, _) => {
                let function = self.value(Value::Builtin(method));
                match instance.is_some() && name != "__new__" {
                    true => self.value(Value::Method { function, this }),
                    false => function,
                }
            }
            ClassAttr::StaticMethod(function) => self.entry_function(entry, function, Some(STATIC_METHOD))?,
            ClassAttr::ClassMethod(function) => {
                let function = self.entry_function(entry, function, Some(CLASS_METHOD))?;
                self.value(Value::Method { function, this: owner_value })
            }
            ClassAttr::Property([Some(getter), ..]) if instance.is_some() => {
                let source = entry.map(|entry| self.sources.attr(entry, "fget"));
                let getter = self.member(getter, source);
                return self.call(getter, vec![this], vec![]);
            }
            ClassAttr::Plain(found) => {
                entry.into_iter().for_each(|place| self.found_variable(place));
                self.member(found, entry)
            }
            _ => return Err(unknown(self)),
        })
    }

    /// The function of a class's entry, alone or in a `wrapper`. It is guarded at once, with its wrapper: another one
    /// would be bound in another way, if it is bound before the code looks at it.
    pub(super) fn entry_function(&mut self, entry: Option<SourceId>, found: Obj, wrapper: Option<&str>) -> Traced {
        // Nobody changes a class whose entries have no source.
        let Some(mut source) = entry else { return Ok(self.value(Value::Lazy(found))) };
        if let Some(wrapper) = wrapper {
            let class = self.host.class_named(wrapper).ok_or_else(|| Reason::new(Kind::Attribute, wrapper))?;
            let kind = GuardKind::TypeMatch(self.object(class));
            self.guard(source, kind);
            source = self.sources.attr(source, "__func__");
        }
        let function = self.lazy(found, source);
        self.force(function)?;
        Ok(function)
    }

    /// The source of a class's entry under a name, bound to nothing: in the dict of the class in the method resolution
    /// order that has it. Those before that one are guarded not to have it.
    pub(super) fn class_entry(
        &mut self,
        class_source: SourceId,
        class: Obj,
        name: &str,
        after: Option<Obj>,
    ) -> Option<SourceId> {
        let (at, _) = self.host.class_attr(class, name, after)?;
        let order = self.host.mro(class);
        let first = after.and_then(|after| order.iter().position(|&base| base == after)).map_or(0, |at| at + 1);
        let mro = self.sources.attr(class_source, "__mro__");
        let id = self.sources.string(name);
        for (place, &passed) in order.iter().enumerate().take(at).skip(first) {
            if !self.host.is_immutable(passed) {
                let base = self.sources.item(mro, Constant::Int(place as i64));
                self.guard(base, GuardKind::NotPresentInGenericDict(id));
            }
        }
        let owner = self.sources.item(mro, Constant::Int(at as i64));
        let dict = self.sources.attr(owner, "__dict__");
        Some(self.sources.item(dict, Constant::Str(name.to_owned())))
    }

    /// The attribute of an object as its class's base gives it, by the dotted name of a method of `object`:
    /// `object.__getattribute__(value, name)` and its like.
    pub(super) fn instance_of(&mut self, value: ValueId, method: &str) -> Traced<Instance> {
        let text = format!("`{method}` of {}.", self.describe(value));
        self.instance(value)?.ok_or_else(|| Reason::new(Kind::Call, text))
    }
}
