//! Every kind of guard: how it prints, what passes it, and what is said of what does not.

mod common;

use common::{Data, Frame, Value, facts, object, sources, tensor_guard};
use expect_test::expect;
use guards::{
    Autocast, Collection, Constant, Deterministic, Element, GlobalState, Guard, GuardKind, GuardTree, NumberRead,
    ShapeGuard, Sources, TorchFunction,
};
use std::{collections::BTreeSet, sync::Arc};
use symshapes::{DType, Device, DeviceKind, Dim, EnvOptions, ShapeEnv};

/// A guard, a frame that passes it, and frames that do not.
struct Case {
    guard: Guard,
    good: Frame,
    bad: Vec<Frame>,
}

/// Builds cases over one arena.
struct Cases {
    sources: Sources,
    all: Vec<Case>,
}

impl Cases {
    /// A guard on `L['x']`, and the values of `x`.
    fn on_x(&mut self, kind: GuardKind, good: Value, bad: impl IntoIterator<Item = Value>) {
        let source = self.sources.local("x");
        let bad = bad.into_iter().map(Frame::of).chain([Frame::empty()]).collect();
        self.all.push(Case { guard: Guard::new(source, kind), good: Frame::of(good), bad });
    }

    fn state(&mut self, good: GlobalState, bad: GlobalState) {
        let source = self.sources.global_state();
        let guard = Guard::new(source, GuardKind::Global(good.clone()));
        let empty = Frame::empty();
        self.all.push(Case { guard, good: empty.clone().state(good), bad: vec![empty.state(bad)] });
    }

    fn constant(&mut self, value: impl Into<Constant>) -> Element {
        Element::Constant(self.sources.constant(value))
    }
}

fn int(value: i64) -> Value {
    Value::constant(value)
}

fn set(items: impl IntoIterator<Item = Value>) -> Value {
    Value::new("set", Data::Items(items.into_iter().collect()))
}

fn tuple_iterator(len: i64) -> Value {
    Value::new("tuple_iterator", Data::Items((0..len).map(int).collect()))
}

fn function(code: &str) -> Value {
    let data = Data::Function { code: Value::known(code), closure: vec![], defaults: vec![], kw_defaults: vec![] };
    Value::new("function", data)
}

fn all_cases() -> Cases {
    let mut cases = Cases { sources: sources(), all: Vec::new() };
    identities(&mut cases);
    contents(&mut cases);
    tensors(&mut cases);
    joints(&mut cases);
    states(&mut cases);
    cases
}

fn identities(c: &mut Cases) {
    let (sin, cos) = (object("<built-in function sin>"), Value::known("<built-in function cos>"));
    let sin_value = Value::by_id(sin);
    c.on_x(GuardKind::Present, Value::none(), []);
    c.on_x(GuardKind::NoneMatch, Value::none(), [int(3)]);
    c.on_x(GuardKind::NotNoneMatch, int(3), [Value::none()]);
    c.on_x(GuardKind::BoolMatch(true), Value::constant(true), [Value::constant(false), int(1)]);
    c.on_x(GuardKind::TypeMatch(object("int")), int(3), [Value::constant(true), Value::constant(2.5)]);
    c.on_x(GuardKind::IdMatch(sin), sin_value.clone(), [cos.clone()]);
    c.on_x(GuardKind::FunctionMatch(sin), sin_value.clone(), [cos.clone()]);
    c.on_x(GuardKind::ClassMatch(object("__main__.A")), Value::known("__main__.A"), [cos.clone()]);
    c.on_x(GuardKind::ModuleMatch(object("<module 'torch'>")), Value::known("<module 'torch'>"), [cos.clone()]);
    c.on_x(GuardKind::BuiltinMatch(sin), sin_value, [cos.clone()]);
    c.on_x(GuardKind::NnModule(object("Model()")), Value::known("Model()"), [cos]);
    c.on_x(GuardKind::EmptyModuleHooks, Value::constant("no hooks"), [int(1)]);
    let code = object("<code object f>");
    c.on_x(GuardKind::ClosureMatch(code), function("<code object f>"), [function("<code object g>"), int(1)]);
    let weak = c.sources.local("w");
    let alive = c.sources.step(weak, guards::Step::WeakRef);
    let reference = |target| Frame::empty().with("w", Value::new("weakref", Data::Weak(target)));
    let guard = Guard::new(alive, GuardKind::WeakrefAlive);
    c.all.push(Case { guard, good: reference(Some(int(1))), bad: vec![reference(None), Frame::empty()] });
}

