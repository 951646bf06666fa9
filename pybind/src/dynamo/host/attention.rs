//! The layout of what `scaled_dot_product_attention` gives on the CPU: that of the query where the fused kernel runs,
//! else row-major. Tensors on the device `meta` know nothing of that kernel, and torch's fakes lose the strides of
//! dimensions of size one.
//!
//! The conditions are those of `use_flash_attention_cpp` in ATen's `sdp_utils_cpp.cpp`.

use super::PyHost;
use crate::torch::Torch;
use fx::infer::{sizes::Sizes, strides};
use fx::{Arg, Graph, Meta, NodeId, TensorMeta};
use pyo3::prelude::*;
use symshapes::{DType, Device, Expr, Pool};

/// The parameters that may be given by position, in order.
const PARAMS: [&str; 6] = ["query", "key", "value", "attn_mask", "dropout_p", "is_causal"];

impl PyHost<'_> {
    /// Infers the result of the fused kernel for CPUs; `None` if another kernel runs, or that is not known.
    pub(super) fn fused_attention(&self, graph: &Graph, pool: &mut Pool, id: NodeId) -> PyResult<Option<Meta>> {
        let node = &graph[id];
        let of = |name: &str| {
            let at = PARAMS.iter().position(|param| *param == name).and_then(|at| node.args.get(at));
            at.or_else(|| node.kwargs.iter().find(|(given, _)| given == name).map(|(_, value)| value))
        };
        let tensor = |name: &str| of(name)?.as_node().and_then(|node| graph[node].tensor_meta());
        let (Some(q), Some(k), Some(v)) = (tensor("query"), tensor("key"), tensor("value")) else { return Ok(None) };
        let mask = match of("attn_mask") {
            None | Some(Arg::None) => None,
            Some(_) => match tensor("attn_mask") {
                Some(mask) => Some(mask),
                None => return Ok(None),
            },
        };
        let drops = !matches!(of("dropout_p"), None | Some(Arg::Int(0))) && of("dropout_p") != Some(&Arg::Float(0.0));
        let [flash, ..] = Torch::get(self.py)?.attention_kernels(self.py)?;
        if drops || !flash || !takes(pool, [q, k, v], mask) {
            return Ok(None);
        }
        let Some(strides) = strides::preserved(&mut Sizes::Proved(pool), q) else { return Ok(None) };
        let requires_grad = [q, k, v].iter().any(|t| t.requires_grad);
        Ok(Some(Meta::Tensor(TensorMeta { strides, offset: Expr::ZERO, requires_grad, ..q.clone() })))
    }
}

/// True if the kernel takes these operands.
fn takes(pool: &Pool, operands: [&TensorMeta; 3], mask: Option<&TensorMeta>) -> bool {
    let size = |t: &TensorMeta, dim: usize| pool.as_int(t.sizes[dim]);
    let [q, k, v] = operands;
    let fits = |t: &&TensorMeta| {
        t.device == Device::CPU
            && t.dtype == q.dtype
            && t.sizes.len() == 4
            && t.sizes.iter().all(|&size| pool.as_int(size).is_some_and(|size| size > 0))
            && t.strides.last().is_some_and(|&stride| pool.as_int(stride) == Some(1))
    };
    if !matches!(q.dtype, DType::F64 | DType::F32 | DType::BF16 | DType::F16) || !operands.iter().all(fits) {
        return false;
    }
    let is_alike = |t: &TensorMeta| [0, 1, 3].iter().all(|&dim| size(t, dim) == size(q, dim));
    let mask_fits = |mask: &TensorMeta| {
        let broadcasts = |dim: usize, to: Option<i64>| matches!(size(mask, dim), Some(1)) || size(mask, dim) == to;
        let rank = mask.sizes.len();
        let rows_fit = rank >= 2 && broadcasts(rank - 2, size(q, 2)) && broadcasts(rank - 1, size(k, 2));
        let heads_fit = rank == 2 || rank == 4 && broadcasts(0, size(q, 0)) && broadcasts(1, size(q, 1));
        !mask.requires_grad && rows_fit && heads_fit && (mask.dtype == DType::Bool || mask.dtype == q.dtype)
    };
    is_alike(k) && is_alike(v) && size(k, 2) == size(v, 2) && mask.is_none_or(mask_fits)
}
