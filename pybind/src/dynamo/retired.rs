//! Entries of functions that nobody can call any more, kept for those that are compiled in the same way again.
//!
//! A program may write `compile(f)(x)` in a loop, or decorate a function each time another one is called. Entries stand
//! by the code object, so that they fit the next function of that code, as with torch's Dynamo.
//!
//! Invariant: what is kept ends with the code object, or with the object that was compiled, since its address may be
//! another one's next. What the garbage collector takes apart is not kept: it clears the backend, and all that the
//! backend refers to, whether or not somebody has come to refer to it again.

use super::handler::Tracing;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyString, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Retired functions that are kept of one key, at most.
const MOST_OF_KEY: usize = 8;

/// Addresses: of a function's code object; of a method's object and code; of any other object.
type Key = (usize, usize);

struct Retired {
    key: Key,
    /// A weak reference that takes this away together with the owner.
    _end: Py<PyAny>,
    epoch: u64,
    tracing: Arc<Tracing>,
}

/// Tells how a compiled function ends: by its last reference, or by the garbage collector, which calls the finalizers
/// of all that it has found before it clears any of it.
pub(super) struct End(Py<PyAny>);

impl End {
    /// One for a new compiled function.
    pub(super) fn new(py: Python<'_>) -> PyResult<End> {
        let module = py.import(intern!(py, "rust_inductor._unreachable"))?;
        Ok(End(module.call_method0(intern!(py, "Sentinel"))?.unbind()))
    }

    /// True unless the garbage collector has found the function unreachable.
    pub(super) fn is_whole(&self, py: Python<'_>) -> bool {
        let found = self.0.bind(py).getattr(intern!(py, "found")).and_then(|found| found.is_truthy());
        found.is_ok_and(|found| !found)
    }

    /// Visits the objects that it refers to, for the garbage collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

static RETIRED: Mutex<Vec<Retired>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<Retired>> {
    RETIRED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what a function has been compiled to, if another one of the same code can use it.
pub(super) fn retire(tracing: &Arc<Tracing>, function: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(group) = tracing.group() else { return Ok(()) };
    if !tracing.has_entries() {
        return Ok(());
    }
    let (owner, code) = owner(function)?;
    // A backend that is an object may lead to what it has compiled, which would never end then.
    let is_named = || group.bind(function.py()).get_item(0).is_ok_and(|backend| backend.is_instance_of::<PyString>());
    if !function.is_exact_instance_of::<PyFunction>() && !is_named() {
        return Ok(());
    }
    let (key, epoch) = (key(&owner, code.as_ref()), frame_hook::epoch());
    let new = Retired { key, _end: ends_with(&owner)?, epoch, tracing: Arc::clone(tracing) };
    // Dropped outside of the lock: it holds Python objects.
    let gone = {
        let mut all = lock();
        all.push(new);
        let mut places = (0..all.len()).filter(|&at| all[at].key == key);
        let oldest = places.next().filter(|_| places.count() >= MOST_OF_KEY);
        oldest.map(|at| all.remove(at))
    };
    drop(gone);
    Ok(())
}

/// The one that was kept of the function's code and was made in the same way, which is kept no longer.
pub(super) fn revive(tracing: &Tracing, function: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Tracing>>> {
    let Some(group) = tracing.group() else { return Ok(None) };
    let (owner, code) = owner(function)?;
    let key = key(&owner, code.as_ref());
    let fits = |known: &&Retired| known.key == key && known.epoch == frame_hook::epoch();
    let known: Vec<Arc<Tracing>> = lock().iter().filter(fits).map(|known| Arc::clone(&known.tracing)).collect();
    for candidate in known {
        let same = candidate.group().is_some_and(|other| group.bind(function.py()).eq(other).unwrap_or(false));
        if same && candidate.has_room(code.as_ref().unwrap_or(&owner)) {
            let mut all = lock();
            let at = all.iter().position(|known| Arc::ptr_eq(&known.tracing, &candidate));
            let gone = at.map(|at| all.remove(at));
            drop(all);
            // Another thread may have it by now.
            if gone.is_some() {
                return Ok(Some(candidate));
            }
        }
    }
    Ok(None)
}

/// Forgets all that is kept.
pub(super) fn forget() {
    let gone = std::mem::take(&mut *lock());
    drop(gone);
}

/// The object with which a function's kept entries end: the code object of a function, the object of a method, or the
/// callable itself if it is neither. And the code object where that is another one.
fn owner<'py>(function: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)> {
    let py = function.py();
    if let Ok(function) = function.cast_exact::<PyFunction>() {
        return Ok((function.getattr(intern!(py, "__code__"))?, None));
    }
    if function.is_instance(&py.import(intern!(py, "types"))?.getattr(intern!(py, "MethodType"))?)? {
        let code = function.getattr(intern!(py, "__func__"))?.getattr(intern!(py, "__code__"))?;
        return Ok((function.getattr(intern!(py, "__self__"))?, Some(code)));
    }
    Ok((function.clone(), None))
}

fn key(owner: &Bound<'_, PyAny>, code: Option<&Bound<'_, PyAny>>) -> Key {
    (owner.as_ptr() as usize, code.map_or(0, |code| code.as_ptr() as usize))
}

/// A weak reference that drops an owner's kept entries when the owner ends.
fn ends_with(owner: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let (py, address) = (owner.py(), owner.as_ptr() as usize);
    let forget = move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        let gone: Vec<Retired> = lock().extract_if(.., |known| known.key.0 == address).collect();
        drop(gone);
    };
    let forget = PyCFunction::new_closure(py, None, None, forget)?;
    Ok(py.import("weakref")?.getattr("ref")?.call1((owner, forget))?.unbind())
}
