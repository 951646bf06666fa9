//! From loop IR to a grid kernel.

use super::{Capabilities, GridKernel};
use crate::loop_ir::Kernel;

/// Why a kernel does not run on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel}: {reason}")]
pub struct Unsupported {
    /// The kernel's name.
    pub kernel: String,
    /// What the device lacks.
    pub reason: String,
}

/// The kernel in the form that a device of these capabilities runs.
///
/// # Errors
/// What the device lacks.
pub fn lower(kernel: &Kernel, _caps: &Capabilities) -> Result<GridKernel, Unsupported> {
    Err(Unsupported { kernel: kernel.name.clone(), reason: "no strategy".to_owned() })
}
