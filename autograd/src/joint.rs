//! The joint graph: a forward graph, and after it the calls that compute its gradients.
//!
//! The tape is the forward graph itself, walked backwards in program order, as the engine of eager's autograd does it:
//! by sequence numbers, the latest first. Gradients of one tensor are added in that order.

use crate::build::{Build, Outcome};
use crate::complex::{self, is_complex};
use crate::composites;
use crate::custom::derive_custom;
use crate::derivative::Derivative;
use crate::formulas;
use crate::recorded::{Torch, derive_recorded, is_recordable, push_forward, recorded};
use cranelift_entity::EntityRef;
use fx::aten::{Aten, Packet};
use fx::custom_gradient::{CustomGradient, forget_custom_gradients};
use fx::infer::sizes::Sizes;
use fx::markers::{SET_GRAD, marker};
use fx::symbols::{self, Source};
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta, infer, packets};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use symshapes::{DTypeClass, DeviceKind, Expr, Sym};

/// A forward graph and its gradients.
#[derive(Debug)]
pub struct Joint {
    /// The inputs of the forward graph, then a gradient for each output that autograd follows; the forward calls, then
    /// those of gradients. It has no output node.
    pub graph: Graph,
    /// The number of nodes, by id, before those of gradients.
    pub forward_nodes: usize,
    /// The outputs of the forward graph: the results of the differentiated one, then what inputs become that autograd
    /// follows.
    pub outputs: Vec<Arg>,
    /// The `copy_` into inputs at the end of the forward graph, which autograd follows nothing of.
    pub writes: Vec<NodeId>,
    /// The inputs, by number, that take the value of the last outputs, in this order: a write that autograd follows.
    pub followed_writes: Vec<usize>,
    /// The numbers of forward nodes that are checkpointed, a range for each region.
    pub checkpointed: Vec<Range<usize>>,
    /// The outputs that autograd follows, by number, and the inputs that are the gradients by them.
    pub tangents: Vec<(usize, NodeId)>,
    /// For each input of the forward graph the gradient by it, if there is one.
    pub gradients: Vec<Option<NodeId>>,
    /// The calls of the differentiated graph that torch's autograd records, since there is no derivative here.
    pub recorded: FxHashSet<NodeId>,
}

impl Joint {
    /// The outputs that the program sees.
    pub fn results(&self) -> &[Arg] {
        &self.outputs[..self.outputs.len() - self.followed_writes.len()]
    }

    /// The inputs of the forward graph.
    pub fn primals(&self) -> Vec<NodeId> {
        self.graph.placeholders().filter(|&input| self.is_forward(input)).collect()
    }

    /// True for a node of the forward graph.
    pub fn is_forward(&self, node: NodeId) -> bool {
        node.index() < self.forward_nodes
    }
}

/// The reason why a graph cannot be differentiated here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("%{node}: {why}")]
pub struct NotDifferentiable {
    /// The name of the node.
    pub node: String,
    /// The obstacle.
    pub why: String,
}

/// Differentiates a functional graph by the inputs for which `requires_grad` is true. A call without a derivative here,
/// or whose derivative takes decisions that symbolic sizes leave open, is left to torch's autograd
/// ([`recorded`](crate::recorded)), which is asked about these.
///
/// # Errors
/// Such a call whose results share memory with its operands; sizes that no input gives; tensors that are not the
/// processor's, for which eager chooses other kernels.
pub fn differentiate(graph: &Graph, requires_grad: &[bool], torch: &dyn Torch) -> Result<Joint, NotDifferentiable> {
    let mut recorded = FxHashSet::default();
    loop {
        match attempt(graph, (requires_grad, None), &recorded, torch) {
            Err(Obstacle { call: Some(call), .. }) if is_recordable(graph, call) && recorded.insert(call) => {}
            Err(obstacle) => return Err(obstacle.reason),
            Ok(joint) => return Ok(joint),
        }
    }
}

