//! Composite operators as calls of those that have derivatives: the kernels that eager's dispatcher chooses on the
//! processor, in the order in which it calls them.
//!
//! These have kernels of their own, for which they stay whole where nothing is differentiated. Composites that are
//! taken apart as they are captured stand in [`fx::composites`].

use crate::arithmetic::Operation;
use crate::arithmetic::numbers;
use crate::attention;
use crate::build::{Build, Outcome, node};
use crate::linear::{linear, matmul};
use fx::aten::Aten;
use fx::aten::Bound;
use fx::composites::{self, Results};
use fx::infer::{self, sizes::Sizes, strides};
use fx::{Arg, Meta, NodeId};
use symshapes::DType;

/// Appends the parts of a composite call.
pub(crate) type Expand = fn(&mut Build, &Bound) -> Outcome<NodeId>;

/// The composites, by overload.
const ROWS: &[(Aten, Expand)] = &[
    (Aten::_weight_norm_default, weight_norm),
    (Aten::_unsafe_view_default, |b, a| same(b, a, Aten::view_default, &["self", "size"])),
    (Aten::adaptive_avg_pool2d_default, adaptive_avg_pool2d),
    (Aten::batch_norm_default, batch_norm),
    (Aten::conv1d_default, convolution),
    (Aten::conv2d_default, convolution),
    (Aten::conv3d_default, convolution),
    (Aten::conv_transpose1d_default, transposed_convolution),
    (Aten::conv_transpose2d_input, transposed_convolution),
    (Aten::conv_transpose3d_input, transposed_convolution),
    (Aten::cross_entropy_loss_default, cross_entropy),
    (Aten::dropout_default, |b, a| match a.get("p") {
        // What drops everything draws nothing.
        Arg::Float(1.0) | Arg::Int(1) => b.call(Aten::mul_Tensor, vec![a.get("input").clone(), Arg::Float(0.0)]),
        _ => first(b, a, Aten::native_dropout_default, &["input", "p", "train"]),
    }),
    (Aten::feature_dropout_default, feature_dropout),
    (Aten::instance_norm_default, instance_norm),
    (Aten::hinge_embedding_loss_default, hinge_embedding_loss),
    (Aten::cosine_embedding_loss_default, cosine_embedding_loss),
    (Aten::group_norm_default, group_norm),
    (Aten::l1_loss_default, l1_loss),
    (Aten::nll_loss_nd_default, |b, a| loss_of_classes(b, a, node(a, "self")?)),
    (Aten::channel_shuffle_default, channel_shuffle),
    (Aten::pixel_shuffle_default, pixel_shuffle),
    (Aten::pixel_unshuffle_default, pixel_unshuffle),
    (Aten::layer_norm_default, |b, a| {
        first(b, a, Aten::native_layer_norm_default, &["input", "normalized_shape", "weight", "bias", "eps"])
    }),
    (Aten::linear_default, linear),
    (Aten::log_sigmoid_default, |b, a| first(b, a, Aten::log_sigmoid_forward_default, &["self"])),
    (Aten::log_softmax_int, |b, a| softmax(b, a, Aten::_log_softmax_default)),
    (Aten::matmul_default, matmul),
    (Aten::max_pool2d_default, |b, a| {
        let names = ["self", "kernel_size", "stride", "padding", "dilation", "ceil_mode"];
        first(b, a, Aten::max_pool2d_with_indices_default, &names)
    }),
    (Aten::narrow_default, narrow),
    (Aten::ravel_default, |b, a| {
        let contiguous = b.call(Aten::contiguous_default, vec![a.get("self").clone()])?;
        b.call(Aten::reshape_default, vec![Arg::Node(contiguous), Arg::List(vec![Arg::Int(-1)])])
    }),
    (Aten::rms_norm_default, rms_norm),
    (Aten::scaled_dot_product_attention_default, attention::attention),
    (Aten::softmax_int, |b, a| softmax(b, a, Aten::_softmax_default)),
    (Aten::square_default, |b, a| {
        let this = a.get("self").clone();
        b.call(Aten::pow_Tensor_Scalar, vec![this, Arg::Int(2)])
    }),
];

