//! What the tests share: the adapter that they run on.
#![allow(dead_code, reason = "each test uses a part")]

use inductor::device::Content;
use inductor_wgpu::{AdapterChoice, Gpu, OpenError};
use symshapes::DType;

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

/// The bytes of numbers.
pub(crate) fn bytes(values: &[f32]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

/// So many floats.
pub(crate) fn floats(count: usize) -> Content {
    Content { dtype: DType::F32, bytes: 4 * count }
}
