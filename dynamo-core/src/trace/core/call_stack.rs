//! The stack of inlined frames, and the progress of the trace.

use super::{checkpoint::Speculative, frame::Globals, value::ValueId};
use crate::bytecode::Span;
use std::cell::RefCell;
use std::sync::Arc;

/// File, line and function of a frame.
type Line = (String, i32, String);

/// A stack trace: file, line and function of each frame, outermost first, and the source range in each.
pub(in crate::trace) type StackTrace = (Vec<Line>, Vec<Option<Span>>);

/// One instruction, before it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Followed {
    /// Its file, line and function.
    pub place: (String, i32, String),
    /// The number of inlined calls around it.
    pub depth: usize,
    /// Its opcode.
    pub opcode: String,
    /// Its operand, as the disassembler prints it.
    pub arg: String,
    /// The stack, bottom first.
    pub stack: Vec<String>,
}

/// The stack of inlined frames.
#[derive(Default)]
pub(in crate::trace) struct CallStack {
    /// The lines of the frames, the traced function's first.
    pub(in crate::trace) lines: Vec<Line>,
    /// The scopes of the frames' global variables.
    pub(in crate::trace) globals: Vec<Globals>,
    /// The source ranges of the frames' current instructions.
    pub(in crate::trace) spans: Vec<Option<Span>>,
    /// The innermost line as text, which many guards share.
    place: RefCell<Option<(Line, Arc<str>)>>,
    /// The lines as torch writes them, which many nodes share.
    text: RefCell<Option<(Vec<Line>, Arc<str>)>>,
    /// The variables of frames that wait for a call or a property, where the program has made weak references.
    pub(in crate::trace) held: Vec<Vec<ValueId>>,
    /// The library function that is being called, if torch's Dynamo would inline it.
    pub(in crate::trace) within: Option<&'static str>,
    /// The stack trace of the last failure.
    pub(in crate::trace) failed_at: Option<StackTrace>,
    /// The recursion depth of a traversal of nested containers.
    pub(in crate::trace) nesting: usize,
    /// The number of instructions that were traced.
    pub(in crate::trace) steps: usize,
    /// The log of traced instructions, if `Options::follow` asks for it.
    pub(in crate::trace) followed: Vec<Followed>,
}

impl CallStack {
    /// The innermost line, as `file:line in function`.
    pub(in crate::trace) fn place(&self) -> Arc<str> {
        let Some(line) = self.lines.last() else { return Arc::default() };
        let mut place = self.place.borrow_mut();
        if let Some((known, text)) = &*place
            && known == line
        {
            return Arc::clone(text);
        }
        let text: Arc<str> = format!("{}:{} in {}", line.0, line.1, line.2).into();
        *place = Some((line.clone(), Arc::clone(&text)));
        text
    }

    /// The lines as torch's stack traces have them.
    pub(in crate::trace) fn text(&self) -> Arc<str> {
        let mut known = self.text.borrow_mut();
        if let Some((lines, text)) = &*known
            && *lines == self.lines
        {
            return Arc::clone(text);
        }
        let lines = self.lines.iter().map(|(file, line, name)| format!("  File \"{file}\", line {line}, in {name}\n"));
        let text: Arc<str> = lines.collect::<String>().into();
        *known = Some((self.lines.clone(), Arc::clone(&text)));
        text
    }
}

/// The library function that was being called, and the recursion depth.
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
            // `Tracer::run` pops the frame that it pushed on failure too; the root frame's entry is set before each of
            // its instructions.
            lines: _,
            // `Tracer::holding` pops what it has pushed on failure too.
            held: _,
            globals: _,
            spans: _,
            // Compared with the lines at each use.
            place: _,
            text: _,
            within,
            nesting,
            // The stack trace of the graph break itself.
            failed_at: _,
            // Counters of the work done, and its log.
            steps: _,
            followed: _,
        } = self;
        *within = to.within;
        *nesting = to.nesting;
    }
}
