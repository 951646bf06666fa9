//! Watchers of dicts (CPython 3.12 and later): the interpreter tells when a dict is about to change, or to go.
//!
//! A [`Watch`] is the flag of one snapshot over all the dicts that it relies on. The first change of any of them sets
//! it, and it says no more than "look again". CPython has eight slots for watchers and calls one for every change of a
//! dict that it watches; without a free slot, or without the global interpreter lock, there is no watch.
//!
//! Of an entry that changes, the value that it had is kept if it is a plain constant. A snapshot whose entries all have
//! those very values again is as good as before: so the flags `training` of a model go back and forth.
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

use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString, PyTuple, PyType};
use pyo3::{PyTypeInfo, ffi, intern, prelude::*};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The watches that are told of a dict's changes.
type Flags = SmallVec<[Arc<Told>; 1]>;

/// The values that entries had before their first change, by the addresses of dict and key. Key and value are of
/// classes of the interpreter's own: to drop them runs nothing.
type Before = FxHashMap<(usize, usize), (Py<PyAny>, Py<PyAny>)>;

/// Changed entries that are remembered, at most.
const MOST_ENTRIES: usize = 4096;

/// All dicts that are watched, by address.
static WATCHED: Mutex<Option<FxHashMap<usize, Flags>>> = Mutex::new(None);

/// The slot of our watcher; `None` without one.
static SLOT: OnceLock<Option<c_int>> = OnceLock::new();

/// Whether the dict of an instance tells of attributes that are set in the instance.
static SEES_INSTANCES: OnceLock<bool> = OnceLock::new();

/// `PyDict_EVENT_MODIFIED`
const MODIFIED: c_int = 1;

/// `PyDict_EVENT_DEALLOCATED`
const DEALLOCATED: c_int = 5;

/// The changes that one watch was told of.
#[derive(Debug, Default)]
struct Told {
    /// The address of the first dict that has changed; 0 for none.
    changed: AtomicUsize,
    /// Whether something has changed that is not among the entries.
    is_lost: AtomicBool,
    before: Mutex<Before>,
}

impl Told {
    /// Notes that a dict is about to change; `entry` has the key and the value that it had, if both are plain.
    fn tell(&self, dict: usize, entry: Option<&(Bound<'_, PyAny>, Bound<'_, PyAny>)>) {
        let _ = self.changed.compare_exchange(0, dict, Ordering::Relaxed, Ordering::Relaxed);
        if self.is_lost.load(Ordering::Relaxed) {
            return;
        }
        // Whoever holds the lock looks at the flag afterwards.
        match (entry, self.before.try_lock()) {
            (Some((key, value)), Ok(mut before)) if before.len() < MOST_ENTRIES => {
                let entry = || (key.clone().unbind(), value.clone().unbind());
                before.entry((dict, key.as_ptr() as usize)).or_insert_with(entry);
            }
            _ => self.is_lost.store(true, Ordering::Relaxed),
        }
    }

    /// True if all entries that have changed have the values again that they had; then nothing has changed.
    fn is_restored(&self) -> bool {
        if self.is_lost.load(Ordering::Relaxed) {
            return false;
        }
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let is_as_before = |&(dict, _): &(usize, usize), key: &Py<PyAny>, value: &Py<PyAny>| {
            // SAFETY: the caller holds the interpreter; the end of a dict would have been told, and nothing is lost.
            unsafe { value_of(dict as *mut ffi::PyObject, key.as_ptr()) == value.as_ptr() }
        };
        let are_as_before = before.iter().all(|(at, (key, value))| is_as_before(at, key, value));
        let is_restored = are_as_before && !self.is_lost.load(Ordering::Relaxed);
        if is_restored {
            before.clear();
            self.changed.store(0, Ordering::Relaxed);
        }
        is_restored
    }
}

/// The value that a dict has for a string, borrowed; null for none.
///
/// # Safety
/// Both are alive, and the interpreter is held.
unsafe fn value_of(dict: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    unsafe {
        let value = ffi::PyDict_GetItemWithError(dict, key);
        if value.is_null() && !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
        }
        value
    }
}

