//! Methods of lists, tuples, dicts and iterators.
//!
//! Invariant: a method changes its container after everything that can fail.

use super::{
    Traced, Tracer,
    call::Keywords,
    deques,
    items::raised,
    sets, tables,
    value::{Key, Sort, State, StateId, Table, Value, ValueId},
};
use crate::reason::{Kind, Reason};
use guards::Constant;
use indexmap::IndexMap;

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

/// `dict | other`, or `dict |= other`, which gives nothing new; `None` where `other` is no dict.
pub(super) fn merged(
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

/// A method of a list, tuple, dict, set or iterator.
pub(super) fn container_method(
    t: &mut Tracer<'_>,
    this: ValueId,
    name: &str,
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced {
    if let Some(stack) = t.exit_stack(this)? {
        return t.exit_stack_method(stack, name, args, keywords);
    }
    if let ("_replace", [], Value::Record(class, fields, items)) = (name, args, t.get(this)?) {
        return t.replace_of_record(class, fields, items, keywords);
    }
    if let ("_asdict", [], [], Value::Record(_, fields, items)) = (name, args, &keywords[..], t.get(this)?) {
        return t.dict_of_record(&fields, items);
    }
    if let Value::State(state) = t.get(this)? {
        let done = match t.heap.sort(state) {
            Sort::Dict => tables::method(t, state, name, args, keywords)?,
            Sort::Deque => deques::method(t, this, state, name, args, keywords)?,
            _ => None,
        };
        if let Some(done) = done {
            return Ok(done);
        }
    }
    let refused = |t: &mut Tracer<'_>| Reason::new(Kind::Call, format!("The method `{name}` of {}.", t.describe(this)));
    if !keywords.is_empty() && !matches!(name, "update" | "sort") {
        return Err(refused(t));
    }
    let value = t.get(this)?;
    if let Value::Size(_) = value
        && name == "numel"
        && args.is_empty()
    {
        return super::sums::product(t, this);
    }
    let Value::State(state) = value else {
        return match (name, args) {
            ("index" | "count", [item]) => position(t, this, name, *item),
            _ => Err(refused(t)),
        };
    };
    if let ("get", [key, default @ ..]) = (name, args)
        && default.len() < 2
        && t.heap.sort(state) == Sort::Dict
    {
        let key = t.key(*key)?;
        let default = default.first().copied().unwrap_or_else(|| t.none());
        return Ok(t.value_at(state, &key).unwrap_or(default));
    }
    match t.heap.get(state).clone() {
        State::List(items) if name == "sort" && args.is_empty() => {
            let items = t.sorted(items, keywords)?;
            *t.heap.change(state) = State::List(items);
            Ok(t.none())
        }
        State::List(items) => list_method(t, this, state, items, name, args).unwrap_or_else(|| Err(refused(t))),
        State::Dict(items) => {
            dict_method(t, (this, state), items, name, args, keywords).unwrap_or_else(|| Err(refused(t)))
        }
        State::Set(items, made) => {
            sets::method(t, this, state, (items, made), name, args).unwrap_or_else(|| Err(refused(t)))
        }
        _ => Err(refused(t)),
    }
}

pub(super) fn position(t: &mut Tracer<'_>, this: ValueId, name: &str, item: ValueId) -> Traced {
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
    state: StateId,
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
            ("remove", [item]) => {
                let mut found = None;
                for (at, &candidate) in items.iter().enumerate() {
                    if t.force(candidate)? == t.force(*item)? || t.is_equal(candidate, *item)? {
                        found = Some(at);
                        break;
                    }
                }
                items.remove(found.ok_or_else(|| raised("ValueError: list.remove(x): x not in list"))?);
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
    (this, state): (ValueId, StateId),
    mut items: IndexMap<Key, (ValueId, ValueId)>,
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
            ("copy", []) => {
                let (table, copy) = (t.heap.table(state), t.heap.push(State::Dict(items), None));
                t.heap.set_table(copy, table);
                return Ok(Some(t.value(Value::State(copy))));
            }
            ("pop", [key, default @ ..]) => {
                let found = items.shift_remove(&t.key(*key)?).map(|(_, value)| value).or(default.first().copied());
                let found = found.ok_or_else(|| raised("KeyError"))?;
                *t.heap.change(state) = State::Dict(items);
                return Ok(Some(found));
            }
            ("popitem", []) => {
                let (_, (key, value)) =
                    items.pop().ok_or_else(|| raised("KeyError: popitem(): dictionary is empty"))?;
                *t.heap.change(state) = State::Dict(items);
                return Ok(Some(t.value(Value::Tuple(vec![key, value]))));
            }
            ("setdefault", [key, default @ ..]) if default.len() < 2 => {
                let default = default.first().copied().unwrap_or(none);
                let entry = items.entry(t.key(*key)?).or_insert((*key, default)).1;
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
