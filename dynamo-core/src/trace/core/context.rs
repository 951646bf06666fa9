//! Context managers: what is known of each, from its making to its end.

use super::ids::ValueId;
use symshapes::{DType, Device, DeviceKind};

/// The dotted name of the class of autocast's managers.
pub(in crate::trace) const AUTOCAST: &str = "torch.amp.autocast_mode.autocast";
/// The dotted name of the class of inference mode's.
pub(in crate::trace) const INFERENCE: &str = "torch.autograd.grad_mode.inference_mode";
/// The dotted name of the function that makes graph breaks errors.
pub(in crate::trace) const BREAKS: &str = "torch._dynamo.decorators.error_on_graph_break";
/// The dotted name of the class of stacks of managers.
pub(in crate::trace) const EXIT_STACK: &str = "contextlib.ExitStack";

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
    /// `torch._dynamo.error_on_graph_break`
    Breaks(Breaks),
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
    /// Its class.
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
pub(in crate::trace) struct Breaks {
    /// Whether a graph break inside is an error.
    pub(in crate::trace) refused: bool,
    /// Whether one after leaving it is.
    pub(in crate::trace) after: bool,
}

/// A context manager that was entered, or is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Placed {
    /// The device on which tensors are made inside.
    pub(in crate::trace) device: Device,
    /// The device on which tensors are made after leaving it, if one is set.
    pub(in crate::trace) after: Option<Device>,
}

impl Context {
    /// A word for it.
    pub(in crate::trace) fn name(&self) -> &'static str {
        match self {
            Context::Grad(grad) => grad.class.name(),
            Context::Inference(_) => INFERENCE,
            Context::Autocast(_) => AUTOCAST,
            Context::Device(_) => "torch.device",
            Context::Breaks(_) => BREAKS,
            Context::Null(_) => "contextlib.nullcontext",
            Context::Profiler(class) => class,
            Context::Suppress(_) => "contextlib.suppress",
            Context::Closing(_) => "contextlib.closing",
            Context::Stack(_) => EXIT_STACK,
            Context::Generator(_) => "contextlib.contextmanager",
        }
    }
}

impl Class {
    const ROWS: [(Class, &'static str); 3] = [
        (Class::Never, "torch.autograd.grad_mode.no_grad"),
        (Class::Always, "torch.autograd.grad_mode.enable_grad"),
        (Class::Given, "torch.autograd.grad_mode.set_grad_enabled"),
    ];

    /// Its dotted name.
    pub(in crate::trace) fn name(self) -> &'static str {
        Class::ROWS.iter().find(|(class, _)| *class == self).map_or("", |&(_, name)| name)
    }

    /// The class of this dotted name.
    pub(in crate::trace) fn named(name: &str) -> Option<Class> {
        Class::ROWS.iter().find(|(_, known)| *known == name).map(|&(class, _)| class)
    }
}

/// True for `__exit__` of a manager that was entered before the trace began, by its dotted name, if it does the same
/// whether an exception comes by or not.
pub(in crate::trace) fn is_deaf_method(method: &str) -> bool {
    let class = method.strip_suffix(".__exit__").unwrap_or_default();
    matches!(class, "contextlib.nullcontext" | AUTOCAST) || Class::named(class).is_some()
}
