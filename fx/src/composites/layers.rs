//! Layers: pooling, padding, convolutions with named padding, cells, dropout, and what else `torch.nn` calls.

use super::{
    Expand, ExpandSeveral,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};
use symshapes::Expr;

/// The composites of this family that give a tensor.
pub(super) const ROWS: &[(Aten, Expand)] = &[
    (Aten::max_pool1d_default, |p| {
        let places = max_pooled_1d(p)?;
        let pooled = p.pick(places, 0)?;
        p.with(Aten::squeeze_dim, pooled, -2)
    }),
    (Aten::max_pool3d_default, |p| {
        let names = ["self", "kernel_size", "stride", "padding", "dilation", "ceil_mode"];
        p.first(Aten::max_pool3d_with_indices_default, &names)
    }),
    (Aten::avg_pool1d_default, |p| {
        let options = planar(p, &["kernel_size", "stride", "padding"])?;
        let row = of_one_dimension(p)?;
        let rest = p.args(&["ceil_mode", "count_include_pad"]);
        let pooled = p.call(Aten::avg_pool2d_default, [vec![Arg::Node(row)], options, rest].concat())?;
        p.with(Aten::squeeze_dim, pooled, -2)
    }),
    (Aten::adaptive_avg_pool1d_default, |p| {
        let row = of_one_dimension(p)?;
        let output = planar_output(p)?;
        let pooled = p.with(Aten::adaptive_avg_pool2d_default, row, output)?;
        p.with(Aten::squeeze_dim, pooled, -2)
    }),
    (Aten::adaptive_avg_pool3d_default, |p| {
        let this = p.node("self")?;
        let output = p.exprs("output_size")?;
        if !output.iter().all(|&size| size == Expr::ONE) {
            return p.call(Aten::_adaptive_avg_pool3d_default, p.args(&["self", "output_size"]));
        }
        p.demand(matches!(p.rank(this)?, 4 | 5), "a tensor of other than volumes")?;
        if p.rank(this)? == 5 && p.suggests_channels_last(this)? {
            return Err(p.unsupported("channels last"));
        }
        let dims = Arg::List([-1, -2, -3].map(Arg::Int).into());
        p.call(Aten::mean_dim, [Arg::Node(this), dims, Arg::Bool(true)])
    }),
    (Aten::_pad_enum_default, |p| match p.int("mode")? {
        0 => constant_padded(p),
        1 => padded(p, REFLECTION),
        2 => padded(p, REPLICATION),
        _ => Err(p.unsupported("circular padding")),
    }),
    (Aten::pad_default, |p| match p.bound.str("mode")? {
        "constant" => constant_padded(p),
        mode => {
            p.demand(p.bound.get("value").is_none() || p.bound.get("value").as_float() == Some(0.0), "a value")?;
            match mode {
                "reflect" => padded(p, REFLECTION),
                "replicate" => padded(p, REPLICATION),
                "circular" => circular(p),
                _ => Err(p.rejected("an unknown mode")),
            }
        }
    }),
    (Aten::conv1d_padding, |p| convolution(p, 1)),
    (Aten::conv2d_padding, |p| convolution(p, 2)),
    (Aten::conv3d_padding, |p| convolution(p, 3)),
    (Aten::_convolution_default, |p| {
        let names = ["input", "weight", "bias", "stride", "padding", "dilation"];
        let rest = ["transposed", "output_padding", "groups"];
        p.call(Aten::convolution_default, [p.args(&names), p.args(&rest)].concat())
    }),
    (Aten::grid_sampler_default, |p| {
        let input = p.node("input")?;
        p.on_cpu(input)?;
        let op = match p.rank(input)? {
            4 => Aten::grid_sampler_2d_default,
            5 => Aten::grid_sampler_3d_default,
            _ => return Err(p.rejected("neither images nor volumes")),
        };
        let names = ["input", "grid", "interpolation_mode", "padding_mode", "align_corners"];
        p.call(op, p.args(&names))
    }),
    (Aten::prelu_default, prelu),
    (Aten::alpha_dropout_default, |p| alpha_dropout(p, false)),
    (Aten::feature_alpha_dropout_default, |p| alpha_dropout(p, true)),
    (Aten::rrelu_default, |p| {
        let (low, high) = (p.float("lower")?, p.float("upper")?);
        p.demand(low <= high, "bounds that are not in order")?;
        if p.bool("training")? {
            return Err(p.unsupported("slopes that are drawn"));
        }
        let this = p.node("self")?;
        p.with(Aten::leaky_relu_default, this, (low + high) / 2.0)
    }),
    (Aten::gru_cell_default, gru_cell),
    (Aten::rnn_tanh_cell_default, |p| simple_cell(p, Aten::tanh_default)),
    (Aten::rnn_relu_cell_default, |p| simple_cell(p, Aten::relu_default)),
];

