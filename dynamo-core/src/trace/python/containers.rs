//! Methods of containers, found by their classes.
//!
//! Invariant: a method changes its container after everything that can fail.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::{State, StateId, Table},
            value::{Keywords, Value, ValueId},
        },
        python::{classes, tables},
        signature::Signature,
    },
};

/// `dict | other`, or `dict |= other`, which gives nothing new; `None` where `other` is no dict.
pub(in crate::trace) fn merged(
    t: &mut Tracer<'_>,
    state: StateId,
    other: ValueId,
    changes: bool,
) -> Traced<Option<Option<ValueId>>> {
    let Value::State(more) = t.get(other)? else { return Ok(None) };
    let (one, two) = (t.heap.table(state), t.heap.table(more));
    if one == Table::Counter || two == Table::Counter {
        // To them it is the greater count.
        return Ok(None);
    }
    let (State::Dict(mut items), State::Dict(more)) = (t.heap.get(state).clone(), t.heap.get(more).clone()) else {
        return Ok(None);
    };
    for (key, (name, value)) in more {
        items.entry(key).or_insert((name, value)).1 = value;
    }
    if changes {
        *t.heap.change(state) = State::Dict(items);
        return Ok(Some(None));
    }
    let merged = t.heap.push(State::Dict(items), None);
    t.heap.set_table(merged, if one == Table::Plain { two } else { one });
    Ok(Some(Some(t.value(Value::State(merged)))))
}

/// The special methods that containers have and that are called by operators, mostly.
pub(in crate::trace) const SLOTS: [&str; 5] = ["__contains__", "__getitem__", "__iter__", "__len__", "__setitem__"];

/// The special methods of iterators.
pub(in crate::trace) const OF_ITERATORS: [&str; 2] = ["__iter__", "__next__"];

/// `this.__len__()` and so on; `None` for any other method.
fn call_slot(t: &mut Tracer<'_>, this: ValueId, name: &str, args: &[ValueId]) -> Option<Traced> {
    Some(match (name, args) {
        ("__len__", []) => super::builtins::length(t, this),
        ("__iter__", []) => t.iterate(this),
        ("__next__", []) => t.call_builtin("builtins.next", &[this], vec![]),
        ("__getitem__", [key]) => t.get_item(this, *key),
        ("__contains__", [item]) => t.contains(this, *item).map(|found| t.constant(guards::Constant::Bool(found))),
        ("__setitem__", [key, value]) => t.set_item(this, *key, *value).map(|()| t.none()),
        _ => return None,
    })
}

/// `this.name(*args, **keywords)`, where the class is one of Python's own.
pub(in crate::trace) fn call_method(
    t: &mut Tracer<'_>,
    this: ValueId,
    name: &str,
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced {
    if let Some(result) = call_slot(t, this, name, args).filter(|_| keywords.is_empty()) {
        return result;
    }
    let owners: &[&str] = match t.get(this)? {
        Value::Class(..) => &["namedtuple", "type"],
        Value::Record(..) => &["namedtuple", "tuple"],
        Value::Object(class, _) if class == "re.Pattern" => &["re.Pattern"],
        Value::DictView(_, "keys") => &["dict_keys"],
        Value::State(state) if t.is_generator(state) => &["generator"],
        _ => classes::classes(t, this)?.unwrap_or_default(),
    };
    let short = |class: &&'static str| class.strip_prefix("builtins.").unwrap_or(class);
    if let Some(method) = owners.iter().map(short).find_map(|class| Signature::of_method(class, name)) {
        return method.call(t, &[&[this], args].concat(), keywords);
    }
    match tables::method_of_counters(t, this, name)? {
        Some(method) => t.call(method, [&[this], args].concat(), keywords.clone()),
        None => Err(Reason::new(Kind::Call, format!("The method `{name}` of {}.", t.describe(this)))),
    }
}
