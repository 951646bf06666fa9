//! The graph in ATen overloads, built beside the one with torch's names: metadata is inferred by its rules.
//!
//! A call without such a rule asks torch itself, and leaves this graph incomplete.

use super::{ids::Traced, modes::AutocastState};
use crate::{
    host::Parts,
    reason::{Kind, Reason, raised},
};
use cranelift_entity::{EntityRef, SecondaryMap, packed_option::PackedOption};
use fx::{
    Arg, Graph, Kind as NodeKind, Meta, NodeId, TensorMeta, custom_gradient::CustomGradient, infer, infer::InferError,
    markers::CHECKPOINT, torch_ops,
};
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::{DType, ShapeEnv};

/// The graph in ATen overloads.
pub(in crate::trace) struct Lowered {
    /// The graph.
    pub(in crate::trace) graph: Graph,
    /// The calls of the torch graph that have no counterpart, in words.
    pub(in crate::trace) obstacles: Vec<Box<str>>,
    /// The counterpart of each node of the torch graph.
    pub(in crate::trace) of: SecondaryMap<NodeId, PackedOption<NodeId>>,
    /// Nodes that give a sequence of numbers, and their items: this graph has no use for the whole.
    pub(in crate::trace) sequences: FxHashMap<NodeId, Vec<Arg>>,
    /// Nodes that give several tensors, and those: this graph has no use for the whole.
    pub(super) tuples: FxHashMap<NodeId, Vec<NodeId>>,
    /// For each node of the torch graph, how many nodes there were before its counterpart.
    starts: Vec<usize>,
    /// The inputs that autocast has converted, with the element types and what they have become.
    pub(super) casts: Vec<(NodeId, DType, NodeId)>,
    /// The gradients of the next call of this target, whose forward this graph has.
    pub(in crate::trace) custom: Option<(String, CustomGradient, Meta)>,
}

impl Default for Lowered {
    fn default() -> Lowered {
        Lowered {
            graph: Graph::new(),
            obstacles: Vec::new(),
            of: SecondaryMap::new(),
            sequences: FxHashMap::default(),
            tuples: FxHashMap::default(),
            starts: Vec::new(),
            casts: Vec::new(),
            custom: None,
        }
    }
}

impl Lowered {
    /// Notes that a node has no counterpart.
    pub(in crate::trace) fn lacks(&mut self, what: &str) {
        self.obstacles.push(what.into());
    }

    /// Drops the counterparts of the nodes from this number on.
    pub(in crate::trace) fn drop_from(&mut self, nodes: usize) {
        if let Some(&from) = self.starts.get(nodes) {
            self.graph.retain(|node| node.index() < from);
            self.casts.retain(|(_, _, cast)| cast.index() < from);
            // The start of the first one that is dropped says where the calls of the last one that is kept end.
            self.starts.truncate(nodes + 1);
        }
    }

    /// Takes the counterparts of the nodes from this number on out of the graph, but for inputs.
    pub(in crate::trace) fn take_out(&mut self, nodes: usize) {
        let Some(&from) = self.starts.get(nodes) else { return };
        let inputs: FxHashSet<NodeId> = self.graph.placeholders().collect();
        self.graph.retain(|node| node.index() < from || inputs.contains(&node));
        self.casts.retain(|(_, _, cast)| cast.index() < from);
    }

    /// Marks the calls from this number on as a checkpointed region.
    pub(in crate::trace) fn checkpoint(&mut self, from: usize) {
        let is_call = |&node: &NodeId| node.index() >= from && self.graph[node].kind != NodeKind::Placeholder;
        let Some(first) = self.graph.nodes().find(is_call) else { return };
        let marker = |says| (NodeKind::CallFunction, CHECKPOINT, vec![Arg::Bool(says)], Vec::new(), None);
        let (kind, target, args, kwargs, name) = marker(true);
        let begin = self.graph.insert_before(first, kind, target, args, kwargs, name);
        let (kind, target, args, kwargs, name) = marker(false);
        let end = self.graph.push(kind, target, args, kwargs, name);
        for marker in [begin, end] {
            self.graph[marker].meta = Some(Meta::Plain(Arg::None));
        }
    }

