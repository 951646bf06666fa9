//! The joint graph cut in two: what the forward graph saves, and what the backward graph computes again.
//!
//! Values flow from the inputs to the gradients; to save a value costs its bytes, to compute it again nothing, but what
//! is dear (products, reductions, random numbers) may not be. The cheapest cut of that network is what is saved. What a
//! checkpointed region computes for itself may be computed again, however dear, and is never saved; what it gives to
//! others is dear. The backward graph computes a value again right before it is first needed.
//!
//! Invariant: an input, or a result that the program sees, is saved only if eager saves it, too: the program may write
//! to it before the backward graph runs. Eager saves what the formula of a derivative reads, and what a checkpointed
//! region does. Of an input that the graph itself writes to, a copy is saved. Where eager reads such a tensor for the
//! gradients by some results only, and a value that is computed from it for others, that value is not computed again.

use crate::joint::{Joint, NotDifferentiable};
use cranelift_entity::{EntityRef, SecondaryMap};
use fx::aten::{
    Aten, Packet,
    rules::{Extern, Rule},
};
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
    /// The calls of the forward graph that are computed again, in program order.
    pub recomputed: Vec<NodeId>,
}

/// Finds the cheapest cut of a joint graph. Inputs for which `is_weight` is true outlive the graph, and cost nothing to
/// save. With a budget below one, what is dear may be computed again, too, until no more than that part of the bytes is
/// saved which the cheapest cut takes: first what takes the least work for the bytes that it saves.
///
/// # Errors
/// A value that gradients need and that cannot be saved.
pub fn minimum_cut(joint: &Joint, is_weight: &[bool], budget: f64) -> Result<Cut, NotDifferentiable> {
    let mut facts = Facts::of(joint, is_weight);
    let mut values = facts.minimum_cut()?;
    let most = (facts.saved_bytes(&values) as f64 * budget.clamp(0.0, 1.0)) as u64;
    while facts.repeats_more(&values, most) {
        values = facts.minimum_cut()?;
    }
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
            saved.push(match (input_numbers.get(&id), result_numbers.get(&id)) {
                (Some(&primal), _) if !is_copied => Saved::Input(primal),
                (_, Some(&result)) if !is_copied => Saved::Output(result),
                _ => {
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
        part.calls_when_needed(given.iter().copied(), |id| joint.is_forward(id));
        let outputs = given.into_iter().map(|id| part.copied(&Arg::Node(id))).collect();
        let mut number = 0..;
        let gradients = joint.gradients.iter().map(|gradient| gradient.and_then(|_| number.next())).collect();
        let saved: FxHashSet<NodeId> = self.values.iter().map(|&(value, _)| value).collect();
        let is_given = |id: &NodeId| joint.is_forward(*id) && !saved.contains(id);
        let mut recomputed: Vec<NodeId> =
            part.copies.iter().filter(|(id, _)| is_given(id)).map(|(_, &copy)| copy).collect();
        recomputed.sort_unstable();
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
    /// The nodes whose memory, and so any view of it, eager saves: for gradients by which results.
    read: SecondaryMap<NodeId, Results>,
    /// The visible nodes whose memory is not to be read for values that are computed from it.
    is_shielded: SecondaryMap<NodeId, bool>,
    /// The checkpointed region, by number from one, that computes a node; zero where none does.
    regions: SecondaryMap<NodeId, usize>,
    /// The nodes that regions compute and that others read, in views perhaps.
    escapes: SecondaryMap<NodeId, bool>,
    /// The dear calls outside regions that may be computed again.
    repeats: FxHashSet<NodeId>,
    /// The calls between a value and its nearest use in the backward graph.
    distances: SecondaryMap<NodeId, u32>,
    /// The nodes that the gradients depend on.
    is_needed: SecondaryMap<NodeId, bool>,
    users: SecondaryMap<NodeId, fx::Users>,
    /// The inputs that the graph writes to.
    written: FxHashSet<NodeId>,
    results: FxHashSet<NodeId>,
    gradients: FxHashSet<NodeId>,
}

/// Results of a graph, by number among those that autograd follows: a bit each. The last bit is all others.
type Results = u128;

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
        let mut written: FxHashSet<NodeId> = joint.followed_writes.iter().map(|&number| primals[number]).collect();
        written.extend(joint.writes.iter().filter_map(|&write| graph[write].args.first()?.as_node()));
        let mut regions: SecondaryMap<NodeId, usize> = SecondaryMap::new();
        for (number, region) in (1..).zip(&joint.checkpointed) {
            region.clone().for_each(|id| regions[NodeId::new(id)] = number);
        }
        let mut facts = Facts {
            joint,
            graph,
            numbers: numbers(primals.iter().copied().map(Some)),
            primals,
            is_weight,
            is_backward,
            is_view,
            roots,
            read: SecondaryMap::new(),
            is_shielded: SecondaryMap::new(),
            regions,
            escapes: SecondaryMap::new(),
            repeats: FxHashSet::default(),
            distances,
            is_needed,
            users: graph.users(),
            written,
            results: joint.results().iter().filter_map(Arg::as_node).collect(),
            gradients: joint.gradients.iter().flatten().copied().collect(),
        };
        facts.find_escapes();
        facts.find_reads();
        facts
    }

    /// The node in whose memory another one is.
    fn root(&self, id: NodeId) -> NodeId {
        self.roots[id].unwrap_or(id)
    }

    /// Finds what checkpointed regions give to others.
    fn find_escapes(&mut self) {
        let outputs: FxHashSet<NodeId> = self.joint.outputs.iter().filter_map(Arg::as_node).collect();
        for id in self.graph.nodes().filter(|&id| self.regions[id] > 0) {
            let is_outside = |&user: &NodeId| self.joint.is_forward(user) && self.regions[user] != self.regions[id];
            let root = self.root(id);
            let is_own = self.regions[root] == self.regions[id];
            if is_own && (outputs.contains(&id) || self.users[id].iter().any(is_outside)) {
                self.escapes[root] = true;
            }
        }
    }

    /// Finds which tensors eager saves, and which of the visible ones nothing is to be computed from again, since it
    /// would be for gradients by results for which eager does not save them.
    fn find_reads(&mut self) {
        let mut by: SecondaryMap<NodeId, Results> = SecondaryMap::new();
        for (number, &(_, tangent)) in self.joint.tangents.iter().enumerate() {
            by[tangent] = 1 << number.min(Results::BITS as usize - 1);
        }
        for id in self.graph.nodes() {
            by[id] = self.graph[id].inputs().into_iter().fold(by[id], |all, input| all | by[input]);
        }
        let mut computed: SecondaryMap<NodeId, Results> = SecondaryMap::new();
        for id in self.graph.nodes().rev().filter(|&id| self.is_needed[id]).collect::<Vec<_>>() {
            let is_forward = self.joint.is_forward(id);
            if is_forward && self.is_source(id) {
                continue;
            }
            for input in self.graph[id].inputs().into_iter().filter(|&input| !self.is_backward[input]) {
                by[input] |= by[id];
                let root = self.root(input);
                let enters_region = self.regions[id] > 0 && self.regions[id] != self.regions[input];
                if !is_forward || enters_region {
                    self.read[root] |= by[id];
                } else if !self.is_view[id] {
                    computed[root] |= by[id];
                }
            }
        }
        let visible = self.results.iter().map(|&result| self.root(result)).chain(self.primals.iter().copied());
        for root in visible.filter(|root| !self.written.contains(root)).collect::<Vec<_>>() {
            let (read, computed) = (self.read[root], computed[root]);
            let is_most = (read | computed).leading_zeros() == 0;
            self.is_shielded[root] = read != 0 && computed != 0 && (computed & !read != 0 || is_most);
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
        let root = self.root(id);
        if self.regions[root] > 0 && !self.escapes[root] && !self.is_source(id) {
            return NEVER;
        }
        if self.graph[root].kind == Kind::Placeholder && !self.written.contains(&root) {
            if self.read[root] == 0 {
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

    /// True for a value in the memory of an input that the graph writes to, or of a result that eager does not save: a
    /// copy is saved.
    fn is_copied(&self, id: NodeId) -> bool {
        let root = self.root(id);
        let is_visible = || self.results.iter().any(|&result| self.root(result) == root);
        match self.graph[root].kind {
            Kind::Placeholder => self.written.contains(&root),
            _ => self.read[root] == 0 && is_visible(),
        }
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
        let reads_shielded = || self.graph[id].inputs().into_iter().any(|input| self.is_shielded[self.root(input)]);
        self.joint.is_forward(id)
            && match self.regions[id] {
                0 if self.repeats.contains(&id) => reads_shielded(),
                0 => !is_cheap(self.graph, id) || !self.is_view[id] && reads_shielded(),
                _ => self.escapes[id] || !is_repeatable(self.graph, id),
            }
    }

    /// The values to save: those that the cheapest cut goes through.
    fn minimum_cut(&self) -> Result<Vec<NodeId>, NotDifferentiable> {
        let mut values = FxHashSet::default();
        for group in self.groups() {
            self.cut(&group, &mut values)?;
        }
        Ok(self.graph.nodes().filter(|id| values.contains(id)).collect())
    }

    /// The bytes of those values that are no inputs.
    fn saved_bytes(&self, values: &[NodeId]) -> u64 {
        let computed = values.iter().filter(|&&id| self.graph[self.root(id)].kind != Kind::Placeholder);
        computed.filter_map(|&id| self.graph[id].tensor_meta()).map(|meta| bytes(self.graph, meta)).sum()
    }

    /// Lets more of what is saved be computed again, if that is more than so many bytes; false if there is nothing left
    /// to do.
    fn repeats_more(&mut self, values: &[NodeId], most: u64) -> bool {
        let mut excess = self.saved_bytes(values).saturating_sub(most);
        if excess == 0 {
            return false;
        }
        let size = |id: NodeId| self.graph[id].tensor_meta().map_or(1, |meta| bytes(self.graph, meta).max(1));
        let mut dear: Vec<(f64, NodeId)> =
            self.dear(values).into_iter().map(|id| (work(self.graph, id) / size(id) as f64, id)).collect();
        dear.sort_unstable_by(|(a, first), (b, second)| a.total_cmp(b).then(first.cmp(second)));
        let mut chosen = Vec::new();
        for &(_, id) in &dear {
            if excess > 0 {
                excess = excess.saturating_sub(size(id));
                chosen.push(id);
            }
        }
        for &id in &chosen {
            let whole = self.graph[id].args.first().and_then(Arg::as_node);
            let whole = whole.filter(|_| self.graph[id].target == "operator.getitem");
            self.repeats.extend([id].into_iter().chain(whole));
            // As the inputs of a checkpointed region.
            for input in self.graph[whole.unwrap_or(id)].inputs() {
                let root = self.root(input);
                self.read[root] = Results::MAX;
            }
        }
        !chosen.is_empty()
    }

    /// The dear calls that these values come from by cheap ones, if they might be computed again and are not yet.
    fn dear(&self, values: &[NodeId]) -> FxHashSet<NodeId> {
        let (mut open, mut seen) = (values.to_vec(), FxHashSet::default());
        let mut found = FxHashSet::default();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let is_fixed = self.regions[id] > 0 || self.repeats.contains(&id) || !is_repeatable(self.graph, id);
            if !self.is_source(id) {
                open.extend(self.graph[id].inputs());
            } else if !is_fixed {
                found.insert(id);
            }
        }
        found
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
            let node = group.iter().find(is_open).map_or_else(String::new, |&id| self.graph[id].name.to_string());
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
pub fn bytes(graph: &Graph, meta: &TensorMeta) -> u64 {
    let traced = |symbol| graph.exprs.symbol_hint(symbol);
    let size = |&size| graph.exprs.eval(size, &traced).map_or(TYPICAL, |size| size.max(0) as u64);
    let elements = meta.sizes.iter().map(size).fold(1u64, u64::saturating_mul);
    elements.saturating_mul(meta.dtype.size() as u64).min(MOST)
}

/// The work of a call: its multiplications if it is a product or a convolution, else the elements that it reads.
fn work(graph: &Graph, id: NodeId) -> f64 {
    let node = &graph[id];
    if node.target == "operator.getitem" {
        return node.args.first().and_then(Arg::as_node).map_or(0.0, |whole| work(graph, whole));
    }
    let elements = |meta: &TensorMeta| bytes(graph, meta) as f64 / meta.dtype.size() as f64;
    let operands: Vec<f64> =
        node.inputs().iter().filter_map(|&input| graph[input].tensor_meta()).map(elements).collect();
    let given = node.tensor_meta().map_or(1.0, elements).max(1.0);
    match node.op().and_then(Aten::rule) {
        // Of a product of an m by k and a k by n matrix, m·k · k·n / m·n is the square of k.
        Some(Rule::Extern(Extern::MatMul | Extern::Convolution | Extern::Attention)) => {
            let mut largest = operands;
            largest.sort_unstable_by(|a, b| b.total_cmp(a));
            given * (largest.iter().take(2).product::<f64>() / given).sqrt()
        }
        _ => operands.iter().sum(),
    }
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
        let input = self.to.placeholder(node.name.to_string());
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
        self.calls_when_needed(roots, |_| false);
    }

    /// Appends the calls that these values depend on, in program order, but for those for which `is_late` is true: they
    /// come right before the first call that reads them.
    fn calls_when_needed(&mut self, roots: impl Iterator<Item = NodeId>, is_late: impl Fn(NodeId) -> bool) {
        let mut is_needed: FxHashSet<NodeId> = roots.filter(|root| !self.copies.contains_key(root)).collect();
        for id in self.from.nodes().rev() {
            if is_needed.contains(&id) {
                is_needed.extend(self.from[id].inputs().into_iter().filter(|input| !self.copies.contains_key(input)));
            }
        }
        let needed: Vec<NodeId> = self.from.nodes().filter(|id| is_needed.contains(id)).collect();
        for &id in needed.iter().filter(|&&id| !is_late(id)) {
            self.call_after_operands(id);
        }
        needed.into_iter().for_each(|id| self.call_after_operands(id));
    }

    /// Appends a call after what it depends on, unless it is there.
    fn call_after_operands(&mut self, id: NodeId) {
        let mut open = vec![id];
        while let Some(&id) = open.last() {
            let missing = |input: &NodeId| !self.copies.contains_key(input);
            // The first one is on top of the stack.
            let inputs: Vec<NodeId> = self.from[id].inputs().into_iter().filter(missing).collect();
            if inputs.is_empty() {
                open.pop();
                if !self.copies.contains_key(&id) {
                    self.call(id);
                }
            }
            open.extend(inputs.into_iter().rev());
        }
    }

    fn call(&mut self, id: NodeId) {
        let node = &self.from[id];
        let args = node.args.iter().map(|arg| self.copied(arg)).collect();
        let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), self.copied(arg))).collect();
        let copy = self.to.push(node.kind, node.target.clone(), args, kwargs, Some(&node.name));
        self.to[copy].meta = unfollowed(node.meta.clone());
        self.to[copy].stack_trace = node.stack_trace.clone();
        self.copies.insert(id, copy);
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

/// True for a call that gives the same when it runs a second time.
fn is_repeatable(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    if node.target == "operator.getitem" {
        return node.args.first().and_then(Arg::as_node).is_some_and(|whole| is_repeatable(graph, whole));
    }
    is_cheap(graph, id) || node.op().is_some() && fx::effects::side_effect(graph, id).is_none()
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
