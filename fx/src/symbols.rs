//! Symbolic sizes of a graph: where a call finds their values.

use crate::graph::{Graph, Meta, NodeId};
use rustc_hash::FxHashMap;
use symshapes::Sym;

/// The source that the value of a symbol is read from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// The input with this number is the value.
    Int(usize),
    /// A size of an input: its number and the dimension.
    Size(usize, usize),
    /// A stride of an input: its number and the dimension.
    Stride(usize, usize),
}

/// The symbols that inputs give as they are, each with its source: rather an integer input than a size, and rather a
/// size than a stride.
pub fn given(graph: &Graph) -> FxHashMap<Sym, Source> {
    given_by(graph, graph.placeholders())
}

/// The symbols that these values, taken for the inputs, give as they are.
pub fn given_by(graph: &Graph, inputs: impl IntoIterator<Item = NodeId>) -> FxHashMap<Sym, Source> {
    let mut found = Vec::new();
    for (index, node) in inputs.into_iter().enumerate() {
        match &graph[node].meta {
            Some(Meta::Int(e)) => found.push((*e, Source::Int(index))),
            Some(Meta::Tensor(tensor)) => {
                found.extend(tensor.sizes.iter().enumerate().map(|(d, &e)| (e, Source::Size(index, d))));
                found.extend(tensor.strides.iter().enumerate().map(|(d, &e)| (e, Source::Stride(index, d))));
            }
            _ => {}
        }
    }
    let mut given: FxHashMap<Sym, Source> = FxHashMap::default();
    for (e, source) in found {
        if let Some(sym) = graph.exprs.as_sym(e) {
            let best = given.entry(sym).or_insert(source);
            *best = source.min(*best);
        }
    }
    given
}
