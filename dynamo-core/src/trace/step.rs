//! One instruction: every opcode of the three versions is traced here, or named among those that end the graph.

use super::{
    Traced, Tracer,
    frame::{Frame, Globals},
    items::raised,
    value::{Function, State, Value, ValueId},
};
use crate::{
    bytecode::{Arg, Comparison, Const, LocalId, Op, Operand},
    constant::plain_constant,
    host::{Place, Scope},
    reason::{Kind, Reason},
};
use guards::Constant;
use indexmap::IndexMap;
use std::rc::Rc;

/// Where a frame goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// With its next instruction.
    Go,
    /// At its caller, which gets this value.
    Return(ValueId),
    /// The same, to come back.
    Yield(ValueId),
}

impl Tracer<'_> {
    /// Runs one instruction. If it fails, what it has left on the frame's stack means nothing.
    pub(super) fn step(&mut self, f: &mut Frame) -> Traced<Next> {
        let watched = self.watched || self.is_watched(f);
        let before = std::mem::replace(&mut self.watched, watched);
        let next = self.step_under(f);
        self.guard_keys();
        self.watched = before;
        next
    }

    /// The same, whoever sees what it raises.
    fn step_under(&mut self, f: &mut Frame) -> Traced<Next> {
        self.steps += 1;
        if self.is_exhausted() {
            return Err(Reason::new(Kind::TooLong, ""));
        }
        let end = || Reason::new(Kind::Opcode, "The code has no end.");
        let inst = f.inst().ok_or_else(end)?;
        if self.options.follow {
            self.follow(f, inst);
        }
        let op = f.body().inst(inst).op;
        let arg = if let Arg::Int(arg) = f.body().inst(inst).arg { arg } else { 0 };
        let operand = f.body().operand(inst).ok_or_else(|| unsupported(op))?;
        f.at += 1;
        match (op, operand) {
            (Op::Resume | Op::Nop | Op::Precall, _) => {}
            (Op::CopyFreeVars, _) => {
                let first = f.locals.len() - f.closure.len();
                for (slot, &cell) in f.locals[first..].iter_mut().zip(&f.closure) {
                    *slot = Some(cell);
                }
            }
            (Op::PopTop | Op::EndFor, _) => drop(f.pop()?),
            (Op::PushNull, _) => {
                let null = self.value(Value::Null);
                f.push(null);
            }
            (Op::Copy, _) => {
                let place = f.place(arg as usize)?;
                f.push(f.stack[place]);
            }
            (Op::Swap, _) => {
                let (place, top) = (f.place(arg as usize)?, f.place(1)?);
                f.stack.swap(place, top);
            }
            (Op::LoadConst | Op::ReturnConst, Operand::Const(id)) => {
                let constant = f.constant(id)?.clone();
                let value = self.load_const(f, &constant)?;
                if op == Op::ReturnConst {
                    return Ok(Next::Return(value));
                }
                f.push(value);
            }
            (Op::ReturnValue, _) => return Ok(Next::Return(f.pop()?)),
            (Op::YieldValue, _) => return Ok(Next::Yield(f.pop()?)),
            (Op::ReturnGenerator, _) => {
                let none = self.none();
                f.push(none);
            }
            (Op::KwNames, Operand::Const(id)) => f.keywords = names(f.constant(id)?)?,
            _ if self.locals_op(f, op, operand)? => {}
            _ if self.names_op(f, op, operand)? => {}
            _ if self.jump_op(f, op, operand)? => {}
            _ if self.build_op(f, op, arg)? => {}
            _ if self.value_op(f, op, operand, arg)? => {}
            _ if self.exception_op(f, op, arg)? => {}
            _ => return Err(unsupported(op)),
        }
        Ok(Next::Go)
    }

    fn load_const(&mut self, f: &Frame, constant: &Const) -> Traced {
        if let Const::Code(code) = constant {
            let code = crate::host::Code::new((**code).clone(), self.host.version());
            let code = code.map_err(|error| Reason::new(Kind::Opcode, error.to_string()))?;
            return Ok(self.value(Value::Code(Rc::new(code))));
        }
        if let Const::Opaque(index) = constant {
            let obj = f.code_obj.and_then(|code| self.host.opaque(code, *index));
            let obj = obj.ok_or_else(|| Reason::new(Kind::Opcode, "A constant that is an object."))?;
            return Ok(self.value(Value::Lazy(obj)));
        }
        let constant =
            plain_constant(constant).ok_or_else(|| Reason::new(Kind::Opcode, "A constant that is an object."))?;
        Ok(self.of_constant(constant))
    }

    /// Locals, cells and free variables.
    fn locals_op(&mut self, f: &mut Frame, op: Op, operand: Operand) -> Traced<bool> {
        match (op, operand) {
            (Op::LoadFast | Op::LoadFastCheck | Op::LoadClosure, Operand::Local(id)) => {
                let value = f.local(id)?;
                f.push(value);
            }
            (Op::LoadFastAndClear, Operand::Local(id)) => {
                let value = f.local_mut(id)?.take();
                let value = value.unwrap_or_else(|| self.value(Value::Null));
                f.push(value);
            }
            (Op::LoadFastLoadFast, Operand::LocalPair(a, b)) => {
                let (a, b) = (f.local(a)?, f.local(b)?);
                f.stack.extend([a, b]);
            }
            (Op::StoreFast, Operand::Local(id)) => self.store_local(f, id)?,
            (Op::StoreFastLoadFast, Operand::LocalPair(a, b)) => {
                self.store_local(f, a)?;
                let value = f.local(b)?;
                f.push(value);
            }
            (Op::StoreFastStoreFast, Operand::LocalPair(a, b)) => {
                self.store_local(f, a)?;
                self.store_local(f, b)?;
            }
            (Op::DeleteFast, Operand::Local(id)) => {
                f.local(id)?;
                *f.local_mut(id)? = None;
            }
            (Op::MakeCell, Operand::Local(id)) => {
                let content = f.local_mut(id)?.take();
                *f.local_mut(id)? = Some(self.state(State::Cell(content)));
            }
            (Op::LoadDeref, Operand::Local(id)) => {
                let cell = f.local(id)?;
                let content = match self.cell(cell)? {
                    State::Cell(Some(content)) => *content,
                    _ => return Err(raised(&format!("NameError: `{}`", f.local_name(id)))),
                };
                f.push(content);
            }
            (Op::StoreDeref | Op::DeleteDeref, Operand::Local(id)) => {
                let cell = f.local(id)?;
                self.cell(cell)?;
                let content = if op == Op::StoreDeref { Some(f.pop()?) } else { None };
                if let (Some(content), 1) = (content, self.lines.len()) {
                    self.name_after(content, f.local_name(id));
                }
                if let Value::State(state) = self.get(cell)? {
                    *self.heap.change(state) = State::Cell(content);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Pops into a local, which is not bound if what is popped is NULL. A tensor's node is named after it.
    fn store_local(&mut self, f: &mut Frame, id: LocalId) -> Traced<()> {
        let value = f.pop()?;
        let is_null = matches!(self.values[value], Value::Null);
        self.name_after(value, f.local_name(id));
        *f.local_mut(id)? = (!is_null).then_some(value);
        Ok(())
    }

    fn cell(&mut self, value: ValueId) -> Traced<&State> {
        match self.get(value)? {
            Value::State(state) => Ok(self.heap.get(state)),
            _ => Err(Reason::new(Kind::Opcode, "A closure's variable without a cell.")),
        }
    }

    /// Globals, attributes, imports.
    fn names_op(&mut self, f: &mut Frame, op: Op, operand: Operand) -> Traced<bool> {
        let Operand::Name(id, flags) = operand else { return Ok(false) };
        let name = f.name(id)?;
        match op {
            Op::LoadGlobal => {
                // The empty slot of a call: below the callable until 3.12, above it later.
                let null = (flags & 1 == 1).then(|| self.value(Value::Null));
                let below = self.host.version() < crate::bytecode::Version::V313;
                f.stack.extend(null.filter(|_| below));
                let value = self.load_global(f.globals, &name)?;
                f.push(value);
                f.stack.extend(null.filter(|_| !below));
            }
            Op::LoadAttr | Op::LoadMethod => {
                let object = f.pop()?;
                let value = self.get_attr(object, &name)?;
                let method = op == Op::LoadMethod || flags & 1 == 1;
                if method && self.host.version() < crate::bytecode::Version::V313 {
                    let null = self.value(Value::Null);
                    f.push(null);
                }
                f.push(value);
                if method && self.host.version() >= crate::bytecode::Version::V313 {
                    let null = self.value(Value::Null);
                    f.push(null);
                }
            }
            Op::LoadSuperAttr => self.load_super_attr(f, &name, flags)?,
            Op::StoreGlobal => {
                let value = f.pop()?;
                self.set_global(f.globals, &name, value)?;
            }
            Op::DeleteGlobal => self.delete_global(f.globals, &name)?,
            Op::ImportName => self.import(f, &name)?,
            Op::StoreAttr => {
                let object = f.pop()?;
                let value = f.pop()?;
                self.set_attr(object, &name, value)?;
            }
            Op::DeleteAttr => {
                let object = f.pop()?;
                self.delete_attr(object, &name)?;
            }
            Op::ImportFrom => {
                let module = *f.stack.last().ok_or_else(|| unsupported(op))?;
                let value = self.get_attr(module, &name)?;
                f.push(value);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `IMPORT_NAME` of a module that is loaded: itself where names of it are wanted, else the outermost package.
    fn import(&mut self, f: &mut Frame, name: &str) -> Traced<()> {
        let (names, level) = (f.pop()?, f.pop()?);
        let unknown = || Reason::new(Kind::Opcode, format!("IMPORT_NAME of `{name}`."));
        if self.concrete(level)? != 0 {
            return Err(unknown());
        }
        let whole = !self.is_none(names)?;
        self.host.module(name).ok_or_else(unknown)?;
        let wanted = if whole { name } else { name.split('.').next().unwrap_or(name) };
        let module = self.host.module(wanted).ok_or_else(unknown)?;
        let source = self.sources.module(wanted);
        let value = self.lazy(module, source);
        f.push(value);
        Ok(())
    }

    /// A global variable or builtin.
    pub(super) fn load_global(&mut self, globals: Globals, name: &str) -> Traced {
        match self.written_global(globals, name) {
            Some(deleted) if matches!(self.values[deleted], Value::Null) => {
                return Err(Reason::new(Kind::Attribute, format!("The variable `{name}`, which was deleted.")));
            }
            Some(written) => return Ok(written),
            None => {}
        }
        let Some((obj, scope)) = self.host.global(globals.dict, name) else {
            return Err(raised(&format!("NameError: `{name}`")));
        };
        let source = match (globals.owner.expand(), scope) {
            (Some(owner), Scope::Module) => {
                let dict = self.sources.attr(owner, "__globals__");
                self.sources.item(dict, Constant::Str(name.to_owned()))
            }
            // Builtins are the same everywhere, unless a module hides one: then it is found as the module's own.
            (None, _) | (Some(_), Scope::Builtins) => self.sources.global(name),
        };
        Ok(self.lazy(obj, source))
    }

    /// Jumps and loops.
    fn jump_op(&mut self, f: &mut Frame, op: Op, operand: Operand) -> Traced<bool> {
        let Operand::Jump(label) = operand else { return Ok(false) };
        let jumps = match op {
            Op::JumpForward | Op::JumpBackward | Op::JumpBackwardNoInterrupt => true,
            Op::PopJumpForwardIfTrue | Op::PopJumpBackwardIfTrue | Op::PopJumpIfTrue => {
                let value = f.pop()?;
                self.truth(value)?
            }
            Op::PopJumpForwardIfFalse | Op::PopJumpBackwardIfFalse | Op::PopJumpIfFalse => {
                let value = f.pop()?;
                !self.truth(value)?
            }
            Op::PopJumpForwardIfNone | Op::PopJumpBackwardIfNone | Op::PopJumpIfNone => {
                let value = f.pop()?;
                self.is_none(value)?
            }
            Op::PopJumpForwardIfNotNone | Op::PopJumpBackwardIfNotNone | Op::PopJumpIfNotNone => {
                let value = f.pop()?;
                !self.is_none(value)?
            }
            Op::JumpIfTrueOrPop | Op::JumpIfFalseOrPop => {
                let value = *f.stack.last().ok_or_else(|| unsupported(op))?;
                let jumps = self.truth(value)? == (op == Op::JumpIfTrueOrPop);
                if !jumps {
                    f.pop()?;
                }
                jumps
            }
            Op::ForIter => {
                let iterator = *f.stack.last().ok_or_else(|| unsupported(op))?;
                match self.next_item(iterator)? {
                    Some(item) => {
                        f.push(item);
                        false
                    }
                    None => return self.end_loop(f, label).map(|()| true),
                }
            }
            Op::Send => {
                let sent = f.pop()?;
                let from = *f.stack.last().ok_or_else(|| unsupported(op))?;
                let next = match self.is_none(sent)? {
                    true => self.resume(from)?,
                    false => {
                        let generator = self.generator(from)?;
                        self.send_to(generator, sent)?
                    }
                };
                match next {
                    Next::Yield(item) => {
                        f.push(item);
                        false
                    }
                    Next::Return(result) => return self.end_delegation(f, label, result).map(|()| true),
                    Next::Go => return Err(unsupported(op)),
                }
            }
            _ => return Ok(false),
        };
        if jumps {
            f.jump(label)?;
        }
        Ok(true)
    }

    /// A loop ends: 3.11 jumps with the iterator popped; later versions skip the instructions that pop it.
    fn end_loop(&mut self, f: &mut Frame, label: crate::bytecode::Label) -> Traced<()> {
        f.pop()?;
        f.jump(label)?;
        if f.data().is_some_and(|data| data.op == Op::EndFor) {
            f.at += 1;
            if self.host.version() >= crate::bytecode::Version::V313 {
                f.at += 1;
            }
        }
        Ok(())
    }

    /// A `yield from` ends: 3.11 jumps with the iterator popped; later versions leave that to `END_SEND`.
    fn end_delegation(&mut self, f: &mut Frame, label: crate::bytecode::Label, result: ValueId) -> Traced<()> {
        f.jump(label)?;
        if f.data().is_none_or(|data| data.op != Op::EndSend) {
            f.pop()?;
        }
        f.push(result);
        Ok(())
    }

    fn is_none(&mut self, value: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(value)?, Value::Const(Constant::None)))
    }

    /// What makes containers, strings and functions.
    fn build_op(&mut self, f: &mut Frame, op: Op, arg: u32) -> Traced<bool> {
        let count = arg as usize;
        let value = match op {
            Op::BuildTuple => Value::Tuple(f.pop_many(count)?),
            Op::BuildList => Value::State(self.heap.push(State::List(f.pop_many(count)?), None)),
            Op::BuildSet => {
                let items = f.pop_many(count)?;
                let (items, made) = super::python::sets::of_items(self, items)?;
                Value::State(self.heap.push(State::Set(items, made), None))
            }
            Op::BuildMap => {
                let mut items = IndexMap::new();
                for pair in f.pop_many(2 * count)?.chunks_exact(2) {
                    let (key, value) = (self.force(pair[0])?, pair[1]);
                    items.entry(self.key(key)?).or_insert((key, value)).1 = value;
                }
                Value::State(self.heap.push(State::Dict(items), None))
            }
            Op::BuildConstKeyMap => {
                let keys = f.pop()?;
                let (keys, values) = (self.all_items(keys)?, f.pop_many(count)?);
                let mut items = IndexMap::new();
                for (key, value) in keys.into_iter().zip(values) {
                    items.entry(self.key(key)?).or_insert((key, value)).1 = value;
                }
                Value::State(self.heap.push(State::Dict(items), None))
            }
            Op::BuildSlice => {
                let parts = f.pop_many(count)?;
                let &[start, stop, ref step @ ..] = &parts[..] else { return Err(unsupported(op)) };
                let step = step.first().copied().unwrap_or_else(|| self.none());
                Value::Slice([start, stop, step])
            }
            Op::BuildString => {
                let mut text = String::new();
                for part in f.pop_many(count)? {
                    match self.get(part)? {
                        Value::Const(Constant::Str(part)) => text += &part,
                        _ => return Err(Reason::new(Kind::Operator, "A string of something that is computed.")),
                    }
                }
                Value::Const(Constant::Str(text))
            }
            Op::ListToTuple => {
                let list = f.pop()?;
                Value::Tuple(self.all_items(list)?)
            }
            Op::MakeFunction => return self.make_function(f, arg).map(|()| true),
            _ => return Ok(false),
        };
        let value = self.value(value);
        f.push(value);
        Ok(true)
    }

    /// `MAKE_FUNCTION`: the flags' values lie below the code until 3.12; later `SET_FUNCTION_ATTRIBUTE` adds them.
    fn make_function(&mut self, f: &mut Frame, flags: u32) -> Traced<()> {
        let code = f.pop()?;
        let Value::Code(code) = self.get(code)? else { return Err(unsupported(Op::MakeFunction)) };
        let mut function = Function {
            name: code.object.qualname.clone(),
            code,
            object: None,
            code_obj: None,
            constants: f.code_obj,
            globals: f.globals,
            defaults: Vec::new(),
            kwdefaults: Vec::new(),
            closure: Vec::new(),
            place: Place::Inlined,
            annotated: false,
        };
        for flag in [8, 4, 2, 1] {
            if flags & flag != 0 {
                let value = f.pop()?;
                self.set_function_attribute(&mut function, flag, value)?;
            }
        }
        let function = self.value(Value::Function(Rc::new(function)));
        f.push(function);
        Ok(())
    }

    fn set_function_attribute(&mut self, function: &mut Function, flag: u32, value: ValueId) -> Traced<()> {
        match flag {
            8 => function.closure = self.all_items(value)?,
            4 => function.annotated = true,
            2 => {
                for (key, value) in super::python::containers::pairs(self, value)? {
                    if let Value::Const(Constant::Str(name)) = self.get(key)? {
                        function.kwdefaults.push((name, value));
                    }
                }
            }
            _ => function.defaults = self.all_items(value)?,
        }
        Ok(())
    }

    /// Operators, items, calls, iteration.
    fn value_op(&mut self, f: &mut Frame, op: Op, operand: Operand, arg: u32) -> Traced<bool> {
        let count = arg as usize;
        match op {
            Op::BinaryOp => {
                let (b, a) = (f.pop()?, f.pop()?);
                let value = self.binary_op(arg, a, b)?;
                f.push(value);
            }
            Op::UnaryNegative | Op::UnaryPositive | Op::UnaryInvert => {
                let name = match op {
                    Op::UnaryNegative => "neg",
                    Op::UnaryPositive => "pos",
                    _ => "invert",
                };
                let a = f.pop()?;
                let value = self.unary(name, a)?;
                f.push(value);
            }
            Op::UnaryNot => {
                let a = f.pop()?;
                let value = self.negation(a)?;
                f.push(value);
            }
            Op::ToBool => {
                let a = f.pop()?;
                let value = self.condition(f, a)?;
                f.push(value);
            }
            Op::CompareOp => {
                let Operand::Compare(comparison, flags) = operand else { return Ok(false) };
                self.compare_op(f, comparison, flags)?;
            }
            Op::IsOp | Op::ContainsOp => {
                let (b, a) = (f.pop()?, f.pop()?);
                let truth = if op == Op::IsOp { self.is_same(a, b)? } else { self.contains(b, a)? };
                let value = self.constant(Constant::Bool(truth != (arg == 1)));
                f.push(value);
            }
            Op::GetYieldFromIter => {
                let from = f.pop()?;
                let iterator = self.iterate(from)?;
                f.push(iterator);
            }
            Op::EndSend => {
                let result = f.pop()?;
                f.pop()?;
                f.push(result);
            }
            Op::BinarySubscr => {
                let (key, container) = (f.pop()?, f.pop()?);
                let value = self.get_item(container, key)?;
                f.push(value);
            }
            Op::BinarySlice | Op::StoreSlice => {
                let (stop, start, container) = (f.pop()?, f.pop()?, f.pop()?);
                let none = self.none();
                let slice = self.value(Value::Slice([start, stop, none]));
                if op == Op::BinarySlice {
                    let value = self.get_item(container, slice)?;
                    f.push(value);
                } else {
                    let value = f.pop()?;
                    self.set_item(container, slice, value)?;
                }
            }
            Op::StoreSubscr => {
                let (key, container, value) = (f.pop()?, f.pop()?, f.pop()?);
                self.set_item(container, key, value)?;
            }
            Op::DeleteSubscr => {
                let (key, container) = (f.pop()?, f.pop()?);
                self.delete_item(container, key)?;
            }
            Op::BeforeWith => self.enter(f)?,
            Op::GetIter => {
                let value = f.pop()?;
                let iterator = self.iterate(value)?;
                f.push(iterator);
            }
            Op::UnpackSequence => {
                let value = f.pop()?;
                let items = self.unpack(value, count)?;
                f.stack.extend(items.into_iter().rev());
            }
            Op::UnpackEx => self.unpack_starred(f, arg)?,
            Op::FormatValue | Op::FormatSimple | Op::FormatWithSpec | Op::ConvertValue => self.format(f, op, arg)?,
            Op::ListAppend
            | Op::ListExtend
            | Op::SetAdd
            | Op::SetUpdate
            | Op::MapAdd
            | Op::DictUpdate
            | Op::DictMerge => {
                self.grow(f, op, count)?;
            }
            Op::SetFunctionAttribute => {
                let (function, value) = (f.pop()?, f.pop()?);
                let Value::Function(made) = self.get(function)? else { return Ok(false) };
                let mut made = Function::clone(&made);
                self.set_function_attribute(&mut made, arg, value)?;
                let function = self.value(Value::Function(Rc::new(made)));
                f.push(function);
            }
            Op::Call | Op::CallKw => self.call_op(f, op, count)?,
            Op::CallFunctionEx => self.call_unpacked(f, arg)?,
            Op::CallIntrinsic1 if arg == 6 => {
                let list = f.pop()?;
                let items = self.all_items(list)?;
                let tuple = self.value(Value::Tuple(items));
                f.push(tuple);
            }
            Op::CallIntrinsic1 if arg == 5 => {
                let value = f.pop()?;
                let value = self.unary("pos", value)?;
                f.push(value);
            }
            Op::MatchSequence | Op::MatchMapping | Op::MatchKeys | Op::MatchClass => self.match_op(f, op, count)?,
            Op::GetLen => {
                let value = *f.stack.last().ok_or_else(|| unsupported(op))?;
                let value = super::python::builtins::length(self, value)?;
                f.push(value);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn compare_op(&mut self, f: &mut Frame, comparison: Comparison, flags: u32) -> Traced<()> {
        let (b, a) = (f.pop()?, f.pop()?);
        let mut value = self.compare(comparison, a, b)?;
        if flags & 1 << 4 != 0 {
            value = self.condition(f, value)?;
        }
        f.push(value);
        Ok(())
    }

    /// A value as a bool, which is what jumps take since 3.13. A tensor before a jump stays what it is: the graph ends
    /// at the jump, as in versions whose jumps take any value, and the code that is made for it asks for the truth.
    fn condition(&mut self, f: &Frame, value: ValueId) -> Traced {
        if f.data().is_some_and(|next| next.op.is_jump_by_truth()) && matches!(self.get(value)?, Value::Tensor(_)) {
            return Ok(value);
        }
        let truth = self.truth(value)?;
        Ok(self.constant(Constant::Bool(truth)))
    }

    /// `CALL`: the callable and an empty slot, or a method and its object, lie below the arguments.
    fn call_op(&mut self, f: &mut Frame, op: Op, count: usize) -> Traced<()> {
        let keywords = if op == Op::CallKw {
            let names = f.pop()?;
            let mut keywords = Vec::new();
            for name in self.all_items(names)? {
                if let Value::Const(Constant::Str(name)) = self.get(name)? {
                    keywords.push(name);
                }
            }
            keywords
        } else {
            std::mem::take(&mut f.keywords)
        };
        let mut args = f.pop_many(count)?;
        let (second, first) = (f.pop()?, f.pop()?);
        let (callable, this) = if self.host.version() >= crate::bytecode::Version::V313 {
            (first, Some(second))
        } else {
            // NULL and a callable, or a callable and its first argument.
            match self.values[first] {
                Value::Null => (second, None),
                _ => (first, Some(second)),
            }
        };
        let named = args.split_off(args.len() - keywords.len().min(args.len()));
        if let Some(this) = this.filter(|&this| !matches!(self.values[this], Value::Null)) {
            args.insert(0, this);
        }
        let is_super = args.is_empty() && named.is_empty() && self.is_super(callable)?;
        let value = if is_super {
            self.bare_super(f)?
        } else {
            self.call(callable, args, keywords.into_iter().zip(named).collect())?
        };
        f.push(value);
        Ok(())
    }

    fn is_super(&mut self, callable: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(callable)?, Value::Class(name, _) if name == super::objects::SUPER))
    }

    /// `LOAD_SUPER_ATTR`: `super`, the class and the object lie on the stack; the lowest bit of the operand says
    /// whether a method is to be called.
    fn load_super_attr(&mut self, f: &mut Frame, name: &str, flags: u32) -> Traced<()> {
        let (this, class, callable) = (f.pop()?, f.pop()?, f.pop()?);
        if !self.is_super(callable)? {
            return Err(Reason::new(Kind::Call, "A variable `super` that is not the builtin."));
        }
        let found = self.make_super(class, this)?;
        let found = self.get_attr(found, name)?;
        let null = (flags & 1 == 1).then(|| self.value(Value::Null));
        let below = self.host.version() < crate::bytecode::Version::V313;
        f.stack.extend(null.filter(|_| below));
        f.push(found);
        f.stack.extend(null.filter(|_| !below));
        Ok(())
    }

    fn call_unpacked(&mut self, f: &mut Frame, flags: u32) -> Traced<()> {
        let mut keywords = Vec::new();
        if flags & 1 == 1 {
            let dict = f.pop()?;
            for (key, value) in super::python::containers::pairs(self, dict)? {
                match self.get(key)? {
                    Value::Const(Constant::Str(name)) => keywords.push((name, value)),
                    _ => return Err(raised("TypeError: keywords must be strings")),
                }
            }
        }
        let args = f.pop()?;
        let args = self.all_items(args)?;
        let (second, first) = (f.pop()?, f.pop()?);
        let callable = if self.host.version() >= crate::bytecode::Version::V313 { first } else { second };
        let value = self.call(callable, args, keywords)?;
        f.push(value);
        Ok(())
    }

    fn unpack_starred(&mut self, f: &mut Frame, arg: u32) -> Traced<()> {
        let (before, after) = ((arg & 0xff) as usize, (arg >> 8) as usize);
        let value = f.pop()?;
        let mut items = self.all_items(value)?;
        if items.len() < before + after {
            return Err(raised("ValueError: not enough values to unpack"));
        }
        let tail = items.split_off(items.len() - after);
        let middle = items.split_off(before);
        let middle = self.state(State::List(middle));
        f.stack.extend(tail.into_iter().rev());
        f.push(middle);
        f.stack.extend(items.into_iter().rev());
        Ok(())
    }

    fn format(&mut self, f: &mut Frame, op: Op, arg: u32) -> Traced<()> {
        let with_spec = op == Op::FormatWithSpec || op == Op::FormatValue && arg & 4 != 0;
        let spec = if with_spec { f.pop()? } else { self.constant(Constant::Str(String::new())) };
        let value = f.pop()?;
        let value = self.specialised(value)?;
        let conversion = match op {
            Op::FormatValue => arg & 3,
            Op::ConvertValue => arg,
            _ => 0,
        };
        let spec = self.as_constant(spec)?;
        // Without a conversion, `format` of what is no constant is its `str`, if the format specification is empty.
        let conversion = match Conversion::of(conversion) {
            None if spec == Some(Constant::Str(String::new())) && self.as_constant(value)?.is_none() => {
                Some(Conversion::Str)
            }
            conversion => conversion,
        };
        let known = match conversion {
            Some(conversion) => self.converted(value, conversion)?,
            None => self.as_constant(value)?,
        };
        let (Some(constant), Some(spec)) = (known, spec) else {
            return Err(Reason::new(Kind::Operator, format!("A string of {}.", self.describe(value))));
        };
        let text = if op == Op::ConvertValue {
            self.of_constant(constant)
        } else {
            self.fold("builtins.format", &[constant, spec])?
        };
        f.push(text);
        Ok(())
    }

    /// `str`, `repr` or `ascii` of a value; `None` if only the interpreter can tell.
    fn converted(&mut self, value: ValueId, conversion: Conversion) -> Traced<Option<Constant>> {
        if let Some(constant) = self.as_constant(value)? {
            let text = self.fold(conversion.function(), &[constant])?;
            return self.as_constant(text);
        }
        let text = match conversion {
            Conversion::Str => match self.text_of(value)? {
                Some(text) => Some(text),
                None => self.repr(value)?,
            },
            Conversion::Repr => self.repr(value)?,
            // Characters outside of ASCII would have to be escaped.
            Conversion::Ascii => self.repr(value)?.filter(|text| text.is_ascii()),
        };
        Ok(text.map(Constant::Str))
    }

    /// Adds what is on the top to the container that lies `depth` below it.
    fn grow(&mut self, f: &mut Frame, op: Op, depth: usize) -> Traced<()> {
        let value = f.pop()?;
        let key = if op == Op::MapAdd { Some(f.pop()?) } else { None };
        let container = f.stack[f.place(depth)?];
        let Value::State(state) = self.get(container)? else { return Err(unsupported(op)) };
        let mut new = self.heap.get(state).clone();
        match (op, &mut new) {
            (Op::ListAppend, State::List(items)) => items.push(value),
            (Op::ListExtend, State::List(items)) => items.extend(self.all_items(value)?),
            (Op::SetAdd, State::Set(items, made)) => {
                items.entry(self.key(value)?).or_insert(value);
                *made = made.with_item(self, "add", value)?;
            }
            (Op::SetUpdate, State::Set(items, made)) => *made = super::python::sets::update(self, items, made, value)?,
            (Op::MapAdd, State::Dict(items)) => {
                let key = key.ok_or_else(|| unsupported(op))?;
                items.entry(self.key(key)?).or_insert((key, value)).1 = value;
            }
            (Op::DictUpdate | Op::DictMerge, State::Dict(items)) => {
                for (key, value) in super::python::containers::pairs(self, value)? {
                    let count = items.len();
                    items.entry(self.key(key)?).or_insert((key, value)).1 = value;
                    if op == Op::DictMerge && items.len() == count {
                        return Err(raised("TypeError: got multiple values for a keyword argument"));
                    }
                }
            }
            _ => return Err(unsupported(op)),
        }
        *self.heap.change(state) = new;
        Ok(())
    }
}

/// The conversion of a replacement field: `!s`, `!r`, `!a`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conversion {
    Str,
    Repr,
    Ascii,
}

impl Conversion {
    /// The conversion that the low bits of an operand stand for.
    fn of(bits: u32) -> Option<Conversion> {
        [None, Some(Conversion::Str), Some(Conversion::Repr), Some(Conversion::Ascii)][(bits & 3) as usize]
    }

    /// The builtin function that converts.
    fn function(self) -> &'static str {
        match self {
            Conversion::Str => "builtins.str",
            Conversion::Repr => "builtins.repr",
            Conversion::Ascii => "builtins.ascii",
        }
    }
}

fn unsupported(op: Op) -> Reason {
    let why = super::untraced::reason(op).map_or_else(String::new, |why| format!(" {why}"));
    Reason::new(Kind::Opcode, format!("{op}.{why}"))
}

/// The names that `KW_NAMES` holds.
fn names(constant: &Const) -> Traced<Vec<String>> {
    let Const::Tuple(items) = constant else { return Err(unsupported(Op::KwNames)) };
    let name = |item: &Const| if let Const::Str(name) = item { Some(name.clone()) } else { None };
    items.iter().map(name).collect::<Option<_>>().ok_or_else(|| unsupported(Op::KwNames))
}
