//! `itertools` whose items come when they are asked for: endless ones, those that call the program, and those that read
//! other iterators.
//!
//! Invariant: an iterator reads and calls what CPython's does, in the same order and no earlier.

use super::{
    Traced, Tracer,
    builtin::Rule,
    call::Keywords,
    items::raised,
    value::{Iter, State, Value, ValueId},
};
use guards::Constant;

/// Such an iterator, and where it stands. What it reads are iterators.
#[derive(Clone, Debug)]
pub(super) enum Lazy {
    /// `count`: the next number, the step.
    Count(ValueId, ValueId),
    /// `repeat` without end.
    Repeat(ValueId),
    /// `cycle`: what it reads until that ends, what it has read, and the next one's place among that.
    Cycle(Option<ValueId>, Vec<ValueId>, usize),
    /// `chain`: the one that is read, those that come after it, the next one last.
    Chain(Option<ValueId>, Vec<ValueId>),
    /// `chain.from_iterable`: the one that is read, what gives those after it.
    ChainOf(Option<ValueId>, ValueId),
    /// `islice`
    Slice {
        /// What it reads.
        inner: ValueId,
        /// How many items are left out before the next one.
        skip: i64,
        /// How many items are read at most, with those.
        stop: Option<i64>,
        /// How far the next items are from each other.
        step: i64,
    },
    /// `pairwise`: what it reads, the last item.
    Pairs(ValueId, Option<ValueId>),
    /// `accumulate`
    Accumulate {
        /// What it reads.
        inner: ValueId,
        /// What is called, if it is not the sum.
        function: Option<ValueId>,
        /// The total so far, or where it begins.
        total: Option<ValueId>,
        /// Whether the total was given already.
        given: bool,
    },
    /// `takewhile`: the condition, what it reads.
    TakeWhile(ValueId, ValueId),
    /// `dropwhile`: the condition until it has failed, what it reads.
    DropWhile(Option<ValueId>, ValueId),
    /// `filterfalse`
    FilterFalse(ValueId, ValueId),
    /// `starmap`
    StarMap(ValueId, ValueId),
    /// `zip_longest`: what it reads, where that has not ended, and what takes its place.
    Longest(Vec<Option<ValueId>>, ValueId),
    /// `compress`: what it reads, and whether to keep that.
    Compress(ValueId, ValueId),
}

impl Lazy {
    /// The values that it is made of.
    pub(super) fn parts(&self) -> Vec<ValueId> {
        match self {
            Lazy::Repeat(a) => vec![*a],
            Lazy::Count(a, b)
            | Lazy::TakeWhile(a, b)
            | Lazy::FilterFalse(a, b)
            | Lazy::StarMap(a, b)
            | Lazy::Compress(a, b) => vec![*a, *b],
            Lazy::Cycle(inner, items, _) | Lazy::Chain(inner, items) => inner.iter().chain(items).copied().collect(),
            Lazy::ChainOf(inner, outer) | Lazy::DropWhile(inner, outer) => {
                inner.iter().chain([outer]).copied().collect()
            }
            Lazy::Slice { inner, .. } => vec![*inner],
            Lazy::Pairs(inner, last) => [inner].into_iter().chain(last).copied().collect(),
            Lazy::Accumulate { inner, function, total, .. } => {
                [inner].into_iter().chain(function).chain(total).copied().collect()
            }
            Lazy::Longest(inners, fill) => inners.iter().flatten().chain([fill]).copied().collect(),
        }
    }
}