fn contents(c: &mut Cases) {
    let (k, two, sin) = (c.constant("k"), c.constant(2), Element::Object(object("<built-in function sin>")));
    let list = |len: i64| Value::list((0..len).map(int));
    c.on_x(GuardKind::SequenceLength(2, Collection::Sequence), list(2), [list(1), int(2)]);
    c.on_x(GuardKind::SequenceLength(0, Collection::Sequence), list(0), [list(1)]);
    c.on_x(GuardKind::SequenceLength(1, Collection::Set), set([int(1)]), [set([])]);
    c.on_x(GuardKind::TupleIteratorLen(2), tuple_iterator(2), [tuple_iterator(1), list(2)]);
    let range = |range| Value::new("range_iterator", Data::Range(range));
    c.on_x(GuardKind::RangeIteratorMatch([0, 4, 1]), range([0, 4, 1]), [range([1, 4, 1]), list(4)]);
    let three = c.sources.constant(3);
    c.on_x(GuardKind::ConstantMatch(three), int(3), [int(4), Value::constant(3.0)]);
    let name = c.sources.constant("relu");
    c.on_x(GuardKind::EqualsMatch(name), Value::constant("relu"), [Value::constant("gelu")]);
    let nan = c.sources.constant(f64::NAN);
    c.on_x(GuardKind::EqualsMatch(nan), Value::constant(-f64::NAN), [Value::constant(1.0)]);
    let with_k = || Value::dict([("k", int(1))]);
    let with_j = || Value::dict([("j", int(1))]);
    c.on_x(GuardKind::DictContains(k), with_k(), [with_j(), int(1)]);
    c.on_x(GuardKind::DictNotContains(k), with_j(), [with_k(), int(1)]);
    let known = || set([Value::known("<built-in function sin>")]);
    c.on_x(GuardKind::SetContains(sin), known(), [set([int(2)]), with_k()]);
    c.on_x(GuardKind::SetNotContains(two), known(), [set([int(2)]), with_k()]);
    let attr = c.sources.string("foo");
    let (has, has_not) = (|| Value::instance("__main__.A", [("foo", int(1))]), || Value::instance("__main__.A", []));
    c.on_x(GuardKind::NotPresentInGenericDict(attr), has_not(), [has(), int(1)]);
    c.on_x(GuardKind::SlotUnset(attr), has_not(), [has(), int(1)]);
    let gives_sin = || Value::instance("__main__.A", [("foo", Value::known("<built-in function sin>"))]);
    let sin = object("<built-in function sin>");
    c.on_x(GuardKind::ClassAttr(attr, Some(sin)), gives_sin(), [has(), has_not()]);
    c.on_x(GuardKind::ClassAttr(attr, None), has_not(), [has()]);
    let version = |tag| Value::instance("__main__.A", [("__version__", int(tag))]);
    c.on_x(GuardKind::ClassVersion(7), version(7), [version(8), has_not()]);
    c.on_x(GuardKind::HasAttr(attr, true), has(), [has_not()]);
    c.on_x(GuardKind::HasAttr(attr, false), has_not(), [has()]);
    let keys = |a: &'static str, b: &'static str| Value::dict([(a, int(1)), (b, int(2))]);
    let j = c.constant("j");
    c.on_x(GuardKind::DictKeysMatch(vec![k, j]), keys("k", "j"), [keys("j", "k"), with_k()]);
    let mapping = |key: &str| Value::new("mappingproxy", Data::Pairs(vec![(Value::constant(key), int(1))]));
    c.on_x(GuardKind::MappingKeysCheck(vec![k]), mapping("k"), [mapping("j"), with_k()]);
    c.on_x(GuardKind::User(object("is_small")), int(3), [int(30)]);
}

