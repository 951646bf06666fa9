//! Exceptions as objects: how `BaseException` makes them, their arguments, their texts, and what it has of attributes.
//!
//! An exception is an instance with [`Base::Exception`], be its class Python's own or the program's. How it travels
//! to its handler is the business of `interp::exceptions`.
//!
//! Semantics: `Objects/exceptions.c`. Classes that keep more than their arguments are not traced.

use super::{Body, Instance, Tracer};
use crate::{
    host::{ClassAttr, Obj, View},
    reason::{Kind, Reason, raised},
    trace::{
        Traced,
        core::{
            state::{self, Base, State},
            value::{Keywords, Value, ValueId},
        },
    },
};
use guards::Constant;
use indexmap::IndexMap;

impl Tracer<'_> {
    /// A new exception of one of Python's own classes, without arguments if the interpreter made it.
    pub(in crate::trace) fn make_exception(&mut self, name: &str, class: Obj, args: Option<&[ValueId]>) -> ValueId {
        let class = self.value(Value::Class(name.to_owned(), class));
        let args = args.map(|args| self.value(Value::Tuple(args.to_vec())));
        self.push_exception(class, args)
    }

    fn push_exception(&mut self, class: ValueId, args: Option<ValueId>) -> ValueId {
        let instance = state::Instance { class, attrs: IndexMap::new(), base: Some(Base::Exception(args)) };
        let state = self.heap.push(State::Instance(instance), None);
        self.value(Value::Instance(state))
    }

    /// `BaseException.__new__(class, *args)`
    pub(super) fn new_exception(&mut self, class: ValueId, args: &[ValueId]) -> Traced {
        let class = self.force(class)?;
        match self.get(class)? {
            // An object with a finalizer has to die where it dies in the program.
            Value::Class(_, obj) if self.host.is_exception(obj) && !self.finalizes(obj) => {
                let args = self.value(Value::Tuple(args.to_vec()));
                Ok(self.push_exception(class, Some(args)))
            }
            _ => Err(Reason::new(Kind::Call, format!("Making an exception of {}.", self.describe(class)))),
        }
    }

    /// The dotted name and the class of an exception; `None` for anything else.
    pub(in crate::trace) fn exception_class(&self, value: ValueId) -> Option<(&str, Obj)> {
        let instance = self.exception_state(value)?;
        match &self.objects.values[instance.class] {
            Value::Class(name, class) => Some((name, *class)),
            _ => None,
        }
    }

    fn exception_state(&self, value: ValueId) -> Option<&state::Instance> {
        let value = self.objects.forced.get(&value).copied().unwrap_or(value);
        let Value::Instance(state) = self.objects.values[value] else { return None };
        match self.heap.get(state) {
            State::Instance(instance) if matches!(instance.base, Some(Base::Exception(_))) => Some(instance),
            _ => None,
        }
    }

    /// The arguments of an exception, as a tuple; `None` of one that the interpreter made.
    fn exception_args(&self, value: ValueId) -> Option<ValueId> {
        match self.exception_state(value)?.base {
            Some(Base::Exception(args)) => args,
            _ => None,
        }
    }

    fn set_exception_args(&mut self, exception: ValueId, args: ValueId) {
        let Value::Instance(state) = self.objects.values[exception] else { return };
        if let State::Instance(instance) = self.heap.change(state) {
            instance.base = Some(Base::Exception(Some(args)));
        }
    }

    /// A method of `BaseException`, or of a class of Python's own that comes from it; `None` for any other function.
    pub(in crate::trace) fn call_on_exception(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some((owner, method)) = function.rsplit_once('.').filter(|(owner, _)| owner.starts_with("builtins."))
        else {
            return Ok(None);
        };
        let class = self.host.class_named(owner).filter(|&class| self.host.is_exception(class));
        let (Some(class), Some((&this, rest))) = (class, args.split_first()) else { return Ok(None) };
        if method == "__new__" {
            return self.new_exception(this, rest).map(Some);
        }
        let this = self.force(this)?;
        let of_class = self.exception_class(this).map(|(_, own)| own);
        if of_class.and_then(|own| self.host.is_subclass(own, class)) != Some(true) || !keywords.is_empty() {
            return Ok(None);
        }
        Ok(match (method, rest) {
            ("__init__", _) => {
                let args = self.value(Value::Tuple(rest.to_vec()));
                self.set_exception_args(this, args);
                Some(self.none())
            }
            ("__str__", []) => self.exception_str(this, owner == "builtins.KeyError")?,
            ("__repr__", []) => self.exception_repr(this)?,
            // Of its traceback nothing is said.
            ("with_traceback", &[traceback]) => match self.get(traceback)? {
                Value::Const(Constant::None) => Some(this),
                _ => None,
            },
            ("__getattribute__" | "__setattr__" | "__delattr__", _) => {
                Some(self.call_builtin(&format!("builtins.object.{method}"), args, vec![])?)
            }
            _ => None,
        })
    }

    /// A method that a class of exceptions has from one of Python's own, read through the class; `None` for what it has
    /// otherwise.
    pub(super) fn exception_method(&mut self, class: ValueId, obj: Obj, name: &str) -> Option<ValueId> {
        let source = self.source(class);
        if !self.host.is_exception(obj) || source.is_none() && !self.host.is_immutable(obj) {
            return None;
        }
        match self.class_method(obj, name, source)? {
            ClassAttr::Builtin(method, _) => Some(self.value(Value::Builtin(method))),
            _ => None,
        }
    }

    /// `BaseException.__str__`, or that of `KeyError`, which shows an only argument by its `repr`.
    fn exception_str(&mut self, exception: ValueId, of_keys: bool) -> Traced<Option<ValueId>> {
        let Some(all) = self.exception_args(exception) else { return Ok(None) };
        let Value::Tuple(args) = self.get(all)? else { return Ok(None) };
        let (function, shown) = match args[..] {
            [] => return Ok(Some(self.constant(Constant::Str(String::new())))),
            [only] if of_keys => ("builtins.repr", only),
            [only] => ("builtins.str", only),
            _ => ("builtins.repr", all),
        };
        self.call_builtin(function, &[shown], vec![]).map(Some)
    }

    /// `BaseException.__repr__`
    fn exception_repr(&mut self, exception: ValueId) -> Traced<Option<ValueId>> {
        let Some(all) = self.exception_args(exception) else { return Ok(None) };
        let Value::Tuple(args) = self.get(all)? else { return Ok(None) };
        let Some(class) = self.type_of_object(exception)? else { return Ok(None) };
        let name = self.get_attr(class, "__name__")?;
        let shown = if let [only] = args[..] { self.repr(only)? } else { self.repr(all)? };
        Ok(match (self.get(name)?, shown) {
            (Value::Const(Constant::Str(name)), Some(shown)) => {
                let shown = if args.len() == 1 { format!("({shown})") } else { shown };
                Some(self.constant(Constant::Str(format!("{name}{shown}"))))
            }
            _ => None,
        })
    }

    /// The data attribute that a class of Python's own gives an exception under a name; `None` for another name, or
    /// where the program's class has its own.
    pub(super) fn exception_get(&mut self, instance: Instance, name: &str) -> Traced<Option<ValueId>> {
        if !self.is_of_exceptions(instance, name)? {
            return Ok(None);
        }
        let this = instance.this;
        let found = match (name, self.exception_args(this)) {
            ("args", args) => args,
            ("__cause__" | "__context__" | "__suppress_context__", Some(_)) => self.chain_attr(this, name)?,
            ("value", Some(args)) if matches!(self.exception_class(this), Some(("builtins.StopIteration", _))) => {
                match self.get(args)? {
                    Value::Tuple(args) => Some(args.first().copied().unwrap_or_else(|| self.none())),
                    _ => None,
                }
            }
            _ => None,
        };
        found.ok_or_else(|| self.no_attr(this, name)).map(Some)
    }

    /// Writes a data attribute that a class of Python's own gives exceptions; false if it gives none of this name.
    pub(super) fn exception_set(&mut self, instance: Instance, name: &str, new: ValueId) -> Traced<bool> {
        if !self.is_of_exceptions(instance, name)? {
            return Ok(false);
        }
        // `StopIteration` keeps a value besides.
        let keeps_more = self.comes_from_builtin(instance.class, "builtins.StopIteration");
        match self.get(new)? {
            Value::Tuple(_) if name == "args" && !keeps_more => {
                let new = self.force(new)?;
                self.set_exception_args(instance.this, new);
                Ok(true)
            }
            _ => Err(self.no_change(instance.this)),
        }
    }

    /// True for the name of a data attribute that a class of Python's own gives an exception that the program has
    /// made. That no class of the program's has put another in its place is guarded.
    pub(super) fn is_of_exceptions(&mut self, instance: Instance, name: &str) -> Traced<bool> {
        if !matches!(instance.body, Body::Made(_)) || self.exception_class(instance.this).is_none() {
            return Ok(false);
        }
        let Some((at, found)) = self.host.class_attr(instance.class, name, None) else { return Ok(false) };
        let is_data = matches!(found, ClassAttr::Member | ClassAttr::Descriptor { .. });
        if !is_data || !self.host.mro(instance.class).get(at).is_some_and(|&owner| self.host.is_immutable(owner)) {
            return Ok(false);
        }
        if let Some(source) = self.class_source(instance)? {
            self.class_entry(source, instance.class, name, None);
        }
        Ok(true)
    }

    /// True for a class that comes from one of Python's own, by that one's dotted name.
    pub(in crate::trace) fn comes_from_builtin(&mut self, class: Obj, name: &str) -> bool {
        let base = self.host.class_named(name);
        base.is_some_and(|base| self.host.is_subclass(class, base) == Some(true))
    }

    /// The class of Python's own that a class of exceptions comes from, by its dotted name.
    pub(in crate::trace) fn exception_base(&mut self, class: Obj) -> Traced<String> {
        let order = self.host.mro(class);
        let base = order.into_iter().find(|&base| self.host.is_immutable(base)).map(|base| self.host.view(base));
        match base {
            Some(View::Class(name)) => Ok(name),
            _ => Err(raised("SystemError: an exception without a base")),
        }
    }
}