pub(super) const RULES: &[(&str, Rule)] = &[
    ("itertools.count", |t, args, keywords| {
        let [start, step] = bound("count", args, keywords, ["start", "step"])?;
        let start = start.unwrap_or_else(|| t.constant(Constant::Int(0)));
        let step = step.unwrap_or_else(|| t.constant(Constant::Int(1)));
        made(t, Lazy::Count(start, step))
    }),
    ("itertools.cycle", |t, args, _| {
        let inner = t.iterate(only("cycle", args)?)?;
        made(t, Lazy::Cycle(Some(inner), Vec::new(), 0))
    }),
    ("itertools.chain", |t, args, _| made(t, Lazy::Chain(None, args.iter().rev().copied().collect()))),
    ("itertools.chain.from_iterable", |t, args, _| {
        let outer = t.iterate(only("from_iterable", args)?)?;
        made(t, Lazy::ChainOf(None, outer))
    }),
    ("itertools.islice", |t, args, _| {
        let (&arg, bounds) = args.split_first().ok_or_else(|| refused("islice"))?;
        let mut numbers = Vec::new();
        for &part in bounds {
            let absent = matches!(t.get(part)?, Value::Const(Constant::None));
            numbers.push(if absent { None } else { Some(t.concrete(part)?) });
        }
        let (skip, stop, step) = match *numbers {
            [stop] => (0, stop, 1),
            [start, stop] => (start.unwrap_or(0), stop, 1),
            [start, stop, step] => (start.unwrap_or(0), stop, step.unwrap_or(1)),
            _ => return Err(refused("islice")),
        };
        if skip < 0 || step < 1 || stop.is_some_and(|stop| stop < 0) {
            return Err(raised("ValueError: islice"));
        }
        let inner = t.iterate(arg)?;
        made(t, Lazy::Slice { inner, skip, stop, step })
    }),
    ("itertools.pairwise", |t, args, _| {
        let inner = t.iterate(only("pairwise", args)?)?;
        made(t, Lazy::Pairs(inner, None))
    }),
    ("itertools.accumulate", |t, args, keywords| {
        let (&items, rest) = args.split_first().ok_or_else(|| refused("accumulate"))?;
        let [function, total] = match (rest, &keywords[..]) {
            (&[function], [(name, total)]) if name == "initial" => [Some(function), Some(*total)],
            _ => bound("accumulate", rest, keywords, ["func", "initial"])?,
        };
        let mut given = [function, total];
        for value in &mut given {
            if let Some(some) = *value
                && matches!(t.get(some)?, Value::Const(Constant::None))
            {
                *value = None;
            }
        }
        let ([function, total], inner) = (given, t.iterate(items)?);
        made(t, Lazy::Accumulate { inner, function, total, given: false })
    }),
    ("itertools.takewhile", |t, args, _| with_function(t, "takewhile", args, Lazy::TakeWhile)),
    ("itertools.dropwhile", |t, args, _| {
        with_function(t, "dropwhile", args, |function, inner| Lazy::DropWhile(Some(function), inner))
    }),
    ("itertools.filterfalse", |t, args, _| with_function(t, "filterfalse", args, Lazy::FilterFalse)),
    ("itertools.starmap", |t, args, _| with_function(t, "starmap", args, Lazy::StarMap)),
    ("itertools.zip_longest", |t, args, keywords| {
        let fill = match &keywords[..] {
            [] => t.none(),
            [(name, fill)] if name == "fillvalue" => *fill,
            _ => return Err(refused("zip_longest")),
        };
        let inners = args.iter().map(|&arg| t.iterate(arg).map(Some)).collect::<Traced<_>>()?;
        made(t, Lazy::Longest(inners, fill))
    }),
    ("itertools.compress", |t, args, keywords| {
        let [Some(items), Some(kept)] = bound("compress", args, keywords, ["data", "selectors"])? else {
            return Err(refused("compress"));
        };
        let lazy = Lazy::Compress(t.iterate(items)?, t.iterate(kept)?);
        made(t, lazy)
    }),
];

fn made(t: &mut Tracer<'_>, lazy: Lazy) -> Traced {
    Ok(t.state(State::Iter(Iter::Lazy(Box::new(lazy)))))
}

fn refused(name: &str) -> crate::reason::Reason {
    raised(&format!("TypeError: {name}"))
}

fn only(name: &str, args: &[ValueId]) -> Traced {
    match args {
        [arg] => Ok(*arg),
        _ => Err(refused(name)),
    }
}

fn with_function(t: &mut Tracer<'_>, name: &str, args: &[ValueId], make: fn(ValueId, ValueId) -> Lazy) -> Traced {
    let &[function, items] = args else { return Err(refused(name)) };
    let inner = t.iterate(items)?;
    made(t, make(function, inner))
}

/// Arguments by their names.
fn bound<const N: usize>(
    function: &str,
    args: &[ValueId],
    keywords: &Keywords,
    names: [&str; N],
) -> Traced<[Option<ValueId>; N]> {
    let mut found = [None; N];
    if args.len() > N {
        return Err(refused(function));
    }
    found.iter_mut().zip(args).for_each(|(slot, &arg)| *slot = Some(arg));
    for (name, value) in keywords {
        match names.iter().position(|known| known == name) {
            Some(at) if found[at].is_none() => found[at] = Some(*value),
            _ => return Err(refused(function)),
        }
    }
    Ok(found)
}