fn tensors(c: &mut Cases) {
    let x = || facts(&[4, 3]);
    let parameter = object("torch.nn.parameter.Parameter");
    let changes: [fn(&mut guards::TensorFacts); 4] =
        [|t| t.dtype = DType::F64, |t| t.strides = vec![1, 4], |t| t.requires_grad = true, |t| t.sizes.push(1)];
    let changed = changes.map(|change| {
        let mut facts = x();
        change(&mut facts);
        Value::tensor_of(facts)
    });
    let mut bad = changed.to_vec();
    bad.extend([Value::tensor(&[8, 3]), int(1)]);
    bad.push(Value::tensor_of(guards::TensorFacts { python_type: parameter, ..x() }));
    let fixed = c.sources.tensor(tensor_guard(&[4, 3]));
    c.on_x(GuardKind::TensorMatch(fixed), Value::tensor(&[4, 3]), bad);
    let mut dynamic = tensor_guard(&[4, 3]);
    dynamic.sizes[0] = None;
    let dynamic = c.sources.tensor(dynamic);
    c.on_x(GuardKind::TensorMatch(dynamic), Value::tensor(&[9, 3]), [Value::tensor(&[4, 4])]);
}

fn joints(c: &mut Cases) {
    let (a, b, l) = (c.sources.local("a"), c.sources.local("b"), c.sources.local("l"));
    let first = c.sources.item(l, 0);
    let two = |a: &Value, b: &Value| Frame::empty().with("a", a.clone()).with("b", b.clone());
    let in_list = |a: &Value, b: &Value| two(a, b).with("l", Value::list([b.clone()]));
    let (x, y) = (Value::tensor(&[4, 3]), Value::tensor(&[4, 3]));
    let guard = Guard::new(a, GuardKind::DuplicateInput(first));
    c.all.push(Case { guard, good: in_list(&x, &x), bad: vec![in_list(&x, &y)] });
    let guard = Guard::new(a, GuardKind::NoTensorAliasing(vec![a, b]));
    c.all.push(Case { guard, good: two(&x, &y), bad: vec![two(&x, &x)] });
    let (guard, n) = (shapes(&mut c.sources), |n: i64| Value::constant(n));
    let sized = |rows: i64, cols: i64| Value::tensor(&[rows, cols]);
    let bad = vec![
        two(&sized(5, 11), &n(5)),
        two(&sized(1, 2), &n(5)),
        two(&sized(5, 10), &n(9)),
        two(&n(1), &n(5)),
        two(&sized(5, 10), &x),
    ];
    c.all.push(Case { guard, good: two(&sized(5, 10), &n(5)), bad });
}

/// Twice as many columns as rows, and as many rows as `b` says.
fn shapes(sources: &mut Sources) -> Guard {
    let (a, b) = (sources.local("a"), sources.local("b"));
    let (rows, columns) = (sources.size(a, 0), sources.size(a, 1));
    let mut env = ShapeEnv::new(EnvOptions::default());
    let height = env.size(rows.into(), 8, &Dim::default(), "model.py:3").expect("a size");
    let width = env.size(columns.into(), 16, &Dim::default(), "model.py:3").expect("a size");
    let n = env.int(b.into(), 8, symshapes::Policy::Dynamic);
    let doubled = env.pool_mut().mul_int(height, 2);
    for (left, right) in [(doubled, width), (n, height)] {
        let question = env.pool_mut().eq(left, right);
        assert!(env.evaluate(question, "model.py:7").expect("an answer"));
    }
    let solved = env.solve().expect("guards");
    Guard::new(a, GuardKind::ShapeEnv(Box::new(ShapeGuard::new(&env, &solved, sources))))
}

