//! The symbolic interpreter: runs a function's bytecode on tracked values, and writes what it does with tensors into a
//! graph, what it assumed into guards, and what it changed into effects.
//!
//! - `value`: what is tracked; `frame`: where it is;
//! - `step`: one instruction; `call`, `attr`, `ops`, `items`: what instructions do, by the kind of value;
//! - `object_table`, `recording` with `lowered`, `shapes`, `guard_list`, `modes`, `call_stack`, `exception_state`: the
//!   state of a trace in sub-structures; `checkpoint`: how each is taken back;
//! - `graph`: what goes into the graph, and what is known of it;
//! - `wrap`: objects of the running program, tracked and guarded when they are first used;
//! - `aliasing`: which objects have to stay two;
//! - `numbers`, `number_guards`: arithmetic on symbolic integers, floats and bools;
//! - `objects`: the program's objects, classes and modules; `dicts`: what is guarded of dicts; `key_views`: operators
//!   on their keys;
//! - `signature`: how calls of functions without bytecode bind arguments; `python`, `torch`: what those functions do, a
//!   row each;
//! - `context`, `grad`, `inference`, `autocast`, `devices`, `exceptions`, `unwinding`, `patterns`: what `with`, `try`
//!   and `match` need; `may_raise`: what may raise when the graph runs;
//! - `output`: the code that runs in the function's place; `follow`: the log of a trace.
//!
//! **Speculation.** Before each instruction of the traced function a `Checkpoint` is taken: lengths and copies of a few
//! small vectors, by `Speculative`. An instruction that cannot be traced, however deep in inlined calls, gives a
//! `Reason`; everything since the checkpoint is dropped, and the graph ends before that instruction. Nothing is traced
//! twice.
//!
//! Invariant: no step runs the user's code or changes an object of the running program.

mod aliasing;
mod attr;
mod autocast;
mod call;
mod call_stack;
mod checkpoint;
mod context;
mod devices;
mod dicts;
mod exception_state;
mod exceptions;
mod follow;
mod frame;
mod grad;
mod graph;
mod guard_list;
mod inference;
mod items;
mod key_views;
mod lowered;
mod may_raise;
mod modes;
mod number_guards;
mod numbers;
mod object_table;
mod objects;
mod ops;
mod output;
mod patterns;
mod python;
mod recording;
mod shapes;
mod signature;
mod step;
mod torch;
mod untraced;
mod unwinding;
mod value;
mod wrap;

pub use follow::Followed;
pub use output::{OPAQUE_BASE, Opaque};
pub use signature::signatures;
pub use untraced::{INTRINSICS, UNTRACED};
pub use wrap::input_name;

use crate::{
    bytecode::{Arg, CodeObject, Op, Operand, Span},
    host::{self, Host, Obj, View},
    reason::{Kind, Reason},
};
use call_stack::CallStack;
use checkpoint::Speculative;
use cranelift_entity::SecondaryMap;
use exception_state::Exceptions;
use frame::{Frame, Globals};
use fx::{Graph, NodeId};
use guard_list::GuardList;
use guards::{Constant, Guard, GuardKind, SourceId, Sources};
use modes::Modes;
use object_table::ObjectTable;
use recording::Recording;
use shapes::Shapes;
use step::Next;
use symshapes::ShapeEnv;
use value::{Heap, State, Value, ValueId};

/// Where a node comes from, beyond its `stack_trace`.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// What the lines of its `stack_trace` span, the traced function's first.
    pub spans: Vec<Option<Span>>,
    /// The library's function that the innermost line calls, if torch's Dynamo would trace that one too.
    pub within: Option<&'static str>,
}

/// Where the nodes of a graph come from.
pub type Origins = SecondaryMap<NodeId, Origin>;

/// What tracing gives, or why it cannot go on.
type Traced<T = ValueId> = Result<T, Reason>;

/// Builtins that see all variables of the function that calls them, and whether they do so whatever they are given.
const SEEING: [(&str, bool); 5] = [("locals", true), ("eval", true), ("exec", true), ("vars", false), ("dir", false)];

/// How deep containers are looked into.
const MOST_NESTED: usize = 100;

/// Whether sizes and integers become symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dynamic {
    /// Those that changed between calls.
    #[default]
    Automatic,
    /// None but those that are marked.
    Never,
    /// All but those that are marked.
    Always,
}

