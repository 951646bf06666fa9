//! Joint graphs, what their cuts save, and what is refused.

use autograd::recorded::LikeOperands;
use autograd::{Joint, NotDifferentiable, Saved, differentiate, followed_results, minimum_cut};
use expect_test::{Expect, expect};
use fx::custom_gradient::CustomGradient;
use fx::markers::marker;
use fx::symbols::Source;
use fx::{Arg, Graph, Kind, Meta, infer};
use symshapes::{DType, Device, DeviceKind, Expr, Range, TensorMeta};

/// A graph of float32 inputs of these sizes.
fn graph(text: &str, inputs: &[&[i64]]) -> Graph {
    let mut graph: Graph = text.parse().expect("test graph");
    for (input, sizes) in graph.placeholders().collect::<Vec<_>>().into_iter().zip(inputs) {
        let (mut strides, mut stride) = (Vec::new(), 1);
        for &size in sizes.iter().rev() {
            strides.insert(0, graph.exprs.int(stride));
            stride *= size;
        }
        let sizes = sizes.iter().map(|&size| graph.exprs.int(size)).collect();
        let (dtype, device, offset) = (DType::F32, Device::CPU, graph.exprs.int(0));
        graph[input].meta =
            Some(Meta::Tensor(TensorMeta { dtype, device, sizes, strides, offset, requires_grad: false }));
    }
    for id in graph.nodes().filter(|&id| graph[id].kind == Kind::CallFunction).collect::<Vec<_>>() {
        let written = graph[id].op().filter(|overload| overload.mutates());
        graph[id].meta = match written.and_then(|_| graph[id].args.first()?.as_node()) {
            Some(of) => graph[of].meta.clone(),
            None if marker(&graph, id).is_some() => None,
            None => Some(infer::node(&mut graph, id).expect("a rule")),
        };
    }
    graph
}

fn joint(text: &str, inputs: &[&[i64]]) -> Result<Joint, NotDifferentiable> {
    let graph = graph(text, inputs);
    differentiate(&graph, &vec![true; inputs.len()], &LikeOperands)
}

/// The text of a graph without metadata.
fn text(graph: &Graph) -> String {
    let mut graph = graph.clone();
    for node in graph.nodes().collect::<Vec<_>>() {
        graph[node].meta = None;
    }
    graph.to_text()
}

/// Compares the forward and the backward graph, and what is saved.
fn check(program: &str, inputs: &[&[i64]], expected: &Expect) {
    let joint = joint(program, inputs).expect("a derivative");
    let cut = minimum_cut(&joint, &vec![false; inputs.len()], 1.0).expect("a cut");
    let (forward, backward) = (cut.forward(&joint), cut.backward(&joint));
    fx::verify::verify(&forward.graph).expect("a valid graph");
    fx::verify::verify(&backward.graph).expect("a valid graph");
    let told = format!("{}saved {:?}\n{}", text(&forward.graph), forward.saved, text(&backward.graph));
    expected.assert_eq(&told);
}

const MLP: &str = "graph {
  %x = placeholder[x]
  %w = placeholder[w]
  %b = placeholder[b]
  %linear = call_function[aten.linear.default](%x, %w, %b)
  %relu = call_function[aten.relu.default](%linear)
  %sum_1 = call_function[aten.sum.default](%relu)
  %output = output((%sum_1,))
}
";

