//! The switches of torch's Dynamo that a program has set and that concern ours as well: `torch._dynamo.config`.
//!
//! The module is not imported for it, which takes seconds: where nobody has imported it, nobody has set anything.

use super::members;
use dynamo_core::trace::{Dynamic, Options};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The module, if it is there.
pub(super) struct Config<'py>(Option<Bound<'py, PyAny>>);

impl<'py> Config<'py> {
    /// The module as it is now.
    pub(super) fn new(py: Python<'py>) -> Config<'py> {
        Config(members::loaded(py, "torch._dynamo.config"))
    }

    fn is(&self, name: &str, default: bool) -> bool {
        let Some(module) = &self.0 else { return default };
        module.getattr(name).and_then(|value| value.is_truthy()).unwrap_or(default)
    }

    /// True if a call that no entry fits is an error.
    pub(super) fn forbids_recompiles(&self) -> bool {
        self.is("error_on_recompile", false)
    }

    /// True if a function that has been compiled as often as it may is an error.
    pub(super) fn fails_at_limit(&self) -> bool {
        self.is("fail_on_recompile_limit_hit", false)
    }

    /// Has the switches decide what the caller of `compile` has left open.
    pub(super) fn apply(&self, options: &mut Options) {
        if options.dynamic == Dynamic::Automatic {
            if !self.is("assume_static_by_default", true) {
                options.dynamic = Dynamic::Always;
            } else if !self.is("automatic_dynamic_shapes", true) {
                options.dynamic = Dynamic::Never;
            }
        }
        options.ints &= !self.is("specialize_int", false);
        options.floats &= !self.is("specialize_float", false);
        options.numpy &= self.is("trace_numpy", true);
    }
}

/// An exception of torch's Dynamo, by its class.
pub(super) fn exception(py: Python<'_>, class: &str, text: String) -> PyErr {
    let class = py.import("torch._dynamo.exc").and_then(|module| module.getattr(class));
    match class.and_then(|class| class.call1((text.clone(),))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyRuntimeError::new_err(text),
    }
}
