//! Calls that are not captured: why, and the errors that this becomes.

use super::config::exception;
use super::members;
use super::promises::{broken_promise, promise_error};
use dynamo_core::reason::Kind;
use dynamo_core::trace::Break;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The reasons for which a call is not captured.
pub(super) enum NotCaptured {
    /// The tracer says so, or the graph ends where it must not.
    Ended(Break),
    /// Something around it failed.
    Failed(PyErr),
    /// An exception that the backend raised, or that the call itself is to raise, which is the user's to see.
    Backend(PyErr),
}

impl NotCaptured {
    /// True for what is an error whatever else was asked for: a `mark_dynamic` that the program does not keep, and a
    /// graph break within `error_on_graph_break`.
    pub(super) fn is_error(&self, py: Python<'_>) -> bool {
        match self {
            NotCaptured::Ended(ended) => ended.is_refused || ended.reason.kind == Kind::Promise,
            NotCaptured::Failed(error) | NotCaptured::Backend(error) => {
                promise_error(py).is_ok_and(|class| error.matches(py, class).unwrap_or(false))
            }
        }
    }
}

impl From<PyErr> for NotCaptured {
    fn from(error: PyErr) -> NotCaptured {
        NotCaptured::Failed(error)
    }
}

impl From<NotCaptured> for PyErr {
    fn from(failure: NotCaptured) -> PyErr {
        match failure {
            NotCaptured::Ended(ended) if ended.reason.kind == Kind::Promise => {
                Python::attach(|py| broken_promise(py, ended.reason.to_string()).unwrap_or_else(|error| error))
            }
            NotCaptured::Ended(ended) => broken(&ended),
            NotCaptured::Failed(error) | NotCaptured::Backend(error) => error,
        }
    }
}

/// The error that `fullgraph` makes of a graph's end: torch's own, if the program can know it by now.
fn broken(ended: &Break) -> PyErr {
    let lines: String =
        ended.stack.iter().map(|(file, line, name)| format!("\n  File \"{file}\", line {line}, in {name}")).collect();
    let text = format!("{}{lines}", ended.reason);
    Python::attach(|py| match members::loaded(py, "torch._dynamo.exc") {
        Some(_) => exception(py, "Unsupported", text),
        None => PyRuntimeError::new_err(text),
    })
}