#[test]
fn a_layer() {
    check(
        MLP,
        &[&[5, 3], &[4, 3], &[4]],
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %w = placeholder[w]
              %b = placeholder[b]
              %t = call_function[aten.t.default](%w)
              %addmm = call_function[aten.addmm.default](%b, %x, %t)
              %relu = call_function[aten.relu.default](%addmm)
              %sum_1 = call_function[aten.sum.default](%relu)
              %output = output((%sum_1, %addmm))
            }
            saved [Input(0), Input(1), Output(1)]
            graph {
              %x = placeholder[x]
              %w = placeholder[w]
              %addmm = placeholder[addmm]
              %tangents_1 = placeholder[tangents_1]
              %expand = call_function[aten.expand.default](%tangents_1, [5, 4])
              %relu = call_function[aten.relu.default](%addmm)
              %threshold_backward = call_function[aten.threshold_backward.default](%expand, %relu, 0)
              %sum_2 = call_function[aten.sum.dim_IntList](%threshold_backward, [0], True)
              %reshape = call_function[aten.reshape.default](%sum_2, [4])
              %t = call_function[aten.t.default](%w)
              %t_1 = call_function[aten.t.default](%t)
              %mm = call_function[aten.mm.default](%threshold_backward, %t_1)
              %t_2 = call_function[aten.t.default](%threshold_backward)
              %mm_1 = call_function[aten.mm.default](%t_2, %x)
              %t_3 = call_function[aten.t.default](%mm_1)
              %t_4 = call_function[aten.t.default](%t_3)
              %output = output((%mm, %t_4, %reshape))
            }
        "#]],
    );
}

#[test]
fn cheap_calls_are_computed_again_from_what_eager_saves() {
    let program = "graph {
  %x = placeholder[x]
  %w = placeholder[w]
  %sin = call_function[aten.sin.default](%x)
  %exp = call_function[aten.exp.default](%sin)
  %mul = call_function[aten.mul.Tensor](%exp, %w)
  %tanh = call_function[aten.tanh.default](%mul)
  %output = output((%tanh,))
}
";
    check(
        program,
        &[&[8, 8], &[8]],
        &expect![[r#"
        graph {
          %x = placeholder[x]
          %w = placeholder[w]
          %sin = call_function[aten.sin.default](%x)
          %exp = call_function[aten.exp.default](%sin)
          %mul = call_function[aten.mul.Tensor](%exp, %w)
          %tanh = call_function[aten.tanh.default](%mul)
          %output = output((%tanh,))
        }
        saved [Input(0), Input(1)]
        graph {
          %x = placeholder[x]
          %w = placeholder[w]
          %tangents_1 = placeholder[tangents_1]
          %sin = call_function[aten.sin.default](%x)
          %exp = call_function[aten.exp.default](%sin)
          %mul = call_function[aten.mul.Tensor](%exp, %w)
          %tanh = call_function[aten.tanh.default](%mul)
          %tanh_backward = call_function[aten.tanh_backward.default](%tangents_1, %tanh)
          %mul_1 = call_function[aten.mul.Tensor](%tanh_backward, %w)
          %mul_2 = call_function[aten.mul.Tensor](%tanh_backward, %exp)
          %sum_1 = call_function[aten.sum.dim_IntList](%mul_2, [0], True)
          %reshape = call_function[aten.reshape.default](%sum_1, [8])
          %mul_3 = call_function[aten.mul.Tensor](%mul_1, %exp)
          %cos = call_function[aten.cos.default](%x)
          %mul_4 = call_function[aten.mul.Tensor](%mul_3, %cos)
          %output = output((%mul_4, %reshape))
        }
    "#]],
    );
}

#[test]
fn an_input_that_eager_does_not_save_is_not_saved() {
    let program = "graph {
  %x = placeholder[x]
  %w = placeholder[w]
  %add = call_function[aten.add.Tensor](%x, 1)
  %mul = call_function[aten.mul.Tensor](%add, %w)
  %output = output((%mul,))
}
";
    let joint = joint(program, &[&[4], &[4]]).expect("a derivative");
    let forward = minimum_cut(&joint, &[true, true], 1.0).expect("a cut").forward(&joint);
    assert_eq!(forward.saved, [Saved::Input(1), Saved::Output(1)]);
}

#[test]
fn a_result_that_eager_does_not_save_is_saved_as_a_copy() {
    let program = "graph {
  %x = placeholder[x]
  %w = placeholder[w]
  %mm = call_function[aten.mm.default](%x, %w)
  %add = call_function[aten.add.Tensor](%mm, 1)
  %exp = call_function[aten.exp.default](%add)
  %sin = call_function[aten.sin.default](%add)
  %output = output((%mm, %sin))
}
";
    let joint = joint(program, &[&[4, 4], &[4, 4]]).expect("a derivative");
    let forward = minimum_cut(&joint, &[false, false], 1.0).expect("a cut").forward(&joint);
    // `mm` is a result that the program may write to; the sine's derivative reads `add`.
    assert!(!forward.saved.contains(&Saved::Output(0)), "{:?}", forward.saved);
}

