//! Speculation: what a trace has recorded is taken back when an instruction cannot be traced.
//!
//! Each sub-structure of the tracer implements [`Speculative`], and takes itself apart in `rollback` without `..`, so
//! that a new field does not compile until somebody has decided whether it is taken back, or why it may stay.

/// State of a trace of which everything since a checkpoint can be taken back.
pub(in crate::trace) trait Speculative {
    /// What has to be kept for that: lengths of what only grows, copies of what is small.
    type Checkpoint;

    /// A point to return to.
    fn checkpoint(&self) -> Self::Checkpoint;

    /// Takes back everything since the checkpoint.
    fn rollback(&mut self, to: Self::Checkpoint);
}
