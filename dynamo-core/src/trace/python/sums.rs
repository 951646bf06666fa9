//! Sums, products and reductions: items of an iterator are combined one after the other.
//!
//! Invariant: numbers are added as Python adds them, and rounded as it rounds them.

use crate::{
    bytecode::Version,
    reason::raised,
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};
use guards::Constant;

/// Goes through the items one by one, as torch's own Python does it, whose variables give the nodes their names.
pub(in crate::trace) fn accumulate(
    t: &mut Tracer<'_>,
    items: ValueId,
    first: Option<ValueId>,
    mut step: impl FnMut(&mut Tracer<'_>, ValueId, ValueId) -> Traced,
) -> Traced {
    let iterator = t.iterate(items)?;
    // What was used of it before something fails is gone.
    let next = |t: &mut Tracer<'_>| t.next_item(iterator).map_err(|reason| t.uncaught(reason));
    let mut total = match first {
        Some(first) => first,
        None => next(t)?.ok_or_else(|| raised("TypeError: reduce() of empty iterable"))?,
    };
    while let Some(item) = next(t)? {
        t.name_after(item, "element");
        total = step(t, total, item).map_err(|reason| t.uncaught(reason))?;
        t.name_after(total, "value");
    }
    Ok(total)
}

/// `sum(items, start)`
pub(in crate::trace) fn sum(t: &mut Tracer<'_>, items: ValueId, start: Option<ValueId>) -> Traced {
    let start = start.unwrap_or_else(|| t.constant(Constant::Int(0)));
    if let Value::Const(Constant::Str(_) | Constant::Bytes(_)) = t.get(start)? {
        return Err(raised("TypeError: sum() can't sum strings"));
    }
    // From 3.12 on, Python adds floats with less rounding than one by one: what begins with numbers, it sums itself.
    let mut numbers = NumbersOfSum::default();
    let one_by_one = t.host.version() < Version::V312 || !numbers.take_in(t, start)?;
    let total = accumulate(t, items, Some(start), |t, total, item| {
        if !one_by_one && numbers.take_in(t, item)? {
            if numbers.has_float {
                return Ok(total);
            }
        } else if let Some(known) = numbers.end(t)? {
            return t.call_builtin("operator.add", &[known, item], vec![]);
        }
        t.call_builtin("operator.add", &[total, item], vec![])
    })?;
    Ok(numbers.end(t)?.unwrap_or(total))
}

/// The numbers with which a sum begins.
#[derive(Default)]
struct NumbersOfSum {
    items: Vec<ValueId>,
    has_float: bool,
    ended: bool,
}

impl NumbersOfSum {
    /// Takes in the next item, if it is a number like all before it.
    fn take_in(&mut self, t: &mut Tracer<'_>, item: ValueId) -> Traced<bool> {
        let value = t.get(item)?;
        if self.ended || !(value.is_number() || matches!(value, Value::Const(Constant::Bool(_) | Constant::BigInt(_))))
        {
            return Ok(false);
        }
        self.has_float |= matches!(value, Value::SymFloat { .. } | Value::Const(Constant::Float(_)));
        self.items.push(item);
        Ok(true)
    }

    /// Ends the numbers that a sum begins with: gives their sum, to which the rest is added, if there is a float among
    /// them.
    fn end(&mut self, t: &mut Tracer<'_>) -> Traced<Option<ValueId>> {
        if std::mem::replace(&mut self.ended, true) || !self.has_float {
            return Ok(None);
        }
        let mut constants = Vec::new();
        for &item in &self.items {
            let item = t.specialised(item)?;
            constants.extend(t.as_constant(item)?);
        }
        let start = constants.remove(0);
        t.fold("builtins.sum", &[Constant::Tuple(constants), start]).map(Some)
    }
}

/// The product of the items, and of what it starts with.
pub(in crate::trace) fn product(t: &mut Tracer<'_>, items: ValueId, start: Option<ValueId>) -> Traced {
    let mut items = t.all_items(items)?;
    items.splice(0..0, start);
    let one = t.constant(Constant::Int(1));
    // What is an integer already need not be multiplied by one.
    let (first, rest) = match items.split_first() {
        Some((&first, rest)) if t.are_integers(&[first])? => (first, rest),
        _ => (one, &items[..]),
    };
    rest.iter().try_fold(first, |total, &item| t.call_builtin("operator.mul", &[total, item], vec![]))
}