    /// Takes a call with a subgraph out whose body this graph has in its place, and the fetch of that; these nodes gave
    /// its results.
    pub(in crate::trace) fn inline(&mut self, id: NodeId, results: &[NodeId]) {
        let Some(call) = self.of[id].expand() else { return };
        let fetch = self.graph[call].args.first().and_then(Arg::as_node);
        self.graph.retain(|node| node != call && Some(node) != fetch);
        match results.iter().map(|&result| self.of[result].expand()).collect() {
            Some(items) => drop(self.tuples.insert(id, items)),
            None => self.lacks("a result without a counterpart"),
        }
    }

    /// Ends the graph: its metadata is over the expressions of the environment, in which what guards have made equal is
    /// one expression. The compiler tells a dimension that is expanded by its size.
    pub(in crate::trace) fn finish(&mut self, env: &mut ShapeEnv) {
        fn simplify(graph: &mut Graph, env: &mut ShapeEnv) {
            for node in graph.nodes().collect::<Vec<_>>() {
                if let Some(meta) = &mut graph[node].meta {
                    meta.map_exprs(&mut |expr| env.simplify(expr));
                }
            }
            graph.subgraphs_mut().for_each(|subgraph| simplify(subgraph, env));
            graph.exprs = env.pool().clone();
        }
        simplify(&mut self.graph, env);
    }

    /// The calls from this number on as a graph of their own: from tensors that are given, and then those from before,
    /// which it tells, to results. `None` if they read something else from before.
    pub(in crate::trace) fn subgraph_from(
        &self,
        from: usize,
        given: &[NodeId],
        results: &[Option<NodeId>],
    ) -> Option<(Graph, Vec<NodeId>)> {
        let is_own = |node: NodeId| node.index() >= from && !given.contains(&node);
        let own: Vec<NodeId> = self.graph.nodes().filter(|&node| is_own(node)).collect();
        let mut read: Vec<NodeId> = own.iter().flat_map(|&node| self.graph[node].inputs()).collect();
        read.extend(results.iter().flatten());
        let mut saved: Vec<NodeId> = Vec::new();
        for node in read.into_iter().filter(|&node| node.index() < from) {
            self.graph[node].tensor_meta()?;
            if !saved.contains(&node) {
                saved.push(node);
            }
        }
        let graph = self.graph.extract(&[given, &saved[..]].concat(), &own, results)?;
        Some((graph, saved))
    }

    /// Copies a call with gradients of the program's own, whose forward this graph has; gives the metadata of its
    /// results. `None` for any other call.
    pub(in crate::trace) fn copy_custom(&mut self, graph: &Graph, id: NodeId) -> Option<Meta> {
        let (_, custom, meta) = self.custom.take_if(|(target, ..)| graph[id].target == target.as_str())?;
        let copied = self.copy(graph, id);
        match &meta {
            Meta::Tuple(metas) => {
                let picks = custom.push(&mut self.graph, metas);
                self.tuples.insert(id, picks);
            }
            one => self.of[id] = custom.push(&mut self.graph, &[Some(one.clone())])[0].into(),
        }
        self.graph.retain(|node| node != copied);
        Some(meta)
    }

    /// The counterpart of a node, and what the lowering has put before it.
    pub(in crate::trace) fn calls(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let start = |node: usize| self.starts.get(node).copied().unwrap_or(self.graph.capacity());
        (start(node.index())..start(node.index() + 1)).map(NodeId::new)
    }

