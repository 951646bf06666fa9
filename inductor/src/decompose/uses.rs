//! Facts about a graph's nodes that follow from how their results are used.

use cranelift_entity::SecondaryMap;
use fx::{Graph, Kind, Meta, NodeId};
use rustc_hash::FxHashSet;
use symshapes::{Expr, Pool, Sym};

use super::shares;

/// The floats and bools of which nothing is read but integers that follow from the inputs, or others of their kind.
pub(super) fn absorbed(
    graph: &Graph,
    users: &SecondaryMap<NodeId, fx::Users>,
    given: &FxHashSet<Sym>,
) -> SecondaryMap<NodeId, bool> {
    let mut absorbed = SecondaryMap::new();
    for id in graph.nodes().rev() {
        let holds = |user: &NodeId| match graph[*user].meta {
            Some(Meta::Int(e)) => is_known(&graph.exprs, given, e),
            _ => absorbed[*user],
        };
        absorbed[id] = matches!(graph[id].meta, Some(Meta::Float(_) | Meta::Bool(_))) && users[id].iter().all(holds);
    }
    absorbed
}

/// True for an expression whose value follows from the inputs.
pub(super) fn is_known(pool: &Pool, given: &FxHashSet<Sym>, e: Expr) -> bool {
    !pool.is_overflow(e) && (pool.as_int(e).is_some() || pool.symbols(e).iter().all(|sym| given.contains(sym)))
}

/// The nodes that a graph's results or its side effects depend on.
pub(super) fn needed(graph: &Graph) -> SecondaryMap<NodeId, bool> {
    let mut needed = SecondaryMap::new();
    for id in graph.nodes().rev() {
        if needed[id] || graph[id].kind == Kind::Output || fx::effects::side_effect(graph, id).is_some() {
            needed[id] = true;
            graph[id].inputs().into_iter().for_each(|input| needed[input] = true);
        }
    }
    needed
}

/// The nodes whose strides are seen: results that the graph returns, operands of operators without a rule, and what
/// these are views of.
pub(super) fn shown(graph: &Graph) -> SecondaryMap<NodeId, bool> {
    let mut shown = SecondaryMap::new();
    for id in graph.nodes().rev() {
        let node = &graph[id];
        let overload = node.op();
        let shows = match node.kind {
            Kind::Output => true,
            Kind::CallFunction if overload.is_some_and(shares) || node.target == "operator.getitem" => shown[id],
            Kind::CallFunction => overload.is_none_or(|overload| overload.rule().is_none()),
            Kind::Placeholder | Kind::GetAttr | Kind::CallMethod | Kind::CallModule => false,
        };
        if shows {
            node.inputs().into_iter().for_each(|input| shown[input] = true);
        }
    }
    shown
}
