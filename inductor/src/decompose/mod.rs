//! Decomposition: from a graph of ATen calls to tensor IR.
//!
//! Every node becomes primitives, an extern call, or (where a rule is missing or does not cover the case) a call of
//! the very operator, with the reason. Shapes, strides and dtypes of results are those that the graph promises; a
//! decomposition that arrives at others is not used.

mod activation;
mod args;
mod builder;
mod compose;
mod creation;
mod dropout;
mod effect;
mod equivalent_ops;
mod formula;
mod index;
mod layer;
mod loss;
mod norm;
mod pad;
mod pointwise;
mod random;
mod reduce;
mod resample;
mod shape;
mod slice;
mod softmax;
mod special;
mod split_reduction;
mod uses;
mod vector;
mod view;
mod window;

use cranelift_entity::SecondaryMap;
use fx::aten::Aliasing;
use fx::aten::Aten;
use fx::aten::rules::{Extern, Rule};
use fx::{Graph, Kind, Meta, NodeId, TensorMeta};
use rustc_hash::FxHashSet;
use symshapes::{DType, Expr, Sym};

use crate::calls::{self, CallKind};
use crate::tensor_ir::{self as tir, Call, CallResult, Dims, Op, Output, Tensor, TensorGraph, View, Write};
use crate::{Config, Error};

pub(crate) use args::Args;
pub(crate) use builder::Builder;

/// The reason why a rule does not cover a node.
#[derive(Debug)]
pub(crate) enum Unsupported {
    /// A case that the rule lacks, described; the node becomes a fallback call.
    Case(String),
    /// A library does this case best.
    Library(Extern),
}

pub(crate) type Rewrite<T = Tensor> = Result<T, Unsupported>;

/// A shorthand for the error of a rule.
pub(crate) fn unsupported<T>(reason: impl Into<String>) -> Rewrite<T> {
    Err(Unsupported::Case(reason.into()))
}

/// A shorthand for the case of a rule that a library does.
pub(crate) fn library<T>(kind: Extern) -> Rewrite<T> {
    Err(Unsupported::Library(kind))
}

/// The value that a node stands for.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Tensor(Tensor),
    Object(crate::calls::ObjectId),
    Plain(fx::Arg),
    Tuple(Vec<Option<Value>>),
}

/// A tensor's promised shape.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    pub(crate) dtype: DType,
    pub(crate) sizes: Dims,
    pub(crate) strides: Dims,
}

/// Rewrites a graph of ATen calls.
///
/// # Errors
/// A graph that cannot be compiled as a whole: sizes that no input gives, an input of unknown kind, a call that writes
/// into its arguments; with [`fallback_error`](crate::Options::fallback_error), the first node without a rule.
pub fn decompose(graph: &Graph, config: &Config) -> Result<TensorGraph, Error> {
    let first = graph.nodes().next().ok_or(Error::NoOutput)?;
    let tensors = TensorGraph { pool: graph.exprs.clone(), ..TensorGraph::default() };
    let (fills, splits) = (config.options.fills, config.target.splits);
    let builder = Builder { graph: tensors, origin: first, fills, splits };
    let (given, users) = (fx::symbols::given(graph).into_keys().collect(), graph.users());
    let absorbed = uses::absorbed(graph, &users, &given);
    let mut pass = Decompose {
        graph,
        config,
        b: builder,
        values: SecondaryMap::new(),
        constants: 0,
        given,
        users,
        needed: uses::needed(graph),
        shown: uses::shown(graph),
        absorbed,
    };
    for node in graph.nodes() {
        pass.b.origin = node;
        pass.node(node)?;
    }
    Ok(pass.b.graph)
}

struct Decompose<'a> {
    graph: &'a Graph,
    config: &'a Config,
    b: Builder,
    values: SecondaryMap<NodeId, Option<Value>>,
    constants: usize,
    /// The symbols whose values the inputs give.
    given: FxHashSet<Sym>,
    users: SecondaryMap<NodeId, fx::Users>,
    /// The nodes that the graph's results or its side effects depend on.
    needed: SecondaryMap<NodeId, bool>,
    /// The nodes whose strides the caller or an opaque operator sees.
    shown: SecondaryMap<NodeId, bool>,
    /// Floats and bools of which nothing is read but integers, whose expressions hold them.
    absorbed: SecondaryMap<NodeId, bool>,
}

