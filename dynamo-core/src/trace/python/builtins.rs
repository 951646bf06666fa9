//! Builtin functions and classes: numbers, texts, containers and what goes over their items.

use crate::{
    bytecode::{Comparison, operands::BinaryOperator},
    reason::{Contents, Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            frame::Next,
            state::{Iter, State, StateId},
            value::{Value, ValueId, range_len},
        },
        python::{classes, dict_methods::pairs, sets, sums},
        signature::{Bound, Row, row},
    },
};
use fx::Kind as NodeKind;
use guards::Constant;
use indexmap::IndexMap;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("builtins.len(obj, /)", |t, b| length(t, b.arg(0)?)),
    row("builtins.bool(object=False, /)", |t, b| match b.opt(0) {
        Some(value) if t.get(value)?.is_symbolic() => t.number_bool(value),
        value => {
            let truth = value.map_or(Ok(false), |value| t.truth(value))?;
            Ok(t.constant(Constant::Bool(truth)))
        }
    }),
    row("builtins.int(x=0, /, base=...)", |t, b| match (b.opt(0), b.opt(1)) {
        (Some(value), None) => number(t, value, b.name()),
        _ => t.fold_call(b),
    }),
    row("builtins.float(x=0, /)", |t, b| match b.opt(0) {
        Some(value) => number(t, value, b.name()),
        None => t.fold_call(b),
    }),
    row("builtins.str(object='', encoding=..., errors=...)", |t, b| match (b.opt(0), b.opt(1), b.opt(2)) {
        (Some(value), None, None) => text(t, value, b.name()),
        _ => t.fold_call(b),
    }),
    row("builtins.repr(obj, /)", |t, b| text(t, b.arg(0)?, b.name())),
    row("builtins.list(iterable=(), /)", |t, b| {
        let items = b.opt(0).map_or(Ok(Vec::new()), |items| t.listed_items(items))?;
        Ok(t.state(State::List(items)))
    }),
    row("builtins.tuple(iterable=(), /)", |t, b| {
        let items = b.opt(0).map_or(Ok(Vec::new()), |items| t.listed_items(items))?;
        Ok(t.value(Value::Tuple(items)))
    }),
    row("builtins.dict(iterable=..., /, **kwargs)", |t, b| {
        let entries = b.opt(0).map_or(Ok(Vec::new()), |from| pairs(t, from))?;
        dict(t, entries, b)
    }),
    row("builtins.dict.fromkeys(iterable, value=None, /)", from_keys),
    row("builtins.set(iterable=(), /)", |t, b| sets::make(t, b.opt(0))),
    row("builtins.frozenset(iterable=(), /)", |t, b| sets::make_frozen(t, b.opt(0))),
    row("builtins.range(start, stop=..., step=..., /)", range),
    row("builtins.slice(start, stop=..., step=..., /)", |t, b| {
        let none = t.none();
        let parts = match (b.arg(0)?, b.opt(1)) {
            (stop, None) => [none, stop, none],
            (start, Some(stop)) => [start, stop, b.opt(2).unwrap_or(none)],
        };
        Ok(t.value(Value::Slice(parts)))
    }),
    row("builtins.iter(object, sentinel=..., /)", |t, b| match b.opt(1) {
        Some(_) if !classes::is_callable(t, b.arg(0)?)? => {
            Err(raised("TypeError: iter(v, w): v must be callable").verbatim())
        }
        Some(sentinel) => Ok(t.state(State::Iter(Iter::Results(b.arg(0)?, sentinel)))),
        None => t.iterate_asked(b.arg(0)?),
    }),
    row("posix.fspath os.fspath(path)", |t, b| {
        let path = b.arg(0)?;
        let path = t.call_special(path, "__fspath__", &[])?.unwrap_or(path);
        match t.get(path)? {
            Value::Const(Constant::Str(_) | Constant::Bytes(_)) => Ok(path),
            _ => Err(raised("TypeError: expected str, bytes or os.PathLike object")),
        }
    }),
    row("builtins.next(iterator, default=..., /)", |t, b| {
        let default = b.opt(1);
        let iterator = b.arg(0)?;
        if let Ok(generator) = t.generator(iterator) {
            let none = t.none();
            return match (t.send_to(generator, none)?, default) {
                (Next::Return(_), Some(default)) => Ok(default),
                (next, _) => t.item_or_stop(next),
            };
        }
        let item = t.next_item(iterator)?;
        item.or(default).ok_or_else(|| raised("StopIteration").with(Contents::Nothing))
    }),
    row("builtins.enumerate(iterable, start=0)", |t, b| {
        let start = b.opt(1).map_or(Ok(0), |start| t.concrete(start))?;
        let inner = iterator(t, b.arg(0)?)?;
        Ok(t.state(State::Iter(Iter::Enumerate(inner, start))))
    }),
    row("builtins.zip(*iterables, strict=False)", |t, b| {
        let strict = b.opt(0).map_or(Ok(false), |strict| t.truth(strict))?;
        let inners = b.rest().iter().map(|&arg| iterator(t, arg)).collect::<Traced<_>>()?;
        Ok(t.state(State::Iter(Iter::Zip(inners, strict))))
    }),
    row("builtins.map(function, iterable, /, *iterables)", |t, b| {
        let (function, first) = (b.arg(0)?, b.arg(1)?);
        let inners = [&[first], b.rest()].concat();
        let inners = inners.into_iter().map(|arg| iterator(t, arg)).collect::<Traced<_>>()?;
        Ok(t.state(State::Iter(Iter::Map(function, inners))))
    }),
    row("builtins.filter(function, iterable, /)", |t, b| {
        let (function, inner) = (b.arg(0)?, iterator(t, b.arg(1)?)?);
        Ok(t.state(State::Iter(Iter::Filter(function, inner))))
    }),
    row("builtins.reversed(object, /)", |t, b| t.reversed(b.arg(0)?)),
    row("builtins.sum(iterable, /, start=0)", |t, b| sums::sum(t, b.arg(0)?, b.opt(1))),
    row("math.prod(iterable, /, *, start=1)", |t, b| sums::product(t, b.arg(0)?, b.opt(1))),
    row("builtins.sorted(iterable, /, *, key=None, reverse=False)", |t, b| {
        let (items, key, reverse) = (b.arg(0)?, t.unless_none(b.opt(1))?, b.opt(2));
        t.ask_length(items)?;
        let items = if key.is_some() { t.all_items(items)? } else { t.items_to_sort(items)? };
        let items = t.sorted(items, key, reverse)?;
        Ok(t.state(State::List(items)))
    }),
    row("builtins.divmod(x, y, /)", |t, b| {
        let (x, y) = (b.arg(0)?, b.arg(1)?);
        // Numbers alone, and what is computed of sizes: tensors have no `__divmod__`, objects may have their own.
        for operand in [x, y] {
            if !t.get(operand)?.is_number() {
                return Err(Reason::new(Kind::Call, format!("`divmod` of {}.", t.describe(operand))));
            }
        }
        let parts =
            vec![t.binary_op(BinaryOperator::FloorDivide, x, y)?, t.binary_op(BinaryOperator::Remainder, x, y)?];
        Ok(t.value(Value::Tuple(parts)))
    }),
    row("builtins.all(iterable, /)", |t, b| quantified(t, b.arg(0)?, false)),
    row("builtins.any(iterable, /)", |t, b| quantified(t, b.arg(0)?, true)),
    row("builtins.min(*args, key=None, default=...)", |t, b| extreme(t, b, Comparison::Lt)),
    row("builtins.max(*args, key=None, default=...)", |t, b| extreme(t, b, Comparison::Gt)),
    row("builtins.abs(x, /)", |t, b| {
        let value = b.arg(0)?;
        match t.get(value)? {
            Value::Tensor(_) => {
                let arg = t.arg(value)?;
                t.emit(NodeKind::CallFunction, "operator.abs", vec![arg], vec![])
            }
            Value::Const(constant) => t.fold("builtins.abs", &[constant]),
            symbolic if symbolic.is_symbolic() => t.number_unary("abs", value),
            _ => {
                let result = t.call_special(value, "__abs__", &[])?;
                match result {
                    Some(result) => Ok(result),
                    None => {
                        let error = t.no_unary("abs()", value, "__abs__")?;
                        Err(error.unwrap_or_else(|| Reason::new(Kind::Call, "`abs` of an object.")))
                    }
                }
            }
        }
    }),
    row("typing.cast(typ, val)", |_, b| b.arg(0).and(b.arg(1))),
];

