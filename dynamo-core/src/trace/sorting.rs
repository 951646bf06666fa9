//! `sorted` and `list.sort`: stable, by `<` of keys, as Python sorts; and the order of sequences.

use super::{
    Traced, Tracer,
    call::Keywords,
    value::{State, Value, ValueId},
};
use crate::{
    bytecode::Comparison,
    reason::{Kind, Reason},
};
use guards::Constant;

impl Tracer<'_> {
    /// The items in order, by `key=` and `reverse=`.
    pub(super) fn sorted(&mut self, items: Vec<ValueId>, keywords: &Keywords) -> Traced<Vec<ValueId>> {
        let (mut key, mut reverse) = (None, false);
        for (name, value) in keywords {
            match (name.as_str(), self.get(*value)?) {
                ("key", Value::Const(Constant::None)) => {}
                ("key", _) => key = Some(*value),
                ("reverse", _) => reverse = self.truth(*value)?,
                _ => return Err(Reason::new(Kind::Call, format!("Sorting with `{name}=`."))),
            }
        }
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
    pub(super) fn compare_sequences(
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
            if self.force(x)? != self.force(y)? && !self.is_equal(x, y)? {
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
