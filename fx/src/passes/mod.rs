//! Passes over graphs. Each keeps the invariants of [`crate::verify`] and the meaning of the graph.
//!
//! The side effects of a node are for the caller to say: this crate's op tables know ATen, but a graph may call
//! anything.

mod common;
mod constants;
mod dead;
mod functionalize;
mod groups;
mod partition;
mod spell;

pub use common::{Effect, eliminate_common_subexpressions};
pub use constants::fold_constants;
pub use dead::eliminate_dead_code;
pub use functionalize::{Base, Functional, Given, NotFunctional, View, functionalize};
pub use partition::{Partition, Partitioning, partition};
pub use spell::spell_sizes;
