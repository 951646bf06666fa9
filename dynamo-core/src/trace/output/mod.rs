//! The code that runs in the traced function's place.
//!
//! Its prologue calls the compiled graph, replays what the trace changed, and then either returns, or puts the frame
//! together as it was before the instruction that ended the graph and jumps there. What follows is the original code,
//! cut at that instruction's successors, and where handlers of it are done, since the rest goes on in functions of its
//! own: so the instruction itself runs with its handlers, and the rest is traced when it is called.
//!
//! Invariants: every value is built once, so that identical objects stay identical; arguments are read before any slot
//! is overwritten; effects come after the graph and before everything else that can be seen.

mod effects;
mod exit_stacks;
mod function_attrs;
mod generators;
mod inputs;
mod instances;
mod lazy_iterators;
mod plan;
mod sets;
mod sources;
mod tables;
mod values;

use crate::{
    bytecode::{
        Body, Builder, CodeObject, Condition, Const, Handler, Inst, Label, Liveness, LocalId, Op, Operand, Span,
        Splitter, Version,
        flow::{ControlFlow, landing},
        renumber::renumber_locals,
        super_calls::{is_bare_super_call, lacks_object},
        unreachable::{remove_idle_jumps, remove_unreachable},
        with_entry::end_of_entry,
    },
    host::{Obj, SetHistory},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::Context,
            frame::Frame,
            modes::{SET_ATTENTION_ORDER, SET_GRAD, Switch, attention_setter},
            recording::Input,
            state::{Sort, StateId},
            value::{Value, ValueId},
        },
    },
};
use cranelift_entity::EntityRef;
use fx::NodeId;
use guards::{Constant, Root, Source, SourceId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// The kinds of constants of the new code that only the caller can supply.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Opaque {
    /// The compiled graph, which takes the inputs and gives a tuple.
    Graph,
    /// The callable that gets the exception that the graph has raised, before that goes on: it may add to what is told
    /// of it, and raises nothing.
    Failure,
    /// An object of the running program.
    Object(Obj),
    /// A list with an object of the running program.
    Held(Obj),
    /// A builtin or a function of the standard library, by its dotted name.
    Named(String),
    /// A dtype or device.
    Constant(Constant),
    /// A function that makes a set with this history when it is called.
    #[serde(skip)]
    Set(SetHistory),
}

/// Opaque constants of the new code have numbers from here on; those below are the original code's.
pub const OPAQUE_BASE: u32 = 1 << 16;

/// The new code, and what of it the caller has to know.
pub(super) struct NewCode {
    pub(super) code: CodeObject,
    /// The meanings of its opaque constants.
    pub(super) opaque: Vec<Opaque>,
    /// The sources of the objects that it takes as prefetched.
    pub(super) prefetched: Vec<SourceId>,
}

/// The code that returns a value.
pub(super) fn returned(t: &mut Tracer<'_>, frame: &Frame, value: ValueId) -> Traced<NewCode> {
    let mut out = Output::new(t, frame)?;
    out.give_back(&[value]);
    out.plan(&[value])?;
    out.begin()?;
    out.effects()?;
    out.leave_autocasts();
    out.push(value)?;
    out.set_grad()?;
    out.set_attention()?;
    out.check_generators(|out| out.states.keys().copied().collect())?;
    out.builder.return_value();
    out.finish_whole()
}

/// The code that runs the frame's next instruction, or those that enter a `with` block, and calls what comes after it.
pub(super) fn broken(t: &mut Tracer<'_>, frame: &Frame) -> Traced<NewCode> {
    let last = end_of_entry(frame.body(), frame.at).unwrap_or(frame.at);
    let at = *frame.body().order().get(last).ok_or_else(|| construct("the end of the code"))?;
    let frame = &before_call(frame);
    let entry = frame.inst().ok_or_else(|| construct("the end of the code"))?;
    let mut live = live(frame, entry)?;
    let mut out = Output::new(t, frame)?;
    out.goes_on = true;
    let owners = out.owners(frame, &live);
    live.extend(owners.iter().map(|&local| (local, frame.locals[local.index()])));
    let wanted = out.order(frame, &live);
    out.plan(&wanted)?;
    out.begin()?;
    out.effects()?;
    out.leave_autocasts();
    out.restore(frame, &live)?;
    out.check_generators(|out| out.generators_among(&wanted))?;
    out.finish_split(entry, at, &owners)
}

