//! Groups of nodes that can run as one: the search behind [`super::partition`].

use crate::graph::{Graph, Kind, Node, NodeId};
use cranelift_entity::SecondaryMap;
use petgraph::Direction;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{Dfs, EdgeFiltered, EdgeRef};
use rustc_hash::FxHashSet;

/// The graph with each group as one vertex, whose weight says whether the group is to be fused.
pub(super) struct Groups {
    quotient: StableDiGraph<bool, ()>,
    members: UnionFind<usize>,
    vertex: SecondaryMap<NodeId, Option<NodeIndex>>,
}

impl Groups {
    /// The largest groups of supported nodes that leave the quotient without a cycle: no two of them could be one.
    pub(super) fn grow(graph: &Graph, supported: &impl Fn(&Node) -> bool) -> Groups {
        let mut groups = Groups::single(graph, supported);
        for user in graph.nodes() {
            for input in graph[user].inputs() {
                groups.try_merge(input, user);
            }
        }
        groups.merge_untied();
        groups
    }

    /// Merges groups of which neither needs the other. Those that need each other were tried edge by edge, and what had
    /// a detour then has one still.
    fn merge_untied(&mut self) {
        let mut heads: Vec<NodeIndex> = self.quotient.node_indices().filter(|&v| self.quotient[v]).collect();
        let mut reach: Vec<FxHashSet<NodeIndex>> = heads.iter().map(|&head| self.fused_after(head)).collect();
        let mut later = 0;
        while later < heads.len() {
            let untied = |&e: &usize| !reach[e].contains(&heads[later]) && !reach[later].contains(&heads[e]);
            let Some(earlier) = (0..later).find(untied) else {
                later += 1;
                continue;
            };
            let (x, y) = (heads[earlier], heads[later]);
            self.merge(x, y);
            let kept = NodeIndex::new(self.members.find(x.index()));
            let both: FxHashSet<NodeIndex> = reach[earlier].union(&reach[later]).copied().collect();
            heads.remove(later);
            reach.remove(later);
            heads[earlier] = kept;
            reach[earlier] = both.clone();
            for set in &mut reach {
                if set.remove(&x) | set.remove(&y) {
                    set.insert(kept);
                    set.extend(&both);
                }
            }
        }
    }

    /// The groups to be fused that need a group, however far.
    fn fused_after(&self, group: NodeIndex) -> FxHashSet<NodeIndex> {
        let mut walk = Dfs::new(&self.quotient, group);
        let reached = std::iter::from_fn(|| walk.next(&self.quotient));
        reached.filter(|&v| v != group && self.quotient[v]).collect()
    }

    /// Each node a group of its own.
    fn single(graph: &Graph, supported: &impl Fn(&Node) -> bool) -> Groups {
        let mut quotient = StableDiGraph::with_capacity(graph.len(), 2 * graph.len());
        let mut vertex = SecondaryMap::with_capacity(graph.capacity());
        for id in graph.nodes() {
            let node = &graph[id];
            let call = matches!(node.kind, Kind::CallFunction | Kind::CallMethod | Kind::CallModule);
            let own = quotient.add_node(call && supported(node));
            vertex[id] = Some(own);
            for input in node.inputs() {
                let input: Option<NodeIndex> = vertex[input];
                quotient.update_edge(input.expect("inputs come before their users"), own, ());
            }
        }
        let members = UnionFind::new(quotient.node_count());
        Groups { quotient, members, vertex }
    }

    fn first_vertex(&self, node: NodeId) -> NodeIndex {
        self.vertex[node].expect("every node of the program has a vertex")
    }

    /// The group of a node.
    pub(super) fn of(&self, node: NodeId) -> NodeIndex {
        NodeIndex::new(self.members.find(self.first_vertex(node).index()))
    }

    /// True if the node's group is to be fused.
    pub(super) fn fused(&self, node: NodeId) -> bool {
        self.quotient[self.of(node)]
    }

    /// The groups that must run before a node's group.
    pub(super) fn before(&self, group: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        self.quotient.neighbors_directed(group, Direction::Incoming)
    }

    /// The groups that must run after it.
    pub(super) fn after(&self, group: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        self.quotient.neighbors_directed(group, Direction::Outgoing)
    }

    fn try_merge(&mut self, a: NodeId, b: NodeId) {
        let (x, y) = (self.of(a), self.of(b));
        if x != y && self.quotient[x] && self.quotient[y] && !self.detour(x, y) && !self.detour(y, x) {
            self.merge(x, y);
        }
    }

    /// True if a third group lies on a way from one to the other: together they would have to run before and after it.
    fn detour(&self, from: NodeIndex, to: NodeIndex) -> bool {
        let indirect = EdgeFiltered::from_fn(&self.quotient, |edge| (edge.source(), edge.target()) != (from, to));
        let mut walk = Dfs::new(&indirect, from);
        std::iter::from_fn(|| walk.next(&indirect)).any(|reached| reached == to)
    }

    fn merge(&mut self, x: NodeIndex, y: NodeIndex) {
        self.members.union(x.index(), y.index());
        let kept = NodeIndex::new(self.members.find(x.index()));
        let gone = if kept == x { y } else { x };
        let before: Vec<NodeIndex> = self.before(gone).filter(|&v| v != kept).collect();
        let after: Vec<NodeIndex> = self.after(gone).filter(|&v| v != kept).collect();
        self.quotient.remove_node(gone);
        for v in before {
            self.quotient.update_edge(v, kept, ());
        }
        for v in after {
            self.quotient.update_edge(kept, v, ());
        }
    }
}
