//! Building values, each once.

use super::{Opaque, Output, construct, raised_before};
use crate::{
    bytecode::{Builder, CodeObject, Const, LocalId, Op},
    host::Obj,
    trace::{
        Traced,
        core::{
            context::{AUTOCAST, Class, Context},
            frame::Globals,
            state::{Exhausted, Iter, Made, Reversed, Sort, State, StateId, Table},
            value::{Function, TypeOperator, Value, ValueId},
        },
        python::dict_methods,
        values::singletons::{LIMITS, is_singleton},
    },
};
use cranelift_entity::EntityRef;
use fx::NodeId;
use guards::{Constant, SourceId};

/// The classes of the methods of Python's own types, which nobody changes.
const DESCRIPTORS: [&str; 3] =
    ["builtins.wrapper_descriptor", "builtins.method_descriptor", "builtins.classmethod_descriptor"];

impl Output<'_, '_> {
    /// True for an object that generated code may hold instead of reading it.
    fn is_as_a_constant(&mut self, value: ValueId, class: &str) -> bool {
        LIMITS.contains(&class)
            || is_singleton(class)
            || DESCRIPTORS.contains(&class) && self.t.source(value).is_none()
            || self.t.is_known_dtype(value)
    }

    /// Pushes a value.
    pub(super) fn push(&mut self, value: ValueId) -> Traced<()> {
        let forced = self.t.objects.forced.get(&value).copied();
        if let Some(&local) = self.built.get(&forced.unwrap_or(value)) {
            self.builder.load_local(local);
            return Ok(());
        }
        let value = forced.unwrap_or(value);
        if let Some(source) = self.t.source(value).filter(|_| self.is_read(value)) {
            // A cell of a function has the source of what it holds.
            let cell = self.t.cell_of(value);
            return self.load_source(cell.unwrap_or(source));
        }
        match self.t.objects.values[value].clone() {
            Value::Null => self.builder.push_null(),
            Value::Const(_) if self.t.objects.frozen.contains_key(&value) => match self.t.source(value) {
                Some(source) => self.load_source(source)?,
                None => {
                    // CPython makes a frozen set anew that is a constant of code, perhaps with another order.
                    let held = self.constant(Opaque::Held(self.t.objects.frozen[&value]));
                    self.builder.load_const(held);
                    self.builder.load_const(Const::Int(0));
                    self.builder.subscript();
                }
            },
            Value::Const(Constant::FrozenSet(items)) if items.len() > 1 => {
                return Err(construct("a frozen set whose order cannot be repeated"));
            }
            Value::Const(constant) => self.load_constant(&constant)?,
            Value::Tensor(node)
            | Value::SymInt { node, .. }
            | Value::SymFloat { node, .. }
            | Value::SymBool { node, .. } => self.load_result(node)?,
            Value::NdArray { node, is_scalar } => {
                let name = if is_scalar { "to_scalar" } else { "to_ndarray" };
                self.call_named(&format!("rust_inductor._numpy.{name}"), 1, |out| match out.t.callers_tensor(node) {
                    Some(tensor) => out.push(tensor),
                    None => out.load_result(node),
                })?;
                self.keep(value);
            }
            Value::Lazy(_) if self.t.source(value).is_none() => {
                // What nobody has looked at is a constant, or cannot be reached.
                let forced = self.t.force(value)?;
                let is_constant = match self.t.objects.values[forced].clone() {
                    Value::Const(_) => true,
                    Value::Object(class, _) => self.is_as_a_constant(forced, &class),
                    _ => false,
                };
                if !is_constant {
                    return Err(construct("an object that cannot be reached"));
                }
                self.push(forced)?;
            }
            Value::Computed(operator, a, b) => {
                self.push_all(&[a, b])?;
                self.builder.emit(Op::BinaryOp, operator.number());
                self.keep(value);
            }
            Value::Object(class, obj) if self.is_as_a_constant(value, &class) => {
                let constant = self.constant(Opaque::Object(obj));
                self.builder.load_const(constant);
            }
            Value::Lazy(_) | Value::Object(..) => return Err(construct("an object that cannot be reached")),
            Value::Class(_, obj) if self.t.objects.made_classes.contains_key(&obj) => self.push_made_class(obj)?,
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
                if class.of_sequence {
                    let class_of = self.constant(Opaque::Object(obj));
                    self.builder.callee(|builder| builder.load_const(class_of));
                } else {
                    let new = self.constant(Opaque::Named("builtins.tuple.__new__".to_owned()));
                    self.builder.callee(|builder| builder.load_const(new));
                    self.push_class(obj)?;
                }
                self.push_all(&items)?;
                self.builder.build_tuple(items.len() as u32);
                self.builder.call(if class.of_sequence { 1 } else { 2 });
                self.keep(value);
            }
            Value::Partial(function, args, keywords) => {
                self.push_partial(function, &args, &keywords)?;
                self.keep(value);
                self.push_partial_attributes(value, function, &args)?;
            }
            Value::Getter(class, parts, keywords) => {
                let (&first, rest) = parts.split_first().ok_or_else(|| construct("a getter of nothing"))?;
                let class = self.constant(Opaque::Named(class.to_owned()));
                self.builder.callee(|builder| builder.load_const(class));
                self.call_with(first, rest, &keywords)?;
                self.keep(value);
            }
            Value::SortKey(compare, of) => {
                self.call_named("functools.cmp_to_key", 1, |out| out.push(compare))?;
                if let Some(of) = of {
                    self.call_top_with(of)?;
                }
                self.keep(value);
            }
            Value::Context(context) => {
                self.push_context(&context)?;
                self.keep(value);
            }
            Value::Decorated(context, function) => {
                self.push_context(&context)?;
                self.call_top_with(function)?;
                self.keep(value);
            }
            Value::Exit(Context::Generator(_), manager) => {
                self.push(manager)?;
                self.builder.load_attr("__exit__");
            }
            Value::Exit(context, manager) => {
                self.push(manager)?;
                self.builder.copy(1);
                self.builder.load_method("__enter__");
                self.builder.call(0);
                self.builder.pop();
                self.entered.push(context);
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
            Value::Instance(_) if self.t.exceptions.raised.contains(&value) => {
                return Err(raised_before());
            }
            Value::Instance(state) => self.push_instance(state)?,
            Value::InstanceDict(this) => self.push_dict_of(this)?,
            Value::WeakRef(referent) if self.goes_on && !self.is_read(referent) => {
                return Err(construct("a weak reference to an object that the function made"));
            }
            Value::WeakRef(referent) => {
                self.call_named("weakref.ref", 1, |out| out.push(referent))?;
                self.keep(value);
            }
            Value::Super(class, this) => {
                self.call_named("builtins.super", 2, |out| out.push_all(&[class, this]))?;
            }
            Value::DictView(dict, part) => {
                self.push(dict)?;
                self.builder.load_method(part);
                self.builder.call(0);
                self.keep(value);
            }
            Value::Function(function) => {
                self.push_function(&function)?;
                self.keep(value);
                self.push_function_attributes(value, &function)?;
            }
            Value::TypeExpr(operator, a, b) => {
                self.push_all(&[a, b])?;
                match operator {
                    TypeOperator::Subscript => self.builder.subscript(),
                    TypeOperator::Union => {
                        self.builder.emit(Op::BinaryOp, crate::bytecode::operands::BinaryOperator::Or.number());
                    }
                }
                self.keep(value);
            }
            Value::Method { function, .. } if matches!(self.t.get(function)?, Value::Builtin(_)) => {
                return Err(construct("a method without Python code"));
            }
            Value::Method { function, this } => {
                self.call_named("types.MethodType", 2, |out| out.push_all(&[function, this]))?;
            }
            Value::Builtin(name) => self.load_named(&name),
            Value::BoundBuiltin { this, name } => {
                self.push(this)?;
                self.builder.load_attr(&name);
            }
            Value::Traceback => return Err(construct("a traceback")),
            Value::Pullback(_) => return Err(construct("what takes the cotangents of `torch.func.vjp`")),
            Value::Code(_) => return Err(construct("a code object")),
        }
        Ok(())
    }

