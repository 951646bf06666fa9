//! The tracked values, where each is read from, and which objects of the caller's they stand for.

use super::{
    checkpoint::Speculative,
    state::StateId,
    value::{Value, ValueId},
};
use crate::host::Obj;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, packed_option::PackedOption};
use guards::SourceId;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A hash table in the order of insertion: truncating it takes back what came last.
type Log<K, V> = IndexMap<K, V, FxBuildHasher>;

/// What the program has given to a function that it has made.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct FunctionAttrs {
    /// Its `__dict__`.
    pub(in crate::trace) dict: ValueId,
    /// A dict of its other attributes, as far as they were written or read.
    pub(in crate::trace) own: ValueId,
}

/// Tracked values and the objects that were looked at.
#[derive(Default)]
pub(in crate::trace) struct ObjectTable {
    /// All tracked values.
    pub(in crate::trace) values: PrimaryMap<ValueId, Value>,
    /// How each is read from the running program, if it can be.
    pub(in crate::trace) source_of: SecondaryMap<ValueId, PackedOption<SourceId>>,
    /// What lazy values turned out to be.
    pub(in crate::trace) forced: Log<ValueId, ValueId>,
    /// The values of the objects that were looked at.
    pub(in crate::trace) known: Log<Obj, ValueId>,
    /// The dicts of functions' global variables that were looked at, perhaps in vain.
    pub(in crate::trace) scopes: Vec<Obj>,
    /// Other dicts that were looked at, perhaps in vain.
    pub(in crate::trace) dicts: FxHashSet<Obj>,
    /// The dicts in which objects and modules that were looked at keep their attributes.
    pub(in crate::trace) held: FxHashSet<Obj>,
    /// Cells of the caller's, and where each was found.
    pub(in crate::trace) cells: Vec<(Obj, SourceId)>,
    /// What objects of the caller's hold whose classes come from dict or list.
    pub(in crate::trace) bases: FxHashMap<Obj, ValueId>,
    /// Where such objects are, and the class of Python's own whose `__getitem__` reads their items.
    pub(in crate::trace) raw_items: FxHashMap<SourceId, &'static str>,
    /// The objects of frozen sets: the values know no order.
    pub(in crate::trace) frozen: FxHashMap<ValueId, Obj>,
    /// The attributes of functions that the program has made.
    pub(in crate::trace) function_attrs: FxHashMap<ValueId, FunctionAttrs>,
    /// The attributes that the program has written.
    pub(in crate::trace) slots: Vec<(Obj, String, StateId)>,
}

impl ObjectTable {
    /// Forgets which lazy numbers the graph's nodes from this one on give, which are dropped.
    pub(in crate::trace) fn forget_results(&mut self, nodes: usize) {
        let values = &self.values;
        self.forced.retain(|_, forced| values[*forced].node().is_none_or(|node| node.index() < nodes));
    }
}

/// How much there was of each.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct ObjectCheckpoint {
    values: usize,
    forced: usize,
    known: usize,
    cells: usize,
    slots: usize,
}

impl Speculative for ObjectTable {
    type Checkpoint = ObjectCheckpoint;

    fn checkpoint(&self) -> ObjectCheckpoint {
        ObjectCheckpoint {
            values: self.values.len(),
            forced: self.forced.len(),
            known: self.known.len(),
            cells: self.cells.len(),
            slots: self.slots.len(),
        }
    }

    fn rollback(&mut self, to: ObjectCheckpoint) {
        let ObjectTable {
            // An arena: without the entries below, nothing leads to the values that are dropped.
            values: _,
            source_of: _,
            forced,
            known,
            // They say which objects share a dict, which stays so, and are read only where another object is looked at.
            scopes: _,
            dicts: _,
            held: _,
            cells,
            bases,
            // A fact of the object at a source, whoever reads it.
            raw_items: _,
            frozen,
            function_attrs,
            slots,
        } = self;
        forced.truncate(to.forced);
        known.truncate(to.known);
        cells.truncate(to.cells);
        // What is held was tracked when it was found.
        bases.retain(|_, held| held.index() < to.values);
        frozen.retain(|value, _| value.index() < to.values);
        function_attrs.retain(|value, _| value.index() < to.values);
        slots.truncate(to.slots);
    }
}
