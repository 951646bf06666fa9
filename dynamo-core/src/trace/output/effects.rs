//! Replaying what the trace changed in objects of the caller's.

use super::{Output, construct};
use crate::{
    bytecode::{Const, LocalId, Op},
    trace::{
        Traced,
        core::{
            state::{Entries, Iter, Key, SlotOf, State, StateId},
            value::{Value, ValueId},
        },
    },
};
use cranelift_entity::packed_option::PackedOption;
use guards::SourceId;

impl Output<'_, '_> {
    /// Replays what the trace changed in objects of the caller's, in the order of the first change.
    pub(super) fn effects(&mut self) -> Traced<()> {
        let changed = self.t.heap.changed();
        if changed.is_empty() {
            return Ok(());
        }
        // What is read has to be read before it is overwritten.
        for value in std::mem::take(&mut self.sourced) {
            self.push(value)?;
            let local = self.fresh("read");
            self.builder.store_local(local);
            self.built.insert(value, local);
        }
        for dict in std::mem::take(&mut self.scopes) {
            if !self.globals.contains_key(&dict) {
                self.load_source(dict)?;
                let globals = self.fresh("globals");
                self.builder.store_local(globals);
                self.globals.insert(dict, globals);
            }
        }
        // As is what is made of the caller's sets.
        for state in std::mem::take(&mut self.called) {
            self.push_state(state)?;
            self.builder.pop();
        }
        for state in changed {
            match self.t.heap.get(state).clone() {
                State::List(items) if self.t.is_held(state) => self.refill_held(state, &items)?,
                State::List(items) => {
                    self.push_all(&items)?;
                    self.builder.build_list(items.len() as u32);
                    self.push_origin(state)?;
                    self.builder.load_const(Const::None);
                    self.builder.load_const(Const::None);
                    self.builder.emit(Op::BuildSlice, 2);
                    self.builder.store_subscript();
                }
                State::Dict(items) => self.change_dict(state, &items)?,
                State::Deque(deque) => {
                    self.push_all(&deque.items)?;
                    self.builder.build_tuple(deque.items.len() as u32);
                    let new = self.fresh("items");
                    self.builder.store_local(new);
                    self.call_on_origin(state, "clear", None)?;
                    self.call_on_origin(state, "extend", Some(new))?;
                }
                State::Slot { of, name, value: Some(value) } if self.is_null(value) => {
                    // It is not there to be deleted if only the trace has written it.
                    self.builder.load_const(Const::None);
                    self.store_slot(of, &name)?;
                    self.delete_slot(of, &name)?;
                }
                State::Slot { of, name, value: Some(value) } => {
                    self.push(value)?;
                    self.store_slot(of, &name)?;
                }
                State::Cell(content) => self.change_cell(state, content)?,
                State::Set(_, made) => self.change_set(&made)?,
                State::Iter(Iter::Items(items, at)) => self.move_iterator(state, items.len(), at)?,
                State::Stack(_) | State::Iter(_) | State::Instance(_) => {
                    return Err(construct("an iterator of the caller's"));
                }
                State::Slot { value: None, .. } => {}
            }
        }
        Ok(())
    }

    /// Pops the new value of an attribute or a global variable.
    fn store_slot(&mut self, of: SlotOf, name: &str) -> Traced<()> {
        match of {
            SlotOf::Object(object) => {
                self.push(object)?;
                self.builder.store_attr(name);
            }
            SlotOf::Entry(object) => {
                self.push_dict_of(object)?;
                self.builder.load_const(Const::Str(name.to_owned()));
                self.builder.store_subscript();
            }
            SlotOf::Globals(dict) if dict.is_none() => self.builder.store_global(name),
            SlotOf::Globals(dict) => {
                self.push_variable(dict, name)?;
                self.builder.store_subscript();
            }
        }
        Ok(())
    }

    fn delete_slot(&mut self, of: SlotOf, name: &str) -> Traced<()> {
        match of {
            SlotOf::Object(object) => {
                self.push(object)?;
                self.builder.delete_attr(name);
            }
            SlotOf::Entry(object) => {
                self.push_dict_of(object)?;
                self.builder.load_const(Const::Str(name.to_owned()));
                self.builder.emit(Op::DeleteSubscr, 0);
            }
            SlotOf::Globals(dict) if dict.is_none() => self.builder.delete_global(name),
            SlotOf::Globals(dict) => {
                self.push_variable(dict, name)?;
                self.builder.emit(Op::DeleteSubscr, 0);
            }
        }
        Ok(())
    }

    /// Pushes the dict of a scope that was read before the first effect, and the name of a variable.
    fn push_variable(&mut self, dict: PackedOption<SourceId>, name: &str) -> Traced<()> {
        let globals = dict.expand().and_then(|dict| self.globals.get(&dict).copied());
        self.builder.load_local(globals.ok_or_else(|| construct("the variables of a module that was not read"))?);
        self.builder.load_const(Const::Str(name.to_owned()));
        Ok(())
    }

