//! The properties that guards check of every tensor at every call, and torch's global state, read without Python.
//!
//! Fields of libtorch at their places, and functions of its C++ by their mangled names: nobody promises to keep them.
//! Invariant: a [`Private`] exists only if everything in it says, of tensors that differ in it, what Python says.

use super::shim::{RawTensor, Shim};
use super::tensor::Info;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyString};
use std::ffi::c_void;
use std::{mem, ptr, slice};
use symshapes::DType;

/// The first part of a `c10::TensorImpl`.
#[repr(C)]
struct Implementation {
    /// Virtual functions, counts of references, storage.
    _head: [u64; 3],
    /// `autograd_meta_`; null if autograd has nothing to say.
    autograd: *const c_void,
    _extra: [u64; 3],
    rank: u64,
    /// Sizes and strides, [`INLINE`] of each; or for higher ranks the address of all sizes and then all strides.
    extents: Extents,
    _offset_and_count: [u64; 2],
    dtype: u16,
    device_type: i8,
    device_index: i8,
    _flags: u32,
    keys: u64,
}

/// Up to this rank a tensor has its sizes and strides in itself.
const INLINE: usize = 5;

#[repr(C)]
union Extents {
    inline: [i64; 2 * INLINE],
    outside: *const i64,
}

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
    /// `at::autocast::is_autocast_enabled`
    autocast: unsafe extern "C" fn(i8) -> bool,
    /// `at::autocast::get_autocast_dtype`
    autocast_dtype: unsafe extern "C" fn(i8) -> i8,
    /// `at::impl::PythonTorchFunctionTLS::stack_len`
    function_modes: unsafe extern "C" fn() -> i64,
    /// `c10::impl::TorchDispatchModeTLS::stack_len`
    dispatch_modes: unsafe extern "C" fn() -> i64,
    /// `c10::impl::tls_is_dispatch_key_included`
    includes_key: unsafe extern "C" fn(u16) -> bool,
    /// `torch::autograd::ForwardADLevel::has_any_level`
    dual_levels: Predicate,
    /// `torch::jit::tracer::getTracingState`, which gives a reference to a `std::shared_ptr`
    tracing_state: unsafe extern "C" fn() -> *const *const c_void,
    /// `c10::DispatchKey::FuncTorchDynamicLayerFrontMode`, which is included within a transform of `torch.func`.
    transform_key: u16,
}

/// A live tensor of torch's own classes, as guards look at it: what is not asked for is not read.
pub(crate) struct Look<'a> {
    private: &'a Private,
    tensor: RawTensor,
    /// The bits of its dispatch keys.
    pub(crate) keys: u64,
}

impl<'a> Look<'a> {
    /// Whether autograd follows it.
    #[inline]
    pub(crate) fn requires_grad(&self) -> bool {
        self.private.requires_grad(self.tensor)
    }

    /// Its metadata, if its sizes are its own: its keys are those of no subclass, and it has no symbols.
    #[inline]
    pub(crate) fn info(&self) -> Info<'a> {
        self.private.info(self.tensor)
    }
}

/// The guarded properties of a tensor, to be compared word by word.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TensorWords {
    /// The address of its Python class.
    class: usize,
    keys: u64,
    element: Element,
    requires_grad: bool,
    rank: usize,
    /// Sizes and strides as they are in the tensor; 0 behind the rank.
    extents: [i64; 2 * INLINE],
}

/// Element type and device of a tensor, torch's numbers of them.
type Element = (u16, i8, i8);

impl Implementation {
    #[inline]
    fn element(&self) -> Element {
        (self.dtype, self.device_type, self.device_index)
    }

    /// True if the sizes and strides, which are in the tensor itself, are those of words of the same rank.
    #[inline]
    fn has_extents(&self, words: &TensorWords) -> bool {
        // SAFETY: words are made of tensors of such ranks only; any number is an extent.
        let found = unsafe { &self.extents.inline };
        let differ = |at: usize| (found[at] ^ words.extents[at]) | (found[INLINE + at] ^ words.extents[INLINE + at]);
        (0..words.rank.min(INLINE)).fold(0, |all, at| all | differ(at)) == 0
    }

