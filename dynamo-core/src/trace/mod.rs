//! The symbolic interpreter: runs a function's bytecode on tracked values, and writes what it does with tensors into a
//! graph, what it assumed into guards, and what it changed into effects.
//!
//! - `value`: what is tracked; `frame`: where it is;
//! - `step`: one instruction; `call`, `attr`, `ops`, `items`: what instructions do, by the kind of value;
//! - `graph`: what goes into the graph, and what is known of it;
//! - `wrap`: objects of the running program, tracked and guarded when they are first used;
//! - `aliasing`: which objects have to stay two;
//! - `numbers`, `number_guards`: arithmetic on symbolic integers, floats and bools;
//! - `objects`: the program's objects, classes and modules; `dicts`: what is guarded of dicts; `key_views`: operators
//!   on their keys; `tensor_keys`: tensors as keys;
//! - `signature`: how calls of functions without bytecode bind arguments; `python`, `torch`: what those functions do, a
//!   row each;
//! - `generators`: what is sent to them and thrown into them; `exception_chain`: causes and contexts; `gradients`:
//!   `Tensor.grad`; `numpy`: NumPy's arrays and functions;
//! - `context`, `grad`, `inference`, `autocast`, `devices`, `exceptions`, `unwinding`, `patterns`: what `with`, `try`
//!   and `match` need; `may_raise`: what may raise when the graph runs;
//! - `output`: the code that runs in the function's place; `follow`: the log of a trace.
//!
//! **Speculation.** Before each instruction of the traced function a `Checkpoint` is taken: lengths and copies of a few
//! small vectors. An instruction that cannot be traced, however deep in calls that it inlines, gives a `Reason`;
//! everything since the checkpoint is dropped, and the graph ends before that instruction. Nothing is traced twice.
//!
//! Invariant: no step runs the user's code or changes an object of the running program.

mod aliasing;
mod attr;
mod autocast;
mod call;
mod context;
mod devices;
mod dicts;
mod exception_chain;
mod exceptions;
mod follow;
mod frame;
mod generators;
mod grad;
mod gradients;
mod graph;
mod inference;
mod items;
mod key_views;
mod may_raise;
mod number_guards;
mod numbers;
mod numpy;
mod objects;
mod ops;
mod output;
mod patterns;
mod python;
mod signature;
mod step;
mod tensor_keys;
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
use cranelift_entity::{PrimaryMap, SecondaryMap, packed_option::PackedOption};
use frame::{Frame, Globals};
use fx::{Graph, NodeId};
use guards::{Constant, Guard, GuardKind, SourceId, Sources};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use step::Next;
use symshapes::{Device, EnvOptions, Expr, ShapeEnv};
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

/// The frames on the way to a place: file, line and function of each, and what it spans there.
type Way = (Vec<(String, i32, String)>, Vec<Option<Span>>);

/// An input of the graph.
#[derive(Clone, Copy, Debug)]
struct Input {
    node: NodeId,
    source: SourceId,
    /// True for a float of the caller's, which the graph takes as a tensor without dimensions.
    is_float: bool,
}