/// The parts of an overload, if it is a composite.
fn row(op: Aten) -> Option<Expand> {
    ROWS.iter().find(|(known, _)| *known == op).map(|&(_, expand)| expand)
}

/// True for an overload that is taken apart before it is differentiated.
pub fn is_composite(op: Aten) -> bool {
    row(op).is_some() || composites::has_row(op)
}

/// Appends the parts of a composite call, which have to give what is known of the whole; their result.
pub(crate) fn expand(
    b: &mut Build,
    op: Aten,
    args: &[Arg],
    kwargs: &[(String, Arg)],
    whole: Option<&Meta>,
) -> Outcome<NodeId> {
    let result = match row(op) {
        Some(expand) => expand(b, &op.bind(args, kwargs).map_err(|error| error.to_string())?)?,
        None => match composites::expand(b, op, args, kwargs) {
            Some(Ok(Results::One(result))) => result,
            Some(Err(error)) => return Err(error.to_string()),
            Some(Ok(Results::Several(_))) | None => return Err(format!("`{op}` is no composite of one result")),
        },
    };
    let (Some(old), Some(new)) = (whole, &b.graph[result].meta) else {
        return Err("a composite of which nothing is known".to_owned());
    };
    let pool = &b.graph.exprs;
    if infer::agree(pool, old, new) {
        return Ok(result);
    }
    let [old, new] = [old, new].map(|meta| infer::describe(pool, meta));
    Err(format!("`{op}` gives {old}, its parts {new}"))
}

/// The composites.
#[cfg(test)]
pub(crate) fn ops() -> impl Iterator<Item = Aten> {
    ROWS.iter().map(|&(op, _)| op)
}

/// One overload on the same arguments.
fn same(b: &mut Build, a: &Bound, op: Aten, names: &[&str]) -> Outcome<NodeId> {
    b.call(op, names.iter().map(|name| a.get(name).clone()).collect())
}

/// The first result of an overload on the same arguments.
fn first(b: &mut Build, a: &Bound, op: Aten, names: &[&str]) -> Outcome<NodeId> {
    let call = same(b, a, op, names)?;
    b.pick(call, 0)
}

fn convolution(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let spatial = b.rank(node(a, "input")?)?.saturating_sub(2);
    let mut args: Vec<Arg> =
        ["input", "weight", "bias", "stride", "padding", "dilation"].map(|name| a.get(name).clone()).into();
    args.extend([Arg::Bool(false), Arg::List(vec![Arg::Int(0); spatial]), a.get("groups").clone()]);
    b.call(Aten::convolution_default, args)
}

fn transposed_convolution(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let mut args: Vec<Arg> =
        ["input", "weight", "bias", "stride", "padding", "dilation"].map(|name| a.get(name).clone()).into();
    args.extend([Arg::Bool(true), a.get("output_padding").clone(), a.get("groups").clone()]);
    b.call(Aten::convolution_default, args)
}

/// A weight by its direction and its length along the first or last dimension, for which there is a kernel.
fn weight_norm(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (rank, dim) = (b.rank(node(a, "v")?)?, a.int("dim").map_err(|error| error.to_string())?);
    if dim != 0 && dim + 1 != rank as i64 {
        return Err("`_weight_norm` along a dimension in the middle, or of the whole".to_owned());
    }
    let mut args = Vec::new();
    for name in ["v", "g"] {
        args.push(Arg::Node(b.call(Aten::contiguous_default, vec![a.get(name).clone()])?));
    }
    args.push(Arg::Int(dim));
    let call = b.call(Aten::_weight_norm_interface_default, args)?;
    b.pick(call, 0)
}

/// `rms_norm` spelled out, for the element types in which eager computes what it is given.
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
    let squares = b.call(Aten::pow_Tensor_Scalar, vec![Arg::Node(input), Arg::Int(2)])?;
    let mean = b.call(Aten::mean_dim, vec![Arg::Node(squares), dims, Arg::Bool(true)])?;
    let mean = b.call(Aten::add_Tensor, vec![Arg::Node(mean), Arg::Float(eps)])?;
    let scale = b.call(Aten::rsqrt_default, vec![Arg::Node(mean)])?;
    let normal = b.call(Aten::mul_Tensor, vec![Arg::Node(input), Arg::Node(scale)])?;
    match a.node("weight") {
        Some(weight) => b.call(Aten::mul_Tensor, vec![Arg::Node(normal), Arg::Node(weight)]),
        None => Ok(normal),
    }
}

