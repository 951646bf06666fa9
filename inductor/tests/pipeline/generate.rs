//! Random graphs of ATen calls, of constant or of symbolic sizes.
//!
//! - A step whose shapes do not fit, or cannot be decided for all values of the symbols, adds nothing.
//! - No dimension can be empty, and tensors stay small: what operators make of nothing is tested elsewhere.
//! - Floats that come of sums are not compared with each other or made integers: there the last bit decides.

mod steps;

use fx::{Arg, Graph, Meta, NodeId, TensorMeta};
use inductor_testing::rng::Rng;
use symshapes::{DType, Device, Expr, Range};

/// Values that symbols take: the least, odd ones, and around the lanes of a vector and multiples of them.
pub(crate) const VALUES: &[i64] = &[2, 3, 7, 8, 16, 17, 33];

/// The symbols of symbolic graphs; each is at least 2.
pub(crate) const SYMBOLS: [&str; 2] = ["s0", "s1"];

/// The kinds of sizes of a graph's inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dims {
    /// Numbers.
    Constant,
    /// Expressions of [`SYMBOLS`], and numbers beside them.
    Symbolic,
}

const SIZES: &[i64] = &[1, 2, 3, 5, 8, 16, 17];

/// The number of tensors that a graph takes.
const INPUTS: usize = 5;

/// The most elements that a tensor has, and the most products that a matrix multiplication takes, where every symbol
/// has the largest of [`VALUES`].
const ELEMENTS: i64 = 1 << 14;

/// A graph of about `size` calls, the same one for the same seed; all that nothing uses is returned.
pub(crate) fn graph(seed: u64, size: usize, dims: Dims) -> Graph {
    let mut make =
        Make { rng: Rng::new(seed), graph: Graph::new(), dims: Vec::new(), values: Vec::new(), ints: Vec::new() };
    make.dims = match dims {
        Dims::Constant => SIZES.iter().map(|&size| make.graph.exprs.int(size)).collect(),
        Dims::Symbolic => make.symbolic(),
    };
    make.add_inputs();
    (0..size).for_each(|_| steps::any(&mut make));
    let mut outputs = make.unused();
    make.writes(&mut outputs);
    make.graph.output(Arg::Tuple(outputs));
    make.graph
}

/// Operators whose results may be their operands, though their schemas do not say so.
const VIEWS_AT_TIMES: [&str; 6] = ["reshape", "flatten", "contiguous", "to", "_unsafe_view", "unsafe_split"];

struct Make {
    rng: Rng,
    graph: Graph,
    /// Sizes to choose from.
    dims: Vec<Expr>,
    /// Tensors.
    values: Vec<NodeId>,
    /// Nodes whose values are sizes, with these.
    ints: Vec<(Expr, NodeId)>,
}

impl Make {
    /// Sizes made of the symbols; the symbols themselves twice as often as the others.
    fn symbolic(&mut self) -> Vec<Expr> {
        let [a, b] = SYMBOLS.map(|name| {
            let sym = self.graph.exprs.symbol(name, Range::new(2, i64::MAX));
            self.graph.exprs.set_hint(sym, self.rng.pick(VALUES));
            self.graph.exprs.sym(sym)
        });
        let pool = &mut self.graph.exprs;
        let derived = [pool.mul_int(a, 2), pool.add(a, b), pool.mul(a, b)];
        [a, a, b, b].into_iter().chain(derived).chain([Expr::ONE, pool.int(3), pool.int(16)]).collect()
    }

    /// The values that no tensor is made of, but for the inputs.
    fn unused(&self) -> Vec<Arg> {
        let users = self.graph.users();
        let is_used = |n: NodeId| users[n].iter().any(|&user| !matches!(self.graph[user].meta, Some(Meta::Int(_))));
        self.values[INPUTS..].iter().filter(|&&n| !is_used(n)).map(|&n| Arg::Node(n)).collect()
    }

