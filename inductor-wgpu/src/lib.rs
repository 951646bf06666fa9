//! The WebGPU backend: kernels on a grid of workgroups as WGSL, run by wgpu.