/// The composites of this family that give several tensors.
pub(super) const SEVERAL: &[(Aten, ExpandSeveral)] = &[
    (Aten::adaptive_max_pool1d_default, |p| {
        let row = of_one_dimension(p)?;
        let output = planar_output(p)?;
        let pooled = p.with(Aten::adaptive_max_pool2d_default, row, output)?;
        without_rows(p, pooled)
    }),
    (Aten::max_pool1d_with_indices_default, |p| {
        let pooled = max_pooled_1d(p)?;
        without_rows(p, pooled)
    }),
    (Aten::lstm_cell_default, lstm_cell),
    (Aten::embedding_bag_default, embedding_bag),
    (Aten::embedding_bag_padding_idx, |p| match p.bound.get("padding_idx") {
        Arg::None => embedding_bag(p),
        _ => Err(p.unsupported("rows that do not count")),
    }),
];

/// Sequences as images of one row.
fn of_one_dimension(p: &mut Parts) -> Outcome {
    let this = p.node("self")?;
    p.demand(matches!(p.rank(this)?, 2 | 3), "a tensor of other than sequences")?;
    p.with(Aten::unsqueeze_default, this, -2)
}

/// The results of pooling images of one row, as sequences.
fn without_rows(p: &mut Parts, pooled: NodeId) -> Outcome<Vec<NodeId>> {
    let results = p.results(pooled)?;
    results.into_iter().map(|result| p.with(Aten::squeeze_dim, result, -2)).collect()
}

/// The options of pooling along one dimension as those of a plane of one row.
fn planar(p: &Parts, names: &[&str]) -> Outcome<Vec<Arg>> {
    let option = |name: &&str| {
        let neutral = i64::from(*name != "padding");
        Ok(Arg::List(match p.bound.ints(name)?[..] {
            [] => Vec::new(),
            [along] => vec![Arg::Int(neutral), Arg::Int(along)],
            _ => return Err(p.rejected("several numbers for one dimension")),
        }))
    };
    names.iter().map(option).collect()
}

fn planar_output(p: &mut Parts) -> Outcome<Arg> {
    let output = p.exprs("output_size")?;
    let &[length] = &output[..] else { return Err(p.rejected("several sizes of one dimension")) };
    Ok(p.size_args(&[Expr::ONE, length]))
}

fn max_pooled_1d(p: &mut Parts) -> Outcome {
    let options = planar(p, &["kernel_size", "stride", "padding", "dilation"])?;
    let row = of_one_dimension(p)?;
    let args = [vec![Arg::Node(row)], options, p.args(&["ceil_mode"])].concat();
    p.call(Aten::max_pool2d_with_indices_default, args)
}

fn constant_padded(p: &mut Parts) -> Outcome {
    let is_float = p.dtype(p.node("self")?)?.is_float();
    if !is_float && !matches!(p.bound.get("value"), Arg::None | Arg::Int(0..=127)) {
        return Err(p.unsupported("a number that the elements may not hold"));
    }
    let value = if p.bound.get("value").is_none() { Arg::Float(0.0) } else { p.arg("value") };
    p.call(Aten::constant_pad_nd_default, [p.args(&["self", "pad"]), vec![value]].concat())
}

/// The operators that pad so many dimensions with what is inside.
const REFLECTION: [Aten; 3] =
    [Aten::reflection_pad1d_default, Aten::reflection_pad2d_default, Aten::reflection_pad3d_default];
