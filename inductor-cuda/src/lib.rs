//! The CUDA backend: kernels on a grid of blocks as CUDA C++, compiled by NVRTC for the device at hand, and launched on
//! the caller's streams.
//!
//! [`program`] gives the text of grid kernels' stages, which NVRTC compiles without headers. [`Cuda`] is an opened
//! device: it compiles kernels of loop IR to [`CudaKernel`]s; a [`Work`] is a launch for known sizes, on addresses of
//! device memory that the caller owns. The crate allocates no memory of the device and never waits for it.
//!
//! A device is reached by its [`Driver`]: [`Nvidia`]'s, or for tests the [`Emulator`], whose memory is the processor's.
//!
//! Absent: memory of the device, streams, calls of libraries. They are PyTorch's, and whoever binds it sees to them.

mod driver;
mod emit;
mod emulator;
mod kernel;

pub use driver::{Driver, Function, Launch, Nvidia, Stream};
pub use emit::{print, program};
pub use emulator::{Emulator, Slice};
pub use kernel::{CudaKernel, Work};

use std::sync::{Arc, Mutex, PoisonError};

use fx::prim::Pointwise;
use inductor::backend::{self, BackendError};
use inductor::device::Refusal;
use inductor::grid::{Capabilities, GridKernel, lower};
use inductor::loop_ir::Kernel;
use inductor::store::{Key, Store};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use symshapes::DType;

use kernel::Compiled;

/// An error of the driver or the compiler.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("CUDA: {0}")]
pub struct CudaError(pub String);

/// The capabilities that every device of compute capability 8.0 and later has.
pub fn capabilities() -> Capabilities {
    let extremes = [Pointwise::Maximum, Pointwise::Minimum];
    let full = Capabilities::full();
    Capabilities { functions: full.functions.iter().copied().chain(extremes).collect(), ..full }
}

/// The kernel that fails as a device-side assertion of eager's does if a flag is set.
const CHECK: &str = r#"
extern "C" __global__ void check_index(const unsigned char* flag) {
  if (*flag) __assertfail("index out of bounds", "a compiled kernel", 0, "rust_inductor", 1);
}
"#;

/// An opened device.
pub struct Cuda {
    driver: Arc<dyn Driver>,
    store: Arc<dyn Store>,
    capabilities: backend::Capabilities,
    /// The functions of programs that were loaded, by what the program follows from.
    loaded: Mutex<FxHashMap<u128, Arc<[Function]>>>,
}

impl Cuda {
    /// The device of a driver. Machine code is kept in `store`.
    pub fn new(driver: Arc<dyn Driver>, store: Arc<dyn Store>) -> Cuda {
        tracing::info!(target: "inductor_cuda", device = driver.name(), compiler = driver.fingerprint(), "opened");
        let capabilities = backend::Capabilities {
            vector_bytes: 16,
            dtypes: DType::ALL.iter().copied().filter(|&d| !matches!(d, DType::C64 | DType::C128)).collect(),
            scratch_bytes: capabilities().shared_bytes as usize / 2,
            ..Default::default()
        };
        Cuda { driver, store, capabilities, loaded: Mutex::default() }
    }

    /// The device's name, as the driver gives it.
    pub fn name(&self) -> &str {
        self.driver.name()
    }

    /// The capabilities that kernels and plans should fit.
    pub fn capabilities(&self) -> &backend::Capabilities {
        &self.capabilities
    }

    /// Compiles kernels, in parallel; the results stand in the order of the kernels.
    pub fn compile(&self, kernels: &[&Kernel]) -> Vec<Result<Arc<CudaKernel>, Refusal>> {
        let compiled = self.compile_with(kernels, &capabilities());
        let kernels = kernels.iter().map(|&kernel| kernel.clone());
        kernels.zip(compiled).map(|(kernel, compiled)| CudaKernel::new(kernel, compiled).map(Arc::new)).collect()
    }

