//! Loops as operators: `torch.while_loop` and `scan`, whose bodies become subgraphs.
//!
//! Source: `torch/_higher_order_ops/while_loop.py`, `torch/_higher_order_ops/scan.py`.
//!
//! Invariants: a body has no side effect and gives new tensors, each once; what is carried from turn to turn has the
//! same metadata throughout, and nothing of a `while_loop` is differentiated.

use super::higher_order::nodes;
use crate::trace::{
    Traced, Tracer,
    core::value::{Value, ValueId},
    graph::region::{Parameter, Region, Results, Structure, refused},
    signature::{Bound, Row, row},
};
use fx::{Arg, Graph, Kind as NodeKind, Meta, NodeId, TensorMeta};
use guards::Constant;
use symshapes::DType;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch._higher_order_ops.while_loop.while_loop(cond_fn, body_fn, carried_inputs)", while_loop),
    row("torch._higher_order_ops.scan.scan(combine_fn, init, xs, *, dim=0, reverse=False, length=None)", scan),
];

const WHILE_LOOP: &str = "torch.while_loop";
const SCAN: &str = "torch._higher_order_ops.scan";

/// A loop that goes on while a condition on what it carries holds.
fn while_loop(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (condition, body) = (b.arg(0)?, b.arg(1)?);
    if !t.options.inference {
        return Err(refused(WHILE_LOOP, "of which the backend makes no graph"));
    }
    let carried = t.items_within(WHILE_LOOP, b.arg(2)?)?;
    let mut leaves = Vec::new();
    for &item in &carried {
        match t.get(item)? {
            Value::Tensor(node) => leaves.push(node),
            _ => return Err(refused(WHILE_LOOP, "that carries something other than tensors")),
        }
    }
    let regions = [t.turn(WHILE_LOOP, condition, &leaves)?, t.turn(WHILE_LOOP, body, &leaves)?];
    let [condition, body] = &regions;
    if !t.is_condition(condition) {
        return Err(refused(WHILE_LOOP, "whose condition is no single bool"));
    }
    let is_flat = |(place, item): (usize, &Structure)| matches!(item, Structure::Result(at) if *at == place);
    let Structure::Tuple(items) = &body.structure else { return Err(refused(WHILE_LOOP, "that gives no tuple")) };
    let metas = t.metas(&leaves);
    if items.len() != leaves.len() || !items.iter().enumerate().all(is_flat) || metas != t.metas(&body.results) {
        return Err(refused(WHILE_LOOP, "that gives other tensors than it is given"));
    }
    let metas = metas.filter(|metas| metas.iter().all(|meta| !meta.requires_grad));
    let metas = metas.ok_or_else(|| refused(WHILE_LOOP, "that is differentiated"))?;
    let operands = t.operands(WHILE_LOOP, &[condition, body])?;
    let leaves = t.distinct(&leaves, &operands)?;
    let (test, turn) = (bare(t.subgraph(condition, &operands)), t.subgraph(body, &operands));
    let test = t.fetch_subgraph("cond_fn", test);
    let turn = t.fetch_subgraph("body_fn", turn);
    let args = vec![test, turn, Arg::Tuple(nodes(&leaves)), Arg::Tuple(nodes(&operands))];
    let metas = metas.into_iter().map(Meta::Tensor).collect();
    t.call_with_subgraphs("torch.ops.higher_order.while_loop", args, vec![], Some(metas), &body.structure)
}

/// A loop over the slices of tensors along their first dimension.
fn scan(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (function, init, xs) = (b.arg(0)?, b.arg(1)?, b.arg(2)?);
    let along_first = match b.opt(3) {
        Some(dim) => matches!(t.get(dim)?, Value::Const(Constant::Int(0))),
        None => true,
    };
    let forwards = match b.opt(4) {
        Some(reverse) => matches!(t.get(reverse)?, Value::Const(Constant::Bool(false))),
        None => true,
    };
    if !along_first || !forwards || t.unless_none(b.opt(5))?.is_some() {
        return Err(refused(SCAN, "in another way than forwards along the first dimension"));
    }
    let (carried, leaves) = (t.leaves(SCAN, init)?, t.leaves(SCAN, xs)?);
    t.is_over_slices(SCAN, &leaves)?;
    let region = t.region(SCAN, Results::Fresh, |t| {
        let (mut parameters, copies) = t.copies(&carried)?;
        let (sliced, slices) = t.slices(&leaves, &vec![0; leaves.len()])?;
        parameters.extend(sliced);
        let given = vec![t.with_leaves(init, &mut copies.into_iter())?, t.with_leaves(xs, &mut slices.into_iter())?];
        Ok((parameters, t.call(function, given, vec![])?))
    })?;
    let Structure::Tuple(items) = &region.structure else { return Err(refused(SCAN, "of a function without a pair")) };
    let [carry, out] = &items[..] else { return Err(refused(SCAN, "of a function without a pair")) };
    let (next, others) = (computed(carry), computed(out));
    let is_once = next.zip(others).is_some_and(|(next, others)| next + others == region.results.len());
    if !is_once || next != Some(carried.len()) || !t.is_like(carry, init)? {
        return Err(refused(SCAN, "of a function that gives something other than what it carries, and new tensors"));
    }
    let shape = |meta: &TensorMeta| (meta.dtype, meta.device, meta.sizes.clone());
    let shapes = |metas: Option<Vec<TensorMeta>>| metas.map(|metas| metas.iter().map(shape).collect::<Vec<_>>());
    if shapes(t.metas(&carried)) != shapes(t.metas(&region.results[..carried.len()])) {
        return Err(refused(SCAN, "of a function that carries other tensors than it is given"));
    }
    let operands = t.operands(SCAN, &[&region])?;
    let carried = t.distinct(&carried, &[&leaves[..], &operands].concat())?;
    let body = t.subgraph(&region, &operands);
    let body = t.fetch_subgraph("scan_combine", body);
    let args = vec![body, Arg::List(nodes(&carried)), Arg::List(nodes(&leaves)), Arg::Tuple(nodes(&operands))];
    t.call_with_subgraphs("torch.ops.higher_order.scan", args, vec![], None, &region.structure)
}

