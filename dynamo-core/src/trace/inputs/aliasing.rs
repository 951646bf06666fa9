//! Aliasing of input objects: objects that share state, and objects that are distinct in this call but might be
//! identical in the next.
//!
//! Facts that the trace has recorded of one object do not hold for an alias of it. So where an object is mutated, or
//! where the program tests identity, the objects that are distinct are guarded to be distinct. Objects that are
//! identical are guarded to be so where they are realized, in `wrap`.
//!
//! Invariant: objects of different classes are never identical, since their classes are guarded.

use crate::{
    host::{Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::{SlotOf, Sort, State, StateId},
            value::{Value, ValueId},
        },
    },
};
use guards::{GuardKind, Source, SourceId, Step};
use rustc_hash::FxHashMap;

/// A class of objects that may alias each other, as far as type guards tell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Alike {
    List,
    Dict,
    Deque,
    Set,
    Function,
    Tensor,
    Object(String),
}

impl Tracer<'_> {
    /// The result of `is` for distinct objects: false, under a guard.
    pub(in crate::trace) fn are_two(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        if self.is_new(a) || self.is_new(b) {
            return Ok(false);
        }
        match (self.source(a), self.source(b)) {
            (Some(one), Some(other)) => {
                self.guard(one, GuardKind::NoTensorAliasing(vec![one, other]));
                Ok(false)
            }
            _ => {
                let text = format!("`is` of {} and {}.", self.describe(a), self.describe(b));
                Err(Reason::new(Kind::Operator, text))
            }
        }
    }

    /// Ends the graph where both a dict and the object whose `__dict__` it is are realized: a write to one of them is a
    /// write to the other.
    pub(in crate::trace) fn keep_apart(&mut self, obj: Obj, view: &View) -> Traced<()> {
        let shared = match view {
            View::Dict(_) | View::Table(..) => {
                self.objects.dicts.insert(obj);
                self.objects.scopes.contains(&obj) || self.objects.held.contains(&obj)
            }
            View::Object(_) | View::Module(_) => match self.host.dict_of(obj) {
                Some(dict) => {
                    self.objects.held.insert(dict);
                    self.objects.dicts.contains(&dict)
                }
                None => false,
            },
            View::Function(function) => {
                if !self.objects.scopes.contains(&function.globals) {
                    self.objects.scopes.push(function.globals);
                }
                self.objects.dicts.contains(&function.globals)
            }
            _ => false,
        };
        match shared {
            true => Err(Reason::new(Kind::Mutation, "A dict and the object whose attributes it holds.")),
            false => Ok(()),
        }
    }

    /// True for an object that the traced program has made.
    fn is_new(&self, value: ValueId) -> bool {
        match &self.objects.values[value] {
            Value::State(state) => self.heap.origin(*state).is_none(),
            Value::Function(function) => function.object.is_none(),
            _ => false,
        }
    }

    /// The source of a cell itself, where that of a function's cell is the one of what it holds.
    pub(in crate::trace) fn cell_at(&mut self, source: SourceId) -> SourceId {
        match self.sources.get(source) {
            Some(Source::Step { base, step: Step::Closure(index) }) => self.sources.closure_cell(base, index),
            _ => source,
        }
    }

    /// The source at which a cell of the caller's was found first; `None` for anything else.
    pub(in crate::trace) fn cell_of(&self, value: ValueId) -> Option<SourceId> {
        let Value::State(state) = self.objects.values[value] else { return None };
        if self.heap.sort(state) == Sort::Cell { self.found_cell(state) } else { None }
    }

    /// The source at which the cell of this state was found first; `None` for one that the program has made.
    pub(in crate::trace) fn found_cell(&self, state: StateId) -> Option<SourceId> {
        let origin = self.heap.origin(state)?;
        self.objects.cells.iter().find(|(cell, _)| *cell == origin).map(|&(_, source)| source)
    }

    /// Guards that a cell that the program sets is distinct from the other cells that it reads.
    fn guard_distinct_cells(&mut self, changed: &[Obj]) {
        let cells: Vec<_> =
            self.objects.cells.iter().filter(|(cell, _)| self.objects.known.contains_key(cell)).copied().collect();
        if cells.len() > 1 && cells.iter().any(|(cell, _)| changed.contains(cell)) {
            let sources: Vec<SourceId> = cells.into_iter().map(|(_, source)| source).collect();
            self.guard(sources[0], GuardKind::NoTensorAliasing(sources));
        }
    }

    /// Guards that the objects that the program mutates are distinct from the others that it reads.
    pub(in crate::trace) fn guard_distinct(&mut self) {
        let changed: Vec<Obj> = self.heap.changed().into_iter().filter_map(|state| self.holder(state)).collect();
        if changed.is_empty() {
            return;
        }
        self.guard_distinct_cells(&changed);
        let mut alike: FxHashMap<Alike, Vec<(Obj, SourceId)>> = FxHashMap::default();
        for (&obj, &value) in &self.objects.known {
            if let (Some(kind), Some(source)) = (self.alike(value), self.source(value)) {
                alike.entry(kind).or_default().push((obj, source));
            }
        }
        let mut kinds: Vec<_> = alike.into_values().collect();
        kinds.sort_by_key(|all| all[0].0);
        for all in kinds {
            if all.len() > 1 && all.iter().any(|(obj, _)| changed.contains(obj)) {
                let sources: Vec<SourceId> = all.into_iter().map(|(_, source)| source).collect();
                self.guard(sources[0], GuardKind::NoTensorAliasing(sources));
            }
        }
    }

    /// The object that changes with a state.
    fn holder(&self, state: StateId) -> Option<Obj> {
        match self.heap.sort(state) {
            Sort::Slot if matches!(self.heap.get(state), State::Slot { of: SlotOf::Globals(_), .. }) => None,
            Sort::Iter => None,
            Sort::Slot
            | Sort::List
            | Sort::Dict
            | Sort::Deque
            | Sort::Set
            | Sort::Cell
            | Sort::Stack
            | Sort::Instance => self.heap.origin(state),
        }
    }

    fn alike(&self, value: ValueId) -> Option<Alike> {
        match &self.objects.values[value] {
            Value::Object(class, _) => Some(Alike::Object(class.clone())),
            Value::Function(_) => Some(Alike::Function),
            Value::Tensor(_) => Some(Alike::Tensor),
            Value::State(state) => match self.heap.sort(*state) {
                Sort::List => Some(Alike::List),
                Sort::Dict => Some(Alike::Dict),
                Sort::Deque => Some(Alike::Deque),
                Sort::Set => Some(Alike::Set),
                Sort::Cell | Sort::Iter | Sort::Stack | Sort::Instance | Sort::Slot => None,
            },
            _ => None,
        }
    }
}
