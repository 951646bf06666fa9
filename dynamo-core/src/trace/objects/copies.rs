//! `copy.copy` and `copy.deepcopy`, of containers and of objects that are copied as `object.__reduce_ex__` says.
//!
//! Invariant: what says how it is copied (`__deepcopy__`, `__getstate__`, `__reduce__` and so on, or an entry of
//! `copyreg.dispatch_table`) is not copied here. That a class has no such method is guarded.

use super::{Body, Instance, Tracer};
use crate::{
    host::{ClassAttr, View},
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            checkpoint::Speculative,
            state::{Sort, State, StateId, Table},
            value::{Value, ValueId},
        },
        python::{containers, sets},
        signature::{Bound, Row, row},
    },
};
use guards::{Constant, GuardKind, SourceId};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("copy.copy(x)", |t, b| t.shallow_copy(b.arg(0)?)),
    row("copy.deepcopy(x, memo=None, _nil=...)", |t, b: &Bound<'_>| {
        let memo = b.opt(1).map_or(Ok(None), |memo| t.unless_none(Some(memo)))?;
        match (memo, b.opt(2)) {
            (None, None) => t.deep_copy(b.arg(0)?, &mut Memo::default()),
            _ => Err(Reason::new(Kind::Call, "`copy.deepcopy` with a memo.")),
        }
    }),
];

/// The memo of one call of `copy.deepcopy`.
#[derive(Default)]
struct Memo {
    /// The copies, by what they are copies of.
    copies: FxHashMap<ValueId, ValueId>,
    /// The nesting depth of the copy that is being made.
    depth: usize,
}

impl Memo {
    /// Fewer than Python's own limit allows `copy.deepcopy`, two or three calls of which go with each level.
    const DEEPEST: usize = 100;
}

