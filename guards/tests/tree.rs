//! The arrangement of guards in a tree, and the reads of a check.

mod common;

use common::{Frame, Value, object, sources, tensor_guard};
use expect_test::expect;
use guards::{
    Collection, Element, GlobalState, Guard, GuardError, GuardKind, GuardTree, NumberRead, ShapeGuard, Sources, Step,
};
use symshapes::Program;

/// A model with two layers and a list that holds one of its inputs.
fn model_tree() -> GuardTree {
    let mut s = sources();
    let (model, a, l, state) = (s.local("self"), s.local("a"), s.local("l"), s.global_state());
    let (fc, weight, training) = (s.string("fc"), s.string("weight"), s.attr(model, "training"));
    let fc = s.step(model, Step::Submodule(fc));
    let weight = s.step(fc, Step::Param(weight));
    let (first, second) = (s.item(l, 0), s.item(l, 1));
    let sin = s.global("sin");
    let three = s.constant(3);
    let (square, oblong) = (s.tensor(tensor_guard(&[3, 3])), s.tensor(tensor_guard(&[4, 3])));
    let guards = vec![
        Guard::new(weight, GuardKind::TensorMatch(square)),
        Guard::new(model, GuardKind::NnModule(object("Model()"))).at("self.fc(a)"),
        Guard::new(a, GuardKind::NoTensorAliasing(vec![a, weight])),
        Guard::new(training, GuardKind::BoolMatch(true)),
        Guard::new(a, GuardKind::TensorMatch(oblong)),
        Guard::new(l, GuardKind::SequenceLength(2, Collection::Sequence)),
        Guard::new(l, GuardKind::TypeMatch(object("list"))),
        Guard::new(second, GuardKind::EqualsMatch(three)).at("l[1] * a"),
        Guard::new(first, GuardKind::DuplicateInput(a)),
        Guard::new(state, GuardKind::Global(GlobalState::GradMode(true))),
        Guard::new(sin, GuardKind::FunctionMatch(object("<built-in function sin>"))),
    ];
    GuardTree::new(s, guards).expect("a tree")
}

fn model_frame(tree: &GuardTree) -> Frame {
    let fc = Value::instance("__main__.Model", [("_parameters", Value::dict([("weight", Value::tensor(&[3, 3]))]))]);
    let attrs = [("_modules", Value::dict([("fc", fc)])), ("training", Value::constant(true))];
    let a = Value::tensor(&[4, 3]);
    Frame::empty()
        .with("self", Value::known_with("Model()", attrs))
        .with("a", a.clone())
        .with("l", Value::list([a, Value::constant(3)]))
        .global_of("sin", Value::known("<built-in function sin>"))
        .state(GlobalState::GradMode(true))
        .prepared(tree.sources())
}

