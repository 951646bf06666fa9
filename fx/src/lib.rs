//! The FX graph IR.

pub mod arg;
pub mod aten;
pub mod graph;
pub mod interp;
pub mod json;
mod names;
pub mod infer;
pub mod prim;
pub mod target;
pub mod verify;
pub mod scalar;

pub use arg::Arg;
pub use graph::{Graph, InUse, Kind, Meta, Node, NodeId, TensorMeta, Users};
pub use scalar::Scalar;
