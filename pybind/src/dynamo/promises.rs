//! `mark_dynamic` is a promise of the user's: where the program does not keep it, that is an error, as in torch.

use dynamo_core::trace::Capture;
use guards::Sources;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use symshapes::{GuardSet, Reason, ShapeEnv, Violation};

/// torch's exception for a `mark_dynamic` that the program does not keep.
pub(super) fn promise_error(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("torch.fx.experimental.symbolic_shapes")?.getattr("ConstraintViolationError")
}

/// The exception with this text.
pub(super) fn broken_promise(py: Python<'_>, text: String) -> PyResult<PyErr> {
    Ok(PyErr::from_value(promise_error(py)?.call1((text,))?))
}

/// An exception for an assertion of the trace about unbacked sizes that this call's sizes break: with them the program
/// would do something else than what was traced.
pub(super) fn keeps_statements(capture: &Capture) -> PyResult<()> {
    let values: FxHashMap<symshapes::SourceId, i64> =
        capture.hints.iter().map(|&(source, value)| (source.into(), value)).collect();
    let Some(broken) = capture.env.broken_assertion(&|source| values.get(&source).copied()) else { return Ok(()) };
    let names = |source: symshapes::SourceId| {
        let value = values.get(&source).map_or_else(String::new, |value| format!(" ({value})"));
        capture.sources.display(source.into()).to_string() + &value
    };
    let what = capture.env.print_pred(broken.pred, &names);
    Err(PyRuntimeError::new_err(format!("{}: {what} does not hold ({})", broken.message, broken.at)))
}

/// True for what torch lets pass: the sizes 0 and 1, of which the program says nothing, and sizes that are tied to each
/// other.
fn is_tolerated(violation: &Violation) -> bool {
    match violation.reason {
        _ if violation.constraint.name.is_some() => false,
        Reason::Constant(0 | 1) => violation.cause.is_none(),
        Reason::Tied(_) => true,
        Reason::Constant(_) | Reason::Narrowed(_) | Reason::Divisible(_) | Reason::Related(_) => false,
    }
}

/// An exception that names each input of which `mark_dynamic` promised more than the guards allow.
pub(super) fn keeps_promises(py: Python<'_>, env: &ShapeEnv, solved: &GuardSet, sources: &Sources) -> PyResult<()> {
    let names = |source: symshapes::SourceId| sources.display(source.into()).to_string();
    let broken = env.violations(solved).into_iter().filter(|violation| !is_tolerated(violation));
    let broken: Vec<Violation> = broken.collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(broken_promise(py, env.report(&broken, &names))?)
}
