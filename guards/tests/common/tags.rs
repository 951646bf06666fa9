//! Version tags of plain values, which never change: what a snapshot may rely on is chosen at random.

use super::{Data, Frame, Value};
use guards::{GuardKind, Root, Sources, Stability, Step, TensorGuardId, VersionTags};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The address of the object that a tag is about.
#[derive(Debug)]
pub(crate) struct Tag(u64);

impl Frame {
    fn chance(&self, what: impl std::fmt::Debug, of: u64) -> bool {
        let mut hasher = DefaultHasher::new();
        (self.seed, format!("{what:?}")).hash(&mut hasher);
        hasher.finish().is_multiple_of(of)
    }
}

/// The object at an address that can be reached from another one.
fn find(from: &Value, address: u64) -> Option<Value> {
    if from.address() == address {
        return Some(from.clone());
    }
    let parts: Vec<&Value> = match &from.data {
        Data::Items(items) => items.iter().collect(),
        Data::Pairs(pairs) => pairs.iter().flat_map(|(key, value)| [key, value]).collect(),
        _ => Vec::new(),
    };
    let attrs = from.attrs.iter().flatten().map(|(_, value)| value);
    parts.into_iter().chain(attrs).find_map(|part| find(part, address))
}

impl VersionTags for Frame {
    type Tag = Tag;

    fn root_stability(&mut self, _: Root, _: &Sources, _: &Value, _: &mut Vec<Tag>) -> Stability {
        Stability::Volatile
    }

    fn step_stability(
        &mut self,
        base: &Value,
        _is_known: bool,
        step: Step,
        _sources: &Sources,
        _found: &Value,
        tags: &mut Vec<Tag>,
    ) -> Stability {
        tags.push(Tag(base.address()));
        match (self.chance(step, 2), step) {
            (true, _) => Stability::Volatile,
            // A type is made anew at each read.
            (false, Step::Type) => Stability::Transient,
            (false, _) => Stability::Object,
        }
    }

    fn is_stable_guard(
        &mut self,
        object: &Value,
        _is_known: bool,
        kind: &GuardKind,
        _sources: &Sources,
        tags: &mut Vec<Tag>,
    ) -> bool {
        tags.push(Tag(object.address()));
        self.chance(kind, 2)
    }

    fn location(tag: &Tag) -> usize {
        tag.0 as usize
    }

    fn is_current(&mut self, _: &Tag) -> bool {
        true
    }

    fn recognises(&mut self, identity: u64, tensor: TensorGuardId) -> bool {
        let object = self.object_of(identity);
        matches!(object.data, Data::Tensor(..)) && !self.chance(tensor, 8)
    }

    fn object_of(&mut self, identity: u64) -> Value {
        let found = self.locals.iter().find_map(|(_, value)| find(value, identity));
        found.expect("a stable object is alive")
    }
}
