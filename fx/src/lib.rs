//! The FX graph IR.

pub mod arg;
pub mod aten;
pub mod graph;
pub mod interp;
pub mod prim;
pub mod scalar;

pub use arg::Arg;
pub use graph::{Graph, Kind, Meta, Node, NodeId, TensorMeta};
pub use scalar::Scalar;
