//! `itertools`: those that look at all items before they give the first one, and the rows of those that do not, whose
//! iterators are in `lazy`.
//!
//! Invariant: no function here calls the program. Those that look at all items refuse iterators, which ends the graph.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            lazy::{Groups, Lazy},
            state::{Iter, IterCall, State},
            value::{Value, ValueId},
        },
        python::lazy::made,
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

/// The maximum number of items of such an iterator.
const MOST: usize = 1 << 16;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("itertools.product(*iterables, repeat=1)", product),
    row("itertools.combinations(iterable, r)", |t, b| {
        let (all, length) = choice(t, b)?;
        let rows = choose(&all, length, &|taken, next| taken.last().is_none_or(|&last| last < next));
        chosen(t, "itertools.combinations", all, length, rows)
    }),
    row("itertools.combinations_with_replacement(iterable, r)", |t, b| {
        let (all, length) = choice(t, b)?;
        let rows = choose(&all, length, &|taken, next| taken.last().is_none_or(|&last| last <= next));
        chosen(t, "itertools.combinations_with_replacement", all, length, rows)
    }),
    row("itertools.permutations(iterable, r=None)", |t, b| {
        let (all, length) = choice(t, b)?;
        let rows = choose(&all, length, &|taken, next| !taken.contains(&next));
        chosen(t, "itertools.permutations", all, length, rows)
    }),
    row("itertools.repeat(object, times=...)", |t, b| {
        let (item, times) = (b.arg(0)?, b.opt(1));
        let Some(times) = times else { return made(t, Lazy::Repeat(item)) };
        let times = usize::try_from(t.concrete(times)?).unwrap_or(0);
        if times > MOST {
            return Err(Reason::new(Kind::TooLong, "`itertools.repeat`."));
        }
        let count = t.constant(Constant::Int(times as i64));
        items(t, "itertools.repeat", vec![item, count], vec![item; times])
    }),
    row("itertools.count(start=0, step=1)", |t, b| {
        let start = b.opt(0).unwrap_or_else(|| t.constant(Constant::Int(0)));
        let step = b.opt(1).unwrap_or_else(|| t.constant(Constant::Int(1)));
        made(t, Lazy::Count(start, step))
    }),
    row("itertools.cycle(iterable, /)", |t, b| {
        let inner = t.iterate(b.arg(0)?)?;
        made(t, Lazy::Cycle(Some(inner), Vec::new(), 0))
    }),
    row("itertools.chain(*iterables)", |t, b| made(t, Lazy::Chain(None, b.rest().iter().rev().copied().collect()))),
    row("itertools.chain.from_iterable(iterable, /)", |t, b| {
        let outer = t.iterate(b.arg(0)?)?;
        made(t, Lazy::ChainOf(None, outer))
    }),
    row("itertools.islice(iterable, start, stop=..., step=..., /)", slice),
    row("itertools.pairwise(iterable, /)", |t, b| {
        let inner = t.iterate(b.arg(0)?)?;
        made(t, Lazy::Pairs(inner, None))
    }),
    row("itertools.accumulate(iterable, func=None, *, initial=None)", |t, b| {
        let (function, total) = (t.unless_none(b.opt(1))?, t.unless_none(b.opt(2))?);
        let inner = t.iterate(b.arg(0)?)?;
        made(t, Lazy::Accumulate { inner, function, total, given: false })
    }),
    row("itertools.takewhile(predicate, iterable, /)", |t, b| with_function(t, b, Lazy::TakeWhile)),
    row("itertools.dropwhile(predicate, iterable, /)", |t, b| {
        with_function(t, b, |function, inner| Lazy::DropWhile(Some(function), inner))
    }),
    row("itertools.filterfalse(function, iterable, /)", |t, b| with_function(t, b, Lazy::FilterFalse)),
    row("itertools.starmap(function, iterable, /)", |t, b| with_function(t, b, Lazy::StarMap)),
    row("itertools.zip_longest(*iterables, fillvalue=None)", |t, b| {
        let fill = b.opt(0).unwrap_or_else(|| t.none());
        let inners = b.rest().iter().map(|&arg| t.iterate(arg).map(Some)).collect::<Traced<_>>()?;
        made(t, Lazy::Longest(inners, fill))
    }),
    row("itertools.compress(data, selectors)", |t, b| {
        let lazy = Lazy::Compress(t.iterate(b.arg(0)?)?, t.iterate(b.arg(1)?)?);
        made(t, lazy)
    }),
    row("itertools.groupby(iterable, key=None)", |t, b| {
        let key = t.unless_none(b.opt(1))?;
        let inner = t.iterate(b.arg(0)?)?;
        made(t, Lazy::Groups(Groups { inner, key, current: None, given: None, count: 0 }))
    }),
    row("itertools.tee(iterable, n=2, /)", tee),
];

/// An iterator over these items, which another call gives as well.
fn items(t: &mut Tracer<'_>, function: &'static str, args: Vec<ValueId>, items: Vec<ValueId>) -> Traced {
    Ok(t.state(State::Iter(Iter::Call(IterCall { function, args, items, at: 0 }))))
}

