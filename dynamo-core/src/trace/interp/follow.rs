//! A log of the instructions that a trace has run, for those who want to follow it.
//!
//! Invariant: following looks at no object that the trace has not looked at, so that it adds no guard.

use crate::{
    bytecode::{Const, Inst, Operand, Version, offsets},
    trace::{
        Tracer,
        core::{
            call_stack::Followed,
            frame::{self, Frame},
            state::{Sort, State},
            value::{Value, ValueId},
        },
    },
};

impl Tracer<'_> {
    /// Notes an instruction that is about to run.
    pub(in crate::trace) fn follow(&mut self, f: &Frame, inst: Inst) {
        let stack = f.stack.iter().map(|&value| self.glance(value)).collect();
        let (file, line, function) = frame::line_of(f);
        let arg = arg_text(f, inst, self.host.version());
        let (depth, opcode) = (self.call_stack.lines.len().saturating_sub(1), f.body().inst(inst).op.to_string());
        self.call_stack.followed.push(Followed { place: (file, line, function), depth, opcode, arg, stack });
    }

    /// The word that torch's tracer has for a value of this kind, where it has one. The value is not looked at for it.
    fn glance(&mut self, value: ValueId) -> String {
        let value = self.objects.forced.get(&value).copied().unwrap_or(value);
        match &self.objects.values[value] {
            Value::Null => "NullVariable".to_owned(),
            &Value::Lazy(obj) => format!("LazyVariableTracker(unrealized: {})", self.host.class_repr(obj)),
            Value::Computed(..) => "LazyVariableTracker(unrealized: <class 'int'>)".to_owned(),
            Value::Const(constant) => format!("ConstantVariable({}: {constant})", constant.type_name()),
            Value::Tensor(_) => "TensorVariable()".to_owned(),
            value if value.is_symbolic() => "SymNodeVariable()".to_owned(),
            Value::Size(items) => format!("SizeVariable(length={})", items.len()),
            Value::Exit(..) => "WithExitFunctionVariable()".to_owned(),
            Value::BoundBuiltin { this, name } => {
                let (this, name) = (*this, name.clone());
                format!("CallMethodVariable({}, {name})", self.glance(this))
            }
            Value::Object(class, _) => {
                format!("UserDefinedObjectVariable({})", class.rsplit('.').next().unwrap_or(class))
            }
            Value::Tuple(items) => format!("TupleVariable(length={})", items.len()),
            Value::Function(_) => "UserFunctionVariable()".to_owned(),
            Value::State(state) => match self.heap.sort(*state) {
                Sort::List => {
                    let State::List(items) = self.heap.get(*state) else { return self.describe(value) };
                    format!("ListVariable(length={})", items.len())
                }
                Sort::Dict => "ConstDictVariable()".to_owned(),
                Sort::Cell => "CellVariable()".to_owned(),
                Sort::Deque | Sort::Set | Sort::Iter | Sort::Stack | Sort::Instance | Sort::Slot => {
                    self.describe(value)
                }
            },
            _ => self.describe(value),
        }
    }
}

/// The argument of an instruction, as `dis` has it in `argval`.
fn arg_text(f: &Frame, inst: Inst, version: Version) -> String {
    match f.body().operand(inst) {
        Some(Operand::Const(id)) => f.constant(id).map_or_else(|_| String::new(), constant_text),
        Some(Operand::Name(id, _)) => f.name(id).unwrap_or_default(),
        Some(Operand::Local(id)) => f.local_name(id).to_owned(),
        Some(Operand::LocalPair(a, b)) => format!("('{}', '{}')", f.local_name(a), f.local_name(b)),
        Some(Operand::Compare(comparison, _)) => comparison.symbol().to_owned(),
        Some(Operand::Int(arg)) => arg.to_string(),
        Some(Operand::Jump(label)) => {
            let place = f.body().target(label).map(|to| f.code.places[to] as usize);
            let offsets = offsets(version, &f.code.object).unwrap_or_default();
            place.and_then(|place| offsets.get(place)).map_or_else(|| label.to_string(), ToString::to_string)
        }
        Some(Operand::None) | None => "None".to_owned(),
    }
}

/// As `str` writes it.
fn constant_text(constant: &Const) -> String {
    match constant {
        Const::Str(text) => text.clone(),
        Const::Tuple(items) => {
            let items: Vec<String> = items.iter().map(repr_text).collect();
            format!("({}{})", items.join(", "), if items.len() == 1 { "," } else { "" })
        }
        Const::Code(code) => {
            format!("<code object {}, file \"{}\", line {}>", code.name, code.filename, code.firstlineno)
        }
        other => other.to_string(),
    }
}

/// As `repr` writes it.
fn repr_text(constant: &Const) -> String {
    match constant {
        Const::Str(text) => guards::Constant::from(text.as_str()).to_string(),
        other => constant_text(other),
    }
}