/// The new code in the making.
struct Output<'t, 'h> {
    t: &'t mut Tracer<'h>,
    /// Over the original's body; what is appended comes to stand in front of it.
    builder: Builder,
    /// The number of the original's instructions.
    tail: usize,
    original: CodeObject,
    /// Whether the function goes on behind the new code, which holds what it has made until then.
    goes_on: bool,
    /// Locals that the new code has beside the original's.
    extra: Vec<String>,
    opaque: Vec<Opaque>,
    /// The local that holds an argument whose slot becomes a cell, by the argument's name.
    kept: FxHashMap<String, LocalId>,
    /// The locals that hold the values that were built.
    built: FxHashMap<ValueId, LocalId>,
    states: FxHashMap<StateId, LocalId>,
    /// The generators that are being made: what one holds may lead back to it.
    generators: Vec<StateId>,
    /// The managers that the new code has entered, outermost first.
    entered: Vec<Context>,
    /// The objects that are being made, and lack some attributes yet.
    unfinished: Vec<StateId>,
    /// The graph's results that are wanted, and their places in its tuple.
    results: Vec<NodeId>,
    result_tuple: Option<LocalId>,
    /// The cells of the traced frame, by their state.
    frame_cells: FxHashMap<StateId, LocalId>,
    made_cells: Vec<StateId>,
    /// The cells of the frame that something reads from now on.
    reached: Vec<StateId>,
    /// The values that are read where the trace found them.
    sourced: Vec<ValueId>,
    /// The sets that are made of such values by calls.
    called: Vec<StateId>,
    /// The dicts of global variables that functions made anew need or the program has written, and where these lie.
    scopes: Vec<SourceId>,
    globals: FxHashMap<SourceId, LocalId>,
    /// The label of the handler for exceptions of the graph, if it may raise any.
    failed: Option<Label>,
    /// The local that holds the state that is restored before the program runs as it is, if there is any.
    kept_state: Option<LocalId>,
    /// Common subexpressions of the sources of the graph's inputs, while those are loaded.
    common: inputs::CommonSources,
    /// The sources of the prefetched inputs, and the parameter that holds the tuple of them.
    prefetched: Vec<SourceId>,
    prefetched_tuple: Option<LocalId>,
    /// The autocasts that were entered before the graph and that the program has left.
    left: Vec<LocalId>,
}

/// The locals that are read from an instruction on, with their values; none for those that have none.
fn live(frame: &Frame, at: Inst) -> Traced<Vec<(LocalId, Option<ValueId>)>> {
    let flow = ControlFlow::new(frame.body()).map_err(|error| construct(&error.to_string()))?;
    let live = Liveness::new(&frame.code.object, frame.body(), &flow);
    Ok(live.before(at).map(|id| (id, frame.locals.get(id.index()).copied().flatten())).collect())
}

/// The frame where the call begins that its next instruction ends: what the other instructions leave for it lies in the
/// interpreter, or is rewritten when the code is cut, as `super()` is.
fn before_call(frame: &Frame) -> Frame {
    let order = frame.body().order();
    let op = |at: usize| frame.body().inst(order[at]).op;
    let mut before = frame.clone();
    while before.at > 0
        && matches!(op(before.at), Op::Call | Op::Precall)
        && matches!(op(before.at - 1), Op::Precall | Op::KwNames)
    {
        before.at -= 1;
    }
    let load = before.at.checked_sub(1).map(|at| order[at]);
    let with_null = |load| matches!(frame.body().operand(load), Some(Operand::Name(_, flags)) if flags & 1 == 1);
    if load.is_some_and(|load| with_null(load) && is_bare_super_call(&frame.code.object, frame.body(), load)) {
        before.at -= 1;
        before.stack.truncate(before.stack.len().saturating_sub(2));
    }
    before
}

