//! The check itself: one pass over the arrays, which stops at the first guard that fails.

use super::{GuardTree, JointCheck, Node, NodeId, Number, NumberSource, Read, Reg, Span};
use crate::{
    guard::GuardKind,
    objects::{DictKeys, Objects},
};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use std::ops::Deref;

/// The objects that are needed again, by register.
pub(super) type Registers<H> = SmallVec<[H; 16]>;

/// The point at which a check stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// There was nothing to read.
    Missing(NodeId),
    /// The guard failed, of the object at the node.
    Object(NodeId, usize),
    /// The guard on global state failed.
    State(usize),
    /// The guard on several objects failed: the number of the joint.
    Joint(usize),
}

/// An object that was read now, or is in a register.
pub(super) enum Found<'r, H> {
    New(H),
    Kept(&'r H),
}

impl<H> Deref for Found<'_, H> {
    type Target = H;

    fn deref(&self) -> &H {
        match self {
            Found::New(object) => object,
            Found::Kept(object) => object,
        }
    }
}

impl GuardTree {
    /// True if every guard holds. Each object is read once.
    pub fn check<O: Objects>(&self, objects: &mut O) -> bool {
        self.walk(objects, &mut Registers::with_capacity(self.registers)).is_ok()
    }

    /// The first stop, if there is one; `registers` then hold what was read and kept before it.
    pub(super) fn walk<O: Objects>(&self, objects: &mut O, registers: &mut Registers<O::Handle>) -> Result<(), Stop> {
        self.check_states(objects)?;
        let (mut values, mut next) = (Registers::new(), 0);
        while let Some(node) = self.nodes.get(NodeId::from_u32(next)) {
            let id = NodeId::from_u32(next);
            next += 1;
            let object = self.object(objects, node, registers).ok_or(Stop::Missing(id))?;
            let pass = node.pass.expand().map(|dict| (dict, self.passes[dict]));
            for at in node.guards.range() {
                let holds = match (&self.guards[at].kind, pass) {
                    (GuardKind::DictKeysMatch(keys), Some((dict, pass))) if pass.keys as usize == at => {
                        values.reserve(keys.len());
                        objects.dict_entries_match(&object, DictKeys { dict, keys }, &mut |value| values.push(value))
                    }
                    (kind, _) => self.holds(objects, kind, &object),
                };
                if !holds {
                    return Err(Stop::Object(id, at));
                }
            }
            let own = match object {
                Found::New(object) if node.keep => Some(object),
                _ => None,
            };
            if let Some((_, pass)) = pass {
                let leaves = self.check_leaves(objects, pass.leaves, next, &values);
                if pass.keep || leaves.is_err() {
                    registers.append(&mut values);
                }
                leaves?;
                values.clear();
                next += pass.leaves.len();
            }
            registers.extend(own);
        }
        self.check_joints(objects, registers)
    }

    /// Checks leaves, of which `first` is the first one's node.
    #[inline]
    fn check_leaves<O: Objects>(
        &self,
        objects: &mut O,
        leaves: Span,
        first: u32,
        values: &[O::Handle],
    ) -> Result<(), Stop> {
        for (id, leaf) in (first..).map(NodeId::from_u32).zip(&self.leaves[leaves.range()]) {
            let value = &values[leaf.place as usize];
            let guards = || self.nodes[id].guards.range();
            let failed = match leaf.tensor.expand() {
                Some(tensor) if objects.tensor_matches(value, &self.sources.tensors()[tensor], tensor) => None,
                Some(_) => Some(guards().start),
                None => guards().find(|&at| !self.holds(objects, &self.guards[at].kind, value)),
            };
            if let Some(at) = failed {
                return Err(Stop::Object(id, at));
            }
        }
        Ok(())
    }

    fn check_states<O: Objects>(&self, objects: &mut O) -> Result<(), Stop> {
        for at in self.states.range() {
            match &self.guards[at].kind {
                GuardKind::Global(state) if !objects.state_is(state) => return Err(Stop::State(at)),
                _ => {}
            }
        }
        Ok(())
    }

    fn check_joints<O: Objects>(&self, objects: &mut O, registers: &[O::Handle]) -> Result<(), Stop> {
        for (at, joint) in self.joints.iter().enumerate() {
            let holds = match joint.check {
                JointCheck::Same(a, b) => {
                    objects.identity(&registers[a.index()]) == objects.identity(&registers[b.index()])
                }
                JointCheck::Distinct(span) => self.distinct(objects, span, registers),
                JointCheck::Shapes(span) => self.shapes_hold(objects, joint.guard as usize, span, registers),
            };
            if !holds {
                return Err(Stop::Joint(at));
            }
        }
        Ok(())
    }

