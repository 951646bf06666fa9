//! The CPU backend: loop IR to vectorised LLVM IR, compiled in process.
//!
//! A kernel becomes one function over a range of its root axis ([`emit`](self)), with vectors at the host's width
//! written out, elementary functions as polynomials, and tails under masks. A launch cuts the range into pieces and
//! runs them on a pool of its own.
//!
//! Absent: fusion, loop order, placement of buffers. All of that is decided when a kernel exists.

mod compile;
mod emit;
mod jit;
mod launch;
mod libm;
mod math;
mod target;

use compile::Listing;
use emit::Work;
use inductor::backend::{Backend, BackendError, Capabilities, CompiledKernel};
use inductor::loop_ir::{Kernel, Role};
use jit::Code;
use rayon::prelude::*;
use std::sync::Arc;
use symshapes::DType;

/// The backend's name.
const NAME: &str = "cpu";

/// The host's processor as a device.
#[derive(Debug)]
pub struct Cpu {
    capabilities: Capabilities,
}

impl Cpu {
    /// The host, as it is found.
    pub fn new() -> Cpu {
        let host = target::host();
        let every = DType::ALL.iter().copied().filter(|&d| !matches!(d, DType::C64 | DType::C128));
        let dtypes = every.filter(|&d| d != DType::F16 || host.f16).collect();
        Cpu { capabilities: Capabilities { vector_bytes: host.vector_bytes, dtypes, scratch_bytes: 1 << 18 } }
    }
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new()
    }
}

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        NAME
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn compile(&self, kernels: &[Kernel]) -> Result<Vec<Arc<dyn CompiledKernel>>, BackendError> {
        let one = |k| CpuKernel::new(k).map(|k| Arc::new(k) as Arc<dyn CompiledKernel>);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        launch::pool(threads).install(|| kernels.par_iter().map(one).collect())
    }
}

/// A kernel with its code.
pub struct CpuKernel {
    kernel: Kernel,
    code: Code,
    work: Work,
    scratch_bytes: usize,
    extent: i64,
    args: usize,
}

impl CpuKernel {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// A kernel that this backend cannot express, or that LLVM rejects.
    pub fn new(kernel: &Kernel) -> Result<CpuKernel, BackendError> {
        let code = compile::compile(kernel).map_err(|reason| BackendError {
            backend: NAME,
            kernel: kernel.name.clone(),
            reason,
        })?;
        let (work, scratch_bytes) = compile::facts(kernel);
        let extent = kernel.axes[kernel.root.axis].extent;
        let args = kernel.params.values().filter(|p| p.role != Role::Scratch).count();
        Ok(CpuKernel { kernel: kernel.clone(), code, work, scratch_bytes, extent, args })
    }

    /// The LLVM IR after optimisation.
    pub fn optimised(&self) -> String {
        self.text(Listing::Optimised)
    }

    /// The assembly of the host.
    pub fn assembly(&self) -> String {
        self.text(Listing::Assembly)
    }

    fn text(&self, what: Listing) -> String {
        compile::listing(&self.kernel, what).unwrap_or_else(|reason| reason)
    }
}

impl CompiledKernel for CpuKernel {
    unsafe fn launch(&self, args: &[*mut u8], threads: usize) {
        assert_eq!(args.len(), self.args, "{}: arguments", self.kernel.name);
        // SAFETY: the caller promises the addresses; the code lives as long as `self`.
        unsafe { launch::run(self.code.entry(), args, self.scratch_bytes, self.extent, self.work, threads) }
    }

    fn listing(&self) -> String {
        self.text(Listing::Emitted)
    }
}