/// True for a local that is not among the live ones.
fn is_dead(local: LocalId, live: &[(LocalId, Option<ValueId>)]) -> bool {
    live.iter().all(|&(other, _)| other != local)
}

/// The reason why code cannot go on with an exception that the trace has raised: nobody can make its traceback.
pub(in crate::trace) fn raised_before() -> Reason {
    construct("an exception that was raised")
}

fn construct(what: &str) -> Reason {
    Reason::new(Kind::Construct, format!("It is {what}."))
}

impl<'t, 'h> Output<'t, 'h> {
    fn new(t: &'t mut Tracer<'h>, frame: &Frame) -> Traced<Output<'t, 'h>> {
        if lacks_object(&frame.code.object, frame.body()) {
            return Err(construct("`super()` in a function without a first parameter"));
        }
        let original = frame.code.object.clone().with_bound_arguments();
        let mut frame_cells = FxHashMap::default();
        for (slot, value) in frame.locals.iter().enumerate() {
            let state = value.and_then(|value| match t.objects.values[value] {
                Value::State(state) => Some(state),
                _ => None,
            });
            if let Some(state) = state.filter(|&state| t.heap.sort(state) == Sort::Cell) {
                frame_cells.insert(state, LocalId::new(slot));
            }
        }
        let mut builder = Builder::over(original.clone(), frame.body().clone());
        // A frame always has a line, also where an exception of the graph passes through it.
        builder.set_span(Some(Span::line(frame.line())));
        Ok(Output {
            tail: frame.body().order().len(),
            builder,
            t,
            original,
            goes_on: false,
            extra: Vec::new(),
            opaque: Vec::new(),
            kept: FxHashMap::default(),
            built: FxHashMap::default(),
            states: FxHashMap::default(),
            generators: Vec::new(),
            entered: Vec::new(),
            unfinished: Vec::new(),
            results: Vec::new(),
            result_tuple: None,
            frame_cells,
            made_cells: Vec::new(),
            reached: Vec::new(),
            sourced: Vec::new(),
            called: Vec::new(),
            scopes: Vec::new(),
            globals: FxHashMap::default(),
            failed: None,
            kept_state: None,
            common: inputs::CommonSources::default(),
            prefetched: Vec::new(),
            prefetched_tuple: None,
            left: Vec::new(),
        })
    }

    /// A local of the new code alone. Its number counts after all of the original's; [`Output::into_parts`] moves it.
    fn fresh(&mut self, name: &str) -> LocalId {
        self.extra.push(format!("___{name}{}", self.extra.len()));
        LocalId::new(self.original.local_count() + self.extra.len() - 1)
    }

    /// The beginning of the code, and the call of the graph.
    fn begin(&mut self) -> Traced<()> {
        if !self.original.freevars.is_empty() {
            self.builder.emit(Op::CopyFreeVars, self.original.freevars.len() as u32);
        }
        self.builder.emit(Op::Resume, 0);
        for name in self.original.cellvars.clone() {
            let slot = self.original.varnames.iter().position(|var| *var == name);
            if let Some(slot) = slot.filter(|&slot| slot < self.original.argcount as usize) {
                let kept = self.fresh("argument");
                self.builder.load_local(LocalId::new(slot));
                self.builder.store_local(kept);
                self.kept.insert(name, kept);
            }
        }
        self.find_left()?;
        if !self.t.graph_is_needed() {
            return Ok(());
        }
        let inputs = self.t.graph.inputs.clone();
        self.keep_for_retry(&inputs)?;
        self.prefetch(&inputs)?;
        let callee = self.constant(Opaque::Graph);
        self.builder.callee(|builder| builder.load_const(callee));
        self.load_inputs(&inputs)?;
        self.watch_graph();
        self.builder.call(inputs.len() as u32);
        self.builder.set_handler(None);
        let tuple = self.fresh("results");
        self.builder.store_local(tuple);
        self.result_tuple = Some(tuple);
        Ok(())
    }

