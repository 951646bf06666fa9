//! Making generators anew, each where it waits, and managers that are generators (`contextlib.contextmanager`).
//!
//! One that has begun is made by a function that goes on at its `yield`: a first step takes it there. One that has not
//! is made by its code, with the arguments that it was called with.
//!
//! Invariants: a generator is made once. One that has to clean up after itself is either made, and cleans up when the
//! interpreter drops it, or nothing is captured. See also `interp::generators`.

use super::{Output, construct};
use crate::{
    bytecode::{
        CodeObject, Const, Continuation, Liveness, LocalId, Parameter, Slot, Source, flow::ControlFlow,
        resume_generator,
    },
    trace::{
        Traced,
        core::{
            context::Context,
            frame::Frame,
            state::{Iter, Sort, State, StateId},
            value::{Value, ValueId},
        },
    },
};
use cranelift_entity::EntityRef;

/// A function that makes a generator anew.
struct Remade {
    code: CodeObject,
    /// Its arguments, in order; none for the value that is yielded again.
    args: Vec<Option<ValueId>>,
    /// The cells of its closure.
    closure: Vec<ValueId>,
    /// Whether the generator has begun.
    has_begun: bool,
}

impl Output<'_, '_> {
    /// Pushes the generator that waits in a frame.
    pub(super) fn push_generator(&mut self, state: StateId, frame: &Frame) -> Traced<()> {
        if self.generators.contains(&state) {
            return Err(construct("a generator that holds itself"));
        }
        self.generators.push(state);
        let remade = self.remade(frame)?;
        self.push_code(&remade.code, frame.globals, &remade.closure)?;
        let function = self.fresh("generator");
        self.builder.store_local(function);
        self.builder.callee(|builder| builder.take_local(function));
        for arg in &remade.args {
            match arg {
                Some(value) => self.push(*value)?,
                None => self.builder.load_const(Const::None),
            }
        }
        self.builder.call(remade.args.len() as u32);
        if remade.has_begun {
            self.builder.copy(1);
            self.builder.load_method("__next__");
            self.builder.call(0);
            self.builder.pop();
        }
        self.generators.pop();
        Ok(())
    }

    /// Pushes a manager that is a generator: one that was entered, between its first and its last step, or one that
    /// was not.
    pub(super) fn push_generator_manager(&mut self, generator: ValueId) -> Traced<()> {
        let Value::State(state) = self.t.objects.values[generator] else { return Err(construct("no generator")) };
        let Some(frame) = self.generator_frame(state).cloned() else {
            return Err(construct("a manager that was left"));
        };
        if frame.at > 0 {
            return self.call_named("rust_inductor._iterators.entered_manager", 1, |out| out.push(generator));
        }
        let Remade { code, args, closure, .. } = self.remade(&frame)?;
        let args: Vec<ValueId> = args.into_iter().flatten().collect();
        self.call_named("contextlib._GeneratorContextManager", 3, |out| {
            out.push_code(&code, frame.globals, &closure)?;
            out.push_all(&args)?;
            out.builder.build_tuple(args.len() as u32);
            out.builder.build_map(0);
            Ok(())
        })
    }

    /// The frame in which a generator waits, if the state is one's.
    pub(super) fn generator_frame(&self, state: StateId) -> Option<&Frame> {
        // Dicts are not to count as read.
        let iter = (self.t.heap.sort(state) == Sort::Iter).then(|| self.t.heap.get(state))?;
        match iter {
            State::Iter(Iter::Generator(frame)) => Some(frame),
            _ => None,
        }
    }

    /// Refuses the trace if it leaves a generator that has to clean up after itself, other than those that are made and
    /// that are dropped when the program drops them.
    pub(super) fn check_generators(&mut self, made: impl FnOnce(&Self) -> Vec<StateId>) -> Traced<()> {
        let made = made(self);
        self.t.unfinished(&made).map_or(Ok(()), Err)
    }

