//! Helpers of several tests: devices, their compiler, and the golden kernels.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod device;
pub(crate) mod emulator;
pub(crate) mod gpu;
pub(crate) mod nvrtc;

use inductor::loop_ir::Kernel;
use std::path::{Path, PathBuf};

/// The folder of the golden kernels.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../inductor/tests/golden/grid")
}

/// The golden kernels with their names.
pub(crate) fn goldens() -> Vec<(String, Kernel)> {
    Kernel::read_folder(&folder()).expect("the goldens are kernels")
}
