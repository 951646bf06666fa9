//! Random graphs: the plan gives what the interpreter gives. `RI_FUZZ_GRAPHS` says how many are tried.

use crate::{compare, generate};

#[test]
fn random_graphs_agree_with_the_interpreter() {
    let count = std::env::var("RI_FUZZ_GRAPHS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    for seed in 0..count {
        let size = 2 + (seed % 11) as usize;
        if let Ok(unknown) = compare::check(&generate::graph(seed, size), seed) {
            assert!(unknown.is_none(), "seed {seed}: the interpreter refuses it: {unknown:?}");
            continue;
        }
        let smallest = (1..=size).map(|n| generate::graph(seed, n));
        let failing = smallest.filter_map(|g| compare::check(&g, seed).err().map(|e| (g, e))).next();
        let (graph, error) = failing.expect("the largest one fails");
        panic!("seed {seed}: {error}\n{}", graph.to_text());
    }
}
