//! The state of a code object: kept in the code object itself, freed with it.
//!
//! The garbage collector does not look into code objects. So nothing is kept here that may lead back to a function of
//! the code: no closure, no global variables, no function made of a replacement.
//!
//! Invariants: an entry that a call is using outlives the call, whatever becomes of the list meanwhile; counts of
//! references change with the GIL held only, so that one thread's `Rc` may be dropped by another. Handlers are known
//! here weakly: one that nobody can enable any more ends, with all that it refers to, and what is known for it goes
//! when the next handler comes. Meanwhile no other handler has its address, as the weak reference keeps the allocation.

use crate::layout::Object;
use crate::{Guard, Handler};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// A replacement and when it may run.
pub(crate) struct Entry {
    pub(crate) guard: Rc<dyn Guard>,
    pub(crate) code: Py<PyAny>,
    /// Whether the code has a parameter for what the guard has prefetched.
    pub(crate) takes_prefetched: bool,
}

/// One handler's record of a code object.
struct Known {
    handler: Weak<dyn Handler>,
    state: State,
    /// Whether the handler knows that there are too many entries.
    told: bool,
}

impl Known {
    fn is_of(&self, handler: &Arc<dyn Handler>) -> bool {
        self.address() == address(handler)
    }

    fn address(&self) -> usize {
        self.handler.as_ptr().cast::<()>() as usize
    }
}

enum State {
    /// It runs as it is.
    Skip,
    /// It runs as it is, with all that it calls.
    SkipAll,
    /// The latest hit first.
    Entries(Vec<Rc<Entry>>),
}

/// The state of a code object. The GIL guards it: no borrow lasts while Python code may run.
pub(crate) struct CodeState {
    /// True for what never is ours: generators, coroutines, class bodies, replacements.
    pub(crate) never: bool,
    /// True for a resume function: its call is a tail call, which goes on in its caller's place.
    pub(crate) is_resume: Cell<bool>,
    /// The number of argument slots.
    pub(crate) slots: usize,
    /// The places of a frame's stack, counted from its first local variable; known of replacements.
    pub(crate) stack: Option<Range<usize>>,
    /// The code object with which a frame of this code is cleared.
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    ending: std::cell::OnceCell<Py<PyAny>>,
    epoch: Cell<u64>,
    /// A handler that is known to skip this code, by its address, and the epoch in which it is.
    skips: Cell<Option<(usize, u64)>>,
    known: RefCell<Vec<Known>>,
}

/// The outcomes of a lookup of a handler in the state of a code object.
pub(crate) enum Found {
    Skip,
    SkipAll,
    Entries(usize),
}

/// Grows by one with every [`reset`]; what is known from before does not count.
static EPOCH: AtomicU64 = AtomicU64::new(0);

/// The number of calls of [`reset`]: notes of a handler on code objects from before the last one do not count either.
pub fn epoch() -> u64 {
    EPOCH.load(Ordering::Relaxed)
}

/// Forgets every entry and every skip mark, of all code objects.
pub fn reset() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

impl CodeState {
    /// The state of code that is never ours.
    pub(crate) fn never() -> CodeState {
        CodeState {
            never: true,
            is_resume: Cell::new(false),
            slots: 0,
            stack: None,
            #[cfg(all(Py_3_12, not(Py_3_13)))]
            ending: std::cell::OnceCell::new(),
            epoch: Cell::new(0),
            skips: Cell::new(None),
            known: RefCell::default(),
        }
    }

    /// The state of a replacement.
    pub(crate) fn replacement(code: &Bound<'_, PyAny>) -> PyResult<CodeState> {
        let names = |of: &str| -> PyResult<Vec<String>> { code.getattr(of)?.extract() };
        let locals: HashSet<String> = names("co_varnames")?.into_iter().chain(names("co_cellvars")?).collect();
        let first = locals.len() + names("co_freevars")?.len();
        let height: usize = code.getattr("co_stacksize")?.extract()?;
        Ok(CodeState { stack: Some(first..first + height), ..CodeState::never() })
    }

