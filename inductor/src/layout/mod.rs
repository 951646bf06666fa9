//! Chooses where tensors lie, before it is known which of them are stored: `channels_last` for convolutions' sake,
//! `follow` for that of kernels, `weights` for
//! products', `uniform` for sums'.
//!
//! Invariant: only where tensors lie changes. No value, size or dtype does, and outputs keep their strides.

mod channels_last;
mod follow;
mod uniform;
mod weights;

use crate::backend::Capabilities;
use crate::calls::CallKind;
use crate::tensor_ir::{Arg, Call, CallResult, TensorGraph};
use fx::aten::Aten;
use fx::aten::rules::{Extern, Rule};
use symshapes::DType;

/// Gives tensors the layouts that the device and its library are fastest with. `weights` are the inputs, by number,
/// whose values are the same from call to call.
pub fn choose(mut graph: TensorGraph, caps: &Capabilities, weights: &[usize]) -> TensorGraph {
    if !graph.calls.values().any(Call::sees_memory) {
        if caps.channels_last {
            graph = channels_last::spread(graph);
        }
        graph = follow::follow(graph);
    }
    if caps.scatters {
        graph = uniform::shrink(graph);
    }
    if caps.multiplies && !weights.is_empty() {
        graph = weights::lay(graph, weights);
    }
    graph
}

/// The library's operator that a call is.
fn library(call: &Call) -> Option<Extern> {
    let overload = call.target.op().filter(|_| call.kind == CallKind::Extern)?;
    match overload.rule() {
        Some(Rule::Extern(kind)) => Some(kind),
        _ => None,
    }
}

/// True if a call is a sum of floats at indexed places, as devices compute it themselves.
pub(crate) fn is_own_scatter(graph: &TensorGraph, call: &Call) -> bool {
    let [CallResult::Tensor(result)] = *call.results.as_slice() else { return false };
    let is_plain = |at: usize, value: bool| call.args.get(at) == Some(&Arg::Plain(fx::Arg::Bool(value)));
    let is_sum = match call.target.op() {
        Some(Aten::index_put_default | Aten::_unsafe_index_put_default) => is_plain(3, true),
        Some(Aten::scatter_add_default) => true,
        Some(Aten::embedding_dense_backward_default) => is_plain(4, false),
        _ => false,
    };
    let mut has_mask = false;
    call.for_each_tensor(&mut |&t| has_mask |= graph.tensors[t].dtype == DType::Bool);
    let is_float = matches!(graph.tensors[result].dtype, DType::F32 | DType::F64);
    call.kind == CallKind::Extern && is_sum && !has_mask && is_float
}
