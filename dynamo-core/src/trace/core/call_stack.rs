//! The calls on the way to the current instruction, and how far the trace has come.

use super::checkpoint::Speculative;
use crate::bytecode::Span;

/// The frames on the way to a place: file, line and function of each, and what it spans there.
pub(in crate::trace) type Way = (Vec<(String, i32, String)>, Vec<Option<Span>>);

/// One instruction, before it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Followed {
    /// Its file, line and function.
    pub place: (String, i32, String),
    /// How many calls are inlined around it.
    pub depth: usize,
    /// Its opcode.
    pub opcode: String,
    /// What it works with, as the disassembler prints it.
    pub arg: String,
    /// The stack, bottom first.
    pub stack: Vec<String>,
}

/// Where the trace stands.
#[derive(Default)]
pub(in crate::trace) struct CallStack {
    /// The lines of the frames, the traced function's first.
    pub(in crate::trace) lines: Vec<(String, i32, String)>,
    /// What the frames' instructions span in their lines.
    pub(in crate::trace) spans: Vec<Option<Span>>,
    /// The library's function that is being called, if torch's Dynamo would trace it.
    pub(in crate::trace) within: Option<&'static str>,
    /// The frames' place when the last instruction failed.
    pub(in crate::trace) failed_at: Option<Way>,
    /// How deep within containers something is looked for.
    pub(in crate::trace) nesting: usize,
    /// How many instructions were run.
    pub(in crate::trace) steps: usize,
    /// What was run, if `Options::follow` asks for it.
    pub(in crate::trace) followed: Vec<Followed>,
}

/// The library's function that was being called, and how deep containers were looked into.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct CallStackCheckpoint {
    within: Option<&'static str>,
    nesting: usize,
}

impl Speculative for CallStack {
    type Checkpoint = CallStackCheckpoint;

    fn checkpoint(&self) -> CallStackCheckpoint {
        CallStackCheckpoint { within: self.within, nesting: self.nesting }
    }

    fn rollback(&mut self, to: CallStackCheckpoint) {
        let CallStack {
            // Whoever inlines a call takes its frame off again, on success and on failure; the traced function's own
            // line is set before each of its instructions.
            lines: _,
            spans: _,
            within,
            nesting,
            // It tells why the trace ends, and so is about what is taken back.
            failed_at: _,
            // What was run was run.
            steps: _,
            followed: _,
        } = self;
        *within = to.within;
        *nesting = to.nesting;
    }
}
