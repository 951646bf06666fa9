use super::*;
use crate::graph::Meta;
use expect_test::{Expect, expect};
use symshapes::{DType, Device, TensorMeta};

fn tensor(graph: &mut Graph, rank: usize) -> Meta {
    let (size, offset) = (graph.exprs.int(4), graph.exprs.int(0));
    let list = vec![size; rank];
    let (sizes, strides) = (list.clone(), list);
    Meta::Tensor(TensorMeta { dtype: DType::F32, device: Device::CPU, sizes, strides, offset, requires_grad: false })
}

/// Lowers a graph of two tensors and prints what became of the calls.
fn check(build: impl FnOnce(&mut Graph, Arg, Arg) -> Vec<NodeId>, expected: &Expect) {
    let mut graph = Graph::new();
    let (x, y) = (graph.placeholder("x"), graph.placeholder("y"));
    let meta = tensor(&mut graph, 3);
    graph[x].meta = Some(meta.clone());
    graph[y].meta = Some(meta);
    let made = build(&mut graph, Arg::Node(x), Arg::Node(y));
    graph.output(Arg::Tuple(made.into_iter().map(Arg::Node).collect()));
    let text = match lower_torch(&graph) {
        Ok(mut lowered) => {
            lowered.nodes().collect::<Vec<_>>().into_iter().for_each(|n| lowered[n].meta = None);
            lowered.to_text()
        }
        Err(e) => e.to_string(),
    };
    expected.assert_eq(&text);
}

fn kwarg(name: &str, value: Arg) -> (String, Arg) {
    (name.to_owned(), value)
}

#[test]
fn functions_methods_operators() {
    check(
        |g, x, y| {
            vec![
                g.call_function("torch.add", vec![x.clone(), y.clone()], vec![kwarg("alpha", Arg::Int(2))]),
                g.call_function("operator.add", vec![x.clone(), Arg::Int(1)], vec![]),
                g.call_function("operator.sub", vec![Arg::Int(1), x.clone()], vec![]),
                g.call_function("operator.truediv", vec![Arg::Float(1.0), x.clone()], vec![]),
                g.call_function("operator.pow", vec![x.clone(), Arg::Int(2)], vec![]),
                g.call_function("operator.pow", vec![Arg::Int(2), x.clone()], vec![]),
                g.call_method("clamp", vec![x.clone()], vec![kwarg("min", Arg::Float(0.0)), kwarg("max", Arg::Int(1))]),
                g.call_method("add_", vec![x.clone(), y.clone()], vec![]),
                g.call_function("operator.imul", vec![x.clone(), Arg::Int(2)], vec![]),
                g.call_function("torch.add", vec![x.clone(), Arg::Int(1)], vec![kwarg("out", y.clone())]),
                g.call_method(
                    "sum",
                    vec![x.clone()],
                    vec![kwarg("axis", Arg::Int(1)), kwarg("keepdims", Arg::Bool(true))],
                ),
                g.call_method("__matmul__", vec![x, y], vec![]),
            ]
        },
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = placeholder[y]
              %add = call_function[aten.add.Tensor](%x, %y, alpha=2)
              %add_1 = call_function[aten.add.Tensor](%x, 1)
              %sub = call_function[aten.rsub.Scalar](%x, 1)
              %reciprocal = call_function[aten.reciprocal.default](%x)
              %truediv = call_function[aten.mul.Tensor](%reciprocal, 1.0)
              %pow_1 = call_function[aten.pow.Tensor_Scalar](%x, 2)
              %pow_2 = call_function[aten.pow.Scalar](2, %x)
              %clamp = call_function[aten.clamp.default](%x, 0.0, 1)
              %add_ = call_function[aten.add_.Tensor](%x, %y)
              %imul = call_function[aten.mul_.Tensor](%x, 2)
              %add_2 = call_function[aten.add.out](%x, 1, out=%y)
              %sum_1 = call_function[aten.sum.dim_IntList](%x, [1], True)
              %matmul = call_function[aten.matmul.default](%x, %y)
              %output = output((%add, %add_1, %sub, %truediv, %pow_1, %pow_2, %clamp, %add_, %imul, %add_2, %sum_1, %matmul))
            }
        "#]],
    );
}

