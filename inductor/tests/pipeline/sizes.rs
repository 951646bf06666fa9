//! Plans asked for sizes that they were not made for: each answer names the size, nothing wraps.

use crate::compare;
use expect_test::{Expect, expect};
use fx::text;
use inductor::plan::{SizeError, SymbolicPlan};
use symshapes::Range;

/// The plan of a graph whose sizes are at least 2.
fn plan(graph: &str) -> SymbolicPlan {
    let mut graph = text::parse(graph).expect("the text is a graph");
    for name in ["s0", "s1"] {
        if let Some(sym) = graph.exprs.find(name) {
            graph.exprs.set_symbol_range(sym, Range::new(2, i64::MAX));
        }
    }
    fx::infer::fill(&mut graph).expect("every node has a rule");
    compare::compiled(&graph).expect("the graph compiles").plan
}

/// The plan's answer to these values of its symbols: `Ok`, or the error.
fn answer(plan: &SymbolicPlan, values: &[(&str, i64)]) -> Result<(), SizeError> {
    let value = |sym| values.iter().find(|(name, _)| *name == plan.pool.name(sym)).map(|&(_, value)| value);
    plan.at(&value).map(|_| ())
}

/// Checks `values: answer`, one a line.
fn check(graph: &str, cases: &[&[(&str, i64)]], expected: &Expect) {
    let plan = plan(graph);
    let line = |values: &&[(&str, i64)]| match answer(&plan, values) {
        Ok(()) => format!("{values:?}: right\n"),
        Err(error) => format!("{values:?}: {error}\n"),
    };
    expected.assert_eq(&cases.iter().map(line).collect::<String>());
}

const OUTER: &str = "graph {
  %x : f32[s0]{1} = placeholder[x]
  %y : f32[s1]{1} = placeholder[y]
  %column = call_function[aten.unsqueeze.default](%x, 1)
  %outer = call_function[aten.mul.Tensor](%column, %y)
  %output = output((%outer,))
}";

#[test]
fn values_outside_the_range_and_products_outside_64_bits() {
    const LARGE: i64 = 1 << 31;
    check(
        OUTER,
        &[
            &[("s0", 3), ("s1", 4)],
            &[("s0", 1), ("s1", 4)],
            &[("s0", 3), ("s1", -4)],
            &[("s0", 3)],
            &[("s0", LARGE), ("s1", LARGE / 4)],
            &[("s0", LARGE), ("s1", LARGE)],
            &[("s0", i64::MAX), ("s1", i64::MAX)],
        ],
        &expect![[r#"
            [("s0", 3), ("s1", 4)]: right
            [("s0", 1), ("s1", 4)]: s0 = 1 is not in [2, int_oo], for which this was compiled
            [("s0", 3), ("s1", -4)]: s1 = -4 is not in [2, int_oo], for which this was compiled
            [("s0", 3)]: the size `s1` has no value in 64 bits, where s1 = unknown
            [("s0", 2147483648), ("s1", 536870912)]: right
            [("s0", 2147483648), ("s1", 2147483648)]: b2: 2147483648*2147483648 elements of float32, with strides (2147483648, 1) from 0, do not fit in memory
            [("s0", 9223372036854775807), ("s1", 9223372036854775807)]: b0: 9223372036854775807 elements of float32, with strides (1) from 0, do not fit in memory
        "#]],
    );
}

#[test]
fn sizes_that_are_negative_or_divide_by_zero() {
    let graph = "graph {
  %x : f32[s0]{1} = placeholder[x]
  %y : f32[s0 - 3]{1} = placeholder[y]
  %z : f32[(24//(s0 - 4))]{1} = placeholder[z]
  %exp = call_function[aten.exp.default](%y)
  %sum = call_function[aten.sum.default](%z)
  %both = call_function[aten.mul.Tensor](%exp, %sum)
  %output = output((%both,))
}";
    check(
        graph,
        &[&[("s0", 6)], &[("s0", 2)], &[("s0", 4)], &[("s0", 3)]],
        &expect![[r#"
        [("s0", 6)]: right
        [("s0", 2)]: the size `(24//(s0 - 4))` is -12, which is negative, where s0 = 2
        [("s0", 4)]: the size `(24//(s0 - 4))` has no value in 64 bits, where s0 = 4
        [("s0", 3)]: the size `(24//(s0 - 4))` is -24, which is negative, where s0 = 3
    "#]],
    );
}
