//! The traced function itself: its frame, its loop over instructions, and how its trace ends.

use crate::{
    bytecode::{Arg, Op, Operand, STACK},
    host::{self, Host, Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        capture::{Break, Capture},
        core::{
            checkpoint::Speculative,
            frame::{Frame, Globals, Next, line_of},
            modes::{sets_attention, sets_mode},
            state::State,
            tracer::Recorded,
            value::{Value, ValueId},
        },
        options::Options,
        output::{self, NewCode},
    },
};
use fx::Graph;
use guards::GuardKind;
use symshapes::Pool;

/// Builtins that run code among the local variables of their caller, and whether they do so also with arguments.
const RUNNING: &[(&str, bool)] = &[("eval", true), ("exec", true)];

/// Builtins that read the local variables of their caller, likewise.
const READING: &[(&str, bool)] = &[("locals", true), ("vars", false), ("dir", false)];

/// A checkpoint before an instruction of the traced function: its frame, and the state of the trace.
#[derive(Clone)]
struct Checkpoint {
    frame: Frame,
    recorded: Recorded,
}

/// The most traces of one call by which a place is looked for where the graph may end earlier.
const MOST_ATTEMPTS: usize = 8;

/// The places of a trace, as counts of the traced function's instructions, at which its graph may end though nothing
/// forces it to.
#[derive(Default)]
struct Stops {
    /// The place at which it is to end.
    wanted: Option<usize>,
    /// The places at which it could: between statements, with something captured.
    passed: Vec<usize>,
    /// The places between statements, after the first one, before anything is captured.
    before_graph: Vec<usize>,
    /// The lines of the function's head and of its first statement, as far as the trace has come to them.
    first_lines: Vec<i32>,
    /// Whether code could not be made where the graph ended.
    is_unbuilt: bool,
}

impl Stops {
    /// True for a line that comes after the first statement: what goes on there has something behind it.
    fn is_after_first(&mut self, line: i32) -> bool {
        let is_first = self.first_lines.contains(&line);
        if !is_first && self.first_lines.len() < 2 {
            self.first_lines.push(line);
            return false;
        }
        !is_first
    }

    /// Notes that code could not be made; a frame that has captured nothing loses nothing by that.
    fn unbuilt(&mut self, t: &Tracer<'_>) {
        self.is_unbuilt = true;
        if !t.graph_is_needed() {
            self.before_graph.clear();
        }
    }
}

/// Traces a call of `function` with these arguments, one for each slot. Where generated code cannot build again what
/// the program holds at the graph's end, the graph ends earlier.
///
/// # Errors
/// Nothing can be captured: the function runs as it is.
pub fn trace(
    host: &mut dyn Host,
    function: Obj,
    arguments: &[Option<Obj>],
    options: &Options,
) -> Result<Capture, Break> {
    let mut attempt = |stops: &mut Stops| {
        let mut tracer = Tracer::new(host, options);
        let refused = |reason| Break { reason, line: 0, opcode: None, stack: vec![], spans: vec![], is_refused: false };
        let frame = tracer.root(function, arguments).map_err(refused)?;
        tracer.run_root(frame, stops)
    };
    let mut stops = Stops::default();
    let ended = match attempt(&mut stops) {
        Err(ended) if stops.is_unbuilt && !ended.is_refused => ended,
        result => return result,
    };
    let mut latest_of = |places: &[usize]| {
        // A value that is built at a place was mostly there at the places before, too.
        let (mut built, mut open) = (None, places);
        for _ in 0..MOST_ATTEMPTS {
            let Some(&wanted) = open.get(open.len() / 2) else { break };
            let (before, after) = (&open[..open.len() / 2], &open[open.len() / 2 + 1..]);
            match attempt(&mut Stops { wanted: Some(wanted), ..Stops::default() }) {
                Ok(capture) => (built, open) = (Some(capture), after),
                Err(_) => open = before,
            }
        }
        built
    };
    // The interpreter makes the value where nothing is captured before it, and what comes after is captured.
    match latest_of(&stops.passed).or_else(|| latest_of(&stops.before_graph)) {
        Some(capture) => Ok(Capture { ended: Some(ended), ..capture }),
        None => Err(ended),
    }
}

