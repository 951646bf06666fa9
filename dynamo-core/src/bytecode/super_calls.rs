//! Gives `super()` its arguments.
//!
//! Without arguments, `super` looks into the frame of its caller for the cell `__class__` and for the first parameter.
//! A resume function has others in that place. With the arguments written out it does not look.
//!
//! `LOAD_SUPER_ATTR` has them on the stack in any case; a flag says whether the call is to be made with them.

use super::access::local_arg;
use super::dialect::Dialect;
use super::{Arg, Body, CodeObject, Inst, InstData, LocalId, Op, Operand};

/// The flag of `LOAD_SUPER_ATTR` for a call that was written with arguments.
const WITH_ARGUMENTS: u32 = 2;

/// Writes out the arguments of every `super()`.
pub fn explicit_super(code: &CodeObject, body: &mut Body) {
    let Some(places) = Places::of(code) else { return };
    for inst in body.order().to_vec() {
        match bare_super(code, body, inst) {
            None => {}
            Some(Bare::Attribute(arg)) => body.inst_mut(inst).arg = Arg::Int(arg | WITH_ARGUMENTS),
            Some(Bare::Call) => places.add_arguments(body, inst),
        }
    }
}

/// Whether `inst` begins a `super()` without arguments.
pub(super) fn is_bare_super(code: &CodeObject, body: &Body, inst: Inst) -> bool {
    Places::of(code).is_some() && bare_super(code, body, inst).is_some()
}

/// Whether `inst` loads the `super` of a call without arguments, which the next instruction makes.
pub(crate) fn is_bare_super_call(code: &CodeObject, body: &Body, inst: Inst) -> bool {
    body.inst(inst).op == Op::LoadGlobal && is_bare_super(code, body, inst)
}

/// Whether a `super()` of this code raises for want of a first parameter, which another code object with its body may
/// have.
pub(crate) fn lacks_object(code: &CodeObject, body: &Body) -> bool {
    code.argcount == 0 && body.order().iter().any(|&inst| bare_super(code, body, inst).is_some())
}

/// The forms in which `super()` is compiled.
enum Bare {
    /// Together with the attribute that is taken of it; the argument as it stands.
    Attribute(u32),
    /// As a call of the global variable.
    Call,
}

fn bare_super(code: &CodeObject, body: &Body, inst: Inst) -> Option<Bare> {
    let data = body.inst(inst);
    match (data.op, data.arg, body.operand(inst)?) {
        (Op::LoadSuperAttr, Arg::Int(arg), _) if arg & WITH_ARGUMENTS == 0 => Some(Bare::Attribute(arg)),
        (Op::LoadGlobal, _, Operand::Name(name, _)) if code.names.get(name.as_u32() as usize)? == "super" => {
            let index = body.order().iter().position(|&other| other == inst)?;
            let next = body.inst(*body.order().get(index + 1)?);
            let called = matches!(next.op, Op::Precall | Op::Call) && next.arg == Arg::Int(0);
            called.then_some(Bare::Call)
        }
        _ => None,
    }
}

/// The locals that hold the arguments.
struct Places {
    class: LocalId,
    object: LocalId,
    /// Whether the object is in a cell.
    in_cell: bool,
}

impl Places {
    /// None if `super()` raises, and would even with arguments.
    fn of(code: &CodeObject) -> Option<Places> {
        let free = code.freevars.iter().position(|name| name == "__class__")?;
        let class = code.local_count() - code.freevars.len() + free;
        let object = code.varnames.first().filter(|_| code.argcount > 0)?;
        Some(Places {
            class: LocalId::from_u32(class as u32),
            object: LocalId::from_u32(0),
            in_cell: code.cellvars.contains(object),
        })
    }

    /// Adds them to the call of what `inst` loads.
    fn add_arguments(&self, body: &mut Body, inst: Inst) {
        let data = *body.inst(inst);
        let load = if self.in_cell { Op::LoadDeref } else { Dialect::of(body.version()).load_checked };
        let arguments = [(Op::LoadDeref, self.class), (load, self.object)];
        let Some(index) = body.order().iter().position(|&other| other == inst) else { return };
        body.insert(index + 1, arguments.map(|(op, local)| InstData { op, arg: local_arg(local), ..data }));
        for offset in [3, 4] {
            if let Some(&call) = body.order().get(index + offset)
                && matches!(body.inst(call).op, Op::Precall | Op::Call)
            {
                body.inst_mut(call).arg = Arg::Int(2);
            }
        }
    }
}
