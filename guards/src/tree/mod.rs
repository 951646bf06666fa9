//! Guards, arranged so that each object is read once.
//!
//! A tree is arrays: the guards in the order in which they are made, and the nodes, each an object to be read from
//! another one, with the range of its guards. The order is: guards on global state; the nodes, bases before what is
//! read from them, the guards of a node cheapest first; the guards that look at several sources.
//!
//! Invariants:
//! - A node reads from registers that nodes before it fill.
//! - A register is filled by one node. Only what is needed after its own guards has a register, and what a dict gives
//!   in a pass together with its keys (see `entries`), unless each of its values is needed for its own guards alone.
//! - The nodes of values that are needed for their own guards alone (leaves) follow the node of their dict.
//! - A node has guards, or something is read from it, or a guard on several sources needs it.
//!
//! Absent on purpose: what an object is. See [`Objects`](crate::Objects).

mod build;
mod check;
mod entries;
mod explain;
mod order;
mod print;
mod redundant;
mod residual;
mod snapshot;
mod stability;

pub use build::GuardError;
pub use explain::Failure;
pub use snapshot::{SealState, Snapshot, Validation, VersionTags};
pub use stability::Stability;

use crate::{
    guard::Guard,
    objects::DictId,
    source::{Root, SourceId, Step, TensorProperty},
    sources::Sources,
    tensor::TensorGuardId,
};
use cranelift_entity::{PrimaryMap, entity_impl, packed_option::PackedOption};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};
use std::{ops::Range, sync::Arc};

/// An object to be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);
entity_impl!(NodeId, "node");

/// A register, which keeps an object that is needed again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Reg(u32);
entity_impl!(Reg, "r");

/// A part of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Span {
    first: u32,
    last: u32,
}

/// The guards of one compiled program. It is stored as its sources and guards, and arranged again when it is read back.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "Stored")]
pub struct GuardTree {
    sources: Arc<Sources>,
    guards: Arc<[Guard]>,
    states: Span,
    nodes: PrimaryMap<NodeId, Node>,
    passes: PrimaryMap<DictId, Pass>,
    /// The values of dicts that have leaves, those of a dict in the order of their nodes.
    leaves: Vec<Leaf>,
    /// The number of registers that the nodes fill.
    registers: usize,
    joints: Vec<Joint>,
    /// The registers that the joints on distinct objects compare.
    compared: Vec<Reg>,
    /// The numbers that the joints on shapes read.
    numbers: Vec<NumberSource>,
}

/// An object to be read, and what is checked of it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Node {
    source: SourceId,
    read: Read,
    keep: bool,
    /// The pass that reads its values, if they are read together with its keys.
    pass: PackedOption<DictId>,
    guards: Span,
}

/// A pass over a dict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pass {
    /// The guard on the keys.
    keys: u32,
    /// Whether each value has a register, before the dict itself.
    keep: bool,
    leaves: Span,
}

/// A value that is needed for its own guards alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Leaf {
    /// Its place in the dict.
    place: u32,
    /// Its tensor guard, if that is its one guard. Else its node has its guards.
    tensor: PackedOption<TensorGuardId>,
}

/// The ways in which an object is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Read {
    /// From the frame.
    Root(Root),
    /// From another object.
    Step(Reg, Step),
    /// From another object by the object that is its key.
    ItemOf(Reg, Reg),
    /// It is in a register, since the keys of the dict that has it were checked; of a leaf, if a guard of it fails.
    Entry(Reg),
}

/// A guard that looks at several objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Joint {
    guard: u32,
    check: JointCheck,
}

/// The kinds of check that such a guard makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JointCheck {
    /// The registers hold one object.
    Same(Reg, Reg),
    /// The registers, a part of `compared`, hold different objects.
    Distinct(Span),
    /// The numbers, a part of `numbers`, pass the guard's program.
    Shapes(Span),
}

/// A number to be read from an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct NumberSource {
    source: SourceId,
    from: Reg,
    number: Number,
}

/// The kinds of number that are read from an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Int,
    Float,
    Property(TensorProperty),
}

/// A place in an array.
fn index(at: usize) -> u32 {
    u32::try_from(at).expect("a tree has fewer than 2**32 parts")
}

impl Span {
    fn new(first: usize, last: usize) -> Span {
        Span { first: index(first), last: index(last) }
    }

    fn range(self) -> Range<usize> {
        self.first as usize..self.last as usize
    }

    fn len(self) -> u32 {
        self.last - self.first
    }
}

impl GuardTree {
    /// The sources that the guards mention.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The guards, in the order in which they are made.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// The number of dicts that are read in one pass; they are numbered from 0.
    pub fn dicts(&self) -> usize {
        self.passes.len()
    }

    /// The number of objects that a passing check reads one by one: values that are read together with keys do not
    /// count.
    pub fn reads(&self) -> usize {
        self.nodes.values().filter(|node| !matches!(node.read, Read::Entry(_))).count()
    }
}

/// The serialized form of a tree.
#[derive(Deserialize)]
struct Stored {
    sources: Sources,
    guards: Vec<Guard>,
}

impl TryFrom<Stored> for GuardTree {
    type Error = GuardError;

    fn try_from(stored: Stored) -> Result<GuardTree, GuardError> {
        GuardTree::new(stored.sources, stored.guards)
    }
}

impl Serialize for GuardTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_struct("GuardTree", 2)?;
        stored.serialize_field("sources", self.sources())?;
        stored.serialize_field("guards", self.guards())?;
        stored.end()
    }
}
