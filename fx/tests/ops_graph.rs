//! Whole graphs through the interpreter, written as text.

use expect_test::{Expect, expect};
use fx::text;
use fx_interp::{self as interp, Tensor, Value};
use symshapes::DType;

/// Runs the graph on one 2×3 tensor and prints what it gives.
fn check(graph: &str, expected: &Expect) {
    let graph = text::parse(graph).unwrap_or_else(|e| panic!("{e}"));
    let x = Tensor::from_values(DType::F32, &[2, 3], [1.0, 5.0, -2.0, 0.5, 0.0, 3.0]).expect("six values");
    let printed = match interp::run(&graph, &[Value::Tensor(x)]) {
        Ok(outputs) => outputs.iter().map(|v| show(v) + "\n").collect(),
        Err(e) => e.to_string(),
    };
    expected.assert_eq(&printed);
}

fn show(value: &Value) -> String {
    match value {
        Value::Tensor(t) => {
            let values: Vec<String> = t.values().map(|v| v.to_string()).collect();
            format!("{}{:?} {}", t.dtype(), t.sizes(), values.join(" "))
        }
        Value::Tuple(items) => format!("({})", items.iter().map(show).collect::<Vec<_>>().join("; ")),
        Value::Plain(arg) => format!("{arg:?}"),
    }
}

#[test]
fn tuples_sizes_and_constants() {
    check(
        "graph {
          %x = placeholder[x]
          %max = call_function[aten.max.dim](%x, 1)
          %values = call_function[operator.getitem](%max, 0)
          %places = call_function[operator.getitem](%max, -1)
          %n = call_function[aten.sym_size.int](%x, 1)
          %twice = call_function[operator.mul](%n, 2)
          %full = call_function[aten.full.default]([%twice], 1.5, dtype=torch.float16)
          %flat = call_function[aten.view.default](%x, [%twice])
          %sum = call_function[aten.add.Tensor](%full, %flat)
          %output = output((%values, %places, %twice, %sum))
        }",
        &expect![[r#"
            float32[2] 5.0 3.0
            int64[2] 1 2
            Int(6)
            float32[6] 2.5 6.5 -0.5 2.0 1.5 4.5
        "#]],
    );
}

#[test]
fn half_types_round_after_each_op() {
    check(
        "graph {
          %x = placeholder[x]
          %low = call_function[aten._to_copy.default](%x, dtype=torch.bfloat16)
          %third = call_function[aten.div.Tensor](%low, 3)
          %back = call_function[aten.mul.Tensor](%third, 3)
          %whole = call_function[aten._to_copy.default](%back, dtype=torch.int32)
          %mean = call_function[aten.mean.dim](%back, [1])
          %output = output((%third, %whole, %mean))
        }",
        &expect![[r#"
            bfloat16[2, 3] 0.333984375 1.6640625 -0.66796875 0.1669921875 0.0 1.0
            int32[2, 3] 1 5 -2 0 0 3
            bfloat16[2] 1.3359375 1.1640625
        "#]],
    );
}

#[test]
fn errors_name_the_node() {
    check(
        "graph {
          %x = placeholder[x]
          %bad = call_function[aten.mm.default](%x, %x)
          %output = output((%bad,))
        }",
        &expect!["bad: mm.default: shapes that do not fit"],
    );
    check(
        "graph {
          %x = placeholder[x]
          %changed = call_function[aten.add_.Tensor](%x, 1)
          %output = output((%changed,))
        }",
        &expect!["changed: no rule for `add_.Tensor`"],
    );
}
