//! The evaluator that CPython calls for each frame, and the threads for which it does anything.
//!
//! Invariants: the hook is installed exactly while some thread is enabled; a thread is off while its handler or a guard
//! runs; what stood there before us is called for all that is not ours, and put back when we leave.
//!
//! Another evaluator, such as torch's, may come and go in between, and need not leave in the order in which it came: it
//! may stand on top of ours and, from an earlier time, beneath it too. So a frame that comes back to us from whom we
//! have given it to goes to CPython's own evaluator: handed on again, it would go round for ever, on no stack at all,
//! as evaluators call each other last.

use crate::clear::clear;
use crate::code_state::{self, CodeState, Entry, Found, address};
use crate::layout::{
    _PyEval_EvalFrameDefault, _PyInterpreterState_GetEvalFrameFunc, _PyInterpreterState_SetEvalFrameFunc, EvalFrame,
    InterpreterFrame, Object, Thread,
};
#[cfg(Py_3_12)]
use crate::monitoring::is_monitored;
use crate::{Call, Fit, Handler, Verdict, chain, chain::Link, handover, replace, stack};
use pyo3::exceptions::{PyRecursionError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

thread_local! {
    /// The handler that is shown this thread's calls.
    static HANDLER: RefCell<Option<Arc<dyn Handler>>> = const { RefCell::new(None) };
}

/// Threads that are enabled, each as often as it is.
static ENABLED: AtomicUsize = AtomicUsize::new(0);

/// The evaluator that stood there before us, if it is not CPython's own.
static BEFORE: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// The innermost live frame that was given to the evaluator that stood there before us.
    static GIVEN: Cell<*const InterpreterFrame> = const { Cell::new(ptr::null()) };
}

/// While this lives, its handler is shown this thread's calls: or, if it has none, nobody is.
pub struct Enabled {
    before: Option<Arc<dyn Handler>>,
    /// It belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl Enabled {
    /// From now on, in this thread.
    pub fn new(_py: Python<'_>, handler: Option<Arc<dyn Handler>>) -> Enabled {
        ENABLED.fetch_add(1, Ordering::Relaxed);
        // Even if we are enabled already: another evaluator that left may have taken us along.
        install();
        Enabled { before: HANDLER.replace(handler), _thread: PhantomData }
    }
}

impl Drop for Enabled {
    fn drop(&mut self) {
        let ours = HANDLER.replace(self.before.take());
        if ENABLED.fetch_sub(1, Ordering::Relaxed) == 1 {
            uninstall();
        }
        drop(ours);
    }
}

fn install() {
    let current = current();
    if is_ours(current) {
        return;
    }
    BEFORE.store(if is_default(current) { ptr::null_mut() } else { current }, Ordering::Relaxed);
    // SAFETY: the interpreter is attached; the evaluator that we put there is a valid one for as long as the process
    // lives.
    unsafe { _PyInterpreterState_SetEvalFrameFunc(ffi::PyInterpreterState_Get(), hook) }
}

/// Leaves, unless somebody has put an evaluator on top of ours: then ours stays and does nothing.
fn uninstall() {
    if !is_ours(current()) {
        return;
    }
    let before = BEFORE.load(Ordering::Relaxed);
    // SAFETY: the interpreter is attached; only `install` stores there, and it stores evaluators.
    unsafe {
        let before = match before.is_null() {
            true => _PyEval_EvalFrameDefault,
            false => mem::transmute::<*mut (), EvalFrame>(before),
        };
        _PyInterpreterState_SetEvalFrameFunc(ffi::PyInterpreterState_Get(), before);
    }
}

/// The evaluator that CPython calls.
fn current() -> *mut () {
    // SAFETY: the interpreter is attached.
    unsafe { _PyInterpreterState_GetEvalFrameFunc(ffi::PyInterpreterState_Get()) as *mut () }
}

fn is_ours(evaluator: *mut ()) -> bool {
    ptr::eq(evaluator, hook as *const ())
}

