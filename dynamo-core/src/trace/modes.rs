//! The modes of torch that `with` statements set: autograd, autocast, inference mode, the default device.
//!
//! A mode is one field here; its own module says what entering and leaving it put into the graph.

use super::{autocast, checkpoint::Speculative, inference};
use crate::host::Host;
use symshapes::Device;

/// The modes that are on where the trace stands.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Modes {
    /// Whether autograd records.
    pub(in crate::trace) grad: bool,
    /// Which devices choose element types on their own.
    pub(in crate::trace) autocast: Scoped<autocast::State, autocast::Entered>,
    /// Whether tensors are made that can never record gradients.
    pub(in crate::trace) inference: Scoped<bool, inference::Entered>,
    /// The device on which tensors are made when the program names none.
    pub(in crate::trace) device: Option<Device>,
}

/// A mode, with the context managers of it that were entered and not left.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Scoped<S, E> {
    /// The mode as it is now.
    pub(in crate::trace) current: S,
    /// The managers, the outermost first.
    pub(in crate::trace) entered: Vec<E>,
}

impl Modes {
    /// The modes in which the traced function is called.
    pub(in crate::trace) fn of_host(host: &dyn Host) -> Modes {
        Modes {
            grad: host.grad_enabled(),
            autocast: Scoped { current: host.autocast(), entered: Vec::new() },
            inference: Scoped { current: host.inference_mode(), entered: Vec::new() },
            device: host.default_device(),
        }
    }
}

impl Speculative for Modes {
    type Checkpoint = Modes;

    fn checkpoint(&self) -> Modes {
        self.clone()
    }

    fn rollback(&mut self, to: Modes) {
        *self = to;
    }
}