    /// The sizes and strides in the tensor itself, if they are there.
    fn inline_extents(&self) -> Option<(&[i64], &[i64])> {
        let rank = self.rank as usize;
        // SAFETY: up to this rank the extents are in the tensor, and any number is one.
        let extents = (rank <= INLINE).then_some(unsafe { &self.extents.inline })?;
        Some((&extents[..rank], &extents[INLINE..INLINE + rank]))
    }
}

impl Private {
    /// The guarded properties of a live tensor whose sizes are its own, and the address that they are read from; `None`
    /// if its rank is too high for them to be read as words.
    pub(super) fn words(&self, class: usize, tensor: RawTensor) -> Option<(TensorWords, usize)> {
        let implementation = implementation(tensor);
        let (sizes, strides) = implementation.inline_extents()?;
        let mut extents = [0; 2 * INLINE];
        extents[..sizes.len()].copy_from_slice(sizes);
        extents[INLINE..INLINE + strides.len()].copy_from_slice(strides);
        let words = TensorWords {
            class,
            keys: implementation.keys,
            element: implementation.element(),
            requires_grad: self.requires_grad(tensor),
            rank: sizes.len(),
            extents,
        };
        Some((words, ptr::from_ref(implementation) as usize))
    }

    /// True if a live tensor is still at the address of [`Private::words`], with the same words.
    #[inline]
    pub(super) fn has_words(&self, class: usize, tensor: RawTensor, words: &TensorWords, address: usize) -> bool {
        let found = implementation(tensor);
        ptr::from_ref(found) as usize == address
            && class == words.class
            && found.keys == words.keys
            && found.element() == words.element
            && found.rank as usize == words.rank
            && found.has_extents(words)
            && self.requires_grad(tensor) == words.requires_grad
    }