fn is_default(evaluator: *mut ()) -> bool {
    ptr::eq(evaluator, _PyEval_EvalFrameDefault as *const ())
}

/// True if CPython calls our evaluator.
#[cfg(feature = "python-module")]
pub(crate) fn is_installed() -> bool {
    is_ours(current())
}

/// True if frames are seen by somebody else's evaluator, before ours or after it.
pub fn has_company(_py: Python<'_>) -> bool {
    let current = current();
    !is_default(current) && (!is_ours(current) || !BEFORE.load(Ordering::Relaxed).is_null())
}

/// True for a frame that we have seen already, and given to the evaluator that stood there before us.
fn comes_back(frame: *const InterpreterFrame) -> bool {
    GIVEN.get() == frame
}

/// Runs a frame as if we were not there.
unsafe fn as_it_is(thread: *mut ffi::PyThreadState, frame: *mut InterpreterFrame, throw: c_int) -> Object {
    // SAFETY: CPython hands over its live thread state.
    let _uncounted = unsafe { Uncounted::evaluator(thread) };
    let before = BEFORE.load(Ordering::Relaxed);
    // SAFETY: the arguments are those that CPython gave us; only `install` stores there, and it stores evaluators.
    unsafe {
        if before.is_null() || before == current() || comes_back(frame) {
            return evaluate(_PyEval_EvalFrameDefault, thread, frame, throw);
        }
        let outer = GIVEN.replace(frame);
        let result = evaluate(mem::transmute::<*mut (), EvalFrame>(before), thread, frame, throw);
        GIVEN.set(outer);
        result
    }
}

/// Has another evaluator run a frame.
///
/// Before 3.14, a thread that waits for the interpreter while the process ends is ended where it stands, which would
/// unwind the stack through our frames and those of whoever called us, and abort the process. It sleeps for good
/// instead, as threads do from 3.14 on.
#[inline]
unsafe fn evaluate(
    by: EvalFrame,
    thread: *mut ffi::PyThreadState,
    frame: *mut InterpreterFrame,
    throw: c_int,
) -> Object {
    struct Asleep;
    impl Drop for Asleep {
        fn drop(&mut self) {
            loop {
                std::thread::park();
            }
        }
    }
    let unwound = Asleep;
    // SAFETY: the caller hands on what CPython gave it.
    let result = unsafe { by(thread, frame, throw) };
    mem::forget(unwound);
    result
}

/// A loan of calls that a thread may nest, for as long as it lives: those that the program has not made do not count
/// towards the limits of recursion.
pub struct Uncounted(Option<(*mut c_int, c_int)>);

impl Uncounted {
    /// The call of a native object that stands in for a Python function: CPython 3.11 counts both.
    pub fn stand_in(_py: Python<'_>) -> Uncounted {
        #[cfg(not(Py_3_12))]
        // SAFETY: this thread is attached, and stays so while a value that belongs to it lives.
        return unsafe { Uncounted::tail_call(ffi::PyThreadState_Get()) };
        #[cfg(Py_3_12)]
        Uncounted(None)
    }

    /// The call of a resume function, which goes on in its caller's place.
    ///
    /// # Safety
    /// The thread state is this thread's, and live for as long as the loan.
    unsafe fn tail_call(thread: *mut ffi::PyThreadState) -> Uncounted {
        // SAFETY: the caller promises a live thread state.
        unsafe { Uncounted::lend(&raw mut *(*thread.cast::<Thread>()).calls_left(), 1) }
    }

    /// The evaluator's call of a frame, which counts as one from C: without the hook there would be none, and the stack
    /// has been looked at.
    ///
    /// # Safety
    /// As for [`Uncounted::tail_call`].
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    unsafe fn evaluator(thread: *mut ffi::PyThreadState) -> Uncounted {
        /// `PY_EVAL_C_STACK_UNITS` of `Python/ceval.c`: the number of calls as which the evaluator counts.
        const UNITS: c_int = 2;
        if stack::fits() != Some(true) {
            return Uncounted(None);
        }
        // SAFETY: the caller promises a live thread state.
        unsafe { Uncounted::lend(&raw mut *(*thread.cast::<Thread>()).calls_from_c_left(), UNITS) }
    }

