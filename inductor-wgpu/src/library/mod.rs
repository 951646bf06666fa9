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
mod convolution_forward;
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

use fx::aten::Aten;
use inductor::device::{Refusal, Task};
use inductor::plan::{Call, Epilogue, Plan};

use crate::Gpu;
use crate::work::Work;
use call::Given;

/// An operator, and who writes its kernel.
struct Row {
    op: Aten,
    write: fn(&Gpu, &Given<'_>) -> Result<Task<Work>, Refusal>,
}

static ROWS: &[Row] = &[
    Row { op: Aten::mm_default, write: matmul::mm },
    Row { op: Aten::bmm_default, write: matmul::mm },
    Row { op: Aten::_int_mm_default, write: matmul::mm },
    Row { op: Aten::mv_default, write: matmul::mv },
    Row { op: Aten::dot_default, write: matmul::dot },
    Row { op: Aten::addmm_default, write: matmul::addmm },
    Row { op: Aten::baddbmm_default, write: matmul::addmm },
    Row { op: Aten::matmul_default, write: matmul::matmul },
    Row { op: Aten::linear_default, write: matmul::linear },
    Row { op: Aten::conv1d_default, write: convolution::convolution },
    Row { op: Aten::conv2d_default, write: convolution::convolution },
    Row { op: Aten::conv3d_default, write: convolution::convolution },
    Row { op: Aten::convolution_default, write: convolution::convolution },
    Row { op: Aten::convolution_backward_default, write: convolution::backward },
    Row { op: Aten::_scaled_dot_product_flash_attention_for_cpu_default, write: attention::attention },
    Row { op: Aten::_scaled_dot_product_flash_attention_for_cpu_backward_default, write: attention_backward::backward },
    Row { op: Aten::scaled_dot_product_attention_default, write: attention::attention },
    Row { op: Aten::embedding_dense_backward_default, write: scatter::embedding_backward },
    Row { op: Aten::scatter_src, write: scatter::along },
    Row { op: Aten::scatter_value, write: scatter::along },
    Row { op: Aten::scatter_reduce, write: scatter::along },
    Row { op: Aten::scatter_value_reduce, write: scatter::along },
    Row { op: Aten::scatter_add_default, write: scatter::along },
    Row { op: Aten::scatter_reduce_two, write: scatter::along },
    Row { op: Aten::index_copy_default, write: scatter::over },
    Row { op: Aten::index_fill_int_Scalar, write: scatter::over },
    Row { op: Aten::index_fill_int_Tensor, write: scatter::over },
    Row { op: Aten::index_reduce_default, write: scatter::over },
    Row { op: Aten::index_put_default, write: scatter::put },
    Row { op: Aten::_unsafe_index_put_default, write: scatter::put },
    Row { op: Aten::put_default, write: scatter::put_flat },
    Row { op: Aten::sort_default, write: sort::sort },
    Row { op: Aten::sort_stable, write: sort::sort },
    Row { op: Aten::topk_default, write: sort::topk },
    Row { op: Aten::cumsum_default, write: scan::sum },
    Row { op: Aten::cumprod_default, write: scan::product },
    Row { op: Aten::max_pool2d_default, write: pooling::forward },
    Row { op: Aten::max_pool2d_with_indices_default, write: pooling::forward },
    Row { op: Aten::max_pool3d_default, write: pooling::forward },
    Row { op: Aten::max_pool3d_with_indices_default, write: pooling::forward },
    Row { op: Aten::avg_pool1d_default, write: pooling::forward },
    Row { op: Aten::avg_pool2d_default, write: pooling::forward },
    Row { op: Aten::avg_pool3d_default, write: pooling::forward },
    Row { op: Aten::adaptive_avg_pool1d_default, write: pooling::forward },
    Row { op: Aten::adaptive_avg_pool2d_default, write: pooling::forward },
    Row { op: Aten::adaptive_avg_pool3d_default, write: pooling::forward },
    Row { op: Aten::_adaptive_avg_pool2d_default, write: pooling::forward },
    Row { op: Aten::_adaptive_avg_pool3d_default, write: pooling::forward },
    Row { op: Aten::adaptive_max_pool1d_default, write: pooling::forward },
    Row { op: Aten::adaptive_max_pool2d_default, write: pooling::forward },
    Row { op: Aten::adaptive_max_pool3d_default, write: pooling::forward },
    Row { op: Aten::max_pool2d_with_indices_backward_default, write: pooling::backward },
    Row { op: Aten::max_pool3d_with_indices_backward_default, write: pooling::backward },
    Row { op: Aten::avg_pool2d_backward_default, write: pooling::backward },
    Row { op: Aten::avg_pool3d_backward_default, write: pooling::backward },
    Row { op: Aten::_adaptive_avg_pool2d_backward_default, write: pooling::backward },
    Row { op: Aten::_adaptive_avg_pool3d_backward_default, write: pooling::backward },
    Row { op: Aten::adaptive_max_pool2d_backward_default, write: pooling::backward },
    Row { op: Aten::adaptive_max_pool3d_backward_default, write: pooling::backward },
];

/// True for an operator of which a kernel computes some calls.
pub fn has_kernel(op: Aten) -> bool {
    ROWS.iter().any(|row| row.op == op)
}

/// The kernel for a call.
///
/// # Errors
/// A call that none is for, with the reason.
pub(crate) fn find(gpu: &Gpu, call: &Call, epilogue: Option<&Epilogue>, plan: &Plan) -> Result<Task<Work>, Refusal> {
    let Some(row) = ROWS.iter().find(|row| call.target == row.op) else {
        return Refusal::because(format!("there is no library kernel for {}", call.target));
    };
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

/// The beginning of a shader that does one of `p.count` items in each of its threads, [`spread`] over workgroups of
/// [`THREADS`].
const BEGIN: &str = "
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
";
