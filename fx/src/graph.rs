//! The graph: an arena of nodes in program order, as `torch.fx.Graph` has it.
//!
//! Invariants (checked by [`crate::verify`]): names are unique; a node uses only nodes before it; there is at most one
//! output node and it is last; placeholders come before every other node.

pub use crate::node::{Kind, NodeId};
use crate::{arg::Arg, aten::Aten, names::Names, target::Target};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, packed_option::PackedOption};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::ops::{Index, IndexMut};
use std::sync::Arc;
use symshapes::{Expr, Float, Pool, Pred, TensorMeta};

/// One node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Node {
    /// Unique in the graph; a Python identifier.
    pub name: Arc<str>,
    /// The kind.
    pub kind: Kind,
    /// The callee, or the value that is fetched. For a function its qualified name: `operator.add`, `torch.relu`,
    /// `torch.nn.functional.gelu`, and for an ATen overload `aten.add.Tensor` (namespace, name, overload). For the
    /// other kinds the placeholder's name, the attribute's path, the method's name, the submodule's path, `output`.
    pub target: Target,
    /// Positional arguments.
    pub args: Vec<Arg>,
    /// Keyword arguments, in the order given.
    pub kwargs: Vec<(String, Arg)>,
    /// The type that the user's program states for the value, as `torch.fx` prints it: `torch.Tensor`.
    #[serde(default)]
    pub type_expr: Option<String>,
    /// The metadata of the value, where known.
    pub meta: Option<Meta>,
    /// The place in the user's program that the node comes from: the text of torch's `stack_trace`, innermost frame
    /// last.
    pub stack_trace: Option<Arc<str>>,
}

/// The kinds of metadata of a node's value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Meta {
    /// A tensor.
    Tensor(TensorMeta),
    /// An `int` or `torch.SymInt`.
    Int(Expr),
    /// A `float` or `torch.SymFloat`.
    Float(Float),
    /// A `bool` or `torch.SymBool`.
    Bool(Pred),
    /// Any other plain value.
    Plain(Arg),
    /// A tuple or list; `None` where nothing is known of an element or it is absent.
    Tuple(Vec<Option<Meta>>),
}

impl Meta {
    /// Replaces each integer expression.
    pub fn map_exprs(&mut self, f: &mut impl FnMut(Expr) -> Expr) {
        match self {
            Meta::Tensor(meta) => {
                let exprs = meta.sizes.iter_mut().chain(&mut meta.strides).chain([&mut meta.offset]);
                exprs.for_each(|expr| *expr = f(*expr));
            }
            Meta::Int(expr) => *expr = f(*expr),
            Meta::Tuple(items) => items.iter_mut().flatten().for_each(|item| item.map_exprs(f)),
            Meta::Float(_) | Meta::Bool(_) | Meta::Plain(_) => {}
        }
    }

    /// Calls `f` with each expression.
    pub fn for_each_expr(&self, f: &mut impl FnMut(Expr)) {
        match self {
            Meta::Tensor(t) => t.exprs().for_each(f),
            Meta::Int(e) => f(*e),
            // What they are made of is theirs.
            Meta::Float(_) | Meta::Bool(_) => {}
            Meta::Plain(arg) => arg.for_each_expr(f),
            Meta::Tuple(items) => items.iter().flatten().for_each(|m| m.for_each_expr(f)),
        }
    }
}

/// The nodes that use a node, each once, in program order.
pub type Users = SmallVec<[NodeId; 2]>;

/// The nodes of a graph by their ids, erased ones included.
pub(crate) type Nodes = PrimaryMap<NodeId, Node>;

/// A graph.
///
/// Erased nodes keep their row in the arena (ids stay valid to index with) but leave the program order.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    nodes: Nodes,
    order: Vec<NodeId>,
    /// The arena of the expressions in metadata and arguments.
    pub exprs: Pool,
    names: Names,
    /// The subgraphs, by the `get_attr` nodes that fetch them.
    subgraphs: FxHashMap<NodeId, Graph>,
}

