//! The layout of `scaled_dot_product_attention`'s result on the CPU: that of the query where the fused kernel runs,
//! else row-major. Tensors on the device `meta` know nothing of that kernel, and torch's fakes lose the strides of
//! dimensions of size one.
//!
//! The conditions are those of `use_flash_attention_cpp` in ATen's `sdp_utils_cpp.cpp`.

use super::PyHost;
use crate::torch::Torch;
use fx::infer::{sizes::Sizes, strides};
use fx::{Arg, Graph, Meta, NodeId, TensorMeta};
use pyo3::prelude::*;
use symshapes::{DType, Device, EnvError, Expr, ShapeEnv};

/// The parameters that may be given by position, in order.
const PARAMS: [&str; 6] = ["query", "key", "value", "attn_mask", "dropout_p", "is_causal"];

/// The operator to which guards are attributed.
const AT: &str = "scaled_dot_product_attention";

impl PyHost<'_> {
    /// Infers the result of the fused kernel for CPUs; `None` if another kernel runs, or that is not known. Which one
    /// runs is decided under guards; the error says why it cannot be.
    pub(super) fn fused_attention(
        &self,
        graph: &Graph,
        env: &mut ShapeEnv,
        id: NodeId,
    ) -> PyResult<Option<Result<Meta, String>>> {
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
        if drops || !flash {
            return Ok(None);
        }
        match takes(env, [q, k, v], mask) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Ok(Some(Err(error.to_string()))),
        }
        let Some(strides) = strides::preserved(&mut Sizes::Guarded { env, at: AT }, q) else { return Ok(None) };
        let requires_grad = [q, k, v].iter().any(|t| t.requires_grad);
        Ok(Some(Ok(Meta::Tensor(TensorMeta { strides, offset: Expr::ZERO, requires_grad, ..q.clone() }))))
    }
}

/// True if the kernel takes these operands.
fn takes(env: &mut ShapeEnv, operands: [&TensorMeta; 3], mask: Option<&TensorMeta>) -> Result<bool, EnvError> {
    let [q, k, _] = operands;
    let dtypes = [DType::F64, DType::F32, DType::BF16, DType::F16];
    let is_plain = |t: &&TensorMeta| t.device == Device::CPU && t.dtype == q.dtype && t.sizes.len() == 4;
    if !dtypes.contains(&q.dtype) || !operands.iter().all(is_plain) {
        return Ok(false);
    }
    for (which, t) in operands.into_iter().enumerate() {
        for (dim, &size) in t.sizes.iter().enumerate() {
            let has_items = env.pool_mut().lt(Expr::ZERO, size);
            // The key and the value are as long as each other, whatever the query is.
            let like = if dim == 2 { [q, k, k] } else { [q, q, q] };
            if !env.evaluate(has_items, AT)? || !is_equal(env, size, like[which].sizes[dim])? {
                return Ok(false);
            }
        }
        if !is_equal(env, t.strides[3], Expr::ONE)? {
            return Ok(false);
        }
    }
    let Some(mask) = mask else { return Ok(true) };
    let rank = mask.sizes.len();
    if mask.requires_grad || !matches!(rank, 2 | 4) || mask.dtype != DType::Bool && mask.dtype != q.dtype {
        return Ok(false);
    }
    let full = [q.sizes[0], q.sizes[1], q.sizes[2], k.sizes[2]];
    for (&size, &to) in mask.sizes.iter().zip(&full[4 - rank..]) {
        if !is_equal(env, size, Expr::ONE)? && !is_equal(env, size, to)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_equal(env: &mut ShapeEnv, a: Expr, b: Expr) -> Result<bool, EnvError> {
    let equal = env.pool_mut().eq(a, b);
    env.evaluate(equal, AT)
}
