//! Kernels of loop IR, compiled.

use inductor::device::Refusal;
use inductor::loop_ir::Kernel;

use crate::Gpu;
use crate::work::Work;

/// A kernel of loop IR as shaders, for all sizes.
pub struct GpuKernel {}

impl GpuKernel {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// What cannot be lowered to a grid, or what the device refuses.
    pub(crate) fn new(_gpu: &Gpu, kernel: &Kernel) -> Result<GpuKernel, Refusal> {
        Refusal::because(format!("{}: kernels of loop IR are not lowered yet", kernel.name))
    }

    /// The dispatches for these sizes.
    ///
    /// # Errors
    /// More groups than the device starts.
    pub(crate) fn launch(&self, _gpu: &Gpu, _sizes: &[i64]) -> Result<Work, Refusal> {
        Ok(Work::default())
    }

    /// The WGSL.
    pub(crate) fn listing(&self) -> String {
        String::new()
    }
}