impl Decompose<'_> {
    fn node(&mut self, id: NodeId) -> Result<(), Error> {
        let value = match self.graph[id].kind {
            Kind::Placeholder => self.placeholder(id)?,
            Kind::GetAttr => self.constant(id)?,
            Kind::CallFunction => self.call_function(id)?,
            Kind::Output => return self.output(id),
            kind @ (Kind::CallMethod | Kind::CallModule) => return Err(Error::NotAten { node: id, kind }),
        };
        self.values[id] = Some(value);
        Ok(())
    }

    fn placeholder(&mut self, id: NodeId) -> Result<Value, Error> {
        let number = self.b.graph.inputs;
        self.b.graph.inputs += 1;
        if self.is_token(id) {
            return Ok(Value::Plain(fx::Arg::None));
        }
        match &self.graph[id].meta {
            Some(Meta::Tensor(meta)) => Ok(Value::Tensor(self.leaf(id, Op::Input(number), meta)?)),
            Some(Meta::Int(e)) => Ok(Value::Plain(self.known_int(id, *e)?)),
            Some(Meta::Plain(arg)) => Ok(Value::Plain(arg.clone())),
            Some(Meta::Float(_) | Meta::Bool(_) | Meta::Tuple(_)) | None => Err(Error::UnknownInput { node: id }),
        }
    }

    fn constant(&mut self, id: NodeId) -> Result<Value, Error> {
        let number = self.constants;
        self.constants += 1;
        match &self.graph[id].meta {
            Some(Meta::Tensor(meta)) => Ok(Value::Tensor(self.leaf(id, Op::Constant(number), meta)?)),
            _ => Err(Error::UnknownInput { node: id }),
        }
    }

    fn leaf(&mut self, id: NodeId, op: Op, meta: &TensorMeta) -> Result<Tensor, Error> {
        let promise = self.promise(id, meta)?;
        let t = self.b.push(op, promise.dtype, &promise.sizes);
        self.b.graph.tensors[t].strides = Some(promise.strides);
        Ok(t)
    }

    fn promise(&mut self, node: NodeId, meta: &TensorMeta) -> Result<Promise, Error> {
        let mut known =
            |exprs: &[Expr]| -> Result<Dims, Error> { exprs.iter().map(|&e| self.known(node, e)).collect() };
        Ok(Promise { dtype: meta.dtype, sizes: known(&meta.sizes)?, strides: known(&meta.strides)? })
    }

    /// An expression whose value follows from the inputs.
    fn known(&mut self, node: NodeId, e: Expr) -> Result<Expr, Error> {
        let pool = &mut self.b.graph.pool;
        if uses::is_known(pool, &self.given, e) { Ok(pool.without_floats(e)) } else { Err(Error::Symbolic { node }) }
    }

    fn known_int(&mut self, node: NodeId, e: Expr) -> Result<fx::Arg, Error> {
        let e = self.known(node, e)?;
        Ok(self.b.graph.pool.as_int(e).map_or(fx::Arg::Sym(e), fx::Arg::Int))
    }

    fn call_function(&mut self, id: NodeId) -> Result<Value, Error> {
        let node = &self.graph[id];
        if !self.b.graph.writes.is_empty() && node.target != COPY {
            // It might ask for the new value of an input.
            return Err(Error::Mutation { node: id, target: COPY.to_string() });
        }
        if let Some(Meta::Int(e)) = node.meta
            && let Ok(value) = self.known_int(id, e)
        {
            return Ok(Value::Plain(value));
        }
        if self.absorbed[id] {
            return Ok(Value::Plain(fx::Arg::None));
        }
        if node.target == "operator.getitem"
            && let Some(item) = self.getitem(id)
        {
            return Ok(item);
        }
        if let Some(value) = self.effect(id) {
            return Ok(value);
        }
        match self.rewrite(id) {
            Ok(value) => Ok(value),
            Err(Unhandled::Extern(kind)) => self.call(id, CallKind::Extern, Some(kind)),
            Err(Unhandled::Fallback(reason)) if self.config.options.fallback_error => {
                Err(Error::Fallback { node: id, target: node.target.to_string(), reason })
            }
            Err(Unhandled::Fallback(reason)) => self.call(id, CallKind::Fallback(reason), None),
            Err(Unhandled::Error(error)) => Err(error),
        }
    }

    fn getitem(&self, id: NodeId) -> Option<Value> {
        let [source, index] = self.graph[id].args.as_slice() else { return None };
        match self.values[source.as_node()?].as_ref()? {
            Value::Tuple(items) => items.get(usize::try_from(index.as_int()?).ok()?)?.clone(),
            _ => None,
        }
    }

    /// The node as primitives.
    fn rewrite(&mut self, id: NodeId) -> Result<Value, Unhandled> {
        let node = &self.graph[id];
        let fallback = |reason: &str| Unhandled::Fallback(reason.to_owned());
        if let Some(value) = self.primitive(id)? {
            return Ok(value);
        }
        let overload = node.op().ok_or_else(|| fallback("not an ATen operator"))?;
        if overload.mutates() {
            let error = || Unhandled::Error(Error::Mutation { node: id, target: node.target.to_string() });
            return self.write(id).ok_or_else(error);
        }
        if let Some(given_back) = fx::effects::idle_dropout(self.graph, id).and_then(|node| self.values[node].clone()) {
            return Ok(given_back);
        }
        self.check_device(id)?;
        if let Ok(value) = self.dropout(id, overload) {
            return Ok(value);
        }
        let Some(rule) = overload.rule() else {
            let is_known = overload.is_function() && matches!(self.promises(id), Ok(Some(_)));
            return Err(if is_known {
                Unhandled::Extern(Extern::Function)
            } else {
                fallback("no rule for this operator")
            });
        };
        if let Rule::Extern(kind) = rule {
            let made = self.windowed(id, overload).or_else(|_| self.layer(id, overload).map_err(|_| ()));
            return made.map_err(|()| Unhandled::Extern(kind));
        }
        let promises = self.promises(id).map_err(|_| fallback("sizes that only the call gives"))?;
        let promises = promises.ok_or_else(|| fallback("results of unknown shape"))?;
        self.check_dtypes(id, &promises)?;
        if fx::effects::overflows(self.graph, id) || !self.needed[id] && fx::effects::may_raise(self.graph, id) {
            // No kernel would find out.
            return Err(Unhandled::Extern(Extern::Function));
        }
        if self.shown[id] && !shares(overload) && promises.iter().flatten().any(|p| !self.b.can_store(p)) {
            return Err(Unhandled::Extern(Extern::Function));
        }
        let bound = overload.bind(&node.args, &node.kwargs).map_err(|e| Unhandled::Fallback(e.to_string()))?;
        let tuple = matches!(node.meta, Some(Meta::Tuple(_)));
        let args = Args { bound: &bound, values: &self.values, results: &promises };
        args.check(&self.b)?;
        if !fx::effects::may_raise(self.graph, id)
            && let Some(value) = nothing(&mut self.b, overload, &promises, tuple)
        {
            return Ok(value);
        }
        let before = self.b.graph.tensors.len();
        let mut results = match rule {
            Rule::Map(op) => vec![Some(pointwise::map(&mut self.b, op, &args)?)],
            Rule::Reduce(kind) => vec![Some(reduce::plain(&mut self.b, kind, &args)?)],
            Rule::Compose(composite) => compose::compose(&mut self.b, composite, &args)?,
            Rule::Extern(_) => unreachable!("handled above"),
        };
        if !shares(overload) {
            for (t, promise) in results.iter_mut().zip(&promises) {
                *t = t.map(|t| self.own(t, before, promise.as_ref()));
            }
        }
        self.finish(before, &results, &promises, tuple)
    }

    /// One of torch's own primitives, which `addcmul_` and `addcdiv_` become where the tracing is differentiated.
    fn primitive(&mut self, id: NodeId) -> Result<Option<Value>, Unhandled> {
        let node = &self.graph[id];
        if node.target != "prims.fma.default" {
            return Ok(None);
        }
        let promises = self.promises(id).ok().flatten();
        let Some([Some(promise)]) = promises.as_deref() else { return Ok(None) };
        if !promise.dtype.is_float() {
            return Ok(None);
        }
        self.check_device(id)?;
        self.check_dtypes(id, promises.as_deref().unwrap_or_default())?;
        let before = self.b.graph.tensors.len();
        let operand = |arg: &fx::Arg| match (self.tensor_of(arg), arg.as_float()) {
            (Some(t), _) => (self.b.dtype(t) == promise.dtype).then_some(t),
            (None, Some(number)) => Some(self.b.full(number, promise.dtype, &promise.sizes)),
            (None, None) => None,
        };
        let operands: Option<Vec<Tensor>> = node.args.iter().map(operand).collect();
        let Some(&[a, b, c]) = operands.as_deref() else { return Ok(None) };
        let result = self.b.fma(a, b, c);
        self.finish(before, &[Some(result)], promises.as_deref().unwrap_or_default(), false).map(Some)
    }

    /// An input that takes a new value when the graph is done, which is how functionalisation leaves a graph that
    /// changes its inputs: `copy_` to an input whose old value nobody asks for afterwards.
    fn write(&mut self, id: NodeId) -> Option<Value> {
        let node = &self.graph[id];
        let [to, from, ..] = node.args.as_slice() else { return None };
        let (input, value) = (self.tensor_of(to)?, self.tensor_of(from)?);
        let graph = &self.b.graph;
        let (to, from, seen) = (&graph.tensors[input], &graph.tensors[value], graph.viewed(value));
        let fits = matches!(to.op, Op::Input(_)) && to.dtype == from.dtype && to.sizes == from.sizes;
        let is_new = graph.writes.iter().all(|write| write.input != input && write.input != seen);
        if node.target != COPY || !fits || !is_new {
            return None;
        }
        let mut write = Write { input, value };
        if matches!(graph.tensors[seen].op, Op::Input(_)) {
            // By the time of the writes that input may have changed, too.
            let copy = tir::TensorData { op: Op::Convert(value), origin: id, ..to.clone() };
            write.value = self.b.graph.tensors.push(copy);
        }
        self.b.graph.writes.push(write);
        Some(Value::Tensor(input))
    }

    fn tensor_of(&self, arg: &fx::Arg) -> Option<Tensor> {
        match self.values[arg.as_node()?].as_ref()? {
            Value::Tensor(t) => Some(*t),
            Value::Object(_) | Value::Plain(_) | Value::Tuple(_) => None,
        }
    }

    /// Decomposes an operator with a small window into primitives, unless a library has to do it.
    fn windowed(&mut self, id: NodeId, overload: Aten) -> Result<Value, Unhandled> {
        let node = &self.graph[id];
        let no = || Unhandled::Fallback("a library's".to_owned());
        let tuple = matches!(node.meta, Some(Meta::Tuple(_)));
        let rule = window::rule(overload, &self.config.target)
            .filter(|_| !tuple || self.takes_first_only(id))
            .ok_or_else(no)?;
        let promises = self.promises(id).ok().flatten().ok_or_else(no)?;
        self.check_dtypes(id, &promises)?;
        let bound = overload.bind(&node.args, &node.kwargs).map_err(|_| no())?;
        let args = Args { bound: &bound, values: &self.values, results: &promises };
        let before = self.b.graph.tensors.len();
        let mut results = vec![Some(rule(&mut self.b, &args).map_err(|_| no())?)];
        results.resize(promises.len(), None);
        self.finish(before, &results, &promises, tuple)
    }

    /// True if nothing takes any but the first of a node's results.
    fn takes_first_only(&self, id: NodeId) -> bool {
        let is_first = |user: &NodeId| {
            let user = &self.graph[*user];
            user.target == "operator.getitem" && user.args.get(1).and_then(fx::Arg::as_int) == Some(0)
        };
        self.users[id].iter().all(|user| is_first(user) || self.users[*user].is_empty())
    }

    /// The tensor in memory of its own, where an operator that is no view finds its result in one of its operands: the
    /// sum of one element, the first power. Of constants and positions only one with other strides than promised.
    fn own(&mut self, t: Tensor, before: usize, promise: Option<&Promise>) -> Tensor {
        let tensors = &self.b.graph.tensors;
        let mut from = t;
        while let Op::View(x, _) = tensors[from].op
            && from.as_u32() as usize >= before
        {
            from = x;
        }
        let is_apart = from.as_u32() as usize >= before || tensors[from].op.is_free();
        if is_apart && promise.is_none_or(|promise| self.b.lies_as(t, promise)) {
            return t;
        }
        let (sizes, dtype) = (Dims::from_slice(self.b.sizes(t)), self.b.dtype(t));
        self.b.push(Op::Convert(t), dtype, &sizes)
    }

    /// Checks what a rule has built and its results against what the graph promises, and hands on the promised strides.
    fn finish(
        &mut self,
        before: usize,
        results: &[Option<Tensor>],
        promises: &[Option<Promise>],
        tuple: bool,
    ) -> Result<Value, Unhandled> {
        self.check_domains(before)?;
        let mut values = Vec::with_capacity(results.len());
        for (result, promise) in results.iter().zip(promises) {
            let (Some(t), Some(promise)) = (*result, promise) else {
                values.push(None);
                continue;
            };
            let t = self.b.convert(t, promise.dtype);
            if self.b.sizes(t) != promise.sizes.as_slice() {
                let [got, want] = [self.b.sizes(t), &promise.sizes].map(|sizes| {
                    let texts = sizes.iter().map(|&n| self.b.graph.pool.display(n).to_string());
                    texts.collect::<Vec<_>>().join(", ")
                });
                return Err(Unhandled::Fallback(format!("rule gives sizes [{got}], not [{want}]")));
            }
            let is_new = t.as_u32() as usize >= before;
            let data = &mut self.b.graph.tensors[t];
            if is_new && data.strides.is_none() {
                data.strides = Some(promise.strides.clone());
            }
            values.push(Some(Value::Tensor(t)));
        }
        match (tuple, values.len()) {
            (false, 1) => values.swap_remove(0).ok_or_else(|| Unhandled::Fallback("no result".to_owned())),
            _ => Ok(Value::Tuple(values)),
        }
    }

    /// Refuses a primitive on elements on which it is not defined: rules that say nothing of dtypes are made for those
    /// on which all their primitives are.
    fn check_domains(&self, before: usize) -> Result<(), Unhandled> {
        for data in self.b.graph.tensors.values().skip(before) {
            let Op::Map(op, operands) = &data.op else { continue };
            let dtype = self.b.dtype(*operands.last().expect("a primitive has an operand"));
            if !op.domain().contains(dtype) {
                return Err(Unhandled::Fallback(format!("{op} on {dtype}")));
            }
        }
        Ok(())
    }

    /// The promised shapes of a node's results; `None` if it gives something else than tensors.
    fn promises(&mut self, id: NodeId) -> Result<Option<Vec<Option<Promise>>>, Error> {
        let graph = self.graph;
        let mut one = |meta: &Option<Meta>| match meta {
            Some(Meta::Tensor(meta)) => self.promise(id, meta).map(Some),
            _ => Ok(None),
        };
        match &graph[id].meta {
            Some(Meta::Tuple(items)) => items.iter().map(one).collect::<Result<_, _>>().map(Some),
            meta @ Some(Meta::Tensor(_)) => Ok(Some(vec![one(meta)?])),
            _ => Ok(None),
        }
    }

    /// Kernels and planned memory are on one device.
    fn check_device(&self, id: NodeId) -> Result<(), Unhandled> {
        let kind = self.config.options.device.kind;
        match metas(self.graph, id).iter().find(|m| m.device.kind != kind) {
            Some(meta) => Err(Unhandled::Fallback(format!("a tensor on {}", meta.device))),
            None => Ok(()),
        }
    }

    fn check_dtypes(&self, id: NodeId, promises: &[Option<Promise>]) -> Result<(), Unhandled> {
        let metas = metas(self.graph, id);
        let mut dtypes = metas.iter().map(|m| m.dtype).chain(promises.iter().flatten().map(|p| p.dtype));
        match dtypes.find(|d| !self.config.target.dtypes.contains(d)) {
            Some(dtype) => Err(Unhandled::Fallback(format!("dtype {dtype}"))),
            None => Ok(()),
        }
    }

    fn call(&mut self, id: NodeId, kind: CallKind, library: Option<Extern>) -> Result<Value, Error> {
        let node = &self.graph[id];
        let call = self.b.graph.calls.next_key();
        let args = node.args.iter().map(|a| self.call_arg(id, a)).collect::<Result<_, _>>()?;
        let kwargs =
            node.kwargs.iter().map(|(k, a)| Ok((k.clone(), self.call_arg(id, a)?))).collect::<Result<_, Error>>()?;
        let (value, results, tuple) = self.call_results(id, call)?;
        let overload = node.op();
        let is_random = overload.is_none_or(|op| op.traits().random);
        let ordered =
            library.map_or(is_random, |kind| kind == Extern::Random || (kind == Extern::Function && is_random));
        let planned = library == Some(Extern::MatMul);
        let target = node.target.clone();
        let call = calls::Call { target, node: id, args, kwargs, results, tuple, kind };
        self.b.graph.calls.push(Call { call, planned, ordered });
        Ok(value)
    }

    fn call_arg(&self, id: NodeId, arg: &fx::Arg) -> Result<tir::Arg, Error> {
        Ok(match arg {
            fx::Arg::Node(n) => match self.values[*n].as_ref().ok_or(Error::Unresolved { node: id })? {
                Value::Tensor(t) => tir::Arg::Tensor(*t),
                Value::Object(o) => tir::Arg::Object(*o),
                Value::Plain(p) => tir::Arg::Plain(p.clone()),
                Value::Tuple(_) => return Err(Error::Unresolved { node: id }),
            },
            fx::Arg::List(items) | fx::Arg::Tuple(items) => {
                let mut has_node = false;
                arg.for_each_node(&mut |_| has_node = true);
                if !has_node {
                    return Ok(tir::Arg::Plain(arg.clone()));
                }
                tir::Arg::List(items.iter().map(|a| self.call_arg(id, a)).collect::<Result<_, _>>()?)
            }
            other => {
                let mut has_node = false;
                other.for_each_node(&mut |_| has_node = true);
                if has_node {
                    return Err(Error::Unresolved { node: id });
                }
                tir::Arg::Plain(other.clone())
            }
        })
    }

    fn call_results(&mut self, id: NodeId, call: tir::CallId) -> Result<(Value, Vec<CallResult<Tensor>>, bool), Error> {
        match &self.graph[id].meta {
            Some(Meta::Tuple(items)) => {
                let mut values = Vec::new();
                let mut outs = Vec::new();
                for (number, meta) in items.iter().enumerate() {
                    let (value, out) = self.call_result(id, call, number, meta.as_ref())?;
                    values.push(value);
                    outs.push(out);
                }
                Ok((Value::Tuple(values), outs, true))
            }
            meta => {
                let (value, out) = self.call_result(id, call, 0, meta.as_ref())?;
                Ok((value.unwrap_or(Value::Plain(fx::Arg::None)), vec![out], false))
            }
        }
    }

    fn call_result(
        &mut self,
        id: NodeId,
        call: tir::CallId,
        number: usize,
        meta: Option<&Meta>,
    ) -> Result<(Option<Value>, CallResult<Tensor>), Error> {
        Ok(match meta {
            Some(Meta::Tensor(meta)) if self.promise(id, meta).is_ok() => {
                let t = self.leaf(id, Op::Result(call, number), meta)?;
                (Some(Value::Tensor(t)), CallResult::Tensor(t))
            }
            Some(Meta::Plain(fx::Arg::None)) => (Some(Value::Plain(fx::Arg::None)), CallResult::Unused),
            _ => {
                let object = self.b.graph.objects.push(call);
                (Some(Value::Object(object)), CallResult::Object(object))
            }
        })
    }

    /// An output of one value whose promised strides repeat elements, as a view that does: a view of such a tensor is
    /// built as a tensor of that value.
    fn spread_again(&mut self, t: Tensor) -> Tensor {
        let data = self.b.graph.tensors[t].clone();
        let Some(strides) = data.strides.filter(|_| matches!(data.op, Op::Full(_))) else { return t };
        let repeats = |at: usize| strides[at] == Expr::ZERO && data.sizes[at] != Expr::ONE;
        if !(0..strides.len()).any(repeats) {
            return t;
        }
        let once = |at: usize| if repeats(at) { Expr::ONE } else { data.sizes[at] };
        let sizes: Dims = (0..strides.len()).map(once).collect();
        let base = self.b.push(data.op, data.dtype, &sizes);
        self.b.graph.tensors[base].strides = Some(strides.clone());
        let spread = self.b.push(Op::View(base, View::Expand), data.dtype, &data.sizes);
        self.b.graph.tensors[spread].strides = Some(strides);
        spread
    }

    fn output(&mut self, id: NodeId) -> Result<(), Error> {
        let arg = self.graph[id].args.first().ok_or(Error::NoOutput)?;
        let items = match arg {
            fx::Arg::Tuple(items) | fx::Arg::List(items) => items.clone(),
            single => vec![single.clone()],
        };
        for item in &items {
            let output = match item {
                fx::Arg::Node(n) => match self.values[*n].clone().ok_or(Error::Unresolved { node: id })? {
                    Value::Tensor(t) => Output::Tensor(self.spread_again(t)),
                    Value::Object(o) => Output::Object(o),
                    Value::Plain(p) => Output::Plain(p),
                    Value::Tuple(_) => return Err(Error::Unresolved { node: id }),
                },
                other => Output::Plain(other.clone()),
            };
            self.b.graph.outputs.push(output);
        }
        Ok(())
    }
}

