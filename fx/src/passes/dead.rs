//! Dead code elimination.

use crate::graph::{Graph, Kind, Node, NodeId};
use cranelift_entity::EntitySet;

/// Erases the nodes whose value is unused and that are not `impure`; placeholders and the output stay. Returns how many
/// were erased.
///
/// A node must be `impure` if leaving it out can be noticed: it writes to memory, or it draws random numbers.
pub fn eliminate_dead_code(graph: &mut Graph, impure: impl Fn(&Node) -> bool) -> usize {
    let mut live: EntitySet<NodeId> = EntitySet::with_capacity(graph.capacity());
    for id in graph.nodes().rev() {
        let node = &graph[id];
        let root = matches!(node.kind, Kind::Placeholder | Kind::Output) || impure(node);
        if root {
            live.insert(id);
        }
        if live.contains(id) {
            for input in node.inputs() {
                live.insert(input);
            }
        }
    }
    let before = graph.len();
    graph.retain(|id| live.contains(id));
    before - graph.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn unused_chains_go_and_writes_stay() {
        let mut g: Graph = "graph {
            %x = placeholder[x]
            %unused = placeholder[unused]
            %a = call_function[operator.add](%x, 1)
            %b = call_function[operator.mul](%a, 2)
            %c = call_function[operator.neg](%x)
            %w = call_method[add_](%x, %c)
            %d = call_function[operator.sub](%x, 2)
            %output = output([%d])
        }"
        .parse()
        .expect("test graph");
        assert_eq!(eliminate_dead_code(&mut g, |n| n.target.ends_with('_')), 2);
        expect![[r"
            graph {
              %x = placeholder[x]
              %unused = placeholder[unused]
              %c = call_function[operator.neg](%x)
              %w = call_method[add_](%x, %c)
              %d = call_function[operator.sub](%x, 2)
              %output = output([%d])
            }
        "]]
        .assert_eq(&g.to_text());
    }
}
