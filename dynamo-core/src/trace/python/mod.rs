//! Python's own functions, classes and methods: a row for each whose call is spelled out, with its signature.
//!
//! - `builtins`, `classes`, `attributes`: builtin functions and classes; `folding`: those that are called on constants;
//!   `formatting`: texts made of values;
//! - `containers`, `lists`, `dict_methods`, `set_methods`, `record`: methods of containers;
//! - `tables`, `deques`, `sets`: what `collections` adds, and the order of sets;
//! - `itertools`, `lazy`, `sums`, `sorting`, `heaps`, `reversed`: what goes over items;
//! - `functools`, `operator_getters`, `operators`, `managers`, `exit_stack`: functions of functions, operators by name,
//!   `contextlib`.

pub(in crate::trace) mod attributes;
pub(in crate::trace) mod builtins;
pub(in crate::trace) mod classes;
pub(in crate::trace) mod containers;
pub(in crate::trace) mod deques;
pub(in crate::trace) mod dict_methods;
pub(in crate::trace) mod exit_stack;
pub(in crate::trace) mod folding;
mod formatting;
mod functools;
pub(in crate::trace) mod generators;
mod heaps;
mod identities;
mod itertools;
pub(in crate::trace) mod lazy;
pub(in crate::trace) mod lists;
mod managers;
pub(in crate::trace) mod operator_getters;
pub(in crate::trace) mod operators;
mod record;
mod reversed;
mod set_methods;
pub(in crate::trace) mod sets;
mod sorting;
mod sums;
pub(in crate::trace) mod tables;

use crate::trace::signature::Row;

/// The rows of all modules.
pub(in crate::trace) const ROWS: &[&[Row]] = &[
    attributes::ROWS,
    builtins::ROWS,
    classes::ROWS,
    deques::ROWS,
    dict_methods::ROWS,
    exit_stack::ROWS,
    folding::ROWS,
    functools::ROWS,
    generators::ROWS,
    heaps::ROWS,
    identities::ROWS,
    operator_getters::ROWS,
    itertools::ROWS,
    lists::ROWS,
    managers::ROWS,
    record::ROWS,
    set_methods::ROWS,
    sorting::ROWS,
    tables::ROWS,
];