impl Tracer<'_> {
    /// The next item; `None` at the end.
    pub(super) fn next_lazy(&mut self, lazy: &mut Lazy) -> Traced<Option<ValueId>> {
        match lazy {
            Lazy::Repeat(item) => Ok(Some(*item)),
            Lazy::Count(next, step) => {
                let item = *next;
                *next = self.binary_op(0, item, *step)?;
                Ok(Some(item))
            }
            Lazy::Cycle(inner, items, at) => {
                if let Some(reading) = *inner {
                    if let Some(item) = self.next_item(reading)? {
                        items.push(item);
                        return Ok(Some(item));
                    }
                    *inner = None;
                }
                let item = items.get(*at).copied();
                *at = (*at + 1) % items.len().max(1);
                Ok(item)
            }
            Lazy::Chain(current, rest) => loop {
                if let Some(reading) = *current
                    && let Some(item) = self.next_item(reading)?
                {
                    return Ok(Some(item));
                }
                let Some(next) = rest.pop() else { return Ok(None) };
                *current = Some(self.iterate(next)?);
            },
            Lazy::ChainOf(current, outer) => loop {
                if let Some(reading) = *current
                    && let Some(item) = self.next_item(reading)?
                {
                    return Ok(Some(item));
                }
                let Some(next) = self.next_item(*outer)? else { return Ok(None) };
                *current = Some(self.iterate(next)?);
            },
            Lazy::Slice { inner, skip, stop, step } => self.next_of_slice(*inner, skip, stop, *step),
            Lazy::Pairs(inner, last) => {
                let first = match *last {
                    Some(first) => first,
                    None => match self.next_item(*inner)? {
                        Some(first) => first,
                        None => return Ok(None),
                    },
                };
                *last = Some(first);
                let Some(second) = self.next_item(*inner)? else { return Ok(None) };
                *last = Some(second);
                Ok(Some(self.value(Value::Tuple(vec![first, second]))))
            }
            Lazy::Accumulate { inner, function, total, given } => {
                if let (Some(first), false) = (*total, *given) {
                    *given = true;
                    return Ok(Some(first));
                }
                let Some(item) = self.next_item(*inner)? else { return Ok(None) };
                *given = true;
                *total = Some(match (*total, *function) {
                    (None, _) => item,
                    (Some(total), None) => self.binary_op(0, total, item)?,
                    (Some(total), Some(function)) => self.call(function, vec![total, item], vec![])?,
                });
                Ok(*total)
            }
            Lazy::TakeWhile(function, inner) => {
                let Some(item) = self.next_item(*inner)? else { return Ok(None) };
                Ok(self.holds_of(*function, item)?.then_some(item))
            }
            Lazy::DropWhile(function, inner) => loop {
                let Some(item) = self.next_item(*inner)? else { return Ok(None) };
                match *function {
                    Some(condition) if self.holds_of(condition, item)? => {}
                    _ => {
                        *function = None;
                        return Ok(Some(item));
                    }
                }
            },
            Lazy::FilterFalse(function, inner) => loop {
                let Some(item) = self.next_item(*inner)? else { return Ok(None) };
                let none = matches!(self.get(*function)?, Value::Const(Constant::None));
                if !(if none { self.truth(item)? } else { self.holds_of(*function, item)? }) {
                    return Ok(Some(item));
                }
            },
            Lazy::StarMap(function, inner) => {
                let Some(item) = self.next_item(*inner)? else { return Ok(None) };
                let args = self.all_items(item)?;
                self.call(*function, args, vec![]).map(Some)
            }
            Lazy::Longest(inners, fill) => self.next_of_longest(inners, *fill),
            Lazy::Compress(inner, kept) => loop {
                let Some(item) = self.next_item(*inner)? else { return Ok(None) };
                let Some(keeps) = self.next_item(*kept)? else { return Ok(None) };
                if self.truth(keeps)? {
                    return Ok(Some(item));
                }
            },
        }
    }

    fn holds_of(&mut self, function: ValueId, item: ValueId) -> Traced<bool> {
        let said = self.call(function, vec![item], vec![])?;
        self.truth(said)
    }

    fn next_of_slice(
        &mut self,
        inner: ValueId,
        skip: &mut i64,
        stop: &mut Option<i64>,
        step: i64,
    ) -> Traced<Option<ValueId>> {
        // Those that are left out are read, up to the end.
        let left_out = stop.map_or(*skip, |stop| stop.min(*skip));
        for _ in 0..left_out {
            if self.next_item(inner)?.is_none() {
                return Ok(None);
            }
        }
        *stop = stop.map(|stop| stop - left_out);
        if *stop == Some(0) {
            *skip = 0;
            return Ok(None);
        }
        let item = self.next_item(inner)?;
        *stop = stop.map(|stop| stop - 1);
        *skip = step - 1;
        Ok(item)
    }

    fn next_of_longest(&mut self, inners: &mut [Option<ValueId>], fill: ValueId) -> Traced<Option<ValueId>> {
        let mut items = Vec::new();
        for at in 0..inners.len() {
            let item = match inners[at] {
                Some(inner) => self.next_item(inner)?,
                None => None,
            };
            if item.is_none() {
                inners[at] = None;
                if inners.iter().all(Option::is_none) {
                    return Ok(None);
                }
            }
            items.push(item.unwrap_or(fill));
        }
        Ok((!items.is_empty()).then(|| self.value(Value::Tuple(items))))
    }
}
