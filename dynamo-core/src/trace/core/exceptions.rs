//! The exception state of the traced program, as `PyThreadState` has it.

use super::{checkpoint::Speculative, value::ValueId};

/// The cause and context of an exception since it was raised last.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Link {
    pub(in crate::trace) exception: ValueId,
    /// The exception, or `None`, that stands after `from`, if it was ever there.
    pub(in crate::trace) cause: Option<ValueId>,
    pub(in crate::trace) context: Option<ValueId>,
}

/// The exceptions of the traced program.
#[derive(Default)]
pub(in crate::trace) struct Exceptions {
    /// The exception that is propagating to a handler.
    pub(in crate::trace) raising: Option<ValueId>,
    /// The exception that is being handled (`exc_info`).
    pub(in crate::trace) handled: Option<ValueId>,
    /// The exceptions that were raised: generated code cannot rebuild their tracebacks and contexts.
    pub(in crate::trace) raised: Vec<ValueId>,
    /// The causes and contexts of the raised ones.
    pub(in crate::trace) chain: Vec<Link>,
    /// Whether the current instruction is covered by an exception handler, in any frame.
    pub(in crate::trace) watched: bool,
}

/// The exception being handled, and how many were raised.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct ExceptionCheckpoint {
    handled: Option<ValueId>,
    raised: usize,
    chain: usize,
}

impl Speculative for Exceptions {
    type Checkpoint = ExceptionCheckpoint;

    fn checkpoint(&self) -> ExceptionCheckpoint {
        ExceptionCheckpoint { handled: self.handled, raised: self.raised.len(), chain: self.chain.len() }
    }

    fn rollback(&mut self, to: ExceptionCheckpoint) {
        let Exceptions {
            raising,
            handled,
            raised,
            chain,
            // Set for each instruction, and restored after it.
            watched: _,
        } = self;
        // No exception is propagating between instructions of the root frame.
        *raising = None;
        *handled = to.handled;
        raised.truncate(to.raised);
        chain.truncate(to.chain);
    }
}
