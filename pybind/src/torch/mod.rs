//! The binding's interface to torch: its C shim, the address of a Python tensor's `at::Tensor`, its Python objects.
//!
//! Nothing here is touched before torch is loaded; the first graph loads it (see [`Torch::get`]).

pub(crate) mod objects;
mod pool;
mod private;
pub(crate) mod shim;
pub(crate) mod tensor;

pub(crate) use objects::{Overrides, PORTABLE, Torch};
pub(crate) use pool::{library_reach, pool};
pub(crate) use private::TensorWords;
pub(crate) use shim::{RawTensor, Shim};
pub(crate) use tensor::{Info, Tensor, data_ptr};
