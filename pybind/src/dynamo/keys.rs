//! The keys of dicts that guards look at, compared without reading them where they were seen before.
//!
//! A program mostly brings the same dict again, or one with the same strings as keys. So the keys of the first dict
//! that passed are kept, and a key that is one of them, by its address, needs no comparison of texts.
//!
//! Invariants: a key that is kept equals the guarded one at its place. Only exact strings are kept: they never change,
//! and refer to nothing, so that no object lives longer for them.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::OnceLock;

/// The keys of the first dict that passed a guard, in order; none if the guard asks for other keys than strings.
#[derive(Default)]
pub(super) struct SeenKeys(OnceLock<Box<[Py<PyString>]>>);

impl SeenKeys {
    /// The keys, if they are known.
    #[inline]
    pub(super) fn get(&self) -> &[Py<PyString>] {
        self.0.get().map_or(&[], |keys| keys)
    }

    /// Keeps the keys of a dict that has just passed, if it is the first, and if only strings have passed: then nothing
    /// has run that could have changed the dict.
    #[inline]
    pub(super) fn learn(&self, dict: &Bound<'_, PyDict>, are_strings: impl FnOnce() -> bool) {
        if self.0.get().is_none() {
            let keys = if are_strings() { strings(dict) } else { None };
            // Another thread may have been faster: its keys are as good.
            self.0.set(keys.unwrap_or_default()).ok();
        }
    }
}

#[cold]
fn strings(dict: &Bound<'_, PyDict>) -> Option<Box<[Py<PyString>]>> {
    dict.keys().iter().map(|key| key.cast_into_exact::<PyString>().ok().map(Bound::unbind)).collect()
}