#[test]
fn gradients_flow_past_constants() {
    let program = "graph {
  %x = placeholder[x]
  %detach = call_function[aten.detach.default](%x)
  %mul = call_function[aten.mul.Tensor](%x, %detach)
  %output = output((%mul, %detach))
}
";
    let joint = joint(program, &[&[4]]).expect("a derivative");
    assert_eq!(joint.tangents.iter().map(|&(output, _)| output).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_result_that_is_picked_from_the_end_is_the_last() {
    let gradient = |place: i64| {
        let program = format!(
            "graph {{\n  %x = placeholder[x]\n  %rows = call_function[aten.unbind.int](%x)\n  \
             %row = call_function[operator.getitem](%rows, {place})\n  %output = output((%row,))\n}}\n"
        );
        let joint = joint(&program, &[&[3, 2]]).expect("a derivative");
        let cut = minimum_cut(&joint, &[false], 1.0).expect("a cut");
        text(&cut.backward(&joint).graph)
    };
    assert_eq!(gradient(-1), gradient(2));
    assert_ne!(gradient(-1), gradient(0));
}

#[test]
fn other_devices_are_refused() {
    let mut graph = graph(MLP, &[&[5, 3], &[4, 3], &[4]]);
    let input = graph.placeholders().next().expect("an input");
    let Some(Meta::Tensor(meta)) = graph[input].meta.clone() else { panic!("a tensor") };
    let device = Device { kind: DeviceKind::Cuda, index: Some(0) };
    graph[input].meta = Some(Meta::Tensor(TensorMeta { device, ..meta.clone() }));
    assert!(differentiate(&graph, &[true; 3], &LikeOperands).expect_err("a refusal").why.contains("device"));
    graph[input].meta = Some(Meta::Tensor(meta));
    assert!(differentiate(&graph, &[true; 3], &LikeOperands).is_ok());
}

/// A mean of the rows of a matrix whose first size is what this makes of a symbol.
fn mean_of_rows(size: impl FnOnce(&mut Graph, Expr) -> Expr) -> Graph {
    let program = "graph {
  %x = placeholder[x]
  %w = placeholder[w]
  %mul = call_function[aten.mul.Tensor](%x, %w)
  %mean = call_function[aten.mean.dim](%mul, [0])
  %output = output((%mean,))
}
";
    let mut graph = graph(program, &[&[5, 3], &[3]]);
    let symbol = graph.exprs.symbol("s0", Range::new(2, 100));
    let symbol = graph.exprs.sym(symbol);
    let rows = size(&mut graph, symbol);
    for id in graph.nodes().take(3).collect::<Vec<_>>() {
        if let Some(Meta::Tensor(meta)) = &mut graph[id].meta
            && meta.sizes.len() == 2
        {
            meta.sizes[0] = rows;
        }
    }
    graph
}