    /// The state of code that nothing is known of yet.
    pub(crate) fn fresh(code: &Bound<'_, PyAny>) -> PyResult<CodeState> {
        let int = |name: &str| -> PyResult<i32> { code.getattr(name)?.extract() };
        let flags = int("co_flags")?;
        let suspends = ffi::CO_GENERATOR | ffi::CO_COROUTINE | ffi::CO_ASYNC_GENERATOR | ffi::CO_ITERABLE_COROUTINE;
        let function = ffi::CO_OPTIMIZED | ffi::CO_NEWLOCALS;
        if flags & suspends != 0 || flags & function != function {
            return Ok(CodeState::never());
        }
        let packed = [ffi::CO_VARARGS, ffi::CO_VARKEYWORDS].iter().filter(|&&flag| flags & flag != 0).count();
        let slots = (int("co_argcount")? + int("co_kwonlyargcount")?) as usize + packed;
        Ok(CodeState { never: false, slots, ..CodeState::never() })
    }

    /// The code object with which a frame of this code is cleared.
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    pub(crate) fn ending(&self, code: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if let Some(ending) = self.ending.get() {
            return Ok(ending.clone_ref(code.py()));
        }
        let made = returns_nothing(code)?;
        // Another call may have been faster; either will do.
        let _ = self.ending.set(made.clone_ref(code.py()));
        Ok(made)
    }

    /// True if the handler at this address is known to leave the code as it is; false if that is not known at once.
    ///
    /// `known` has a handler that skips the code for the length of the epoch: no other has its address.
    #[inline]
    pub(crate) fn is_skipped_by(&self, handler: usize) -> bool {
        self.skips.get() == Some((handler, EPOCH.load(Ordering::Relaxed)))
    }

    /// Looks a handler up.
    pub(crate) fn find(&self, handler: &Arc<dyn Handler>) -> Found {
        self.forget_stale();
        let known = self.known.borrow();
        match known.iter().find(|known| known.is_of(handler)) {
            None => Found::Entries(0),
            Some(Known { state: State::Skip, .. }) => {
                self.skips.set(Some((address(handler), self.epoch.get())));
                Found::Skip
            }
            Some(Known { state: State::SkipAll, .. }) => Found::SkipAll,
            Some(Known { state: State::Entries(entries), .. }) => Found::Entries(entries.len()),
        }
    }

    /// An entry, by its place; `None` if there is none any more.
    pub(crate) fn entry(&self, handler: &Arc<dyn Handler>, at: usize) -> Option<Rc<Entry>> {
        let known = self.known.borrow();
        match &known.iter().find(|known| known.is_of(handler))?.state {
            State::Entries(entries) => entries.get(at).cloned(),
            State::Skip | State::SkipAll => None,
        }
    }

    /// Every entry's guard, the latest hit's first.
    pub(crate) fn guards(&self, handler: &Arc<dyn Handler>) -> Vec<Rc<dyn Guard>> {
        let known = self.known.borrow();
        match known.iter().find(|known| known.is_of(handler)).map(|known| &known.state) {
            Some(State::Entries(entries)) => entries.iter().map(|entry| Rc::clone(&entry.guard)).collect(),
            Some(State::Skip | State::SkipAll) | None => Vec::new(),
        }
    }

    /// The entries of the handlers that share theirs.
    fn shared(&self, shares: impl Fn(&dyn Handler) -> bool) -> Vec<Rc<Entry>> {
        self.forget_stale();
        let of = |known: &Known| match &known.state {
            State::Entries(entries) => Some((known.handler.upgrade()?, entries.clone())),
            State::Skip | State::SkipAll => None,
        };
        // Neither `shares` nor the last reference to a handler may find the list borrowed: both run Python.
        let known: Vec<_> = self.known.borrow().iter().filter_map(of).collect();
        known.into_iter().filter(|(handler, _)| shares(&**handler)).flat_map(|(_, entries)| entries).collect()
    }

    /// Puts the entry that was hit in front.
    pub(crate) fn was_hit(&self, handler: &Arc<dyn Handler>, entry: &Rc<Entry>) {
        self.with_state(handler, |state| {
            if let State::Entries(entries) = state
                && let Some(at) = entries.iter().position(|e| Rc::ptr_eq(e, entry))
            {
                entries[..=at].rotate_right(1);
            }
        });
    }

