//! The layout of `scaled_dot_product_attention`'s result on the CPU: that of the query where the fused kernel runs,
//! row-major where attention drops weights and is composed of products. Tensors on the device `meta` know nothing of
//! that kernel, and torch's fakes lose the strides of dimensions of size one.
//!
//! The conditions are those of `use_flash_attention_cpp` in ATen's `sdp_utils_cpp.cpp`, the composition that of
//! `_scaled_dot_product_attention_math`, whose last step is a product.

use super::PyHost;
use crate::torch::Torch;
use fx::infer::{sizes::Sizes, strides};
use fx::{Arg, Graph, Meta, NodeId, TensorMeta};
use pyo3::prelude::*;
use symshapes::{DType, Device, EnvError, Expr, ShapeEnv};

/// The parameters that a rule here reads and that may be given by position, in order.
const PARAMS: [&str; 6] = ["query", "key", "value", "attn_mask", "dropout_p", "is_causal"];

/// The operator to which guards are attributed.
const AT: &str = "scaled_dot_product_attention";

impl PyHost<'_> {
    /// Infers the result of attention on the CPU; `None` if it is not known which kernel runs. Which one runs is
    /// decided under guards; the error says why it cannot be.
    pub(super) fn attention(
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
        let drops = match of("dropout_p") {
            None | Some(Arg::Int(0)) => false,
            Some(Arg::Float(p)) if (0.0..=1.0).contains(p) => *p > 0.0,
            Some(_) => return Ok(None),
        };
        // A mask beside `is_causal` is refused.
        if mask.is_some() && !matches!(of("is_causal"), None | Some(Arg::Bool(false))) {
            return Ok(None);
        }
        let groups = match of("enable_gqa") {
            Some(Arg::Bool(true)) => Groups::Many,
            None | Some(Arg::Bool(false)) => Groups::One,
            Some(_) => return Ok(None),
        };
        let torch = Torch::get(self.py)?;
        let [flash, _, math, ..] = torch.attention_kernels(self.py)?;
        let operands = Operands { q, k, v, mask, groups };
        // The fused kernel has no gradient of the mask.
        let kernel = match drops || mask.is_some_and(|mask| mask.requires_grad) {
            true => Kernel::Composed,
            false => Kernel::Fused,
        };
        let takes = match kernel {
            Kernel::Fused if !flash => Ok(false),
            Kernel::Fused if torch.fused_attention_groups(self.py)? => operands.suit_fused(env),
            Kernel::Fused => Operands { groups: Groups::None, ..operands }.suit_fused(env),
            Kernel::Composed => operands.fit(env).map(|fit| fit && math),
        };
        match takes {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Ok(Some(Err(error.to_string()))),
        }
        let mut sizes = q.sizes.clone();
        let strides = match kernel {
            Kernel::Fused => strides::preserved(&mut Sizes::Guarded { env, at: AT }, q),
            Kernel::Composed => {
                sizes[3] = v.sizes[3];
                Some(strides::contiguous(env.pool_mut(), &sizes))
            }
        };
        let Some(strides) = strides else { return Ok(None) };
        let requires_grad = [q, k, v].into_iter().chain(mask).any(|t| t.requires_grad);
        Ok(Some(Ok(Meta::Tensor(TensorMeta { sizes, strides, offset: Expr::ZERO, requires_grad, ..q.clone() }))))
    }
}

/// The implementations of attention on the CPU.
#[derive(Clone, Copy)]
enum Kernel {
    /// `_scaled_dot_product_flash_attention_for_cpu`
    Fused,
    /// `_scaled_dot_product_attention_math`, of products, a softmax and dropout.
    Composed,
}

/// The keys and values that may have fewer heads than the query.
#[derive(Clone, Copy)]
enum Groups {
    /// None.
    None,
    /// Keys and values of one head: it is broadcast.
    One,
    /// Keys and values whose number of heads divides the query's as well (`enable_gqa`).
    Many,
}

/// The tensors that attention is given.
#[derive(Clone, Copy)]
struct Operands<'a> {
    q: &'a TensorMeta,
    k: &'a TensorMeta,
    v: &'a TensorMeta,
    mask: Option<&'a TensorMeta>,
    groups: Groups,
}

impl Operands<'_> {
    /// True if the fused kernel takes them.
    fn suit_fused(&self, env: &mut ShapeEnv) -> Result<bool, EnvError> {
        let Operands { q, k, v, .. } = *self;
        if !self.fit(env)? || !is_equal(env, q.sizes[3], v.sizes[3])? {
            return Ok(false);
        }
        for t in [q, k, v] {
            if !is_equal(env, t.strides[3], Expr::ONE)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True if they are floats of four dimensions with items, of one type and batch, whose sizes and heads fit each
    /// other, and the mask fits them.
    fn fit(&self, env: &mut ShapeEnv) -> Result<bool, EnvError> {
        let Operands { q, k, v, .. } = *self;
        let dtypes = [DType::F64, DType::F32, DType::BF16, DType::F16];
        let is_plain = |t: &TensorMeta| t.device == Device::CPU && t.dtype == q.dtype && t.sizes.len() == 4;
        if !dtypes.contains(&q.dtype) || ![q, k, v].into_iter().all(is_plain) {
            return Ok(false);
        }
        for &size in [q, k, v].into_iter().flat_map(|t| &t.sizes) {
            let has_items = env.pool_mut().lt(Expr::ZERO, size);
            if !env.evaluate(has_items, AT)? {
                return Ok(false);
            }
        }
        // The key and the value are as long as each other, whatever the query is.
        for (one, other, dim) in [(q, k, 0), (q, v, 0), (k, v, 1), (k, v, 2), (q, k, 3)] {
            if !is_equal(env, one.sizes[dim], other.sizes[dim])? {
                return Ok(false);
            }
        }
        Ok(self.heads_fit(env)? && self.mask_fits(env)?)
    }

    fn heads_fit(&self, env: &mut ShapeEnv) -> Result<bool, EnvError> {
        let (heads, shared) = (self.q.sizes[1], self.k.sizes[1]);
        if is_equal(env, heads, shared)? {
            return Ok(true);
        }
        match self.groups {
            Groups::None => Ok(false),
            Groups::One => is_equal(env, shared, Expr::ONE),
            Groups::Many => {
                let rest = env.pool_mut().modulo(heads, shared);
                is_equal(env, rest, Expr::ZERO)
            }
        }
    }

    fn mask_fits(&self, env: &mut ShapeEnv) -> Result<bool, EnvError> {
        let Operands { q, k, mask: Some(mask), .. } = *self else { return Ok(true) };
        let rank = mask.sizes.len();
        if !matches!(rank, 2 | 4) || mask.dtype != DType::Bool && mask.dtype != q.dtype {
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
}

fn is_equal(env: &mut ShapeEnv, a: Expr, b: Expr) -> Result<bool, EnvError> {
    let equal = env.pool_mut().eq(a, b);
    env.evaluate(equal, AT)
}
