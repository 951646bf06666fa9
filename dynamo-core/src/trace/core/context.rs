//! Context managers: what is known of each, from its making to its end.

use super::value::ValueId;
use symshapes::{DType, Device, DeviceKind};

/// A context manager.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Context {
    /// One that says whether autograd records.
    Grad(Grad),
    /// `inference_mode`
    Inference(Inference),
    /// `autocast`
    Autocast(Autocast),
    /// A device.
    Device(Placed),
    /// One that does nothing, and what `as` binds: `nullcontext`, and what only profilers see.
    Null(Option<ValueId>),
    /// A profiler of this class, made without arguments.
    Profiler(&'static str),
    /// `suppress` of these classes of exceptions.
    Suppress(Vec<ValueId>),
    /// `closing` of this.
    Closing(ValueId),
    /// `ExitStack`: the stack.
    Stack(ValueId),
    /// A generator between its first and its last step: `contextmanager`.
    Generator(ValueId),
}

/// A context manager that says whether autograd records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Grad {
    /// Whether it records inside.
    pub(in crate::trace) inside: bool,
    /// Whether it records after leaving it, once that is known.
    pub(in crate::trace) after: bool,
    /// Which class it is of.
    pub(in crate::trace) class: Class,
}

/// The classes of such context managers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Class {
    /// `no_grad`
    Never,
    /// `enable_grad`
    Always,
    /// `set_grad_enabled`, which sets the mode when it is made.
    Given,
}

/// A context manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Inference {
    /// Whether the mode is on inside.
    pub(in crate::trace) enabled: bool,
    /// Whether autograd records after leaving it, once that is known.
    pub(in crate::trace) grad_after: bool,
}

/// A context manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Autocast {
    /// The kind of device whose tensors are converted.
    pub(in crate::trace) device: DeviceKind,
    /// The element type.
    pub(in crate::trace) dtype: DType,
    /// Whether it is on inside.
    pub(in crate::trace) enabled: bool,
    /// Whether converted weights are kept; as it is outside if nothing is said.
    pub(in crate::trace) cache: Option<bool>,
}

/// A context manager that was entered, or is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Placed {
    /// Where tensors are made inside.
    pub(in crate::trace) device: Device,
    /// Where they are made after leaving it, if that is said.
    pub(in crate::trace) after: Option<Device>,
}
