//! `itertools`: functions that look at all items before they give the first one. The others are in `lazy`.
//!
//! Invariant: no function here calls the program or reads an iterator: such calls end the graph.

use super::{
    Traced, Tracer,
    builtin::Rule,
    items::raised,
    lazy::Lazy,
    value::{Iter, State, Value, ValueId},
};
use crate::reason::{Kind, Reason};

/// How many items such an iterator may have.
const MOST: usize = 1 << 16;

pub(super) const RULES: &[(&str, Rule)] = &[
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
    ("itertools.combinations_with_replacement", |t, args, _| {
        let (all, length) = choice(t, args)?;
        tuples(t, choose(&all, length, &|taken, next| taken.last().is_none_or(|&last| last <= next)))
    }),
    ("itertools.permutations", |t, args, _| {
        let (all, length) = choice(t, args)?;
        tuples(t, choose(&all, length, &|taken, next| !taken.contains(&next)))
    }),
    ("itertools.repeat", |t, args, keywords| match (args, keywords.first()) {
        ([item, times], None) | ([item], Some((_, times))) => {
            let times = usize::try_from(t.concrete(*times)?).unwrap_or(0);
            if times > MOST {
                return Err(Reason::new(Kind::TooLong, "`itertools.repeat`."));
            }
            items(t, vec![*item; times])
        }
        ([item], None) => Ok(t.state(State::Iter(Iter::Lazy(Box::new(Lazy::Repeat(*item)))))),
        _ => Err(raised("TypeError: repeat")),
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
