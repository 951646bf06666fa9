//! Snapshots of passed checks, validated by version tags or by whoever watches what they are about.
//!
//! Most of what a check reads hangs on containers and classes that hardly ever change: the modules of a model, their
//! parameters, the classes of both. Where the interpreter numbers their states, or tells of their changes
//! ([`VersionTags`]; torch calls the idea recursive dict tag matching), a snapshot of a check that has passed notes the
//! tags of all that it read. They are sealed into one value that the caller verifies as fast as it can. While it holds,
//! only the *residual* of the tree is checked: the nodes and guards that depend on anything else.
//!
//! Invariants:
//! - A tag is noted before anything else of the user's may run: what changes after that is seen when the seal is
//!   verified.
//! - Once all tags before it have been compared, a stable object is the one of the snapshot, and alive. It is not
//!   touched before that.
//! - Stable objects that are needed later are owned before anything is read that may run the user's code.
//! - Of an object whose address alone is known, what is stable hangs on tags that no two objects have in common.

use super::{
    GuardTree, JointCheck, Node, NodeId, Read, Reg, check::Registers, index, residual::Residual, stability::Stability,
};
use crate::{
    guard::GuardKind,
    objects::{DictKeys, Objects},
    source::{Root, SourceId, Step},
    sources::Sources,
    tensor::TensorGuardId,
};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Objects whose states have version tags.
pub trait VersionTags: Objects {
    /// A state of a container, a class or a field.
    type Tag;

    /// The tags and the tensors of a whole snapshot, as they are verified.
    type Seal;

    /// The stability of a root's object; the tags that it depends on are added to `tags`.
    fn root_stability(
        &mut self,
        root: Root,
        sources: &Sources,
        found: &Self::Handle,
        tags: &mut Vec<Self::Tag>,
    ) -> Stability;

    /// The stability of the object that a step finds; the tags are added to `tags`. If the base `is_known` by more
    /// than its address, it is alive.
    fn step_stability(
        &mut self,
        base: &Self::Handle,
        is_known: bool,
        step: Step,
        sources: &Sources,
        found: &Self::Handle,
        tags: &mut Vec<Self::Tag>,
    ) -> Stability;

    /// Whether a guard on an object that holds now does so while tags are current, which are added to `tags`.
    fn is_stable_guard(
        &mut self,
        object: &Self::Handle,
        is_known: bool,
        kind: &GuardKind,
        sources: &Sources,
        tags: &mut Vec<Self::Tag>,
    ) -> bool;

    /// The address that a tag is about; one tag of an address is enough.
    fn location(tag: &Self::Tag) -> usize;

    /// A tag is noted, the first of its location: from now on, a change of its state has to be seen.
    fn note(&mut self, tag: &Self::Tag);

    /// Seals tags, in the order in which each vouches for the objects that those after it are about, and stable objects
    /// that are to be tensors of some kind.
    fn seal(&mut self, tags: Vec<Self::Tag>, tensors: &[(u64, TensorGuardId)]) -> Self::Seal;

    /// Verifies a seal. Runs none of the user's code.
    fn verify(&mut self, seal: &Self::Seal) -> SealState;

    /// Takes references to the objects of identities, which are alive: those that the snapshot was to prefetch. Runs
    /// none of the user's code, and so allocates nothing that has the garbage collector run.
    fn prefetch(&mut self, identities: &[u64]);

    /// The object of an identity, which is alive.
    fn object_of(&mut self, identity: u64) -> Self::Handle;
}

/// The state of a seal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SealState {
    /// Every tag is current, and every tensor as it should be.
    Intact,
    /// Every tag is current, but a tensor is not recognised, which may be as it should be nevertheless.
    Unrecognised,
    /// The tag of an address is not current.
    Broken(usize),
}

/// A check that has passed: the seal of what it depended on, and the residual to be checked while that is intact.
#[derive(Debug)]
pub struct Snapshot<S> {
    /// The roots of which the address counts.
    roots: Vec<(NodeId, u64)>,
    seal: S,
    /// Guards on stable objects that hang on more than tags.
    guards: Vec<(u64, u32)>,
    /// The stable objects in the first registers of the residual.
    preloaded: Vec<u64>,
    /// The stable objects at the sources that were to be prefetched; none if one of those has no such object.
    prefetched: Vec<u64>,
    residual: GuardTree,
}

