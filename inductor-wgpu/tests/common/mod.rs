//! What the tests share: the adapter that they run on.
#![allow(dead_code, reason = "each test uses a part")]

use inductor_wgpu::{AdapterChoice, Gpu, OpenError};

/// The software adapter; `None`, and a loud line, where the machine has no adapter at all.
pub(crate) fn gpu() -> Option<Gpu> {
    match Gpu::open(&AdapterChoice::Software) {
        Ok(gpu) => Some(gpu),
        Err(OpenError::NoAdapter) => {
            eprintln!("SKIPPED: {}", OpenError::NoAdapter);
            None
        }
        Err(error) => panic!("{error}"),
    }
}
