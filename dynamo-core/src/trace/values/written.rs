//! Attributes and global variables that the program writes: each is a [`State::Slot`], which the program reads from
//! then on, and which is replayed as an effect. An attribute of a module is a global variable of its functions.

use crate::{
    host::{Obj, Scope, View},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            frame::Globals,
            state::{SlotOf, State, StateId},
            value::{Value, ValueId},
        },
    },
};

use guards::{Constant, Element, GuardKind, SourceId};

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
        self.write_object(SlotOf::Object(object), object, obj, name, new);
    }

    /// `value.__dict__[name] = new`
    pub(in crate::trace) fn write_entry(&mut self, object: ValueId, obj: Obj, name: &str, new: ValueId) {
        self.write_object(SlotOf::Entry(object), object, obj, name, new);
    }

    fn write_object(&mut self, of: SlotOf, object: ValueId, obj: Obj, name: &str, new: ValueId) {
        let shown = Some(new).filter(|&new| !matches!(self.objects.values[new], Value::Null));
        self.show_change(object, name, shown);
        let state = self.written(obj, name).unwrap_or_else(|| {
            let slot = State::Slot { of, name: name.to_owned(), value: None };
            self.slot(obj, name, slot)
        });
        self.write(state, new);
    }

    /// `global name; name = new`
    pub(in crate::trace) fn set_global(&mut self, globals: Globals, name: &str, new: ValueId) -> Traced<()> {
        // The instruction that the root function's own variables are written by asks no subclass.
        if globals.owner.is_some() && !matches!(self.host.view(globals.dict), View::Dict(_)) {
            return Err(Reason::new(Kind::Mutation, format!("The variable `{name}` of a subclass of dict.")));
        }
        let at = self.scope_source(globals);
        self.write_variable(globals.dict, at, name, new);
        Ok(())
    }

    /// `module.name = new`; false if that may do more than to set a global variable of the module.
    pub(in crate::trace) fn module_attr_set(&mut self, module: ValueId, name: &str, new: ValueId) -> Traced<bool> {
        let module = self.force(module)?;
        let (Value::Module(full, obj), Some(source)) = (&self.objects.values[module], self.source(module)) else {
            return Ok(false);
        };
        // Nothing looks at the variables of the interpreter's and of torch's modules where it knows what they do.
        let (package, obj) = (full.split('.').next().unwrap_or(full), *obj);
        if name.starts_with("__") || ["builtins", "torch"].contains(&package) || !self.host.plain_setattr(obj, name) {
            return Ok(false);
        }
        let Some(dict) = self.host.dict_of(obj) else { return Ok(false) };
        let at = self.sources.attr(source, "__dict__");
        self.write_variable(dict, at, name, new);
        Ok(true)
    }

    fn write_variable(&mut self, dict: Obj, at: SourceId, name: &str, new: ValueId) {
        let state = self.written(dict, name).unwrap_or_else(|| {
            let is_root = self.objects.scopes.first() == Some(&dict);
            let of = SlotOf::Globals(Some(at).filter(|_| !is_root).into());
            self.slot(dict, name, State::Slot { of, name: name.to_owned(), value: None })
        });
        self.meet_scope(dict, at, name);
        self.write(state, new);
    }

    /// The source of a scope's dict.
    pub(super) fn scope_source(&mut self, globals: Globals) -> SourceId {
        let function = globals.owner.expand().unwrap_or_else(|| self.sources.function());
        self.sources.attr(function, "__globals__")
    }

    /// Guards that the dicts in which a variable is looked up that the program writes stay the same one, or stay
    /// different ones.
    fn meet_scope(&mut self, dict: Obj, at: SourceId, name: &str) {
        let known: Vec<_> = self.objects.looked_up.iter().filter(|(_, other, _)| other == name).cloned().collect();
        if known.iter().any(|&(_, _, other)| other == at) {
            return;
        }
        for (other_dict, _, other) in known {
            let kind = match other_dict == dict {
                true => GuardKind::DuplicateInput(other),
                false => GuardKind::NoTensorAliasing(vec![at, other]),
            };
            self.guard(at, kind);
        }
        self.objects.looked_up.push((dict, name.to_owned(), at));
    }

    /// The value that the program has written into an attribute of a module, which its functions may have done too.
    pub(in crate::trace) fn written_in_module(&mut self, module: ValueId, name: &str) -> Traced<Option<StateId>> {
        let &Value::Module(_, obj) = &self.objects.values[module] else { return Ok(None) };
        if !self.is_variable_written(name) {
            return Ok(None);
        }
        match (self.host.dict_of(obj), self.source(module)) {
            (Some(dict), Some(source)) => {
                let at = self.sources.attr(source, "__dict__");
                self.meet_scope(dict, at, name);
                Ok(self.written(dict, name))
            }
            _ => Err(self.no_attr(module, name)),
        }
    }

    /// True if the program has written a global variable of this name, of whatever module.
    fn is_variable_written(&self, name: &str) -> bool {
        self.objects.looked_up.iter().any(|(_, written, _)| written == name)
    }

    /// A global variable is deleted.
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
    pub(in crate::trace) fn written_global(&mut self, globals: Globals, name: &str) -> Option<ValueId> {
        if !self.is_variable_written(name) {
            return None;
        }
        let at = self.scope_source(globals);
        self.meet_scope(globals.dict, at, name);
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
