//! Uniform bases of sums at indexed places (scatter-add): a tensor of one number everywhere becomes that number,
//! expanded.
//!
//! A device that computes such sums itself begins each part of its result when it adds to it; a tensor of zeros would
//! be written and read for nothing. Libtorch's operators take either.

use super::is_own_scatter;
use crate::tensor_ir::{Arg, Dims, Op, Tensor, TensorData, TensorGraph, View};
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// Replaces the uniform bases of sums at indexed places by expanded numbers.
pub(super) fn shrink(graph: TensorGraph) -> TensorGraph {
    let mut bases = EntitySet::new();
    for call in graph.calls.values().filter(|call| is_own_scatter(&graph, call)) {
        if let Some(&Arg::Tensor(base)) = call.args.first()
            && matches!(graph.tensors[base].op, Op::Full(_))
        {
            bases.insert(base);
        }
    }
    if bases.is_empty() {
        return graph;
    }
    let mut seen: FxHashMap<Tensor, Tensor> = FxHashMap::default();
    let mut new = graph.rebuilt(|tensors, t, data| {
        let own = tensors.push(data.clone());
        if bases.contains(t) {
            let number = tensors.push(TensorData { sizes: Dims::new(), strides: None, ..data.clone() });
            let op = Op::View(number, View::Expand);
            seen.insert(own, tensors.push(TensorData { op, strides: None, ..data }));
        }
        own
    });
    let own: Vec<_> = new.calls.keys().filter(|&id| is_own_scatter(&new, &new.calls[id])).collect();
    for id in own {
        if let Some(Arg::Tensor(base)) = new.calls[id].args.first_mut()
            && let Some(&number) = seen.get(base)
        {
            *base = number;
        }
    }
    new
}
