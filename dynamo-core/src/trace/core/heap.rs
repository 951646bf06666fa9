//! The current state of everything that can change, with an undo log.
//!
//! Invariant: a state changes only by [`Heap::change`], which logs what it was.

use super::{
    checkpoint::Speculative,
    state::{Entries, Iter, IterCall, Key, Reversed, SlotOf, Sort, State, StateId, Table},
    value::ValueId,
};
use crate::host::Obj;
use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A state with where it came from.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Row {
    /// As it is now.
    pub(in crate::trace) state: State,
    /// The object that has it, if the program did not make it itself.
    pub(in crate::trace) origin: Option<Obj>,
    /// True once it differs from what the origin holds.
    pub(in crate::trace) changed: bool,
    /// The first entries of a dict of the caller's, once it has others.
    before: Option<Rc<Entries>>,
    /// The number of entries that the dict begins with and that were never deleted, if any were. A key that comes back
    /// has another place in the dict's table, which iterators see.
    kept: Option<usize>,
}

/// A reference that an object of the caller's has given up.
pub(in crate::trace) enum Released {
    /// One to a value.
    Value(ValueId),
    /// One to what an attribute, or a global variable of a module's dict, held before it was first written.
    First {
        /// The object or dict.
        of: Obj,
        /// The name.
        name: String,
        /// Whether it is a variable.
        is_global: bool,
    },
}

/// Items that are copied at most.
const MOST_COPIED: usize = 1 << 27;

/// The mutable state of the traced program, with an undo log.
#[derive(Default)]
pub(in crate::trace) struct Heap {
    rows: PrimaryMap<StateId, Row>,
    /// The dicts of a subclass of `dict` in `collections`.
    tables: FxHashMap<StateId, Table>,
    /// The input dicts that were read as a whole since [`Heap::take_read`].
    read: RefCell<Vec<StateId>>,
    /// The undo log: each state that was changed, and what it was before; `None` once committed.
    log: Vec<(StateId, Option<Row>)>,
    /// The number of items that the undo log has copied.
    copied: usize,
    /// The states of which somebody wants to know whether they are read or changed, and whether they were.
    watched: Vec<(StateId, Cell<bool>)>,
}

impl State {
    /// The cost of copying it, in items; an item of a table counts for as many as its copying takes.
    fn weight(&self) -> usize {
        match self {
            State::List(items) => items.len(),
            State::Deque(deque) => deque.items.len(),
            State::Dict(items) => 16 * items.len(),
            State::Set(items, _) => 16 * items.len(),
            State::Iter(Iter::Items(items, _) | Iter::Call(IterCall { items, .. }) | Iter::Set(_, items, _)) => {
                items.len() / 8
            }
            State::Stack(entries) => entries.len(),
            State::Instance(instance) => 16 * instance.attrs.len(),
            State::Iter(Iter::Lazy(lazy)) => lazy.parts().len() / 8,
            State::Cell(_) | State::Iter(_) | State::Slot { .. } => 1,
        }
    }

    /// The values that a container, a cell or an attribute refers to.
    fn references(&self) -> Vec<ValueId> {
        match self {
            State::List(items) => items.clone(),
            State::Deque(deque) => deque.items.clone(),
            State::Dict(items) => items.values().flat_map(|&(key, value)| [key, value]).collect(),
            State::Set(items, _) => items.values().copied().collect(),
            State::Cell(content) => content.iter().copied().collect(),
            State::Slot { value, .. } => value.iter().copied().collect(),
            State::Iter(_) | State::Stack(_) | State::Instance(_) => Vec::new(),
        }
    }

    /// True if both are lists, dicts or cells of the same values in the same order; of other kinds nothing is known.
    fn holds_the_same(&self, other: &State) -> bool {
        match (self, other) {
            (State::List(a), State::List(b)) => a == b,
            (State::Cell(a), State::Cell(b)) => a == b,
            (State::Dict(a), State::Dict(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((k, (_, a)), (l, (_, b)))| k == l && a == b)
            }
            _ => false,
        }
    }
}

impl Heap {
    /// Adds a state that the program made, or that an object holds.
    pub(in crate::trace) fn push(&mut self, state: State, origin: Option<Obj>) -> StateId {
        self.rows.push(Row { state, origin, changed: false, before: None, kept: None })
    }

    /// The current state. Reading an input dict in this way guards all of its keys.
    pub(in crate::trace) fn get(&self, id: StateId) -> &State {
        self.note_read(id);
        &self.rows[id].state
    }

    /// The kind of a state; reading it needs no guard.
    pub(in crate::trace) fn sort(&self, id: StateId) -> Sort {
        match self.rows[id].state {
            State::List(_) => Sort::List,
            State::Dict(_) => Sort::Dict,
            State::Deque(_) => Sort::Deque,
            State::Set(..) => Sort::Set,
            State::Cell(_) => Sort::Cell,
            State::Iter(_) => Sort::Iter,
            State::Stack(_) => Sort::Stack,
            State::Instance(_) => Sort::Instance,
            State::Slot { .. } => Sort::Slot,
        }
    }