    /// Now and then has inputs take values of their dtype and sizes, which are returned, too.
    fn writes(&mut self, outputs: &mut Vec<Arg>) {
        let mut written = Vec::new();
        for at in 0..INPUTS {
            let input = self.values[at];
            let meta = self.graph[input].tensor_meta().cloned();
            let Some(meta) = meta.filter(|meta| !meta.strides.contains(&Expr::ZERO)) else { continue };
            let value = self.like(input);
            // A view of the input that is returned would show the new value.
            let is_seen = outputs.iter().filter_map(Arg::as_node).any(|output| self.viewed(output) == input);
            let is_changed = value == input || written.contains(&self.viewed(value));
            if is_changed || is_seen || !self.rng.one_in(3) {
                continue;
            }
            let args = vec![Arg::Node(input), Arg::Node(value)];
            let node = self.graph.call_function("aten.copy_.default".to_owned(), args, vec![]);
            self.graph[node].meta = Some(Meta::Tensor(meta));
            outputs.push(Arg::Node(node));
            written.push(input);
        }
    }

    /// The base that a value may be a view of; the value itself if it is no view.
    fn viewed(&self, mut node: NodeId) -> NodeId {
        let may_view = |target: &str| {
            let of_aten = fx::aten::Aten::named(target)
                .is_some_and(|op| op.is_view() || VIEWS_AT_TIMES.contains(&op.packet().name()));
            of_aten || target == "operator.getitem"
        };
        while let Some(first) = self.graph[node].args.first().and_then(Arg::as_node)
            && may_view(&self.graph[node].target)
        {
            node = first;
        }
        node
    }

    /// The tensors that the graph takes.
    fn inputs(&self) -> &[NodeId] {
        &self.values[..INPUTS]
    }

    fn add_inputs(&mut self) {
        let (mut a, mut b) = (self.size(), self.size());
        // Where there are symbols, one occurs.
        let is_number = |e| self.graph.exprs.as_int(e).is_some();
        let symbol = self.dims[0];
        if [a, b].into_iter().all(is_number) && !is_number(symbol) {
            *if self.rng.one_in(2) { &mut a } else { &mut b } = symbol;
        }
        let three = self.graph.exprs.int(3);
        let inputs: [(&str, DType, &[Expr]); INPUTS] = [
            ("x", DType::F32, &[a, b]),
            ("y", DType::F32, &[b]),
            ("z", DType::F32, &[three, a, b]),
            ("k", DType::I64, &[a, b]),
            ("c", DType::Bool, &[a, Expr::ONE]),
        ];
        for (name, dtype, sizes) in inputs {
            // Too large a product gets a number for its last factor.
            let sizes: Vec<Expr> = if self.is_small(sizes) {
                sizes.to_vec()
            } else {
                sizes.iter().map(|&s| if s == b { three } else { s }).collect()
            };
            self.input(name, dtype, sizes);
        }
        self.int_inputs();
    }

    fn input(&mut self, name: &str, dtype: DType, sizes: Vec<Expr>) {
        let node = self.graph.placeholder(name);
        let (strides, offset) = (self.strides(&sizes), Expr::ZERO);
        let meta = TensorMeta { dtype, device: Device::CPU, sizes, strides, offset, requires_grad: false };
        self.graph[node].meta = Some(Meta::Tensor(meta));
        self.values.push(node);
    }

    /// Row-major strides, now and then with the dimensions in another order, with rows apart, or with repeated rows.
    fn strides(&mut self, sizes: &[Expr]) -> Vec<Expr> {
        let exprs = &mut self.graph.exprs;
        let mut strides = inductor::tensor_ir::contiguous_strides(exprs, sizes).to_vec();
        match self.rng.below(8) {
            0 => {
                let reversed: Vec<Expr> = sizes.iter().rev().copied().collect();
                strides = inductor::tensor_ir::contiguous_strides(exprs, &reversed).to_vec();
                strides.reverse();
            }
            1 => strides.iter_mut().for_each(|stride| *stride = exprs.mul_int(*stride, 2)),
            2 if sizes[0] != Expr::ONE => strides[0] = Expr::ZERO,
            3 => strides[0] = exprs.add(strides[0], self.dims[0]),
            _ => {}
        }
        strides
    }

    /// Integer inputs for the symbols that are no tensor's size as they are, and now and then for others.
    fn int_inputs(&mut self) {
        let symbols: Vec<_> = SYMBOLS.iter().filter_map(|name| self.graph.exprs.find(name)).collect();
        for sym in symbols {
            let e = self.graph.exprs.sym(sym);
            let is_size = self.values.iter().any(|&x| self.sizes(x).contains(&e));
            if !is_size || self.rng.one_in(4) {
                let name = self.graph.exprs.name(sym).to_owned();
                let node = self.graph.placeholder(&name);
                self.graph[node].meta = Some(Meta::Int(e));
                self.ints.push((e, node));
            }
        }
    }

