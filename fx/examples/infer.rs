//! Infers the metadata of every node of a graph and times it: `infer GRAPH.json ROUNDS`.
//!
//! The graph comes from `tools/bench/symshapes.py`, with the metadata that torch's fake tensors gave. Each round starts
//! with the inputs' metadata alone, in a shape environment over the graph's symbols; a node without a rule keeps
//! torch's. One line of JSON says how long each round took, what differs from torch's answer, and what has none.

use fx::{
    Graph, Kind, NodeId,
    infer::{self, InferError},
};
use serde::Serialize;
use std::{error::Error, time::Instant};
use symshapes::{EnvOptions, ShapeEnv};

#[derive(Serialize)]
struct Report {
    calls: usize,
    infer_ns: Vec<u64>,
    mismatches: Vec<String>,
    unknown: Vec<String>,
    guards: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("infer GRAPH.json ROUNDS")?;
    let rounds: usize = args.next().ok_or("infer GRAPH.json ROUNDS")?.parse()?;
    let graph = Graph::from_json(&std::fs::read_to_string(path)?)?;
    println!("{}", serde_json::to_string(&measure(&graph, rounds))?);
    Ok(())
}

fn measure(graph: &Graph, rounds: usize) -> Report {
    let env = ShapeEnv::over(graph.exprs.clone(), EnvOptions::default());
    let mut checked = env.clone();
    let (mismatches, unknown) = infer::check_guarded(graph, &mut checked);
    let why = |(id, error): &(NodeId, InferError)| format!("{}: {error}", graph[*id].name);
    let guards = checked.guards().iter().map(|g| checked.pool().display_pred(g.pred).to_string());
    Report {
        calls: calls(graph).count(),
        infer_ns: (0..rounds).map(|_| round(graph.clone(), env.clone())).collect(),
        mismatches: mismatches.iter().map(ToString::to_string).collect(),
        unknown: unknown.iter().map(why).collect(),
        guards: guards.collect(),
    }
}

fn calls(graph: &Graph) -> impl Iterator<Item = NodeId> {
    graph.nodes().filter(|&n| graph[n].kind == Kind::CallFunction)
}

/// One walk through the graph, in nanoseconds.
fn round(mut graph: Graph, mut env: ShapeEnv) -> u64 {
    let calls: Vec<NodeId> = calls(&graph).collect();
    let given: Vec<_> = calls.iter().map(|&n| graph[n].meta.take()).collect();
    let start = Instant::now();
    for (id, given) in calls.into_iter().zip(given) {
        graph[id].meta = infer::guarded(&graph, id, &mut env, "").ok().or(given);
    }
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
