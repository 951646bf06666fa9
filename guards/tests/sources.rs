//! Tests of sources: how they print, what guards can see of them, and that they are stored once.

mod common;

use common::sources;
use expect_test::expect;
use guards::{Constant, Key, Reach, Root, SourceId, SourceRow, Sources, Step, TensorProperty};
use std::collections::BTreeSet;

/// A source for each row of the tables, in table order, roots first.
fn one_of_each(s: &mut Sources) -> Vec<SourceId> {
    let (x, k, w, len) = (s.string("x"), s.string("k"), s.string("weight"), s.string("__len__"));
    let bounds = s.constant(Constant::Slice([Some(1), None, None]));
    let roots = [
        Root::Local(x),
        Root::Global(k),
        Root::Cell(w),
        Root::Function,
        Root::Default(0),
        Root::KwDefault(k),
        Root::Module(k),
        Root::Ephemeral(x),
        Root::GlobalState,
    ];
    let steps = [
        Step::Attr(w),
        Step::GenericAttr(w),
        Step::Item(Key::Str(k)),
        Step::DictKey(0),
        Step::DictValue(1),
        Step::SetItem(0),
        Step::TupleIteratorItem(2),
        Step::Slice(bounds),
        Step::Type,
        Step::TypeDict,
        Step::WeakRef,
        Step::Closure(0),
        Step::Defaults(0),
        Step::KwDefaults(k),
        Step::Code,
        Step::Param(w),
        Step::Buffer(w),
        Step::Submodule(k),
        Step::Tensor(TensorProperty::Size(0)),
        Step::FromNumpy,
        Step::Grad,
        Step::Call0(len),
        Step::Cached(bounds),
    ];
    let mut all: Vec<SourceId> = roots.map(|root| s.root(root)).to_vec();
    let base = all[0];
    all.extend(steps.map(|step| s.step(base, step)));
    all
}

