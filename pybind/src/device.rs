//! The devices of this process that are not the processor, and the weights that they keep.
//!
//! A device is opened once for each choice of an adapter. It keeps a [copy](kept) of every parameter and constant that
//! a graph has read, and of results that other graphs read; `rust_inductor.reset()` forgets all copies.

mod kept;

use crate::torch::PORTABLE;
use inductor::device::Device;
use inductor_wgpu::{AdapterChoice, Gpu};
pub(crate) use kept::{Copies, Copy, Demand, State, hash_all};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};

/// Where graphs run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// On the processor.
    #[default]
    Cpu,
    /// On a device that speaks WebGPU.
    Wgpu,
}

/// An opened device.
pub(crate) struct Wgpu {
    pub(crate) gpu: Gpu,
    pub(crate) copies: Copies,
}

type Opened = Vec<(AdapterChoice, Arc<Wgpu>)>;

static OPENED: Mutex<Opened> = Mutex::new(Vec::new());

impl Wgpu {
    /// The device of this choice.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn get(choice: &AdapterChoice) -> PyResult<Arc<Wgpu>> {
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, device)) = opened.iter().find(|(known, _)| known == choice) {
            return Ok(Arc::clone(device));
        }
        let open = if std::env::var_os(PORTABLE).is_some() { Gpu::open_plain } else { Gpu::open };
        let gpu = open(choice).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let device = Arc::new(Wgpu { gpu, copies: Copies::default() });
        opened.push((choice.clone(), Arc::clone(&device)));
        Ok(device)
    }
}

/// Forgets every copy of a tensor, and gives the memory back.
pub(crate) fn forget_kept() {
    let opened: Vec<Arc<Wgpu>> =
        OPENED.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(_, device)| Arc::clone(device)).collect();
    for device in opened {
        device.copies.clear();
        device.gpu.trim();
    }
}

/// The counters of the device of these options since it was opened: dispatches, submissions, bytes moved and so on,
/// with its name.
#[pyfunction]
#[pyo3(signature = (options))]
pub(crate) fn device_counters<'py>(options: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let counters = PyDict::new(options.py());
    if let Some(device) = crate::options::Options::parse(Some(options))?.device()? {
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
    if let Some(device) = crate::options::Options::parse(Some(options))?.device()? {
        device.gpu.lose();
    }
    Ok(())
}

/// Has the device of these options no more memory than this, or what it really has: for tests.
#[pyfunction]
#[pyo3(signature = (options, bytes))]
pub(crate) fn limit_device_memory(options: &Bound<'_, PyDict>, bytes: Option<u64>) -> PyResult<()> {
    if let Some(device) = crate::options::Options::parse(Some(options))?.device()? {
        device.gpu.limit_memory(bytes.unwrap_or(u64::MAX));
    }
    Ok(())
}
