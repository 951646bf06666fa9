//! Recurrent layers over sequences, `lstm`, `gru`, `rnn_tanh` and `rnn_relu`, and the kernels for one of their steps.
//!
//! The overload `data`, for sequences of several lengths, has no rule: how many steps it takes, a tensor says.

use super::{
    Rule,
    call::{Call, Result, tuple},
};
use crate::{aten::Packet, graph::Meta};
use symshapes::{DType, DeviceKind, Expr, TensorMeta};

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::lstm, lstm),
    (Packet::gru, |c| recurrent(c, 3)),
    (Packet::rnn_tanh, |c| recurrent(c, 1)),
    (Packet::rnn_relu, |c| recurrent(c, 1)),
    (Packet::_thnn_fused_lstm_cell, |c| {
        let (state, gates) = fused_cell(c, "cx", 4)?;
        let workspace = TensorMeta { requires_grad: false, ..gates };
        Ok(tuple([state.clone(), state, workspace]))
    }),
    (Packet::_thnn_fused_gru_cell, |c| {
        let (state, gates) = fused_cell(c, "hx", 3)?;
        let width = c.pool.mul_int(state.sizes[1], 5);
        let workspace = c.contiguous(&gates, gates.dtype, vec![state.sizes[0], width]);
        Ok(tuple([state, TensorMeta { requires_grad: false, ..workspace }]))
    }),
    (Packet::mkldnn_rnn_layer, mkldnn_layer),
];

/// The sizes that the layers of a call share.
struct Layers<'a> {
    input: &'a TensorMeta,
    is_batch_first: bool,
    /// The number of steps.
    time: Expr,
    /// The number of sequences.
    batch: Expr,
    /// The number of layers, each direction counted for itself.
    count: usize,
    /// The number of directions.
    directions: usize,
}

/// The cell's state is as wide as the gates, the result may be projected to fewer elements.
fn lstm(c: &mut Call) -> Result {
    let layers = layers(c)?;
    let [hidden, cell] = c.tensors("hx")?[..] else { return c.fits(None) };
    let (width, inner) = (state(c, &layers, hidden)?, state(c, &layers, cell)?);
    let is_projected = weights(c, &layers, 4, width, inner)?;
    if !is_projected {
        c.demand_equal(width, inner)?;
    }
    let (out, hidden, cell) = (output(c, &layers, width), new_state(c, &layers, width), new_state(c, &layers, inner));
    Ok(tuple([out, hidden, cell]))
}

/// A layer whose only state is its result.
fn recurrent(c: &mut Call, gates: i64) -> Result {
    let layers = layers(c)?;
    let width = state(c, &layers, c.tensor("hx")?)?;
    if weights(c, &layers, gates, width, width)? {
        return c.fits(None);
    }
    let (out, hidden) = (output(c, &layers, width), new_state(c, &layers, width));
    Ok(tuple([out, hidden]))
}

fn layers<'a>(c: &mut Call<'a>) -> Result<Layers<'a>> {
    let input = c.tensor("input")?;
    let [first, second, _] = input.sizes[..] else { return c.fits(None) };
    let is_batch_first = c.bool("batch_first")?;
    let (time, batch) = if is_batch_first { (second, first) } else { (first, second) };
    let one = c.pool.int(1);
    c.demand_at_most(one, time)?;
    let directions = if c.bool("bidirectional")? { 2 } else { 1 };
    let count = usize::try_from(c.int("num_layers")?).ok().filter(|&count| count > 0);
    let count = c.fits(count.and_then(|count| count.checked_mul(directions)))?;
    Ok(Layers { input, is_batch_first, time, batch, count, directions })
}

/// The width of a state, one row for each layer, direction and sequence.
fn state(c: &mut Call, layers: &Layers<'_>, state: &TensorMeta) -> Result<Expr> {
    c.one_dtype(layers.input, state)?;
    let [count, batch, width] = state.sizes[..] else { return c.fits(None) };
    let wanted = c.pool.int(layers.count as i64);
    c.demand_equal(count, wanted)?;
    c.demand_equal(batch, layers.batch)?;
    Ok(width)
}

