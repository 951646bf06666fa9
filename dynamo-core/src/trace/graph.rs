//! What goes into the graph: a call of torch is a node, its result a value of which the metadata is known.
//!
//! Beside the graph with torch's names stands the same graph in ATen overloads, by whose rules metadata is inferred.
//! A call without a rule there asks torch itself, and leaves that second graph incomplete.

use super::{
    Input, Origin, Traced, Tracer,
    attr::is_singleton,
    autocast,
    items::raised,
    value::{State, Table, Value, ValueId},
};
use crate::{
    host::Ask,
    reason::{Kind, Reason},
};
use cranelift_entity::{EntityRef, SecondaryMap, packed_option::PackedOption};
use fx::{
    Arg, Graph, Kind as NodeKind, Meta, NodeId, TensorMeta,
    aten::{self, autocast::Cast},
    infer,
    infer::InferError,
    torch_ops,
};
use guards::{Constant, SourceId};
use rustc_hash::FxHashMap;
use symshapes::{DType, Device, DeviceKind, Expr, Float, ShapeEnv};

/// A call's arguments, by position and by name.
type Arguments = (Vec<Arg>, Vec<(String, Arg)>);

/// The graph in ATen overloads.
pub(super) struct Lowered {
    /// The graph.
    pub graph: Graph,
    /// True if each node of the torch graph has its counterpart.
    pub complete: bool,
    pub(super) of: SecondaryMap<NodeId, PackedOption<NodeId>>,
    /// Nodes that give a sequence of numbers, and their items: this graph has no use for the whole.
    pub sequences: FxHashMap<NodeId, Vec<Arg>>,
    /// For each node of the torch graph, how many nodes there were before its counterpart.
    starts: Vec<usize>,
}

impl Default for Lowered {
    fn default() -> Lowered {
        let (of, sequences) = (SecondaryMap::new(), FxHashMap::default());
        Lowered { graph: Graph::new(), complete: true, of, sequences, starts: Vec::new() }
    }
}

impl Lowered {
    /// Drops the counterparts of the nodes from this one on.
    pub(super) fn rollback(&mut self, nodes: usize) {
        if let Some(&from) = self.starts.get(nodes) {
            self.graph.retain(|node| node.index() < from);
            self.starts.truncate(nodes);
        }
    }

    /// The counterpart of a node, and what the lowering has put before it.
    pub(super) fn calls(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let start = |node: usize| self.starts.get(node).copied().unwrap_or(self.graph.capacity());
        (start(node.index())..start(node.index() + 1)).map(NodeId::new)
    }

