//! Makes two functions of one: what comes before a place, which calls what comes after it.
//!
//! A [`Splitter`] knows a code object's frames and live locals, so that many places of it can be asked for. Where
//! execution reaches a cut, the prefix puts the stack into locals of its own, makes the resume function with the cells
//! that it needs, moves the stack and the live locals into its arguments and returns its result. Cutting at both
//! successors of a conditional jump leaves the jump in the prefix, with a resume function on either side.
//!
//! The call has no handler: what the resume function raises has passed the handlers that were in force, for they are in
//! the resume function too. An exception that comes from outside between the two (an interrupt, no memory left) passes
//! them by.
//!
//! A local that is not live at the cut is passed on if it may be written anew: what it held dies there, as in the
//! original. Whatever else is not live stays with the prefix, and goes when the prefix returns.
//!
//! [`call_resume`] alone is for those who make the prefix themselves.

use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::BTreeSet;

use super::access::{Access, cell_slots, reached_accesses};
use super::flow::ControlFlow;
use super::renumber::renumber_locals;
use super::super_calls::explicit_super;
use super::unreachable::{remove_idle_jumps, remove_unreachable};
use super::{
    Body, Builder, CodeObject, Const, Continuation, Form, FrameState, FrameStates, Handler, Inst, Liveness, LocalId,
    Obstacle, Op, Parameter, Resume, ResumeError, Slot, Source, resume,
};

/// A callable and its `NULL`, below the arguments of a call.
const CALLEE: u32 = 2;

/// The ops that may compute something with tensors.
const COMPUTING: &[Op] = &[
    Op::BinaryOp,
    Op::BinarySlice,
    Op::BinarySubscr,
    Op::Call,
    Op::CallFunctionEx,
    Op::CallKw,
    Op::CompareOp,
    Op::StoreSlice,
    Op::StoreSubscr,
    Op::UnaryInvert,
    Op::UnaryNegative,
];

/// The functions that were made of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The code that is called in the place of the original. It holds the resume functions' code among its constants.
    pub prefix: CodeObject,
    /// The resume function of each cut, in the order in which the cuts were given.
    pub resumes: Vec<Resume>,
}

/// Splits one code object.
pub struct Splitter<'a> {
    code: &'a CodeObject,
    body: Body,
    flow: ControlFlow,
    frames: FrameStates,
    liveness: Liveness,
    line: Option<i32>,
    owners: Vec<LocalId>,
}

impl<'a> Splitter<'a> {
    /// Looks through `code`, whose body is `body`. Its own copy of that has the arguments of `super()` written out; the
    /// instructions that both have are the same.
    ///
    /// # Errors
    /// The stack does not add up.
    pub fn new(code: &'a CodeObject, body: &Body) -> Result<Splitter<'a>, ResumeError> {
        let mut body = body.clone();
        explicit_super(code, &mut body);
        let flow = ControlFlow::new(&body)?;
        let frames = FrameStates::new(code, &body, &flow)?;
        let liveness = Liveness::new(code, &body, &flow);
        Ok(Splitter { code, body, flow, frames, liveness, line: None, owners: Vec::new() })
    }

    /// The instructions at which execution goes on when what handles an exception of `at` is done with it, as far as
    /// something is computed there and a function can begin there.
    pub fn after_handlers(&self, at: Inst) -> Vec<Inst> {
        let mut seen = SecondaryMap::new();
        let mut open: Vec<Inst> = self.flow.ways(at).handler().into_iter().collect();
        let mut after = Vec::new();
        while let Some(inst) = open.pop() {
            if std::mem::replace(&mut seen[inst], true) {
                continue;
            }
            match self.frames.before(inst) {
                Some(frame) if frame.stack.contains(&Slot::Exception) => open.extend(self.flow.ways(inst).iter()),
                Some(_) if self.computes(inst) && self.resume(inst).is_ok() => after.push(inst),
                _ => {}
            }
        }
        after.sort_unstable();
        after
    }

    /// True if an instruction from here on may compute something with tensors.
    fn computes(&self, from: Inst) -> bool {
        let reached = self.flow.reachable(from);
        let computes = |&inst: &Inst| reached[inst] && COMPUTING.contains(&self.body.inst(inst).op);
        self.body.order().iter().any(computes)
    }

    /// Names the resume functions after this line and not after that of the instruction before them.
    #[must_use]
    pub fn left_at(self, line: i32) -> Splitter<'a> {
        Splitter { line: Some(line), ..self }
    }

