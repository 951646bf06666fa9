//! Guards that others make needless.
//!
//! Laws, each for guards on one source:
//! - Of equal guards one is enough.
//! - What is an object whose type is known has that type; so has what equals a constant, or matches a tensor.
//! - What an attribute is read from has it.

use crate::{
    guard::{Guard, GuardKind},
    object::ObjectId,
    source::{Source, Step},
    sources::Sources,
};

/// The guard in its simplest form: to be the type of something is to be an object of that type.
pub(super) fn simplest(guard: Guard, sources: &Sources) -> Guard {
    match (sources[guard.source], guard.kind.identity()) {
        (Source::Step { base, step: Step::Type }, Some(ty)) => {
            Guard { source: base, kind: GuardKind::TypeMatch(ty), ..guard }
        }
        _ => guard,
    }
}

/// The guards of one source without needless ones, cheapest first; `reads` says what is read from that source.
pub(super) fn reduced(guards: Vec<Guard>, sources: &Sources, reads: impl Fn(Step) -> bool) -> Vec<Guard> {
    let mut kept: Vec<Guard> = Vec::new();
    for guard in guards {
        if kept.iter().all(|other| other.kind != guard.kind) {
            kept.push(guard);
        }
    }
    let is_implied = |guard: &Guard| match guard.kind {
        GuardKind::TypeMatch(ty) => kept.iter().any(|other| implies_type(&other.kind, ty, sources)),
        GuardKind::HasAttr(name, true) => reads(Step::Attr(name)),
        _ => false,
    };
    let mut needed: Vec<Guard> = kept.iter().filter(|guard| !is_implied(guard)).cloned().collect();
    needed.sort_by_key(|guard| guard.kind.row().cost);
    needed
}

/// True if what passes a guard has a type.
fn implies_type(kind: &GuardKind, ty: ObjectId, sources: &Sources) -> bool {
    let objects = sources.objects();
    let is_class = |name: &str| objects.info(ty).repr == format!("<class '{name}'>");
    match kind {
        GuardKind::NoneMatch => is_class("NoneType"),
        GuardKind::BoolMatch(_) => is_class("bool"),
        GuardKind::ConstantMatch(id) | GuardKind::EqualsMatch(id) => is_class(sources.constants()[*id].type_name()),
        GuardKind::TensorMatch(guard) => sources.tensors()[*guard].python_type == ty,
        _ => kind.identity().is_some_and(|object| objects.info(object).ty == Some(ty)),
    }
}
