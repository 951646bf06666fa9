//! Version tags of plain values: what a snapshot may rely on is chosen at random, and somebody tells which objects have
//! changed since.

use super::{Data, Frame, Value};
use guards::{GuardKind, Root, SealState, Sources, Stability, Step, TensorGuardId, VersionTags};
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
    type Seal = (Vec<Tag>, Vec<(u64, TensorGuardId)>);

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

    fn note(&mut self, _: &Tag) {}

    fn seal(&mut self, tags: Vec<Tag>, tensors: &[(u64, TensorGuardId)]) -> Self::Seal {
        (tags, tensors.to_vec())
    }

    fn verify(&mut self, (tags, tensors): &Self::Seal) -> SealState {
        if let Some(broken) = tags.iter().find(|tag| self.touched.contains(&tag.0)) {
            return SealState::Broken(Frame::location(broken));
        }
        let recognised = tensors.iter().all(|&(identity, tensor)| {
            matches!(self.object_of(identity).data, Data::Tensor(..)) && !self.chance(tensor, 8)
        });
        if recognised { SealState::Intact } else { SealState::Unrecognised }
    }

    fn prefetch(&mut self, identities: &[u64]) {
        self.prefetched = identities.iter().map(|&identity| self.object_of(identity)).collect();
    }

    fn object_of(&mut self, identity: u64) -> Value {
        let found = self.locals.iter().find_map(|(_, value)| find(value, identity));
        found.expect("a stable object is alive")
    }
}