    /// Has the resume functions hold these locals, dead or not, where they have values: they own objects that have to
    /// live as long as in the original.
    #[must_use]
    pub fn holding(self, owners: Vec<LocalId>) -> Splitter<'a> {
        Splitter { owners, ..self }
    }

    /// The resume function for an instruction, by what is known of the frame there without running it.
    ///
    /// # Errors
    /// The place cannot be gone on from.
    pub fn resume(&self, at: Inst) -> Result<Resume, ResumeError> {
        let frame = self.frame(at)?;
        let mut live: Vec<_> = self.liveness.before(at).map(|local| (local, frame.local(local))).collect();
        // A frame has its cells to its end, and what is in them may be reached in other ways.
        let cells = cell_slots(self.code).map(|cell| (cell, frame.local(cell)));
        let cells: Vec<_> =
            cells.filter(|&(cell, held)| held == Slot::Value && live.iter().all(|&(other, _)| other != cell)).collect();
        live.extend(cells);
        let mut written = self.written(at);
        written.extend(&self.owners);
        let written = written.into_iter().map(|local| (local, frame.local(local)));
        let dead: Vec<_> = written.filter(|&(local, _)| live.iter().all(|&(other, _)| other != local)).collect();
        let line = self.line.unwrap_or_else(|| self.line_before(at));
        let from = Continuation { at, line, stack: &frame.stack, live: &live, dead: &dead };
        let resume = resume(self.code, &self.body, &from)?;
        match resume.closure.iter().find(|&&cell| frame.local(cell) != Slot::Value) {
            Some(&cell) => Err(ResumeError::Unsupported { at, what: Obstacle::NoCell(cell) }),
            None => Ok(resume),
        }
    }

    /// The locals that an instruction from here on may write or delete, in order; none that live in cells.
    fn written(&self, from: Inst) -> BTreeSet<LocalId> {
        let cells: Vec<LocalId> = cell_slots(self.code).collect();
        let accesses = reached_accesses(self.code, &self.body, &self.flow, from);
        let written = accesses.filter(|access| matches!(access, Access::Store(_) | Access::Clear(_)));
        written.map(Access::local).filter(|local| !cells.contains(local)).collect()
    }

    /// Splits at every one of these instructions: whichever is reached first is where the prefix ends.
    ///
    /// # Errors
    /// One of the places cannot be gone on from.
    pub fn split(&self, cuts: &[Inst]) -> Result<Split, ResumeError> {
        let resumes = cuts.iter().map(|&at| self.resume(at)).collect::<Result<Vec<_>, _>>()?;
        let mut height = 0;
        for &at in cuts {
            height = height.max(self.frame(at)?.stack.len());
        }
        let mut prefix = Prefix::new(self.code, &self.body, height);
        for (&at, resume) in cuts.iter().zip(&resumes) {
            prefix.cut(at, resume, self.frame(at)?.stack.len());
        }
        Ok(Split { prefix: prefix.finish()?, resumes })
    }

    fn frame(&self, at: Inst) -> Result<&FrameState, ResumeError> {
        self.frames.before(at).ok_or(ResumeError::Unreached(at))
    }

    /// The line of the instruction before `at`: what ended there is what the function was left at.
    fn line_before(&self, at: Inst) -> i32 {
        let upto = self.body.order().iter().take_while(|&&inst| inst != at);
        let span = upto.filter_map(|&inst| self.body.inst(inst).span).last();
        span.or(self.body.inst(at).span).map_or(self.code.firstlineno, |span| span.line)
    }
}