fn states(c: &mut Cases) {
    c.state(GlobalState::GradMode(true), GlobalState::GradMode(false));
    c.state(GlobalState::InferenceMode(false), GlobalState::InferenceMode(true));
    let autocast = |enabled| GlobalState::Autocast(Autocast { enabled, cache: true });
    c.state(autocast(vec![]), autocast(vec![(DeviceKind::Cpu, DType::BF16)]));
    let deterministic = |enabled| GlobalState::DeterministicAlgorithms(Deterministic { enabled, warn_only: enabled });
    c.state(deterministic(false), deterministic(true));
    c.state(GlobalState::DefaultDType(DType::F32), GlobalState::DefaultDType(DType::F64));
    c.state(GlobalState::DefaultDevice(None), GlobalState::DefaultDevice(Some(Device::CPU)));
    let kernels = |flash| GlobalState::AttentionKernels([flash, true, true, true, false]);
    c.state(kernels(true), kernels(false));
    c.state(GlobalState::HandledException(false), GlobalState::HandledException(true));
    c.state(GlobalState::TensorClass(0), GlobalState::TensorClass(1));
    c.state(GlobalState::NumThreads(2), GlobalState::NumThreads(4));
    c.state(GlobalState::DualLevel(-1), GlobalState::DualLevel(0));
    c.state(GlobalState::FunctorchStack(vec![]), GlobalState::FunctorchStack(vec!["vmap".into()]));
    let modes = |modes| GlobalState::TorchFunction(TorchFunction { subclasses: true, modes });
    c.state(modes(vec![]), modes(vec![object("__main__.A")]));
}

#[test]
fn every_kind_has_a_case() {
    let cases = all_cases();
    let tested: BTreeSet<&str> = cases.all.iter().map(|case| case.guard.kind.row().name).collect();
    let rows = GuardKind::ROWS.iter().chain(GlobalState::ROWS);
    let names: Vec<&str> = rows.map(|row| row.name).collect();
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "names differ");
    assert_eq!(tested, names.into_iter().collect());
}

