//! The tracked values, where each is read from, and which objects of the caller's they stand for.

use super::{
    checkpoint::Speculative,
    state::{Key, StateId},
    value::{Value, ValueId},
};
use crate::host::Obj;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, packed_option::PackedOption};
use guards::{Constant, SourceId, StrId};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A hash table that keeps insertion order, so that truncation rolls it back.
type Log<K, V> = IndexMap<K, V, FxBuildHasher>;

/// The attributes of a function or a partial that the program has made.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct MadeAttrs {
    /// Its `__dict__`.
    pub(in crate::trace) dict: ValueId,
    /// A dict of its other attributes, as far as they were written or read.
    pub(in crate::trace) own: ValueId,
}

/// A class that the program has made by a call of a function of the standard library with constants.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::trace) struct MadeClass {
    /// The value.
    pub(in crate::trace) class: ValueId,
    /// The function, by its dotted name.
    pub(in crate::trace) function: &'static str,
    /// Its arguments.
    pub(in crate::trace) args: Vec<Constant>,
    /// Its keyword arguments.
    pub(in crate::trace) keywords: Vec<(String, Constant)>,
}

/// An object that a `__hash__` of the program's has hashed.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Hashed {
    /// The object.
    pub(in crate::trace) value: ValueId,
    /// Its hash.
    pub(in crate::trace) hash: i64,
    /// The key that it is, which is also that of its equals.
    pub(in crate::trace) key: Key,
}

/// Tracked values and the objects that were looked at.
#[derive(Default)]
pub(in crate::trace) struct ObjectTable {
    /// All tracked values.
    pub(in crate::trace) values: PrimaryMap<ValueId, Value>,
    /// The source of each, if it can be read from the running program.
    pub(in crate::trace) source_of: SecondaryMap<ValueId, PackedOption<SourceId>>,
    /// The values that had no source when they were realized, and have been given one since.
    pub(in crate::trace) found_late: Vec<ValueId>,
    /// The realized value of each lazy value that was forced.
    pub(in crate::trace) forced: Log<ValueId, ValueId>,
    /// The tracked value of each object that was realized.
    pub(in crate::trace) known: Log<Obj, ValueId>,
    /// Whether the program may have dropped the last reference to an object that was there when the trace began.
    pub(in crate::trace) may_be_dropped: bool,
    /// Whether the program has made weak references to objects of its own.
    pub(in crate::trace) has_weak_references: bool,
    /// The local variables of the traced frame that may no longer hold what the caller gave them.
    pub(in crate::trace) dropped_locals: FxHashSet<StrId>,
    /// The classes that the program has made: each call makes another one.
    pub(in crate::trace) made_classes: Log<Obj, MadeClass>,
    /// `__globals__` of the traced function, then of those that were realized, also where that failed.
    pub(in crate::trace) scopes: Vec<Obj>,
    /// Other dicts that were realized, also where that failed.
    pub(in crate::trace) dicts: FxHashSet<Obj>,
    /// `__dict__` of the objects and modules that were realized.
    pub(in crate::trace) held: FxHashSet<Obj>,
    /// Closure cells of the running program, each with its first source.
    pub(in crate::trace) cells: Vec<(Obj, SourceId)>,
    /// The dict or list contents of objects whose classes derive from `dict` or `list`.
    pub(in crate::trace) bases: FxHashMap<Obj, ValueId>,
    /// The sources of such objects, with the builtin class whose `__getitem__` reads their items.
    pub(in crate::trace) raw_items: FxHashMap<SourceId, &'static str>,
    /// The objects behind frozen sets: a constant has lost their iteration order.
    pub(in crate::trace) frozen: FxHashMap<ValueId, Obj>,
    /// The items of frozen sets that are no constants.
    pub(in crate::trace) frozen_items: FxHashMap<Obj, Vec<ValueId>>,
    /// The attributes of functions and partials that the program has made.
    pub(in crate::trace) made_attrs: FxHashMap<ValueId, MadeAttrs>,
    /// Objects, with a copy of their `__dict__` that a view or an iterator goes over, and that changes as they do.
    pub(in crate::trace) dict_copies: Vec<(ValueId, StateId)>,
    /// The objects that a `__hash__` of the program's has hashed.
    pub(in crate::trace) hashed: Vec<Hashed>,
    /// The slots of attributes and global variables that the program has written.
    pub(in crate::trace) slots: Vec<(Obj, String, StateId)>,
    /// The dicts in which a global variable that is written was looked up, and where they are.
    pub(in crate::trace) looked_up: Vec<(Obj, String, SourceId)>,
}

impl ObjectTable {
    /// Removes the lazy values that were forced to results of dropped nodes: those from this number on.
    pub(in crate::trace) fn forget_results(&mut self, nodes: usize) {
        let values = &self.values;
        self.forced.retain(|_, forced| values[*forced].node().is_none_or(|node| node.index() < nodes));
    }
}

/// The lengths of the tables.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct ObjectCheckpoint {
    values: usize,
    found_late: usize,
    forced: usize,
    known: usize,
    made_classes: usize,
    cells: usize,
    dict_copies: usize,
    hashed: usize,
    slots: usize,
    looked_up: usize,
}

impl Speculative for ObjectTable {
    type Checkpoint = ObjectCheckpoint;

    fn checkpoint(&self) -> ObjectCheckpoint {
        ObjectCheckpoint {
            values: self.values.len(),
            found_late: self.found_late.len(),
            forced: self.forced.len(),
            known: self.known.len(),
            made_classes: self.made_classes.len(),
            cells: self.cells.len(),
            dict_copies: self.dict_copies.len(),
            hashed: self.hashed.len(),
            slots: self.slots.len(),
            looked_up: self.looked_up.len(),
        }
    }

    fn rollback(&mut self, to: ObjectCheckpoint) {
        let ObjectTable {
            // Append-only arenas: once the tables below are rolled back, nothing refers to the newer values.
            values: _,
            source_of,
            found_late,
            forced,
            known,
            // Never too often: they refuse what would be certain otherwise.
            may_be_dropped: _,
            dropped_locals: _,
            // What is noted then for nothing does no harm.
            has_weak_references: _,
            made_classes,
            // Facts about which objects share a dict. They are read where an object is realized, to reject aliases.
            scopes: _,
            dicts: _,
            held: _,
            cells,
            bases,
            // A fact about the object at a source, independent of the trace.
            raw_items: _,
            // What such a set holds, always.
            frozen_items: _,
            frozen,
            made_attrs,
            dict_copies,
            hashed,
            slots,
            looked_up,
        } = self;
        for value in found_late.drain(to.found_late..) {
            source_of[value] = None.into();
        }
        forced.truncate(to.forced);
        known.truncate(to.known);
        made_classes.truncate(to.made_classes);
        cells.truncate(to.cells);
        // An entry was inserted together with its value.
        bases.retain(|_, held| held.index() < to.values);
        frozen.retain(|value, _| value.index() < to.values);
        made_attrs.retain(|_, attrs| attrs.own.index() < to.values);
        dict_copies.truncate(to.dict_copies);
        hashed.truncate(to.hashed);
        slots.truncate(to.slots);
        looked_up.truncate(to.looked_up);
    }
}