    /// Keeps what the graph changes and running the program again would change twice.
    fn keep_for_retry(&mut self, inputs: &[Input]) -> Traced<()> {
        let draws = self.t.graph.effects.draws;
        let saved = self.t.saved_for_retry().unwrap_or_default();
        if !self.t.retries() || !draws && saved.is_empty() {
            return Ok(());
        }
        let tensors: Vec<_> = inputs.iter().filter(|input| saved.contains(&input.node)).collect();
        self.call_named("rust_inductor._failures.kept", 1 + tensors.len(), |out| {
            out.builder.load_const(Const::Bool(draws));
            tensors.iter().try_for_each(|input| out.load_source(input.source))
        })?;
        let state = self.fresh("state");
        self.builder.store_local(state);
        self.kept_state = Some(state);
        Ok(())
    }

    /// Covers the following instructions, the graph's call, with an exception handler, if the graph may raise.
    fn watch_graph(&mut self) {
        if self.t.fallible().is_empty() && !self.t.retries() {
            return;
        }
        let target = self.builder.label();
        let handler = self.builder.body_mut().push_handler(Handler { target, depth: 0, lasti: false });
        self.builder.set_handler(Some(handler));
        self.failed = Some(target);
    }

    /// The handler of the graph's call: reports the exception, and raises it again. It is not pushed as `exc_info`, so
    /// that its context stays. These instructions have no line: a traceback shows those that it is given.
    fn tell_of_failure(&mut self) {
        let Some(label) = self.failed else { return };
        self.builder.set_span(None);
        self.builder.bind(label);
        if self.t.retries() {
            self.run_as_it_is();
        }
        let tell = self.constant(Opaque::Failure);
        self.builder.callee(|builder| builder.load_const(tell));
        self.builder.copy(3);
        self.builder.call(1);
        self.builder.pop();
        self.builder.emit(Op::Reraise, 0);
    }

    /// Runs the original code from its start after an exception of the graph; what is no `Exception` propagates.
    /// Arguments are in their slots, nothing was changed, and the original has not taken over its closure's cells
    /// twice.
    fn run_as_it_is(&mut self) {
        let order = self.builder.body().order();
        let first =
            order.iter().copied().take(self.tail).find(|&inst| self.builder.body().inst(inst).op != Op::CopyFreeVars);
        let Some(first) = first else { return };
        let error = self.constant(Opaque::Named("builtins.Exception".to_owned()));
        let (passes, entry) = (self.builder.label(), self.builder.body_mut().label_at(first));
        self.builder.load_const(error);
        self.builder.emit(Op::CheckExcMatch, 0);
        self.builder.jump_if(Condition::False, passes);
        self.builder.pop();
        if let Some(state) = self.kept_state {
            let callee = self.constant(Opaque::Named("rust_inductor._failures.take_back".to_owned()));
            self.builder.callee(|builder| builder.load_const(callee));
            self.builder.load_local(state);
            self.builder.call(1);
            self.builder.pop();
        }
        self.builder.jump(entry);
        self.builder.bind(passes);
    }

    /// The dead locals of a frame that hold objects which may do something when they are dropped: what goes on holds
    /// them, too.
    fn owners(&mut self, frame: &Frame, live: &[(LocalId, Option<ValueId>)]) -> Vec<LocalId> {
        let plain = self.original.varnames.len();
        let held = frame.locals[..plain].iter().enumerate().filter_map(|(slot, &value)| Some((slot, value?)));
        let held = held.map(|(slot, value)| (LocalId::new(slot), value));
        let dead: Vec<(LocalId, ValueId)> =
            held.filter(|&(slot, value)| is_dead(slot, live) && !self.is_frame_cell(value)).collect();
        let owns = |(slot, value)| self.owns(value, &mut FxHashSet::default()).then_some(slot);
        dead.into_iter().filter_map(owns).collect()
    }

