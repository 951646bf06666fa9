//! The code of a resume function: what puts the frame together again, and what is left of the original.

use cranelift_entity::EntityRef;

use super::plan::Plan;
use super::unbound::add_handler;
use super::{Continuation, Form};
use crate::bytecode::code::flags;
use crate::bytecode::flow::ControlFlow;
use crate::bytecode::renumber::renumber_locals;
use crate::bytecode::unreachable::remove_idle_jumps;
use crate::bytecode::unused::drop_unused;
use crate::bytecode::{Body, Builder, CodeObject, Condition, EncodeError, LocalId, Op, Slot, Span};

/// The prefix of torch's names of resume functions.
const PREFIX: &str = "torch_dynamo_resume_in_";

/// The code object, by the plan.
pub(super) fn assemble(
    plan: &Plan,
    code: &CodeObject,
    body: &Body,
    flow: &ControlFlow,
    from: &Continuation<'_>,
) -> Result<CodeObject, EncodeError> {
    let mut body = body.clone();
    let reached = flow.reachable(from.at);
    body.retain(|inst, _| reached[inst]);
    renumber_locals(&mut body, |id| plan.slots[id.index()]);
    let mut header = header(plan, code, from);
    drop_unused(&mut header, &mut body);
    let mut builder = Builder::over(header, body);
    for &(read, name) in &plan.unbound {
        add_handler(&mut builder, read, name);
    }
    let original = builder.body().order().len();
    Prologue { builder: &mut builder, next: 0 }.emit(plan, code, from);
    let body = builder.body_mut();
    body.move_tail(original, 0);
    remove_idle_jumps(body);
    builder.finish()
}

/// Everything but the instructions.
fn header(plan: &Plan, code: &CodeObject, from: &Continuation<'_>) -> CodeObject {
    let name = if code.is_generator() { code.name.clone() } else { name(&code.name, from.line) };
    let outer = code.qualname.strip_suffix(&code.name).unwrap_or_default();
    CodeObject {
        argcount: plan.parameters.len() as u32,
        posonlyargcount: 0,
        kwonlyargcount: 0,
        // Constants that are not used are dropped, the docstring with them.
        flags: code.flags & !(flags::VARARGS | flags::VARKEYWORDS | flags::HAS_DOCSTRING),
        qualname: format!("{outer}{name}"),
        name,
        varnames: plan.varnames.clone(),
        cellvars: Vec::new(),
        freevars: plan.freevars.clone(),
        ..code.clone()
    }
}

/// The name of a resume function. That of a resume function's is made of the original's again.
fn name(name: &str, line: i32) -> String {
    let original = name.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once("_at_")).map_or(name, |(name, _)| name);
    format!("{PREFIX}{original}_at_{line}")
}

/// Makes the prologue.
struct Prologue<'a> {
    builder: &'a mut Builder,
    /// The parameter that comes next.
    next: usize,
}

impl Prologue<'_> {
    fn emit(&mut self, plan: &Plan, code: &CodeObject, from: &Continuation<'_>) {
        self.builder.set_span(Some(Span::line(code.firstlineno)));
        if !plan.freevars.is_empty() {
            self.builder.emit(Op::CopyFreeVars, plan.freevars.len() as u32);
        }
        if code.is_generator() {
            self.builder.emit(Op::ReturnGenerator, 0);
            self.builder.pop();
        }
        self.builder.emit(Op::Resume, 0);
        self.builder.set_span(self.builder.body().inst(from.at).span);
        for &slot in from.stack {
            self.push(slot);
        }
        for (index, parameter) in plan.parameters.iter().enumerate().skip(self.next) {
            if parameter.form == Form::Boxed {
                self.unpack_local(LocalId::new(index));
            }
        }
        let at = self.builder.body_mut().label_at(from.at);
        self.builder.jump(at);
    }

    /// Pushes what one slot of the stack held.
    fn push(&mut self, slot: Slot) {
        if slot == Slot::Empty {
            return self.builder.push_null();
        }
        let parameter = LocalId::new(self.next);
        self.next += 1;
        if slot == Slot::Either {
            self.unpack(parameter, Builder::push_null);
        } else {
            self.builder.load_local(parameter);
        }
        self.builder.delete_local(parameter);
    }

    /// Gives a local the value that its tuple holds, or none.
    fn unpack_local(&mut self, local: LocalId) {
        let end = self.builder.label();
        let empty = self.builder.label();
        self.builder.load_local(local);
        self.builder.jump_if(Condition::False, empty);
        self.builder.load_local(local);
        self.builder.unpack_sequence(1);
        self.builder.store_local(local);
        self.builder.jump(end);
        self.builder.bind(empty);
        self.builder.delete_local(local);
        self.builder.bind(end);
    }

    /// Pushes the value that a tuple holds, or what `otherwise` does.
    fn unpack(&mut self, tuple: LocalId, otherwise: impl FnOnce(&mut Builder)) {
        let end = self.builder.label();
        let empty = self.builder.label();
        self.builder.load_local(tuple);
        self.builder.jump_if(Condition::False, empty);
        self.builder.load_local(tuple);
        self.builder.unpack_sequence(1);
        self.builder.jump(end);
        self.builder.bind(empty);
        otherwise(self.builder);
        self.builder.bind(end);
    }
}
