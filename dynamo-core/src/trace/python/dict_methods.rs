//! Methods of dicts, and the entries of mappings.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{Entries, State, StateId, Table},
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("dict.keys(self, /)", |t, b| view(t, b, "keys")),
    row("dict.values(self, /)", |t, b| view(t, b, "values")),
    row("dict.items(self, /)", |t, b| view(t, b, "items")),
    row("dict.get(self, key, default=None, /)", |t, b| {
        let (state, key) = (state_of(t, b)?, t.key(b.arg(1)?)?);
        let default = b.opt(2).unwrap_or_else(|| t.none());
        Ok(t.value_at(state, &key).unwrap_or(default))
    }),
    row("dict.copy(self, /)", |t, b| {
        let (state, items) = this(t, b)?;
        let (table, copy) = (t.heap.table(state), t.heap.push(State::Dict(items), None));
        t.heap.set_table(copy, table);
        Ok(t.value(Value::State(copy)))
    }),
    row("dict.pop(self, key, default=..., /)", pop),
    row("collections.OrderedDict.pop(self, key, default=...)", pop),
    row("dict.popitem(self, /)", |t, b| {
        let (state, mut items) = this(t, b)?;
        let (_, (key, value)) =
            items.pop().ok_or_else(|| raised("KeyError: popitem(): dictionary is empty").verbatim())?;
        store(t, state, items)?;
        Ok(t.value(Value::Tuple(vec![key, value])))
    }),
    row("dict.setdefault(self, key, default=None, /)", set_default),
    row("collections.OrderedDict.setdefault(self, /, key, default=None)", set_default),
    row("dict.clear(self, /)", |t, b| {
        let (state, _) = this(t, b)?;
        store(t, state, Entries::new())
    }),
    row("dict.update(self, iterable=..., /, **kwargs)", |t, b| {
        let (state, mut items) = this(t, b)?;
        let read = if t.heap.table(state) == Table::Ordered { ordered_pairs } else { pairs };
        let mut more = b.opt(1).map_or(Ok(Vec::new()), |from| t.taken_in(state, from, |t| read(t, from)))?;
        for (name, value) in b.extra() {
            more.push((t.constant(Constant::Str(name.clone())), *value));
        }
        for (key, value) in more {
            items.entry(t.key(key)?).or_insert((key, value)).1 = value;
        }
        store(t, state, items)
    }),
    row("dict_keys.isdisjoint(self, other, /)", |t, b| t.are_disjoint(b.arg(0)?, b.arg(1)?)),
];

/// Keys and values of a mapping, or of an iterable of pairs.
pub(in crate::trace) fn pairs(t: &mut Tracer<'_>, value: ValueId) -> Traced<Vec<(ValueId, ValueId)>> {
    if let Some(entries) = mapping_entries(t, value)? {
        return Ok(entries);
    }
    let items = t.all_items(value)?;
    items.into_iter().map(|item| pair(t, item)).collect()
}

/// A key and a value. What the interpreter says of anything else differs from what it says where it is unpacked.
fn pair(t: &mut Tracer<'_>, item: ValueId) -> Traced<(ValueId, ValueId)> {
    let listed = t.all_items(item)?;
    let listed = t.value(Value::Tuple(listed));
    let pair = t.unpack(listed, 2).map_err(Reason::without_contents)?;
    Ok((pair[0], pair[1]))
}

/// Keys and values for an `OrderedDict`, which asks every object that is no dict itself for its `keys`.
pub(in crate::trace) fn ordered_pairs(t: &mut Tracer<'_>, value: ValueId) -> Traced<Vec<(ValueId, ValueId)>> {
    if matches!(t.get(value)?, Value::Object(..) | Value::Instance(_))
        && let Some(entries) = shown_entries(t, value)?
    {
        return Ok(entries);
    }
    pairs(t, value)
}

/// Keys and values of a mapping, as `PyDict_Update` reads them; `None` for anything without `keys`.
///
/// A dict whose class iterates as dicts do is read as it is, whatever else its class overrides.
pub(in crate::trace) fn mapping_entries(t: &mut Tracer<'_>, value: ValueId) -> Traced<Option<Vec<(ValueId, ValueId)>>> {
    let dict = match t.get(value)? {
        Value::State(_) => value,
        Value::InstanceDict(object) => t.dict_copy(object)?,
        Value::Object(..) | Value::Instance(_) => match t.held_as_dict(value)? {
            Some(held) => held,
            None => return shown_entries(t, value),
        },
        _ => return Ok(None),
    };
    let Value::State(state) = t.get(dict)? else { return Ok(None) };
    Ok(match t.heap.get(state) {
        State::Dict(items) => Some(items.values().copied().collect()),
        _ => None,
    })
}

/// Keys and values of an object, by its `keys` and `__getitem__`; `None` without `keys`.
fn shown_entries(t: &mut Tracer<'_>, object: ValueId) -> Traced<Option<Vec<(ValueId, ValueId)>>> {
    let keys = match t.get_attr(object, "keys") {
        Ok(found) => found,
        Err(reason) if t.lacks_attr(&reason) => {
            t.forget_raised();
            return Ok(None);
        }
        Err(reason) => return Err(reason),
    };
    let keys = t.call(keys, vec![], vec![])?;
    let keys = t.all_items(keys)?;
    keys.into_iter().map(|key| Ok((key, t.get_item(object, key)?))).collect::<Traced<_>>().map(Some)
}

fn state_of(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<StateId> {
    let this = b.arg(0)?;
    match t.get(this)? {
        Value::State(state) => Ok(state),
        _ => Err(Reason::new(Kind::Call, format!("`{}` of {}.", b.name(), t.describe(this)))),
    }
}

/// The dict whose method is called.
pub(in crate::trace) fn this(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<(StateId, Entries)> {
    let state = state_of(t, b)?;
    match t.heap.get(state) {
        State::Dict(items) => Ok((state, items.clone())),
        _ => Err(Reason::new(Kind::Call, format!("`{}` of another object.", b.name()))),
    }
}

pub(in crate::trace) fn store(t: &mut Tracer<'_>, state: StateId, items: Entries) -> Traced {
    let keeps = matches!(t.heap.get(state), State::Dict(before) if before.keys().eq(items.keys().take(before.len())));
    *t.heap.change(state) = State::Dict(items);
    if !keeps {
        t.lose_places(state);
    }
    Ok(t.none())
}

fn view(t: &mut Tracer<'_>, b: &Bound<'_>, part: &'static str) -> Traced {
    let dict = t.force(b.arg(0)?)?;
    // A view shows all keys: they are guarded.
    let state = state_of(t, b)?;
    t.heap.get(state);
    Ok(t.value(Value::DictView(dict, part)))
}

fn pop(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (state, mut items) = this(t, b)?;
    let key = t.key(b.arg(1)?)?;
    let found = items.shift_remove(&key).map(|(_, value)| value);
    let Some(found) = found.or(b.opt(2)) else { return Err(t.missing_key(b.arg(1)?)?) };
    store(t, state, items)?;
    Ok(found)
}

fn set_default(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (state, mut items) = this(t, b)?;
    let (key, default) = (b.arg(1)?, b.opt(2).unwrap_or_else(|| t.none()));
    let entry = items.entry(t.key(key)?).or_insert((key, default)).1;
    store(t, state, items)?;
    Ok(entry)
}
