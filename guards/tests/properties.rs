//! Random guards on random values: the tree says what the guards say one by one.

mod common;

use common::{Data, Frame, Value, facts, object, sources, tensor_guard};
use guards::{
    Collection, Constant, Element, Guard, GuardKind, GuardTree, Key, Objects, Root, Source, SourceId, Sources, Step,
    Validation,
};
use proptest::prelude::*;

/// The sources and constants that guards are about, all in one arena: a few of each, so that guards meet.
struct World {
    sources: Sources,
    places: Vec<SourceId>,
    constants: Vec<guards::ConstantId>,
}

const CONSTANTS: [i64; 3] = [0, 1, 2];

fn world() -> World {
    let mut s = sources();
    let mut places = Vec::new();
    for name in ["x", "y"] {
        let local = s.local(name);
        let item = s.item(local, 0);
        let by_name = s.item(local, "k");
        let attr = s.attr(local, "a");
        places.extend([local, item, s.item(local, -1), by_name, attr, s.step(local, Step::Type)]);
        places.extend([s.step(local, Step::DictKey(0)), s.item(item, 1), s.attr(attr, "a"), s.item(attr, 0)]);
    }
    let (x, y) = (places[0], places[10]);
    places.extend([s.item_of(x, y), s.item_of(y, x)]);
    let constants = CONSTANTS.map(|value| s.constant(value)).to_vec();
    World { sources: s, places, constants }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => (0..3_i64).prop_map(Value::constant),
        1 => Just(Value::none()),
        1 => any::<bool>().prop_map(Value::constant),
        1 => (2..4_i64).prop_map(|rows| Value::tensor(&[rows])),
        1 => Just(Value::known("<built-in function sin>")),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list),
            2 => inner.clone().prop_map(|value| Value::dict([("k", value)])),
            1 => (0..3_i64, inner.clone()).prop_map(|(key, value)| Value::dict([(key, value)])),
            2 => inner.prop_map(|value| Value::instance("__main__.A", [("a", value)])),
        ]
    })
}

/// A guard as numbers, to be made in a world.
type Seed = (usize, usize, usize, usize);

fn guard(world: &mut World, (place, other, kind, choice): Seed) -> Guard {
    let source = world.places[place % world.places.len()];
    let other = world.places[other % world.places.len()];
    let constant = world.constants[choice % world.constants.len()];
    let types = ["int", "bool", "list", "dict", "torch.Tensor", "__main__.A", "type", "NoneType"];
    let ty = object(types[choice % types.len()]);
    let element = Element::Constant(constant);
    let name = world.sources.string("a");
    let kinds = [
        GuardKind::Present,
        GuardKind::NoneMatch,
        GuardKind::NotNoneMatch,
        GuardKind::BoolMatch(choice % 2 == 0),
        GuardKind::TypeMatch(ty),
        GuardKind::TypeMatch(ty),
        GuardKind::ClassMatch(ty),
        GuardKind::FunctionMatch(object("<built-in function sin>")),
        GuardKind::SequenceLength(u32::try_from(choice % 3).expect("small"), Collection::Sequence),
        GuardKind::EqualsMatch(constant),
        GuardKind::ConstantMatch(constant),
        GuardKind::TensorMatch(world.sources.tensor(tensor_guard(&[2]))),
        GuardKind::DictContains(element),
        GuardKind::DictNotContains(element),
        GuardKind::DictKeysMatch(vec![element]),
        GuardKind::HasAttr(name, choice % 2 == 0),
        GuardKind::NotPresentInGenericDict(name),
        GuardKind::SlotUnset(name),
        GuardKind::ClassAttr(name, None),
        GuardKind::DuplicateInput(other),
        GuardKind::NoTensorAliasing(vec![source, other]),
    ];
    Guard::new(source, kinds[kind % kinds.len()].clone())
}

/// The object at a source, read from the root on.
fn read(frame: &mut Frame, sources: &Sources, id: SourceId) -> Option<Value> {
    let name = |id| sources.strings().name(id);
    let (base, step) = match sources[id] {
        Source::Root(Root::Local(id)) => return frame.local(name(id)),
        Source::Root(_) => return None,
        Source::Step { base, step } => (read(frame, sources, base)?, step),
    };
    match step {
        Step::Attr(id) => frame.attr(&base, name(id)),
        Step::Item(Key::Int(key)) => frame.item_int(&base, key),
        Step::Item(Key::Str(id)) => frame.item_str(&base, name(id)),
        Step::Item(Key::Object(key)) => {
            let key = read(frame, sources, key)?;
            frame.item_object(&base, &key)
        }
        Step::DictKey(index) => frame.dict_key(&base, index),
        Step::Type => frame.type_of(&base),
        _ => None,
    }
}

