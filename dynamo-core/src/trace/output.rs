//! The code that runs in the traced function's place.
//!
//! Its prologue calls the compiled graph, replays what the trace changed, and then either returns, or puts the frame
//! together as it was before the instruction that ended the graph and jumps there. What follows is the original code,
//! cut at that instruction's successors, where the rest goes on in functions of its own: so the instruction itself runs
//! with its handlers, and the rest is traced when it is called.
//!
//! Invariants: every value is built once, so that identical objects stay identical; arguments are read before any slot
//! is overwritten; effects come after the graph and before everything else that can be seen.

use super::{
    Traced, Tracer,
    context::{Class, Context, SET_GRAD},
    frame::Frame,
    value::{Function, Iter, State, StateId, Value, ValueId},
};
use crate::{
    bytecode::{
        Body, Builder, CodeObject, Const, Inst, Liveness, LocalId, Op, Operand, Span, Splitter, Version,
        code::flags,
        flow::{ControlFlow, landing},
        renumber::renumber_locals,
        super_calls::is_bare_super_call,
        unreachable::{remove_idle_jumps, remove_unreachable},
    },
    host::Obj,
    reason::{Kind, Reason},
};
use cranelift_entity::EntityRef;
use fx::NodeId;
use guards::{Constant, Key, Root, Source, SourceId, Step, StrId};
use rustc_hash::FxHashMap;

/// What a constant of the new code is that only the caller can supply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opaque {
    /// The compiled graph, which takes the inputs and gives a tuple.
    Graph,
    /// An object of the running program.
    Object(Obj),
    /// A builtin or a function of the standard library, by its dotted name.
    Named(String),
    /// A dtype or device.
    Constant(Constant),
}

/// Opaque constants of the new code have numbers from here on; those below are the original code's.
pub const OPAQUE_BASE: u32 = 1 << 16;

/// The code that returns a value.
pub(super) fn returned(t: &mut Tracer<'_>, frame: &Frame, value: ValueId) -> Traced<(CodeObject, Vec<Opaque>)> {
    let mut out = Output::new(t, frame);
    out.plan(&[value])?;
    out.begin()?;
    out.effects()?;
    out.push(value)?;
    out.set_grad(&[])?;
    out.builder.return_value();
    out.finish_whole()
}

/// The code that runs the frame's next instruction, and calls what comes after it.
pub(super) fn broken(t: &mut Tracer<'_>, frame: &Frame) -> Traced<(CodeObject, Vec<Opaque>)> {
    let at = frame.inst().ok_or_else(|| construct("the end of the code"))?;
    let frame = &before_call(frame);
    let entry = frame.inst().ok_or_else(|| construct("the end of the code"))?;
    let live = live(frame, entry)?;
    let mut out = Output::new(t, frame);
    let mut wanted: Vec<ValueId> = frame.stack.clone();
    wanted.extend(live.iter().filter_map(|&(_, value)| value));
    out.plan(&wanted)?;
    out.begin()?;
    out.effects()?;
    out.restore(frame, &live)?;
    out.finish_split(entry, at)
}

/// The new code in the making.
struct Output<'t, 'h> {
    t: &'t mut Tracer<'h>,
    /// Over the original's body; what is appended comes to stand in front of it.
    builder: Builder,
    /// How many instructions the original has.
    tail: usize,
    original: CodeObject,
    /// Locals that the new code has beside the original's.
    extra: Vec<String>,
    opaque: Vec<Opaque>,
    /// Where an argument lies whose slot becomes a cell.
    kept: FxHashMap<String, LocalId>,
    /// Where values lie that were built.
    built: FxHashMap<ValueId, LocalId>,
    states: FxHashMap<StateId, LocalId>,
    /// The graph's results that are wanted, and their places in its tuple.
    results: Vec<NodeId>,
    result_tuple: Option<LocalId>,
    /// The cells of the traced frame, by their state.
    frame_cells: FxHashMap<StateId, LocalId>,
    made_cells: Vec<StateId>,
    /// The values that are read where the trace found them.
    sourced: Vec<ValueId>,
}

