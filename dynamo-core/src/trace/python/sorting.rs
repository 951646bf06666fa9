//! `sorted` and `list.sort`: stable, by `<` of keys, as Python sorts; keys that a function compares
//! (`functools.cmp_to_key`); and the order of sequences.

use crate::{
    bytecode::{Comparison, Version},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
        signature::{Row, row},
    },
};
use guards::Constant;

/// The longest list that CPython sorts as one run, by insertion.
const LONGEST_RUN: usize = 63;

pub(in crate::trace) const ROWS: &[Row] = &[row("_functools.cmp_to_key functools.cmp_to_key(mycmp)", |t, b| {
    let compare = b.arg(0)?;
    Ok(t.value(Value::SortKey(compare, None)))
})];

impl Tracer<'_> {
    /// A call of the key that `functools.cmp_to_key` gives.
    pub(in crate::trace) fn wrap_for_sort(
        &mut self,
        compare: ValueId,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced {
        match (args, &keywords[..]) {
            (&[of], []) => Ok(self.value(Value::SortKey(compare, Some(of)))),
            (&[], [(name, of)]) if name == "obj" => Ok(self.value(Value::SortKey(compare, Some(*of)))),
            _ => Err(raised("TypeError: K() takes one argument")),
        }
    }

    /// The items in order, by a key if there is one, and from the greatest to the least if `reverse` says so.
    pub(in crate::trace) fn sorted(
        &mut self,
        items: Vec<ValueId>,
        key: Option<ValueId>,
        reverse: Option<ValueId>,
    ) -> Traced<Vec<ValueId>> {
        let reverse = match reverse {
            Some(reverse) if self.number(reverse)?.is_none() => return Err(raised("TypeError: reverse")),
            Some(reverse) => self.truth(reverse)?,
            None => false,
        };
        let mut keyed = Vec::with_capacity(items.len());
        for item in items {
            let by = match key {
                Some(function) => self.call(function, vec![item], vec![]).map_err(|reason| self.uncaught(reason))?,
                None => item,
            };
            keyed.push((by, item));
        }
        // A sort that fails leaves its list in an order of its own.
        self.sort_as_python(&mut keyed, reverse).map_err(|reason| self.uncaught(reason))?;
        Ok(keyed.into_iter().map(|(_, item)| item).collect())
    }

    /// `a < b` and its kind of two lists or two tuples: that of the first items that differ; `None` for other values.
    pub(in crate::trace) fn compare_sequences(
        &mut self,
        comparison: Comparison,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<ValueId>> {
        let (Some((kind, x)), Some((other, y))) = (self.sequence(a)?, self.sequence(b)?) else { return Ok(None) };
        if kind != other {
            return Ok(None);
        }
        for (&x, &y) in x.iter().zip(&y) {
            if !self.is_same_or_equal(x, y)? {
                return self.nested(|t| t.compare(comparison, x, y)).map(Some);
            }
        }
        let [x, y] = [x, y].map(|items| self.constant(Constant::Int(items.len() as i64)));
        self.compare(comparison, x, y).map(Some)
    }

    /// The items of a list or tuple, and which it is.
    fn sequence(&mut self, value: ValueId) -> Traced<Option<(bool, Vec<ValueId>)>> {
        Ok(match self.get(value)? {
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => Some((false, items)),
            Value::State(state) => match self.heap.get(state) {
                State::List(items) => Some((true, items.clone())),
                _ => None,
            },
            _ => None,
        })
    }

    /// Sorts items by their keys with the comparisons that CPython makes, in its order: the program sees those of its
    /// own methods, and the result depends on them where no order is total (`nan`). CPython merges longer lists.
    fn sort_as_python(&mut self, items: &mut [(ValueId, ValueId)], reverse: bool) -> Traced<()> {
        if items.len() > LONGEST_RUN && !self.are_in_total_order(items)? {
            return Err(Reason::new(Kind::Call, "A long list that is sorted by comparisons of the program's."));
        }
        if reverse {
            items.reverse();
        }
        for at in self.count_run(items)?..items.len() {
            let (mut low, mut high) = (0, at);
            while low < high {
                let middle = usize::midpoint(low, high);
                if self.is_less(items[at].0, items[middle].0)? {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            items[low..=at].rotate_right(1);
        }
        if reverse {
            items.reverse();
        }
        Ok(())
    }

    /// The length of the run that items begin with, which is ascending from now on.
    fn count_run(&mut self, items: &mut [(ValueId, ValueId)]) -> Traced<usize> {
        if items.len() < 2 {
            return Ok(items.len());
        }
        if self.host.version() < Version::V313 {
            let descends = self.is_less(items[1].0, items[0].0)?;
            let end = self.run_while(descends, items, 2)?;
            if descends {
                items[..end].reverse();
            }
            return Ok(end);
        }
        let end = self.run_while(false, items, 1)?;
        if end == items.len() {
            return Ok(end);
        }
        if end > 1 {
            if self.is_less(items[0].0, items[end - 1].0)? {
                return Ok(end);
            }
            items[..end].reverse();
        }
        let end = self.descending_run(items, end + 1)?;
        items[..end].reverse();
        self.run_while(false, items, end)
    }

    /// Goes on with a descending run of which so many items are known, and returns its length. Equal items in it are
    /// reversed, so that reversing the whole keeps their order.
    fn descending_run(&mut self, items: &mut [(ValueId, ValueId)], known: usize) -> Traced<usize> {
        let (mut end, mut first_equal) = (known, known - 1);
        while end < items.len() {
            if self.is_less(items[end].0, items[end - 1].0)? {
                items[first_equal..end].reverse();
                first_equal = end;
            } else if self.is_less(items[end - 1].0, items[end].0)? {
                break;
            }
            end += 1;
        }
        items[first_equal..end].reverse();
        Ok(end)
    }

    /// The first place from one on whose item is less than the one before, or is not.
    fn run_while(&mut self, descends: bool, items: &[(ValueId, ValueId)], from: usize) -> Traced<usize> {
        for at in from..items.len() {
            if self.is_less(items[at].0, items[at - 1].0)? != descends {
                return Ok(at);
            }
        }
        Ok(items.len())
    }

    /// Whether `a < b`.
    pub(in crate::trace) fn is_less(&mut self, a: ValueId, b: ValueId) -> Traced<bool> {
        let less = self.compare(Comparison::Lt, a, b)?;
        self.truth(less)
    }

    /// True if keys are compared without code of the program's, and the result does not depend on which are compared.
    fn are_in_total_order(&mut self, items: &[(ValueId, ValueId)]) -> Traced<bool> {
        for &(key, _) in items {
            let is_plain = match self.get(key)? {
                Value::SymInt { .. } => true,
                _ => self.as_constant(key)?.is_some_and(|constant| is_ordered(&constant)),
            };
            if !is_plain {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// True for constants whose comparison is a total order.
fn is_ordered(constant: &Constant) -> bool {
    match constant {
        Constant::Bool(_) | Constant::Int(_) | Constant::Str(_) => true,
        Constant::Float(bits) => !f64::from_bits(*bits).is_nan(),
        Constant::Tuple(items) => items.iter().all(is_ordered),
        _ => false,
    }
}