    /// True for an object of the caller's that has a finalizer or may hold one that has, for what the program has made
    /// of those that have, and for a generator of its own that has to clean up after itself.
    fn owns(&mut self, value: ValueId, seen: &mut FxHashSet<ValueId>) -> bool {
        if !seen.insert(value) {
            return false;
        }
        if let Value::State(state) = self.t.objects.values[value]
            && let Some(frame) = self.generator_frame(state).cloned()
        {
            return self.t.has_to_clean_up(frame);
        }
        let is_found = self.t.source(value).is_some();
        if self.t.has_finalizer(value) || is_found && self.t.may_own(value) {
            return true;
        }
        let parts = self.parts(value);
        let owns = |part| {
            let is_put_in = !is_found && self.t.source(part).is_some();
            if is_put_in { self.t.has_finalizer(part) } else { self.owns(part, seen) }
        };
        parts.into_iter().any(owns)
    }

    /// Puts the stack and the live locals in place.
    fn restore(&mut self, frame: &Frame, live: &[(LocalId, Option<ValueId>)]) -> Traced<()> {
        let cells: Vec<(StateId, LocalId)> = self.frame_cells.iter().map(|(&state, &slot)| (state, slot)).collect();
        for (state, slot) in cells {
            self.make_frame_cell(state, slot)?;
        }
        self.push_all(&frame.stack)?;
        let slots: Vec<LocalId> = self.frame_cells.values().copied().collect();
        let plain = live.iter().filter(|(slot, _)| !slots.contains(slot));
        let bound: Vec<(LocalId, ValueId)> = plain.clone().filter_map(|&(slot, value)| Some((slot, value?))).collect();
        for &(_, value) in &bound {
            self.push(value)?;
        }
        for &(slot, _) in bound.iter().rev() {
            self.builder.store_local(slot);
        }
        self.hold(frame, live)?;
        self.set_grad()?;
        self.set_attention()?;
        for &(slot, _) in plain.filter(|(slot, value)| value.is_none() && slot.as_u32() < self.original.argcount) {
            self.builder.delete_local(slot);
        }
        self.release(frame, live);
        self.ask_for_truth(frame);
        Ok(())
    }

    /// Stores values that the new code has made in dead locals, too, where the original's frame holds them: others may
    /// know these objects, which must not die early. An object that a dead local alone would hold is not made.
    fn hold(&mut self, frame: &Frame, live: &[(LocalId, Option<ValueId>)]) -> Traced<()> {
        let cells: Vec<LocalId> = self.frame_cells.values().copied().collect();
        let names = self.original.varnames.clone();
        for ((slot, &value), name) in frame.locals.iter().enumerate().zip(&names) {
            let (slot, Some(value)) = (LocalId::new(slot), value) else { continue };
            if is_dead(slot, live) && !cells.contains(&slot) && self.is_made(value) && !self.is_argument(value, name) {
                self.push(value)?;
                self.builder.store_local(slot);
            }
        }
        Ok(())
    }

    /// True for a value that the new code has made, or that is among the graph's results.
    fn is_made(&self, value: ValueId) -> bool {
        let value = self.t.objects.forced.get(&value).copied().unwrap_or(value);
        self.built.contains_key(&value)
            || match self.t.objects.values[value] {
                Value::State(state) | Value::Instance(state) => self.states.contains_key(&state),
                Value::Tensor(node) => {
                    self.results.iter().any(|&result| self.t.first_name(result) == self.t.first_name(node))
                }
                _ => false,
            }
    }

