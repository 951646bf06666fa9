//! Parts of a trace that become graphs of their own: the bodies of higher-order operators.
//!
//! A body is traced inline, as any call is, and then taken out of the graph. Tensors and sizes from outside that it
//! reads become operands; inputs of the program that it met first stay inputs of the whole graph.
//!
//! Invariant: a region has no side effect, but that some may write into their operands. It depends on its operands
//! and on what is guarded, so that a number of the caller's that it met first is a constant, under a guard.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            checkpoint::Speculative,
            heap::HeapCheckpoint,
            modes::Modes,
            recording::RecordingCheckpoint,
            state::{Key, State, Table},
            value::{Value, ValueId},
        },
    },
};
use cranelift_entity::EntityRef;
use fx::{Arg, Graph, Kind as NodeKind, Meta, NodeId};
use guards::Constant;
use indexmap::IndexMap;

/// Aliasing allowed between the results of a region and its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Results {
    /// All are new tensors: an operand as a result is refused, and so is a view of one.
    Fresh,
    /// An operand is given back as it is.
    Operands,
    /// Each is an output of the subgraph, an operand too.
    Outputs,
}

/// A node of a region that stands for a parameter of its body.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Parameter {
    pub(in crate::trace) node: NodeId,
    /// Result of the operator where the body returns this parameter unchanged; `None` for an output of the subgraph.
    pub(in crate::trace) given_back: Option<ValueId>,
}

/// A body that was traced and taken out of the graph.
pub(in crate::trace) struct Region {
    /// Its nodes in program order; their rows are still in the graph's arena.
    nodes: Vec<NodeId>,
    /// Its parameters, in their order.
    parameters: Vec<NodeId>,
    /// The tensors that it gives, each once.
    pub(in crate::trace) results: Vec<NodeId>,
    /// The structure of what it gives.
    pub(in crate::trace) structure: Structure,
}

/// The structure of a value, in which tensors are numbered.
#[derive(Clone, Debug)]
pub(in crate::trace) enum Structure {
    /// A result of the region.
    Result(usize),
    /// A value that does not come from the region.
    Known(ValueId),
    /// A tuple.
    Tuple(Vec<Structure>),
    /// A list.
    List(Vec<Structure>),
    /// A dict, by its keys.
    Dict(Vec<(Key, ValueId, Structure)>),
}

/// The state of the trace where a region begins.
struct Start {
    graph: RecordingCheckpoint,
    heap: HeapCheckpoint,
    modes: Modes,
}

