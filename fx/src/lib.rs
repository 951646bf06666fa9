//! The FX graph IR.

pub mod arg;
pub mod graph;
pub mod prim;

pub use arg::Arg;
pub use graph::{Graph, Kind, Meta, Node, NodeId, TensorMeta};
