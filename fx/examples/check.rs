//! Holds the rules of inference against metadata: `check` reads graphs as JSON, one on each line of standard input.
//!
//! The graphs come from `pybind/tests/opinfo/shapes.py`, with the metadata that torch's own kernels gave. For each, a
//! line of JSON lists the calls that the rules give other metadata for, and those that they have no answer to.

use fx::{Graph, Kind, infer};
use serde::Serialize;
use std::error::Error;
use std::io::{self, BufRead, Write};

#[derive(Serialize)]
struct Report {
    mismatches: Vec<String>,
    unknown: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let report = match Graph::from_json(&line?) {
            Ok(graph) => report(&graph),
            Err(error) => Report { mismatches: Vec::new(), unknown: vec![error.to_string()] },
        };
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    }
    Ok(())
}

fn report(graph: &Graph) -> Report {
    let mut scratch = graph.clone();
    let calls = graph.nodes().filter(|&id| graph[id].kind == Kind::CallFunction);
    let unknown = calls.filter_map(|id| infer::node(&mut scratch, id).err().map(|error| error.to_string()));
    Report { unknown: unknown.collect(), mismatches: infer::check(graph).iter().map(ToString::to_string).collect() }
}