/// How to trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Whether sizes and integers become symbols.
    pub dynamic: Dynamic,
    /// The printed sources of sizes and integers that changed since an earlier call.
    pub changed: Vec<String>,
    /// Whether floats become symbols as well, and numbers that are computed as floats stay so.
    pub floats: bool,
    /// What `dynamic_shapes` says of sizes and integers, by their printed source.
    pub declared: Vec<(String, host::Mark)>,
    /// Whether graphs may enter inference mode.
    pub inference: bool,
    /// How deep calls are inlined.
    pub depth: usize,
    /// How many instructions a trace may have.
    pub steps: usize,
    /// Whether somebody wants to know what was run.
    pub follow: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            dynamic: Dynamic::Automatic,
            changed: Vec::new(),
            declared: Vec::new(),
            floats: true,
            inference: true,
            depth: 60,
            steps: 1_000_000,
            follow: false,
        }
    }
}

/// A finished trace.
pub struct Capture {
    /// The graph, with torch's names for functions and methods. Without calls there is nothing to compile.
    pub graph: Graph,
    /// True if the graph does anything, and so has to be compiled.
    pub computes: bool,
    /// True if the graph sets a mode: whether autograd records, inference, or autocast. It would leave it so if it
    /// failed midway.
    pub sets_mode: bool,
    /// The calls of the graph that may raise when it runs.
    pub fallible: Vec<NodeId>,
    /// The same in ATen overloads, if each call has one.
    pub lowered: Option<Graph>,
    /// The sources of the graph's inputs. A float is given to the graph as a tensor without dimensions.
    pub inputs: Vec<SourceId>,
    /// The sources that guards, inputs and code name.
    pub sources: Sources,
    /// What has to hold for the trace to be used again, but for what `env` has recorded of sizes.
    pub guards: Vec<Guard>,
    /// The symbols, and what was decided about them.
    pub env: ShapeEnv,
    /// The sizes and integers of the caller's that were looked at, and their values; of floats, their bits.
    pub hints: Vec<(SourceId, i64)>,
    /// The code that runs in the function's place.
    pub code: CodeObject,
    /// What the code's opaque constants are.
    pub opaque: Vec<Opaque>,
    /// Where and why the graph ends before the function does.
    pub ended: Option<Break>,
    /// What was run, if [`Options::follow`] asks for it.
    pub followed: Vec<Followed>,
    /// Where the graph's nodes come from.
    pub origins: Origins,
    /// What nodes were called before they had the name of a variable.
    pub renamed: Vec<(NodeId, String)>,
    /// The calls that have no rule: torch was asked what they give.
    pub asked: Vec<NodeId>,
}

impl Capture {
    /// True if the graph computes floats.
    pub fn has_floats(&self) -> bool {
        self.graph.nodes().any(|node| matches!(self.graph[node].meta, Some(fx::Meta::Float(_))))
    }
}

/// A place where a graph ends before the function does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Break {
    /// Why.
    pub reason: Reason,
    /// The line of the traced function.
    pub line: i32,
    /// The traced function's instruction there; none if it is not one that ended the graph.
    pub opcode: Option<Op>,
    /// The call of each frame on the way to the place, as file, line and function, outermost first.
    pub stack: Vec<(String, i32, String)>,
    /// What each of them spans in the program.
    pub spans: Vec<Option<Span>>,
}

/// An input of the graph.
#[derive(Clone, Copy, Debug)]
struct Input {
    node: NodeId,
    source: SourceId,
    /// True for a float of the caller's, which the graph takes as a tensor without dimensions.
    is_float: bool,
}

/// The interpreter's whole state.
///
/// What a failed speculation takes back lies in sub-structures that implement [`Speculative`].
struct Tracer<'h> {
    host: &'h mut dyn Host,
    options: &'h Options,
    /// Where values are found: only names, which a trace need not use.
    sources: Sources,
    objects: ObjectTable,
    heap: Heap,
    graph: Recording,
    shapes: Shapes,
    guards: GuardList,
    modes: Modes,
    call_stack: CallStack,
    exceptions: Exceptions,
}

/// A point to return to: the frame of the traced function before an instruction, and what was recorded by then.
struct Checkpoint {
    frame: Frame,
    recorded: Recorded,
}

/// What a trace has recorded.
struct Recorded {
    objects: <ObjectTable as Speculative>::Checkpoint,
    heap: <Heap as Speculative>::Checkpoint,
    graph: <Recording as Speculative>::Checkpoint,
    shapes: <Shapes as Speculative>::Checkpoint,
    guards: <GuardList as Speculative>::Checkpoint,
    modes: <Modes as Speculative>::Checkpoint,
    call_stack: <CallStack as Speculative>::Checkpoint,
    exceptions: <Exceptions as Speculative>::Checkpoint,
}

