//! The first CUDA device, by way of its driver.

use super::device::{Device, Launch};
use super::nvrtc::{self, Nvrtc};
use cudarc::driver::sys::CUmodule;
use cudarc::driver::{CudaContext, DriverError, result};
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

/// A device and its compiler.
pub(crate) struct Gpu {
    context: Arc<CudaContext>,
    nvrtc: &'static Nvrtc,
    /// Such as `sm_90`.
    architecture: String,
}

/// The first device; without one, says so loudly and gives nothing.
pub(crate) fn find() -> Option<&'static Gpu> {
    static FOUND: OnceLock<Option<Gpu>> = OnceLock::new();
    let found = FOUND.get_or_init(open);
    if found.is_none() {
        eprintln!("SKIPPED: no CUDA device; nothing was run");
    }
    found.as_ref()
}

fn open() -> Option<Gpu> {
    // SAFETY: this only looks whether there is a driver by a name that cudarc knows.
    let is_there = unsafe { cudarc::driver::sys::is_culib_present() };
    let context = is_there.then(|| CudaContext::new(0).ok()).flatten()?;
    let (major, minor) = context.compute_capability().ok()?;
    Some(Gpu { context, nvrtc: nvrtc::find()?, architecture: format!("sm_{major}{minor}") })
}

impl Device for Gpu {
    /// The module is never unloaded.
    type Program = CUmodule;

    fn load(&self, text: &str, _kernels: &[&str]) -> Result<CUmodule, String> {
        self.context.bind_to_thread().map_err(message)?;
        let cubin = self.nvrtc.compile(text, &self.architecture)?.cubin;
        // SAFETY: the bytes are a whole cubin, which the driver copies.
        unsafe { result::module::load_data(cubin.as_ptr().cast()) }.map_err(message)
    }

    fn allocate(&self, contents: &[u8]) -> Result<u64, String> {
        self.context.bind_to_thread().map_err(message)?;
        // SAFETY: as many bytes are allocated as are copied.
        unsafe {
            let at = result::malloc_sync(contents.len()).map_err(message)?;
            result::memcpy_htod_sync(at, contents).map_err(message)?;
            Ok(at)
        }
    }

    fn read(&self, at: u64, contents: &mut [u8]) -> Result<(), String> {
        self.context.synchronize().map_err(message)?;
        // SAFETY: as many bytes were allocated.
        unsafe { result::memcpy_dtoh_sync(contents, at) }.map_err(message)
    }

    fn free(&self, at: u64, _bytes: usize) {
        // SAFETY: it was allocated by `malloc_sync` and is freed once; a device that has failed has freed it already.
        unsafe { result::free_sync(at) }.ok();
    }

    fn launch(&self, program: &CUmodule, launch: &Launch<'_>) -> Result<(), String> {
        let name = CString::new(launch.kernel).expect("names are identifiers");
        let [x, y, z] = launch.groups;
        // SAFETY: the module is loaded and stays so; the parameters are those that the kernel was printed with, and
        // their memory outlives the launch.
        unsafe {
            let function = result::module::get_function(*program, name).map_err(message)?;
            let (groups, threads) = ((x, y, z), (launch.threads, 1, 1));
            result::launch_kernel(function, groups, threads, 0, std::ptr::null_mut(), &mut launch.params())
        }
        .map_err(message)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn message(error: DriverError) -> String {
    error.to_string()
}