/// The result of a check against a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Validation {
    /// Every guard holds.
    Holds,
    /// A guard does not hold.
    Fails,
    /// A tensor is not recognised: the whole check has to be made, which says nothing against the snapshot.
    Unknown,
    /// The root at a node is another object: the whole check has to be made.
    OtherRoot(NodeId),
    /// The tag of an address is not current: the whole check has to be made.
    Stale(usize),
}

/// The state of a snapshot in the making.
struct Recording<'a, H, T> {
    /// The roots that are not to be relied on.
    volatile: &'a [NodeId],
    stability: SecondaryMap<NodeId, Stability>,
    /// The contents of each register, and the node that fills it.
    registers: Vec<(H, NodeId)>,
    first_register: SecondaryMap<NodeId, u32>,
    /// Nodes, each with one that it is read from.
    bases: Vec<(NodeId, NodeId)>,
    roots: Vec<(NodeId, u64)>,
    tags: Vec<T>,
    locations: FxHashSet<usize>,
    /// The guards that tags do not vouch for, with their nodes and objects.
    guards: Vec<(NodeId, u64, usize)>,
    /// The sources that are to be prefetched, with their nodes and objects once those were read.
    prefetched: FxHashMap<SourceId, Option<(NodeId, u64)>>,
}

impl<H, T> Recording<'_, H, T> {
    /// Notes the tags of locations that have none yet.
    fn add<O: VersionTags<Handle = H, Tag = T>>(&mut self, objects: &mut O, tags: Vec<T>) {
        for tag in tags {
            if self.locations.insert(O::location(&tag)) {
                objects.note(&tag);
                self.tags.push(tag);
            }
        }
    }

    fn of(&self, reg: Reg) -> (&H, Stability) {
        let (object, node) = &self.registers[reg.index()];
        (object, self.stability[*node])
    }

    /// Notes the object of a node, if it is to be prefetched.
    fn found(&mut self, source: SourceId, id: NodeId, identity: impl FnOnce() -> u64) {
        if let Some(found) = self.prefetched.get_mut(&source) {
            *found = Some((id, identity()));
        }
    }

    /// An object that is made anew at each read has to be read again if a guard on it, one of those in the registers
    /// `joined`, or anything volatile that is read from it, needs it.
    fn mark_reread(&mut self, joined: impl Iterator<Item = Reg>) {
        let guarded = self.guards.iter().map(|&(id, ..)| id);
        let needed: Vec<NodeId> = guarded.chain(joined.map(|reg| self.registers[reg.index()].1)).collect();
        for id in needed {
            self.read_again(id);
        }
        for (id, base) in std::mem::take(&mut self.bases).into_iter().rev() {
            if self.stability[id] == Stability::Volatile {
                self.read_again(base);
            }
        }
    }

    fn read_again(&mut self, id: NodeId) {
        if self.stability[id] == Stability::Transient {
            self.stability[id] = Stability::Volatile;
        }
    }
}

impl GuardTree {
    /// Makes a check again and takes a snapshot of it; `None` if a guard fails, or nothing has tags. The `volatile`
    /// roots are read again at each check. Each check against the snapshot gives [`VersionTags::prefetch`] the objects
    /// at the sources `prefetched`, in this order, if all of them are stable.
    pub fn snapshot<O: VersionTags>(
        &self,
        objects: &mut O,
        volatile: &[NodeId],
        prefetched: &[SourceId],
    ) -> Option<Snapshot<O::Seal>> {
        let mut recording = Recording {
            volatile,
            stability: SecondaryMap::new(),
            registers: Vec::new(),
            first_register: SecondaryMap::new(),
            bases: Vec::new(),
            roots: Vec::new(),
            tags: Vec::new(),
            locations: FxHashSet::default(),
            guards: Vec::new(),
            prefetched: prefetched.iter().map(|&source| (source, None)).collect(),
        };
        let mut next = 0;
        while let Some(node) = self.nodes.get(NodeId::from_u32(next)) {
            next += 1 + self.record(objects, NodeId::from_u32(next), node, &mut recording)?;
        }
        recording.mark_reread(self.joined());
        (!recording.tags.is_empty()).then(|| self.finished(objects, recording, prefetched))
    }

