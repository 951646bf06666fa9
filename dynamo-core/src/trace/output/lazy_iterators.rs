//! Making iterators of `itertools` anew, as far along as they were.

use super::{Opaque, Output, construct};
use crate::trace::{
    Traced,
    lazy::Lazy,
    value::{Value, ValueId},
};
use guards::Constant;

impl Output<'_, '_> {
    pub(super) fn push_lazy(&mut self, lazy: &Lazy) -> Traced<()> {
        match lazy {
            Lazy::Count(next, step) => self.call_itertools("count", &[*next, *step], &[]),
            Lazy::Repeat(item) => self.call_itertools("repeat", &[*item], &[]),
            Lazy::Cycle(Some(inner), items, _) if items.is_empty() => self.call_itertools("cycle", &[*inner], &[]),
            Lazy::Cycle(Some(_), ..) => Err(construct("a `cycle` in its first turn")),
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
            Lazy::ChainOf(Some(_), _) => Err(construct("a `chain.from_iterable` that has begun")),
            Lazy::Slice { inner, skip, stop, step } => {
                let start = stop.map_or(*skip, |stop| stop.min(*skip));
                let [start, step] = [start, *step].map(|number| self.t.constant(Constant::Int(number)));
                let stop = self.t.constant(stop.map_or(Constant::None, Constant::Int));
                self.call_itertools("islice", &[*inner, start, stop, step], &[])
            }
            Lazy::Pairs(inner, None) => self.call_itertools("pairwise", &[*inner], &[]),
            Lazy::Pairs(_, Some(_)) => Err(construct("a `pairwise` that has begun")),
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
        }
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
