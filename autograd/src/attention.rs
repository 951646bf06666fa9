//! Scaled dot product attention: the fused kernel or its products, as eager chooses on the processor.

use crate::build::{Build, Outcome, node};
use crate::linear::product;
use fx::aten::Aten;
use fx::aten::Bound;
use fx::{Arg, NodeId};
use symshapes::{DType, Expr, TensorMeta};

/// The fused kernel where eager takes it, else the products spelled out.
pub(crate) fn attention(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let operands = [node(a, "query")?, node(a, "key")?, node(a, "value")?];
    let dropout = a.get("dropout_p").as_float().ok_or_else(|| "a probability that is no number".to_owned())?;
    let (causal, in_groups) = (*a.get("is_causal") == Arg::Bool(true), *a.get("enable_gqa") == Arg::Bool(true));
    let mask = match a.node("attn_mask") {
        Some(mask) if b.tensor(mask)?.dtype == DType::Bool => Some(additive(b, mask, operands[0])?),
        mask => mask,
    };
    if operands.iter().all(|&operand| b.rank(operand) == Ok(3)) && mask.is_none() && dropout == 0.0 {
        // Operands without heads have one.
        let mut with_heads = operands;
        for operand in &mut with_heads {
            *operand = b.call(Aten::unsqueeze_default, vec![Arg::Node(*operand), Arg::Int(0)])?;
        }
        if is_fused(b, with_heads, None, in_groups)? {
            let fused = fused_attention(b, with_heads, None, causal, a.get("scale"))?;
            return b.call(Aten::squeeze_dim, vec![Arg::Node(fused), Arg::Int(0)]);
        }
    }
    if dropout != 0.0 || !is_fused(b, operands, mask, in_groups)? {
        return attention_in_products(b, operands, mask, causal, dropout, a.get("scale"));
    }
    fused_attention(b, operands, mask, causal, a.get("scale"))
}

fn fused_attention(
    b: &mut Build,
    operands: [NodeId; 3],
    mask: Option<NodeId>,
    causal: bool,
    scale: &Arg,
) -> Outcome<NodeId> {
    let [query, key, value] = operands.map(Arg::Node);
    let scale = ("scale".to_owned(), scale.clone());
    let mask = ("attn_mask".to_owned(), mask.map_or(Arg::None, Arg::Node));
    let args = vec![query, key, value, Arg::Float(0.0), Arg::Bool(causal)];
    let call = b.call_named(Aten::_scaled_dot_product_flash_attention_for_cpu_default, args, vec![mask, scale])?;
    b.pick(call, 0)
}

/// The additive mask for one of bools: zero where that is true, else minus infinity.
fn additive(b: &mut Build, mask: NodeId, like: NodeId) -> Outcome<NodeId> {
    let (sizes, meta) = (b.sizes(mask)?, b.tensor(like)?);
    let kwargs = vec![("dtype".to_owned(), Arg::DType(meta.dtype)), ("device".to_owned(), Arg::Device(meta.device))];
    let zeros = b.call_named(Aten::full_default, vec![sizes, Arg::Float(0.0)], kwargs)?;
    let hidden = b.call(Aten::logical_not_default, vec![Arg::Node(mask)])?;
    b.call(Aten::masked_fill_Scalar, vec![Arg::Node(zeros), Arg::Node(hidden), Arg::Float(f64::NEG_INFINITY)])
}

/// True if eager has a fused kernel for these operands on the processor.
fn is_fused(b: &Build, operands: [NodeId; 3], mask: Option<NodeId>, in_groups: bool) -> Outcome<bool> {
    let [query, key, value] = operands.map(|operand| b.tensor(operand).cloned());
    let (query, key, value) = (query?, key?, value?);
    let lies_well = |meta: &TensorMeta| meta.sizes.len() == 4 && meta.strides[3] == Expr::ONE;
    let may_be_empty = |meta: &TensorMeta| meta.sizes.iter().any(|&size| b.graph.exprs.range(size).lo < 1);
    let is_alike = |meta: &TensorMeta| {
        lies_well(meta)
            && !may_be_empty(meta)
            && meta.dtype == query.dtype
            && meta.sizes[0] == query.sizes[0]
            && meta.sizes[3] == query.sizes[3]
    };
    if ![&query, &key, &value].into_iter().all(is_alike) || key.sizes != value.sizes {
        return Ok(false);
    }
    // One head of keys serves all of the query's.
    let divides = || Ok::<_, String>(b.constant_size(operands[0], 1)? % b.constant_size(operands[1], 1)? == 0);
    if key.sizes[1] != query.sizes[1] && key.sizes[1] != Expr::ONE && !(in_groups && divides()?) {
        return Ok(false);
    }
    let Some(mask) = mask else { return Ok(true) };
    let mask = b.tensor(mask)?;
    let fits = |size: Expr, other: Expr| size == other || size == Expr::ONE;
    let whole = [query.sizes[0], query.sizes[1], query.sizes[2], key.sizes[2]];
    let rank = mask.sizes.len();
    Ok(mask.dtype == query.dtype
        && matches!(rank, 2 | 4)
        && !mask.requires_grad
        && mask.sizes.iter().zip(&whole[4 - rank.min(4)..]).all(|(&size, &other)| fits(size, other)))
}

