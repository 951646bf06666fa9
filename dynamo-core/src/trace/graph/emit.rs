//! Emission of graph nodes: a call of torch becomes a node, its result a value of which the metadata is known.
//!
//! Each node is put into both graphs of the `Recording`; metadata is inferred in the one of ATen overloads. A call
//! without a rule there asks torch itself.

use crate::{
    host::Ask,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            casts::unknown_cast,
            modes::sets_mode,
            recording::{Input, Origin},
            state::{State, Table},
            value::{Value, ValueId, range_len},
        },
        values::singletons::is_singleton,
    },
};
use cranelift_entity::EntityRef;
use fx::aten::rules::{Extern, Rule};
use fx::{
    Arg, Kind as NodeKind, Meta, NodeId, TensorMeta,
    aten::{Aten, Packet},
    pending::Pending,
    torch_ops,
};
use guards::{Constant, SourceId};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;
use symshapes::{DType, DTypeClass, Device, Expr, Float};

/// The longest range that is written into the graph.
const MOST_OF_RANGE: i64 = 1 << 12;

/// Comparisons, and those that ask the other operand for the same. Other operators have a prefix for that.
const REFLECTED: [(&str, &str); 6] =
    [("eq", "eq"), ("ne", "ne"), ("lt", "gt"), ("le", "ge"), ("gt", "lt"), ("ge", "le")];

/// A call's arguments, by position and by name.
type Arguments = (Vec<Arg>, Vec<(String, Arg)>);

