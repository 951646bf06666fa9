//! The interpreter's whole state.

use super::{
    call_stack::CallStack,
    checkpoint::Speculative,
    exceptions::Exceptions,
    guard_list::GuardList,
    heap::Heap,
    ids::{Traced, ValueId},
    modes::Modes,
    object_table::ObjectTable,
    recording::Recording,
    shapes::Shapes,
    state::State,
    value::Value,
};
use crate::{
    host::{Host, Obj},
    reason::{Kind, Reason},
    trace::options::Options,
};
use guards::{Constant, SourceId, Sources};

/// The greatest depth of nested containers.
const MOST_NESTED: usize = 100;

/// The interpreter's whole state.
///
/// All state that a failed speculation rolls back lies in sub-structures that implement [`Speculative`].
pub(in crate::trace) struct Tracer<'h> {
    pub(in crate::trace) host: &'h mut dyn Host,
    pub(in crate::trace) options: &'h Options,
    /// The interned sources of values: names, of which unused ones do no harm.
    pub(in crate::trace) sources: Sources,
    pub(in crate::trace) objects: ObjectTable,
    pub(in crate::trace) heap: Heap,
    pub(in crate::trace) graph: Recording,
    pub(in crate::trace) shapes: Shapes,
    pub(in crate::trace) guards: GuardList,
    pub(in crate::trace) modes: Modes,
    pub(in crate::trace) call_stack: CallStack,
    pub(in crate::trace) exceptions: Exceptions,
}

/// A checkpoint of every sub-structure.
#[derive(Clone)]
pub(in crate::trace) struct Recorded {
    objects: <ObjectTable as Speculative>::Checkpoint,
    heap: <Heap as Speculative>::Checkpoint,
    graph: <Recording as Speculative>::Checkpoint,
    shapes: <Shapes as Speculative>::Checkpoint,
    guards: <GuardList as Speculative>::Checkpoint,
    modes: <Modes as Speculative>::Checkpoint,
    call_stack: <CallStack as Speculative>::Checkpoint,
    exceptions: <Exceptions as Speculative>::Checkpoint,
}

impl Speculative for Tracer<'_> {
    type Checkpoint = Recorded;

    fn checkpoint(&self) -> Recorded {
        Recorded {
            objects: self.objects.checkpoint(),
            heap: self.heap.checkpoint(),
            graph: self.graph.checkpoint(),
            shapes: self.shapes.checkpoint(),
            guards: self.guards.checkpoint(),
            modes: self.modes.checkpoint(),
            call_stack: self.call_stack.checkpoint(),
            exceptions: self.exceptions.checkpoint(),
        }
    }

    fn rollback(&mut self, to: Recorded) {
        let Tracer {
            host: _,
            options: _,
            sources: _,
            objects,
            heap,
            graph,
            shapes,
            guards,
            modes,
            call_stack,
            exceptions,
        } = self;
        objects.rollback(to.objects);
        heap.rollback(to.heap);
        graph.rollback(to.graph);
        shapes.rollback(to.shapes);
        guards.rollback(to.guards);
        modes.rollback(to.modes);
        call_stack.rollback(to.call_stack);
        exceptions.rollback(to.exceptions);
    }
}

impl<'h> Tracer<'h> {
    /// The state before the first instruction.
    pub(in crate::trace) fn new(host: &'h mut dyn Host, options: &'h Options) -> Tracer<'h> {
        Tracer {
            modes: Modes::of_host(host),
            host,
            options,
            sources: Sources::default(),
            objects: ObjectTable::default(),
            heap: Heap::default(),
            graph: Recording::default(),
            shapes: Shapes::default(),
            guards: GuardList::default(),
            call_stack: CallStack::default(),
            exceptions: Exceptions::default(),
        }
    }

    /// Adds a value that the program made.
    pub(in crate::trace) fn value(&mut self, value: Value) -> ValueId {
        self.objects.values.push(value)
    }

    /// Adds a value that can be read from the running program.
    pub(in crate::trace) fn sourced(&mut self, value: Value, source: SourceId) -> ValueId {
        let id = self.objects.values.push(value);
        self.objects.source_of[id] = source.into();
        id
    }

    /// An object of the running program that is realized when it is first used.
    pub(in crate::trace) fn lazy(&mut self, obj: Obj, source: SourceId) -> ValueId {
        self.sourced(Value::Lazy(obj), source)
    }

    pub(in crate::trace) fn constant(&mut self, constant: Constant) -> ValueId {
        self.value(Value::Const(constant))
    }

    pub(in crate::trace) fn none(&mut self) -> ValueId {
        self.constant(Constant::None)
    }

    /// Recurses into a container, up to a depth: it may contain itself.
    pub(in crate::trace) fn nested<T>(&mut self, look: impl FnOnce(&mut Self) -> Traced<T>) -> Traced<T> {
        if self.call_stack.nesting >= MOST_NESTED {
            return Err(Reason::new(Kind::TooDeep, "A container within itself, or within many others."));
        }
        self.call_stack.nesting += 1;
        let found = look(self);
        self.call_stack.nesting -= 1;
        found
    }

    /// A value with mutable state.
    pub(in crate::trace) fn state(&mut self, state: State) -> ValueId {
        let state = self.heap.push(state, None);
        self.value(Value::State(state))
    }

    /// The source of a value in the running program, if it can be read from there.
    pub(in crate::trace) fn source(&self, value: ValueId) -> Option<SourceId> {
        self.objects.source_of[value].expand()
    }
}
