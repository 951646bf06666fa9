//! The joint graph: a forward graph, and after it the calls that compute its gradients.
//!
//! The tape is the forward graph itself, walked backwards in program order, as the engine of eager's autograd does it:
//! by sequence numbers, the latest first. Gradients of one tensor are added in that order.

use crate::build::{Build, Outcome};
use crate::composites;
use crate::rules::{self, Derivative};
use cranelift_entity::EntityRef;
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta, aten};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a graph calls to set whether autograd records.
pub const SET_GRAD: &str = "torch._C._set_grad_enabled";

/// A forward graph and its gradients.
#[derive(Debug)]
pub struct Joint {
    /// The inputs of the forward graph, then a gradient for each output that autograd follows; the forward calls, then
    /// those of gradients. It has no output node.
    pub graph: Graph,
    /// The number of nodes, by id, before those of gradients.
    pub forward_nodes: usize,
    /// The outputs of the forward graph.
    pub outputs: Vec<Arg>,
    /// The `copy_` into inputs at the end of the forward graph.
    pub writes: Vec<NodeId>,
    /// The outputs that autograd follows, by number, and the inputs that are the gradients by them.
    pub tangents: Vec<(usize, NodeId)>,
    /// For each input of the forward graph the gradient by it, if there is one.
    pub gradients: Vec<Option<NodeId>>,
}

impl Joint {
    /// The inputs of the forward graph.
    pub fn primals(&self) -> Vec<NodeId> {
        self.graph.placeholders().filter(|&input| self.is_forward(input)).collect()
    }

    /// True for a node of the forward graph.
    pub fn is_forward(&self, node: NodeId) -> bool {
        node.index() < self.forward_nodes
    }
}

/// Why a graph cannot be differentiated here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("%{node}: {why}")]
pub struct NotDifferentiable {
    /// The name of the node.
    pub node: String,
    /// The obstacle.
    pub why: String,
}

/// Differentiates a functional graph by the inputs for which `requires_grad` is true. Where it is given, `has_gradient`
/// says of which of the outputs that autograd follows there is a gradient.
///
/// # Errors
/// A call without a derivative here, of which a gradient is asked for.
pub fn differentiate(
    graph: &Graph,
    requires_grad: &[bool],
    has_gradient: Option<&[bool]>,
) -> Result<Joint, NotDifferentiable> {
    let mut build = Build { graph: Graph::new() };
    build.graph.exprs = graph.exprs.clone();
    let mut tape = Tape {
        from: graph,
        build,
        copies: FxHashMap::default(),
        follows: FxHashSet::default(),
        calls: Vec::new(),
        picks: FxHashMap::default(),
        records: true,
    };
    let failed = |node: NodeId, why| NotDifferentiable { node: graph[node].name.clone(), why };
    let mut requires = requires_grad.iter().copied().chain(std::iter::repeat(false));
    let mut ends = (Vec::new(), Vec::new());
    for id in graph.nodes() {
        match graph[id].kind {
            Kind::Placeholder => tape.input(id, requires.next() == Some(true)),
            Kind::Output => ends.0 = tape.outputs(id).map_err(|why| failed(id, why))?,
            _ if graph[id].target == "aten.copy_.default" => {
                ends.1.push(tape.write(id).map_err(|why| failed(id, why))?);
            }
            _ => tape.node(id).map_err(|why| failed(id, why))?,
        }
    }
    let (outputs, writes) = ends;
    let primals: Vec<NodeId> = tape.build.graph.placeholders().collect();
    let forward_nodes = tape.build.graph.capacity();
    let mut tangents = tape.tangents(&outputs);
    if let Some(has_gradient) = has_gradient {
        let mut has_gradient = has_gradient.iter();
        tangents.retain(|_| has_gradient.next() == Some(&true));
    }
    let gradients = tape.backwards(&outputs, &tangents, &primals)?;
    Ok(Joint { graph: tape.build.graph, forward_nodes, outputs, writes, tangents, gradients })
}

