//! Builtins: a row for each function and class whose call is spelled out, and for each method of a container.

use super::{
    Traced, Tracer,
    call::Keywords,
    items::{raised, range_len},
    value::{Iter, State, Value, ValueId},
};
use crate::reason::{Kind, Reason};
use fx::Kind as NodeKind;
use guards::Constant;
use indexmap::IndexMap;

/// What a call of a builtin does.
pub(super) type Rule = fn(&mut Tracer<'_>, &[ValueId], &Keywords) -> Traced;

/// The rule of a function or class.
pub(super) fn rule(name: &str) -> Option<Rule> {
    RULES.iter().find(|(names, _)| names.split(' ').any(|each| each == name)).map(|&(_, rule)| rule)
}

const RULES: &[(&str, Rule)] = &[
    ("builtins.len", |t, args, _| length(t, one(args)?)),
    ("builtins.isinstance", is_instance),
    ("builtins.type", |t, args, _| type_of(t, one(args)?)),
    ("builtins.callable", |t, args, _| {
        let value = t.get(one(args)?)?;
        let callable =
            matches!(value, Value::Function(_) | Value::Method { .. } | Value::Builtin(_) | Value::Class(..));
        Ok(t.constant(Constant::Bool(callable)))
    }),
    ("builtins.bool", |t, args, _| {
        let truth = args.first().is_some_and(|&arg| matches!(t.truth(arg), Ok(true)));
        if let Some(&arg) = args.first() {
            t.truth(arg)?;
        }
        Ok(t.constant(Constant::Bool(truth)))
    }),
    ("builtins.int", |t, args, _| number(t, args, "builtins.int")),
    ("builtins.float", |t, args, _| number(t, args, "builtins.float")),
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
    ("builtins.set", |t, args, _| {
        let items = if args.is_empty() { Vec::new() } else { t.all_items(one(args)?)? };
        let mut set = IndexMap::new();
        for item in items {
            set.entry(t.key(item)?).or_insert(item);
        }
        Ok(t.state(State::Set(set)))
    }),
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
        if !keywords.is_empty() {
            return Err(Reason::new(Kind::Call, "`zip` with `strict`."));
        }
        let inners = args.iter().map(|&arg| iterator(t, arg)).collect::<Traced<_>>()?;
        Ok(t.state(State::Iter(Iter::Zip(inners))))
    }),
    ("builtins.map", |t, args, _| {
        let (&function, rest) = args.split_first().ok_or_else(|| raised("TypeError: map"))?;
        let inners = rest.iter().map(|&arg| iterator(t, arg)).collect::<Traced<_>>()?;
        Ok(t.state(State::Iter(Iter::Map(function, inners))))
    }),
    ("builtins.reversed", |t, args, _| {
        let mut items = t.all_items(one(args)?)?;
        items.reverse();
        Ok(t.state(State::Iter(Iter::Items(items, 0))))
    }),
    ("builtins.sum", |t, args, keywords| {
        let (&items, rest) = args.split_first().ok_or_else(|| raised("TypeError: sum"))?;
        let start = rest.first().copied().or(keywords.first().map(|&(_, value)| value));
        let mut total = start.unwrap_or_else(|| t.constant(Constant::Int(0)));
        for item in t.all_items(items)? {
            total = t.binary_op(0, total, item)?;
        }
        Ok(total)
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
            _ => Err(Reason::new(Kind::Call, "`abs` of an object.")),
        }
    }),
    ("builtins.getattr", |t, args, _| {
        let name = args.get(1).map(|&name| t.get(name)).transpose()?;
        let (Some(&value), Some(Value::Const(Constant::Str(name)))) = (args.first(), name) else {
            return Err(raised("TypeError: getattr"));
        };
        match t.get_attr(value, &name) {
            Err(reason) if reason.kind == Kind::Raised && args.len() == 3 => Ok(args[2]),
            found => found,
        }
    }),
    ("builtins.hasattr", |t, args, _| {
        let name = args.get(1).map(|&name| t.get(name)).transpose()?;
        let (Some(&value), Some(Value::Const(Constant::Str(name)))) = (args.first(), name) else {
            return Err(raised("TypeError: hasattr"));
        };
        let present = match t.get_attr(value, &name) {
            Ok(_) => true,
            Err(reason) if reason.kind == Kind::Raised => false,
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
    ("torch.is_tensor", |t, args, _| {
        let is = matches!(t.get(one(args)?)?, Value::Tensor(_));
        Ok(t.constant(Constant::Bool(is)))
    }),
    ("torch._dynamo.decorators.graph_break torch._dynamo.graph_break rust_inductor.graph_break", |_, _, _| {
        Err(Reason::new(Kind::Asked, "`graph_break()`."))
    }),
];

/// Functions of constants that have no effect: computed when the function is traced.
pub(super) fn is_pure(name: &str) -> bool {
    const PURE: &[&str] = &[
        "abs", "bin", "bool", "bytes", "chr", "complex", "divmod", "float", "format", "hex", "int", "max", "min",
        "oct", "ord", "pow", "repr", "round", "sorted", "str", "sum", "tuple", "ascii", "hash", "len",
    ];
    match name.split_once('.') {
        Some(("builtins", function)) => PURE.contains(&function) && function != "hash",
        Some(("math" | "operator" | "str" | "cmath", _)) => true,
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
    const ACTS: &[&str] = &["backward", "register_hook", "requires_grad_", "retain_grad", "share_memory_", "set_"];
    if READS.contains(&name) { Some(Kind::TensorToPython) } else { ACTS.contains(&name).then_some(Kind::Call) }
}

/// Why a call without a rule ends the graph.
pub(super) fn why_not(name: &str) -> Kind {
    match name {
        "builtins.print" => Kind::Print,
        _ => Kind::Call,
    }
}

fn one(args: &[ValueId]) -> Traced {
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
        Value::Tuple(items) | Value::Size(items) => items.len() as i64,
        Value::Range(bounds) => range_len(bounds),
        Value::DictView(dict, _) => return length(t, dict),
        Value::Const(constant) => return t.fold("builtins.len", &[constant]),
        Value::State(state) => match t.heap.get(state) {
            State::List(items) => items.len() as i64,
            State::Dict(items) => items.len() as i64,
            State::Set(items) => items.len() as i64,
            _ => return Err(raised("TypeError: no len()")),
        },
        Value::Tensor(node) => {
            let Some(meta) = t.graph[node].tensor_meta().cloned() else { return Err(raised("TypeError: no len()")) };
            if meta.sizes.is_empty() {
                return Err(raised("TypeError: len() of a 0-d tensor"));
            }
            return t.size(value, node, &meta, 0);
        }
        _ => return Err(Reason::new(Kind::Call, format!("`len` of {}.", t.describe(value)))),
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
            Constant::DType(_) => Some(&["torch.dtype"]),
            Constant::Device(_) => Some(&["torch.device"]),
            _ => None,
        },
        Value::SymInt { .. } => Some(&["builtins.int"]),
        Value::Tensor(node) if t.parameters.contains(&node) => Some(&["torch.nn.parameter.Parameter", "torch.Tensor"]),
        Value::Tensor(_) => Some(&["torch.Tensor"]),
        Value::Tuple(_) => Some(&["builtins.tuple"]),
        Value::Size(_) => Some(&["torch.Size", "builtins.tuple"]),
        Value::Range(_) => Some(&["builtins.range"]),
        Value::Slice(_) => Some(&["builtins.slice"]),
        Value::Function(_) => Some(&["builtins.function"]),
        Value::State(state) => match t.heap.get(state) {
            State::List(_) => Some(&["builtins.list"]),
            State::Dict(_) => Some(&["builtins.dict"]),
            State::Set(_) => Some(&["builtins.set"]),
            _ => None,
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
    let Some(own) = classes(t, value)? else { return Err(unknown(t)) };
    let mut found = false;
    for option in options {
        match t.get(option)? {
            Value::Class(name, _) if PLAIN_CLASSES.contains(&name.as_str()) => found |= own.contains(&name.as_str()),
            _ => return Err(unknown(t)),
        }
    }
    Ok(t.constant(Constant::Bool(found)))
}

fn type_of(t: &mut Tracer<'_>, value: ValueId) -> Traced {
    let Some([own, ..]) = classes(t, value)? else {
        return Err(Reason::new(Kind::Call, format!("`type` of {}.", t.describe(value))));
    };
    match t.host.class_named(own) {
        Some(class) => Ok(t.value(Value::Class((*own).to_owned(), class))),
        None => Err(Reason::new(Kind::Call, format!("`type` of {}.", t.describe(value)))),
    }
}

fn number(t: &mut Tracer<'_>, args: &[ValueId], name: &str) -> Traced {
    let value = one(args)?;
    match t.get(value)? {
        Value::Const(constant) => t.fold(name, &[constant]),
        Value::SymInt { .. } if name == "builtins.int" => t.force(value),
        Value::Tensor(_) => Err(Reason::new(Kind::TensorToPython, format!("`{name}` of a tensor."))),
        _ => Err(Reason::new(Kind::Call, format!("`{name}` of {}.", t.describe(value)))),
    }
}

fn dict(t: &mut Tracer<'_>, args: &[ValueId], keywords: &Keywords) -> Traced {
    let mut entries = IndexMap::new();
    if let Some(&from) = args.first() {
        for (key, value) in pairs(t, from)? {
            entries.insert(t.key(key)?, (key, value));
        }
    }
    for (name, value) in keywords {
        let key = t.constant(Constant::Str(name.clone()));
        entries.insert(t.key(key)?, (key, *value));
    }
    Ok(t.state(State::Dict(entries)))
}

/// Keys and values of a dict, or of an iterable of pairs.
pub(super) fn pairs(t: &mut Tracer<'_>, value: ValueId) -> Traced<Vec<(ValueId, ValueId)>> {
    if let Value::State(state) = t.get(value)?
        && let State::Dict(items) = t.heap.get(state)
    {
        return Ok(items.values().copied().collect());
    }
    let items = t.all_items(value)?;
    items.into_iter().map(|item| Ok(t.unpack(item, 2)?).map(|pair| (pair[0], pair[1]))).collect()
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
    if !keywords.is_empty() {
        return Err(Reason::new(Kind::Call, "`min` or `max` with a key or default."));
    }
    let items = match args {
        [items] => t.all_items(*items)?,
        items => items.to_vec(),
    };
    let Some((&first, rest)) = items.split_first() else { return Err(raised("ValueError: empty sequence")) };
    let mut best = first;
    for &item in rest {
        let is_better = t.compare(better, item, best)?;
        if t.truth(is_better)? {
            best = item;
        }
    }
    Ok(best)
}

/// A method of a list, tuple, dict, set or iterator.
pub(super) fn container_method(
    t: &mut Tracer<'_>,
    this: ValueId,
    name: &str,
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced {
    let refused = |t: &mut Tracer<'_>| Reason::new(Kind::Call, format!("The method `{name}` of {}.", t.describe(this)));
    if !keywords.is_empty() && name != "update" {
        return Err(refused(t));
    }
    let value = t.get(this)?;
    if let Value::Size(_) = value
        && name == "numel"
        && args.is_empty()
    {
        let mut total = t.constant(Constant::Int(1));
        for item in t.all_items(this)? {
            total = t.binary_op(5, total, item)?;
        }
        return Ok(total);
    }
    let Value::State(state) = value else {
        return match (name, args) {
            ("index" | "count", [item]) => position(t, this, name, *item),
            _ => Err(refused(t)),
        };
    };
    match t.heap.get(state).clone() {
        State::List(items) => list_method(t, this, state, items, name, args).unwrap_or_else(|| Err(refused(t))),
        State::Dict(items) => {
            dict_method(t, (this, state), items, name, args, keywords).unwrap_or_else(|| Err(refused(t)))
        }
        State::Set(mut items) if name == "add" => {
            let item = one(args)?;
            items.entry(t.key(item)?).or_insert(item);
            *t.heap.change(state) = State::Set(items);
            Ok(t.none())
        }
        _ => Err(refused(t)),
    }
}

fn position(t: &mut Tracer<'_>, this: ValueId, name: &str, item: ValueId) -> Traced {
    let items = t.all_items(this)?;
    let mut count = 0;
    for (at, candidate) in items.into_iter().enumerate() {
        if t.is_equal(candidate, item)? {
            if name == "index" {
                return Ok(t.constant(Constant::Int(at as i64)));
            }
            count += 1;
        }
    }
    if name == "index" { Err(raised("ValueError: not in the sequence")) } else { Ok(t.constant(Constant::Int(count))) }
}

fn list_method(
    t: &mut Tracer<'_>,
    this: ValueId,
    state: super::value::StateId,
    mut items: Vec<ValueId>,
    name: &str,
    args: &[ValueId],
) -> Option<Traced> {
    let mut result = t.none();
    let outcome = (|| {
        match (name, args) {
            ("append", [item]) => items.push(*item),
            ("extend", [more]) => items.extend(t.all_items(*more)?),
            ("insert", [at, item]) => {
                let at = t.concrete(*at)?;
                let len = items.len() as i64;
                let at = (if at < 0 { at + len } else { at }).clamp(0, len);
                items.insert(usize::try_from(at).unwrap_or(0), *item);
            }
            ("pop", []) => result = items.pop().ok_or_else(|| raised("IndexError: pop from empty list"))?,
            ("pop", [at]) => {
                let (at, len) = (t.concrete(*at)?, items.len() as i64);
                let at = if at < 0 { at + len } else { at };
                if !(0..len).contains(&at) {
                    return Err(raised("IndexError: pop index out of range"));
                }
                result = items.remove(usize::try_from(at).unwrap_or(0));
            }
            ("clear", []) => items.clear(),
            ("reverse", []) => items.reverse(),
            ("copy", []) => return Ok(Some(t.state(State::List(items)))),
            ("index" | "count", [item]) => return position(t, this, name, *item).map(Some),
            _ => return Ok(None),
        }
        *t.heap.change(state) = State::List(items);
        Ok(Some(result))
    })();
    outcome.transpose()
}

fn dict_method(
    t: &mut Tracer<'_>,
    (this, state): (ValueId, super::value::StateId),
    mut items: IndexMap<super::value::Key, (ValueId, ValueId)>,
    name: &str,
    args: &[ValueId],
    keywords: &Keywords,
) -> Option<Traced> {
    let none = t.none();
    let outcome = (|| {
        let view = |t: &mut Tracer<'_>, part| Ok(Some(t.value(Value::DictView(this, part))));
        match (name, args) {
            ("keys", []) => return view(t, "keys"),
            ("values", []) => return view(t, "values"),
            ("items", []) => return view(t, "items"),
            ("get", [key]) => return Ok(Some(items.get(&t.key(*key)?).map_or(none, |&(_, value)| value))),
            ("get", [key, default]) => {
                return Ok(Some(items.get(&t.key(*key)?).map_or(*default, |&(_, value)| value)));
            }
            ("copy", []) => return Ok(Some(t.state(State::Dict(items)))),
            ("pop", [key, default @ ..]) => {
                let found = items.shift_remove(&t.key(*key)?).map(|(_, value)| value).or(default.first().copied());
                let found = found.ok_or_else(|| raised("KeyError"))?;
                *t.heap.change(state) = State::Dict(items);
                return Ok(Some(found));
            }
            ("setdefault", [key, default]) => {
                let entry = items.entry(t.key(*key)?).or_insert((*key, *default)).1;
                *t.heap.change(state) = State::Dict(items);
                return Ok(Some(entry));
            }
            ("clear", []) => items.clear(),
            ("update", _) => {
                let mut more = args.first().map_or(Ok(Vec::new()), |&from| pairs(t, from))?;
                for (name, value) in keywords {
                    more.push((t.constant(Constant::Str(name.clone())), *value));
                }
                for (key, value) in more {
                    let entry = items.entry(t.key(key)?).or_insert((key, value));
                    entry.1 = value;
                }
            }
            _ => return Ok(None),
        }
        *t.heap.change(state) = State::Dict(items);
        Ok(Some(none))
    })();
    outcome.transpose()
}