    /// Pushes a class, which the program may have made itself.
    fn push_class(&mut self, obj: Obj) -> Traced<()> {
        if let Some(made) = self.t.objects.made_classes.get(&obj) {
            return self.push(made.class);
        }
        let class = self.constant(Opaque::Object(obj));
        self.builder.load_const(class);
        Ok(())
    }

    /// Makes a class anew that the program has made.
    fn push_made_class(&mut self, obj: Obj) -> Traced<()> {
        let made = self.t.objects.made_classes[&obj].clone();
        let function = self.constant(Opaque::Named(made.function.to_owned()));
        self.builder.callee(|builder| builder.load_const(function));
        for arg in &made.args {
            self.load_constant(arg)?;
        }
        self.builder.build_tuple(made.args.len() as u32);
        for (name, value) in &made.keywords {
            self.builder.load_const(Const::Str(name.clone()));
            self.load_constant(value)?;
        }
        self.builder.build_map(made.keywords.len() as u32);
        self.builder.call_unpacked(true);
        self.keep(made.class);
        Ok(())
    }

    /// Pushes `__dict__` of an object.
    pub(super) fn push_dict_of(&mut self, object: ValueId) -> Traced<()> {
        if self.t.has_own_getattribute(object)? {
            return self.call_named("builtins.object.__getattribute__", 2, |out| {
                out.push(object)?;
                out.builder.load_const(Const::Str("__dict__".to_owned()));
                Ok(())
            });
        }
        self.push(object)?;
        self.builder.load_attr("__dict__");
        Ok(())
    }

