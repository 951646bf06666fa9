//! Ranges of known bounds: start, stop, step.

use crate::{
    reason::raised,
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId, range_len},
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// A number of a range, or the range that a slice picks.
    pub(in crate::trace) fn range_item(&mut self, bounds: [i64; 3], key: ValueId) -> Traced {
        let (len, [start, _, step]) = (range_len(bounds), bounds);
        if matches!(self.get(key)?, Value::Slice(_)) {
            let [from, to, by] = self.slice_of(len, key)?;
            return Ok(self.value(Value::Range([start + from * step, start + to * step, step * by])));
        }
        let at = self.concrete(key)?;
        let at = if at < 0 { at + len } else { at };
        if (0..len).contains(&at) {
            Ok(self.constant(Constant::Int(start + at * step)))
        } else {
            Err(raised("IndexError: range object index out of range").verbatim())
        }
    }
}