/// Whether one guard holds, by the meaning of its kind.
fn holds(frame: &mut Frame, sources: &Sources, guard: &Guard) -> bool {
    let constant = |id| &sources.constants()[id];
    let is = |value: &Value, element: &Element| match element {
        Element::Constant(id) => value.as_constant() == Some(constant(*id)),
        Element::Object(id) => value.id == Some(*id),
    };
    let name = |id| sources.strings().name(id).text;
    let Some(x) = read(frame, sources, guard.source) else { return false };
    match &guard.kind {
        GuardKind::Present => true,
        GuardKind::NoneMatch => x.as_constant() == Some(&Constant::None),
        GuardKind::NotNoneMatch => x.as_constant() != Some(&Constant::None),
        GuardKind::BoolMatch(value) => x.as_constant() == Some(&Constant::Bool(*value)),
        GuardKind::TypeMatch(ty) => x.ty == *ty,
        GuardKind::ClassMatch(known) | GuardKind::FunctionMatch(known) => x.id == Some(*known),
        GuardKind::SequenceLength(len, _) => {
            let found = x.items().map(<[_]>::len).or_else(|| x.pairs().map(<[_]>::len));
            found == Some(*len as usize)
        }
        GuardKind::EqualsMatch(id) | GuardKind::ConstantMatch(id) => x.as_constant() == Some(constant(*id)),
        GuardKind::TensorMatch(_) => matches!(&x.data, Data::Tensor(found, _) if *found == facts(&[2])),
        GuardKind::DictContains(key) => x.pairs().is_some_and(|pairs| pairs.iter().any(|(k, _)| is(k, key))),
        GuardKind::DictNotContains(key) => x.pairs().is_some_and(|pairs| !pairs.iter().any(|(k, _)| is(k, key))),
        GuardKind::DictKeysMatch(keys) => {
            let same = |pairs: &[(Value, Value)]| pairs.iter().zip(keys).all(|((k, _), key)| is(k, key));
            x.pairs().is_some_and(|pairs| pairs.len() == keys.len() && same(pairs))
        }
        GuardKind::HasAttr(id, present) => x.own_attr(name(*id)).is_some() == *present,
        GuardKind::NotPresentInGenericDict(id) | GuardKind::SlotUnset(id) => {
            x.attrs.is_some() && x.own_attr(name(*id)).is_none()
        }
        GuardKind::ClassAttr(id, None) => x.own_attr(name(*id)).is_none(),
        GuardKind::DuplicateInput(other) => read(frame, sources, *other).is_some_and(|other| x.is(&other)),
        GuardKind::NoTensorAliasing(all) => match read(frame, sources, all[1]) {
            Some(other) => all[0] == all[1] || !x.is(&other),
            None => false,
        },
        kind => panic!("{kind:?} is not among those made here"),
    }
}

