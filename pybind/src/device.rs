//! The devices of this process that are not the processor, and the weights that they keep.
//!
//! A device is opened once for each choice of an adapter. It keeps a [copy](kept) of every parameter and constant that
//! a graph has read, and of results that other graphs read; `rust_inductor.reset()` forgets all copies.

mod kept;

use crate::torch::PORTABLE;
use inductor_wgpu::{AdapterChoice, Gpu};
pub(crate) use kept::{Copies, Copy, Demand, State, hash_all};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// The device that graphs run on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TargetDevice {
    /// On the processor.
    #[default]
    Cpu,
    /// On a device that speaks WebGPU.
    Wgpu,
    /// On the CUDA device that tensors are on; for those of the processor, by the emulator of such devices, for tests.
    EmulatedCuda,
}

/// An opened WebGPU device.
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
