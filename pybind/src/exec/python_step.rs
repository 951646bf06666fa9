//! Python as the language that a program is embedded in: calls through it, and its exceptions.

use super::libtorch::LibTorch;
use super::py_call::{PyArg, PyCall};
use super::{Activation, Failed, Prepared};
use crate::torch::Torch;
use frame_hook::Enabled;
use inductor::device::DeviceError;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use runtime::{Host, Keep, Stop, ViewId};

/// Python, during one call.
pub(super) struct Call<'a, 'py> {
    py: Python<'py>,
    args: &'a mut [Bound<'py, PyAny>],
    /// The exception that a call made in Python by torch's modes has raised while the GIL was released: nothing else
    /// may run into it.
    raised: Option<PyErr>,
}

impl Host<LibTorch> for Call<'_, '_> {
    type Error = PyErr;

    fn detached(&mut self, run: impl FnOnce() -> Result<(), Stop<LibTorch>> + Send) -> Result<(), Stop<LibTorch>> {
        let done = self.py.detach(run);
        self.raised = done.as_ref().err().and_then(|_| PyErr::take(self.py));
        done
    }

    fn call(&mut self, call: &PyCall, program: &Prepared, activation: &mut Activation) -> PyResult<()> {
        call.run(self, program, activation)
    }

    fn forget(&mut self, index: usize) {
        self.args[index] = self.py.None().into_bound(self.py);
    }
}

impl<'a, 'py> Call<'a, 'py> {
    /// A call with these arguments.
    pub(super) fn new(py: Python<'py>, args: &'a mut [Bound<'py, PyAny>]) -> Call<'a, 'py> {
        Call { py, args, raised: None }
    }

    /// The exception for a failure.
    pub(super) fn error(&mut self, failure: Failed) -> PyErr {
        match failure {
            Failed::Index => PyIndexError::new_err("index out of bounds in a compiled kernel"),
            Failed::Library(error) => self.raised.take().unwrap_or_else(|| error.into()),
            Failed::Host(error) => error,
            Failed::Device(error) => match error {
                DeviceError::OutOfBounds { .. } => PyIndexError::new_err(error.to_string()),
                DeviceError::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
                DeviceError::TooWide { .. } | DeviceError::Lost { .. } | DeviceError::Invalid { .. } => {
                    PyRuntimeError::new_err(error.to_string())
                }
            },
        }
    }
}

/// The context that a call through Python reads.
struct Scope<'a, 'py> {
    py: Python<'py>,
    program: &'a Prepared,
    args: &'a [Bound<'py, PyAny>],
}

impl PyCall {
    /// Makes the call and keeps its results.
    pub(super) fn run(&self, call: &Call<'_, '_>, program: &Prepared, activation: &mut Activation) -> PyResult<()> {
        let result = {
            // What a graph calls is not captured.
            let _off = Enabled::new(call.py, None);
            Scope { py: call.py, program, args: call.args }.call(self, activation)?
        };
        if !self.tuple {
            return match self.results.first() {
                Some(&keep) => self.keep(program, keep, result, activation),
                None => Ok(()),
            };
        }
        for (at, &keep) in self.results.iter().enumerate() {
            if !matches!(keep, Keep::Nothing) {
                self.keep(program, keep, result.get_item(at)?, activation)?;
            }
        }
        Ok(())
    }

    fn keep(
        &self,
        program: &Prepared,
        keep: Keep,
        value: Bound<'_, PyAny>,
        activation: &mut Activation,
    ) -> PyResult<()> {
        match keep {
            Keep::Nothing => Ok(()),
            Keep::Object(object) => {
                activation.set_object(object, value.unbind());
                Ok(())
            }
            Keep::Tensor(_) | Keep::Into(..) => {
                let torch = Torch::get(value.py())?;
                let value = resolve(torch, value).map_err(|error| self.no_tensor(&error))?;
                let made = torch.share(&value)?;
                program
                    .keep(keep, made, activation)
                    .map_err(|e| PyRuntimeError::new_err(format!("{}: {e}", self.target)))
            }
        }
    }

    fn no_tensor(&self, error: &PyErr) -> PyErr {
        PyTypeError::new_err(format!("{}: the graph promises a tensor: {error}", self.target))
    }
}

/// The tensor with pending negation and conjugation carried out, as its memory is going to be read.
fn resolve<'py>(torch: &Torch, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if !value.is_instance(torch.tensor.bind(py))? {
        return Err(PyTypeError::new_err(format!("got {}", value.get_type().name()?)));
    }
    if value.call_method0(intern!(py, "is_neg"))?.is_truthy()?
        || value.call_method0(intern!(py, "is_conj"))?.is_truthy()?
    {
        return value.call_method0(intern!(py, "resolve_conj"))?.call_method0(intern!(py, "resolve_neg"));
    }
    Ok(value)
}

impl<'py> Scope<'_, 'py> {
    fn call(&self, call: &PyCall, activation: &mut Activation) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let args = call.args.iter().map(|a| self.value(a, activation)).collect::<PyResult<Vec<_>>>()?;
        let args = PyTuple::new(py, args)?;
        let callable = call.callable.bind(py);
        if call.kwargs.is_empty() {
            return callable.call1(args);
        }
        let kwargs = PyDict::new(py);
        for (name, value) in &call.kwargs {
            kwargs.set_item(name, self.value(value, activation)?)?;
        }
        callable.call(args, Some(&kwargs))
    }

    fn value(&self, arg: &PyArg, activation: &mut Activation) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        Ok(match arg {
            PyArg::Constant(value) => value.bind(py).clone(),
            PyArg::Tensor(view) => self.tensor(*view, activation)?,
            PyArg::Object(object) => match activation.object(*object) {
                Some(value) => value.bind(py).clone(),
                None => return Err(PyRuntimeError::new_err(format!("{object} was never given"))),
            },
            PyArg::List(items) => {
                let items = items.iter().map(|a| self.value(a, activation)).collect::<PyResult<Vec<_>>>()?;
                PyList::new(py, items)?.into_any()
            }
        })
    }

    /// The Python object of a view; for an input as it is, the argument itself.
    fn tensor(&self, view: ViewId, activation: &mut Activation) -> PyResult<Bound<'py, PyAny>> {
        if let Some(index) = self.program.argument(view, activation) {
            return Ok(self.args[index].clone());
        }
        let raw = self.program.handle(view, activation)?;
        Torch::get(self.py)?.wrap(self.py, raw)
    }
}