/// `batch_norm` with running statistics, or with those of the batch where there are none to update.
fn batch_norm(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    if *a.get("training") == Arg::Bool(false) {
        let names = ["input", "weight", "bias", "running_mean", "running_var", "momentum", "eps"];
        return first(b, a, Aten::_native_batch_norm_legit_no_training_default, &names);
    }
    if ["running_mean", "running_var"].iter().any(|name| !a.get(name).is_none()) {
        return Err("`batch_norm` that updates running statistics".to_owned());
    }
    let names = ["input", "weight", "bias", "training", "momentum", "eps"];
    first(b, a, Aten::_native_batch_norm_legit_no_stats, &names)
}

/// `batch_norm` of one image whose channels are those of all images.
fn instance_norm(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let input = node(a, "input")?;
    let is_own = *a.get("use_input_stats") == Arg::Bool(true);
    if is_own && !a.get("running_mean").is_none() {
        return Err("`instance_norm` that updates running statistics".to_owned());
    }
    let (batch, channels) = (b.size(input, 0)?, b.size(input, 1)?);
    let all = b.product(vec![batch, channels]);
    let Arg::List(sizes) = b.sizes(input)? else { return Err("sizes that are no list".to_owned()) };
    let joined = [&[Arg::Int(1), b.size_arg(all)], &sizes[2..]].concat();
    let contiguous = b.call(Aten::contiguous_default, vec![Arg::Node(input)])?;
    let mut args = vec![Arg::Node(b.reshape(contiguous, Arg::List(joined))?)];
    for name in if is_own { &["weight", "bias"][..] } else { &["weight", "bias", "running_mean", "running_var"] } {
        let batch = Arg::List(vec![b.size_arg(batch)]);
        args.push(match a.get(name).clone() {
            Arg::None => Arg::None,
            given => Arg::Node(b.call(Aten::repeat_default, vec![given, batch])?),
        });
    }
    args.extend(is_own.then_some(Arg::Bool(true)));
    args.extend(["momentum", "eps"].map(|name| a.get(name).clone()));
    let op = match is_own {
        true => Aten::_native_batch_norm_legit_no_stats,
        false => Aten::_native_batch_norm_legit_no_training_default,
    };
    let call = b.call(op, args)?;
    let normal = b.pick(call, 0)?;
    b.reshape(normal, Arg::List(sizes))
}

/// Dropout of whole channels.
fn feature_dropout(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let input = node(a, "input")?;
    let p = a.get("p").as_float().ok_or_else(|| "a probability that is no number".to_owned())?;
    if *a.get("train") == Arg::Bool(false) || p == 0.0 {
        return Ok(input);
    }
    if p == 1.0 {
        return b.call(Aten::mul_Tensor, vec![Arg::Node(input), Arg::Float(0.0)]);
    }
    let ones = vec![Arg::Int(1); b.rank(input)?.saturating_sub(2)];
    let Arg::List(sizes) = b.sizes(input)? else { return Err("sizes that are no list".to_owned()) };
    let noise = b.call(Aten::new_empty_default, vec![Arg::Node(input), Arg::List([&sizes[..2], &ones].concat())])?;
    let noise = b.call(Aten::bernoulli_p, vec![Arg::Node(noise), Arg::Float(1.0 - p)])?;
    let noise = b.call(Aten::div_Scalar, vec![Arg::Node(noise), Arg::Float(1.0 - p)])?;
    b.call(Aten::mul_Tensor, vec![Arg::Node(input), Arg::Node(noise)])
}

