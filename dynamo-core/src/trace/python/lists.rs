//! Methods of lists, tuples, ranges and slices.

use crate::{
    bytecode::Version,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{State, StateId},
            value::{Value, ValueId},
        },
        python::sums,
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("list.append(self, object, /)", |t, b| {
        let item = b.arg(1)?;
        change(t, b, |items| items.push(item))
    }),
    row("list.extend(self, iterable, /)", |t, b| {
        let ((state, mut items), more) = (this(t, b)?, b.arg(1)?);
        items.extend(extension(t, state, more)?);
        store(t, state, items)
    }),
    row("list.insert(self, index, object, /)", |t, b| {
        let (at, item) = (t.concrete(b.arg(1)?)?, b.arg(2)?);
        change(t, b, |items| items.insert(place(at, items.len()), item))
    }),
    row("list.pop(self, index=-1, /)", |t, b| {
        let (state, mut items) = this(t, b)?;
        let (at, len) = (b.opt(1).map_or(Ok(-1), |at| t.concrete(at))?, items.len() as i64);
        if items.is_empty() {
            return Err(raised("IndexError: pop from empty list").verbatim());
        }
        let at = usize::try_from(if at < 0 { at + len } else { at }).ok().filter(|&at| at < items.len());
        let item = items.remove(at.ok_or_else(|| raised("IndexError: pop index out of range").verbatim())?);
        store(t, state, items)?;
        Ok(item)
    }),
    row("list.remove(self, value, /)", |t, b| {
        let (state, mut items) = this(t, b)?;
        let found = find(t, &items, b.arg(1)?)?;
        items.remove(found.ok_or_else(|| raised("ValueError: list.remove(x): x not in list").verbatim())?);
        store(t, state, items)
    }),
    row("list.clear(self, /)", |t, b| change(t, b, Vec::clear)),
    row("list.reverse(self, /)", |t, b| change(t, b, |items| items.reverse())),
    row("list.copy(self, /)", |t, b| {
        let (_, items) = this(t, b)?;
        Ok(t.state(State::List(items)))
    }),
    row("list.sort(self, /, *, key=None, reverse=False)", |t, b| {
        let (state, items) = this(t, b)?;
        let key = t.unless_none(b.opt(1))?;
        let items = t.unseen(state, |t| t.sorted(items, key, b.opt(2)))?;
        store(t, state, items)
    }),
    row("list.index tuple.index(self, value, start=0, stop=9223372036854775807, /)", index),
    row("list.count tuple.count range.count(self, value, /)", count),
    row("range.index(self, value, /)", index),
    row("torch.Size.numel(self, /)", |t, b| sums::product(t, b.arg(0)?, None)),
    row("slice.indices(self, len, /)", |t, b| {
        let (slice, len) = (b.arg(0)?, t.concrete(b.arg(1)?)?);
        if len < 0 {
            return Err(raised("ValueError: length should not be negative"));
        }
        let parts = t.slice_of(len, slice)?.map(|part| t.constant(Constant::Int(part)));
        Ok(t.value(Value::Tuple(parts.to_vec())))
    }),
];

/// The list whose method is called.
fn this(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<(StateId, Vec<ValueId>)> {
    let this = b.arg(0)?;
    if let Value::State(state) = t.get(this)?
        && let State::List(items) = t.heap.get(state)
    {
        return Ok((state, items.clone()));
    }
    Err(Reason::new(Kind::Call, format!("`{}` of {}.", b.name(), t.describe(this))))
}

/// The items by which an iterable extends a list. The list itself is repeated from 3.13 on, whatever its class says;
/// before, its items are all there before the first one is put in.
pub(in crate::trace) fn extension(t: &mut Tracer<'_>, list: StateId, more: ValueId) -> Traced<Vec<ValueId>> {
    if let Some(held) = t.held(more)?
        && matches!(t.objects.values[held], Value::State(state) if state == list)
        && let State::List(items) = t.heap.get(list)
    {
        let items = items.clone();
        return if t.host.version() < Version::V313 { t.all_items(more) } else { Ok(items) };
    }
    t.taken_in(list, more, |t| t.listed_items(more))
}

fn store(t: &mut Tracer<'_>, state: StateId, items: Vec<ValueId>) -> Traced {
    *t.heap.change(state) = State::List(items);
    Ok(t.none())
}

/// A change that cannot fail.
fn change(t: &mut Tracer<'_>, b: &Bound<'_>, change: impl FnOnce(&mut Vec<ValueId>)) -> Traced {
    let (state, mut items) = this(t, b)?;
    change(&mut items);
    store(t, state, items)
}

/// The index at which `insert` puts an item.
pub(in crate::trace) fn place(at: i64, len: usize) -> usize {
    let at = if at < 0 { at.saturating_add(len as i64) } else { at };
    usize::try_from(at.max(0)).unwrap_or(len).min(len)
}

/// The place of the first item that is the value or is equal to it.
pub(in crate::trace) fn find(t: &mut Tracer<'_>, items: &[ValueId], value: ValueId) -> Traced<Option<usize>> {
    for (at, &item) in items.iter().enumerate() {
        if t.is_same_or_equal(item, value)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// `sequence.index(value, start, stop)`
pub(in crate::trace) fn index(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (items, value) = (t.all_items(b.arg(0)?)?, b.arg(1)?);
    let mut bound = |given: Option<ValueId>, default| {
        given.map_or(Ok(default), |at| t.concrete(at).map(|at| place(at, items.len())))
    };
    let (start, stop) = (bound(b.opt(2), 0)?, bound(b.opt(3), items.len())?);
    match find(t, items.get(start..stop).unwrap_or_default(), value)? {
        Some(at) => Ok(t.constant(Constant::Int((start + at) as i64))),
        None => Err(raised("ValueError: not in the sequence")),
    }
}

/// `sequence.count(value)`
pub(in crate::trace) fn count(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (items, value) = (t.all_items(b.arg(0)?)?, b.arg(1)?);
    let mut count = 0;
    for item in items {
        count += i64::from(t.is_same_or_equal(item, value)?);
    }
    Ok(t.constant(Constant::Int(count)))
}