    pub(super) fn push_all(&mut self, values: &[ValueId]) -> Traced<()> {
        values.iter().try_for_each(|&value| self.push(value))
    }

    /// Remembers the top of the stack as the value, and leaves it there.
    pub(super) fn keep(&mut self, value: ValueId) {
        let local = self.fresh("value");
        self.builder.copy(1);
        self.builder.store_local(local);
        self.built.insert(value, local);
    }

    /// Pushes what a function of the standard library gives for `count` arguments.
    pub(super) fn call_named(
        &mut self,
        name: &str,
        count: usize,
        args: impl FnOnce(&mut Self) -> Traced<()>,
    ) -> Traced<()> {
        let callee = self.constant(Opaque::Named(name.to_owned()));
        self.builder.callee(|builder| builder.load_const(callee));
        args(self)?;
        self.builder.call(count as u32);
        Ok(())
    }

    pub(super) fn load_result(&mut self, node: NodeId) -> Traced<()> {
        let first = self.t.first_name(node);
        let at = self.results.iter().position(|&result| self.t.first_name(result) == first);
        let (Some(at), Some(tuple)) = (at, self.result_tuple) else {
            return Err(construct("a tensor that the graph does not give"));
        };
        self.builder.load_local(tuple);
        self.builder.load_const(Const::Int(at as i64));
        self.builder.subscript();
        Ok(())
    }

    /// Pushes something that can change, as it is now; a second time, the same object.
    pub(super) fn push_state(&mut self, state: StateId) -> Traced<()> {
        if let Some(&local) = self.states.get(&state) {
            self.builder.load_local(local);
            return Ok(());
        }
        if let Some(object) = self.t.object_shown(state) {
            return self.push_dict_of(object);
        }
        if self.t.heap.sort(state) == Sort::Cell {
            return self.push_cell(state);
        }
        if self.t.is_held(state) {
            return Err(construct("what an object of a class holds that comes from a dict or list"));
        }
        if self.t.heap.origin(state).is_some() {
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
            State::Dict(items) if self.t.heap.table(state) != Table::Plain => self.push_table(state, items)?,
            State::Deque(deque) => self.push_deque(state, &deque)?,
            State::Dict(items) => {
                self.new_state(state, |builder| builder.build_map(0));
                for (key, value) in items.into_values() {
                    self.push_key(key)?;
                    self.push(value)?;
                    self.builder.emit(Op::MapAdd, 1);
                }
            }
            State::Set(items, made) => self.push_set(state, items, &made)?,
            State::Iter(iter) => {
                match &iter {
                    Iter::Generator(frame) => self.push_generator(state, frame)?,
                    iter => self.push_iterator(iter)?,
                }
                let local = self.fresh("iterator");
                self.builder.copy(1);
                self.builder.store_local(local);
                self.states.insert(state, local);
            }
            State::Stack(entries) => self.push_exit_stack(state, entries)?,
            State::Instance(_) => self.push_instance(state)?,
            State::Cell(_) | State::Slot { .. } => return Err(construct("a cell")),
        }
        Ok(())
    }

