//! `rust_inductor.fx`: graphs for Python.
//!
//! A [`Graph`] never changes once Python has it. The Python objects that it names (callables, constants, whatever has
//! no place in [`fx::Arg`]) stand beside it; JSON and text do not carry them, and what then is missing is looked up by
//! name.

mod export;
mod graph;
mod names;
mod writer;

pub(crate) use export::bare_subgraph;
pub(crate) use graph::{Graph, Objects};
pub(crate) use names::{allowed_target, function, function_target, type_text};

use crate::fx_trace;
use pyo3::prelude::*;

/// Adds the submodule `fx`.
pub(crate) fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "fx")?;
    module.add_class::<Graph>()?;
    module.add_class::<graph::Node>()?;
    module.add_class::<graph::PythonCode>()?;
    module.add_class::<fx_trace::Proxy>()?;
    module.add_function(wrap_pyfunction!(fx_trace::symbolic_trace, &module)?)?;
    parent.add_submodule(&module)
}