/// A loss of distances: that of pairs marked by 1, and by how much those marked by -1 are nearer than a margin.
fn hinge_embedding_loss(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (this, target) = (a.get("self").clone(), a.get("target").clone());
    let nearer = b.call(Aten::rsub_Scalar, vec![this.clone(), a.get("margin").clone()])?;
    let nearer = b.call(Aten::clamp_min_default, vec![Arg::Node(nearer), Arg::Int(0)])?;
    let marked = [Arg::Int(1), Arg::Int(-1)].map(|mark| b.call(Aten::ne_Scalar, vec![target.clone(), mark]));
    let [unlike, like] = marked;
    let unlike = b.call(Aten::where_ScalarOther, vec![Arg::Node(unlike?), Arg::Node(nearer), Arg::Int(0)])?;
    let like = b.call(Aten::where_ScalarOther, vec![Arg::Node(like?), this, Arg::Int(0)])?;
    let all = b.call(Aten::add_Tensor, vec![Arg::Node(unlike), Arg::Node(like)])?;
    reduced(b, a, all)
}

/// A loss of cosines: how far those of pairs marked by 1 are from 1, and those marked by -1 above a margin.
fn cosine_embedding_loss(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    /// It keeps the square of a length from zero.
    const EPSILON: f64 = 1e-12;
    let dim = Arg::List(vec![Arg::Int(-1)]);
    let [left, right, target] = ["input1", "input2", "target"].map(|name| a.get(name).clone());
    let mut product = |x: &Arg, y: &Arg| {
        let product = b.call(Aten::mul_Tensor, vec![x.clone(), y.clone()])?;
        b.call(Aten::sum_dim_IntList, vec![Arg::Node(product), dim.clone()])
    };
    let (dot, lengths) = (product(&left, &right)?, [product(&left, &left)?, product(&right, &right)?]);
    let lengths = lengths.map(|length| b.call(Aten::add_Scalar, vec![Arg::Node(length), Arg::Float(EPSILON)]));
    let [left, right] = lengths;
    let length = b.call(Aten::mul_Tensor, vec![Arg::Node(left?), Arg::Node(right?)])?;
    let length = b.call(Aten::sqrt_default, vec![Arg::Node(length)])?;
    let cosine = b.call(Aten::div_Tensor, vec![Arg::Node(dot), Arg::Node(length)])?;
    let off = b.call(Aten::rsub_Scalar, vec![Arg::Node(cosine), Arg::Int(1)])?;
    let above = b.call(Aten::sub_Scalar, vec![Arg::Node(cosine), a.get("margin").clone()])?;
    let above = b.call(Aten::clamp_min_default, vec![Arg::Node(above), Arg::Int(0)])?;
    let mut marked = |mark: i64, loss: NodeId| {
        let is = b.call(Aten::eq_Scalar, vec![target.clone(), Arg::Int(mark)])?;
        b.call(Aten::where_ScalarOther, vec![Arg::Node(is), Arg::Node(loss), Arg::Int(0)])
    };
    let (like, unlike) = (marked(1, off)?, marked(-1, above)?);
    let all = b.call(Aten::add_Tensor, vec![Arg::Node(like), Arg::Node(unlike)])?;
    reduced(b, a, all)
}

/// The mean or sum of losses, or each.
fn reduced(b: &mut Build, a: &Bound, losses: NodeId) -> Outcome<NodeId> {
    match a.get("reduction").as_int() {
        Some(0) => Ok(losses),
        Some(1) => b.call(Aten::mean_default, vec![Arg::Node(losses)]),
        Some(2) => b.call(Aten::sum_default, vec![Arg::Node(losses)]),
        _ => Err("a loss of unknown reduction".to_owned()),
    }
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
    let call = b.call(Aten::native_group_norm_default, args)?;
    b.pick(call, 0)
}

/// A softmax in the element type that is asked for.
fn softmax(b: &mut Build, a: &Bound, op: Aten) -> Outcome<NodeId> {
    let input = node(a, "self")?;
    let dtype = a.opt_dtype("dtype").map_err(|error| error.to_string())?;
    let input = match dtype {
        Some(dtype) => b.cast(input, dtype)?,
        None => input,
    };
    b.call(op, vec![Arg::Node(input), a.get("dim").clone(), Arg::Bool(false)])
}

