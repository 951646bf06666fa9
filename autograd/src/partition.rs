//! The joint graph cut in two: what the forward graph saves, and what the backward graph computes again.
//!
//! Values flow from the inputs to the gradients; to save a value costs its bytes, to compute it again nothing, but what
//! is dear (products, reductions, random numbers) may not be. The cheapest cut of that network is what is saved.
//!
//! Invariant: an input, or a result that the program sees, is saved only if eager saves it, too: the program may write
//! to it before the backward graph runs. Eager saves what the formula of a derivative reads.

use crate::joint::{Joint, NotDifferentiable};
use cranelift_entity::{EntityRef, SecondaryMap};
use fx::aten::{Aten, Packet, rules::Rule};
use fx::infer::{pointwise, sizes::Sizes, strides};
use fx::symbols::{self, Source};
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta};
use indexmap::IndexMap;
use petgraph::algo::maximum_flow::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use symshapes::{Pool, Sym};

/// A capacity that no cut goes through.
const NEVER: u64 = 1 << 50;
/// The largest cost of a value.
const MOST: u64 = 1 << 36;
/// A symbolic size of which no typical value is known, as costs take it.
const TYPICAL: u64 = 4096;
/// The factor by which a value costs more for each call between it and its use in the backward graph.
const BY_DISTANCE: f64 = 1.1;
/// The distance from which on a value is no dearer.
const FARTHEST: u32 = 100;

/// The origin of an input of the backward graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saved {
    /// An input of the forward graph, by number.
    Input(usize),
    /// An output of the forward graph, by number: a result, or one of those after them.
    Output(usize),
}

/// The values of a joint graph that its forward graph saves for its backward graph.
///
/// They are nodes of the forward graph, so that a cut fits every joint graph of one forward graph, whichever results
/// have gradients.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The values, and whether a copy of each is saved.
    values: Vec<(NodeId, bool)>,
    /// The symbols of sizes that the backward graph reads and none of the values gives, each with where inputs of the
    /// forward graph do.
    symbols: Vec<(Sym, Source)>,
}

/// A forward graph: from the inputs to the results and, after them, what only the backward graph reads.
#[derive(Debug)]
pub struct Forward {
    /// The graph.
    pub graph: Graph,
    /// The number of results.
    pub results: usize,
    /// The first inputs of the backward graph.
    pub saved: Vec<Saved>,
    /// The inputs of the backward graph after those: numbers that inputs of the forward graph give.
    pub sizes: Vec<Source>,
    /// The bytes of the outputs after the results, where sizes are symbolic those that were traced.
    pub saved_bytes: u64,
}

/// A backward graph: from what is saved, sizes, and the gradients by results, in this order, to the gradients by
/// inputs.
#[derive(Debug)]
pub struct Backward {
    /// The graph.
    pub graph: Graph,
    /// For each input of the forward graph the output that is the gradient by it.
    pub gradients: Vec<Option<usize>>,
    /// The number of calls of the forward graph that are computed again.
    pub recomputed: usize,
}

/// Finds the cheapest cut of a joint graph. Inputs for which `is_weight` is true outlive the graph, and cost nothing to
/// save.
///
/// # Errors
/// A value that gradients need and that cannot be saved.
pub fn minimum_cut(joint: &Joint, is_weight: &[bool]) -> Result<Cut, NotDifferentiable> {
    let facts = Facts::of(joint, is_weight);
    let values = facts.minimum_cut()?;
    let symbols = facts.symbols(&values);
    Ok(Cut { values: values.into_iter().map(|id| (id, facts.is_copied(id))).collect(), symbols })
}

impl Cut {
    /// The forward graph.
    pub fn forward(&self, joint: &Joint) -> Forward {
        let primals = joint.primals();
        let mut part = Extract::new(&joint.graph);
        primals.iter().for_each(|&primal| part.input(primal));
        part.calls(joint.outputs.iter().filter_map(Arg::as_node).chain(self.values.iter().map(|&(id, _)| id)));
        let mut outputs: Vec<Arg> = joint.outputs.iter().map(|output| part.copied(output)).collect();
        let mut saved = Vec::new();
        let input_numbers = numbers(primals.iter().copied().map(Some));
        let result_numbers = numbers(joint.outputs.iter().map(Arg::as_node));
        for &(id, is_copied) in &self.values {
            saved.push(match (input_numbers.get(&id), result_numbers.get(&id).filter(|_| !is_copied)) {
                (Some(&primal), _) => Saved::Input(primal),
                (None, Some(&result)) => Saved::Output(result),
                (None, None) => {
                    outputs.push(if is_copied { part.clone_of(id) } else { part.copied(&Arg::Node(id)) });
                    Saved::Output(outputs.len() - 1)
                }
            });
        }
        part.calls(joint.writes.iter().copied());
        let results = joint.outputs.len();
        let metas = outputs[results..].iter().filter_map(Arg::as_node).filter_map(|node| part.to[node].tensor_meta());
        let saved_bytes = metas.map(|meta| bytes(&part.to, meta)).sum();
        let sizes = self.symbols.iter().map(|&(_, source)| source).collect();
        Forward { graph: part.ends(outputs), results, saved, sizes, saved_bytes }
    }

