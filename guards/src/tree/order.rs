//! The order in which objects are read: a base before what is read from it, and otherwise as the guards came.

use crate::{
    source::{Key, Source, SourceId, Step},
    sources::Sources,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The sources that are read.
pub(super) struct Needed<'a> {
    sources: &'a Sources,
    known: FxHashSet<SourceId>,
    /// The sources whose objects are needed after their own guards.
    kept: FxHashSet<SourceId>,
    roots: Vec<SourceId>,
    children: FxHashMap<SourceId, Vec<SourceId>>,
}

impl<'a> Needed<'a> {
    pub(super) fn new(sources: &'a Sources) -> Needed<'a> {
        Needed {
            sources,
            known: FxHashSet::default(),
            kept: FxHashSet::default(),
            roots: Vec::new(),
            children: FxHashMap::default(),
        }
    }

    /// Says that a source is read, and so what it is read from.
    pub(super) fn add(&mut self, id: SourceId) {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if !self.known.insert(id) {
                continue;
            }
            let source = self.sources[id];
            self.kept.extend(requirements(source));
            pending.extend(requirements(source).rev());
            match source.base() {
                Some(base) => self.children.entry(base).or_default().push(id),
                None => self.roots.push(id),
            }
        }
    }

    /// Says that a source is read and needed again.
    pub(super) fn keep(&mut self, id: SourceId) {
        self.add(id);
        self.kept.insert(id);
    }

    pub(super) fn is_kept(&self, id: SourceId) -> bool {
        self.kept.contains(&id)
    }

    /// The sources that are read from a source.
    pub(super) fn children(&self, base: SourceId) -> &[SourceId] {
        self.children.get(&base).map_or(&[], Vec::as_slice)
    }

    /// True if this is read from a source.
    pub(super) fn reads(&self, base: SourceId, step: Step) -> bool {
        let wanted = Source::Step { base, step };
        self.children(base).iter().any(|&child| self.sources[child] == wanted)
    }

    /// The sources, each before what is read from it, depth first.
    pub(super) fn order(&self) -> Vec<SourceId> {
        let mut order = Order { sources: self.sources, done: FxHashSet::default(), order: Vec::new() };
        let mut pending: Vec<SourceId> = self.roots.iter().rev().copied().collect();
        while let Some(id) = pending.pop() {
            order.add(id);
            pending.extend(self.children.get(&id).into_iter().flatten().rev());
        }
        order.order
    }
}

struct Order<'a> {
    sources: &'a Sources,
    done: FxHashSet<SourceId>,
    order: Vec<SourceId>,
}

impl Order<'_> {
    /// Adds a source after all that it needs.
    fn add(&mut self, id: SourceId) {
        let mut pending = vec![id];
        while let Some(&top) = pending.last() {
            let missing = requirements(self.sources[top]).find(|needed| !self.done.contains(needed));
            if let Some(missing) = missing {
                pending.push(missing);
                continue;
            }
            pending.pop();
            if self.done.insert(top) {
                self.order.push(top);
            }
        }
    }
}

/// The sources that must be read before a source: the base and the key.
fn requirements(source: Source) -> impl DoubleEndedIterator<Item = SourceId> {
    let (base, key) = match source {
        Source::Root(_) => (None, None),
        Source::Step { base, step: Step::Item(Key::Object(key)) } => (Some(base), Some(key)),
        Source::Step { base, .. } => (Some(base), None),
    };
    base.into_iter().chain(key)
}
