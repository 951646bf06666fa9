//! The tensor operations of the traced program, as nodes of the graph.
//!
//! - `emit`: calls of torch become nodes, of which the metadata is known;
//! - `in_place`: calls that change a tensor, and give it back;
//! - `leaves`: parameters, and why the program makes none in a graph;
//! - `may_raise`: calls that may raise when the graph runs, and what becomes of the program then;
//! - `region`: bodies of higher-order operators, which become graphs of their own.

pub(in crate::trace) mod emit;
mod in_place;
mod leaves;
pub(in crate::trace) mod may_raise;
pub(in crate::trace) mod region;
