//! Operators on the keys of dicts, which count as sets; what they give are sets.
//!
//! Invariant: a set that is given is made as CPython makes it, since its order depends on that.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{Made, State},
            value::{Value, ValueId},
        },
        python::sets::{self, Items},
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// The dict whose keys a value is.
    fn dict_of_keys(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        Ok(match self.get(value)? {
            Value::DictView(dict, "keys") => Some(dict),
            _ => None,
        })
    }

    /// The items of a set, a frozen set or the keys of a dict; `None` for any other value.
    pub(in crate::trace) fn set_or_keys(&mut self, value: ValueId) -> Traced<Option<Items>> {
        if self.dict_of_keys(value)?.is_none() {
            return sets::of_set(self, value);
        }
        let keys = self.all_items(value)?;
        sets::keyed(self, keys).map(Some)
    }

    /// An operator of which an operand is the keys of a dict, by its name in `operator`; `None` if neither is.
    pub(in crate::trace) fn binary_keys(&mut self, name: &str, a: ValueId, b: ValueId) -> Traced<Option<ValueId>> {
        let (left, right) = (self.dict_of_keys(a)?, self.dict_of_keys(b)?);
        if left.is_none() && right.is_none() {
            return Ok(None);
        }
        for value in [a, b] {
            if !self.is_plain_iterable(value)? {
                return Ok(None);
            }
        }
        let (items, made) = match name {
            "and_" if left.is_some() => self.common(a, b)?,
            "and_" => self.common(b, a)?,
            _ => {
                let (x, given) = sets::operand(self, left.unwrap_or(a))?;
                let (y, other) = sets::operand(self, b)?;
                let method = match name {
                    "or_" => "update",
                    "sub" => "difference_update",
                    _ => "symmetric_difference_update",
                };
                let combined = sets::combine(name, &x, &y);
                let combined = combined.ok_or_else(|| raised("TypeError: unsupported operand"))?;
                let made = Made::EMPTY.then("update", given.map(|given| vec![given]));
                (combined, made.then(method, other.map(|other| vec![other])))
            }
        };
        Ok(Some(self.state(State::Set(items, made))))
    }

    /// True for containers whose items are there.
    fn is_plain_iterable(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::DictView(_, "keys") | Value::Tuple(_) | Value::Range(_) => true,
            Value::Const(constant) => matches!(constant, Constant::Str(_) | Constant::FrozenSet(_)),
            Value::State(state) => matches!(self.heap.get(state), State::List(_) | State::Set(..) | State::Dict(_)),
            _ => false,
        })
    }

    /// The items that keys and another operand have in common, in the order in which they are found.
    fn common(&mut self, keys: ValueId, other: ValueId) -> Traced<(Items, Made)> {
        let of_keys = self.all_items(keys)?;
        let is_set = matches!(self.get(other)?, Value::State(state) if matches!(self.heap.get(state), State::Set(..)));
        let of_set = sets::of_set(self, other)?;
        if let Some(items) = &of_set
            && is_set
            && of_keys.len() <= items.len()
        {
            return self.those_within(of_keys, items);
        }
        let Some(order) = self.ordered(other)? else {
            // The set's order is not known, and so is that of what is taken from it.
            let keys = sets::keyed(self, of_keys)?;
            let common = of_set.and_then(|items| sets::combine("and_", &items, &keys));
            let unknown = || Reason::new(Kind::Iteration, "A set, whose order is not known.");
            return Ok((common.ok_or_else(unknown)?, Made::Otherwise));
        };
        // Of two dicts the keys of the smaller one are looked up.
        let (asked, known) = match self.dict_of_keys(other)? {
            Some(_) if order.len() > of_keys.len() => (of_keys, order),
            _ => (order, of_keys),
        };
        let known = sets::keyed(self, known)?;
        self.those_within(asked, &known)
    }

    /// All items of an operand in their order; `None` for a set of which it is not known.
    fn ordered(&mut self, value: ValueId) -> Traced<Option<Vec<ValueId>>> {
        if sets::of_set(self, value)?.is_none() {
            return self.all_items(value).map(Some);
        }
        match self.items_in_order(value) {
            Err(reason) if reason.kind == Kind::Iteration => Ok(None),
            order => order,
        }
    }

    fn those_within(&mut self, asked: Vec<ValueId>, items: &Items) -> Traced<(Items, Made)> {
        let mut found = Vec::new();
        for item in asked {
            let item = self.force(item)?;
            if items.contains_key(&self.key(item)?) {
                found.push(item);
            }
        }
        sets::of_items(self, found)
    }

    /// `keys.isdisjoint(other)`
    pub(in crate::trace) fn are_disjoint(&mut self, keys: ValueId, other: ValueId) -> Traced {
        let Some(keys) = self.set_or_keys(keys)? else { return Err(raised("TypeError: isdisjoint")) };
        let shared = match sets::of_set(self, other)? {
            Some(others) => keys.keys().any(|key| others.contains_key(key)),
            None => self.any_item(other, |t, item| {
                let item = t.force(item)?;
                Ok(keys.contains_key(&t.key(item)?))
            })?,
        };
        Ok(self.constant(Constant::Bool(!shared)))
    }
}