/// A node cannot be erased while another uses it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("%{node} cannot be erased: %{user} uses it")]
pub struct InUse {
    /// The name of the node to erase.
    pub node: String,
    /// The name of the first of its users.
    pub user: String,
}

impl Node {
    /// The overload of ATen that is called.
    pub fn op(&self) -> Option<Aten> {
        self.target.op()
    }

    /// True for a call of an operator outside ATen (`torch.library`), by its name in `torch.ops`.
    pub fn is_custom_op(&self) -> bool {
        let name = self.target.as_str().strip_prefix("torch.ops.");
        let is_custom = name.is_some_and(|name| !name.starts_with("higher_order."));
        is_custom && self.op().is_none() && self.kind == Kind::CallFunction
    }

    /// The keyword argument of this name.
    pub fn kwarg(&self, name: &str) -> Option<&Arg> {
        self.kwargs.iter().find(|(k, _)| k == name).map(|(_, v)| v)
    }

    /// Every argument: the positional ones, then the values of the keyword ones.
    pub fn all_args(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().chain(self.kwargs.iter().map(|(_, v)| v))
    }

    /// Every argument, to be changed.
    pub fn all_args_mut(&mut self) -> impl Iterator<Item = &mut Arg> {
        self.args.iter_mut().chain(self.kwargs.iter_mut().map(|(_, v)| v))
    }

    /// The nodes among the arguments, each once, in the order of first use.
    pub fn inputs(&self) -> SmallVec<[NodeId; 4]> {
        let mut inputs = SmallVec::new();
        for arg in self.all_args() {
            arg.for_each_node(&mut |n| {
                if !inputs.contains(&n) {
                    inputs.push(n);
                }
            });
        }
        inputs
    }

    /// The tensor metadata, if the value is known to be one tensor.
    pub fn tensor_meta(&self) -> Option<&TensorMeta> {
        match &self.meta {
            Some(Meta::Tensor(t)) => Some(t),
            _ => None,
        }
    }
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Adds an input, after the inputs there are and before every other node.
    pub fn placeholder(&mut self, name: impl Into<String>) -> NodeId {
        let target = name.into();
        let hint = target.clone();
        self.placeholder_named(target, &hint)
    }

    /// As [`Graph::placeholder`], with a name for the node that differs from the input's.
    pub fn placeholder_named(&mut self, target: impl Into<Target>, name: &str) -> NodeId {
        let at = self.order.partition_point(|&n| self[n].kind == Kind::Placeholder);
        self.insert_at(at, Kind::Placeholder, target.into(), vec![], vec![], Some(name))
    }

    /// Appends the fetch of an attribute of the module.
    pub fn get_attr(&mut self, path: impl Into<Target>) -> NodeId {
        self.push(Kind::GetAttr, path, vec![], vec![], None)
    }

    /// Appends the fetch of a subgraph, which a higher-order operator calls. The attribute is named after `name`,
    /// with a number, as torch's Dynamo names it: `cond_true_0`.
    pub fn fetch_subgraph(&mut self, name: &str, subgraph: Graph) -> NodeId {
        let is_taken =
            |path: &str| self.nodes().any(|node| self.nodes[node].target == path && self.subgraphs.contains_key(&node));
        let path = (0..).map(|number| format!("{name}_{number}")).find(|path| !is_taken(path));
        let fetch = self.get_attr(path.expect("there are more numbers than subgraphs"));
        self.subgraphs.insert(fetch, subgraph);
        fetch
    }