impl Tracer<'_> {
    /// The frame of the traced function before its first instruction.
    fn root(&mut self, function: Obj, arguments: &[Option<Obj>]) -> Traced<Frame> {
        let unknown = || Reason::new(Kind::Opcode, "The code is not that of a function.");
        let View::Function(view) = self.host.view(function) else { return Err(unknown()) };
        let code = self.host.code(view.code).ok_or_else(unknown)?;
        if let Some(name) = self.calls_among(&code, 0, view.globals, RUNNING) {
            let text = format!("`{name}`, which sees all variables of the function.");
            return Err(Reason::new(Kind::Call, text));
        }
        let closure = code.object.freevars.clone().into_iter().zip(view.closure.iter());
        let closure = closure.zip(0..).map(|((name, &cell), index)| self.root_cell(&name, cell, index)).collect();
        let globals = Globals { dict: view.globals, owner: None.into() };
        self.objects.scopes.push(view.globals);
        let mut frame = Frame::new(code, Some(view.code), globals, closure);
        let names: Vec<String> = frame.code.object.local_names().map(str::to_owned).collect();
        for (slot, argument) in arguments.iter().enumerate() {
            if let (Some(argument), Some(name)) = (argument, names.get(slot)) {
                let source = self.sources.local(name);
                if name.starts_with(STACK) {
                    // An instruction that takes it off the stack drops it.
                    self.objects.may_be_dropped = true;
                    let dropped = self.sources.string(name);
                    self.objects.dropped_locals.insert(dropped);
                }
                frame.locals[slot] = Some(self.lazy(*argument, source));
            }
        }
        Ok(frame)
    }

    /// The first of these builtins that code calls from an instruction on.
    fn calls_among(
        &mut self,
        code: &host::Code,
        from: usize,
        globals: Obj,
        builtins: &[(&'static str, bool)],
    ) -> Option<&'static str> {
        let order = code.body.order();
        let named = |at: usize| match code.body.operand(order[at]) {
            Some(Operand::Name(id, _)) if code.body.inst(order[at]).op == Op::LoadGlobal => {
                code.object.names.get(id.as_u32() as usize)
            }
            _ => None,
        };
        // Those that have nothing to look into look here.
        let alone = |at: usize| {
            let mut after = order[at + 1..].iter().map(|&inst| code.body.inst(inst));
            let call = after.find(|data| !matches!(data.op, Op::Precall | Op::PushNull));
            call.is_some_and(|data| data.op == Op::Call && matches!(data.arg, Arg::Int(0)))
        };
        let asks = (from..order.len()).find_map(|at| {
            let name = named(at)?;
            let &(known, always) = builtins.iter().find(|(known, _)| known == name)?;
            (always || alone(at)).then_some(known)
        })?;
        matches!(self.host.global(globals, asks), Some((_, host::Scope::Builtins))).then_some(asks)
    }

    /// The builtin by which the rest of a function may read its local variables: a resume function has others.
    fn reads_variables_after(&mut self, f: &Frame) -> Option<&'static str> {
        let body = &f.code.body;
        let (before, after) = body.order().split_at(f.at);
        let goes_back = after.iter().any(|&inst| match body.operand(inst) {
            Some(Operand::Jump(label)) => body.target(label).is_some_and(|target| before.contains(&target)),
            _ => false,
        });
        self.calls_among(&f.code, if goes_back { 0 } else { f.at }, f.globals.dict, READING)
    }

    /// A cell of the traced function's closure.
    fn root_cell(&mut self, name: &str, cell: Obj, index: u32) -> ValueId {
        let content = match self.host.view(cell) {
            View::Cell(Some(content)) => {
                let source = self.sources.cell(name);
                Some(self.lazy(content, source))
            }
            _ => None,
        };
        let state = self.heap.push(State::Cell(content), Some(cell));
        let value = self.value(Value::State(state));
        self.objects.known.insert(cell, value);
        let function = self.sources.function();
        let source = self.sources.closure_cell(function, index);
        self.objects.cells.push((cell, source));
        value
    }

    /// Runs the traced function to its end, or to the first instruction that cannot be traced.
    fn run_root(mut self, mut frame: Frame, stops: &mut Stops) -> Result<Capture, Break> {
        // Where the exception was raised whose handler runs.
        let mut raised_at: Option<Checkpoint> = None;
        // Where the first exception was raised: code cannot go on with one that the trace has raised.
        let mut first_raised: Option<Checkpoint> = None;
        let mut place = 0;
        loop {
            place += 1;
            first_raised = first_raised.filter(|_| !self.heap.is_laden());
            if raised_at.is_none() && first_raised.is_none() {
                self.heap.commit();
            }
            // What was read before the checkpoint is guarded before it: going back forgets what was read since.
            self.guard_keys();
            let checkpoint = Checkpoint { frame: frame.clone(), recorded: self.checkpoint() };
            let (at, raised) = (frame.at, self.exceptions.raised.len());
            self.call_stack.lines = vec![line_of(&frame)];
            self.call_stack.globals = vec![frame.globals];
            self.call_stack.spans = vec![frame.span()];
            if raised_at.is_none() && first_raised.is_none() && frame.stack.is_empty() {
                if self.graph_is_needed() {
                    stops.passed.push(place);
                } else if stops.is_after_first(frame.line()) {
                    stops.before_graph.push(place);
                }
            }
            if stops.wanted == Some(place) {
                return self.end(checkpoint, Reason::new(Kind::Construct, ""), None, stops);
            }
            let reason = match self.step(&mut frame) {
                Ok(Next::Go) => {
                    let exception_waits = frame.stack.last().is_some_and(|top| self.exceptions.raised.contains(top));
                    if raised_at.is_none() && self.has_caught_since(raised) {
                        first_raised.get_or_insert(checkpoint);
                    }
                    if self.exceptions.handled.is_none() && !exception_waits {
                        raised_at = None;
                    }
                    continue;
                }
                Ok(Next::Yield(_)) => Reason::new(Kind::Opcode, "A function yields."),
                Ok(Next::Return(value)) => match output::returned(&mut self, &frame, value) {
                    Ok(new) => return Ok(self.finish(new, None)),
                    Err(reason) => {
                        stops.unbuilt(&self);
                        reason
                    }
                },
                Err(reason) if self.catch(&mut frame, at, &reason) => {
                    if raised_at.is_none() && self.has_caught_since(raised) {
                        first_raised.get_or_insert(checkpoint.clone());
                    }
                    raised_at.get_or_insert(checkpoint);
                    continue;
                }
                Err(reason) => reason,
            };
            if self.is_exhausted() {
                // What comes after would be as long.
                return Err(Break {
                    reason,
                    line: checkpoint.frame.line(),
                    opcode: None,
                    stack: self.call_stack.lines,
                    spans: self.call_stack.spans,
                    is_refused: self.modes.refuses_breaks,
                });
            }
            return match raised_at {
                Some(raised_at) => self.end(raised_at, reason.within_handler(), None, stops),
                None => self.end(checkpoint, reason, first_raised, stops),
            };
        }
    }

    /// True if an exception was caught since `raised` of them were, other than those by which iterators and generators
    /// end.
    fn has_caught_since(&self, raised: usize) -> bool {
        let ends = ["builtins.StopIteration", "builtins.GeneratorExit"];
        let name = |&exception: &ValueId| self.exception_class(exception).map(|(name, _)| name);
        self.exceptions.raised[raised..].iter().filter_map(name).any(|name| !ends.contains(&name))
    }

    /// True once the trace has grown too long.
    pub(in crate::trace) fn is_exhausted(&self) -> bool {
        self.call_stack.steps > self.options.steps || self.heap.is_overworked()
    }

    /// Ends the graph before the instruction that failed; where code would need an exception that the trace has raised,
    /// before that was raised.
    fn end(
        mut self,
        checkpoint: Checkpoint,
        reason: Reason,
        first_raised: Option<Checkpoint>,
        stops: &mut Stops,
    ) -> Result<Capture, Break> {
        let (stack, spans) = self
            .call_stack
            .failed_at
            .take()
            .unwrap_or_else(|| (self.call_stack.lines.clone(), self.call_stack.spans.clone()));
        let opcode = checkpoint.frame.data().map(|data| data.op);
        let is_refused = self.modes.refuses_breaks;
        let ended = Break { reason, line: checkpoint.frame.line(), opcode, stack, spans, is_refused };
        self.rollback(checkpoint.recorded);
        if let Some(name) = self.reads_variables_after(&checkpoint.frame) {
            let text =
                format!("{} `{name}`, which sees all variables of the function, comes after.", ended.reason.text);
            return Err(Break { reason: Reason { text, ..ended.reason }, ..ended });
        }
        match output::broken(&mut self, &checkpoint.frame) {
            Ok(new) => Ok(self.finish(new, Some(ended))),
            Err(why) => match first_raised.filter(|_| why == output::raised_before()) {
                Some(first) => {
                    self.call_stack.failed_at = Some((ended.stack, ended.spans));
                    self.end(first, ended.reason.after_exception(), None, stops)
                }
                None => {
                    stops.unbuilt(&self);
                    let text = format!("{} {why}", ended.reason.text);
                    Err(Break { reason: Reason { text, ..ended.reason }, ..ended })
                }
            },
        }
    }

    fn finish(mut self, new: NewCode, ended: Option<Break>) -> Capture {
        self.guard_keys();
        self.guard_presence();
        self.guard_distinct();
        self.guard_tensor_keys();
        if let (Some(&first), true) = (self.guards.keyed.first(), self.guards.keyed.len() > 1) {
            let keyed = std::mem::take(&mut self.guards.keyed);
            self.guard(first, GuardKind::NoTensorAliasing(keyed));
        }
        let sets =
            |t: &Self, is_it: fn(&str) -> bool| t.graph.torch.nodes().any(|node| is_it(&t.graph.torch[node].target));
        let (sets_mode, sets_attention) = (sets(&self, sets_mode), sets(&self, sets_attention));
        // Metadata is over the environment's expressions.
        set_exprs(&mut self.graph.torch, self.shapes.env.pool());
        self.graph.lowered.finish(&mut self.shapes.env);
        let mut capture = Capture {
            computes: self.graph_is_needed(),
            asked: self.graph.torch.nodes().filter(|node| self.graph.without_rule.contains(node)).collect(),
            sets_mode,
            sets_attention,
            fallible: self.fallible(),
            lowered: self.graph.lowered.is_whole().then_some(self.graph.lowered.graph),
            not_lowered: if self.options.lowers { self.graph.lowered.obstacles } else { Vec::new() },
            graph: self.graph.torch,
            inputs: self.graph.inputs.into_iter().map(|input| input.source).collect(),
            sources: self.sources,
            guards: self.guards.emitted,
            env: self.shapes.env,
            hints: self.shapes.hints,
            code: new.code,
            opaque: new.opaque,
            prefetched: new.prefetched,
            ended,
            followed: self.call_stack.followed,
            origins: self.graph.origins,
            renamed: self.graph.renamed,
        };
        capture.renumber();
        capture
    }
}

/// Gives a graph and its subgraphs the expressions that their metadata is over.
fn set_exprs(graph: &mut Graph, exprs: &Pool) {
    graph.exprs = exprs.clone();
    graph.subgraphs_mut().for_each(|subgraph| set_exprs(subgraph, exprs));
}