#[test]
fn sizes_that_no_saved_value_gives_are_inputs_of_the_backward_graph() {
    let joint = differentiate(&mean_of_rows(|_, rows| rows), &[true, false], &LikeOperands).expect("a derivative");
    let cut = minimum_cut(&joint, &[false; 2], 1.0).expect("a cut");
    let forward = cut.forward(&joint);
    assert_eq!((forward.saved, forward.sizes), (vec![Saved::Input(1)], vec![Source::Size(0, 0)]));
    expect![[r#"
        graph {
          %w = placeholder[w]
          %s0 = placeholder[s0]
          %tangents_1 = placeholder[tangents_1]
          %reshape = call_function[aten.reshape.default](%tangents_1, [1, 3])
          %expand = call_function[aten.expand.default](%reshape, [sym(s0), 3])
          %div = call_function[aten.div.Tensor](%expand, sym(s0))
          %mul_1 = call_function[aten.mul.Tensor](%div, %w)
          %output = output((%mul_1,))
        }
    "#]]
    .assert_eq(&text(&cut.backward(&joint).graph));
}

#[test]
fn sizes_that_saved_values_give_are_read_there() {
    let joint = differentiate(&mean_of_rows(|_, rows| rows), &[true, true], &LikeOperands).expect("a derivative");
    let forward = minimum_cut(&joint, &[false; 2], 1.0).expect("a cut").forward(&joint);
    assert_eq!((forward.saved, forward.sizes), (vec![Saved::Input(0), Saved::Input(1)], vec![]));
}

#[test]
fn sizes_that_no_input_gives_are_refused() {
    let graph = mean_of_rows(|graph, rows| graph.exprs.mul_int(rows, 2));
    let error = differentiate(&graph, &[true; 2], &LikeOperands).expect_err("a refusal");
    assert_eq!(error.to_string(), "%x: a size that no input gives");
}

#[test]
fn a_call_without_a_derivative_is_recorded() {
    check(
        "graph {
  %x = placeholder[x]
  %y = placeholder[y]
  %e = call_function[aten.exp.default](%x)
  %h = call_function[aten.heaviside.default](%e, %y)
  %output = output((%h,))
}
",
        &[&[4], &[4]],
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = placeholder[y]
              %e = call_function[aten.exp.default](%x)
              %forward = call_function[rust_inductor._recorded.forward]("aten.heaviside.default", [0, 1], [%y], %e, %y)
              %getitem = call_function[operator.getitem](%forward, 0)
              %getitem_1 = call_function[operator.getitem](%forward, 1)
              %output = output((%getitem, %e, %getitem_1))
            }
            saved [Output(1), Output(2)]
            graph {
              %e = placeholder[e]
              %getitem_1 = placeholder[getitem_1]
              %tangents_1 = placeholder[tangents_1]
              %backward = call_function[rust_inductor._recorded.backward](%getitem_1, [None, None], %tangents_1)
              %getitem_2 = call_function[operator.getitem](%backward, 0)
              %getitem_3 = call_function[operator.getitem](%backward, 1)
              %mul = call_function[aten.mul.Tensor](%getitem_2, %e)
              %output = output((%mul, %getitem_3))
            }
        "#]],
    );
}

#[test]
fn a_view_without_a_derivative_is_named() {
    let program = "graph {
  %x = placeholder[x]
  %parts = call_function[aten.unsafe_split.Tensor](%x, 2)
  %first = call_function[operator.getitem](%parts, 0)
  %output = output((%first,))
}
";
    let error = joint(program, &[&[4, 3]]).expect_err("no derivative");
    assert_eq!(error.to_string(), "%parts: no derivative of `aten.unsafe_split.Tensor`");
}

#[test]
fn writes_past_autograd_are_refused() {
    let refused = |calls: &str| {
        let program = format!("graph {{\n  %x = placeholder[x]\n{calls}  %output = output((%x,))\n}}\n");
        followed_results(&graph(&program, &[&[4, 3]]), &[true]).is_err()
    };
    let detached = "  %y = call_function[aten.mul.Tensor](%x, 2)\n  %d = call_function[aten.detach.default](%y)\n  %w = call_function[aten.add_.Tensor](%d, 1)\n";
    let row = "  %y = call_function[aten.mul.Tensor](%x, 2)\n  %rows = call_function[aten.unbind.int](%y)\n  %row = call_function[operator.getitem](%rows, 0)\n  \
               %w = call_function[aten.add_.Tensor](%row, 1)\n";
    let seen = "  %y = call_function[aten.mul.Tensor](%x, 2)\n  %row = call_function[aten.select.int](%y, 0, 1)\n  %w = call_function[aten.add_.Tensor](%row, 1)\n";
    assert_eq!([detached, row, seen].map(refused), [true, true, false]);
}

