//! Shape rules on graphs whose sizes are symbols, printed with what was inferred; and the oracle against plain
//! arithmetic on random tensors.

use expect_test::{Expect, expect};
use fx::{Arg, Graph, Meta, NodeId, TensorMeta, infer};
use fx_interp::{self as interp, Tensor, Value};
use proptest::prelude::*;
use symshapes::{DType, Device, EnvOptions, Expr, Range, ShapeEnv};

/// A graph under construction whose first input has a symbolic batch.
struct Builder {
    graph: Graph,
    batch: Expr,
}

impl Builder {
    fn new() -> Builder {
        let mut graph = Graph::new();
        let symbol = graph.exprs.symbol("s0", Range::new(2, i64::MAX));
        let batch = graph.exprs.sym(symbol);
        Builder { graph, batch }
    }

    /// An input of these sizes; 0 stands for the batch.
    fn input(&mut self, name: &str, sizes: &[i64]) -> Arg {
        let id = self.graph.placeholder(name);
        let pool = &mut self.graph.exprs;
        let sizes: Vec<Expr> = sizes.iter().map(|&s| if s == 0 { self.batch } else { pool.int(s) }).collect();
        let strides = infer::strides::contiguous(pool, &sizes);
        let (dtype, device, offset) = (DType::F32, Device::CPU, pool.int(0));
        let meta = TensorMeta { dtype, device, sizes, strides, offset, requires_grad: false };
        self.graph[id].meta = Some(Meta::Tensor(meta));
        Arg::Node(id)
    }

    fn call(&mut self, op: &str, args: Vec<Arg>) -> Arg {
        Arg::Node(self.graph.call_function(format!("aten.{op}"), args, vec![]))
    }

    /// Infers every node and prints what is known of it, or why nothing is.
    fn check(mut self, expected: &Expect) {
        let stopped: Option<(NodeId, infer::InferError)> = infer::fill(&mut self.graph).err();
        let mut text = String::new();
        for id in self.graph.nodes() {
            if let Some(meta) = &self.graph[id].meta {
                text += &format!("{}: {}\n", self.graph[id].name, infer::describe(&self.graph.exprs, meta));
            }
        }
        if let Some((node, error)) = stopped {
            text += &format!("{}: {error}\n", self.graph[node].name);
        }
        expected.assert_eq(&text);
    }
}

fn ints(values: &[i64]) -> Arg {
    Arg::List(values.iter().map(|&v| Arg::Int(v)).collect())
}

