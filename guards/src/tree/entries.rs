//! Values of dicts that are read in one pass, with the keys that are guarded.
//!
//! A pass gives all values, so it is only made where at least half of them are wanted.

use crate::{
    constant::{Constant, ConstantId},
    guard::{Element, Guard, GuardKind},
    source::{Key, Source, SourceId, Step},
    sources::Sources,
};
use rustc_hash::FxHashMap;

/// A key by its value, however a source or a guard writes it.
#[derive(PartialEq, Eq, Hash)]
enum Named<'a> {
    Int(i64),
    Str(&'a str),
    Constant(ConstantId),
}

/// The values that a pass over a dict reads.
pub(super) struct Entries {
    /// The place of the guard on the keys.
    pub(super) keys: usize,
    /// The number of values.
    pub(super) count: usize,
    /// The sources that are read from the dict, each with its place among the values.
    pub(super) wanted: Vec<(SourceId, usize)>,
}

/// The values that a pass over a dict with these guards gives to the sources that are read from it; `None` if no pass
/// is to be made.
pub(super) fn entries(guards: &[Guard], children: &[SourceId], sources: &Sources) -> Option<Entries> {
    let (at, keys) = guards.iter().enumerate().find_map(|(at, guard)| match &guard.kind {
        GuardKind::DictKeysMatch(keys) => Some((at, keys)),
        _ => None,
    })?;
    let named = |(at, key): (usize, &Element)| match *key {
        Element::Constant(id) => Some((name_of(id, sources), at)),
        Element::Object(_) => None,
    };
    let places: FxHashMap<Named<'_>, usize> = keys.iter().enumerate().filter_map(named).collect();
    let place = |&child: &SourceId| Some((child, *places.get(&item(child, sources)?)?));
    let wanted: Vec<(SourceId, usize)> = children.iter().filter_map(place).collect();
    let pays = !wanted.is_empty() && wanted.len() * 2 >= keys.len();
    pays.then_some(Entries { keys: at, count: keys.len(), wanted })
}

fn name_of(id: ConstantId, sources: &Sources) -> Named<'_> {
    match &sources.constants()[id] {
        Constant::Int(value) => Named::Int(*value),
        Constant::Str(text) => Named::Str(text),
        _ => Named::Constant(id),
    }
}

/// The key by which a source is read from its base.
fn item(child: SourceId, sources: &Sources) -> Option<Named<'_>> {
    match sources[child] {
        Source::Step { step: Step::Item(Key::Int(value)), .. } => Some(Named::Int(value)),
        Source::Step { step: Step::Item(Key::Str(id)), .. } => Some(Named::Str(&sources.strings()[id])),
        Source::Step { step: Step::Item(Key::Constant(id)), .. } => Some(Named::Constant(id)),
        _ => None,
    }
}