#[test]
fn gradients_of_the_programs_own_stand_in_the_place_of_the_call() {
    let mut forward = graph(
        "graph {
  %x = placeholder[x]
  %off = call_function[torch._C._set_grad_enabled](False)
  %exp = call_function[aten.exp.default](%x)
  %on = call_function[torch._C._set_grad_enabled](True)
}",
        &[&[4]],
    );
    let backward = graph(
        "graph {
  %grad = placeholder[grad]
  %saved = placeholder[saved]
  %mul = call_function[aten.mul.Tensor](%grad, %saved)
  %twice = call_function[aten.mul.Tensor](%mul, 2)
  %output = output((%twice,))
}",
        &[&[4], &[4]],
    );
    let [x, exp] = ["x", "exp"].map(|name| forward.find(name).expect("it is there"));
    let gives = forward[exp].meta.clone();
    let custom = CustomGradient { backward, results: vec![exp], operands: vec![Some(x)], saved: vec![exp] };
    let result = custom.push(&mut forward, &[gives])[0];
    let sum = forward.call_function("aten.sum.default", vec![Arg::Node(result)], Vec::new());
    let meta = infer::node(&mut forward, sum).expect("a rule");
    forward[sum].meta = Some(meta);
    forward.output(Arg::Tuple(vec![Arg::Node(sum)]));
    let joint = differentiate(&forward, &[true], &LikeOperands).expect("a derivative");
    let cut = minimum_cut(&joint, &[false], 1.0).expect("a cut");
    let (forward, backward) = (cut.forward(&joint), cut.backward(&joint));
    let told = format!("{}saved {:?}\n{}", text(&forward.graph), forward.saved, text(&backward.graph));
    expect![[r#"
        graph {
          %x = placeholder[x]
          %exp = call_function[aten.exp.default](%x)
          %sum_1 = call_function[aten.sum.default](%exp)
          %output = output((%sum_1, %exp))
        }
        saved [Output(1)]
        graph {
          %exp = placeholder[exp]
          %tangents_1 = placeholder[tangents_1]
          %expand = call_function[aten.expand.default](%tangents_1, [4])
          %clone = call_function[aten.clone.default](%expand, memory_format=memory_format("contiguous_format"))
          %mul = call_function[aten.mul.Tensor](%clone, %exp)
          %twice = call_function[aten.mul.Tensor](%mul, 2)
          %output = output((%twice,))
        }
    "#]]
    .assert_eq(&told);
}

/// Two layers of products, each in a checkpointed region, if `mark` says so.
fn two_layers(mark: bool) -> String {
    let layer = |number: usize, x: &str| {
        let marker = |place: &str, says: &str| {
            let node = format!("  %{place}_{number} = call_function[rust_inductor.checkpoint]({says})\n");
            if mark { node } else { String::new() }
        };
        format!(
            "{}  %mm_{number} = call_function[aten.mm.default](%{x}, %w)\n  \
               %tanh_{number} = call_function[aten.tanh.default](%mm_{number})\n  \
               %out_{number} = call_function[aten.mm.default](%tanh_{number}, %w)\n{}",
            marker("begin", "True"),
            marker("end", "False")
        )
    };
    let (first, second) = (layer(1, "x"), layer(2, "out_1"));
    format!(
        "graph {{\n  %x = placeholder[x]\n  %w = placeholder[w]\n{first}{second}  \
         %sum_1 = call_function[aten.sum.default](%out_2)\n  %output = output((%sum_1,))\n}}\n"
    )
}

#[test]
fn checkpointed_regions_are_computed_again_where_gradients_need_them() {
    check(
        &two_layers(true),
        &[&[8, 8], &[8, 8]],
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %w = placeholder[w]
              %mm_1 = call_function[aten.mm.default](%x, %w)
              %tanh_1 = call_function[aten.tanh.default](%mm_1)
              %out_1 = call_function[aten.mm.default](%tanh_1, %w)
              %mm_2 = call_function[aten.mm.default](%out_1, %w)
              %tanh_2 = call_function[aten.tanh.default](%mm_2)
              %out_2 = call_function[aten.mm.default](%tanh_2, %w)
              %sum_1 = call_function[aten.sum.default](%out_2)
              %output = output((%sum_1, %out_1))
            }
            saved [Input(0), Input(1), Output(1)]
            graph {
              %x = placeholder[x]
              %w = placeholder[w]
              %out_1 = placeholder[out_1]
              %tangents_1 = placeholder[tangents_1]
              %expand = call_function[aten.expand.default](%tangents_1, [8, 8])
              %t = call_function[aten.t.default](%w)
              %mm = call_function[aten.mm.default](%expand, %t)
              %mm_2 = call_function[aten.mm.default](%out_1, %w)
              %tanh_2 = call_function[aten.tanh.default](%mm_2)
              %t_1 = call_function[aten.t.default](%tanh_2)
              %mm_3 = call_function[aten.mm.default](%t_1, %expand)
              %tanh_backward = call_function[aten.tanh_backward.default](%mm, %tanh_2)
              %t_2 = call_function[aten.t.default](%w)
              %mm_4 = call_function[aten.mm.default](%tanh_backward, %t_2)
              %t_3 = call_function[aten.t.default](%out_1)
              %mm_5 = call_function[aten.mm.default](%t_3, %tanh_backward)
              %add = call_function[aten.add.Tensor](%mm_3, %mm_5)
              %t_4 = call_function[aten.t.default](%w)
              %mm_6 = call_function[aten.mm.default](%mm_4, %t_4)
              %mm_1 = call_function[aten.mm.default](%x, %w)
              %tanh_1 = call_function[aten.tanh.default](%mm_1)
              %t_5 = call_function[aten.t.default](%tanh_1)
              %mm_7 = call_function[aten.mm.default](%t_5, %mm_4)
              %add_1 = call_function[aten.add.Tensor](%add, %mm_7)
              %tanh_backward_1 = call_function[aten.tanh_backward.default](%mm_6, %tanh_1)
              %t_6 = call_function[aten.t.default](%w)
              %mm_8 = call_function[aten.mm.default](%tanh_backward_1, %t_6)
              %t_7 = call_function[aten.t.default](%x)
              %mm_9 = call_function[aten.mm.default](%t_7, %tanh_backward_1)
              %add_2 = call_function[aten.add.Tensor](%add_1, %mm_9)
              %output = output((%mm_8, %add_2))
            }
        "#]],
    );
}

