//! Operations on tracked values, by the kind of value.
//!
//! - `attr`, `items`, `ops`, `comparisons`: attributes, items, operators, which each dispatch on the kind of value;
//! - `constants`: what a value is known to be, as a constant, a truth, a number, a text;
//! - `tensors`, `lists`, `dicts`, `ranges`, `slices`, `iterators`: what those do to one kind of value; `key_views`:
//!   operators on the keys of dicts;
//! - `numbers`, `number_guards`: arithmetic on symbolic integers, floats and bools;
//! - `written`: attributes and global variables that the program writes; `function_attrs`, `partials`: attributes of
//!   functions and of `functools.partial`;
//! - `identity_keys`, `tensor_keys`: keys that are equal to themselves only; `gradients`: `Tensor.grad`;
//! - `singletons`: layouts and memory formats; `type_exprs`: types that are made of types.

pub(in crate::trace) mod attr;
pub(in crate::trace) mod comparisons;
pub(in crate::trace) mod constants;
pub(in crate::trace) mod dicts;
pub(in crate::trace) mod function_attrs;
mod gradients;
mod identity_keys;
pub(in crate::trace) mod items;
pub(in crate::trace) mod iterators;
pub(in crate::trace) mod key_views;
pub(in crate::trace) mod lists;
pub(in crate::trace) mod number_guards;
pub(in crate::trace) mod numbers;
pub(in crate::trace) mod ops;
mod partials;
pub(in crate::trace) mod ranges;
pub(in crate::trace) mod singletons;
pub(in crate::trace) mod slices;
mod tensor_keys;
pub(in crate::trace) mod tensors;
mod type_exprs;
pub(in crate::trace) mod written;