/// Checks the weights and biases of all layers; true if they project the results.
fn weights(c: &mut Call, layers: &Layers<'_>, gates: i64, width: Expr, inner: Expr) -> Result<bool> {
    let params = c.tensors("params")?;
    let biases = if c.bool("has_biases")? { 2 } else { 0 };
    let is_projected = params.len() == layers.count * (3 + biases);
    c.fits((is_projected || params.len() == layers.count * (2 + biases)).then_some(()))?;
    let (rows, below) = (c.pool.mul_int(inner, gates), c.pool.mul_int(width, layers.directions as i64));
    for (at, layer) in params.chunks(params.len() / layers.count).enumerate() {
        let columns = if at < layers.directions { layers.input.sizes[2] } else { below };
        let mut wanted = vec![vec![rows, columns], vec![rows, width]];
        wanted.extend(vec![vec![rows]; biases]);
        wanted.extend(is_projected.then(|| vec![width, inner]));
        for (given, wanted) in layer.iter().zip(wanted) {
            c.one_dtype(layers.input, given)?;
            c.fits((given.sizes.len() == wanted.len()).then_some(()))?;
            given.sizes.iter().zip(wanted).try_for_each(|(&given, wanted)| c.demand_equal(given, wanted))?;
        }
    }
    Ok(is_projected)
}

/// The results of all steps, step by step in memory.
fn output(c: &mut Call, layers: &Layers<'_>, width: Expr) -> TensorMeta {
    let width = c.pool.mul_int(width, layers.directions as i64);
    let mut out = c.contiguous(layers.input, layers.input.dtype, vec![layers.time, layers.batch, width]);
    if layers.is_batch_first {
        out.sizes.swap(0, 1);
        out.strides.swap(0, 1);
    }
    out
}

/// The state after the last step.
fn new_state(c: &mut Call, layers: &Layers<'_>, width: Expr) -> TensorMeta {
    let count = c.pool.int(layers.count as i64);
    c.contiguous(layers.input, layers.input.dtype, vec![count, layers.batch, width])
}

/// The new state of a cell that one kernel of a GPU computes, and a tensor like its gates.
fn fused_cell(c: &mut Call, state: &str, count: i64) -> Result<(TensorMeta, TensorMeta)> {
    let (gates, state) = (c.tensor("input_gates")?, c.tensor(state)?);
    if !matches!(gates.device.kind, DeviceKind::Cuda | DeviceKind::Meta) {
        return Err(c.unsupported("a cell on a device that the kernel is not for"));
    }
    let (&[rows, columns], &[states, width]) = (&gates.sizes[..], &state.sizes[..]) else { return c.fits(None) };
    let wanted = c.pool.mul_int(width, count);
    c.demand_equal(columns, wanted)?;
    c.demand_equal(rows, states)?;
    c.demand_sizes("hidden_gates", &[rows, columns])?;
    c.fits((c.given("input_bias") == c.given("hidden_bias")).then_some(()))?;
    for name in ["input_bias", "hidden_bias"] {
        c.demand_sizes(name, &[columns])?;
    }
    for other in ["hidden_gates", "input_bias", "hidden_bias"] {
        if let Some(other) = c.opt_tensor(other)? {
            c.one_dtype(gates, other)?;
        }
    }
    c.one_dtype(gates, state)?;
    let new_state = c.contiguous(state, state.dtype, state.sizes.clone());
    Ok((new_state, c.contiguous(gates, gates.dtype, gates.sizes.clone())))
}

/// One direction of one layer of an LSTM by the processor's library, which keeps what it likes for the gradient.
fn mkldnn_layer(c: &mut Call) -> Result {
    const LSTM: i64 = 2;
    let (x, width) = (c.tensor("input")?, c.expr("hidden_size")?);
    let is_single = c.int("mode")? == LSTM && c.int("num_layers")? == 1 && !c.bool("bidirectional")?;
    if !is_single || x.dtype != DType::F32 || x.device.kind != DeviceKind::Cpu || !c.ints("batch_sizes")?.is_empty() {
        return Err(c.unsupported("another layer, of other numbers, or on a device"));
    }
    let [time, batch, inner] = x.sizes[..] else { return c.fits(None) };
    let gates = c.pool.mul_int(width, 4);
    let weights: [(&str, &[Expr]); 4] =
        [("weight0", &[gates, inner]), ("weight1", &[gates, width]), ("weight2", &[gates]), ("weight3", &[gates])];
    let state: &[Expr] = &[Expr::ONE, batch, width];
    for (name, sizes) in weights.into_iter().chain([("hx_", state), ("cx_", state)]) {
        c.one_dtype(x, c.tensor(name)?)?;
        if c.tensor(name)?.sizes != sizes {
            return Err(c.unsupported("weights or states of other sizes"));
        }
    }
    let out = c.contiguous(x, x.dtype, vec![time, batch, width]);
    let state = Some(Meta::Tensor(c.contiguous(x, x.dtype, state.to_vec())));
    Ok(Meta::Tuple(vec![Some(out.into()), state.clone(), state, None]))
}
