//! What goes into the graph: a call of torch is a node, its result a value of which the metadata is known.
//!
//! Beside the graph with torch's names stands the same graph in ATen overloads, by whose rules metadata is inferred.
//! A call without a rule there asks torch itself, and leaves that second graph incomplete.

use super::{
    Traced, Tracer,
    value::{State, Value, ValueId},
};
use crate::{
    host::Ask,
    reason::{Kind, Reason},
};
use cranelift_entity::{EntityRef, SecondaryMap, packed_option::PackedOption};
use fx::{Arg, Graph, Kind as NodeKind, Meta, NodeId, TensorMeta, infer, infer::InferError, torch_ops};
use guards::{Constant, SourceId};
use symshapes::{Expr, ShapeEnv};

/// The graph in ATen overloads.
pub(super) struct Lowered {
    /// The graph.
    pub graph: Graph,
    /// True if each node of the torch graph has its counterpart.
    pub complete: bool,
    of: SecondaryMap<NodeId, PackedOption<NodeId>>,
    /// For each node of the torch graph, how many nodes there were before its counterpart.
    starts: Vec<usize>,
}

impl Default for Lowered {
    fn default() -> Lowered {
        Lowered { graph: Graph::new(), complete: true, of: SecondaryMap::new(), starts: Vec::new() }
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

    /// Takes a node over as it is.
    fn copy(&mut self, graph: &Graph, id: NodeId) -> NodeId {
        let node = &graph[id];
        self.starts.resize(id.index(), self.graph.capacity());
        self.starts.push(self.graph.capacity());
        let mut of = |n: NodeId| Arg::Node(self.of[n].expand().unwrap_or(n));
        let args: Vec<Arg> = node.args.iter().map(|arg| arg.map_nodes(&mut of)).collect();
        let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), arg.map_nodes(&mut of))).collect();
        let copied = match node.kind {
            NodeKind::Placeholder => self.graph.placeholder(&node.target),
            kind => self.graph.push(kind, &node.target, args, kwargs, Some(&node.name)),
        };
        self.graph[copied].meta = node.meta.clone();
        self.of[id] = copied.into();
        copied
    }

    /// Lowers a node and infers what it gives; `None` if there is no rule.
    ///
    /// # Errors
    /// torch would raise.
    fn infer(&mut self, graph: &Graph, id: NodeId, env: &mut ShapeEnv, at: &str) -> Traced<Option<Meta>> {
        let before = self.graph.capacity();
        let copied = self.copy(graph, id);
        if torch_ops::lower_call(&mut self.graph, copied).is_err() {
            self.complete = false;
            return Ok(None);
        }
        // What the lowering put before the call has a later number.
        for extra in (before..self.graph.capacity()).map(NodeId::new).filter(|&n| n != copied) {
            self.graph[extra].meta = infer::guarded(&self.graph, extra, env, at).ok();
        }
        let meta = match infer::guarded(&self.graph, copied, env, at) {
            Err(error @ InferError::Rejected { .. }) => return Err(Reason::new(Kind::Raised, format!("{error}."))),
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
        self.lowered.copy(&self.graph, node);
        self.inputs.push((node, source));
        node
    }

    /// Names a node after the first variable that holds what it gives.
    pub(super) fn name_node(&mut self, node: NodeId, variable: &str) {
        if !self.is_input(node) && !std::mem::replace(&mut self.named[node], true) {
            self.graph.rename(node, variable);
        }
    }

    /// Puts a call into the graph.
    pub(super) fn emit(&mut self, kind: NodeKind, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Traced {
        let node = self.graph.push(kind, target, args, kwargs, None);
        self.graph[node].stack_trace = Some(self.stack_trace());
        let meta = self.infer(node)?;
        self.graph[node].meta = Some(meta.clone());
        self.of_meta(node, meta)
    }

    /// A call that changes its first argument and gives it back.
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
        let node = self.graph.push(kind, target, args, kwargs, None);
        self.graph[node].stack_trace = Some(self.stack_trace());
        // What fails has to fail at its own place in the program, with the effects before it.
        let tried = self.host.infer(&self.graph, &mut self.env, node, Ask { grad: self.grad, by_hints: true });
        let tried = tried.map_err(|why| Reason::new(Kind::Raised, format!("`{target}`: {why}.")))?;
        let mut meta = self.graph[changed].meta.clone();
        if let (Some(Meta::Tensor(old)), Meta::Tensor(new)) = (&mut meta, &tried) {
            let hints = |exprs: &[Expr]| exprs.iter().map(|&e| self.env.hint(e)).collect::<Vec<_>>();
            let shape = |meta: &TensorMeta| (hints(&meta.sizes), hints(&meta.strides), meta.dtype);
            if shape(old) != shape(new) {
                return Err(Reason::new(Kind::Mutation, format!("`{target}` makes another shape.")));
            }
            old.requires_grad |= new.requires_grad && self.grad;
        }
        self.graph[changed].meta = meta.clone();
        self.graph[node].meta = meta;
        self.lowered.copy(&self.graph, node);
        self.lowered.complete = false;
        Ok(this)
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
        if let Some(meta) = self.lowered.infer(&self.graph, node, &mut self.env, &at)? {
            return Ok(meta);
        }
        let target = self.graph[node].target.clone();
        let ask = Ask { grad: self.grad, by_hints: false };
        let meta = self.host.infer(&self.graph, &mut self.env, node, ask);
        let meta = meta.map_err(|why| Reason::new(Kind::TorchOp, format!("`{target}`: {why}.")))?;
        if let Some(copied) = self.lowered.of[node].expand() {
            self.lowered.graph[copied].meta = Some(meta.clone());
        }
        Ok(meta)
    }

    /// The value of a node.
    fn of_meta(&mut self, node: NodeId, meta: Meta) -> Traced {
        let value = match meta {
            Meta::Tensor(_) => Value::Tensor(node),
            Meta::Int(expr) => match self.env.pool().as_int(expr) {
                Some(int) => Value::Const(Constant::Int(int)),
                None if self.env.hint(expr).is_none() => {
                    return Err(Reason::new(Kind::Raised, "A number that has no value, as a division by zero."));
                }
                None => Value::SymInt { expr, node },
            },
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
        let all = |tracer: &mut Self, items: &[ValueId]| {
            items.iter().map(|&item| tracer.arg(item)).collect::<Traced<Vec<_>>>()
        };
        Ok(match self.get(value)? {
            Value::Const(constant) => arg_of(&constant).ok_or_else(|| not_an_argument("a constant"))?,
            Value::Tensor(node) | Value::SymInt { node, .. } => Arg::Node(node),
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => Arg::Tuple(all(self, &items)?),
            Value::Slice([start, stop, step]) => {
                Arg::Slice(Box::new([self.arg(start)?, self.arg(stop)?, self.arg(step)?]))
            }
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) => Arg::List(all(self, &items)?),
                State::Dict(items) => {
                    let pairs: Vec<_> = items.values().copied().collect();
                    let pair = |(key, value): (ValueId, ValueId)| Ok((self.arg(key)?, self.arg(value)?));
                    Arg::Dict(pairs.into_iter().map(pair).collect::<Traced<_>>()?)
                }
                _ => return Err(not_an_argument("a cell or an iterator")),
            },
            _ => return Err(not_an_argument("an object")),
        })
    }

    /// True if a tensor or a symbolic integer is in the value, which may be a container.
    pub(super) fn holds_tensor(&mut self, value: ValueId) -> Traced<bool> {
        let items = match self.get(value)? {
            Value::Tensor(_) => return Ok(true),
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => items,
            Value::Slice(parts) => parts.to_vec(),
            Value::State(state) => match self.heap.get(state) {
                State::List(items) => items.clone(),
                State::Dict(items) => items.values().map(|&(_, value)| value).collect(),
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
        self.restore_grad();
        let outputs = results.iter().map(|&node| Arg::Node(node)).collect();
        let output = self.graph.output(Arg::Tuple(outputs));
        self.lowered.copy(&self.graph, output);
        let unused = |graph: &Graph| {
            let users = graph.users();
            let idle = move |&node: &NodeId| users[node].is_empty();
            graph.nodes().filter(idle).filter(|&node| is_droppable(graph, node)).collect::<Vec<_>>()
        };
        loop {
            let dropped = unused(&self.graph);
            if dropped.is_empty() {
                break;
            }
            self.graph.retain(|node| !dropped.contains(&node));
            self.inputs.retain(|(node, _)| !dropped.contains(node));
            let lowered: Vec<NodeId> = dropped.iter().filter_map(|&node| self.lowered.of[node].expand()).collect();
            self.lowered.graph.retain(|node| !lowered.contains(&node));
        }
    }

    /// True if the graph does anything.
    pub(super) fn graph_is_needed(&self) -> bool {
        let idle = |node: &fx::Node| {
            matches!(node.kind, NodeKind::Placeholder | NodeKind::Output) || super::context::sets_grad(&node.target)
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

    /// The lines of the program as torch writes them.
    pub(super) fn stack_trace(&self) -> String {
        let lines = self.lines.iter().map(|(file, line, name)| format!("  File \"{file}\", line {line}, in {name}\n"));
        lines.collect()
    }
}

/// True for what can go if nothing uses it: inputs, parts of results, sizes.
fn is_droppable(graph: &Graph, node: NodeId) -> bool {
    let node = &graph[node];
    let of_tuple = || node.args[0].as_node().is_some_and(|base| matches!(graph[base].meta, Some(Meta::Tuple(_))));
    match node.kind {
        NodeKind::Placeholder => true,
        // Arithmetic on sizes.
        NodeKind::CallFunction | NodeKind::CallMethod if matches!(node.meta, Some(Meta::Int(_))) => true,
        NodeKind::CallFunction => node.target == "operator.getitem" && of_tuple(),
        NodeKind::CallMethod => node.target == "size",
        _ => false,
    }
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
