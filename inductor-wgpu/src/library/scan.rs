//! `cumsum` and `cumprod`: a workgroup for each line of a tensor, 1024 elements at a time.
//!
//! A thread goes over four neighbours, the threads' totals are scanned in workgroup memory, and what a slab ends with
//! is carried to the next. So far apart elements are added in a tree, which errs less than one after the other would.

use inductor::device::{Refusal, Task};
use symshapes::DType;

use super::builder::Builder;
use super::call::Given;
use super::coordinates::at_least_one;
use super::elements::Element;
use super::sort::Lines;
use super::spread;
use crate::Gpu;
use crate::work::Work;

/// `cumsum`.
pub(super) fn sum(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    scan(gpu, given, "+", 0)
}

/// `cumprod`.
pub(super) fn product(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    scan(gpu, given, "*", 1)
}

fn scan(gpu: &Gpu, given: &Given<'_>, with: &str, neutral: u32) -> Result<Task<Work>, Refusal> {
    let (input, out) = (at_least_one(given.any("self")?), at_least_one(&given.result()?));
    if out.dtype == DType::I64 && !gpu.has_wide_ints() {
        return Refusal::because("a sum of int64, of which the device has 32 bits");
    }
    if input.dtype.is_float() && !out.dtype.is_float() || out.dtype == DType::Bool {
        return Refusal::because(format!("a scan of {} as {}", input.dtype, out.dtype));
    }
    let lines = Lines::of(given, &input)?;
    let mut builder = Builder::new(gpu, given.plan);
    let count = lines.dims.count();
    builder.int("count", count)?;
    builder.int("extent", input.layout.sizes[lines.dim])?;
    lines.dims.declare(&mut builder)?;
    builder.reads("input", &lines.arranged(&input), &lines.names())?;
    builder.writes("out", &lines.arranged(&out), &lines.names())?;
    let text = TEXT
        .replace("COORDINATES", &lines.dims.apart("line"))
        .replace("INPUT", &lines.element("input", "place"))
        .replace("OUT", &lines.element("out", "place"))
        .replace("NEUTRAL", &format!("TYPE({neutral})"))
        .replace("TYPE", Element::of(gpu, out.dtype)?.value())
        .replace("WITH", with);
    builder.finish(&text, spread(count, 1)?)
}

const TEXT: &str = "
var<workgroup> totals: array<TYPE, 256>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let line = group.x + group.y * 0x8000u;
    if (line >= p.count) { return; }
COORDINATES
    var carried = NEUTRAL;
    for (var start = 0u; start < p.extent; start += 1024u) {
        var own: array<TYPE, 4>;
        var total = NEUTRAL;
        for (var i = 0u; i < 4u; i++) {
            let place = start + thread * 4u + i;
            if (place < p.extent) { total = total WITH TYPE(input_get(INPUT)); }
            own[i] = total;
        }
        totals[thread] = total;
        workgroupBarrier();
        for (var apart = 1u; apart < 256u; apart = apart << 1u) {
            var both = totals[thread];
            if (thread >= apart) { both = totals[thread - apart] WITH both; }
            workgroupBarrier();
            totals[thread] = both;
            workgroupBarrier();
        }
        var before = carried;
        if (thread > 0u) { before = carried WITH totals[max(thread, 1u) - 1u]; }
        for (var i = 0u; i < 4u; i++) {
            let place = start + thread * 4u + i;
            if (place < p.extent) { out_put(OUT, before WITH own[i]); }
        }
        carried = carried WITH totals[255];
        workgroupBarrier();
    }
}
";
