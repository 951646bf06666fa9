//! The schedule: which tensors are stored, which roots share a kernel, and in what order things happen.
//!
//! A *root* is a tensor (or a part of one) that some kernel computes element by element; everything between roots is
//! computed where it is used. Roots are grouped greedily, producers first: a root joins a group if both can run in the
//! same loops, if each value it reads from the group is one that the same iteration computes, and if nothing outside
//! stands between them.

mod domain;
mod fuse;
mod loop_vars;
mod materialize;
mod place;
pub mod verify;

pub use domain::{IterationDomain, Span, refine};
pub use fuse::{Group, Schedule, Unit, schedule};
pub(crate) use loop_vars::{At, flat_index, looked_up, shift, through_view};
pub use loop_vars::{LoopVars, Reads};
pub use materialize::{Root, RootKind, Roots, materialize};
pub(crate) use place::all_places;
pub use place::{Layout, Place, span};