/// True for a constant that refers to nothing.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyString>()
}

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

/// Stand-ins for builds of CPython without watchers: no slot is free.
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
    Ok(*SEES_INSTANCES.get_or_init(|| watch.changed(py).is_some()))
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

/// Tells of a dict that is about to change. CPython calls it with the interpreter held.
unsafe extern "C" fn on_event(
    event: c_int,
    dict: *mut ffi::PyObject,
    key: *mut ffi::PyObject,
    _value: *mut ffi::PyObject,
) -> c_int {
    // SAFETY: as above.
    let py = unsafe { Python::assume_attached() };
    let entry = (event == MODIFIED).then(|| {
        // SAFETY: CPython lends both, and has just found the key in the dict.
        unsafe {
            let key =
                Bound::from_borrowed_ptr_or_opt(py, key).filter(PyAnyMethods::is_exact_instance_of::<PyString>)?;
            let value = Bound::from_borrowed_ptr_or_opt(py, value_of(dict, key.as_ptr())).filter(is_plain)?;
            Some((key, value))
        }
    });
    let address = dict as usize;
    let mut watched = watched();
    let Some(all) = watched.as_mut() else { return 0 };
    if let Some(flags) = all.get(&address) {
        flags.iter().for_each(|told| told.tell(address, entry.as_ref().and_then(Option::as_ref)));
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
    told: Arc<Told>,
    dicts: Mutex<Vec<usize>>,
}

impl Watch {
    /// True where dicts can be watched.
    pub(super) fn is_possible(py: Python<'_>) -> bool {
        slot(py).is_some()
    }

    /// A watch over no dict yet.
    pub(super) fn new(py: Python<'_>) -> Option<Watch> {
        Some(Watch { slot: slot(py)?, told: Arc::default(), dicts: Mutex::default() })
    }

    /// Watches a dict, from now on. Should it be impossible, the dict counts as changed.
    pub(super) fn add(&self, dict: &Bound<'_, PyDict>) {
        let is_watched = watched().as_ref().is_some_and(|all| all.contains_key(&(dict.as_ptr() as usize)));
        let is_told = || sees_instances(dict.py()).and_then(|sees| if sees { Ok(()) } else { detach(dict) });
        if !is_watched && is_told().is_err() {
            self.told.tell(dict.as_ptr() as usize, None);
        } else {
            self.watch(dict);
        }
    }

    fn watch(&self, dict: &Bound<'_, PyDict>) {
        let address = dict.as_ptr() as usize;
        let mut watched = watched();
        let flags = watched.get_or_insert_default().entry(address).or_default();
        if flags.iter().any(|flag| Arc::ptr_eq(flag, &self.told)) {
            return;
        }
        flags.push(Arc::clone(&self.told));
        self.dicts.lock().unwrap_or_else(PoisonError::into_inner).push(address);
        // SAFETY: the interpreter is held, the dict is alive, and the slot is our own.
        if unsafe { api::PyDict_Watch(self.slot, dict.as_ptr()) } < 0 {
            // SAFETY: as above.
            unsafe { ffi::PyErr_Clear() };
            self.told.tell(address, None);
        }
    }

    /// Ends the making of a snapshot. A change while it was made counts for good: the snapshot may have read the value
    /// before or after it.
    pub(super) fn seal(&self) {
        if self.told.changed.load(Ordering::Relaxed) != 0 {
            self.told.is_lost.store(true, Ordering::Relaxed);
        }
    }

    /// The address of the first dict that has changed, unless everything is as it was.
    #[inline]
    pub(super) fn changed(&self, _: Python<'_>) -> Option<usize> {
        match self.told.changed.load(Ordering::Relaxed) {
            0 => None,
            address => (!self.told.is_restored()).then_some(address),
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
            flags.retain(|flag| !Arc::ptr_eq(flag, &self.told));
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
