//! The stance that `torch.compiler.set_stance` sets, as far as it is ours to follow: torch keeps it in a variable of a
//! module that we never import for it.

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The stances: the ways to treat calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stance {
    /// They are compiled.
    Default,
    /// Of each function the first call runs as it is.
    EagerThenCompile,
    /// Of each function the first call has its graph compiled by AOTAutograd alone.
    AotEagerThenCompile,
    /// All of them run as they are.
    ForceEager,
    /// Calls that no entry fits run as they are.
    EagerOnRecompile,
    /// Calls that no entry fits are errors.
    FailOnRecompile,
}

/// Whether guards of a function's only entry are taken to hold: `skip_guard_eval_unsafe`, as [`stance`] has read it.
static SKIPS_GUARDS: AtomicBool = AtomicBool::new(false);

/// True if guards that tell no entries apart are not to be checked.
pub(super) fn skips_guards() -> bool {
    SKIPS_GUARDS.load(Ordering::Relaxed)
}

/// The stance that was set last. It is read for each call: a look into a dict or two, as long as nothing changes.
pub(super) fn stance(py: Python<'_>) -> Stance {
    static MODULES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    static VARIABLES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    static LAST: Mutex<Option<(Py<PyAny>, Stance)>> = Mutex::new(None);
    let read = || -> PyResult<Stance> {
        let modules = MODULES.get_or_try_init(py, || {
            let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
            Ok::<_, PyErr>(modules.unbind())
        })?;
        let variables = match VARIABLES.get(py) {
            Some(known) => known.bind(py),
            None => {
                let Some(module) = modules.bind(py).get_item(intern!(py, "torch._dynamo.eval_frame"))? else {
                    return Ok(Stance::Default);
                };
                let variables = module.getattr("__dict__")?.cast_into::<PyDict>()?;
                VARIABLES.get_or_init(py, || variables.unbind()).bind(py)
            }
        };
        let Some(object) = variables.get_item(intern!(py, "_stance"))? else { return Ok(Stance::Default) };
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            // torch makes a new object for each stance, and changes none.
            Some((known, stance)) if known.is(&object) => Ok(*stance),
            _ => {
                let stance = named(&object)?;
                let skips = object.getattr_opt("skip_guard_eval_unsafe")?.map_or(Ok(false), |skips| skips.is_truthy());
                SKIPS_GUARDS.store(skips?, Ordering::Relaxed);
                *last = Some((object.unbind(), stance));
                Ok(stance)
            }
        }
    };
    // A torch without stances has none.
    read().unwrap_or(Stance::Default)
}

fn named(object: &Bound<'_, PyAny>) -> PyResult<Stance> {
    let name = object.getattr("stance")?;
    Ok(match name.extract()? {
        "eager_then_compile" => Stance::EagerThenCompile,
        "aot_eager_then_compile" => Stance::AotEagerThenCompile,
        "force_eager" => Stance::ForceEager,
        "eager_on_recompile" => Stance::EagerOnRecompile,
        "fail_on_recompile" => Stance::FailOnRecompile,
        _ => Stance::Default,
    })
}

/// The error of a call that no entry fits.
pub(super) fn forbidden(code: &Bound<'_, PyAny>, reasons: &[String]) -> PyResult<PyErr> {
    let (file, name) = (code.getattr("co_filename")?, code.getattr("co_name")?);
    let line = code.getattr("co_firstlineno")?;
    let mut text = format!(
        "Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: '{file}', \
         function name: '{name}', line number: {line}"
    );
    if !reasons.is_empty() {
        text += "\n    triggered by the following guard failure(s):";
        reasons.iter().for_each(|reason| text += &format!("\n    - {reason}"));
    }
    Ok(PyRuntimeError::new_err(text))
}
