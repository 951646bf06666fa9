//! Helpers that the tests share: the adapter that they run on, and the validator of what is written for it.
#![allow(dead_code, reason = "each test uses a part")]

use inductor_wgpu::{AdapterChoice, Gpu, OpenError};

/// The software adapter; `None`, and a loud line, where the machine has no adapter at all.
pub(crate) fn gpu() -> Option<Gpu> {
    match Gpu::open(&AdapterChoice::Software) {
        Ok(gpu) => Some(gpu),
        Err(error @ (OpenError::NoAdapter | OpenError::NoLoader { .. })) => {
            eprintln!("SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Checks a module as wgpu will, for an adapter with 64-bit integers and subgroups.
pub(crate) fn validate(text: &str) {
    let module =
        naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    let flags = naga::valid::ValidationFlags::all();
    let capabilities = naga::valid::Capabilities::SHADER_INT64 | naga::valid::Capabilities::SUBGROUP;
    let mut validator = naga::valid::Validator::new(flags, capabilities);
    validator.validate(&module).unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
}