impl Speculative for Tracer<'_> {
    type Checkpoint = Recorded;

    fn checkpoint(&self) -> Recorded {
        Recorded {
            objects: self.objects.checkpoint(),
            heap: self.heap.checkpoint(),
            graph: self.graph.checkpoint(),
            shapes: self.shapes.checkpoint(),
            guards: self.guards.checkpoint(),
            modes: self.modes.checkpoint(),
            call_stack: self.call_stack.checkpoint(),
            exceptions: self.exceptions.checkpoint(),
        }
    }

    fn rollback(&mut self, to: Recorded) {
        let Tracer {
            host: _,
            options: _,
            sources: _,
            objects,
            heap,
            graph,
            shapes,
            guards,
            modes,
            call_stack,
            exceptions,
        } = self;
        objects.rollback(to.objects);
        heap.rollback(to.heap);
        graph.rollback(to.graph);
        shapes.rollback(to.shapes);
        guards.rollback(to.guards);
        modes.rollback(to.modes);
        call_stack.rollback(to.call_stack);
        exceptions.rollback(to.exceptions);
    }
}

/// Traces a call of `function` with these arguments, one for each slot.
///
/// # Errors
/// Nothing can be captured: the function runs as it is.
pub fn trace(
    host: &mut dyn Host,
    function: Obj,
    arguments: &[Option<Obj>],
    options: &Options,
) -> Result<Capture, Break> {
    let mut tracer = Tracer::new(host, options);
    let refused = |reason| Break { reason, line: 0, opcode: None, stack: vec![], spans: vec![] };
    let frame = tracer.root(function, arguments).map_err(refused)?;
    tracer.run_root(frame)
}