/// The interpreter's whole state.
struct Tracer<'h> {
    host: &'h mut dyn Host,
    options: &'h Options,
    graph: Graph,
    /// The same graph in ATen overloads.
    lowered: graph::Lowered,
    env: ShapeEnv,
    hints: Vec<(SourceId, i64)>,
    /// The first size of each group of dimensions that `mark_unbacked` names.
    groups: FxHashMap<Arc<str>, Expr>,
    sources: Sources,
    guards: Vec<Guard>,
    values: PrimaryMap<ValueId, Value>,
    source_of: SecondaryMap<ValueId, PackedOption<SourceId>>,
    heap: Heap,
    /// What lazy values turned out to be, and the objects whose values are known; both with the order of their coming.
    forced: FxHashMap<ValueId, ValueId>,
    forced_log: Vec<ValueId>,
    known: FxHashMap<Obj, ValueId>,
    known_log: Vec<Obj>,
    /// What was looked at, perhaps in vain, of which two may share what they hold: the dicts of functions' global
    /// variables, other dicts, objects and modules.
    scopes: Vec<Obj>,
    dicts: FxHashSet<Obj>,
    /// The dicts in which those objects and modules keep their attributes.
    held: FxHashSet<Obj>,
    /// What the program has asked of dicts of the caller's.
    asked: dicts::Asked,
    /// Cells of the caller's, and where each was found.
    cells: Vec<(Obj, SourceId)>,
    /// The objects of the caller's that are keys.
    keyed: Vec<SourceId>,
    /// The tensors that are keys of the caller's dicts, and where.
    tensor_keys: Vec<(Obj, SourceId)>,
    /// What objects of the caller's hold whose classes come from dict or list.
    bases: FxHashMap<Obj, ValueId>,
    /// Where such objects are, and the class of Python's own whose `__getitem__` reads their items.
    raw_items: FxHashMap<SourceId, &'static str>,
    /// The objects of frozen sets: the values know no order.
    frozen: FxHashMap<ValueId, Obj>,
    /// The nodes that give a tensor's sizes all at once.
    sizes: FxHashMap<ValueId, NodeId>,
    /// The nodes that have the name of a variable.
    named: SecondaryMap<NodeId, bool>,
    /// The names that such nodes had before.
    renamed: Vec<(NodeId, String)>,
    /// The calls that have no rule: torch was asked what they give.
    without_rule: Vec<NodeId>,
    /// The sources of the graph's inputs.
    inputs: Vec<Input>,
    /// Nodes that give the tensor that an earlier one gives, and that one.
    same: Vec<(NodeId, NodeId)>,
    /// The inputs that are parameters of modules.
    parameters: Vec<NodeId>,
    /// The attributes that the program has written.
    slots: Vec<(Obj, String, value::StateId)>,
    /// The lines of the frames, the traced function's first.
    lines: Vec<(String, i32, String)>,
    /// What the frames' instructions span in their lines.
    spans: Vec<Option<Span>>,
    /// The library's function that is being called, if torch's Dynamo would trace it.
    within: Option<&'static str>,
    origins: Origins,
    /// The frames' place when the last instruction failed.
    failed_at: Option<Way>,
    steps: usize,
    followed: Vec<Followed>,
    /// Whether autograd records.
    grad: bool,
    /// Which devices choose element types on their own.
    autocast: autocast::State,
    /// The managers of that which were entered and not left.
    entered: Vec<autocast::Entered>,
    /// Whether tensors are made that can never record gradients.
    inference: bool,
    /// The managers of that which were entered and not left.
    inferring: Vec<inference::Entered>,
    /// Where tensors are made of which the program does not say it.
    device: Option<Device>,
    /// How deep within containers something is looked for.
    nesting: usize,
    /// The exception on its way to a handler.
    raising: Option<ValueId>,
    /// The exception that is being handled.
    handled: Option<ValueId>,
    /// The exceptions that were raised, and so have a history that no code gives them again.
    raised: Vec<ValueId>,
    /// What they are chained to.
    chain: Vec<exception_chain::Link>,
    /// Whether a handler sees what the current instruction raises.
    watched: bool,
    /// Whether numbers of the caller's are taken for constants, however often they have changed.
    specialises: bool,
    /// What the graph leaves behind.
    effects: may_raise::GraphEffects,
}

