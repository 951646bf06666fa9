//! Library kernels: what the middle leaves to a library, as WGSL of our own.

use cranelift_entity::PrimaryMap;
use inductor::device::{Refusal, Task};
use inductor::plan::{Buf, BufData, Call};

use crate::Gpu;
use crate::work::Work;

/// The kernel for a call.
///
/// # Errors
/// A call that none is for.
pub(crate) fn find(_gpu: &Gpu, call: &Call, _bufs: &PrimaryMap<Buf, BufData>) -> Result<Task<Work>, Refusal> {
    Refusal::because(format!("there is no library kernel for {}", call.target))
}
