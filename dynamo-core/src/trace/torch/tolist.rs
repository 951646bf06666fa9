//! `tolist` of tensors and arrays of integers: each element is read by a node, and is an integer that depends on data.
//!
//! As torch's Dynamo has it. What the program asks of such an integer has no answer while it is traced, and ends the
//! graph. Only graphs that run as they are have such nodes.

use crate::trace::{
    Traced, Tracer,
    core::{
        state::State,
        value::{Value, ValueId},
    },
};
use fx::{Arg, Kind as NodeKind, Meta, NodeId};
use symshapes::DType;

/// Elements that are read one by one, at most.
const MOST_ELEMENTS: i64 = 256;

const INTEGERS: [DType; 5] = [DType::U8, DType::I8, DType::I16, DType::I32, DType::I64];

impl Tracer<'_> {
    /// The elements of a tensor of integers, in lists of lists; `None` where the tensor is of another kind.
    pub(in crate::trace) fn listed_integers(&mut self, tensor: NodeId) -> Traced<Option<ValueId>> {
        let Some(meta) = self.graph.torch[tensor].tensor_meta().cloned() else { return Ok(None) };
        let Some(sizes) = self.known(&meta.sizes) else { return Ok(None) };
        let count = sizes.iter().try_fold(1_i64, |count, &size| count.checked_mul(size));
        let is_short = count.is_some_and(|count| count <= MOST_ELEMENTS);
        if !self.options.inference || !INTEGERS.contains(&meta.dtype) || !is_short {
            return Ok(None);
        }
        self.listed(tensor, &sizes, &mut Vec::new()).map(Some)
    }

    /// The elements below a place, of which the first indices are given.
    fn listed(&mut self, tensor: NodeId, sizes: &[i64], place: &mut Vec<i64>) -> Traced {
        let Some(&size) = sizes.get(place.len()) else { return self.element(tensor, place) };
        let mut items = Vec::new();
        for at in 0..size {
            place.push(at);
            let item = self.listed(tensor, sizes, place);
            place.pop();
            items.push(item?);
        }
        Ok(self.state(State::List(items)))
    }

    fn element(&mut self, tensor: NodeId, place: &[i64]) -> Traced {
        let mut element = tensor;
        if !place.is_empty() {
            let place = Arg::Tuple(place.iter().map(|&at| Arg::Int(at)).collect());
            let picked =
                self.emit(NodeKind::CallFunction, "operator.getitem", vec![Arg::Node(tensor), place], vec![])?;
            if let Value::Tensor(node) = self.get(picked)? {
                element = node;
            }
        }
        let symbol = self.shapes.env.unbacked_int();
        let number = self.shapes.env.pool_mut().sym(symbol);
        self.graph.lowered.lacks("Tensor.item");
        self.emit_number(NodeKind::CallMethod, "item", vec![Arg::Node(element)], Meta::Int(number))
    }
}