    /// Deletes the locals of the new code that hold what was built and what the graph gave, and the arguments that the
    /// program has deleted or overwritten: objects live on as long as in the original. An exception that is raised next
    /// would lead to this frame, and so to itself.
    fn release(&mut self, frame: &Frame, live: &[(LocalId, Option<ValueId>)]) {
        let arguments = self.original.varnames[..self.original.argcount as usize].iter().enumerate();
        let dropped = |(slot, name): (usize, &String)| {
            let now = frame.locals.get(slot).copied().flatten();
            let slot = LocalId::new(slot);
            let is_dropped = !now.is_some_and(|value| self.is_argument(value, name) || self.is_made(value))
                && is_dead(slot, live)
                && !self.original.cellvars.contains(name);
            is_dropped.then_some(slot)
        };
        let built = self.built.values().chain(self.states.values()).chain(&self.result_tuple);
        let read = self.kept.values().chain(self.globals.values());
        let mut locals: Vec<LocalId> = built.chain(read).copied().chain(arguments.filter_map(dropped)).collect();
        locals.sort_unstable();
        locals.into_iter().for_each(|local| self.builder.delete_local(local));
    }

    /// True for the value that the argument of this name had at the call.
    fn is_argument(&self, value: ValueId, name: &str) -> bool {
        let source = self.t.source(value).and_then(|source| self.t.sources.get(source));
        matches!(source, Some(Source::Root(Root::Local(id))) if self.text(id) == name)
    }

    /// Reads the autocasts that are left behind the graph, before anything is overwritten.
    fn find_left(&mut self) -> Traced<()> {
        for manager in self.t.modes.left.clone() {
            let source = self.t.source(manager).ok_or_else(|| construct("a manager without a source"))?;
            self.load_source(source)?;
            let local = self.fresh("left");
            self.builder.store_local(local);
            self.left.push(local);
        }
        Ok(())
    }

    /// Leaves the autocasts that were entered before the graph, and that the program has left.
    fn leave_autocasts(&mut self) {
        for manager in self.left.clone() {
            self.builder.load_local(manager);
            self.builder.load_method("__exit__");
            (0..3).for_each(|_| self.builder.load_const(Const::None));
            self.builder.call(3);
            self.builder.pop();
        }
    }

    /// Sets the mode of autograd as the program has set it, beyond the contexts that set it themselves.
    fn set_grad(&mut self) -> Traced<()> {
        let mut mode = self.t.host.grad_enabled();
        for entered in &self.entered {
            let (after, inside) = match entered {
                Context::Grad(context) => (context.after, context.inside),
                Context::Inference(context) => (context.grad_after, !context.enabled),
                _ => continue,
            };
            if after != mode {
                return Err(construct("a mode of autograd that was set inside of another one"));
            }
            mode = inside;
        }
        if mode != self.t.modes.grad {
            let grad = self.t.modes.grad;
            self.call_named(SET_GRAD, 1, |out| {
                out.builder.load_const(Const::Bool(grad));
                Ok(())
            })?;
            self.builder.pop();
        }
        Ok(())
    }

    /// Sets the switches of attention's kernels, and their order, as the program has set them.
    fn set_attention(&mut self) -> Traced<()> {
        for (kernel, switch) in self.t.modes.attention.into_iter().enumerate() {
            if let Some(Switch { before, now }) = switch
                && before != now
            {
                self.call_named(&attention_setter(kernel), 1, |out| {
                    out.builder.load_const(Const::Bool(now));
                    Ok(())
                })?;
                self.builder.pop();
            }
        }
        if let Some(Switch { before, now }) = self.t.modes.attention_order
            && before != now
        {
            self.call_named(SET_ATTENTION_ORDER, 1, |out| {
                now.into_iter().for_each(|kernel| out.builder.load_const(Const::Int(kernel)));
                out.builder.build_list(now.len() as u32);
                Ok(())
            })?;
            self.builder.pop();
        }
        Ok(())
    }