    /// Adds an entry, in front.
    pub(crate) fn add(&self, handler: &Arc<dyn Handler>, entry: Rc<Entry>) {
        self.with_state(handler, |state| {
            if let State::Entries(entries) = state {
                entries.insert(0, entry);
            }
        });
    }

    /// True the first time that it is asked for a handler.
    pub(crate) fn tells(&self, handler: &Arc<dyn Handler>) -> bool {
        let mut known = self.known.borrow_mut();
        let known = known.iter_mut().find(|known| known.is_of(handler));
        known.is_none_or(|known| !std::mem::replace(&mut known.told, true))
    }

    /// From now on the code runs as it is. Entries are let go after the borrow ends: their last references run Python.
    pub(crate) fn skip(&self, handler: &Arc<dyn Handler>) {
        let before = self.with_state(handler, |state| std::mem::replace(state, State::Skip));
        drop(before);
    }

    /// From now on the code runs as it is, with all that it calls.
    pub(crate) fn skip_all(&self, handler: &Arc<dyn Handler>) {
        let before = self.with_state(handler, |state| std::mem::replace(state, State::SkipAll));
        drop(before);
    }

    fn with_state<T>(&self, handler: &Arc<dyn Handler>, f: impl FnOnce(&mut State) -> T) -> T {
        let ended = self.forget_ended(handler);
        let mut known = self.known.borrow_mut();
        let at = known.iter().position(|known| known.is_of(handler)).unwrap_or_else(|| {
            known.push(Known { handler: Arc::downgrade(handler), state: State::Entries(Vec::new()), told: false });
            known.len() - 1
        });
        let result = f(&mut known[at].state);
        drop(known);
        // The last references to entries run Python, which may look here.
        Python::attach(|_| drop(ended));
        result
    }

    /// Takes out what is known for handlers that have ended, if another handler is new.
    fn forget_ended(&self, handler: &Arc<dyn Handler>) -> Vec<Known> {
        let mut known = self.known.borrow_mut();
        if known.iter().any(|known| known.is_of(handler)) {
            return Vec::new();
        }
        let (alive, ended): (Vec<Known>, Vec<Known>) =
            known.drain(..).partition(|known| known.handler.strong_count() > 0);
        *known = alive;
        if self.skips.get().is_some_and(|(skips, _)| ended.iter().any(|known| known.address() == skips)) {
            self.skips.set(None);
        }
        ended
    }

    fn forget_stale(&self) {
        let now = epoch();
        if self.epoch.replace(now) != now {
            let stale = self.known.take();
            drop(stale);
        }
    }
}

/// The guards and replacements that other handlers have for a code object, of those handlers that share theirs.
pub fn shared(code: &Bound<'_, PyAny>, shares: impl Fn(&dyn Handler) -> bool) -> Vec<(Rc<dyn Guard>, Py<PyAny>)> {
    // SAFETY: it is a live object, and a state is found in code objects only, as the check says.
    let state = unsafe { (ffi::PyCode_Check(code.as_ptr()) != 0).then(|| state(code.as_ptr())).flatten() };
    let entries = state.map(|state| state.shared(shares)).unwrap_or_default();
    entries.iter().map(|entry| (Rc::clone(&entry.guard), entry.code.clone_ref(code.py()))).collect()
}

/// Forgets what is known of a code object: entries of two that lead to each other keep both alive.
pub fn forget(code: &Bound<'_, PyAny>) {
    // SAFETY: it is a live object, and a state is found in code objects only, as the check says.
    let state = unsafe { (ffi::PyCode_Check(code.as_ptr()) != 0).then(|| state(code.as_ptr())).flatten() };
    let known = state.map(|state| state.known.take());
    drop(known);
}

/// Marks a code object as that of a resume function, whose call is a tail call: it goes on in its caller's place and
/// does not count towards the limit of recursion.
///
/// # Errors
/// A `TypeError` for an object that is no code object; CPython's error where it has no room for extra data of ours.
pub fn mark_resume(code: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: it is a live object.
    if unsafe { ffi::PyCode_Check(code.as_ptr()) } == 0 {
        return Err(PyTypeError::new_err("a resume function's code is no code object"));
    }
    let fresh = CodeState::fresh(code)?;
    // SAFETY: it is a live code object, as was checked.
    unsafe { attach(code.py(), code.as_ptr(), fresh)? }.is_resume.set(true);
    Ok(())
}

