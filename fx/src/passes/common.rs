//! Common subexpression elimination.

use crate::arg::Arg;
use crate::graph::{Graph, Kind, Node, NodeId};
use crate::target::Target;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

/// The kinds of side effect of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// None: equal arguments give equal values.
    Pure,
    /// Each call may give another value, but no other node is affected: random numbers, a fresh buffer.
    Fresh,
    /// It changes the value of other nodes, or of the world.
    Writes,
}

/// Lets pure nodes that compute the same use the first of them; the others are erased. Returns how many were.
///
/// If any node [writes](Effect::Writes), nothing is done: two equal values may then be different memory.
pub fn eliminate_common_subexpressions(graph: &mut Graph, effect: impl Fn(&Node) -> Effect) -> usize {
    if graph.nodes().any(|n| effect(&graph[n]) == Effect::Writes) {
        return 0;
    }
    let mut same: SecondaryMap<NodeId, Option<NodeId>> = SecondaryMap::with_capacity(graph.capacity());
    let mut firsts: FxHashMap<Key, NodeId> = FxHashMap::default();
    let order: Vec<NodeId> = graph.nodes().collect();
    for id in order {
        let node = &mut graph[id];
        node.all_args_mut().for_each(|arg| arg.for_each_node_mut(&mut |n| *n = same[*n].unwrap_or(*n)));
        if !matches!(node.kind, Kind::Placeholder | Kind::Output) && effect(node) == Effect::Pure {
            let first = *firsts.entry(Key::of(node)).or_insert(id);
            same[id] = (first != id).then_some(first);
        }
    }
    let before = graph.len();
    graph.retain(|id| same[id].is_none());
    before - graph.len()
}

/// The expression that a node computes, by value. Keyword arguments are sorted; floats are equal if their bits are.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: Kind,
    target: Target,
    args: Vec<Exact>,
    kwargs: Vec<(String, Exact)>,
}

impl Key {
    fn of(node: &Node) -> Key {
        let mut kwargs: Vec<_> = node.kwargs.iter().map(|(k, v)| (k.clone(), Exact(v.clone()))).collect();
        kwargs.sort_by(|(a, _), (b, _)| a.cmp(b));
        let args = node.args.iter().cloned().map(Exact).collect();
        Key { kind: node.kind, target: node.target.clone(), args, kwargs }
    }
}

/// An argument under exact equality: −0.0 is not 0.0, a NaN is itself, `True` is not 1.
struct Exact(Arg);

impl PartialEq for Exact {
    fn eq(&self, other: &Exact) -> bool {
        identical(&self.0, &other.0)
    }
}

impl Eq for Exact {}

impl Hash for Exact {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state);
    }
}

fn identical(a: &Arg, b: &Arg) -> bool {
    let all = |a: &[Arg], b: &[Arg]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| identical(a, b));
    match (a, b) {
        (Arg::Float(a), Arg::Float(b)) => a.to_bits() == b.to_bits(),
        (Arg::Complex(a, b), Arg::Complex(c, d)) => (a.to_bits(), b.to_bits()) == (c.to_bits(), d.to_bits()),
        (Arg::Slice(a), Arg::Slice(b)) => all(&a[..], &b[..]),
        (Arg::List(a), Arg::List(b)) | (Arg::Tuple(a), Arg::Tuple(b)) => all(a, b),
        (Arg::Dict(a), Arg::Dict(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, v), (l, w))| identical(k, l) && identical(v, w))
        }
        (a, b) => a == b,
    }
}

fn hash<H: Hasher>(arg: &Arg, state: &mut H) {
    discriminant(arg).hash(state);
    match arg {
        Arg::None | Arg::Ellipsis => {}
        Arg::Node(n) => n.hash(state),
        Arg::Bool(v) => v.hash(state),
        Arg::Int(v) => v.hash(state),
        Arg::Sym(e) => e.hash(state),
        Arg::Float(v) => v.to_bits().hash(state),
        Arg::Complex(re, im) => (re.to_bits(), im.to_bits()).hash(state),
        Arg::Str(s) | Arg::Layout(s) | Arg::MemoryFormat(s) => s.hash(state),
        Arg::DType(d) => d.hash(state),
        Arg::Device(d) => d.hash(state),
        Arg::Slice(parts) => parts.iter().for_each(|a| hash(a, state)),
        Arg::List(items) | Arg::Tuple(items) => items.iter().for_each(|a| hash(a, state)),
        Arg::Dict(items) => items.iter().for_each(|(k, v)| {
            hash(k, state);
            hash(v, state);
        }),
        Arg::Opaque(number, _) => number.hash(state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const TEXT: &str = "graph {
        %x = placeholder[x]
        %a = call_function[operator.add](%x, 1)
        %b = call_function[operator.add](%x, 1)
        %c = call_function[operator.add](%x, 1.0)
        %d = call_function[operator.mul](%a, %b)
        %e = call_function[operator.mul](%b, %a)
        %r = call_function[torch.rand_like](%x)
        %s = call_function[torch.rand_like](%x)
        %output = output([%c, %d, %e, %r, %s])
    }";

    fn effect(node: &Node) -> Effect {
        match node.target.as_str() {
            "torch.rand_like" => Effect::Fresh,
            "add_" => Effect::Writes,
            _ => Effect::Pure,
        }
    }

    #[test]
    fn equal_pure_nodes_merge() {
        let mut g: Graph = TEXT.parse().expect("test graph");
        assert_eq!(eliminate_common_subexpressions(&mut g, effect), 2);
        expect![[r"
            graph {
              %x = placeholder[x]
              %a = call_function[operator.add](%x, 1)
              %c = call_function[operator.add](%x, 1.0)
              %d = call_function[operator.mul](%a, %a)
              %r = call_function[torch.rand_like](%x)
              %s = call_function[torch.rand_like](%x)
              %output = output([%c, %d, %d, %r, %s])
            }
        "]]
        .assert_eq(&g.to_text());
    }

    #[test]
    fn a_write_forbids_merging() {
        let text = TEXT.replace("%output", "%w = call_method[add_](%a, 1)\n%output");
        let mut g: Graph = text.parse().expect("test graph");
        assert_eq!(eliminate_common_subexpressions(&mut g, effect), 0);
    }
}