impl Tracer<'_> {
    /// Traces a body and takes it out of the graph. `body` gives its parameters, whose nodes it has made, and its
    /// result.
    ///
    /// # Errors
    /// The reason that ended the trace of the body, which no handler of the program sees, or why `operator` cannot have
    /// such a body.
    pub(in crate::trace) fn region(
        &mut self,
        operator: &str,
        results: Results,
        body: impl FnOnce(&mut Self) -> Traced<(Vec<Parameter>, ValueId)>,
    ) -> Traced<Region> {
        self.region_of(operator, results, false, body)
    }

    /// [`Tracer::region`], whose counterpart in the graph of overloads is not a body, but checkpointed calls.
    pub(in crate::trace) fn checkpointed_region(
        &mut self,
        operator: &str,
        results: Results,
        body: impl FnOnce(&mut Self) -> Traced<(Vec<Parameter>, ValueId)>,
    ) -> Traced<Region> {
        let from = self.graph.lowered.graph.capacity();
        let region = self.region_of(operator, results, true, body)?;
        self.graph.lowered.checkpoint(from);
        Ok(region)
    }

    fn region_of(
        &mut self,
        operator: &str,
        results: Results,
        keeps_lowered: bool,
        body: impl FnOnce(&mut Self) -> Traced<(Vec<Parameter>, ValueId)>,
    ) -> Traced<Region> {
        let start =
            Start { graph: self.graph.checkpoint(), heap: self.heap.checkpoint(), modes: self.modes.checkpoint() };
        let outside = self.shapes.checkpoint();
        (self.shapes.specialises, self.shapes.is_body) = (true, self.shapes.is_body || !keeps_lowered);
        // A size as a whole is no operand: the body puts it together itself.
        let sizes = std::mem::take(&mut self.graph.sizes);
        let traced = body(self);
        self.graph.sizes = sizes;
        self.shapes.rollback(outside);
        let (parameters, result) = traced.map_err(|reason| self.uncaught(reason))?;
        let own: Vec<NodeId> = parameters.iter().map(|parameter| parameter.node).collect();
        self.has_no_effect(operator, &start, &own, results == Results::Outputs)?;
        let mut given =
            Given { operator, may_be: results, start: &start, parameters: &parameters, results: Vec::new() };
        let structure = given.structure(self, result)?;
        let results = given.results;
        let nodes = self.graph.take_out(&start.graph, keeps_lowered);
        self.objects.forget_results(start.graph.nodes);
        Ok(Region { nodes, parameters: own, results, structure })
    }

    /// Refuses a body with a side effect. One that writes into its operands alone may do so if `may_write`: what is
    /// written can then not be undone.
    fn has_no_effect(&mut self, operator: &str, start: &Start, parameters: &[NodeId], may_write: bool) -> Traced<()> {
        let (before, after) = (&start.graph.effects, &self.graph.effects);
        let is_own = |node: NodeId| node.index() >= start.graph.nodes && !parameters.contains(&node);
        let mut written = self.graph.aliases.iter().filter(|(node, _)| node.index() >= start.graph.nodes);
        let writes = written.any(|&(_, first)| !is_own(self.whole(first)) || !is_own(first));
        if after.changes && !before.changes || !self.heap.restore_since(start.heap) || writes && !may_write {
            return Err(refused(operator, "of a function that changes something"));
        }
        if writes && after.retries {
            return Err(Reason::new(Kind::MayFail, format!("`{operator}`.")));
        }
        self.graph.effects.changes |= writes;
        let (was, is) = (&start.modes, &self.modes);
        let same = was.grad == is.grad
            && was.device == is.device
            && was.deterministic == is.deterministic
            && was.attention == is.attention
            && was.attention_order == is.attention_order
            && was.autocast.current == is.autocast.current
            && was.inference.current == is.inference.current;
        if same { Ok(()) } else { Err(refused(operator, "of a function that leaves a mode of torch's changed")) }
    }

    /// Free nodes of regions (tensors and integers of the outer graph that they read), each once, in the order of first
    /// use.
    pub(in crate::trace) fn operands(&self, operator: &str, regions: &[&Region]) -> Traced<Vec<NodeId>> {
        let mut operands: Vec<NodeId> = Vec::new();
        for region in regions {
            let own = region.nodes.iter().filter(|node| !region.parameters.contains(node));
            let reads = own.flat_map(|&node| self.graph.torch[node].inputs());
            for node in reads.chain(region.results.iter().copied()) {
                if region.nodes.contains(&node) || operands.contains(&node) {
                    continue;
                }
                match self.graph.torch[node].meta {
                    Some(Meta::Tensor(_) | Meta::Int(_)) => operands.push(node),
                    _ => {
                        return Err(refused(
                            operator,
                            "of a function that reads what is neither a tensor nor an integer",
                        ));
                    }
                }
            }
        }
        Ok(operands)
    }

    /// The graph of a region: its inputs are the parameters, then the operands; its output is a tuple of the results.
    pub(in crate::trace) fn subgraph(&self, region: &Region, operands: &[NodeId]) -> Graph {
        let given: Vec<NodeId> = region.parameters.iter().chain(operands).copied().collect();
        let nodes: Vec<NodeId> =
            region.nodes.iter().filter(|node| !region.parameters.contains(node)).copied().collect();
        let results: Vec<Option<NodeId>> = region.results.iter().copied().map(Some).collect();
        self.graph.torch.extract(&given, &nodes, &results).expect("what the nodes read besides is an operand")
    }

    /// Puts the fetch of a subgraph into the graph.
    pub(in crate::trace) fn fetch_subgraph(&mut self, name: &str, subgraph: Graph) -> Arg {
        let fetch = self.graph.torch.fetch_subgraph(name, subgraph);
        self.place_node(fetch);
        self.graph.lowered.copy(&self.graph.torch, fetch);
        Arg::Node(fetch)
    }

    /// Puts the call of a higher-order operator into the graph and gives what it gives, in this structure. Without
    /// `metas`, what is known of the results, torch is asked.
    pub(in crate::trace) fn call_with_subgraphs(
        &mut self,
        target: &str,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
        metas: Option<Vec<Meta>>,
        structure: &Structure,
    ) -> Traced {
        let node = match metas {
            Some(metas) => self.push_told(target, args, kwargs, metas),
            None => self.put_call(None, NodeKind::CallFunction, target, args, kwargs)?,
        };
        self.graph.lowered.lacks(target);
        self.results_of(node, structure)
    }

    /// [`Tracer::call_with_subgraphs`] of a region that is checkpointed, of whose results `metas` are known.
    pub(in crate::trace) fn call_checkpointed(
        &mut self,
        target: &str,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
        metas: Vec<Meta>,
        region: &Region,
    ) -> Traced {
        let node = self.push_told(target, args, kwargs, metas);
        self.graph.lowered.inline(node, &region.results);
        self.results_of(node, &region.structure)
    }

    /// Puts a call into the graph of whose results the metadata is known.
    fn push_told(&mut self, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>, metas: Vec<Meta>) -> NodeId {
        let node = self.graph.torch.push(NodeKind::CallFunction, target, args, kwargs, None);
        self.place_node(node);
        self.graph.torch[node].meta = Some(Meta::Tuple(metas.into_iter().map(Some).collect()));
        self.graph.lowered.copy(&self.graph.torch, node);
        node
    }

    /// The value of a call with several results, in this structure.
    fn results_of(&mut self, node: NodeId, structure: &Structure) -> Traced {
        self.retry_if_raises(node)?;
        let picks = self.of_node(node)?;
        let Value::Tuple(picks) = self.get(picks)? else {
            return Err(refused(&self.graph.torch[node].target, "whose results are unknown"));
        };
        self.built(structure, &picks)
    }

    /// The value of a structure.
    pub(in crate::trace) fn built(&mut self, structure: &Structure, results: &[ValueId]) -> Traced {
        let all = |t: &mut Self, items: &[Structure]| {
            items.iter().map(|item| t.built(item, results)).collect::<Traced<Vec<_>>>()
        };
        Ok(match structure {
            Structure::Result(at) => results[*at],
            Structure::Known(value) => *value,
            Structure::Tuple(items) => {
                let items = all(self, items)?;
                self.value(Value::Tuple(items))
            }
            Structure::List(items) => {
                let items = all(self, items)?;
                self.state(State::List(items))
            }
            Structure::Dict(items) => {
                let mut built = IndexMap::new();
                for (key, name, value) in items {
                    built.insert(key.clone(), (*name, self.built(value, results)?));
                }
                self.state(State::Dict(built))
            }
        })
    }

    /// True if two structures are alike, with the same constants.
    pub(in crate::trace) fn are_alike(&self, a: &Structure, b: &Structure) -> bool {
        let all =
            |a: &[Structure], b: &[Structure]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.are_alike(a, b));
        match (a, b) {
            (Structure::Result(a), Structure::Result(b)) => a == b,
            (Structure::Known(a), Structure::Known(b)) => {
                matches!((&self.objects.values[*a], &self.objects.values[*b]),
                    (Value::Const(a), Value::Const(b)) if a == b)
            }
            (Structure::Tuple(a), Structure::Tuple(b)) | (Structure::List(a), Structure::List(b)) => all(a, b),
            (Structure::Dict(a), Structure::Dict(b)) => {
                let pairs = || a.iter().zip(b);
                a.len() == b.len() && pairs().all(|((k, _, a), (l, _, b))| k == l && self.are_alike(a, b))
            }
            _ => false,
        }
    }
}