#[test]
fn neural_network_functions() {
    check(
        |g, x, y| {
            let f = |name: &str| format!("torch.nn.functional.{name}");
            vec![
                g.call_function(f("gelu"), vec![x.clone()], vec![kwarg("approximate", Arg::Str("tanh".into()))]),
                g.call_function("torch._C._nn.gelu", vec![x.clone()], vec![]),
                g.call_function(f("relu"), vec![x.clone()], vec![kwarg("inplace", Arg::Bool(true))]),
                g.call_function(f("dropout"), vec![x.clone()], vec![kwarg("training", Arg::Bool(false))]),
                g.call_function(f("softmax"), vec![x.clone()], vec![kwarg("dim", Arg::Int(-1))]),
                g.call_function(f("embedding"), vec![x.clone(), y.clone()], vec![]),
                g.call_function(f("batch_norm"), vec![x.clone(), y.clone(), y.clone()], vec![]),
                g.call_function(f("max_pool2d"), vec![x.clone(), Arg::Int(2)], vec![]),
                g.call_function(f("cross_entropy"), vec![x.clone(), y.clone()], vec![]),
                g.call_function(f("linear"), vec![x, y], vec![]),
            ]
        },
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = placeholder[y]
              %gelu = call_function[aten.gelu.default](%x, approximate="tanh")
              %gelu_1 = call_function[aten.gelu.default](%x)
              %relu = call_function[aten.relu_.default](%x)
              %dropout = call_function[aten.dropout.default](%x, 0.5, False)
              %softmax = call_function[aten.softmax.int](%x, -1)
              %embedding = call_function[aten.embedding.default](%y, %x)
              %batch_norm = call_function[aten.batch_norm.default](%x, None, None, %y, %y, False, 0.1, 1e-05, True)
              %max_pool2d = call_function[aten.max_pool2d.default](%x, [2, 2])
              %cross_entropy = call_function[aten.cross_entropy_loss.default](%x, %y)
              %linear = call_function[aten.linear.default](%x, %y)
              %output = output((%gelu, %gelu_1, %relu, %dropout, %softmax, %embedding, %batch_norm, %max_pool2d, %cross_entropy, %linear))
            }
        "#]],
    );
}

#[test]
fn shapes_and_lists() {
    check(
        |g, x, y| {
            let shape = g.call_function("builtins.getattr", vec![x.clone(), Arg::Str("shape".into())], vec![]);
            let rows = g.call_function("operator.getitem", vec![Arg::Node(shape), Arg::Int(0)], vec![]);
            let twice = g.call_function("operator.mul", vec![Arg::Node(rows), Arg::Int(2)], vec![]);
            let columns = g.call_method("size", vec![x.clone(), Arg::Int(-1)], vec![]);
            vec![
                g.call_method("view", vec![x.clone(), Arg::Node(twice), Arg::Node(columns)], vec![]),
                g.call_method("permute", vec![x.clone(), Arg::Int(2), Arg::Int(0), Arg::Int(1)], vec![]),
                g.call_method("reshape", vec![x.clone(), Arg::Tuple(vec![Arg::Int(-1)])], vec![]),
                g.call_function("torch.cat", vec![Arg::List(vec![x.clone(), y])], vec![kwarg("dim", Arg::Int(1))]),
                g.call_function(
                    "torch.zeros",
                    vec![Arg::Int(2), Arg::Int(3)],
                    vec![kwarg("device", Arg::Str("cpu".into()))],
                ),
                g.call_method("to", vec![x.clone(), Arg::DType(DType::F16)], vec![]),
                g.call_method("float", vec![x], vec![]),
            ]
        },
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = placeholder[y]
              %getitem = call_function[aten.sym_size.int](%x, 0)
              %mul = call_function[operator.mul](%getitem, 2)
              %size = call_function[aten.sym_size.int](%x, -1)
              %view = call_function[aten.view.default](%x, [%mul, %size])
              %permute = call_function[aten.permute.default](%x, [2, 0, 1])
              %reshape = call_function[aten.reshape.default](%x, (-1,))
              %cat = call_function[aten.cat.default]([%x, %y], 1)
              %zeros = call_function[aten.zeros.default]([2, 3], device=device("cpu"))
              %to = call_function[aten.to.dtype](%x, torch.float16)
              %float_1 = call_function[aten.to.dtype](%x, torch.float32)
              %output = output((%view, %permute, %reshape, %cat, %zeros, %to, %float_1))
            }
        "#]],
    );
}

