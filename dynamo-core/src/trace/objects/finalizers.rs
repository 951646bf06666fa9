//! Objects that do something when they are dropped (`__del__`, callbacks of weak references, suspended generators), and
//! what may hold the last reference to one.
//!
//! Such an object has to die where it dies in the program: an instruction that drops one is left to the interpreter,
//! and where a graph ends, the locals that own one are passed on (`output`).
//!
//! Invariant: what is read of the caller's objects here is not guarded: it decides where a graph ends, not what is
//! computed. So a container that comes to hold such an object after the trace is not told from what it was.

use super::{Tracer, modules::TABLES};
use crate::{
    host::{Obj, View},
    trace::core::{
        frame::Frame,
        heap::Released,
        state::State,
        value::{Value, ValueId},
    },
};
use guards::{Reach, Root, Source, SourceId, Step};

/// The number of containers, one within the other, that are looked through for objects.
const NESTING: usize = 3;

/// The objects that are looked for in containers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owned {
    /// Objects of classes of the program's. They may hold others, and so may what is not looked through.
    Object,
    /// Objects with a finalizer.
    Finalizer,
}

impl Tracer<'_> {
    /// True if a frame that has dropped a value has dropped an object of the caller's with it which does something
    /// then: nothing else of the frame holds it.
    pub(in crate::trace) fn drops_finalizer(&mut self, f: &Frame, dropped: ValueId) -> bool {
        let same = |held: ValueId| self.objects.forced.get(&held).copied().unwrap_or(held);
        let dropped = same(dropped);
        let is_held = f.stack.iter().chain(f.locals.iter().flatten()).any(|&held| same(held) == dropped);
        if is_held {
            return false;
        }
        let source = self.source(dropped).filter(|_| !matches!(self.objects.values[dropped], Value::Const(_)));
        self.objects.may_be_dropped |= source.is_some();
        if let Some(Source::Root(Root::Local(name))) = source.and_then(|source| self.sources.get(source)) {
            self.objects.dropped_locals.insert(name);
        }
        self.has_finalizer(dropped)
    }

    /// True for an object of the caller's of which the program has not dropped the last reference for certain.
    pub(in crate::trace) fn is_alive(&self, object: Obj) -> bool {
        let place = self.objects.known.get(&object).and_then(|&value| self.source(value));
        let is_held = place.is_some_and(|place| self.is_held_at(place));
        !self.heap.has_changed() && (is_held || !self.objects.may_be_dropped)
    }

    /// True for a place that holds an object by itself, as places between it and a variable do which the program has
    /// not dropped. An attribute may be made where it is read, but for the tables of modules.
    fn is_held_at(&self, place: SourceId) -> bool {
        let (base, step) = match self.sources.get(place) {
            Some(Source::Step { base, step }) => (base, step),
            Some(Source::Root(Root::Local(name))) => return !self.objects.dropped_locals.contains(&name),
            Some(Source::Root(root)) => return root.row().reach == Reach::Object,
            None => return false,
        };
        let holds = match step {
            Step::Attr(name) => TABLES.contains(&&*self.sources.strings()[name]),
            Step::Item(_) | Step::DictKey(_) | Step::DictValue(_) | Step::SetItem(_) => true,
            Step::Closure(_) | Step::Defaults(_) | Step::KwDefaults(_) => true,
            Step::Param(_) | Step::Buffer(_) | Step::Submodule(_) => true,
            _ => false,
        };
        holds && self.is_held_at(base)
    }

    /// True if changes since there were so many have taken the reference of an object of the caller's to one that does
    /// something when it is dropped.
    pub(in crate::trace) fn releases_finalizer(&mut self, changes: usize) -> bool {
        self.heap.released_since(changes).into_iter().any(|released| match released {
            Released::Value(value) => self.has_finalizer(value),
            Released::First { of, name, is_global } => {
                let held = if is_global { self.host.item(of, &name) } else { self.host.instance_attr(of, &name) };
                held.is_some_and(|held| {
                    let class = self.host.class_of(held);
                    self.finalizes(class)
                })
            }
        })
    }

    /// True for an object of the caller's that may hold others, as far as nobody has looked at it: it is of a class of
    /// the program's, or a container of such objects.
    pub(in crate::trace) fn may_own(&mut self, value: ValueId) -> bool {
        let this = self.objects.forced.get(&value).copied().unwrap_or(value);
        match self.objects.values[this] {
            Value::Object(_, obj) | Value::Lazy(obj) => self.is_or_holds(obj, Owned::Object, NESTING),
            _ => false,
        }
    }

    /// True for an object of the caller's that does something when it is dropped, and for containers of such objects
    /// that nothing else of the caller's holds for certain.
    pub(in crate::trace) fn has_finalizer(&mut self, value: ValueId) -> bool {
        let source = self.source(value).and_then(|source| self.sources.get(source));
        let is_held = source.is_some_and(|source| !matches!(source, Source::Root(Root::Local(_))));
        let is_local = source.is_some() && !is_held;
        is_local && self.calls_back(value) || self.is_or_has_finalizer(value, if is_held { 0 } else { NESTING })
    }

    /// True for an object of the caller's whose weak references call something when it is gone, and for such a
    /// reference, which calls nothing once it is gone itself. Tensors are dropped at the latest when the function
    /// returns.
    fn calls_back(&mut self, value: ValueId) -> bool {
        let this = self.objects.forced.get(&value).copied().unwrap_or(value);
        match self.objects.values[this] {
            Value::Object(_, obj) => self.host.has_weakref_callback(obj),
            Value::Lazy(obj) => matches!(self.host.view(obj), View::Object(_)) && self.host.has_weakref_callback(obj),
            _ => false,
        }
    }

    /// Whether a value has a finalizer, or what it holds within so many containers.
    fn is_or_has_finalizer(&mut self, value: ValueId, nesting: usize) -> bool {
        let this = self.objects.forced.get(&value).copied().unwrap_or(value);
        let items = match &self.objects.values[this] {
            &(Value::Object(_, obj) | Value::Lazy(obj)) => return self.is_or_holds(obj, Owned::Finalizer, nesting),
            Value::Tuple(items) | Value::Record(.., items) => items.clone(),
            // What is read of the caller's containers here is not to be guarded.
            &Value::State(state) if let Some(obj) = self.heap.origin(state) => {
                return self.is_or_holds(obj, Owned::Finalizer, nesting);
            }
            &Value::State(state) => match self.heap.get(state) {
                State::List(items) => items.clone(),
                State::Dict(items) => items.values().map(|&(_, value)| value).collect(),
                State::Deque(deque) => deque.items.clone(),
                _ => return false,
            },
            _ => return false,
        };
        nesting > 0 && items.into_iter().any(|item| self.is_or_has_finalizer(item, nesting - 1))
    }

    /// Whether an object of the caller's, or what a container of the caller's holds, is `owned`.
    fn is_or_holds(&mut self, obj: Obj, owned: Owned, nesting: usize) -> bool {
        let class = self.host.class_of(obj);
        if owned == Owned::Finalizer {
            let finalizes = self.finalizes(class);
            if finalizes || nesting == 0 {
                return finalizes;
            }
        }
        let items = match self.host.view(obj) {
            View::Object(_) => return owned == Owned::Object && !self.host.is_immutable(class),
            View::Tuple(items)
            | View::Record(.., items)
            | View::Set(items)
            | View::FrozenSet(items)
            | View::List(items)
            | View::Deque(items, _)
            | View::TupleIterator(items, _) => items,
            View::Dict(items) | View::Table(_, items) => {
                items.into_iter().flat_map(|(key, value)| [key, value]).collect()
            }
            View::Method(_, this) => vec![this],
            _ => return false,
        };
        nesting == 0 && !items.is_empty()
            || nesting > 0 && items.into_iter().any(|item| self.is_or_holds(item, owned, nesting - 1))
    }

    /// True for a class with `__del__`, which generators have, too, and for managers that may hold one.
    pub(super) fn finalizes(&mut self, class: Obj) -> bool {
        let mut managers = ["contextlib._GeneratorContextManager", "contextlib.ExitStack"].into_iter();
        managers.any(|name| self.host.class_named(name) == Some(class))
            || self.host.class_attr(class, "__del__", None).is_some()
    }
}
