//! The devices of this process that are not the processor, and the weights that they keep.
//!
//! A device is opened once for each choice of an adapter. It keeps a copy of every parameter and constant that a graph
//! has read, and of what a forward graph has left for its backward graph, as long as the Python object lives. It is
//! uploaded again when its version counter says that it was written: by optimisers, `load_state_dict`, in-place operators.
//! Writes that torch does not count, through `.data` or NumPy, show in a sample of the values, unless they change a few
//! elements only; `rust_inductor.reset()` forgets all copies.
//!
//! Invariant: the lock on the copies is not held while Python objects are looked at or dropped.

use crate::torch::PORTABLE;
use inductor::device::Device;
use inductor_wgpu::{AdapterChoice, Gpu, Memory};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyWeakrefReference};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// By the address of the Python object.
    kept: Mutex<FxHashMap<usize, Kept>>,
}

/// A tensor's copy on the device.
struct Kept {
    tensor: Py<PyWeakrefReference>,
    state: State,
    memory: Memory,
}

/// What must not have changed for a copy to be good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    /// The address of the first element.
    data: usize,
    /// The number of bytes.
    bytes: usize,
    /// How often the tensor was written to.
    version: u64,
    /// A hash of some of its values.
    sample: u64,
}

/// Bytes of one value of a sample, and how many are taken.
const SAMPLE_BYTES: usize = 8;
const SAMPLES: usize = 32;

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
        let device = Arc::new(Wgpu { gpu, kept: Mutex::default() });
        opened.push((choice.clone(), Arc::clone(&device)));
        Ok(device)
    }

    /// The copy of a tensor, if there is one and `state` gives what it was made in.
    pub(crate) fn kept(&self, tensor: &Bound<'_, PyAny>, state: impl FnOnce() -> Option<State>) -> Option<Memory> {
        let py = tensor.py();
        let copy = self.copies().get(&(tensor.as_ptr() as usize)).map(|copy| copy.clone_ref(py))?;
        let is_same = copy.tensor.bind(py).upgrade().is_some_and(|object| object.is(tensor));
        (is_same && Some(copy.state) == state()).then_some(copy.memory)
    }

    /// Keeps copies of tensors, and forgets those whose tensors are gone.
    pub(crate) fn keep(&self, py: Python<'_>, copies: Vec<(Bound<'_, PyAny>, State, Memory)>) -> PyResult<()> {
        if copies.is_empty() {
            return Ok(());
        }
        let mut all = std::mem::take(&mut *self.copies());
        all.retain(|_, copy| copy.tensor.bind(py).upgrade().is_some());
        for (tensor, state, memory) in copies {
            let copy = Kept { tensor: PyWeakrefReference::new(&tensor)?.unbind(), state, memory };
            all.insert(tensor.as_ptr() as usize, copy);
        }
        // What another thread has kept in the meantime is newer.
        let newer = std::mem::replace(&mut *self.copies(), all);
        let older: Vec<Option<Kept>> = newer.into_iter().map(|(key, copy)| self.copies().insert(key, copy)).collect();
        drop(older);
        Ok(())
    }

    fn copies(&self) -> MutexGuard<'_, FxHashMap<usize, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn clone_ref(&self, py: Python<'_>) -> Kept {
        Kept { tensor: self.tensor.clone_ref(py), state: self.state, memory: self.memory.clone() }
    }
}

impl State {
    /// The state of a tensor whose elements lie here; `None` for one whose writes are not counted.
    pub(crate) fn of(tensor: &Bound<'_, PyAny>, data: &[u8]) -> Option<State> {
        let version = tensor.getattr(intern!(tensor.py(), "_version")).ok()?.extract().ok()?;
        Some(State { data: data.as_ptr() as usize, bytes: data.len(), version, sample: sample(data) })
    }
}

/// A hash of values at equal distances, the first and the last among them.
fn sample(data: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    let last = data.len().saturating_sub(SAMPLE_BYTES);
    for at in 0..SAMPLES {
        let start = last * at / (SAMPLES - 1);
        hasher.write(&data[start..(start + SAMPLE_BYTES).min(data.len())]);
    }
    hasher.finish()
}

/// Forgets every copy of a weight.
pub(crate) fn forget_kept() {
    let opened: Vec<Arc<Wgpu>> =
        OPENED.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(_, device)| Arc::clone(device)).collect();
    for device in opened {
        let copies = std::mem::take(&mut *device.copies());
        drop(copies);
    }
}

/// What the device of these options has done since it was opened: dispatches, submissions, bytes moved and so on, with
/// its name.
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
