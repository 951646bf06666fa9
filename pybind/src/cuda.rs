//! The CUDA devices of this process, each opened when the first graph on its tensors is compiled; and the emulated one,
//! whose tensors are the processor's.

use crate::cache::Cache;
use crate::torch::Torch;
use fx::{Graph, Meta};
use inductor::store::{Nowhere, Store};
use inductor_cuda::{Cuda, CudaError, Emulator, Nvidia};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use symshapes::{Device, DeviceKind, TensorMeta};

/// A device by its number (`None` for the emulated one) and whether its machine code is kept on disk, and the outcome
/// of opening it.
type Opened = Vec<((Option<u16>, bool), Result<Arc<Cuda>, String>)>;

static OPENED: Mutex<Opened> = Mutex::new(Vec::new());

/// The device of this number. The outcome of the first attempt stays.
///
/// # Errors
/// No driver, no such device, no compiler.
pub(crate) fn open(ordinal: u16, folders: &[PathBuf], caches: bool) -> Result<Arc<Cuda>, String> {
    once((Some(ordinal), caches), |store| Ok(Cuda::new(Arc::new(Nvidia::open(ordinal.into(), folders)?), store)))
}

/// The [emulated](Emulator) device. The first call warns of it.
///
/// # Errors
/// There is no C++ compiler.
pub(crate) fn emulated(caches: bool) -> Result<Arc<Cuda>, String> {
    static TOLD: AtomicBool = AtomicBool::new(false);
    // Before the lock is taken: who hears it may run Python.
    if !TOLD.swap(true, Ordering::Relaxed) {
        tracing::warn!(target: "rust_inductor", "CUDA is emulated on the processor, for tests (option `device`)");
    }
    once((None, caches), |store| Ok(Cuda::new(Emulator::find(&*store)?, store)))
}

/// The device of this key, opened if it has not been.
fn once(
    key: (Option<u16>, bool),
    open: impl FnOnce(Arc<dyn Store>) -> Result<Cuda, CudaError>,
) -> Result<Arc<Cuda>, String> {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = opened.iter().find(|(known, _)| *known == key) {
        return known.clone();
    }
    let store: Arc<dyn Store> = if key.1 { Arc::new(Cache) } else { Arc::new(Nowhere) };
    let device = open(store).map(Arc::new).map_err(|error| error.to_string());
    opened.push((key, device.clone()));
    device
}

/// The CUDA device that a graph computes on; `None` if it has no tensor on one.
///
/// # Errors
/// There are several.
pub(crate) fn device_of(graph: &Graph) -> Result<Option<u16>, String> {
    let mut found = None;
    for id in graph.nodes() {
        for device in graph[id].meta.iter().flat_map(tensors).map(|meta| meta.device) {
            let Device { kind: DeviceKind::Cuda, index } = device else { continue };
            let index = index.unwrap_or_default();
            if found.is_some_and(|known| known != index) {
                return Err("tensors on several CUDA devices".to_owned());
            }
            found = Some(index);
        }
    }
    Ok(found)
}

/// The tensors among a value's parts.
pub(crate) fn tensors(meta: &Meta) -> Vec<&TensorMeta> {
    match meta {
        Meta::Tensor(meta) => vec![meta],
        Meta::Tuple(parts) => parts.iter().flatten().flat_map(tensors).collect(),
        _ => Vec::new(),
    }
}

/// The folders in which PyTorch's wheels have the compiler: `lib` in each of NVIDIA's packages beside it.
pub(crate) fn folders(py: Python<'_>) -> PyResult<Vec<PathBuf>> {
    let file: PathBuf = Torch::get(py)?.module.bind(py).getattr("__file__")?.extract()?;
    let Some(packages) = file.ancestors().nth(2) else { return Ok(Vec::new()) };
    let inside = std::fs::read_dir(packages.join("nvidia")).into_iter().flatten().flatten();
    Ok(inside.map(|package| package.path().join("lib")).filter(|folder| folder.is_dir()).collect())
}
