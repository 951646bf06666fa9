//! Composite operators as calls of those that have derivatives: the kernels that eager's dispatcher chooses on the
//! processor, in the order in which it calls them.

use crate::build::{Build, Outcome};
use fx::aten::Bound;
use fx::infer::{sizes::Sizes, strides};
use fx::{Arg, NodeId};
use symshapes::{DType, Expr, TensorMeta};

/// Appends the parts of a composite call.
pub(crate) type Expand = fn(&mut Build, &Bound) -> Outcome<NodeId>;

/// The composites, by overload.
const ROWS: &[(&str, Expand)] = &[
    ("_unsafe_view.default", |b, a| same(b, a, "view.default", &["self", "size"])),
    ("adaptive_avg_pool2d.default", adaptive_avg_pool2d),
    ("batch_norm.default", batch_norm),
    ("conv1d.default", convolution),
    ("conv2d.default", convolution),
    ("conv3d.default", convolution),
    ("conv_transpose1d.default", transposed_convolution),
    ("conv_transpose2d.input", transposed_convolution),
    ("conv_transpose3d.input", transposed_convolution),
    ("cross_entropy_loss.default", cross_entropy),
    ("dropout.default", |b, a| first(b, a, "native_dropout.default", &["input", "p", "train"])),
    ("group_norm.default", group_norm),
    ("layer_norm.default", |b, a| {
        first(b, a, "native_layer_norm.default", &["input", "normalized_shape", "weight", "bias", "eps"])
    }),
    ("linear.default", linear),
    ("log_sigmoid.default", |b, a| first(b, a, "log_sigmoid_forward.default", &["self"])),
    ("log_softmax.int", |b, a| softmax(b, a, "_log_softmax.default")),
    ("matmul.default", matmul),
    ("max_pool2d.default", |b, a| {
        let names = ["self", "kernel_size", "stride", "padding", "dilation", "ceil_mode"];
        first(b, a, "max_pool2d_with_indices.default", &names)
    }),
    ("narrow.default", narrow),
    ("pad.default", pad),
    ("rms_norm.default", rms_norm),
    ("scaled_dot_product_attention.default", attention),
    ("softmax.int", |b, a| softmax(b, a, "_softmax.default")),
    ("square.default", |b, a| {
        let this = a.get("self").clone();
        b.call("pow.Tensor_Scalar", vec![this, Arg::Int(2)])
    }),
];

/// The parts of an overload, if it is a composite.
pub(crate) fn row(name: &str) -> Option<Expand> {
    ROWS.iter().find(|(known, _)| *known == name).map(|&(_, expand)| expand)
}

/// The names of the composites.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|&(name, _)| name)
}

/// One overload on the same arguments.
fn same(b: &mut Build, a: &Bound, overload: &str, names: &[&str]) -> Outcome<NodeId> {
    b.call(overload, names.iter().map(|name| a.get(name).clone()).collect())
}

/// The first result of an overload on the same arguments.
fn first(b: &mut Build, a: &Bound, overload: &str, names: &[&str]) -> Outcome<NodeId> {
    let call = same(b, a, overload, names)?;
    b.pick(call, 0)
}

fn node(a: &Bound, name: &str) -> Outcome<NodeId> {
    a.node(name).ok_or_else(|| format!("`{name}` is no tensor"))
}

fn transposed(b: &mut Build, matrix: NodeId) -> Outcome<NodeId> {
    b.call("t.default", vec![Arg::Node(matrix)])
}

/// A tensor as a matrix of its last dimension.
fn as_matrix(b: &mut Build, tensor: NodeId) -> Outcome<NodeId> {
    let Arg::List(sizes) = b.sizes(tensor)? else { return Err("sizes that are no list".to_owned()) };
    if sizes.is_empty() {
        return Err("a product with a number".to_owned());
    }
    let rows = product_of(b, &sizes[..sizes.len() - 1])?;
    b.reshape(tensor, Arg::List(vec![rows, sizes[sizes.len() - 1].clone()]))
}

/// The product of sizes as an argument.
fn product_of(b: &mut Build, sizes: &[Arg]) -> Outcome<Arg> {
    let sizes = sizes.iter().map(|size| b.expr(size)).collect::<Option<Vec<_>>>();
    let product = b.product(sizes.ok_or_else(|| "a size that is no number".to_owned())?);
    Ok(b.size_arg(product))
}

