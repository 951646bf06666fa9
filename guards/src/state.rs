//! Global state that guards cover, of the thread and of the libraries: one row per kind.

use crate::object::ObjectId;
use serde::{Deserialize, Serialize};
use symshapes::{DType, Device, DeviceKind};

/// A row of a table of guards' kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindRow {
    /// torch's name.
    pub name: &'static str,
    /// The cost of a check, compared with others: cheap checks are made first.
    pub cost: u8,
}

/// Declares the table of states: one row per kind.
macro_rules! states {
    ($($(#[$doc:meta])* $variant:ident ($payload:ty) $name:literal $field:literal;)*) => {
        /// Something global that was so when the program was compiled.
        #[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        pub enum GlobalState { $($(#[$doc])* $variant($payload),)* }

        impl GlobalState {
            /// Every row, in table order.
            pub const ROWS: &[KindRow] = &[$(KindRow { name: $name, cost: 0 }),*];

            /// The row of this kind.
            pub const fn row(&self) -> KindRow {
                match self { $(GlobalState::$variant(_) => KindRow { name: $name, cost: 0 },)* }
            }

            /// torch's name for it in a report that it changed.
            pub const fn field(&self) -> &'static str {
                match self { $(GlobalState::$variant(_) => $field,)* }
            }
        }
    };
}

states! {
    /// Whether operations record gradients.
    GradMode(bool) "GRAD_MODE" "grad_mode";
    /// Whether tensors are made that can never record gradients.
    InferenceMode(bool) "INFERENCE_MODE" "inference_mode";
    /// The devices that choose element types on their own.
    Autocast(Autocast) "AUTOCAST" "autocast";
    /// Whether operations have to give the same result each time.
    DeterministicAlgorithms(Deterministic) "DETERMINISTIC_ALGORITHMS" "deterministic_algorithms";
    /// The element type of what is made of Python floats.
    DefaultDType(DType) "DEFAULT_DTYPE" "default_dtype";
    /// The device that `torch.set_default_device` chose.
    DefaultDevice(Option<Device>) "DEFAULT_DEVICE" "default_device";
    /// The kernels of [`ATTENTION_KERNELS`] that attention may run in: each lays out its result in its own way.
    AttentionKernels([bool; ATTENTION_KERNELS.len()]) "ATTENTION_KERNELS" "attention_kernels";
    /// Whether the caller handles an exception, which is the context of what is raised.
    HandledException(bool) "HANDLED_EXCEPTION" "handled_exception";
    /// The number of times that the program has changed torch's classes of tensors.
    TensorClass(u64) "TENSOR_CLASS" "tensor_class";
    /// The number of threads that an operation may use.
    NumThreads(u32) "NUM_THREADS" "num_threads";
    /// The level of forward-mode differentiation; -1 outside.
    DualLevel(i64) "DUAL_LEVEL" "dual_level";
    /// The transforms of `torch.func` that are in force, outermost first, each as the caller names its state.
    FunctorchStack(Vec<String>) "FUNCTORCH_STACK_MATCH" "functorch_stack";
    /// The overrides of torch's functions that are in force.
    TorchFunction(TorchFunction) "TORCH_FUNCTION_STATE" "torch_function";
}

/// The kernels that `torch.nn.attention.sdpa_kernel` chooses among, as torch's switches name them.
pub const ATTENTION_KERNELS: [&str; 5] = ["flash", "mem_efficient", "math", "cudnn", "overrideable"];

/// The order in which torch tries the kernels of attention, by their numbers in `SDPBackend`.
pub type AttentionOrder = [i64; ATTENTION_KERNELS.len()];

/// The state of automatic mixed precision.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Autocast {
    /// The devices for which it is on, and the element type that it chooses there.
    pub enabled: Vec<(DeviceKind, DType)>,
    /// Whether cast weights are kept.
    pub cache: bool,
}

/// The demand for equal results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Deterministic {
    /// Whether it is made.
    pub enabled: bool,
    /// Whether failing it only warns.
    pub warn_only: bool,
}

/// The overrides of torch's functions (`__torch_function__`) that are in force.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct TorchFunction {
    /// Whether subclasses of tensors override them.
    pub subclasses: bool,
    /// The types of the modes in force, outermost first.
    pub modes: Vec<ObjectId>,
}

impl GlobalState {
    /// As torch's log of guards has it.
    pub fn text(&self) -> String {
        match self {
            GlobalState::DefaultDevice(_) => format!("utils_device.CURRENT_DEVICE == {}", self.value()),
            GlobalState::DualLevel(level) => format!("torch.autograd.forward_ad._current_level == {level}"),
            GlobalState::FunctorchStack(_) => {
                format!("torch._functorch.pyfunctorch.compare_functorch_state({})", self.value())
            }
            GlobalState::TorchFunction(_) => "___check_torch_function_mode_stack()".to_owned(),
            _ => format!("___check_global_state() against {{\"{}\":{}}}", self.field(), self.value()),
        }
    }

    /// The value alone.
    pub fn value(&self) -> String {
        match self {
            GlobalState::GradMode(on) | GlobalState::InferenceMode(on) | GlobalState::HandledException(on) => {
                on.to_string()
            }
            GlobalState::Autocast(autocast) => autocast.value(),
            GlobalState::DeterministicAlgorithms(Deterministic { enabled, warn_only }) => {
                format!("{enabled}{}", if *warn_only { " (warn only)" } else { "" })
            }
            GlobalState::DefaultDType(dtype) => format!("torch.{dtype}"),
            GlobalState::DefaultDevice(None) => "None".to_owned(),
            GlobalState::DefaultDevice(Some(device)) => crate::Constant::Device(*device).to_string(),
            GlobalState::AttentionKernels(enabled) => {
                let names = ATTENTION_KERNELS.iter().zip(enabled).filter(|(_, on)| **on).map(|(name, _)| name);
                format!("[{}]", pyrepr::comma_separated(names))
            }
            GlobalState::TensorClass(changes) => format!("{changes} changes"),
            GlobalState::NumThreads(n) => n.to_string(),
            GlobalState::DualLevel(level) => level.to_string(),
            GlobalState::FunctorchStack(states) => format!("[{}]", pyrepr::comma_separated(states)),
            GlobalState::TorchFunction(TorchFunction { subclasses, modes }) => {
                format!("subclasses {subclasses}, modes [{}]", pyrepr::comma_separated(modes))
            }
        }
    }
}

impl Autocast {
    fn value(&self) -> String {
        let enabled = self.enabled.iter().map(|&(kind, dtype)| format!("{} {dtype}", Device { kind, index: None }));
        format!("[{}] cached_enabled={}", pyrepr::comma_separated(enabled), self.cache)
    }
}
