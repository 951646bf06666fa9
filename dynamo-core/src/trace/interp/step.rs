//! One instruction: one `match` over all opcodes of all versions, which sends each to the function that runs it.

use super::{untraced, variables::copy_free_vars};
use crate::{
    bytecode::{
        Arg, Comparison, Const, ConstId, Label, LocalId, NameId, Op, Operand,
        operands::{self, BinaryOperator, Intrinsic1},
    },
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            frame::{Frame, Next},
            value::{Value, ValueId},
        },
        python::builtins,
    },
};
use guards::Constant;

/// An instruction that is about to run.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Instruction {
    /// Its opcode.
    pub(in crate::trace) op: Op,
    /// Its argument as a number; zero if it is none.
    pub(in crate::trace) arg: u32,
    operand: Operand,
}

impl Instruction {
    /// Its argument as a count.
    fn count(self) -> usize {
        self.arg as usize
    }

    fn local(self) -> Traced<LocalId> {
        if let Operand::Local(id) = self.operand { Ok(id) } else { Err(unsupported(self.op)) }
    }

    fn locals(self) -> Traced<(LocalId, LocalId)> {
        if let Operand::LocalPair(a, b) = self.operand { Ok((a, b)) } else { Err(unsupported(self.op)) }
    }

    fn constant(self) -> Traced<ConstId> {
        if let Operand::Const(id) = self.operand { Ok(id) } else { Err(unsupported(self.op)) }
    }

    /// Its name, and the flags below that.
    fn name(self) -> Traced<(NameId, u32)> {
        if let Operand::Name(id, flags) = self.operand { Ok((id, flags)) } else { Err(unsupported(self.op)) }
    }

    fn label(self) -> Traced<Label> {
        if let Operand::Jump(label) = self.operand { Ok(label) } else { Err(unsupported(self.op)) }
    }

    /// Its comparison, and the flags below that.
    fn comparison(self) -> Traced<(Comparison, u32)> {
        if let Operand::Compare(comparison, flags) = self.operand {
            Ok((comparison, flags))
        } else {
            Err(unsupported(self.op))
        }
    }
}

