//! The numbers of tracked values, by which reasons and the tracer refer to them.

use cranelift_entity::entity_impl;

/// A tracked value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ValueId(u32);
entity_impl!(ValueId, "v");