impl Tracer<'_> {
    fn no_copy(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Call, format!("A copy of {}.", self.describe(value)))
    }

    /// `copy.copy(value)`
    fn shallow_copy(&mut self, value: ValueId) -> Traced {
        let value = self.force(value)?;
        match self.objects.values[value].clone() {
            Value::Tuple(_) | Value::Slice(_) | Value::Const(Constant::FrozenSet(_)) => Ok(value),
            Value::State(state) => match self.heap.sort(state) {
                Sort::List | Sort::Dict | Sort::Set | Sort::Deque => {
                    containers::call_method(self, value, "copy", &[], &Vec::new())
                }
                _ => Err(self.no_copy(value)),
            },
            Value::InstanceDict(object) => self.dict_copy(object),
            _ if self.is_atomic(value)? => Ok(value),
            _ => {
                let Some(instance) = self.instance(value)? else { return Err(self.no_copy(value)) };
                if self.is_enum_member(instance, "__copy__") {
                    return Ok(value);
                }
                match self.class_attr(instance, "__copy__")? {
                    None => self.reconstruct(instance, None),
                    Some((ClassAttr::Function(_), _)) => {
                        let copy = self.call_special(value, "__copy__", &[])?;
                        copy.ok_or_else(|| self.no_copy(value))
                    }
                    Some(_) => Err(self.no_copy(value)),
                }
            }
        }
    }

    /// `copy.deepcopy(value, memo)`
    fn deep_copy(&mut self, value: ValueId, memo: &mut Memo) -> Traced {
        if let Value::Lazy(obj) = self.objects.values[value]
            && self.source(value).is_some()
            && let View::Constant(constant) = self.host.view(obj)
            && is_atomic(&constant)
        {
            // It is its own copy, whatever its value.
            self.guard_class(value);
            return Ok(value);
        }
        let value = self.force(value)?;
        if let Some(&copy) = memo.copies.get(&value) {
            return Ok(copy);
        }
        if memo.depth == Memo::DEEPEST {
            return Err(self.no_copy(value));
        }
        memo.depth += 1;
        let copy = self.deep_copy_of(value, memo)?;
        memo.depth -= 1;
        memo.copies.insert(value, copy);
        Ok(copy)
    }

    fn deep_copies(&mut self, items: &[ValueId], memo: &mut Memo) -> Traced<Vec<ValueId>> {
        items.iter().map(|&item| self.deep_copy(item, memo)).collect()
    }

    fn deep_copy_of(&mut self, value: ValueId, memo: &mut Memo) -> Traced {
        match self.objects.values[value].clone() {
            Value::Tuple(items) => {
                let copies = self.deep_copies(&items, memo)?;
                match memo.copies.get(&value) {
                    // An item leads back to it.
                    Some(&copy) => Ok(copy),
                    None if self.are_themselves(&items, &copies) => Ok(value),
                    None => Ok(self.value(Value::Tuple(copies))),
                }
            }
            Value::Size(items) => Ok(self.value(Value::Size(items))),
            Value::Method { function, this } => {
                let this = self.deep_copy(this, memo)?;
                Ok(self.value(Value::Method { function, this }))
            }
            Value::InstanceDict(object) => {
                let entries = self.dict_copy(object)?;
                self.deep_copy(entries, memo)
            }
            Value::State(state) => self.deep_copy_of_container(value, state, memo),
            _ if self.is_atomic(value)? => Ok(value),
            _ => match self.instance(value)? {
                Some(instance) if self.is_enum_member(instance, "__deepcopy__") => Ok(value),
                Some(instance) => self.reconstruct(instance, Some(memo)),
                None => Err(self.no_copy(value)),
            },
        }
    }

    /// A deep copy of a list, dict or set. An item may lead back to a list or dict, whose copy is known before it is
    /// filled.
    fn deep_copy_of_container(&mut self, value: ValueId, state: StateId, memo: &mut Memo) -> Traced {
        match self.heap.get(state).clone() {
            State::List(items) => {
                let made = self.heap.push(State::List(Vec::new()), None);
                let copy = self.value(Value::State(made));
                memo.copies.insert(value, copy);
                let copies = self.deep_copies(&items, memo)?;
                *self.heap.change(made) = State::List(copies);
                Ok(copy)
            }
            State::Dict(entries) if matches!(self.heap.table(state), Table::Plain | Table::Ordered) => {
                let made = self.heap.push(State::Dict(IndexMap::new()), None);
                self.heap.set_table(made, self.heap.table(state));
                let copy = self.value(Value::State(made));
                memo.copies.insert(value, copy);
                for (key, entry) in entries.into_values() {
                    let (key, entry) = (self.deep_copy(key, memo)?, self.deep_copy(entry, memo)?);
                    self.set_item(copy, key, entry)?;
                }
                Ok(copy)
            }
            State::Set(items, _) => {
                let items: Vec<ValueId> = items.into_values().collect();
                let copies = self.deep_copies(&items, memo)?;
                // Other objects would come in another order.
                if self.are_themselves(&items, &copies) {
                    sets::make(self, Some(value))
                } else {
                    Err(self.no_copy(value))
                }
            }
            _ => Err(self.no_copy(value)),
        }
    }

    /// True if each of the items is its own copy.
    fn are_themselves(&self, items: &[ValueId], copies: &[ValueId]) -> bool {
        let forced = |item: &ValueId| self.objects.forced.get(item).copied().unwrap_or(*item);
        items.iter().map(forced).eq(copies.iter().map(forced))
    }

    /// True for what is its own copy, deep or shallow: values without identity, functions, classes.
    fn is_atomic(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match &self.objects.values[value] {
            Value::Const(constant) => is_atomic(constant),
            Value::SymInt { .. } | Value::SymFloat { .. } | Value::SymBool { .. } => true,
            Value::Range(_) | Value::Function(_) | Value::Class(..) => true,
            Value::Builtin(_) => {
                let class = self.class_of_builtin(value)?;
                let plain = ["types.FunctionType", "types.BuiltinFunctionType"];
                class.is_some() && plain.into_iter().any(|name| self.host.class_named(name) == class)
            }
            _ => false,
        })
    }

    /// True for a member of an enumeration whose class copies it as `enum.Enum` does: it is its own copy.
    fn is_enum_member(&mut self, instance: Instance, method: &str) -> bool {
        let Body::Found(obj) = instance.body else { return false };
        let Some(class) = self.host.class_named("enum.Enum") else { return false };
        self.host.enum_member(obj).is_some()
            && self.host.class_attr(instance.class, method, None).map(|(_, found)| found)
                == self.host.class_attr(class, method, None).map(|(_, found)| found)
    }

    /// A copy of an object as `object.__reduce_ex__` and `copy._reconstruct` make it: a new object of the class, with
    /// the attributes or with copies of them.
    fn reconstruct(&mut self, instance: Instance, mut memo: Option<&mut Memo>) -> Traced {
        let this = instance.this;
        let (Some(class), Some("builtins.object"), false) = (
            self.class_value(instance)?,
            self.host.solid_base(instance.class).as_deref(),
            self.host.is_immutable(instance.class),
        ) else {
            return Err(self.no_copy(this));
        };
        self.guard_not_registered(instance)?;
        let before = self.heap.checkpoint();
        let is_plain = self.has_no_slots(instance) && self.is_reduced_by_object(instance, memo.is_some())?;
        // How often the class's own way to read attributes is asked is the interpreter's business.
        if !is_plain || self.heap.has_changed_since(before) {
            return Err(self.no_copy(this));
        }
        let copy = self.call_builtin("builtins.object.__new__", &[class], vec![])?;
        let Some(made) = self.instance(copy)? else { return Err(self.no_copy(this)) };
        if !self.lacks(copy, "__setstate__")? {
            return Err(self.no_copy(this));
        }
        if let Some(memo) = &mut memo {
            memo.copies.insert(this, copy);
        }
        let entries = self.entries_of_dict(instance)?;
        // One of them may say how the object is copied.
        if entries.iter().any(|(name, _)| name.starts_with("__")) {
            return Err(self.no_copy(this));
        }
        for (name, value) in entries {
            let value = match &mut memo {
                Some(memo) => self.deep_copy(value, memo)?,
                None => value,
            };
            self.write_own(made, &name, value)?;
        }
        Ok(copy)
    }

    /// Guards that `copyreg.dispatch_table`, which has no entry for a class, gets none.
    fn guard_not_registered(&mut self, instance: Instance) -> Traced<()> {
        let table = self.host.class_named("copyreg.dispatch_table");
        let Some(View::Dict(entries)) = table.map(|table| self.host.view(table)) else {
            return Err(self.no_copy(instance.this));
        };
        if entries.iter().any(|&(class, _)| class == instance.class) {
            return Err(self.no_copy(instance.this));
        }
        let module = self.sources.module("copyreg");
        let source = self.sources.attr(module, "dispatch_table");
        let kind = GuardKind::DictKeysMatch(self.dict_keys(&entries));
        self.guard(source, kind);
        Ok(())
    }

    /// True for an object all of whose attributes are in its `__dict__`.
    pub(super) fn has_no_slots(&mut self, instance: Instance) -> bool {
        self.has_dict(instance)
            && self.host.mro(instance.class).into_iter().all(|class| {
                let slots = self.host.class_attr(class, "__slots__", None).map(|(_, found)| found);
                match slots {
                    None => true,
                    Some(ClassAttr::Plain(slots)) => {
                        matches!(self.host.view(slots), View::Tuple(names) if names.is_empty())
                    }
                    Some(_) => false,
                }
            })
    }

    /// True for an object that is taken apart by `object`'s own methods and put together by `object.__new__`, as
    /// attributes of the object are found.
    fn is_reduced_by_object(&mut self, instance: Instance, is_deep: bool) -> Traced<bool> {
        let this = instance.this;
        let new = self.class_attr(instance, "__new__")?;
        if !is_of_object(new.as_ref(), "__new__") {
            return Ok(false);
        }
        let asked = if is_deep { &["__deepcopy__"][..] } else { &[] };
        for name in [asked, &["__getnewargs_ex__", "__getnewargs__"]].concat() {
            if !self.lacks(this, name)? {
                return Ok(false);
            }
        }
        for name in ["__reduce_ex__", "__reduce__", "__getstate__"] {
            let found = self.class_attr(instance, name)?;
            // Before Python 3.11 objects have no `__getstate__`.
            if found.is_none() && name == "__getstate__" && !self.has_fallback(instance) {
                continue;
            }
            if !is_of_object(found.as_ref(), name) || !self.gives_method(this, name)? {
                return Ok(false);
            }
        }
        let dict = self.get_attr(this, "__dict__")?;
        Ok(matches!(self.get(dict)?, Value::InstanceDict(of) if of == this))
    }

    /// True if an object has no attribute of a name, be it by `__getattr__`.
    fn lacks(&mut self, object: ValueId, name: &str) -> Traced<bool> {
        match self.get_attr(object, name) {
            Ok(_) => Ok(false),
            Err(reason) if self.lacks_attr(&reason) => {
                self.forget_raised();
                Ok(true)
            }
            Err(reason) => Err(reason),
        }
    }

    /// True if an object gives the method of `object` that its class has, also where the class decides how attributes
    /// are read.
    fn gives_method(&mut self, object: ValueId, name: &str) -> Traced<bool> {
        if !self.has_own_getattribute(object)? {
            return Ok(true);
        }
        let found = self.get_attr(object, name)?;
        Ok(match self.get(found)? {
            Value::Method { function, this } => {
                let method = self.get(function)?;
                self.force(this)? == object
                    && matches!(method, Value::Builtin(method) if method == format!("builtins.object.{name}"))
            }
            _ => false,
        })
    }
}

/// True for constants that are their own copies.
fn is_atomic(constant: &Constant) -> bool {
    match constant {
        Constant::FrozenSet(_) => false,
        Constant::Tuple(items) => items.iter().all(is_atomic),
        _ => true,
    }
}

/// True for the method of this name that `object` has.
fn is_of_object(found: Option<&(ClassAttr, Option<SourceId>)>, name: &str) -> bool {
    matches!(found, Some((ClassAttr::Builtin(method, _), _)) if *method == format!("builtins.object.{name}"))
}