    /// Has an iterator of the caller's over a tuple of this length stand at a place; beyond the end if it has noticed
    /// that it is there.
    fn move_iterator(&mut self, state: StateId, len: usize, at: usize) -> Traced<()> {
        self.push_origin(state)?;
        self.builder.load_method("__setstate__");
        self.builder.load_const(Const::Int(at.min(len) as i64));
        self.builder.call(1);
        self.builder.pop();
        if at > len {
            self.call_named("builtins.next", 2, |out| {
                out.push_origin(state)?;
                out.builder.load_const(Const::None);
                Ok(())
            })?;
            self.builder.pop();
        }
        Ok(())
    }

    fn is_null(&self, value: ValueId) -> bool {
        matches!(self.t.objects.values[value], Value::Null)
    }

    /// Gives an object of the caller's whose class comes from `list` these items, whatever methods the class has.
    fn refill_held(&mut self, state: StateId, items: &[ValueId]) -> Traced<()> {
        self.push_all(items)?;
        self.builder.build_list(items.len() as u32);
        let new = self.fresh("items");
        self.builder.store_local(new);
        self.call_named("builtins.list.__setitem__", 3, |out| {
            out.push_origin(state)?;
            out.builder.load_const(Const::None);
            out.builder.load_const(Const::None);
            out.builder.emit(Op::BuildSlice, 2);
            out.builder.take_local(new);
            Ok(())
        })?;
        self.builder.pop();
        Ok(())
    }

    /// Gives a dict of the caller's these entries, in this order. Those that were there before stay where they are in
    /// the dict's table: somebody may be iterating over it.
    fn change_dict(&mut self, state: StateId, items: &Entries) -> Traced<()> {
        let before = self.t.heap.entries_before(state).unwrap_or_default();
        // Whatever methods its class has, where it is an object that holds a dict.
        let held = self.t.is_held(state).then(|| self.t.heap.table(state).class_name());
        let mut next = 0;
        let stays = |key: &Key| {
            let at = before.get_index_of(key).filter(|&at| at >= next);
            next = at.map_or(next, |at| at + 1);
            at.is_some()
        };
        let staying = items.keys().map(stays).take_while(|&stays| stays).count().min(self.t.heap.entries_kept(state));
        for (key, &(name, _)) in before.iter() {
            if items.get_index_of(key).is_none_or(|at| at >= staying) {
                match held {
                    Some(base) => self.call_base_of(state, base, "__delitem__", &[name])?,
                    None => {
                        self.push_origin(state)?;
                        self.push(name)?;
                        self.builder.emit(Op::DeleteSubscr, 0);
                    }
                }
            }
        }
        for (at, (key, &(name, value))) in items.iter().enumerate() {
            let is_kept = at < staying && before.get(key).is_some_and(|&(_, old)| old == value);
            match held {
                _ if is_kept => {}
                Some(base) => self.call_base_of(state, base, "__setitem__", &[name, value])?,
                None => {
                    self.push(value)?;
                    self.push_origin(state)?;
                    self.push(name)?;
                    self.builder.store_subscript();
                }
            }
        }
        Ok(())
    }

    /// Calls a method of a dict's own class on an object of the caller's whose class comes from that.
    fn call_base_of(&mut self, state: StateId, base: &str, method: &str, args: &[ValueId]) -> Traced<()> {
        self.call_named(&format!("{base}.{method}"), 1 + args.len(), |out| {
            out.push_origin(state)?;
            out.push_all(args)
        })?;
        self.builder.pop();
        Ok(())
    }

    /// Calls a method of a container of the caller's.
    fn call_on_origin(&mut self, state: StateId, method: &str, given: Option<LocalId>) -> Traced<()> {
        self.push_origin(state)?;
        self.builder.load_method(method);
        given.into_iter().for_each(|given| self.builder.take_local(given));
        self.builder.call(u32::from(given.is_some()));
        self.builder.pop();
        Ok(())
    }

    /// Pushes the object of the caller's that has this state.
    pub(super) fn push_origin(&mut self, state: StateId) -> Traced<()> {
        match self.origin(state) {
            Some(value) => self.push(value),
            None => Err(construct("an object that cannot be reached")),
        }
    }

    /// The object of the caller's that has this state, as the trace found it.
    pub(super) fn origin(&self, state: StateId) -> Option<ValueId> {
        let known = self.t.heap.origin(state).and_then(|obj| self.t.objects.known.get(&obj).copied());
        known.filter(|&value| self.t.source(value).is_some())
    }

    pub(super) fn change_cell(&mut self, state: StateId, content: Option<ValueId>) -> Traced<()> {
        let unknown = || construct("a variable of another function");
        let content = content.ok_or_else(unknown)?;
        if let Some(&slot) = self.frame_cells.get(&state) {
            self.push(content)?;
            self.builder.store_deref(slot);
            return Ok(());
        }
        self.push(content)?;
        self.push_origin(state)?;
        self.builder.store_attr("cell_contents");
        Ok(())
    }
}