    /// The backward graph.
    pub fn backward(&self, joint: &Joint) -> Backward {
        let mut part = Extract::new(&joint.graph);
        self.values.iter().for_each(|&(id, _)| part.input(id));
        self.symbols.iter().for_each(|&(symbol, _)| part.number(symbol));
        joint.tangents.iter().for_each(|&(_, tangent)| part.input(tangent));
        let given: Vec<NodeId> = joint.gradients.iter().flatten().copied().collect();
        part.calls(given.iter().copied());
        let outputs = given.into_iter().map(|id| part.copied(&Arg::Node(id))).collect();
        let mut number = 0..;
        let gradients = joint.gradients.iter().map(|gradient| gradient.and_then(|_| number.next())).collect();
        let saved: FxHashSet<NodeId> = self.values.iter().map(|&(value, _)| value).collect();
        let is_given = |id: &NodeId| joint.is_forward(*id) && !saved.contains(id);
        let recomputed = part.copies.keys().filter(|id| is_given(id)).count();
        Backward { graph: part.ends(outputs), gradients, recomputed }
    }
}

/// Properties of the nodes of a joint graph, found in one walk each.
struct Facts<'a> {
    joint: &'a Joint,
    graph: &'a Graph,
    primals: Vec<NodeId>,
    /// The numbers of the primals.
    numbers: FxHashMap<NodeId, usize>,
    is_weight: &'a [bool],
    /// The nodes that depend on gradients by results.
    is_backward: SecondaryMap<NodeId, bool>,
    /// The calls whose results are in the memory of their first operand.
    is_view: SecondaryMap<NodeId, bool>,
    /// The nodes in whose memory each view is.
    roots: SecondaryMap<NodeId, Option<NodeId>>,
    /// The nodes whose memory, and so any view of it, eager saves.
    is_read: SecondaryMap<NodeId, bool>,
    /// The calls between a value and its nearest use in the backward graph.
    distances: SecondaryMap<NodeId, u32>,
    /// The nodes that the gradients depend on.
    is_needed: SecondaryMap<NodeId, bool>,
    users: SecondaryMap<NodeId, fx::Users>,
    results: FxHashSet<NodeId>,
    gradients: FxHashSet<NodeId>,
    /// The nodes that the joint graph writes to.
    written: FxHashSet<NodeId>,
}

/// The number of each node; of one that comes more than once, the first.
fn numbers(nodes: impl DoubleEndedIterator<Item = Option<NodeId>> + ExactSizeIterator) -> FxHashMap<NodeId, usize> {
    nodes.enumerate().rev().filter_map(|(number, node)| Some((node?, number))).collect()
}

