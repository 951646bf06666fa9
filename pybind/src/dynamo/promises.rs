//! `mark_dynamic` is a promise of the user's: where the program does not keep it, that is an error, as in torch.

use guards::Sources;
use pyo3::prelude::*;
use symshapes::{GuardSet, Reason, ShapeEnv, Violation};

/// torch's exception for a `mark_dynamic` that the program does not keep.
pub(super) fn promise_error(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("torch.fx.experimental.symbolic_shapes")?.getattr("ConstraintViolationError")
}

/// The exception with this text.
pub(super) fn broken_promise(py: Python<'_>, text: String) -> PyResult<PyErr> {
    Ok(PyErr::from_value(promise_error(py)?.call1((text,))?))
}

/// What torch lets pass: the sizes 0 and 1, of which the program says nothing, and sizes that are tied to each other.
fn is_tolerated(violation: &Violation) -> bool {
    match violation.reason {
        Reason::Constant(0 | 1) => violation.cause.is_none(),
        Reason::Tied(_) => true,
        Reason::Constant(_) | Reason::Narrowed(_) | Reason::Divisible(_) | Reason::Related(_) => false,
    }
}

/// An exception that names each input of which `mark_dynamic` promised more than the guards allow.
pub(super) fn keeps_promises(py: Python<'_>, env: &ShapeEnv, solved: &GuardSet, sources: &Sources) -> PyResult<()> {
    let names = |source: symshapes::SourceId| sources.display(source.into()).to_string();
    let broken = env.violations(solved).into_iter().filter(|violation| !is_tolerated(violation));
    let texts: Vec<String> = broken.map(|violation| env.describe(&violation, &names)).collect();
    if texts.is_empty() {
        return Ok(());
    }
    Err(broken_promise(py, texts.join("\n"))?)
}