    /// The answers, if they agree with Python's. `cdata` gives the address of a Python tensor's `at::Tensor`.
    pub(super) fn checked(
        torch: &Bound<'_, PyModule>,
        cdata: impl Fn(&Bound<'_, PyAny>) -> RawTensor,
    ) -> PyResult<Option<Private>> {
        let key = transform_key(torch)?.call_method0("__int__")?.extract()?;
        let Some(private) = Private::find(Shim::get(), key) else { return Ok(None) };
        for tensor in samples(torch)? {
            let keys = torch.getattr("_C")?.call_method1("_dispatch_keys", (&tensor,))?;
            let raw = cdata(&tensor);
            let Ok(told) = super::tensor::info(raw) else { return Ok(None) };
            if private.dispatch_keys(raw) != keys.call_method0("raw_repr")?.extract::<u64>()?
                || private.requires_grad(raw) != tensor.getattr("requires_grad")?.extract::<bool>()?
                || private.info(raw) != told
            {
                return Ok(None);
            }
        }
        Ok(private.knows_the_state(torch)?.then_some(private))
    }

    fn find(shim: &Shim, transform_key: u16) -> Option<Private> {
        let address = |symbol: &str| shim.find(symbol);
        // SAFETY: each symbol is a function of the type that torch's headers declare for it; a C++ method without
        // virtual calls takes its object as the first argument, and the results are scalars or pointers.
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
                autocast: mem::transmute::<*const c_void, unsafe extern "C" fn(i8) -> bool>(address(
                    "_ZN2at8autocast19is_autocast_enabledEN3c1010DeviceTypeE\0",
                )?),
                autocast_dtype: mem::transmute::<*const c_void, unsafe extern "C" fn(i8) -> i8>(address(
                    "_ZN2at8autocast18get_autocast_dtypeEN3c1010DeviceTypeE\0",
                )?),
                function_modes: mem::transmute::<*const c_void, unsafe extern "C" fn() -> i64>(address(
                    "_ZN2at4impl22PythonTorchFunctionTLS9stack_lenEv\0",
                )?),
                dispatch_modes: mem::transmute::<*const c_void, unsafe extern "C" fn() -> i64>(address(
                    "_ZN3c104impl20TorchDispatchModeTLS9stack_lenEv\0",
                )?),
                includes_key: mem::transmute::<*const c_void, unsafe extern "C" fn(u16) -> bool>(address(
                    "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE\0",
                )?),
                dual_levels: mem::transmute::<*const c_void, Predicate>(address(
                    "_ZN5torch8autograd14ForwardADLevel13has_any_levelEv\0",
                )?),
                tracing_state: mem::transmute::<*const c_void, unsafe extern "C" fn() -> *const *const c_void>(
                    address("_ZN5torch3jit6tracer15getTracingStateEv\0")?,
                ),
                transform_key,
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
        agrees &= self.function_modes() == internal.call_method0("_len_torch_function_stack")?.extract::<i64>()?;
        agrees &= self.dispatch_modes() == internal.call_method0("_len_torch_dispatch_stack")?.extract::<i64>()?;
        agrees &= !self.is_transforming();
        agrees &= self.is_jit_tracing() == internal.call_method0("_is_tracing")?.extract::<bool>()?;
        let included = internal.getattr("_IncludeDispatchKeyGuard")?.call1((transform_key(torch)?,))?;
        included.call_method0("__enter__")?;
        agrees &= self.is_transforming();
        let none = torch.py().None();
        included.call_method1("__exit__", (&none, &none, &none))?;
        let forward = torch.getattr("autograd")?.getattr("forward_ad")?;
        let within = forward.getattr("_current_level")?.extract::<i64>()? >= 0;
        agrees &= self.has_dual_level() == within;
        // Levels do not nest.
        if !within {
            let level = forward.call_method0("enter_dual_level")?;
            agrees &= self.has_dual_level();
            forward.call_method("exit_dual_level", (), Some(&[("level", level)].into_py_dict(torch.py())?))?;
        }
        let default = torch.call_method0("get_default_dtype")?;
        for (code, name) in [(0, "cpu"), (1, "cuda")] {
            let enabled: bool = torch.call_method1("is_autocast_enabled", (name,))?.extract()?;
            agrees &= self.autocast(code).is_some() == enabled;
        }
        let known = DType::from_torch_code(self.default_dtype());
        let known = known.map(|dtype| torch.getattr(dtype.name())).transpose()?;
        Ok(agrees && known.is_some_and(|known| known.is(&default)))
    }

    /// Access to the guarded properties of a live tensor.
    #[inline]
    pub(super) fn look(&self, tensor: RawTensor) -> Look<'_> {
        Look { private: self, tensor, keys: self.dispatch_keys(tensor) }
    }

    /// The bits of a live tensor's dispatch keys.
    #[inline]
    pub(super) fn dispatch_keys(&self, tensor: RawTensor) -> u64 {
        implementation(tensor).keys
    }

    /// Whether autograd follows a live tensor.
    #[inline]
    pub(super) fn requires_grad(&self, tensor: RawTensor) -> bool {
        let implementation = implementation(tensor);
        // SAFETY: the argument is a live `TensorImpl`.
        !implementation.autograd.is_null() && unsafe { (self.requires_grad)(ptr::from_ref(implementation).cast()) }
    }

