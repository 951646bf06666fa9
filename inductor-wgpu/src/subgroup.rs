//! Whether threads can exchange values in subgroups as the middle counts them: always as many, and in the order of the
//! threads' numbers.
//!
//! No specification promises either, so a shader is asked.

use inductor::device::{Content, Device, DeviceError, Stream};
use smallvec::smallvec;
use symshapes::DType;
use wgpu::{AdapterInfo, Features};

use crate::Gpu;
use crate::pipeline::{BindingKind, Shader};
use crate::work::{Dispatch, Operand, Work};

/// Threads of the shader's group.
const THREADS: u32 = 256;

/// The probe: a shader in which each thread records the size of its subgroup, and its number there.
const PROBE: &str = "
@group(0) @binding(0) var<storage, read_write> seen: array<u32>;
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    seen[thread] = (size << 16u) | lane;
}
";

/// The threads of a subgroup, where that is a power of two and the same everywhere.
pub(crate) fn size(gpu: &Gpu, info: &AdapterInfo) -> Option<u32> {
    let (least, most) = (info.subgroup_min_size, info.subgroup_max_size);
    let may = gpu.features().contains(Features::SUBGROUP) && least == most && least.is_power_of_two();
    let is_long = gpu.limits().max_compute_invocations_per_workgroup >= THREADS;
    let seen = if may && is_long { probe(gpu)? } else { return None };
    let expected = |thread: u32| (least << 16) | (thread % least);
    (0..THREADS).map(expected).eq(seen).then_some(least)
}

/// The records of the shader's threads; `None` if the device does not run it.
fn probe(gpu: &Gpu) -> Option<Vec<u32>> {
    let shader = gpu.shader(Shader { text: PROBE.to_owned(), bindings: vec![BindingKind::ReadWrite] }).ok()?;
    let operands = smallvec![Operand::Arg(0)];
    let work = Work::of(Dispatch { shader, operands, params: Vec::new(), groups: [1, 1, 1] });
    let mut seen = Vec::new();
    let mut run = || -> Result<(), DeviceError> {
        let mut stream = gpu.stream()?;
        let content = Content { dtype: DType::I32, bytes: 4 * THREADS as usize };
        let block = stream.allocate(content)?;
        stream.run(&work, &[&block])?;
        stream.download(&[(&block, content)], &mut |_, bytes| seen = bytemuck::pod_collect_to_vec(bytes))
    };
    run().ok().map(|()| seen)
}