/// `cross_entropy_loss` of class numbers.
fn cross_entropy(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (input, target) = (node(a, "self")?, node(a, "target")?);
    if b.tensor(target)?.dtype != DType::I64 {
        return Err("`cross_entropy_loss` of probabilities".to_owned());
    }
    let dim = Arg::Int(i64::from(b.rank(input)? > 1));
    let logs = b.call(Aten::_log_softmax_default, vec![Arg::Node(input), dim, Arg::Bool(false)])?;
    let loss = loss_of_classes(b, a, logs)?;
    match a.get("label_smoothing").as_float() {
        Some(0.0) => Ok(loss),
        Some(smoothing) if a.get("weight").is_none() => smoothed(b, a, logs, loss, smoothing),
        _ => Err("`cross_entropy_loss` with smoothing of weighted classes".to_owned()),
    }
}

/// A loss mixed with that of every class, each as likely as the others.
fn smoothed(b: &mut Build, a: &Bound, logs: NodeId, loss: NodeId, smoothing: f64) -> Outcome<NodeId> {
    let dim = usize::from(b.rank(logs)? > 1);
    let classes = b.constant_size(logs, dim)?;
    let all = b.call(Aten::sum_dim_IntList, vec![Arg::Node(logs), Arg::List(vec![Arg::Int(dim as i64)])])?;
    let all = b.call(Aten::neg_default, vec![Arg::Node(all)])?;
    let ignored = b.call(Aten::eq_Scalar, vec![a.get("target").clone(), a.get("ignore_index").clone()])?;
    let all = b.call(Aten::masked_fill_Scalar, vec![Arg::Node(all), Arg::Node(ignored), Arg::Float(0.0)])?;
    let reduced = match a.get("reduction").as_int() {
        Some(0) => all,
        Some(1) => {
            let sum = b.call(Aten::sum_default, vec![Arg::Node(all)])?;
            let counted = b.call(Aten::bitwise_not_default, vec![Arg::Node(ignored)])?;
            let count = b.call(Aten::sum_default, vec![Arg::Node(counted)])?;
            b.call(Aten::div_Tensor, vec![Arg::Node(sum), Arg::Node(count)])?
        }
        Some(2) => b.call(Aten::sum_default, vec![Arg::Node(all)])?,
        _ => return Err("`cross_entropy_loss` of unknown reduction".to_owned()),
    };
    let own = b.call(Aten::mul_Tensor, vec![Arg::Node(loss), Arg::Float(1.0 - smoothing)])?;
    let share = Arg::Float(smoothing / classes as f64);
    let shared = b.call(Aten::mul_Tensor, vec![Arg::Node(reduced), share])?;
    b.call(Aten::add_Tensor, vec![Arg::Node(own), Arg::Node(shared)])
}

/// The negative log likelihood of classes, of one row, of rows, or of the pixels of images.
fn loss_of_classes(b: &mut Build, a: &Bound, logs: NodeId) -> Outcome<NodeId> {
    let forward = match b.rank(logs)? {
        1 | 2 => Aten::nll_loss_forward_default,
        4 => Aten::nll_loss2d_forward_default,
        _ => return Err("a loss of classes of neither rows nor images".to_owned()),
    };
    let options = ["target", "weight", "reduction", "ignore_index"].map(|name| a.get(name).clone());
    let loss = b.call(forward, [vec![Arg::Node(logs)], options.to_vec()].concat())?;
    b.pick(loss, 0)
}

/// The mean or sum of distances, or each.
fn l1_loss(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let off = b.call(Aten::sub_Tensor, vec![a.get("self").clone(), a.get("target").clone()])?;
    let off = b.call(Aten::abs_default, vec![Arg::Node(off)])?;
    reduced(b, a, off)
}