const REPLICATION: [Aten; 3] =
    [Aten::replication_pad1d_default, Aten::replication_pad2d_default, Aten::replication_pad3d_default];

fn padded(p: &mut Parts, by_dimensions: [Aten; 3]) -> Outcome {
    let this = p.node("self")?;
    let pads = p.exprs("pad")?.len();
    let dims = pads / 2;
    p.demand(pads % 2 == 0 && (1..=3).contains(&dims), "a pad of other dimensions")?;
    p.demand(p.rank(this)?.wrapping_sub(dims) <= 2 && p.rank(this)? > dims, "a tensor of other dimensions")?;
    p.call(by_dimensions[dims - 1], p.args(&["self", "pad"]))
}

/// Dimensions continued by their own other ends, the last one first.
fn circular(p: &mut Parts) -> Outcome {
    let (mut tensor, pad) = (p.node("self")?, p.bound.ints("pad")?);
    let rank = p.rank(tensor)?;
    p.demand(pad.len() % 2 == 0 && pad.len() + 4 == 2 * rank, "a pad of other dimensions")?;
    if p.suggests_channels_last(tensor)? {
        return Err(p.unsupported("channels last"));
    }
    for (place, ends) in pad.chunks_exact(2).enumerate() {
        let (dim, before, after) = (rank - 1 - place, ends[0], ends[1]);
        let size = p.sizes_of(tensor)?[dim];
        let size = p.value(size)?;
        p.demand(before <= size && after <= size, "a pad that goes round more than once")?;
        p.demand(size + before + after >= 0, "a pad that leaves less than nothing")?;
        if before < 0 || after < 0 {
            return Err(p.unsupported("ends that are taken away"));
        }
        if before == 0 && after == 0 {
            continue;
        }
        let mut parts = Vec::new();
        if before > 0 {
            parts.push(Arg::Node(p.slice(tensor, dim, size - before, size)?));
        }
        parts.push(Arg::Node(tensor));
        if after > 0 {
            parts.push(Arg::Node(p.slice(tensor, dim, 0, after)?));
        }
        tensor = p.call(Aten::cat_default, [Arg::List(parts), Arg::Int(dim as i64)])?;
    }
    if Some(tensor) == p.bound.node("self") {
        return Err(p.unsupported("a pad of nothing"));
    }
    Ok(tensor)
}

/// A convolution whose padding has a name: none, or so much that the result is as large as the input.
fn convolution(p: &mut Parts, dims: usize) -> Outcome {
    let (mut input, weight) = (p.node("input")?, p.node("weight")?);
    let (rank, of_weight) = (p.rank(input)?, p.sizes_of(weight)?);
    if rank != dims + 2 || of_weight.len() != dims + 2 {
        return Err(p.unsupported("an input without batch"));
    }
    let spread = |values: Vec<i64>| if values.len() == 1 { vec![values[0]; dims] } else { values };
    let (stride, dilation) = (spread(p.bound.ints("stride")?), spread(p.bound.ints("dilation")?));
    p.demand(stride.len() == dims && dilation.len() == dims, "options of other dimensions")?;
    let mut padding = vec![0; dims];
    match p.bound.str("padding")? {
        "valid" => {}
        "same" => {
            p.demand(stride.iter().all(|&stride| stride == 1), "a stride where sizes are to stay")?;
            let mut uneven = Vec::new();
            for dim in 0..dims {
                let kernel = p.value(of_weight[dim + 2])?;
                let total = dilation[dim] * (kernel - 1);
                padding[dim] = total / 2;
                uneven.splice(0..0, [0, total % 2]);
            }
            if uneven.iter().any(|&more| more > 0) {
                let pad = Arg::List(uneven.into_iter().map(Arg::Int).collect());
                input = p.call(Aten::constant_pad_nd_default, [Arg::Node(input), pad, Arg::Int(0)])?;
            }
        }
        _ => return Err(p.rejected("a padding of unknown name")),
    }
    let list = |values: Vec<i64>| Arg::List(values.into_iter().map(Arg::Int).collect());
    let args = vec![Arg::Node(input), Arg::Node(weight), p.arg("bias"), list(stride), list(padding), list(dilation)];
    let rest = vec![Arg::Bool(false), list(vec![0; dims]), p.arg("groups")];
    p.call(Aten::convolution_default, [args, rest].concat())
}

