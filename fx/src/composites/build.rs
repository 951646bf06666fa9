//! Appends the parts of a composite to a graph, and infers what each of them gives.

use crate::{
    arg::Arg,
    aten::{Aten, Bound},
    graph::{Graph, Meta, NodeId},
    infer::{self, InferError, sizes::Sizes, strides},
    target::Target,
};
use symshapes::{DType, DTypeClass, DeviceKind, Expr, TensorMeta};

/// The outcome of an expansion.
pub type Outcome<T = NodeId> = Result<T, InferError>;

/// A graph that grows, with whoever answers questions about its sizes.
pub trait Builder {
    /// The graph.
    fn graph(&self) -> &Graph;

    /// The expressions of its sizes.
    fn exprs(&mut self) -> Sizes<'_>;

    /// Appends a call of an overload, or a pick from one with several results, and infers its metadata.
    ///
    /// # Errors
    /// The call has no rule, or torch would reject it.
    fn append(&mut self, target: Target, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Outcome;
}

/// One composite call under expansion: its bound arguments, and the graph that gets its parts.
pub(super) struct Parts<'a> {
    pub(super) bound: &'a Bound<'a>,
    builder: &'a mut dyn Builder,
}

impl Parts<'_> {
    pub(super) fn new<'a>(bound: &'a Bound<'a>, builder: &'a mut dyn Builder) -> Parts<'a> {
        Parts { bound, builder }
    }

    /// An error that says which case has no expansion.
    pub(super) fn unsupported(&self, what: &str) -> InferError {
        InferError::Unsupported { op: self.bound.op().name().to_owned(), what: what.to_owned() }
    }

    /// An error that says why torch rejects the call.
    pub(super) fn rejected(&self, what: &'static str) -> InferError {
        InferError::Rejected { op: self.bound.op().name().to_owned(), what }
    }

    fn undecided(&self, what: &'static str) -> InferError {
        InferError::Undecided { op: self.bound.op().name().to_owned(), what }
    }

    /// Continues where a condition holds; else torch rejects the call.
    pub(super) fn demand(&self, holds: bool, what: &'static str) -> Outcome<()> {
        if holds { Ok(()) } else { Err(self.rejected(what)) }
    }

    /// The argument of a parameter.
    pub(super) fn arg(&self, name: &str) -> Arg {
        self.bound.get(name).clone()
    }

    /// The arguments of parameters.
    pub(super) fn args(&self, names: &[&str]) -> Vec<Arg> {
        names.iter().map(|name| self.arg(name)).collect()
    }

    pub(super) fn int(&self, name: &str) -> Outcome<i64> {
        Ok(self.bound.int(name)?)
    }

    pub(super) fn bool(&self, name: &str) -> Outcome<bool> {
        Ok(self.bound.bool(name)?)
    }

    pub(super) fn float(&self, name: &str) -> Outcome<f64> {
        Ok(self.bound.float(name)?)
    }

    /// The tensor that the call is given for a parameter.
    pub(super) fn node(&self, name: &str) -> Outcome {
        let node = self.bound.node(name).filter(|&node| self.builder.graph()[node].tensor_meta().is_some());
        node.ok_or_else(|| self.unsupported("an operand that is no tensor"))
    }

    /// The tensors of a list.
    pub(super) fn nodes(&self, name: &str) -> Outcome<Vec<NodeId>> {
        let nodes: Option<Vec<NodeId>> = self.bound.nodes(name)?.into_iter().collect();
        let nodes = nodes.filter(|nodes| nodes.iter().all(|&node| self.builder.graph()[node].tensor_meta().is_some()));
        nodes.ok_or_else(|| self.unsupported("a list of other than tensors"))
    }

    /// A tensor's metadata.
    pub(super) fn meta(&self, node: NodeId) -> Outcome<&TensorMeta> {
        self.builder.graph()[node].tensor_meta().ok_or_else(|| self.unsupported("a part that gives no tensor"))
    }

    pub(super) fn rank(&self, node: NodeId) -> Outcome<usize> {
        Ok(self.meta(node)?.sizes.len())
    }

    pub(super) fn dtype(&self, node: NodeId) -> Outcome<DType> {
        Ok(self.meta(node)?.dtype)
    }

    pub(super) fn is_complex(&self, node: NodeId) -> Outcome<bool> {
        Ok(self.dtype(node)?.class() == DTypeClass::Complex)
    }

    /// Continues for tensors of the processor: on other devices, torch may choose another kernel.
    pub(super) fn on_cpu(&self, node: NodeId) -> Outcome<()> {
        let is_on_cpu = self.meta(node)?.device.kind == DeviceKind::Cpu;
        if is_on_cpu { Ok(()) } else { Err(self.unsupported("a device")) }
    }

    /// True if the strides of a tensor suggest channels last for results.
    pub(super) fn suggests_channels_last(&mut self, node: NodeId) -> Outcome<bool> {
        let meta = self.meta(node)?.clone();
        let suggests = strides::suggests_channels_last(&mut self.pool(), &meta);
        suggests.ok_or_else(|| self.undecided("the memory format"))
    }

    /// The sizes of a tensor.
    pub(super) fn sizes_of(&self, node: NodeId) -> Outcome<Vec<Expr>> {
        Ok(self.meta(node)?.sizes.clone())
    }

    /// A dimension of a tensor of this rank, counted from the front.
    pub(super) fn wrap(&self, dim: i64, rank: usize) -> Outcome<usize> {
        Ok(self.bound.wrap(dim, rank)?)
    }

    /// The integers of a list, or one integer, as expressions.
    pub(super) fn exprs(&mut self, name: &str) -> Outcome<Vec<Expr>> {
        let arg = self.bound.get(name);
        let items = self.bound.list(name).unwrap_or(std::slice::from_ref(arg));
        let exprs: Option<Vec<Expr>> = items.iter().map(|item| self.expr_of(item)).collect();
        exprs.ok_or_else(|| self.unsupported("a size that is no integer"))
    }

    fn expr_of(&mut self, arg: &Arg) -> Option<Expr> {
        let meta = arg.as_node().and_then(|node| self.builder.graph()[node].meta.clone());
        infer::int_of(&mut self.pool(), arg, meta.as_ref())
    }

    /// The sizes to which all of several broadcast.
    pub(super) fn broadcast(&mut self, shapes: &[&[Expr]]) -> Outcome<Vec<Expr>> {
        let sizes = self.pool().broadcast(shapes);
        let sizes = sizes.ok_or_else(|| self.undecided("whether two sizes are equal"))?;
        sizes.ok_or_else(|| self.rejected("sizes that do not broadcast"))
    }

    /// The expressions of sizes.
    pub(super) fn pool(&mut self) -> Sizes<'_> {
        self.builder.exprs()
    }

    /// The product of sizes.
    pub(super) fn product(&mut self, sizes: &[Expr]) -> Expr {
        sizes.iter().fold(Expr::ONE, |product, &size| self.pool().mul(product, size))
    }

    /// True if a size is 1.
    pub(super) fn is_one(&mut self, size: Expr) -> Outcome<bool> {
        let is_one = self.pool().is_one(size);
        is_one.ok_or_else(|| self.undecided("whether a size is 1"))
    }

    /// True if two sizes are equal.
    pub(super) fn are_equal(&mut self, a: Expr, b: Expr) -> Outcome<bool> {
        let is_equal = self.pool().is_equal(a, b);
        is_equal.ok_or_else(|| self.undecided("whether two sizes are equal"))
    }

    /// The value of a size that decides which parts there are.
    pub(super) fn value(&mut self, size: Expr) -> Outcome<i64> {
        let value = self.pool().value(size);
        value.ok_or_else(|| self.undecided("a size that decides what is computed"))
    }

    /// A size as an argument.
    pub(super) fn size_arg(&mut self, size: Expr) -> Arg {
        self.pool().as_int(size).map_or(Arg::Sym(size), Arg::Int)
    }

    /// Sizes as an argument.
    pub(super) fn size_args(&mut self, sizes: &[Expr]) -> Arg {
        Arg::List(sizes.iter().map(|&size| self.size_arg(size)).collect())
    }

    /// Appends a call of an overload.
    pub(super) fn call(&mut self, op: Aten, args: impl Into<Vec<Arg>>) -> Outcome {
        self.builder.append(op.into(), args.into(), Vec::new())
    }

    /// Appends a call of an overload with keyword arguments.
    pub(super) fn call_named(&mut self, op: Aten, args: Vec<Arg>, kwargs: &[(&str, Arg)]) -> Outcome {
        let kwargs = kwargs.iter().map(|(name, arg)| ((*name).to_owned(), arg.clone())).collect();
        self.builder.append(op.into(), args, kwargs)
    }

    /// Appends a call of an overload of one tensor.
    pub(super) fn unary(&mut self, op: Aten, of: NodeId) -> Outcome {
        self.call(op, [Arg::Node(of)])
    }

    /// Appends a call of an overload of two tensors.
    pub(super) fn binary(&mut self, op: Aten, a: NodeId, b: NodeId) -> Outcome {
        self.call(op, [Arg::Node(a), Arg::Node(b)])
    }

    /// Appends a call of an overload of a tensor and something else.
    pub(super) fn with(&mut self, op: Aten, of: NodeId, with: impl Into<Arg>) -> Outcome {
        self.call(op, [Arg::Node(of), with.into()])
    }

    /// One of the results of a call.
    pub(super) fn pick(&mut self, call: NodeId, place: usize) -> Outcome {
        self.builder.append("operator.getitem".into(), vec![Arg::Node(call), Arg::Int(place as i64)], Vec::new())
    }

    /// The first result of an overload of these arguments of the call.
    pub(super) fn first(&mut self, op: Aten, names: &[&str]) -> Outcome {
        let call = self.call(op, self.args(names))?;
        self.pick(call, 0)
    }

    /// The results of a call with several.
    pub(super) fn results(&mut self, call: NodeId) -> Outcome<Vec<NodeId>> {
        let Some(Meta::Tuple(items)) = &self.builder.graph()[call].meta else {
            return Err(self.unsupported("a part with one result"));
        };
        (0..items.len()).map(|place| self.pick(call, place)).collect()
    }

    /// A tensor in another shape of as many elements.
    pub(super) fn reshape(&mut self, node: NodeId, sizes: &[Expr]) -> Outcome {
        let sizes = self.size_args(sizes);
        self.with(Aten::reshape_default, node, sizes)
    }

    /// A part of a tensor along a dimension.
    pub(super) fn slice(&mut self, node: NodeId, dim: usize, start: impl Into<Arg>, end: impl Into<Arg>) -> Outcome {
        self.call(Aten::slice_Tensor, [Arg::Node(node), Arg::Int(dim as i64), start.into(), end.into()])
    }

    /// A tensor summed over dimensions, which stay as ones; itself where there are none.
    pub(super) fn summed(&mut self, node: NodeId, dims: &[usize]) -> Outcome {
        if dims.is_empty() {
            return Ok(node);
        }
        let dims = dims.iter().map(|&dim| Arg::Int(dim as i64)).collect();
        self.call(Aten::sum_dim_IntList, [Arg::Node(node), Arg::List(dims), Arg::Bool(true)])
    }

    /// A tensor with its dimensions in another order.
    pub(super) fn permute(&mut self, node: NodeId, dims: &[usize]) -> Outcome {
        let dims = dims.iter().map(|&dim| Arg::Int(dim as i64)).collect();
        self.with(Aten::permute_default, node, Arg::List(dims))
    }

    /// A tensor with some dimensions at other places, the others in their order.
    pub(super) fn move_dims(&mut self, node: NodeId, source: &[usize], destination: &[usize]) -> Outcome {
        let rank = self.rank(node)?;
        let is_distinct = |dims: &[usize]| dims.iter().enumerate().all(|(at, dim)| !dims[..at].contains(dim));
        self.demand(source.len() == destination.len(), "lists of two lengths")?;
        self.demand(is_distinct(source) && is_distinct(destination), "a dimension that is named twice")?;
        let mut rest = (0..rank).filter(|dim| !source.contains(dim));
        let at = |place| destination.iter().position(|&to| to == place).map(|at| source[at]);
        let order: Option<Vec<usize>> = (0..rank).map(|place| at(place).or_else(|| rest.next())).collect();
        let order = order.ok_or_else(|| self.rejected("a dimension out of range"))?;
        self.permute(node, &order)
    }

    /// A tensor in another element type; itself where it is in that already.
    pub(super) fn cast(&mut self, node: NodeId, dtype: DType) -> Outcome {
        if self.dtype(node)? == dtype {
            return Ok(node);
        }
        self.call_named(Aten::_to_copy_default, vec![Arg::Node(node)], &[("dtype", Arg::DType(dtype))])
    }

    /// The mean or sum of losses, or each (`at::Reduction`).
    pub(super) fn reduced(&mut self, losses: NodeId) -> Outcome {
        match self.bound.get("reduction").as_int() {
            Some(0) => Ok(losses),
            Some(1) => self.unary(Aten::mean_default, losses),
            Some(2) => self.unary(Aten::sum_default, losses),
            _ => Err(self.unsupported("a loss of unknown reduction")),
        }
    }
}
