//! Makes code that is the same in every version.
//!
//! A [`Builder`] appends instructions to the body of a code object and keeps its names and constants. A method does one
//! thing that Python's compiler would do, in the way of the version: see `dialect`.
//!
//! Invariants: a label is bound once, and what is appended later stands later: a label that is bound already lies
//! backwards. The body is checked when it is encoded, not before.

use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;

use super::borrowed::own_loads;
use super::call_pads::pad_calls;
use super::dialect::{Condition, Dialect};
use super::opcodes::ArgKind;
use super::operands::SUBSCRIPT;
use super::{
    Arg, Body, CodeObject, Comparison, Const, ConstId, EncodeError, HandlerId, Inst, InstData, Label, LocalId, NameId,
    Op, Span, Version,
};

/// The flag of a closure in `MAKE_FUNCTION` and `SET_FUNCTION_ATTRIBUTE`.
const CLOSURE: u32 = 8;

/// A code object in the making.
#[derive(Clone, Debug)]
pub struct Builder {
    code: CodeObject,
    body: Body,
    dialect: &'static Dialect,
    /// Labels that stand before the next instruction.
    waiting: Vec<Label>,
    span: Option<Span>,
    handler: PackedOption<HandlerId>,
    /// The constants by [`Const::bucket`], and how many of them are there already.
    by_hash: FxHashMap<u64, Vec<ConstId>>,
    hashed: usize,
}

impl Builder {
    /// Appends to an empty body. Of `code` the names, constants and everything but the instructions are taken over.
    pub fn new(version: Version, code: CodeObject) -> Builder {
        Builder::over(code, Body::new(version))
    }

    /// Appends to a body, whose names and constants are those of `code`.
    pub fn over(code: CodeObject, mut body: Body) -> Builder {
        let dialect = Dialect::of(body.version());
        own_loads(&mut body);
        let (waiting, by_hash) = (Vec::new(), FxHashMap::default());
        Builder { code, body, dialect, waiting, span: None, handler: None.into(), by_hash, hashed: 0 }
    }

    /// The code object with its body encoded.
    ///
    /// # Errors
    /// The body's stack does not add up, or a label is not bound.
    pub fn finish(mut self) -> Result<CodeObject, EncodeError> {
        pad_calls(&mut self.body);
        self.code.with_body(&self.body)
    }

    /// The code object, with whatever instructions it came with, and the body.
    pub fn into_parts(self) -> (CodeObject, Body) {
        (self.code, self.body)
    }

    /// The body as it stands.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The body, to be changed.
    pub fn body_mut(&mut self) -> &mut Body {
        &mut self.body
    }

    /// Sets the span of the source that the next instructions come from.
    pub fn set_span(&mut self, span: Option<Span>) {
        self.span = span;
    }

    /// Sets the exception handler of the next instructions.
    pub fn set_handler(&mut self, handler: Option<HandlerId>) {
        self.handler = handler.into();
    }

    /// Appends any instruction. Ops that take no argument ignore it.
    pub fn emit(&mut self, op: Op, arg: u32) -> Inst {
        let none = self.body.table().by_op(op).is_some_and(|row| row.arg == ArgKind::None);
        self.push(op, if none { Arg::None } else { Arg::Int(arg) })
    }

    fn push(&mut self, op: Op, arg: Arg) -> Inst {
        let inst = self.body.push(InstData { op, arg, span: self.span, handler: self.handler });
        for label in self.waiting.drain(..) {
            self.body.bind(label, inst);
        }
        inst
    }

    /// The number of a name, which is new or not.
    pub fn name(&mut self, name: &str) -> NameId {
        let known = self.code.names.iter().position(|known| known == name);
        NameId::new(known.unwrap_or_else(|| {
            self.code.names.push(name.to_owned());
            self.code.names.len() - 1
        }))
    }

    /// The number of a constant, which is new or not.
    pub fn constant(&mut self, value: Const) -> ConstId {
        for (number, known) in self.code.consts.iter().enumerate().skip(self.hashed) {
            self.by_hash.entry(known.bucket()).or_default().push(ConstId::new(number));
        }
        self.hashed = self.code.consts.len();
        let alike = self.by_hash.get(&value.bucket()).map_or(&[][..], Vec::as_slice);
        if let Some(&known) = alike.iter().find(|known| self.code.consts[known.index()].is_same(&value)) {
            return known;
        }
        self.code.consts.push(value);
        ConstId::new(self.hashed)
    }
}

/// Values in and out.
impl Builder {
    /// Pushes a constant.
    pub fn load_const(&mut self, value: Const) {
        let id = self.constant(value);
        self.emit(Op::LoadConst, id.as_u32());
    }