/// The prefix in the making.
struct Prefix {
    builder: Builder,
    /// The number of locals of the original that are neither cells alone nor free variables.
    plain: usize,
    /// The number of locals for the stack that come after them.
    kept: usize,
}

impl Prefix {
    fn new(code: &CodeObject, body: &Body, kept: usize) -> Prefix {
        let plain = code.varnames.len();
        let mut code = code.clone();
        code.varnames.extend((0..kept).map(|index| format!("___kept{index}")));
        let mut body = body.clone();
        renumber_locals(&mut body, |id| moved(id, plain, kept));
        Prefix { builder: Builder::over(code, body), plain, kept }
    }

    /// Ends the prefix where `at` is reached with a stack of this height.
    fn cut(&mut self, at: Inst, resume: &Resume, height: usize) {
        let (plain, kept) = (self.plain, self.kept);
        let tail = self.builder.body().order().len();
        self.builder.set_span(self.builder.body().inst(at).span);
        for place in (0..height).rev() {
            self.builder.store_local(LocalId::new(plain + place));
        }
        call_resume(&mut self.builder, resume, |source| match source {
            Source::Stack(place) => LocalId::new(plain + place),
            Source::Local(id) => moved(id, plain, kept),
        });
        self.builder.return_value();
        self.place(at, tail);
    }

    /// Puts what was appended in front of `at`, for everything that leads there.
    fn place(&mut self, at: Inst, tail: usize) {
        let body = self.builder.body_mut();
        let first = body.order()[tail];
        let index = body.order().iter().position(|&inst| inst == at).unwrap_or(tail);
        body.move_tail(tail, index);
        let labels: Vec<_> = body.labels().filter(|&(_, target)| target == Some(at)).map(|(label, _)| label).collect();
        for label in labels {
            body.bind(label, first);
        }
    }

    fn finish(mut self) -> Result<CodeObject, ResumeError> {
        let body = self.builder.body_mut();
        remove_unreachable(body)?;
        remove_idle_jumps(body);
        Ok(self.builder.finish()?)
    }
}

/// The slot of a local where `kept` more come after the `plain` first ones.
fn moved(id: LocalId, plain: usize, kept: usize) -> LocalId {
    if id.index() < plain { id } else { LocalId::new(id.index() + kept) }
}

/// Appends the call of a resume function to code with an empty stack; its result is on the stack then.
///
/// `place` tells where each argument is, and, as [`Source::Local`], where each cell is. Locals are unbound as they are
/// passed on.
pub fn call_resume(builder: &mut Builder, resume: &Resume, place: impl Fn(Source) -> LocalId) {
    let cells: Vec<LocalId> = resume.closure.iter().map(|&cell| place(Source::Local(cell))).collect();
    builder.callee(|builder| builder.make_function(resume.code.clone(), &cells));
    for (index, &Parameter { source, form }) in resume.parameters.iter().enumerate() {
        let (local, height) = (place(source), CALLEE + index as u32);
        match form {
            Form::Value => builder.take_local(local),
            Form::Boxed => {
                let boxed = |builder: &mut Builder| builder.build_tuple(1);
                take_or(builder, local, height, boxed, |builder| builder.build_tuple(0));
            }
            Form::OrNone => take_or(builder, local, height, |_| {}, |builder| builder.load_const(Const::None)),
        }
    }
    builder.call(resume.parameters.len() as u32);
}

/// Pushes a local, unbinds it and does `then`; does `otherwise` if it is not bound. `height` is that of the stack.
fn take_or(
    builder: &mut Builder,
    local: LocalId,
    height: u32,
    then: impl FnOnce(&mut Builder),
    otherwise: impl FnOnce(&mut Builder),
) {
    let (unbound, end) = (builder.label(), builder.label());
    let handler = builder.body_mut().push_handler(Handler { target: unbound, depth: height, lasti: false });
    builder.set_handler(Some(handler));
    builder.load_checked(local);
    builder.set_handler(None);
    builder.delete_local(local);
    then(builder);
    builder.jump(end);
    builder.bind(unbound);
    builder.pop();
    otherwise(builder);
    builder.bind(end);
}
