//! Intermediate tensors get the strides of what is computed from them.
//!
//! The strides that a graph promises of an intermediate tensor only say how eager would have stored it. Where the
//! tensor is read element by element, and only so, it had better lie as the result does: then both are walked in one
//! order, by one kernel.

use crate::tensor_ir::{Op, Output, Tensor, TensorGraph};
use cranelift_entity::{EntitySet, SecondaryMap};

/// Gives intermediate tensors whose own strides do not matter the strides of what is computed from them.
pub(super) fn follow(mut graph: TensorGraph) -> TensorGraph {
    let fixed = fixed(&graph);
    let mut given: SecondaryMap<Tensor, bool> = SecondaryMap::new();
    let tensors: Vec<Tensor> = graph.tensors.keys().collect();
    for &t in tensors.iter().rev() {
        let data = &graph.tensors[t];
        let (Op::Map(..) | Op::Convert(_), Some(strides)) = (&data.op, data.strides.clone()) else { continue };
        let mut operands = Vec::new();
        data.op.for_each_operand(|x| operands.push(x));
        operands.retain(|&x| graph.tensors[x].sizes == data.sizes && !fixed.contains(x) && !given[x]);
        for x in operands {
            graph.tensors[x].strides = Some(strides.clone());
            given[x] = true;
        }
    }
    graph
}

/// Tensors whose own strides matter, or that are read otherwise than element by element.
fn fixed(graph: &TensorGraph) -> EntitySet<Tensor> {
    let mut fixed = EntitySet::new();
    for output in &graph.outputs {
        if let Output::Tensor(t) = *output {
            fixed.insert(graph.viewed(t));
            fixed.insert(t);
        }
    }
    for write in &graph.writes {
        fixed.insert(graph.viewed(write.value));
        fixed.insert(write.value);
    }
    for call in graph.calls.values() {
        call.for_each_tensor(&mut |&t| {
            fixed.insert(graph.viewed(t));
            fixed.insert(t);
        });
    }
    for (t, data) in graph.tensors.iter() {
        if !matches!(data.op, Op::Map(..) | Op::Convert(_) | Op::Gather { .. } | Op::Pad { .. }) {
            fixed.insert(t);
        }
        data.op.for_each_operand(|x| {
            let is_element = matches!(data.op, Op::Map(..) | Op::Convert(_));
            if !is_element || graph.tensors[x].sizes != data.sizes {
                fixed.insert(x);
            }
        });
    }
    fixed
}
