//! Entries of functions that nobody can call any more, kept for those that are compiled in the same way again.
//!
//! A program may write `compile(f)(x)` in a loop, or decorate a function each time another one is called. Entries stand
//! by the code object, so that they fit the next function of that code, as with torch's Dynamo.
//!
//! Invariant: what is kept ends with the code object, or with the object that was compiled, since its address may be
//! another one's next.

use super::handler::Tracing;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyString, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many are kept of one code object.
const MOST_OF_OWNER: usize = 8;

struct Retired {
    /// The address of the code object, or of an object that is no function.
    owner: usize,
    /// A weak reference that takes this away together with the owner.
    _end: Py<PyAny>,
    epoch: u64,
    tracing: Arc<Tracing>,
}

static RETIRED: Mutex<Vec<Retired>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<Retired>> {
    RETIRED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what a function has been compiled to, if another one of the same code can use it.
pub(super) fn retire(tracing: &Arc<Tracing>, function: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(group) = tracing.group() else { return Ok(()) };
    let owner = owner(function)?;
    // A backend that is an object may lead to what it has compiled, which would never end then.
    let is_named = || group.bind(function.py()).get_item(0).is_ok_and(|backend| backend.is_instance_of::<PyString>());
    let is_function = !owner.is(function);
    if !tracing.has_entries() || !is_function && !is_named() {
        return Ok(());
    }
    let end = ends_with(&owner)?;
    let (owner, epoch) = (owner.as_ptr() as usize, frame_hook::epoch());
    let new = Retired { owner, _end: end, epoch, tracing: Arc::clone(tracing) };
    // Dropped outside of the lock: it holds Python objects.
    let gone = {
        let mut all = lock();
        all.push(new);
        let mut places = (0..all.len()).filter(|&at| all[at].owner == owner);
        let oldest = places.next().filter(|_| places.count() >= MOST_OF_OWNER);
        oldest.map(|at| all.remove(at))
    };
    drop(gone);
    Ok(())
}

/// The one that was kept of the function's code and was made in the same way, which is kept no longer.
pub(super) fn revive(tracing: &Tracing, function: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Tracing>>> {
    let Some(group) = tracing.group() else { return Ok(None) };
    let owner = owner(function)?;
    let address = owner.as_ptr() as usize;
    let fits = |known: &&Retired| known.owner == address && known.epoch == frame_hook::epoch();
    let known: Vec<Arc<Tracing>> = lock().iter().filter(fits).map(|known| Arc::clone(&known.tracing)).collect();
    for candidate in known {
        let same = candidate.group().is_some_and(|other| group.bind(function.py()).eq(other).unwrap_or(false));
        if same && candidate.has_room(&owner) {
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

/// The code object of a function; of anything else, that itself.
fn owner<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match function.cast_exact::<PyFunction>() {
        Ok(function) => function.getattr("__code__"),
        Err(_) => Ok(function.clone()),
    }
}

/// A weak reference that takes away what is kept of an owner when that ends.
fn ends_with(owner: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let (py, address) = (owner.py(), owner.as_ptr() as usize);
    let forget = move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        let gone: Vec<Retired> = lock().extract_if(.., |known| known.owner == address).collect();
        drop(gone);
    };
    let forget = PyCFunction::new_closure(py, None, None, forget)?;
    Ok(py.import("weakref")?.getattr("ref")?.call1((owner, forget))?.unbind())
}