/// Tells which results of a graph of ATen overloads, not functional yet, autograd follows.
///
/// # Errors
/// A write that autograd does not see to memory that it follows otherwise: gradients flow past such a write, of which a
/// functional graph says nothing.
pub fn followed_results(graph: &Graph, requires_grad: &[bool]) -> Result<Vec<bool>, NotDifferentiable> {
    let mut requires = requires_grad.iter().copied().chain(std::iter::repeat(false));
    let mut roots: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    let (mut follows, mut is_hidden) = (FxHashSet::default(), FxHashSet::default());
    // The views that were made unseen, and those of them.
    let mut unseen: FxHashSet<NodeId> = FxHashSet::default();
    // The views that a call gives several of, which autograd lets nobody write to.
    let mut of_several: FxHashSet<NodeId> = FxHashSet::default();
    let mut records = true;
    for id in graph.nodes() {
        let node = &graph[id];
        if let (SET_GRAD, [Arg::Bool(mode)]) = (node.target.as_str(), &node.args[..]) {
            records = *mode;
        }
        if node.kind == Kind::Placeholder && requires.next() == Some(true) {
            follows.insert(id);
        }
        let inputs = node.inputs();
        let root_of = |node: NodeId| roots.get(&node).copied().unwrap_or(node);
        let is_followed = inputs.iter().any(|&input| follows.contains(&input) || follows.contains(&root_of(input)));
        let overload = aten::lookup(&node.target).filter(|_| node.target.starts_with("aten."));
        if let Some(written) = overload.and_then(|overload| overload.written(&node.args, &node.kwargs)) {
            let root = root_of(written);
            if is_followed && (!records || is_hidden.contains(&root) || of_several.contains(&written)) {
                let why = "a write that autograd does not see to memory that it follows".to_owned();
                return Err(NotDifferentiable { node: node.name.clone(), why });
            }
            roots.insert(id, root);
            if of_several.contains(&written) {
                of_several.insert(id);
            }
            if unseen.contains(&written) {
                unseen.insert(id);
            }
            if is_followed {
                follows.insert(root);
            }
            continue;
        }
        let is_seen = is_followed && records && !rules::is_constant(&node.target);
        let is_view = overload.is_some_and(aten::Overload::is_view) || node.target == "operator.getitem";
        if let Some(&base) = inputs.first().filter(|_| is_view) {
            let root = root_of(base);
            roots.insert(id, root);
            if of_several.contains(&base) || matches!(node.meta, Some(Meta::Tuple(_))) {
                of_several.insert(id);
            }
            if !records || rules::is_constant(&node.target) {
                is_hidden.insert(root);
                unseen.insert(id);
            } else if unseen.contains(&base) {
                unseen.insert(id);
            }
        }
        if is_seen {
            follows.insert(id);
        }
    }
    let is_followed = |result: &Arg| {
        result.as_node().is_some_and(|node| {
            let root = roots.get(&node).unwrap_or(&node);
            !unseen.contains(&node) && (follows.contains(&node) || follows.contains(root))
        })
    };
    let results = match graph.output_node().and_then(|output| graph[output].args.first()) {
        Some(Arg::Tuple(results) | Arg::List(results)) => results.as_slice(),
        _ => &[],
    };
    Ok(results.iter().map(is_followed).collect())
}

struct Tape<'a> {
    from: &'a Graph,
    build: Build,
    /// The counterpart of each node.
    copies: FxHashMap<NodeId, NodeId>,
    /// The nodes that autograd follows.
    follows: FxHashSet<NodeId>,
    /// The calls among them, in program order.
    calls: Vec<NodeId>,
    /// The picks from calls with several results.
    picks: FxHashMap<(NodeId, usize), NodeId>,
    /// Whether autograd records at this point of the program.
    records: bool,
}