#[test]
fn indexing_is_a_chain() {
    let full = || Arg::Slice(Box::new([Arg::None, Arg::None, Arg::None]));
    check(
        |g, x, y| {
            let mut at = |index: Arg| g.call_function("operator.getitem", vec![x.clone(), index], vec![]);
            vec![
                at(Arg::Int(0)),
                at(Arg::Tuple(vec![full(), Arg::None, Arg::Slice(Box::new([Arg::Int(1), Arg::None, Arg::Int(2)]))])),
                at(Arg::Tuple(vec![Arg::Ellipsis, Arg::Int(-1)])),
                at(Arg::Tuple(vec![full(), y])),
                at(Arg::Ellipsis),
            ]
        },
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = placeholder[y]
              %getitem = call_function[aten.select.int](%x, 0, 0)
              %unsqueeze = call_function[aten.unsqueeze.default](%x, 1)
              %getitem_1 = call_function[aten.slice.Tensor](%unsqueeze, 2, 1, 9223372036854775807, 2)
              %getitem_2 = call_function[aten.select.int](%x, 2, -1)
              %getitem_3 = call_function[aten.index.Tensor](%x, [None, %y])
              %getitem_4 = call_function[aten.alias.default](%x)
              %output = output((%getitem, %getitem_1, %getitem_2, %getitem_3, %getitem_4))
            }
        "#]],
    );
}

#[test]
fn what_is_not_covered_is_named() {
    check(
        |g, x, _| vec![g.call_function("torch.frobnicate", vec![x], vec![])],
        &expect!["%frobnicate: no row for `torch.frobnicate`"],
    );
    check(
        |g, x, _| vec![g.call_method("add", vec![x, Arg::Str("1".into())], vec![])],
        &expect!["%add: no overload of `add` takes these arguments"],
    );
    check(
        |g, x, _| vec![g.call_method("split", vec![x], vec![])],
        &expect!["%split: no overload of `split` takes these arguments"],
    );
}

/// The callees in the graphs that torch's Dynamo makes of vision models and language models.
const OF_MODELS: &str = "
    Tensor.add_ Tensor.bernoulli_ Tensor.chunk Tensor.contiguous Tensor.cos Tensor.div_ Tensor.expand
    Tensor.flatten Tensor.float Tensor.int Tensor.long Tensor.mean Tensor.ne Tensor.new_empty
    Tensor.permute Tensor.pow Tensor.reshape Tensor.sin Tensor.split Tensor.to Tensor.transpose
    Tensor.type_as Tensor.unbind Tensor.unsqueeze Tensor.view _operator.add _operator.ge _operator.gt
    _operator.iadd _operator.lt _operator.matmul _operator.mul _operator.neg _operator.sub
    _operator.truediv torch._C._nn.avg_pool2d torch._C._nn.gelu torch._C._nn.linear torch._C._nn.pad
    torch._C._nn.scaled_dot_product_attention torch.abs torch.addmm torch.arange torch.cat torch.conv2d
    torch.cumsum torch.empty torch.flatten torch.full_like torch.gather torch.log torch.min
    torch.nn.functional.adaptive_avg_pool2d torch.nn.functional.batch_norm
    torch.nn.functional.cross_entropy torch.nn.functional.dropout torch.nn.functional.embedding
    torch.nn.functional.hardsigmoid torch.nn.functional.hardswish torch.nn.functional.layer_norm
    torch.nn.functional.max_pool2d torch.nn.functional.relu torch.nn.functional.silu
    torch.nn.functional.softmax torch.permute torch.pow torch.roll torch.rsqrt torch.sigmoid torch.tanh
    torch.tensor torch.transpose torch.where torch.zeros torch.zeros_like
";

