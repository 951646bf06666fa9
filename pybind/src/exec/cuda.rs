//! Kernels on a CUDA device: launches on PyTorch's current stream.
//!
//! Nothing here waits for the device. An index out of bounds fails on the device, as eager's assertions do.

use crate::torch::Torch;
use cranelift_entity::PrimaryMap;
use inductor::plan::KernelId;
use inductor_cuda::{Cuda, CudaKernel, Work};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use runtime::{Stream, StreamDevice, StreamKernel};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use symshapes::{Device, DeviceKind};

/// A compiled plan's device, where its tensors are, and its kernels.
#[derive(Clone, Copy)]
pub(crate) struct CudaCode<'a> {
    pub(crate) device: &'a Arc<Cuda>,
    pub(crate) place: Device,
    pub(crate) kernels: &'a PrimaryMap<KernelId, Arc<CudaKernel>>,
}

impl CudaCode<'_> {
    /// A kernel for values of its sizes, or why it does not hold for them.
    pub(super) fn kernel(&self, id: KernelId, sizes: &[i64]) -> Result<Box<dyn StreamKernel>, String> {
        let work = self.kernels[id].launch(self.device, sizes).map_err(|refusal| refusal.to_string())?;
        Ok(Box::new(CudaWork { device: Arc::clone(self.device), work }))
    }
}

/// The part of a program that concerns its CUDA device.
pub(crate) struct CudaPart {
    device: Arc<Cuda>,
    /// The place of the tensors: the device, or the processor, if it is emulated.
    place: Device,
    /// A byte for each flag. Kernels that meet an index out of bounds set it, which fails the call and every other that
    /// uses the device; so they are 0 from call to call.
    flags: PyOnceLock<Py<PyAny>>,
    /// The address of the first flag.
    first_flag: AtomicUsize,
}

/// A kernel for known sizes.
struct CudaWork {
    device: Arc<Cuda>,
    work: Work,
}

impl CudaPart {
    /// The device, and where its tensors are.
    pub(super) fn new(device: Arc<Cuda>, place: Device) -> CudaPart {
        CudaPart { device, place, flags: PyOnceLock::new(), first_flag: AtomicUsize::new(0) }
    }

    /// Makes so many flags with the first call: while a graph is compiled, tensors may be fake.
    pub(super) fn make_flags(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        if count == 0 {
            return Ok(());
        }
        let make = || -> PyResult<Py<PyAny>> {
            let torch = Torch::get(py)?;
            let options = PyDict::new(py);
            options.set_item("dtype", torch.find(py, "uint8")?)?;
            options.set_item("device", self.place.to_string())?;
            let tensor = torch.find(py, "zeros")?.call(((count,),), Some(&options))?;
            let first: usize = tensor.call_method0(intern!(py, "data_ptr"))?.extract()?;
            if first == 0 || !torch.is_plain_tensor(&tensor) {
                return Err(PyRuntimeError::new_err("no memory of the device to be had here"));
            }
            if let Some(number) = self.number() {
                // Other streams may read them.
                torch.find(py, "cuda.synchronize")?.call1((number,))?;
            }
            self.first_flag.store(first, Ordering::Relaxed);
            Ok(tensor.unbind())
        };
        self.flags.get_or_try_init(py, make).map(|_| ())
    }

    /// PyTorch's current stream.
    pub(super) fn stream(&self, py: Python<'_>) -> PyResult<Stream> {
        let Some(number) = self.number() else { return Ok(Stream::default()) };
        let current = Torch::get(py)?.find(py, "_C._cuda_getCurrentRawStream")?.call1((number,))?;
        Ok(Stream(current.extract()?))
    }

    /// True if the device is emulated.
    pub(super) fn is_emulated(&self) -> bool {
        self.number().is_none()
    }

    /// The device's number; `None` if it is emulated.
    fn number(&self) -> Option<u16> {
        (self.place.kind == DeviceKind::Cuda).then(|| self.place.index.unwrap_or_default())
    }
}

impl StreamDevice for CudaPart {
    fn device(&self) -> Device {
        self.place
    }

    /// The flags [are made](CudaPart::make_flags) before a call begins.
    fn flag(&self, number: usize) -> *mut u8 {
        std::ptr::without_provenance_mut(self.first_flag.load(Ordering::Relaxed) + number)
    }

    unsafe fn check(&self, stream: Stream, flag: *mut u8) -> Result<(), String> {
        // SAFETY: the flag is a byte of a tensor that the program keeps.
        let done = unsafe { self.device.check(inductor_cuda::Stream(stream.0), flag.addr() as u64) };
        if done.is_err() && self.is_emulated() {
            // Unlike a device, the emulator goes on after an error.
            // SAFETY: as above; the memory is the processor's.
            unsafe { std::ptr::with_exposed_provenance_mut::<u8>(flag.addr()).write(0) };
        }
        done.map_err(|error| error.to_string())
    }
}

impl StreamKernel for CudaWork {
    fn scratch_bytes(&self) -> usize {
        self.work.scratch_bytes
    }

    unsafe fn launch(&self, stream: Stream, args: &[u64], scratch: u64) -> Result<(), String> {
        // SAFETY: the caller vouches for the addresses.
        let done = unsafe { self.work.run(&self.device, inductor_cuda::Stream(stream.0), args, scratch) };
        done.map_err(|error| error.to_string())
    }
}
