//! The values that go on after the graph, and so the results of the graph, in torch's order.

use super::Output;
use crate::{
    bytecode::LocalId,
    trace::{
        Traced,
        core::{
            context::Context,
            frame::Frame,
            state::{Base, Iter, Leaving, SlotOf, State, StateId, Table},
            value::{Value, ValueId},
        },
    },
};
use fx::NodeId;
use guards::SourceId;

impl Output<'_, '_> {
    /// Finds which of the graph's results are needed, ends the graph with them, and drops what nothing needs. Results
    /// come in the order in which torch's own code asks for them: what is wanted, part by part, then what effects need.
    pub(super) fn plan(&mut self, wanted: &[ValueId]) -> Traced<()> {
        let mut seen = Vec::new();
        let mut open: Vec<ValueId> = wanted.to_vec();
        let changed = self.t.heap.changed();
        if changed.len() > 1 {
            // One change may be in the way to the object of another.
            open.extend(changed.iter().filter_map(|&state| self.origin(state)));
        }
        for state in changed {
            open.extend(self.parts_of_state(state));
            match self.t.heap.get(state) {
                State::Slot { of: SlotOf::Object(object) | SlotOf::Entry(object), .. } => open.push(*object),
                State::Slot { of: SlotOf::Globals(dict), .. } => self.scopes.extend(dict.expand()),
                _ => {}
            }
        }
        open.reverse();
        while let Some(value) = open.pop() {
            let value = self.t.objects.forced.get(&value).copied().unwrap_or(value);
            if seen.contains(&value) {
                continue;
            }
            seen.push(value);
            match self.t.objects.values[value] {
                Value::Tensor(node)
                | Value::SymInt { node, .. }
                | Value::SymFloat { node, .. }
                | Value::SymBool { node, .. } => {
                    let is_read = self.t.source(value).is_some() && self.t.first_name(node) == node;
                    if !is_read && !self.results.contains(&node) {
                        self.results.push(node);
                    }
                }
                Value::NdArray { node, .. } if !self.is_read(value) => match self.t.callers_tensor(node) {
                    Some(tensor) => open.push(tensor),
                    None if !self.results.contains(&node) => self.results.push(node),
                    None => {}
                },
                Value::Computed(_, a, b) => {
                    [a, b].into_iter().for_each(|operand| self.t.guard_class(operand));
                    open.extend([b, a]);
                }
                // Its parts are there where it is.
                _ if self.is_read(value) => {}
                _ => open.extend(self.parts(value).into_iter().rev()),
            }
        }
        self.t.end_graph(&self.results);
        let owners: Vec<SourceId> = seen.iter().filter_map(|&value| self.owner(value)).collect();
        self.scopes.extend(owners.into_iter().map(|owner| self.t.sources.attr(owner, "__globals__")));
        self.reached = seen.iter().filter_map(|&value| self.cell(value)).collect();
        self.called = seen.iter().filter_map(|&value| self.called_set(value)).collect();
        self.sourced = seen.into_iter().filter(|&value| self.is_read(value)).collect();
        Ok(())
    }

    /// The function whose globals are those of a function, or of a generator, that has to be made anew.
    fn owner(&self, value: ValueId) -> Option<SourceId> {
        match &self.t.objects.values[value] {
            Value::Function(function) if !self.is_read(value) => function.globals.owner.expand(),
            Value::State(state) => self.generator_frame(*state)?.globals.owner.expand(),
            _ => None,
        }
    }

    /// Has torch's graph return all the values that go on, the last one first, if they are tensors and the graph does
    /// nothing but change what it is given.
    pub(super) fn give_back(&mut self, values: &[ValueId]) {
        let makes = |&node: &NodeId| self.t.makes_tensor(node);
        let tensor = |&value: &ValueId| match self.t.objects.values
            [self.t.objects.forced.get(&value).copied().unwrap_or(value)]
        {
            Value::Tensor(node) => Some(node),
            _ => None,
        };
        let nodes: Option<Vec<NodeId>> = values.iter().rev().map(tensor).collect();
        let changed = self.t.heap.changed().is_empty() && self.t.graph_is_needed();
        if let Some(nodes) = nodes.filter(|_| changed && !self.t.graph.torch.nodes().any(|node| makes(&node))) {
            self.results = nodes;
        }
    }

    /// The values of a frame that go on, in torch's order: cells, the stack, the other locals.
    pub(super) fn order(&self, frame: &Frame, live: &[(LocalId, Option<ValueId>)]) -> Vec<ValueId> {
        let (cells, locals): (Vec<_>, Vec<_>) =
            live.iter().filter_map(|&(_, value)| value).partition(|&value| self.is_frame_cell(value));
        [cells, frame.stack.clone(), locals].concat()
    }

    /// True for a cell of the frame itself.
    pub(super) fn is_frame_cell(&self, value: ValueId) -> bool {
        self.cell(value).is_some()
    }

    /// The cell of the frame that a value is.
    fn cell(&self, value: ValueId) -> Option<StateId> {
        match self.t.objects.values[value] {
            Value::State(state) => Some(state).filter(|state| self.frame_cells.contains_key(state)),
            _ => None,
        }
    }

