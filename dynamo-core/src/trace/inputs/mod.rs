//! Objects of the running program: what is guarded of them.
//!
//! - `wrap`: what an object is, looked at when it is first used; `view_guards`: the guards that make the look hold;
//! - `symbolic`: tensors and numbers that are inputs of the graph; `dict_keys`: which keys of dicts were asked for;
//! - `aliasing`: which objects have to stay two.

pub(in crate::trace) mod aliasing;
pub(in crate::trace) mod dict_keys;
pub(in crate::trace) mod symbolic;
pub(in crate::trace) mod view_guards;
pub(in crate::trace) mod wrap;