/// Attention as products: the scale goes into both operands of the first one, by its root.
fn attention_in_products(
    b: &mut Build,
    [query, key, value]: [NodeId; 3],
    mask: Option<NodeId>,
    causal: bool,
    dropout: f64,
    scale: &Arg,
) -> Outcome<NodeId> {
    if [query, key, value].into_iter().any(|operand| b.rank(operand) != Ok(4)) {
        return Err("attention of operands that have no heads".to_owned());
    }
    let scale = match scale.as_float() {
        Some(scale) if scale < 0.0 => return Err("attention by a negative scale".to_owned()),
        Some(scale) => scale.sqrt(),
        None => (b.constant_size(query, 3)? as f64).powf(-0.5).sqrt(),
    };
    let mask = if causal { Some(causal_mask(b, query, key)?) } else { mask };
    let (key, value) = (for_each_head(b, key, query)?, for_each_head(b, value, query)?);
    let scaled = |b: &mut Build, tensor| b.call(Aten::mul_Scalar, vec![Arg::Node(tensor), Arg::Float(scale)]);
    let query = scaled(b, query)?;
    let key = b.call(Aten::transpose_int, vec![Arg::Node(key), Arg::Int(-2), Arg::Int(-1)])?;
    let key = scaled(b, key)?;
    let mut scores = product(b, query, key)?;
    if let Some(mask) = mask {
        scores = b.call(Aten::add_Tensor, vec![Arg::Node(scores), Arg::Node(mask)])?;
    }
    let mut weights = b.call(Aten::_safe_softmax_default, vec![Arg::Node(scores), Arg::Int(-1)])?;
    if dropout != 0.0 {
        let args = vec![Arg::Node(weights), Arg::Float(dropout), Arg::Bool(true)];
        let dropped = b.call(Aten::native_dropout_default, args)?;
        weights = b.pick(dropped, 0)?;
    }
    product(b, weights, value)
}

/// The additive mask by which a position sees itself and those before it.
fn causal_mask(b: &mut Build, query: NodeId, key: NodeId) -> Outcome<NodeId> {
    let sizes = Arg::List(vec![b.size_arg(b.size(query, 2)?), b.size_arg(b.size(key, 2)?)]);
    let device = b.tensor(query)?.device;
    let kwargs = vec![("dtype".to_owned(), Arg::DType(DType::Bool)), ("device".to_owned(), Arg::Device(device))];
    let ones = b.call_named(Aten::full_default, vec![sizes, Arg::Bool(true)], kwargs)?;
    let seen = b.call(Aten::tril_default, vec![Arg::Node(ones)])?;
    additive(b, seen, query)
}

/// A key or value repeated for each of the query's heads, where several heads share one.
fn for_each_head(b: &mut Build, tensor: NodeId, query: NodeId) -> Outcome<NodeId> {
    if b.size(query, 1)? == b.size(tensor, 1)? {
        return Ok(tensor);
    }
    let (heads, own) = (b.constant_size(query, 1)?, b.constant_size(tensor, 1)?);
    if own == 0 || heads % own != 0 {
        return Err("attention in groups that do not fit".to_owned());
    }
    let Arg::List(sizes) = b.sizes(tensor)? else { return Err("sizes that are no list".to_owned()) };
    let apart = b.call(Aten::unsqueeze_default, vec![Arg::Node(tensor), Arg::Int(2)])?;
    let [batch, own, length, width] = &sizes[..] else { return Err("attention without heads".to_owned()) };
    let shared =
        vec![batch.clone(), own.clone(), Arg::Int(heads / own.as_int().unwrap_or(1)), length.clone(), width.clone()];
    let shared = b.call(Aten::expand_default, vec![Arg::Node(apart), Arg::List(shared)])?;
    b.reshape(shared, Arg::List(vec![batch.clone(), Arg::Int(heads), length.clone(), width.clone()]))
}