    /// The generators among the values that a frame holds, those that these hold alone, and the stacks of managers that
    /// hold such. Of what is in another container, no trace knows when it is dropped.
    pub(super) fn generators_among(&self, values: &[ValueId]) -> Vec<StateId> {
        let mut found = Vec::new();
        let mut open = values.to_vec();
        while let Some(value) = open.pop() {
            let value = self.t.objects.forced.get(&value).copied().unwrap_or(value);
            match self.t.objects.values[value] {
                Value::Exit(Context::Generator(generator), _) | Value::Context(Context::Generator(generator)) => {
                    open.push(generator);
                }
                Value::Exit(Context::Stack(stack), _) | Value::Context(Context::Stack(stack)) => open.push(stack),
                Value::State(state) if !found.contains(&state) => {
                    if let Some(frame) = self.generator_frame(state) {
                        found.push(state);
                        open.extend(frame.stack.iter().chain(frame.locals.iter().flatten()));
                    } else if self.t.heap.sort(state) == Sort::Stack {
                        found.push(state);
                        open.extend(self.parts_of_state(state));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The values that a generator holds which waits in a frame; none if it cannot be made anew.
    pub(super) fn generator_parts(&self, frame: &Frame) -> Vec<ValueId> {
        let remade = self.remade(frame).ok();
        remade.map_or_else(Vec::new, |remade| {
            remade.closure.into_iter().chain(remade.args.into_iter().flatten()).collect()
        })
    }

    /// The function that makes the generator anew that waits in a frame.
    fn remade(&self, frame: &Frame) -> Traced<Remade> {
        if frame.handled.is_some() {
            return Err(construct("a generator that waits where an exception is handled"));
        }
        let values = &self.t.objects.values;
        let in_mode = |&value: &ValueId| matches!(&values[value], Value::Exit(context, _) if sets_mode(context));
        if frame.within.is_some() || frame.stack.iter().any(in_mode) {
            return Err(construct("a generator that waits in a mode"));
        }
        let code = &frame.code.object;
        let Some(&at) = frame.at.checked_sub(1).and_then(|at| frame.body().order().get(at)) else {
            let args = frame.locals[..code.argument_slots()].to_vec();
            let closure = frame.closure.clone();
            return Ok(Remade { code: code.clone().with_bound_arguments(), args, closure, has_begun: false });
        };
        let cannot = |error: &dyn std::fmt::Display| construct(&format!("a generator that cannot be left: {error}"));
        let flow = ControlFlow::new(frame.body()).map_err(|error| cannot(&error))?;
        let liveness = Liveness::new(code, frame.body(), &flow);
        let held = |local: LocalId| frame.locals.get(local.index()).copied().flatten();
        let own_cells =
            code.local_names().enumerate().filter(|(_, name)| code.cellvars.iter().any(|cell| cell == name));
        let mut live: Vec<(LocalId, Slot)> = Vec::new();
        for local in liveness.before(at).chain(own_cells.map(|(slot, _)| LocalId::new(slot))) {
            if live.iter().all(|&(other, _)| other != local) {
                live.push((local, held(local).map_or(Slot::Empty, |_| Slot::Value)));
            }
        }
        let slot = |&value: &ValueId| match self.t.objects.values[value] {
            Value::Null => Slot::Empty,
            _ => Slot::Value,
        };
        // On top lies what is yielded.
        let stack: Vec<Slot> = frame.stack.iter().map(slot).chain([Slot::Value]).collect();
        let from = Continuation { at, line: frame.line(), stack: &stack, live: &live, dead: &[] };
        let resumed = resume_generator(code, frame.body(), &from).map_err(|error| cannot(&error))?;
        let arg = |&Parameter { source, .. }: &Parameter| match source {
            Source::Stack(place) => frame.stack.get(place).copied(),
            Source::Local(local) => held(local),
        };
        let args = resumed.parameters.iter().map(arg).collect();
        let cells: Option<Vec<ValueId>> = resumed.closure.iter().map(|&cell| held(cell)).collect();
        let closure = cells.ok_or_else(|| construct("a generator without one of its cells"))?;
        Ok(Remade { code: resumed.code, args, closure, has_begun: true })
    }
}

/// True for a manager that sets a mode, other than that of autograd, while it is entered.
fn sets_mode(context: &Context) -> bool {
    !matches!(
        context,
        Context::Grad(_) | Context::Generator(_) | Context::Null(_) | Context::Suppress(_) | Context::Closing(_)
    )
}
