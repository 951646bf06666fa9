//! Objects of the program's classes, and its exceptions: their classes, their special methods, their texts.
//!
//! - `attributes`: reading, writing and deleting attributes, as `object.__getattribute__` and its like do;
//! - `operators`: binary operators and comparisons by special methods;
//! - `bases`: what objects hold whose classes come from Python's own; `held_values`: those of them that hold a tuple,
//!   a set, a number or a text; `dicts`: their `__dict__`; `enums`: members of enumerations that are equal to their
//!   values;
//! - `exceptions`: what `BaseException` does; `finalizers`: what is done when an object is dropped;
//!   `weak_references`: those that the program makes;
//! - `conversions`: `int(object)` and its like; `keys`: objects as keys of dicts, and `hash`;
//! - `construct`: calls of classes; `copies`: `copy.copy` and `copy.deepcopy`; `supers`: `super()`;
//! - `classes`: attributes of classes, `class_writes`: those that the program writes;
//! - `modules`: what is special about `torch.nn.Module`; `tensor_subclasses`: objects that are tensors; `compiled`:
//!   nested compilation.
//!
//! A special method is looked up in the class, as the interpreter does, and inlined with the object as `self`.
//!
//! Invariant: what is read of a class is guarded by way of the object's type, or the class cannot change.

mod attributes;
mod bases;
mod class_writes;
mod classes;
mod compiled;
mod construct;
mod conversions;
mod copies;
mod dicts;
mod enums;
mod exceptions;
mod finalizers;
mod held_values;
mod keys;
mod modules;
mod namespaces;
mod operators;
mod supers;
mod tensor_subclasses;
mod weak_references;

pub(super) use super::values::attr::METHOD;
pub(super) use bases::READ_ONLY;
pub(super) use held_values::is_of_values;
pub(super) use supers::CLASS as SUPER;

use crate::{
    host::{ClassAttr, Lookup, Obj, View},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{State, StateId},
            value::{Keywords, Value, ValueId},
        },
        python::classes::classes,
        signature::Row,
    },
};
use guards::{Constant, GuardKind, SourceId, Step};
use symshapes::Expr;

/// The class of the functions that `functools.lru_cache` makes.
pub(super) const CACHED: &str = "functools._lru_cache_wrapper";

pub(super) const ROWS: &[&[Row]] = &[
    classes::ROWS,
    construct::ROWS,
    copies::ROWS,
    exceptions::ROWS,
    keys::ROWS,
    modules::ROWS,
    namespaces::ROWS,
    weak_references::ROWS,
];

/// An object of a class of the program's, looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// The value.
    pub(super) this: ValueId,
    /// Its class.
    pub(super) class: Obj,
    body: Body,
}

/// The place where an object keeps its attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Body {
    /// In the running program, and in what the trace has written.
    Found(Obj),
    /// In the trace alone.
    Made(StateId),
}

