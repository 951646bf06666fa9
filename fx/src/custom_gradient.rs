//! Calls whose gradients the program computes itself (`torch.autograd.Function`), in graphs of ATen overloads.
//!
//! The forward is part of the graph, computed while autograd does not record. After it stands a call of
//! [`CUSTOM_GRADIENT`], which gives its results anew. The arguments are the fetch of the backward graph, the results,
//! the operands (`None` where no gradient is asked for) and the saved tensors, each a tuple. The backward graph maps a
//! gradient for each result and the saved tensors to a gradient for each operand, or `None`; its metadata is over
//! expressions of the graph that it is a part of.

use crate::{Arg, Graph, Kind, Meta, NodeId};
use rustc_hash::FxHashMap;

/// The target of such calls.
pub const CUSTOM_GRADIENT: &str = "torch.ops.higher_order.autograd_function_apply";

/// The parts of such a call.
#[derive(Clone, Debug)]
pub struct CustomGradient {
    /// The graph that computes gradients.
    pub backward: Graph,
    /// The tensors that the forward gives.
    pub results: Vec<NodeId>,
    /// The tensors that gradients are for, for each gradient that the backward graph gives.
    pub operands: Vec<Option<NodeId>>,
    /// The tensors that the backward graph reads besides.
    pub saved: Vec<NodeId>,
}

impl CustomGradient {
    /// The parts of a node that is such a call.
    pub fn of(graph: &Graph, id: NodeId) -> Option<CustomGradient> {
        let node = &graph[id];
        let [Arg::Node(fetch), results, operands, saved] = &node.args[..] else { return None };
        let backward = graph.subgraph(*fetch).filter(|_| node.target == CUSTOM_GRADIENT)?.clone();
        let nodes = |arg: &Arg| arg.as_list()?.iter().map(Arg::as_node).collect::<Option<Vec<_>>>();
        let operands = operands.as_list()?.iter().map(Arg::as_node).collect();
        Some(CustomGradient { backward, results: nodes(results)?, operands, saved: nodes(saved)? })
    }

    /// Appends the call; gives the picks of its results, whose metadata is `metas`.
    pub fn push(self, graph: &mut Graph, metas: &[Option<Meta>]) -> Vec<NodeId> {
        let all = |nodes: Vec<NodeId>| Arg::Tuple(nodes.into_iter().map(Arg::Node).collect());
        let operands = Arg::Tuple(self.operands.into_iter().map(|node| node.map_or(Arg::None, Arg::Node)).collect());
        let fetch = graph.fetch_subgraph("autograd_function_backward", self.backward);
        let args = vec![Arg::Node(fetch), all(self.results), operands, all(self.saved)];
        let call = graph.push(Kind::CallFunction, CUSTOM_GRADIENT, args, Vec::new(), None);
        graph[call].meta = Some(Meta::Tuple(metas.to_vec()));
        let mut picks = Vec::new();
        for (place, meta) in (0..).zip(metas) {
            let args = vec![Arg::Node(call), Arg::Int(place)];
            let pick = graph.push(Kind::CallFunction, "operator.getitem", args, Vec::new(), None);
            graph[pick].meta = meta.clone();
            picks.push(pick);
        }
        picks
    }
}

/// Takes such calls out of a functional graph: what they give is what the forward gives. Tells where each of their
/// results is now.
pub fn forget_custom_gradients(graph: &mut Graph) -> FxHashMap<NodeId, NodeId> {
    let mut results: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    for id in graph.nodes() {
        let (Some(&Arg::Node(call)), Some(&Arg::Int(place))) = (graph[id].args.first(), graph[id].args.get(1)) else {
            continue;
        };
        if graph[id].target == "operator.getitem"
            && let Some(of) = CustomGradient::of(graph, call)
            && let Some(&result) = usize::try_from(place).ok().and_then(|place| of.results.get(place))
        {
            // What another such call gives.
            let result = results.get(&result).copied().unwrap_or(result);
            results.insert(id, result);
        }
    }
    let is_gone = |graph: &Graph, id: NodeId| {
        results.contains_key(&id) || graph[id].target == CUSTOM_GRADIENT || graph.subgraph(id).is_some()
    };
    let gone: Vec<NodeId> = graph.nodes().filter(|&id| is_gone(graph, id)).collect();
    graph.rename_uses(|node| results.get(&node).copied().unwrap_or(node));
    graph.retain(|id| !gone.contains(&id));
    results
}
