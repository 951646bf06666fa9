//! Reading, writing and deleting attributes of objects: `object.__getattribute__`, `__setattr__` and `__delattr__`, and
//! what classes put in their place.
//!
//! Invariants: an attribute is found where the interpreter finds it: data descriptors of the class, the object itself,
//! the rest of the class, `__getattr__`. What is not understood is left to the host, which tells what a plain read
//! finds, or ends the graph.

use super::{
    Body, Instance,
    bases::{is_of_base, is_of_read_only},
    supers::{CLASS_METHOD, STATIC_METHOD},
};
use crate::{
    host::{ClassAttr, Lookup, Obj, READ_GENERICALLY, View},
    reason::Reason,
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Value, ValueId},
        },
        objects::{CACHED, METHOD},
    },
};
use guards::{Constant, GuardKind, SourceId, Step};

/// The classes whose attributes the host reads: instances of them look some up when they are first asked for, or have
/// others in each thread.
const READ_BY_HOST: [&str; 6] =
    ["_thread._local", "inspect.Signature", "torch.finfo", "torch.iinfo", "torch._ops._Ops", "torch._ops._OpNamespace"];

/// True for the way in which `object` writes or deletes attributes, under the name of a class that has it.
fn is_generic(instance: Instance, found: &str, method: &str) -> bool {
    match found.rsplit_once('.') {
        Some(("builtins.object" | "types.SimpleNamespace", own)) => own == method,
        // Into the attributes of this thread, in which the trace reads them and the code writes them.
        Some(("_thread._local", own)) => own == method && method == "__setattr__",
        Some(("builtins.BaseException", own)) => own == method && matches!(instance.body, Body::Made(_)),
        _ => false,
    }
}

