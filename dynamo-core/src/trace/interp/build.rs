//! Instructions that make dict_methods, strings and functions, add to containers, or take them apart.

use super::step::unsupported;
use crate::{
    bytecode::{
        Op,
        operands::{CommonConstant, Conversion, FunctionAttribute, HAS_FORMAT_SPEC},
    },
    host::FunctionPolicy,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            frame::Frame,
            state::State,
            value::{Function, Value, ValueId},
        },
        python::{dict_methods, sets},
    },
};
use guards::Constant;
use indexmap::IndexMap;
use std::rc::Rc;

impl Tracer<'_> {
    /// `BUILD_LIST`
    pub(in crate::trace) fn build_list(&mut self, f: &mut Frame, count: usize) -> Traced<()> {
        let items = f.pop_many(count)?;
        self.push_state(f, State::List(items));
        Ok(())
    }

    /// `BUILD_SET`
    pub(in crate::trace) fn build_set(&mut self, f: &mut Frame, count: usize) -> Traced<()> {
        let items = f.pop_many(count)?;
        let (items, made) = sets::of_items(self, items)?;
        self.push_state(f, State::Set(items, made));
        Ok(())
    }

    /// `BUILD_MAP`
    pub(in crate::trace) fn build_map(&mut self, f: &mut Frame, count: usize) -> Traced<()> {
        let mut items = IndexMap::new();
        for pair in f.pop_many(2 * count)?.chunks_exact(2) {
            let (key, value) = (self.force(pair[0])?, pair[1]);
            items.entry(self.key(key)?).or_insert((key, value)).1 = value;
        }
        self.push_state(f, State::Dict(items));
        Ok(())
    }

    /// `BUILD_CONST_KEY_MAP`
    pub(in crate::trace) fn build_const_key_map(&mut self, f: &mut Frame, count: usize) -> Traced<()> {
        let keys = f.pop()?;
        let (keys, values) = (self.all_items(keys)?, f.pop_many(count)?);
        let mut items = IndexMap::new();
        for (key, value) in keys.into_iter().zip(values) {
            items.entry(self.key(key)?).or_insert((key, value)).1 = value;
        }
        self.push_state(f, State::Dict(items));
        Ok(())
    }

    /// `BUILD_SLICE`
    pub(in crate::trace) fn build_slice(&mut self, f: &mut Frame, count: usize) -> Traced<()> {
        let parts = f.pop_many(count)?;
        let &[start, stop, ref step @ ..] = &parts[..] else { return Err(unsupported(Op::BuildSlice)) };
        let step = step.first().copied().unwrap_or_else(|| self.none());
        self.push_value(f, Value::Slice([start, stop, step]));
        Ok(())
    }

    /// `LOAD_COMMON_CONSTANT`
    pub(in crate::trace) fn load_common_constant(&mut self, f: &mut Frame, number: u32) -> Traced<()> {
        match CommonConstant::decode(number) {
            Some(CommonConstant::Class(name)) => self.load_builtin_class(f, name)?,
            Some(CommonConstant::Function(name)) => self.push_value(f, Value::Builtin(name.to_owned())),
            None => return Err(unsupported(Op::LoadCommonConstant)),
        }
        Ok(())
    }

    /// `BUILD_STRING`
    pub(in crate::trace) fn build_string(&mut self, f: &mut Frame, count: usize) -> Traced<()> {
        let mut text = String::new();
        for part in f.pop_many(count)? {
            match self.get(part)? {
                Value::Const(Constant::Str(part)) => text += &part,
                _ => return Err(Reason::new(Kind::Operator, "A string of something that is computed.")),
            }
        }
        self.push_value(f, Value::Const(Constant::Str(text)));
        Ok(())
    }

    /// `LIST_TO_TUPLE`
    pub(in crate::trace) fn list_to_tuple(&mut self, f: &mut Frame) -> Traced<()> {
        let list = f.pop()?;
        let items = self.all_items(list)?;
        self.push_value(f, Value::Tuple(items));
        Ok(())
    }

    fn push_state(&mut self, f: &mut Frame, state: State) {
        let value = self.state(state);
        f.push(value);
    }

    /// Adds what is on the top to the container that lies `depth` below it.
    pub(in crate::trace) fn grow(&mut self, f: &mut Frame, op: Op, depth: usize) -> Traced<()> {
        let value = f.pop()?;
        let key = if op == Op::MapAdd { Some(f.pop()?) } else { None };
        let container = f.stack[f.place(depth)?];
        let Value::State(state) = self.get(container)? else { return Err(unsupported(op)) };
        let mut new = self.heap.get(state).clone();
        match (op, &mut new) {
            (Op::ListAppend, State::List(items)) => items.push(value),
            (Op::ListExtend, State::List(items)) => items.extend(self.listed_items(value)?),
            (Op::SetAdd, State::Set(items, made)) => {
                items.entry(self.key(value)?).or_insert(value);
                *made = made.with_item(self, "add", value)?;
            }
            (Op::SetUpdate, State::Set(items, made)) => *made = sets::update(self, items, made, value)?,
            (Op::MapAdd, State::Dict(items)) => {
                let key = key.ok_or_else(|| unsupported(op))?;
                items.entry(self.key(key)?).or_insert((key, value)).1 = value;
            }
            (Op::DictUpdate | Op::DictMerge, State::Dict(items)) => {
                let refused = || raised("TypeError: a mapping is expected");
                for (key, value) in dict_methods::mapping_entries(self, value)?.ok_or_else(refused)? {
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

    pub(in crate::trace) fn unpack_starred(&mut self, f: &mut Frame, arg: u32) -> Traced<()> {
        let (before, after) = ((arg & 0xff) as usize, (arg >> 8) as usize);
        let value = f.pop()?;
        let mut items = self.all_items(value)?;
        if items.len() < before + after {
            let text =
                format!("not enough values to unpack (expected at least {}, got {})", before + after, items.len());
            return Err(raised(&format!("ValueError: {text}")).verbatim());
        }
        let tail = items.split_off(items.len() - after);
        let middle = items.split_off(before);
        let middle = self.state(State::List(middle));
        f.stack.extend(tail.into_iter().rev());
        f.push(middle);
        f.stack.extend(items.into_iter().rev());
        Ok(())
    }

    /// `MAKE_FUNCTION`: the flags' values lie below the code until 3.12; later `SET_FUNCTION_ATTRIBUTE` adds them.
    pub(in crate::trace) fn make_function(&mut self, f: &mut Frame, flags: u32) -> Traced<()> {
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
            policy: FunctionPolicy::Inlined,
            annotations: None,
            annotate: None,
        };
        for attribute in FunctionAttribute::of_flags(flags) {
            let value = f.pop()?;
            self.add_attribute(&mut function, attribute, value)?;
        }
        self.push_value(f, Value::Function(Rc::new(function)));
        Ok(())
    }

    /// `SET_FUNCTION_ATTRIBUTE`
    pub(in crate::trace) fn set_function_attribute(&mut self, f: &mut Frame, arg: u32) -> Traced<()> {
        let unknown = || unsupported(Op::SetFunctionAttribute);
        let (function, value) = (f.pop()?, f.pop()?);
        let Value::Function(made) = self.get(function)? else { return Err(unknown()) };
        let mut made = Function::clone(&made);
        self.add_attribute(&mut made, FunctionAttribute::decode(arg).ok_or_else(unknown)?, value)?;
        self.push_value(f, Value::Function(Rc::new(made)));
        Ok(())
    }

    fn add_attribute(&mut self, function: &mut Function, attribute: FunctionAttribute, value: ValueId) -> Traced<()> {
        match attribute {
            FunctionAttribute::Defaults => function.defaults = self.all_items(value)?,
            FunctionAttribute::KwDefaults => {
                for (key, value) in dict_methods::pairs(self, value)? {
                    if let Value::Const(Constant::Str(name)) = self.get(key)? {
                        function.kwdefaults.push((name, value));
                    }
                }
            }
            FunctionAttribute::Annotations => function.annotations = Some(value),
            FunctionAttribute::Annotate => function.annotate = Some(value),
            FunctionAttribute::Closure => function.closure = self.all_items(value)?,
        }
        Ok(())
    }

    pub(in crate::trace) fn format(&mut self, f: &mut Frame, op: Op, arg: u32) -> Traced<()> {
        let with_spec = op == Op::FormatWithSpec || op == Op::FormatValue && arg & HAS_FORMAT_SPEC != 0;
        let spec = if with_spec { f.pop()? } else { self.constant(Constant::Str(String::new())) };
        let value = f.pop()?;
        let conversion = match op {
            Op::FormatValue | Op::ConvertValue => Conversion::decode(arg),
            _ => None,
        };
        let text = match (op, conversion) {
            (Op::ConvertValue, Some(conversion)) => {
                let value = self.specialised(value)?;
                let text = self.converted(value, conversion)?.ok_or_else(|| self.no_text(value))?;
                self.of_constant(text)
            }
            _ => self.formatted(value, conversion, spec)?,
        };
        f.push(text);
        Ok(())
    }
}
