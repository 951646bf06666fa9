//! Graphs compiled with the interpreting backend, and whether their plans give what the graph's interpreter does.

use crate::reference::InterpBackend;
use fx::Graph;
use fx_interp::{InterpError, Value};
use inductor::plan::Plan;
use inductor::{Compiled, Options, compile};
use inductor_testing::graphs;
use inductor_testing::heap::PlanError;

/// Compiles with the interpreting backend.
pub(crate) fn compiled(graph: &Graph) -> Result<Compiled, String> {
    compile(graph, &InterpBackend::new(), &Options::default()).map_err(|e| e.to_string())
}

/// Compiles a graph, runs it and compares; an operator that the interpreter does not know is no difference but is told.
pub(crate) fn check(graph: &Graph, seed: u64) -> Result<Option<InterpError>, String> {
    check_at(graph, &compiled(graph)?, &[], seed)
}

/// Runs what was compiled of a graph for values of its symbols, and compares.
pub(crate) fn check_at(
    graph: &Graph,
    compiled: &Compiled,
    values: &[(&str, i64)],
    seed: u64,
) -> Result<Option<InterpError>, String> {
    graphs::check(graph, &InterpBackend::new(), compiled, values, seed)
}

/// Runs the plan for the sizes of its inputs on them.
pub(crate) fn execute(compiled: &Compiled, plan: &Plan, inputs: &[Value]) -> Result<Vec<Value>, PlanError> {
    graphs::execute(&InterpBackend::new(), compiled, plan, inputs)
}