/// `prelu` with a slope for each channel, or one for all.
fn prelu(p: &mut Parts) -> Outcome {
    let (input, weight) = (p.node("self")?, p.node("weight")?);
    let (own, of_weight) = (p.sizes_of(input)?, p.sizes_of(weight)?);
    p.demand(of_weight.len() <= 1, "slopes of several dimensions")?;
    p.demand(p.dtype(input)? == p.dtype(weight)?, "two element types")?;
    let count = of_weight.first().copied().unwrap_or(Expr::ONE);
    if !p.is_one(count)? {
        let channels = match own[..] {
            [] => return Err(p.rejected("slopes of channels for a number")),
            [_] => Expr::ONE,
            [_, channels, ..] => channels,
        };
        if !p.are_equal(channels, count)? {
            return Err(p.rejected("slopes of other channels"));
        }
    }
    let mut sizes = vec![Expr::ONE; own.len()];
    if let Some(size) = sizes.get_mut(1) {
        *size = count;
    }
    let is_alike = of_weight.len() == own.len();
    let weight = if is_alike { weight } else { p.reshape(weight, &sizes)? };
    p.binary(Aten::_prelu_kernel_default, input, weight)
}

/// Dropout to the negative saturation of `selu`, of elements or of whole channels, which keeps mean and variance.
fn alpha_dropout(p: &mut Parts, of_channels: bool) -> Outcome {
    /// The saturation: scale times alpha of `selu`.
    const SATURATION: f64 = 1.758_099_340_847_376_6;
    let (input, chance) = (p.node("input")?, p.float("p")?);
    p.demand((0.0..=1.0).contains(&chance), "a probability out of range")?;
    let sizes = p.sizes_of(input)?;
    if chance == 0.0 || !p.bool("train")? {
        return Ok(input);
    }
    if chance == 1.0 || sizes.contains(&Expr::ZERO) {
        return Err(p.unsupported("nothing that is drawn"));
    }
    let noise = if of_channels {
        p.demand(sizes.len() >= 2, "a tensor without channels")?;
        let sizes = [&sizes[..2], &vec![Expr::ONE; sizes.len() - 2]].concat();
        let sizes = p.size_args(&sizes);
        p.with(Aten::new_empty_default, input, sizes)?
    } else {
        p.unary(Aten::empty_like_default, input)?
    };
    let noise = p.with(Aten::bernoulli_p, noise, 1.0 - chance)?;
    let scale = 1.0 / ((SATURATION * SATURATION * chance + 1.0) * (1.0 - chance)).sqrt();
    let dropped = p.with(Aten::add_Scalar, noise, -1)?;
    let dropped = p.with(Aten::mul_Scalar, dropped, SATURATION * scale)?;
    let dropped = p.with(Aten::add_Scalar, dropped, SATURATION * scale * chance)?;
    let noise = p.with(Aten::mul_Scalar, noise, scale)?;
    let kept = p.binary(Aten::mul_Tensor, input, noise)?;
    p.binary(Aten::add_Tensor, kept, dropped)
}

/// A state of a cell and the gates: what the input and the last state give, each by its weights.
fn gates(p: &mut Parts, hidden: NodeId) -> Outcome<[NodeId; 2]> {
    let input = p.node("input")?;
    p.demand(p.rank(input)? == 2 && p.rank(hidden)? == 2, "states of other dimensions")?;
    let rows = [p.sizes_of(input)?[0], p.sizes_of(hidden)?[0]];
    if !p.are_equal(rows[0], rows[1])? {
        return Err(p.rejected("a state of another batch"));
    }
    let by_state = p.call(Aten::linear_default, [vec![Arg::Node(hidden)], p.args(&["w_hh", "b_hh"])].concat())?;
    let by_input = p.call(Aten::linear_default, [vec![Arg::Node(input)], p.args(&["w_ih", "b_ih"])].concat())?;
    Ok([by_state, by_input])
}

