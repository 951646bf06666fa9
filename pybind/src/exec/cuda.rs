//! Programs whose kernels run on a CUDA device: launches on PyTorch's current stream, in memory of its caching
//! allocator.
//!
//! Nothing here waits for the device. Memory that a call gives back may be used again at once, by work that comes later
//! on the same stream. An index out of bounds fails on the device, as eager's assertions do.

use super::Program;
use super::frame::Frame;
use super::run::Stop;
use crate::torch::Torch;
use crate::torch::shim::ShimError;
use cranelift_entity::PrimaryMap;
use inductor::plan::{Buf, KernelId};
use inductor_cuda::{Cuda, CudaError, CudaKernel, Stream, Work};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use smallvec::SmallVec;
use std::sync::Arc;

/// `c10::DeviceType::CUDA`
pub(super) const CUDA: i32 = 1;

/// A compiled plan's device, its number, and its kernels.
#[derive(Clone, Copy)]
pub(crate) struct CudaCode<'a> {
    pub(crate) device: &'a Arc<Cuda>,
    pub(crate) index: i32,
    pub(crate) kernels: &'a PrimaryMap<KernelId, Arc<CudaKernel>>,
}

/// The part of a program that concerns its CUDA device.
pub(crate) struct CudaPart {
    pub(super) device: Arc<Cuda>,
    /// The device's number.
    pub(super) index: i32,
    /// The number of flags that the program has.
    count: usize,
    /// A byte for each flag. Kernels that meet an index out of bounds set it, which fails the call and every other that
    /// uses the device; so they are 0 from call to call.
    flags: PyOnceLock<Flags>,
}

/// The tensor of a program's flags, and the address of the first.
struct Flags {
    _tensor: Py<PyAny>,
    first: usize,
}

/// A kernel on whole buffers, for known sizes.
pub(crate) struct CudaLaunch {
    pub(super) work: Work,
    pub(super) args: Box<[Buf]>,
}

impl CudaPart {
    /// The device, for a program with so many flags.
    pub(super) fn new(device: Arc<Cuda>, index: i32, count: usize) -> CudaPart {
        CudaPart { device, index, count, flags: PyOnceLock::new() }
    }

    /// Makes the flags with the first call: while a graph is compiled, tensors may be fake.
    pub(super) fn make_flags(&self, py: Python<'_>) -> PyResult<()> {
        if self.count == 0 {
            return Ok(());
        }
        let make = || -> PyResult<Flags> {
            let torch = Torch::get(py)?;
            let options = PyDict::new(py);
            options.set_item("dtype", torch.find(py, "uint8")?)?;
            options.set_item("device", format!("cuda:{}", self.index))?;
            let tensor = torch.find(py, "zeros")?.call(((self.count,),), Some(&options))?;
            let first: usize = tensor.call_method0(intern!(py, "data_ptr"))?.extract()?;
            if first == 0 || !torch.is_plain_tensor(&tensor) {
                return Err(PyRuntimeError::new_err("no memory of the device to be had here"));
            }
            // Other streams may read them.
            torch.find(py, "cuda.synchronize")?.call1((self.index,))?;
            Ok(Flags { _tensor: tensor.unbind(), first })
        };
        self.flags.get_or_try_init(py, make).map(|_| ())
    }

    /// PyTorch's current stream.
    pub(super) fn stream(&self, py: Python<'_>) -> PyResult<Stream> {
        let current = Torch::get(py)?.find(py, "_C._cuda_getCurrentRawStream")?.call1((self.index,))?;
        Ok(Stream(current.extract()?))
    }

    /// The address of a flag; they [are made](CudaPart::make_flags).
    pub(super) fn flag(&self, py: Python<'_>, number: usize) -> *mut u8 {
        let first = self.flags.get(py).map_or(0, |flags| flags.first);
        std::ptr::without_provenance_mut(first + number)
    }

    pub(super) fn launch(&self, program: &Program, launch: &CudaLaunch, frame: &Frame) -> Result<(), Stop> {
        let args: SmallVec<[u64; 16]> = launch.args.iter().map(|&buf| frame.data(buf).addr() as u64).collect();
        let scratch = frame.scratch(program).addr() as u64;
        // SAFETY: inputs and results were checked against the layouts that the kernel was compiled for, other buffers
        // were allocated by them on this device; the plan keeps overlapping buffers apart, and memory that is given
        // back is only used by work that comes later on this stream.
        unsafe { launch.work.run(&self.device, frame.stream, &args, scratch) }.map_err(|error| stop(&error))
    }

    /// Has the stream fail if a flag is set.
    pub(super) fn check(&self, flag: *mut u8, frame: &Frame) -> Result<(), Stop> {
        // SAFETY: the flag is a byte of a tensor that the program keeps.
        unsafe { self.device.check(frame.stream, flag.addr() as u64) }.map_err(|error| stop(&error))
    }
}

fn stop(error: &CudaError) -> Stop {
    Stop::Error(ShimError::Call { call: "a compiled kernel", reason: error.to_string() })
}