/// `addmm` or `mm` of the input as a matrix.
fn linear(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (input, weight) = (node(a, "input")?, node(a, "weight")?);
    if b.rank(weight)? != 2 {
        return Err("`linear` by a vector".to_owned());
    }
    let (matrix, weight) = (as_matrix(b, input)?, transposed(b, weight)?);
    let product = match a.node("bias") {
        Some(bias) => b.call("addmm.default", vec![Arg::Node(bias), Arg::Node(matrix), Arg::Node(weight)])?,
        None => b.call("mm.default", vec![Arg::Node(matrix), Arg::Node(weight)])?,
    };
    let (Arg::List(mut sizes), Arg::List(of_product)) = (b.sizes(input)?, b.sizes(product)?) else {
        return Err("sizes that are no list".to_owned());
    };
    sizes.pop();
    sizes.push(of_product[1].clone());
    b.reshape(product, Arg::List(sizes))
}

/// `mm` where the right operand is a matrix, else `bmm` of what both broadcast to; vectors count as matrices.
fn matmul(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (left, right) = (node(a, "self")?, node(a, "other")?);
    let ranks = (b.rank(left)?, b.rank(right)?);
    if ranks.0 == 1 || ranks.1 == 1 {
        return matmul_of_vectors(b, left, right);
    }
    let (Arg::List(of_left), Arg::List(of_right)) = (b.sizes(left)?, b.sizes(right)?) else {
        return Err("sizes that are no list".to_owned());
    };
    let columns = of_right[ranks.1 - 1].clone();
    if ranks.1 == 2 {
        let matrix = as_matrix(b, left)?;
        let product = b.call("mm.default", vec![Arg::Node(matrix), Arg::Node(right)])?;
        return b.reshape(product, Arg::List([&of_left[..ranks.0 - 1], &[columns]].concat()));
    }
    let (left_batch, right_batch) = (&of_left[..ranks.0 - 2], &of_right[..ranks.1 - 2]);
    let rank = left_batch.len().max(right_batch.len());
    let padded = |batch: &[Arg]| [vec![Arg::Int(1); rank - batch.len()], batch.to_vec()].concat();
    let wider = |(left, right): (Arg, Arg)| if left == Arg::Int(1) { right } else { left };
    let batch: Vec<Arg> = padded(left_batch).into_iter().zip(padded(right_batch)).map(wider).collect();
    let count = product_of(b, &batch)?;
    let mut batched = |tensor: NodeId, of: &[Arg]| {
        let whole = [&batch[..], of].concat();
        let expanded = b.call("expand.default", vec![Arg::Node(tensor), Arg::List(whole)])?;
        b.reshape(expanded, Arg::List([&[count.clone()], of].concat()))
    };
    let left = batched(left, &of_left[ranks.0 - 2..])?;
    let right = batched(right, &of_right[ranks.1 - 2..])?;
    let product = b.call("bmm.default", vec![Arg::Node(left), Arg::Node(right)])?;
    b.reshape(product, Arg::List([&batch[..], &[of_left[ranks.0 - 2].clone(), columns]].concat()))
}

/// A vector is a matrix of one row on the left, of one column on the right.
fn matmul_of_vectors(b: &mut Build, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let [is_row, is_column] = [b.rank(left)? == 1, b.rank(right)? == 1];
    let mut as_matrix = |of: NodeId, is_vector: bool, dim: i64| {
        if is_vector { b.call("unsqueeze.default", vec![Arg::Node(of), Arg::Int(dim)]) } else { Ok(of) }
    };
    let (left, right) = (as_matrix(left, is_row, 0)?, as_matrix(right, is_column, 1)?);
    let product = product(b, left, right)?;
    let Arg::List(mut sizes) = b.sizes(product)? else { return Err("sizes that are no list".to_owned()) };
    if is_column {
        sizes.pop();
    }
    if is_row {
        sizes.remove(sizes.len() - usize::from(!is_column) - 1);
    }
    b.reshape(product, Arg::List(sizes))
}

fn convolution(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let spatial = b.rank(node(a, "input")?)?.saturating_sub(2);
    let mut args: Vec<Arg> =
        ["input", "weight", "bias", "stride", "padding", "dilation"].map(|name| a.get(name).clone()).into();
    args.extend([Arg::Bool(false), Arg::List(vec![Arg::Int(0); spatial]), a.get("groups").clone()]);
    b.call("convolution.default", args)
}

fn transposed_convolution(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let mut args: Vec<Arg> =
        ["input", "weight", "bias", "stride", "padding", "dilation"].map(|name| a.get(name).clone()).into();
    args.extend([Arg::Bool(true), a.get("output_padding").clone(), a.get("groups").clone()]);
    b.call("convolution.default", args)
}

