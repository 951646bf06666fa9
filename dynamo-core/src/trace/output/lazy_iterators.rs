//! Making iterators of `itertools` anew, as far along as they were.

use super::{Opaque, Output};
use crate::{
    bytecode::Const,
    trace::{
        Traced,
        core::{
            lazy::{Groups, Lazy},
            state::{Iter, State},
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

impl Output<'_, '_> {
    pub(super) fn push_lazy(&mut self, lazy: &Lazy) -> Traced<()> {
        match lazy {
            Lazy::Count(next, step) => self.call_itertools("count", &[*next, *step], &[]),
            Lazy::Repeat(item) => self.call_itertools("repeat", &[*item], &[]),
            Lazy::Cycle(Some(inner), items, _) if items.is_empty() => self.call_itertools("cycle", &[*inner], &[]),
            Lazy::Cycle(Some(inner), items, _) => {
                let again = self.preceded(items.clone(), *inner);
                self.call_itertools("cycle", &[again], &[])?;
                self.skip_items(items.len());
                Ok(())
            }
            Lazy::Cycle(None, items, _) if items.is_empty() => self.call_itertools("chain", &[], &[]),
            Lazy::Cycle(None, items, at) => {
                let turned = [&items[*at..], &items[..*at]].concat();
                let turned = self.t.value(Value::Tuple(turned));
                self.call_itertools("cycle", &[turned], &[])
            }
            Lazy::Chain(current, rest) => {
                let all: Vec<ValueId> = current.iter().chain(rest.iter().rev()).copied().collect();
                self.call_itertools("chain", &all, &[])
            }
            Lazy::ChainOf(None, outer) => self.call_itertools("chain.from_iterable", &[*outer], &[]),
            Lazy::ChainOf(Some(current), outer) => {
                let all = self.preceded(vec![*current], *outer);
                self.call_itertools("chain.from_iterable", &[all], &[])
            }
            Lazy::Slice { inner, skip, stop, step } => {
                let start = stop.map_or(*skip, |stop| stop.min(*skip));
                let [start, step] = [start, *step].map(|number| self.t.constant(Constant::Int(number)));
                let stop = self.t.constant(stop.map_or(Constant::None, Constant::Int));
                self.call_itertools("islice", &[*inner, start, stop, step], &[])
            }
            Lazy::Pairs(inner, None) => self.call_itertools("pairwise", &[*inner], &[]),
            Lazy::Pairs(inner, Some(last)) => {
                let all = self.preceded(vec![*last], *inner);
                self.call_itertools("pairwise", &[all], &[])
            }
            Lazy::Accumulate { inner, function, total, given } => {
                let function = function.unwrap_or_else(|| self.t.none());
                let initial: Vec<(String, ValueId)> = total.iter().map(|&it| ("initial".to_owned(), it)).collect();
                self.call_itertools("accumulate", &[*inner, function], &initial)?;
                self.skip_items(usize::from(*given));
                Ok(())
            }
            Lazy::TakeWhile(function, inner) => self.call_itertools("takewhile", &[*function, *inner], &[]),
            Lazy::DropWhile(Some(function), inner) => self.call_itertools("dropwhile", &[*function, *inner], &[]),
            Lazy::DropWhile(None, inner) => self.push(*inner),
            Lazy::FilterFalse(function, inner) => self.call_itertools("filterfalse", &[*function, *inner], &[]),
            Lazy::StarMap(function, inner) => self.call_itertools("starmap", &[*function, *inner], &[]),
            Lazy::Longest(inners, fill) => {
                let ended = self.t.value(Value::Tuple(Vec::new()));
                let inners: Vec<ValueId> = inners.iter().map(|inner| inner.unwrap_or(ended)).collect();
                self.call_itertools("zip_longest", &inners, &[("fillvalue".to_owned(), *fill)])
            }
            Lazy::Compress(inner, kept) => self.call_itertools("compress", &[*inner, *kept], &[]),
            Lazy::Groups(groups) => self.push_groups(groups),
            Lazy::Group(groups, key, number) => match self.groups_of(*groups)? {
                Some(state) if state.count == *number && self.is_open(&state)? => {
                    self.call_itertools("_grouper", &[*groups, *key], &[])
                }
                _ => self.call_itertools("chain", &[], &[]),
            },
            Lazy::Shared(inner, items) => {
                let all = self.preceded(items.clone(), *inner);
                let one = self.t.constant(Constant::Int(1));
                self.call_itertools("tee", &[all, one], &[])?;
                self.builder.load_const(Const::Int(0));
                self.builder.subscript();
                Ok(())
            }
            Lazy::Tee(shared, at) => {
                self.push(*shared)?;
                self.builder.load_method("__copy__");
                self.builder.call(0);
                self.skip_items(*at);
                Ok(())
            }
        }
    }

    /// An iterator over items that were read already, and then over what is left.
    fn preceded(&mut self, items: Vec<ValueId>, rest: ValueId) -> ValueId {
        let items = self.t.value(Value::Tuple(items));
        self.t.state(State::Iter(Iter::Lazy(Box::new(Lazy::Chain(None, vec![rest, items])))))
    }

    /// The `groupby` that gives a group, if it has not ended.
    fn groups_of(&mut self, groups: ValueId) -> Traced<Option<Groups>> {
        let Value::State(state) = self.t.get(groups)? else { return Ok(None) };
        Ok(match self.t.heap.get(state) {
            State::Iter(Iter::Lazy(lazy)) => match &**lazy {
                Lazy::Groups(groups) => Some(groups.clone()),
                _ => None,
            },
            _ => None,
        })
    }

    /// True if the last group that was given may have more items.
    fn is_open(&mut self, groups: &Groups) -> Traced<bool> {
        match (groups.given, groups.current) {
            (Some(given), Some((key, _))) => self.t.is_same_or_equal(given, key),
            (given, _) => Ok(given.is_some()),
        }
    }

    /// Pushes a `groupby` that knows the key of the item that was read last: nobody is asked for it again.
    fn push_groups(&mut self, groups: &Groups) -> Traced<()> {
        let key = groups.key.unwrap_or_else(|| self.t.none());
        let is_open = self.is_open(groups)?;
        let Some((known, item)) = groups.current.or_else(|| Some((groups.given?, self.t.none()))) else {
            return self.call_itertools("groupby", &[groups.inner, key], &[]);
        };
        let flags = [is_open, groups.current.is_none()].map(|flag| self.t.constant(Constant::Bool(flag)));
        self.call_named("rust_inductor._iterators.regrouped", 6, |out| {
            out.push_all(&[groups.inner, key, known, item])?;
            out.push_all(&flags)
        })
    }

    fn call_itertools(&mut self, name: &str, args: &[ValueId], keywords: &[(String, ValueId)]) -> Traced<()> {
        let callee = self.constant(Opaque::Named(format!("itertools.{name}")));
        self.builder.callee(|builder| builder.load_const(callee));
        match args.split_first() {
            Some((&first, rest)) => self.call_with(first, rest, keywords),
            None => {
                self.builder.call(0);
                Ok(())
            }
        }
    }
}
