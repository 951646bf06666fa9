//! Random graphs: the plan gives what the interpreter gives. `RI_FUZZ_GRAPHS` says how many are tried,
//! `RI_FUZZ_SEED` where to begin.

use crate::generate::{self, Dims, SYMBOLS, VALUES};
use crate::{compare, shrink};
use fx::Graph;
use inductor::{
    Compiled,
    loop_ir::Kernel,
    plan::{Fate, Step},
};
use inductor_testing::graphs;
use inductor_testing::rng::Rng;
use std::{
    ops::Range,
    panic::{self, AssertUnwindSafe},
};

/// The number of graphs to try, where the environment does not say it.
const GRAPHS: u64 = 300;

/// Sets of values that each symbolic graph is run with.
const ROUNDS: usize = 3;

fn seeds() -> Range<u64> {
    let setting = |name, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let first = setting("RI_FUZZ_SEED", 0);
    first..first + setting("RI_FUZZ_GRAPHS", GRAPHS)
}

fn steps(seed: u64) -> usize {
    2 + (seed % 15) as usize
}

/// The first difference; a panic is one too.
fn difference<T>(check: impl FnOnce() -> Result<T, String>) -> Option<String> {
    match panic::catch_unwind(AssertUnwindSafe(check)) {
        Ok(outcome) => outcome.err(),
        Err(_) => Some("it panics".to_owned()),
    }
}

/// Says which seed fails, with the smallest part of its graph that does.
fn fail<T>(seed: u64, graph: Graph, check: impl Fn(&Graph) -> Result<T, String>) -> ! {
    let graph = shrink::smallest(graph, |graph| difference(|| check(graph)).is_some());
    let error = difference(|| check(&graph)).expect("the smallest graph fails");
    panic!("seed {seed}: {error}\n{}", graph.to_text());
}

#[test]
fn random_graphs_agree_with_the_interpreter() {
    let check = |graph: &Graph, seed| match compare::check(graph, seed)? {
        Some(unknown) => Err(format!("the interpreter refuses it: {unknown:?}")),
        None => Ok(()),
    };
    for seed in seeds() {
        let graph = generate::graph(seed, steps(seed), Dims::Constant);
        if difference(|| check(&graph, seed)).is_some() {
            fail(seed, graph, |graph| check(graph, seed));
        }
    }
}

/// Values of the symbols: equal ones, and others.
fn assignments(seed: u64) -> [[(&'static str, i64); 2]; ROUNDS] {
    let mut rng = Rng::new(!seed);
    std::array::from_fn(|round| {
        let first = rng.pick(VALUES);
        let second = if round == 0 { first } else { rng.pick(VALUES) };
        [(SYMBOLS[0], first), (SYMBOLS[1], second)]
    })
}

/// Compiles a graph once and runs it with several values of its symbols.
fn check(graph: &Graph, seed: u64) -> Result<Compiled, String> {
    let mut compiled = compare::compiled(graph)?;
    compiled.plan.choices.lends_from = seed.is_multiple_of(2).then_some(1);
    compiled.plan.kernels.values().try_for_each(reads_back)?;
    for values in assignments(seed) {
        // What was inferred of all sizes holds of these.
        if let Some(mismatch) = fx::infer::check(&graphs::at(graph, &values)).first() {
            return Err(format!("{values:?}: {mismatch}"));
        }
        let outcome = compare::check_at(graph, &compiled, &values, seed);
        if let Some(unknown) = outcome.map_err(|e| format!("{values:?}: {e}"))? {
            return Err(format!("{values:?}: the interpreter refuses it: {unknown:?}"));
        }
    }
    Ok(compiled)
}

/// A kernel's text gives the kernel, and prints as it was.
fn reads_back(kernel: &Kernel) -> Result<(), String> {
    let text = kernel.to_string();
    let read: Kernel = text.parse().map_err(|e| format!("{e}\n{text}"))?;
    if read == *kernel && read.to_string() == text { Ok(()) } else { Err(format!("{read}\nis not\n{text}")) }
}

/// Statistics of the graphs of a run.
#[derive(Default, Debug)]
struct Tally {
    graphs: usize,
    /// Graphs with a kernel that is handed sizes.
    symbolic: usize,
    steps: usize,
    /// Calls that steps have added.
    calls: usize,
    /// Calls whose results kernels compute.
    computed: usize,
    /// Graphs with kernels that are launched together.
    together: usize,
    /// Graphs with buffers in the memory of a result.
    lent: usize,
}

impl Tally {
    fn count(&mut self, graph: &Graph, steps: usize, compiled: &Compiled) {
        self.graphs += 1;
        self.symbolic += usize::from(compiled.plan.kernels.values().any(|kernel| !kernel.sizes.is_empty()));
        self.steps += steps;
        self.calls += graph.nodes().filter(|&n| graph[n].target.starts_with("aten.")).count();
        let plan = compiled.plan.at(&|_| Some(VALUES[0])).expect("the symbols may have this value");
        self.together += usize::from(plan.steps.iter().any(|step| matches!(step, Step::Group(_))));
        self.lent += usize::from(plan.lender.is_some());
        self.computed += compiled.plan.fates.iter().filter(|(_, fate)| matches!(fate, Fate::Kernel(_))).count();
    }
}

#[test]
fn random_symbolic_graphs_agree_with_the_interpreter() {
    let mut tally = Tally::default();
    for seed in seeds() {
        let graph = generate::graph(seed, steps(seed), Dims::Symbolic);
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| check(&graph, seed)));
        let Ok(Ok(compiled)) = outcome else { fail(seed, graph, |graph| check(graph, seed)) };
        tally.count(&graph, steps(seed), &compiled);
    }
    assert!(tally.symbolic * 10 >= tally.graphs * 9, "too few graphs keep a symbol: {tally:?}");
    assert!(tally.calls * 4 >= tally.steps * 3, "too many steps add nothing: {tally:?}");
    assert!(tally.together * 4 >= tally.graphs, "too few graphs launch kernels together: {tally:?}");
    assert!(tally.lent * 30 >= tally.graphs, "too few graphs lend memory: {tally:?}");
    assert!(tally.computed * 2 >= tally.calls, "too few calls become kernels: {tally:?}");
}
