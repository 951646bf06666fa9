//! Builtins: a row for each function and class whose call is spelled out, and for each method of a container.

use super::{
    Traced, Tracer,
    call::Keywords,
    compiler, conditions,
    containers::pairs,
    deques, functional, getters,
    items::{raised, range_len},
    itertools, lazy, objects, sets, sums, tables,
    value::{Iter, Sort, State, Value, ValueId},
};
use crate::reason::{Kind, Reason};
use fx::Kind as NodeKind;
use guards::Constant;
use indexmap::IndexMap;

/// What a call of a builtin does.
pub(super) type Rule = fn(&mut Tracer<'_>, &[ValueId], &Keywords) -> Traced;

/// The rule of a function or class.
pub(super) fn rule(name: &str) -> Option<Rule> {
    RULES
        .iter()
        .chain(itertools::RULES)
        .chain(lazy::RULES)
        .chain(functional::RULES)
        .chain(getters::RULES)
        .chain(tables::RULES)
        .chain(deques::RULES)
        .chain(compiler::RULES)
        .chain(conditions::RULES)
        .chain(objects::RULES)
        .find(|(names, _)| names.split(' ').any(|each| each == name))
        .map(|&(_, rule)| rule)
}

const RULES: &[(&str, Rule)] = &[
    ("builtins.len", |t, args, _| length(t, one(args)?)),
    ("builtins.isinstance", is_instance),
    ("builtins.type", |t, args, _| type_of(t, one(args)?)),
    ("builtins.issubclass", |t, args, _| {
        let &[class, of] = args else { return Err(raised("TypeError: issubclass")) };
        let is = t.is_subclass(class, of)?;
        Ok(t.constant(Constant::Bool(is)))
    }),
    ("builtins.callable", |t, args, _| {
        let callable = match t.get(one(args)?)? {
            Value::Function(_)
            | Value::Method { .. }
            | Value::Partial(..)
            | Value::Getter(..)
            | Value::Decorated(..)
            | Value::Exit(_)
            | Value::Builtin(_)
            | Value::BoundBuiltin { .. }
            | Value::Class(..) => true,
            Value::Object(..) | Value::Instance(_) => {
                let text = format!("`callable` of {}.", t.describe(args[0]));
                return Err(Reason::new(Kind::Call, text));
            }
            Value::Context(_) => return Err(Reason::new(Kind::Call, "`callable` of a context manager.")),
            _ => false,
        };
        Ok(t.constant(Constant::Bool(callable)))
    }),
    ("builtins.bool", |t, args, _| {
        if let &[value] = args
            && t.get(value)?.is_symbolic()
        {
            return t.number_bool(value);
        }
        let truth = args.first().is_some_and(|&arg| matches!(t.truth(arg), Ok(true)));
        if let Some(&arg) = args.first() {
            t.truth(arg)?;
        }
        Ok(t.constant(Constant::Bool(truth)))
    }),
    ("builtins.int", |t, args, _| number(t, args, "builtins.int")),
    ("builtins.float", |t, args, _| number(t, args, "builtins.float")),
    ("builtins.str", |t, args, _| text(t, args, "builtins.str")),
    ("builtins.repr", |t, args, _| text(t, args, "builtins.repr")),
    ("builtins.list", |t, args, _| {
        let items = if args.is_empty() { Vec::new() } else { t.all_items(one(args)?)? };
        Ok(t.state(State::List(items)))
    }),
    ("builtins.tuple", |t, args, _| {
        let items = if args.is_empty() { Vec::new() } else { t.all_items(one(args)?)? };
        Ok(t.value(Value::Tuple(items)))
    }),
    ("builtins.dict", dict),
    ("builtins.dict.fromkeys", |t, args, _| {
        let (&keys, rest) = args.split_first().ok_or_else(|| raised("TypeError: fromkeys"))?;
        let value = rest.first().copied().unwrap_or_else(|| t.none());
        let mut entries = IndexMap::new();
        for key in t.all_items(keys)? {
            let key = t.force(key)?;
            entries.entry(t.key(key)?).or_insert((key, value));
        }
        Ok(t.state(State::Dict(entries)))
    }),
    ("builtins.set", |t, args, _| sets::make(t, args)),
    ("builtins.frozenset", |t, args, _| sets::make_frozen(t, args)),
    ("builtins.range", range),
    ("builtins.slice", |t, args, _| {
        let none = t.none();
        let parts = match *args {
            [stop] => [none, stop, none],
            [start, stop] => [start, stop, none],
            [start, stop, step] => [start, stop, step],
            _ => return Err(raised("TypeError: slice")),
        };
        Ok(t.value(Value::Slice(parts)))
    }),
    ("builtins.iter", |t, args, _| t.iterate(one(args)?)),
    ("builtins.next", |t, args, _| {
        let (first, rest) = args.split_first().ok_or_else(|| raised("TypeError: next"))?;
        match (t.next_item(*first)?, rest) {
            (Some(item), _) => Ok(item),
            (None, [default]) => Ok(*default),
            (None, _) => Err(raised("StopIteration")),
        }
    }),
    ("builtins.enumerate", |t, args, keywords| {
        let start = keywords.iter().find(|(name, _)| name == "start").map(|&(_, value)| value).or(args.get(1).copied());
        let start = start.map_or(Ok(0), |value| t.concrete(value))?;
        let inner = iterator(t, *args.first().ok_or_else(|| raised("TypeError: enumerate"))?)?;
        Ok(t.state(State::Iter(Iter::Enumerate(inner, start))))
    }),
    ("builtins.zip", |t, args, keywords| {
        let strict = match &keywords[..] {
            [] => false,
            [(name, strict)] if name == "strict" => t.truth(*strict)?,
            _ => return Err(raised("TypeError: zip")),
        };
        let inners = args.iter().map(|&arg| iterator(t, arg)).collect::<Traced<_>>()?;
        Ok(t.state(State::Iter(Iter::Zip(inners, strict))))
    }),
    ("builtins.map", |t, args, _| {
        let (&function, rest) = args.split_first().ok_or_else(|| raised("TypeError: map"))?;
        let inners = rest.iter().map(|&arg| iterator(t, arg)).collect::<Traced<_>>()?;
        Ok(t.state(State::Iter(Iter::Map(function, inners))))
    }),
    ("builtins.reversed", |t, args, _| t.reversed(one(args)?)),
    ("builtins.sum", sums::sum),
    ("math.prod", |t, args, keywords| match keywords[..] {
        [] => sums::product(t, one(args)?),
        _ => Err(Reason::new(Kind::Call, "`math.prod` with `start`.")),
    }),
    ("builtins.sorted", |t, args, keywords| {
        let has_key = keywords.iter().any(|(name, _)| name == "key");
        let items = if has_key { t.all_items(one(args)?)? } else { t.items_to_sort(one(args)?)? };
        let items = t.sorted(items, keywords)?;
        Ok(t.state(State::List(items)))
    }),
    ("builtins.filter", |t, args, _| {
        let &[function, items] = args else { return Err(raised("TypeError: filter")) };
        let inner = iterator(t, items)?;
        Ok(t.state(State::Iter(Iter::Filter(function, inner))))
    }),
    ("builtins.divmod", |t, args, _| {
        let &[a, b] = args else { return Err(raised("TypeError: divmod")) };
        let parts = vec![t.binary_op(super::ops::FLOORDIV, a, b)?, t.binary_op(super::ops::MOD, a, b)?];
        Ok(t.value(Value::Tuple(parts)))
    }),
    ("functools.partial", |t, args, keywords| {
        let (&function, rest) = args.split_first().ok_or_else(|| raised("TypeError: partial"))?;
        // One of another one takes that one's arguments over.
        Ok(match t.get(function)? {
            Value::Partial(inner, first, named) => {
                let mut all: IndexMap<String, ValueId> = named.into_iter().collect();
                all.extend(keywords.clone());
                t.value(Value::Partial(inner, [&first, rest].concat(), all.into_iter().collect()))
            }
            _ => t.value(Value::Partial(function, rest.to_vec(), keywords.clone())),
        })
    }),
    ("_functools.reduce functools.reduce", |t, args, _| {
        let (function, items, first) = match *args {
            [function, items] => (function, items, None),
            [function, items, first] => (function, items, Some(first)),
            _ => return Err(raised("TypeError: reduce")),
        };
        sums::accumulate(t, items, first, |t, total, item| t.call(function, vec![total, item], vec![]))
    }),
    ("torch.is_grad_enabled torch._C.is_grad_enabled", |t, _, _| {
        let grad = t.grad;
        Ok(t.constant(Constant::Bool(grad)))
    }),
    ("torch.is_inference_mode_enabled torch._C.is_inference_mode_enabled", |t, _, _| {
        let inference = t.inference;
        Ok(t.constant(Constant::Bool(inference)))
    }),
    ("torch.device", |t, args, keywords| match keywords[..] {
        [] => t.make_device(args),
        _ => Err(Reason::new(Kind::Call, "`torch.device` by keywords.")),
    }),
    ("torch.is_autocast_enabled torch._C.is_autocast_enabled", |t, args, _| {
        let on = t.autocast_for(args)?.is_some();
        Ok(t.constant(Constant::Bool(on)))
    }),
    ("builtins.all", |t, args, _| quantified(t, one(args)?, false)),
    ("builtins.any", |t, args, _| quantified(t, one(args)?, true)),
    ("builtins.min", |t, args, keywords| extreme(t, args, keywords, crate::bytecode::Comparison::Lt)),
    ("builtins.max", |t, args, keywords| extreme(t, args, keywords, crate::bytecode::Comparison::Gt)),
    ("builtins.abs", |t, args, _| {
        let value = one(args)?;
        match t.get(value)? {
            Value::Tensor(_) => {
                let arg = t.arg(value)?;
                t.emit(NodeKind::CallFunction, "operator.abs", vec![arg], vec![])
            }
            Value::Const(constant) => t.fold("builtins.abs", &[constant]),
            symbolic if symbolic.is_symbolic() => t.number_unary("abs", value),
            _ => Err(Reason::new(Kind::Call, "`abs` of an object.")),
        }
    }),
    ("builtins.getattr", |t, args, _| {
        let name = args.get(1).map(|&name| t.get(name)).transpose()?;
        let (Some(&value), Some(Value::Const(Constant::Str(name)))) = (args.first(), name) else {
            return Err(raised("TypeError: getattr"));
        };
        match t.get_attr(value, &name) {
            Err(reason) if reason.is_of_attribute() && args.len() == 3 => Ok(args[2]),
            Ok(found) if args.len() == 3 => {
                t.guard_attr(value, &name, found)?;
                Ok(found)
            }
            found => found,
        }
    }),
    ("builtins.hasattr", |t, args, _| {
        let name = args.get(1).map(|&name| t.get(name)).transpose()?;
        let (Some(&value), Some(Value::Const(Constant::Str(name)))) = (args.first(), name) else {
            return Err(raised("TypeError: hasattr"));
        };
        let present = match t.get_attr(value, &name) {
            _ if super::attr::UNREAD.contains(&name.as_str()) && matches!(t.get(value)?, Value::Tensor(_)) => true,
            Ok(found) => {
                t.guard_attr(value, &name, found)?;
                true
            }
            Err(reason) if reason.is_of_attribute() => false,
            Err(reason) => return Err(reason),
        };
        Ok(t.constant(Constant::Bool(present)))
    }),
    ("builtins.setattr", |t, args, _| {
        let name = args.get(1).map(|&name| t.get(name)).transpose()?;
        let (&[value, _, new], Some(Value::Const(Constant::Str(name)))) = (args, name) else {
            return Err(raised("TypeError: setattr"));
        };
        t.set_attr(value, &name, new)?;
        Ok(t.none())
    }),
    ("torch.is_floating_point", |t, args, _| {
        let floats = t.get_attr(one(args)?, "dtype")?;
        t.get_attr(floats, "is_floating_point")
    }),
    ("torch.is_complex", |t, args, _| {
        let kind = t.get_attr(one(args)?, "dtype")?;
        t.get_attr(kind, "is_complex")
    }),
    ("typing.cast", |_, args, _| match args {
        &[_, value] => Ok(value),
        _ => Err(raised("TypeError: cast")),
    }),
    ("torch.is_tensor", |t, args, _| {
        let is = matches!(t.get(one(args)?)?, Value::Tensor(_));
        Ok(t.constant(Constant::Bool(is)))
    }),
];

/// Functions of constants that have no effect: computed when the function is traced.
pub(super) fn is_pure(name: &str) -> bool {
    const PURE: &[&str] = &[
        "abs", "bin", "bool", "bytes", "chr", "complex", "divmod", "float", "format", "hex", "int", "max", "min",
        "oct", "ord", "pow", "repr", "round", "sorted", "str", "sum", "tuple", "ascii", "hash", "len",
    ];
    match name.split_once('.') {
        Some(("builtins", function)) => PURE.contains(&function),
        Some(("math" | "operator" | "str" | "cmath", _)) => true,
        // The default is guarded.
        Some(("torch", "get_default_dtype" | "promote_types" | "can_cast")) => true,
        _ => false,
    }
}

/// Functions of torch that make tensors of no tensor.
pub(super) fn is_factory(name: &str) -> bool {
    const FACTORIES: &[&str] = &[
        "zeros",
        "ones",
        "empty",
        "full",
        "arange",
        "linspace",
        "logspace",
        "eye",
        "tensor",
        "rand",
        "randn",
        "randint",
        "randperm",
        "tril_indices",
        "triu_indices",
        "scalar_tensor",
        "as_tensor",
    ];
    name.strip_prefix("torch.").is_some_and(|function| FACTORIES.contains(&function))
}

/// Methods that give a tensor's values to Python.
pub(super) fn tensor_to_python(name: &str) -> Option<Kind> {
    const READS: &[&str] = &["item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__", "data_ptr"];
    const ACTS: &[&str] =
        &["backward", "register_hook", "requires_grad_", "retain_grad", "share_memory_", "set_", "detach_"];
    if READS.contains(&name) { Some(Kind::TensorToPython) } else { ACTS.contains(&name).then_some(Kind::Call) }
}

/// Why a call without a rule ends the graph.
pub(super) fn why_not(name: &str) -> Kind {
    /// Managers of a state that no graph holds.
    const MANAGERS: &str = "warnings.catch_warnings torch.random.fork_rng \
        torch.autograd.grad_mode.set_multithreading_enabled torch.autograd.anomaly_mode.set_detect_anomaly \
        torch.autograd.anomaly_mode.detect_anomaly torch.autograd.graph.saved_tensors_hooks \
        torch.autograd.profiler.profile torch.profiler.profiler.profile";
    match name {
        "builtins.print" => Kind::Print,
        _ if MANAGERS.split_whitespace().any(|known| known == name) => Kind::Context,
        _ if name.ends_with(".__enter__") || name.ends_with(".__exit__") => Kind::Context,
        _ => Kind::Call,
    }
}

pub(super) fn one(args: &[ValueId]) -> Traced {
    match args {
        [arg] => Ok(*arg),
        _ => Err(raised("TypeError: one argument is expected")),
    }
}

fn iterator(t: &mut Tracer<'_>, value: ValueId) -> Traced<super::value::StateId> {
    let iterator = t.iterate(value)?;
    match t.values[iterator] {
        Value::State(state) => Ok(state),
        _ => Err(Reason::new(Kind::Iteration, "Over something that is no iterator.")),
    }
}

fn length(t: &mut Tracer<'_>, value: ValueId) -> Traced {
    let len = match t.get(value)? {
        Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => items.len() as i64,
        Value::Range(bounds) => range_len(bounds),
        Value::DictView(dict, _) => return length(t, dict),
        Value::Const(constant) => return t.fold("builtins.len", &[constant]),
        Value::State(state) => match t.heap.get(state) {
            State::List(items) => items.len() as i64,
            State::Dict(items) => items.len() as i64,
            State::Deque(deque) => deque.items.len() as i64,
            State::Set(items, _) => items.len() as i64,
            _ => return Err(raised("TypeError: no len()")),
        },
        Value::Tensor(node) => {
            let Some(meta) = t.graph[node].tensor_meta().cloned() else { return Err(raised("TypeError: no len()")) };
            if meta.sizes.is_empty() {
                return Err(raised("TypeError: len() of a 0-d tensor"));
            }
            return t.size(value, node, &meta, 0);
        }
        _ => return t.object_len(value),
    };
    Ok(t.constant(Constant::Int(len)))
}

/// The names of the classes of which a value is an instance, its own first; `None` if they are not all known.
pub(super) fn classes(t: &mut Tracer<'_>, value: ValueId) -> Traced<Option<&'static [&'static str]>> {
    Ok(match t.get(value)? {
        Value::Const(constant) => match constant {
            Constant::None => Some(&["builtins.NoneType"]),
            Constant::Bool(_) => Some(&["builtins.bool", "builtins.int"]),
            Constant::Int(_) | Constant::BigInt(_) => Some(&["builtins.int"]),
            Constant::Float(_) => Some(&["builtins.float"]),
            Constant::Complex(..) => Some(&["builtins.complex"]),
            Constant::Str(_) => Some(&["builtins.str"]),
            Constant::Bytes(_) => Some(&["builtins.bytes"]),
            Constant::FrozenSet(_) => Some(&["builtins.frozenset"]),
            Constant::DType(_) => Some(&["torch.dtype"]),
            Constant::Device(_) => Some(&["torch.device"]),
            _ => None,
        },
        Value::SymInt { .. } => Some(&["builtins.int"]),
        Value::SymFloat { .. } => Some(&["builtins.float"]),
        Value::SymBool { .. } => Some(&["builtins.bool", "builtins.int"]),
        Value::Tensor(node) if t.parameters.contains(&t.first_name(node)) => {
            Some(&["torch.nn.parameter.Parameter", "torch.Tensor"])
        }
        Value::Tensor(_) => Some(&["torch.Tensor"]),
        Value::Tuple(_) => Some(&["builtins.tuple"]),
        Value::Size(_) => Some(&["torch.Size", "builtins.tuple"]),
        Value::Range(_) => Some(&["builtins.range"]),
        Value::Slice(_) => Some(&["builtins.slice"]),
        Value::Partial(..) => Some(&["functools.partial"]),
        Value::Getter("operator.itemgetter", ..) => Some(&["operator.itemgetter"]),
        Value::Getter("operator.attrgetter", ..) => Some(&["operator.attrgetter"]),
        Value::Getter(..) => Some(&["operator.methodcaller"]),
        Value::Function(_) => Some(&["builtins.function"]),
        Value::State(state) => match t.heap.sort(state) {
            Sort::List => Some(&["builtins.list"]),
            Sort::Dict => Some(super::tables::classes(t.heap.table(state))),
            Sort::Deque => Some(&["collections.deque"]),
            Sort::Set => Some(&["builtins.set"]),
            Sort::Stack => Some(&[super::exit_stack::CLASS]),
            Sort::Cell | Sort::Iter | Sort::Instance | Sort::Slot => None,
        },
        _ => None,
    })
}

/// Classes that know nothing of instances beyond inheritance.
const PLAIN_CLASSES: &[&str] = &[
    "builtins.bool",
    "builtins.int",
    "builtins.float",
    "builtins.complex",
    "builtins.str",
    "builtins.bytes",
    "builtins.tuple",
    "builtins.list",
    "builtins.dict",
    "builtins.set",
    "builtins.frozenset",
    "builtins.range",
    "builtins.slice",
    "builtins.NoneType",
    "builtins.function",
    "torch.Size",
    "torch.dtype",
    "torch.device",
    "torch.Tensor",
    "torch.nn.Parameter",
    "torch.nn.parameter.Parameter",
    "torch.nn.modules.module.Module",
];

fn is_instance(t: &mut Tracer<'_>, args: &[ValueId], _: &Keywords) -> Traced {
    let &[value, class] = args else { return Err(raised("TypeError: isinstance")) };
    let options = match t.get(class)? {
        Value::Tuple(items) => items,
        _ => vec![class],
    };
    let unknown = |t: &mut Tracer<'_>| Reason::new(Kind::Call, format!("`isinstance` of {}.", t.describe(value)));
    let own = classes(t, value)?;
    let mut found = false;
    for option in options {
        let Value::Class(name, class) = t.get(option)? else { return Err(unknown(t)) };
        found |= match own {
            Some(own) if PLAIN_CLASSES.contains(&name.as_str()) => own.contains(&name.as_str()),
            _ => t.is_of_class(value, class)?.ok_or_else(|| unknown(t))?,
        };
    }
    Ok(t.constant(Constant::Bool(found)))
}

fn type_of(t: &mut Tracer<'_>, value: ValueId) -> Traced {
    if let Some(class) = t.type_of_object(value)? {
        return Ok(class);
    }
    let Some([own, ..]) = classes(t, value)? else {
        return Err(Reason::new(Kind::Call, format!("`type` of {}.", t.describe(value))));
    };
    match t.host.class_named(own) {
        Some(class) => Ok(t.value(Value::Class((*own).to_owned(), class))),
        None => Err(Reason::new(Kind::Call, format!("`type` of {}.", t.describe(value)))),
    }
}

/// `str` or `repr`, which are the same for containers.
fn text(t: &mut Tracer<'_>, args: &[ValueId], name: &str) -> Traced {
    if args.is_empty() {
        return t.fold(name, &[]);
    }
    let value = one(args)?;
    let value = t.specialised(value)?;
    if let Some(constant) = t.as_constant(value)? {
        return t.fold(name, &[constant]);
    }
    let own = if name == "builtins.str" { t.text_of(value)? } else { None };
    match own.map_or_else(|| t.repr(value), |text| Ok(Some(text)))? {
        Some(text) => Ok(t.constant(Constant::Str(text))),
        None => Err(Reason::new(Kind::Call, format!("`{name}` of {}.", t.describe(value)))),
    }
}

fn number(t: &mut Tracer<'_>, args: &[ValueId], name: &str) -> Traced {
    if args.is_empty() {
        return t.fold(name, &[]);
    }
    let value = one(args)?;
    match t.get(value)? {
        Value::Const(constant) => t.fold(name, &[constant]),
        symbolic if symbolic.is_symbolic() => match t.number_call(name, &[value])? {
            Some(number) => Ok(number),
            None => t.number_float(value),
        },
        Value::Tensor(_) => Err(Reason::new(Kind::TensorToPython, format!("`{name}` of a tensor."))),
        _ => Err(Reason::new(Kind::Call, format!("`{name}` of {}.", t.describe(value)))),
    }
}

pub(super) fn dict(t: &mut Tracer<'_>, args: &[ValueId], keywords: &Keywords) -> Traced {
    let mut entries: IndexMap<_, (ValueId, ValueId)> = IndexMap::new();
    if let Some(&from) = args.first() {
        for (key, value) in pairs(t, from)? {
            entries.entry(t.key(key)?).or_insert((key, value)).1 = value;
        }
    }
    for (name, value) in keywords {
        let key = t.constant(Constant::Str(name.clone()));
        entries.insert(t.key(key)?, (key, *value));
    }
    Ok(t.state(State::Dict(entries)))
}

fn range(t: &mut Tracer<'_>, args: &[ValueId], _: &Keywords) -> Traced {
    let bounds = args.iter().map(|&arg| t.concrete(arg)).collect::<Traced<Vec<_>>>()?;
    let bounds = match *bounds {
        [stop] => [0, stop, 1],
        [start, stop] => [start, stop, 1],
        [start, stop, step] if step != 0 => [start, stop, step],
        _ => return Err(raised("TypeError: range")),
    };
    Ok(t.value(Value::Range(bounds)))
}

/// `any` stops at the first true item, `all` at the first false one.
fn quantified(t: &mut Tracer<'_>, items: ValueId, any: bool) -> Traced {
    let iterator = t.iterate(items)?;
    while let Some(item) = t.next_item(iterator)? {
        if t.truth(item)? == any {
            return Ok(t.constant(Constant::Bool(any)));
        }
    }
    Ok(t.constant(Constant::Bool(!any)))
}

fn extreme(t: &mut Tracer<'_>, args: &[ValueId], keywords: &Keywords, better: crate::bytecode::Comparison) -> Traced {
    let named = |wanted: &str| keywords.iter().find(|(name, _)| name == wanted).map(|&(_, value)| value);
    let (key, default) = (named("key"), named("default"));
    let items = match args {
        [items] if key.is_none() => t.items_to_sort(*items)?,
        [items] => t.all_items(*items)?,
        items => items.to_vec(),
    };
    let by = |t: &mut Tracer<'_>, item| match key {
        Some(key) if !matches!(t.get(key)?, Value::Const(Constant::None)) => t.call(key, vec![item], vec![]),
        _ => Ok(item),
    };
    if key.is_none()
        && t.are_symbolic(&items)?
        && let Some(found) = t.number_extreme(better == crate::bytecode::Comparison::Lt, &items)?
    {
        return Ok(found);
    }
    let Some((&first, rest)) = items.split_first() else {
        return default.ok_or_else(|| raised("ValueError: empty sequence"));
    };
    let mut best = (by(t, first)?, first);
    for &item in rest {
        let candidate = by(t, item)?;
        let is_better = t.compare(better, candidate, best.0)?;
        if t.truth(is_better)? {
            best = (candidate, item);
        }
    }
    Ok(best.1)
}
