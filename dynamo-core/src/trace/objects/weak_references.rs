//! Weak references that the program makes, and what they give.
//!
//! Invariants:
//! - a reference gives its object only where something that lives holds it for certain; where that is not known, the
//!   graph ends: nothing is taken for dead;
//! - a reference to an object that the program has made leaves a trace only with the function's result. Code that goes
//!   on after a break would hold the object in variables of its own.

use super::Tracer;
use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            frame::Frame,
            state::{Base, Sort, State, StateId},
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use rustc_hash::FxHashSet;

/// The class of weak references.
pub(in crate::trace) const ROWS: &[Row] = &[row("weakref.ReferenceType(object, callback=None, /)", refer)];

fn refer(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let referent = t.force(b.arg(0)?)?;
    let takes_references = match t.objects.values[referent] {
        // Others take no weak references.
        Value::Object(_, obj) => {
            let class = t.host.class_of(obj);
            t.source(referent).is_some() && t.host.class_attr(class, "__weakref__", None).is_some()
        }
        Value::Module(..) => t.source(referent).is_some(),
        Value::Tensor(node) => t.source(referent).is_some() && t.is_input(node),
        _ => t.takes_references_when_made(referent),
    };
    if !takes_references || t.unless_none(b.opt(1))?.is_some() {
        return Err(Reason::new(Kind::Call, format!("A weak reference to {}.", t.describe(referent))));
    }
    Ok(t.value(Value::WeakRef(referent)))
}

impl Tracer<'_> {
    /// True for an object or function that the program has made and that takes weak references.
    fn takes_references_when_made(&mut self, value: ValueId) -> bool {
        let takes = match &self.objects.values[value] {
            Value::Function(function) => function.object.is_none(),
            &Value::Instance(state) => match self.heap.get(state) {
                State::Instance(instance) => match self.objects.values[instance.class] {
                    Value::Class(_, class) => self.host.class_attr(class, "__weakref__", None).is_some(),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        };
        self.objects.has_weak_references |= takes;
        takes
    }

    /// The object that a weak reference of the program's gives, which something that lives holds.
    pub(in crate::trace) fn referent_held(&mut self, referent: ValueId) -> Traced {
        let is_alive = match self.found_object(referent) {
            Some(found) => self.is_alive(found),
            None => self.is_held_by_frames(referent),
        };
        match is_alive {
            true => Ok(referent),
            false => Err(Reason::new(Kind::Call, format!("A weak reference to {}.", self.describe(referent)))),
        }
    }

    /// Runs a call, a comparison or the reading of an attribute for a frame, which holds its variables meanwhile. What
    /// lay on the stack for it may be the callee's alone.
    pub(in crate::trace) fn holding<R>(&mut self, caller: &Frame, call: impl FnOnce(&mut Self) -> R) -> R {
        if !self.objects.has_weak_references {
            return call(self);
        }
        let held = caller.stack.iter().chain(caller.locals.iter().flatten()).copied().collect();
        self.call_stack.held.push(held);
        let result = call(self);
        self.call_stack.held.pop();
        result
    }

    /// True for a value that variables of a frame hold, as far as they are known.
    fn is_held_by_frames(&self, wanted: ValueId) -> bool {
        let mut open: Vec<ValueId> = self.call_stack.held.iter().flatten().copied().collect();
        let mut seen = FxHashSet::default();
        while let Some(value) = open.pop() {
            let value = self.objects.forced.get(&value).copied().unwrap_or(value);
            if value == wanted {
                return true;
            }
            if seen.insert(value) {
                self.held_by(value, &mut open);
            }
        }
        false
    }

    /// Adds what a value holds for certain.
    fn held_by(&self, value: ValueId, held: &mut Vec<ValueId>) {
        match &self.objects.values[value] {
            Value::Tuple(items) | Value::Record(_, _, items) => held.extend(items),
            &Value::State(state) | &Value::Instance(state) => self.held_by_state(state, held),
            &Value::Method { function, this } => held.extend([function, this]),
            Value::Function(function) => held.extend(function.defaults.iter().chain(&function.closure)),
            &Value::Object(_, object) => {
                let written = self.objects.slots.iter().filter(|&&(written, ..)| written == object);
                written.for_each(|&(_, _, state)| self.held_by_state(state, held));
            }
            _ => {}
        }
    }

    fn held_by_state(&self, state: StateId, held: &mut Vec<ValueId>) {
        if self.heap.origin(state).is_some() && !matches!(self.heap.sort(state), Sort::Cell | Sort::Slot) {
            // What is read of the caller's containers is guarded.
            return;
        }
        match self.heap.get(state) {
            State::List(items) => held.extend(items),
            State::Deque(deque) => held.extend(&deque.items),
            State::Dict(items) => held.extend(items.values().flat_map(|&(key, value)| [key, value])),
            State::Set(items, _) => held.extend(items.values()),
            State::Cell(content) | State::Slot { value: content, .. } => held.extend(content),
            State::Instance(instance) => {
                held.extend(instance.base.iter().flat_map(Base::held));
                held.extend(instance.attrs.values());
            }
            State::Stack(_) | State::Iter(_) => {}
        }
    }
}
