//! The exceptions of the traced program: the one on its way, the one that is handled, and those that were raised.

use super::{checkpoint::Speculative, value::ValueId};

/// The exceptions that a trace has to do with.
#[derive(Default)]
pub(in crate::trace) struct Exceptions {
    /// The exception on its way to a handler.
    pub(in crate::trace) raising: Option<ValueId>,
    /// The exception that is being handled.
    pub(in crate::trace) handled: Option<ValueId>,
    /// The exceptions that were raised, and so have a history that no code gives them again.
    pub(in crate::trace) raised: Vec<ValueId>,
    /// Whether a handler sees what the current instruction raises.
    pub(in crate::trace) watched: bool,
}

/// Which exception was handled, and how many had been raised.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct ExceptionCheckpoint {
    handled: Option<ValueId>,
    raised: usize,
}

impl Speculative for Exceptions {
    type Checkpoint = ExceptionCheckpoint;

    fn checkpoint(&self) -> ExceptionCheckpoint {
        ExceptionCheckpoint { handled: self.handled, raised: self.raised.len() }
    }

    fn rollback(&mut self, to: ExceptionCheckpoint) {
        let Exceptions {
            raising,
            handled,
            raised,
            // Set anew for each instruction, and set back after it.
            watched: _,
        } = self;
        // Between instructions of the traced function none is on its way.
        *raising = None;
        *handled = to.handled;
        raised.truncate(to.raised);
    }
}