impl<'a> Facts<'a> {
    fn of(joint: &'a Joint, is_weight: &'a [bool]) -> Facts<'a> {
        let graph = &joint.graph;
        let tangents: FxHashSet<NodeId> = joint.tangents.iter().map(|&(_, tangent)| tangent).collect();
        let mut is_backward: SecondaryMap<NodeId, bool> = SecondaryMap::new();
        let mut roots: SecondaryMap<NodeId, Option<NodeId>> = SecondaryMap::new();
        let mut is_view: SecondaryMap<NodeId, bool> = SecondaryMap::new();
        let mut pool = graph.exprs.clone();
        for id in graph.nodes() {
            let inputs = graph[id].inputs();
            is_backward[id] = tangents.contains(&id) || inputs.iter().any(|&input| is_backward[input]);
            is_view[id] = self::is_view(graph, id, &mut pool);
            let base = inputs.first().copied().filter(|_| is_view[id]);
            roots[id] = Some(base.and_then(|base| roots[base]).unwrap_or(id));
        }
        let mut is_read: SecondaryMap<NodeId, bool> = SecondaryMap::new();
        let is_derived = |id: &NodeId| !joint.is_forward(*id);
        for id in graph.nodes().filter(is_derived) {
            for input in graph[id].inputs().into_iter().filter(|input| joint.is_forward(*input)) {
                is_read[roots[input].unwrap_or(input)] = true;
            }
        }
        let mut is_needed: SecondaryMap<NodeId, bool> = SecondaryMap::new();
        let mut distances: SecondaryMap<NodeId, u32> = SecondaryMap::with_default(FARTHEST);
        joint.gradients.iter().flatten().for_each(|&gradient| is_needed[gradient] = true);
        for id in graph.nodes().rev() {
            if is_needed[id] {
                let distance = if is_backward[id] { 0 } else { (distances[id] + 1).min(FARTHEST) };
                for input in graph[id].inputs() {
                    is_needed[input] = true;
                    distances[input] = distances[input].min(distance);
                }
            }
        }
        let primals = joint.primals();
        let written = joint.writes.iter().filter_map(|&write| graph[write].args.first()?.as_node());
        Facts {
            joint,
            graph,
            numbers: numbers(primals.iter().copied().map(Some)),
            primals,
            is_weight,
            is_backward,
            is_view,
            roots,
            is_read,
            distances,
            is_needed,
            users: graph.users(),
            results: joint.outputs.iter().filter_map(Arg::as_node).collect(),
            gradients: joint.gradients.iter().flatten().copied().collect(),
            written: written.collect(),
        }
    }

    /// The symbols that gradients read and none of these values gives, each with where inputs do.
    fn symbols(&self, values: &[NodeId]) -> Vec<(Sym, Source)> {
        let pool = &self.graph.exprs;
        let mut read: FxHashSet<Sym> = FxHashSet::default();
        for node in self.graph.nodes().filter(|&id| self.is_needed[id]).map(|id| &self.graph[id]) {
            let mut symbols = |e| read.extend(pool.symbols(e));
            node.all_args().for_each(|arg| arg.for_each_expr(&mut symbols));
            node.meta.iter().for_each(|meta| meta.for_each_expr(&mut symbols));
        }
        let known = symbols::given_by(self.graph, values.iter().copied());
        let inputs = symbols::given_by(self.graph, self.primals.iter().copied());
        let missing = read.into_iter().filter(|symbol| !known.contains_key(symbol));
        let mut missing: Vec<_> = missing.filter_map(|symbol| Some((symbol, *inputs.get(&symbol)?))).collect();
        missing.sort_unstable();
        missing
    }

    /// The cost to save a value.
    fn cost(&self, id: NodeId) -> u64 {
        let Some(meta) = self.graph[id].tensor_meta().filter(|_| self.joint.is_forward(id)) else { return NEVER };
        let base = self.graph[id].inputs().first().and_then(|&base| self.graph[base].tensor_meta());
        if self.is_view[id] && base.is_some_and(|base| bytes(self.graph, base) == bytes(self.graph, meta)) {
            // What it is a view of is saved in its place.
            return NEVER;
        }
        let root = self.roots[id].unwrap_or(id);
        if self.graph[root].kind == Kind::Placeholder {
            if self.written.contains(&root) || !self.is_read[root] {
                return NEVER;
            }
            if self.numbers.get(&root).is_some_and(|&number| self.is_weight.get(number) == Some(&true)) {
                return 1;
            }
        }
        let bytes = bytes(self.graph, meta) as f64;
        let is_copied = self.is_copied(id);
        let writes = if self.is_materialized(id) && !is_copied { 1.0 } else { 2.0 };
        let cost = bytes * writes * BY_DISTANCE.powi(self.distances[id].max(1) as i32);
        (cost as u64).clamp(2, MOST)
    }

    /// True for a value in the memory of a result that eager does not save: a copy is saved.
    fn is_copied(&self, id: NodeId) -> bool {
        let root = self.roots[id].unwrap_or(id);
        let is_visible = self.results.iter().any(|&result| self.roots[result] == Some(root));
        is_visible && self.graph[root].kind != Kind::Placeholder && !self.is_read[root]
    }

    /// True for a value that is in memory whether it is saved or not.
    fn is_materialized(&self, id: NodeId) -> bool {
        let in_forward = |user: &&NodeId| self.joint.is_forward(**user);
        !is_cheap(self.graph, id)
            || self.results.contains(&id)
            || self.users[id].iter().filter(in_forward).any(|&user| !is_cheap(self.graph, user))
    }

    /// True for a value that the forward graph computes and that may not be computed again: flow begins there.
    fn is_source(&self, id: NodeId) -> bool {
        self.joint.is_forward(id) && !is_cheap(self.graph, id)
    }

    /// The values to save: those that the cheapest cut goes through.
    fn minimum_cut(&self) -> Result<Vec<NodeId>, NotDifferentiable> {
        let mut values = FxHashSet::default();
        for group in self.groups() {
            self.cut(&group, &mut values)?;
        }
        Ok(self.graph.nodes().filter(|id| values.contains(id)).collect())
    }

    /// The nodes that gradients need, those together that cheap calls connect: each group has a cut of its own. A
    /// network of many layers falls apart into small ones.
    fn groups(&self) -> impl Iterator<Item = Vec<NodeId>> {
        let is_within = |id: &NodeId| self.is_needed[*id] && !self.is_backward[*id];
        let mut sets = UnionFind::new(self.graph.capacity());
        for id in self.graph.nodes().filter(|id| is_within(id) && !self.is_source(*id)) {
            for input in self.graph[id].inputs() {
                sets.union(id.index(), input.index());
            }
        }
        let mut groups: IndexMap<usize, Vec<NodeId>, FxBuildHasher> = IndexMap::default();
        for id in self.graph.nodes().filter(is_within) {
            groups.entry(sets.find(id.index())).or_default().push(id);
        }
        groups.into_values()
    }

    /// Adds to `values` those that the cheapest cut of a group goes through.
    fn cut(&self, group: &[NodeId], values: &mut FxHashSet<NodeId>) -> Result<(), NotDifferentiable> {
        let mut network: DiGraph<(), u64> = DiGraph::new();
        let (source, sink) = (network.add_node(()), network.add_node(()));
        let mut sides: FxHashMap<NodeId, [NodeIndex; 2]> = FxHashMap::default();
        for &id in group {
            let [entry, exit] = [network.add_node(()), network.add_node(())];
            network.add_edge(entry, exit, self.cost(id));
            if self.is_source(id) {
                network.add_edge(source, entry, NEVER);
            } else {
                for input in self.graph[id].inputs() {
                    network.add_edge(sides[&input][1], entry, NEVER);
                }
            }
            if self.gradients.contains(&id)
                || self.users[id].iter().any(|&user| self.is_backward[user] && self.is_needed[user])
            {
                network.add_edge(exit, sink, NEVER);
            }
            sides.insert(id, [entry, exit]);
        }
        let (flow, flows) = dinics(&network, source, sink);
        if flow >= NEVER {
            let is_open = |id: &&NodeId| {
                let [entry, exit] = sides[*id];
                network.find_edge(entry, exit).is_some_and(|edge| flows[edge.index()] >= NEVER)
            };
            let node = group.iter().find(is_open).map_or_else(String::new, |&id| self.graph[id].name.clone());
            return Err(NotDifferentiable { node, why: "gradients need it, and it cannot be saved".to_owned() });
        }
        let reached = reachable(&network, source, &flows);
        let is_cut = |id: &NodeId| {
            let [entry, exit] = sides[id];
            reached.contains(&entry) && !reached.contains(&exit)
        };
        values.extend(group.iter().copied().filter(is_cut));
        Ok(())
    }
}

