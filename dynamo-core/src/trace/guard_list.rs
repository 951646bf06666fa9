//! What has to hold for a trace to be used again, but for what the shape environment has recorded.

use super::{
    checkpoint::Speculative,
    dicts::{Asked, AskedCheckpoint},
};
use guards::{Guard, SourceId};

/// The guards, and what guards are made of at the end of the trace.
#[derive(Default)]
pub(in crate::trace) struct GuardList {
    /// The guards so far.
    pub(in crate::trace) emitted: Vec<Guard>,
    /// What the program has asked of dicts of the caller's.
    pub(in crate::trace) asked: Asked,
    /// The objects of the caller's that are keys: no two of them may be one.
    pub(in crate::trace) keyed: Vec<SourceId>,
}

/// How much there was of each.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct GuardCheckpoint {
    emitted: usize,
    asked: AskedCheckpoint,
    keyed: usize,
}

impl Speculative for GuardList {
    type Checkpoint = GuardCheckpoint;

    fn checkpoint(&self) -> GuardCheckpoint {
        GuardCheckpoint { emitted: self.emitted.len(), asked: self.asked.checkpoint(), keyed: self.keyed.len() }
    }

    fn rollback(&mut self, to: GuardCheckpoint) {
        let GuardList { emitted, asked, keyed } = self;
        emitted.truncate(to.emitted);
        asked.rollback(to.asked);
        keyed.truncate(to.keyed);
    }
}
