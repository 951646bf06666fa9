//! The global state that guards look at, as it is now.

use crate::torch::{Overrides, Torch};
use guards::{Autocast, Deterministic, GlobalState};
use pyo3::prelude::*;
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
        GlobalState::DefaultDevice(_) => match torch.override_state(py).ok()? {
            Overrides::Nothing => GlobalState::DefaultDevice(None),
            Overrides::Device(device) => GlobalState::DefaultDevice(Some(device)),
            Overrides::Other => return None,
        },
        _ => return None,
    })
}

/// The state under which a trace is made; whether memory is filled, if the trace makes any of which it says nothing.
pub(super) fn states(py: Python<'_>, torch: &Torch, makes_memory: bool) -> Vec<GlobalState> {
    let kinds = [
        GlobalState::GradMode(true),
        GlobalState::InferenceMode(false),
        GlobalState::DefaultDType(DType::F32),
        GlobalState::Autocast(Autocast { enabled: Vec::new(), cache: true }),
        GlobalState::DefaultDevice(None),
    ];
    let filled = GlobalState::DeterministicAlgorithms(Deterministic { enabled: false, warn_only: false });
    let more = makes_memory.then_some(filled);
    kinds.iter().chain(&more).filter_map(|kind| current_state(py, torch, kind)).collect()
}
