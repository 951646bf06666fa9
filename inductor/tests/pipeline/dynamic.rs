//! Graphs of symbolic sizes: one plan gives what the interpreter gives, whatever the sizes. `golden/dynamic` holds the
//! graphs, what they decompose to, and their plans at typical sizes.

use crate::compare;
use expect_test::expect_file;
use fx::{Graph, text};
use inductor::backend::Capabilities;
use inductor::{Config, Options, decompose::decompose};
use symshapes::Range;

/// Values that symbols take in turn.
const VALUES: &[[i64; 3]] = &[[2, 3, 2], [5, 2, 7], [16, 33, 4], [3, 64, 17], [33, 16, 3]];

/// Reads a golden graph whose symbols `s0`, `s1`, `s2` are sizes of at least 2, typically 4, 6 and 8.
fn graph(text: &str) -> Graph {
    let mut graph = text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    for (name, typical) in [("s0", 4), ("s1", 6), ("s2", 8)] {
        if let Some(sym) = graph.exprs.find(name) {
            graph.exprs.set_symbol_range(sym, Range::new(2, i64::MAX));
            graph.exprs.set_hint(sym, typical);
        }
    }
    if let Err((node, error)) = fx::infer::fill(&mut graph) {
        panic!("{}: {error}", graph[node].name);
    }
    graph
}

/// One test for each golden graph.
macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let graph = graph(include_str!(concat!("../golden/dynamic/", stringify!($name), ".fx")));
            let tensors = decompose(&graph, &Config::new(Options::default(), &Capabilities::default())).expect("it decomposes");
            expect_file![concat!("../golden/dynamic/", stringify!($name), ".tensor")].assert_eq(&tensors.to_string());
            let compiled = compare::compiled(&graph).unwrap_or_else(|e| panic!("{e}"));
            let plan = compiled.plan.typical().expect("every size has a typical value");
            expect_file![concat!("../golden/dynamic/", stringify!($name), ".plan")].assert_eq(&plan.to_string());
            for (seed, [s0, s1, s2]) in VALUES.iter().enumerate() {
                let values = [("s0", *s0), ("s1", *s1), ("s2", *s2)];
                match compare::check_at(&graph, &compiled, &values, seed as u64) {
                    Ok(unknown) => assert!(unknown.is_none(), "{unknown:?}"),
                    Err(difference) => panic!("{values:?}: {difference}"),
                }
            }
        })*
    };
}

golden! {
    gelu_scale_shift
    softmax
    layer_norm
    heads
    attention_mask
    positions
    mean_pool
    mean_transposed
    column_sum
    cat_pad
    transposed_copy
    together
}