/// Spelled out for the element types in which eager computes what it is given.
fn rms_norm(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let input = node(a, "input")?;
    let smallest = match b.tensor(input)?.dtype {
        DType::F32 => f64::from(f32::EPSILON),
        DType::F64 => f64::EPSILON,
        _ => return Err("`rms_norm` of narrow numbers".to_owned()),
    };
    let count = a.list("normalized_shape").map_or(1, <[Arg]>::len) as i64;
    let eps = a.get("eps").as_float().unwrap_or(smallest);
    let dims = Arg::List((1..=count).map(|dim| Arg::Int(-dim)).collect());
    let squares = b.call("pow.Tensor_Scalar", vec![Arg::Node(input), Arg::Int(2)])?;
    let mean = b.call("mean.dim", vec![Arg::Node(squares), dims, Arg::Bool(true)])?;
    let mean = b.call("add.Tensor", vec![Arg::Node(mean), Arg::Float(eps)])?;
    let scale = b.call("rsqrt.default", vec![Arg::Node(mean)])?;
    let normal = b.call("mul.Tensor", vec![Arg::Node(input), Arg::Node(scale)])?;
    match a.node("weight") {
        Some(weight) => b.call("mul.Tensor", vec![Arg::Node(normal), Arg::Node(weight)]),
        None => Ok(normal),
    }
}

/// With statistics of the batch, which running ones are not concerned by; or with these.
fn batch_norm(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    if *a.get("training") == Arg::Bool(false) {
        let names = ["input", "weight", "bias", "running_mean", "running_var", "momentum", "eps"];
        return first(b, a, "_native_batch_norm_legit_no_training.default", &names);
    }
    Err("`batch_norm` of a batch without running statistics".to_owned())
}

fn group_norm(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let input = node(a, "input")?;
    let rank = b.rank(input)?;
    let (batch, channels) = (b.size(input, 0)?, b.size(input, 1)?);
    let rest = (2..rank).map(|dim| b.size(input, dim)).collect::<Outcome<Vec<_>>>()?;
    let rest = b.product(rest);
    let meta = b.tensor(input)?.clone();
    if strides::is_contiguous(&mut Sizes::Proved(&mut b.graph.exprs), &meta) != Some(true) {
        return Err("`group_norm` of a tensor that is not row-major".to_owned());
    }
    let mut args: Vec<Arg> = ["input", "weight", "bias"].map(|name| a.get(name).clone()).into();
    args.extend([batch, channels, rest].map(|size| b.size_arg(size)));
    args.extend(["num_groups", "eps"].map(|name| a.get(name).clone()));
    let call = b.call("native_group_norm.default", args)?;
    b.pick(call, 0)
}

/// In the element type that is asked for.
fn softmax(b: &mut Build, a: &Bound, overload: &str) -> Outcome<NodeId> {
    let input = node(a, "self")?;
    let dtype = a.opt_dtype("dtype").map_err(|error| error.to_string())?;
    let input = match dtype {
        Some(dtype) => b.cast(input, dtype)?,
        None => input,
    };
    b.call(overload, vec![Arg::Node(input), a.get("dim").clone(), Arg::Bool(false)])
}

/// Of classes given by number, without smoothing.
fn cross_entropy(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (input, target) = (node(a, "self")?, node(a, "target")?);
    let is_plain = a.get("label_smoothing").as_float() == Some(0.0) && b.tensor(target)?.dtype == DType::I64;
    if !is_plain || b.rank(input)? != 2 {
        return Err("`cross_entropy_loss` with smoothing, of probabilities or of images".to_owned());
    }
    let logs = b.call("_log_softmax.default", vec![Arg::Node(input), Arg::Int(1), Arg::Bool(false)])?;
    let options = ["target", "weight", "reduction", "ignore_index"].map(|name| a.get(name).clone());
    let args = [vec![Arg::Node(logs)], options.to_vec()].concat();
    let loss = b.call("nll_loss_forward.default", args)?;
    b.pick(loss, 0)
}

fn adaptive_avg_pool2d(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let output = a.ints("output_size").map_err(|error| error.to_string())?;
    if output.iter().all(|&size| size == 1) {
        let input = a.get("self").clone();
        return b.call("mean.dim", vec![input, Arg::List(vec![Arg::Int(-1), Arg::Int(-2)]), Arg::Bool(true)]);
    }
    same(b, a, "_adaptive_avg_pool2d.default", &["self", "output_size"])
}

fn narrow(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let unknown = || "`narrow` by what is no number".to_owned();
    let this = node(a, "self")?;
    let dim = a.get("dim").as_int().ok_or_else(unknown)?;
    let [start, length] = ["start", "length"].map(|name| b.expr(a.get(name)).ok_or_else(unknown));
    let (mut start, length) = (start?, length?);
    let place = b.dim(this, dim)?;
    let range = b.graph.exprs.range(start);
    if range.hi < 0 {
        let size = b.size(this, place)?;
        start = b.graph.exprs.add(start, size);
    } else if range.lo < 0 {
        return Err("`narrow` from where may be counted from the end".to_owned());
    }
    let end = b.graph.exprs.add(start, length);
    let [start, end] = [start, end].map(|place| b.size_arg(place));
    b.call("slice.Tensor", vec![Arg::Node(this), Arg::Int(dim), start, end])
}

