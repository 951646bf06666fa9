//! The code of a function that goes on in the middle of another.
//!
//! Its parameters are the values on the stack, bottom first (`___stack0`, …), then the live locals by their names. Its
//! prologue puts the stack together again and jumps. What cannot be reached from there is left out; the handlers of
//! what remains stay as they were, for the stack is as high as it was.
//!
//! - **Cells.** A variable that lives in a cell becomes a free variable: its cell is in the closure that the caller
//!   makes, so every closure over it goes on sharing it. Those come first, in the order of their slots, then the
//!   original's own free variables, all of them, in their order. What is raised where such a variable has no value is
//!   what the original raises: see `unbound`.
//! - **Slots that may be empty.** `NULL`s on the stack are no parameters, nor are locals that are not bound. Of what
//!   may be one or the other, the parameter is a tuple: of the value, or empty. The prologue unpacks it.
//! - **Dead locals** are passed on if they are overwritten later: what they hold dies there, as in the original.
//! - Parameters are unbound as soon as their values are on the stack, so that what the stack held lives no
//!   longer than it did.
//! - **Generators** keep their names, and go on at a `yield`: the first step of the new one gives again what that
//!   yields, and leaves its frame as the old one waits.

mod plan;
mod prologue;
mod unbound;

use super::code::flags;
use super::flow::ControlFlow;
use super::super_calls::is_bare_super;
use super::{Body, CodeObject, DepthError, EncodeError, Inst, LocalId, Op, Slot, Version, stack_depths};
use cranelift_entity::EntitySet;
use plan::Plan;
pub use plan::STACK;

/// A set of locals.
type LocalSet = EntitySet<LocalId>;

/// The instruction at which a function goes on, and the state of its frame there.
#[derive(Clone, Copy, Debug)]
pub struct Continuation<'a> {
    /// The first instruction to be executed.
    pub at: Inst,
    /// The line at which the function was left: the resume function is named after it.
    pub line: i32,
    /// The stack before `at`, bottom first.
    pub stack: &'a [Slot],
    /// The locals that are live there, and whether they are bound. Cells may be among them.
    pub live: &'a [(LocalId, Slot)],
    /// The locals that are written or deleted before they are read, and those that own objects, and whether they are
    /// bound.
    pub dead: &'a [(LocalId, Slot)],
}

/// A resume function and what it is to be given.
#[derive(Clone, Debug, PartialEq)]
pub struct Resume {
    /// Its code.
    pub code: CodeObject,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The variables whose cells its closure holds, in the order of its free variables.
    pub closure: Vec<LocalId>,
}

/// A parameter of a resume function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The source of its value.
    pub source: Source,
    /// The form in which it is passed.
    pub form: Form,
}

/// The forms of an argument of a resume function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The value itself.
    Value,
    /// A tuple of the value, empty if there is none.
    Boxed,
    /// The value, or `None` if there is none: nobody reads it.
    OrNone,
}

/// A place in the frame that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// On the stack, counted from the bottom, empty slots included.
    Stack(usize),
    /// In a local.
    Local(LocalId),
}

/// The reason why there is no resume function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResumeError {
    /// Something that cannot be left and gone on with here.
    #[error("{at}: {what}")]
    Unsupported {
        /// The instruction.
        at: Inst,
        /// The obstacle.
        what: Obstacle,
    },
    /// No execution reaches this instruction.
    #[error("{0}: never reached")]
    Unreached(Inst),
    /// The stack that was given is not as high as the one before the instruction.
    #[error("{at}: {given} values for a stack of {expected}")]
    Height {
        /// The instruction.
        at: Inst,
        /// The number of values given.
        given: usize,
        /// The number of values on the stack before the instruction.
        expected: u32,
    },
    /// A live local was not given.
    #[error("{at}: {local} is live and not passed")]
    NotPassed {
        /// The instruction.
        at: Inst,
        /// The local.
        local: LocalId,
    },
    /// The original's stack does not add up.
    #[error(transparent)]
    Depth(#[from] DepthError),
    /// The code could not be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// The obstacles to leaving a frame and resuming it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Obstacle {
    /// A frame that suspends would have to be the same object afterwards.
    #[error("generators and coroutines go on in their own frames")]
    Suspends,
    /// Class bodies and modules.
    #[error("the code is not that of a function")]
    NoFunction,
    /// In an `except` or `finally`: `raise`, `sys.exc_info()` and the cleanup look at the frame's state.
    #[error("an exception is being handled")]
    Handling,
    /// Names of keyword arguments, or the way of a call, are kept in the interpreter.
    #[error("between the instructions of a call")]
    WithinCall,
    /// The interpreter skips these instructions when a loop ends.
    #[error("the end of a loop is skipped, not executed")]
    LoopEnd,
    /// It looks into the frame for what a resume function has not got there: see `super_calls`.
    #[error("super() without arguments")]
    BareSuper,
    /// A cell that does not exist yet cannot be shared.
    #[error("the cell of {0} may not be made yet")]
    NoCell(LocalId),
}

