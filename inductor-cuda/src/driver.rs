//! The CUDA driver: a device's primary context, machine code that is loaded into it, and launches on its streams.
//!
//! PyTorch's runtime works in the same primary context, so addresses and streams of its tensors are valid here. The
//! driver library is found at run time; without one, [`Driver::open`] says so.
//!
//! Invariants: modules are never unloaded, so a [`Function`] is valid as long as the process; the calling thread's
//! current context is what it was before each call.

use std::ffi::{CString, c_void};
use std::ptr;

use cudarc::driver::result::{self, ctx, module, primary_ctx};
use cudarc::driver::sys::{CUcontext, CUdevice_attribute, CUfunction, CUstream, is_culib_present};
use cudarc::driver::{DriverError, result::device};

use crate::CudaError;

/// A kernel of a loaded module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Function(CUfunction);

// SAFETY: the handle of a function may be used from any thread, and its module is never unloaded.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// A stream of the device by the address that PyTorch gives for it (`torch.cuda.Stream.cuda_stream`); 0 is the default
/// stream.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stream(pub usize);

/// A device's primary context.
pub(crate) struct Driver {
    context: CUcontext,
    /// The device's name.
    pub(crate) name: String,
    /// The architecture that NVRTC compiles for, such as `sm_90`.
    pub(crate) architecture: String,
}

// SAFETY: a context may be current in any number of threads.
unsafe impl Send for Driver {}
// SAFETY: as above.
unsafe impl Sync for Driver {}

impl Driver {
    /// Opens the device of this number among those that are visible.
    ///
    /// # Errors
    /// There is no driver, or no such device.
    pub(crate) fn open(ordinal: i32) -> Result<Driver, CudaError> {
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
            Ok(Driver { context, name, architecture: format!("sm_{major}{minor}") })
        };
        open().map_err(|error| failed("opening the device", error))
    }

    /// The functions of these names in machine code, which is loaded.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) fn load(&self, cubin: &[u8], names: &[&str]) -> Result<Vec<Function>, CudaError> {
        self.in_context(|| {
            // SAFETY: the bytes are a whole cubin as NVRTC made it, which the driver copies.
            let module = unsafe { module::load_data(cubin.as_ptr().cast()) }?;
            let find = |name: &&str| {
                let name = CString::new(*name).unwrap_or_default();
                // SAFETY: the module was loaded above, and stays so.
                unsafe { module::get_function(module, name) }.map(Function)
            };
            names.iter().map(find).collect()
        })
        .map_err(|error| failed("loading a program", error))
    }

    /// Starts a function on a stream and returns at once.
    ///
    /// # Errors
    /// The driver's, which may be that of an earlier launch.
    ///
    /// # Safety
    /// `params` are the addresses of the function's parameters, of the types that it was compiled with; memory that
    /// they point to is the device's and lives until the stream has done the work.
    #[inline]
    pub(crate) unsafe fn launch(
        &self,
        function: Function,
        [x, y, z]: [u32; 3],
        threads: u32,
        Stream(stream): Stream,
        params: &mut [*mut c_void],
    ) -> Result<(), CudaError> {
        let stream = ptr::without_provenance_mut::<c_void>(stream) as CUstream;
        self.in_context(|| {
            // SAFETY: the function's module is loaded; the caller vouches for the parameters.
            unsafe { result::launch_kernel(function.0, (x, y, z), (threads, 1, 1), 0, stream, params) }
        })
        .map_err(|error| failed("a launch", error))
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

fn failed(what: &str, error: DriverError) -> CudaError {
    CudaError(format!("{what}: {error}"))
}
