//! Composites taken apart where sizes are symbols: their parts, with what was inferred.

use expect_test::{Expect, expect};
use fx::aten::Aten;
use fx::composites::{self, Builder, Outcome, Results};
use fx::infer::{self, sizes::Sizes};
use fx::{Arg, Graph, Kind, Meta, NodeId, Target, TensorMeta};
use symshapes::{DType, Device, Range};

/// A graph whose questions about sizes are answered by proofs alone.
struct Proved(Graph);

impl Builder for Proved {
    fn graph(&self) -> &Graph {
        &self.0
    }

    fn exprs(&mut self) -> Sizes<'_> {
        Sizes::Proved(&mut self.0.exprs)
    }

    fn append(&mut self, target: Target, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Outcome {
        let call = self.0.push(Kind::CallFunction, target, args, kwargs, None);
        let meta = infer::node(&mut self.0, call)?;
        self.0[call].meta = Some(meta);
        Ok(call)
    }
}

impl Proved {
    /// A graph with row-major inputs of these sizes, where 0 stands for a symbol.
    fn new(inputs: &[&[i64]]) -> (Proved, Vec<Arg>) {
        let mut graph = Graph::new();
        let symbol = graph.exprs.symbol("s0", Range::new(2, i64::MAX));
        let batch = graph.exprs.sym(symbol);
        let mut nodes = Vec::new();
        for (number, sizes) in inputs.iter().enumerate() {
            let input = graph.placeholder(format!("x{number}"));
            let sizes = sizes.iter().map(|&size| if size == 0 { batch } else { graph.exprs.int(size) });
            let sizes: Vec<_> = sizes.collect();
            let strides = infer::strides::contiguous(&mut graph.exprs, &sizes);
            let offset = graph.exprs.int(0);
            let (dtype, device) = (DType::F32, Device::CPU);
            let meta = TensorMeta { dtype, device, sizes, strides, offset, requires_grad: false };
            graph[input].meta = Some(Meta::Tensor(meta));
            nodes.push(Arg::Node(input));
        }
        (Proved(graph), nodes)
    }

    /// Takes a call apart, and compares its parts and results.
    fn check(mut self, op: Aten, args: &[Arg], expected: &Expect) {
        let results = composites::expand(&mut self, op, args, &[]).expect("the overload has an expansion");
        let graph = &self.0;
        let name = |node: &NodeId| graph[*node].name.to_string();
        let mut text = String::new();
        for node in graph.nodes().filter(|&node| graph[node].kind == Kind::CallFunction) {
            let meta = graph[node].meta.as_ref().expect("parts are inferred");
            text += &format!("{}: {}\n", graph[node].name, infer::describe(&graph.exprs, meta));
        }
        text += &match results {
            Ok(Results::One(node)) => format!("gives {}\n", name(&node)),
            Ok(Results::Several(nodes)) => format!("gives {}\n", nodes.iter().map(name).collect::<Vec<_>>().join(", ")),
            Err(error) => format!("{error}\n"),
        };
        expected.assert_eq(&text);
    }
}

#[test]
fn differences_of_neighbours() {
    let (graph, inputs) = Proved::new(&[&[0, 4], &[1, 4]]);
    let args = [inputs[0].clone(), Arg::Int(1), Arg::Int(0), inputs[1].clone()];
    graph.check(
        Aten::diff_default,
        &args,
        &expect![[r#"
        cat: float32[s0 + 1, 4](4, 1)
        slice_1: float32[s0, 4](4, 1)
        slice_2: float32[s0, 4](4, 1)
        sub: float32[s0, 4](4, 1)
        gives sub
    "#]],
    );
}

#[test]
fn products_of_subscripts() {
    let (graph, inputs) = Proved::new(&[&[0, 3, 4], &[0, 4, 5]]);
    let args = [Arg::Str("bij,bjk->bik".to_owned()), Arg::List(inputs)];
    graph.check(
        Aten::einsum_default,
        &args,
        &expect![[r#"
        unsqueeze: float32[s0, 3, 4, 1](12, 4, 1, 1)
        permute: float32[s0, 3, 1, 4](12, 4, 1, 1)
        unsqueeze_1: float32[s0, 4, 5, 1](20, 5, 1, 1)
        permute_1: float32[s0, 1, 5, 4](20, 1, 1, 5)
        permute_2: float32[s0, 3, 4, 1](12, 4, 1, 1)
        reshape: float32[s0, 3, 4](12, 4, 1)
        permute_3: float32[s0, 4, 5, 1](20, 5, 1, 1)
        reshape_1: float32[s0, 4, 5](20, 5, 1)
        bmm: float32[s0, 3, 5](15, 5, 1)
        view: float32[s0, 3, 1, 5](15, 5, 5, 1)
        permute_4: float32[s0, 3, 5, 1](15, 5, 1, 5)
        view_1: float32[s0, 3, 5](15, 5, 1)
        gives view_1
    "#]],
    );
}

#[test]
fn cells_share_the_batch() {
    let (graph, inputs) = Proved::new(&[&[0, 4], &[0, 3], &[0, 3], &[12, 4], &[12, 3]]);
    let [x, hidden, cell, of_input, of_state] = &inputs[..] else { unreachable!("five inputs") };
    let args = [x.clone(), Arg::List(vec![hidden.clone(), cell.clone()]), of_input.clone(), of_state.clone()];
    graph.check(
        Aten::lstm_cell_default,
        &args,
        &expect![[r#"
        linear: float32[s0, 12](12, 1)
        linear_1: float32[s0, 12](12, 1)
        add: float32[s0, 12](12, 1)
        split: (float32[s0, 3](12, 1); float32[s0, 3](12, 1); float32[s0, 3](12, 1); float32[s0, 3](12, 1))
        getitem: float32[s0, 3](12, 1)
        getitem_1: float32[s0, 3](12, 1)
        getitem_2: float32[s0, 3](12, 1)
        getitem_3: float32[s0, 3](12, 1)
        sigmoid: float32[s0, 3](3, 1)
        sigmoid_1: float32[s0, 3](3, 1)
        tanh: float32[s0, 3](3, 1)
        sigmoid_2: float32[s0, 3](3, 1)
        mul: float32[s0, 3](3, 1)
        mul_1: float32[s0, 3](3, 1)
        add_1: float32[s0, 3](3, 1)
        tanh_1: float32[s0, 3](3, 1)
        mul_2: float32[s0, 3](3, 1)
        gives mul_2, add_1
    "#]],
    );
}

#[test]
fn a_view_is_all_that_there_is() {
    let (graph, inputs) = Proved::new(&[&[0, 3, 4]]);
    graph.check(
        Aten::moveaxis_int,
        &[inputs[0].clone(), Arg::Int(0), Arg::Int(-1)],
        &expect![[r#"
        permute: float32[3, 4, s0](4, 1, 12)
        gives permute
    "#]],
    );
}

#[test]
fn what_torch_refuses() {
    let (graph, inputs) = Proved::new(&[&[0, 3], &[0, 4]]);
    let args = [Arg::Str("ij,ij->i".to_owned()), Arg::List(inputs)];
    graph.check(
        Aten::einsum_default,
        &args,
        &expect![[r#"
        permute: float32[s0, 3](3, 1)
        einsum.default: a subscript of two sizes
    "#]],
    );
    let (graph, inputs) = Proved::new(&[&[0, 3]]);
    graph.check(
        Aten::outer_default,
        &[inputs[0].clone(), inputs[0].clone()],
        &expect![[r#"
        outer.default: a tensor that is no vector
    "#]],
    );
}