/// `iter(value)`, as a state.
fn iterator(t: &mut Tracer<'_>, value: ValueId) -> Traced<StateId> {
    let iterator = t.iterate(value)?;
    match t.objects.values[iterator] {
        Value::State(state) => Ok(state),
        _ => Err(Reason::new(Kind::Iteration, "Over something that is no iterator.")),
    }
}

/// `len(value)`
pub(in crate::trace) fn length(t: &mut Tracer<'_>, value: ValueId) -> Traced {
    let len = match t.get(value)? {
        Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => items.len() as i64,
        Value::Range(bounds) => range_len(bounds),
        Value::DictView(dict, _) => return length(t, dict),
        Value::InstanceDict(_) => {
            let entries = t.dict_read(value)?;
            return length(t, entries);
        }
        Value::Class(_, obj) if let Some(members) = t.host.enum_members(obj) => members.len() as i64,
        Value::Const(constant) => return t.fold("builtins.len", &[constant]),
        Value::Object(_, obj) if let Some(items) = t.frozen_items(value, obj)? => items.len() as i64,
        Value::State(state) => match t.heap.get(state) {
            State::List(items) => items.len() as i64,
            State::Dict(items) => items.len() as i64,
            State::Deque(deque) => deque.items.len() as i64,
            State::Set(items, _) => items.len() as i64,
            _ => return Err(raised("TypeError: no len()")),
        },
        Value::NdArray { node, .. } => match t.array_sizes(node)?.first() {
            Some(&rows) => rows,
            None => return Err(raised("TypeError: len() of unsized object")),
        },
        Value::Tensor(node) => {
            let Some(meta) = t.graph.torch[node].tensor_meta().cloned() else {
                return Err(raised("TypeError: no len()"));
            };
            if meta.sizes.is_empty() {
                return Err(raised("TypeError: len() of a 0-d tensor"));
            }
            return t.size(value, node, &meta, 0);
        }
        _ => return t.object_len(value),
    };
    Ok(t.constant(Constant::Int(len)))
}

