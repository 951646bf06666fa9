//! Guards on shapes: a program over numbers that are read from several sources at once.

use crate::{source::SourceId, sources::Sources};
use serde::{Deserialize, Serialize};
use symshapes::{GuardSet, InputKind, Program, ShapeEnv};

/// The solved guards of a shape environment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeGuard {
    /// The checks, compiled.
    pub program: Program,
    /// The numbers that the program reads, in the order in which it takes the values.
    pub reads: Vec<NumberRead>,
    /// The text of each check, in the order in which the program makes them.
    pub text: Vec<String>,
    /// The line of the program that asked for each check, where one did.
    pub lines: Vec<Option<String>>,
}

/// A number to be read: an integer, a float, or a property of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct NumberRead {
    /// The source of the number.
    pub source: SourceId,
    /// Whether it is a float, whose bits are the number.
    pub is_float: bool,
}

impl ShapeGuard {
    /// The guards of an environment, whose symbols have their sources' numbers in `sources`.
    pub fn new(env: &ShapeEnv, guards: &GuardSet, sources: &Sources) -> ShapeGuard {
        let program = Program::new(env, guards);
        let is_float = |id| env.inputs().any(|input| input.source == id && input.kind == InputKind::Float);
        let read = |&id: &symshapes::SourceId| NumberRead { source: id.into(), is_float: is_float(id) };
        let reads = program.sources().iter().map(read).collect();
        let text = env.print_guards(guards, &|id| sources.display(id.into()).to_string());
        let lines = guards.checks.iter().map(|kept| kept.at.clone()).collect();
        ShapeGuard { program, reads, text, lines }
    }

    /// The text of all checks.
    pub fn all_text(&self) -> String {
        self.text.join(" and ")
    }
}