/// Makes the resume function of `code`, whose body is `body`.
///
/// # Errors
/// The place cannot be gone on from, or what is given does not fit it.
pub fn resume(code: &CodeObject, body: &Body, from: &Continuation<'_>) -> Result<Resume, ResumeError> {
    check_code(code, from.at, flags::SUSPENDS)?;
    assemble(code, body, from)
}

/// Makes a function whose generators wait, after their first step, where a generator of `code` waits: `from` is its
/// `yield`, with the value that is yielded on the stack.
///
/// # Errors
/// The place cannot be gone on from, or what is given does not fit it.
pub fn resume_generator(code: &CodeObject, body: &Body, from: &Continuation<'_>) -> Result<Resume, ResumeError> {
    check_code(code, from.at, flags::SUSPENDS & !flags::GENERATOR)?;
    assemble(code, body, from)
}

fn assemble(code: &CodeObject, body: &Body, from: &Continuation<'_>) -> Result<Resume, ResumeError> {
    let flow = ControlFlow::new(body)?;
    check_place(body, from)?;
    check_super(code, body, &flow, from.at)?;
    let plan = Plan::new(code, body, &flow, from)?;
    let code = prologue::assemble(&plan, code, body, &flow, from)?;
    Ok(Resume { code, parameters: plan.parameters, closure: plan.closure })
}

/// Whether code of this kind can be left at all; `suspends` are the flags of code that suspends where that cannot.
fn check_code(code: &CodeObject, at: Inst, suspends: u32) -> Result<(), ResumeError> {
    let function = flags::OPTIMIZED | flags::NEWLOCALS;
    if code.flags & suspends != 0 {
        return Err(ResumeError::Unsupported { at, what: Obstacle::Suspends });
    }
    if code.flags & function != function {
        return Err(ResumeError::Unsupported { at, what: Obstacle::NoFunction });
    }
    Ok(())
}

/// Whether no call looks for the first argument of the function: none that is still to come, and none that `at` is.
fn check_super(code: &CodeObject, body: &Body, flow: &ControlFlow, at: Inst) -> Result<(), ResumeError> {
    let reached = flow.reachable(at);
    let to_come = |&inst: &Inst| reached[inst] || flow.ways(inst).next() == Some(at);
    if body.order().iter().any(|inst| to_come(inst) && is_bare_super(code, body, *inst)) {
        return Err(ResumeError::Unsupported { at, what: Obstacle::BareSuper });
    }
    Ok(())
}

/// Whether execution can begin at this place with this stack.
fn check_place(body: &Body, from: &Continuation<'_>) -> Result<(), ResumeError> {
    let at = from.at;
    let expected = stack_depths(body)?.before(at).ok_or(ResumeError::Unreached(at))?;
    if from.stack.len() != expected as usize {
        return Err(ResumeError::Height { at, given: from.stack.len(), expected });
    }
    let index = body.order().iter().position(|&inst| inst == at).unwrap_or(0);
    let before = index.checked_sub(1).map(|index| body.inst(body.order()[index]).op);
    let after_loop = body.version() == Version::V313 && before == Some(Op::EndFor);
    let what = if from.stack.contains(&Slot::Exception) {
        Obstacle::Handling
    } else if matches!(before, Some(Op::KwNames | Op::Precall)) {
        Obstacle::WithinCall
    } else if after_loop || body.inst(at).op == Op::EndFor {
        Obstacle::LoopEnd
    } else {
        return Ok(());
    };
    Err(ResumeError::Unsupported { at, what })
}
