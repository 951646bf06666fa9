//! Chooses where tensors lie, before it is known which of them are stored: `channels_last` for convolutions' sake,
//! `follow` for that of kernels, `weights` for products'.
//!
//! Invariant: only where tensors lie changes. No value, size or dtype does, and outputs keep their strides.

mod channels_last;
mod follow;
mod weights;

use crate::backend::Capabilities;
use crate::plan::CallKind;
use crate::tensor_ir::{Call, TensorGraph};
use fx::aten::rules::{Extern, Rule, rule};

/// Gives tensors the layouts that the device and its library are fastest with. `weights` are the inputs, by number,
/// whose values are the same from call to call.
pub fn choose(mut graph: TensorGraph, caps: &Capabilities, weights: &[usize]) -> TensorGraph {
    if !graph.calls.values().any(Call::sees_memory) {
        if caps.channels_last {
            graph = channels_last::spread(graph);
        }
        graph = follow::follow(graph);
    }
    if caps.multiplies && !weights.is_empty() {
        graph = weights::lay(graph, weights);
    }
    graph
}

/// The library's operator that a call is.
fn library(call: &Call) -> Option<Extern> {
    let overload = fx::aten::lookup(&call.target).filter(|_| call.kind == CallKind::Extern)?;
    match rule(&overload.name) {
        Some(Rule::Extern(kind)) => Some(kind),
        _ => None,
    }
}
