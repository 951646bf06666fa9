//! The FX graph IR: graphs of calls, as `torch.fx` has them, in Rust.
//!
//! [`Graph`] is an arena of [`Node`]s in program order; [`Arg`] is what a node is called with. Graphs print and parse
//! as [`text`], print as `torch.fx` prints them (`Display`, [`Graph::tabular`], [`Graph::python_code`]), and are stored
//! as [`json`]. [`verify`] lists the invariants, [`passes`] keep them.
//!
//! Invariant: this crate knows no Python interpreter, no tensor library and no device.

pub mod arg;
pub mod aten;
pub mod composites;
pub mod custom_gradient;
pub mod effects;
pub mod graph;
pub mod infer;
pub mod json;
mod listing;
pub mod markers;
mod names;
mod node;
pub mod passes;
pub mod pending;
pub mod prim;
pub mod python;
pub mod scalar;
mod shown;
pub mod symbols;
mod tabular;
pub mod target;
pub mod text;
pub mod torch_ops;
pub mod verify;

pub use arg::Arg;
pub use graph::{Graph, InUse, Kind, Meta, Node, NodeId, Users};
pub use python::is_in_place;
pub use scalar::Scalar;
pub use symshapes::TensorMeta;
pub use target::Target;