/// The channels of each group taken in turns.
fn channel_shuffle(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (this, groups) = (node(a, "self")?, a.int("groups").map_err(|error| error.to_string())?);
    let Arg::List(sizes) = b.sizes(this)? else { return Err("sizes that are no list".to_owned()) };
    let channels = b.constant_size(this, 1)?;
    let apart = [&sizes[..1], &[Arg::Int(groups), Arg::Int(channels / groups.max(1))], &sizes[2..]].concat();
    let apart = b.call(Aten::reshape_default, vec![Arg::Node(this), Arg::List(apart)])?;
    let swapped = b.call(Aten::transpose_int, vec![Arg::Node(apart), Arg::Int(1), Arg::Int(2)])?;
    let swapped = b.call(Aten::contiguous_default, vec![Arg::Node(swapped)])?;
    b.reshape(swapped, Arg::List(sizes))
}

/// Channels laid out as the pixels of blocks.
fn pixel_shuffle(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (this, factor) = (node(a, "self")?, a.int("upscale_factor").map_err(|error| error.to_string())?);
    let (rank, by) = (b.rank(this)?, Arg::Int(factor));
    let channels = rank.checked_sub(3).ok_or("pixels without channels")?;
    let Arg::List(sizes) = b.sizes(this)? else { return Err("sizes that are no list".to_owned()) };
    let kept = Arg::Int(b.constant_size(this, channels)? / (factor * factor).max(1));
    let [height, width] = [1, 2].map(|dim| numbers(b, Operation::Mul, &sizes[channels + dim], &by));
    let apart = [&sizes[..channels], &[kept.clone(), by.clone(), by.clone()], &sizes[channels + 1..]].concat();
    let whole = [&sizes[..channels], &[kept, height?, width?]].concat();
    moved(b, this, apart, channels, [0, 3, 1, 4, 2], whole)
}

/// The pixels of blocks laid out as channels.
fn pixel_unshuffle(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (this, factor) = (node(a, "self")?, a.int("downscale_factor").map_err(|error| error.to_string())?);
    let (rank, by) = (b.rank(this)?, Arg::Int(factor));
    let channels = rank.checked_sub(3).ok_or("pixels without channels")?;
    let Arg::List(sizes) = b.sizes(this)? else { return Err("sizes that are no list".to_owned()) };
    let [height, width] =
        [1, 2].map(|dim| b.constant_size(this, channels + dim).map(|size| Arg::Int(size / factor.max(1))));
    let (height, width) = (height?, width?);
    let made = numbers(b, Operation::Mul, &sizes[channels], &Arg::Int(factor * factor))?;
    let apart = [&sizes[..=channels], &[height.clone(), by.clone(), width.clone(), by]].concat();
    let whole = [&sizes[..channels], &[made, height, width]].concat();
    moved(b, this, apart, channels, [0, 2, 4, 1, 3], whole)
}

/// A copy of a tensor with its last dimensions taken apart, put into another order and joined.
fn moved(
    b: &mut Build,
    tensor: NodeId,
    apart: Vec<Arg>,
    leading: usize,
    order: [usize; 5],
    whole: Vec<Arg>,
) -> Outcome<NodeId> {
    let apart = b.call(Aten::reshape_default, vec![Arg::Node(tensor), Arg::List(apart)])?;
    let order = (0..leading).chain(order.map(|dim| leading + dim)).map(|dim| Arg::Int(dim as i64));
    let ordered = b.call(Aten::permute_default, vec![Arg::Node(apart), Arg::List(order.collect())])?;
    // A copy also where nothing moves.
    let format = ("memory_format".to_owned(), Arg::MemoryFormat("contiguous_format".to_owned()));
    let copied = b.call_named(Aten::clone_default, vec![Arg::Node(ordered)], vec![format])?;
    b.reshape(copied, Arg::List(whole))
}

fn adaptive_avg_pool2d(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let output = a.ints("output_size").map_err(|error| error.to_string())?;
    if output.iter().all(|&size| size == 1) {
        let input = a.get("self").clone();
        return b.call(Aten::mean_dim, vec![input, Arg::List(vec![Arg::Int(-1), Arg::Int(-2)]), Arg::Bool(true)]);
    }
    same(b, a, Aten::_adaptive_avg_pool2d_default, &["self", "output_size"])
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
    b.call(Aten::slice_Tensor, vec![Arg::Node(this), Arg::Int(dim), start, end])
}
