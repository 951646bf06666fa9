//! Appends calls to a graph and infers what they give.

use fx::aten::{Aten, Bound};
use fx::composites::{self, Builder};
use fx::infer::sizes::Sizes;
use fx::{Arg, Graph, Kind, Meta, NodeId, Target, infer};
use symshapes::{DType, Expr, TensorMeta};

/// The outcome of a step, or why the graph cannot be differentiated, in words.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// A graph that grows.
pub(crate) struct Build {
    pub(crate) graph: Graph,
}

impl Build {
    /// Appends a call of an overload.
    pub(crate) fn call(&mut self, op: Aten, args: Vec<Arg>) -> Outcome<NodeId> {
        self.call_named(op, args, Vec::new())
    }

    /// [`Build::call`] with keyword arguments.
    pub(crate) fn call_named(&mut self, op: Aten, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Outcome<NodeId> {
        let call = self.graph.push(Kind::CallFunction, op, args, kwargs, None);
        let meta = infer::node(&mut self.graph, call).map_err(|error| error.to_string())?;
        self.graph[call].meta = Some(meta);
        Ok(call)
    }

    /// Appends a call of an element-wise operator of one tensor, of floats, whose result lies as that of others.
    pub(crate) fn elementwise(&mut self, op: Aten, args: Vec<Arg>, of: NodeId) -> Outcome<NodeId> {
        let call = self.call(Aten::neg_default, vec![Arg::Node(of)])?;
        let node = &mut self.graph[call];
        (node.target, node.args) = (op.into(), args);
        Ok(call)
    }

    /// The tensor that a call with several results gives at a place.
    pub(crate) fn pick(&mut self, call: NodeId, place: usize) -> Outcome<NodeId> {
        let Some(Meta::Tuple(items)) = &self.graph[call].meta else { return Err("a pick from one tensor".to_owned()) };
        let meta = items.get(place).cloned().flatten().ok_or_else(|| "a result that is not there".to_owned())?;
        let args = vec![Arg::Node(call), Arg::Int(place as i64)];
        let pick = self.graph.push(Kind::CallFunction, "operator.getitem", args, Vec::new(), None);
        self.graph[pick].meta = Some(meta);
        Ok(pick)
    }

    /// The metadata of a tensor.
    pub(crate) fn tensor(&self, node: NodeId) -> Outcome<&TensorMeta> {
        self.graph[node].tensor_meta().ok_or_else(|| format!("`{}` is no tensor", self.graph[node].name))
    }

    /// A size as an argument.
    pub(crate) fn size_arg(&self, size: Expr) -> Arg {
        self.graph.exprs.as_int(size).map_or(Arg::Sym(size), Arg::Int)
    }

    /// An argument of a call in a graph, in which integers that its nodes give are expressions.
    pub(crate) fn with_expressions(&self, of: &Graph, arg: &Arg) -> Arg {
        arg.map_nodes(&mut |node| match of[node].meta {
            Some(Meta::Int(expr)) => self.size_arg(expr),
            _ => Arg::Node(node),
        })
    }

    /// The sizes of a tensor as an argument.
    pub(crate) fn sizes(&self, node: NodeId) -> Outcome<Arg> {
        let sizes = &self.tensor(node)?.sizes;
        Ok(Arg::List(sizes.iter().map(|&size| self.size_arg(size)).collect()))
    }

    /// A size of a tensor.
    pub(crate) fn size(&self, node: NodeId, dim: usize) -> Outcome<Expr> {
        let size = self.tensor(node)?.sizes.get(dim).copied();
        size.ok_or_else(|| "a dimension that is not there".to_owned())
    }

    /// A size that is no symbol.
    pub(crate) fn constant_size(&self, node: NodeId, dim: usize) -> Outcome<i64> {
        self.graph.exprs.as_int(self.size(node, dim)?).ok_or_else(|| "a symbolic size".to_owned())
    }

    /// An integer argument as an expression; `None` for anything else.
    pub(crate) fn expr(&mut self, arg: &Arg) -> Option<Expr> {
        match arg {
            Arg::Int(int) => Some(self.graph.exprs.int(*int)),
            Arg::Sym(expr) => Some(*expr),
            _ => None,
        }
    }

    /// The product of sizes.
    pub(crate) fn product(&mut self, sizes: impl IntoIterator<Item = Expr>) -> Expr {
        sizes.into_iter().fold(Expr::ONE, |product, size| self.graph.exprs.mul(product, size))
    }

    /// The number of dimensions of a tensor.
    pub(crate) fn rank(&self, node: NodeId) -> Outcome<usize> {
        Ok(self.tensor(node)?.sizes.len())
    }

    /// A dimension of a tensor, counted from the front.
    pub(crate) fn dim(&self, node: NodeId, dim: i64) -> Outcome<usize> {
        fx::aten::wrap_dim(dim, self.rank(node)?).ok_or_else(|| "a dimension out of range".to_owned())
    }

    /// Row-major zeros of a tensor's sizes and element type.
    pub(crate) fn zeros(&mut self, node: NodeId) -> Outcome<NodeId> {
        let (sizes, meta) = (self.sizes(node)?, self.tensor(node)?);
        let kwargs =
            vec![("dtype".to_owned(), Arg::DType(meta.dtype)), ("device".to_owned(), Arg::Device(meta.device))];
        self.call_named(Aten::full_default, vec![sizes, Arg::Int(0)], kwargs)
    }

    /// A tensor in another shape of as many elements.
    pub(crate) fn reshape(&mut self, node: NodeId, sizes: Arg) -> Outcome<NodeId> {
        if self.sizes(node)? == sizes {
            return Ok(node);
        }
        self.call(Aten::reshape_default, vec![Arg::Node(node), sizes])
    }

    /// A tensor in another element type.
    pub(crate) fn cast(&mut self, node: NodeId, dtype: DType) -> Outcome<NodeId> {
        if self.tensor(node)?.dtype == dtype {
            return Ok(node);
        }
        self.call_named(Aten::_to_copy_default, vec![Arg::Node(node)], vec![("dtype".to_owned(), Arg::DType(dtype))])
    }

    /// A tensor summed over the dimensions along which one of these sizes was broadcast to it.
    pub(crate) fn sum_to(&mut self, node: NodeId, sizes: &[Expr]) -> Outcome<NodeId> {
        let from = self.tensor(node)?.sizes.clone();
        let leading = from.len().checked_sub(sizes.len()).ok_or_else(|| "a gradient of lower rank".to_owned())?;
        for (&size, &wanted) in from[leading..].iter().zip(sizes).filter(|(size, wanted)| size != wanted) {
            let is_equal = self.graph.exprs.eq(size, wanted);
            if wanted != Expr::ONE && self.graph.exprs.as_bool(is_equal) != Some(true) {
                return Err("a size that is not known to be its gradient's".to_owned());
            }
        }
        let is_summed = |&dim: &usize| dim < leading || (sizes[dim - leading] == Expr::ONE && from[dim] != Expr::ONE);
        let dims: Vec<Arg> = (0..from.len()).filter(is_summed).map(|dim| Arg::Int(dim as i64)).collect();
        let mut node = node;
        if !dims.is_empty() {
            node = self.call(Aten::sum_dim_IntList, vec![Arg::Node(node), Arg::List(dims), Arg::Bool(true)])?;
        }
        let wanted = Arg::List(sizes.iter().map(|&size| self.size_arg(size)).collect());
        if self.tensor(node)?.sizes == sizes {
            return Ok(node);
        }
        self.reshape(node, wanted)
    }
}

impl Builder for Build {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn exprs(&mut self) -> Sizes<'_> {
        Sizes::Proved(&mut self.graph.exprs)
    }

    fn append(&mut self, target: Target, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> composites::Outcome {
        let call = self.graph.push(Kind::CallFunction, target, args, kwargs, None);
        let meta = infer::node(&mut self.graph, call)?;
        self.graph[call].meta = Some(meta);
        Ok(call)
    }
}

/// The tensor that a call is given.
pub(crate) fn node(a: &Bound, name: &str) -> Outcome<NodeId> {
    a.node(name).ok_or_else(|| format!("`{name}` is no tensor"))
}