impl Joint {
    /// The joint graph of the differentiated one, where not each of the outputs that autograd follows has a gradient.
    /// Its forward nodes are those of this graph.
    ///
    /// # Errors
    /// A call without a derivative by these results.
    pub fn with_gradients(
        graph: &Graph,
        requires_grad: &[bool],
        has_gradient: &[bool],
        recorded: &FxHashSet<NodeId>,
        torch: &dyn Torch,
    ) -> Result<Joint, NotDifferentiable> {
        attempt(graph, (requires_grad, Some(has_gradient)), recorded, torch).map_err(|obstacle| obstacle.reason)
    }
}

/// The reason why an attempt failed, and the call of the graph at which it did, if it was one.
struct Obstacle {
    call: Option<NodeId>,
    reason: NotDifferentiable,
}

impl From<NotDifferentiable> for Obstacle {
    fn from(reason: NotDifferentiable) -> Obstacle {
        Obstacle { call: None, reason }
    }
}

/// Differentiates a graph of which torch's autograd records some calls.
fn attempt(
    graph: &Graph,
    (requires_grad, has_gradient): (&[bool], Option<&[bool]>),
    recorded: &FxHashSet<NodeId>,
    torch: &dyn Torch,
) -> Result<Joint, Obstacle> {
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
        depth: 0,
        checkpointed: Vec::new(),
        recorded: recorded.clone(),
        constant: FxHashSet::default(),
        sources: FxHashMap::default(),
        torch,
    };
    let failed = |node: NodeId, why| Obstacle {
        call: Some(node),
        reason: NotDifferentiable { node: graph[node].name.to_string(), why },
    };
    let known = symbols::given(graph);
    for id in graph.nodes() {
        covers(graph, id, &known).map_err(|why| failed(id, why))?;
    }
    let mut requires = requires_grad.iter().copied().chain(std::iter::repeat(false));
    let (mut outputs, mut writes, mut followed_writes) = (Vec::new(), Vec::new(), Vec::new());
    for id in graph.nodes() {
        let node = &graph[id];
        let done = match node.kind {
            Kind::Placeholder => {
                tape.input(id, requires.next() == Some(true));
                Ok(())
            }
            Kind::Output => tape.outputs(id).map(|read| outputs = read),
            _ if node.target == Aten::copy__default => tape.write(id).map(|write| match write {
                Write::Plain(call) => writes.push(call),
                Write::Followed(input, value) => followed_writes.push((input, value)),
            }),
            _ => tape.node(id),
        };
        done.map_err(|why| failed(id, why))?;
    }
    let primals: Vec<NodeId> = tape.build.graph.placeholders().collect();
    let mut written = Vec::new();
    for (input, value) in followed_writes {
        let value = tape.own_value(value, &outputs).map_err(|why| tape.failed(value, why))?;
        written.push(primals.iter().position(|&primal| primal == input).expect("it is an input"));
        outputs.push(Arg::Node(value));
    }
    let forward_nodes = tape.build.graph.capacity();
    let mut tangents = tape.tangents(&outputs)?;
    if let Some(has_gradient) = has_gradient {
        let mut has_gradient = has_gradient.iter();
        tangents.retain(|_| has_gradient.next() == Some(&true));
    }
    let gradients = tape.backwards(&outputs, &tangents, &primals)?;
    let mut graph = tape.build.graph;
    let results = forget_custom_gradients(&mut graph);
    let of = |node: NodeId| results.get(&node).copied().unwrap_or(node);
    outputs = outputs.iter().map(|output| output.map_nodes(&mut |node| Arg::Node(of(node)))).collect();
    let gradients = gradients.into_iter().map(|gradient| gradient.map(of)).collect();
    let (checkpointed, recorded) = (tape.checkpointed, tape.recorded);
    Ok(Joint {
        graph,
        forward_nodes,
        outputs,
        writes,
        followed_writes: written,
        checkpointed,
        tangents,
        gradients,
        recorded,
    })
}

/// Refuses a tensor on another device, and sizes that no input gives.
fn covers(graph: &Graph, id: NodeId, known: &FxHashMap<Sym, Source>) -> Outcome {
    let node = &graph[id];
    if node.tensor_meta().is_some_and(|meta| meta.device.kind != DeviceKind::Cpu) {
        return Err("a tensor on another device, for which eager chooses other kernels".to_owned());
    }
    let mut is_known = true;
    let mut covers = |e| is_known &= graph.exprs.symbols(e).iter().all(|sym| known.contains_key(sym));
    node.all_args().for_each(|arg| arg.for_each_expr(&mut covers));
    if let Some(meta) = &node.meta {
        meta.for_each_expr(&mut covers);
    }
    if is_known { Ok(()) } else { Err("a size that no input gives".to_owned()) }
}