    /// The values that a value is made of.
    pub(super) fn parts(&self, value: ValueId) -> Vec<ValueId> {
        match &self.t.objects.values[value] {
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => items.clone(),
            Value::Slice(parts) => parts.to_vec(),
            // A cell of the caller's is passed on as it is: nobody reads it here, and it may be empty in the next call.
            Value::State(state) if self.is_frame_cell(value) && self.t.heap.origin(*state).is_some() => Vec::new(),
            Value::State(state) => self.parts_of_state(*state),
            Value::Instance(state) => self.parts_of_state(*state),
            Value::Super(class, this) => vec![*class, *this],
            Value::TypeExpr(_, a, b) => vec![*a, *b],
            Value::InstanceDict(this) | Value::WeakRef(this) => vec![*this],
            Value::DictView(dict, _) => vec![*dict],
            Value::Method { function, this } => vec![*function, *this],
            Value::BoundBuiltin { this, .. } => vec![*this],
            Value::Exit(_, manager) => vec![*manager],
            Value::Context(context) => context_parts(context),
            Value::Decorated(context, function) => context_parts(context).into_iter().chain([*function]).collect(),
            Value::SortKey(compare, of) => [*compare].into_iter().chain(*of).collect(),
            Value::Getter(_, parts, keywords) => {
                parts.iter().chain(keywords.iter().map(|(_, value)| value)).copied().collect()
            }
            Value::Partial(function, args, keywords) => {
                let given = [function].into_iter().chain(args).chain(keywords.iter().map(|(_, value)| value)).copied();
                given.chain(self.t.attribute_parts(value)).collect()
            }
            Value::Function(function) => {
                let kwdefaults = function.kwdefaults.iter().map(|(_, value)| value);
                let parts = function.defaults.iter().chain(&function.closure).chain(kwdefaults).copied();
                parts.chain(self.t.function_parts(value, function)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// True if the value is read where the trace found it.
    pub(super) fn is_read(&self, value: ValueId) -> bool {
        self.t.source(value).is_some() && !matches!(self.t.objects.values[value], Value::Const(_))
    }

    pub(super) fn parts_of_state(&self, state: StateId) -> Vec<ValueId> {
        if let Some(object) = self.t.object_shown(state) {
            return vec![object];
        }
        match self.t.heap.get(state) {
            State::List(items) => items.clone(),
            State::Dict(items) => {
                let factory = match self.t.heap.table(state) {
                    Table::Default(factory) => Some(factory),
                    _ => None,
                };
                factory.into_iter().chain(items.values().flat_map(|&(key, value)| [key, value])).collect()
            }
            State::Deque(deque) => deque.items.clone(),
            State::Set(items, made) => items.values().copied().chain(super::sets::parts(made)).collect(),
            State::Cell(content) => content.iter().copied().collect(),
            State::Slot { value, .. } => value.iter().copied().collect(),
            State::Instance(instance) => {
                let base = instance.base.iter().flat_map(Base::held);
                [instance.class].into_iter().chain(base).chain(instance.attrs.values().copied()).collect()
            }
            State::Stack(entries) => entries.iter().flat_map(Leaving::parts).collect(),
            State::Iter(iter) => {
                let states = |states: &[StateId]| states.iter().flat_map(|&s| self.parts_of_state(s)).collect();
                match iter {
                    Iter::Items(items, at) => items.get(*at..).unwrap_or(&[]).to_vec(),
                    Iter::Dict(dict, ..) => vec![*dict],
                    Iter::Set(of, ..) | Iter::List(of, _) | Iter::Deque(of, ..) => match self.origin(*of) {
                        Some(found) => vec![found],
                        None => self.parts_of_state(*of),
                    },
                    Iter::Enumerate(inner, _) => states(&[*inner]),
                    Iter::Zip(inners, _) => states(inners),
                    Iter::Lazy(lazy) => lazy.parts(),
                    Iter::Map(function, inners) => {
                        let mut parts: Vec<ValueId> = states(inners);
                        parts.push(*function);
                        parts
                    }
                    Iter::Filter(function, inner) => {
                        let mut parts: Vec<ValueId> = states(&[*inner]);
                        parts.push(*function);
                        parts
                    }
                    Iter::Generator(frame) => self.generator_parts(frame),
                    Iter::Range(_) | Iter::Running | Iter::Lost | Iter::Done(_) => Vec::new(),
                    Iter::Call(call) => call.args.clone(),
                    Iter::Reversed(reversed) => vec![reversed.of],
                    Iter::Object(object) | Iter::Sequence(object, _) | Iter::Backwards(object, _) => vec![*object],
                    Iter::Results(function, sentinel) => vec![*function, *sentinel],
                }
            }
        }
    }
}

/// The values that a manager is made of.
fn context_parts(context: &Context) -> Vec<ValueId> {
    match context {
        Context::Null(value) => value.iter().copied().collect(),
        Context::Suppress(classes) => classes.clone(),
        Context::Closing(thing) => vec![*thing],
        Context::Stack(inner) | Context::Generator(inner) => vec![*inner],
        Context::Grad(_)
        | Context::Inference(_)
        | Context::Autocast(_)
        | Context::Device(_)
        | Context::Breaks(_)
        | Context::Profiler(_) => Vec::new(),
    }
}