#[test]
fn every_kind_prints_passes_and_fails() {
    let Cases { sources, all } = all_cases();
    let sources = Arc::new(sources);
    let mut text = String::new();
    for Case { guard, good, bad } in all {
        let tree = GuardTree::new(Arc::clone(&sources), vec![guard.clone()]).expect("a tree");
        text += &format!("{}: {}\n", guard.kind.row().name, guard.text(&sources));
        let mut good = good.prepared(&sources);
        assert!(tree.check(&mut good), "{text}");
        assert_eq!(tree.explain(&mut good), None);
        for bad in bad {
            let mut bad = bad.prepared(&sources);
            assert!(!tree.check(&mut bad), "{text}: {bad:?} passes");
            let failure = tree.explain(&mut bad).expect("a reason");
            if failure.found != "nothing" {
                text += &format!("    {} [{} / {}]\n", failure.reason, failure.expected, failure.found);
            }
        }
    }
    expect![[r#"
        PRESENT: ___is_present(L['x'])
        NONE_MATCH: L['x'] is None
            x is None [None / 3]
        NOT_NONE_MATCH: L['x'] is not None
            x is not None [not None / None]
        BOOL_MATCH: L['x'] == True
            x == True [True / False]
            x == True [True / 1]
        TYPE_MATCH: ___check_type_id(L['x'], 1003), type=<class 'int'>
            ___check_type_id(x, 1003), type=<class 'int'> [<class 'int'> / <class 'bool'>]
            ___check_type_id(x, 1003), type=<class 'int'> [<class 'int'> / <class 'float'>]
        ID_MATCH: ___check_obj_id(L['x'], 1026), type=<class 'builtin_function_or_method'>
            ___check_obj_id(x, 1026), type=<class 'builtin_function_or_method'> [<built-in function sin> / <obj27>]
        FUNCTION_MATCH: ___check_obj_id(L['x'], 1026), type=<class 'builtin_function_or_method'>
            ___check_obj_id(x, 1026), type=<class 'builtin_function_or_method'> [<built-in function sin> / <obj27>]
        CLASS_MATCH: ___check_obj_id(L['x'], 1022), type=<class '__main__.A'>
            ___check_obj_id(x, 1022), type=<class '__main__.A'> [<class '__main__.A'> / <obj27>]
        MODULE_MATCH: ___check_obj_id(L['x'], 1031), type=<class 'module'>
            ___check_obj_id(x, 1031), type=<class 'module'> [<module 'torch'> / <obj27>]
        BUILTIN_MATCH: ___check_obj_id(L['x'], 1026), type=<class 'builtin_function_or_method'>
            ___check_obj_id(x, 1026), type=<class 'builtin_function_or_method'> [<built-in function sin> / <obj27>]
        NN_MODULE: ___check_obj_id(L['x'], 1032), type=<class '__main__.Model'>
            ___check_obj_id(x, 1032), type=<class '__main__.Model'> [Model() / <obj27>]
        EMPTY_NN_MODULE_HOOKS_DICT: ___has_no_hooks(L['x'])
            ___has_no_hooks(x) [no hooks / 1]
        CLOSURE_MATCH: ___check_obj_id(L['x'].__code__, 1029), type=<class 'code'>
            ___check_obj_id(x.__code__, 1029), type=<class 'code'> [a function of <code object f> / <function>]
            ___check_obj_id(x.__code__, 1029), type=<class 'code'> [a function of <code object f> / 1]
        WEAKREF_ALIVE: L['w']() is not None
            w() is not None [not None / None]
        SEQUENCE_LENGTH: len(L['x']) == 2
            len(x) == 2 [length 2 / length 1]
            len(x) == 2 [length 2 / no length]
        SEQUENCE_LENGTH: not L['x']
            not x [length 0 / length 1]
        SEQUENCE_LENGTH: set.__len__(L['x']) == 1
            set.__len__(x) == 1 [length 1 / length 0]
        TUPLE_ITERATOR_LEN: ___tuple_iterator_len(L['x']) == 2
            ___tuple_iterator_len(x) == 2 [length 2 / length 1]
            ___tuple_iterator_len(x) == 2 [length 2 / no length]
        RANGE_ITERATOR_MATCH: ___normalize_range_iter(L['x']) == (0, 4, 1)
            ___normalize_range_iter(x) == (0, 4, 1) [range(0, 4, 1) / range[1, 4, 1]]
            ___normalize_range_iter(x) == (0, 4, 1) [range(0, 4, 1) / [0, 1, 2, 3]]
        CONSTANT_MATCH: L['x'] == 3
            x == 3 [3 / 4]
            x == 3 [3 / 3.0]
        EQUALS_MATCH: L['x'] == 'relu'
            x == 'relu' ['relu' / 'gelu']
        EQUALS_MATCH: (type(L['x']) is float and __math_isnan(L['x']))
            (type(x) is float and __math_isnan(x)) [nan / 1.0]
        DICT_CONTAINS: ___dict_contains('k', L['x'])
            ___dict_contains('k', x) [with 'k' / {'j': 1}]
            ___dict_contains('k', x) [with 'k' / 1]
        DICT_NOT_CONTAINS: not ___dict_contains('k', L['x'])
            not ___dict_contains('k', x) [without 'k' / {'k': 1}]
            not ___dict_contains('k', x) [without 'k' / 1]
        SET_CONTAINS: set.__contains__(L['x'], <built-in function sin>)
            set.__contains__(x, <built-in function sin>) [with <built-in function sin> / [2]]
            set.__contains__(x, <built-in function sin>) [with <built-in function sin> / {'k': 1}]
        SET_NOT_CONTAINS: not set.__contains__(L['x'], 2)
            not set.__contains__(x, 2) [without 2 / [2]]
            not set.__contains__(x, 2) [without 2 / {'k': 1}]
        NOT_PRESENT_IN_GENERIC_DICT: not ___dict_contains('foo', L['x'].__dict__)
            not ___dict_contains('foo', x.__dict__) [without attribute foo / <__main__.A>]
            not ___dict_contains('foo', x.__dict__) [without attribute foo / 1]
        SLOT_UNSET: not ___slot_is_set(L['x'], 'foo')
            not ___slot_is_set(x, 'foo') [without attribute foo / <__main__.A>]
            not ___slot_is_set(x, 'foo') [without attribute foo / 1]
        CLASS_ATTR_MATCH: ___check_obj_id(___class_attr(L['x'], 'foo'), 1026), type=<class 'builtin_function_or_method'>
            ___check_obj_id(___class_attr(x, 'foo'), 1026), type=<class 'builtin_function_or_method'> [with attribute foo: <built-in function sin> / <__main__.A>]
            ___check_obj_id(___class_attr(x, 'foo'), 1026), type=<class 'builtin_function_or_method'> [with attribute foo: <built-in function sin> / <__main__.A>]
        CLASS_ATTR_MATCH: ___class_attr(L['x'], 'foo') is None
            ___class_attr(x, 'foo') is None [without attribute foo / <__main__.A>]
        CLASS_VERSION_MATCH: ___class_version(L['x']) == 7
            ___class_version(x) == 7 [unchanged / <__main__.A>]
            ___class_version(x) == 7 [unchanged / <__main__.A>]
        HASATTR: hasattr(L['x'], 'foo')
            hasattr(x, 'foo') [with attribute foo / <__main__.A>]
        HASATTR: not hasattr(L['x'], 'foo')
            not hasattr(x, 'foo') [without attribute foo / <__main__.A>]
        DICT_KEYS_MATCH: list(dict.keys(L['x'])) == ['k', 'j']
            list(dict.keys(x)) == ['k', 'j'] [keys ['k', 'j'] / {'j': 1, 'k': 2}]
            list(dict.keys(x)) == ['k', 'j'] [keys ['k', 'j'] / {'k': 1}]
        MAPPING_KEYS_CHECK: list(L['x'].keys()) == ['k']
            list(x.keys()) == ['k'] [keys ['k'] / {'j': 1}]
            list(x.keys()) == ['k'] [keys ['k'] / {'k': 1}]
        USER: is_small(L['x'])
            is_small(x) [what is_small accepts / 30]
        TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32, device=None, requires_grad=False, size=[4, 3], stride=[3, 1])
            tensor 'x' dtype mismatch. expected Float, actual Double [torch.float32 / torch.float64]
            tensor 'x' stride mismatch at index 0. expected 3, actual 1 [stride()[0] == 3 / stride()[0] == 1]
            tensor 'x' requires_grad mismatch. expected requires_grad=0 [requires_grad=False / requires_grad=True]
            tensor 'x' rank mismatch. expected 2, actual 3 [rank 2 / rank 3]
            tensor 'x' size mismatch at index 0. expected 4, actual 8 [size()[0] == 4 / size()[0] == 8]
            expected type of 'x' to be <class 'torch.Tensor'>, but found <class 'int'> [<class 'torch.Tensor'> / <class 'int'>]
            expected type of 'x' to be <class 'torch.Tensor'>, but found <class 'torch.nn.parameter.Parameter'> [<class 'torch.Tensor'> / <class 'torch.nn.parameter.Parameter'>]
        TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32, device=None, requires_grad=False, size=[None, 3], stride=[3, 1])
            tensor 'x' size mismatch at index 1. expected 3, actual 4 [size()[1] == 3 / size()[1] == 4]
        DUPLICATE_INPUT: L['a'] is L['l'][0]
            a is l[0] [one object / two objects]
        NO_TENSOR_ALIASING: check_no_aliasing(L['a'], L['b'])
            Duplicate tensors found: ["a", "b"] [different tensors / one tensor at "a", "b"]
        SHAPE_ENV: L['b'] == L['a'].size()[0] and L['a'].size()[1] == 2*L['a'].size()[0] and 2 <= L['a'].size()[0]
            a.size()[1] == 2*a.size()[0] [L['a'].size()[1] == 2*L['a'].size()[0] / L['a'].size()[0] = 5, L['a'].size()[1] = 11]
            b == a.size()[0] [L['b'] == L['a'].size()[0] / L['b'] = 5, L['a'].size()[0] = 1]
            b == a.size()[0] [L['b'] == L['a'].size()[0] / L['b'] = 9, L['a'].size()[0] = 5]
            b == a.size()[0] and a.size()[1] == 2*a.size()[0] and 2 <= a.size()[0] [L['b'] == L['a'].size()[0] and L['a'].size()[1] == 2*L['a'].size()[0] and 2 <= L['a'].size()[0] / L['b'] = 5, L['a'].size()[0] = no number, L['a'].size()[1] = no number]
            b == a.size()[0] and a.size()[1] == 2*a.size()[0] and 2 <= a.size()[0] [L['b'] == L['a'].size()[0] and L['a'].size()[1] == 2*L['a'].size()[0] and 2 <= L['a'].size()[0] / L['b'] = no number, L['a'].size()[0] = 5, L['a'].size()[1] = 10]
        GRAD_MODE: ___check_global_state() against {"grad_mode":true}
            GLOBAL_STATE changed: grad_mode [true / false]
        INFERENCE_MODE: ___check_global_state() against {"inference_mode":false}
            GLOBAL_STATE changed: inference_mode [false / true]
        AUTOCAST: ___check_global_state() against {"autocast":[] cached_enabled=true}
            GLOBAL_STATE changed: autocast [[] cached_enabled=true / [cpu bfloat16] cached_enabled=true]
        DETERMINISTIC_ALGORITHMS: ___check_global_state() against {"deterministic_algorithms":false}
            GLOBAL_STATE changed: deterministic_algorithms [false / true (warn only)]
        DEFAULT_DTYPE: ___check_global_state() against {"default_dtype":torch.float32}
            GLOBAL_STATE changed: default_dtype [torch.float32 / torch.float64]
        DEFAULT_DEVICE: utils_device.CURRENT_DEVICE == None
            utils_device.CURRENT_DEVICE == None [None / device(type='cpu')]
        ATTENTION_KERNELS: ___check_global_state() against {"attention_kernels":[flash, mem_efficient, math, cudnn]}
            GLOBAL_STATE changed: attention_kernels [[flash, mem_efficient, math, cudnn] / [mem_efficient, math, cudnn]]
        HANDLED_EXCEPTION: ___check_global_state() against {"handled_exception":false}
            GLOBAL_STATE changed: handled_exception [false / true]
        TENSOR_CLASS: ___check_global_state() against {"tensor_class":0 changes}
            GLOBAL_STATE changed: tensor_class [0 changes / 1 changes]
        NUM_THREADS: ___check_global_state() against {"num_threads":2}
            GLOBAL_STATE changed: num_threads [2 / 4]
        DUAL_LEVEL: torch.autograd.forward_ad._current_level == -1
            torch.autograd.forward_ad._current_level == -1 [-1 / 0]
        FUNCTORCH_STACK_MATCH: torch._functorch.pyfunctorch.compare_functorch_state([])
            torch._functorch.pyfunctorch.compare_functorch_state([]) [[] / [vmap]]
        TORCH_FUNCTION_STATE: ___check_torch_function_mode_stack()
            ___check_torch_function_mode_stack() [subclasses true, modes [] / subclasses true, modes [obj22]]
    "#]].assert_eq(&text);
}