    /// Compiles the kernels of a plan, in parallel, in their order.
    ///
    /// # Errors
    /// The first kernel that cannot be compiled.
    pub fn compile_all<'k>(
        &self,
        kernels: impl IntoIterator<Item = &'k Kernel>,
    ) -> Result<Vec<Arc<CudaKernel>>, BackendError> {
        let kernels: Vec<&Kernel> = kernels.into_iter().collect();
        let compiled = self.compile(&kernels).into_iter().zip(&kernels);
        let named = |(compiled, kernel): (Result<_, Refusal>, &&Kernel)| {
            compiled.map_err(|Refusal(reason)| BackendError { backend: "cuda", kernel: kernel.name.clone(), reason })
        };
        compiled.map(named).collect()
    }

    fn compile_with(&self, kernels: &[&Kernel], caps: &Capabilities) -> Vec<Result<Compiled, Refusal>> {
        let mut grids: Vec<Result<GridKernel, Refusal>> =
            kernels.iter().map(|kernel| lower(kernel, caps).map_err(|error| Refusal(error.to_string()))).collect();
        // Kernels of one name may meet in one program.
        for (number, grid) in grids.iter_mut().flatten().enumerate() {
            grid.stages.iter_mut().for_each(|stage| stage.name = format!("{}_{number}", stage.name));
        }
        let programs = rayon::current_num_threads().min(kernels.len()).max(1);
        let each = kernels.len().div_ceil(programs).max(1);
        grids.par_chunks(each).flat_map_iter(|grids| self.compiled(grids)).collect()
    }

    /// Kernels that are compiled as one program.
    fn compiled(&self, grids: &[Result<GridKernel, Refusal>]) -> Vec<Result<Compiled, Refusal>> {
        let lowered: Vec<&GridKernel> = grids.iter().flatten().collect();
        let mut functions = self.functions(&lowered).map(Vec::into_iter);
        let compiled = |grid: &Result<GridKernel, Refusal>| {
            let grid = grid.clone()?;
            let functions = functions.as_mut().map_err(|refusal| refusal.clone())?;
            Ok(Compiled { grid, functions: functions.next().unwrap_or_default() })
        };
        grids.iter().map(compiled).collect()
    }

    /// The functions of each kernel's stages, compiled as one program.
    fn functions(&self, grids: &[&GridKernel]) -> Result<Vec<Vec<Function>>, Refusal> {
        let text = program(grids.iter().copied());
        let stages: Vec<&str> = grids.iter().flat_map(|grid| &grid.stages).map(|stage| stage.name.as_str()).collect();
        let all = self.program(&text, &stages).map_err(|error| Refusal(error.to_string()))?;
        let mut all = all.iter().copied();
        Ok(grids.iter().map(|grid| all.by_ref().take(grid.stages.len()).collect()).collect())
    }

    /// The functions of these names in a program: as they were loaded, from the store, or compiled.
    fn program(&self, text: &str, names: &[&str]) -> Result<Arc<[Function]>, CudaError> {
        if names.is_empty() {
            return Ok(Arc::default());
        }
        let (compiler, architecture) = (self.driver.fingerprint(), self.driver.architecture());
        let key = Key::new("cuda cubin", [compiler.as_bytes(), architecture.as_bytes(), text.as_bytes()]);
        let loaded = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(functions) = loaded().get(&key.short()) {
            return Ok(Arc::clone(functions));
        }
        let kept = self.store.get(&key).and_then(|code| self.driver.load(&code, names).ok());
        let functions = match kept {
            Some(functions) => functions,
            None => {
                let code = self.driver.compile(text, names)?;
                self.store.put(&key, &format!("CUDA code for {architecture}"), &code);
                self.driver.load(&code, names)?
            }
        };
        let functions: Arc<[Function]> = functions.into();
        loaded().insert(key.short(), Arc::clone(&functions));
        Ok(functions)
    }

    /// Has the stream fail, as an assertion of eager's does, if the byte at `flag` is not 0.
    ///
    /// # Errors
    /// The compiler's or the driver's.
    ///
    /// # Safety
    /// The address is that of a byte of the device's memory, which lives until the stream has done the work.
    pub unsafe fn check(&self, stream: Stream, flag: u64) -> Result<(), CudaError> {
        let functions = self.program(CHECK, &["check_index"])?;
        let mut flag = flag;
        let params = &mut [(&raw mut flag).cast()];
        let launch = Launch { function: functions[0], groups: [1, 1, 1], threads: 1, params, buffers: &[1] };
        // SAFETY: the function takes one pointer, for which the caller vouches.
        unsafe { self.driver.launch(stream, launch) }
    }
}
