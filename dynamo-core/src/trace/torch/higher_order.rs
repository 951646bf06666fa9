//! Higher-order operators: calls of torch that take functions. Their bodies become subgraphs, which the graph passes to
//! the operator as torch's Dynamo does.
//!
//! Invariant: a body has no side effect (see `graph::region`), so that it does not matter how often, in which order or
//! on which slices the operator calls it.

use crate::trace::{
    Traced, Tracer,
    core::{
        state::{Key, State, Table},
        value::{Keywords, Value, ValueId},
    },
    graph::region::{Parameter, Region, Results, Structure, refused},
    signature::{Bound, Row, row},
};
use fx::{Arg, Kind as NodeKind, Meta, NodeId, TensorMeta};
use guards::Constant;
use indexmap::IndexMap;
use symshapes::DType;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.cond(pred, true_fn, false_fn, operands=())", cond),
    row(
        "torch.utils.checkpoint.checkpoint(function=None, *args, use_reentrant=None, preserve_rng_state=True, \
            context_fn=..., determinism_check='default', debug=False, early_stop=True, \
            respect_saved_tensors_hooks=None, **kwargs)",
        |t, b| checkpoint(t, b, 0),
    ),
    row(
        "torch._higher_order_ops.wrap.TagActivationCheckpoint.__call__(operator, /, gmod, *args, use_reentrant=None, \
            preserve_rng_state=True, context_fn=..., determinism_check='default', debug=False, early_stop=True, \
            respect_saved_tensors_hooks=None, **kwargs)",
        |t, b| b.arg(0).and_then(|_| checkpoint(t, b, 1)),
    ),
    row("torch._higher_order_ops.map.map(f, xs, *args)", map),
];

/// `torch.cond`. A predicate whose value is known takes its branch, as without a graph.
fn cond(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    const NAME: &str = "torch.cond";
    let (pred, branches) = (b.arg(0)?, [b.arg(1)?, b.arg(2)?]);
    let operands = match b.opt(3) {
        Some(operands) => t.items_within(NAME, operands)?,
        None => Vec::new(),
    };
    let pred = match t.get(pred)? {
        Value::Tensor(node) => node,
        value if !value.is_number() && !matches!(value, Value::Const(Constant::Bool(_))) => {
            return Err(refused(NAME, "of a predicate that is no tensor or number"));
        }
        _ => {
            let branch = if t.truth(pred)? { branches[0] } else { branches[1] };
            return t.call(branch, operands, vec![]);
        }
    };
    let is_bool = |meta: &TensorMeta| {
        let mut sizes = meta.sizes.iter().map(|&size| t.shapes.env.pool().as_int(size));
        meta.dtype == DType::Bool && sizes.all(|size| size == Some(1))
    };
    if !t.graph.torch[pred].tensor_meta().is_some_and(is_bool) {
        return Err(refused(NAME, "of a predicate that is no single bool"));
    }
    for &operand in &operands {
        t.leaves(NAME, operand)?;
    }
    let [yes, no] = branches;
    let regions = [t.body(NAME, yes, &operands)?, t.body(NAME, no, &operands)?];
    let metas = t.common_metas(&regions).ok_or_else(|| refused(NAME, "whose branches give different things"))?;
    let [yes, no] = &regions;
    let operands = t.operands(NAME, &[yes, no])?;
    let (on_true, on_false) = (t.subgraph(yes, &operands), t.subgraph(no, &operands));
    let on_true = t.fetch_subgraph("cond_true", on_true);
    let on_false = t.fetch_subgraph("cond_false", on_false);
    let args = vec![Arg::Node(pred), on_true, on_false, Arg::Tuple(nodes(&operands))];
    t.call_with_subgraphs("torch.ops.higher_order.cond", args, vec![], Some(metas), &yes.structure)
}

