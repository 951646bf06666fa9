//! The device-independent middle of the compiler: from an ATen graph to a [`plan::Plan`] of loop-IR kernels and calls.
//!
//! Invariant: this crate never names a device. A backend implements [`backend::Backend`].

pub mod backend;
pub mod loop_ir;
pub mod plan;