    /// Copies a node unchanged.
    pub(in crate::trace) fn copy(&mut self, graph: &Graph, id: NodeId) -> NodeId {
        let node = &graph[id];
        self.starts.resize(id.index(), self.graph.capacity());
        self.starts.push(self.graph.capacity());
        // An operand without a counterpart is none, which no overload takes for a tensor.
        let one = |n: NodeId| self.of[n].expand().map_or(Arg::None, Arg::Node);
        let mut of = |n: NodeId| match (self.sequences.get(&n), self.tuples.get(&n)) {
            (Some(items), _) => Arg::Tuple(items.iter().map(|item| item.map_nodes(&mut { one })).collect()),
            (None, Some(items)) => Arg::Tuple(items.iter().map(|&item| Arg::Node(item)).collect()),
            (None, None) => one(n),
        };
        let args: Vec<Arg> = node.args.iter().map(|arg| arg.map_nodes(&mut of)).collect();
        let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), arg.map_nodes(&mut of))).collect();
        let copied = match node.kind {
            NodeKind::Placeholder => self.graph.placeholder(&*node.target),
            kind => self.graph.push(kind, &node.target, args, kwargs, Some(&node.name)),
        };
        self.graph[copied].meta = node.meta.clone();
        self.graph[copied].stack_trace = node.stack_trace.clone();
        self.of[id] = copied.into();
        copied
    }

    /// Takes the floats among a call's arguments as they are now: no overload has a place for them.
    fn specialize_floats(&mut self, id: NodeId, env: &ShapeEnv) {
        let mut floats = FxHashMap::default();
        for input in self.graph[id].inputs() {
            if let Some(Meta::Float(float)) = self.graph[input].meta {
                let value = env.pool().eval_float(float, &|sym| env.symbol_hint(sym));
                floats.insert(input, value.unwrap_or(f64::NAN));
            }
        }
        if floats.is_empty() {
            return;
        }
        self.lacks("a float that is not constant");
        let mut known = |node| floats.get(&node).map_or(Arg::Node(node), |&value| Arg::Float(value));
        let node = &mut self.graph[id];
        node.args = node.args.iter().map(|arg| arg.map_nodes(&mut known)).collect();
        for (_, arg) in &mut node.kwargs {
            *arg = arg.map_nodes(&mut known);
        }
    }

    /// True if every node is one that has a counterpart among overloads, or an integer.
    pub(in crate::trace) fn is_whole(&self) -> bool {
        let is_other = |node: NodeId| matches!(self.graph[node].meta, Some(Meta::Float(_) | Meta::Bool(_)));
        self.obstacles.is_empty() && !self.graph.nodes().any(is_other)
    }

    /// Lowers a node and infers what it gives; `None` if there is no rule.
    ///
    /// # Errors
    /// torch would raise.
    pub(in crate::trace) fn infer(
        &mut self,
        graph: &Graph,
        id: NodeId,
        env: &mut ShapeEnv,
        autocast: &AutocastState,
        at: &str,
    ) -> Traced<Option<Meta>> {
        let before = self.graph.capacity();
        let picked = self.picked(graph, id);
        let copied = self.copy(graph, id);
        if let Some(item) = picked {
            self.graph.retain(|node| node != copied);
            self.of[id] = item.into();
            return Ok(self.graph[item].meta.clone());
        }
        self.specialize_floats(copied, env);
        if torch_ops::lower_call(&mut self.graph, copied).is_err() {
            self.lacks(&graph[id].target);
            return Ok(None);
        }
        self.infer_before(copied, before, env, autocast, at);
        if let Some(meta) = self.expand_composite(id, copied, env, autocast, at)? {
            return Ok(Some(meta));
        }
        if !autocast.is_empty() {
            self.convert(copied, autocast, env, at)?;
        }
        let meta = infer::guarded(&self.graph, copied, env, at);
        let meta = self.told(copied, meta, env, at)?;
        if meta.is_none() {
            self.needs_schema(copied);
        }
        self.graph[copied].meta = meta.clone();
        Ok(meta)
    }

    /// An outcome of inference; `None` where it does not tell.
    ///
    /// # Errors
    /// torch would raise, or the answer depends on data.
    pub(super) fn told(
        &self,
        call: NodeId,
        outcome: Result<Meta, InferError>,
        env: &ShapeEnv,
        at: &str,
    ) -> Traced<Option<Meta>> {
        match outcome {
            Err(error @ InferError::Rejected { .. }) => {
                let rejects = self.graph[call].op().is_some_and(|op| op.traits().rejects);
                let reason = Reason::new(Kind::Raised, format!("{error}."));
                let exception = rejects.then(|| "RuntimeError".to_owned());
                Err(Reason { exception, ..reason })
            }
            Err(error @ InferError::OutOfRange { .. }) => Err(raised(&format!("IndexError: {error}"))),
            Err(error @ InferError::Undecided { .. }) if reads_unbacked(&self.graph, call, env) => {
                Err(Reason::new(Kind::Shape, format!("{error} ({at}), which depends on data.")))
            }
            meta => Ok(meta.ok()),
        }
    }

    /// Lowers a call that changes a tensor and gives it back.
    pub(in crate::trace) fn write(
        &mut self,
        graph: &Graph,
        id: NodeId,
        env: &mut ShapeEnv,
        autocast: &AutocastState,
        at: &str,
    ) {
        let before = self.graph.capacity();
        let copied = self.copy(graph, id);
        self.specialize_floats(copied, env);
        if torch_ops::lower_call(&mut self.graph, copied).is_err() {
            self.lacks(&graph[id].target);
            return;
        }
        self.casts.clear();
        self.infer_before(copied, before, env, autocast, at);
        if !autocast.is_empty() && (self.is_cast(copied, autocast) || self.writes_to_kept(copied)) {
            self.lacks("autocast");
        }
        self.needs_schema(copied);
        // An item that is set is written through a view of it.
        let call = &self.graph[copied];
        let written = call.target.op().and_then(|overload| overload.written(&call.args, &call.kwargs));
        if let Some(written) = written {
            self.graph[copied].meta = self.graph[written].meta.clone();
        }
    }

    /// The tensor that a node picks from a sequence of which this graph has only the items.
    fn picked(&self, graph: &Graph, id: NodeId) -> Option<NodeId> {
        let node = &graph[id];
        let (&Arg::Node(whole), &Arg::Int(at)) = (node.args.first()?, node.args.get(1)?) else { return None };
        let items = self.tuples.get(&whole).filter(|_| node.target == "operator.getitem")?;
        items.get(usize::try_from(at).ok()?).copied()
    }

    /// Puts the calls that a node comes down to in the place of its counterpart; false if it stays, since the metadata
    /// of one of them is not sure.
    pub(in crate::trace) fn expand(
        &mut self,
        id: NodeId,
        parts: &Parts,
        obstacles: usize,
        env: &mut ShapeEnv,
        at: &str,
    ) -> bool {
        let Some(replaced) = self.of[id].expand() else { return false };
        let mut metas: FxHashMap<NodeId, Meta> = FxHashMap::default();
        for part in parts.graph.nodes().filter(|&part| parts.graph[part].op().is_some()) {
            if infer::is_told_without_data(&parts.graph, part) {
                continue;
            }
            // What lies otherwise on each device, a rule knows.
            let Ok(meta) = infer::guarded(&parts.graph, part, env, at) else { return false };
            metas.insert(part, meta);
        }
        let mut copies: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        for (placeholder, &operand) in parts.graph.placeholders().zip(&parts.operands) {
            let Some(counterpart) = self.of[operand].expand() else { return false };
            copies.insert(placeholder, counterpart);
        }
        for part in parts.graph.nodes() {
            let node = &parts.graph[part];
            let mut copied = |node: NodeId| Arg::Node(copies[&node]);
            let args: Vec<Arg> = node.args.iter().map(|arg| arg.map_nodes(&mut copied)).collect();
            match node.kind {
                NodeKind::Output => match &args[..] {
                    &[Arg::Node(result)] => self.of[id] = result.into(),
                    results => {
                        let mut items = Vec::new();
                        results.iter().for_each(|result| result.for_each_node(&mut |item| items.push(item)));
                        self.tuples.insert(id, items);
                    }
                },
                NodeKind::CallFunction => {
                    let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), arg.map_nodes(&mut copied)));
                    let kwargs = kwargs.collect();
                    let copy = self.graph.push(node.kind, &node.target, args, kwargs, None);
                    self.graph[copy].meta = metas.remove(&part).or_else(|| node.meta.clone());
                    self.graph[copy].stack_trace = self.graph[replaced].stack_trace.clone();
                    copies.insert(part, copy);
                }
                _ => {}
            }
        }
        self.graph.retain(|node| node != replaced);
        self.obstacles.truncate(obstacles);
        true
    }

    /// Infers what the calls give that the lowering has put before another one.
    fn infer_before(&mut self, call: NodeId, from: usize, env: &mut ShapeEnv, autocast: &AutocastState, at: &str) {
        // They have later numbers.
        for extra in (from..self.graph.capacity()).map(NodeId::new) {
            if extra != call && !autocast.is_empty() && self.convert(extra, autocast, env, at).is_err() {
                self.lacks("autocast");
            }
            if extra != call && self.graph[extra].meta.is_none() {
                self.graph[extra].meta = infer::guarded(&self.graph, extra, env, at).ok();
            }
        }
    }

    /// Notes that a call has no counterpart, of which neither a rule nor its schema says what it does.
    fn needs_schema(&mut self, call: NodeId) {
        if !infer::is_told_without_data(&self.graph, call) {
            let target = self.graph[call].target.clone();
            self.lacks(&target);
        }
    }
}

/// True if a tensor among the arguments of a node has a size that only the running program knows.
fn reads_unbacked(graph: &Graph, node: NodeId, env: &ShapeEnv) -> bool {
    let inputs = graph[node].inputs();
    let tensors = inputs.iter().filter_map(|&input| graph[input].tensor_meta());
    tensors.flat_map(TensorMeta::exprs).any(|e| env.depends_on_data(e))
}
