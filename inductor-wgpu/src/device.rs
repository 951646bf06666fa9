//! The device for the middle: what it compiles kernels and calls to, and how it runs them.

use std::sync::Arc;

use inductor::backend::Capabilities;
use inductor::device::{Counters, Device, DeviceError, Refusal, Task};
use inductor::loop_ir::Kernel;
use inductor::plan::{Call, Epilogue, Plan};
use wgpu::Features;

use crate::adapter::{AdapterChoice, OpenError};
use crate::gpu::Gpu;
use crate::kernel::GpuKernel;
use crate::library;
use crate::memory::Memory;
use crate::stream::GpuStream;
use crate::subgroup;
use crate::work::Work;

/// Features that are used where the adapter has them.
const WANTED: Features = Features::SHADER_INT64.union(Features::SUBGROUP);

impl Gpu {
    /// Opens an adapter.
    ///
    /// # Errors
    /// None is there, none is as chosen, or it gives no device.
    pub fn open(choice: &AdapterChoice) -> Result<Gpu, OpenError> {
        Gpu::open_with(choice, WANTED)
    }

    /// Opens an adapter as one that has none of the optional features: what the least of devices does.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open_plain(choice: &AdapterChoice) -> Result<Gpu, OpenError> {
        Gpu::open_with(choice, Features::empty())
    }

    fn open_with(choice: &AdapterChoice, wanted: Features) -> Result<Gpu, OpenError> {
        let (mut gpu, info) = Gpu::without_subgroups(choice, wanted)?;
        gpu.subgroup = subgroup::size(&gpu, &info);
        gpu.trim();
        gpu.counters().reset();
        Ok(gpu)
    }
}

impl Device for Gpu {
    type Memory = Memory;
    type Kernel = GpuKernel;
    type Work = Work;
    type Stream = GpuStream;

    fn name(&self) -> &str {
        &self.shared.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn compile(&self, kernel: &Kernel) -> Result<GpuKernel, Refusal> {
        GpuKernel::new(self, kernel)
    }

    fn launch(&self, kernel: &GpuKernel, sizes: &[i64]) -> Result<Work, Refusal> {
        kernel.launch(self, sizes)
    }

    fn library(&self, call: &Call, epilogue: Option<&Epilogue>, plan: &Plan) -> Result<Task<Work>, Refusal> {
        library::find(self, call, epilogue, plan)
    }

    fn largest_buffer(&self) -> usize {
        usize::try_from(self.limits.max_buffer_size).unwrap_or(usize::MAX)
    }

    fn stream(&self) -> Result<GpuStream, DeviceError> {
        Ok(GpuStream::new(Arc::clone(&self.shared), self.usable()?))
    }

    fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    fn listing(&self, kernel: &GpuKernel) -> String {
        kernel.listing()
    }
}