fn chunks(p: &mut Parts, of: NodeId, count: i64) -> Outcome<Vec<NodeId>> {
    let width = p.sizes_of(of)?[1];
    let rest = p.pool().modulo_int(width, count);
    if !p.are_equal(rest, Expr::ZERO)? {
        return Err(p.rejected("gates of other sizes"));
    }
    let each = p.pool().floor_div_int(width, count);
    let each = p.size_arg(each);
    let chunks = p.call(Aten::split_Tensor, [Arg::Node(of), each, Arg::Int(1)])?;
    p.results(chunks)
}

fn lstm_cell(p: &mut Parts) -> Outcome<Vec<NodeId>> {
    let [hidden, cell] = p.nodes("hx")?[..] else { return Err(p.rejected("other than two states")) };
    p.on_cpu(hidden)?;
    let [by_state, by_input] = gates(p, hidden)?;
    let gates = p.binary(Aten::add_Tensor, by_state, by_input)?;
    let [input, forget, new, output] = chunks(p, gates, 4)?[..] else { return Err(p.rejected("other gates")) };
    let (input, forget) = (p.unary(Aten::sigmoid_default, input)?, p.unary(Aten::sigmoid_default, forget)?);
    let (new, output) = (p.unary(Aten::tanh_default, new)?, p.unary(Aten::sigmoid_default, output)?);
    let kept = p.binary(Aten::mul_Tensor, forget, cell)?;
    let added = p.binary(Aten::mul_Tensor, input, new)?;
    let cell = p.binary(Aten::add_Tensor, kept, added)?;
    let shown = p.unary(Aten::tanh_default, cell)?;
    Ok(vec![p.binary(Aten::mul_Tensor, output, shown)?, cell])
}

fn gru_cell(p: &mut Parts) -> Outcome {
    let hidden = p.node("hx")?;
    p.on_cpu(hidden)?;
    let [by_state, by_input] = gates(p, hidden)?;
    let [reset, update, new] = chunks(p, by_input, 3)?[..] else { return Err(p.rejected("other gates")) };
    let [reset_state, update_state, new_state] = chunks(p, by_state, 3)?[..] else {
        return Err(p.rejected("other gates"));
    };
    let reset = p.binary(Aten::add_Tensor, reset_state, reset)?;
    let reset = p.unary(Aten::sigmoid_default, reset)?;
    let update = p.binary(Aten::add_Tensor, update_state, update)?;
    let update = p.unary(Aten::sigmoid_default, update)?;
    let new_state = p.binary(Aten::mul_Tensor, new_state, reset)?;
    let new = p.binary(Aten::add_Tensor, new, new_state)?;
    let new = p.unary(Aten::tanh_default, new)?;
    let kept = p.binary(Aten::sub_Tensor, hidden, new)?;
    let kept = p.binary(Aten::mul_Tensor, kept, update)?;
    p.binary(Aten::add_Tensor, kept, new)
}

fn simple_cell(p: &mut Parts, activation: Aten) -> Outcome {
    let hidden = p.node("hx")?;
    let [by_state, by_input] = gates(p, hidden)?;
    let sum = p.binary(Aten::add_Tensor, by_state, by_input)?;
    p.unary(activation, sum)
}

/// The sums, means or maxima of bags of rows, by the kernel that keeps what gradients need where they are asked for.
fn embedding_bag(p: &mut Parts) -> Outcome<Vec<NodeId>> {
    let weight = p.node("weight")?;
    let is_recorded = p.meta(weight)?.requires_grad;
    let op = if is_recorded { Aten::_embedding_bag_default } else { Aten::_embedding_bag_forward_only_default };
    let operands = p.args(&["weight", "indices", "offsets"]);
    let options = p.args(&["scale_grad_by_freq", "mode", "sparse", "per_sample_weights", "include_last_offset"]);
    let bags = p.call(op, [operands, options].concat())?;
    p.results(bags)
}
