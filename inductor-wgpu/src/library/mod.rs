//! Library kernels: what the middle leaves to a library, as WGSL of our own.
//!
//! A row of [`ROWS`] says for an operator who writes its kernel. Every size, stride and offset is a number that the
//! shader is handed, so that one shader serves all shapes; its text depends on what the tensors are like (which operand
//! is transposed, whether there is a bias, of what dtype they are), never on how large they are, unless one is too long
//! to be bound at once (`elements`). Sums are in `float32`.
//!
//! Products take a kernel of loop IR with them, which is computed on each element before that is stored (`epilogue`).

mod attention;
mod attention_backward;
mod builder;
mod call;
mod convolution;
mod convolution_backward;
mod coordinates;
mod elements;
mod epilogue;
mod matmul;
mod pooling;
mod scan;
mod scatter;
mod sort;
mod sorting;
mod space;
mod tile;

use inductor::device::{Refusal, Task};
use inductor::plan::{Call, Epilogue, Plan};

use crate::Gpu;
use crate::work::Work;
use call::Given;

/// An operator, and who writes its kernel.
struct Row {
    target: &'static str,
    write: fn(&Gpu, &Given<'_>) -> Result<Task<Work>, Refusal>,
    /// True if another kernel may be computed with the result.
    fuses: bool,
}

static ROWS: &[Row] = &[
    Row { target: "aten.mm.default", write: matmul::mm, fuses: true },
    Row { target: "aten.bmm.default", write: matmul::mm, fuses: true },
    Row { target: "aten._int_mm.default", write: matmul::mm, fuses: true },
    Row { target: "aten.mv.default", write: matmul::mv, fuses: true },
    Row { target: "aten.dot.default", write: matmul::dot, fuses: true },
    Row { target: "aten.addmm.default", write: matmul::addmm, fuses: true },
    Row { target: "aten.baddbmm.default", write: matmul::addmm, fuses: true },
    Row { target: "aten.matmul.default", write: matmul::matmul, fuses: true },
    Row { target: "aten.linear.default", write: matmul::linear, fuses: true },
    Row { target: "aten.conv1d.default", write: convolution::convolution, fuses: true },
    Row { target: "aten.conv2d.default", write: convolution::convolution, fuses: true },
    Row { target: "aten.conv3d.default", write: convolution::convolution, fuses: true },
    Row { target: "aten.convolution.default", write: convolution::convolution, fuses: true },
    Row { target: "aten.convolution_backward.default", write: convolution_backward::backward, fuses: false },
    Row {
        target: "aten._scaled_dot_product_flash_attention_for_cpu.default",
        write: attention::attention,
        fuses: false,
    },
    Row {
        target: "aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
        write: attention_backward::backward,
        fuses: false,
    },
    Row { target: "aten.scaled_dot_product_attention.default", write: attention::attention, fuses: false },
    Row { target: "aten.embedding_dense_backward.default", write: scatter::embedding_backward, fuses: false },
    Row { target: "aten.scatter.src", write: scatter::along, fuses: false },
    Row { target: "aten.scatter.value", write: scatter::along, fuses: false },
    Row { target: "aten.scatter.reduce", write: scatter::along, fuses: false },
    Row { target: "aten.scatter.value_reduce", write: scatter::along, fuses: false },
    Row { target: "aten.scatter_add.default", write: scatter::along, fuses: false },
    Row { target: "aten.scatter_reduce.two", write: scatter::along, fuses: false },
    Row { target: "aten.index_copy.default", write: scatter::over, fuses: false },
    Row { target: "aten.index_fill.int_Scalar", write: scatter::over, fuses: false },
    Row { target: "aten.index_fill.int_Tensor", write: scatter::over, fuses: false },
    Row { target: "aten.index_reduce.default", write: scatter::over, fuses: false },
    Row { target: "aten.index_put.default", write: scatter::put, fuses: false },
    Row { target: "aten._unsafe_index_put.default", write: scatter::put, fuses: false },
    Row { target: "aten.put.default", write: scatter::put_flat, fuses: false },
    Row { target: "aten.sort.default", write: sort::sort, fuses: false },
    Row { target: "aten.sort.stable", write: sort::sort, fuses: false },
    Row { target: "aten.topk.default", write: sort::topk, fuses: false },
    Row { target: "aten.cumsum.default", write: scan::sum, fuses: false },
    Row { target: "aten.cumprod.default", write: scan::product, fuses: false },
    Row { target: "aten.max_pool2d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.max_pool2d_with_indices.default", write: pooling::forward, fuses: false },
    Row { target: "aten.max_pool3d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.max_pool3d_with_indices.default", write: pooling::forward, fuses: false },
    Row { target: "aten.avg_pool1d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.avg_pool2d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.avg_pool3d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.adaptive_avg_pool1d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.adaptive_avg_pool2d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.adaptive_avg_pool3d.default", write: pooling::forward, fuses: false },
    Row { target: "aten._adaptive_avg_pool2d.default", write: pooling::forward, fuses: false },
    Row { target: "aten._adaptive_avg_pool3d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.adaptive_max_pool1d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.adaptive_max_pool2d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.adaptive_max_pool3d.default", write: pooling::forward, fuses: false },
    Row { target: "aten.max_pool2d_with_indices_backward.default", write: pooling::backward, fuses: false },
    Row { target: "aten.max_pool3d_with_indices_backward.default", write: pooling::backward, fuses: false },
    Row { target: "aten.avg_pool2d_backward.default", write: pooling::backward, fuses: false },
    Row { target: "aten.avg_pool3d_backward.default", write: pooling::backward, fuses: false },
    Row { target: "aten._adaptive_avg_pool2d_backward.default", write: pooling::backward, fuses: false },
    Row { target: "aten._adaptive_avg_pool3d_backward.default", write: pooling::backward, fuses: false },
    Row { target: "aten.adaptive_max_pool2d_backward.default", write: pooling::backward, fuses: false },
    Row { target: "aten.adaptive_max_pool3d_backward.default", write: pooling::backward, fuses: false },
];

/// The kernel for a call.
///
/// # Errors
/// A call that none is for, with the reason.
pub(crate) fn find(gpu: &Gpu, call: &Call, epilogue: Option<&Epilogue>, plan: &Plan) -> Result<Task<Work>, Refusal> {
    let Some(row) = ROWS.iter().find(|row| row.target == call.target) else {
        return Refusal::because(format!("there is no library kernel for {}", call.target));
    };
    if epilogue.is_some() && !row.fuses {
        return Refusal::because(format!("no kernel is computed with {}", call.target));
    }
    (row.write)(gpu, &Given::new(call, epilogue, plan)?)
}

/// `a / b`, rounded up.
fn groups(items: i64, each: i64) -> Result<u32, Refusal> {
    u32::try_from((items + each - 1) / each).map_err(|_| Refusal(format!("{items} items are too many")))
}

/// Workgroups for so many items, along two dimensions: the second begins where the first has 0x8000.
fn spread(items: i64, each: i64) -> Result<[u32; 3], Refusal> {
    let all = groups(items, each)?;
    Ok([all.min(SHEET), all.div_ceil(SHEET), 1])
}

/// Workgroups along the first dimension of [`spread`]; devices start 65,535 at most along each.
const SHEET: u32 = 0x8000;

/// Threads of a workgroup that begins with [`BEGIN`].
const THREADS: i64 = 64;

/// How a shader begins that does one of `p.count` items in each of its threads, [`spread`] over workgroups of
/// [`THREADS`].
const BEGIN: &str = "
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
";
