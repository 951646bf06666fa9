//! Attributes and global variables that the program writes: each is a [`State::Slot`], which the program reads from
//! then on, and which is replayed as an effect.

use crate::{
    host::{Obj, Scope},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            frame::Globals,
            state::{State, StateId},
            value::{Value, ValueId},
        },
    },
};

use guards::{Constant, Element, GuardKind};

impl Tracer<'_> {
    /// `del value.name` of an object of the caller's.
    pub(in crate::trace) fn delete_found(&mut self, forced: ValueId, obj: Obj, name: &str) -> Traced<()> {
        if !self.host.plain_delattr(obj, name) {
            return Err(self.no_change(forced));
        }
        self.object_attr(forced, obj, name)?;
        if self.written(obj, name).is_none() {
            // That it is there, and the object's own, has to hold on later calls as well.
            let source = self.source(forced).ok_or_else(|| self.no_change(forced))?;
            let own = self.sources.attr(source, "__dict__");
            let key = Element::Constant(self.sources.constant(Constant::Str(name.to_owned())));
            self.guard(own, GuardKind::DictContains(key));
        }
        let deleted = self.value(Value::Null);
        self.write_attr(forced, obj, name, deleted);
        Ok(())
    }

    /// True for an attribute that the program has deleted.
    pub(in crate::trace) fn was_deleted(&self, obj: Obj, name: &str) -> bool {
        self.written(obj, name).is_some_and(|state| self.is_deleted(state))
    }

    /// True if what the program did last to an attribute was to delete it.
    pub(in crate::trace) fn is_deleted(&self, state: StateId) -> bool {
        matches!(self.heap.get(state), State::Slot { value: Some(value), .. } if matches!(self.objects.values[*value], Value::Null))
    }

    pub(in crate::trace) fn write_attr(&mut self, object: ValueId, obj: Obj, name: &str, new: ValueId) {
        let shown = Some(new).filter(|&new| !matches!(self.objects.values[new], Value::Null));
        self.show_change(object, name, shown);
        let state = self.written(obj, name).unwrap_or_else(|| {
            let slot = State::Slot { object: Some(object), name: name.to_owned(), value: None };
            self.slot(obj, name, slot)
        });
        self.write(state, new);
    }

    /// A global variable of the traced function is written.
    pub(in crate::trace) fn set_global(&mut self, globals: Globals, name: &str, new: ValueId) -> Traced<()> {
        if globals.owner.is_some() {
            return Err(Reason::new(Kind::Mutation, format!("The variable `{name}` of another module.")));
        }
        let state = match self.written(globals.dict, name) {
            Some(state) => state,
            None => self.slot(globals.dict, name, State::Slot { object: None, name: name.to_owned(), value: None }),
        };
        self.write(state, new);
        Ok(())
    }

    /// A global variable of the traced function is deleted.
    pub(in crate::trace) fn delete_global(&mut self, globals: Globals, name: &str) -> Traced<()> {
        let written = self.written_global(globals, name).is_some();
        if !written && self.host.global(globals.dict, name).is_none_or(|(_, scope)| scope != Scope::Module) {
            return Err(raised(&format!("NameError: `{name}`")));
        }
        // That it is there has to hold on later calls as well.
        let value = self.load_global(globals, name)?;
        self.force(value)?;
        let deleted = self.value(Value::Null);
        self.set_global(globals, name, deleted)
    }

    /// The value that the program has written into a global variable.
    pub(in crate::trace) fn written_global(&self, globals: Globals, name: &str) -> Option<ValueId> {
        match self.heap.get(self.written(globals.dict, name)?) {
            State::Slot { value, .. } => *value,
            _ => None,
        }
    }

    fn slot(&mut self, of: Obj, name: &str, slot: State) -> StateId {
        let state = self.heap.push(slot, Some(of));
        self.objects.slots.push((of, name.to_owned(), state));
        state
    }

    fn write(&mut self, state: StateId, new: ValueId) {
        if let State::Slot { value, .. } = self.heap.change(state) {
            *value = Some(new);
        }
    }

    /// True if the program has written global variables, which are attributes of a module as well.
    pub(in crate::trace) fn globals_written(&self) -> bool {
        let global = |&(_, _, state): &(Obj, String, StateId)| {
            matches!(self.heap.get(state), State::Slot { object: None, value: Some(_), .. })
        };
        self.objects.slots.iter().any(global)
    }

    /// True if the program has written attributes of an object.
    pub(in crate::trace) fn has_written(&self, obj: Obj) -> bool {
        self.names_written(obj).next().is_some()
    }

    /// The attributes of an object that the program has written or deleted, in the order in which it wrote them first.
    pub(in crate::trace) fn names_written(&self, obj: Obj) -> impl Iterator<Item = &str> {
        let written = |state| matches!(self.heap.get(state), State::Slot { value: Some(_), .. });
        let slots = self.objects.slots.iter().filter(move |&&(object, _, state)| object == obj && written(state));
        slots.map(|(_, name, _)| name.as_str())
    }

    /// The state of an attribute that the program has written.
    pub(in crate::trace) fn written(&self, obj: Obj, name: &str) -> Option<StateId> {
        let slot = self.objects.slots.iter().find(|(object, attr, _)| *object == obj && attr == name);
        let state = slot.map(|&(_, _, state)| state)?;
        // One whose writing was undone is as if it had never been.
        matches!(self.heap.get(state), State::Slot { value: Some(_), .. }).then_some(state)
    }
}