/// `torch.utils.checkpoint.checkpoint`: a call of the function that is the argument of this number, which backward
/// repeats. Where autograd records nothing, it is a call.
fn checkpoint(t: &mut Tracer<'_>, b: &Bound<'_>, place: usize) -> Traced {
    const NAME: &str = "torch.utils.checkpoint.checkpoint";
    /// The parameters that say how, from `use_reentrant` on, counted from the function.
    const HOW: [(usize, &str); 5] =
        [(1, "use_reentrant"), (2, "preserve_rng_state"), (4, "determinism_check"), (5, "debug"), (6, "early_stop")];
    let function = b.opt(place).ok_or_else(|| refused(NAME, "as a decorator"))?;
    let (args, keywords) = (b.rest(), b.extra().clone());
    let mut kwargs = Vec::new();
    for (number, name) in HOW {
        if let Some(value) = b.opt(place + number) {
            kwargs.push((name.to_owned(), t.arg(value)?));
        }
    }
    let is_reentrant = match kwargs.first() {
        Some((_, Arg::Bool(flag))) => *flag,
        _ => return Err(refused(NAME, "without `use_reentrant`")),
    };
    if is_reentrant && !keywords.is_empty() {
        return Err(refused(NAME, "with `use_reentrant=True` and keyword arguments of the function"));
    }
    if !t.modes.grad {
        return t.call(function, args.to_vec(), keywords);
    }
    // The reentrant kind records nothing of a function that is given no tensor which requires gradients, and gives
    // new tensors that all require them.
    let may_be = if is_reentrant { Results::Fresh } else { Results::Operands };
    let mut is_recorded = !is_reentrant;
    for &arg in args {
        is_recorded |= t.requires_grad(arg)?;
    }
    let called = args.to_vec();
    let region = t.checkpointed_region(NAME, may_be, |t| Ok((Vec::new(), t.call(function, called, keywords)?)))?;
    let requires = |&node: &NodeId| t.graph.torch[node].tensor_meta().is_some_and(|meta| meta.requires_grad);
    if is_reentrant && !(is_recorded && region.results.iter().all(requires)) {
        return Err(refused(NAME, "with `use_reentrant=True`, of which not all results require gradients"));
    }
    let metas = region.results.iter().map(|&node| t.graph.torch[node].meta.clone()).collect::<Option<_>>();
    let metas = metas.ok_or_else(|| refused(NAME, "of a function whose results are unknown"))?;
    let operands = t.operands(NAME, &[&region])?;
    let body = t.subgraph(&region, &operands);
    let args = [vec![t.fetch_subgraph("wrap_body", body)], nodes(&operands)].concat();
    t.call_checkpointed("rust_inductor._higher_order.checkpoint", args, kwargs, metas, &region)
}

/// `torch._higher_order_ops.map`: the results for each slice of the first dimension, stacked.
fn map(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    const NAME: &str = "torch._higher_order_ops.map";
    let (function, xs, rest) = (b.arg(0)?, b.arg(1)?, b.rest().to_vec());
    let leaves = t.leaves(NAME, xs)?;
    t.is_over_slices(NAME, &leaves)?;
    let region = t.region(NAME, Results::Fresh, |t| {
        let (parameters, slices) = t.slices(&leaves, &vec![0; leaves.len()])?;
        let sliced = t.with_leaves(xs, &mut slices.into_iter())?;
        Ok((parameters, t.call(function, [vec![sliced], rest].concat(), vec![])?))
    })?;
    t.has_tensors_alone(NAME, &region.structure)?;
    let operands = t.operands(NAME, &[&region])?;
    let body = t.subgraph(&region, &operands);
    let args = vec![t.fetch_subgraph("map_body", body), Arg::List(nodes(&leaves)), Arg::List(nodes(&operands))];
    t.call_with_subgraphs("torch.ops.higher_order.map_impl", args, vec![], None, &region.structure)
}

pub(super) fn nodes(nodes: &[NodeId]) -> Vec<Arg> {
    nodes.iter().map(|&node| Arg::Node(node)).collect()
}

