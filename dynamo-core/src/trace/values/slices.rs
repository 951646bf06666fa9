//! Indices and slices of sequences.

use crate::{
    reason::raised,
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// A place among so many items; `what` is CPython's word for it.
    pub(in crate::trace) fn index(&mut self, len: usize, key: ValueId, what: &str) -> Traced<usize> {
        let at = self.concrete(key)?;
        let place = if at < 0 { at + len as i64 } else { at };
        let place = usize::try_from(place).ok().filter(|&place| place < len);
        place.ok_or_else(|| raised(&format!("IndexError: {what} out of range")).verbatim())
    }

    /// The places that a slice picks of so many items.
    pub(in crate::trace) fn places(&mut self, len: usize, slice: ValueId) -> Traced<Vec<usize>> {
        let [mut at, stop, step] = self.slice_of(len as i64, slice)?;
        let mut places = Vec::new();
        while if step > 0 { at < stop } else { at > stop } {
            places.push(usize::try_from(at).unwrap_or(0));
            at += step;
        }
        Ok(places)
    }

    /// Start, stop and step of a slice of so many items.
    pub(in crate::trace) fn slice_of(&mut self, len: i64, slice: ValueId) -> Traced<[i64; 3]> {
        let Value::Slice(parts) = self.get(slice)? else { return Err(raised("TypeError: no slice")) };
        let mut bounds = Vec::new();
        for part in parts {
            let absent = matches!(self.get(part)?, Value::Const(Constant::None));
            bounds.push(if absent { None } else { Some(self.concrete(part)?) });
        }
        let step = bounds[2].unwrap_or(1);
        if step == 0 {
            return Err(raised("ValueError: slice step cannot be zero"));
        }
        let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
        let clamp = |bound: Option<i64>, absent: i64| match bound {
            None => absent,
            Some(at) => (if at < 0 { at + len } else { at }).clamp(low, high),
        };
        let (first, last) = if step > 0 { (low, high) } else { (high, low) };
        Ok([clamp(bounds[0], first), clamp(bounds[1], last), step])
    }

    /// The index at which a slice of step 1 begins, also if the slice is empty.
    pub(in crate::trace) fn slice_start(&mut self, len: usize, slice: ValueId) -> Traced<usize> {
        let Value::Slice([start, ..]) = self.get(slice)? else { return Err(raised("TypeError: no slice")) };
        if matches!(self.get(start)?, Value::Const(Constant::None)) {
            return Ok(0);
        }
        let start = self.concrete(start)?;
        let len = len as i64;
        Ok(usize::try_from((if start < 0 { start + len } else { start }).clamp(0, len)).unwrap_or(0))
    }

    /// The items that a slice picks.
    pub(in crate::trace) fn slice(&mut self, items: &[ValueId], slice: ValueId) -> Traced<Vec<ValueId>> {
        Ok(self.places(items.len(), slice)?.into_iter().map(|place| items[place]).collect())
    }
}
