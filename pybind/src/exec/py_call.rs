//! Calls through Python, as data.

use inductor::plan::ObjectId;
use pyo3::prelude::*;
use runtime::{Keep, ViewId};

/// An argument of a call through Python.
pub(crate) enum PyArg {
    /// An object that is constant from call to call.
    Constant(Py<PyAny>),
    Tensor(ViewId),
    Object(ObjectId),
    List(Vec<PyArg>),
}

/// A call through Python.
pub(crate) struct PyCall {
    pub(super) callable: Py<PyAny>,
    pub(super) args: Vec<PyArg>,
    pub(super) kwargs: Vec<(Py<PyAny>, PyArg)>,
    pub(super) results: Vec<Keep>,
    /// True if the callee returns a tuple or list even of one result.
    pub(super) tuple: bool,
    pub(super) target: String,
}
