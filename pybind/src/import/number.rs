//! Python's numbers as arguments.

use fx::Arg;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};

/// A Python number. An `int` beyond 64 bits is none.
pub(super) fn number(value: &Bound<'_, PyAny>) -> PyResult<Option<Arg>> {
    if let Ok(b) = value.cast::<PyBool>() {
        return Ok(Some(Arg::Bool(b.is_true())));
    }
    if value.cast::<PyInt>().is_ok() {
        return Ok(value.extract().ok().map(Arg::Int));
    }
    if let Ok(x) = value.cast::<PyFloat>() {
        return Ok(Some(Arg::Float(x.value())));
    }
    if let Ok(z) = value.cast::<PyComplex>() {
        return Ok(Some(Arg::Complex(z.real(), z.imag())));
    }
    Ok(None)
}
