//! Generators: `send`, `throw` and `close`, what they return, and those that nobody finishes.
//!
//! Semantics: `Objects/genobject.c`. A generator is [`Iter::Generator`] with the frame that waits, [`Iter::Running`]
//! while it runs. Where it waits for another one (`yield from`), what is sent or thrown goes to that one first.
//!
//! Invariant: a generator that waits within `try` or `with` is finished, or made anew, before the trace ends: the
//! interpreter runs what cleans up when it drops one, and no trace knows when that is. Only `except` clauses that let
//! a `GeneratorExit` pass clean nothing up.

use crate::{
    bytecode::{Arg, Inst, InstData, Op},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            frame::{Frame, Next},
            state::{Exhausted, Iter, Sort, State, StateId},
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// The state of a generator.
    pub(in crate::trace) fn generator(&mut self, value: ValueId) -> Traced<StateId> {
        match self.get(value)? {
            Value::State(state) if self.is_generator(state) => Ok(state),
            _ => Err(Reason::new(Kind::Iteration, "Something that is no generator.")),
        }
    }

    /// True for a generator, wherever it stands.
    pub(in crate::trace) fn is_generator(&self, state: StateId) -> bool {
        // Dicts are not to count as read.
        let is_iterator = self.heap.sort(state) == Sort::Iter;
        is_iterator
            && matches!(
                self.heap.get(state),
                State::Iter(Iter::Generator(_) | Iter::Running | Iter::Done(Exhausted::Generator))
            )
    }

    /// `generator.send(sent)`: what it yields or returns.
    pub(in crate::trace) fn send_to(&mut self, state: StateId, sent: ValueId) -> Traced<Next> {
        let is_none = matches!(self.get(sent)?, Value::Const(Constant::None));
        match self.heap.get(state).clone() {
            State::Iter(Iter::Generator(frame)) if frame.at == 0 && !is_none => {
                Err(raised("TypeError: can't send non-None value to a just-started generator"))
            }
            State::Iter(Iter::Generator(frame)) => self.resume_generator(state, *frame, sent),
            State::Iter(Iter::Done(_)) => Ok(Next::Return(self.none())),
            _ => Err(asks_itself()),
        }
    }

    /// The item that a generator has yielded; if it has returned, a `StopIteration` error with the result.
    pub(in crate::trace) fn item_or_stop(&mut self, next: Next) -> Traced {
        match next {
            Next::Yield(item) => Ok(item),
            Next::Return(result) => Err(self.stop_with(result)?),
            Next::Go => Err(asks_itself()),
        }
    }

    /// The end of a generator that has returned something.
    pub(in crate::trace) fn stop_with(&mut self, result: ValueId) -> Traced<Reason> {
        let is_none = matches!(self.get(result)?, Value::Const(Constant::None));
        let args = if is_none { vec![] } else { vec![result] };
        let name = "builtins.StopIteration";
        let class = self.host.class_named(name).ok_or_else(|| raised("SystemError: no StopIteration"))?;
        let contents = self.exception_with(&args);
        let stop = self.make_exception(name, class, contents);
        self.raise(stop)
    }

    /// `generator.throw(exception)`, where the exception is on its way: what it yields or returns.
    pub(in crate::trace) fn throw_into(&mut self, state: StateId, mut reason: Reason) -> Traced<Next> {
        let frame = match self.heap.get(state).clone() {
            State::Iter(Iter::Generator(frame)) => *frame,
            State::Iter(Iter::Done(_)) => return Err(reason),
            _ => return Err(self.uncaught(asks_itself())),
        };
        if frame.at == 0 {
            return self.waits(state, frame, Err(reason));
        }
        if frame.delegates() {
            let closes = self.is_exit();
            match self.throw_into_inner(&frame, reason, closes)? {
                Ok(next) => return Ok(next),
                Err(of_inner) => reason = of_inner,
            }
        }
        self.run_generator(state, frame, Some(reason))
    }

    /// Runs a generator on, or has it raise an exception where it waits. It has handled what it handled before, and
    /// its caller afterwards, too.
    pub(in crate::trace) fn run_generator(
        &mut self,
        state: StateId,
        mut frame: Frame,
        thrown: Option<Reason>,
    ) -> Traced<Next> {
        *self.heap.change(state) = State::Iter(Iter::Running);
        let outside = self.exceptions.handled;
        self.exceptions.handled = frame.handled.or(outside);
        let waits_at = frame.at.saturating_sub(1);
        if thrown.is_some() && frame.at > 0 {
            // As if it were sent what handlers expect above the generator for which it waits.
            let none = self.none();
            frame.push(none);
        }
        let next = match thrown {
            Some(reason) if !self.catch(&mut frame, waits_at, &reason) => Err(reason),
            _ => match frame.within.clone() {
                Some(context) => self.run_within(context, |t| t.run(&mut frame)),
                None => self.run(&mut frame),
            },
        };
        let handled = std::mem::replace(&mut self.exceptions.handled, outside);
        frame.handled = handled.filter(|_| handled != outside);
        self.waits(state, frame, next)
    }

    /// Has the generator for which a frame waits raise the exception on its way. What comes out of it is either
    /// yielded, or raised in the frame.
    fn throw_into_inner(&mut self, frame: &Frame, reason: Reason, closes: bool) -> Traced<Result<Next, Reason>> {
        let unknown = || Reason::new(Kind::Iteration, "A generator that waits for another object.");
        let inner = frame.stack.last().copied().ok_or_else(unknown)?;
        let Value::State(inner) = self.get(inner)? else { return Err(self.uncaught(unknown())) };
        if !self.is_generator(inner) {
            // Iterators of the interpreter's own have no such methods.
            return match self.heap.get(inner) {
                State::Iter(Iter::Object(_)) => Err(self.uncaught(unknown())),
                _ => Ok(Err(reason)),
            };
        }
        if closes {
            let exception = self.exceptions.raising;
            self.forget_raised();
            return Ok(Err(match self.close(inner) {
                Ok(()) => {
                    self.exceptions.raising = exception;
                    reason
                }
                Err(other) => other,
            }));
        }
        match self.throw_into(inner, reason) {
            Ok(next @ Next::Yield(_)) => Ok(Ok(next)),
            Ok(_) => {
                Err(Reason::new(Kind::Iteration, "A generator that returns to another one when something is thrown."))
            }
            Err(reason) if reason.kind == Kind::Raised => Ok(Err(reason)),
            Err(reason) => Err(reason),
        }
    }

    /// True while a `GeneratorExit` is on its way.
    fn is_exit(&self) -> bool {
        let class = self.exceptions.raising.and_then(|raising| self.exception_class(raising));
        matches!(class, Some(("builtins.GeneratorExit", _)))
    }

    /// `generator.close()`
    pub(in crate::trace) fn close(&mut self, state: StateId) -> Traced<()> {
        match self.heap.get(state) {
            State::Iter(Iter::Generator(frame)) if frame.at > 0 => {}
            State::Iter(Iter::Running) => return Err(asks_itself()),
            _ => {
                *self.heap.change(state) = State::Iter(Iter::Done(Exhausted::Generator));
                return Ok(());
            }
        }
        let name = "builtins.GeneratorExit";
        let class = self.host.class_named(name).ok_or_else(|| raised("SystemError: no GeneratorExit"))?;
        let contents = self.exception_with(&[]);
        let exit = self.make_exception(name, class, contents);
        let reason = self.raise(exit)?;
        match self.throw_into(state, reason) {
            Ok(Next::Yield(_)) => Err(raised("RuntimeError: generator ignored GeneratorExit").uncaught()),
            Ok(_) => Ok(()),
            Err(reason) if reason.kind == Kind::Raised && self.is_exit() => {
                if let Some(raising) = self.exceptions.raising {
                    self.caught(raising);
                }
                Ok(())
            }
            Err(reason) => Err(reason),
        }
    }

    /// Notes where a generator stands that has run.
    fn waits(&mut self, state: StateId, frame: Frame, next: Traced<Next>) -> Traced<Next> {
        let waiting = matches!(next, Ok(Next::Yield(_)));
        let iter = if waiting { Iter::Generator(Box::new(frame)) } else { Iter::Done(Exhausted::Generator) };
        *self.heap.change(state) = State::Iter(iter);
        // Out of a generator it would be a RuntimeError.
        next.map_err(|reason| if self.stops_iteration(&reason) { self.uncaught(reason) } else { reason })
    }

    /// The reason why a trace cannot stand that leaves a generator in the middle of what cleans up after itself, other
    /// than those that are made anew.
    pub(in crate::trace) fn unfinished(&mut self, made: &[StateId]) -> Option<Reason> {
        let left = |(id, state): (StateId, &State)| match state {
            State::Iter(Iter::Generator(frame)) if !made.contains(&id) => Some((**frame).clone()),
            _ => None,
        };
        let left: Vec<Frame> = self.heap.states().filter_map(left).collect();
        let unfinished = left.into_iter().any(|frame| self.has_to_clean_up(frame));
        unfinished.then(|| Reason::new(Kind::Iteration, "A generator is left that has to clean up after itself."))
    }

    /// True if a generator that waits in this frame does something when it is dropped.
    pub(in crate::trace) fn has_to_clean_up(&mut self, frame: Frame) -> bool {
        cleans_up(&frame) && !self.passes_exit_on(frame)
    }

    /// True if a waiting generator does nothing with a `GeneratorExit` but compare its class with those of `except`
    /// clauses: then it does not matter when the interpreter drops it.
    fn passes_exit_on(&mut self, mut frame: Frame) -> bool {
        let name = "builtins.GeneratorExit";
        let Some(class) = self.host.class_named(name) else { return false };
        let contents = self.exception_with(&[]);
        let exit = self.make_exception(name, class, contents);
        let handled = self.exceptions.handled;
        let mut at = frame.at.saturating_sub(1);
        let none = self.none();
        frame.push(none);
        let mut raised = self.raise(exit);
        let passes = loop {
            let Ok(reason) = raised else { break false };
            if !self.catch(&mut frame, at, &reason) {
                break reason.kind == Kind::Raised && self.is_exit();
            }
            raised = loop {
                at = frame.at;
                match frame.data().is_some_and(only_compares).then(|| self.step(&mut frame)) {
                    Some(Ok(Next::Go)) => {}
                    Some(Err(reason)) => break Ok(reason),
                    Some(Ok(_)) | None => break Err(asks_itself()),
                }
            };
        };
        self.forget_raised();
        self.exceptions.handled = handled;
        passes
    }
}