impl Tape<'_> {
    fn input(&mut self, id: NodeId, requires_grad: bool) {
        let node = &self.from[id];
        let copy = self.build.graph.placeholder_named(node.target.clone(), &node.name);
        self.build.graph[copy].meta = node.meta.clone();
        self.copies.insert(id, copy);
        if node.tensor_meta().is_some() {
            self.follow(copy, requires_grad);
        }
    }

    fn read(&self, arg: &Arg) -> Outcome<Arg> {
        let mut unknown = false;
        let read = arg.map_nodes(&mut |node| {
            self.copies.get(&node).map_or_else(
                || {
                    unknown = true;
                    Arg::None
                },
                |&copy| Arg::Node(copy),
            )
        });
        if unknown { Err("an operand of unknown kind".to_owned()) } else { Ok(read) }
    }

    /// Copies a call, or appends what autograd sees in its place.
    fn node(&mut self, id: NodeId) -> Outcome {
        let node = &self.from[id];
        if let (SET_GRAD, [Arg::Bool(records)]) = (node.target.as_str(), &node.args[..]) {
            self.records = *records;
            return Ok(());
        }
        let args = node.args.iter().map(|arg| self.read(arg)).collect::<Outcome<Vec<_>>>()?;
        if let ("operator.getitem", [Arg::Node(call), Arg::Int(place)]) = (node.target.as_str(), &args[..])
            && let Some(&pick) = usize::try_from(*place).ok().and_then(|place| self.picks.get(&(*call, place)))
        {
            self.copies.insert(id, pick);
            return Ok(());
        }
        let kwargs = node.kwargs.iter().map(|(name, arg)| Ok((name.clone(), self.read(arg)?)));
        let kwargs = kwargs.collect::<Outcome<Vec<_>>>()?;
        let before = self.build.graph.capacity();
        let reads_followed = |arg: &Arg| {
            let mut reads = false;
            arg.for_each_node(&mut |node| reads |= self.follows.contains(&node));
            reads
        };
        let is_followed = args.iter().chain(kwargs.iter().map(|(_, arg)| arg)).any(reads_followed);
        let is_composite = self.records && is_followed && node.kind == Kind::CallFunction;
        let overload = aten::lookup(&node.target).filter(|_| is_composite && node.target.starts_with("aten."));
        let expanded = match overload.and_then(|overload| Some((composites::row(&overload.name)?, overload))) {
            Some((expand, overload)) => {
                let bound = overload.bind(&args, &kwargs).map_err(|error| error.to_string())?;
                Some(expand(&mut self.build, &bound)?)
            }
            None => None,
        };
        let result = match expanded {
            Some(result) => {
                self.agrees(id, result)?;
                result
            }
            None => {
                let copy = self.build.graph.push(node.kind, node.target.clone(), args, kwargs, Some(&node.name));
                self.build.graph[copy].meta = node.meta.clone();
                copy
            }
        };
        let after = self.build.graph.capacity();
        for new in (before..after).map(NodeId::new) {
            self.build.graph[new].stack_trace = node.stack_trace.clone();
            self.record(new);
        }
        for new in (before..after).map(NodeId::new).filter(|new| self.follows.contains(new)).collect::<Vec<_>>() {
            self.pick_all(new)?;
        }
        self.copies.insert(id, result);
        Ok(())
    }

    /// That a composite's parts give a tensor like its own.
    fn agrees(&self, id: NodeId, result: NodeId) -> Outcome {
        let (Some(old), Some(new)) = (self.from[id].tensor_meta(), self.build.graph[result].tensor_meta()) else {
            return Err("a composite that gives no tensor".to_owned());
        };
        let is_one = |size| self.from.exprs.as_int(size) == Some(1);
        let lies = |meta: &TensorMeta| -> Vec<_> {
            meta.sizes
                .iter()
                .zip(&meta.strides)
                .filter(|(size, _)| !is_one(**size))
                .map(|(_, &stride)| stride)
                .collect()
        };
        if (old.dtype, &old.sizes, lies(old)) == (new.dtype, &new.sizes, lies(new)) {
            return Ok(());
        }
        let [old, new] = [old, new].map(|meta| fx::infer::describe(&self.from.exprs, &Meta::Tensor(meta.clone())));
        Err(format!("`{}` gives {old}, its parts {new}", self.from[id].target))
    }

    /// Picks each result of a call with several, since gradients may read those that the program does not.
    fn pick_all(&mut self, call: NodeId) -> Outcome {
        let Some(Meta::Tuple(items)) = &self.build.graph[call].meta else { return Ok(()) };
        let given: Vec<usize> = (0..items.len()).filter(|&place| items[place].is_some()).collect();
        for place in given {
            if !self.picks.contains_key(&(call, place)) {
                let pick = self.build.pick(call, place)?;
                self.record(pick);
            }
        }
        Ok(())
    }

    /// Puts a new node on the tape, if autograd follows what it gives.
    fn record(&mut self, new: NodeId) {
        let node = &self.build.graph[new];
        if let ("operator.getitem", [Arg::Node(call), Arg::Int(place)]) = (node.target.as_str(), &node.args[..]) {
            self.picks.entry((*call, usize::try_from(*place).unwrap_or_default())).or_insert(new);
        }
        let is_followed = self.records
            && node.inputs().iter().any(|input| self.follows.contains(input))
            && !rules::picks_constant(&self.build.graph, new);
        let is_float = match &node.meta {
            Some(Meta::Tensor(meta)) => meta.dtype.is_float() || meta.dtype.class() == symshapes::DTypeClass::Complex,
            Some(Meta::Tuple(_)) => true,
            _ => false,
        };
        let is_followed = is_followed && is_float && !rules::is_constant(&node.target);
        self.follow(new, is_followed);
        if is_followed {
            self.calls.push(new);
        }
    }

    /// Notes whether autograd follows what a node gives.
    fn follow(&mut self, node: NodeId, is_followed: bool) {
        if is_followed {
            self.follows.insert(node);
        }
        if let Some(Meta::Tensor(meta)) = &mut self.build.graph[node].meta {
            meta.requires_grad = is_followed;
        }
    }

    fn outputs(&mut self, id: NodeId) -> Outcome<Vec<Arg>> {
        match self.from[id].args.first() {
            Some(Arg::Tuple(outputs) | Arg::List(outputs)) => outputs.iter().map(|output| self.read(output)).collect(),
            _ => Err("a result that is no tuple".to_owned()),
        }
    }

    /// Copies a write to an input at the end of the graph.
    fn write(&mut self, id: NodeId) -> Outcome<NodeId> {
        let node = &self.from[id];
        let args = node.args.iter().map(|arg| self.read(arg)).collect::<Outcome<Vec<_>>>()?;
        if args.iter().filter_map(Arg::as_node).any(|node| self.follows.contains(&node)) {
            return Err("an input that is written to and that autograd follows".to_owned());
        }
        let write = self.build.graph.push(node.kind, node.target.clone(), args, Vec::new(), Some(&node.name));
        self.build.graph[write].meta = node.meta.clone();
        Ok(write)
    }

    /// The gradients by the outputs that autograd follows, as inputs.
    fn tangents(&mut self, outputs: &[Arg]) -> Vec<(usize, NodeId)> {
        let mut tangents = Vec::new();
        for (number, output) in outputs.iter().enumerate() {
            let Some(output) = output.as_node().filter(|output| self.follows.contains(output)) else { continue };
            let Some(meta) = self.build.graph[output].tensor_meta().cloned() else { continue };
            let tangent = self.build.graph.placeholder(format!("tangents_{}", tangents.len() + 1));
            let meta = TensorMeta { requires_grad: false, offset: symshapes::Expr::ZERO, ..meta };
            self.build.graph[tangent].meta = Some(Meta::Tensor(meta));
            tangents.push((number, tangent));
        }
        tangents
    }

    /// Appends the calls of gradients.
    fn backwards(
        &mut self,
        outputs: &[Arg],
        tangents: &[(usize, NodeId)],
        primals: &[NodeId],
    ) -> Result<Vec<Option<NodeId>>, NotDifferentiable> {
        let mut gradients: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        for &(number, tangent) in tangents {
            let output = outputs[number].as_node().expect("it is followed");
            self.add(&mut gradients, output, tangent).map_err(|why| self.failed(output, why))?;
        }
        for call in std::mem::take(&mut self.calls).into_iter().rev() {
            let given = self.derive(call, &mut gradients).map_err(|why| self.failed(call, why))?;
            for (operand, gradient) in given {
                self.add(&mut gradients, operand, gradient).map_err(|why| self.failed(call, why))?;
            }
        }
        let of = |primal| gradients.get(primal).copied().filter(|_| self.follows.contains(primal));
        Ok(primals.iter().map(of).collect())
    }

    fn failed(&self, node: NodeId, why: String) -> NotDifferentiable {
        NotDifferentiable { node: self.build.graph[node].name.clone(), why }
    }

    /// Adds to the gradient of a tensor.
    fn add(&mut self, gradients: &mut FxHashMap<NodeId, NodeId>, of: NodeId, gradient: NodeId) -> Outcome {
        let sum = match gradients.get(&of) {
            Some(&known) => self.build.call("add.Tensor", vec![Arg::Node(known), Arg::Node(gradient)])?,
            None => gradient,
        };
        gradients.insert(of, sum);
        Ok(())
    }

    /// What a call gives to the gradients of its operands.
    fn derive(&mut self, call: NodeId, gradients: &mut FxHashMap<NodeId, NodeId>) -> Outcome<Vec<(NodeId, NodeId)>> {
        let node = &self.build.graph[call];
        if node.target == "operator.getitem" {
            // The call that it picks from reads the gradient of the pick.
            return Ok(Vec::new());
        }
        let grads: Vec<Option<NodeId>> = match &node.meta {
            Some(Meta::Tuple(items)) => {
                let of = |place| self.picks.get(&(call, place)).and_then(|pick| gradients.get(pick)).copied();
                (0..items.len()).map(of).collect()
            }
            _ => vec![gradients.remove(&call)],
        };
        if grads.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let is_complex = |input: &NodeId| {
            let meta = self.build.graph[*input].tensor_meta();
            meta.is_some_and(|meta| meta.dtype.class() == symshapes::DTypeClass::Complex)
        };
        if node.inputs().iter().chain([&call]).any(is_complex) {
            return Err("a derivative of complex numbers".to_owned());
        }
        let overload = aten::lookup(&node.target).filter(|_| node.target.starts_with("aten."));
        let overload = overload.ok_or_else(|| format!("no derivative of `{}`", node.target))?;
        let (args, kwargs) = (node.args.clone(), node.kwargs.clone());
        let bound = overload.bind(&args, &kwargs).map_err(|error| error.to_string())?;
        let mut derivative = Derivative::new(&mut self.build, call, &bound, grads, &self.picks, &self.follows);
        rules::derive(&mut derivative)?;
        Ok(derivative.given)
    }
}
