//! The slots that the original's locals have in a resume function, and those of them that are parameters.

use cranelift_entity::{EntityRef, SecondaryMap};

use super::unbound::{Unbound, unbound};
use super::{Continuation, Form, LocalSet, Obstacle, Parameter, ResumeError, Source};
use crate::bytecode::access::{Access, free_slots, reached_accesses};
use crate::bytecode::flow::ControlFlow;
use crate::bytecode::liveness::Liveness;
use crate::bytecode::{Body, CodeObject, Inst, LocalId, Slot};

/// The prefix of the names of parameters for values of the stack.
pub const STACK: &str = "___stack";

/// The assignment of the original's locals to parameters, locals and free variables of the resume function.
pub(super) struct Plan {
    pub(super) parameters: Vec<Parameter>,
    /// The parameters' names, then those of the other locals.
    pub(super) varnames: Vec<String>,
    pub(super) closure: Vec<LocalId>,
    pub(super) freevars: Vec<String>,
    /// The new slot of each old one; anything for those that are not used.
    pub(super) slots: Vec<LocalId>,
    /// The reads of variables in cells that may have no value, each with a local of the variable's name.
    pub(super) unbound: Vec<(Unbound, LocalId)>,
}

impl Plan {
    pub(super) fn new(
        code: &CodeObject,
        body: &Body,
        flow: &ControlFlow,
        from: &Continuation<'_>,
    ) -> Result<Plan, ResumeError> {
        let locals = Locals::new(code);
        check_live(&locals, Liveness::new(code, body, flow).before(from.at), from)?;
        let mut used = LocalSet::new();
        used.extend(reached_accesses(code, body, flow, from.at).map(Access::local));
        let kept = |id: LocalId| used.contains(id) || from.live.iter().any(|&(other, _)| other == id);
        let closure = locals.ids().filter(|&id| locals.is_free(id) || locals.is_shared(id) && kept(id));
        let closure: Vec<LocalId> = closure.collect();
        let mut plan = Plan {
            parameters: Vec::new(),
            varnames: Vec::new(),
            freevars: closure.iter().map(|&id| locals.name(id).to_owned()).collect(),
            slots: vec![LocalId::new(0); locals.names.len()],
            unbound: Vec::new(),
            closure,
        };
        plan.add_stack(from.stack);
        let mut passed = LocalSet::new();
        let live = from.live.iter().map(|&(id, held)| (id, held, Form::Boxed));
        let dead = from.dead.iter().map(|&(id, held)| (id, held, Form::OrNone));
        for (id, held, either) in live.chain(dead).filter(|&(id, held, _)| held != Slot::Empty && !locals.is_shared(id))
        {
            passed.insert(id);
            plan.parameters.push(Parameter { source: Source::Local(id), form: form(held, either) });
            plan.add_local(id, locals.name(id));
        }
        for id in locals.ids().filter(|&id| used.contains(id) && !locals.is_shared(id) && !passed.contains(id)) {
            plan.add_local(id, locals.name(id));
        }
        plan.add_unbound(&locals, &unbound(code, body, flow)?, &flow.reachable(from.at));
        for (index, id) in plan.closure.iter().enumerate() {
            plan.slots[id.index()] = LocalId::new(plan.varnames.len() + index);
        }
        Ok(plan)
    }

    fn add_stack(&mut self, stack: &[Slot]) {
        for (place, &held) in stack.iter().enumerate().filter(|&(_, &held)| held != Slot::Empty) {
            self.parameters.push(Parameter { source: Source::Stack(place), form: form(held, Form::Boxed) });
            self.varnames.push(format!("{STACK}{}", self.varnames.len()));
        }
    }

    fn add_unbound(&mut self, locals: &Locals<'_>, reads: &[Unbound], reached: &SecondaryMap<Inst, bool>) {
        let first = self.varnames.len();
        for &read in reads.iter().filter(|read| reached[read.inst]) {
            let name = locals.name(read.cell);
            let known = self.varnames[first..].iter().position(|known| known == name);
            let local = known.map_or(self.varnames.len(), |at| first + at);
            if known.is_none() {
                self.varnames.push(name.to_owned());
            }
            self.unbound.push((read, LocalId::new(local)));
        }
    }

    fn add_local(&mut self, id: LocalId, name: &str) {
        self.slots[id.index()] = LocalId::new(self.varnames.len());
        self.varnames.push(name.to_owned());
    }
}

/// The form in which a slot is passed; `either` where it may hold nothing.
fn form(held: Slot, either: Form) -> Form {
    if held == Slot::Either { either } else { Form::Value }
}

/// The locals of a code object, and their kinds.
struct Locals<'a> {
    names: Vec<&'a str>,
    code: &'a CodeObject,
}

impl<'a> Locals<'a> {
    fn new(code: &'a CodeObject) -> Locals<'a> {
        Locals { names: code.local_names().collect(), code }
    }

    fn ids(&self) -> impl Iterator<Item = LocalId> + use<> {
        (0..self.names.len()).map(LocalId::new)
    }

    fn name(&self, id: LocalId) -> &'a str {
        self.names.get(id.index()).copied().unwrap_or_default()
    }

    fn is_free(&self, id: LocalId) -> bool {
        free_slots(self.code).contains(&id.index())
    }

    /// Whether its slot holds a cell.
    fn is_shared(&self, id: LocalId) -> bool {
        self.is_free(id) || self.code.cellvars.iter().any(|cell| cell == self.name(id))
    }
}

/// Every local that may be read is passed, or known to be unbound; every cell is there.
fn check_live(
    locals: &Locals<'_>,
    mut live: impl Iterator<Item = LocalId>,
    from: &Continuation<'_>,
) -> Result<(), ResumeError> {
    let at = from.at;
    for &(id, held) in from.live {
        if locals.is_shared(id) && held != Slot::Value {
            return Err(ResumeError::Unsupported { at, what: Obstacle::NoCell(id) });
        }
    }
    let passed = |id: LocalId| locals.is_shared(id) || from.live.iter().any(|&(other, _)| other == id);
    match live.find(|&id| !passed(id)) {
        Some(local) => Err(ResumeError::NotPassed { at, local }),
        None => Ok(()),
    }
}
