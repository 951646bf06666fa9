//! Splits functions at each of their instructions.
//!
//! Standard input holds one JSON object a line: a version, a code object and, if not all are wanted, a list of the
//! instructions at which to split, by their numbers. Standard output holds one line for each: a
//! list with one item for each instruction, `{"op": …, "prefix": …}` with the code object that is to be called in the
//! original's place, or `{"op": …, "error": …}`. Conditional jumps have `"branch"` too: the function split at both of
//! their successors.

use std::io::{self, BufRead, Write};

use dynamo_core::bytecode::flow::{ControlFlow, landing};
use dynamo_core::bytecode::{Body, CodeObject, Inst, Op, ResumeError, Splitter, Version, decode};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Input {
    version: Version,
    code: CodeObject,
    cuts: Option<Vec<usize>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Prefix(Box<CodeObject>),
    Error(String),
}

impl From<Result<CodeObject, ResumeError>> for Outcome {
    fn from(result: Result<CodeObject, ResumeError>) -> Outcome {
        match result {
            Ok(code) => Outcome::Prefix(Box::new(code)),
            Err(ResumeError::Unsupported { what, .. }) => Outcome::Error(what.to_string()),
            Err(ResumeError::Unreached(_)) => Outcome::Error("never reached".to_owned()),
            Err(error) => Outcome::Error(format!("BUG {error}")),
        }
    }
}

#[derive(Serialize)]
struct Item {
    op: Op,
    at: Outcome,
    branch: Option<Outcome>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let Input { version, code, cuts } = serde_json::from_str(&line?)?;
        let body = decode(version, &code)?;
        let cuts = cuts.unwrap_or_else(|| (0..body.order().len()).collect());
        let cuts: Vec<Inst> = cuts.into_iter().filter_map(|cut| body.order().get(cut).copied()).collect();
        serde_json::to_writer(&mut out, &items(&code, &body, &cuts)?)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

fn items(code: &CodeObject, body: &Body, cuts: &[Inst]) -> Result<Vec<Item>, ResumeError> {
    let splitter = Splitter::new(code, body)?;
    let flow = ControlFlow::new(body)?;
    let split = |cuts: &[Inst]| Outcome::from(splitter.split(cuts).map(|split| split.prefix));
    let one = |&inst: &Inst| {
        let ways = flow.ways(inst);
        let branch = ways.next().zip(ways.jump()).map(|(next, jump)| split(&[next, landing(body, jump)]));
        Item { op: body.inst(inst).op, at: split(&[inst]), branch }
    };
    Ok(cuts.iter().map(one).collect())
}
