//! A frame of the traced program: its code, where it stands, its locals and its stack.

use super::{context::Context, ids::ValueId};
use crate::{
    bytecode::{Arg, Body, Const, ConstId, Inst, InstData, Label, LocalId, NameId, Op, Span},
    host::{Code, Obj},
    reason::{Kind, Reason},
};
use cranelift_entity::{EntityRef, packed_option::PackedOption};
use guards::SourceId;
use std::rc::Rc;

/// A scope of global variables: the dict, and how it is reached; without a source it is the root function's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Globals {
    /// The dict.
    pub(in crate::trace) dict: Obj,
    /// The source of the function that has it, if that is not the root.
    pub(in crate::trace) owner: PackedOption<SourceId>,
}

/// A frame.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Frame {
    /// Its code.
    pub(in crate::trace) code: Rc<Code>,
    /// The handle of the code object among whose constants its own are, if there is one.
    pub(in crate::trace) code_obj: Option<Obj>,
    /// Its globals.
    pub(in crate::trace) globals: Globals,
    /// The fast locals: locals, cells, free variables.
    pub(in crate::trace) locals: Vec<Option<ValueId>>,
    /// The stack, bottom first.
    pub(in crate::trace) stack: Vec<ValueId>,
    /// The place of the next instruction in the body's order.
    pub(in crate::trace) at: usize,
    /// The names of keyword arguments, between `KW_NAMES` and the call (3.11, 3.12).
    pub(in crate::trace) keywords: Vec<String>,
    /// The cells of the free variables.
    pub(in crate::trace) closure: Vec<ValueId>,
    /// The exception that a generator handles while it waits.
    pub(in crate::trace) handled: Option<ValueId>,
    /// The manager that a generator enters whenever it goes on, and leaves whenever it waits.
    pub(in crate::trace) within: Option<Context>,
    /// The dict that `locals()` has given.
    pub(in crate::trace) variables: Option<ValueId>,
    /// Whether the last instruction has dropped an object with a finalizer, which has to run before the next one.
    pub(in crate::trace) finalizes: bool,
}

impl Frame {
    /// A frame before its first instruction, without arguments.
    pub(in crate::trace) fn new(
        code: Rc<Code>,
        code_obj: Option<Obj>,
        globals: Globals,
        closure: Vec<ValueId>,
    ) -> Frame {
        let locals = vec![None; code.object.local_count()];
        Frame {
            code,
            code_obj,
            globals,
            locals,
            stack: Vec::new(),
            at: 0,
            keywords: Vec::new(),
            closure,
            handled: None,
            within: None,
            variables: None,
            finalizes: false,
        }
    }

    /// The instructions.
    pub(in crate::trace) fn body(&self) -> &Body {
        &self.code.body
    }

    /// The next instruction.
    pub(in crate::trace) fn inst(&self) -> Option<Inst> {
        self.body().order().get(self.at).copied()
    }

    /// The next instruction.
    pub(in crate::trace) fn data(&self) -> Option<&InstData> {
        self.inst().map(|inst| self.body().inst(inst))
    }

    /// True for a generator's frame that waits within a `yield from`.
    pub(in crate::trace) fn delegates(&self) -> bool {
        // What it goes on with says after what: 2 stands for `yield from`, beside flags.
        self.data().is_some_and(|data| data.op == Op::Resume && matches!(data.arg, Arg::Int(after) if after & 3 == 2))
    }

    /// The source range of the next instruction.
    pub(in crate::trace) fn span(&self) -> Option<Span> {
        self.data().and_then(|data| data.span)
    }

    /// The line of the next instruction.
    pub(in crate::trace) fn line(&self) -> i32 {
        self.span().map_or(self.code.object.firstlineno, |span| span.line)
    }

    /// Goes on at a label.
    pub(in crate::trace) fn jump(&mut self, label: Label) -> Result<(), Reason> {
        let to = self.body().target(label).ok_or_else(|| broken("a jump to nowhere"))?;
        self.at = self.code.places[to] as usize;
        Ok(())
    }

    /// Puts a value on the stack.
    pub(in crate::trace) fn push(&mut self, value: ValueId) {
        self.stack.push(value);
    }

    /// Takes a value off the stack.
    pub(in crate::trace) fn pop(&mut self) -> Result<ValueId, Reason> {
        self.stack.pop().ok_or_else(|| broken("an empty stack"))
    }

    /// Takes so many values off the stack; the one that was pushed first is first.
    pub(in crate::trace) fn pop_many(&mut self, count: usize) -> Result<Vec<ValueId>, Reason> {
        let from = self.stack.len().checked_sub(count).ok_or_else(|| broken("an empty stack"))?;
        Ok(self.stack.split_off(from))
    }

    /// The place on the stack that is so deep, the top being 1.
    pub(in crate::trace) fn place(&self, depth: usize) -> Result<usize, Reason> {
        let place = self.stack.len().checked_sub(depth).filter(|_| depth > 0);
        place.ok_or_else(|| broken("an empty stack"))
    }

    /// A name of the code object.
    pub(in crate::trace) fn name(&self, id: NameId) -> Result<String, Reason> {
        self.code.object.names.get(id.index()).cloned().ok_or_else(|| broken("a name that is not there"))
    }

    /// A constant of the code object.
    pub(in crate::trace) fn constant(&self, id: ConstId) -> Result<&Const, Reason> {
        self.code.object.consts.get(id.index()).ok_or_else(|| broken("a constant that is not there"))
    }

    /// The name of a local.
    pub(in crate::trace) fn local_name(&self, id: LocalId) -> &str {
        self.code.object.local_names().nth(id.index()).unwrap_or("?")
    }

    /// The value of a local variable.
    pub(in crate::trace) fn local(&self, id: LocalId) -> Result<ValueId, Reason> {
        let value = self.locals.get(id.index()).copied().flatten();
        value.ok_or_else(|| Reason::unbound(self.local_name(id)))
    }

    /// The slot of a local.
    pub(in crate::trace) fn local_mut(&mut self, id: LocalId) -> Result<&mut Option<ValueId>, Reason> {
        self.locals.get_mut(id.index()).ok_or_else(|| broken("a local that is not there"))
    }
}

/// The successor of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Next {
    /// With its next instruction.
    Go,
    /// At its caller, which gets this value.
    Return(ValueId),
    /// At its caller, which gets this value; the generator is suspended.
    Yield(ValueId),
}

pub(in crate::trace) fn line_of(frame: &Frame) -> (String, i32, String) {
    let object = &frame.code.object;
    (object.filename.clone(), frame.line(), object.name.clone())
}

/// The reason for bytecode that no compiler emits.
fn broken(what: &str) -> Reason {
    Reason::new(Kind::Opcode, format!("The code names {what}."))
}