    /// Pushes a local that is bound.
    pub fn load_local(&mut self, local: LocalId) {
        self.emit(Op::LoadFast, local.as_u32());
    }

    /// Pushes a local; raises if it is not bound.
    pub fn load_checked(&mut self, local: LocalId) {
        self.emit(self.dialect.load_checked, local.as_u32());
    }

    /// Pops into a local. What is popped may be `NULL`: the local is not bound then.
    pub fn store_local(&mut self, local: LocalId) {
        self.emit(Op::StoreFast, local.as_u32());
    }

    /// Unbinds a local that is bound.
    pub fn delete_local(&mut self, local: LocalId) {
        self.emit(Op::DeleteFast, local.as_u32());
    }

    /// Pushes a local and unbinds it.
    pub fn take_local(&mut self, local: LocalId) {
        self.load_local(local);
        self.delete_local(local);
    }

    /// Pushes what is in a cell.
    pub fn load_deref(&mut self, local: LocalId) {
        self.emit(Op::LoadDeref, local.as_u32());
    }

    /// Pops into a cell.
    pub fn store_deref(&mut self, local: LocalId) {
        self.emit(Op::StoreDeref, local.as_u32());
    }

    /// Pushes the cell itself.
    pub fn load_cell(&mut self, local: LocalId) {
        self.emit(self.dialect.load_cell, local.as_u32());
    }

    /// Pushes a global variable.
    pub fn load_global(&mut self, name: &str) {
        self.emit_named(Op::LoadGlobal, name, 0);
    }

    /// Pops into a global variable.
    pub fn store_global(&mut self, name: &str) {
        self.emit_named(Op::StoreGlobal, name, 0);
    }

    /// Deletes a global variable.
    pub fn delete_global(&mut self, name: &str) {
        self.emit_named(Op::DeleteGlobal, name, 0);
    }

    /// Replaces the top by its attribute.
    pub fn load_attr(&mut self, name: &str) {
        self.emit_named(Op::LoadAttr, name, 0);
    }

    /// Pops an object and what its attribute becomes, which lies below it.
    pub fn store_attr(&mut self, name: &str) {
        self.emit_named(Op::StoreAttr, name, 0);
    }

    /// Pops an object and deletes its attribute.
    pub fn delete_attr(&mut self, name: &str) {
        self.emit_named(Op::DeleteAttr, name, 0);
    }

    /// Pops a key and a container, pushes the item.
    pub fn subscript(&mut self) {
        if self.dialect.subscript_operator {
            self.emit(Op::BinaryOp, SUBSCRIPT);
        } else {
            self.emit(Op::BinarySubscr, 0);
        }
    }

    /// Pops a key, a container and what the item becomes.
    pub fn store_subscript(&mut self) {
        self.emit(Op::StoreSubscr, 0);
    }

    /// Pops two values, pushes what comparing them gives.
    pub fn compare(&mut self, comparison: Comparison) {
        let flags = if self.body.version() == Version::V311 { 0 } else { comparison.outcomes() };
        let bits = match self.body.table().by_op(Op::CompareOp).map(|row| row.arg) {
            Some(ArgKind::Compare(bits)) => bits,
            _ => 0,
        };
        self.emit(Op::CompareOp, ((comparison as u32) << bits) | flags);
    }

    /// An op with a name and the flags below it.
    fn emit_named(&mut self, op: Op, name: &str, flags: u32) {
        let bits = match self.body.table().by_op(op).map(|row| row.arg) {
            Some(ArgKind::Name(bits)) => bits,
            _ => 0,
        };
        let id = self.name(name);
        self.emit(op, (id.as_u32() << bits) | flags);
    }
}

/// The stack and what is built of it.
impl Builder {
    /// Pops a value, which is not `NULL`.
    pub fn pop(&mut self) {
        self.emit(Op::PopTop, 0);
    }

    /// Pushes `NULL`.
    pub fn push_null(&mut self) {
        self.emit(Op::PushNull, 0);
    }

    /// Pushes the value that is so deep, the top being 1.
    pub fn copy(&mut self, depth: u32) {
        self.emit(Op::Copy, depth);
    }

    /// Exchanges the top with what is so deep, the top being 1.
    pub fn swap(&mut self, depth: u32) {
        if depth > 1 {
            self.emit(Op::Swap, depth);
        }
    }

    /// Moves what is so deep to the top, the top being 1.
    pub fn lift(&mut self, depth: u32) {
        (2..=depth).for_each(|depth| self.swap(depth));
    }