    /// A graph of some nodes, in this order: from tensors that it is given to results. `None` if the nodes read
    /// anything else.
    pub fn extract(&self, given: &[NodeId], nodes: &[NodeId], results: &[Option<NodeId>]) -> Option<Graph> {
        let (mut graph, mut copies) = (Graph::new(), FxHashMap::default());
        for &node in given {
            let input = graph.placeholder(self[node].name.to_string());
            graph[input].meta = self[node].meta.clone();
            copies.insert(node, input);
        }
        for &node in nodes {
            let row = &self[node];
            if !row.inputs().iter().all(|input| copies.contains_key(input)) {
                return None;
            }
            let mut copied = |node: NodeId| Arg::Node(copies[&node]);
            let args = row.args.iter().map(|arg| arg.map_nodes(&mut copied)).collect();
            let kwargs = row.kwargs.iter().map(|(name, arg)| (name.clone(), arg.map_nodes(&mut copied))).collect();
            let copy = match self.subgraph(node) {
                Some(inner) => graph.fetch_subgraph(stem(&row.target), inner.clone()),
                None => graph.push(row.kind, &row.target, args, kwargs, Some(&row.name)),
            };
            graph[copy].meta = row.meta.clone();
            graph[copy].stack_trace = row.stack_trace.clone();
            copies.insert(node, copy);
        }
        let result = |node: &Option<NodeId>| match node {
            Some(node) => copies.get(node).map(|&copy| Arg::Node(copy)),
            None => Some(Arg::None),
        };
        let results = results.iter().map(result).collect::<Option<_>>()?;
        graph.output(Arg::Tuple(results));
        Some(graph)
    }

    /// The subgraph that a `get_attr` node fetches.
    pub fn subgraph(&self, fetch: NodeId) -> Option<&Graph> {
        self.subgraphs.get(&fetch)
    }

    /// Every subgraph, to be changed; those of erased nodes too.
    pub fn subgraphs_mut(&mut self) -> impl Iterator<Item = &mut Graph> {
        self.subgraphs.values_mut()
    }

    /// Makes a graph the one that a `get_attr` node fetches.
    pub(crate) fn set_subgraph(&mut self, fetch: NodeId, subgraph: Graph) {
        self.subgraphs.insert(fetch, subgraph);
    }

    /// Appends a call of a free function, named as [`Node::target`] has it.
    pub fn call_function(&mut self, target: impl Into<Target>, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> NodeId {
        self.push(Kind::CallFunction, target, args, kwargs, None)
    }

    /// Appends a call of a method of the first argument.
    pub fn call_method(&mut self, method: impl Into<Target>, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> NodeId {
        self.push(Kind::CallMethod, method, args, kwargs, None)
    }

    /// Appends a call of a submodule.
    pub fn call_module(&mut self, path: impl Into<Target>, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> NodeId {
        self.push(Kind::CallModule, path, args, kwargs, None)
    }

    /// Appends the output node; its value is that of the graph.
    pub fn output(&mut self, value: Arg) -> NodeId {
        self.push(Kind::Output, "output", vec![value], vec![], None)
    }

    /// Appends a node. Its name is `hint`, or comes from the target, made unique as `torch.fx` does (`add`, `add_1`).
    pub fn push(
        &mut self,
        kind: Kind,
        target: impl Into<Target>,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
        hint: Option<&str>,
    ) -> NodeId {
        self.insert_at(self.order.len(), kind, target.into(), args, kwargs, hint)
    }

    /// Inserts a node before another; see [`Graph::push`].
    ///
    /// # Panics
    /// If `before` was erased.
    pub fn insert_before(
        &mut self,
        before: NodeId,
        kind: Kind,
        target: impl Into<Target>,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
        hint: Option<&str>,
    ) -> NodeId {
        let at = self.position(before).expect("a node is inserted before one that is in the graph");
        self.insert_at(at, kind, target.into(), args, kwargs, hint)
    }

    /// Moves the nodes that were appended when the graph had `len` others to the place before `before`, one of those.
    ///
    /// # Panics
    /// If `before` is not one of the first `len`.
    pub fn move_appended(&mut self, len: usize, before: NodeId) {
        let at = self.position(before).filter(|&at| at < len).expect("nodes are moved before an older one");
        let appended = self.order.split_off(len);
        self.order.splice(at..at, appended);
    }

    fn insert_at(
        &mut self,
        at: usize,
        kind: Kind,
        target: Target,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
        hint: Option<&str>,
    ) -> NodeId {
        let base = hint.map_or_else(|| crate::names::base_of(kind, &target), str::to_owned);
        let name = self.names.create(&base);
        let id =
            self.nodes.push(Node { name, kind, target, args, kwargs, type_expr: None, meta: None, stack_trace: None });
        self.order.insert(at, id);
        id
    }

    /// The name itself if it is free, or one made from it.
    pub(crate) fn free_name(&self, name: &str) -> Arc<str> {
        self.names.propose(name)
    }

    /// Appends a node as it stands, if its name is still free.
    pub(crate) fn push_named(&mut self, node: Node) -> Option<NodeId> {
        self.names.reserve(&node.name).then(|| {
            let id = self.nodes.push(node);
            self.order.push(id);
            id
        })
    }

    /// The nodes in program order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone {
        self.order.iter().copied()
    }

    pub(crate) fn all_nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The nodes, to be read while expressions are made.
    pub(crate) fn nodes_and_exprs(&mut self) -> (&Nodes, &mut Pool) {
        (&self.nodes, &mut self.exprs)
    }

    /// The number of nodes in the program.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True if there is no node.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// One more than the largest id ever given out: the size for a table by node.
    pub fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// The place of a node in program order, unless it was erased.
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.order.iter().rposition(|&n| n == node)
    }

    /// The inputs, in order.
    pub fn placeholders(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        self.nodes().filter(|&n| self[n].kind == Kind::Placeholder)
    }

    /// The output node.
    pub fn output_node(&self) -> Option<NodeId> {
        self.nodes().next_back().filter(|&n| self[n].kind == Kind::Output)
    }

    /// The node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.nodes().find(|&n| &*self[n].name == name)
    }