/// Two variables, of which the second may be the first.
fn frame() -> impl Strategy<Value = Frame> {
    (value(), value(), any::<bool>()).prop_map(|(x, y, same)| {
        let y = if same { x.clone() } else { y };
        Frame::of(x).with("y", y)
    })
}

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    let small = 0..1000_usize;
    prop::collection::vec((small.clone(), small.clone(), small.clone(), small), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_holds_if_each_guard_does(frame in frame(), seeds in seeds(), only_true in any::<bool>()) {
        let mut world = world();
        let mut guards: Vec<Guard> = seeds.into_iter().map(|seed| guard(&mut world, seed)).collect();
        let mut frame = frame.prepared(&world.sources);
        // Random guards seldom all hold: half of the time, those that do not are left out.
        guards.retain(|guard| !only_true || holds(&mut frame, &world.sources, guard));
        let expected = guards.iter().all(|guard| holds(&mut frame, &world.sources, guard));
        let tree = GuardTree::new(world.sources.clone(), guards.clone()).expect("a tree");
        frame.reads.clear();
        prop_assert_eq!(tree.check(&mut frame), expected, "{}", tree);
        prop_assert!(frame.reads.len() <= tree.reads());
        prop_assert!(!expected || frame.reads.len() == tree.reads());
        prop_assert_eq!(tree.explain(&mut frame).is_none(), expected);
        guards.reverse();
        let reversed = GuardTree::new(world.sources, guards).expect("a tree");
        prop_assert_eq!(reversed.check(&mut frame), expected);
    }

    #[test]
    fn a_snapshot_says_what_the_tree_says(
        frame in frame(), other in value(), seeds in seeds(), seed in any::<u64>(), is_volatile in any::<bool>(),
    ) {
        let mut world = world();
        let mut guards: Vec<Guard> = seeds.into_iter().map(|seed| guard(&mut world, seed)).collect();
        let mut frame = Frame { seed, ..frame.prepared(&world.sources) };
        guards.retain(|guard| holds(&mut frame, &world.sources, guard));
        let tree = GuardTree::new(world.sources, guards).expect("a tree");
        let mut changed = frame.clone();
        changed.locals[1].1 = other;
        let mut volatile = Vec::new();
        // A root that turns out to be another one is read again from then on.
        let snapshot = loop {
            let Some(snapshot) = tree.snapshot(&mut frame, &volatile, &[]) else { return Ok(()) };
            prop_assert_ne!(tree.check_against(&mut frame, &snapshot), Validation::Fails, "{}", tree);
            match tree.check_against(&mut changed, &snapshot) {
                Validation::OtherRoot(id) if is_volatile => volatile.push(id),
                _ => break snapshot,
            }
        };
        let expected = tree.check(&mut changed);
        match tree.check_against(&mut changed, &snapshot) {
            Validation::Holds => prop_assert!(expected, "{}", tree),
            Validation::Fails => prop_assert!(!expected, "{}", tree),
            Validation::OtherRoot(_) => prop_assert!(!is_volatile),
            Validation::Unknown | Validation::Stale(_) => {}
        }
    }

    #[test]
    fn a_change_of_what_a_snapshot_relies_on_is_seen(
        frame in frame(), like in value(), seeds in seeds(), seed in any::<u64>(), at in 0..16_usize,
    ) {
        let mut world = world();
        let mut guards: Vec<Guard> = seeds.into_iter().map(|seed| guard(&mut world, seed)).collect();
        let mut frame = Frame { seed, ..frame.prepared(&world.sources) };
        guards.retain(|guard| holds(&mut frame, &world.sources, guard));
        let wanted: Vec<SourceId> = guards.iter().map(|guard| guard.source).take(1 + at % 3).collect();
        let tree = GuardTree::new(world.sources, guards).expect("a tree");
        let Some(snapshot) = tree.snapshot(&mut frame, &[], &wanted) else { return Ok(()) };
        let parts: Vec<Value> = frame.locals.iter().flat_map(|(_, value)| value.parts()).collect();
        let changed = parts[at % parts.len()].address();
        let mut after = frame.clone();
        after.touched.push(changed);
        for (_, value) in &mut after.locals {
            *value = value.after(changed, &like);
        }
        let expected = tree.check(&mut after);
        match tree.check_against(&mut after, &snapshot) {
            Validation::Holds => {
                prop_assert!(expected, "{}", tree);
                for (&source, prefetched) in wanted.iter().zip(after.prefetched.clone()) {
                    let read = tree.sources().read(source, &mut after).map(|value| value.address());
                    prop_assert_eq!(read, Some(prefetched.address()), "{}", tree.sources().display(source));
                }
            }
            Validation::Fails => prop_assert!(!expected, "{}", tree),
            Validation::OtherRoot(_) => prop_assert!(false, "roots are where they were"),
            Validation::Stale(location) => prop_assert_eq!(location as u64, changed),
            Validation::Unknown => {}
        }
        // Once it has been looked at again, the change is no news.
        after.touched.clear();
        if expected && let Some(again) = tree.snapshot(&mut after, &[], &[]) {
            let found = tree.check_against(&mut after, &again);
            prop_assert!(matches!(found, Validation::Holds | Validation::Unknown), "{}", tree);
        }
    }

    #[test]
    fn a_tree_is_read_back_as_one_that_holds_for_the_same(frame in frame(), seeds in seeds()) {
        let mut world = world();
        let guards: Vec<Guard> = seeds.into_iter().map(|seed| guard(&mut world, seed)).collect();
        let mut frame = frame.prepared(&world.sources);
        let tree = GuardTree::new(world.sources, guards).expect("a tree");
        let stored = serde_json::to_string(&tree).expect("trees can be stored");
        let back: GuardTree = serde_json::from_str(&stored).expect("trees can be read back");
        prop_assert_eq!(back.check(&mut frame), tree.check(&mut frame));
        prop_assert_eq!(back.guards().len(), tree.guards().len());
        prop_assert_eq!(back.reads(), tree.reads());
    }
}
