//! Objects of the program's classes, and its exceptions: their special methods, their classes, their texts.
//!
//! A special method is looked up in the class, as the interpreter does, and inlined with the object as `self`.
//!
//! Invariant: what is read of a class is guarded by way of the object's type, or the class cannot change.

use super::{
    Traced, Tracer,
    items::raised,
    value::{Value, ValueId},
};
use crate::{
    host::{Lookup, Obj},
    reason::{Kind, Reason},
};
use guards::{Constant, Step};

impl Tracer<'_> {
    /// A special method of an object, bound to it; `None` if its class has none that can be traced.
    fn special(&mut self, value: ValueId, name: &str) -> Traced<Option<ValueId>> {
        let this = self.force(value)?;
        let Value::Object(_, obj) = self.values[this] else { return Ok(None) };
        let class = self.host.class_of(obj);
        let (Lookup::Found(found), Some(source)) = (self.host.attr(class, name), self.source(this)) else {
            return Ok(None);
        };
        let class = self.sources.step(source, Step::Type);
        let source = self.sources.attr(class, name);
        let function = self.lazy(found, source);
        Ok(match self.get(function)? {
            Value::Function(_) => Some(self.value(Value::Method { function, this })),
            _ => None,
        })
    }

    /// Calls a special method of an object; `None` if there is none that can be traced.
    pub(super) fn call_special(&mut self, value: ValueId, name: &str, args: &[ValueId]) -> Traced<Option<ValueId>> {
        match self.special(value, name)? {
            Some(method) => self.call(method, args.to_vec(), vec![]).map(Some),
            None => Ok(None),
        }
    }

    /// `len` of an object.
    pub(super) fn object_len(&mut self, value: ValueId) -> Traced {
        let unknown = |t: &mut Self| Reason::new(Kind::Call, format!("`len` of {}.", t.describe(value)));
        match self.call_special(value, "__len__", &[])? {
            Some(len) if self.int(len)?.is_some() => Ok(len),
            _ => Err(unknown(self)),
        }
    }

    /// Whether an object counts as true.
    pub(super) fn object_truth(&mut self, value: ValueId) -> Traced<bool> {
        for name in ["__bool__", "__len__"] {
            if let Some(found) = self.call_special(value, name, &[])? {
                let known = self.number(found)?.is_some();
                return if known { self.truth(found) } else { Err(self.no_truth(value)) };
            }
        }
        // That there is none is nothing that a guard would see change.
        Err(self.no_truth(value))
    }

    fn no_truth(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("`bool` of {}.", self.describe(value)))
    }

    /// The class of a value, if that is known.
    pub(super) fn class_of(&mut self, value: ValueId) -> Traced<Option<Obj>> {
        Ok(match self.get(value)? {
            Value::Object(_, obj) => Some(self.host.class_of(obj)),
            Value::Exception { class, .. } => Some(class),
            Value::Record(class, ..) => Some(class),
            _ => match super::python::classes::classes(self, value)? {
                Some([own, ..]) => self.host.class_named(own),
                _ => None,
            },
        })
    }

    /// `type(value)` of an object or exception.
    pub(super) fn type_of_object(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let value = self.force(value)?;
        let class = match self.values[value] {
            Value::Object(_, obj) => self.host.class_of(obj),
            Value::Exception { class, .. } => class,
            _ => return Ok(None),
        };
        if let Some(&known) = self.known.get(&class) {
            return Ok(Some(known));
        }
        let found = match self.source(value) {
            Some(source) => {
                let source = self.sources.step(source, Step::Type);
                self.lazy(class, source)
            }
            None if self.host.is_immutable(class) => self.value(Value::Lazy(class)),
            None => return Ok(None),
        };
        self.force(found).map(Some)
    }

    /// Whether the class of a value comes from another one; `None` if that is not known.
    pub(super) fn is_of_class(&mut self, value: ValueId, of: Obj) -> Traced<Option<bool>> {
        let Some(class) = self.class_of(value)? else { return Ok(None) };
        Ok(if class == of { Some(true) } else { self.host.is_subclass(class, of) })
    }

    /// `issubclass(class, of)`
    pub(super) fn is_subclass(&mut self, class: ValueId, of: ValueId) -> Traced<bool> {
        let unknown = || Reason::new(Kind::Call, "`issubclass` of a class that decides for itself.");
        match (self.get(class)?, self.get(of)?) {
            (Value::Class(_, class), Value::Class(_, of)) if class == of => Ok(true),
            (Value::Class(_, class), Value::Class(_, of)) => self.host.is_subclass(class, of).ok_or_else(unknown),
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

    /// The text of an exception whose class says nothing of it.
    pub(super) fn exception_text(&mut self, value: ValueId) -> Traced<Option<String>> {
        let Value::Exception { name, class, args: Some(args) } = self.get(value)? else { return Ok(None) };
        let plain = self.host.class_named("builtins.BaseException").map(|base| self.host.attr(base, "__str__"));
        let of_keys = name == "builtins.KeyError";
        if plain != Some(self.host.attr(class, "__str__")) && !of_keys {
            return Ok(None);
        }
        match args[..] {
            [] => Ok(Some(String::new())),
            [only] if of_keys => self.repr(only),
            [only] => {
                let only = self.specialised(only)?;
                match self.as_constant(only)? {
                    Some(constant) => match self.host.fold("builtins.str", &[constant]) {
                        Ok(Constant::Str(text)) => Ok(Some(text)),
                        _ => Ok(None),
                    },
                    None => self.repr(only),
                }
            }
            _ => {
                let all = self.value(Value::Tuple(args));
                self.repr(all)
            }
        }
    }
}