impl Tracer<'_> {
    /// `value.name` of an object of a class of the program's.
    pub(in crate::trace) fn instance_get(&mut self, instance: Instance, name: &str) -> Traced {
        if self.host.is_immutable(instance.class)
            && let Some(ClassAttr::Builtin(method, _)) = self.class_attr_unguarded(instance, name)
            && is_of_read_only(&method)
        {
            let function = self.value(Value::Builtin(method));
            return Ok(self.value(Value::Method { function, this: instance.this }));
        }
        if let (Body::Found(obj), Value::Object(class, _)) = (instance.body, self.objects.values[instance.this].clone())
            && (READ_BY_HOST.contains(&class.as_str()) || self.host.is_immutable(instance.class))
        {
            return self.object_attr(instance.this, obj, name);
        }
        if let Some(found) = self.attr_of_original(instance, name)? {
            return Ok(found);
        }
        let found = match self.class_attr_unguarded(instance, "__getattribute__") {
            Some(ClassAttr::Function(_)) => {
                let text = self.constant(Constant::Str(name.to_owned()));
                match self.call_special(instance.this, "__getattribute__", &[text]) {
                    Ok(found) => return found.ok_or_else(|| self.no_attr(instance.this, name)),
                    Err(reason) => {
                        // Nothing else guards that the class has no `__getattr__`, which would be called now.
                        if self.lacks_attr(&reason) {
                            self.class_attr(instance, "__getattr__")?;
                        }
                        Err(reason)
                    }
                }
            }
            Some(ClassAttr::Builtin(method, _)) if READ_GENERICALLY.contains(&method.as_str()) => {
                self.guard_class_attr(instance, "__getattribute__")?;
                self.generic_get(instance, name)
            }
            // Worlds of tests name no such method.
            None => self.generic_get(instance, name),
            Some(_) => return Err(self.no_attr(instance.this, name)),
        };
        match found {
            Err(reason) if self.lacks_attr(&reason) => {
                let raising = self.exceptions.raising.take();
                match self.fallback_get(instance, name)? {
                    Some(found) => Ok(found),
                    None => {
                        self.exceptions.raising = raising;
                        Err(reason)
                    }
                }
            }
            found => found,
        }
    }

    /// True if an `AttributeError` is propagating.
    pub(in crate::trace) fn lacks_attr(&mut self, reason: &Reason) -> bool {
        match self.exceptions.raising.and_then(|raising| self.exception_class(raising)) {
            Some(("builtins.AttributeError", _)) => true,
            Some((_, class)) => self.comes_from_builtin(class, "builtins.AttributeError"),
            None => reason.is_of_attribute(),
        }
    }

    fn class_attr_unguarded(&mut self, instance: Instance, name: &str) -> Option<ClassAttr> {
        self.host.class_attr(instance.class, name, None).map(|(_, found)| found)
    }

    /// The result of the class's `__getattr__` for a name that is found nowhere else; `None` without such a method.
    fn fallback_get(&mut self, instance: Instance, name: &str) -> Traced<Option<ValueId>> {
        if self.is_nn_module(instance) {
            self.guard_class_attr(instance, "__getattr__")?;
            return self.module_member(instance, name);
        }
        match self.class_attr_unguarded(instance, "__getattr__") {
            None => Ok(None),
            Some(ClassAttr::Function(_)) => {
                let text = self.constant(Constant::Str(name.to_owned()));
                let found = self.call_special(instance.this, "__getattr__", &[text])?;
                found.ok_or_else(|| self.no_attr(instance.this, name)).map(Some)
            }
            Some(_) => Err(self.no_attr(instance.this, name)),
        }
    }

    /// `object.__getattribute__(value, name)`
    pub(in crate::trace) fn generic_get(&mut self, instance: Instance, name: &str) -> Traced {
        let this = instance.this;
        match name {
            "__class__" => return self.class_value(instance)?.ok_or_else(|| self.no_attr(this, name)),
            "__dict__" if self.has_dict(instance) => return Ok(self.value(Value::InstanceDict(this))),
            _ => {}
        }
        if let Some(found) = self.exception_get(instance, name)? {
            return Ok(found);
        }
        if self.may_be_written(name) {
            let class = self.class_source(instance)?;
            if let Some(written) = self.written_in_class(instance.class, class, name)? {
                let own = self.own_attr_of(instance, name)?;
                if own.is_none() {
                    self.guard_not_own(instance, name);
                }
                return Ok(own.unwrap_or(written));
            }
        }
        let of_class = self.class_attr_unguarded(instance, name);
        match &of_class {
            Some(ClassAttr::Property(functions)) => {
                let Some(getter) = functions[0] else { return Err(Reason::raised(&format!("AttributeError: {name}"))) };
                let function = self.class_part(instance, name, getter, "fget")?;
                return self.call(function, vec![this], vec![]);
            }
            Some(ClassAttr::Descriptor { object, is_data: true }) => {
                self.guard_is_data(instance, name, *object)?;
                if let Some(computed) = self.computed_for_tensor(instance, name)? {
                    return Ok(computed);
                }
                return match instance.body {
                    // `enum.property` on a member.
                    Body::Found(obj) if matches!(name, "name" | "value") && self.host.enum_member(obj).is_some() => {
                        self.object_attr(this, obj, name)
                    }
                    _ => self.descriptor_get(instance, name, *object),
                };
            }
            _ => {}
        }
        if let Some(own) = self.own_attr_of(instance, name)? {
            // What the running program reads goes by way of the class, too.
            match of_class {
                Some(ClassAttr::Descriptor { object, .. }) => self.guard_is_data(instance, name, object)?,
                _ if matches!(instance.body, Body::Made(_)) => self.guard_class_attr(instance, name)?,
                _ => {}
            }
            return Ok(own);
        }
        match of_class {
            Some(ClassAttr::Function(function)) => {
                let function = self.class_function(instance, name, function, None)?;
                Ok(self.value(Value::Method { function, this }))
            }
            Some(ClassAttr::StaticMethod(function)) => {
                self.class_function(instance, name, function, Some(STATIC_METHOD))
            }
            Some(ClassAttr::ClassMethod(function)) => {
                let class = self.class_value(instance)?.ok_or_else(|| self.no_attr(this, name))?;
                let function = self.class_function(instance, name, function, Some(CLASS_METHOD))?;
                Ok(self.value(Value::Method { function, this: class }))
            }
            Some(ClassAttr::CachedProperty(function, kept)) => {
                self.guard_not_own(instance, name);
                let function = self.class_part(instance, name, function, "func")?;
                let value = self.call(function, vec![this], vec![])?;
                self.write_own(instance, &kept, value)?;
                Ok(value)
            }
            Some(ClassAttr::Plain(found)) => {
                let source = match instance.body {
                    Body::Found(_) => self.own_source(instance, name),
                    Body::Made(_) => {
                        let class = self.class_source(instance)?;
                        class.and_then(|class| self.class_entry(class, instance.class, name, None))
                    }
                };
                source.into_iter().for_each(|place| self.found_variable(place));
                Ok(self.member(found, source))
            }
            Some(ClassAttr::Builtin(method, _)) => {
                if let Some(method) = self.method_for_tensor(instance, name, &method)? {
                    return Ok(method);
                }
                let function = self.value(Value::Builtin(method.clone()));
                match instance.body {
                    // The host reads nothing where the class decides how.
                    Body::Found(_) if self.has_own_getattribute(this)? => {
                        self.guard_not_own(instance, name);
                        self.class_attr(instance, name)?;
                        Ok(self.value(Value::Method { function, this }))
                    }
                    Body::Found(obj) if !is_of_base(&method) && self.held_value(this)?.is_none() => {
                        self.object_attr(this, obj, name)
                    }
                    Body::Found(_) | Body::Made(_) => {
                        self.guard_not_own(instance, name);
                        self.guard_class_attr(instance, name)?;
                        Ok(self.value(Value::Method { function, this }))
                    }
                }
            }
            Some(ClassAttr::Descriptor { object, .. }) => {
                self.guard_not_own(instance, name);
                self.descriptor_get(instance, name, object)
            }
            // A member of `__slots__` without a value, or a property, which came before.
            Some(ClassAttr::Member | ClassAttr::Property(_)) => {
                self.guard_not_own(instance, name);
                Err(Reason::lacks(this, name))
            }
            None => match instance.body {
                Body::Found(obj) if !self.has_fallback(instance) && self.host.attr(obj, name) != Lookup::Unknown => {
                    self.object_attr(this, obj, name)
                }
                Body::Found(_) => {
                    self.guard_not_own(instance, name);
                    self.class_attr(instance, name)?;
                    Err(Reason::lacks(this, name))
                }
                Body::Made(_) if name == "__dict__" => Err(self.no_attr(this, name)),
                Body::Made(_) => {
                    self.class_attr(instance, name)?;
                    Err(Reason::lacks(this, name))
                }
            },
        }
    }

    /// True for an object that keeps attributes in a dict.
    pub(super) fn has_dict(&mut self, instance: Instance) -> bool {
        match instance.body {
            Body::Found(obj) => self.host.has_dict(obj),
            Body::Made(_) => self.class_attr_unguarded(instance, "__dict__").is_some(),
        }
    }

    /// True for an object whose class reads attributes by a function of its own.
    pub(in crate::trace) fn has_own_getattribute(&mut self, this: ValueId) -> Traced<bool> {
        let instance = self.instance_of(this, "__dict__")?;
        Ok(matches!(self.class_attr_unguarded(instance, "__getattribute__"), Some(ClassAttr::Function(_))))
    }

    /// The source of an attribute of an object, read without the class's own `__getattribute__`, where it has one.
    pub(super) fn own_source(&mut self, instance: Instance, name: &str) -> Option<SourceId> {
        let source = self.source(instance.this)?;
        match self.class_attr_unguarded(instance, "__getattribute__") {
            Some(ClassAttr::Function(_)) => {
                let name = self.sources.string(name);
                Some(self.sources.step(source, Step::GenericAttr(name)))
            }
            _ => Some(self.sources.attr(source, name)),
        }
    }

    /// The source of what an object itself has under a name. Where the attribute is not there, reading must not run
    /// a property, a descriptor or `__getattr__` of the class.
    fn found_source(&mut self, instance: Instance, name: &str) -> Option<SourceId> {
        let computes = match self.class_attr_unguarded(instance, name) {
            Some(ClassAttr::Member) => return self.own_source(instance, name),
            Some(ClassAttr::CachedProperty(..) | ClassAttr::Descriptor { .. } | ClassAttr::Property(_)) => true,
            Some(_) => false,
            None => self.has_fallback(instance) && !self.is_nn_module(instance),
        };
        let Body::Found(obj) = instance.body else { return self.own_source(instance, name) };
        match computes && self.host.has_dict(obj) {
            true => {
                let dict = self.own_source(instance, "__dict__")?;
                Some(self.sources.item(dict, Constant::Str(name.to_owned())))
            }
            false => self.own_source(instance, name),
        }
    }

    /// True for an object whose class has `__getattr__`.
    pub(super) fn has_fallback(&mut self, instance: Instance) -> bool {
        self.class_attr_unguarded(instance, "__getattr__").is_some()
    }

    /// The result of a descriptor whose class implements `__get__` as a Python function.
    fn descriptor_get(&mut self, instance: Instance, name: &str, object: Obj) -> Traced {
        if matches!(self.host.view(object), View::Object(class) if class == CACHED) {
            return self.cached_method(instance, name, object);
        }
        if let Some(source) = self.class_source(instance)? {
            let source = self.class_entry(source, instance.class, name, None);
            let descriptor = self.member(object, source);
            let compiled = self.force(descriptor)?;
            if self.is_compiled_function(compiled) {
                return Ok(self.value(Value::Method { function: compiled, this: instance.this }));
            }
            if let (Some(_), Some(class)) = (self.special(descriptor, "__get__")?, self.class_value(instance)?) {
                let found = self.call_special(descriptor, "__get__", &[instance.this, class])?;
                return found.ok_or_else(|| self.no_attr(instance.this, name));
            }
        }
        match instance.body {
            Body::Found(obj) => self.object_attr(instance.this, obj, name),
            Body::Made(_) => Err(self.no_attr(instance.this, name)),
        }
    }

    /// Guards that the class of a descriptor has the methods that it has of those which let it come before what the
    /// object itself has.
    fn guard_is_data(&mut self, instance: Instance, name: &str, object: Obj) -> Traced<()> {
        let Some(source) = self.class_source(instance)? else { return Ok(()) };
        let Some(place) = self.class_entry(source, instance.class, name, None) else { return Ok(()) };
        let descriptor = self.member(object, Some(place));
        if let Some(descriptor) = self.instance(descriptor)? {
            for method in ["__set__", "__delete__"] {
                self.guard_class_attr(descriptor, method)?;
            }
        }
        Ok(())
    }

    /// A method that `functools.lru_cache` has made, bound to an object of the caller's.
    fn cached_method(&mut self, instance: Instance, name: &str, function: Obj) -> Traced {
        let Body::Found(obj) = instance.body else { return Err(self.no_attr(instance.this, name)) };
        self.guard_not_own(instance, name);
        match (self.own_source(instance, name), self.host.bound(function, obj)) {
            (Some(source), Some(method)) => Ok(self.sourced(Value::Object(METHOD.to_owned(), method), source)),
            _ => Err(self.no_attr(instance.this, name)),
        }
    }

    /// The source of an object's class; `None` for a class that can be reached in no way.
    pub(super) fn class_source(&mut self, instance: Instance) -> Traced<Option<SourceId>> {
        Ok(match self.class_value(instance)? {
            Some(class) => {
                let class = self.force(class)?;
                self.source(class)
            }
            None => None,
        })
    }

    /// A function that the class has, alone or in a `wrapper` such as `builtins.staticmethod`; the object itself has
    /// nothing of the name.
    fn class_function(&mut self, instance: Instance, name: &str, found: Obj, wrapper: Option<&str>) -> Traced {
        self.guard_not_own(instance, name);
        let class = self.class_source(instance)?;
        let entry = class.and_then(|class| self.class_entry(class, instance.class, name, None));
        if entry.is_none() && !self.host.is_immutable(instance.class) {
            return Err(self.no_attr(instance.this, name));
        }
        self.entry_function(entry, found, wrapper)
    }

    /// A function in a property that the class has, which is called next.
    fn class_part(&mut self, instance: Instance, name: &str, found: Obj, part: &str) -> Traced {
        let Some(source) = self.class_source(instance)? else { return Err(self.no_attr(instance.this, name)) };
        let source = self.sources.attr(source, name);
        let source = self.sources.attr(source, part);
        Ok(self.lazy(found, source))
    }

    /// Guards that an object of the caller's has nothing of its own under a name.
    pub(super) fn guard_not_own(&mut self, instance: Instance, name: &str) {
        let (Body::Found(obj), Some(source)) = (instance.body, self.source(instance.this)) else { return };
        let id = self.sources.string(name);
        if matches!(self.class_attr_unguarded(instance, name), Some(ClassAttr::Member)) {
            self.guard(source, GuardKind::SlotUnset(id));
        } else if self.host.has_dict(obj) {
            self.guard(source, GuardKind::NotPresentInGenericDict(id));
        }
    }

    /// The attribute that an object itself has under a name.
    pub(super) fn own_attr_of(&mut self, instance: Instance, name: &str) -> Traced<Option<ValueId>> {
        match instance.body {
            Body::Made(state) => match self.heap.get(state) {
                State::Instance(made) => Ok(made.attrs.get(name).copied()),
                _ => Ok(None),
            },
            Body::Found(obj) if self.written(obj, name).is_some() || self.host.instance_attr(obj, name).is_some() => {
                match self.host.instance_attr(obj, name) {
                    Some(found) if self.written(obj, name).is_none() => {
                        let source = self.found_source(instance, name);
                        if let (Some(source), Some(of)) = (source, self.source(instance.this)) {
                            self.found_attr(of, name, source);
                        }
                        Ok(Some(self.member(found, source)))
                    }
                    _ => self.object_attr(instance.this, obj, name).map(Some),
                }
            }
            Body::Found(_) => Ok(None),
        }
    }

    /// Writes the type expression that a new object was made by into it, as `typing` does, where the object's class has
    /// a place for attributes.
    pub(in crate::trace) fn tell_alias(&mut self, made: ValueId, alias: ValueId) -> Traced<()> {
        const NAME: &str = "__orig_class__";
        let Some(instance) = self.instance(made)?.filter(|instance| matches!(instance.body, Body::Made(_))) else {
            return Err(self.no_change(made));
        };
        let class = self.class_source(instance)?;
        match self.class_method(instance.class, "__setattr__", class) {
            Some(ClassAttr::Builtin(method, _)) if is_generic(instance, &method, "__setattr__") => {}
            _ => return Err(self.no_change(made)),
        }
        // What it says of the object, if it says anything, is the class's business.
        if self.class_attr_unguarded(instance, NAME).is_some() {
            return Err(self.no_change(made));
        }
        if self.has_dict(instance) { self.write_own(instance, NAME, alias) } else { Ok(()) }
    }

    /// `value.name = new` of an object of a class of the program's.
    pub(in crate::trace) fn instance_set(&mut self, instance: Instance, name: &str, new: ValueId) -> Traced<()> {
        let class = self.class_source(instance)?;
        match self.class_method(instance.class, "__setattr__", class) {
            Some(ClassAttr::Builtin(method, _)) if is_generic(instance, &method, "__setattr__") => {
                self.generic_set(instance, name, new)
            }
            Some(ClassAttr::Function(_)) if self.has_module_setattr(instance) => {
                self.guard_class_attr(instance, "__setattr__")?;
                self.module_set(instance, name, new)
            }
            Some(ClassAttr::Function(_)) => {
                let text = self.constant(Constant::Str(name.to_owned()));
                match self.call_special(instance.this, "__setattr__", &[text, new])? {
                    Some(_) => Ok(()),
                    None => Err(self.no_change(instance.this)),
                }
            }
            None => self.generic_set(instance, name, new),
            Some(_) => Err(self.no_change(instance.this)),
        }
    }

    /// `object.__setattr__(value, name, new)`
    pub(in crate::trace) fn generic_set(&mut self, instance: Instance, name: &str, new: ValueId) -> Traced<()> {
        let this = instance.this;
        if name.starts_with("__") && name.ends_with("__") {
            return Err(self.no_change(this));
        }
        if self.exception_set(instance, name, new)? {
            return Ok(());
        }
        match self.class_attr_unguarded(instance, name) {
            Some(ClassAttr::Property(functions)) => {
                let setter = functions[1].ok_or_else(|| self.no_change(this))?;
                let function = self.class_part(instance, name, setter, "fset")?;
                self.call(function, vec![this, new], vec![]).map(|_| ())
            }
            Some(ClassAttr::Descriptor { object, is_data: true }) => {
                let Some(source) = self.class_source(instance)? else { return Err(self.no_change(this)) };
                let source = self.class_entry(source, instance.class, name, None);
                let descriptor = self.member(object, source);
                match self.call_special(descriptor, "__set__", &[this, new])? {
                    Some(_) => Ok(()),
                    None => Err(self.no_change(this)),
                }
            }
            _ => self.write_own(instance, name, new),
        }
    }

    /// Writes into an object itself.
    pub(super) fn write_own(&mut self, instance: Instance, name: &str, new: ValueId) -> Traced<()> {
        self.check_not_hashed(instance)?;
        match instance.body {
            Body::Made(state) => {
                let has_place = self.class_attr_unguarded(instance, name) == Some(ClassAttr::Member)
                    || self.class_attr_unguarded(instance, "__dict__").is_some();
                if !has_place {
                    return Err(self.no_change(instance.this));
                }
                self.show_change(instance.this, name, Some(new));
                if let State::Instance(made) = self.heap.change(state) {
                    made.attrs.insert(name.to_owned(), new);
                }
                Ok(())
            }
            // The code writes the attribute again, by the class's own way.
            Body::Found(obj) if self.host.plain_setattr(obj, name) || self.has_module_setattr(instance) => {
                // What was deleted comes back as the last of the object's attributes.
                if self.was_deleted(obj, name) {
                    return Err(self.no_change(instance.this));
                }
                self.write_attr(instance.this, obj, name, new);
                Ok(())
            }
            Body::Found(_) => Err(self.no_change(instance.this)),
        }
    }

    /// `del value.name` of an object of a class of the program's.
    pub(in crate::trace) fn instance_delete(&mut self, instance: Instance, name: &str) -> Traced<()> {
        const METHOD: &str = "__delattr__";
        let class = self.class_source(instance)?;
        let own = self.class_method(instance.class, METHOD, class);
        match (own, instance.body) {
            (Some(ClassAttr::Function(_)), Body::Made(_)) => {
                let name = self.constant(Constant::Str(name.to_owned()));
                let deleted = self.call_special(instance.this, METHOD, &[name])?;
                deleted.map(|_| ()).ok_or_else(|| self.no_change(instance.this))
            }
            (Some(ClassAttr::Builtin(method, _)), Body::Made(_)) if !is_generic(instance, &method, METHOD) => {
                Err(self.no_change(instance.this))
            }
            _ => self.generic_delete(instance, name),
        }
    }

    /// `object.__delattr__(value, name)` of an object of a class of the program's.
    pub(super) fn generic_delete(&mut self, instance: Instance, name: &str) -> Traced<()> {
        self.check_not_hashed(instance)?;
        match instance.body {
            Body::Found(obj) => self.delete_found(instance.this, obj, name),
            Body::Made(state) if self.is_plain_name(instance, name) => {
                self.show_change(instance.this, name, None);
                let State::Instance(made) = self.heap.change(state) else { return Ok(()) };
                match made.attrs.shift_remove(name) {
                    Some(_) => Ok(()),
                    None => Err(Reason::raised(&format!("AttributeError: {name}"))),
                }
            }
            Body::Made(_) => Err(self.no_change(instance.this)),
        }
    }

    /// True for a name that the class says nothing of, or that is a member of `__slots__`.
    fn is_plain_name(&mut self, instance: Instance, name: &str) -> bool {
        matches!(self.class_attr_unguarded(instance, name), None | Some(ClassAttr::Member | ClassAttr::Plain(_)))
    }
}