    /// Takes a node over as it is.
    fn copy(&mut self, graph: &Graph, id: NodeId) -> NodeId {
        let node = &graph[id];
        self.starts.resize(id.index(), self.graph.capacity());
        self.starts.push(self.graph.capacity());
        let one = |n: NodeId| Arg::Node(self.of[n].expand().unwrap_or(n));
        let mut of = |n: NodeId| match self.sequences.get(&n) {
            Some(items) => Arg::Tuple(items.iter().map(|item| item.map_nodes(&mut { one })).collect()),
            None => one(n),
        };
        let args: Vec<Arg> = node.args.iter().map(|arg| arg.map_nodes(&mut of)).collect();
        let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), arg.map_nodes(&mut of))).collect();
        let copied = match node.kind {
            NodeKind::Placeholder => self.graph.placeholder(&node.target),
            kind => self.graph.push(kind, &node.target, args, kwargs, Some(&node.name)),
        };
        self.graph[copied].meta = node.meta.clone();
        self.graph[copied].stack_trace = node.stack_trace.clone();
        self.of[id] = copied.into();
        copied
    }

    /// Takes the floats among a call's arguments as they are now: no overload has a place for them.
    fn settle_floats(&mut self, id: NodeId, env: &ShapeEnv) {
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
        self.complete = false;
        let mut known = |node| floats.get(&node).map_or(Arg::Node(node), |&value| Arg::Float(value));
        let node = &mut self.graph[id];
        node.args = node.args.iter().map(|arg| arg.map_nodes(&mut known)).collect();
        for (_, arg) in &mut node.kwargs {
            *arg = arg.map_nodes(&mut known);
        }
    }

    /// Converts the arguments of a call as autocast does.
    fn convert(&mut self, id: NodeId, autocast: &autocast::State) -> Traced<()> {
        self.complete = false;
        let target = self.graph[id].target.clone();
        let cast = aten::autocast::cast(&target);
        let tensor = |node: &NodeId| self.graph[*node].tensor_meta().map(|meta| (*node, meta.clone()));
        let tensors: Vec<(NodeId, TensorMeta)> = self.graph[id].inputs().iter().filter_map(tensor).collect();
        let chosen = |kind| autocast.iter().find(|(known, _)| *known == kind).map(|&(_, dtype)| dtype);
        let elsewhere = tensors.iter().any(|(_, meta)| meta.device.kind != DeviceKind::Cpu);
        let Some(dtype) = chosen(DeviceKind::Cpu).filter(|_| !elsewhere) else {
            let concerned = tensors.iter().any(|(_, meta)| chosen(meta.device.kind).is_some());
            return if concerned { Err(unknown_cast(&target)) } else { Ok(()) };
        };
        if cast == Cast::Unknown {
            return Err(unknown_cast(&target));
        }
        let wide = tensors.iter().any(|(_, meta)| meta.dtype == DType::F32);
        let mut renamed = FxHashMap::default();
        for (node, mut meta) in tensors {
            let to = cast.converted(meta.dtype, dtype, if wide { DType::F32 } else { dtype });
            if to != meta.dtype {
                meta.dtype = to;
                let args = vec![Arg::Node(node)];
                let converted = self.graph.push(NodeKind::CallFunction, "aten._to_copy.default", args, vec![], None);
                self.graph[converted].meta = Some(Meta::Tensor(meta));
                renamed.insert(node, converted);
            }
        }
        let mut known = |node| Arg::Node(renamed.get(&node).copied().unwrap_or(node));
        let node = &mut self.graph[id];
        node.args = node.args.iter().map(|arg| arg.map_nodes(&mut known)).collect();
        for (_, arg) in &mut node.kwargs {
            *arg = arg.map_nodes(&mut known);
        }
        Ok(())
    }

    /// True if every node is one that has a counterpart among overloads, or an integer.
    pub(super) fn is_whole(&self) -> bool {
        let is_other = |node: NodeId| matches!(self.graph[node].meta, Some(Meta::Float(_) | Meta::Bool(_)));
        self.complete && !self.graph.nodes().any(is_other)
    }

    /// Lowers a node and infers what it gives; `None` if there is no rule.
    ///
    /// # Errors
    /// torch would raise.
    fn infer(
        &mut self,
        graph: &Graph,
        id: NodeId,
        env: &mut ShapeEnv,
        autocast: &autocast::State,
        at: &str,
    ) -> Traced<Option<Meta>> {
        let before = self.graph.capacity();
        let copied = self.copy(graph, id);
        self.settle_floats(copied, env);
        if torch_ops::lower_call(&mut self.graph, copied).is_err() {
            self.complete = false;
            return Ok(None);
        }
        if !autocast.is_empty() {
            self.convert(copied, autocast)?;
        }
        // What the lowering put before the call has a later number.
        let unknown = |graph: &Graph, node: NodeId| node != copied && graph[node].meta.is_none();
        for extra in (before..self.graph.capacity()).map(NodeId::new) {
            if !unknown(&self.graph, extra) {
                continue;
            }
            self.graph[extra].meta = infer::guarded(&self.graph, extra, env, at).ok();
        }
        let meta = match infer::guarded(&self.graph, copied, env, at) {
            Err(error @ InferError::Rejected { .. }) => {
                let certain = CERTAIN.split_whitespace().any(|op| aten_base(&self.graph[copied].target) == op);
                let reason = Reason::new(Kind::Raised, format!("{error}."));
                let exception = certain.then(|| "RuntimeError".to_owned());
                return Err(Reason { exception, ..reason });
            }
            Err(error @ InferError::OutOfRange { .. }) => return Err(raised(&format!("IndexError: {error}"))),
            Err(error @ InferError::Undecided { .. }) if reads_unbacked(&self.graph, copied, env) => {
                return Err(Reason::new(Kind::Shape, format!("{error} ({at}), which depends on data.")));
            }
            meta => meta.ok(),
        };
        self.complete &= meta.is_some();
        self.graph[copied].meta = meta.clone();
        Ok(meta)
    }
}