    /// The class of a dict.
    pub(in crate::trace) fn table(&self, dict: StateId) -> Table {
        self.tables.get(&dict).copied().unwrap_or(Table::Plain)
    }

    /// Sets the class of a dict.
    pub(in crate::trace) fn set_table(&mut self, dict: StateId, table: Table) {
        self.tables.insert(dict, table);
    }

    /// True if an iterator over a dict has begun that has not ended. `is_it` tells whether a value is the dict.
    pub(in crate::trace) fn is_iterated(&self, is_it: impl Fn(ValueId) -> bool) -> bool {
        self.rows.values().any(|row| matches!(&row.state, State::Iter(Iter::Dict(dict, ..)) if is_it(*dict)))
    }

    /// Has iterators over a dict lose their places. `is_it` tells whether a value is the dict, or a view of it.
    pub(in crate::trace) fn lose_places(&mut self, is_it: impl Fn(ValueId) -> bool) {
        let is_over = |row: &Row| match &row.state {
            State::Iter(Iter::Dict(of, ..) | Iter::Reversed(Reversed { of, .. })) => is_it(*of),
            _ => false,
        };
        let lost: Vec<StateId> = self.rows.iter().filter(|(_, row)| is_over(row)).map(|(id, _)| id).collect();
        for id in lost {
            *self.change(id) = State::Iter(Iter::Lost);
        }
    }

    /// The object that has it, if the program did not make it itself.
    pub(in crate::trace) fn origin(&self, id: StateId) -> Option<Obj> {
        self.rows[id].origin
    }

    /// The value of a dict for a key, which the caller guards.
    pub(in crate::trace) fn value_at(&self, dict: StateId, key: &Key) -> Option<ValueId> {
        match &self.rows[dict].state {
            State::Dict(items) => items.get(key).map(|&(_, value)| value),
            _ => None,
        }
    }

    /// Takes the input dicts that were read as a whole since the last call.
    pub(in crate::trace) fn take_read(&mut self) -> Vec<StateId> {
        std::mem::take(self.read.get_mut())
    }

    /// Notes from now on whether a state is read or changed.
    pub(in crate::trace) fn watch(&mut self, id: StateId) {
        self.watched.push((id, Cell::new(false)));
    }

    /// Whether the state that is watched last was read or changed; it is watched no longer.
    pub(in crate::trace) fn unwatch(&mut self) -> bool {
        self.watched.pop().is_some_and(|(_, is_touched)| is_touched.get())
    }

    fn note_read(&self, id: StateId) {
        for (_, is_touched) in self.watched.iter().filter(|&&(watched, _)| watched == id) {
            is_touched.set(true);
        }
        let row = &self.rows[id];
        if row.origin.is_some() && matches!(row.state, State::Dict(_)) {
            self.read.borrow_mut().push(id);
        }
    }

    /// The state for writing; its old value goes to the undo log.
    pub(in crate::trace) fn change(&mut self, id: StateId) -> &mut State {
        self.note_read(id);
        self.copied += self.rows[id].state.weight();
        self.log.push((id, Some(self.rows[id].clone())));
        let row = &mut self.rows[id];
        row.changed = true;
        if let (State::Dict(entries), Some(_), None) = (&row.state, row.origin, &row.before) {
            row.before = Some(Rc::new(entries.clone()));
        }
        &mut row.state
    }

    /// The first entries of a dict of the caller's that was changed.
    pub(in crate::trace) fn entries_before(&self, dict: StateId) -> Option<Rc<Entries>> {
        self.rows[dict].before.clone()
    }

    /// The number of entries that a dict of the caller's begins with and that were never deleted.
    pub(in crate::trace) fn entries_kept(&self, dict: StateId) -> usize {
        self.rows[dict].kept.unwrap_or(usize::MAX)
    }

    /// Notes that the last change of a dict has deleted keys.
    pub(in crate::trace) fn note_deletion(&mut self, dict: StateId) {
        let change = self.log.iter().rev().find(|(id, _)| *id == dict);
        let (Some((_, Some(last))), State::Dict(entries)) = (change, &self.rows[dict].state) else { return };
        let State::Dict(previous) = &last.state else { return };
        let mut kept = previous.keys().take(last.kept.unwrap_or(usize::MAX));
        let count = entries.keys().take_while(|&key| kept.any(|other| other == key)).count();
        self.rows[dict].kept = Some(count);
    }

    /// Drops the undo log up to now: no checkpoint before this point is rolled back to.
    pub(in crate::trace) fn commit(&mut self) {
        for (_, row) in self.log.iter_mut().rev() {
            if row.take().is_none() {
                break;
            }
        }
    }