#[test]
fn a_budget_has_dear_values_computed_again() {
    let joint = joint(&two_layers(false), &[&[8, 8], &[8, 8]]).expect("a derivative");
    let bytes = |budget: f64| {
        minimum_cut(&joint, &[false, true], budget).expect("a cut").forward(&joint).saved_bytes / (4 * 64)
    };
    assert_eq!([1.0, 0.7, 0.5, 0.0].map(bytes), [3, 2, 1, 0]);
}

#[test]
fn a_value_for_gradients_for_which_eager_saves_no_input_is_not_computed_from_it() {
    let saved = |outputs: &str| {
        let program = format!(
            "graph {{\n  %x = placeholder[x]\n  %cos = call_function[aten.cos.default](%x)\n  \
             %add = call_function[aten.add.Tensor](%x, 1)\n  %mul = call_function[aten.mul.Tensor](%add, %add)\n  \
             %both = call_function[aten.add.Tensor](%mul, %cos)\n  %output = output(({outputs},))\n}}\n"
        );
        let joint = joint(&program, &[&[4]]).expect("a derivative");
        minimum_cut(&joint, &[false], 1.0).expect("a cut").forward(&joint).saved
    };
    assert_eq!(saved("%both"), [Saved::Input(0)]);
    assert_eq!(saved("%mul, %cos"), [Saved::Input(0), Saved::Output(2)]);
}

#[test]
fn an_input_that_is_written_to_is_saved_as_it_was() {
    let program = "graph {
  %x = placeholder[x]
  %sin = call_function[aten.sin.default](%x)
  %mul = call_function[aten.mul.Tensor](%sin, 2)
  %copy_ = call_function[aten.copy_.default](%x, %mul)
  %output = output((%mul,))
}
";
    let joint = joint(program, &[&[4]]).expect("a derivative");
    assert_eq!((joint.results().len(), &joint.followed_writes), (1, &vec![0]));
    let forward = minimum_cut(&joint, &[false], 1.0).expect("a cut").forward(&joint);
    assert_eq!((forward.results, forward.saved), (2, vec![Saved::Output(2)]));
}