#[test]
fn the_layout_is_torchs() {
    expect![[r#"
        TREE_GUARD_MANAGER:
        +- RootGuardManager
        | +- GRAD_MODE: ___check_global_state() against {"grad_mode":true}
        | +- GuardManager: source=L['self'], accessed_by=Local
        | | +- NN_MODULE: ___check_obj_id(L['self'], 1032), type=<class '__main__.Model'>  # self.fc(a)
        | | +- GuardManager: source=L['self']._modules['fc'], accessed_by=Submodule
        | | | +- GuardManager: source=L['self']._modules['fc']._parameters['weight'], accessed_by=Param
        | | | | +- TENSOR_MATCH: check_tensor(L['self']._modules['fc']._parameters['weight'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32, device=None, requires_grad=False, size=[3, 3], stride=[3, 1])
        | | +- GuardManager: source=L['self'].training, accessed_by=Attr
        | | | +- BOOL_MATCH: L['self'].training == True
        | +- GuardManager: source=L['a'], accessed_by=Local
        | | +- TENSOR_MATCH: check_tensor(L['a'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32, device=None, requires_grad=False, size=[4, 3], stride=[3, 1])
        | +- GuardManager: source=L['l'], accessed_by=Local
        | | +- TYPE_MATCH: ___check_type_id(L['l'], 1007), type=<class 'list'>
        | | +- SEQUENCE_LENGTH: len(L['l']) == 2
        | | +- GuardManager: source=L['l'][1], accessed_by=Item
        | | | +- EQUALS_MATCH: L['l'][1] == 3  # l[1] * a
        | | +- GuardManager: source=L['l'][0], accessed_by=Item
        | +- GuardManager: source=G['sin'], accessed_by=Global
        | | +- FUNCTION_MATCH: ___check_obj_id(G['sin'], 1026), type=<class 'builtin_function_or_method'>
        | +- NO_TENSOR_ALIASING: check_no_aliasing(L['a'], L['self']._modules['fc']._parameters['weight'])
        | +- DUPLICATE_INPUT: L['l'][0] is L['a']
    "#]].assert_eq(&model_tree().to_string());
}

#[test]
fn each_object_is_read_once() {
    let tree = model_tree();
    let mut frame = model_frame(&tree);
    assert!(tree.check(&mut frame));
    assert_eq!(frame.reads.len(), tree.reads());
    expect![[r#"
        local self
        _modules fc
        _parameters weight
        attr training
        local a
        local l
        item 1
        item 0
        global sin"#]]
    .assert_eq(&frame.reads.join("\n"));
}

#[test]
fn a_check_stops_where_it_fails() {
    let tree = model_tree();
    let mut frame = model_frame(&tree);
    frame.states.clear();
    assert!(!tree.check(&mut frame));
    assert!(frame.reads.is_empty());
    let mut frame = model_frame(&tree);
    frame.locals.retain(|(name, _)| name != "self");
    assert!(!tree.check(&mut frame));
    assert_eq!(frame.reads, ["local self"]);
}

#[test]
fn trees_are_stored_and_read_back() {
    let tree = model_tree();
    let stored = serde_json::to_string(&tree).expect("trees can be stored");
    let back: GuardTree = serde_json::from_str(&stored).expect("trees can be read back");
    assert_eq!(back, tree);
    assert!(back.check(&mut model_frame(&back)));
}

/// The names of the guards that are left.
fn left(s: Sources, guards: Vec<Guard>) -> Vec<&'static str> {
    let tree = GuardTree::new(s, guards).expect("a tree");
    tree.guards().iter().map(|guard| guard.kind.row().name).collect()
}

#[test]
fn needless_guards_are_dropped() {
    let mut s = sources();
    let (x, y, z, f) = (s.local("x"), s.local("y"), s.local("z"), s.local("f"));
    let three = s.constant(3);
    let (name, attr) = (s.string("grad"), s.attr(f, "grad"));
    let pair = s.tensor(tensor_guard(&[2]));
    let ty = |source, name| Guard::new(source, GuardKind::TypeMatch(object(name)));
    let guards = vec![
        ty(x, "int"),
        Guard::new(x, GuardKind::EqualsMatch(three)),
        Guard::new(x, GuardKind::EqualsMatch(three)).at("again"),
        ty(y, "torch.Tensor"),
        Guard::new(y, GuardKind::TensorMatch(pair)),
        ty(f, "builtin_function_or_method"),
        Guard::new(f, GuardKind::FunctionMatch(object("<built-in function sin>"))),
        ty(z, "list"),
        ty(z, "list"),
        Guard::new(f, GuardKind::HasAttr(name, true)),
        Guard::new(attr, GuardKind::NotNoneMatch),
        Guard::new(x, GuardKind::DuplicateInput(z)),
        Guard::new(z, GuardKind::DuplicateInput(x)),
    ];
    let kept = ["EQUALS_MATCH", "TENSOR_MATCH", "FUNCTION_MATCH", "NOT_NONE_MATCH", "TYPE_MATCH", "DUPLICATE_INPUT"];
    assert_eq!(left(s, guards), kept);
}

#[test]
fn each_alias_is_kept() {
    let mut s = sources();
    let (x, y, z) = (s.local("x"), s.local("y"), s.local("z"));
    let same = |a, b| Guard::new(a, GuardKind::DuplicateInput(b));
    let names = left(s.clone(), vec![same(x, y), same(x, z), same(y, x), same(z, y)]);
    assert_eq!(names.len(), 3);
    let apart = |all: &[_]| Guard::new(x, GuardKind::NoTensorAliasing(all.to_vec()));
    assert_eq!(left(s.clone(), vec![apart(&[x, y]), apart(&[x, z]), apart(&[x, y])]).len(), 2);
    // A source is no alias of itself.
    let tree = GuardTree::new(s, vec![apart(&[x, y, x])]).expect("a tree");
    assert!(tree.check(&mut Frame::of(Value::none()).with("y", Value::none())));
}

#[test]
fn types_that_contradict_are_kept() {
    let mut s = sources();
    let x = s.local("x");
    let three = s.constant(3);
    let ty = Guard::new(x, GuardKind::TypeMatch(object("float")));
    assert_eq!(left(s, vec![Guard::new(x, GuardKind::EqualsMatch(three)), ty]), ["TYPE_MATCH", "EQUALS_MATCH"]);
}

#[test]
fn the_type_of_an_object_is_checked_without_reading_it() {
    let mut s = sources();
    let x = s.local("x");
    let ty = s.step(x, Step::Type);
    let tree = GuardTree::new(s, vec![Guard::new(ty, GuardKind::ClassMatch(object("int")))]).expect("a tree");
    let mut frame = Frame::of(Value::constant(3));
    assert!(tree.check(&mut frame));
    assert_eq!(frame.reads, ["local x"]);
}

#[test]
fn keys_are_read_before_the_items_that_they_find() {
    let mut s = sources();
    let (d, k) = (s.local("d"), s.local("k"));
    let item = s.item_of(d, k);
    let key = s.step(d, Step::DictKey(0));
    let by_own_key = s.item_of(d, key);
    let (three, name) = (s.constant(3), s.constant("k"));
    let guards = vec![
        Guard::new(item, GuardKind::EqualsMatch(three)),
        Guard::new(by_own_key, GuardKind::EqualsMatch(three)),
        Guard::new(k, GuardKind::EqualsMatch(name)),
    ];
    let tree = GuardTree::new(s, guards).expect("a tree");
    let frame = Frame::empty().with("d", Value::dict([("k", Value::constant(3))])).with("k", Value::constant("k"));
    let mut frame = frame.prepared(tree.sources());
    assert!(tree.check(&mut frame));
    assert_eq!(frame.reads, ["local d", "local k", "item by object", "dict key 0", "item by object"]);
    expect![[r#"
        TREE_GUARD_MANAGER:
        +- RootGuardManager
        | +- GuardManager: source=L['d'], accessed_by=Local
        | | +- GuardManager: source=L['d'][L['k']], accessed_by=Item
        | | | +- EQUALS_MATCH: L['d'][L['k']] == 3
        | | +- GuardManager: source=list(dict.keys(L['d']))[0], accessed_by=DictKey
        | | +- GuardManager: source=L['d'][list(dict.keys(L['d']))[0]], accessed_by=Item
        | | | +- EQUALS_MATCH: L['d'][list(dict.keys(L['d']))[0]] == 3
        | +- GuardManager: source=L['k'], accessed_by=Local
        | | +- EQUALS_MATCH: L['k'] == 'k'
    "#]]
    .assert_eq(&tree.to_string());
}

/// A dict of two tensors and what else is given, all of which is guarded; the sources of the values.
fn table(more: &[&'static str], guards: impl Fn(&mut Sources, &[guards::SourceId]) -> Vec<Guard>) -> GuardTree {
    let mut s = sources();
    let table = s.local("table");
    let names = [&["a", "b"], more].concat();
    let keys = names.iter().map(|&name| Element::Constant(s.constant(name))).collect();
    let values: Vec<_> = names.iter().map(|&name| s.item(table, name)).collect();
    let pair = s.tensor(tensor_guard(&[2]));
    let mut all = vec![Guard::new(table, GuardKind::DictKeysMatch(keys))];
    all.extend(values[..2].iter().map(|&value| Guard::new(value, GuardKind::TensorMatch(pair))));
    all.extend(guards(&mut s, &values));
    GuardTree::new(s, all).expect("a tree")
}

#[test]
fn values_with_no_guards_but_their_own_are_checked_in_the_pass_over_their_dict() {
    let tree = table(&["n"], |s, values| {
        let three = s.constant(3);
        vec![Guard::new(values[2], GuardKind::EqualsMatch(three))]
    });
    assert_eq!((tree.sources().tensors().len(), tree.dicts(), tree.reads()), (1, 1, 1));
    let frame = |b: &[i64], n: i64| {
        let table = Value::dict([("a", Value::tensor(&[2])), ("b", Value::tensor(b)), ("n", Value::constant(n))]);
        Frame::empty().with("table", table).prepared(tree.sources())
    };
    let mut found = frame(&[2], 3);
    assert!(tree.check(&mut found));
    assert_eq!(found.reads, ["local table", "3 values"]);
    let why = |mut frame: Frame| tree.explain(&mut frame).expect("a failure").to_string();
    assert_eq!(why(frame(&[5], 3)), "tensor 'table['b']' size mismatch at index 0. expected 2, actual 5");
    assert_eq!(why(frame(&[2], 4)), "table['n'] == 3");
}

#[test]
fn values_that_are_needed_again_are_kept_beside_those_that_are_not() {
    let tree = table(&["l", "m"], |s, values| {
        let (first, three) = (s.item(values[2], 0), s.constant(3));
        vec![
            Guard::new(values[2], GuardKind::SequenceLength(1, Collection::Sequence)),
            Guard::new(first, GuardKind::EqualsMatch(three)),
            Guard::new(values[3], GuardKind::DuplicateInput(values[0])),
        ]
    });
    let a = Value::tensor(&[2]);
    let frame = |b: &[i64], n: i64, m: &Value| {
        let l = Value::list([Value::constant(n)]);
        let table = Value::dict([("a", a.clone()), ("b", Value::tensor(b)), ("l", l), ("m", m.clone())]);
        Frame::empty().with("table", table).prepared(tree.sources())
    };
    assert!(tree.check(&mut frame(&[2], 3, &a)));
    let why = |mut frame: Frame| tree.explain(&mut frame).expect("a failure").to_string();
    assert_eq!(why(frame(&[3], 3, &a)), "tensor 'table['b']' size mismatch at index 0. expected 2, actual 3");
    assert_eq!(why(frame(&[2], 4, &a)), "table['l'][0] == 3");
    assert_eq!(why(frame(&[2], 3, &Value::none())), "table['m'] is table['a']");
}

#[test]
fn what_cannot_be_read_cannot_be_guarded() {
    let mut s = sources();
    let (view, a) = (s.ephemeral("view"), s.local("a"));
    let (base, size) = (s.attr(view, "base"), s.size(a, 0));
    let mut other = s.clone();
    let foreign = other.local("foreign");
    let error = |guard| GuardTree::new(s.clone(), vec![guard]).expect_err("an error");
    let of_base = error(Guard::new(base, GuardKind::NoneMatch));
    assert_eq!(of_base.to_string(), "NONE_MATCH: `<ephemeral: view>.base` exists only while tracing");
    let number = error(Guard::new(a, GuardKind::DuplicateInput(size)));
    assert_eq!(
        number.to_string(),
        "DUPLICATE_INPUT: `L['a'].size()[0]` is a number of a tensor, which only SHAPE_ENV reads"
    );
    let unknown = error(Guard::new(foreign, GuardKind::NoneMatch));
    assert_eq!(unknown, GuardError::UnknownSource { source_id: foreign, kind: "NONE_MATCH" });
    let there = other.constant("there");
    let value = error(Guard::new(a, GuardKind::EqualsMatch(there)));
    assert_eq!(value.to_string(), "EQUALS_MATCH of `L['a']` mentions what is not there");
    let reads = vec![NumberRead { source: size, is_float: false }];
    let shapes = ShapeGuard { program: Program::default(), reads, text: vec![], lines: vec![] };
    let numbers = error(Guard::new(a, GuardKind::ShapeEnv(Box::new(shapes))));
    assert_eq!(numbers.to_string(), "SHAPE_ENV: the program takes 0 numbers, and 1 are read");
}

#[test]
fn no_guards_hold() {
    let tree = GuardTree::new(sources(), vec![]).expect("a tree");
    assert!(tree.check(&mut Frame::empty()));
    assert_eq!(tree.to_string(), "TREE_GUARD_MANAGER:\n+- RootGuardManager\n");
}

#[test]
fn trees_may_cross_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<GuardTree>();
    shared::<Sources>();
    shared::<GuardError>();
}
