//! Side effects of calls.
//!
//! Invariant: a call of which nothing is known has a side effect. The schema of an ATen overload says whether it is
//! pure, but for the statistics of normalisation, which schemas do not mention.

use crate::{
    arg::Arg,
    aten::{Aten, Packet},
    graph::{Graph, Kind, NodeId},
    markers::{CHECKPOINT, SET_GRAD},
};

/// The kinds of side effect that a call has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideEffect {
    /// It may change a tensor, or anything else.
    Changes,
    /// It may draw random numbers, and changes nothing but their generator.
    Draws,
}

/// Functions of `operator` that change their first argument.
const IN_PLACE: &str = "setitem delitem iadd isub imul imatmul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift \
    iconcat";

/// Functions of Python's that change nothing that outlives a graph.
const HARMLESS: &[&str] = &["builtins.getattr", "getattr", SET_GRAD, CHECKPOINT];

/// The modules whose functions are bound to ATen's operators without anything in between.
pub const BOUND: &[&str] =
    &["torch", "torch._C._fft", "torch._C._linalg", "torch._C._nn", "torch._C._special", "torch._C._VariableFunctions"];

/// Factories: functions that make tensors without an operator of their name.
const FACTORIES: &[&str] = &["as_tensor", "tensor"];

/// The side effect of a call, of an ATen overload or in torch's names; `None` if it has none.
pub fn side_effect(graph: &Graph, id: NodeId) -> Option<SideEffect> {
    let node = &graph[id];
    if !matches!(node.kind, Kind::CallFunction | Kind::CallMethod | Kind::CallModule) {
        return None;
    }
    let target = node.target.as_str();
    if let Some(name) = target.strip_prefix("operator.").or_else(|| target.strip_prefix("_operator.")) {
        return IN_PLACE.split_whitespace().any(|known| known == name).then_some(SideEffect::Changes);
    }
    if HARMLESS.contains(&target) {
        return None;
    }
    let (packet, changes) = match node.op() {
        Some(overload) => (Some(overload.packet()), overload.mutates()),
        None => match bound(graph, id) {
            Some(packet) => (packet, node.kwargs.iter().any(|(name, _)| matches!(name.as_str(), "out" | "inplace"))),
            None => return Some(SideEffect::Changes),
        },
    };
    match () {
        () if changes || packet.is_some_and(|packet| packet.traits().statistics) => Some(SideEffect::Changes),
        () if draws(graph, id) => Some(SideEffect::Draws),
        () => None,
    }
}

/// True if a call may draw random numbers, whatever else it does.
pub fn draws(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    match node.op() {
        Some(overload) => overload.traits().random && !draws_nothing(overload, graph, id),
        None => {
            let packet = node.target.rsplit('.').next().and_then(Packet::named);
            packet.is_some_and(|packet| packet.traits().random)
        }
    }
}

/// Parameters with which operators of dropout draw nothing where they are false or zero. Distributions have a `p`, too.
const SWITCHES: &[&str] = &["train", "training", "p", "dropout_p"];

/// True for a call of a random operator that is switched off.
fn draws_nothing(overload: Aten, graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let Ok(bound) = overload.bind(&node.args, &node.kwargs) else { return false };
    let off = |name: &&str| match bound.get(name) {
        Arg::Bool(on) => !on,
        Arg::Float(p) => *p == 0.0,
        Arg::Int(p) => *p == 0,
        _ => false,
    };
    overload.traits().dropout && SWITCHES.iter().filter(|name| bound.has(name)).any(off)
}

/// The argument that a dropout gives back, where it is switched off.
pub fn idle_dropout(graph: &Graph, id: NodeId) -> Option<NodeId> {
    let node = &graph[id];
    let overload = node.op()?;
    let is_idle = overload.traits().idle && draws_nothing(overload, graph, id);
    node.args.first().filter(|_| is_idle)?.as_node()
}

/// The operator that a function or method in torch's names is bound to, if it is to one that changes no argument, or to
/// a factory without an operator of its name. Functions of `torch.nn.functional` are Python's, and may do more than the
/// operator of their name.
fn bound(graph: &Graph, id: NodeId) -> Option<Option<Packet>> {
    let node = &graph[id];
    let (owner, name) = node.target.rsplit_once('.').unwrap_or(("", &node.target));
    let is_bound = node.kind == Kind::CallMethod || BOUND.contains(&owner);
    let packet = Packet::named(name);
    let is_operator = packet.is_some() || FACTORIES.contains(&name);
    (is_bound && is_operator && !name.ends_with('_')).then_some(packet)
}

#[cfg(test)]
mod tests {
    use super::{SideEffect, side_effect};
    use crate::{
        arg::Arg,
        graph::{Graph, Kind},
    };

    #[test]
    fn what_is_switched_off_draws_nothing() {
        let of = |target: &str, args: Vec<Arg>| {
            let mut graph = Graph::new();
            let x = Arg::Node(graph.placeholder("x"));
            let node = graph.push(Kind::CallFunction, target, [vec![x], args].concat(), vec![], None);
            side_effect(&graph, node)
        };
        let dropout = |p, train| of("aten.dropout.default", vec![Arg::Float(p), Arg::Bool(train)]);
        assert_eq!(
            [dropout(0.5, true), dropout(0.5, false), dropout(0.0, true)],
            [Some(SideEffect::Draws), None, None]
        );
        assert_eq!(of("aten.bernoulli.p", vec![Arg::Float(0.0)]), Some(SideEffect::Draws));
    }

    #[test]
    fn what_is_not_known_changes_something() {
        let of = |target: &str| {
            let mut graph = Graph::new();
            let node = graph.push(Kind::CallFunction, target, vec![], vec![], None);
            side_effect(&graph, node)
        };
        let pure =
            ["aten.add.Tensor", "operator.getitem", "operator.index", "torch.tensor", "torch._C._linalg.linalg_qr"];
        assert_eq!(pure.map(of), [None; 5]);
        let changes =
            ["aten.add_.Tensor", "aten.sin.out", "aten.batch_norm", "operator.imul", "torch.add_", "mylib.call"];
        assert_eq!(changes.map(of), [Some(SideEffect::Changes); 6]);
        let functional = ["torch.nn.functional.embedding", "torch.batch_norm"];
        assert_eq!(functional.map(of), [Some(SideEffect::Changes); 2]);
        assert_eq!(["aten.rand", "aten.dropout", "torch.rand"].map(of), [Some(SideEffect::Draws); 3]);
    }
}
