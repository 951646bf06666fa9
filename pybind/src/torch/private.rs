//! What the shim does not tell and Python tells slowly: a tensor's dispatch keys, whether autograd follows it, and
//! torch's global state.
//!
//! A field of libtorch at its place, and functions of its C++ by their mangled names: nobody promises to keep them.
//! Invariant: a [`Private`] exists only if everything in it says, of tensors that differ in it, what Python says.

use super::shim::{RawTensor, Shim};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::c_void;
use std::mem;
use symshapes::DType;

/// Bytes from the start of a `c10::TensorImpl` to its `key_set_`.
const KEY_SET: usize = 168;

type Predicate = unsafe extern "C" fn() -> bool;

/// libtorch's own answers.
pub(super) struct Private {
    /// `c10::TensorImpl::requires_grad`
    requires_grad: unsafe extern "C" fn(*const c_void) -> bool,
    /// `c10::GradMode::is_enabled`
    grad_mode: Predicate,
    /// `c10::InferenceMode::is_enabled`
    inference_mode: Predicate,
    /// `c10::get_default_dtype_as_scalartype`
    default_dtype: unsafe extern "C" fn() -> i8,
}

impl Private {
    /// The answers, if they agree with Python's. `cdata` gives the address of a Python tensor's `at::Tensor`.
    pub(super) fn checked(
        torch: &Bound<'_, PyModule>,
        cdata: impl Fn(&Bound<'_, PyAny>) -> RawTensor,
    ) -> PyResult<Option<Private>> {
        let Some(private) = Private::find(Shim::get()) else { return Ok(None) };
        for tensor in samples(torch)? {
            let keys = torch.getattr("_C")?.call_method1("_dispatch_keys", (&tensor,))?;
            let raw = cdata(&tensor);
            if private.dispatch_keys(raw) != keys.call_method0("raw_repr")?.extract::<u64>()?
                || private.requires_grad(raw) != tensor.getattr("requires_grad")?.extract::<bool>()?
            {
                return Ok(None);
            }
        }
        Ok(private.knows_the_state(torch)?.then_some(private))
    }

    fn find(shim: &Shim) -> Option<Private> {
        let address = |symbol: &str| shim.find(symbol);
        // SAFETY: each symbol is a function of the type that torch's headers declare for it; a C++ method without
        // virtual calls takes its object as the first argument, and the results are scalars.
        unsafe {
            Some(Private {
                requires_grad: mem::transmute::<*const c_void, unsafe extern "C" fn(*const c_void) -> bool>(address(
                    "_ZNK3c1010TensorImpl13requires_gradEv\0",
                )?),
                grad_mode: mem::transmute::<*const c_void, Predicate>(address("_ZN3c108GradMode10is_enabledEv\0")?),
                inference_mode: mem::transmute::<*const c_void, Predicate>(address(
                    "_ZN3c1013InferenceMode10is_enabledEv\0",
                )?),
                default_dtype: mem::transmute::<*const c_void, unsafe extern "C" fn() -> i8>(address(
                    "_ZN3c1031get_default_dtype_as_scalartypeEv\0",
                )?),
            })
        }
    }

    /// Compares the global state with Python's, gradients on and off.
    fn knows_the_state(&self, torch: &Bound<'_, PyModule>) -> PyResult<bool> {
        let internal = torch.getattr("_C")?;
        let before: bool = torch.call_method0("is_grad_enabled")?.extract()?;
        let mut agrees = self.grad_mode() == before;
        internal.call_method1("_set_grad_enabled", (!before,))?;
        agrees &= self.grad_mode() != before;
        internal.call_method1("_set_grad_enabled", (before,))?;
        agrees &= self.inference_mode() == torch.call_method0("is_inference_mode_enabled")?.extract::<bool>()?;
        let default = torch.call_method0("get_default_dtype")?;
        let known = DType::from_torch_code(self.default_dtype());
        let known = known.map(|dtype| torch.getattr(dtype.name())).transpose()?;
        Ok(agrees && known.is_some_and(|known| known.is(&default)))
    }

    /// The bits of a live tensor's dispatch keys.
    #[inline]
    pub(super) fn dispatch_keys(&self, tensor: RawTensor) -> u64 {
        let implementation = implementation(tensor);
        // SAFETY: the field lies within the live object, at a place that `checked` has verified.
        unsafe { implementation.cast::<u8>().add(KEY_SET).cast::<u64>().read() }
    }

    /// Whether autograd follows a live tensor.
    #[inline]
    pub(super) fn requires_grad(&self, tensor: RawTensor) -> bool {
        // SAFETY: the argument is a live `TensorImpl`.
        unsafe { (self.requires_grad)(implementation(tensor)) }
    }

    /// Whether operations record gradients, in this thread.
    #[inline]
    pub(super) fn grad_mode(&self) -> bool {
        // SAFETY: it takes nothing and may be called at any time; so may the others.
        unsafe { (self.grad_mode)() }
    }

    /// Whether tensors are made that can never record gradients, in this thread.
    #[inline]
    pub(super) fn inference_mode(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.inference_mode)() }
    }

    /// torch's number of the element type that is made of Python floats.
    #[inline]
    pub(super) fn default_dtype(&self) -> i32 {
        // SAFETY: as above.
        i32::from(unsafe { (self.default_dtype)() })
    }
}

/// The `c10::TensorImpl` of a live `at::Tensor`, which is a pointer to it.
#[inline]
fn implementation(tensor: RawTensor) -> *const c_void {
    // SAFETY: the caller has a live tensor.
    unsafe { tensor.cast::<*const c_void>().read() }
}

/// Tensors that differ in their keys and in whether autograd follows them.
fn samples<'py>(torch: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let made = |options: &[(&str, Bound<'py, PyAny>)]| {
        let named = PyDict::new(torch.py());
        options.iter().try_for_each(|(name, value)| named.set_item(name, value))?;
        torch.getattr("empty")?.call((1,), Some(&named))
    };
    let text = |text: &str| pyo3::types::PyString::new(torch.py(), text).into_any();
    let yes = pyo3::types::PyBool::new(torch.py(), true).to_owned().into_any();
    Ok(vec![
        made(&[])?,
        made(&[("requires_grad", yes)])?,
        made(&[("device", text("meta"))])?,
        made(&[("dtype", torch.getattr("complex64")?)])?.call_method0("conj")?,
    ])
}