    /// The registers that joints look at.
    fn joined(&self) -> impl Iterator<Item = Reg> + '_ {
        let pairs = self.joints.iter().flat_map(|joint| match joint.check {
            JointCheck::Same(a, b) => vec![a, b],
            JointCheck::Distinct(_) | JointCheck::Shapes(_) => vec![],
        });
        pairs.chain(self.compared.iter().copied()).chain(self.numbers.iter().map(|number| number.from))
    }

    /// Reads a node and notes what it depends on; gives how many leaves follow it.
    fn record<O: VersionTags>(
        &self,
        objects: &mut O,
        id: NodeId,
        node: &Node,
        recording: &mut Recording<'_, O::Handle, O::Tag>,
    ) -> Option<u32> {
        let (object, mut stability) = self.record_read(objects, id, node, recording)?;
        let pass = node.pass.expand().map(|dict| (dict, self.passes[dict]));
        let (mut values, mut unstable) = (Vec::new(), Vec::new());
        for at in node.guards.range() {
            let kind = &self.guards[at].kind;
            let keys = pass.filter(|(_, pass)| pass.keys as usize == at);
            let holds = match (kind, keys) {
                (GuardKind::DictKeysMatch(keys), Some((dict, _))) => {
                    objects.dict_entries_match(&object, DictKeys { dict, keys }, &mut |value| values.push(value))
                }
                _ => self.holds(objects, kind, &object),
            };
            if !holds {
                return None;
            }
            if !self.record_guard(objects, (&object, stability), kind, recording) {
                unstable.push((id, objects.identity(&object), at));
                if keys.is_some() {
                    // Nothing is known of its values.
                    stability = Stability::Volatile;
                }
            }
        }
        if stability != Stability::Volatile {
            recording.guards.append(&mut unstable);
        }
        recording.stability[id] = stability;
        recording.found(node.source, id, || objects.identity(&object));
        recording.first_register[id] = index(recording.registers.len());
        let leaves = pass.map_or(Some(0), |(_, pass)| {
            let stability = if stability == Stability::Volatile { stability } else { Stability::Object };
            let leaves = self.leaves[pass.leaves.range()].iter().zip(id.as_u32() + 1..);
            for (leaf, at) in leaves {
                self.record_leaf(objects, NodeId::from_u32(at), (&values[leaf.place as usize], stability), recording)?;
            }
            if pass.keep {
                recording.registers.extend(values.into_iter().map(|value| (value, id)));
            }
            Some(pass.leaves.len())
        })?;
        if node.keep && !matches!(node.read, Read::Entry(_)) {
            recording.registers.push((object, id));
        }
        Some(leaves)
    }

    /// Reads the object of a node.
    fn record_read<O: VersionTags>(
        &self,
        objects: &mut O,
        id: NodeId,
        node: &Node,
        recording: &mut Recording<'_, O::Handle, O::Tag>,
    ) -> Option<(O::Handle, Stability)> {
        let mut tags = Vec::new();
        let found = match node.read {
            Read::Root(root) => {
                let object = self.sources.read_root(objects, root)?;
                let stability = match objects.root_stability(root, &self.sources, &object, &mut tags) {
                    Stability::Volatile if !recording.volatile.contains(&id) => {
                        recording.roots.push((id, objects.identity(&object)));
                        Stability::Address
                    }
                    stability => stability,
                };
                (object, stability)
            }
            Read::Entry(reg) => {
                let (object, stability) = recording.of(reg);
                let identity = objects.identity(object);
                let stability = if stability == Stability::Address { Stability::Object } else { stability };
                recording.bases.push((id, recording.registers[reg.index()].1));
                (objects.object_of(identity), stability)
            }
            Read::Step(reg, step) => {
                let (base, of_base) = recording.of(reg);
                let object = self.sources.read_step(objects, base, step)?;
                let stability = match of_base {
                    Stability::Volatile => Stability::Volatile,
                    of_base => {
                        let is_known = of_base != Stability::Address;
                        objects.step_stability(base, is_known, step, &self.sources, &object, &mut tags)
                    }
                };
                recording.bases.push((id, recording.registers[reg.index()].1));
                (object, stability)
            }
            Read::ItemOf(base, key) => {
                let object = objects.item_object(recording.of(base).0, recording.of(key).0)?;
                for reg in [base, key] {
                    recording.bases.push((id, recording.registers[reg.index()].1));
                }
                (object, Stability::Volatile)
            }
        };
        if found.1 != Stability::Volatile {
            recording.add(objects, tags);
        }
        Some(found)
    }

    /// Whether tags vouch for a guard that holds; then they are noted.
    fn record_guard<O: VersionTags>(
        &self,
        objects: &mut O,
        (object, stability): (&O::Handle, Stability),
        kind: &GuardKind,
        recording: &mut Recording<'_, O::Handle, O::Tag>,
    ) -> bool {
        let mut tags = Vec::new();
        let is_stable = stability != Stability::Volatile && {
            let is_known = stability != Stability::Address;
            objects.is_stable_guard(object, is_known, kind, &self.sources, &mut tags)
        };
        if is_stable {
            recording.add(objects, tags);
        }
        is_stable
    }

    /// Checks the guards of a leaf and notes what they depend on.
    fn record_leaf<O: VersionTags>(
        &self,
        objects: &mut O,
        id: NodeId,
        (value, stability): (&O::Handle, Stability),
        recording: &mut Recording<'_, O::Handle, O::Tag>,
    ) -> Option<()> {
        recording.stability[id] = stability;
        recording.found(self.nodes[id].source, id, || objects.identity(value));
        for at in self.nodes[id].guards.range() {
            let kind = &self.guards[at].kind;
            if !self.holds(objects, kind, value) {
                return None;
            }
            let is_stable = self.record_guard(objects, (value, stability), kind, recording);
            if stability != Stability::Volatile && !is_stable {
                recording.guards.push((id, objects.identity(value), at));
            }
        }
        Some(())
    }

    /// The snapshot of what was recorded.
    fn finished<O: VersionTags>(
        &self,
        objects: &mut O,
        recording: Recording<'_, O::Handle, O::Tag>,
        prefetched: &[SourceId],
    ) -> Snapshot<O::Seal> {
        let is_stable = |id: NodeId| recording.stability[id] != Stability::Volatile;
        let (mut tensors, mut guards) = (Vec::new(), Vec::new());
        for &(_, identity, at) in recording.guards.iter().filter(|(id, ..)| is_stable(*id)) {
            match &self.guards[at].kind {
                GuardKind::TensorMatch(tensor) => tensors.push((identity, *tensor)),
                _ => guards.push((identity, index(at))),
            }
        }
        let (residual, preloaded) = Residual::new(self, &recording.stability, &recording.first_register, |reg| {
            recording.registers[reg.index()].1
        })
        .build();
        let identity = |reg: &Reg| objects.identity(&recording.registers[reg.index()].0);
        let prefetched = prefetched.iter().map(|source| {
            let (id, identity) = recording.prefetched[source]?;
            matches!(recording.stability[id], Stability::Address | Stability::Object).then_some(identity)
        });
        Snapshot {
            prefetched: prefetched.collect::<Option<_>>().unwrap_or_default(),
            preloaded: preloaded.iter().map(identity).collect(),
            roots: recording.roots.iter().filter(|(id, _)| is_stable(*id)).copied().collect(),
            seal: objects.seal(recording.tags, &tensors),
            guards,
            residual,
        }
    }

    /// Whether every guard holds, given the snapshot of an earlier check.
    pub fn check_against<O: VersionTags>(&self, objects: &mut O, snapshot: &Snapshot<O::Seal>) -> Validation {
        for &(id, expected) in &snapshot.roots {
            let Read::Root(root) = self.nodes[id].read else { continue };
            let object = self.sources.read_root(objects, root);
            if object.is_none_or(|object| objects.identity(&object) != expected) {
                return Validation::OtherRoot(id);
            }
        }
        match objects.verify(&snapshot.seal) {
            SealState::Intact => {}
            SealState::Unrecognised => return Validation::Unknown,
            SealState::Broken(location) => return Validation::Stale(location),
        }
        if !snapshot.prefetched.is_empty() {
            objects.prefetch(&snapshot.prefetched);
        }
        let mut registers: Registers<O::Handle> =
            snapshot.preloaded.iter().map(|&identity| objects.object_of(identity)).collect();
        let guarded: SmallVec<[(O::Handle, u32); 8]> =
            snapshot.guards.iter().map(|&(identity, at)| (objects.object_of(identity), at)).collect();
        let hold = guarded.iter().all(|(object, at)| self.holds(objects, &self.guards[*at as usize].kind, object))
            && snapshot.residual.walk(objects, &mut registers).is_ok();
        if hold { Validation::Holds } else { Validation::Fails }
    }
}