    fn distinct<O: Objects>(&self, objects: &mut O, span: Span, registers: &[O::Handle]) -> bool {
        let compared = self.compared[span.range()].iter();
        let mut all: SmallVec<[u64; 16]> = compared.map(|reg| objects.identity(&registers[reg.index()])).collect();
        all.sort_unstable();
        all.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn shapes_hold<O: Objects>(&self, objects: &mut O, guard: usize, span: Span, registers: &[O::Handle]) -> bool {
        let GuardKind::ShapeEnv(shapes) = &self.guards[guard].kind else { return false };
        let numbers = self.numbers[span.range()].iter();
        let values: Option<SmallVec<[i64; 16]>> = numbers.map(|number| number.read(objects, registers)).collect();
        values.is_some_and(|values| shapes.program.accepts(&values))
    }

    /// The object of a node.
    #[inline]
    pub(super) fn object<'r, O: Objects>(
        &self,
        objects: &mut O,
        node: &Node,
        registers: &'r [O::Handle],
    ) -> Option<Found<'r, O::Handle>> {
        let get = |reg: Reg| &registers[reg.index()];
        let found = match node.read {
            Read::Entry(reg) => return Some(Found::Kept(get(reg))),
            Read::Root(root) => self.sources.read_root(objects, root),
            Read::Step(base, step) => self.sources.read_step(objects, get(base), step),
            Read::ItemOf(base, key) => objects.item_object(get(base), get(key)),
        };
        found.map(Found::New)
    }

    /// Whether a guard on one object holds.
    pub(super) fn holds<O: Objects>(&self, objects: &mut O, kind: &GuardKind, object: &O::Handle) -> bool {
        let name = |id| self.sources.strings().name(id);
        match kind {
            GuardKind::Present => true,
            GuardKind::NoneMatch => objects.is_none(object),
            GuardKind::NotNoneMatch | GuardKind::WeakrefAlive => !objects.is_none(object),
            GuardKind::BoolMatch(value) => objects.is_bool(object, *value),
            GuardKind::TypeMatch(ty) => objects.type_is(object, *ty),
            GuardKind::IdMatch(expected)
            | GuardKind::FunctionMatch(expected)
            | GuardKind::ClassMatch(expected)
            | GuardKind::ModuleMatch(expected)
            | GuardKind::BuiltinMatch(expected)
            | GuardKind::NnModule(expected) => objects.is(object, *expected),
            GuardKind::EmptyModuleHooks => objects.has_no_hooks(object),
            GuardKind::ClosureMatch(code) => objects.code_is(object, *code),
            GuardKind::SequenceLength(len, _) => objects.len(object) == Some(u64::from(*len)),
            GuardKind::TupleIteratorLen(len) => objects.tuple_iterator_len(object) == Some(u64::from(*len)),
            GuardKind::RangeIteratorMatch(range) => objects.range_iterator(object) == Some(*range),
            GuardKind::ConstantMatch(id) | GuardKind::EqualsMatch(id) => {
                objects.equals(object, &self.sources.constants()[*id], *id)
            }
            GuardKind::TensorMatch(id) => objects.tensor_matches(object, &self.sources.tensors()[*id], *id),
            GuardKind::DictContains(key) => objects.dict_contains(object, *key) == Some(true),
            GuardKind::DictNotContains(key) => objects.dict_contains(object, *key) == Some(false),
            GuardKind::SetContains(item) => objects.set_contains(object, *item) == Some(true),
            GuardKind::SetNotContains(item) => objects.set_contains(object, *item) == Some(false),
            GuardKind::NotPresentInGenericDict(id) => objects.in_instance_dict(object, name(*id)) == Some(false),
            GuardKind::SlotUnset(id) => objects.is_slot_unset(object, name(*id)),
            GuardKind::ClassAttr(id, expected) => objects.class_attr_is(object, name(*id), *expected),
            GuardKind::ClassVersion(tag) => objects.class_version(object) == Some(*tag),
            GuardKind::HasAttr(id, present) => objects.has_attr(object, name(*id)) == *present,
            GuardKind::DictKeysMatch(keys) => objects.dict_keys_match(object, keys),
            GuardKind::MappingKeysCheck(keys) => objects.mapping_keys_match(object, keys),
            GuardKind::User(check) => objects.user(object, *check),
            // These stand with the states and the joints.
            GuardKind::Global(_)
            | GuardKind::DuplicateInput(_)
            | GuardKind::NoTensorAliasing(_)
            | GuardKind::ShapeEnv(_) => false,
        }
    }
}

impl NumberSource {
    /// The number, if the object has one.
    pub(super) fn read<O: Objects>(&self, objects: &mut O, registers: &[O::Handle]) -> Option<i64> {
        let object = &registers[self.from.index()];
        match self.number {
            Number::Int => objects.int(object),
            Number::Float => objects.float(object).map(|value| value.to_bits().cast_signed()),
            Number::Property(property) => objects.tensor_property(object, property),
        }
    }

    /// The printed form of the number.
    pub(super) fn show(&self, value: i64) -> String {
        match self.number {
            Number::Float => pyrepr::Float(f64::from_bits(value.cast_unsigned())).to_string(),
            Number::Int | Number::Property(_) => value.to_string(),
        }
    }
}
