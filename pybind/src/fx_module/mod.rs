//! `rust_inductor.fx`: graphs for Python.
//!
//! A [`Graph`] never changes once Python has it. The Python objects that it names (callables, constants, whatever has
//! no place in [`fx::Arg`]) stand beside it; JSON and text do not carry them, and what then is missing is looked up by
//! name.

mod export;
mod graph;
mod writer;

pub(crate) use export::bare_subgraph;
pub(crate) use graph::{Graph, Objects};

use pyo3::prelude::*;

/// The submodule `fx`, added to a module.
pub(crate) fn register<'py>(parent: &Bound<'py, PyModule>) -> PyResult<Bound<'py, PyModule>> {
    let module = PyModule::new(parent.py(), "fx")?;
    module.add_class::<Graph>()?;
    module.add_class::<graph::Node>()?;
    module.add_class::<graph::PythonCode>()?;
    parent.add_submodule(&module)?;
    Ok(module)
}