impl Tracer<'_> {
    /// The object that a value is; `None` for what is no object of a class of the program's.
    pub(super) fn instance(&mut self, value: ValueId) -> Traced<Option<Instance>> {
        let this = self.force(value)?;
        Ok(match self.objects.values[this] {
            Value::Object(_, obj) => Some(Instance { this, class: self.host.class_of(obj), body: Body::Found(obj) }),
            Value::Instance(state) => {
                let State::Instance(instance) = self.heap.get(state) else { return Ok(None) };
                let class = instance.class;
                match self.get(class)? {
                    Value::Class(_, class) => Some(Instance { this, class, body: Body::Made(state) }),
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// [`Tracer::instance`], also of a class.
    fn instance_or_class(&mut self, value: ValueId) -> Traced<Option<Instance>> {
        let this = self.force(value)?;
        match self.objects.values[this] {
            Value::Class(_, obj) => Ok(Some(self.instance_of_metaclass(this, obj))),
            _ => self.instance(this),
        }
    }

    /// True for a class whose metaclass has nothing of its own in the place of a special method of `type`, which is
    /// guarded, and for what is no class.
    pub(in crate::trace) fn leaves_to_type(&mut self, value: ValueId, name: &str) -> Traced<bool> {
        let value = self.force(value)?;
        let Value::Class(_, class) = self.objects.values[value] else { return Ok(true) };
        let source = self.source(value).map(|source| self.sources.step(source, Step::Type));
        let meta = self.host.class_of(class);
        Ok(matches!(self.class_method(meta, name, source), None | Some(ClassAttr::Builtin(..))))
    }

    /// True for a class whose metaclass nobody changes: `type`, or one of a library's.
    pub(in crate::trace) fn has_plain_metaclass(&mut self, class: Obj) -> bool {
        let meta = self.host.class_of(class);
        self.host.is_immutable(meta)
    }

    /// A class as an object of its metaclass.
    fn instance_of_metaclass(&mut self, this: ValueId, class: Obj) -> Instance {
        Instance { this, class: self.host.class_of(class), body: Body::Found(class) }
    }

    /// The class of an object, as a value; `None` for one that may change and that can be reached in no way.
    fn class_value(&mut self, instance: Instance) -> Traced<Option<ValueId>> {
        match instance.body {
            Body::Found(_) => self.type_of_object(instance.this),
            Body::Made(state) => match self.heap.get(state) {
                State::Instance(made) => Ok(Some(made.class)),
                _ => Ok(None),
            },
        }
    }

    /// The attribute that the class of an object has under a name, and its source. That there is none is guarded.
    pub(in crate::trace) fn class_attr(
        &mut self,
        instance: Instance,
        name: &str,
    ) -> Traced<Option<(ClassAttr, Option<SourceId>)>> {
        let source = self.class_source(instance)?;
        match (self.class_method(instance.class, name, source), source) {
            (Some(found), source) => Ok(Some((found, source.map(|source| self.sources.attr(source, name))))),
            (None, Some(source)) => {
                // What its metaclass has no guard tells apart.
                if !self.host.class_has(instance.class, name) {
                    let name = self.sources.string(name);
                    self.guard(source, GuardKind::HasAttr(name, false));
                }
                Ok(None)
            }
            (None, None) => Ok(None),
        }
    }

    /// Guards that the class of an object gives under a name what it gives now: this function, descriptor or method
    /// without Python code, or nothing. Anything else is guarded by what is read of it.
    pub(super) fn guard_class_attr(&mut self, instance: Instance, name: &str) -> Traced<()> {
        if self.host.is_immutable(instance.class) {
            return Ok(());
        }
        let Some(source) = self.class_source(instance)? else { return Ok(()) };
        let found = match self.host.class_attr(instance.class, name, None).map(|(_, found)| found) {
            Some(
                ClassAttr::Function(object) | ClassAttr::Builtin(_, object) | ClassAttr::Descriptor { object, .. },
            ) => Some(self.object(object)),
            Some(_) => return Ok(()),
            None => None,
        };
        let kind = GuardKind::ClassAttr(self.sources.string(name), found);
        self.guard(source, kind);
        Ok(())
    }

    /// The object of the caller's that a value stands for.
    pub(in crate::trace) fn found_object(&self, value: ValueId) -> Option<Obj> {
        self.objects.known.iter().find(|&(_, &known)| known == value).map(|(&obj, _)| obj)
    }

    /// The entry of a class under a name, with a guard that no function of the program's takes the place of a method
    /// without Python code.
    fn class_method(&mut self, class: Obj, name: &str, source: Option<SourceId>) -> Option<ClassAttr> {
        let (_, found) = self.host.class_attr(class, name, None)?;
        if let (ClassAttr::Builtin(_, method), Some(source)) = (&found, source) {
            self.guard_builtin(class, name, *method, source);
        }
        Some(found)
    }

    /// Guards that a class still has the method without Python code that it was found to have: that no method of
    /// the program's has taken its place. Class methods are bound anew at each read and have no identity, and a
    /// metaclass of the program's may have an attribute of that name; then the dicts of the classes are looked at.
    fn guard_builtin(&mut self, class: Obj, name: &str, method: Obj, source: SourceId) {
        if self.host.is_immutable(class) {
            return;
        }
        if self.host.attr(class, name) == Lookup::Found(method) {
            let (kind, source) = (GuardKind::IdMatch(self.object(method)), self.sources.attr(source, name));
            self.guard(source, kind);
        } else {
            self.class_entry(source, class, name, None);
        }
    }

    /// A special method of an object or class, bound to it; `None` if its class has none that can be traced.
    pub(in crate::trace) fn special(&mut self, value: ValueId, name: &str) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance_or_class(value)? else { return Ok(None) };
        let Some((found, source)) = self.class_attr(instance, name)? else { return Ok(None) };
        let this = instance.this;
        Ok(match found {
            ClassAttr::Function(function) if source.is_some() || self.host.is_immutable(instance.class) => {
                let class = self.class_source(instance)?;
                let entry = class.and_then(|class| self.class_entry(class, instance.class, name, None));
                let function = self.entry_function(entry, function, None)?;
                Some(self.value(Value::Method { function, this }))
            }
            // What the class of Python's own does that the class comes from.
            ClassAttr::Builtin(method, _) if !method.starts_with("builtins.object.") => {
                let function = self.value(Value::Builtin(method));
                Some(self.value(Value::Method { function, this }))
            }
            _ => None,
        })
    }

    /// A part of an object or class, not looked at yet.
    fn member(&mut self, obj: Obj, source: Option<SourceId>) -> ValueId {
        match source {
            Some(source) => self.lazy(obj, source),
            None => self.value(Value::Lazy(obj)),
        }
    }

    /// Calls a special method of an object; `None` if there is none that can be traced.
    pub(super) fn call_special(&mut self, value: ValueId, name: &str, args: &[ValueId]) -> Traced<Option<ValueId>> {
        self.call_special_with(value, name, args, &vec![])
    }

    /// [`Tracer::call_special`] with keyword arguments.
    fn call_special_with(
        &mut self,
        value: ValueId,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        match self.special(value, name)? {
            Some(method) => self.call(method, args.to_vec(), keywords.clone()).map(Some),
            None => Ok(None),
        }
    }

    /// True for a value whose class certainly has none of these special methods, and is none that does without them.
    pub(in crate::trace) fn lacks_specials(&mut self, value: ValueId, names: &[&str]) -> Traced<bool> {
        let value = self.force(value)?;
        let is_plain = match &self.objects.values[value] {
            Value::Const(constant) => matches!(
                constant,
                Constant::None | Constant::Bool(_) | Constant::Int(_) | Constant::BigInt(_) | Constant::Float(_)
            ),
            Value::Function(_) => true,
            _ => false,
        };
        if is_plain {
            let Some([own, ..]) = classes(self, value)? else { return Ok(false) };
            let class = self.host.class_named(own);
            return Ok(
                class.is_some_and(|class| names.iter().all(|name| self.host.class_attr(class, name, None).is_none()))
            );
        }
        let Some(instance) = self.instance(value)? else { return Ok(false) };
        if self.class_source(instance)?.is_none() && !self.host.is_immutable(instance.class) {
            return Ok(false);
        }
        for name in names {
            if self.host.class_has(instance.class, name) || self.class_attr(instance, name)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `iter(value)` where the program asks for it: what its class cannot do is an error that a handler may see.
    pub(super) fn iterate_asked(&mut self, value: ValueId) -> Traced {
        match self.lacks_specials(value, &["__iter__", "__getitem__"])? {
            true => Err(Reason::refused(value, "'{}' object is not iterable")),
            false => self.iterate(value),
        }
    }

    /// `len` of an object.
    pub(super) fn object_len(&mut self, value: ValueId) -> Traced {
        if self.lacks_specials(value, &["__len__"])? {
            return Err(Reason::refused(value, "object of type '{}' has no len()"));
        }
        let unknown = |t: &mut Self| Reason::new(Kind::Call, format!("`len` of {}.", t.describe(value)));
        match self.call_special(value, "__len__", &[])? {
            Some(len) if let Value::Const(Constant::Bool(len)) = self.get(len)? => {
                Ok(self.constant(Constant::Int(i64::from(len))))
            }
            Some(len) if self.is_length(len)? && !matches!(self.get(len)?, Value::SymBool { .. }) => Ok(len),
            _ => Err(unknown(self)),
        }
    }

    /// True for an integer that a length may be, of a symbolic one under a guard.
    fn is_length(&mut self, value: ValueId) -> Traced<bool> {
        let Some(len) = self.int(value)? else { return Ok(false) };
        let is_natural = self.shapes.env.pool_mut().le(Expr::ZERO, len);
        self.holds(is_natural)
    }

    /// Whether an object counts as true.
    pub(super) fn object_truth(&mut self, value: ValueId) -> Traced<bool> {
        let Some(instance) = self.instance_or_class(value)? else { return Ok(true) };
        for name in ["__bool__", "__len__"] {
            match self.class_attr(instance, name)? {
                Some((ClassAttr::Function(_) | ClassAttr::Builtin(..), _)) => {
                    let found = self.call_special(value, name, &[])?;
                    let found = found.ok_or_else(|| self.no_truth(value))?;
                    // Anything else is an error of the program's.
                    let fits = match self.get(found)? {
                        Value::Const(Constant::Bool(_)) | Value::SymBool { .. } => true,
                        Value::Const(Constant::Int(_)) | Value::SymInt { .. } => {
                            name == "__len__" && self.is_length(found)?
                        }
                        _ => false,
                    };
                    return if fits { self.truth(found) } else { Err(self.no_truth(value)) };
                }
                Some(_) => return Err(self.no_truth(value)),
                None if self.host.class_has(instance.class, name) => return Err(self.no_truth(value)),
                None => {}
            }
        }
        match self.class_value(instance)? {
            // That it has neither method is guarded by way of its class.
            Some(class) if self.source(class).is_some() || self.host.is_immutable(instance.class) => Ok(true),
            _ => Err(self.no_truth(value)),
        }
    }

    fn no_truth(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("`bool` of {}.", self.describe(value)))
    }

    /// The class of a value, if that is known.
    pub(super) fn class_of(&mut self, value: ValueId) -> Traced<Option<Obj>> {
        if let Some(instance) = self.instance(value)? {
            return Ok(Some(instance.class));
        }
        Ok(match self.get(value)? {
            Value::Record(class, ..) => Some(class),
            Value::Class(_, class) => Some(self.host.class_of(class)),
            Value::Builtin(_) => self.class_of_builtin(value)?,
            _ => match classes(self, value)? {
                Some([own, ..]) => self.host.class_named(own),
                _ => None,
            },
        })
    }

    /// The class of a function without bytecode, or of one that is a node of the graph, if it was found.
    pub(super) fn class_of_builtin(&mut self, value: ValueId) -> Traced<Option<Obj>> {
        let value = self.force(value)?;
        let found = self.objects.known.iter().find(|&(_, &known)| known == value).map(|(&obj, _)| obj);
        Ok(found.map(|obj| self.host.class_of(obj)))
    }

    /// `type(value)` of an object or exception.
    pub(super) fn type_of_object(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let value = self.force(value)?;
        let class = match self.objects.values[value] {
            Value::Object(_, obj) | Value::Class(_, obj) => self.host.class_of(obj),
            Value::Record(class, ..) => class,
            Value::Instance(state) => {
                let State::Instance(instance) = self.heap.get(state) else { return Ok(None) };
                let class = instance.class;
                return self.force(class).map(Some);
            }
            _ => return Ok(None),
        };
        if let Some(&known) = self.objects.known.get(&class) {
            return Ok(Some(known));
        }
        let found = match (self.source(value), self.host.view(class)) {
            // The object's own guard is on its type.
            (Some(source), View::Class(name)) => {
                let source = self.sources.step(source, Step::Type);
                let found = self.sourced(Value::Class(name, class), source);
                self.objects.known.insert(class, found);
                return Ok(Some(found));
            }
            _ if self.host.is_immutable(class) => self.value(Value::Lazy(class)),
            _ => return Ok(None),
        };
        self.force(found).map(Some)
    }

    /// Whether the class of a value comes from another one; `None` if that is not known.
    pub(super) fn is_of_class(&mut self, value: ValueId, of: Obj) -> Traced<Option<bool>> {
        let Some(class) = self.class_of(value)? else { return Ok(None) };
        Ok(if class == of { Some(true) } else { self.comes_from(class, of) })
    }

    /// True for `torch.Tensor` and the classes that come from it: a tensor that is traced is of exactly one of two.
    pub(super) fn is_tensor_class(&mut self, class: Obj) -> bool {
        let tensor = self.host.class_named("torch.Tensor");
        tensor.is_some_and(|tensor| self.host.mro(class).contains(&tensor))
    }

    /// Whether a class comes from another one, be it by registration with an abstract class; `None` if that one decides
    /// for itself.
    pub(super) fn comes_from(&mut self, class: Obj, of: Obj) -> Option<bool> {
        let comes = self.host.is_subclass(class, of);
        if let (Some(_), Some(token)) = (comes, self.host.abstract_token(of)) {
            // It changes whenever a class is registered anywhere.
            let module = self.sources.module("abc");
            let method = self.sources.string("get_cache_token");
            let source = self.sources.step(module, Step::Call0(method));
            let token = self.sources.constant(Constant::Int(token));
            self.guard(source, GuardKind::EqualsMatch(token));
        }
        comes
    }

    /// `isinstance(value, class)` as `__instancecheck__` of the class's metaclass has it, if that is the program's.
    pub(super) fn checked_by_metaclass(&mut self, value: ValueId, class: ValueId) -> Traced<Option<bool>> {
        let class = self.force(class)?;
        let (&Value::Class(_, obj), Some(source)) = (&self.objects.values[class], self.source(class)) else {
            return Ok(None);
        };
        let meta = self.host.class_of(obj);
        let check = self.host.class_attr(meta, "__instancecheck__", None).map(|(_, found)| found);
        let Some(ClassAttr::Function(check)) = check else { return Ok(None) };
        let source = self.sources.step(source, Step::Type);
        let source = self.sources.attr(source, "__instancecheck__");
        let check = self.lazy(check, source);
        let is = self.call(check, vec![class, value], vec![])?;
        self.truth(is).map(Some)
    }

    /// Guards that no function of the program's takes the place of `type`'s own check in a class's metaclass.
    pub(in crate::trace) fn keep_check(&mut self, class: ValueId, check: &str) -> Traced<()> {
        let class = self.force(class)?;
        if let (&Value::Class(_, obj), Some(source)) = (&self.objects.values[class], self.source(class)) {
            let (meta, source) = (self.host.class_of(obj), self.sources.step(source, Step::Type));
            self.class_method(meta, check, Some(source));
        }
        Ok(())
    }

    /// `issubclass(class, of)`
    pub(super) fn is_subclass(&mut self, class: ValueId, of: ValueId) -> Traced<bool> {
        self.keep_check(of, "__subclasscheck__")?;
        let unknown = || Reason::new(Kind::Call, "`issubclass` of a class that decides for itself.");
        match (self.get(class)?, self.get(of)?) {
            (Value::Class(_, class), Value::Class(_, of)) if class == of => Ok(true),
            (Value::Class(_, class), Value::Class(_, of)) => self.comes_from(class, of).ok_or_else(unknown),
            (Value::Class(..), Value::Tuple(options)) => {
                for option in options {
                    if self.is_subclass(class, option)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Err(raised("TypeError: issubclass() arg 1 must be a class").uncaught()),
        }
    }

    /// `callable` of an object: whether its class has `__call__`.
    pub(super) fn is_callable_object(&mut self, value: ValueId) -> Traced<bool> {
        let unknown = |t: &mut Self| Reason::new(Kind::Call, format!("`callable` of {}.", t.describe(value)));
        let Some(instance) = self.instance(value)? else { return Err(unknown(self)) };
        let found = self.host.class_attr(instance.class, "__call__", None);
        let is_plain = !self.has_fallback(instance) && !self.has_own_getattribute(value)?;
        let own = |t: &mut Self, obj| t.host.instance_attr(obj, "__call__");
        match (found, instance.body, self.source(value)) {
            (Some(_), ..) => self.class_attr(instance, "__call__").map(|found| found.is_some()),
            // Every class has `__call__` by its metaclass; what the class gives to objects, these show.
            (None, Body::Found(obj), Some(source)) if is_plain && own(self, obj).is_none() => {
                let name = self.sources.string("__call__");
                self.guard(source, GuardKind::HasAttr(name, false));
                Ok(false)
            }
            _ => Err(unknown(self)),
        }
    }

    /// `str` of what is neither a constant nor a container, if that is not its `repr`.
    pub(super) fn text_of(&mut self, value: ValueId) -> Traced<Option<String>> {
        self.object_text(value, "__str__")
    }

    /// `str` or `repr` of an object by its class's own method, by the method's name; `None` if the class has none in
    /// Python.
    pub(super) fn object_text(&mut self, value: ValueId, method: &str) -> Traced<Option<String>> {
        let Some(text) = self.call_special(value, method, &[])? else { return Ok(None) };
        match self.get(text)? {
            Value::Const(Constant::Str(text)) => Ok(Some(text)),
            _ => Ok(None),
        }
    }

    /// `format` of an object by its class's own `__format__`; `None` if that is the interpreter's or that of
    /// enumerations, which give the object's `str` where the format specification is empty.
    pub(in crate::trace) fn own_format(&mut self, value: ValueId, spec: ValueId) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance_or_class(value)? else { return Ok(None) };
        let found = match self.class_attr(instance, "__format__")? {
            Some((found @ ClassAttr::Function(_), _)) => found,
            Some((ClassAttr::Builtin(..), _))
                if !matches!(self.get(spec)?, Value::Const(Constant::Str(spec)) if spec.is_empty())
                    && let Some(held) = self.held_scalar(value)? =>
            {
                return self.call_builtin("builtins.format", &[held, spec], vec![]).map(Some);
            }
            _ => return Ok(None),
        };
        let of_enumerations = self.host.class_named("enum.Enum").and_then(|class| {
            let (_, found) = self.host.class_attr(class, "__format__", None)?;
            Some(found)
        });
        match of_enumerations == Some(found) {
            true => Ok(None),
            false => self.call_special(value, "__format__", &[spec]),
        }
    }
}
