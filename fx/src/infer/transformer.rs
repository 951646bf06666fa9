//! Layers of a transformer that the processor runs in one call.

use super::{
    Rule,
    call::{Call, Result, tuple},
};
use crate::{aten::Packet, graph::Meta};
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] =
    &[(Packet::_native_multi_head_attention, multi_head), (Packet::_transformer_encoder_layer_fwd, encoder_layer)];

/// Demands that parameters of a layer are of the input's type and have these sizes.
fn parameters(c: &mut Call, x: &TensorMeta, wanted: &[(&str, &[Expr])]) -> Result<()> {
    for (name, sizes) in wanted {
        c.one_dtype(x, c.tensor(name)?)?;
        c.demand_sizes(name, sizes).map_err(|_| c.unsupported("parameters of other sizes"))?;
    }
    Ok(())
}

/// The input of a layer of the processor: a batch of rows as wide as the layer, whose projections are checked.
fn layer_input<'a>(c: &mut Call<'a>, name: &str, heads: &str) -> Result<(&'a TensorMeta, Expr)> {
    let (x, width) = (c.tensor(name)?, c.expr("embed_dim")?);
    if x.device.kind != DeviceKind::Cpu || !matches!(x.dtype, DType::F32 | DType::F64) {
        return Err(c.unsupported("a layer on a device, or of other numbers"));
    }
    let [_, _, columns] = x.sizes[..] else { return c.fits(None) };
    if x.sizes.iter().any(|&size| c.pool.as_int(size) == Some(0)) {
        return Err(c.unsupported("a layer without elements"));
    }
    c.demand_equal(columns, width)?;
    let heads = c.int(heads)?;
    c.fits((heads > 0).then_some(()))?;
    let rest = c.pool.modulo_int(width, heads);
    c.demand_equal(rest, Expr::ZERO)?;
    let all = c.pool.mul_int(width, 3);
    parameters(c, x, &[("qkv_weight", &[all, width]), ("qkv_bias", &[all])])?;
    Ok((x, width))
}

/// Demands that a mask, if there is one, has a truth value for what its type says.
fn masked(c: &mut Call, x: &TensorMeta, heads: &str) -> Result<()> {
    let Some(mask) = c.opt_tensor("mask")? else { return Ok(()) };
    let heads = c.expr(heads)?;
    let (batch, rows) = (x.sizes[0], x.sizes[1]);
    let wanted = match c.opt_int("mask_type")? {
        Some(0) => vec![rows, rows],
        Some(1) => vec![batch, rows],
        Some(2) => vec![batch, heads, rows, rows],
        _ => return Err(c.unsupported("a mask of no type")),
    };
    let is_alike = mask.dtype == DType::Bool && mask.sizes == wanted;
    if is_alike { Ok(()) } else { Err(c.unsupported("a mask of other sizes, or of numbers")) }
}

/// Attention of several heads with its projections, and the weights where they are asked for.
fn multi_head(c: &mut Call) -> Result {
    let (x, width) = layer_input(c, "query", "num_head")?;
    for name in ["key", "value"] {
        c.one_dtype(x, c.tensor(name)?)?;
        c.demand_sizes(name, &x.sizes)?;
    }
    masked(c, x, "num_head")?;
    let columns = *c.fits(c.tensor("proj_weight")?.sizes.first())?;
    parameters(c, x, &[("proj_weight", &[columns, width]), ("proj_bias", &[columns])])?;
    let (batch, rows, heads) = (x.sizes[0], x.sizes[1], c.expr("num_head")?);
    let out = c.contiguous(x, x.dtype, vec![batch, rows, columns]);
    if !c.bool("need_weights")? {
        return Ok(Meta::Tuple(vec![Some(out.into()), None]));
    }
    let of_head = if c.bool("average_attn_weights")? { vec![] } else { vec![heads] };
    let weights = c.contiguous(x, x.dtype, [&[batch], &of_head[..], &[rows, rows]].concat());
    Ok(tuple([out, weights]))
}

/// A layer of an encoder: attention and two products, each with a norm.
fn encoder_layer(c: &mut Call) -> Result {
    let (x, width) = layer_input(c, "src", "num_heads")?;
    masked(c, x, "num_heads")?;
    let inner = *c.fits(c.tensor("ffn_weight_1")?.sizes.first())?;
    let row: &[Expr] = &[width];
    let norms = ["norm_weight_1", "norm_bias_1", "norm_weight_2", "norm_bias_2"].map(|name| (name, row));
    parameters(c, x, &norms)?;
    parameters(c, x, &[("proj_weight", &[width, width]), ("proj_bias", row)])?;
    parameters(c, x, &[("ffn_weight_1", &[inner, width]), ("ffn_bias_1", &[inner])])?;
    parameters(c, x, &[("ffn_weight_2", &[width, inner]), ("ffn_bias_2", row)])?;
    Ok(c.contiguous(x, x.dtype, x.sizes.clone()).into())
}