impl Tracer<'_> {
    /// A function called with these arguments, as a region.
    fn body(&mut self, operator: &str, function: ValueId, args: &[ValueId]) -> Traced<Region> {
        let args = args.to_vec();
        self.region(operator, Results::Fresh, |t| Ok((Vec::new(), t.call(function, args, Keywords::new())?)))
    }

    /// Common metadata of the results of two branches; `None` if they differ. A gradient may come from either.
    fn common_metas(&mut self, [yes, no]: &[Region; 2]) -> Option<Vec<Meta>> {
        if !self.are_alike(&yes.structure, &no.structure) || yes.results.len() != no.results.len() {
            return None;
        }
        let (graph, env) = (&self.graph.torch, &mut self.shapes.env);
        let mut meta = |node: NodeId| {
            let mut meta = graph[node].tensor_meta()?.clone();
            meta.exprs_mut().for_each(|expr| *expr = env.simplify(*expr));
            Some(meta)
        };
        let both = yes.results.iter().zip(&no.results).map(|(&yes, &no)| {
            let (mut yes, no) = (meta(yes)?, meta(no)?);
            let requires_grad = std::mem::take(&mut yes.requires_grad);
            (yes == TensorMeta { requires_grad: false, ..no.clone() }).then(|| {
                let requires_grad = requires_grad || no.requires_grad;
                Meta::Tensor(TensorMeta { requires_grad, ..yes })
            })
        });
        both.collect()
    }

    /// The tensors in containers, in the order in which `torch.utils._pytree` has them.
    pub(super) fn leaves(&mut self, operator: &str, value: ValueId) -> Traced<Vec<NodeId>> {
        if let Value::Tensor(node) = self.get(value)? {
            return Ok(vec![node]);
        }
        let items = match self.entries(value)? {
            Some(entries) => entries.into_values().map(|(_, value)| value).collect(),
            None => self.items_within(operator, value)?,
        };
        let mut leaves = Vec::new();
        for item in items {
            leaves.extend(self.nested(|t| t.leaves(operator, item))?);
        }
        Ok(leaves)
    }

    /// A value of [`Tracer::leaves`] with other tensors in the place of its own.
    pub(super) fn with_leaves(&mut self, value: ValueId, leaves: &mut dyn Iterator<Item = ValueId>) -> Traced {
        let is_tuple = match self.get(value)? {
            Value::Tensor(_) => return Ok(leaves.next().unwrap_or(value)),
            Value::Tuple(_) => true,
            _ => false,
        };
        if let Some(entries) = self.entries(value)? {
            let one = |(key, (name, value))| Ok((key, (name, self.with_leaves(value, leaves)?)));
            let entries = entries.into_iter().map(one).collect::<Traced<_>>()?;
            return Ok(self.state(State::Dict(entries)));
        }
        let items = self.items_within("", value)?;
        let items = items.into_iter().map(|item| self.with_leaves(item, leaves)).collect::<Traced<Vec<_>>>()?;
        Ok(if is_tuple { self.value(Value::Tuple(items)) } else { self.state(State::List(items)) })
    }

    /// The entries of a plain dict.
    fn entries(&mut self, value: ValueId) -> Traced<Option<IndexMap<Key, (ValueId, ValueId)>>> {
        let Value::State(state) = self.get(value)? else { return Ok(None) };
        Ok(match self.heap.get(state) {
            State::Dict(entries) if self.heap.table(state) == Table::Plain => Some(entries.clone()),
            _ => None,
        })
    }

    /// The items of a tuple or list.
    pub(super) fn items_within(&mut self, operator: &str, value: ValueId) -> Traced<Vec<ValueId>> {
        let items = self.items_of(value)?;
        items.ok_or_else(|| refused(operator, "over something other than tensors in containers"))
    }

    /// Refuses tensors whose first dimensions differ or are empty.
    pub(super) fn is_over_slices(&self, operator: &str, tensors: &[NodeId]) -> Traced<()> {
        let leading =
            |&leaf: &NodeId| self.graph.torch[leaf].tensor_meta().and_then(|meta| meta.sizes.first().copied());
        let sizes: Vec<_> = tensors.iter().map(leading).collect();
        let is_one_size = sizes.iter().all(|size| size.is_some() && *size == sizes[0]);
        let is_known = |size| self.shapes.env.pool().as_int(size).is_none_or(|size| size > 0);
        if !is_one_size || !sizes.iter().flatten().all(|&size| is_known(size)) {
            return Err(refused(operator, "over tensors whose first dimensions differ or are empty"));
        }
        Ok(())
    }

    /// One slice of each tensor along its dimension, as parameters of a body, and their values.
    pub(super) fn slices(&mut self, tensors: &[NodeId], dims: &[i64]) -> Traced<(Vec<Parameter>, Vec<ValueId>)> {
        let (mut slices, mut values) = (Vec::new(), Vec::new());
        for (&tensor, &dim) in tensors.iter().zip(dims) {
            // Not inferred: there may be none, and the body is traced all the same.
            let at = usize::try_from(dim).unwrap_or(usize::MAX);
            let meta = self.graph.torch[tensor].tensor_meta().cloned().filter(|meta| at < meta.sizes.len());
            let mut meta = meta.ok_or_else(|| refused("select", "of a dimension that is not there"))?;
            meta.sizes.remove(at);
            meta.strides.remove(at);
            let args = vec![Arg::Node(tensor), Arg::Int(dim), Arg::Int(0)];
            let node = self.graph.torch.push(NodeKind::CallMethod, "select", args, vec![], None);
            self.place_node(node);
            self.graph.torch[node].meta = Some(Meta::Tensor(meta));
            self.graph.lowered.copy(&self.graph.torch, node);
            slices.push(Parameter { node, given_back: None });
            values.push(self.value(Value::Tensor(node)));
        }
        Ok((slices, values))
    }

    /// A function of a module of torch's or of our own.
    pub(in crate::trace) fn of_module(&mut self, module: &str, name: &str) -> Traced {
        let obj = self.host.module(module).ok_or_else(|| refused(module, "is not loaded"))?;
        let source = self.sources.module(module);
        let module = self.sourced(Value::Module(module.to_owned(), obj), source);
        self.get_attr(module, name)
    }

    pub(super) fn has_tensors_alone(&mut self, operator: &str, structure: &Structure) -> Traced<()> {
        match structure {
            Structure::Result(_) => Ok(()),
            Structure::Known(value) if self.get(*value)?.is_tensor() => Ok(()),
            Structure::Known(_) => Err(refused(operator, "of a function that gives something other than tensors")),
            Structure::Tuple(items) | Structure::List(items) => {
                items.iter().try_for_each(|item| self.has_tensors_alone(operator, item))
            }
            Structure::Dict(items) => items.iter().try_for_each(|(.., item)| self.has_tensors_alone(operator, item)),
        }
    }

    /// The entries of a dict of keyword arguments.
    pub(super) fn keywords_within(&mut self, operator: &str, value: ValueId) -> Traced<Keywords> {
        let one = |(key, (_, value))| match key {
            Key::Const(Constant::Str(name)) => Ok((name, value)),
            _ => Err(refused(operator, "with such keywords")),
        };
        let entries = self.entries(value)?.ok_or_else(|| refused(operator, "with such keywords"))?;
        entries.into_iter().map(one).collect()
    }
}
