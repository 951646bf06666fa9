//! Changes of torch's classes of tensors by the program: methods that it has replaced, added or taken away.
//!
//! A trace takes methods and operators of tensors for torch's own, wherever they are found to be. So guards count the
//! changes, and a call looks at one number while there are none: the version tag of the class of parameters, which
//! CPython replaces when that class or one of its bases changes.
//!
//! Invariant: what torch itself adds to its classes, as its modules are imported, is no change.

use super::{members, policies};
use crate::torch::Torch;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The version tag for which [`CHANGES`] is known; zero for none.
static TAG: AtomicU32 = AtomicU32::new(0);

/// The number of changes.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// The classes as they were seen. The lock is held for no longer than it takes to read or to write this: whoever runs
/// Python may wait for other threads.
static SEEN: Mutex<Option<Arc<Seen>>> = Mutex::new(None);

/// The entry of a class: the place of the class among those looked at, and a name.
type Entry = (usize, String);

struct Seen {
    /// The entries when the classes were first looked at.
    first: Arc<FxHashMap<Entry, Py<PyAny>>>,
    /// The entries that are others now, or gone.
    differences: FxHashMap<Entry, Option<Py<PyAny>>>,
}

/// The number of changes so far.
pub(super) fn changes(py: Python<'_>, torch: &Torch) -> PyResult<u64> {
    let parameter = torch.parameter.bind(py);
    let tag = members::version_tag(parameter);
    if tag == 0 || tag != TAG.load(Ordering::Relaxed) {
        look(parameter)?;
        TAG.store(tag, Ordering::Relaxed);
    }
    Ok(CHANGES.load(Ordering::Relaxed))
}

#[cold]
fn look(parameter: &Bound<'_, PyType>) -> PyResult<()> {
    let py = parameter.py();
    let now = entries(parameter)?;
    let lock = || SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = lock().clone();
    let next = match &seen {
        None => Some(Seen { first: Arc::new(now), differences: FxHashMap::default() }),
        Some(seen) => {
            let differences = differences(py, &seen.first, &now);
            let is_new = !are_same(&differences, &seen.differences);
            is_new.then(|| Seen { first: Arc::clone(&seen.first), differences })
        }
    };
    if let Some(next) = next {
        // What is dropped may run the program's code.
        let before = lock().replace(Arc::new(next));
        CHANGES.fetch_add(u64::from(before.is_some()), Ordering::Relaxed);
    }
    Ok(())
}

fn are_same(a: &FxHashMap<Entry, Option<Py<PyAny>>>, b: &FxHashMap<Entry, Option<Py<PyAny>>>) -> bool {
    let place = |found: &Option<Py<PyAny>>| found.as_ref().map(Py::as_ptr);
    a.len() == b.len() && a.iter().all(|(entry, found)| b.get(entry).map(place) == Some(place(found)))
}

/// The entries of a class and of its bases that may change.
fn entries(class: &Bound<'_, PyType>) -> PyResult<FxHashMap<Entry, Py<PyAny>>> {
    let mut entries = FxHashMap::default();
    for (place, base) in class.mro().iter().enumerate() {
        if members::flags(base.cast::<PyType>()?) & pyo3::ffi::Py_TPFLAGS_IMMUTABLETYPE != 0 {
            continue;
        }
        let dict = base.getattr("__dict__")?.call_method0("copy")?.cast_into::<PyDict>()?;
        for (name, value) in dict {
            entries.insert((place, name.extract()?), value.unbind());
        }
    }
    Ok(entries)
}

/// The entries that are not what they were at first, but for new ones of torch's.
fn differences(
    py: Python<'_>,
    first: &FxHashMap<Entry, Py<PyAny>>,
    now: &FxHashMap<Entry, Py<PyAny>>,
) -> FxHashMap<Entry, Option<Py<PyAny>>> {
    let changed = first.iter().filter(|(entry, was)| now.get(entry).is_none_or(|is| !is.is(*was)));
    let changed = changed.map(|(entry, _)| (entry.clone(), now.get(entry).map(|is| is.clone_ref(py))));
    let added = now.iter().filter(|(entry, is)| !first.contains_key(entry) && !policies::is_of_torch(is.bind(py)));
    changed.chain(added.map(|(entry, is)| (entry.clone(), Some(is.clone_ref(py))))).collect()
}