#[test]
fn an_attention_block_with_a_symbolic_batch() {
    let mut b = Builder::new();
    let (x, w) = (b.input("x", &[0, 16, 64]), b.input("w", &[64, 192]));
    let rows = b.call("view.default", vec![x.clone(), ints(&[-1, 64])]);
    let qkv = b.call("mm.default", vec![rows, w]);
    let size = b.call("sym_size.int", vec![x.clone(), Arg::Int(0)]);
    let shape = Arg::List(vec![size, Arg::Int(16), Arg::Int(3), Arg::Int(4), Arg::Int(16)]);
    let heads = b.call("view.default", vec![qkv, shape]);
    let heads = b.call("permute.default", vec![heads, ints(&[2, 0, 3, 1, 4])]);
    let q = b.call("select.int", vec![heads.clone(), Arg::Int(0), Arg::Int(0)]);
    let k = b.call("select.int", vec![heads, Arg::Int(0), Arg::Int(-2)]);
    let k = b.call("transpose.int", vec![k, Arg::Int(2), Arg::Int(3)]);
    let scores = b.call("matmul.default", vec![q, k]);
    let weights = b.call("_softmax.default", vec![scores, Arg::Int(-1), Arg::Bool(false)]);
    b.call("sum.dim_IntList", vec![weights, ints(&[0, -1])]);
    b.check(&expect![[r#"
        x: float32[s0, 16, 64](1024, 64, 1)
        w: float32[64, 192](192, 1)
        view: float32[16*s0, 64](64, 1)
        mm: float32[16*s0, 192](192, 1)
        sym_size: int s0
        view_1: float32[s0, 16, 3, 4, 16](3072, 192, 64, 16, 1)
        permute: float32[3, s0, 4, 16, 16](64, 3072, 16, 192, 1)
        select: float32[s0, 4, 16, 16](3072, 16, 192, 1)
        select_1: float32[s0, 4, 16, 16](3072, 16, 192, 1)
        transpose: float32[s0, 4, 16, 16](3072, 16, 1, 192)
        matmul: float32[s0, 4, 16, 16](1024, 256, 16, 1)
        _softmax: float32[s0, 4, 16, 16](1024, 256, 16, 1)
        sum_1: float32[4, 16](16, 1)
    "#]]);
}

#[test]
fn strides_follow_the_operands_symbolically() {
    let mut b = Builder::new();
    let (x, y) = (b.input("x", &[0, 8, 4, 4]), b.input("y", &[8]));
    let last = b.call("permute.default", vec![x.clone(), ints(&[0, 2, 3, 1])]);
    b.call("add.Tensor", vec![last.clone(), y]);
    b.call("clone.default", vec![last.clone()]);
    b.call("cat.default", vec![Arg::List(vec![last.clone(), last]), Arg::Int(0)]);
    let max = Arg::Int(i64::MAX);
    b.call("slice.Tensor", vec![x.clone(), Arg::Int(0), Arg::Int(1), max, Arg::Int(2)]);
    b.call("max_pool2d_with_indices.default", vec![x.clone(), ints(&[2, 2])]);
    b.call("arange.default", vec![Arg::Sym(b.batch)]);
    b.call("split.Tensor", vec![x, Arg::Int(2)]);
    b.check(&expect![[r#"
        x: float32[s0, 8, 4, 4](128, 16, 4, 1)
        y: float32[8](1)
        permute: float32[s0, 4, 4, 8](128, 4, 1, 16)
        add: float32[s0, 4, 4, 8](128, 4, 1, 16)
        clone: float32[s0, 4, 4, 8](128, 4, 1, 16)
        cat: float32[2*s0, 4, 4, 8](128, 32, 8, 1)
        slice_1: float32[(s0//2), 8, 4, 4](256, 16, 4, 1)
        max_pool2d_with_indices: (float32[s0, 8, 2, 2](32, 4, 2, 1); int64[s0, 8, 2, 2](32, 4, 2, 1))
        arange: int64[s0](1)
        split: split.Tensor: cannot decide into how many parts a dimension splits
    "#]]);
}

#[test]
fn ops_without_a_rule_are_named() {
    let mut b = Builder::new();
    let x = b.input("x", &[0, 8]);
    b.call("nonzero.default", vec![x]);
    b.check(&expect![[r#"
        x: float32[s0, 8](8, 1)
        nonzero: no rule for `nonzero.default`
    "#]]);
}

#[test]
fn transforms_of_a_symbolic_batch() {
    let mut b = Builder::new();
    let x = b.input("x", &[0, 6, 8]);
    let halves = b.call("_fft_r2c.default", vec![x.clone(), ints(&[2]), Arg::Int(0), Arg::Bool(true)]);
    b.call("fft_irfft.default", vec![halves, Arg::Int(8)]);
    let columns = b.call("permute.default", vec![x, ints(&[0, 2, 1])]);
    b.call("fft_fft.default", vec![columns]);
    b.check(&expect![[r#"
        x: float32[s0, 6, 8](48, 8, 1)
        _fft_r2c: complex64[s0, 6, 5](30, 5, 1)
        fft_irfft: float32[s0, 6, 8](48, 8, 1)
        permute: float32[s0, 8, 6](48, 1, 8)
        fft_fft: complex64[s0, 8, 6](48, 6, 1)
    "#]]);
}

/// Infers by hints in an environment of its own, and prints what was guarded.
fn check_guarded(sizes: &[(&str, i64)], build: impl FnOnce(&mut Graph, &[Expr]), expected: &Expect) {
    let mut graph = Graph::new();
    let make = |&(name, hint): &(&str, i64)| {
        let symbol = graph.exprs.symbol(name, Range::new(2, i64::MAX));
        graph.exprs.set_hint(symbol, hint);
        graph.exprs.sym(symbol)
    };
    let symbols: Vec<Expr> = sizes.iter().map(make).collect();
    build(&mut graph, &symbols);
    let mut env = ShapeEnv::over(graph.exprs.clone(), EnvOptions::default());
    let mut text = String::new();
    for id in graph.nodes().collect::<Vec<_>>() {
        let line = match infer::guarded(&graph, id, &mut env, "user.py:1") {
            Ok(meta) => {
                let line = infer::describe(env.pool(), &meta);
                graph[id].meta = Some(meta);
                line
            }
            Err(error) => error.to_string(),
        };
        text += &format!("{}: {line}\n", graph[id].name);
    }
    for guard in env.guards() {
        text += &format!("guard {} at {}\n", env.pool().display_pred(guard.pred), guard.at);
    }
    expected.assert_eq(&text);
}

fn input(graph: &mut Graph, name: &str, sizes: &[Expr], strides: Option<&[Expr]>) -> Arg {
    let id = graph.placeholder(name);
    let strides = strides.map_or_else(|| infer::strides::contiguous(&mut graph.exprs, sizes), <[Expr]>::to_vec);
    let (dtype, device, offset) = (DType::F32, Device::CPU, Expr::ZERO);
    let meta = TensorMeta { dtype, device, sizes: sizes.to_vec(), strides, offset, requires_grad: false };
    graph[id].meta = Some(Meta::Tensor(meta));
    Arg::Node(id)
}

#[test]
fn hints_decide_under_guards() {
    let build = |graph: &mut Graph, s: &[Expr]| {
        let eight = graph.exprs.int(8);
        let (x, y) = (input(graph, "x", &[s[0], eight], None), input(graph, "y", &[s[1], eight], None));
        let z = input(graph, "z", &[s[2], eight], None);
        let mut call = |op: &str, args: Vec<Arg>| Arg::Node(graph.call_function(format!("aten.{op}"), args, vec![]));
        call("add.Tensor", vec![x.clone(), y]);
        call("add.Tensor", vec![x.clone(), z.clone()]);
        call("split.Tensor", vec![z, Arg::Int(3)]);
        call("slice.Tensor", vec![x.clone(), Arg::Int(0), Arg::Int(1), Arg::Int(3)]);
        let halves = call("slice.Tensor", vec![x.clone(), Arg::Int(0), Arg::Int(0), Arg::Int(i64::MAX), Arg::Int(4)]);
        call("squeeze.dim", vec![halves, Arg::Int(0)]);
        call("view.default", vec![x, ints(&[4, 8])]);
    };
    check_guarded(
        &[("s0", 4), ("s1", 4), ("s2", 7)],
        build,
        &expect![[r#"
            x: float32[s0, 8](8, 1)
            y: float32[s1, 8](8, 1)
            z: float32[s2, 8](8, 1)
            add: float32[s0, 8](8, 1)
            add_1: add.Tensor: shapes that do not fit
            split: (float32[3, 8](8, 1); float32[3, 8](8, 1); float32[s2 - 6, 8](8, 1))
            slice_1: float32[2, 8](8, 1)
            slice_2: float32[((s0 + 3)//4), 8](32, 1)
            squeeze: float32[8](1)
            view: float32[4, 8](8, 1)
            guard Eq(s0, s1) at user.py:1
            guard Ne(s0, s2) at user.py:1
            guard Eq(((s2 + 2)//3), 3) at user.py:1
            guard s0 >= 3 at user.py:1
            guard Eq(((s0 + 3)//4), 1) at user.py:1
            guard Eq(s0, 4) at user.py:1
        "#]],
    );
}

#[test]
fn strides_are_ordered_under_guards() {
    let build = |graph: &mut Graph, s: &[Expr]| {
        let x = input(graph, "x", &[s[0], s[1]], Some(&[Expr::ONE, s[0]]));
        let y = input(graph, "y", &[s[0], s[1]], Some(&[s[2], Expr::ONE]));
        let mut call = |op: &str, args: Vec<Arg>| Arg::Node(graph.call_function(format!("aten.{op}"), args, vec![]));
        call("exp.default", vec![x.clone()]);
        call("exp.default", vec![y.clone()]);
        call("add.Tensor", vec![x.clone(), y.clone()]);
        call("clone.default", vec![y]);
        call("contiguous.default", vec![x]);
    };
    check_guarded(
        &[("s0", 4), ("s1", 6), ("s2", 9)],
        build,
        &expect![[r#"
        x: float32[s0, s1](1, s0)
        y: float32[s0, s1](s2, 1)
        exp: float32[s0, s1](1, s0)
        exp_1: float32[s0, s1](s1, 1)
        add: float32[s0, s1](1, s0)
        clone: float32[s0, s1](s1, 1)
        contiguous: float32[s0, s1](s1, 1)
        guard Ne(s1, s2) at user.py:1
    "#]],
    );
}

fn tensor(sizes: &[usize], values: &[f32]) -> Value {
    let values = values.iter().map(|&v| f64::from(v));
    Value::Tensor(Tensor::from_values(DType::F32, sizes, values).expect("as many values as elements"))
}

fn floats(value: &Value) -> Vec<f64> {
    match value {
        Value::Tensor(t) => t.floats(),
        other => panic!("no tensor: {other:?}"),
    }
}

fn int(value: i64) -> Value {
    Value::Plain(Arg::Int(value))
}

fn call(op: &str, args: &[Value]) -> Value {
    interp::call(op, args, &[]).unwrap_or_else(|e| panic!("{e}"))
}

proptest! {
    #[test]
    fn softmax_sums_to_one(values in prop::collection::vec(-50f32..50.0, 12)) {
        let soft = call("_softmax", &[tensor(&[3, 4], &values), int(1), Value::Plain(Arg::Bool(false))]);
        for sum in floats(&call("sum.dim_IntList", &[soft, int(1)])) {
            prop_assert!((sum - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn transposing_a_product_swaps_its_factors(a in prop::collection::vec(-4f32..4.0, 6), b in prop::collection::vec(-4f32..4.0, 12)) {
        let (a, b) = (tensor(&[2, 3], &a), tensor(&[3, 4], &b));
        let direct = call("t", &[call("mm", &[a.clone(), b.clone()])]);
        let swapped = call("mm", &[call("t", &[b]), call("t", &[a])]);
        prop_assert_eq!(direct, swapped);
    }

    #[test]
    fn splitting_and_joining_gives_the_tensor(values in prop::collection::vec(-4f32..4.0, 24), dim in 0i64..3, most in 1i64..5) {
        let x = tensor(&[2, 3, 4], &values);
        let parts = call("split.Tensor", &[x.clone(), int(most), int(dim)]);
        prop_assert_eq!(call("cat", &[parts, int(dim)]), x);
    }

    #[test]
    fn a_normalised_row_has_mean_zero_and_variance_one(values in prop::collection::vec(-9f32..9.0, 8)) {
        prop_assume!(values.iter().any(|v| (v - values[0]).abs() > 1.0));
        let none = || Value::Plain(Arg::None);
        let eps = Value::Plain(Arg::Float(0.0));
        let x = tensor(&[1, 8], &values);
        let Value::Tuple(out) = call("native_layer_norm", &[x, Value::Tuple(vec![int(8)]), none(), none(), eps]) else {
            panic!("three results");
        };
        let row = floats(&out[0]);
        prop_assert!(row.iter().sum::<f64>().abs() < 1e-4);
        prop_assert!((row.iter().map(|v| v * v).sum::<f64>() / 8.0 - 1.0).abs() < 1e-4);
    }
}

/// A call of a layer with two directions, of which the last parameter has `rows` rows.
fn recurrent(op: &str, gates: i64, rows: i64) -> Builder {
    let mut b = Builder::new();
    let x = b.input("x", &[0, 7, 4]);
    let hx = b.input("hx", &[2, 0, 5]);
    let sizes = [vec![5 * gates, 4], vec![5 * gates, 5], vec![5 * gates, 4], vec![rows, 5]];
    let params = sizes.iter().enumerate().map(|(at, sizes)| b.input(&format!("w{at}"), sizes)).collect();
    let states = if gates == 4 { Arg::List(vec![hx.clone(), hx]) } else { hx };
    let rest = [Arg::Bool(false), Arg::Int(1), Arg::Float(0.0), Arg::Bool(false), Arg::Bool(true), Arg::Bool(true)];
    b.call(op, [vec![x, states, Arg::List(params)], rest.to_vec()].concat());
    b
}

#[test]
fn recurrent_layers() {
    recurrent("lstm.input", 4, 20).check(&expect![[r#"
        x: float32[s0, 7, 4](28, 4, 1)
        hx: float32[2, s0, 5](5*s0, 5, 1)
        w0: float32[20, 4](4, 1)
        w1: float32[20, 5](5, 1)
        w2: float32[20, 4](4, 1)
        w3: float32[20, 5](5, 1)
        lstm: (float32[s0, 7, 10](10, 10*s0, 1); float32[2, s0, 5](5*s0, 5, 1); float32[2, s0, 5](5*s0, 5, 1))
    "#]]);
    recurrent("gru.input", 3, 15).check(&expect![[r#"
        x: float32[s0, 7, 4](28, 4, 1)
        hx: float32[2, s0, 5](5*s0, 5, 1)
        w0: float32[15, 4](4, 1)
        w1: float32[15, 5](5, 1)
        w2: float32[15, 4](4, 1)
        w3: float32[15, 5](5, 1)
        gru: (float32[s0, 7, 10](10, 10*s0, 1); float32[2, s0, 5](5*s0, 5, 1))
    "#]]);
    recurrent("rnn_tanh.input", 1, 6).check(&expect![[r#"
        x: float32[s0, 7, 4](28, 4, 1)
        hx: float32[2, s0, 5](5*s0, 5, 1)
        w0: float32[5, 4](4, 1)
        w1: float32[5, 5](5, 1)
        w2: float32[5, 4](4, 1)
        w3: float32[6, 5](5, 1)
        rnn_tanh: rnn_tanh.input: shapes that do not fit
    "#]]);
}
