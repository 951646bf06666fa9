//! `itertools` whose items come when they are asked for: endless ones, those that call the program, and those that read
//! other iterators.
//!
//! Invariant: an iterator reads and calls what CPython's does, in the same order and no earlier.

use crate::{
    bytecode::operands::BinaryOperator,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            lazy::{Groups, Lazy},
            state::{Iter, State, StateId},
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

/// Such an iterator.
pub(in crate::trace) fn made(t: &mut Tracer<'_>, lazy: Lazy) -> Traced {
    Ok(t.state(State::Iter(Iter::Lazy(Box::new(lazy)))))
}

impl Tracer<'_> {
    /// The next item of the iterator of this state; `None` at the end.
    pub(in crate::trace) fn next_lazy(&mut self, state: StateId, lazy: &mut Lazy) -> Traced<Option<ValueId>> {
        match lazy {
            Lazy::Groups(_) => {
                let group = self.read_within(state, |t, lazy| t.next_group(state, lazy));
                if let State::Iter(Iter::Lazy(now)) = self.heap.get(state) {
                    lazy.clone_from(&**now);
                }
                group
            }
            Lazy::Group(groups, key, number) => {
                let groups = self.state_of(*groups)?;
                self.read_within(groups, |t, lazy| t.next_of_group(lazy, *key, *number))
            }
            Lazy::Shared(inner, _) => self.next_item(*inner),
            Lazy::Tee(shared, at) => {
                let shared = self.state_of(*shared)?;
                let item = self.read_within(shared, |t, lazy| match lazy {
                    Lazy::Shared(_, items) if *at < items.len() => Ok(Some(items[*at])),
                    Lazy::Shared(inner, items) => {
                        let item = t.next_item(*inner)?;
                        items.extend(item);
                        Ok(item)
                    }
                    _ => Ok(None),
                })?;
                *at += usize::from(item.is_some());
                Ok(item)
            }
            Lazy::Repeat(item) => Ok(Some(*item)),
            Lazy::Count(next, step) => {
                let item = *next;
                *next = self.binary_op(BinaryOperator::Add, item, *step)?;
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
                if total.is_some() {
                    self.name_after(item, "element");
                }
                let sum = match (*total, *function) {
                    (None, _) => item,
                    (Some(total), None) => self.call_builtin("operator.add", &[total, item], vec![])?,
                    (Some(total), Some(function)) => self.call(function, vec![total, item], vec![])?,
                };
                self.name_after(sum, "total");
                *total = Some(sum);
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
                let args = self.listed_items(item)?;
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

    fn state_of(&mut self, iterator: ValueId) -> Traced<StateId> {
        match self.get(iterator)? {
            Value::State(state) => Ok(state),
            _ => Err(Reason::new(Kind::Iteration, "Over something that is no iterator.")),
        }
    }

    /// Reads an iterator that others read as well. Meanwhile nobody else may.
    fn read_within(
        &mut self,
        state: StateId,
        read: impl FnOnce(&mut Self, &mut Lazy) -> Traced<Option<ValueId>>,
    ) -> Traced<Option<ValueId>> {
        let mut lazy = match self.heap.get(state) {
            State::Iter(Iter::Lazy(lazy)) => lazy.clone(),
            State::Iter(Iter::Done(_)) => return Ok(None),
            _ => return Err(Reason::new(Kind::Iteration, "An iterator that asks itself.")),
        };
        *self.heap.change(state) = State::Iter(Iter::Running);
        let item = read(self, &mut lazy);
        *self.heap.change(state) = State::Iter(Iter::Lazy(lazy));
        item
    }

    /// The key of the next group, and the group.
    fn next_group(&mut self, state: StateId, lazy: &mut Lazy) -> Traced<Option<ValueId>> {
        let Lazy::Groups(groups) = lazy else { return Ok(None) };
        // The last one gives no more, also if there is no other one.
        groups.count += 1;
        let key = loop {
            match (groups.current, groups.given) {
                (Some((key, _)), None) => break key,
                (Some((key, _)), Some(given)) if !self.is_same_or_equal(given, key)? => break key,
                _ => {}
            }
            if !self.step_groups(groups)? {
                return Ok(None);
            }
        };
        groups.given = Some(key);
        let number = groups.count;
        let parent = self.value(Value::State(state));
        let group = made(self, Lazy::Group(parent, key, number))?;
        Ok(Some(self.value(Value::Tuple(vec![key, group]))))
    }

    fn next_of_group(&mut self, lazy: &mut Lazy, group: ValueId, number: usize) -> Traced<Option<ValueId>> {
        let Lazy::Groups(groups) = lazy else { return Ok(None) };
        if groups.count != number || groups.current.is_none() && !self.step_groups(groups)? {
            return Ok(None);
        }
        let Some((key, item)) = groups.current else { return Ok(None) };
        if !self.is_same_or_equal(group, key)? {
            return Ok(None);
        }
        groups.current = None;
        Ok(Some(item))
    }

    /// Reads an item and asks for its key; false at the end.
    fn step_groups(&mut self, groups: &mut Groups) -> Traced<bool> {
        let Some(item) = self.next_item(groups.inner)? else { return Ok(false) };
        let key = match groups.key {
            Some(function) => self.call(function, vec![item], vec![])?,
            None => item,
        };
        groups.current = Some((key, item));
        Ok(true)
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
