//! `sorted` and `list.sort`: stable, by `<` of keys, as Python sorts; and the order of sequences.

use crate::{
    bytecode::Comparison,
    reason::raised,
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Value, ValueId},
        },
    },
};
use guards::Constant;

impl Tracer<'_> {
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
        self.merge_sort(&mut keyed, reverse).map_err(|reason| self.uncaught(reason))?;
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
            Value::Tuple(items) | Value::Size(items) => Some((false, items)),
            Value::State(state) => match self.heap.get(state) {
                State::List(items) => Some((true, items.clone())),
                _ => None,
            },
            _ => None,
        })
    }

    fn merge_sort(&mut self, items: &mut Vec<(ValueId, ValueId)>, reverse: bool) -> Traced<()> {
        if items.len() < 2 {
            return Ok(());
        }
        let mut right = items.split_off(items.len() / 2);
        self.merge_sort(items, reverse)?;
        self.merge_sort(&mut right, reverse)?;
        let (mut left, mut right) = (std::mem::take(items).into_iter().peekable(), right.into_iter().peekable());
        while let (Some(&(a, _)), Some(&(b, _))) = (left.peek(), right.peek()) {
            // The right one comes first only if it has to, so that equal ones keep their order.
            let (less, more) = if reverse { (a, b) } else { (b, a) };
            let swapped = self.compare(Comparison::Lt, less, more)?;
            let next = if self.truth(swapped)? { right.next() } else { left.next() };
            items.extend(next);
        }
        items.extend(left.chain(right));
        Ok(())
    }
}