fn pad(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    if a.get("mode").as_str() != Some("constant") {
        return Err("`pad` with what is inside".to_owned());
    }
    let value = if a.get("value").is_none() { Arg::Float(0.0) } else { a.get("value").clone() };
    b.call("constant_pad_nd.default", vec![a.get("self").clone(), a.get("pad").clone(), value])
}

/// The fused kernel where eager takes it, else the products spelled out.
fn attention(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
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
            *operand = b.call("unsqueeze.default", vec![Arg::Node(*operand), Arg::Int(0)])?;
        }
        if is_fused(b, with_heads, None, in_groups)? {
            let fused = fused_attention(b, with_heads, None, causal, a.get("scale"))?;
            return b.call("squeeze.dim", vec![Arg::Node(fused), Arg::Int(0)]);
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
    let call = b.call_named("_scaled_dot_product_flash_attention_for_cpu.default", args, vec![mask, scale])?;
    b.pick(call, 0)
}

/// The additive mask for one of bools: zero where that is true, else minus infinity.
fn additive(b: &mut Build, mask: NodeId, like: NodeId) -> Outcome<NodeId> {
    let (sizes, meta) = (b.sizes(mask)?, b.tensor(like)?);
    let kwargs = vec![("dtype".to_owned(), Arg::DType(meta.dtype)), ("device".to_owned(), Arg::Device(meta.device))];
    let zeros = b.call_named("full.default", vec![sizes, Arg::Float(0.0)], kwargs)?;
    let hidden = b.call("logical_not.default", vec![Arg::Node(mask)])?;
    b.call("masked_fill.Scalar", vec![Arg::Node(zeros), Arg::Node(hidden), Arg::Float(f64::NEG_INFINITY)])
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

/// The scale goes into both operands of the first product, by its root.
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
    let scaled = |b: &mut Build, tensor| b.call("mul.Scalar", vec![Arg::Node(tensor), Arg::Float(scale)]);
    let query = scaled(b, query)?;
    let key = b.call("transpose.int", vec![Arg::Node(key), Arg::Int(-2), Arg::Int(-1)])?;
    let key = scaled(b, key)?;
    let mut scores = product(b, query, key)?;
    if let Some(mask) = mask {
        scores = b.call("add.Tensor", vec![Arg::Node(scores), Arg::Node(mask)])?;
    }
    let mut weights = b.call("_safe_softmax.default", vec![Arg::Node(scores), Arg::Int(-1)])?;
    if dropout != 0.0 {
        let args = vec![Arg::Node(weights), Arg::Float(dropout), Arg::Bool(true)];
        let dropped = b.call("native_dropout.default", args)?;
        weights = b.pick(dropped, 0)?;
    }
    product(b, weights, value)
}

/// The additive mask by which a position sees itself and those before it.
fn causal_mask(b: &mut Build, query: NodeId, key: NodeId) -> Outcome<NodeId> {
    let sizes = Arg::List(vec![b.size_arg(b.size(query, 2)?), b.size_arg(b.size(key, 2)?)]);
    let device = b.tensor(query)?.device;
    let kwargs = vec![("dtype".to_owned(), Arg::DType(DType::Bool)), ("device".to_owned(), Arg::Device(device))];
    let ones = b.call_named("full.default", vec![sizes, Arg::Bool(true)], kwargs)?;
    let seen = b.call("tril.default", vec![Arg::Node(ones)])?;
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
    let apart = b.call("unsqueeze.default", vec![Arg::Node(tensor), Arg::Int(2)])?;
    let [batch, own, length, width] = &sizes[..] else { return Err("attention without heads".to_owned()) };
    let shared =
        vec![batch.clone(), own.clone(), Arg::Int(heads / own.as_int().unwrap_or(1)), length.clone(), width.clone()];
    let shared = b.call("expand.default", vec![Arg::Node(apart), Arg::List(shared)])?;
    b.reshape(shared, Arg::List(vec![batch.clone(), Arg::Int(heads), length.clone(), width.clone()]))
}

/// The product of two batches of matrices.
fn product(b: &mut Build, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let args = [Arg::Node(left), Arg::Node(right)];
    let overload = fx::aten::lookup("matmul.default").ok_or_else(|| "no `matmul`".to_owned())?;
    let bound = overload.bind(&args, &[]).map_err(|error| error.to_string())?;
    matmul(b, &bound)
}