#[test]
fn the_names_that_models_use_have_rows() {
    let missing: Vec<&str> = OF_MODELS.split_whitespace().filter(|name| !knows(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn numbers_become_tensors() {
    check(
        |g, x, _| {
            let one = g.call_function("torch.tensor", vec![Arg::Int(1)], vec![]);
            let half =
                g.call_function("torch.tensor", vec![Arg::Float(0.5)], vec![kwarg("dtype", Arg::DType(DType::F64))]);
            vec![one, half, g.call_method("bernoulli_", vec![x, Arg::Float(0.5)], vec![])]
        },
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = placeholder[y]
              %tensor = call_function[aten.full.default]([], 1)
              %tensor_1 = call_function[aten.full.default]([], 0.5, dtype=torch.float64)
              %bernoulli_ = call_function[aten.bernoulli_.float](%x)
              %output = output((%tensor, %tensor_1, %bernoulli_))
            }
        "#]],
    );
}

#[test]
fn lists_of_numbers_become_tensors() {
    let list = |items: &[Arg]| Arg::List(items.to_vec());
    check(
        |g, _, _| {
            let [zero, one, half] = [Arg::Int(0), Arg::Int(1), Arg::Float(0.5)];
            let rows = list(&[list(&[zero.clone(), half.clone()]), Arg::Tuple(vec![Arg::Bool(true), one.clone()])]);
            let literals = [list(&[]), list(&[one.clone(), one.clone()]), list(&[zero.clone(), one.clone()]), rows];
            let mut made: Vec<NodeId> =
                literals.into_iter().map(|l| g.call_function("torch.tensor", vec![l], vec![])).collect();
            let small = vec![kwarg("dtype", Arg::DType(DType::I32))];
            made.push(g.call_function("torch.tensor", vec![list(&[Arg::Int(5)])], small));
            // -0.0 is not 0.0.
            let zeros = list(&[Arg::Float(0.0), Arg::Float(-0.0)]);
            made.push(g.call_function("torch.tensor", vec![zeros], vec![]));
            made
        },
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = placeholder[y]
              %tensor = call_function[aten.full.default]([0], 0, dtype=torch.float32)
              %tensor_1 = call_function[aten.full.default]([2], 1, dtype=torch.int64)
              %full = call_function[aten.full.default]([1], 0, dtype=torch.int64)
              %full_1 = call_function[aten.full.default]([1], 1, dtype=torch.int64)
              %tensor_2 = call_function[aten.cat.default]([%full, %full_1])
              %full_2 = call_function[aten.full.default]([1], 0.0, dtype=torch.float32)
              %full_3 = call_function[aten.full.default]([1], 0.5, dtype=torch.float32)
              %full_4 = call_function[aten.full.default]([1], 1.0, dtype=torch.float32)
              %full_5 = call_function[aten.full.default]([1], 1.0, dtype=torch.float32)
              %cat = call_function[aten.cat.default]([%full_2, %full_3, %full_4, %full_5])
              %tensor_3 = call_function[aten._unsafe_view.default](%cat, [2, 2])
              %tensor_4 = call_function[aten.full.default]([1], 5, dtype=torch.int32)
              %full_6 = call_function[aten.full.default]([1], 0.0, dtype=torch.float32)
              %full_7 = call_function[aten.full.default]([1], -0.0, dtype=torch.float32)
              %tensor_5 = call_function[aten.cat.default]([%full_6, %full_7])
              %output = output((%tensor, %tensor_1, %tensor_2, %tensor_3, %tensor_4, %tensor_5))
            }
        "#]],
    );
}

#[test]
fn float_inputs() {
    let takes = "torch.add Tensor.add_ add_ torch.nn.functional.leaky_relu operator.truediv operator.imul operator.mod \
        operator.floordiv operator.pow operator.ipow masked_fill_ fill_ lerp_ clamp_min_ torch.clip torch.where \
        torch.full torch.full_like torch.tensor torch.scalar_tensor torch.linspace addcdiv_ torch.nan_to_num eq";
    let refuses =
        "torch.arange torch.dropout torch.nn.functional.layer_norm new_full norm torch.cdist softmax no_such_name";
    for name in takes.split_whitespace() {
        assert!(takes_floats(name), "{name}");
    }
    for name in refuses.split_whitespace() {
        assert!(!takes_floats(name), "{name}");
    }
}

#[test]
fn in_place_forms_lead_to_the_overloads_without_underscore() {
    for name in ["mul_", "multiply_", "operator.imul", "torch.Tensor.mul_"] {
        assert_eq!(written_in_place(name), crate::ops![mul_Tensor], "{name}");
    }
    for name in ["mul", "operator.mul", "operator.index", "no_such_"] {
        assert_eq!(written_in_place(name), crate::ops![], "{name}");
    }
}