/// A point to return to.
struct Checkpoint {
    frame: Frame,
    nodes: usize,
    guards: usize,
    heap: usize,
    forced: usize,
    known: usize,
    asked: dicts::AskedCheckpoint,
    inputs: usize,
    grad: bool,
    autocast: autocast::State,
    entered: Vec<autocast::Entered>,
    inference: bool,
    inferring: Vec<inference::Entered>,
    device: Option<Device>,
    handled: Option<ValueId>,
    raised: usize,
    chain: usize,
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
            grad: host.grad_enabled(),
            autocast: host.autocast(),
            entered: Vec::new(),
            inference: host.inference_mode(),
            inferring: Vec::new(),
            device: host.default_device(),
            host,
            options,
            graph: Graph::new(),
            lowered: graph::Lowered::default(),
            env: ShapeEnv::new(EnvOptions::default()),
            hints: Vec::new(),
            groups: FxHashMap::default(),
            sources: Sources::default(),
            guards: Vec::new(),
            values: PrimaryMap::new(),
            source_of: SecondaryMap::new(),
            heap: Heap::default(),
            forced: FxHashMap::default(),
            forced_log: Vec::new(),
            known: FxHashMap::default(),
            known_log: Vec::new(),
            scopes: Vec::new(),
            dicts: FxHashSet::default(),
            held: FxHashSet::default(),
            asked: dicts::Asked::default(),
            cells: Vec::new(),
            keyed: Vec::new(),
            tensor_keys: Vec::new(),
            bases: FxHashMap::default(),
            raw_items: FxHashMap::default(),
            frozen: FxHashMap::default(),
            sizes: FxHashMap::default(),
            named: SecondaryMap::new(),
            renamed: Vec::new(),
            without_rule: Vec::new(),
            inputs: Vec::new(),
            same: Vec::new(),
            parameters: Vec::new(),
            slots: Vec::new(),
            lines: Vec::new(),
            spans: Vec::new(),
            within: None,
            origins: SecondaryMap::new(),
            failed_at: None,
            steps: 0,
            followed: Vec::new(),
            nesting: 0,
            raising: None,
            handled: None,
            raised: Vec::new(),
            chain: Vec::new(),
            watched: false,
            specialises: false,
            effects: may_raise::GraphEffects::default(),
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
        self.scopes.push(view.globals);
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
        self.known.insert(cell, value);
        let function = self.sources.function();
        let source = self.sources.closure_cell(function, index);
        self.cells.push((cell, source));
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
            let checkpoint = self.checkpoint(&frame);
            let at = frame.at;
            self.lines = vec![line_of(&frame)];
            self.spans = vec![frame.span()];
            let reason = match self.step(&mut frame) {
                Ok(Next::Go) => {
                    let exception_waits = frame.stack.last().is_some_and(|top| self.raised.contains(top));
                    if self.handled.is_none() && !exception_waits {
                        raised_at = None;
                    }
                    continue;
                }
                Ok(Next::Yield(_)) => Reason::new(Kind::Opcode, "A function yields."),
                Ok(Next::Return(_)) if self.unfinished().is_some() => return Err(self.refuse(&checkpoint)),
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
                    stack: self.lines,
                    spans: self.spans,
                });
            }
            return match raised_at {
                Some(raised_at) => self.end(raised_at, reason.within_handler()),
                None => self.end(checkpoint, reason),
            };
        }
    }

    /// Why the function runs as it is, though it was traced to its end.
    fn refuse(self, at: &Checkpoint) -> Break {
        let reason = self.unfinished().unwrap_or_else(|| Reason::new(Kind::Iteration, "A generator is left."));
        Break { reason, line: at.frame.line(), opcode: None, stack: self.lines, spans: self.spans }
    }

    /// True once the trace has grown too long.
    fn is_exhausted(&self) -> bool {
        self.steps > self.options.steps || self.heap.is_overworked()
    }

    /// Ends the graph before the instruction that failed.
    fn end(mut self, checkpoint: Checkpoint, reason: Reason) -> Result<Capture, Break> {
        let (stack, spans) = self.failed_at.take().unwrap_or_else(|| (self.lines.clone(), self.spans.clone()));
        let opcode = checkpoint.frame.data().map(|data| data.op);
        let ended = Break { reason, line: checkpoint.frame.line(), opcode, stack, spans };
        let frame = self.rollback(checkpoint);
        if let Some(why) = self.unfinished() {
            return Err(Break { reason: why, ..ended });
        }
        match output::broken(&mut self, &frame) {
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
        self.guard_tensor_keys();
        if let (Some(&first), true) = (self.keyed.first(), self.keyed.len() > 1) {
            let keyed = std::mem::take(&mut self.keyed);
            self.guard(first, GuardKind::NoTensorAliasing(keyed));
        }
        let sets_mode = self.graph.nodes().any(|node| context::sets_mode(&self.graph[node].target));
        // Metadata is over the environment's expressions.
        self.graph.exprs = self.env.pool().clone();
        self.lowered.graph.exprs = self.env.pool().clone();
        Capture {
            computes: self.graph_is_needed(),
            asked: self.graph.nodes().filter(|node| self.without_rule.contains(node)).collect(),
            sets_mode,
            fallible: self.fallible(),
            lowered: self.lowered.is_whole().then_some(self.lowered.graph),
            graph: self.graph,
            inputs: self.inputs.into_iter().map(|input| input.source).collect(),
            sources: self.sources,
            guards: self.guards,
            env: self.env,
            hints: self.hints,
            code,
            opaque,
            ended,
            followed: self.followed,
            origins: self.origins,
            renamed: self.renamed,
        }
    }

    fn checkpoint(&self, frame: &Frame) -> Checkpoint {
        Checkpoint {
            frame: frame.clone(),
            nodes: self.graph.capacity(),
            guards: self.guards.len(),
            heap: self.heap.checkpoint(),
            forced: self.forced_log.len(),
            known: self.known_log.len(),
            asked: self.asked.checkpoint(),
            inputs: self.inputs.len(),
            grad: self.grad,
            autocast: self.autocast.clone(),
            entered: self.entered.clone(),
            inference: self.inference,
            inferring: self.inferring.clone(),
            device: self.device,
            handled: self.handled,
            raised: self.raised.len(),
            chain: self.chain.len(),
        }
    }

    /// Drops everything since the checkpoint. What the environment has learned of sizes stays: at worst it is a guard
    /// too many.
    fn rollback(&mut self, checkpoint: Checkpoint) -> Frame {
        self.graph.retain(|node| node.as_u32() < u32::try_from(checkpoint.nodes).unwrap_or(u32::MAX));
        self.lowered.rollback(checkpoint.nodes);
        self.guards.truncate(checkpoint.guards);
        self.heap.undo(checkpoint.heap);
        for lazy in self.forced_log.drain(checkpoint.forced..) {
            self.forced.remove(&lazy);
        }
        for obj in self.known_log.drain(checkpoint.known..) {
            self.known.remove(&obj);
        }
        self.heap.take_read();
        self.asked.undo(checkpoint.asked);
        self.inputs.truncate(checkpoint.inputs);
        self.without_rule.retain(|node| (node.as_u32() as usize) < checkpoint.nodes);
        self.same.retain(|(node, _)| (node.as_u32() as usize) < checkpoint.nodes);
        self.grad = checkpoint.grad;
        self.autocast = checkpoint.autocast;
        self.entered = checkpoint.entered;
        self.inference = checkpoint.inference;
        self.inferring = checkpoint.inferring;
        self.device = checkpoint.device;
        self.handled = checkpoint.handled;
        self.raising = None;
        self.raised.truncate(checkpoint.raised);
        self.chain.truncate(checkpoint.chain);
        checkpoint.frame
    }

    /// Adds a value that the program made.
    fn value(&mut self, value: Value) -> ValueId {
        self.values.push(value)
    }

    /// Adds a value that can be read from the running program.
    fn sourced(&mut self, value: Value, source: SourceId) -> ValueId {
        let id = self.values.push(value);
        self.source_of[id] = source.into();
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
        if self.nesting >= MOST_NESTED {
            return Err(Reason::new(Kind::TooDeep, "A container within itself, or within many others."));
        }
        self.nesting += 1;
        let found = look(self);
        self.nesting -= 1;
        found
    }

    /// A value for something that changes.
    fn state(&mut self, state: State) -> ValueId {
        let state = self.heap.push(state, None);
        self.value(Value::State(state))
    }

    /// How a value is read from the running program, if it can be.
    fn source(&self, value: ValueId) -> Option<SourceId> {
        self.source_of[value].expand()
    }
}

fn line_of(frame: &Frame) -> (String, i32, String) {
    let object = &frame.code.object;
    (object.filename.clone(), frame.line(), object.name.clone())
}
