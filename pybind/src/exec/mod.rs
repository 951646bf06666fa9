//! Runs plans over libtorch: the executor is the crate [`runtime`], this module what it needs of torch and of Python.
//!
//! [`LibTorch`] owns tensors and calls operators (`libtorch`, `externs`, `dispatch`); `bind` binds a graph's calls to
//! it, and to Python where libtorch cannot make them (`python_step`). [`Program`] is a prepared plan with the Python
//! objects that it names: `run` checks arguments, releases the GIL around what needs no Python and makes objects of
//! outputs; `frozen` and `device` tell weights that have not changed, for results kept from call to call and for the
//! copies that a device keeps; `cuda` launches kernels on PyTorch's streams.

mod bind;
mod cuda;
mod device;
mod dispatch;
pub(crate) mod externs;
mod frozen;
mod given;
mod libtorch;
mod py_call;
mod python_step;
mod run;

pub(crate) use cuda::CudaCode;
pub(crate) use frozen::forget_frozen;
pub(crate) use libtorch::LibTorch;
pub(crate) use run::{Launcher, Outcome, Parts, Program, prepare};

use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyNotImplementedError, PyRuntimeError};
use runtime::PrepareError;

/// The exception for a plan that cannot be made ready: a `NotImplementedError` for sizes that a device's kernels do not
/// hold for.
fn not_prepared(error: PrepareError<PyErr>) -> PyErr {
    match error {
        PrepareError::Language(error) => error,
        PrepareError::Sizes(reason) => PyNotImplementedError::new_err(reason),
        PrepareError::NotCompiled(_) | PrepareError::Unbound { .. } | PrepareError::Unsound(_) => {
            PyRuntimeError::new_err(error.to_string())
        }
    }
}

type Activation = runtime::Activation<LibTorch>;
type Prepared = runtime::Program<LibTorch>;
type Slot = runtime::Slot<LibTorch>;
type Failed = runtime::Failure<LibTorch, PyErr>;
type NoMemory = runtime::NoMemory<LibTorch>;

/// The exception for memory between kernels that is not to be had.
fn no_memory(error: NoMemory) -> PyErr {
    match error {
        NoMemory::Host(bytes) => PyMemoryError::new_err(format!("no memory for {bytes} bytes between kernels")),
        NoMemory::Device(error) => error.into(),
    }
}
