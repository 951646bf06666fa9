//! Partitioning: what a backend supports becomes subgraphs that the rest calls as submodules.

use super::groups::Groups;
use crate::arg::Arg;
use crate::graph::{Graph, Kind, Node, NodeId};
use cranelift_entity::SecondaryMap;
use petgraph::stable_graph::NodeIndex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One part of a graph, as a graph.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The submodule's name: `fused_0`, `fused_1`, ….
    pub name: String,
    /// Its graph. One placeholder for each of `inputs`; the output is the one value, or the tuple of them.
    pub graph: Graph,
    /// The nodes of the original graph whose values it takes.
    pub inputs: Vec<NodeId>,
    /// The nodes of the original graph whose values it gives.
    pub outputs: Vec<NodeId>,
}

/// A graph split into parts.
#[derive(Clone, Debug)]
pub struct Partitioning {
    /// The rest of the graph: each partition is a `call_module` of its name.
    pub outer: Graph,
    /// The partitions, in the order of their calls.
    pub partitions: Vec<Partition>,
}

/// Splits off the largest groups of supported calls such that no group needs, through a node outside, its own result.
///
/// The graph must be functional: nodes may change places as far as their uses allow.
pub fn partition(graph: &Graph, supported: impl Fn(&Node) -> bool) -> Partitioning {
    let groups = Groups::grow(graph, &supported);
    let mut split = Split::new(graph);
    for members in in_order(graph, &groups) {
        if groups.fused(members[0]) {
            split.fuse(&members);
        } else {
            members.iter().for_each(|&id| split.keep(id));
        }
    }
    Partitioning { outer: split.outer, partitions: split.partitions }
}

/// The members of each group, the groups in an order that respects uses and is nearest to the program's.
fn in_order(graph: &Graph, groups: &Groups) -> Vec<Vec<NodeId>> {
    let mut members: FxHashMap<NodeIndex, Vec<NodeId>> = FxHashMap::default();
    let mut place: FxHashMap<NodeIndex, usize> = FxHashMap::default();
    for (i, id) in graph.nodes().enumerate() {
        members.entry(groups.of(id)).or_default().push(id);
        place.entry(groups.of(id)).or_insert(i);
    }
    let mut waiting: FxHashMap<NodeIndex, usize> = members.keys().map(|&g| (g, groups.before(g).count())).collect();
    let none_left = waiting.iter().filter(|(_, left)| **left == 0);
    let mut ready: BinaryHeap<_> = none_left.map(|(g, _)| Reverse((place[g], *g))).collect();
    let mut order = Vec::with_capacity(members.len());
    while let Some(Reverse((_, group))) = ready.pop() {
        order.extend(members.remove(&group));
        for next in groups.after(group) {
            if let Some(left) = waiting.get_mut(&next) {
                *left -= 1;
                if *left == 0 {
                    ready.push(Reverse((place[&next], next)));
                }
            }
        }
    }
    order
}

/// The outer graph and the partitions so far.
struct Split<'a> {
    graph: &'a Graph,
    users: SecondaryMap<NodeId, crate::graph::Users>,
    outer: Graph,
    partitions: Vec<Partition>,
    /// The outer value of each original node that has one.
    value: SecondaryMap<NodeId, Option<NodeId>>,
}