    /// Makes an empty container that is known from now on, since it may hold itself.
    pub(super) fn new_state(&mut self, state: StateId, make: impl FnOnce(&mut Builder)) {
        make(&mut self.builder);
        self.keep_state(state);
    }

    /// Remembers the top of the stack as what has the state, and leaves it there.
    pub(super) fn keep_state(&mut self, state: StateId) {
        let local = self.fresh("container");
        self.builder.copy(1);
        self.builder.store_local(local);
        self.states.insert(state, local);
    }

    pub(super) fn push_iterator(&mut self, iter: &Iter) -> Traced<()> {
        match iter {
            Iter::Items(items, at) => {
                let left = items.get(*at..).unwrap_or(&[]);
                self.push_all(left)?;
                self.builder.build_tuple(left.len() as u32);
                self.builder.emit(Op::GetIter, 0);
            }
            Iter::Dict(dict, part, len, at) => self.push_dict_iterator(*dict, part, *len, *at)?,
            Iter::Lost => return Err(construct("an iterator over a dict from which a key was deleted")),
            Iter::Set(set, shown, _)
                if matches!(self.t.heap.get(*set), State::Set(_, Made::Again(_)))
                    || self.t.check_unchanged(*set, shown).is_err() =>
            {
                return Err(construct("an iterator over a set that changed meanwhile"));
            }
            Iter::Set(set, _, at) => {
                self.push_state(*set)?;
                self.builder.emit(Op::GetIter, 0);
                self.skip_items(*at);
            }
            Iter::List(list, at) => {
                self.push_state(*list)?;
                self.iterate_from(*at as i64);
            }
            Iter::Sequence(object, at) => {
                self.push(*object)?;
                self.iterate_from(*at);
            }
            Iter::Deque(deque, moves, at) => {
                if !matches!(self.t.heap.get(*deque), State::Deque(now) if now.moves == *moves) {
                    return Err(construct("an iterator over a deque that changed meanwhile"));
                }
                self.push_state(*deque)?;
                self.builder.emit(Op::GetIter, 0);
                self.skip_items(*at);
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
            Iter::Zip(inners, true) => {
                let callee = self.constant(Opaque::Named("builtins.zip".to_owned()));
                self.builder.callee(|builder| builder.load_const(callee));
                inners.iter().try_for_each(|&inner| self.push_state(inner))?;
                self.builder.build_tuple(inners.len() as u32);
                self.builder.load_const(Const::Str("strict".to_owned()));
                self.builder.load_const(Const::Bool(true));
                self.builder.build_map(1);
                self.builder.call_unpacked(true);
            }
            Iter::Lazy(lazy) => self.push_lazy(lazy)?,
            Iter::Zip(inners, false) => self.call_named("builtins.zip", inners.len(), |out| {
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
            Iter::Results(function, sentinel) => {
                self.call_named("builtins.iter", 2, |out| out.push_all(&[*function, *sentinel]))?;
            }
            // `reversed` would ask the class for the length once more.
            Iter::Backwards(..) => return Err(construct("an iterator that goes backwards over an object")),
            Iter::Generator(_) | Iter::Running => return Err(construct("a generator that runs")),
            Iter::Call(call) => {
                self.call_named(call.function, call.args.len(), |out| out.push_all(&call.args))?;
                self.skip_items(call.at);
            }
            Iter::Reversed(reversed) => self.push_reversed(reversed)?,
            Iter::Object(object) => self.push(*object)?,
            Iter::Done(of) => self.push_exhausted(*of)?,
        }
        Ok(())
    }

    /// Calls what is on the top with one value.
    fn call_top_with(&mut self, value: ValueId) -> Traced<()> {
        let callable = self.fresh("callable");
        self.builder.store_local(callable);
        self.builder.callee(|builder| builder.take_local(callable));
        self.push(value)?;
        self.builder.call(1);
        Ok(())
    }

    /// Makes an iterator over the sequence on the top, from a place on.
    fn iterate_from(&mut self, at: i64) {
        self.builder.emit(Op::GetIter, 0);
        self.builder.copy(1);
        self.builder.load_method("__setstate__");
        self.builder.load_const(Const::Int(at));
        self.builder.call(1);
        self.builder.pop();
    }

    /// Pushes an iterator that goes backwards, as far along as it was.
    fn push_reversed(&mut self, reversed: &Reversed) -> Traced<()> {
        self.call_named("builtins.reversed", 1, |out| out.push(reversed.of))?;
        match self.t.reversible(reversed.of)? {
            Some((Sort::List, ..)) => {
                self.builder.copy(1);
                self.builder.load_method("__setstate__");
                self.builder.load_const(Const::Int(reversed.left as i64 - 1));
                self.builder.call(1);
                self.builder.pop();
            }
            Some((_, items, stamp)) if stamp == reversed.stamp => self.skip_items(items.len() - reversed.left),
            _ => return Err(construct("an iterator over what has changed meanwhile")),
        }
        Ok(())
    }

    /// Pushes an iterator of a type that has no items left.
    fn push_exhausted(&mut self, of: Exhausted) -> Traced<()> {
        let of_nothing = |out: &mut Self| {
            out.builder.build_tuple(0);
            Ok(())
        };
        let of_none = |out: &mut Self| {
            out.builder.load_const(Const::None);
            out.builder.build_tuple(0);
            Ok(())
        };
        match of {
            Exhausted::List => self.builder.build_list(0),
            Exhausted::Dict(part) => {
                self.builder.build_map(0);
                self.builder.load_method(part);
                self.builder.call(0);
            }
            Exhausted::Set => self.call_named("builtins.set", 0, |_| Ok(()))?,
            Exhausted::Deque => self.call_named("collections.deque", 0, |_| Ok(()))?,
            Exhausted::Enumerate => self.call_named("builtins.enumerate", 1, of_nothing)?,
            Exhausted::Zip => self.call_named("builtins.zip", 0, |_| Ok(()))?,
            Exhausted::Map => self.call_named("builtins.map", 2, of_none)?,
            Exhausted::Filter => self.call_named("builtins.filter", 2, of_none)?,
            Exhausted::Generator | Exhausted::Other => return Err(construct("an iterator at its end")),
        }
        self.builder.emit(Op::GetIter, 0);
        Ok(())
    }

    /// Pushes an iterator over a dict, as far along as it was.
    pub(super) fn push_dict_iterator(&mut self, dict: ValueId, part: &str, len: usize, at: usize) -> Traced<()> {
        if dict_methods::pairs(self.t, dict)?.len() != len || at > 64 {
            return Err(construct("an iterator over a dict"));
        }
        self.push(dict)?;
        self.builder.load_method(part);
        self.builder.call(0);
        self.builder.emit(Op::GetIter, 0);
        self.skip_items(at);
        Ok(())
    }

    /// Takes items from the iterator on the top, and drops them.
    pub(super) fn skip_items(&mut self, count: usize) {
        for _ in 0..count {
            self.builder.copy(1);
            self.builder.load_method("__next__");
            self.builder.call(0);
            self.builder.pop();
        }
    }

    /// Pushes a cell: one of the traced frame, or a new one.
    pub(super) fn push_cell(&mut self, state: StateId) -> Traced<()> {
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

    /// Makes a cell of the traced frame in its slot, and fills it if anything reads it from now on.
    pub(super) fn make_frame_cell(&mut self, state: StateId, slot: LocalId) -> Traced<()> {
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
        match *self.t.heap.get(state) {
            State::Cell(Some(content)) if self.reached.contains(&state) => {
                self.push(content)?;
                self.builder.store_deref(slot);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Pushes a context manager that was not entered; one that sets the mode when it is made, as it was before.
    pub(super) fn push_context(&mut self, context: &Context) -> Traced<()> {
        match context {
            Context::Grad(grad) => {
                let arg = grad.class == Class::Given;
                self.call_named(context.name(), usize::from(arg), |out| {
                    if arg {
                        out.builder.load_const(Const::Bool(grad.inside));
                    }
                    Ok(())
                })
            }
            Context::Autocast(autocast) => self.call_named(AUTOCAST, 4, |out| {
                out.builder.load_const(Const::Str(autocast.device.name().to_owned()));
                out.load_constant(&Constant::DType(autocast.dtype))?;
                out.builder.load_const(Const::Bool(autocast.enabled));
                out.builder.load_const(autocast.cache.map_or(Const::None, Const::Bool));
                Ok(())
            }),
            Context::Null(value) => {
                let args: Vec<ValueId> = value.iter().copied().collect();
                self.call_named(context.name(), args.len(), |out| out.push_all(&args))
            }
            Context::Profiler(class) => self.call_named(class, 0, |_| Ok(())),
            Context::Suppress(classes) => self.call_named(context.name(), classes.len(), |out| out.push_all(classes)),
            Context::Inference(inference) => self.call_named(context.name(), 1, |out| {
                out.builder.load_const(Const::Bool(inference.enabled));
                Ok(())
            }),
            Context::Device(placed) => self.load_constant(&Constant::Device(placed.device)),
            Context::Breaks(breaks) => self.call_named(context.name(), 1, |out| {
                out.builder.load_const(Const::Bool(breaks.refused));
                Ok(())
            }),
            Context::Closing(thing) => self.call_named(context.name(), 1, |out| out.push(*thing)),
            Context::Stack(stack) => self.push(*stack),
            Context::Generator(generator) => self.push_generator_manager(*generator),
        }
    }

    /// Pushes a new `functools.partial`.
    pub(super) fn push_partial(
        &mut self,
        function: ValueId,
        args: &[ValueId],
        keywords: &[(String, ValueId)],
    ) -> Traced<()> {
        let callee = self.constant(Opaque::Named("functools.partial".to_owned()));
        self.builder.callee(|builder| builder.load_const(callee));
        self.call_with(function, args, keywords)
    }

    /// Calls what is on the stack with a function, and with what that is to be given.
    pub(super) fn call_with(
        &mut self,
        function: ValueId,
        args: &[ValueId],
        keywords: &[(String, ValueId)],
    ) -> Traced<()> {
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
        self.builder.call_unpacked(true);
        Ok(())
    }

    pub(super) fn push_function(&mut self, function: &Function) -> Traced<()> {
        if function.code_obj.is_some() {
            return Err(construct(&format!("the function `{}`", function.name)));
        }
        self.push_code(&function.code.object, function.globals, &function.closure)?;
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

    /// Pushes a new function without defaults.
    pub(super) fn push_code(&mut self, code: &CodeObject, globals: Globals, closure: &[ValueId]) -> Traced<()> {
        if let Some(owner) = globals.owner.expand() {
            return self.push_code_of(owner, code, closure);
        }
        let mut cells = Vec::new();
        for &cell in closure {
            self.push_closure_cell(cell)?;
            let local = self.fresh("closure");
            self.builder.store_local(local);
            cells.push(local);
        }
        self.builder.make_function(code.clone(), &cells);
        Ok(())
    }

    /// Pushes a cell, though nothing may have looked at it: as it is found, it has the source of what it holds.
    fn push_closure_cell(&mut self, cell: ValueId) -> Traced<()> {
        let cell = self.t.force(cell)?;
        self.push(cell)
    }

    /// Pushes a new function whose globals are those of another one.
    fn push_code_of(&mut self, owner: SourceId, code: &CodeObject, closure: &[ValueId]) -> Traced<()> {
        if holds_objects(code) {
            return Err(construct(&format!("the function `{}`, whose code holds objects", code.qualname)));
        }
        self.call_named("types.FunctionType", 5, |out| {
            out.builder.load_const(Const::Code(Box::new(code.clone())));
            let dict = out.t.sources.attr(owner, "__globals__");
            match out.globals.get(&dict) {
                Some(&globals) => out.builder.load_local(globals),
                None => out.load_source(dict)?,
            }
            out.builder.load_const(Const::Str(code.name.clone()));
            out.builder.load_const(Const::None);
            closure.iter().try_for_each(|&cell| out.push_closure_cell(cell))?;
            out.builder.build_tuple(closure.len() as u32);
            Ok(())
        })
    }
}

/// True if a constant of the code is one that only the code that it comes from tells.
fn holds_objects(code: &CodeObject) -> bool {
    fn is_object(constant: &Const) -> bool {
        match constant {
            Const::Opaque(_) => true,
            Const::Code(code) => holds_objects(code),
            Const::Tuple(items) => items.iter().any(is_object),
            _ => false,
        }
    }
    code.consts.iter().any(is_object)
}
