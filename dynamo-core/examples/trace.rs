//! Traces calls that an interpreter describes.
//!
//! Standard input holds one JSON object a line: a world of objects with the calls to trace (see `tests/world`). For
//! each line, standard output holds one: a list with, for each call, the graph, the guards, the code that runs in the
//! function's place, what its opaque constants are, and why the graph ended, if it did before the function; or
//! `{"refused": …}` where nothing could be captured.

use dynamo_core::bytecode::CodeObject;
use dynamo_core::host::{SetHistory, SetOperand};
use dynamo_core::trace::{Capture, Opaque, Options, trace};
use guards::Constant;
use serde::Serialize;
use std::io::{self, BufRead, Write};
use world::{Case, World};

#[path = "../tests/world/mod.rs"]
#[expect(dead_code, reason = "the names of calls are for the golden files")]
mod world;

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Captured(Box<Captured>),
    Refused(String),
}

#[derive(Serialize)]
struct Captured {
    /// The graph's own JSON form.
    graph: String,
    guards: Vec<String>,
    code: CodeObject,
    opaque: Vec<Meant>,
    /// The graph's calls that may raise: their names and stacks.
    fallible: Vec<(String, String)>,
    ended: Option<String>,
}

/// The meanings of an opaque constant of the code.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Meant {
    Graph,
    Failure,
    Object(u32),
    Held(u32),
    Named(String),
    Constant(Constant),
    Set(Vec<Step>),
}

/// A method of a set, and what it is given.
type Step = (&'static str, Vec<Given>);

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Given {
    Item(Constant),
    Items(Vec<Constant>),
    Keys(Vec<Constant>),
    Set(Vec<Step>),
    Object(u32),
}

/// The steps of a history, the first one first.
fn steps(history: &SetHistory) -> Vec<Step> {
    let given = |operand: &SetOperand| match operand {
        SetOperand::Item(item) => Given::Item(item.clone()),
        SetOperand::Items(items) => Given::Items(items.clone()),
        SetOperand::Keys(keys) => Given::Keys(keys.clone()),
        SetOperand::Set(history) => Given::Set(steps(history)),
        SetOperand::Frozen(obj) => Given::Object(obj.as_u32()),
    };
    let backwards = std::iter::successors(history.as_ref(), |step| step.before.as_ref());
    let mut all: Vec<Step> = backwards.map(|step| (step.method, step.operands.iter().map(given).collect())).collect();
    all.reverse();
    all
}

impl From<&Opaque> for Meant {
    fn from(opaque: &Opaque) -> Meant {
        match opaque {
            Opaque::Graph => Meant::Graph,
            Opaque::Failure => Meant::Failure,
            Opaque::Object(obj) => Meant::Object(obj.as_u32()),
            Opaque::Held(obj) => Meant::Held(obj.as_u32()),
            Opaque::Named(name) => Meant::Named(name.clone()),
            Opaque::Constant(constant) => Meant::Constant(constant.clone()),
            Opaque::Set(history) => Meant::Set(steps(history)),
        }
    }
}

impl From<Capture> for Captured {
    fn from(capture: Capture) -> Captured {
        let fallible = capture.fallible.iter().map(|&node| &capture.graph[node]);
        Captured {
            fallible: fallible
                .filter_map(|node| Some((node.name.to_string(), node.stack_trace.as_deref()?.to_owned())))
                .collect(),
            graph: capture.graph.to_json(),
            guards: capture.guards.iter().map(|guard| guard.text(&capture.sources)).collect(),
            opaque: capture.opaque.iter().map(Meant::from).collect(),
            ended: capture.ended.map(|ended| ended.reason.to_string()),
            code: capture.code,
        }
    }
}

fn run(world: &mut World, case: &Case) -> Outcome {
    match trace(world, case.function(), &case.arguments(), &Options::default()) {
        Ok(capture) => Outcome::Captured(Box::new(capture.into())),
        Err(ended) => Outcome::Refused(ended.reason.to_string()),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let mut world: World = serde_json::from_str(&line?)?;
        let cases = world.cases.clone();
        let outcomes: Vec<Outcome> = cases.iter().map(|case| run(&mut world, case)).collect();
        serde_json::to_writer(&mut out, &outcomes)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}
