//! Checkpoint and rollback of speculative state.
//!
//! Each sub-structure of the tracer implements [`Speculative`]. Its `rollback` destructures `self` exhaustively,
//! without `..`: a field that is added does not compile until `rollback` either restores it or says why it survives.

/// State that can be rolled back to a checkpoint.
pub(in crate::trace) trait Speculative {
    /// The contents of a checkpoint: lengths of append-only tables, copies of small values.
    type Checkpoint;

    /// A checkpoint of the state as it is now.
    fn checkpoint(&self) -> Self::Checkpoint;

    /// Restores the state at the checkpoint.
    fn rollback(&mut self, to: Self::Checkpoint);
}