    /// Moves the top so deep, the top being 1.
    pub fn sink(&mut self, depth: u32) {
        (2..=depth).rev().for_each(|depth| self.swap(depth));
    }

    /// Makes a tuple of so many values.
    pub fn build_tuple(&mut self, count: u32) {
        self.emit(Op::BuildTuple, count);
    }

    /// Makes a list of so many values.
    pub fn build_list(&mut self, count: u32) {
        self.emit(Op::BuildList, count);
    }

    /// Makes a dict of so many pairs, a key below each value.
    pub fn build_map(&mut self, pairs: u32) {
        self.emit(Op::BuildMap, pairs);
    }

    /// Pops a sequence of so many items and pushes them, the first on top.
    pub fn unpack_sequence(&mut self, count: u32) {
        self.emit(Op::UnpackSequence, count);
    }
}

/// Calls and functions.
impl Builder {
    /// Pushes what is to be called as `load` does, and makes it ready for its arguments.
    pub fn callee(&mut self, load: impl FnOnce(&mut Builder)) {
        if self.dialect.null_below {
            self.push_null();
        }
        load(self);
        if !self.dialect.null_below {
            self.push_null();
        }
    }

    /// Replaces the top by its method, ready for its arguments.
    pub fn load_method(&mut self, name: &str) {
        let op = self.dialect.load_method;
        self.emit_named(op, name, u32::from(op == Op::LoadAttr));
    }

    /// Calls what [`Builder::callee`] or [`Builder::load_method`] has made ready, with so many arguments.
    pub fn call(&mut self, count: u32) {
        if self.dialect.precall {
            self.emit(Op::Precall, count);
        }
        self.emit(Op::Call, count);
    }

    /// [`Builder::call`] with keyword arguments: so many arguments in all, of which the last have these names.
    pub fn call_with_names(&mut self, count: u32, names: &[&str]) {
        let names = Const::Tuple(names.iter().map(|&name| Const::Str(name.to_owned())).collect());
        if self.dialect.call_kw {
            self.load_const(names);
            self.emit(Op::CallKw, count);
        } else {
            let names = self.constant(names);
            self.emit(Op::KwNames, names.as_u32());
            self.call(count);
        }
    }

    /// Calls what [`Builder::callee`] has made ready with a tuple and, if there is one above it, a dict.
    pub fn call_unpacked(&mut self, keywords: bool) {
        if self.dialect.keywords_slot && !keywords {
            self.push_null();
        }
        self.emit(Op::CallFunctionEx, u32::from(keywords));
    }

    /// Pushes a function of this code whose closure holds the cells in these slots.
    pub fn make_function(&mut self, code: CodeObject, cells: &[LocalId]) {
        cells.iter().for_each(|&cell| self.load_cell(cell));
        let flags = if cells.is_empty() { 0 } else { CLOSURE };
        if flags != 0 {
            self.build_tuple(cells.len() as u32);
        }
        self.load_const(Const::Code(Box::new(code)));
        self.emit(Op::MakeFunction, if self.dialect.function_flags { flags } else { 0 });
        if flags != 0 && !self.dialect.function_flags {
            self.emit(Op::SetFunctionAttribute, flags);
        }
    }

    /// Pops what the frame returns.
    pub fn return_value(&mut self) {
        self.emit(Op::ReturnValue, 0);
    }
}

/// Labels and jumps.
impl Builder {
    /// A label that is not bound yet.
    pub fn label(&mut self) -> Label {
        self.body.new_label()
    }

    /// Puts a label before the next instruction.
    pub fn bind(&mut self, label: Label) {
        self.waiting.push(label);
    }

    fn is_bound(&self, label: Label) -> bool {
        self.body.target(label).is_some() || self.waiting.contains(&label)
    }

    /// Jumps, either way.
    pub fn jump(&mut self, label: Label) {
        self.push(Op::JumpForward, Arg::Jump(label));
    }

    /// Pops a value and jumps, either way, if the condition holds.
    pub fn jump_if(&mut self, condition: Condition, label: Label) {
        if !self.dialect.any_truth && matches!(condition, Condition::True | Condition::False) {
            self.emit(Op::ToBool, 0);
        }
        if self.is_bound(label) && !self.dialect.backward_branches {
            let skip = self.label();
            self.branch(condition.inverse(), skip);
            self.jump(label);
            self.bind(skip);
        } else {
            self.branch(condition, label);
        }
    }

    fn branch(&mut self, condition: Condition, label: Label) {
        self.push(self.dialect.branch(condition), Arg::Jump(label));
        if self.dialect.not_taken {
            self.emit(Op::NotTaken, 0);
        }
    }
}