/// True for metadata of a tensor that may require gradients, or of several results with one.
fn has_gradients(meta: Option<&Meta>) -> bool {
    match meta {
        Some(Meta::Tensor(meta)) => meta.dtype.class() >= DTypeClass::Float,
        Some(Meta::Tuple(items)) => items.iter().any(|item| has_gradients(item.as_ref())),
        _ => false,
    }
}

/// The call with several results that a node picks from, and which of them.
fn picked(graph: &Graph, id: NodeId) -> Option<(NodeId, usize)> {
    let node = &graph[id];
    let [Arg::Node(call), Arg::Int(place)] = node.args[..] else { return None };
    let Some(Meta::Tuple(items)) = &graph[call].meta else { return None };
    let place = if place < 0 { place + items.len() as i64 } else { place };
    let place = usize::try_from(place).ok().filter(|&place| place < items.len())?;
    (node.target == "operator.getitem").then_some((call, place))
}

/// A write to an input at the end of a graph.
enum Write {
    /// The call that writes, where autograd follows nothing of it.
    Plain(NodeId),
    /// The input, and its new value.
    Followed(NodeId, NodeId),
}

/// Views of complex tensors that show other numbers than these hold.
const OF_CONJUGATES: &[Packet] = packets![conj _conj _neg_view real imag resolve_conj resolve_neg mH adjoint matrix_H];

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
    /// The number of checkpointed regions, one within another, at this point of the program.
    depth: usize,
    /// The numbers of the nodes in the outermost of such regions so far.
    checkpointed: Vec<Range<usize>>,
    /// The calls of `from` that torch's autograd records.
    recorded: FxHashSet<NodeId>,
    /// The results of recorded calls that autograd does not follow.
    constant: FxHashSet<(NodeId, usize)>,
    /// The calls of `from` in whose place nodes are.
    sources: FxHashMap<NodeId, NodeId>,
    torch: &'a dyn Torch,
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

    /// An argument of a call, in which integers that nodes give are expressions: gradients read them from there.
    fn operand(&self, arg: &Arg) -> Outcome<Arg> {
        self.read(&self.build.with_expressions(self.from, arg))
    }

    /// Copies a call, or appends what autograd sees in its place.
    fn node(&mut self, id: NodeId) -> Outcome {
        let node = &self.from[id];
        if let Some((target, says)) = marker(self.from, id) {
            if target == SET_GRAD {
                self.records = says;
            } else {
                self.checkpoint(says);
            }
            return Ok(());
        }
        if let Some(backward) = self.from.subgraph(id) {
            let fetch = self.build.graph.fetch_subgraph(&node.target, backward.clone());
            self.copies.insert(id, fetch);
            return Ok(());
        }
        let args = node.args.iter().map(|arg| self.operand(arg)).collect::<Outcome<Vec<_>>>()?;
        let pick = picked(self.from, id).and_then(|(call, place)| self.picks.get(&(*self.copies.get(&call)?, place)));
        if let Some(&pick) = pick {
            self.copies.insert(id, pick);
            return Ok(());
        }
        let kwargs = node.kwargs.iter().map(|(name, arg)| Ok((name.clone(), self.operand(arg)?)));
        let kwargs = kwargs.collect::<Outcome<Vec<_>>>()?;
        let before = self.build.graph.capacity();
        let reads_followed = |arg: &Arg| {
            let mut reads = false;
            arg.for_each_node(&mut |node| reads |= self.follows.contains(&node));
            reads
        };
        let is_followed = args.iter().chain(kwargs.iter().map(|(_, arg)| arg)).any(reads_followed);
        let is_composite = self.records && is_followed && node.kind == Kind::CallFunction;
        let composite = node.op().filter(|&op| is_composite && composites::is_composite(op));
        if self.records && is_followed && self.is_left_to_torch(id) {
            self.recorded.insert(id);
        }
        let recorded = self.recorded.contains(&id);
        let result = match composite {
            _ if recorded => self.left_to_torch(id, (args, kwargs))?,
            Some(op) => composites::expand(&mut self.build, op, &args, &kwargs, node.meta.as_ref())?,
            None => {
                let copy = self.build.graph.push(node.kind, node.target.clone(), args, kwargs, Some(&node.name));
                self.build.graph[copy].meta = node.meta.clone();
                copy
            }
        };
        let after = self.build.graph.capacity();
        for new in (before..after).map(NodeId::new) {
            self.build.graph[new].stack_trace = node.stack_trace.clone();
            self.sources.insert(new, id);
            self.record(new);
        }
        for new in (before..after).map(NodeId::new).filter(|new| self.follows.contains(new)).collect::<Vec<_>>() {
            self.pick_all(new)?;
        }
        let is_only = recorded && matches!(node.meta, Some(Meta::Tensor(_)));
        let result = if is_only { self.picks[&(result, 0)] } else { result };
        self.copies.insert(id, result);
        Ok(())
    }

    /// Begins or ends a checkpointed region.
    fn checkpoint(&mut self, begins: bool) {
        let at = self.build.graph.capacity();
        if begins {
            if self.depth == 0 {
                self.checkpointed.push(at..at);
            }
            self.depth += 1;
        } else {
            self.depth = self.depth.saturating_sub(1);
            if let Some(region) = self.checkpointed.last_mut().filter(|_| self.depth == 0) {
                region.end = at;
            }
        }
    }

    /// Appends the call in whose place torch's autograd records one.
    fn left_to_torch(&mut self, id: NodeId, operands: (Vec<Arg>, Vec<(String, Arg)>)) -> Outcome<NodeId> {
        let node = &self.from[id];
        let meta = node.meta.as_ref().ok_or("results of unknown shape")?;
        let call = push_forward(&mut self.build, &node.target, operands, meta, &self.follows)?;
        let follows = self.torch.follows(&self.build.graph, call).ok_or("whether autograd follows what it gives")?;
        let constant = (0..).zip(follows).filter(|(_, is_followed)| !is_followed);
        self.constant.extend(constant.map(|(place, _)| (call, place)));
        Ok(call)
    }

    /// True for a call that autograd follows and that certainly has no derivative here.
    fn is_left_to_torch(&self, id: NodeId) -> bool {
        let node = &self.from[id];
        let has_derivative = |op: Aten| formulas::has_derivative(op) || composites::is_composite(op);
        let is_of_complex = || node.inputs().into_iter().chain([id]).any(|node| is_complex(self.from, node));
        let is_left = |op| !has_derivative(op) || is_of_complex() && !complex::has_derivative(self.from, id);
        has_gradients(node.meta.as_ref()) && is_recordable(self.from, id) && node.op().is_none_or(is_left)
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
        let pick = picked(&self.build.graph, new);
        if let Some(pick) = pick {
            self.picks.entry(pick).or_insert(new);
        }
        let of_constant = |(call, place): (NodeId, usize)| {
            let graph = &self.build.graph;
            let op = recorded(graph, call).map_or(graph[call].op(), |target| target.op());
            place > 0 && op.is_some_and(|op| op.traits().first_alone) || self.constant.contains(&(call, place))
        };
        let is_constant = node.op().is_some_and(|op| op.traits().detached) || pick.is_some_and(of_constant);
        let has_gradients = matches!(node.meta, Some(Meta::Tuple(_))) || has_gradients(node.meta.as_ref());
        let reads_followed = node.inputs().iter().any(|input| self.follows.contains(input));
        let is_followed = self.records && reads_followed && has_gradients && !is_constant;
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

    /// Copies a write to an input at the end of the graph, if autograd does not follow it.
    fn write(&mut self, id: NodeId) -> Outcome<Write> {
        let node = &self.from[id];
        let args = node.args.iter().map(|arg| self.read(arg)).collect::<Outcome<Vec<_>>>()?;
        if args.iter().filter_map(Arg::as_node).any(|node| self.follows.contains(&node)) {
            let &[Arg::Node(input), Arg::Node(value)] = &args[..] else { return Err("a write of a number".to_owned()) };
            return Ok(Write::Followed(input, value));
        }
        let write = self.build.graph.push(node.kind, node.target.clone(), args, Vec::new(), Some(&node.name));
        self.build.graph[write].meta = node.meta.clone();
        Ok(Write::Plain(write))
    }

    /// A value that is in nobody else's memory: the value itself if a call computes it and it is none of the outputs.
    fn own_value(&mut self, value: NodeId, outputs: &[Arg]) -> Outcome<NodeId> {
        let node = &self.build.graph[value];
        let is_new = node.op().is_some_and(|op| !op.is_view() && op.traits().alias.is_none());
        if is_new && !outputs.contains(&Arg::Node(value)) {
            return Ok(value);
        }
        let copy = self.build.call(Aten::clone_default, vec![Arg::Node(value)])?;
        self.record(copy);
        Ok(copy)
    }

    /// The gradients by the outputs that autograd follows, as inputs: each is laid out as `torch.empty_like` lays the
    /// output out, whose own elements may share memory.
    fn tangents(&mut self, outputs: &[Arg]) -> Result<Vec<(usize, NodeId)>, Obstacle> {
        let mut tangents = Vec::new();
        for (number, output) in outputs.iter().enumerate() {
            let Some(output) = output.as_node().filter(|output| self.follows.contains(output)) else { continue };
            let Some(meta) = self.build.graph[output].tensor_meta().cloned() else { continue };
            let strides = infer::strides::preserved(&mut Sizes::Proved(&mut self.build.graph.exprs), &meta);
            let strides = strides.ok_or_else(|| self.failed(output, "the layout of the gradient by it".to_owned()))?;
            let tangent = self.build.graph.placeholder(format!("tangents_{}", tangents.len() + 1));
            let meta = TensorMeta { requires_grad: false, offset: Expr::ZERO, strides, ..meta };
            self.build.graph[tangent].meta = Some(Meta::Tensor(meta));
            tangents.push((number, tangent));
        }
        Ok(tangents)
    }

    /// Appends the calls of gradients.
    fn backwards(
        &mut self,
        outputs: &[Arg],
        tangents: &[(usize, NodeId)],
        primals: &[NodeId],
    ) -> Result<Vec<Option<NodeId>>, Obstacle> {
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

    fn failed(&self, node: NodeId, why: String) -> Obstacle {
        let reason = NotDifferentiable { node: self.build.graph[node].name.to_string(), why };
        Obstacle { call: self.sources.get(&node).copied(), reason }
    }

    /// Adds to the gradient of a tensor.
    fn add(&mut self, gradients: &mut FxHashMap<NodeId, NodeId>, of: NodeId, gradient: NodeId) -> Outcome {
        let sum = match gradients.get(&of) {
            Some(&known) => self.build.call(Aten::add_Tensor, vec![Arg::Node(known), Arg::Node(gradient)])?,
            None => gradient,
        };
        gradients.insert(of, sum);
        Ok(())
    }

    /// The gradients of one call by its operands, each with the operand.
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
        if recorded(&self.build.graph, call).is_some() {
            let token = self.picks[&(call, grads.len() - 1)];
            return derive_recorded(&mut self.build, (call, token), &grads, self.torch);
        }
        if let Some(custom) = CustomGradient::of(&self.build.graph, call) {
            return derive_custom(&mut self.build, &custom, &grads);
        }
        // To move elements is the same for complex ones.
        let moves = node.op().is_some_and(|op| op.is_view() && !OF_CONJUGATES.contains(&op.packet()));
        let is_of_complex = node.inputs().into_iter().chain([call]).any(|node| is_complex(&self.build.graph, node));
        let of_complex = is_of_complex && !moves;
        if of_complex && !complex::has_derivative(&self.build.graph, call) {
            return Err("a derivative of complex numbers".to_owned());
        }
        let overload = node.op().ok_or_else(|| format!("no derivative of `{}`", node.target))?;
        let (args, kwargs) = (node.args.clone(), node.kwargs.clone());
        let bound = overload.bind(&args, &kwargs).map_err(|error| error.to_string())?;
        let mut derivative = Derivative::new(&mut self.build, call, &bound, grads, &self.picks, &self.follows);
        if of_complex { complex::derive(&mut derivative) } else { formulas::derive(&mut derivative) }?;
        Ok(derivative.given)
    }
}
