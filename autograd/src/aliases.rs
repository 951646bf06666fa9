//! Aliasing in a graph that is not functional yet: the tensors that autograd follows, and writes that it does not see.

use crate::joint::NotDifferentiable;
use fx::markers::{SET_GRAD, marker};
use fx::{Arg, Graph, Kind, Meta, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Tells which results of a graph of ATen overloads, not functional yet, autograd follows.
///
/// # Errors
/// A write that autograd does not see to memory that it follows otherwise: gradients flow past such a write, of which a
/// functional graph says nothing.
pub fn followed_results(graph: &Graph, requires_grad: &[bool]) -> Result<Vec<bool>, NotDifferentiable> {
    let mut aliases = Aliases { records: true, ..Aliases::default() };
    let mut requires = requires_grad.iter().copied().chain(std::iter::repeat(false));
    for id in graph.nodes() {
        if graph[id].kind == Kind::Placeholder && requires.next() == Some(true) {
            aliases.follows.insert(id);
        }
        let failed = |why: &str| NotDifferentiable { node: graph[id].name.to_string(), why: why.to_owned() };
        aliases.node(graph, id).map_err(failed)?;
    }
    let results = graph.output_node().and_then(|output| graph[output].args.first()).and_then(Arg::as_list);
    let is_followed = |result: &Arg| result.as_node().is_some_and(|node| aliases.is_result_followed(node));
    Ok(results.unwrap_or_default().iter().map(is_followed).collect())
}

/// Tensors that share memory.
#[derive(Default)]
struct Aliases {
    /// Whether autograd records at this point of the program.
    records: bool,
    /// The tensors that autograd follows.
    follows: FxHashSet<NodeId>,
    /// The tensor whose memory each view is in.
    roots: FxHashMap<NodeId, NodeId>,
    /// The views that autograd did not see being made, and views of those.
    unseen: FxHashSet<NodeId>,
    /// The tensors that have such views.
    hides: FxHashSet<NodeId>,
    /// The views that a call gives several of, which autograd lets nobody write to.
    of_several: FxHashSet<NodeId>,
}

impl Aliases {
    fn root(&self, node: NodeId) -> NodeId {
        self.roots.get(&node).copied().unwrap_or(node)
    }

    /// True if autograd follows a tensor, or another one in its memory.
    fn is_followed(&self, node: NodeId) -> bool {
        self.follows.contains(&node) || self.follows.contains(&self.root(node))
    }

    fn is_result_followed(&self, node: NodeId) -> bool {
        !self.unseen.contains(&node) && self.is_followed(node)
    }

    fn node(&mut self, graph: &Graph, id: NodeId) -> Result<(), &'static str> {
        let node = &graph[id];
        if let Some((SET_GRAD, records)) = marker(graph, id) {
            self.records = records;
            return Ok(());
        }
        let inputs = node.inputs();
        let is_followed = inputs.iter().any(|&input| self.is_result_followed(input));
        let overload = node.op();
        if let Some(written) = overload.and_then(|overload| overload.written(&node.args, &node.kwargs)) {
            return self.write(id, written, is_followed || self.is_followed(written));
        }
        let is_hidden = overload.is_some_and(|op| op.has_own_version());
        let is_seen = self.records && !overload.is_some_and(|op| op.traits().detached);
        let is_view = is_hidden || overload.is_some_and(|op| op.is_view()) || node.target == "operator.getitem";
        if let Some(&base) = inputs.first().filter(|_| is_view) {
            self.alias(id, base);
            if matches!(node.meta, Some(Meta::Tuple(_))) {
                self.of_several.insert(id);
            }
            if is_hidden || !is_seen {
                self.hides.insert(self.root(base));
            }
            if !is_seen {
                self.unseen.insert(id);
            }
        }
        if is_followed && is_seen {
            self.follows.insert(id);
        }
        Ok(())
    }

    /// Puts a tensor into the memory of another one, whose kind of view it is.
    fn alias(&mut self, id: NodeId, of: NodeId) {
        self.roots.insert(id, self.root(of));
        for kind in [&mut self.unseen, &mut self.of_several] {
            if kind.contains(&of) {
                kind.insert(id);
            }
        }
    }

    fn write(&mut self, id: NodeId, written: NodeId, is_followed: bool) -> Result<(), &'static str> {
        let root = self.root(written);
        if is_followed && (!self.records || self.hides.contains(&root) || self.of_several.contains(&written)) {
            return Err("a write that autograd does not see to memory that it follows");
        }
        self.alias(id, written);
        if is_followed {
            self.follows.insert(root);
        }
        Ok(())
    }
}
