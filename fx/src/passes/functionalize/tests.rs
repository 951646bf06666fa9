//! Graphs before and after, and what is refused.

use super::{Functional, Given, NotFunctional, functionalize};
use crate::{
    graph::{Graph, Kind, Meta},
    infer,
};
use expect_test::{Expect, expect};

/// Makes a graph functional whose inputs are float32 of size 4 by 3.
fn functional(text: &str) -> Result<Functional, NotFunctional> {
    let mut graph: Graph = text.parse().expect("test graph");
    for input in graph.placeholders().collect::<Vec<_>>() {
        let sizes: Vec<_> = [4, 3].map(|n| graph.exprs.int(n)).into();
        let strides: Vec<_> = [3, 1].map(|n| graph.exprs.int(n)).into();
        let (dtype, device) = (symshapes::DType::F32, symshapes::Device::CPU);
        let (offset, requires_grad) = (graph.exprs.int(0), false);
        graph[input].meta =
            Some(Meta::Tensor(symshapes::TensorMeta { dtype, device, sizes, strides, offset, requires_grad }));
    }
    for id in graph.nodes().collect::<Vec<_>>() {
        // What a write gives is its first argument.
        let written = graph[id].op().filter(|overload| overload.mutates());
        graph[id].meta = match written.and_then(|_| graph[id].args.first()?.as_node()) {
            Some(of) if graph[id].kind == Kind::CallFunction => graph[of].meta.clone(),
            _ if graph[id].kind == Kind::CallFunction => Some(infer::node(&mut graph, id).expect("a rule")),
            _ => continue,
        };
    }
    functionalize(&graph)
}

fn check(text: &str, expected: &Expect) {
    let Functional { mut graph, .. } = functional(text).expect("a functional graph");
    for node in graph.nodes().collect::<Vec<_>>() {
        graph[node].meta = None;
    }
    expected.assert_eq(&graph.to_text());
}

#[test]
fn a_write_to_a_view_is_seen_through_the_others() {
    check(
        "graph {
            %x = placeholder[x]
            %y = call_function[aten.neg.default](%x)
            %row = call_function[aten.select.int](%y, 0, 1)
            %t = call_function[aten.t.default](%y)
            %w = call_function[aten.mul_.Scalar](%row, 2)
            %s = call_function[aten.sum.default](%t)
            %output = output((%w, %s))
        }",
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = call_function[aten.neg.default](%x)
              %row = call_function[aten.select.int](%y, 0, 1)
              %t = call_function[aten.t.default](%y)
              %mul = call_function[aten.mul.Scalar](%row, 2)
              %select_scatter = call_function[aten.select_scatter.default](%y, %mul, 0, 1)
              %t_1 = call_function[aten.t.default](%select_scatter)
              %s = call_function[aten.sum.default](%t_1)
              %select = call_function[aten.select.int](%select_scatter, 0, 1)
              %output = output((%select, %s))
            }
        "#]],
    );
}

#[test]
fn an_input_takes_its_last_value_at_the_end() {
    check(
        "graph {
            %x = placeholder[x]
            %a = call_function[aten.add_.Tensor](%x, 1)
            %b = call_function[aten.relu_.default](%a)
            %y = call_function[aten.neg.default](%x)
            %output = output((%y,))
        }",
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %add = call_function[aten.add.Tensor](%x, 1)
              %relu = call_function[aten.relu.default](%add)
              %y = call_function[aten.neg.default](%relu)
              %copy_ = call_function[aten.copy_.default](%x, %relu)
              %output = output((%y,))
            }
        "#]],
    );
}

#[test]
fn parts_of_a_split_are_written_by_position() {
    check(
        "graph {
            %x = placeholder[x]
            %y = call_function[aten.neg.default](%x)
            %parts = call_function[aten.split.Tensor](%y, 3)
            %part = call_function[operator.getitem](%parts, 1)
            %w = call_function[aten.zero_.default](%part)
            %output = output((%y,))
        }",
        &expect![[r#"
            graph {
              %x = placeholder[x]
              %y = call_function[aten.neg.default](%x)
              %parts = call_function[aten.split.Tensor](%y, 3)
              %part = call_function[operator.getitem](%parts, 1)
              %fill = call_function[aten.fill.Scalar](%part, 0)
              %slice_scatter = call_function[aten.slice_scatter.default](%y, %fill, 0, 3, 4, 1)
              %output = output((%slice_scatter,))
            }
        "#]],
    );
}

#[test]
fn results_that_share_memory_are_views_of_one_output() {
    let of = |first: &str, second: &str| {
        let text = format!(
            "graph {{
                %x = placeholder[x]
                %y = call_function[aten.neg.default](%x)
                %a = call_function[aten.{first}
                %b = call_function[aten.{second}
                %output = output((%a, %b))
            }}"
        );
        let results = functional(&text).expect("a functional graph").results;
        let told = results.into_iter().map(|result| match result {
            Given::Output(number) => format!("output {number}"),
            Given::View { base, path } => {
                let names: Vec<&str> = path.iter().map(|view| view.overload.packet().name()).collect();
                format!("{base:?} {}", names.join(" "))
            }
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(of("t.default](%y)", "neg.default](%y)"), ["output 0", "output 1"]);
    assert_eq!(of("t.default](%y)", "select.int](%y, 0, 1)"), ["Output(0) t", "Output(0) select"]);
    assert_eq!(of("t.default](%x)", "neg.default](%y)"), ["Input(0) t", "output 0"]);
    assert_eq!(of("reshape.default](%x, [12])", "reshape.default](%y, [12])"), ["Input(0) reshape", "output 0"]);
}

#[test]
fn not_understood_is_refused() {
    let why = |calls: &str| {
        let text = format!("graph {{\n%x = placeholder[x]\n{calls}\n%output = output((%x,))\n}}");
        functional(&text).expect_err("no functional graph").to_string()
    };
    expect!["%u: `uniform_.default` has no functional form"]
        .assert_eq(&why("%u = call_function[aten.uniform_.default](%x)"));
    expect!["%t: `t_.default` has no functional form"].assert_eq(&why("%t = call_function[aten.t_.default](%x)"));
    let unfolded = "%e = call_function[aten.unfold.default](%x, 0, 2, 1)";
    expect!["%w: a write through `unfold.default`"]
        .assert_eq(&why(&format!("{unfolded}\n%w = call_function[aten.zero_.default](%e)")));
}
