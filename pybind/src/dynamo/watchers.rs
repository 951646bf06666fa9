//! Watchers of dicts (CPython 3.12 and later): the interpreter tells when a dict is about to change, or to go.
//!
//! A [`Watch`] is the flag of one snapshot over all the dicts that it relies on. The first change of any of them sets
//! it, and it says no more than "look again". CPython has eight slots for watchers and calls one for every change of a
//! dict that it watches; without a free slot, or without the global interpreter lock, there is no watch.
//!
//! Only dicts are watched. They are what a model is made of, by the hundreds; classes, functions and the fields of
//! objects are few, and comparing one word of each costs less than it would cost every program to be called for each
//! function that it makes.
//!
//! CPython 3.13.0 tells nothing where an attribute is set in an instance that has its values in itself, though its dict
//! exists. Whether that is so is tried once; then such a dict is made to hold its own values before it is watched,
//! which programs cannot tell.
//!
//! Invariants:
//! - A dict is in the registry exactly while it is alive and somebody watches it: its end is an event.
//! - The registry is never locked while any code of Python's may run, nor is a lock of the interpreter awaited then.

use pyo3::types::{PyDict, PyTuple, PyType};
use pyo3::{PyTypeInfo, ffi, intern, prelude::*};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Who is told of a dict's changes.
type Flags = SmallVec<[Arc<AtomicUsize>; 1]>;

/// All dicts that are watched, by address.
static WATCHED: Mutex<Option<FxHashMap<usize, Flags>>> = Mutex::new(None);

/// The slot of our watcher; `None` without one.
static SLOT: OnceLock<Option<c_int>> = OnceLock::new();

/// Whether the dict of an instance tells of attributes that are set in the instance.
static SEES_INSTANCES: OnceLock<bool> = OnceLock::new();

/// `PyDict_EVENT_DEALLOCATED`
const DEALLOCATED: c_int = 5;

#[cfg(all(Py_3_12, not(Py_GIL_DISABLED)))]
mod api {
    use pyo3::ffi;
    use std::ffi::c_int;

    type Callback = unsafe extern "C" fn(c_int, *mut ffi::PyObject, *mut ffi::PyObject, *mut ffi::PyObject) -> c_int;

    unsafe extern "C" {
        pub(super) fn PyDict_AddWatcher(callback: Callback) -> c_int;
        pub(super) fn PyDict_Watch(watcher: c_int, dict: *mut ffi::PyObject) -> c_int;
        pub(super) fn PyDict_Unwatch(watcher: c_int, dict: *mut ffi::PyObject) -> c_int;
    }
}

/// Where there are no watchers, no slot is free.
#[cfg(not(all(Py_3_12, not(Py_GIL_DISABLED))))]
mod api {
    #![expect(non_snake_case, reason = "the names of CPython's own functions")]

    use pyo3::ffi;
    use std::ffi::c_int;

    type Callback = unsafe extern "C" fn(c_int, *mut ffi::PyObject, *mut ffi::PyObject, *mut ffi::PyObject) -> c_int;

    pub(super) unsafe fn PyDict_AddWatcher(_: Callback) -> c_int {
        -1
    }

    pub(super) unsafe fn PyDict_Watch(_: c_int, _: *mut ffi::PyObject) -> c_int {
        -1
    }

    pub(super) unsafe fn PyDict_Unwatch(_: c_int, _: *mut ffi::PyObject) -> c_int {
        -1
    }
}

fn watched() -> MutexGuard<'static, Option<FxHashMap<usize, Flags>>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The slot of our watcher, which is asked for once.
fn slot(_: Python<'_>) -> Option<c_int> {
    *SLOT.get_or_init(|| {
        // SAFETY: the interpreter is held; the callback is a function of the program's own, which stays.
        let slot = unsafe { api::PyDict_AddWatcher(on_event) };
        if slot < 0 {
            // SAFETY: as above; that no slot is free is an exception, which nobody is to see.
            unsafe { ffi::PyErr_Clear() };
        }
        (slot >= 0).then_some(slot)
    })
}

/// Tries whether the dict of an instance tells of attributes that are set in the instance.
fn sees_instances(py: Python<'_>) -> PyResult<bool> {
    if let Some(known) = SEES_INSTANCES.get() {
        return Ok(*known);
    }
    let name = intern!(py, "attribute");
    let instance = PyType::type_object(py).call1(("Probe", PyTuple::empty(py), PyDict::new(py)))?.call0()?;
    instance.setattr(name, 0)?;
    let dict = instance.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
    let Some(watch) = Watch::new(py) else { return Ok(false) };
    watch.watch(&dict);
    instance.setattr(name, 1)?;
    Ok(*SEES_INSTANCES.get_or_init(|| watch.changed().is_some()))
}

