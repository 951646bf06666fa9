//! Checks that only Python can make.

use super::objects::CallObjects;
use guards::SourceId;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// A check by a function of Python's on the graph's inputs. It must own no tensor: the garbage collector does not see
/// it.
pub(super) struct Check {
    test: Py<PyAny>,
    /// The condition that it checks, as text.
    pub(super) text: String,
    inputs: Vec<SourceId>,
}

impl Check {
    /// A check of the objects at these sources.
    pub(super) fn new(test: Py<PyAny>, text: String, inputs: Vec<SourceId>) -> Check {
        Check { test, text, inputs }
    }

    /// True if the inputs of a call pass.
    pub(super) fn holds(&self, sources: &guards::Sources, objects: &mut CallObjects<'_, '_>) -> PyResult<bool> {
        let py = objects.call.py();
        let inputs: Option<Vec<_>> = self.inputs.iter().map(|&id| sources.read(id, objects)).collect();
        let Some(inputs) = inputs else { return Ok(false) };
        self.test.bind(py).call1((PyList::new(py, inputs)?,))?.is_truthy()
    }
}
