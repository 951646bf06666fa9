//! The modes of torch that `with` statements set: autograd, autocast, inference mode, the default device.
//!
//! A mode is one field here; its own module says what entering and leaving it put into the graph.

use super::{checkpoint::Speculative, value::ValueId};
use crate::host::{Ask, Host};
use fx::NodeId;
pub(in crate::trace) use fx::markers::SET_GRAD;
use guards::{ATTENTION_KERNELS, AttentionOrder};
use symshapes::{DType, Device, DeviceKind};

/// The node that enters autocast.
pub(in crate::trace) const ENTER_AUTOCAST: &str = "torch.amp.autocast_mode._enter_autocast";
/// The node that leaves autocast.
pub(in crate::trace) const EXIT_AUTOCAST: &str = "torch.amp.autocast_mode._exit_autocast";
/// The node that enters inference mode, or what suspends it.
pub(in crate::trace) const ENTER_INFERENCE: &str = "torch.autograd.grad_mode._enter_inference_mode";
/// The node that leaves it.
pub(in crate::trace) const EXIT_INFERENCE: &str = "torch.autograd.grad_mode._exit_inference_mode";

/// True if the target is a node that sets a mode.
pub(in crate::trace) fn sets_mode(target: &str) -> bool {
    matches!(target, SET_GRAD | ENTER_AUTOCAST | EXIT_AUTOCAST) || sets_inference(target) || sets_attention(target)
}

/// True if the target is a node that sets inference mode.
pub(in crate::trace) fn sets_inference(target: &str) -> bool {
    matches!(target, ENTER_INFERENCE | EXIT_INFERENCE)
}

/// The prefix of the functions that set the switches of [`ATTENTION_KERNELS`].
const SET_ATTENTION: &str = "torch._C._set_sdp_use_";

/// The function that sets the order in which attention's kernels are tried.
pub(in crate::trace) const SET_ATTENTION_ORDER: &str = "torch._C._set_sdp_priority_order";

/// The function that sets the switch of one of [`ATTENTION_KERNELS`].
pub(in crate::trace) fn attention_setter(kernel: usize) -> String {
    format!("{SET_ATTENTION}{}", ATTENTION_KERNELS[kernel])
}

/// True if the target is a node that sets one of the switches of [`ATTENTION_KERNELS`], or their order.
pub(in crate::trace) fn sets_attention(target: &str) -> bool {
    target.starts_with(SET_ATTENTION) || target == SET_ATTENTION_ORDER
}

/// The modes at the current instruction.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Modes {
    /// Whether autograd records.
    pub(in crate::trace) grad: bool,
    /// Autocast: the devices for which it is enabled, with their dtypes.
    pub(in crate::trace) autocast: Scoped<AutocastState, EnteredAutocast>,
    /// Inference mode.
    pub(in crate::trace) inference: Scoped<bool, EnteredInference>,
    /// The default device of factory functions.
    pub(in crate::trace) device: Option<Device>,
    /// Whether operators have to be deterministic, once the program has said so.
    pub(in crate::trace) deterministic: Option<Deterministic>,
    /// The switches of [`ATTENTION_KERNELS`] that the program has set.
    pub(in crate::trace) attention: [Option<Switch<bool>>; ATTENTION_KERNELS.len()],
    /// The order in which those kernels are tried, if the program has set it.
    pub(in crate::trace) attention_order: Option<Switch<AttentionOrder>>,
    /// Whether a graph break is an error.
    pub(in crate::trace) refuses_breaks: bool,
    /// The managers that are entered, the outermost first.
    pub(in crate::trace) entered: Vec<ValueId>,
    /// The autocasts that were entered before the trace began and that the program has left, in this order.
    pub(in crate::trace) left: Vec<ValueId>,
}

/// The mode of deterministic algorithms that the program has set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Deterministic {
    /// Whether they are refused.
    pub(in crate::trace) enabled: bool,
    /// Whether they warn instead.
    pub(in crate::trace) warn_only: bool,
}

/// A switch that the program has set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Switch<T> {
    /// Its position at the call.
    pub(in crate::trace) before: T,
    /// Its position now.
    pub(in crate::trace) now: T,
}

/// A mode, with its context managers that are active.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Scoped<S, E> {
    /// The current mode.
    pub(in crate::trace) current: S,
    /// The managers, the outermost first.
    pub(in crate::trace) entered: Vec<E>,
}

/// The devices for which autocast is enabled, with their dtypes.
pub(in crate::trace) type AutocastState = Vec<(DeviceKind, DType)>;

/// One that was entered: its node, and how it was before.
#[derive(Clone, Debug)]
pub(in crate::trace) struct EnteredAutocast {
    pub(in crate::trace) node: NodeId,
    pub(in crate::trace) before: AutocastState,
}

/// One that was entered: its node, and how it was before.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct EnteredInference {
    pub(in crate::trace) node: NodeId,
    pub(in crate::trace) inference: bool,
    pub(in crate::trace) grad: bool,
}

impl Modes {
    /// The modes in which the traced function is called.
    pub(in crate::trace) fn of_host(host: &dyn Host) -> Modes {
        Modes {
            grad: host.grad_enabled(),
            autocast: Scoped { current: host.autocast(), entered: Vec::new() },
            inference: Scoped { current: host.inference_mode(), entered: Vec::new() },
            device: host.default_device(),
            deterministic: None,
            attention: [None; ATTENTION_KERNELS.len()],
            attention_order: None,
            refuses_breaks: host.refuses_breaks(),
            entered: Vec::new(),
            left: Vec::new(),
        }
    }

    /// A question to torch under these modes.
    pub(in crate::trace) fn ask(&self, by_hints: bool) -> Ask {
        Ask {
            grad: self.grad,
            by_hints,
            leaves: true,
            attention: self.attention.map(|switch| switch.map(|switch| switch.now)),
            attention_order: self.attention_order.map(|order| order.now),
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