    /// One of the sizes to choose from.
    fn size(&mut self) -> Expr {
        self.dims[self.rng.below(self.dims.len())]
    }

    /// A size as an argument: a number, a node that gives it if there is one, or the expression.
    fn arg(&mut self, size: Expr) -> Arg {
        let known = self.ints.iter().find(|(e, _)| *e == size).map(|&(_, node)| Arg::Node(node));
        self.graph.exprs.as_int(size).map(Arg::Int).or(known).unwrap_or(Arg::Sym(size))
    }

    fn args(&mut self, sizes: &[Expr]) -> Arg {
        Arg::List(sizes.iter().map(|&size| self.arg(size)).collect())
    }

    fn sizes(&self, node: NodeId) -> Vec<Expr> {
        self.graph[node].tensor_meta().map(|m| m.sizes.clone()).unwrap_or_default()
    }

    fn dtype(&self, node: NodeId) -> Option<DType> {
        self.graph[node].tensor_meta().map(|m| m.dtype)
    }

    /// A value that the condition holds of, recent ones rather than old ones.
    fn find(&mut self, holds: impl Fn(&Make, NodeId) -> bool) -> Option<NodeId> {
        let all: Vec<NodeId> = self.values.iter().copied().filter(|&n| holds(self, n)).collect();
        let recent = if self.rng.one_in(2) { all.len().min(3) } else { all.len() };
        (recent > 0).then(|| all[all.len() - 1 - self.rng.below(recent)])
    }

    /// A value of this dtype; the inputs have one of each.
    fn value(&mut self, dtype: DType) -> NodeId {
        self.find(|make, n| make.dtype(n) == Some(dtype)).unwrap_or(self.values[0])
    }

    /// A value of this one's dtype and sizes: perhaps itself.
    fn like(&mut self, x: NodeId) -> NodeId {
        self.find(|make, n| make.dtype(n) == make.dtype(x) && make.sizes(n) == make.sizes(x)).unwrap_or(x)
    }

    /// True if a tensor of these sizes is neither empty nor large, whatever the symbols' values.
    fn is_small(&self, sizes: &[Expr]) -> bool {
        let exprs = &self.graph.exprs;
        let at_most = |e| exprs.as_int(e).or_else(|| exprs.eval(e, &|_| VALUES.last().copied()));
        let numel = sizes.iter().try_fold(1i64, |numel, &e| numel.checked_mul(at_most(e)?));
        sizes.iter().all(|&e| exprs.range(e).lo >= 1) && numel.is_some_and(|numel| numel <= ELEMENTS)
    }

    /// Adds a call if its shapes fit: its value, or all the parts of that, of which it gives the first.
    fn call(&mut self, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Option<NodeId> {
        let node = self.node(&format!("aten.{target}"), args, kwargs)?;
        let Some(Meta::Tuple(items)) = &self.graph[node].meta else {
            self.values.push(node);
            return Some(node);
        };
        let there: Vec<i64> = (0..).zip(items).filter(|(_, item)| item.is_some()).map(|(number, _)| number).collect();
        let parts: Vec<NodeId> = there.into_iter().filter_map(|number| self.part(node, number)).collect();
        self.values.extend(&parts);
        parts.first().copied()
    }

    /// A part of a tuple.
    fn part(&mut self, tuple: NodeId, part: i64) -> Option<NodeId> {
        self.node("operator.getitem", vec![tuple.into(), part.into()], vec![])
    }

    /// Adds a node if its shapes fit.
    fn node(&mut self, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Option<NodeId> {
        let node = self.graph.call_function(target.to_owned(), args, kwargs);
        let meta = fx::infer::node(&mut self.graph, node).ok().filter(|meta| self.is_welcome(meta));
        if meta.is_none() {
            self.graph.erase(node).expect("nothing uses it yet");
            return None;
        }
        self.graph[node].meta = meta;
        Some(node)
    }

    fn is_welcome(&self, meta: &Meta) -> bool {
        match meta {
            Meta::Tensor(tensor) => self.is_small(&tensor.sizes),
            Meta::Tuple(items) => items.iter().flatten().all(|item| self.is_welcome(item)),
            Meta::Int(_) | Meta::Float(_) | Meta::Bool(_) | Meta::Plain(_) => true,
        }
    }
}
