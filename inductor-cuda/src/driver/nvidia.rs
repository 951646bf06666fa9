//! NVIDIA's driver: a device's primary context, machine code that is loaded into it, and launches on its streams.
//!
//! PyTorch's runtime works in the same primary context, so addresses and streams of its tensors are valid here. The
//! driver library is found at run time; without one, [`Nvidia::open`] says so.
//!
//! Invariant: the calling thread's current context is what it was before each call.

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::ptr;

use cudarc::driver::result::{self, ctx, module, primary_ctx};
use cudarc::driver::sys::{CUcontext, CUdevice_attribute, CUfunction, CUstream, is_culib_present};
use cudarc::driver::{DriverError, result::device};

use super::nvrtc::Nvrtc;
use super::{Driver, Function, Launch, Stream};
use crate::CudaError;

/// A device's primary context.
pub struct Nvidia {
    context: CUcontext,
    name: String,
    architecture: String,
    nvrtc: &'static Nvrtc,
}

// SAFETY: a context may be current in any number of threads.
unsafe impl Send for Nvidia {}
// SAFETY: as above.
unsafe impl Sync for Nvidia {}

impl Nvidia {
    /// Opens the device of this number among those that are visible; `folders` are where NVRTC may lie.
    ///
    /// # Errors
    /// There is no driver, no such device, or no compiler.
    pub fn open(ordinal: i32, folders: &[PathBuf]) -> Result<Nvidia, CudaError> {
        // SAFETY: this only looks whether there is a library by one of the driver's names.
        if !unsafe { is_culib_present() } {
            return Err(CudaError("no CUDA driver (libcuda) was found".to_owned()));
        }
        let open = || {
            result::init()?;
            let device = device::get(ordinal)?;
            let attribute = |which| {
                // SAFETY: the device was found above.
                unsafe { device::get_attribute(device, which) }
            };
            let major = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
            let minor = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
            let name = device::get_name(device)?;
            // SAFETY: the device was found above. The reference is kept as long as the process.
            let context = unsafe { primary_ctx::retain(device) }?;
            Ok((context, name, format!("sm_{major}{minor}")))
        };
        let (context, name, architecture) = open().map_err(|error| failed("opening the device", error))?;
        Ok(Nvidia { context, name, architecture, nvrtc: Nvrtc::find(folders)? })
    }

    /// Runs `f` with the device's context current in this thread.
    #[inline]
    fn in_context<T>(&self, f: impl FnOnce() -> Result<T, DriverError>) -> Result<T, DriverError> {
        let before = ctx::get_current()?;
        if before == Some(self.context) {
            return f();
        }
        // SAFETY: the context is retained as long as the process, and the one before is the thread's own.
        unsafe { ctx::set_current(self.context) }?;
        let done = f();
        // SAFETY: as above.
        unsafe { ctx::set_current(before.unwrap_or(ptr::null_mut())) }?;
        done
    }
}

impl Driver for Nvidia {
    fn name(&self) -> &str {
        &self.name
    }

    fn architecture(&self) -> &str {
        &self.architecture
    }

    fn fingerprint(&self) -> String {
        self.nvrtc.fingerprint()
    }

    fn compile(&self, text: &str, _names: &[&str]) -> Result<Vec<u8>, CudaError> {
        self.nvrtc.compile(text, &self.architecture)
    }

    fn load(&self, code: &[u8], names: &[&str]) -> Result<Vec<Function>, CudaError> {
        self.in_context(|| {
            // SAFETY: the bytes are a whole cubin as NVRTC made it, which the driver copies.
            let module = unsafe { module::load_data(code.as_ptr().cast()) }?;
            let find = |name: &&str| {
                let name = CString::new(*name).unwrap_or_default();
                // SAFETY: the module was loaded above, and stays so.
                unsafe { module::get_function(module, name) }
                    .map(|function| Function(function.expose_provenance() as u64))
            };
            names.iter().map(find).collect()
        })
        .map_err(|error| failed("loading a program", error))
    }

    #[inline]
    unsafe fn launch(&self, Stream(stream): Stream, launch: Launch<'_>) -> Result<(), CudaError> {
        let Launch { function: Function(function), groups: [x, y, z], threads, params, .. } = launch;
        let function = ptr::with_exposed_provenance_mut::<c_void>(function as usize) as CUfunction;
        let stream = ptr::without_provenance_mut::<c_void>(stream) as CUstream;
        self.in_context(|| {
            // SAFETY: the function's module is loaded; the caller vouches for the parameters.
            unsafe { result::launch_kernel(function, (x, y, z), (threads, 1, 1), 0, stream, params) }
        })
        .map_err(|error| failed("a launch", error))
    }
}

fn failed(what: &str, error: DriverError) -> CudaError {
    CudaError(format!("{what}: {error}"))
}