/// The nodes that more flow could reach.
fn reachable(network: &DiGraph<(), u64>, source: NodeIndex, flows: &[u64]) -> FxHashSet<NodeIndex> {
    let mut reached = FxHashSet::from_iter([source]);
    let mut waiting = vec![source];
    while let Some(node) = waiting.pop() {
        let ahead = network.edges(node).filter(|edge| flows[edge.id().index()] < *edge.weight());
        let behind = network.edges_directed(node, petgraph::Incoming).filter(|edge| flows[edge.id().index()] > 0);
        for next in ahead.map(|edge| edge.target()).chain(behind.map(|edge| edge.source())) {
            if reached.insert(next) {
                waiting.push(next);
            }
        }
    }
    reached
}

/// The bytes of a tensor; symbolic sizes count as they were traced.
fn bytes(graph: &Graph, meta: &TensorMeta) -> u64 {
    let traced = |symbol| graph.exprs.symbol_hint(symbol);
    let size = |&size| graph.exprs.eval(size, &traced).map_or(TYPICAL, |size| size.max(0) as u64);
    let elements = meta.sizes.iter().map(size).fold(1u64, u64::saturating_mul);
    elements.saturating_mul(meta.dtype.size() as u64).min(MOST)
}

/// Metadata as it is where autograd does not record.
fn unfollowed(meta: Option<Meta>) -> Option<Meta> {
    let plain = |meta| match meta {
        Meta::Tensor(meta) => Meta::Tensor(TensorMeta { requires_grad: false, ..meta }),
        meta => meta,
    };
    meta.map(|meta| match meta {
        Meta::Tuple(items) => Meta::Tuple(items.into_iter().map(|item| item.map(plain)).collect()),
        meta => plain(meta),
    })
}