    /// The metadata of a live tensor whose sizes are its own: that of no subclass, and with no symbols.
    #[inline]
    pub(super) fn info<'a>(&self, tensor: RawTensor) -> Info<'a> {
        let implementation = implementation(tensor);
        let rank = implementation.rank as usize;
        // SAFETY: the rank says which of the two it is; either way `rank` sizes and `rank` strides are there, and stay
        // as long as the tensor is not changed.
        let (sizes, strides) = unsafe {
            let (sizes, strides) = if rank <= INLINE {
                let inline = &raw const implementation.extents.inline;
                (inline.cast::<i64>(), inline.cast::<i64>().add(INLINE))
            } else {
                let outside = implementation.extents.outside;
                (outside, outside.add(rank))
            };
            (slice::from_raw_parts(sizes, rank), slice::from_raw_parts(strides, rank))
        };
        let device = (i32::from(implementation.device_type), i32::from(implementation.device_index));
        Info { dtype: i32::from(implementation.dtype), sizes, strides, device }
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

    /// torch's number of the element type that autocast chooses on a device, by torch's number of its kind, if it is
    /// on.
    #[inline]
    pub(super) fn autocast(&self, device: i8) -> Option<i32> {
        // SAFETY: as above; the argument is the number of a kind of device that every build knows.
        unsafe { (self.autocast)(device).then(|| i32::from((self.autocast_dtype)(device))) }
    }

    /// The number of modes that override torch's functions, in this thread.
    #[inline]
    pub(super) fn function_modes(&self) -> i64 {
        // SAFETY: as above.
        unsafe { (self.function_modes)() }
    }

    /// The number of modes that override what torch dispatches, in this thread.
    #[inline]
    pub(super) fn dispatch_modes(&self) -> i64 {
        // SAFETY: as above.
        unsafe { (self.dispatch_modes)() }
    }

    /// Whether a transform of `torch.func` interprets what is dispatched, in this thread.
    #[inline]
    pub(super) fn is_transforming(&self) -> bool {
        // SAFETY: it may be called at any time, with any number of a key.
        unsafe { (self.includes_key)(self.transform_key) }
    }

    /// Whether a level of forward-mode differentiation is open, in any thread.
    #[inline]
    pub(super) fn has_dual_level(&self) -> bool {
        // SAFETY: it may be called at any time.
        unsafe { (self.dual_levels)() }
    }

    /// Whether `torch.jit.trace` records what is called, in this thread.
    #[inline]
    pub(super) fn is_jit_tracing(&self) -> bool {
        // SAFETY: it may be called at any time, and gives a reference to this thread's pointer, the first word of a
        // `shared_ptr`, which lives as long as the thread.
        unsafe { !(self.tracing_state)().read().is_null() }
    }

    /// torch's number of the element type that is made of Python floats.
    #[inline]
    pub(super) fn default_dtype(&self) -> i32 {
        // SAFETY: as above.
        i32::from(unsafe { (self.default_dtype)() })
    }
}

/// The key of torch's dispatcher that is included within a transform of `torch.func`.
fn transform_key<'py>(torch: &Bound<'py, PyModule>) -> PyResult<Bound<'py, PyAny>> {
    torch.getattr("_C")?.getattr("DispatchKey")?.getattr("FuncTorchDynamicLayerFrontMode")
}

/// The `c10::TensorImpl` of a live `at::Tensor`, which is a pointer to it.
#[inline]
fn implementation<'a>(tensor: RawTensor) -> &'a Implementation {
    // SAFETY: the caller has a live tensor; the fields lie within it, at places that `checked` has verified.
    unsafe { &*tensor.cast::<*const Implementation>().read() }
}

/// Tensors that differ in everything that is read.
fn samples<'py>(torch: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = torch.py();
    let made = |sizes: &[i64], name: &str, value: Bound<'py, PyAny>| {
        let named = PyDict::new(py);
        named.set_item(name, value)?;
        torch.getattr("empty")?.call((sizes.to_vec(),), Some(&named))
    };
    let text = |text: &str| PyString::new(py, text).into_any();
    let followed = |followed: bool| PyBool::new(py, followed).to_owned().into_any();
    Ok(vec![
        made(&[], "requires_grad", followed(false))?,
        made(&[7, 1, 5, 2, 3, 4], "requires_grad", followed(true))?,
        made(&[3, 2], "device", text("meta"))?,
        made(&[2, 3, 4, 5, 6], "dtype", torch.getattr("complex64")?)?.call_method0("conj")?,
        made(&[2, 3, 4], "dtype", torch.getattr("int64")?)?.call_method1("transpose", (0, 2))?,
        made(&[2, 3, 4, 5, 6, 7, 8], "dtype", torch.getattr("bool")?)?.call_method1("transpose", (1, 5))?,
    ])
}
