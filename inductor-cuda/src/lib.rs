//! The CUDA backend: kernels on a grid of blocks as CUDA C++.
//!
//! So far the emitter alone: [`print()`] gives the text of a grid kernel's stages, which NVRTC compiles without
//! headers. Launching is absent.

mod emit;

pub use emit::print;

use inductor::grid::Capabilities;

/// What every device of compute capability 8.0 and later has.
pub fn capabilities() -> Capabilities {
    Capabilities::full()
}
