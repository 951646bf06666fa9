//! Tensors by handle: owned ones, and the metadata of any.
//!
//! Invariant: a [`RawTensor`] that a function here takes points to a live `at::Tensor`.

use super::shim::{RawTensor, Shim, ShimError};
use pyo3::prelude::*;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

/// A tensor that we own a reference to.
#[derive(Debug)]
pub(crate) struct Tensor(NonNull<c_void>);

// SAFETY: an `at::Tensor` may be moved between threads; its reference count is atomic.
unsafe impl Send for Tensor {}
// SAFETY: the methods only read, and torch's tensors may be read from several threads.
unsafe impl Sync for Tensor {}

/// The metadata of a tensor; the slices belong to the tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Info<'a> {
    /// `c10::ScalarType`.
    pub(crate) dtype: i32,
    /// Elements along each dimension.
    pub(crate) sizes: &'a [i64],
    /// Elements between neighbours.
    pub(crate) strides: &'a [i64],
    /// Type and index of the device.
    pub(crate) device: DeviceCode,
}

/// `c10::DeviceType` and index of a device.
pub(crate) type DeviceCode = (i32, i32);

impl Tensor {
    /// Takes over a reference that the shim gave.
    ///
    /// # Safety
    /// `raw` is null, or a handle whose reference is ours.
    pub(crate) unsafe fn from_raw(raw: RawTensor) -> Option<Tensor> {
        NonNull::new(raw).map(Tensor)
    }

    /// The address, valid as long as `self`.
    pub(crate) fn raw(&self) -> RawTensor {
        self.0.as_ptr()
    }

    /// Gives the reference up to whoever takes the handle.
    pub(crate) fn into_raw(self) -> RawTensor {
        let raw = self.raw();
        std::mem::forget(self);
        raw
    }

    fn make(call: &'static str, f: impl FnOnce(&Shim, *mut RawTensor) -> i32) -> Result<Tensor, ShimError> {
        let shim = Shim::get();
        let mut raw = ptr::null_mut();
        let code = f(shim, &raw mut raw);
        shim.check(call, code)?;
        NonNull::new(raw).map(Tensor).ok_or_else(|| shim.error(call))
    }

    /// A new tensor without values.
    pub(crate) fn empty(
        sizes: &[i64],
        strides: &[i64],
        dtype: i32,
        (device, index): DeviceCode,
    ) -> Result<Tensor, ShimError> {
        debug_assert_eq!(sizes.len(), strides.len());
        let rank = sizes.len() as i64;
        // SAFETY: both slices have `rank` elements.
        Tensor::make("empty_strided", |shim, out| unsafe {
            (shim.empty_strided)(rank, sizes.as_ptr(), strides.as_ptr(), dtype, device, index, out)
        })
    }

    /// A tensor over memory of a device that somebody else owns.
    ///
    /// # Safety
    /// `data` holds the elements that the layout names and outlives the tensor and everything that shares its storage.
    pub(crate) unsafe fn over(
        data: *mut u8,
        sizes: &[i64],
        strides: &[i64],
        dtype: i32,
        (device, index): DeviceCode,
    ) -> Result<Tensor, ShimError> {
        let rank = sizes.len() as i64;
        // SAFETY: both slices have `rank` elements; the caller vouches for `data`.
        Tensor::make("create_tensor_from_blob", |shim, out| unsafe {
            (shim.from_blob)(data, rank, sizes.as_ptr(), strides.as_ptr(), 0, dtype, device, index, out)
        })
    }

    /// Another layout of a tensor's storage; `offset` counts from the tensor's first element.
    pub(crate) fn reinterpret(of: RawTensor, sizes: &[i64], strides: &[i64], offset: i64) -> Result<Tensor, ShimError> {
        let rank = sizes.len() as i64;
        // SAFETY: both slices have `rank` elements; `of` is live.
        Tensor::make("reinterpret_tensor", |shim, out| unsafe {
            (shim.reinterpret)(of, rank, sizes.as_ptr(), strides.as_ptr(), offset, out)
        })
    }

    /// Another reference to a tensor.
    pub(crate) fn share(of: RawTensor) -> Result<Tensor, ShimError> {
        // SAFETY: `of` is live.
        Tensor::make("new_tensor_handle", |shim, out| unsafe { (shim.new_handle)(of, out) })
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: the reference is ours and not used again. A failure could only leak.
        unsafe { (Shim::get().delete)(self.raw()) };
    }
}

/// Copies the elements of `from` into `to`, converting and broadcasting as `Tensor.copy_` does.
pub(crate) fn copy(to: RawTensor, from: RawTensor) -> Result<(), ShimError> {
    let shim = Shim::get();
    // SAFETY: both are live.
    shim.check("copy_", unsafe { (shim.copy)(to, from, 0) })
}

/// The address of the first element.
#[inline]
pub(crate) fn data_ptr(of: RawTensor) -> Result<*mut u8, ShimError> {
    let shim = Shim::get();
    let mut data = ptr::null_mut();
    // SAFETY: `of` is live.
    shim.check("get_data_ptr", unsafe { (shim.data_ptr)(of, &raw mut data) })?;
    Ok(data)
}

/// A tensor's metadata.
#[inline]
pub(crate) fn info<'a>(of: RawTensor) -> Result<Info<'a>, ShimError> {
    let shim = Shim::get();
    let (mut dtype, mut rank, mut device, mut index) = (0, 0, 0, 0);
    let (mut sizes, mut strides) = (ptr::null(), ptr::null());
    // SAFETY: `of` is live; each function writes its one result.
    let code = unsafe {
        (shim.dtype)(of, &raw mut dtype)
            | (shim.dim)(of, &raw mut rank)
            | (shim.sizes)(of, &raw mut sizes)
            | (shim.strides)(of, &raw mut strides)
            | (shim.device_type)(of, &raw mut device)
            | (shim.device_index)(of, &raw mut index)
    };
    shim.check("tensor metadata", code)?;
    let slice = |start: *const i64| match rank {
        0 => &[][..],
        // SAFETY: the tensor has `rank` sizes and strides; they live as long as its metadata is not changed.
        rank => unsafe { std::slice::from_raw_parts(start, rank as usize) },
    };
    Ok(Info { dtype, sizes: slice(sizes), strides: slice(strides), device: (device, index) })
}

impl From<ShimError> for PyErr {
    fn from(error: ShimError) -> PyErr {
        pyo3::exceptions::PyRuntimeError::new_err(error.to_string())
    }
}