/// True for the instructions of `except` clauses that no exception has matched yet.
fn only_compares(inst: &InstData) -> bool {
    match inst.op {
        Op::CleanupThrow
        | Op::PushExcInfo
        | Op::LoadGlobal
        | Op::BuildTuple
        | Op::CheckExcMatch
        | Op::PopJumpForwardIfFalse
        | Op::PopJumpIfFalse
        | Op::Reraise
        | Op::Copy
        | Op::PopExcept => true,
        Op::CallIntrinsic1 => matches!(inst.arg, Arg::Int(3)),
        _ => false,
    }
}

/// True if the place where a generator waits is within `try` or `with`.
fn cleans_up(frame: &Frame) -> bool {
    let body = frame.body();
    let waits = frame.at.checked_sub(1).and_then(|at| body.order().get(at));
    let handler_of = |inst: Inst| {
        let handler = body.inst(inst).handler.expand();
        handler.and_then(|handler| body.target(body.handler(handler).target))
    };
    let Some(mut target) = waits.and_then(|&inst| handler_of(inst)) else { return false };
    // That of `yield from` raises the exception again, within the block around it.
    if body.inst(target).op == Op::CleanupThrow {
        let Some(outer) = handler_of(target) else { return false };
        target = outer;
    }
    // That around the whole body of a generator turns a `StopIteration` into another exception.
    let first = body.inst(target);
    !(first.op == Op::CallIntrinsic1 && matches!(first.arg, Arg::Int(3)))
}

fn asks_itself() -> Reason {
    Reason::new(Kind::Iteration, "A generator that asks itself.")
}
