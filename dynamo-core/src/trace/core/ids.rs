//! The entities of a trace, and the result of a step of it.

use crate::reason::Reason;
pub(in crate::trace) use crate::value_id::ValueId;
use cranelift_entity::entity_impl;

/// The identity of a mutable object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::trace) struct StateId(u32);
entity_impl!(StateId, "state");

/// The result of a step of tracing, or the reason why it cannot go on.
pub(in crate::trace) type Traced<T = ValueId> = Result<T, Reason>;
