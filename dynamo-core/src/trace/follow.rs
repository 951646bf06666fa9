//! What a trace has run, instruction by instruction, for who wants to follow it.
//!
//! Invariant: following looks at no object that the trace has not looked at, so that it adds no guard.

use super::{
    Tracer,
    frame::Frame,
    value::{State, Value, ValueId},
};
use crate::bytecode::{Inst, Operand};

/// One instruction, before it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Followed {
    /// Its file, line and function.
    pub place: (String, i32, String),
    /// How many calls are inlined around it.
    pub depth: usize,
    /// Its opcode.
    pub opcode: String,
    /// What it works with, as the disassembler prints it.
    pub arg: String,
    /// The stack, bottom first.
    pub stack: Vec<String>,
}

impl Tracer<'_> {
    /// Notes an instruction that is about to run.
    pub(super) fn follow(&mut self, f: &Frame, inst: Inst) {
        let stack = f.stack.iter().map(|&value| self.glance(value)).collect();
        let (file, line, function) = super::line_of(f);
        let (depth, opcode) = (self.lines.len().saturating_sub(1), f.body().inst(inst).op.to_string());
        self.followed.push(Followed { place: (file, line, function), depth, opcode, arg: arg_text(f, inst), stack });
    }

    /// A word for a value, which is not looked at for it.
    fn glance(&mut self, value: ValueId) -> String {
        let value = self.forced.get(&value).copied().unwrap_or(value);
        match &self.values[value] {
            Value::Null => "NULL".to_owned(),
            Value::Lazy(_) => match self.source(value) {
                Some(source) => format!("unseen({})", self.sources.display(source)),
                None => "unseen".to_owned(),
            },
            Value::Computed(..) => "int".to_owned(),
            Value::Tensor(node) => format!("tensor({})", self.graph[*node].name),
            Value::SymInt { node, .. } => format!("int({})", self.graph[*node].name),
            Value::SymFloat { node, .. } => format!("float({})", self.graph[*node].name),
            Value::SymBool { node, .. } => format!("bool({})", self.graph[*node].name),
            Value::State(state) if matches!(self.heap.get(*state), State::Cell(_)) => "a cell".to_owned(),
            _ => self.describe(value),
        }
    }
}

fn arg_text(f: &Frame, inst: Inst) -> String {
    match f.body().operand(inst) {
        Some(Operand::Const(id)) => f.constant(id).map_or_else(|_| String::new(), ToString::to_string),
        Some(Operand::Name(id, _)) => f.name(id).unwrap_or_default(),
        Some(Operand::Local(id)) => f.local_name(id).to_owned(),
        Some(Operand::LocalPair(a, b)) => format!("({}, {})", f.local_name(a), f.local_name(b)),
        Some(Operand::Compare(comparison, _)) => comparison.sign().to_owned(),
        Some(Operand::Int(arg)) => arg.to_string(),
        Some(Operand::Jump(label)) => format!("to {label}"),
        Some(Operand::None) | None => String::new(),
    }
}