#[test]
fn floats_in_shapes_are_read_by_their_bits() {
    let mut s = sources();
    let x = s.local("x");
    let mut env = ShapeEnv::new(EnvOptions::default());
    env.float(x.into(), 2.5, symshapes::Policy::Static);
    let solved = env.solve().expect("guards");
    let shapes = ShapeGuard::new(&env, &solved, &s);
    assert_eq!(shapes.reads, [NumberRead { source: x, is_float: true }]);
    let tree = GuardTree::new(s, vec![Guard::new(x, GuardKind::ShapeEnv(Box::new(shapes)))]).expect("a tree");
    assert!(tree.check(&mut Frame::of(Value::constant(2.5))));
    let failure = tree.explain(&mut Frame::of(Value::constant(3.5))).expect("a reason");
    assert_eq!((failure.guard.as_str(), failure.found.as_str()), ("L['x'] == 2.5", "L['x'] = 3.5"));
    assert!(!tree.check(&mut Frame::of(int(2))));
}

#[test]
fn failures_name_the_users_lines() {
    let mut s = sources();
    let x = s.local("x");
    let attr = s.attr(x, "foo");
    let three = s.constant(3);
    let rows = s.attr(attr, "rows");
    let guard = Guard::new(rows, GuardKind::ConstantMatch(three)).at("return x.foo.rows  # model.py:9 in forward");
    let tree = GuardTree::new(s, vec![guard]).expect("a tree");
    let mut frame = Frame::of(Value::instance("__main__.A", [])).prepared(tree.sources());
    let failure = tree.explain(&mut frame).expect("a reason");
    expect!["getattr failed on source x.foo  # return x.foo.rows  # model.py:9 in forward"]
        .assert_eq(&failure.to_string());
    let stored = serde_json::to_string(&failure).expect("failures can be stored");
    assert_eq!(serde_json::from_str::<guards::Failure>(&stored).expect("and read back"), failure);
}