/// The locals that are read from an instruction on, with their values; none for those that have none.
fn live(frame: &Frame, at: Inst) -> Traced<Vec<(LocalId, Option<ValueId>)>> {
    let flow = ControlFlow::new(frame.body()).map_err(|error| construct(&error.to_string()))?;
    let live = Liveness::new(&frame.code.object, frame.body(), &flow);
    Ok(live.before(at).iter().map(|id| (id, frame.locals.get(id.index()).copied().flatten())).collect())
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

fn construct(what: &str) -> Reason {
    Reason::new(Kind::Construct, format!("It is {what}."))
}

impl<'t, 'h> Output<'t, 'h> {
    fn new(t: &'t mut Tracer<'h>, frame: &Frame) -> Output<'t, 'h> {
        let original = replacement(&frame.code.object);
        let mut frame_cells = FxHashMap::default();
        for (slot, value) in frame.locals.iter().enumerate() {
            let state = value.and_then(|value| match t.values[value] {
                Value::State(state) => Some(state),
                _ => None,
            });
            if let Some(state) = state.filter(|&state| matches!(t.heap.get(state), State::Cell(_))) {
                frame_cells.insert(state, LocalId::new(slot));
            }
        }
        let mut builder = Builder::over(original.clone(), frame.body().clone());
        // A frame always has a line, also where an exception of the graph passes through it.
        builder.set_span(Some(Span::line(frame.line())));
        Output {
            tail: frame.body().order().len(),
            builder,
            t,
            original,
            extra: Vec::new(),
            opaque: Vec::new(),
            kept: FxHashMap::default(),
            built: FxHashMap::default(),
            states: FxHashMap::default(),
            results: Vec::new(),
            result_tuple: None,
            frame_cells,
            made_cells: Vec::new(),
            sourced: Vec::new(),
        }
    }

    /// A local of the new code alone. Its number counts after all of the original's; [`Output::settle`] moves it.
    fn fresh(&mut self, name: &str) -> LocalId {
        self.extra.push(format!("___{name}{}", self.extra.len()));
        LocalId::new(self.original.local_count() + self.extra.len() - 1)
    }

    /// Finds which of the graph's results are needed, ends the graph with them, and drops what nothing needs.
    fn plan(&mut self, wanted: &[ValueId]) -> Traced<()> {
        let mut seen = Vec::new();
        let mut open: Vec<ValueId> = wanted.to_vec();
        for state in self.t.heap.changed() {
            open.extend(self.parts_of_state(state));
            if let State::Slot { object, .. } = self.t.heap.get(state) {
                open.extend(*object);
            }
        }
        while let Some(value) = open.pop() {
            let value = self.t.forced.get(&value).copied().unwrap_or(value);
            if seen.contains(&value) {
                continue;
            }
            seen.push(value);
            match self.t.values[value].clone() {
                Value::Tensor(node) | Value::SymInt { node, .. }
                    if self.t.source(value).is_none() && !self.results.contains(&node) =>
                {
                    self.results.push(node);
                }
                Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => open.extend(items),
                Value::Slice(parts) => open.extend(parts),
                Value::State(state) => open.extend(self.parts_of_state(state)),
                Value::DictView(dict, _) => open.push(dict),
                Value::Method { function, this } => open.extend([function, this]),
                Value::BoundBuiltin { this, .. } => open.push(this),
                Value::Exception { args: Some(args), .. } => open.extend(args),
                Value::Partial(function, args, keywords) => {
                    open.push(function);
                    open.extend(args);
                    open.extend(keywords.into_iter().map(|(_, value)| value));
                }
                Value::Function(function) => {
                    open.extend(function.defaults.iter().chain(&function.closure));
                    open.extend(function.kwdefaults.iter().map(|&(_, value)| value));
                }
                _ => {}
            }
        }
        self.results.sort_unstable();
        self.t.end_graph(&self.results);
        self.sourced = seen.into_iter().filter(|&value| self.is_read(value)).collect();
        Ok(())
    }

    /// True if the value is read where the trace found it.
    fn is_read(&self, value: ValueId) -> bool {
        self.t.source(value).is_some() && !matches!(self.t.values[value], Value::Const(_))
    }

    fn parts_of_state(&self, state: StateId) -> Vec<ValueId> {
        match self.t.heap.get(state) {
            State::List(items) => items.clone(),
            State::Dict(items) => items.values().flat_map(|&(key, value)| [key, value]).collect(),
            State::Set(items) => items.values().copied().collect(),
            State::Cell(content) => content.iter().copied().collect(),
            State::Slot { value, .. } => value.iter().copied().collect(),
            State::Iter(iter) => {
                let states = |states: &[StateId]| states.iter().flat_map(|&s| self.parts_of_state(s)).collect();
                match iter {
                    Iter::Items(items, at) => items.get(*at..).unwrap_or(&[]).to_vec(),
                    Iter::Dict(dict, ..) => vec![*dict],
                    Iter::List(list, _) => self.parts_of_state(*list),
                    Iter::Enumerate(inner, _) => states(&[*inner]),
                    Iter::Zip(inners) => states(inners),
                    Iter::Map(function, inners) => {
                        let mut parts: Vec<ValueId> = states(inners);
                        parts.push(*function);
                        parts
                    }
                    Iter::Filter(function, inner) => {
                        let mut parts: Vec<ValueId> = states(&[*inner]);
                        parts.push(*function);
                        parts
                    }
                    Iter::Range(_) | Iter::Generator(_) | Iter::Running | Iter::Done => Vec::new(),
                }
            }
        }
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
        if !self.t.graph_is_needed() {
            return Ok(());
        }
        let inputs: Vec<SourceId> = self.t.inputs.iter().map(|&(_, source)| source).collect();
        let callee = self.constant(Opaque::Graph);
        self.builder.callee(|builder| builder.load_const(callee));
        for &source in &inputs {
            self.load_source(source)?;
        }
        self.builder.call(inputs.len() as u32);
        let tuple = self.fresh("results");
        self.builder.store_local(tuple);
        self.result_tuple = Some(tuple);
        Ok(())
    }

    fn constant(&mut self, opaque: Opaque) -> Const {
        let at = self.opaque.iter().position(|known| *known == opaque).unwrap_or_else(|| {
            self.opaque.push(opaque);
            self.opaque.len() - 1
        });
        Const::Opaque(OPAQUE_BASE + at as u32)
    }

    fn load_named(&mut self, name: &str) {
        let constant = self.constant(Opaque::Named(name.to_owned()));
        self.builder.load_const(constant);
    }

    fn text(&self, id: StrId) -> String {
        self.t.sources.strings().get(id).map(ToString::to_string).unwrap_or_default()
    }

    /// Pushes what is at a source.
    fn load_source(&mut self, source: SourceId) -> Traced<()> {
        let root_or_step = self.t.sources.get(source).ok_or_else(|| construct("a value without a source"))?;
        match root_or_step {
            Source::Root(Root::Local(id)) => {
                let name = self.text(id);
                match self.kept.get(&name) {
                    Some(&kept) => self.builder.load_local(kept),
                    None => {
                        let slot = self.original.varnames.iter().position(|var| *var == name);
                        let slot = slot.ok_or_else(|| construct("a local that is not there"))?;
                        self.builder.load_local(LocalId::new(slot));
                    }
                }
            }
            Source::Root(Root::Cell(id)) => {
                let name = self.text(id);
                let slot = self.original.local_names().position(|local| local == name);
                self.builder.load_deref(LocalId::new(slot.ok_or_else(|| construct("a variable that is not there"))?));
            }
            Source::Root(Root::Global(id)) => {
                let name = self.text(id);
                self.builder.load_global(&name);
            }
            Source::Step { base, step } => {
                self.load_source(base)?;
                self.load_step(source, step)?;
            }
            Source::Root(Root::Module(id)) => {
                let name = self.text(id);
                let modules = self.constant(Opaque::Named("sys.modules".to_owned()));
                self.builder.load_const(modules);
                self.builder.load_const(Const::Str(name));
                self.builder.subscript();
            }
            Source::Root(_) => return Err(construct("a value that exists only while tracing")),
        }
        Ok(())
    }

    fn load_step(&mut self, source: SourceId, step: Step) -> Traced<()> {
        match step {
            Step::Attr(id) => {
                let name = self.text(id);
                self.builder.load_attr(&name);
            }
            Step::Item(key) => {
                match key {
                    Key::Int(int) => self.builder.load_const(Const::Int(int)),
                    Key::Str(id) => {
                        let name = self.text(id);
                        self.builder.load_const(Const::Str(name));
                    }
                    Key::Constant(id) => {
                        let constant = self.t.sources.constants().get(id).cloned();
                        self.load_constant(&constant.ok_or_else(|| construct("an unknown constant"))?)?;
                    }
                    Key::Object(_) => return Err(construct("an item by an object")),
                }
                self.builder.subscript();
            }
            Step::Closure(index) | Step::Defaults(index) => {
                let closure = matches!(step, Step::Closure(_));
                self.builder.load_attr(if closure { "__closure__" } else { "__defaults__" });
                self.builder.load_const(Const::Int(i64::from(index)));
                self.builder.subscript();
                if closure {
                    self.builder.load_attr("cell_contents");
                }
            }
            Step::KwDefaults(id) => {
                let name = self.text(id);
                self.builder.load_attr("__kwdefaults__");
                self.builder.load_const(Const::Str(name));
                self.builder.subscript();
            }
            _ => return Err(construct(&format!("`{}`", self.t.sources.display(source)))),
        }
        Ok(())
    }

    fn load_constant(&mut self, constant: &Constant) -> Traced<()> {
        let plain = match constant {
            Constant::None => Const::None,
            Constant::Ellipsis => Const::Ellipsis,
            Constant::Bool(value) => Const::Bool(*value),
            Constant::Int(value) => Const::Int(*value),
            Constant::BigInt(digits) => Const::BigInt(digits.clone()),
            Constant::Float(bits) => Const::Float(f64::from_bits(*bits)),
            Constant::Complex(re, im) => Const::Complex(f64::from_bits(*re), f64::from_bits(*im)),
            Constant::Str(text) => Const::Str(text.clone()),
            Constant::Bytes(bytes) => Const::Bytes(bytes.clone()),
            Constant::DType(_) | Constant::Device(_) | Constant::FrozenSet(_) => {
                self.constant(Opaque::Constant(constant.clone()))
            }
            Constant::Tuple(items) => {
                for item in items {
                    self.load_constant(item)?;
                }
                self.builder.build_tuple(items.len() as u32);
                return Ok(());
            }
            Constant::Slice(_) => return Err(construct("a slice")),
        };
        self.builder.load_const(plain);
        Ok(())
    }

    /// Pushes a value.
    fn push(&mut self, value: ValueId) -> Traced<()> {
        let forced = self.t.forced.get(&value).copied();
        if let Some(&local) = self.built.get(&forced.unwrap_or(value)) {
            self.builder.load_local(local);
            return Ok(());
        }
        let value = forced.unwrap_or(value);
        if let Some(source) = self.t.source(value).filter(|_| self.is_read(value)) {
            return self.load_source(source);
        }
        match self.t.values[value].clone() {
            Value::Null => self.builder.push_null(),
            Value::Const(constant) => self.load_constant(&constant)?,
            Value::Tensor(node) | Value::SymInt { node, .. } => self.load_result(node)?,
            Value::Lazy(_) if self.t.source(value).is_none() => {
                // What nobody has looked at is a constant, or cannot be reached.
                let forced = self.t.force(value)?;
                if !matches!(self.t.values[forced], Value::Const(_)) {
                    return Err(construct("an object that cannot be reached"));
                }
                self.push(forced)?;
            }
            Value::Lazy(_) | Value::Object(..) => return Err(construct("an object that cannot be reached")),
            Value::Module(_, obj) | Value::Class(_, obj) => {
                let constant = self.constant(Opaque::Object(obj));
                self.builder.load_const(constant);
            }
            Value::Tuple(items) => {
                self.push_all(&items)?;
                self.builder.build_tuple(items.len() as u32);
                self.keep(value);
            }
            Value::Size(items) => {
                let class = self.constant(Opaque::Named("torch.Size".to_owned()));
                self.builder.callee(|builder| builder.load_const(class));
                self.push_all(&items)?;
                self.builder.build_tuple(items.len() as u32);
                self.builder.call(1);
                self.keep(value);
            }
            Value::Record(obj, class, items) => {
                let class_of = self.constant(Opaque::Object(obj));
                if class.of_sequence {
                    self.builder.callee(|builder| builder.load_const(class_of));
                } else {
                    let new = self.constant(Opaque::Named("builtins.tuple.__new__".to_owned()));
                    self.builder.callee(|builder| builder.load_const(new));
                    self.builder.load_const(class_of);
                }
                self.push_all(&items)?;
                self.builder.build_tuple(items.len() as u32);
                self.builder.call(if class.of_sequence { 1 } else { 2 });
                self.keep(value);
            }
            Value::Partial(function, args, keywords) => {
                self.push_partial(function, &args, &keywords)?;
                self.keep(value);
            }
            Value::Exception { class, args: Some(args), .. } if !self.t.raised.contains(&value) => {
                let class = self.constant(Opaque::Object(class));
                self.builder.callee(|builder| builder.load_const(class));
                self.push_all(&args)?;
                self.builder.call(args.len() as u32);
                self.keep(value);
            }
            Value::Exception { .. } => return Err(construct("an exception that was raised")),
            Value::Context(context) => self.push_context(context)?,
            Value::Exit(context) => {
                self.push_context(context)?;
                self.builder.copy(1);
                self.builder.load_method("__enter__");
                self.builder.call(0);
                self.builder.pop();
                self.builder.load_attr("__exit__");
            }
            Value::Slice(parts) => {
                self.push_all(&parts)?;
                self.builder.emit(Op::BuildSlice, 3);
            }
            Value::Range(bounds) => self.call_named("builtins.range", bounds.len(), |out| {
                bounds.iter().for_each(|&bound| out.builder.load_const(Const::Int(bound)));
                Ok(())
            })?,
            Value::State(state) => self.push_state(state)?,
            Value::DictView(dict, part) => {
                self.push(dict)?;
                self.builder.load_method(part);
                self.builder.call(0);
                self.keep(value);
            }
            Value::Function(function) => {
                self.push_function(&function)?;
                self.keep(value);
            }
            Value::Method { function, this } => {
                self.call_named("types.MethodType", 2, |out| out.push_all(&[function, this]))?;
            }
            Value::Builtin(name) => self.load_named(&name),
            Value::BoundBuiltin { this, name } => {
                self.push(this)?;
                self.builder.load_attr(&name);
            }
            Value::Code(_) => return Err(construct("a code object")),
        }
        Ok(())
    }

    fn push_all(&mut self, values: &[ValueId]) -> Traced<()> {
        values.iter().try_for_each(|&value| self.push(value))
    }

    /// Remembers the top of the stack as the value, and leaves it there.
    fn keep(&mut self, value: ValueId) {
        let local = self.fresh("value");
        self.builder.copy(1);
        self.builder.store_local(local);
        self.built.insert(value, local);
    }

    /// Pushes what a function of the standard library gives for `count` arguments.
    fn call_named(&mut self, name: &str, count: usize, args: impl FnOnce(&mut Self) -> Traced<()>) -> Traced<()> {
        let callee = self.constant(Opaque::Named(name.to_owned()));
        self.builder.callee(|builder| builder.load_const(callee));
        args(self)?;
        self.builder.call(count as u32);
        Ok(())
    }

    fn load_result(&mut self, node: NodeId) -> Traced<()> {
        let at = self.results.iter().position(|&result| result == node);
        let (Some(at), Some(tuple)) = (at, self.result_tuple) else {
            return Err(construct("a tensor that the graph does not give"));
        };
        self.builder.load_local(tuple);
        self.builder.load_const(Const::Int(at as i64));
        self.builder.subscript();
        Ok(())
    }

    /// Pushes something that can change, as it is now; a second time, the same object.
    fn push_state(&mut self, state: StateId) -> Traced<()> {
        if let Some(&local) = self.states.get(&state) {
            self.builder.load_local(local);
            return Ok(());
        }
        if let State::Cell(_) = self.t.heap.get(state) {
            return self.push_cell(state);
        }
        if self.t.heap.row(state).origin.is_some() {
            return self.push_origin(state);
        }
        match self.t.heap.get(state).clone() {
            State::List(items) => {
                self.new_state(state, |builder| builder.build_list(0));
                if !items.is_empty() {
                    self.push_all(&items)?;
                    self.builder.build_list(items.len() as u32);
                    self.builder.emit(Op::ListExtend, 1);
                }
            }
            State::Dict(items) => {
                self.new_state(state, |builder| builder.build_map(0));
                for (key, value) in items.into_values() {
                    self.push_all(&[key, value])?;
                    self.builder.emit(Op::MapAdd, 1);
                }
            }
            State::Set(items) => {
                self.new_state(state, |builder| {
                    builder.emit(Op::BuildSet, 0);
                });
                for item in items.into_values() {
                    self.push(item)?;
                    self.builder.emit(Op::SetAdd, 1);
                }
            }
            State::Iter(iter) => {
                self.push_iterator(&iter)?;
                let local = self.fresh("iterator");
                self.builder.copy(1);
                self.builder.store_local(local);
                self.states.insert(state, local);
            }
            State::Cell(_) | State::Slot { .. } => return Err(construct("a cell")),
        }
        Ok(())
    }

    /// Makes an empty container that is known from now on, since it may hold itself.
    fn new_state(&mut self, state: StateId, make: impl FnOnce(&mut Builder)) {
        make(&mut self.builder);
        let local = self.fresh("container");
        self.builder.copy(1);
        self.builder.store_local(local);
        self.states.insert(state, local);
    }

    fn push_iterator(&mut self, iter: &Iter) -> Traced<()> {
        match iter {
            Iter::Items(items, at) => {
                let left = items.get(*at..).unwrap_or(&[]);
                self.push_all(left)?;
                self.builder.build_tuple(left.len() as u32);
                self.builder.emit(Op::GetIter, 0);
            }
            Iter::Dict(dict, part, items, at) => self.push_dict_iterator(*dict, part, items.len(), *at)?,
            Iter::List(list, at) => {
                self.push_state(*list)?;
                self.builder.emit(Op::GetIter, 0);
                self.builder.copy(1);
                self.builder.load_method("__setstate__");
                self.builder.load_const(Const::Int(*at as i64));
                self.builder.call(1);
                self.builder.pop();
            }
            Iter::Range(bounds) => {
                self.call_named("builtins.range", 3, |out| {
                    bounds.iter().for_each(|&bound| out.builder.load_const(Const::Int(bound)));
                    Ok(())
                })?;
                self.builder.emit(Op::GetIter, 0);
            }
            Iter::Enumerate(inner, count) => self.call_named("builtins.enumerate", 2, |out| {
                out.push_state(*inner)?;
                out.builder.load_const(Const::Int(*count));
                Ok(())
            })?,
            Iter::Zip(inners) => self.call_named("builtins.zip", inners.len(), |out| {
                inners.iter().try_for_each(|&inner| out.push_state(inner))
            })?,
            Iter::Map(function, inners) => self.call_named("builtins.map", inners.len() + 1, |out| {
                out.push(*function)?;
                inners.iter().try_for_each(|&inner| out.push_state(inner))
            })?,
            Iter::Filter(function, inner) => self.call_named("builtins.filter", 2, |out| {
                out.push(*function)?;
                out.push_state(*inner)
            })?,
            Iter::Generator(_) | Iter::Running => return Err(construct("a generator that has begun")),
            Iter::Done => {
                self.builder.build_tuple(0);
                self.builder.emit(Op::GetIter, 0);
            }
        }
        Ok(())
    }

    /// Pushes an iterator over a dict, as far along as it was.
    fn push_dict_iterator(&mut self, dict: ValueId, part: &str, len: usize, at: usize) -> Traced<()> {
        if super::containers::pairs(self.t, dict)?.len() != len || at > 64 {
            return Err(construct("an iterator over a dict"));
        }
        self.push(dict)?;
        self.builder.load_method(part);
        self.builder.call(0);
        self.builder.emit(Op::GetIter, 0);
        for _ in 0..at {
            self.builder.copy(1);
            self.builder.load_method("__next__");
            self.builder.call(0);
            self.builder.pop();
        }
        Ok(())
    }

    /// Pushes a cell: one of the traced frame, or a new one.
    fn push_cell(&mut self, state: StateId) -> Traced<()> {
        if let Some(&slot) = self.frame_cells.get(&state) {
            self.make_frame_cell(state, slot)?;
            self.builder.load_cell(slot);
            return Ok(());
        }
        let State::Cell(content) = self.t.heap.get(state).clone() else { return Err(construct("no cell")) };
        // Known before its content is built, which may lead back to it.
        self.call_named("types.CellType", 0, |_| Ok(()))?;
        let local = self.fresh("cell");
        self.builder.copy(1);
        self.builder.store_local(local);
        self.states.insert(state, local);
        if let Some(content) = content {
            self.push(content)?;
            self.builder.load_local(local);
            self.builder.store_attr("cell_contents");
        }
        Ok(())
    }

    /// Makes a cell of the traced frame in its slot, and fills it.
    fn make_frame_cell(&mut self, state: StateId, slot: LocalId) -> Traced<()> {
        let own = self.original.local_count() - self.original.freevars.len();
        if slot.index() >= own || self.made_cells.contains(&state) {
            return Ok(());
        }
        self.made_cells.push(state);
        let name = self.original.local_names().nth(slot.index()).map(str::to_owned);
        if name.is_some_and(|name| self.kept.contains_key(&name)) {
            self.builder.delete_local(slot);
        }
        self.builder.emit(Op::MakeCell, slot.as_u32());
        let State::Cell(Some(content)) = *self.t.heap.get(state) else { return Ok(()) };
        self.push(content)?;
        self.builder.store_deref(slot);
        Ok(())
    }

    /// Pushes a context manager of torch's; one that sets the mode when it is made, as it was before.
    fn push_context(&mut self, context: Context) -> Traced<()> {
        let arg = context.class == Class::Given;
        self.call_named(context.class.name(), usize::from(arg), |out| {
            if arg {
                out.builder.load_const(Const::Bool(context.inside));
            }
            Ok(())
        })
    }

    /// Pushes a new `functools.partial`.
    fn push_partial(&mut self, function: ValueId, args: &[ValueId], keywords: &[(String, ValueId)]) -> Traced<()> {
        let callee = self.constant(Opaque::Named("functools.partial".to_owned()));
        self.builder.callee(|builder| builder.load_const(callee));
        self.push(function)?;
        self.push_all(args)?;
        if keywords.is_empty() {
            self.builder.call(args.len() as u32 + 1);
            return Ok(());
        }
        self.builder.build_tuple(args.len() as u32 + 1);
        for (name, value) in keywords {
            self.builder.load_const(Const::Str(name.clone()));
            self.push(*value)?;
        }
        self.builder.build_map(keywords.len() as u32);
        self.builder.emit(Op::CallFunctionEx, 1);
        Ok(())
    }

    fn push_function(&mut self, function: &Function) -> Traced<()> {
        if function.annotated || function.code_obj.is_some() || function.globals.owner.is_some() {
            return Err(construct(&format!("the function `{}`", function.name)));
        }
        let mut cells = Vec::new();
        for &cell in &function.closure {
            self.push(cell)?;
            let local = self.fresh("closure");
            self.builder.store_local(local);
            cells.push(local);
        }
        self.builder.make_function(function.code.object.clone(), &cells);
        if !function.defaults.is_empty() {
            self.builder.copy(1);
            self.push_all(&function.defaults)?;
            self.builder.build_tuple(function.defaults.len() as u32);
            self.builder.swap(2);
            self.builder.store_attr("__defaults__");
        }
        if !function.kwdefaults.is_empty() {
            self.builder.copy(1);
            for (name, value) in &function.kwdefaults {
                self.builder.load_const(Const::Str(name.clone()));
                self.push(*value)?;
            }
            self.builder.build_map(function.kwdefaults.len() as u32);
            self.builder.swap(2);
            self.builder.store_attr("__kwdefaults__");
        }
        Ok(())
    }

    /// Replays what the trace changed in objects of the caller's, in the order of the first change.
    fn effects(&mut self) -> Traced<()> {
        let changed = self.t.heap.changed();
        if changed.is_empty() {
            return Ok(());
        }
        // What is read has to be read before it is overwritten.
        for value in std::mem::take(&mut self.sourced) {
            self.push(value)?;
            let local = self.fresh("read");
            self.builder.store_local(local);
            self.built.insert(value, local);
        }
        for state in changed {
            match self.t.heap.get(state).clone() {
                State::List(items) => {
                    self.push_all(&items)?;
                    self.builder.build_list(items.len() as u32);
                    self.push_origin(state)?;
                    self.builder.load_const(Const::None);
                    self.builder.load_const(Const::None);
                    self.builder.emit(Op::BuildSlice, 2);
                    self.builder.store_subscript();
                }
                State::Dict(items) => {
                    let pairs = items.len();
                    for (key, value) in items.into_values() {
                        self.push_all(&[key, value])?;
                    }
                    self.builder.build_map(pairs as u32);
                    let new = self.fresh("dict");
                    self.builder.store_local(new);
                    self.refill(state, new)?;
                }
                State::Slot { object, name, value: Some(value) } => {
                    self.push(value)?;
                    match object {
                        Some(object) => {
                            self.push(object)?;
                            self.builder.store_attr(&name);
                        }
                        None => self.builder.store_global(&name),
                    }
                }
                State::Cell(content) => self.change_cell(state, content)?,
                State::Set(items) => {
                    let items: Vec<ValueId> = items.into_values().collect();
                    self.push_all(&items)?;
                    self.builder.build_tuple(items.len() as u32);
                    let new = self.fresh("set");
                    self.builder.store_local(new);
                    self.refill(state, new)?;
                }
                State::Iter(_) => return Err(construct("an iterator of the caller's")),
                State::Slot { value: None, .. } => {}
            }
        }
        Ok(())
    }

    /// Gives a dict or set of the caller's what a local holds, and nothing else.
    fn refill(&mut self, state: StateId, new: LocalId) -> Traced<()> {
        self.push_origin(state)?;
        self.builder.load_method("clear");
        self.builder.call(0);
        self.builder.pop();
        self.push_origin(state)?;
        self.builder.load_method("update");
        self.builder.load_local(new);
        self.builder.call(1);
        self.builder.pop();
        Ok(())
    }

    /// Pushes the object of the caller's that has this state.
    fn push_origin(&mut self, state: StateId) -> Traced<()> {
        let known = self.t.heap.row(state).origin.and_then(|obj| self.t.known.get(&obj).copied());
        match known.filter(|&value| self.t.source(value).is_some()) {
            Some(value) => self.push(value),
            None => Err(construct("an object that cannot be reached")),
        }
    }

    fn change_cell(&mut self, state: StateId, content: Option<ValueId>) -> Traced<()> {
        let (Some(&slot), Some(content)) = (self.frame_cells.get(&state), content) else {
            return Err(construct("a variable of another function"));
        };
        self.push(content)?;
        self.builder.store_deref(slot);
        Ok(())
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
        self.set_grad(&frame.stack)?;
        for &(slot, _) in plain.filter(|(slot, value)| value.is_none() && slot.as_u32() < self.original.argcount) {
            self.builder.delete_local(slot);
        }
        self.ask_for_truth(frame);
        Ok(())
    }

    /// Sets the mode of autograd as the program has set it, beyond the contexts on the stack that set it themselves.
    fn set_grad(&mut self, stack: &[ValueId]) -> Traced<()> {
        let mut mode = self.t.host.grad_enabled();
        for &value in stack {
            if let Value::Exit(context) = self.t.values[value] {
                if context.after != mode {
                    return Err(construct("a mode of autograd that was set inside of another one"));
                }
                mode = context.inside;
            }
        }
        if mode != self.t.grad {
            let grad = self.t.grad;
            self.call_named(SET_GRAD, 1, |out| {
                out.builder.load_const(Const::Bool(grad));
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
        let top = frame.stack.last().map(|&top| &self.t.values[top]);
        if self.t.host.version() >= Version::V313 && !matches!(top, Some(Value::Const(Constant::Bool(_)))) {
            self.builder.set_span(jump.span);
            self.builder.set_handler(jump.handler.expand());
            self.builder.emit(Op::ToBool, 0);
            self.builder.set_handler(None);
        }
    }

    fn finish_whole(self) -> Traced<(CodeObject, Vec<Opaque>)> {
        let opaque = self.opaque.clone();
        let (code, mut body) = self.settle();
        remove_unreachable(&mut body).map_err(|error| misfit(&error))?;
        remove_idle_jumps(&mut body);
        let code = Builder::over(code, body).finish().map_err(|error| misfit(&error))?;
        Ok((code, opaque))
    }

    /// Goes on with the original at `entry`, and cuts it after `at`.
    fn finish_split(mut self, entry: Inst, at: Inst) -> Traced<(CodeObject, Vec<Opaque>)> {
        let opaque = self.opaque.clone();
        let label = self.builder.body_mut().label_at(entry);
        self.builder.jump(label);
        let (code, body) = self.settle();
        let flow = ControlFlow::new(&body).map_err(|error| misfit(&error))?;
        let ways = flow.ways(at);
        let jump = ways.jump().map(|to| landing(&body, to));
        let cuts: Vec<Inst> = ways.next().into_iter().chain(jump).collect();
        let splitter = Splitter::new(&code, &body).map_err(|error| misfit(&error))?;
        let split = splitter.split(&cuts).map_err(|error| misfit(&error))?;
        Ok((split.prefix, opaque))
    }

    /// The new code in front of the original's, its own locals after the original's plain ones.
    fn settle(self) -> (CodeObject, Body) {
        let (mut code, mut body) = self.builder.into_parts();
        body.move_tail(self.tail, 0);
        let (plain, all, extra) = (code.varnames.len(), self.original.local_count(), self.extra.len());
        renumber_locals(&mut body, |id| match id.index() {
            at if at < plain => id,
            at if at < all => LocalId::new(at + extra),
            at => LocalId::new(at - all + plain),
        });
        code.varnames.extend(self.extra);
        (code, body)
    }
}

fn misfit(error: &dyn std::fmt::Display) -> Reason {
    construct(&format!("code that does not fit: {error}"))
}

/// The original with the parameters that a replacement has: one for each slot.
fn replacement(code: &CodeObject) -> CodeObject {
    let star = |flag: u32| u32::from(code.flags & flag != 0);
    let slots = code.argcount + code.kwonlyargcount + star(flags::VARARGS) + star(flags::VARKEYWORDS);
    CodeObject {
        argcount: slots,
        posonlyargcount: 0,
        kwonlyargcount: 0,
        flags: code.flags & !(flags::VARARGS | flags::VARKEYWORDS),
        ..code.clone()
    }
}