impl Tracer<'_> {
    /// Runs one instruction, and guards the keys of dicts that it has read. If it fails, what it has left on the
    /// frame's stack means nothing.
    pub(in crate::trace) fn step(&mut self, f: &mut Frame) -> Traced<Next> {
        let dropped = || Reason::new(Kind::Mutation, "An object with a finalizer is dropped.");
        if f.finalizes {
            return Err(dropped());
        }
        let changes = self.heap.changes();
        let watched = self.exceptions.watched || self.is_watched(f);
        let before = std::mem::replace(&mut self.exceptions.watched, watched);
        let next = self.fetch(f).and_then(|instruction| self.execute(f, instruction));
        self.guard_keys();
        self.exceptions.watched = before;
        // The interpreter has to run it: what a finalizer does is not to be replayed over.
        let drops = next.is_ok() && self.heap.changes() > changes && self.releases_finalizer(changes);
        if drops { Err(dropped()) } else { next }
    }

    /// Reads the next instruction and moves past it.
    fn fetch(&mut self, f: &mut Frame) -> Traced<Instruction> {
        self.call_stack.steps += 1;
        if self.is_exhausted() {
            return Err(Reason::new(Kind::TooLong, ""));
        }
        let inst = f.inst().ok_or_else(|| Reason::new(Kind::Opcode, "The code has no end."))?;
        if self.options.follow {
            self.follow(f, inst);
        }
        let data = f.body().inst(inst);
        let (op, arg) = (data.op, if let Arg::Int(arg) = data.arg { arg } else { 0 });
        let operand = f.body().operand(inst).ok_or_else(|| unsupported(op))?;
        f.at += 1;
        Ok(Instruction { op, arg, operand })
    }

    /// Runs an instruction that the frame has moved past.
    fn execute(&mut self, f: &mut Frame, i: Instruction) -> Traced<Next> {
        let op = i.op;
        match op {
            Op::Resume | Op::Nop | Op::NotTaken | Op::Precall => {}

            // The stack.
            Op::PopTop | Op::EndFor | Op::PopIter => {
                let dropped = f.pop()?;
                f.finalizes = self.drops_finalizer(f, dropped);
            }
            Op::PushNull => self.push_null(f),
            Op::Copy => f.push(f.stack[f.place(i.count())?]),
            Op::Swap => {
                let (place, top) = (f.place(i.count())?, f.place(1)?);
                f.stack.swap(place, top);
            }
            Op::LoadConst => {
                let value = self.load_const(f, i.constant()?)?;
                f.push(value);
            }

            Op::LoadSmallInt => self.push_value(f, Value::Const(Constant::Int(i64::from(i.arg)))),
            Op::LoadCommonConstant => self.load_common_constant(f, i.arg)?,

            // The end of a frame, and of its step.
            Op::ReturnConst => return self.load_const(f, i.constant()?).map(Next::Return),
            Op::ReturnValue => return f.pop().map(Next::Return),
            Op::YieldValue => return f.pop().map(Next::Yield),
            Op::ReturnGenerator => {
                let none = self.none();
                f.push(none);
            }

            // Locals, cells and free variables.
            Op::LoadFast | Op::LoadFastBorrow | Op::LoadFastCheck | Op::LoadClosure => f.push(f.local(i.local()?)?),
            Op::LoadFastAndClear => self.load_and_clear(f, i.local()?)?,
            Op::LoadFastLoadFast | Op::LoadFastBorrowLoadFastBorrow => {
                let (a, b) = i.locals()?;
                let (a, b) = (f.local(a)?, f.local(b)?);
                f.stack.extend([a, b]);
            }
            Op::StoreFast => self.store_local(f, i.local()?)?,
            Op::StoreFastLoadFast => {
                let (a, b) = i.locals()?;
                self.store_local(f, a)?;
                f.push(f.local(b)?);
            }
            Op::StoreFastStoreFast => {
                let (a, b) = i.locals()?;
                self.store_local(f, a)?;
                self.store_local(f, b)?;
            }
            Op::DeleteFast => {
                let dropped = f.local(i.local()?)?;
                *f.local_mut(i.local()?)? = None;
                f.finalizes = self.drops_finalizer(f, dropped);
            }
            Op::CopyFreeVars => copy_free_vars(f),
            Op::MakeCell => self.make_cell(f, i.local()?)?,
            Op::LoadDeref => self.load_deref(f, i.local()?)?,
            Op::StoreDeref => {
                let content = self.content_of_cell(f, i.local()?)?;
                self.set_cell(f, i.local()?, Some(content))?;
            }
            Op::DeleteDeref => self.set_cell(f, i.local()?, None)?,

            // Globals, attributes, imports.
            Op::LoadGlobal => self.load_global_for(f, i.name()?)?,
            Op::StoreGlobal => {
                let name = f.name(i.name()?.0)?;
                let value = f.pop()?;
                self.set_global(f.globals, &name, value)?;
            }
            Op::DeleteGlobal => self.delete_global(f.globals, &f.name(i.name()?.0)?)?,
            Op::LoadAttr => self.load_attr(f, i.name()?)?,
            Op::LoadMethod => self.load_attr(f, (i.name()?.0, operands::FOR_CALL))?,
            Op::LoadSuperAttr => self.load_super_attr(f, i.name()?)?,
            Op::StoreAttr => {
                let name = f.name(i.name()?.0)?;
                let (object, value) = (f.pop()?, f.pop()?);
                self.set_attr(object, &name, value)?;
            }
            Op::DeleteAttr => {
                let name = f.name(i.name()?.0)?;
                let object = f.pop()?;
                self.delete_attr(object, &name)?;
            }
            Op::ImportName => self.import(f, &f.name(i.name()?.0)?)?,
            Op::ImportFrom => {
                let name = f.name(i.name()?.0)?;
                let module = top(f, op)?;
                // What is not there is looked up among the modules, and then an `ImportError`.
                let value = self.get_attr(module, &name).map_err(|reason| match self.lacks_attr(&reason) {
                    true => self.uncaught(reason),
                    false => reason,
                })?;
                f.push(value);
            }

            // Jumps and loops.
            Op::JumpForward | Op::JumpBackward | Op::JumpBackwardNoInterrupt => f.jump(i.label()?)?,
            Op::PopJumpForwardIfTrue | Op::PopJumpBackwardIfTrue | Op::PopJumpIfTrue => {
                self.jump_if_truth_is(true, f, i.label()?)?;
            }
            Op::PopJumpForwardIfFalse | Op::PopJumpBackwardIfFalse | Op::PopJumpIfFalse => {
                self.jump_if_truth_is(false, f, i.label()?)?;
            }
            Op::PopJumpForwardIfNone | Op::PopJumpBackwardIfNone | Op::PopJumpIfNone => {
                self.jump_if_none_is(true, f, i.label()?)?;
            }
            Op::PopJumpForwardIfNotNone | Op::PopJumpBackwardIfNotNone | Op::PopJumpIfNotNone => {
                self.jump_if_none_is(false, f, i.label()?)?;
            }
            Op::JumpIfTrueOrPop => self.jump_or_pop(true, f, i.label()?)?,
            Op::JumpIfFalseOrPop => self.jump_or_pop(false, f, i.label()?)?,
            Op::GetIter | Op::GetYieldFromIter => {
                let value = f.pop()?;
                let iterator = self.iterate_asked(value)?;
                f.push(iterator);
            }
            Op::ForIter => self.for_iter(f, i.label()?)?,
            Op::Send => self.send(f, i.label()?)?,
            Op::EndSend => {
                let result = f.pop()?;
                f.pop()?;
                f.push(result);
            }

            // Operators.
            Op::BinaryOp if i.arg == operands::SUBSCRIPT => self.subscript(f)?,
            Op::BinaryOp => {
                let (b, a) = (f.pop()?, f.pop()?);
                let decoded = BinaryOperator::decode(i.arg);
                let unknown = || Reason::new(Kind::Opcode, format!("BINARY_OP {}.", i.arg));
                let (operator, in_place) = decoded.ok_or_else(unknown)?;
                let value = self.binary(operator, in_place, a, b)?;
                f.push(value);
            }
            Op::UnaryNegative => self.unary_op(f, "neg")?,
            Op::UnaryPositive => self.unary_op(f, "pos")?,
            Op::UnaryInvert => self.unary_op(f, "invert")?,
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
            Op::CompareOp => self.compare_op(f, i.comparison()?)?,
            Op::IsOp => {
                let (b, a) = (f.pop()?, f.pop()?);
                let same = self.is_same(a, b)?;
                self.push_bool(f, same != (i.arg == 1));
            }
            Op::ContainsOp => {
                let (container, item) = (f.pop()?, f.pop()?);
                let found = self.contains(container, item)?;
                self.push_bool(f, found != (i.arg == 1));
            }

            // Items.
            Op::BinarySubscr => self.subscript(f)?,
            Op::BinarySlice => {
                let (slice, container) = self.pop_slice(f)?;
                let value = self.get_item(container, slice)?;
                f.push(value);
            }
            Op::StoreSubscr => {
                let (key, container, value) = (f.pop()?, f.pop()?, f.pop()?);
                self.set_item(container, key, value)?;
            }
            Op::StoreSlice => {
                let (slice, container) = self.pop_slice(f)?;
                let value = f.pop()?;
                self.set_item(container, slice, value)?;
            }
            Op::DeleteSubscr => {
                let (key, container) = (f.pop()?, f.pop()?);
                self.delete_item(container, key)?;
            }
            Op::GetLen => {
                let length = builtins::length(self, top(f, op)?)?;
                f.push(length);
            }

            // Containers, strings and functions in the making.
            Op::BuildTuple => {
                let items = f.pop_many(i.count())?;
                self.push_value(f, Value::Tuple(items));
            }
            Op::BuildList => self.build_list(f, i.count())?,
            Op::BuildSet => self.build_set(f, i.count())?,
            Op::BuildMap => self.build_map(f, i.count())?,
            Op::BuildConstKeyMap => self.build_const_key_map(f, i.count())?,
            Op::BuildSlice => self.build_slice(f, i.count())?,
            Op::BuildString => self.build_string(f, i.count())?,
            Op::ListToTuple => self.list_to_tuple(f)?,
            Op::ListAppend
            | Op::ListExtend
            | Op::SetAdd
            | Op::SetUpdate
            | Op::MapAdd
            | Op::DictUpdate
            | Op::DictMerge => self.grow(f, op, i.count())?,
            Op::UnpackSequence => {
                let value = f.pop()?;
                let items = self.unpack(value, i.count())?;
                f.stack.extend(items.into_iter().rev());
            }
            Op::UnpackEx => self.unpack_starred(f, i.arg)?,
            Op::FormatValue | Op::FormatSimple | Op::FormatWithSpec | Op::ConvertValue => self.format(f, op, i.arg)?,
            Op::MakeFunction => self.make_function(f, i.arg)?,
            Op::SetFunctionAttribute => self.set_function_attribute(f, i.arg)?,

            // Calls.
            Op::KwNames => f.keywords = keyword_names(f.constant(i.constant()?)?)?,
            Op::Call => {
                let keywords = std::mem::take(&mut f.keywords);
                self.call_op(f, i.count(), keywords)?;
            }
            Op::CallKw => {
                let keywords = self.pop_keyword_names(f)?;
                self.call_op(f, i.count(), keywords)?;
            }
            Op::CallFunctionEx => self.call_unpacked(f, i.arg)?,
            Op::CallIntrinsic1 => match Intrinsic1::decode(i.arg) {
                Some(Intrinsic1::StopIterationError) => self.stop_iteration_error(f)?,
                Some(Intrinsic1::UnaryPositive) => self.unary_op(f, "pos")?,
                Some(Intrinsic1::ListToTuple) => self.list_to_tuple(f)?,
                Some(
                    Intrinsic1::Print
                    | Intrinsic1::ImportStar
                    | Intrinsic1::AsyncGenWrap
                    | Intrinsic1::TypeVar
                    | Intrinsic1::ParamSpec
                    | Intrinsic1::TypeVarTuple
                    | Intrinsic1::SubscriptGeneric
                    | Intrinsic1::TypeAlias,
                )
                | None => return Err(unsupported(op)),
            },

            // `with`, `try` and `match`.
            Op::BeforeWith => self.enter(f)?,
            Op::LoadSpecial => self.enter_by_parts(f)?,
            Op::WithExceptStart => self.with_except_start(f)?,
            Op::CleanupThrow => return Err(self.cleanup_throw(f)?),
            Op::RaiseVarargs => return Err(self.raise_varargs(f, i.arg)?),
            Op::Reraise => {
                let exception = f.pop()?;
                return Err(self.raise(exception)?);
            }
            Op::PushExcInfo => self.push_exc_info(f)?,
            Op::PopExcept => self.pop_except(f)?,
            Op::CheckExcMatch => self.check_exc_match(f)?,
            Op::LoadAssertionError => self.load_builtin_class(f, "builtins.AssertionError")?,
            Op::MatchSequence => {
                let is_sequence = self.protocols(f.stack[f.place(1)?])?.0;
                self.push_bool(f, is_sequence);
            }
            Op::MatchMapping => {
                let is_mapping = self.protocols(f.stack[f.place(1)?])?.1;
                self.push_bool(f, is_mapping);
            }
            Op::MatchKeys => {
                let (subject, keys) = (f.stack[f.place(2)?], f.stack[f.place(1)?]);
                let values = self.match_keys(subject, keys)?;
                f.push(values);
            }
            Op::MatchClass => {
                let (names, class, subject) = (f.pop()?, f.pop()?, f.pop()?);
                let parts = self.match_class(subject, class, names, i.count())?;
                f.push(parts);
            }

            // Those of which `untraced` says why they end the graph.
            Op::AsyncGenWrap
            | Op::BeforeAsyncWith
            | Op::BuildInterpolation
            | Op::BuildTemplate
            | Op::CallIntrinsic2
            | Op::CheckEgMatch
            | Op::DeleteName
            | Op::EndAsyncFor
            | Op::ExitInitCheck
            | Op::GetAiter
            | Op::GetAnext
            | Op::GetAwaitable
            | Op::ImportStar
            | Op::InterpreterExit
            | Op::LoadBuildClass
            | Op::LoadClassderef
            | Op::LoadFromDictOrDeref
            | Op::LoadFromDictOrGlobals
            | Op::LoadLocals
            | Op::LoadName
            | Op::PrepReraiseStar
            | Op::PrintExpr
            | Op::SetupAnnotations
            | Op::StoreName => return Err(unsupported(op)),
        }
        Ok(Next::Go)
    }

    /// Pushes the empty slot of a call.
    pub(in crate::trace) fn push_null(&mut self, f: &mut Frame) {
        self.push_value(f, Value::Null);
    }

    /// Pushes a value that the program makes.
    pub(in crate::trace) fn push_value(&mut self, f: &mut Frame, value: Value) {
        let value = self.value(value);
        f.push(value);
    }

    /// Pushes a bool.
    pub(in crate::trace) fn push_bool(&mut self, f: &mut Frame, value: bool) {
        self.push_value(f, Value::Const(Constant::Bool(value)));
    }

    fn subscript(&mut self, f: &mut Frame) -> Traced<()> {
        let (key, container) = (f.pop()?, f.pop()?);
        let value = self.get_item(container, key)?;
        f.push(value);
        Ok(())
    }

    fn unary_op(&mut self, f: &mut Frame, name: &str) -> Traced<()> {
        let a = f.pop()?;
        let value = self.unary(name, a)?;
        f.push(value);
        Ok(())
    }

    fn compare_op(&mut self, f: &mut Frame, (comparison, flags): (Comparison, u32)) -> Traced<()> {
        let (b, a) = (f.pop()?, f.pop()?);
        let mut value = self.holding(f, |t| t.compare(comparison, a, b))?;
        if flags & operands::AS_BOOL != 0 {
            value = self.condition(f, value)?;
        }
        f.push(value);
        Ok(())
    }

    /// Takes the bounds of a slice and the container below them off the stack.
    fn pop_slice(&mut self, f: &mut Frame) -> Traced<(ValueId, ValueId)> {
        let (stop, start, container) = (f.pop()?, f.pop()?, f.pop()?);
        let none = self.none();
        Ok((self.value(Value::Slice([start, stop, none])), container))
    }

    /// Whether a value is None.
    pub(in crate::trace) fn is_none(&mut self, value: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(value)?, Value::Const(Constant::None)))
    }
}

/// The value on top of the stack.
pub(in crate::trace) fn top(f: &Frame, op: Op) -> Traced {
    f.stack.last().copied().ok_or_else(|| unsupported(op))
}

/// The reason for an instruction that is not traced, or not on such operands.
pub(in crate::trace) fn unsupported(op: Op) -> Reason {
    let why = untraced::reason(op).map_or_else(String::new, |why| format!(" {why}"));
    Reason::new(Kind::Opcode, format!("{op}.{why}"))
}

/// The names that `KW_NAMES` holds.
fn keyword_names(constant: &Const) -> Traced<Vec<String>> {
    let Const::Tuple(items) = constant else { return Err(unsupported(Op::KwNames)) };
    let name = |item: &Const| if let Const::Str(name) = item { Some(name.clone()) } else { None };
    items.iter().map(name).collect::<Option<_>>().ok_or_else(|| unsupported(Op::KwNames))
}