fn tuples(t: &mut Tracer<'_>, function: &'static str, args: Vec<ValueId>, rows: Vec<Vec<ValueId>>) -> Traced {
    let rows = rows.into_iter().map(|row| t.value(Value::Tuple(row))).collect();
    items(t, function, args, rows)
}

/// The items of something that is no iterator: its items are there, whenever they are read.
fn sequence(t: &mut Tracer<'_>, value: ValueId) -> Traced<Vec<ValueId>> {
    if let Value::State(state) = t.get(value)?
        && let State::Iter(_) = t.heap.get(state)
    {
        return Err(Reason::new(Kind::Iteration, "`itertools` on an iterator."));
    }
    t.listed_items(value)
}

fn product(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let factors = b.rest().iter().map(|&arg| sequence(t, arg)).collect::<Traced<Vec<_>>>()?;
    let times = b.opt(0).map_or(Ok(1), |times| t.concrete(times))?;
    let times = usize::try_from(times).map_err(|_| raised("ValueError: repeat argument cannot be negative"))?;
    let mut rows = vec![Vec::new()];
    for factor in std::iter::repeat_n(&factors, times).flatten() {
        if rows.len() * factor.len() > MOST {
            return Err(Reason::new(Kind::TooLong, "`itertools.product`."));
        }
        rows = rows.iter().flat_map(|row| factor.iter().map(|&item| [&row[..], &[item]].concat())).collect();
    }
    let factors = std::iter::repeat_n(&factors, times).flatten();
    let factors = factors.map(|factor| t.value(Value::Tuple(factor.clone()))).collect();
    tuples(t, "itertools.product", factors, rows)
}

/// The rows of so many items that a function chooses of all.
fn chosen(
    t: &mut Tracer<'_>,
    function: &'static str,
    all: Vec<ValueId>,
    length: usize,
    rows: Vec<Vec<ValueId>>,
) -> Traced {
    let (all, length) = (t.value(Value::Tuple(all)), t.constant(Constant::Int(length as i64)));
    tuples(t, function, vec![all, length], rows)
}

/// The items to choose from, and the number of items to choose.
fn choice(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<(Vec<ValueId>, usize)> {
    let all = sequence(t, b.arg(0)?)?;
    let length = match t.unless_none(b.opt(1))? {
        Some(length) => usize::try_from(t.concrete(length)?).map_err(|_| raised("ValueError: r is negative"))?,
        None if b.own_name() == "permutations" => all.len(),
        None => return Err(raised("TypeError: r is no integer")),
    };
    if all.len() > 12 {
        return Err(Reason::new(Kind::TooLong, "Combinations of so many items."));
    }
    Ok((all, length))
}

fn slice(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let mut number = |part| -> Traced<Option<i64>> { t.unless_none(part)?.map(|part| t.concrete(part)).transpose() };
    let (first, second, step) = (number(Some(b.arg(1)?))?, number(b.opt(2))?, number(b.opt(3))?);
    let (skip, stop) = if b.opt(2).is_some() { (first.unwrap_or(0), second) } else { (0, first) };
    let step = step.unwrap_or(1);
    if skip < 0 || step < 1 || stop.is_some_and(|stop| stop < 0) {
        return Err(raised("ValueError: islice"));
    }
    let inner = t.iterate(b.arg(0)?)?;
    made(t, Lazy::Slice { inner, skip, stop, step })
}

fn tee(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let count = b.opt(1).map_or(Ok(2), |count| t.concrete(count))?;
    let count = usize::try_from(count).map_err(|_| raised("ValueError: n must be >= 0"))?;
    let inner = t.iterate(b.arg(0)?)?;
    if let Value::State(state) = t.get(inner)?
        && let State::Iter(Iter::Lazy(lazy)) = t.heap.get(state)
        && matches!(**lazy, Lazy::Tee(..))
    {
        // Versions differ in what is one object then.
        return Err(Reason::new(Kind::Call, "`itertools.tee` of one of its own."));
    }
    let shared = made(t, Lazy::Shared(inner, Vec::new()))?;
    let tees = (0..count).map(|_| made(t, Lazy::Tee(shared, 0))).collect::<Traced<_>>()?;
    Ok(t.value(Value::Tuple(tees)))
}

fn with_function(t: &mut Tracer<'_>, b: &Bound<'_>, make: fn(ValueId, ValueId) -> Lazy) -> Traced {
    let function = b.arg(0)?;
    let inner = t.iterate(b.arg(1)?)?;
    made(t, make(function, inner))
}

/// Every row of `length` items in which each place may follow those before it.
fn choose(all: &[ValueId], length: usize, may: &dyn Fn(&[usize], usize) -> bool) -> Vec<Vec<ValueId>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..length {
        let longer = |row: &Vec<usize>| {
            let next = (0..all.len()).filter(|&next| may(row, next)).collect::<Vec<_>>();
            next.into_iter().map(|next| [&row[..], &[next]].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows.into_iter().map(|row| row.into_iter().map(|at| all[at]).collect()).collect()
}
