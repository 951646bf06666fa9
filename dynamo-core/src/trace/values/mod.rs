//! Operations on tracked values, by the kind of value.
//!
//! - `attr`: attributes; `items`: containers and iterators; `ops`: operators and comparisons; `key_views`: operators on
//!   the keys of dicts;
//! - `numbers`, `number_guards`: arithmetic on symbolic integers, floats and bools.

pub(in crate::trace) mod attr;
pub(in crate::trace) mod items;
pub(in crate::trace) mod key_views;
pub(in crate::trace) mod number_guards;
pub(in crate::trace) mod numbers;
pub(in crate::trace) mod ops;
