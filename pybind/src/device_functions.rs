//! Functions of the Python module for devices: counters, and faults for tests.

use crate::options::Options;
use inductor::device::Device;
use inductor::store::Nowhere;
use inductor_cuda::Emulator;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The counters of the device of these options since it was opened: dispatches, submissions, bytes moved and so on,
/// with its name.
#[pyfunction]
#[pyo3(signature = (options))]
pub(crate) fn device_counters<'py>(options: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let counters = PyDict::new(options.py());
    if let Some(device) = Options::parse(Some(options))?.device()? {
        counters.set_item("name", device.gpu.name())?;
        for (name, value) in device.gpu.counters().values() {
            counters.set_item(name, value)?;
        }
    }
    Ok(counters)
}

/// Has the driver give up the device of these options, as a fault in it would: for tests.
#[pyfunction]
#[pyo3(signature = (options))]
pub(crate) fn lose_device(options: &Bound<'_, PyDict>) -> PyResult<()> {
    if let Some(device) = Options::parse(Some(options))?.device()? {
        device.gpu.lose();
    }
    Ok(())
}

/// Has the device of these options no more memory than this, or what it really has: for tests.
#[pyfunction]
#[pyo3(signature = (options, bytes))]
pub(crate) fn limit_device_memory(options: &Bound<'_, PyDict>, bytes: Option<u64>) -> PyResult<()> {
    if let Some(device) = Options::parse(Some(options))?.device()? {
        device.gpu.limit_memory(bytes.unwrap_or(u64::MAX));
    }
    Ok(())
}

/// Has the next launch of the emulated CUDA device fail with this message.
///
/// # Errors
/// A `RuntimeError` where there is no emulator.
#[pyfunction]
pub(crate) fn fail_next_cuda_launch(message: &str) -> PyResult<()> {
    let emulator = Emulator::find(&Nowhere).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    emulator.fail_next_launch(message);
    Ok(())
}
