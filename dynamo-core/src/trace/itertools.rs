//! `itertools`: what its functions give for sequences that are all there.
//!
//! Invariant: no function here calls the program or reads an iterator, since Python does both only when an item is asked
//! for; such calls end the graph.

use super::{
    Traced, Tracer,
    builtin::Rule,
    items::raised,
    value::{Iter, State, Value, ValueId},
};
use crate::reason::{Kind, Reason};

/// How many items such an iterator may have.
const MOST: usize = 1 << 16;

pub(super) const RULES: &[(&str, Rule)] = &[
    ("itertools.chain", |t, args, _| {
        let mut all = Vec::new();
        for &arg in args {
            all.extend(sequence(t, arg)?);
        }
        items(t, all)
    }),
    ("itertools.chain.from_iterable", |t, args, _| {
        let [arg] = args else { return Err(raised("TypeError: from_iterable")) };
        let mut all = Vec::new();
        for part in sequence(t, *arg)? {
            all.extend(sequence(t, part)?);
        }
        items(t, all)
    }),
    ("itertools.islice", |t, args, _| {
        let (&arg, bounds) = args.split_first().ok_or_else(|| raised("TypeError: islice"))?;
        let all = sequence(t, arg)?;
        let none = t.none();
        let parts = match *bounds {
            [stop] => [none, stop, none],
            [start, stop] => [start, stop, none],
            [start, stop, step] => [start, stop, step],
            _ => return Err(raised("TypeError: islice")),
        };
        for part in parts {
            if t.int(part)?.is_some() && t.concrete(part)? < 0 {
                return Err(raised("ValueError: islice"));
            }
        }
        let slice = t.value(Value::Slice(parts));
        let picked = t.slice(&all, slice)?;
        items(t, picked)
    }),
    ("itertools.product", |t, args, keywords| {
        let mut factors = Vec::new();
        for &arg in args {
            factors.push(sequence(t, arg)?);
        }
        let times = match keywords.first() {
            Some((_, times)) => usize::try_from(t.concrete(*times)?).unwrap_or(0),
            None => 1,
        };
        let mut rows = vec![Vec::new()];
        for factor in std::iter::repeat_n(&factors, times).flatten() {
            if rows.len() * factor.len() > MOST {
                return Err(Reason::new(Kind::TooLong, "`itertools.product`."));
            }
            rows = rows.iter().flat_map(|row| factor.iter().map(|&item| [&row[..], &[item]].concat())).collect();
        }
        tuples(t, rows)
    }),
    ("itertools.combinations", |t, args, _| {
        let (all, length) = choice(t, args)?;
        tuples(t, choose(&all, length, &|taken, next| taken.last().is_none_or(|&last| last < next)))
    }),
    ("itertools.permutations", |t, args, _| {
        let (all, length) = choice(t, args)?;
        tuples(t, choose(&all, length, &|taken, next| !taken.contains(&next)))
    }),
    ("itertools.pairwise", |t, args, _| {
        let [arg] = args else { return Err(raised("TypeError: pairwise")) };
        let all = sequence(t, *arg)?;
        tuples(t, all.windows(2).map(<[ValueId]>::to_vec).collect())
    }),
    ("itertools.repeat", |t, args, keywords| match (args, keywords.first()) {
        ([item, times], None) | ([item], Some((_, times))) => {
            let times = usize::try_from(t.concrete(*times)?).unwrap_or(0);
            if times > MOST {
                return Err(Reason::new(Kind::TooLong, "`itertools.repeat`."));
            }
            items(t, vec![*item; times])
        }
        _ => Err(Reason::new(Kind::Iteration, "`itertools.repeat` without end.")),
    }),
    ("itertools.accumulate", |t, args, keywords| {
        // A function's effects would come too early: it is called when an item is asked for.
        let (&[arg], []) = (args, keywords.as_slice()) else {
            return Err(Reason::new(Kind::Iteration, "`itertools.accumulate` with a function."));
        };
        let mut totals: Vec<ValueId> = Vec::new();
        for item in sequence(t, arg)? {
            let total = totals.last().copied();
            totals.push(total.map_or(Ok(item), |total| t.binary_op(0, total, item))?);
        }
        items(t, totals)
    }),
];

/// An iterator over these.
fn items(t: &mut Tracer<'_>, items: Vec<ValueId>) -> Traced {
    Ok(t.state(State::Iter(Iter::Items(items, 0))))
}

fn tuples(t: &mut Tracer<'_>, rows: Vec<Vec<ValueId>>) -> Traced {
    let rows = rows.into_iter().map(|row| t.value(Value::Tuple(row))).collect();
    items(t, rows)
}

/// The items of something that is no iterator: its items are there, whenever they are read.
fn sequence(t: &mut Tracer<'_>, value: ValueId) -> Traced<Vec<ValueId>> {
    if let Value::State(state) = t.get(value)?
        && let State::Iter(_) = t.heap.get(state)
    {
        return Err(Reason::new(Kind::Iteration, "`itertools` on an iterator."));
    }
    t.all_items(value)
}

fn choice(t: &mut Tracer<'_>, args: &[ValueId]) -> Traced<(Vec<ValueId>, usize)> {
    let all = sequence(t, *args.first().ok_or_else(|| raised("TypeError: itertools"))?)?;
    let length = match args.get(1) {
        Some(&length) => usize::try_from(t.concrete(length)?).map_err(|_| raised("ValueError: r is negative"))?,
        None => all.len(),
    };
    if all.len() > 12 {
        return Err(Reason::new(Kind::TooLong, "Combinations of so many items."));
    }
    Ok((all, length))
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
