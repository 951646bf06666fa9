//! The callback for an exception that a graph has raised, before it propagates: `_failures.py` finds the lines of the
//! program.

use dynamo_core::trace::Capture;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The callback that tells of a failure of the capture's graph.
pub(super) fn teller<'py>(py: Python<'py>, capture: &Capture) -> PyResult<Bound<'py, PyAny>> {
    let nodes = capture.fallible.iter().map(|&node| &capture.graph[node]);
    let sites = nodes.filter_map(|node| Some((node.name.as_ref(), node.stack_trace.as_deref()?)));
    py.import("rust_inductor._failures")?.getattr("teller")?.call1((PyList::new(py, sites.collect::<Vec<_>>())?,))
}
