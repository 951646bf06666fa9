//! The tensors that a call is given: arguments and the graph's constants.

use super::Prepared;
use inductor::plan::Buf;
use pyo3::prelude::*;
use runtime::InputSpec;

/// The tensors of one call.
#[derive(Clone, Copy)]
pub(super) struct Given<'a, 'py> {
    pub(super) py: Python<'py>,
    pub(super) prepared: &'a Prepared,
    pub(super) constants: &'a [(Buf, Py<PyAny>)],
    pub(super) args: &'a [Bound<'py, PyAny>],
}

impl<'py> Given<'_, 'py> {
    /// The tensors, with their buffers.
    pub(super) fn tensors(&self) -> impl Iterator<Item = (Buf, Bound<'py, PyAny>)> {
        let inputs = self.prepared.inputs().iter().map(|&InputSpec { index, buf, .. }| (buf, self.args[index].clone()));
        inputs.chain(self.constants.iter().map(|(buf, object)| (*buf, object.bind(self.py).clone())))
    }
}