    /// # Safety
    /// None: other versions have room for such calls, or do not count them apart.
    #[cfg(not(all(Py_3_12, not(Py_3_13))))]
    unsafe fn evaluator(_thread: *mut ffi::PyThreadState) -> Uncounted {
        Uncounted(None)
    }

    /// # Safety
    /// The counter is a member of this thread's state, which is live for as long as the loan.
    unsafe fn lend(counter: *mut c_int, calls: c_int) -> Uncounted {
        // SAFETY: the caller promises a live counter, which this thread alone uses.
        unsafe { *counter += calls };
        Uncounted(Some((counter, calls)))
    }
}

impl Drop for Uncounted {
    fn drop(&mut self) {
        if let Some((counter, calls)) = self.0 {
            // SAFETY: `lend` was promised a counter that is live still.
            unsafe { *counter -= calls };
        }
    }
}

/// There is no `sys.monitoring` yet.
#[cfg(not(Py_3_12))]
fn is_monitored(_: &Thread) -> bool {
    false
}

/// The actions to take on a frame.
enum Action<'py> {
    AsItIs,
    /// As it is, while this thread is off.
    Unseen,
    /// The replacement, with what its guard has prefetched.
    Run(Rc<Entry>, Option<Bound<'py, PyAny>>),
    Raise(PyErr),
}

/// The evaluator.
unsafe extern "C-unwind" fn hook(
    thread: *mut ffi::PyThreadState,
    frame: *mut InterpreterFrame,
    throw: c_int,
) -> Object {
    // SAFETY: CPython hands over a frame that is ready to run, with the interpreter attached; each way below either
    // runs it or clears it, once.
    unsafe {
        if throw == 0 && stack::fits() == Some(false) && (*frame).is_new() {
            PyRecursionError::new_err("maximum recursion depth exceeded").restore(Python::assume_attached());
            clear(thread, frame);
            return ptr::null_mut();
        }
        if throw == 0 {
            handover::take_over(frame);
        }
        let Some(handler) = HANDLER.with_borrow(|handler| handler.as_ref().map(address)) else {
            return as_it_is(thread, frame, throw);
        };
        let known = code_state::state((*frame).code());
        let resumed = known.filter(|state| state.is_resume.get() && !comes_back(frame));
        let (mut link, mut _uncounted) = (None, None);
        if let Some(state) = resumed {
            // One that was postponed is called in the place where the chain began.
            link = match chain::take_over(frame) {
                true => Link::next(),
                false => {
                    let caller = handover::tail_call(&*thread.cast::<Thread>(), frame, state.slots);
                    if caller.is_some_and(|caller| chain::postpone(frame, state, caller)) {
                        clear(thread, frame);
                        return ffi::Py_NewRef(ffi::Py_None());
                    }
                    _uncounted = Some(Uncounted::tail_call(thread));
                    caller.and_then(|_| Link::next())
                }
            };
        }
        if throw != 0 || known.is_some_and(|state| state.never || state.is_skipped_by(handler)) || comes_back(frame) {
            return as_it_is(thread, frame, throw);
        }
        if (*thread.cast::<Thread>()).is_traced() || is_monitored(&*thread.cast::<Thread>()) {
            return as_it_is(thread, frame, throw);
        }
        let action = catch_unwind(AssertUnwindSafe(|| decide(frame, known)));
        let action =
            action.unwrap_or_else(|_| Action::Raise(PyRuntimeError::new_err("internal error of the frame hook")));
        let result = match action {
            Action::AsItIs => return as_it_is(thread, frame, throw),
            Action::Unseen => {
                let _off = Off::new();
                return as_it_is(thread, frame, throw);
            }
            Action::Run(entry, prefetched) => {
                link.get_or_insert_with(Link::first).runs(entry.code.as_ptr());
                replace::run(frame, &entry, prefetched.as_ref())
            }
            Action::Raise(error) => Err(error),
        };
        let result = match result {
            Ok(value) => value,
            Err(error) => {
                error.restore(Python::assume_attached());
                ptr::null_mut()
            }
        };
        clear(thread, frame);
        match link {
            Some(link) => link.finish(result),
            None => result,
        }
    }
}