impl<'a> Split<'a> {
    fn new(graph: &'a Graph) -> Split<'a> {
        let value = SecondaryMap::with_capacity(graph.capacity());
        Split { graph, users: graph.users(), outer: like(graph), partitions: vec![], value }
    }

    /// The outer node for an original one.
    fn outer_value(&self, id: NodeId) -> NodeId {
        self.value[id].expect("groups come after what they use")
    }

    /// Copies a node outside every partition.
    fn keep(&mut self, id: NodeId) {
        let copy = copied(&self.graph[id], |n| self.outer_value(n));
        self.value[id] = add(&mut self.outer, copy);
    }

    /// Makes a partition of these nodes, given in program order, and calls it.
    fn fuse(&mut self, members: &[NodeId]) {
        let inside: FxHashSet<NodeId> = members.iter().copied().collect();
        let inputs = inputs_of(self.graph, members, &inside);
        let escapes = |id: &&NodeId| self.users[**id].iter().any(|&user| !inside.contains(&user));
        let outputs: Vec<NodeId> = members.iter().filter(escapes).copied().collect();
        let graph = subgraph(self.graph, members, &inputs, &outputs);
        let name = format!("fused_{}", self.partitions.len());
        let args = inputs.iter().map(|&n| Arg::Node(self.outer_value(n))).collect();
        let call = self.outer.call_module(name.clone(), args, vec![]);
        self.fetch(call, &outputs);
        self.partitions.push(Partition { name, graph, inputs, outputs });
    }

    /// Ties the results of a call to the nodes they stand for.
    fn fetch(&mut self, call: NodeId, outputs: &[NodeId]) {
        if let [only] = outputs {
            self.outer[call].meta = self.graph[*only].meta.clone();
            self.value[*only] = Some(call);
            return;
        }
        for (i, &id) in outputs.iter().enumerate() {
            let args = vec![call.into(), Arg::Int(i as i64)];
            let name = &self.graph[id].name;
            let item = self.outer.push(Kind::CallFunction, "operator.getitem", args, vec![], Some(name));
            self.outer[item].meta = self.graph[id].meta.clone();
            self.value[id] = Some(item);
        }
    }
}

/// An empty graph over the same expressions.
fn like(graph: &Graph) -> Graph {
    let mut empty = Graph::new();
    empty.exprs = graph.exprs.clone();
    empty
}

fn copied(node: &Node, value: impl Fn(NodeId) -> NodeId) -> Node {
    let mut copy = node.clone();
    copy.all_args_mut().for_each(|arg| arg.for_each_node_mut(&mut |n| *n = value(*n)));
    copy
}

/// Appends a node; should its name be taken (by a call of a partition), it gets a new one.
fn add(graph: &mut Graph, mut node: Node) -> Option<NodeId> {
    node.name = graph.free_name(&node.name);
    graph.push_named(node)
}

/// The outside nodes whose values a group uses, in the order of first use.
fn inputs_of(graph: &Graph, members: &[NodeId], inside: &FxHashSet<NodeId>) -> Vec<NodeId> {
    let mut seen = inside.clone();
    let used = members.iter().flat_map(|&id| graph[id].inputs());
    used.filter(|&n| seen.insert(n)).collect()
}

fn subgraph(graph: &Graph, members: &[NodeId], inputs: &[NodeId], outputs: &[NodeId]) -> Graph {
    let mut sub = like(graph);
    let mut value: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    for &input in inputs {
        let own = sub.placeholder(graph[input].name.to_string());
        sub[own].meta = graph[input].meta.clone();
        value.insert(input, own);
    }
    for &id in members {
        let copy = copied(&graph[id], |n| value[&n]);
        value.extend(add(&mut sub, copy).map(|own| (id, own)));
    }
    let results: Vec<Arg> = outputs.iter().map(|n| Arg::Node(value[n])).collect();
    let result = if results.len() == 1 { results[0].clone() } else { Arg::Tuple(results) };
    sub.output(result);
    sub
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::fmt::Write;

    fn show(text: &str) -> String {
        let graph: Graph = text.parse().expect("test graph");
        let parts = partition(&graph, |n| n.target.starts_with("operator."));
        let mut out = parts.outer.to_text();
        for p in &parts.partitions {
            crate::verify::verify(&p.graph).expect("a partition is valid");
            write!(out, "{}: {}", p.name, p.graph.to_text()).expect("writing to a string");
        }
        crate::verify::verify(&parts.outer).expect("the outer graph is valid");
        out
    }

    #[test]
    fn a_detour_keeps_two_apart() {
        let shown = show(
            "graph {
                %x = placeholder[x]
                %a = call_function[operator.add](%x, 1)
                %b = call_function[torch.relu](%a)
                %c = call_function[operator.mul](%a, %b)
                %d = call_function[operator.neg](%c)
                %output = output((%d, %a))
            }",
        );
        expect![[r"
            graph {
              %x = placeholder[x]
              %fused_0 = call_module[fused_0](%x)
              %b = call_function[torch.relu](%fused_0)
              %fused_1 = call_module[fused_1](%fused_0, %b)
              %output = output((%fused_1, %fused_0))
            }
            fused_0: graph {
              %x = placeholder[x]
              %a = call_function[operator.add](%x, 1)
              %output = output(%a)
            }
            fused_1: graph {
              %a = placeholder[a]
              %b = placeholder[b]
              %c = call_function[operator.mul](%a, %b)
              %d = call_function[operator.neg](%c)
              %output = output(%d)
            }
        "]]
        .assert_eq(&shown);
    }

    #[test]
    fn neighbours_without_a_tie_are_one() {
        let shown = show(
            "graph {
                %x = placeholder[x]
                %a = call_function[operator.add](%x, 1)
                %b = call_function[torch.relu](%x)
                %c = call_function[operator.mul](%x, 2)
                %output = output((%a, %b, %c))
            }",
        );
        expect![[r"
            graph {
              %x = placeholder[x]
              %fused_0 = call_module[fused_0](%x)
              %a = call_function[operator.getitem](%fused_0, 0)
              %c = call_function[operator.getitem](%fused_0, 1)
              %b = call_function[torch.relu](%x)
              %output = output((%a, %b, %c))
            }
            fused_0: graph {
              %x = placeholder[x]
              %a = call_function[operator.add](%x, 1)
              %c = call_function[operator.mul](%x, 2)
              %output = output((%a, %c))
            }
        "]]
        .assert_eq(&shown);
    }
}
