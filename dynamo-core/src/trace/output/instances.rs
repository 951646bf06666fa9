//! Making objects of the program's classes anew.
//!
//! Invariant: no code of the class runs: what its `__init__` and `__setattr__` did is in the attributes already.

use super::{Output, construct};
use crate::{
    bytecode::{Const, LocalId},
    trace::{
        Traced,
        core::{
            state::{Arguments, Base, Exception, State, StateId},
            value::{Value, ValueId},
        },
        objects::{READ_ONLY, is_of_values},
    },
};
use indexmap::IndexMap;

impl Output<'_, '_> {
    /// Pushes an object that the program has made; it is known before its attributes, which may lead back to it.
    pub(super) fn push_instance(&mut self, state: StateId) -> Traced<()> {
        if let Some(&local) = self.states.get(&state) {
            self.builder.load_local(local);
            return Ok(());
        }
        let State::Instance(instance) = self.t.heap.get(state).clone() else { return Err(construct("an object")) };
        if let Some(Base::Container(base, held)) = &instance.base
            && (is_of_values(base) || base == READ_ONLY)
        {
            self.make_with_value(state, instance.class, base, *held)?;
            return self.set_attributes(state, instance.attrs);
        }
        let owner = match &instance.base {
            None => "builtins.object".to_owned(),
            // `OrderedDict` has that of `dict`.
            Some(Base::Container(base, _)) if base == "collections.OrderedDict" => "builtins.dict".to_owned(),
            Some(Base::Container(base, _)) => base.clone(),
            Some(Base::Namespace) => "types.SimpleNamespace".to_owned(),
            Some(Base::Exception(_)) => self.owner_of_exception(instance.class)?,
        };
        self.call_named(&format!("{owner}.__new__"), 1, |out| out.push(instance.class))?;
        self.keep_state(state);
        let local = self.states[&state];
        self.unfinished.push(state);
        match &instance.base {
            Some(Base::Container(base, held)) => self.fill_base(local, base, *held)?,
            Some(Base::Exception(Exception { args: Arguments::Known(args), members })) => {
                let members = members.iter().map(|(member, value)| (format!("{owner}.{member}"), *value));
                let args = ("builtins.BaseException.args".to_owned(), *args);
                for (member, value) in std::iter::once(args).chain(members) {
                    self.call_named(&format!("{member}.__set__"), 2, |out| {
                        out.builder.load_local(local);
                        out.push(value)
                    })?;
                    self.builder.pop();
                }
            }
            Some(Base::Exception(_)) => return Err(construct("an exception of the interpreter's")),
            None | Some(Base::Namespace) => {}
        }
        self.unfinished.pop();
        self.set_attributes(state, instance.attrs)
    }

    /// Makes an object of a class of values with what it holds.
    ///
    /// # Errors
    /// If what it holds leads back to it: it would be made before it is known.
    fn make_with_value(&mut self, state: StateId, class: ValueId, base: &str, held: ValueId) -> Traced<()> {
        if self.unfinished.contains(&state) {
            return Err(construct("an object that holds itself"));
        }
        self.unfinished.push(state);
        self.call_named(&format!("{base}.__new__"), 2, |out| out.push_all(&[class, held]))?;
        self.unfinished.pop();
        self.keep_state(state);
        Ok(())
    }

    /// Gives a new object its attributes.
    fn set_attributes(&mut self, object: StateId, attrs: IndexMap<String, ValueId>) -> Traced<()> {
        let local = self.states[&object];
        self.unfinished.push(object);
        for (name, value) in attrs {
            self.call_named("builtins.object.__setattr__", 3, |out| {
                out.builder.load_local(local);
                out.builder.load_const(Const::Str(name));
                out.push(value)
            })?;
            self.builder.pop();
        }
        self.unfinished.pop();
        Ok(())
    }

    /// Pushes a key of a container: its class's own `__hash__` may read all that it is made of.
    ///
    /// # Errors
    /// If an object that is being made is among that.
    pub(super) fn push_key(&mut self, key: ValueId) -> Traced<()> {
        let (mut seen, mut open) = (Vec::new(), vec![key]);
        while let Some(value) = open.pop().filter(|_| !self.unfinished.is_empty()) {
            let value = self.t.objects.forced.get(&value).copied().unwrap_or(value);
            if seen.contains(&value) || self.is_read(value) {
                continue;
            }
            if matches!(self.t.objects.values[value], Value::Instance(state) if self.unfinished.contains(&state)) {
                return Err(construct("a key in a container that the key itself holds"));
            }
            seen.push(value);
            open.extend(self.parts(value));
        }
        self.push(key)
    }

    /// The class of Python's own whose `__new__` makes the exceptions of a class.
    fn owner_of_exception(&mut self, class: ValueId) -> Traced<String> {
        let Value::Class(_, class) = self.t.get(class)? else { return Err(construct("an exception")) };
        match self.t.exception_base(class)? {
            // It keeps a value besides, which `__init__` sets.
            base if base == "builtins.StopIteration" => Err(construct("a `builtins.StopIteration`")),
            base => Ok(base),
        }
    }

    /// Gives a new object what it holds as an instance of a class of Python's own, by that class's own methods.
    fn fill_base(&mut self, object: LocalId, base: &str, held: ValueId) -> Traced<()> {
        let Value::State(held) = self.t.get(held)? else { return Err(construct("an object")) };
        match self.t.heap.get(held).clone() {
            State::Dict(items) => {
                for (key, value) in items.into_values() {
                    self.call_named(&format!("{base}.__setitem__"), 3, |out| {
                        out.builder.load_local(object);
                        out.push_key(key)?;
                        out.push(value)
                    })?;
                    self.builder.pop();
                }
            }
            State::List(items) => {
                self.call_named("builtins.list.extend", 2, |out| {
                    out.builder.load_local(object);
                    out.push_all(&items)?;
                    out.builder.build_list(items.len() as u32);
                    Ok(())
                })?;
                self.builder.pop();
            }
            State::Set(_, made) => self.fill_set(object, &made)?,
            _ => return Err(construct("an object")),
        }
        Ok(())
    }
}
