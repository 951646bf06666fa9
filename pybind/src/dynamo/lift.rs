//! A graph as torch's Dynamo writes it, with the symbols of sizes among its inputs.
//!
//! Our own graphs ask a tensor for its size where the program does; torch's take each symbol as an input that stands
//! before the first tensor whose sizes or strides have it.

use dynamo_core::trace::{Origins, input_name};
use fx::{Graph, Kind, Meta, NodeId};
use guards::{SourceId, Sources};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::{Expr, ShapeEnv, Sym, TensorMeta};

/// The origins of an input of the graph, by the number of the input that the code gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    /// It is that input.
    Given(usize),
    /// It is the size of a dimension.
    Size(usize, usize),
    /// It is the stride of a dimension.
    Stride(usize, usize),
    /// It is the tensor's storage offset.
    Offset(usize),
}

impl Input {
    /// The input, from those that the code gives.
    pub(super) fn of<'py>(self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        match self {
            Input::Given(at) => args.get_item(at),
            Input::Size(at, dim) => args.get_item(at)?.call_method1(intern!(py, "size"), (dim,)),
            Input::Stride(at, dim) => args.get_item(at)?.call_method1(intern!(py, "stride"), (dim,)),
            Input::Offset(at) => args.get_item(at)?.call_method0(intern!(py, "storage_offset")),
        }
    }
}

/// Makes the symbols of sizes inputs, and names integers after their sources. Gives the origin of each input.
pub(super) fn sizes(graph: &mut Graph, origins: &mut Origins, inputs: &[SourceId], sources: &Sources) -> Vec<Input> {
    let mut lifted = Lifted { places: Vec::new(), nodes: FxHashMap::default(), origins };
    let placeholders: Vec<NodeId> = graph.placeholders().collect();
    for (at, (&node, &source)) in placeholders.iter().zip(inputs).enumerate() {
        match graph[node].meta.clone() {
            Some(Meta::Tensor(meta)) => {
                for (dim, &size) in meta.sizes.iter().enumerate() {
                    lifted.lift(graph, node, size, Input::Size(at, dim));
                }
                for (dim, &stride) in meta.strides.iter().enumerate() {
                    lifted.lift(graph, node, stride, Input::Stride(at, dim));
                }
                lifted.lift(graph, node, meta.offset, Input::Offset(at));
            }
            Some(Meta::Int(expr)) => {
                let named = rename(graph, node, &sources.display(source).to_string());
                lifted.origins[named] = lifted.origins[node].clone();
                if let Some(sym) = graph.exprs.as_sym(expr) {
                    lifted.nodes.entry(sym).or_insert(named);
                }
            }
            _ => {}
        }
        lifted.places.push(Input::Given(at));
    }
    lifted.replace_sizes(graph);
    make_tensors_of_numbers(graph);
    drop_unused(graph, lifted.places)
}

/// Has tensors that are made of symbolic numbers made by torch's Python function, as torch's Dynamo has it: the builtin
/// would ask the symbols for their values.
fn make_tensors_of_numbers(graph: &mut Graph) {
    let is_number =
        |graph: &Graph, node: NodeId| matches!(graph[node].meta, Some(Meta::Int(_) | Meta::Float(_) | Meta::Bool(_)));
    let makes = |&node: &NodeId| {
        let call = &graph[node];
        call.kind == Kind::CallFunction
            && call.target == "torch.tensor"
            && call.inputs().iter().any(|&input| is_number(graph, input))
    };
    for node in graph.nodes().filter(makes).collect::<Vec<_>>() {
        graph[node].target = "torch._refs.tensor".into();
    }
}

/// Drops tensors that nothing uses any more, and then symbols that no tensor has either.
fn drop_unused(graph: &mut Graph, places: Vec<Input>) -> Vec<Input> {
    let users = graph.users();
    let idle = |&(node, _): &(NodeId, Input)| users[node].is_empty();
    let all: Vec<(NodeId, Input)> = graph.placeholders().zip(places).collect();
    let tensors = all.iter().filter_map(|row| graph[row.0].tensor_meta().filter(|_| !idle(row)));
    let of_tensors: FxHashSet<Sym> = tensors.flat_map(TensorMeta::exprs).flat_map(|e| graph.exprs.symbols(e)).collect();
    let is_bound = |node: NodeId| match graph[node].meta {
        Some(Meta::Int(expr)) => graph.exprs.as_sym(expr).is_some_and(|sym| of_tensors.contains(&sym)),
        _ => false,
    };
    let (dropped, kept): (Vec<_>, Vec<_>) = all.iter().partition(|row| idle(row) && !is_bound(row.0));
    let dropped: Vec<NodeId> = dropped.into_iter().map(|(node, _)| node).collect();
    let kept = kept.into_iter().map(|(_, place)| place).collect();
    graph.retain(|node| !dropped.contains(&node));
    kept
}

/// Simplifies the metadata of each node to the symbols that are left.
pub(super) fn simplify(graph: &mut Graph, env: &mut ShapeEnv) {
    for node in graph.nodes().collect::<Vec<_>>() {
        if let Some(meta) = graph[node].meta.take() {
            graph[node].meta = Some(simplified(meta, env));
        }
    }
    graph.exprs = env.pool().clone();
}