impl Tracer<'_> {
    /// An input of the graph.
    pub(super) fn placeholder(&mut self, name: &str, meta: Meta, source: SourceId) -> NodeId {
        let node = self.graph.placeholder_named(name, &name.to_lowercase());
        self.graph[node].meta = Some(meta);
        self.place_node(node);
        self.lowered.copy(&self.graph, node);
        self.inputs.push(Input { node, source, is_float: false });
        node
    }

    /// An input that is a float of the caller's: the tensor that the graph takes, and the number that is in it.
    pub(super) fn float_placeholder(&mut self, name: &str, float: Float, source: SourceId) -> Traced {
        let (dtype, device) = (DType::F64, Device::CPU);
        let (sizes, strides, offset, requires_grad) = (Vec::new(), Vec::new(), Expr::ZERO, false);
        let meta = TensorMeta { dtype, device, sizes, strides, offset, requires_grad };
        let tensor = self.placeholder(name, Meta::Tensor(meta), source);
        if let Some(input) = self.inputs.last_mut() {
            input.is_float = true;
        }
        self.emit_number(NodeKind::CallMethod, "item", vec![Arg::Node(tensor)], Meta::Float(float))
    }

    /// Names a node after the first variable that holds what it gives.
    pub(super) fn name_node(&mut self, node: NodeId, variable: &str) {
        if !self.is_input(node) && !std::mem::replace(&mut self.named[node], true) {
            let first = self.graph[node].name.clone();
            self.graph.rename(node, variable);
            self.renamed.push((node, first));
        }
    }

    /// The same for what may be no tensor.
    pub(super) fn name_after(&mut self, value: ValueId, variable: &str) {
        if let Value::Tensor(node) = self.values[value] {
            self.name_node(node, variable);
        }
    }

    /// Puts a call into the graph, if it cannot fail when the graph runs or nobody would notice.
    pub(super) fn emit(&mut self, kind: NodeKind, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Traced {
        self.emit_named(None, kind, target, args, kwargs)
    }

    /// The same, under a name that is not the target's.
    pub(super) fn emit_named(
        &mut self,
        name: Option<&str>,
        kind: NodeKind,
        target: &str,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
    ) -> Traced {
        let (args, kwargs) = self.settled_call(target, args, kwargs)?;
        let node = self.put_call(name, kind, target, args, kwargs)?;
        self.note_traces(node).inspect_err(|_| self.drop_from(node))?;
        self.settle(node)?;
        self.of_node(node)
    }

    /// Puts a call into the graph; one that torch would reject leaves nothing there.
    pub(super) fn put_call(
        &mut self,
        name: Option<&str>,
        kind: NodeKind,
        target: &str,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
    ) -> Traced<NodeId> {
        let node = self.graph.push(kind, target, args, kwargs, name);
        self.place_node(node);
        let meta = self.infer(node).inspect_err(|_| self.drop_from(node))?;
        self.graph[node].meta = Some(meta);
        Ok(node)
    }

    /// Takes a node and those after it out of the graph.
    pub(super) fn drop_from(&mut self, node: NodeId) {
        self.graph.retain(|other| other.index() < node.index());
        self.lowered.rollback(node.index());
    }

    /// Puts a call that gives a number into the graph.
    pub(super) fn emit_number(&mut self, kind: NodeKind, target: &str, args: Vec<Arg>, meta: Meta) -> Traced {
        let node = self.graph.push(kind, target, args, vec![], None);
        self.place_node(node);
        self.graph[node].meta = Some(meta);
        self.lowered.copy(&self.graph, node);
        self.of_node(node)
    }

    fn settled_call(&mut self, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Traced<Arguments> {
        let (names, values): (Vec<String>, Vec<Arg>) = kwargs.into_iter().unzip();
        let values = self.settled(target, values)?;
        Ok((self.settled(target, args)?, names.into_iter().zip(values).collect()))
    }

    /// The arguments of a call where floats are as they are now, if what it gives depends on them otherwise than in
    /// its values.
    fn settled(&mut self, target: &str, args: Vec<Arg>) -> Traced<Vec<Arg>> {
        let mut floats = FxHashMap::default();
        if !torch_ops::takes_floats(target) {
            let mut nodes = Vec::new();
            args.iter().for_each(|arg| arg.for_each_node(&mut |node| nodes.push(node)));
            for node in nodes {
                if let Some(Meta::Float(float)) = self.graph[node].meta {
                    floats.insert(node, self.constant_float(float)?);
                }
            }
        }
        if floats.is_empty() {
            return Ok(args);
        }
        let known = |node: NodeId| floats.get(&node).map_or(Arg::Node(node), |&float| Arg::Float(float));
        Ok(args.iter().map(|arg| arg.map_nodes(&mut |node| known(node))).collect())
    }

    /// A call that changes its first argument and gives it back: the node is another name for the same tensor.
    pub(super) fn emit_in_place(
        &mut self,
        kind: NodeKind,
        target: &str,
        this: ValueId,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
    ) -> Traced {
        let Value::Tensor(changed) = self.get(this)? else {
            return Err(Reason::new(Kind::Mutation, format!("`{target}` of something that is no tensor.")));
        };
        let (args, kwargs) = self.settled_call(target, args, kwargs)?;
        let node = self.graph.push(kind, target, args, kwargs, None);
        self.place_node(node);
        let first = self.first_name(changed);
        let is_own = self.is_fresh(first);
        // What fails has to fail at its own place in the program, with the effects before it.
        let tried = self.host.infer(&self.graph, &mut self.env, node, Ask { grad: self.grad, by_hints: true });
        let tried = tried.map_err(|why| Reason::new(Kind::Raised, format!("`{target}`: {why}.")))?;
        if self.is_noticed() && (self.may_be_of_leaf(changed) || self.may_overlap(node, changed)) {
            return Err(self.may_fail_here(node));
        }
        let mut meta = self.graph[changed].meta.clone();
        if let (Some(Meta::Tensor(old)), Meta::Tensor(new)) = (&mut meta, &tried) {
            let hints = |exprs: &[Expr]| exprs.iter().map(|&e| self.env.hint(e)).collect::<Vec<_>>();
            let shape = |meta: &TensorMeta| (hints(&meta.sizes), hints(&meta.strides), meta.dtype);
            if shape(old) != shape(new) {
                return Err(Reason::new(Kind::Mutation, format!("`{target}` makes another shape.")));
            }
            old.requires_grad |= new.requires_grad && self.grad;
        }
        self.same.push((node, first));
        for (other, of) in self.same.clone() {
            if of == first {
                self.graph[other].meta = meta.clone();
            }
        }
        self.graph[first].meta = meta;
        self.lowered.copy(&self.graph, node);
        self.lowered.complete = false;
        self.effects.writes |= !is_own;
        self.note_draws(node);
        if self.effects.retries && (self.effects.draws_elsewhere || self.saved_for_retry().is_none()) {
            return Err(self.may_fail_here(node));
        }
        self.settle(node)?;
        let (this, value) = (self.force(this)?, self.value(Value::Tensor(node)));
        self.source_of[value] = self.source_of[this];
        Ok(value)
    }

    /// The node that gave a tensor before any operation gave it back.
    pub(super) fn first_name(&self, node: NodeId) -> NodeId {
        self.same.iter().find(|(name, _)| *name == node).map_or(node, |&(_, first)| first)
    }

    /// True if autograd records anything of what the graph computes, or would.
    pub(super) fn anything_recorded(&self) -> bool {
        self.graph.nodes().any(|node| self.graph[node].tensor_meta().is_some_and(|meta| meta.requires_grad))
    }

    /// What a node gives.
    fn infer(&mut self, node: NodeId) -> Traced<Meta> {
        let mut meta = self.infer_recorded(node)?;
        if let (Meta::Tensor(tensor), false) = (&mut meta, self.grad) {
            tensor.requires_grad = false;
        }
        Ok(meta)
    }

    fn infer_recorded(&mut self, node: NodeId) -> Traced<Meta> {
        let at = self.place();
        if self.host.default_dtype() != DType::F32 {
            // The rules know what calls give while the default element type is torch's own.
            self.lowered.copy(&self.graph, node);
            self.lowered.complete = false;
        } else if let Some(meta) = self.lowered.infer(&self.graph, node, &mut self.env, &self.autocast, &at)? {
            return Ok(meta);
        }
        let target = self.graph[node].target.clone();
        let has_tensors = self.graph[node].inputs().iter().any(|&input| self.graph[input].tensor_meta().is_some());
        // Attributes that are computed are views.
        if !self.autocast.is_empty() && has_tensors && target != "builtins.getattr" {
            return Err(unknown_cast(&target));
        }
        let ask = Ask { grad: self.grad, by_hints: false };
        let meta = self.host.infer(&self.graph, &mut self.env, node, ask);
        let meta = meta.map_err(|why| Reason::new(Kind::TorchOp, format!("`{target}`: {why}.")))?;
        self.without_rule.push(node);
        if let Some(copied) = self.lowered.of[node].expand() {
            self.lowered.graph[copied].meta = Some(meta.clone());
        }
        Ok(meta)
    }

    /// The value of a node.
    pub(super) fn of_node(&mut self, node: NodeId) -> Traced {
        let meta = self.graph[node].meta.clone();
        let value = match meta.ok_or_else(|| self.unknown_result(node))? {
            Meta::Tensor(_) => Value::Tensor(node),
            Meta::Int(expr) => match self.env.pool().as_int(expr) {
                Some(int) => Value::Const(Constant::Int(int)),
                None if self.env.hint(expr).is_none() && !self.env.depends_on_data(expr) => {
                    return Err(Reason::new(Kind::Raised, "A number that has no value, as a division by zero."));
                }
                None => Value::SymInt { expr, node },
            },
            Meta::Float(float) => Value::SymFloat { float, node },
            Meta::Bool(pred) => Value::SymBool { pred, node },
            Meta::Plain(arg) => Value::Const(constant_of(&arg).ok_or_else(|| self.unknown_result(node))?),
            Meta::Tuple(items) => {
                let item = |i: usize| vec![Arg::Node(node), Arg::Int(i as i64)];
                let picks = 0..items.len();
                let picks: Vec<ValueId> = picks
                    .map(|i| self.emit(NodeKind::CallFunction, "operator.getitem", item(i), vec![]))
                    .collect::<Traced<_>>()?;
                let target = self.graph[node].target.clone();
                self.result_tuple(&target, picks)
            }
        };
        Ok(self.value(value))
    }

    fn unknown_result(&self, node: NodeId) -> Reason {
        Reason::new(Kind::TorchOp, format!("`{}` gives what the tracer does not know.", self.graph[node].target))
    }

    /// A value as an argument of a node.
    pub(super) fn arg(&mut self, value: ValueId) -> Traced<Arg> {
        self.nested(|t| t.arg_within(value))
    }

    fn arg_within(&mut self, value: ValueId) -> Traced<Arg> {
        let all = |tracer: &mut Self, items: &[ValueId]| {
            items.iter().map(|&item| tracer.arg(item)).collect::<Traced<Vec<_>>>()
        };
        Ok(match self.get(value)? {
            Value::Const(constant) => arg_of(&constant).ok_or_else(|| not_an_argument("a constant"))?,
            Value::Tensor(node) | Value::SymInt { node, .. } | Value::SymFloat { node, .. } => Arg::Node(node),
            Value::SymBool { pred, .. } => Arg::Bool(self.decide(pred)?),
            Value::Tuple(items) | Value::Record(_, _, items) => Arg::Tuple(all(self, &items)?),
            Value::Size(items) => {
                let parts = all(self, &items)?;
                self.size_arg(value, &items, parts)?
            }
            Value::Slice([start, stop, step]) => {
                Arg::Slice(Box::new([self.arg(start)?, self.arg(stop)?, self.arg(step)?]))
            }
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) => Arg::List(all(self, &items)?),
                State::Dict(items) if self.heap.table(state) == Table::Plain => {
                    let pairs: Vec<_> = items.values().copied().collect();
                    let pair = |(key, value): (ValueId, ValueId)| Ok((self.arg(key)?, self.arg(value)?));
                    Arg::Dict(pairs.into_iter().map(pair).collect::<Traced<_>>()?)
                }
                _ => return Err(not_an_argument("a cell or an iterator")),
            },
            Value::Object(class, obj) if is_singleton(&class) => self.singleton_arg(value, &class, obj)?,
            _ => match self.enum_value(value)? {
                Some(value) => return self.arg(value),
                None => return Err(not_an_argument("an object")),
            },
        })
    }

    /// A `torch.Size` as an argument: a node, where some of its items are nodes.
    fn size_arg(&mut self, size: ValueId, items: &[ValueId], parts: Vec<Arg>) -> Traced<Arg> {
        let size = self.force(size)?;
        if let Some(&whole) = self.sizes.get(&size) {
            return Ok(Arg::Node(whole));
        }
        if !parts.iter().any(|part| matches!(part, Arg::Node(_))) {
            return Ok(Arg::Tuple(parts));
        }
        let sizes = items.iter().map(|&item| self.int(item)).collect::<Traced<Option<Vec<Expr>>>>()?;
        let sizes = sizes.ok_or_else(|| not_an_argument("a size that holds no integers"))?;
        let whole = self.whole_size(NodeKind::CallFunction, "torch.Size", Arg::List(parts.clone()), &sizes);
        self.lowered.sequences.insert(whole, parts);
        Ok(Arg::Node(whole))
    }

    /// A node that gives several sizes at once.
    pub(super) fn whole_size(&mut self, kind: NodeKind, target: &str, of: Arg, sizes: &[Expr]) -> NodeId {
        let node = self.graph.push(kind, target, vec![of], vec![], None);
        self.graph[node].meta = Some(Meta::Tuple(sizes.iter().map(|&size| Some(Meta::Int(size))).collect()));
        self.place_node(node);
        node
    }

    /// True if a tensor or a symbolic integer is in the value, which may be a container.
    pub(super) fn holds_tensor(&mut self, value: ValueId) -> Traced<bool> {
        self.nested(|t| t.holds_tensor_within(value))
    }

    fn holds_tensor_within(&mut self, value: ValueId) -> Traced<bool> {
        let items = match self.get(value)? {
            Value::Tensor(_) => return Ok(true),
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => items,
            Value::Slice(parts) => parts.to_vec(),
            Value::State(state) => match self.heap.get(state) {
                State::List(items) => items.clone(),
                State::Dict(items) => items.values().map(|&(_, value)| value).collect(),
                State::Deque(deque) => deque.items.clone(),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        for item in items {
            if self.holds_tensor(item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends the graph with these results, and drops the inputs and picks that nothing uses.
    pub(super) fn end_graph(&mut self, results: &[NodeId]) {
        self.restore_autocast();
        self.restore_grad();
        let outputs = results.iter().map(|&node| Arg::Node(node)).collect();
        let output = self.graph.output(Arg::Tuple(outputs));
        self.lowered.copy(&self.graph, output);
        self.drop_idle_modes();
        loop {
            let users = self.graph.users();
            let idle = |&node: &NodeId| users[node].is_empty();
            let dropped: Vec<NodeId> =
                self.graph.nodes().filter(idle).filter(|&node| self.is_droppable(node)).collect();
            if dropped.is_empty() {
                break;
            }
            self.graph.retain(|node| !dropped.contains(&node));
            self.inputs.retain(|input| !dropped.contains(&input.node));
            let users = self.lowered.graph.users();
            let lowered = dropped.iter().filter_map(|&node| self.lowered.of[node].expand());
            let lowered: Vec<NodeId> = lowered.filter(|&node| users[node].is_empty()).collect();
            self.lowered.graph.retain(|node| !lowered.contains(&node));
        }
    }

    /// True for what can go if nothing uses it: inputs, parts of results and of tensors, sizes. An index by tensors, or
    /// by numbers in sizes that are symbols, may lead out of its tensor, which only running tells.
    fn is_droppable(&self, node: NodeId) -> bool {
        let node = &self.graph[node];
        match node.kind {
            NodeKind::Placeholder => true,
            // Arithmetic on numbers.
            NodeKind::CallFunction | NodeKind::CallMethod
                if matches!(node.meta, Some(Meta::Int(_) | Meta::Float(_) | Meta::Bool(_))) =>
            {
                true
            }
            NodeKind::CallFunction if node.target == "torch.Size" => true,
            NodeKind::CallFunction => node.target == "operator.getitem" && self.leads_somewhere(node),
            NodeKind::CallMethod => node.target == "size",
            _ => false,
        }
    }

    /// True if a node gives a tensor that was not there before.
    pub(super) fn makes_tensor(&self, node: NodeId) -> bool {
        let row = &self.graph[node];
        let is_call = matches!(row.kind, NodeKind::CallFunction | NodeKind::CallMethod);
        is_call && !matches!(row.meta, Some(Meta::Int(_) | Meta::Plain(_))) && self.first_name(node) == node
    }

    /// True if the graph does anything.
    pub(super) fn graph_is_needed(&self) -> bool {
        let idle = |node: &fx::Node| {
            matches!(node.kind, NodeKind::Placeholder | NodeKind::Output) || super::context::sets_mode(&node.target)
        };
        self.graph.nodes().any(|node| !idle(&self.graph[node]))
    }

    /// True if the node is an input of the graph.
    pub(super) fn is_input(&self, node: NodeId) -> bool {
        self.graph[node].kind == NodeKind::Placeholder
    }

    /// The innermost line of the program, for messages.
    pub(super) fn place(&self) -> String {
        self.lines.last().map_or_else(String::new, |(file, line, name)| format!("{file}:{line} in {name}"))
    }

    /// Notes the lines of the program that a node comes from, as torch writes them.
    pub(super) fn place_node(&mut self, node: NodeId) {
        let lines = self.lines.iter().map(|(file, line, name)| format!("  File \"{file}\", line {line}, in {name}\n"));
        self.graph[node].stack_trace = Some(lines.collect());
        // An operator's operands are read before it is called.
        let is_input = self.graph[node].kind == NodeKind::Placeholder;
        let within = self.within.filter(|name| !(is_input && name.starts_with("operator.")));
        self.origins[node] = Origin { spans: self.spans.clone(), within };
    }
}

/// Operators that raise a `RuntimeError` for shapes that they do not take.
const CERTAIN: &str = "add addmm baddbmm bmm cat div eq expand ge gt le lt matmul maximum minimum mm mul mv ne pow \
    remainder reshape sub view where";

/// The name of an overload's operator.
fn aten_base(target: &str) -> &str {
    target.trim_start_matches("aten.").split('.').next().unwrap_or_default()
}

/// A call of which it is not known what autocast does with its arguments.
fn unknown_cast(target: &str) -> Reason {
    Reason::new(Kind::TorchOp, format!("`{target}` under autocast."))
}

/// True if a tensor among the arguments of a node has a size that only the running program knows.
fn reads_unbacked(graph: &Graph, node: NodeId, env: &ShapeEnv) -> bool {
    let inputs = graph[node].inputs();
    let tensors = inputs.iter().filter_map(|&input| graph[input].tensor_meta());
    tensors.flat_map(TensorMeta::exprs).any(|e| env.depends_on_data(e))
}

fn not_an_argument(what: &str) -> Reason {
    Reason::new(Kind::Call, format!("torch is given {what}."))
}

/// A constant as an argument.
fn arg_of(constant: &Constant) -> Option<Arg> {
    Some(match constant {
        Constant::None => Arg::None,
        Constant::Ellipsis => Arg::Ellipsis,
        Constant::Bool(value) => Arg::Bool(*value),
        Constant::Int(value) => Arg::Int(*value),
        Constant::Float(bits) => Arg::Float(f64::from_bits(*bits)),
        Constant::Complex(re, im) => Arg::Complex(f64::from_bits(*re), f64::from_bits(*im)),
        Constant::Str(text) => Arg::Str(text.clone()),
        Constant::DType(dtype) => Arg::DType(*dtype),
        Constant::Device(device) => Arg::Device(*device),
        Constant::Tuple(items) => Arg::Tuple(items.iter().map(arg_of).collect::<Option<_>>()?),
        _ => return None,
    })
}

/// An argument as a constant.
fn constant_of(arg: &Arg) -> Option<Constant> {
    Some(match arg {
        Arg::None => Constant::None,
        Arg::Bool(value) => Constant::Bool(*value),
        Arg::Int(value) => Constant::Int(*value),
        Arg::Float(value) => Constant::float(*value),
        Arg::Str(text) => Constant::Str(text.clone()),
        Arg::DType(dtype) => Constant::DType(*dtype),
        Arg::Device(device) => Constant::Device(*device),
        _ => return None,
    })
}