/// Looks for an entry, or asks for one.
unsafe fn decide<'py>(frame: *const InterpreterFrame, known: Option<&CodeState>) -> Action<'py> {
    // SAFETY: `hook` is called with the interpreter attached, and hands on a live frame.
    let (py, code) = unsafe { (Python::assume_attached(), (*frame).code()) };
    let Some(handler) = HANDLER.with_borrow(Option::clone) else { return Action::AsItIs };
    let state = match known {
        Some(state) => state,
        // SAFETY: as above.
        None => match unsafe { introduce(py, code) } {
            Ok(state) => state,
            Err(error) => return Action::Raise(error),
        },
    };
    if state.never {
        return Action::AsItIs;
    }
    let call = Call { py, frame, slots: state.slots };
    // Nothing that a guard or the handler calls is shown.
    let _off = Off::new();
    choose(state, &handler, &call).unwrap_or_else(Action::Raise)
}

unsafe fn introduce<'a>(py: Python<'_>, code: Object) -> PyResult<&'a CodeState> {
    // SAFETY: the caller promises a live code object.
    unsafe {
        let fresh = CodeState::fresh(&Bound::from_borrowed_ptr(py, code))?;
        code_state::attach(py, code, fresh)
    }
}

fn choose<'py>(state: &CodeState, handler: &Arc<dyn Handler>, call: &Call<'py>) -> PyResult<Action<'py>> {
    let count = match state.find(handler) {
        Found::Entries(count) => count,
        Found::Skip => return Ok(Action::AsItIs),
        Found::SkipAll => return Ok(Action::Unseen),
    };
    for at in 0..count {
        let Some(entry) = state.entry(handler, at) else { break };
        if let Fit::Yes(prefetched) = entry.guard.fit(call)? {
            if at > 0 {
                state.was_hit(handler, &entry);
            }
            return Ok(Action::Run(entry, prefetched));
        }
    }
    if count >= handler.limit() {
        let first = state.tells(handler);
        Python::attach(|_| handler.at_limit(call, &state.guards(handler), first))?;
        return Ok(Action::AsItIs);
    }
    // PyO3 gives references back at once only where it knows that it is attached.
    match Python::attach(|_| handler.compile(call, &state.guards(handler)))? {
        Verdict::NotNow => Ok(Action::AsItIs),
        Verdict::Skip => {
            state.skip(handler);
            Ok(Action::AsItIs)
        }
        Verdict::SkipAll => {
            state.skip_all(handler);
            Ok(Action::Unseen)
        }
        Verdict::Replace { guard, code } => {
            // SAFETY: `attach` is given a live code object, checked to be one.
            unsafe {
                if ffi::PyCode_Check(code.as_ptr()) == 0 {
                    return Err(PyRuntimeError::new_err("a replacement is no code object"));
                }
                code_state::attach(call.py(), code.as_ptr(), CodeState::replacement(code.bind(call.py()))?)?;
            }
            let parameters: usize = code.bind(call.py()).getattr("co_argcount")?.extract()?;
            let entry = Rc::new(Entry { guard: guard.into(), code, takes_prefetched: parameters > state.slots });
            state.add(handler, Rc::clone(&entry));
            Ok(Action::Run(entry, None))
        }
    }
}

/// This thread is off while it lives.
struct Off(Option<Arc<dyn Handler>>);

impl Off {
    fn new() -> Off {
        Off(HANDLER.take())
    }
}

impl Drop for Off {
    fn drop(&mut self) {
        HANDLER.set(self.0.take());
    }
}
