//! Random graphs of ATen calls. A graph of fewer nodes with the same seed is the beginning of one with more.
//!
//! Floats that come of sums are not compared with each other or made integers: there the last bit decides.

use crate::rng::Rng;
use fx::{Arg, Graph, Meta, NodeId, TensorMeta};
use symshapes::{DType, Device, Expr};

const SIZES: &[i64] = &[1, 2, 3, 5, 8, 16, 17];
const UNARY: &[&str] = &["neg", "abs", "relu", "sigmoid", "tanh", "gelu", "sin", "silu"];
const BINARY: &[&str] = &["add.Tensor", "sub.Tensor", "mul.Tensor", "maximum.default", "minimum.default"];

/// A graph of about `size` calls; all that nothing uses is returned.
pub(crate) fn graph(seed: u64, size: usize) -> Graph {
    let mut make = Make { rng: Rng(seed), graph: Graph::new(), values: Vec::new() };
    let (a, b) = (make.rng.pick(SIZES), make.rng.pick(SIZES));
    let inputs: [(&str, DType, &[i64]); 5] = [
        ("x", DType::F32, &[a, b]),
        ("y", DType::F32, &[b]),
        ("z", DType::F32, &[3, a, b]),
        ("k", DType::I64, &[a, b]),
        ("c", DType::Bool, &[a, 1]),
    ];
    inputs.into_iter().for_each(|(name, dtype, sizes)| make.input(name, dtype, sizes));
    (0..size).for_each(|_| make.node());
    let users = make.graph.users();
    let unused = make.values.iter().skip(5).filter(|n| users[**n].is_empty()).map(|&n| Arg::Node(n)).collect();
    make.graph.output(Arg::Tuple(unused));
    make.graph
}

struct Make {
    rng: Rng,
    graph: Graph,
    values: Vec<NodeId>,
}

impl Make {
    fn input(&mut self, name: &str, dtype: DType, sizes: &[i64]) {
        let node = self.graph.placeholder(name);
        let exprs = &mut self.graph.exprs;
        let sizes: Vec<Expr> = sizes.iter().map(|&v| exprs.int(v)).collect();
        let strides = inductor::tensor_ir::contiguous_strides(exprs, &sizes).to_vec();
        let offset = Expr::ZERO;
        let meta = TensorMeta { dtype, device: Device::CPU, sizes, strides, offset, requires_grad: false };
        self.graph[node].meta = Some(Meta::Tensor(meta));
        self.values.push(node);
    }

    fn sizes(&self, node: NodeId) -> Vec<i64> {
        let sizes = self.graph[node].tensor_meta().map(|m| m.sizes.as_slice()).unwrap_or_default();
        sizes.iter().map(|&e| self.graph.exprs.as_int(e).expect("sizes are numbers")).collect()
    }

    /// A value of this dtype, recent ones rather than old ones.
    fn value(&mut self, dtype: DType) -> NodeId {
        let is_one = |n: &&NodeId| self.graph[**n].tensor_meta().is_some_and(|m| m.dtype == dtype);
        let all: Vec<NodeId> = self.values.iter().filter(is_one).copied().collect();
        let recent = if self.rng.one_in(2) { all.len().min(3) } else { all.len() };
        all[all.len() - 1 - self.rng.below(recent)]
    }

    /// Adds a call if its shapes fit; the value, or its first part.
    fn call(&mut self, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) {
        let node = self.graph.call_function(format!("aten.{target}"), args, kwargs);
        match fx::infer::node(&mut self.graph, node) {
            Ok(meta) => {
                let is_tuple = matches!(meta, Meta::Tuple(_));
                self.graph[node].meta = Some(meta);
                let value = if is_tuple { self.first(node) } else { node };
                self.values.push(value);
            }
            Err(_) => self.graph.erase(node).expect("nothing uses it yet"),
        }
    }

    fn first(&mut self, tuple: NodeId) -> NodeId {
        let node = self.graph.call_function("operator.getitem", vec![tuple.into(), 0.into()], vec![]);
        self.graph[node].meta = fx::infer::node(&mut self.graph, node).ok();
        node
    }

    fn node(&mut self) {
        let kind = self.rng.below(16);
        let dtype = if matches!(kind, 1 | 3..=9) && self.rng.one_in(4) { DType::I64 } else { DType::F32 };
        let x = self.value(dtype);
        let sizes = self.sizes(x);
        let rank = sizes.len() as i64;
        let dim = if rank == 0 { 0 } else { self.rng.below(rank as usize) };
        let len = sizes.get(dim).copied().unwrap_or(1);
        let (at, to) = (self.rng.between(0, (len - 1).max(0)), Arg::Int(dim as i64));
        match kind {
            // A scalar has nothing to slice, join or pad.
            6..=8 if rank == 0 => {}
            0 => {
                let op = self.rng.pick(UNARY);
                self.call(&format!("{op}.default"), vec![x.into()], vec![]);
            }
            1 | 2 => {
                let (op, y) = (self.rng.pick(BINARY), self.value(dtype));
                self.call(op, vec![x.into(), y.into()], vec![]);
            }
            3 => {
                let mut dims: Vec<i64> = (0..rank).collect();
                dims.rotate_left(dim);
                self.call("permute.default", vec![x.into(), ints(&dims)], vec![]);
            }
            4 => {
                let merged = [&[-1], sizes.get(2..).unwrap_or_default()].concat();
                self.call("reshape.default", vec![x.into(), ints(&merged)], vec![]);
            }
            5 => self.call("expand.default", vec![x.into(), ints(&[&[2], sizes.as_slice()].concat())], vec![]),
            6 => {
                let step = self.rng.between(1, 2);
                self.call("slice.Tensor", vec![x.into(), to, at.into(), len.into(), step.into()], vec![]);
            }
            7 => {
                let other = self.value(dtype);
                // The shape rules leave it to eager to refuse parts that do not fit.
                let y = if self.sizes(other) == sizes { other } else { x };
                self.call("cat.default", vec![Arg::List(vec![x.into(), y.into(), x.into()]), to], vec![]);
            }
            8 => {
                let pad = [self.rng.between(0, 2), self.rng.between(-1, 2)];
                self.call("constant_pad_nd.default", vec![x.into(), ints(&pad), 1.into()], vec![]);
            }
            9 => {
                let keep = self.rng.one_in(2);
                self.call("sum.dim_IntList", vec![x.into(), ints(&[dim as i64]), keep.into()], vec![]);
            }
            10 => self.call("amax.default", vec![x.into(), ints(&[dim as i64])], vec![]),
            11 => self.call("_softmax.default", vec![x.into(), to, false.into()], vec![]),
            12 => {
                let shape = ints(&sizes[sizes.len().saturating_sub(1)..]);
                self.call("native_layer_norm.default", vec![x.into(), shape, Arg::None, Arg::None, 0.1.into()], vec![]);
            }
            13 => {
                let (c, y) = (self.value(DType::Bool), self.value(DType::F32));
                self.call("where.self", vec![c.into(), x.into(), y.into()], vec![]);
            }
            14 => {
                let (k, l) = (self.value(DType::I64), self.value(DType::I64));
                self.call("lt.Tensor", vec![k.into(), l.into()], vec![]);
            }
            _ => {
                let k = self.value(DType::I64);
                self.call("_to_copy.default", vec![k.into()], vec![("dtype".to_owned(), DType::F32.into())]);
            }
        }
    }
}

fn ints(values: &[i64]) -> Arg {
    Arg::List(values.iter().map(|&v| Arg::Int(v)).collect())
}
