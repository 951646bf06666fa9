//! Backward of embedding: rows of a gradient are added up where they were looked up, in the order of the look-ups.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};

use super::builder::{Builder, joined};
use super::call::Given;
use super::groups;
use crate::Gpu;
use crate::work::Work;

/// Threads of a workgroup.
const THREADS: i64 = 64;

/// Rows along a dimension of workgroups, of which devices start 65,535 at most.
const SHEET: i64 = 0x8000;

const FILL: &str = "
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y + id.z * 0x8000u;
    if (id.x < p.width && row < p.rows) { out_put(p.out_offset + row * p.out_row + id.x * p.out_column, 0.0); }
}
";

const ADD: &str = "
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.width) { return; }
    for (var i = 0u; i < p.batches; i++) {
        for (var j = 0u; j < p.length; j++) {
            let row = u32(indices_get(p.indices_offset + i * p.indices_batch + j * p.indices_row));
            if (row < p.rows && row != p.padding) {
                let at = p.out_offset + row * p.out_row + id.x * p.out_column;
                out_put(at, out_get(at) + grad_get(p.grad_offset + i * p.grad_batch + j * p.grad_row + id.x * p.grad_column));
            }
        }
    }
}
";

/// `embedding_dense_backward`, not scaled by frequency: a thread for each column.
pub(super) fn backward(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    if given.bool("scale_grad_by_freq")? {
        return Refusal::because("a gradient that is scaled by frequency");
    }
    let (grad, indices) = (padded(given.tensor("grad_output")?, 3)?, padded(given.integers("indices")?, 2)?);
    let out = given.result()?;
    let [rows, width] = out.layout.sizes[..] else { return Refusal::because("a table's rank") };
    let mut fill = Builder::new(gpu, given.plan);
    fill.int("rows", rows)?;
    fill.int("width", width)?;
    fill.writes("out", &out, &["row", "column"])?;
    let fill = fill.finish(FILL, [groups(width, THREADS)?, groups(rows.min(SHEET), 1)?, groups(rows, SHEET)?])?;
    let mut add = Builder::new(gpu, given.plan);
    let padding = given.int("padding_idx")?;
    let sizes = [("batches", indices.layout.sizes[0]), ("length", indices.layout.sizes[1])];
    for (name, value) in sizes.into_iter().chain([("rows", rows), ("width", width)]) {
        add.int(name, value)?;
    }
    // No row has this number.
    add.int("padding", if padding < 0 { rows } else { padding })?;
    add.reads("grad", &grad, &["batch", "row", "column"])?;
    add.reads("indices", &indices, &["batch", "row"])?;
    add.updates("out", &out, &["row", "column"])?;
    let add = add.finish(ADD, [groups(width, THREADS)?, 1, 1])?;
    Ok(joined(vec![fill, add]))
}

/// The view with so many dimensions, missing ones before the others.
fn padded(view: &View, rank: usize) -> Result<View, Refusal> {
    let Layout { sizes, strides, offset } = &view.layout;
    let missing = rank.checked_sub(sizes.len()).ok_or_else(|| Refusal("look-ups of more dimensions".to_owned()))?;
    let pad = |fill: i64, rest: &[i64]| std::iter::repeat_n(fill, missing).chain(rest.iter().copied()).collect();
    let layout = Layout { sizes: pad(1, sizes), strides: pad(0, strides), offset: *offset };
    Ok(View { layout, ..view.clone() })
}