    /// For each node the nodes that use it: one walk over the graph.
    pub fn users(&self) -> SecondaryMap<NodeId, Users> {
        let mut users: SecondaryMap<NodeId, Users> = SecondaryMap::with_capacity(self.nodes.len());
        for user in self.nodes() {
            for input in self[user].inputs() {
                users[input].push(user);
            }
        }
        users
    }

    /// Lets every user of `old` use `new` in its place.
    pub fn replace_all_uses(&mut self, old: NodeId, new: NodeId) {
        self.rename_uses(|n| if n == old { new } else { n });
    }

    /// Replaces each use of a node `n` by `f(n)`.
    pub fn rename_uses(&mut self, mut f: impl FnMut(NodeId) -> NodeId) {
        for &id in &self.order {
            for arg in self.nodes[id].all_args_mut() {
                arg.for_each_node_mut(&mut |n| *n = f(*n));
            }
        }
    }

    /// Gives a node this name, or one made from it if it is taken.
    pub fn rename(&mut self, node: NodeId, name: &str) {
        if &*self[node].name != name {
            self[node].name = self.names.create(name);
        }
    }

    /// Uses a name up, as a node of this name would that was taken out again.
    pub fn spend_name(&mut self, candidate: &str) {
        self.names.create(candidate);
    }

    /// The names that nodes have or had.
    pub fn spent_names(&self) -> impl Iterator<Item = &str> {
        self.names.used()
    }

