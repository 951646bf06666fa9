//! Lists: their items, and what operators make of them.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{State, StateId},
            value::{Value, ValueId},
        },
        python::lists,
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// `items[key]`
    pub(in crate::trace) fn list_item(&mut self, items: &[ValueId], key: ValueId) -> Traced {
        if matches!(self.get(key)?, Value::Slice(_)) {
            let picked = self.slice(items, key)?;
            return Ok(self.state(State::List(picked)));
        }
        let at = self.index(items.len(), key, "list index")?;
        Ok(items[at])
    }

    /// `list[key] = value`
    pub(in crate::trace) fn set_list_item(
        &mut self,
        state: StateId,
        mut items: Vec<ValueId>,
        key: ValueId,
        value: ValueId,
    ) -> Traced<()> {
        let Value::Slice([_, _, step]) = self.get(key)? else {
            let at = self.index(items.len(), key, "list assignment index")?;
            if let State::List(items) = self.heap.change(state) {
                items[at] = value;
            }
            return Ok(());
        };
        let more = self.all_items(value)?;
        let places = self.places(items.len(), key)?;
        if matches!(self.get(step)?, Value::Const(Constant::None | Constant::Int(1))) {
            let start = self.slice_start(items.len(), key)?;
            items.splice(start..start + places.len(), more);
        } else if places.len() == more.len() {
            places.into_iter().zip(more).for_each(|(place, item)| items[place] = item);
        } else {
            return Err(raised("ValueError: attempt to assign sequence to extended slice"));
        }
        *self.heap.change(state) = State::List(items);
        Ok(())
    }

    /// `del items[key]`
    pub(in crate::trace) fn delete_list_item(&mut self, state: StateId, items: &[ValueId], key: ValueId) -> Traced<()> {
        let at = if let Value::Slice(_) = self.get(key)? {
            self.places(items.len(), key)?
        } else {
            vec![self.index(items.len(), key, "list assignment index")?]
        };
        if let State::List(items) = self.heap.change(state) {
            let mut place = 0..;
            items.retain(|_| !place.next().is_some_and(|place| at.contains(&place)));
        }
        Ok(())
    }

    /// `list + other`, `list * times`, by the name in `operator`; in place where `changes` says so.
    pub(in crate::trace) fn binary_list(
        &mut self,
        name: &str,
        changes: bool,
        a: ValueId,
        state: StateId,
        b: ValueId,
    ) -> Traced {
        let State::List(items) = self.heap.get(state).clone() else { return Err(self.no_operator(name, a, b)) };
        let right = self.get(b)?;
        match (name, &right) {
            ("add", _) if changes => {
                let more = lists::extension(self, state, b)?;
                if let State::List(items) = self.heap.change(state) {
                    items.extend(more);
                }
                self.force(a)
            }
            ("add", Value::State(other)) => {
                let State::List(more) = self.heap.get(*other) else { return Err(self.no_operator(name, a, b)) };
                let joined = [&items[..], &more[..]].concat();
                Ok(self.state(State::List(joined)))
            }
            ("mul", Value::Const(Constant::Int(n))) if !changes => {
                let repeated = repeat(&items, *n)?;
                Ok(self.state(State::List(repeated)))
            }
            _ => Err(self.no_operator(name, a, b)),
        }
    }
}

/// The items so many times over.
pub(in crate::trace) fn repeat(items: &[ValueId], times: i64) -> Traced<Vec<ValueId>> {
    let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
    match items.len().checked_mul(times) {
        Some(len) if len <= 1 << 16 => Ok(items.repeat(times)),
        _ => Err(Reason::new(Kind::TooLong, "A sequence is repeated too often.")),
    }
}
