//! Makes a failing graph small: outputs and calls are left out, one after another, as long as it fails.
//!
//! Inputs stay, so that the values of all symbols remain known.

use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta, passes};
use symshapes::Expr;

/// A graph that fails as this one does, and of which nothing more can be left out.
pub(crate) fn smallest(mut graph: Graph, fails: impl Fn(&Graph) -> bool) -> Graph {
    loop {
        let next = smaller(&graph).find(|graph| fails(graph));
        match next {
            Some(next) => graph = next,
            None => return graph,
        }
    }
}

/// The graph less an output, less what comes before a call, or less a call.
fn smaller(graph: &Graph) -> impl Iterator<Item = Graph> {
    let outputs = (0..outputs(graph).len()).map(|number| without_output(graph.clone(), number));
    let calls = || graph.nodes().filter(|&n| graph[n].kind == Kind::CallFunction);
    let cut = calls().filter_map(|call| as_input(graph.clone(), call));
    let bypassed = calls().flat_map(|call| bypasses(graph, call));
    outputs.chain(cut).chain(bypassed).map(|mut graph| {
        passes::eliminate_dead_code(&mut graph, |_| false);
        graph
    })
}

fn outputs(graph: &Graph) -> Vec<Arg> {
    match graph.output_node().map(|output| graph[output].args.as_slice()) {
        Some([Arg::Tuple(items)]) => items.clone(),
        _ => Vec::new(),
    }
}

fn without_output(mut graph: Graph, number: usize) -> Graph {
    let mut left = outputs(&graph);
    left.remove(number);
    if let Some(output) = graph.output_node() {
        graph[output].args = vec![Arg::Tuple(left)];
    }
    graph
}

/// The graph with an input in place of a call that gives a tensor.
fn as_input(mut graph: Graph, call: NodeId) -> Option<Graph> {
    let meta = TensorMeta { offset: Expr::ZERO, ..graph[call].tensor_meta()?.clone() };
    let first = graph.nodes().find(|&n| graph[n].kind == Kind::CallFunction)?;
    let name = graph[call].name.clone();
    let input = graph.insert_before(first, Kind::Placeholder, format!("{name}_in"), vec![], vec![], None);
    graph[input].meta = Some(Meta::Tensor(meta));
    graph.replace_all_uses(call, input);
    Some(graph)
}

/// The graphs in which a call's users take one of its operands, of the same type and sizes, in its place.
fn bypasses(graph: &Graph, call: NodeId) -> Vec<Graph> {
    let form = |n: NodeId| graph[n].tensor_meta().map(|meta| (meta.dtype, meta.sizes.as_slice()));
    let operands = graph[call].inputs().into_iter().filter(|&n| form(n).is_some() && form(n) == form(call));
    let bypass = operands.map(|operand| {
        let mut graph = graph.clone();
        graph.replace_all_uses(call, operand);
        graph
    });
    bypass.collect()
}