/// The one in-place operator that functionalisation leaves in a graph: `copy_` to an input.
pub(crate) const COPY: Aten = Aten::copy__default;

/// True for an operator whose results share memory with an operand.
fn shares(overload: Aten) -> bool {
    overload.is_view() || overload.traits().alias == Some(Aliasing::Shares)
}

/// The reason why a node was not rewritten.
enum Unhandled {
    Extern(Extern),
    Fallback(String),
    Error(Error),
}

impl From<Unsupported> for Unhandled {
    fn from(refused: Unsupported) -> Unhandled {
        match refused {
            Unsupported::Case(reason) => Unhandled::Fallback(reason),
            Unsupported::Library(kind) => Unhandled::Extern(kind),
        }
    }
}

/// The results of an operator, where none of them has an element.
fn nothing(b: &mut Builder, overload: Aten, promises: &[Option<Promise>], tuple: bool) -> Option<Value> {
    let is_empty = |promise: &Option<Promise>| promise.as_ref().is_some_and(|p| p.sizes.contains(&Expr::ZERO));
    if overload.is_view() || promises.is_empty() || !promises.iter().all(is_empty) {
        return None;
    }
    let values = promises.iter().flatten().map(|promise| {
        let t = b.full(0.0, promise.dtype, &promise.sizes);
        b.graph.tensors[t].strides = Some(promise.strides.clone());
        Some(Value::Tensor(t))
    });
    let mut values: Vec<Option<Value>> = values.collect();
    if tuple { Some(Value::Tuple(values)) } else { values.swap_remove(0) }
}

/// Metadata of a node's tensor operands.
fn metas(graph: &Graph, id: NodeId) -> Vec<&TensorMeta> {
    let mut metas = Vec::new();
    let node = &graph[id];
    for arg in node.args.iter().chain(node.kwargs.iter().map(|(_, a)| a)) {
        arg.for_each_node(&mut |n| {
            if let Some(Meta::Tensor(meta)) = &graph[n].meta {
                metas.push(meta);
            }
        });
    }
    if let Some(Meta::Tensor(meta)) = &node.meta {
        metas.push(meta);
    }
    metas
}
