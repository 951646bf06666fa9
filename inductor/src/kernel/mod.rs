//! From a group of roots to a loop-IR kernel.
//!
//! Three steps: the domain's axes are split where views divide them and merged where nothing tells them apart
//! (`nest`); a loop nest is chosen, with the parallel and the vector axis; then the roots' expressions are written
//! into it, each value as far out as its operands allow (`emit`, `scope`); the finished kernel takes its
//! expressions into a pool of its own (`compact`).
//! Groups of one form (`form`) have one kernel.

mod bounds;
mod compact;
mod emit;
mod form;
mod nest;
mod scope;

pub use emit::{Arg, Built, build};
pub use form::{Form, Tensors};