/// Makes a dict hold its own values, if it is that of an instance which has them: so does the removal of the last item,
/// which is put back at its place.
fn detach(dict: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = dict.py();
    if dict.is_empty() || !dict.is_exact_instance_of::<PyDict>() {
        return Ok(());
    }
    let last = py.get_type::<PyDict>().call_method1(intern!(py, "popitem"), (dict,))?;
    let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = last.extract()?;
    dict.set_item(key, value)
}

/// Sets the flags of a dict that is about to change. CPython calls it with the interpreter held.
unsafe extern "C" fn on_event(
    event: c_int,
    dict: *mut ffi::PyObject,
    _key: *mut ffi::PyObject,
    _value: *mut ffi::PyObject,
) -> c_int {
    let address = dict as usize;
    let mut watched = watched();
    let Some(all) = watched.as_mut() else { return 0 };
    if let Some(flags) = all.get(&address) {
        for flag in flags {
            // The first change is the one that is remembered.
            let _ = flag.compare_exchange(0, address, Ordering::Relaxed, Ordering::Relaxed);
        }
        if event == DEALLOCATED {
            all.remove(&address);
        }
    }
    0
}

/// Watches the dicts of one snapshot.
#[derive(Debug)]
pub(super) struct Watch {
    slot: c_int,
    /// The address of the first dict that has changed; 0 for none.
    changed: Arc<AtomicUsize>,
    dicts: Mutex<Vec<usize>>,
}

impl Watch {
    /// True where dicts can be watched.
    pub(super) fn is_possible(py: Python<'_>) -> bool {
        slot(py).is_some()
    }

    /// A watch over no dict yet.
    pub(super) fn new(py: Python<'_>) -> Option<Watch> {
        Some(Watch { slot: slot(py)?, changed: Arc::default(), dicts: Mutex::default() })
    }

    /// Watches a dict, from now on. Should it be impossible, the dict counts as changed.
    pub(super) fn add(&self, dict: &Bound<'_, PyDict>) {
        let is_watched = watched().as_ref().is_some_and(|all| all.contains_key(&(dict.as_ptr() as usize)));
        let is_told = || sees_instances(dict.py()).and_then(|sees| if sees { Ok(()) } else { detach(dict) });
        if !is_watched && is_told().is_err() {
            self.changed.store(dict.as_ptr() as usize, Ordering::Relaxed);
        } else {
            self.watch(dict);
        }
    }

    fn watch(&self, dict: &Bound<'_, PyDict>) {
        let address = dict.as_ptr() as usize;
        let mut watched = watched();
        let flags = watched.get_or_insert_default().entry(address).or_default();
        if flags.iter().any(|flag| Arc::ptr_eq(flag, &self.changed)) {
            return;
        }
        flags.push(Arc::clone(&self.changed));
        self.dicts.lock().unwrap_or_else(PoisonError::into_inner).push(address);
        // SAFETY: the interpreter is held, the dict is alive, and the slot is our own.
        if unsafe { api::PyDict_Watch(self.slot, dict.as_ptr()) } < 0 {
            // SAFETY: as above.
            unsafe { ffi::PyErr_Clear() };
            self.changed.store(address, Ordering::Relaxed);
        }
    }

    /// The address of the first dict that has changed.
    #[inline]
    pub(super) fn changed(&self) -> Option<usize> {
        match self.changed.load(Ordering::Relaxed) {
            0 => None,
            address => Some(address),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: it may be asked at any time. Without the interpreter held, as when it ends, dicts stay watched, and
        // their events find nothing.
        let is_held = unsafe { ffi::Py_IsInitialized() != 0 && ffi::PyGILState_Check() != 0 };
        let mut watched = watched();
        let Some(all) = watched.as_mut() else { return };
        for &address in self.dicts.get_mut().unwrap_or_else(PoisonError::into_inner).iter() {
            let Some(flags) = all.get_mut(&address) else { continue };
            let before = flags.len();
            flags.retain(|flag| !Arc::ptr_eq(flag, &self.changed));
            if flags.is_empty() && before > 0 {
                all.remove(&address);
                if is_held {
                    // SAFETY: the interpreter is held; that the dict was in the registry means that it is alive.
                    unsafe { api::PyDict_Unwatch(self.slot, address as *mut ffi::PyObject) };
                }
            }
        }
    }
}
