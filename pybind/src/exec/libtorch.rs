//! libtorch as the library that owns tensors and calls operators.
//!
//! A call goes through the operator's own function in libtorch's C shim where there is one ([`externs`]), else through
//! the dispatcher ([`dispatch`](super::dispatch)).

use super::dispatch::Dispatch;
use super::externs::{Extern, Form, Value};
use super::frozen::MadeOf;
use super::py_call::PyCall;
use crate::torch::shim::ShimError;
use crate::torch::tensor::DeviceCode;
use crate::torch::{RawTensor, Shim, Tensor, Torch, tensor};
use inductor_wgpu::Gpu;
use pyo3::prelude::*;
use runtime::{Info, Made, Strided, TensorLibrary};
use smallvec::SmallVec;
use std::ptr;
use symshapes::{DType, Device, DeviceKind};

/// libtorch, as this process has loaded it.
#[derive(Clone, Copy)]
pub(crate) struct LibTorch(pub(crate) &'static Torch);

/// A call of libtorch without Python.
pub(crate) enum LibCall {
    /// By the operator's own function.
    Shim(Extern, Vec<Value>),
    /// As any operator.
    Dispatch(Dispatch),
}

/// `c10::DeviceType::CUDA`
const CUDA: i32 = 1;

/// A device as libtorch names it.
fn code_of(device: Device) -> DeviceCode {
    let index = i32::from(device.index.unwrap_or(0));
    match device.kind {
        DeviceKind::Cpu => (0, 0),
        DeviceKind::Cuda => (CUDA, index),
        // `c10::DeviceType::Meta`; nothing is made on others.
        DeviceKind::Meta | DeviceKind::Other => (14, index),
    }
}

fn device_of((kind, index): DeviceCode) -> Device {
    let kind = match kind {
        0 => return Device::CPU,
        CUDA => DeviceKind::Cuda,
        14 => DeviceKind::Meta,
        _ => DeviceKind::Other,
    };
    Device { kind, index: u16::try_from(index).ok() }
}

// SAFETY: a tensor owns its storage, whose address and metadata libtorch tells; it is resized by no call that a plan
// makes.
unsafe impl TensorLibrary for LibTorch {
    type Tensor = Tensor;
    type Handle = RawTensor;
    type Call = LibCall;
    type Foreign = PyCall;
    type Object = Py<PyAny>;
    type Weights = MadeOf;
    type Device = Gpu;
    type Error = ShimError;

    fn release(&self) -> &str {
        &self.0.version
    }

    fn handle(tensor: &Tensor) -> RawTensor {
        tensor.raw()
    }

    fn share(&self, of: RawTensor) -> Result<Tensor, ShimError> {
        Tensor::share(of)
    }

    fn info<'a>(&self, of: RawTensor) -> Result<Info<'a>, ShimError> {
        let tensor::Info { dtype, sizes, strides, device } = tensor::info(of)?;
        Ok(Info { dtype: DType::from_torch_code(dtype), sizes, strides, device: device_of(device) })
    }

    fn data(&self, of: RawTensor) -> Result<*mut u8, ShimError> {
        tensor::data_ptr(of)
    }

    fn empty(&self, layout: Strided<'_>, device: Device) -> Result<Tensor, ShimError> {
        Tensor::empty(layout.sizes, layout.strides, layout.dtype.torch_code(), code_of(device))
    }

    unsafe fn over(&self, data: *mut u8, layout: Strided<'_>, device: Device) -> Result<Tensor, ShimError> {
        // SAFETY: the caller vouches for the memory.
        unsafe { Tensor::over(data, layout.sizes, layout.strides, layout.dtype.torch_code(), code_of(device)) }
    }

    fn view(&self, of: RawTensor, sizes: &[i64], strides: &[i64], offset: i64) -> Result<Tensor, ShimError> {
        Tensor::reinterpret(of, sizes, strides, offset)
    }

    fn copy(&self, to: RawTensor, from: RawTensor) -> Result<(), ShimError> {
        tensor::copy(to, from)
    }

    fn writes_result(call: &LibCall) -> bool {
        matches!(call, LibCall::Shim(shim, _) if shim.row.form == Form::Out)
    }

    fn call(&self, call: &LibCall, tensors: &[RawTensor]) -> Result<Made<LibTorch>, ShimError> {
        match call {
            // SAFETY: the executor's handles are live.
            LibCall::Dispatch(dispatch) => unsafe { dispatch.call(tensors) },
            LibCall::Shim(shim, values) => {
                let mut results: SmallVec<[RawTensor; 4]> = SmallVec::from_elem(ptr::null_mut(), shim.row.results);
                invoke(*shim, values, tensors, &mut results)?;
                // SAFETY: on success each result is a new handle or null.
                Ok(results.into_iter().map(|result| unsafe { Tensor::from_raw(result) }).collect())
            }
        }
    }

    fn call_into(&self, call: &LibCall, tensors: &[RawTensor], out: RawTensor) -> Result<(), ShimError> {
        match call {
            LibCall::Shim(shim, values) => invoke(*shim, values, tensors, &mut [out]),
            LibCall::Dispatch(_) => Err(self.error("the dispatcher makes its results".to_owned())),
        }
    }

    fn error(&self, reason: String) -> ShimError {
        ShimError::Call { call: "executor", reason }
    }
}

/// Calls a shim on values that were bound for it, whose tensors are these.
fn invoke(shim: Extern, values: &[Value], tensors: &[RawTensor], results: &mut [RawTensor]) -> Result<(), ShimError> {
    // SAFETY: the values were bound for this row; the executor's handles are live, one for each tensor that it took.
    let code = unsafe { shim.call(values, tensors, results) };
    Shim::get().check(shim.row.op.target(), code)
}