/// True for code that stands in the place of other code: functions' code that is never ours.
pub fn is_replacement(code: &Bound<'_, PyAny>) -> bool {
    // SAFETY: it is a live object, and a state is found in code objects only, as the check says.
    let state = unsafe { (ffi::PyCode_Check(code.as_ptr()) != 0).then(|| state(code.as_ptr())).flatten() };
    state.is_some_and(|state| state.never) && CodeState::fresh(code).is_ok_and(|fresh| !fresh.never)
}

/// The address of a handler, which tells handlers apart.
pub(crate) fn address(handler: &Arc<dyn Handler>) -> usize {
    Arc::as_ptr(handler).cast::<()>() as usize
}

/// The slot for extra data that CPython keeps for us in code objects; negative if it has none left.
fn index() -> ffi::Py_ssize_t {
    static INDEX: OnceLock<ffi::Py_ssize_t> = OnceLock::new();
    // SAFETY: only called with the interpreter attached; `free` frees what `attach` puts there.
    *INDEX.get_or_init(|| unsafe { ffi::PyUnstable_Eval_RequestCodeExtraIndex(free) })
}

unsafe extern "C" fn free(state: *mut c_void) {
    if !state.is_null() {
        // SAFETY: `attach` made it of a box, and the code object that held it is being freed.
        let state = unsafe { Box::from_raw(state.cast::<CodeState>()) };
        // PyO3 gives references back at once only where it knows that it is attached, which it cannot be in an
        // interpreter that is going away: what is left then goes with the process.
        // SAFETY: may be called at any time.
        if unsafe { ffi::Py_IsInitialized() } == 0 {
            std::mem::forget(state);
        } else {
            Python::attach(|_| drop(state));
        }
    }
}

/// The state of a code object, if it has one. It lives as long as the code object does.
///
/// # Safety
/// `code` is a live code object, and the interpreter is attached.
pub(crate) unsafe fn state<'a>(code: Object) -> Option<&'a CodeState> {
    let mut state: *mut c_void = ptr::null_mut();
    // SAFETY: the caller promises a code object.
    unsafe {
        ffi::PyUnstable_Code_GetExtra(code, index(), &raw mut state);
        state.cast::<CodeState>().as_ref()
    }
}

/// Gives a code object a state, unless it has one; the state that it has then.
///
/// # Errors
/// CPython has no room for extra data of ours.
///
/// # Safety
/// As for [`state`].
pub(crate) unsafe fn attach<'a>(py: Python<'_>, code: Object, fresh: CodeState) -> PyResult<&'a CodeState> {
    // SAFETY: the caller promises a code object; what is attached is freed by `free` alone.
    unsafe {
        if let Some(state) = state(code) {
            return Ok(state);
        }
        let state = Box::into_raw(Box::new(fresh));
        if ffi::PyUnstable_Code_SetExtra(code, index(), state.cast()) < 0 {
            drop(Box::from_raw(state));
            return Err(PyErr::fetch(py));
        }
        Ok(&*state)
    }
}

/// A code object with the local variables of another that does nothing and returns `None`; no event is traced in it.
#[cfg(all(Py_3_12, not(Py_3_13)))]
pub(crate) fn returns_nothing(code: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::PyResult<pyo3::Py<pyo3::PyAny>> {
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict};

    /// `RETURN_CONST 0`
    const RETURN: [u8; 2] = [121, 0];
    let py = code.py();
    let fields = PyDict::new(py);
    fields.set_item("co_code", PyBytes::new(py, &RETURN))?;
    fields.set_item("co_consts", (py.None(),))?;
    fields.set_item("co_exceptiontable", PyBytes::new(py, b""))?;
    fields.set_item("co_linetable", PyBytes::new(py, b""))?;
    Ok(code.call_method("replace", (), Some(&fields))?.unbind())
}
