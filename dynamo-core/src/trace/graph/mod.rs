//! What the traced program does with tensors, as nodes of the graph.
//!
//! - `emit`: calls of torch become nodes, of which the metadata is known;
//! - `may_raise`: calls that may raise when the graph runs, and what becomes of the program then.

pub(in crate::trace) mod emit;
pub(in crate::trace) mod may_raise;
