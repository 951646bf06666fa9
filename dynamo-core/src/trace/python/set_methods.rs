//! Methods of sets.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{Key, Made, State, StateId},
            value::{Value, ValueId},
        },
        python::sets::{Items, combine, of_set, operand, update},
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("set.add(self, item, /)", |t, b| {
        let (state, mut items, made) = this(t, b)?;
        let item = t.force(b.arg(1)?)?;
        items.entry(t.key(item)?).or_insert(item);
        let made = made.with_item(t, "add", item)?;
        store(t, state, items, made)
    }),
    row("set.discard(self, item, /)", |t, b| take_out(t, b, false)),
    row("set.remove(self, item, /)", |t, b| take_out(t, b, true)),
    row("set.pop(self, /)", pop),
    row("set.clear(self, /)", |t, b| {
        let (state, _, made) = this(t, b)?;
        store(t, state, Items::new(), made.then("clear", Some(Vec::new())))
    }),
    row("set.copy(self, /)", |t, b| {
        let (_, items, made) = this(t, b)?;
        let copy = made.then("copy", Some(Vec::new()));
        Ok(t.state(State::Set(items, copy)))
    }),
    row("set.update(self, /, *others)", |t, b| {
        let (state, mut items, mut made) = this(t, b)?;
        for &more in b.rest() {
            made = t.taken_in(state, more, |t| update(t, &mut items, &made, more))?;
        }
        store(t, state, items, made)
    }),
    row("set.issubset(self, other, /)", |t, b| {
        let (_, items, _) = this(t, b)?;
        let (other, _) = operand(t, b.arg(1)?)?;
        Ok(t.constant(Constant::Bool(items.keys().all(|key| other.contains_key(key)))))
    }),
    row("set.issuperset(self, other, /)", |t, b| compared(t, b, false)),
    row("set.isdisjoint(self, other, /)", |t, b| compared(t, b, true)),
    row("set.union(self, /, *others)", |t, b| combined(t, b, "union", b.rest())),
    row("set.intersection(self, /, *others)", |t, b| combined(t, b, "intersection", b.rest())),
    row("set.difference(self, /, *others)", |t, b| combined(t, b, "difference", b.rest())),
    row("set.symmetric_difference(self, other, /)", |t, b| combined(t, b, "symmetric_difference", &[b.arg(1)?])),
    row("set.intersection_update(self, /, *others)", |t, b| combine_in(t, b, "intersection_update", b.rest())),
    row("set.difference_update(self, /, *others)", |t, b| combine_in(t, b, "difference_update", b.rest())),
    row("set.symmetric_difference_update(self, other, /)", |t, b| {
        combine_in(t, b, "symmetric_difference_update", &[b.arg(1)?])
    }),
];

/// The set whose method is called, and how it was made.
fn this(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<(StateId, Items, Made)> {
    let this = t.force(b.arg(0)?)?;
    if let Value::State(state) = t.objects.values[this]
        && let State::Set(items, made) = t.heap.get(state).clone()
    {
        let made = if made == Made::Found { t.made(this) } else { made };
        return Ok((state, items, made));
    }
    Err(refused(t, b))
}

fn refused(t: &mut Tracer<'_>, b: &Bound<'_>) -> Reason {
    let this = b.arg(0).map_or_else(|_| String::new(), |this| t.describe(this));
    Reason::new(Kind::Call, format!("The method `{}` of {this}.", b.own_name()))
}

fn store(t: &mut Tracer<'_>, state: StateId, items: Items, made: Made) -> Traced {
    *t.heap.change(state) = State::Set(items, made);
    Ok(t.none())
}

/// `discard`, or `remove`, which raises where the item is not there.
fn take_out(t: &mut Tracer<'_>, b: &Bound<'_>, raises: bool) -> Traced {
    let (state, mut items, made) = this(t, b)?;
    let item = b.arg(1)?;
    if items.shift_remove(&t.key(item)?).is_none() && raises {
        return Err(t.missing_key(item)?);
    }
    let made = made.with_item(t, "discard", item)?;
    store(t, state, items, made)
}

fn pop(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (state, mut items, made) = this(t, b)?;
    let order = t.items_in_order(b.arg(0)?)?.unwrap_or_default();
    let item = *order.first().ok_or_else(|| raised("KeyError: pop from an empty set").verbatim())?;
    let key = t.key(item)?;
    items.shift_remove(&key);
    let made = made.then("pop", Some(Vec::new()));
    // It does not always take the first.
    let Made::By(history) = &made else { return Err(refused(t, b)) };
    let left = t.host.set_order(history).unwrap_or_default();
    if left.into_iter().any(|item| t.of_constant_key(item).as_ref() == Some(&key)) {
        return Err(refused(t, b));
    }
    store(t, state, items, made)?;
    Ok(item)
}

/// True unless an item of the other is in the set, or is not, at the first of which it is no more read.
fn compared(t: &mut Tracer<'_>, b: &Bound<'_>, is_within: bool) -> Traced {
    let ((_, items, _), other) = (this(t, b)?, b.arg(1)?);
    let ends = |key: &Key| items.contains_key(key) == is_within;
    let ended = match of_set(t, other)? {
        Some(other) => other.keys().any(ends),
        None => t.any_item(other, |t, item| {
            let item = t.force(item)?;
            Ok(ends(&t.key(item)?))
        })?,
    };
    Ok(t.constant(Constant::Bool(!ended)))
}

/// The combination of a set with others by a method; it has no rule where there are no others.
fn combination(
    t: &mut Tracer<'_>,
    b: &Bound<'_>,
    method: &'static str,
    others: &[ValueId],
) -> Traced<(StateId, Items, Made)> {
    let (state, mut items, made) = this(t, b)?;
    let mut operands = Some(Vec::new());
    if others.is_empty() {
        return Err(refused(t, b));
    }
    for &other in others {
        let (other, again) = match method.ends_with("_update") {
            true => t.taken_in(state, other, |t| operand(t, other))?,
            false => operand(t, other)?,
        };
        items = combine(method, &items, &other).ok_or_else(|| refused(t, b))?;
        operands = operands.zip(again).map(|(mut all, again)| {
            all.push(again);
            all
        });
    }
    Ok((state, items, made.then(method, operands)))
}

/// A new set.
fn combined(t: &mut Tracer<'_>, b: &Bound<'_>, method: &'static str, others: &[ValueId]) -> Traced {
    let (_, items, made) = combination(t, b, method, others)?;
    Ok(t.state(State::Set(items, made)))
}

/// A change of the set.
fn combine_in(t: &mut Tracer<'_>, b: &Bound<'_>, method: &'static str, others: &[ValueId]) -> Traced {
    let (state, items, made) = combination(t, b, method, others)?;
    store(t, state, items, made)
}