/// `str` or `repr`, which are the same for containers.
fn text(t: &mut Tracer<'_>, value: ValueId, name: &str) -> Traced {
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

/// `int` or `float`.
fn number(t: &mut Tracer<'_>, value: ValueId, name: &str) -> Traced {
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

/// A dict of these entries, and then of `**kwargs`.
pub(in crate::trace) fn dict(t: &mut Tracer<'_>, from: Vec<(ValueId, ValueId)>, b: &Bound<'_>) -> Traced {
    let mut entries: IndexMap<_, (ValueId, ValueId)> = IndexMap::new();
    for (key, value) in from {
        entries.entry(t.key(key)?).or_insert((key, value)).1 = value;
    }
    for (name, value) in b.extra() {
        let key = t.constant(Constant::Str(name.clone()));
        entries.entry(t.key(key)?).or_insert((key, *value)).1 = *value;
    }
    Ok(t.state(State::Dict(entries)))
}

/// `dict.fromkeys`
pub(in crate::trace) fn from_keys(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let value = b.opt(1).unwrap_or_else(|| t.none());
    let mut entries = IndexMap::new();
    for key in t.all_items(b.arg(0)?)? {
        let key = t.force(key)?;
        entries.entry(t.key(key)?).or_insert((key, value));
    }
    Ok(t.state(State::Dict(entries)))
}

fn range(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let parts = [Some(b.arg(0)?), b.opt(1), b.opt(2)].into_iter().flatten();
    let bounds = parts.map(|part| t.concrete(part)).collect::<Traced<Vec<_>>>()?;
    let bounds = match *bounds {
        [stop] => [0, stop, 1],
        [start, stop] => [start, stop, 1],
        [_, _, 0] => return Err(raised("ValueError: range() arg 3 must not be zero").verbatim()),
        [start, stop, step] => [start, stop, step],
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

/// `min` or `max`: of the items of one iterable, or of several arguments.
fn extreme(t: &mut Tracer<'_>, b: &Bound<'_>, better: Comparison) -> Traced {
    let (key, default) = (t.unless_none(b.opt(0))?, b.opt(1));
    let items = match b.rest() {
        [] => return Err(raised("TypeError: at least one argument is expected")),
        [items] if key.is_none() => t.items_to_sort(*items)?,
        [items] => t.all_items(*items)?,
        _ if default.is_some() => return Err(raised("TypeError: a default with several arguments")),
        items => items.to_vec(),
    };
    let by = |t: &mut Tracer<'_>, item| match key {
        Some(key) => t.call(key, vec![item], vec![]),
        None => Ok(item),
    };
    if key.is_none()
        && t.are_symbolic(&items)?
        && let Some(found) = t.number_extreme(better == Comparison::Lt, &items)?
    {
        return Ok(found);
    }
    let Some((&first, rest)) = items.split_first() else {
        // The interpreter tells what it says of it.
        return default.map_or_else(|| t.fold(b.name(), &[Constant::Tuple(Vec::new())]), Ok);
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
