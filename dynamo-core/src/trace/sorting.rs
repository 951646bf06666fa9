//! `sorted` and `list.sort`: stable, by `<` of keys, as Python sorts.

use super::{
    Traced, Tracer,
    call::Keywords,
    value::{Value, ValueId},
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