/// The results of a region in the making.
struct Given<'a> {
    operator: &'a str,
    may_be: Results,
    start: &'a Start,
    parameters: &'a [Parameter],
    results: Vec<NodeId>,
}

impl Given<'_> {
    fn structure(&mut self, t: &mut Tracer<'_>, value: ValueId) -> Traced<Structure> {
        let refused = |what: &str| Err(refused(self.operator, what));
        match t.get(value)? {
            Value::Tensor(node) => self.tensor(t, value, node),
            Value::Const(constant) if !matches!(constant, Constant::FrozenSet(_)) => {
                let known = t.constant(constant);
                Ok(Structure::Known(known))
            }
            Value::Tuple(items) => Ok(Structure::Tuple(self.all(t, &items)?)),
            Value::State(state) if t.heap.is_older(state, self.start.heap) => {
                refused("of a function that gives back a list or dict which it is given")
            }
            Value::State(state) => match t.heap.get(state).clone() {
                State::List(items) => Ok(Structure::List(self.all(t, &items)?)),
                State::Dict(items) if t.heap.table(state) == Table::Plain => {
                    let one = |(key, (name, value))| Ok((key, name, self.structure(t, value)?));
                    Ok(Structure::Dict(items.into_iter().map(one).collect::<Traced<_>>()?))
                }
                _ => refused("of a function that gives something other than tensors"),
            },
            _ => refused("of a function that gives something other than tensors"),
        }
    }

    fn all(&mut self, t: &mut Tracer<'_>, items: &[ValueId]) -> Traced<Vec<Structure>> {
        items.iter().map(|&item| t.nested(|t| self.structure(t, item))).collect()
    }

    fn tensor(&mut self, t: &Tracer<'_>, value: ValueId, node: NodeId) -> Traced<Structure> {
        let node = t.first_name(node);
        let parameter = |node: NodeId| self.parameters.iter().find(|parameter| parameter.node == node);
        if let Some(value) = parameter(node).and_then(|parameter| parameter.given_back) {
            return Ok(Structure::Known(value));
        }
        let is_operand =
            |node: NodeId| node.index() < self.start.graph.nodes || t.is_input(node) || parameter(node).is_some();
        match self.may_be {
            Results::Operands if is_operand(node) => return Ok(Structure::Known(value)),
            Results::Fresh if is_operand(t.whole(node)) => {
                return Err(refused(self.operator, "of a function that gives back a tensor which it is given"));
            }
            _ => {}
        }
        let known = self.results.iter().position(|&result| result == node);
        Ok(Structure::Result(known.unwrap_or_else(|| {
            self.results.push(node);
            self.results.len() - 1
        })))
    }
}

/// The reason why an operator cannot have a body.
pub(in crate::trace) fn refused(operator: &str, what: &str) -> Reason {
    Reason::new(Kind::Call, format!("`{operator}` {what}."))
}
