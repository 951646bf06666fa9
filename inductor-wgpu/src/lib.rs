//! The WebGPU backend: kernels on a grid of workgroups as WGSL, run by wgpu.
//!
//! [`Gpu`] is an [`inductor::device::Device`] (module `device`). Modules: `adapter` (which one), `gpu` with `opened`
//! (opened, and again after a loss), `memory` (blocks, pooled), `pipeline` (shaders by text), `stream` (one run, in as
//! few submissions as there are times the host must wait), `kernel` (loop IR), `library` (matrix products, convolutions
//! and the like), `subgroup` (whether threads exchange values).
//!
//! Invariants: nothing here panics for what a driver does: out of memory, validation and a lost device are values of
//! [`inductor::device::DeviceError`]. `unsafe` stands in `loader` alone, which asks whether the system has a Vulkan
//! loader.
//!
//! Absent: which steps run here and where values are (`inductor::offload`); tensors and Python (`pybind`).

mod adapter;
mod device;
mod gpu;
mod kernel;
mod library;
mod loader;
mod memory;
mod opened;
mod pipeline;
mod stream;
mod subgroup;
pub mod wgsl;
mod work;

pub use adapter::{AdapterChoice, OpenError};
pub use gpu::Gpu;
pub use kernel::GpuKernel;
pub use library::has_kernel;
pub use memory::Memory;
pub use pipeline::{BindingKind, Shader, ShaderId};
pub use stream::GpuStream;
pub use work::{Dispatch, Operand, Work};