#[test]
fn every_row_prints() {
    let mut s = sources();
    let all = one_of_each(&mut s);
    let rows: Vec<_> = Root::ROWS.iter().chain(Step::ROWS).copied().collect();
    assert_eq!(all.iter().map(|&id| s[id].row()).collect::<Vec<_>>(), rows);
    assert_eq!(rows.iter().map(|row| row.variant).collect::<BTreeSet<_>>().len(), rows.len());
    let line =
        |id, row: SourceRow| format!("{:18} {:?} {}", row.variant, row.reach, s.display(id)).trim_end().to_owned();
    let lines = all.iter().zip(rows).map(|(&id, row)| line(id, row));
    expect![[r#"
        Local              Object L['x']
        Global             Object G['k']
        Cell               Object L['weight']
        Function           Object F
        Default            Object F.__defaults__[0]
        KwDefault          Object F.__kwdefaults__['k']
        Module             Object sys.modules['k']
        Ephemeral          Nothing <ephemeral: x>
        GlobalState        Nothing
        Attr               Object L['x'].weight
        GenericAttr        Object object.__getattribute__(L['x'], 'weight')
        Item               Object L['x']['k']
        DictKey            Object list(dict.keys(L['x']))[0]
        DictValue          Object list(dict.values(L['x']))[1]
        SetItem            Object ___set_getitem(L['x'], 0)
        TupleIteratorItem  Object ___tuple_iterator_getitem(L['x'], 2)
        Slice              Object L['x'][slice(1, None, None)]
        Type               Object type(L['x'])
        TypeDict           Object dict(L['x'].__dict__)
        WeakRef            Object L['x']()
        Closure            Object L['x'].__closure__[0].cell_contents
        Defaults           Object L['x'].__defaults__[0]
        KwDefaults         Object L['x'].__kwdefaults__['k']
        Code               Object L['x'].__code__
        Param              Object L['x']._parameters['weight']
        Buffer             Object L['x']._buffers['weight']
        Submodule          Object L['x']._modules['k']
        Tensor             Number L['x'].size()[0]
        FromNumpy          Object torch.from_numpy(L['x'])
        Grad               Object L['x'].grad
        Call0              Object L['x'].__len__()
        Cached             Object ___cached(L['x'], slice(1, None, None))"#]]
    .assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn chains_print_as_torch_prints_them() {
    let mut s = sources();
    let (l, d, model, a) = (s.local("l"), s.local("d"), s.local("self"), s.local("a"));
    let first = s.item(l, 0);
    let key = s.step(d, Step::DictKey(0));
    let (fc, weight) = (s.string("fc"), s.string("weight"));
    let fc = s.step(model, Step::Submodule(fc));
    let torch = s.global("torch");
    let all = [
        s.item(first, -1),
        s.item_of(d, key),
        s.item(d, Constant::Tuple(vec![1.into(), "it's".into()])),
        s.item(d, true),
        s.item(d, Constant::float(2.5)),
        s.item(d, Constant::Bytes(b"\x00a".to_vec())),
        s.item(d, Constant::None),
        s.slice(l, None, Some(3), None),
        s.attr(model, "not-a-name"),
        s.step(fc, Step::Param(weight)),
        s.stride(a, 1),
        s.step(a, Step::Tensor(TensorProperty::StorageOffset)),
        s.attr(torch, "float32"),
    ];
    let lines = all.map(|id| s.display(id).to_string());
    expect![[r#"
        L['l'][0][-1]
        L['d'][list(dict.keys(L['d']))[0]]
        L['d'][(1, "it's")]
        L['d'][True]
        L['d'][2.5]
        L['d'][b'\x00a']
        L['d'][None]
        L['l'][slice(None, 3, None)]
        getattr(L['self'], 'not-a-name')
        L['self']._modules['fc']._parameters['weight']
        L['a'].stride()[1]
        L['a'].storage_offset()
        G['torch'].float32"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn equal_sources_are_one() {
    let mut s = sources();
    let x = s.local("x");
    let a = s.attr(x, "a");
    assert_eq!(s.attr(x, "a"), a);
    assert_eq!(s.local("x"), x);
    assert_ne!(s.item(x, 1), s.item(x, true));
    assert_ne!(s.item(x, Constant::float(0.0)), s.item(x, Constant::float(-0.0)));
    assert_eq!(s.base(a), Some(x));
    assert!(matches!(s.root_of(a), Root::Local(_)));
}

#[test]
fn nothing_is_readable_below_what_exists_only_while_tracing() {
    let mut s = sources();
    let (view, a, d) = (s.ephemeral("view"), s.local("a"), s.local("d"));
    let inner = s.attr(view, "base");
    let deep = s.size(inner, 0);
    let by_ephemeral = s.item_of(d, inner);
    let below_that = s.attr(by_ephemeral, "x");
    let size = s.size(a, 0);
    let below_number = s.attr(size, "real");
    assert!([view, inner, deep, by_ephemeral, below_that, below_number].iter().all(|&id| !s.is_readable(id)));
    assert_eq!(s.reach(size), Reach::Number);
    assert_eq!(s.reach(a), Reach::Object);
    assert_eq!(s.display(deep).to_string(), "<ephemeral: view>.base.size()[0]");
}

#[test]
fn sources_are_stored_and_read_back() {
    let mut s = sources();
    let all = one_of_each(&mut s);
    let stored = serde_json::to_string(&s).expect("sources can be stored");
    let mut back: Sources = serde_json::from_str(&stored).expect("sources can be read back");
    assert_eq!(back, s);
    assert_eq!(back.local("x"), all[0]);
}

#[test]
fn dangling_sources_are_refused() {
    let mut s = Sources::new();
    let x = s.local("x");
    s.attr(x, "a");
    let stored = serde_json::to_string(&s).expect("sources can be stored");
    let no_name = stored.replace(r#"["x","a"]"#, r#"["x"]"#);
    let error = serde_json::from_str::<Sources>(&no_name).expect_err("a name is missing");
    assert_eq!(error.to_string(), "src1: mentions what is not there, or not before it");
    let no_base = stored.replace(r#""base":0"#, r#""base":1"#);
    assert!(serde_json::from_str::<Sources>(&no_base).is_err());
}