fn simplified(meta: Meta, env: &mut ShapeEnv) -> Meta {
    match meta {
        Meta::Tensor(mut meta) => {
            for expr in meta.exprs_mut() {
                *expr = env.simplify(*expr);
            }
            Meta::Tensor(meta)
        }
        Meta::Int(expr) => Meta::Int(env.simplify(expr)),
        number @ (Meta::Float(_) | Meta::Bool(_)) => number,
        Meta::Tuple(items) => Meta::Tuple(items.into_iter().map(|item| Some(simplified(item?, env))).collect()),
        plain @ Meta::Plain(_) => plain,
    }
}

/// The inputs so far, and the node of each symbol.
struct Lifted<'a> {
    places: Vec<Input>,
    nodes: FxHashMap<Sym, NodeId>,
    origins: &'a mut Origins,
}

impl Lifted<'_> {
    /// Makes a symbol an input before a tensor, if it is none yet.
    fn lift(&mut self, graph: &mut Graph, before: NodeId, expr: Expr, place: Input) {
        let Some(sym) = graph.exprs.as_sym(expr).filter(|sym| !self.nodes.contains_key(sym)) else { return };
        let name = graph.exprs.name(sym).to_owned();
        let node = graph.insert_before(before, Kind::Placeholder, &name, vec![], vec![], Some(&name));
        graph[node].meta = Some(Meta::Int(expr));
        graph[node].stack_trace = graph[before].stack_trace.clone();
        self.origins[node] = self.origins[before].clone();
        self.nodes.insert(sym, node);
        self.places.push(place);
    }

    /// Drops the calls of `size` and `stride` whose results are inputs now.
    fn replace_sizes(&self, graph: &mut Graph) {
        let asks = |graph: &Graph, id: NodeId| {
            let node = &graph[id];
            let Some(Meta::Int(expr)) = node.meta else { return None };
            let asks = node.kind == Kind::CallMethod && matches!(&*node.target, "size" | "stride");
            graph.exprs.as_sym(expr).filter(|_| asks).and_then(|sym| self.nodes.get(&sym).copied())
        };
        let known: Vec<(NodeId, NodeId)> =
            graph.nodes().filter_map(|id| asks(graph, id).map(|input| (id, input))).collect();
        for &(asking, input) in &known {
            graph.replace_all_uses(asking, input);
        }
        graph.retain(|node| !known.iter().any(|&(asking, _)| asking == node));
    }
}

/// Gives an integer's placeholder torch's name for its source.
fn rename(graph: &mut Graph, node: NodeId, source: &str) -> NodeId {
    let target = input_name(source);
    let named =
        graph.insert_before(node, Kind::Placeholder, &target, vec![], vec![], Some(&target.to_ascii_lowercase()));
    graph[named].meta = graph[node].meta.clone();
    graph[named].stack_trace = graph[node].stack_trace.clone();
    graph.replace_all_uses(node, named);
    graph.retain(|other| other != node);
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use fx::Arg;
    use symshapes::{DType, Device, Range};

    fn tensor(sizes: Vec<Expr>, strides: Vec<Expr>) -> Option<Meta> {
        let offset = Expr::ZERO;
        let (dtype, device) = (DType::F32, Device::CPU);
        Some(Meta::Tensor(TensorMeta { dtype, device, sizes, strides, offset, requires_grad: false }))
    }

    #[test]
    fn a_symbol_is_an_input_before_the_first_tensor_that_has_it() {
        let mut g = Graph::new();
        let s0 = g.exprs.symbol("s0", Range::new(2, i64::MAX));
        let s1 = g.exprs.symbol("s1", Range::new(0, i64::MAX));
        let (s0, s1) = (g.exprs.sym(s0), g.exprs.sym(s1));
        let n = g.placeholder_named("s2", "s2");
        let s2 = g.exprs.symbol("s2", Range::ALL);
        g[n].meta = Some(Meta::Int(g.exprs.sym(s2)));
        let x = g.placeholder_named("L_x_", "l_x_");
        g[x].meta = tensor(vec![s0], vec![s1]);
        let y = g.placeholder_named("L_y_", "l_y_");
        g[y].meta = tensor(vec![s0], vec![Expr::ONE]);
        let size = g.call_method("size", vec![Arg::Node(y), Arg::Int(0)], vec![]);
        g[size].meta = Some(Meta::Int(s0));
        let sum = g.call_function("operator.add", vec![Arg::Node(size), Arg::Node(n)], vec![]);
        let moved = g.call_function("operator.add", vec![Arg::Node(x), Arg::Node(sum)], vec![]);
        g.output(Arg::Tuple(vec![Arg::Node(moved)]));

        let mut sources = Sources::new();
        let inputs = ["n", "x", "y"].map(|name| sources.local(name));
        let places = sizes(&mut g, &mut Origins::new(), &inputs, &sources);
        assert_eq!(places, [Input::Given(0), Input::Size(1, 0), Input::Stride(1, 0), Input::Given(1)]);
        let names: Vec<_> = g.nodes().map(|node| g[node].name.as_ref()).collect();
        assert_eq!(names, ["l_n_", "s0", "s1", "l_x_", "add", "add_1", "output"]);
    }
}