    /// True once the undo log has copied so much that more would take seconds: a container that grows item by item is
    /// copied at each change.
    pub(in crate::trace) fn is_overworked(&self) -> bool {
        self.copied > MOST_COPIED
    }

    /// True once the undo log has copied more than may be kept for a checkpoint that is perhaps never rolled back to.
    pub(in crate::trace) fn is_laden(&self) -> bool {
        self.copied > MOST_COPIED >> 7
    }

    /// All states as they are now, without a note that they were read.
    pub(in crate::trace) fn states(&self) -> impl Iterator<Item = (StateId, &State)> {
        self.rows.iter().map(|(id, row)| (id, &row.state))
    }

    /// The number of changes up to now, of states of all kinds.
    pub(in crate::trace) fn changes(&self) -> usize {
        self.log.len()
    }

    /// The references of the caller's containers, cells and attributes that changes since there were so many have given
    /// up.
    pub(in crate::trace) fn released_since(&self, changes: usize) -> Vec<Released> {
        let mut released = Vec::new();
        for (id, row) in &self.log[changes..] {
            let now = &self.rows[*id];
            let (Some(before), Some(origin)) = (row, now.origin) else { continue };
            if let State::Slot { name, value: None, of } = &before.state {
                let is_global = matches!(of, SlotOf::Globals(_));
                released.push(Released::First { of: origin, name: name.clone(), is_global });
                continue;
            }
            let kept: FxHashSet<ValueId> = now.state.references().into_iter().collect();
            let gone = before.state.references().into_iter().filter(|value| !kept.contains(value));
            released.extend(gone.map(Released::Value));
        }
        released
    }

    /// True if the state of an input object was changed.
    pub(in crate::trace) fn has_changed(&self) -> bool {
        self.log.iter().any(|&(id, _)| self.rows[id].origin.is_some())
    }

    /// True if a state that is older than a checkpoint, or belongs to an input object, was changed since.
    pub(in crate::trace) fn has_changed_since(&self, checkpoint: HeapCheckpoint) -> bool {
        self.log[checkpoint.changes..].iter().any(|&(id, _)| self.is_older(id, checkpoint))
    }

    /// Restores the states that are older than a checkpoint, or belong to input objects, where they were changed and
    /// changed back since, as if nobody had touched them; false if one of them is another than it was there.
    pub(in crate::trace) fn restore_since(&mut self, checkpoint: HeapCheckpoint) -> bool {
        let mut first = FxHashMap::default();
        for (id, row) in &self.log[checkpoint.changes..] {
            if self.is_older(*id, checkpoint) {
                first.entry(*id).or_insert(row);
            }
        }
        let is_as_before = |(id, row): (&StateId, &&Option<Row>)| {
            let now = &self.rows[*id];
            row.as_ref().is_some_and(|row| row.kept == now.kept && row.state.holds_the_same(&now.state))
        };
        if !first.iter().all(is_as_before) {
            return false;
        }
        let untouched: Vec<(StateId, Row)> =
            first.into_iter().filter_map(|(id, row)| Some((id, row.clone()?))).collect();
        untouched.into_iter().for_each(|(id, row)| self.rows[id] = row);
        true
    }

    /// True for a state that is older than a checkpoint, or belongs to an input object.
    pub(in crate::trace) fn is_older(&self, id: StateId, checkpoint: HeapCheckpoint) -> bool {
        id.index() < checkpoint.states || self.rows[id].origin.is_some()
    }

    /// The states of input objects that were changed, in the order of their first change.
    pub(in crate::trace) fn changed(&self) -> Vec<StateId> {
        let mut seen = Vec::new();
        for &(id, _) in &self.log {
            if self.rows[id].origin.is_some() && !seen.contains(&id) {
                seen.push(id);
            }
        }
        seen
    }
}

/// The lengths of the undo log and of the arena.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct HeapCheckpoint {
    changes: usize,
    states: usize,
}

impl Speculative for Heap {
    type Checkpoint = HeapCheckpoint;

    fn checkpoint(&self) -> HeapCheckpoint {
        HeapCheckpoint { changes: self.log.len(), states: self.rows.len() }
    }

    fn rollback(&mut self, to: HeapCheckpoint) {
        let Heap {
            // An append-only arena: once the object table is rolled back, nothing refers to the newer states.
            rows,
            // Set once, when the dict is made.
            tables: _,
            read,
            log,
            // A counter of the work done.
            copied: _,
            // Whoever watches a state ends that, whatever comes of it.
            watched: _,
        } = self;
        for (id, row) in log.drain(to.changes..).rev() {
            if let Some(row) = row {
                rows[id] = row;
            }
        }
        read.get_mut().clear();
    }
}