impl<'h> Tracer<'h> {
    fn new(host: &'h mut dyn Host, options: &'h Options) -> Tracer<'h> {
        Tracer {
            modes: Modes::of_host(host),
            host,
            options,
            sources: Sources::default(),
            objects: ObjectTable::default(),
            heap: Heap::default(),
            graph: Recording::default(),
            shapes: Shapes::default(),
            guards: GuardList::default(),
            call_stack: CallStack::default(),
            exceptions: Exceptions::default(),
        }
    }

    /// The frame of the traced function before its first instruction.
    fn root(&mut self, function: Obj, arguments: &[Option<Obj>]) -> Traced<Frame> {
        let unknown = || Reason::new(Kind::Opcode, "The code is not that of a function.");
        let View::Function(view) = self.host.view(function) else { return Err(unknown()) };
        let code = self.host.code(view.code).ok_or_else(unknown)?;
        if let Some(name) = self.asks_for_variables(&code, view.globals) {
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
                frame.locals[slot] = Some(self.lazy(*argument, source));
            }
        }
        Ok(frame)
    }

    /// The builtin by which a function asks for its own variables, if it has one: code that goes on after a graph has
    /// none but those that it reads, and some of its own.
    fn asks_for_variables(&mut self, code: &host::Code, globals: Obj) -> Option<&'static str> {
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
        let asks = (0..order.len()).find_map(|at| {
            let name = named(at)?;
            let &(known, always) = SEEING.iter().find(|(known, _)| known == name)?;
            (always || alone(at)).then_some(known)
        })?;
        matches!(self.host.global(globals, asks), Some((_, host::Scope::Builtins))).then_some(asks)
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
    fn run_root(mut self, mut frame: Frame) -> Result<Capture, Break> {
        // Where the exception was raised whose handler runs.
        let mut raised_at: Option<Checkpoint> = None;
        loop {
            if raised_at.is_none() {
                self.heap.commit();
            }
            // What was read before the checkpoint is guarded before it: going back forgets what was read since.
            self.guard_keys();
            let checkpoint = Checkpoint { frame: frame.clone(), recorded: self.checkpoint() };
            let at = frame.at;
            self.call_stack.lines = vec![line_of(&frame)];
            self.call_stack.spans = vec![frame.span()];
            let reason = match self.step(&mut frame) {
                Ok(Next::Go) => {
                    let exception_waits = frame.stack.last().is_some_and(|top| self.exceptions.raised.contains(top));
                    if self.exceptions.handled.is_none() && !exception_waits {
                        raised_at = None;
                    }
                    continue;
                }
                Ok(Next::Yield(_)) => Reason::new(Kind::Opcode, "A function yields."),
                Ok(Next::Return(value)) => match output::returned(&mut self, &frame, value) {
                    Ok((code, opaque)) => return Ok(self.finish(code, opaque, None)),
                    Err(reason) => reason,
                },
                Err(reason) if self.catch(&mut frame, at, &reason) => {
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
                });
            }
            return match raised_at {
                Some(raised_at) => self.end(raised_at, reason.within_handler()),
                None => self.end(checkpoint, reason),
            };
        }
    }

    /// True once the trace has grown too long.
    fn is_exhausted(&self) -> bool {
        self.call_stack.steps > self.options.steps || self.heap.is_overworked()
    }

    /// Ends the graph before the instruction that failed.
    fn end(mut self, checkpoint: Checkpoint, reason: Reason) -> Result<Capture, Break> {
        let (stack, spans) = self
            .call_stack
            .failed_at
            .take()
            .unwrap_or_else(|| (self.call_stack.lines.clone(), self.call_stack.spans.clone()));
        let opcode = checkpoint.frame.data().map(|data| data.op);
        let ended = Break { reason, line: checkpoint.frame.line(), opcode, stack, spans };
        self.rollback(checkpoint.recorded);
        match output::broken(&mut self, &checkpoint.frame) {
            Ok((code, opaque)) => Ok(self.finish(code, opaque, Some(ended))),
            Err(why) => {
                Err(Break { reason: Reason { text: format!("{} {why}", ended.reason.text), ..ended.reason }, ..ended })
            }
        }
    }

    fn finish(mut self, code: CodeObject, opaque: Vec<Opaque>, ended: Option<Break>) -> Capture {
        self.guard_keys();
        self.guard_found_keys();
        self.guard_distinct();
        if let (Some(&first), true) = (self.guards.keyed.first(), self.guards.keyed.len() > 1) {
            let keyed = std::mem::take(&mut self.guards.keyed);
            self.guard(first, GuardKind::NoTensorAliasing(keyed));
        }
        let sets_mode = self.graph.torch.nodes().any(|node| context::sets_mode(&self.graph.torch[node].target));
        // Metadata is over the environment's expressions.
        self.graph.torch.exprs = self.shapes.env.pool().clone();
        self.graph.lowered.graph.exprs = self.shapes.env.pool().clone();
        Capture {
            computes: self.graph_is_needed(),
            asked: self.graph.torch.nodes().filter(|node| self.graph.without_rule.contains(node)).collect(),
            sets_mode,
            fallible: self.fallible(),
            lowered: self.graph.lowered.is_whole().then_some(self.graph.lowered.graph),
            graph: self.graph.torch,
            inputs: self.graph.inputs.into_iter().map(|input| input.source).collect(),
            sources: self.sources,
            guards: self.guards.emitted,
            env: self.shapes.env,
            hints: self.shapes.hints,
            code,
            opaque,
            ended,
            followed: self.call_stack.followed,
            origins: self.graph.origins,
            renamed: self.graph.renamed,
        }
    }

    /// Adds a value that the program made.
    fn value(&mut self, value: Value) -> ValueId {
        self.objects.values.push(value)
    }

    /// Adds a value that can be read from the running program.
    fn sourced(&mut self, value: Value, source: SourceId) -> ValueId {
        let id = self.objects.values.push(value);
        self.objects.source_of[id] = source.into();
        id
    }

    /// An object at which nobody has looked yet.
    fn lazy(&mut self, obj: Obj, source: SourceId) -> ValueId {
        self.sourced(Value::Lazy(obj), source)
    }

    fn constant(&mut self, constant: Constant) -> ValueId {
        self.value(Value::Const(constant))
    }

    fn none(&mut self) -> ValueId {
        self.constant(Constant::None)
    }

    /// Looks into a container, which may hold itself.
    fn nested<T>(&mut self, look: impl FnOnce(&mut Self) -> Traced<T>) -> Traced<T> {
        if self.call_stack.nesting >= MOST_NESTED {
            return Err(Reason::new(Kind::TooDeep, "A container within itself, or within many others."));
        }
        self.call_stack.nesting += 1;
        let found = look(self);
        self.call_stack.nesting -= 1;
        found
    }

    /// A value for something that changes.
    fn state(&mut self, state: State) -> ValueId {
        let state = self.heap.push(state, None);
        self.value(Value::State(state))
    }

    /// How a value is read from the running program, if it can be.
    fn source(&self, value: ValueId) -> Option<SourceId> {
        self.objects.source_of[value].expand()
    }
}

fn line_of(frame: &Frame) -> (String, i32, String) {
    let object = &frame.code.object;
    (object.filename.clone(), frame.line(), object.name.clone())
}