    /// The last suffix that was given to each base of a name.
    pub fn name_suffixes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.names.suffixes()
    }

    /// Takes a node out of the program, unless another uses it.
    pub fn erase(&mut self, node: NodeId) -> Result<(), InUse> {
        if let Some(user) = self.nodes().find(|&u| self[u].inputs().contains(&node)) {
            return Err(InUse { node: self[node].name.to_string(), user: self[user].name.to_string() });
        }
        self.order.retain(|&n| n != node);
        Ok(())
    }

    /// Keeps the nodes of the program for which `keep` is true. What is dropped must have no user that is kept.
    pub fn retain(&mut self, mut keep: impl FnMut(NodeId) -> bool) {
        self.order.retain(|&n| keep(n));
    }

    /// Numbers the nodes in program order, without the rows of erased ones; gives the new id of each by the old one.
    pub fn renumber(&mut self) -> SecondaryMap<NodeId, PackedOption<NodeId>> {
        let mut ids: SecondaryMap<NodeId, PackedOption<NodeId>> = SecondaryMap::new();
        let (mut nodes, mut subgraphs) = (Nodes::with_capacity(self.order.len()), FxHashMap::default());
        let mut rows: Vec<Option<Node>> =
            std::mem::take(&mut self.nodes).into_iter().map(|(_, row)| Some(row)).collect();
        for old in std::mem::take(&mut self.order) {
            let mut node = rows[old.index()].take().expect("a node comes once");
            node.all_args_mut()
                .for_each(|arg| arg.for_each_node_mut(&mut |used| *used = ids[*used].expand().unwrap_or(*used)));
            let new = nodes.push(node);
            ids[old] = new.into();
            self.order.push(new);
            if let Some(subgraph) = self.subgraphs.remove(&old) {
                subgraphs.insert(new, subgraph);
            }
        }
        (self.nodes, self.subgraphs) = (nodes, subgraphs);
        ids
    }
}

/// The name of a subgraph without the number that [`Graph::fetch_subgraph`] has given it.
pub(crate) fn stem(path: &str) -> &str {
    path.rsplit_once('_').map_or(path, |(stem, _)| stem)
}

impl Index<NodeId> for Graph {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }
}

impl IndexMut<NodeId> for Graph {
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renumbering_drops_erased_rows() {
        let (mut g, [x, a, ..]) = chain();
        let late = g.call_function("operator.neg", vec![x.into()], vec![]);
        let dropped = g.call_function("operator.neg", vec![late.into()], vec![]);
        g.erase(dropped).expect("nobody uses it");
        let before = g.to_string();
        let ids = g.renumber();
        assert_eq!((g.capacity(), g.to_string()), (g.len(), before));
        assert_eq!(g[ids[a].unwrap()].args.first(), Some(&ids[x].unwrap().into()));
        assert!(g.nodes().enumerate().all(|(at, id)| id.as_u32() as usize == at));
    }

    fn chain() -> (Graph, [NodeId; 4]) {
        let mut g = Graph::new();
        let x = g.placeholder("x");
        let a = g.call_function("operator.add", vec![x.into(), 1.into()], vec![]);
        let b = g.call_function("operator.add", vec![a.into(), a.into()], vec![]);
        let out = g.output(b.into());
        (g, [x, a, b, out])
    }

    #[test]
    fn nodes_are_named_and_ordered() {
        let (mut g, [x, a, b, out]) = chain();
        let y = g.placeholder("y");
        let m = g.insert_before(b, Kind::CallMethod, "relu", vec![a.into()], vec![], None);
        assert_eq!(g.nodes().collect::<Vec<_>>(), [x, y, a, m, b, out]);
        assert_eq!(
            g.nodes().map(|n| g[n].name.as_ref()).collect::<Vec<_>>(),
            ["x", "y", "add", "relu", "add_1", "output"]
        );
        assert_eq!(g.placeholders().collect::<Vec<_>>(), [x, y]);
        assert_eq!(g.output_node(), Some(out));
    }

    #[test]
    fn users_count_once_and_block_erasure() {
        let (mut g, [x, a, b, out]) = chain();
        assert_eq!(g.users()[a].as_slice(), [b]);
        assert_eq!(g.erase(a), Err(InUse { node: "add".into(), user: "add_1".into() }));
        g.replace_all_uses(b, x);
        assert_eq!(g.erase(b), Ok(()));
        assert_eq!(g.erase(a), Ok(()));
        assert_eq!(g.nodes().collect::<Vec<_>>(), [x, out]);
        assert_eq!(g[out].args, [Arg::Node(x)]);
    }
}
