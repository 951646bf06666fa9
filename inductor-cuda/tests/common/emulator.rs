//! The emulator as a device for tests, on its own memory: a buffer is where the test has put it.

use super::device::{Device, Launch};
use inductor::store::Nowhere;
use inductor_cuda::{CudaError, Driver as _, Emulator, Function};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The emulator; without a C++ compiler, says so loudly and gives nothing.
///
/// # Panics
/// If the compiler fails at the runtime.
pub(crate) fn find() -> Option<&'static Emulator> {
    static FOUND: OnceLock<Result<Arc<Emulator>, CudaError>> = OnceLock::new();
    match FOUND.get_or_init(|| Emulator::find(&Nowhere)) {
        Ok(emulator) => Some(emulator),
        Err(error) if error.0.contains("no C++ compiler") => {
            eprintln!("SKIPPED: {error}; nothing was run");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

impl Device for Emulator {
    type Program = HashMap<String, Function>;

    fn load(&self, text: &str, kernels: &[&str]) -> Result<Self::Program, String> {
        let code = self.compile(text, kernels).map_err(message)?;
        let functions = inductor_cuda::Driver::load(self, &code, kernels).map_err(message)?;
        Ok(kernels.iter().map(|&name| name.to_owned()).zip(functions).collect())
    }

    fn allocate(&self, contents: &[u8]) -> Result<u64, String> {
        Emulator::allocate(self, contents).map_err(message)
    }

    fn read(&self, at: u64, contents: &mut [u8]) -> Result<(), String> {
        // SAFETY: as many bytes were allocated, and no launch runs: they are over when they return.
        unsafe { contents.as_mut_ptr().copy_from_nonoverlapping(at as *const u8, contents.len()) };
        Ok(())
    }

    fn free(&self, at: u64, bytes: usize) {
        // SAFETY: it was allocated by `allocate`, and is freed once.
        unsafe { Emulator::free(self, at, bytes) };
    }

    fn launch(&self, program: &Self::Program, launch: &Launch<'_>) -> Result<(), String> {
        let function = *program.get(launch.kernel).ok_or_else(|| format!("no kernel {}", launch.kernel))?;
        let size = (launch.groups, launch.threads);
        // SAFETY: the parameters and buffers are those that the kernel was printed with.
        unsafe { self.run(function, size, &mut launch.params(), launch.buffers) }.map_err(message)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn message(error: CudaError) -> String {
    error.0
}
