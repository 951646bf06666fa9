//! libtorch's C shim, found by name at run time.
//!
//! Invariants: a [`Shim`] exists only if every function of the table was found; it is loaded once and never unloaded.
//! Every function returns 0 on success; the text of a failure is kept per thread by libtorch.

use libloading::Library;
use pyo3::ffi::PyObject;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::sync::OnceLock;

/// The address of an `at::Tensor`.
pub(crate) type RawTensor = *mut c_void;

/// A function of the shim is not there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShimError {
    /// The library cannot be opened.
    #[error("libtorch cannot be opened: {0}")]
    Library(#[from] libloading::Error),
    /// A function is missing.
    #[error("libtorch has no `{0}`")]
    Missing(&'static str),
    /// A call failed.
    #[error("{call}: {reason}")]
    Call {
        /// The function.
        call: &'static str,
        /// The message of torch.
        reason: String,
    },
}

/// Declares the functions, one row each: field, symbol, type.
macro_rules! functions {
    ($($(#[$doc:meta])* $field:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions that every plan needs.
        pub(crate) struct Shim {
            library: Library,
            /// Wraps a tensor for Python; absent before torch 2.14.
            pub(super) to_python: Option<unsafe extern "C" fn(RawTensor, *mut c_void, *mut *mut PyObject) -> i32>,
            /// The number of threads that torch uses.
            num_threads: Option<unsafe extern "C" fn() -> i32>,
            /// The text of this thread's last error; absent before torch 2.12.
            what: Option<unsafe extern "C" fn() -> *const c_char>,
            $($(#[$doc])* pub(super) $field: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Shim {
            fn load(library: Library) -> Result<Shim, ShimError> {
                // SAFETY: each symbol has the type that torch's headers declare for it.
                unsafe {
                    Ok(Shim {
                        to_python: library.get(b"torch_tensor_to_pyobject\0").ok().map(|s| *s),
                        what: library.get(b"torch_exception_get_what_without_backtrace\0").ok().map(|s| *s),
                        num_threads: library.get(b"_ZN2at15get_num_threadsEv\0").ok().map(|s| *s),
                        $($field: *library
                            .get(concat!($symbol, "\0").as_bytes())
                            .map_err(|_| ShimError::Missing($symbol))?,)*
                        library,
                    })
                }
            }
        }
    };
}

functions! {
    delete = "aoti_torch_delete_tensor_object": fn(RawTensor) -> i32;
    new_handle = "aoti_torch_new_tensor_handle": fn(RawTensor, *mut RawTensor) -> i32;
    data_ptr = "aoti_torch_get_data_ptr": fn(RawTensor, *mut *mut u8) -> i32;
    dtype = "aoti_torch_get_dtype": fn(RawTensor, *mut i32) -> i32;
    dim = "aoti_torch_get_dim": fn(RawTensor, *mut i64) -> i32;
    sizes = "aoti_torch_get_sizes": fn(RawTensor, *mut *const i64) -> i32;
    strides = "aoti_torch_get_strides": fn(RawTensor, *mut *const i64) -> i32;
    device_type = "aoti_torch_get_device_type": fn(RawTensor, *mut i32) -> i32;
    device_index = "aoti_torch_get_device_index": fn(RawTensor, *mut i32) -> i32;
    empty_strided = "aoti_torch_empty_strided": fn(i64, *const i64, *const i64, i32, i32, i32, *mut RawTensor) -> i32;
    from_blob = "aoti_torch_create_tensor_from_blob":
        fn(*mut u8, i64, *const i64, *const i64, i64, i32, i32, i32, *mut RawTensor) -> i32;
    reinterpret = "aoti_torch__reinterpret_tensor":
        fn(RawTensor, i64, *const i64, *const i64, i64, *mut RawTensor) -> i32;
    copy = "aoti_torch_copy_": fn(RawTensor, RawTensor, i32) -> i32;
}

static SHIM: OnceLock<Result<Shim, String>> = OnceLock::new();

impl Shim {
    /// Loads the shim from torch's `lib` folder, once.
    pub(crate) fn init(lib: &Path) -> Result<&'static Shim, String> {
        let load = || {
            // SAFETY: torch has loaded this library already, so no initialiser runs.
            let library = unsafe { Library::new(lib) }.map_err(ShimError::from)?;
            Shim::load(library)
        };
        SHIM.get_or_init(|| load().map_err(|e| e.to_string())).as_ref().map_err(Clone::clone)
    }

    /// The shim.
    ///
    /// # Panics
    /// If it was never loaded: whoever owns a tensor has gone through [`Shim::init`].
    pub(crate) fn get() -> &'static Shim {
        SHIM.get().and_then(|s| s.as_ref().ok()).expect("a tensor exists, so the shim is loaded")
    }

    /// The address of another function of the library.
    pub(crate) fn find(&self, symbol: &str) -> Option<*const c_void> {
        // SAFETY: only the address is taken; whoever calls it states its type.
        let found = unsafe { self.library.get::<*const c_void>(symbol.as_bytes()) }.ok()?;
        Some(*found)
    }

    /// The number of threads that torch uses now.
    pub(crate) fn num_threads(&self) -> Option<usize> {
        // SAFETY: `int at::get_num_threads()` takes nothing and may be called at any time.
        self.num_threads.map(|f| usize::try_from(unsafe { f() }).unwrap_or(1).max(1))
    }

    /// The error of the last call of this thread.
    pub(crate) fn error(&self, call: &'static str) -> ShimError {
        // SAFETY: the text is valid until this thread's next error, and copied before that.
        let what = self.what.map_or(std::ptr::null(), |what| unsafe { what() });
        let reason = if what.is_null() {
            "unknown error".to_owned()
        } else {
            // SAFETY: not null, and NUL-terminated by contract.
            unsafe { CStr::from_ptr(what) }.to_string_lossy().into_owned()
        };
        ShimError::Call { call, reason }
    }

    pub(crate) fn check(&self, call: &'static str, code: i32) -> Result<(), ShimError> {
        if code == 0 { Ok(()) } else { Err(self.error(call)) }
    }
}