impl Tracer<'_> {
    /// An input of the graph.
    pub(in crate::trace) fn placeholder(&mut self, name: &str, meta: Meta, source: SourceId) -> NodeId {
        let node = self.graph.torch.placeholder_named(name, &name.to_lowercase());
        self.graph.torch[node].meta = Some(meta);
        self.place_node(node);
        self.graph.lowered.copy(&self.graph.torch, node);
        self.graph.inputs.push(Input { node, source, is_float: false });
        node
    }

    /// An input that is a float of the caller's: the tensor that the graph takes, and the number that is in it.
    pub(in crate::trace) fn float_placeholder(&mut self, name: &str, float: Float, source: SourceId) -> Traced {
        let (dtype, device) = (DType::F64, Device::CPU);
        let (sizes, strides, offset, requires_grad) = (Vec::new(), Vec::new(), Expr::ZERO, false);
        let meta = TensorMeta { dtype, device, sizes, strides, offset, requires_grad };
        let tensor = self.placeholder(name, Meta::Tensor(meta), source);
        if let Some(input) = self.graph.inputs.last_mut() {
            input.is_float = true;
        }
        self.emit_number(NodeKind::CallMethod, "item", vec![Arg::Node(tensor)], Meta::Float(float))
    }

    /// Names a node after the first variable that holds what it gives.
    pub(in crate::trace) fn name_node(&mut self, node: NodeId, variable: &str) {
        if !self.is_input(node) && !std::mem::replace(&mut self.graph.named[node], true) {
            let first = self.graph.torch[node].name.clone();
            self.graph.torch.rename(node, variable);
            self.graph.renamed.push((node, first));
        }
    }

    /// Names the node of a value after a variable, if it is a tensor.
    pub(in crate::trace) fn name_after(&mut self, value: ValueId, variable: &str) {
        if let Value::Tensor(node) = self.objects.values[value] {
            self.name_node(node, variable);
        }
    }

    /// Puts a call into the graph, if it cannot raise when the graph runs, or unobservably.
    pub(in crate::trace) fn emit(
        &mut self,
        kind: NodeKind,
        target: &str,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
    ) -> Traced {
        self.emit_named(None, kind, target, args, kwargs)
    }

    /// [`Tracer::emit`] with a node name that is not the target's.
    pub(in crate::trace) fn emit_named(
        &mut self,
        name: Option<&str>,
        kind: NodeKind,
        target: &str,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
    ) -> Traced {
        let (args, kwargs) = self.specialized_call(target, args, kwargs)?;
        let node = self.put_call(name, kind, target, args, kwargs)?;
        self.note_traces(node).inspect_err(|_| self.drop_from(node))?;
        self.retry_if_raises(node)?;
        self.of_node(node)
    }

    /// Puts a call into the graph; one that torch would reject leaves nothing there.
    pub(in crate::trace) fn put_call(
        &mut self,
        name: Option<&str>,
        kind: NodeKind,
        target: &str,
        args: Vec<Arg>,
        kwargs: Vec<(String, Arg)>,
    ) -> Traced<NodeId> {
        self.refuse_replaced_operator(target, &args)?;
        if matches!(target, "operator.getitem" | "__getitem__") && self.selects_by_value(&args) {
            return Err(Reason::new(Kind::TensorToPython, "An index that is a tensor of one number."));
        }
        let node = self.graph.torch.push(kind, target, args, kwargs, name);
        self.place_node(node);
        let meta = self.infer(node).inspect_err(|_| self.drop_from(node))?;
        self.graph.torch[node].meta = Some(meta);
        Ok(node)
    }

    /// True for an index with a tensor of one number, which torch reads for a view. Bodies of operators, in which
    /// numbers stand for those of a loop, index by it.
    fn selects_by_value(&self, args: &[Arg]) -> bool {
        let mut reads = false;
        let is_one = |node| torch_ops::selects_by_value(&self.graph.torch, node);
        args.iter().skip(1).for_each(|index| index.for_each_node(&mut |node| reads |= is_one(node)));
        reads && !self.shapes.is_body
    }

    /// Ends the graph at an operator whose method of tensors the program has replaced.
    fn refuse_replaced_operator(&mut self, target: &str, args: &[Arg]) -> Traced<()> {
        let Some(operator) = target.strip_prefix("operator.") else { return Ok(()) };
        let plain = operator.trim_end_matches('_');
        let reflected = REFLECTED.into_iter().find(|&(direct, _)| direct == plain);
        let reflected = reflected.map_or_else(|| format!("__r{plain}__"), |(_, reflected)| format!("__{reflected}__"));
        for (arg, method) in args.iter().zip([format!("__{plain}__"), reflected]) {
            let tensor = arg.as_node().filter(|&node| self.graph.torch[node].tensor_meta().is_some());
            if let Some(tensor) = tensor
                && self.host.replaced_method(self.is_parameter(tensor), &method).is_some()
            {
                return Err(Reason::new(Kind::Operator, format!("`Tensor.{method}`, which the program has replaced.")));
            }
        }
        Ok(())
    }

    /// Takes a node and those after it out of the graph.
    pub(in crate::trace) fn drop_from(&mut self, node: NodeId) {
        self.graph.torch.retain(|other| other.index() < node.index());
        self.graph.lowered.drop_from(node.index());
    }

    /// Puts a call that gives a number into the graph.
    pub(in crate::trace) fn emit_number(&mut self, kind: NodeKind, target: &str, args: Vec<Arg>, meta: Meta) -> Traced {
        let node = self.graph.torch.push(kind, target, args, vec![], None);
        self.place_node(node);
        self.graph.torch[node].meta = Some(meta);
        self.graph.lowered.copy(&self.graph.torch, node);
        self.of_node(node)
    }

    fn specialized_call(&mut self, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Traced<Arguments> {
        let (names, values): (Vec<String>, Vec<Arg>) = kwargs.into_iter().unzip();
        let values = self.specialize_floats(target, values)?;
        Ok((self.specialize_floats(target, args)?, names.into_iter().zip(values).collect()))
    }

    /// The arguments of a call where floats are as they are now, if what it gives depends on them otherwise than in
    /// its values.
    fn specialize_floats(&mut self, target: &str, args: Vec<Arg>) -> Traced<Vec<Arg>> {
        let mut floats = FxHashMap::default();
        if !torch_ops::takes_floats(target) {
            let mut nodes = Vec::new();
            args.iter().for_each(|arg| arg.for_each_node(&mut |node| nodes.push(node)));
            for node in nodes {
                if let Some(Meta::Float(float)) = self.graph.torch[node].meta {
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
    pub(in crate::trace) fn emit_in_place(
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
        let (args, kwargs) = self.specialized_call(target, args, kwargs)?;
        self.note_computed(changed);
        let node = self.graph.torch.push(kind, target, args, kwargs, None);
        self.place_node(node);
        let first = self.first_name(changed);
        let is_own = self.is_fresh(first);
        if self.writes_wider_class(node) {
            return Err(raised("RuntimeError: a result type that cannot be cast to the tensor's"));
        }
        // Of several views of one call, autograd says another thing: it is asked by running the program as it is.
        if !self.may_be_sealed_view(node, changed) && self.is_view_of_leaf(changed) {
            return Err(Reason::new(
                Kind::Mutation,
                format!("`{target}` of a view of a leaf that requires gradients."),
            ));
        }
        let tried = match self.changed_in_place(node, None) {
            Some(changed) => Meta::Tensor(changed),
            // What fails has to fail at its own place in the program, with the effects before it.
            None => {
                let leaves = self.may_be_of_leaf(changed);
                let ask = Ask { leaves, ..self.modes.ask(true) };
                let tried = self.host.infer(&self.graph.torch, &mut self.shapes.env, node, ask);
                tried.map_err(|why| Reason::new(Kind::Raised, format!("`{target}`: {why}.")))?
            }
        };
        let may_refuse =
            |t: &Self| t.may_be_of_leaf(changed) || t.may_overlap(node, changed) || t.may_be_sealed_view(node, changed);
        if self.is_noticed() && may_refuse(self) {
            return Err(self.may_fail_here(node));
        }
        let mut meta = self.graph.torch[changed].meta.clone();
        if let (Some(Meta::Tensor(old)), Meta::Tensor(new)) = (&mut meta, &tried) {
            let hints = |exprs: &[Expr]| exprs.iter().map(|&e| self.shapes.env.hint(e)).collect::<Vec<_>>();
            let shape = |meta: &TensorMeta| (hints(&meta.sizes), hints(&meta.strides), meta.dtype);
            if shape(old) != shape(new) {
                return Err(Reason::new(Kind::Mutation, format!("`{target}` makes another shape.")));
            }
            old.requires_grad |= new.requires_grad && self.modes.grad;
        }
        self.graph.aliases.push((node, first));
        for (other, of) in self.graph.aliases.clone() {
            if of == first {
                self.graph.torch[other].meta = meta.clone();
            }
        }
        self.graph.torch[first].meta = meta;
        let at = self.place();
        let autocast = &self.modes.autocast.current;
        self.graph.lowered.write(&self.graph.torch, node, &mut self.shapes.env, autocast, &at);
        self.graph.effects.writes |= !is_own;
        self.note_draws(node);
        if self.graph.effects.retries && (self.graph.effects.draws_elsewhere || self.saved_for_retry().is_none()) {
            return Err(self.may_fail_here(node));
        }
        self.retry_if_raises(node)?;
        let (this, value) = (self.force(this)?, self.value(Value::Tensor(node)));
        self.objects.source_of[value] = self.objects.source_of[this];
        Ok(value)
    }

    /// The node that gave a tensor before any operation gave it back.
    pub(in crate::trace) fn first_name(&self, node: NodeId) -> NodeId {
        self.graph.aliases.iter().find(|(name, _)| *name == node).map_or(node, |&(_, first)| first)
    }

    /// True if autograd records anything of what the graph computes, or would.
    pub(in crate::trace) fn anything_recorded(&self) -> bool {
        self.graph.torch.nodes().any(|node| self.graph.torch[node].tensor_meta().is_some_and(|meta| meta.requires_grad))
    }

    /// Infers the metadata of a node's result.
    fn infer(&mut self, node: NodeId) -> Traced<Meta> {
        let at = self.place();
        let obstacles = self.graph.lowered.obstacles.len();
        if self.host.default_dtype() != DType::F32 {
            // The rules know what calls give while the default element type is torch's own.
            self.graph.lowered.copy(&self.graph.torch, node);
            self.graph.lowered.lacks("another default dtype");
        } else if let Some(meta) = self.graph.lowered.copy_custom(&self.graph.torch, node) {
            return Ok(meta);
        } else if let Some(meta) = self.graph.lowered.infer(
            &self.graph.torch,
            node,
            &mut self.shapes.env,
            &self.modes.autocast.current,
            &at,
        )? {
            return self.as_recorded(node, meta);
        }
        let lowered = self.graph.lowered.of[node].expand().and_then(|copied| self.graph.lowered.graph[copied].op());
        let meta = match self.changed_in_place(node, lowered) {
            Some(changed) => Meta::Tensor(changed),
            None => self.asked(node)?,
        };
        if self.takes_apart(node, obstacles) {
            return Ok(meta);
        }
        if self.is_known_function(node, &meta) {
            self.graph.lowered.obstacles.truncate(obstacles);
        }
        if let Some(copied) = self.graph.lowered.of[node].expand() {
            self.graph.lowered.graph[copied].meta = Some(meta.clone());
        }
        Ok(meta)
    }

    /// The metadata of a result whose rule knows no mode: while autograd does not record, what an operator computes
    /// requires no gradients. A view does where its base does, and so does an argument that is given back: torch is
    /// asked whether it is one.
    fn as_recorded(&mut self, node: NodeId, mut meta: Meta) -> Traced<Meta> {
        if self.modes.grad || !requires_grad(&meta) {
            return Ok(meta);
        }
        let known = self.unrecorded(node)?;
        set_requires_grad(&mut meta, known.as_ref());
        self.graph.unrecorded_views[node] = requires_grad(&meta);
        if let Some(copied) = self.graph.lowered.of[node].expand() {
            self.graph.lowered.graph[copied].meta = Some(meta.clone());
        }
        Ok(meta)
    }

    /// Metadata that says which tensors of a result require gradients, computed while autograd does not record; `None`
    /// if none does.
    fn unrecorded(&mut self, node: NodeId) -> Traced<Option<Meta>> {
        if let Some((results, place)) = self.picked(node)
            && let Some(Meta::Tuple(items)) = &self.graph.torch[results].meta
        {
            return Ok(items.get(place).cloned().flatten());
        }
        if self.is_fresh(node) {
            return Ok(None);
        }
        let ask = Ask { grad: false, ..self.modes.ask(false) };
        let told = self.host.infer(&self.graph.torch, &mut self.shapes.env, node, ask);
        let target = &self.graph.torch[node].target;
        told.map(Some).map_err(|why| Reason::new(Kind::TorchOp, format!("`{target}`: {why}.")))
    }

    /// Has torch take a call without a rule apart; false if it stays. With it go the obstacles that it was, those after
    /// so many.
    fn takes_apart(&mut self, node: NodeId, obstacles: usize) -> bool {
        let is_usual =
            self.options.lowers && self.host.default_dtype() == DType::F32 && self.modes.autocast.current.is_empty();
        let is_asked = self.graph.without_rule.last() == Some(&node);
        // Tensors without data, which torch is given, have nothing pending that a call could carry out.
        let is_plain = |t: &mut Self| {
            let mut inputs = t.graph.torch[node].inputs().into_iter();
            inputs.all(|input| t.graph.torch[input].tensor_meta().is_none() || t.pending(input) == Some(Pending::NONE))
        };
        let asks = is_usual && is_asked && is_plain(self);
        let parts = if asks { self.host.parts(&self.graph.torch, &mut self.shapes.env, node) } else { None };
        let at = self.place();
        parts.is_some_and(|parts| self.graph.lowered.expand(node, &parts, obstacles, &mut self.shapes.env, &at))
    }

    /// True for a call of which torch has told all that counts: by its schema it is a function of its arguments, and
    /// what it gives are tensors whose sizes are known before it runs.
    fn is_known_function(&mut self, node: NodeId, meta: &Meta) -> bool {
        let is_tensor = |meta: &Meta| matches!(meta, Meta::Tensor(_));
        let are_tensors = match meta {
            Meta::Tuple(items) => items.iter().flatten().all(is_tensor),
            one => is_tensor(one),
        };
        let mut depends = false;
        meta.for_each_expr(&mut |expr| depends |= self.shapes.env.depends_on_data(expr));
        let is_usual = self.options.lowers && self.modes.autocast.current.is_empty() && are_tensors && !depends;
        if !is_usual || self.graph.without_rule.last() != Some(&node) {
            return false;
        }
        let call = &self.graph.torch[node];
        if call.is_custom_op() {
            return self.host.is_functional(&call.target);
        }
        let lowered = self.graph.lowered.of[node].expand().and_then(|call| self.graph.lowered.graph[call].op());
        let is_complex =
            |meta: &Meta| matches!(meta, Meta::Tensor(tensor) if tensor.dtype.class() == DTypeClass::Complex);
        // Layers of complex numbers are composed of real ones, which the library's kernels do not do.
        let is_composed = |op: Aten| {
            let of_layers = matches!(op.rule(), Some(Rule::Extern(Extern::Convolution | Extern::Layer)));
            of_layers && is_complex(meta)
        };
        lowered.is_some_and(|op| op.is_function() && !op.is_view() && op.traits().alias.is_none() && !is_composed(op))
    }

    /// Asks torch for the metadata of a node's result, where no rule tells it.
    fn asked(&mut self, node: NodeId) -> Traced<Meta> {
        let target = self.graph.torch[node].target.clone();
        let has_tensors =
            self.graph.torch[node].inputs().iter().any(|&input| self.graph.torch[input].tensor_meta().is_some());
        // Attributes that are computed are views.
        let is_cast = !self.modes.autocast.current.is_empty() && has_tensors && target != "builtins.getattr";
        // The overload's arguments are those that autocast has converted.
        let (lowered, autocast) = (&self.graph.lowered, &self.modes.autocast.current);
        let converted = lowered.of[node].expand().filter(|&of| lowered.is_converted(of, autocast));
        if is_cast && converted.is_none() {
            return Err(unknown_cast(&target));
        }
        if counts_elements(&self.graph.torch[node]) {
            return Err(Reason::new(Kind::TorchOp, format!("`{target}`, whose size depends on values.")));
        }
        let ask = self.modes.ask(false);
        let meta = match converted.filter(|_| is_cast) {
            Some(converted) => self.host.infer(&self.graph.lowered.graph, &mut self.shapes.env, converted, ask),
            None => self.host.infer(&self.graph.torch, &mut self.shapes.env, node, ask),
        };
        let meta = meta.map_err(|why| Reason::new(Kind::TorchOp, format!("`{target}`: {why}.")))?;
        self.graph.without_rule.push(node);
        Ok(meta)
    }

    /// The value of a node.
    pub(in crate::trace) fn of_node(&mut self, node: NodeId) -> Traced {
        let meta = self.graph.torch[node].meta.clone();
        let value = match meta.ok_or_else(|| self.unknown_result(node))? {
            Meta::Tensor(_) => Value::Tensor(node),
            Meta::Int(expr) => match self.shapes.env.pool().as_int(expr) {
                Some(int) => Value::Const(Constant::Int(int)),
                None if self.shapes.env.hint(expr).is_none() && !self.shapes.env.depends_on_data(expr) => {
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
                let target = self.graph.torch[node].target.clone();
                self.result_tuple(&target, picks)
            }
        };
        Ok(self.value(value))
    }

    fn unknown_result(&self, node: NodeId) -> Reason {
        Reason::new(Kind::TorchOp, format!("`{}` gives what the tracer does not know.", self.graph.torch[node].target))
    }

    /// A value as an argument of a node.
    pub(in crate::trace) fn arg(&mut self, value: ValueId) -> Traced<Arg> {
        self.nested(|t| t.arg_within(value))
    }

    /// An argument of a call of torch's own, which takes the classes of Python's numbers for element types, and ranges
    /// for lists. Functions of the program's would tell them apart.
    pub(in crate::trace) fn arg_of_torch(&mut self, value: ValueId) -> Traced<Arg> {
        match self.get(value)? {
            Value::Class(class, _) => dtype_of_class(&class).map(Arg::DType).ok_or_else(|| not_an_argument("a class")),
            Value::Range(bounds) if range_len(bounds) <= MOST_OF_RANGE => {
                let [start, _, step] = bounds;
                Ok(Arg::List((0..range_len(bounds)).map(|at| Arg::Int(start + at * step)).collect()))
            }
            _ => self.arg(value),
        }
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
            _ => match self.value_as_argument(value)? {
                Some(value) => return self.arg(value),
                None => return Err(not_an_argument("an object")),
            },
        })
    }

    /// A `torch.Size` as an argument: a node, where some of its items are nodes.
    fn size_arg(&mut self, size: ValueId, items: &[ValueId], parts: Vec<Arg>) -> Traced<Arg> {
        let size = self.force(size)?;
        if let Some(&whole) = self.graph.sizes.get(&size) {
            return Ok(Arg::Node(whole));
        }
        if !parts.iter().any(|part| matches!(part, Arg::Node(_))) {
            return Ok(Arg::Tuple(parts));
        }
        let sizes = items.iter().map(|&item| self.int(item)).collect::<Traced<Option<Vec<Expr>>>>()?;
        let sizes = sizes.ok_or_else(|| not_an_argument("a size that holds no integers"))?;
        let whole = self.whole_size(NodeKind::CallFunction, "torch.Size", Arg::List(parts.clone()), &sizes);
        self.graph.lowered.sequences.insert(whole, parts);
        Ok(Arg::Node(whole))
    }

    /// A node that gives several sizes at once.
    pub(in crate::trace) fn whole_size(&mut self, kind: NodeKind, target: &str, of: Arg, sizes: &[Expr]) -> NodeId {
        let node = self.graph.torch.push(kind, target, vec![of], vec![], None);
        self.graph.torch[node].meta = Some(Meta::Tuple(sizes.iter().map(|&size| Some(Meta::Int(size))).collect()));
        self.place_node(node);
        node
    }

    /// True if a tensor or a symbolic integer is in the value, which may be a container.
    pub(in crate::trace) fn holds_tensor(&mut self, value: ValueId) -> Traced<bool> {
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
            Value::Object(..) if self.tensor_of_subclass(value)?.is_some() => return Ok(true),
            Value::Object(..) | Value::Instance(_) => self.held_items(value)?,
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
    pub(in crate::trace) fn end_graph(&mut self, results: &[NodeId]) {
        self.restore_autocast();
        self.restore_grad();
        self.restore_attention();
        let outputs = results.iter().map(|&node| Arg::Node(node)).collect();
        let output = self.graph.torch.output(Arg::Tuple(outputs));
        self.graph.lowered.copy(&self.graph.torch, output);
        self.drop_idle_modes();
        loop {
            let users = self.graph.torch.users();
            let idle = |&node: &NodeId| users[node].is_empty();
            let dropped: Vec<NodeId> =
                self.graph.torch.nodes().filter(idle).filter(|&node| self.is_droppable(node)).collect();
            if dropped.is_empty() {
                break;
            }
            self.graph.torch.retain(|node| !dropped.contains(&node));
            self.graph.inputs.retain(|input| !dropped.contains(&input.node));
            let users = self.graph.lowered.graph.users();
            let lowered = dropped.iter().filter_map(|&node| self.graph.lowered.of[node].expand());
            let lowered: Vec<NodeId> = lowered.filter(|&node| users[node].is_empty()).collect();
            self.graph.lowered.graph.retain(|node| !lowered.contains(&node));
        }
    }

    /// True for what can go if nothing uses it: inputs, parts of results and of tensors, sizes. An index by tensors, or
    /// by numbers in sizes that are symbols, may lead out of its tensor, which only running tells.
    fn is_droppable(&self, node: NodeId) -> bool {
        let node = &self.graph.torch[node];
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
    pub(in crate::trace) fn makes_tensor(&self, node: NodeId) -> bool {
        let row = &self.graph.torch[node];
        let is_call = matches!(row.kind, NodeKind::CallFunction | NodeKind::CallMethod);
        is_call && !matches!(row.meta, Some(Meta::Int(_) | Meta::Plain(_))) && self.first_name(node) == node
    }

    /// True if the graph does anything.
    pub(in crate::trace) fn graph_is_needed(&self) -> bool {
        let idle =
            |node: &fx::Node| matches!(node.kind, NodeKind::Placeholder | NodeKind::Output) || sets_mode(&node.target);
        self.graph.torch.nodes().any(|node| !idle(&self.graph.torch[node]))
    }

    /// True if the node is an input of the graph.
    pub(in crate::trace) fn is_input(&self, node: NodeId) -> bool {
        self.graph.torch[node].kind == NodeKind::Placeholder
    }

    /// The innermost line of the program, for messages.
    pub(in crate::trace) fn place(&self) -> Arc<str> {
        self.call_stack.place()
    }

    /// Notes the lines of the program that a node comes from, as torch writes them.
    pub(in crate::trace) fn place_node(&mut self, node: NodeId) {
        self.graph.torch[node].stack_trace = Some(self.call_stack.text());
        // An operator's operands are read before it is called.
        let is_input = self.graph.torch[node].kind == NodeKind::Placeholder;
        let within = self.call_stack.within.filter(|name| !(is_input && name.starts_with("operator.")));
        self.graph.origins[node] = Origin { spans: self.call_stack.spans.clone(), within: within.map(Cow::Borrowed) };
    }
}

/// True for a call that gives as many elements as fulfil a condition, which torch would look for in its own rules.
fn counts_elements(call: &fx::Node) -> bool {
    let is_torch = call.kind == NodeKind::CallMethod || call.target.starts_with("torch.");
    let packet = call.target.rsplit('.').next().and_then(Packet::named).filter(|_| is_torch);
    let is_where = call.target == "torch.where" && call.args.len() == 1;
    is_where || packet.is_some_and(|packet| packet.traits().counts)
}

/// The element type that torch takes one of Python's classes for.
fn dtype_of_class(class: &str) -> Option<DType> {
    Some(match class {
        "builtins.bool" => DType::Bool,
        "builtins.int" => DType::I64,
        "builtins.float" => DType::F64,
        "builtins.complex" => DType::C128,
        _ => return None,
    })
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

/// True if a tensor of a result requires gradients.
fn requires_grad(meta: &Meta) -> bool {
    match meta {
        Meta::Tensor(tensor) => tensor.requires_grad,
        Meta::Tuple(items) => items.iter().flatten().any(requires_grad),
        _ => false,
    }
}

/// Has the tensors of a result require gradients where those of another do; nowhere without another.
fn set_requires_grad(meta: &mut Meta, like: Option<&Meta>) {
    match (meta, like) {
        (Meta::Tensor(tensor), like) => {
            tensor.requires_grad = matches!(like, Some(Meta::Tensor(like)) if like.requires_grad);
        }
        (Meta::Tuple(items), Some(Meta::Tuple(like))) => {
            items.iter_mut().zip(like).for_each(|(item, like)| {
                item.iter_mut().for_each(|item| set_requires_grad(item, like.as_ref()));
            });
        }
        (Meta::Tuple(items), _) => items.iter_mut().flatten().for_each(|item| set_requires_grad(item, None)),
        _ => {}
    }
}