    /// Since 3.13 jumps take nothing but a bool, where the trace may have left a tensor for them. What asks may raise,
    /// and so stands where the jump does.
    fn ask_for_truth(&mut self, frame: &Frame) {
        let Some(jump) = frame.data().filter(|data| data.op.is_jump_by_truth()) else { return };
        let top = frame.stack.last().map(|&top| &self.t.objects.values[top]);
        if self.t.host.version() >= Version::V313 && !matches!(top, Some(Value::Const(Constant::Bool(_)))) {
            self.builder.set_span(jump.span);
            self.builder.set_handler(jump.handler.expand());
            self.builder.emit(Op::ToBool, 0);
            self.builder.set_handler(None);
        }
    }

    fn finish_whole(mut self) -> Traced<NewCode> {
        self.tell_of_failure();
        let (opaque, prefetched) = (std::mem::take(&mut self.opaque), std::mem::take(&mut self.prefetched));
        let (code, mut body) = self.into_parts();
        remove_unreachable(&mut body).map_err(|error| misfit(&error))?;
        remove_idle_jumps(&mut body);
        let code = Builder::over(code, body).finish().map_err(|error| misfit(&error))?;
        Ok(NewCode { code, opaque, prefetched })
    }

    /// Goes on with the original at `entry`, and cuts it after `at`.
    fn finish_split(mut self, entry: Inst, at: Inst, owners: &[LocalId]) -> Traced<NewCode> {
        let label = self.builder.body_mut().label_at(entry);
        self.builder.jump(label);
        self.tell_of_failure();
        let (opaque, prefetched) = (std::mem::take(&mut self.opaque), std::mem::take(&mut self.prefetched));
        let names: Vec<String> = owners.iter().map(|local| self.original.varnames[local.index()].clone()).collect();
        let (code, body) = self.into_parts();
        let flow = ControlFlow::new(&body).map_err(|error| misfit(&error))?;
        let ways = flow.ways(at);
        let jump = ways.jump().map(|to| landing(&body, to));
        let mut splitter = Splitter::new(&code, &body).map_err(|error| misfit(&error))?;
        if let Some(span) = body.inst(at).span {
            splitter = splitter.left_at(span.line);
        }
        let owners = names.iter().filter_map(|name| code.varnames.iter().position(|other| other == name));
        splitter = splitter.holding(owners.map(LocalId::new).collect());
        let mut cuts: Vec<Inst> = ways.next().into_iter().chain(jump).collect();
        let after = splitter.after_handlers(at).into_iter().filter(|inst| !cuts.contains(inst));
        cuts.extend(after.collect::<Vec<_>>());
        let split = splitter.split(&cuts).map_err(|error| misfit(&error))?;
        Ok(NewCode { code: split.prefix, opaque, prefetched })
    }

    /// The new code in front of the original's, its own locals after the original's plain ones. The parameter of
    /// prefetched inputs comes after the other parameters.
    fn into_parts(self) -> (CodeObject, Body) {
        let (mut code, mut body) = self.builder.into_parts();
        body.move_tail(self.tail, 0);
        let (plain, all, extra) = (code.varnames.len(), self.original.local_count(), self.extra.len());
        let place = |id: LocalId| match id.index() {
            at if at < plain => at,
            at if at < all => at + extra,
            at => at - all + plain,
        };
        code.varnames.extend(self.extra);
        match self.prefetched_tuple.map(place) {
            None => renumber_locals(&mut body, |id| LocalId::new(place(id))),
            Some(from) => {
                let to = code.argcount as usize;
                renumber_locals(&mut body, |id| match place(id) {
                    at if at == from => LocalId::new(to),
                    at if (to..from).contains(&at) => LocalId::new(at + 1),
                    at => LocalId::new(at),
                });
                code.varnames[to..=from].rotate_right(1);
                code.argcount += 1;
            }
        }
        (code, body)
    }
}

fn misfit(error: &dyn std::fmt::Display) -> Reason {
    construct(&format!("code that does not fit: {error}"))
}