/// Takes a part of a graph out as one of its own.
struct Extract<'a> {
    from: &'a Graph,
    to: Graph,
    copies: FxHashMap<NodeId, NodeId>,
}

impl<'a> Extract<'a> {
    fn new(from: &'a Graph) -> Extract<'a> {
        let mut to = Graph::new();
        to.exprs = from.exprs.clone();
        Extract { from, to, copies: FxHashMap::default() }
    }

    /// Makes a value an input.
    fn input(&mut self, id: NodeId) {
        let node = &self.from[id];
        let input = self.to.placeholder(node.name.clone());
        self.to[input].meta = unfollowed(node.meta.clone());
        self.copies.insert(id, input);
    }

    /// Adds the value of a symbol as an input.
    fn number(&mut self, symbol: Sym) {
        let input = self.to.placeholder(self.to.exprs.name(symbol).to_owned());
        self.to[input].meta = Some(Meta::Int(self.to.exprs.sym(symbol)));
    }

    /// Appends the calls that these values depend on, in program order.
    fn calls(&mut self, roots: impl Iterator<Item = NodeId>) {
        let mut is_needed: FxHashSet<NodeId> = roots.filter(|root| !self.copies.contains_key(root)).collect();
        for id in self.from.nodes().rev() {
            if is_needed.contains(&id) {
                is_needed.extend(self.from[id].inputs().into_iter().filter(|input| !self.copies.contains_key(input)));
            }
        }
        for id in self.from.nodes().filter(|id| is_needed.contains(id)) {
            let node = &self.from[id];
            let args = node.args.iter().map(|arg| self.copied(arg)).collect();
            let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), self.copied(arg))).collect();
            let copy = self.to.push(node.kind, node.target.clone(), args, kwargs, Some(&node.name));
            self.to[copy].meta = unfollowed(node.meta.clone());
            self.to[copy].stack_trace = node.stack_trace.clone();
            self.copies.insert(id, copy);
        }
    }

    /// An argument in terms of the new graph.
    fn copied(&self, arg: &Arg) -> Arg {
        arg.map_nodes(&mut |node| Arg::Node(self.copies[&node]))
    }

    /// Appends a copy of a value.
    fn clone_of(&mut self, id: NodeId) -> Arg {
        let args = vec![Arg::Node(self.copies[&id])];
        let copy = self.to.push(Kind::CallFunction, Aten::clone_default, args, Vec::new(), None);
        self.to[copy].meta = unfollowed(self.from[id].meta.clone());
        Arg::Node(copy)
    }

    fn ends(mut self, outputs: Vec<Arg>) -> Graph {
        self.to.output(Arg::Tuple(outputs));
        self.to
    }
}

/// True for a call whose result is in the memory of its first operand.
fn is_view(graph: &Graph, id: NodeId, pool: &mut Pool) -> bool {
    let node = &graph[id];
    let Some(&base) = node.inputs().first() else { return false };
    if node.target == "operator.getitem" {
        return is_view(graph, base, pool);
    }
    let overload = node.op();
    let Some(overload) = overload.filter(|overload| overload.is_view()) else { return false };
    let (Some(old), Some(new)) = (graph[base].tensor_meta(), node.tensor_meta()) else { return true };
    match overload.packet() {
        // Some give a copy where there is no such view.
        Packet::flatten | Packet::reshape | Packet::reshape_as => {
            matches!(strides::viewed(&mut Sizes::Proved(pool), old, &new.sizes), Some(Some(_)))
        }
        Packet::contiguous | Packet::to | Packet::type_as => (old.dtype, &old.strides) == (new.dtype, &new.strides),
        _ => true,
    }
}

/// True for a call that may run a second time in the backward graph.
fn is_cheap(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    if node.target == "operator.getitem" {
        return node.args.first().and_then(Arg::as_node).is_some_and(|whole| is_cheap(graph, whole));
    }
    if node.kind != Kind::CallFunction || fx::effects::side_effect(graph, id).is_some() {
        return false;
    }
    let Some(overload) = node.op() else {
        return matches!(node.meta, Some(Meta::Int(_)));
    };
    let is_generated = pointwise::row(overload).is_some() && !matches!(overload.rule(), Some(Rule::Extern(_)));
    overload.is_view() || overload.traits().cheap || is_generated
}