/// A subgraph that gives its only result as it is, not in a tuple.
fn bare(mut graph: Graph) -> Graph {
    if let Some(output) = graph.nodes().last()
        && let [Arg::Tuple(results)] = &graph[output].args[..]
        && let [only] = &results[..]
    {
        graph[output].args = vec![only.clone()];
    }
    graph
}

/// The number of tensors in a structure that are all results of its region.
fn computed(structure: &Structure) -> Option<usize> {
    match structure {
        Structure::Result(_) => Some(1),
        Structure::Known(_) => None,
        Structure::Tuple(items) | Structure::List(items) => items.iter().map(computed).sum(),
        Structure::Dict(items) => items.iter().map(|(.., item)| computed(item)).sum(),
    }
}

impl Tracer<'_> {
    /// A function called with copies of tensors, as a region.
    fn turn(&mut self, operator: &str, function: ValueId, tensors: &[NodeId]) -> Traced<Region> {
        self.region(operator, Results::Fresh, |t| {
            let (parameters, copies) = t.copies(tensors)?;
            Ok((parameters, t.call(function, copies, vec![])?))
        })
    }

    /// Tensors, with a copy in the place of each that may share memory with another operand: the operators take none of
    /// these.
    fn distinct(&mut self, tensors: &[NodeId], others: &[NodeId]) -> Traced<Vec<NodeId>> {
        let mut known: Vec<NodeId> = others.iter().map(|&other| self.whole(other)).collect();
        let mut distinct = Vec::new();
        for &tensor in tensors {
            let whole = self.whole(tensor);
            let copy = match known.contains(&whole) {
                true => self.emit(NodeKind::CallMethod, "clone", vec![Arg::Node(tensor)], vec![])?,
                false => self.value(Value::Tensor(tensor)),
            };
            known.push(whole);
            distinct.extend(self.objects.values[copy].node());
        }
        Ok(distinct)
    }

    /// Copies of tensors, as parameters of a body, and their values.
    fn copies(&mut self, tensors: &[NodeId]) -> Traced<(Vec<Parameter>, Vec<ValueId>)> {
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for &tensor in tensors {
            let copy = self.emit(NodeKind::CallMethod, "clone", vec![Arg::Node(tensor)], vec![])?;
            if let Value::Tensor(node) = self.objects.values[copy] {
                parameters.push(Parameter { node, given_back: None });
                values.push(copy);
            }
        }
        Ok((parameters, values))
    }

    /// True for a body that gives one bool.
    fn is_condition(&self, region: &Region) -> bool {
        let is_bool = |meta: &TensorMeta| meta.dtype == DType::Bool && meta.sizes.is_empty();
        matches!((&region.structure, &region.results[..]), (Structure::Result(0), &[node])
            if self.graph.torch[node].tensor_meta().is_some_and(is_bool))
    }

    /// The metadata of tensors, by what guards have made of their sizes.
    fn metas(&mut self, tensors: &[NodeId]) -> Option<Vec<TensorMeta>> {
        let (graph, env) = (&self.graph.torch, &mut self.shapes.env);
        let meta = |&node: &NodeId| {
            let mut meta = graph[node].tensor_meta()?.clone();
            meta.exprs_mut().for_each(|expr| *expr = env.simplify(*expr));
            Some(meta)
        };
        tensors.iter().map(meta).collect()
    }

    /// True if a structure has tensors where a value has them, in containers of the same kinds.
    fn is_like(&mut self, structure: &Structure, value: ValueId) -> Traced<bool> {
        let items = match (structure, self.get(value)?) {
            (Structure::Result(_), value) => return Ok(value.is_tensor()),
            (Structure::Tuple(items), Value::Tuple(_)) | (Structure::List(items), Value::State(_)) => items,
            _ => return Ok(false),
        };
        let Some(values) = self.items_of(value)? else { return Ok(false) };
        let mut alike = values.len() == items.len();
        for (item, value) in items.iter().zip(values) {
            alike = alike && self.is_like(item, value)?;
        }
        Ok(alike)
    }
}
