//! The global state that guards look at, as it is now.

use super::tensor_class;
use crate::torch::{Overrides, Torch};
use guards::{ATTENTION_KERNELS, Autocast, Deterministic, GlobalState};
use pyo3::{intern, prelude::*};
use symshapes::DType;

/// The global state of the kind of another one; `None` for kinds that are not read.
pub(super) fn current_state(py: Python<'_>, torch: &Torch, kind: &GlobalState) -> Option<GlobalState> {
    Some(match kind {
        GlobalState::GradMode(_) => GlobalState::GradMode(torch.grad_mode(py).ok()?),
        GlobalState::InferenceMode(_) => GlobalState::InferenceMode(torch.inference_mode(py).ok()?),
        GlobalState::DefaultDType(_) => GlobalState::DefaultDType(torch.default_dtype(py).ok()??),
        GlobalState::Autocast(_) => GlobalState::Autocast(Autocast { enabled: torch.autocast(py).ok()??, cache: true }),
        GlobalState::DeterministicAlgorithms(_) => GlobalState::DeterministicAlgorithms(Deterministic {
            enabled: torch.fills_memory(py).ok()?,
            warn_only: false,
        }),
        GlobalState::AttentionKernels(_) => GlobalState::AttentionKernels(torch.attention_kernels(py).ok()?),
        GlobalState::HandledException(_) => GlobalState::HandledException(handles_exception(py)),
        GlobalState::TensorClass(_) => GlobalState::TensorClass(tensor_class::changes(py, torch).ok()?),
        GlobalState::DefaultDevice(_) => match torch.override_state(py).ok()? {
            Overrides::Nothing => GlobalState::DefaultDevice(None),
            Overrides::Device(device) => GlobalState::DefaultDevice(Some(device)),
            Overrides::Other => return None,
        },
        _ => return None,
    })
}

/// Whether a frame of this thread is in a handler of an exception.
pub(super) fn handles_exception(py: Python<'_>) -> bool {
    let handled = py.import(intern!(py, "sys")).and_then(|sys| sys.call_method0(intern!(py, "exception")));
    handled.is_ok_and(|handled| !handled.is_none())
}

/// The state under which a trace is made; of what only some operators depend on, that of the operators it `calls`,
/// which is asked for a part of their names.
pub(super) fn states(py: Python<'_>, torch: &Torch, calls: impl Fn(&str) -> bool) -> Vec<GlobalState> {
    let kinds = [
        GlobalState::GradMode(true),
        GlobalState::InferenceMode(false),
        GlobalState::DefaultDType(DType::F32),
        GlobalState::Autocast(Autocast { enabled: Vec::new(), cache: true }),
        GlobalState::DefaultDevice(None),
        GlobalState::TensorClass(0),
    ];
    let filled = GlobalState::DeterministicAlgorithms(Deterministic { enabled: false, warn_only: false });
    let of_some = [("empty", filled), ("attention", GlobalState::AttentionKernels([true; ATTENTION_KERNELS.len()]))];
    let more = of_some.into_iter().filter_map(|(part, kind)| calls(part).then_some(kind));
    kinds.into_iter().chain(more).filter_map(|kind| current_state(py, torch, &kind)).collect()
}
