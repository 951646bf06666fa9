//! The state of a trace, on which everything else stands.
//!
//! - `ids`: the identities of values and of states; `value`: tracked values; `state`, `heap`: what Python can change of
//!   them; `context`, `lazy`: the state of context managers and of `itertools`; `frame`: a frame of the traced program;
//! - `tracer`: the whole state, in sub-structures: `object_table`, `heap`, `recording` with `lowered` and `casts`,
//!   `shapes`, `guard_list`, `modes`, `call_stack`, `exceptions`;
//! - `checkpoint`: the trait by which each takes itself back.
//!
//! Invariant: nothing here imports another layer, but for the options.

pub(in crate::trace) mod call_stack;
pub(in crate::trace) mod casts;
pub(in crate::trace) mod checkpoint;
pub(in crate::trace) mod composites;
pub(in crate::trace) mod context;
pub(in crate::trace) mod exceptions;
pub(in crate::trace) mod frame;
pub(in crate::trace) mod guard_list;
pub(in crate::trace) mod heap;
pub(in crate::trace) mod ids;
pub(in crate::trace) mod lazy;
pub(in crate::trace) mod lowered;
pub(in crate::trace) mod modes;
pub(in crate::trace) mod object_table;
pub(in crate::trace) mod recording;
pub(in crate::trace) mod shapes;
pub(in crate::trace) mod state;
pub(in crate::trace) mod tracer;
pub(in crate::trace) mod value;
