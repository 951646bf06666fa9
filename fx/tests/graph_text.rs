//! The text form: metadata, every kind of argument, and where errors are.

use expect_test::{Expect, expect};
use fx::{Graph, Kind, Meta};
use proptest::prelude::*;

const FULL: &str = r#"graph {
  %x : f32[2, s0]{s0, 1} grad = placeholder[x]
  %n : int(s0) = placeholder[n](4)
  %w : bf16[3]{1}+(2*s0) @"cuda:0" = get_attr["0.odd name"]
  %split : (f32[2]{1}, _, (i64[]{}), plain([1, "a"])) = call_function[aten.split.Tensor](%x, sym(s0), dim=-1)
  %all = call_method[foo](%x, None, True, -3, -1.5, 1e+22, inf, -inf, complex(0.0, -1.0), "a\"\n", torch.int64)
  %more = call_module[a.b]([%x], (%n,), (), {"k": [%w], 1: None}, slice(None, %n, 2), ..., "odd key"=1, dim=opaque(7, "<f>"))
  %dev = call_function[torch.zeros](1, device=device("cuda:1"), layout=layout("strided"), memory_format=memory_format("x"))
  %cond_true_0 = get_attr[cond_true_0] of graph {
    %a : f32[s7]{1} = placeholder[a]
    %body_0 = get_attr[body_0] from "a" of graph {
      %output = output(None)
    }
    %output = output((%a, %body_0))
  }
  %output = output((%split, %n)) as "torch.Tensor" from "File \"a.py\", line 3"
}
"#;

#[test]
fn everything_round_trips() {
    let g: Graph = FULL.parse().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(g.to_text(), FULL);
    let json = g.to_json();
    let again = Graph::from_json(&json).expect("our JSON reads back");
    assert_eq!(again.to_text(), FULL);
    assert_eq!(again.to_json(), json);
}

#[test]
fn subgraphs_are_named_apart_and_verified() {
    let mut g = Graph::new();
    let mut body = Graph::new();
    body.output(fx::Arg::None);
    let first = g.fetch_subgraph("body", body.clone());
    let second = g.fetch_subgraph("body", body.clone());
    assert_eq!((g[first].target.as_str(), g[second].target.as_str()), ("body_0", "body_1"));
    assert_eq!(fx::verify::verify(&g), Ok(()));
    body.output(fx::Arg::None);
    g.fetch_subgraph("wrong", body);
    let invalid = fx::verify::verify(&g).expect_err("two nodes give the result");
    expect!["%wrong_0, its graph: %output_1: a node after the output"].assert_eq(&invalid.to_string());
    fails("%y = call_method[neg](%x) of graph {}", &expect!["5:1: %y: a subgraph of a node that fetches none"]);
}

#[test]
fn meaning_of_the_parts() {
    let g: Graph = FULL.parse().unwrap_or_else(|e| panic!("{e}"));
    let split = g.find("split").expect("the node is there");
    assert_eq!(g[split].kind, Kind::CallFunction);
    assert_eq!(g[split].kwarg("dim").and_then(fx::Arg::as_int), Some(-1));
    let Some(Meta::Tuple(parts)) = &g[split].meta else { panic!("a tuple") };
    assert!(parts[1].is_none());
    assert_eq!(g.output_node().and_then(|n| g[n].stack_trace.as_deref()), Some("File \"a.py\", line 3"));
}

fn fails(line: &str, message: &Expect) {
    let text = format!("# a comment\ngraph {{\n  %x = placeholder[x] # another\n  {line}\n}}");
    message.assert_eq(&text.parse::<Graph>().expect_err("an error was expected").to_string());
}

#[test]
fn errors_say_where() {
    fails("%y = call_method[neg](%z)", &expect!["4:25: %z is not defined above"]);
    fails("%x = get_attr[a]", &expect!["4:3: %x is defined twice"]);
    fails("%y = call[neg](%x)", &expect!["4:8: `call` is no kind of node"]);
    fails("%y : f31[2] = get_attr[a]", &expect!["4:8: `f31` is no dtype"]);
    fails("%y : f32[2] = get_attr[a]", &expect!["4:15: expected `{`"]);
    fails("%y = call_method[neg](a=1, %x)", &expect!["4:30: a positional argument after a keyword argument"]);
    fails("%y = call_method[neg](%x", &expect!["4:27: expected `,` or `)`"]);
    fails("%y = call_method[neg](%x, 99999999999999999999)", &expect!["4:29: `99999999999999999999` is no number"]);
    fails("%y = call_method[neg](%x, \"a\\q\")", &expect!["4:31: unknown escape"]);
    fails("%y = call_method[neg](%x) junk", &expect!["4:29: expected the end of the line"]);
    fails("%y = call_method[neg](%x, slice(1, 2))", &expect!["4:29: a slice has 3 parts, not 2"]);
}

#[test]
fn deep_nesting_is_an_error() {
    let nested = "[".repeat(100_000);
    fails(&format!("%y = call_method[f]({nested}"), &expect!["4:124: more than 100 brackets inside each other"]);
}

proptest! {
    #[test]
    fn damaged_text_is_an_error_and_no_panic(at in 0..FULL.len(), cut in 0usize..4, put in "[\\]\\[(){},:=%\"\\\\un0-9e.é-]{0,3}") {
        let start = (0..=at).rev().find(|&i| FULL.is_char_boundary(i)).unwrap_or(0);
        let end = (start + cut).min(FULL.len());
        let damaged = format!("{}{put}{}", &FULL[..start], &FULL[end..]);
        if let Ok(graph) = damaged.parse::<Graph>() {
            let text = graph.to_text();
            prop_assert_eq!(text.parse::<Graph>().expect("printed text parses").to_text(), text);
        }
    }
}

#[test]
fn invariants_are_checked_on_reading() {
    fails("%y = call_method[neg]()", &expect!["5:1: %y: call_method with 0 arguments and 0 keyword arguments"]);
    fails("%output = output(%x)\n  %y = get_attr[y]", &expect!["6:1: %y: a node after the output"]);
    fails("%y = get_attr[y]\n  %z = placeholder[z]", &expect!["6:1: %z: a placeholder after a node that is none"]);
    fails("%y : f32[2]{} = get_attr[y]", &expect!["5:1: %y: 1 sizes, 0 strides"]);
    fails("%y : f32[-2]{1} = get_attr[y]", &expect!["5:1: %y: size -2"]);
    fails(
        "%y : (f32[2]{1}) = get_attr[y]\n  %z : f32[3]{1} = call_function[operator.getitem](%y, 0)",
        &expect!["6:1: %z: not the metadata that element 0 of %y has"],
    );
}

#[test]
fn other_versions_of_json_are_refused() {
    let json = Graph::new().to_json();
    assert!(json.starts_with("{\"version\":1,\"nodes\":[]"));
    let error = Graph::from_json(&json.replacen('1', "2", 1)).expect_err("version 2 does not exist");
    expect!["version 2 of the JSON form; this library reads version 1"].assert_eq(&error.to_string());
}
