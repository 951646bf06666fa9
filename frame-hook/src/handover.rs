//! Makes a frame the only owner of its arguments, where its caller would hold them to its end for no reason.
//!
//! An object has to die where the program drops it. Whoever calls a function through C keeps the arguments until the
//! call returns. In a plain call from Python to Python the callee takes them over: so it is here where the program sees
//! one call, or none.
//!
//! - **A replacement** is called in the place of a frame, which owns the arguments: see [`Replaced`].
//! - **A resume function** goes on in its caller's place. The arguments lie on the caller's stack: see [`tail_call`].
//!
//! Both give references back once the callee's frame, which has not begun, has its own: so no object dies here.

use crate::code_state::state;
use crate::layout::{InterpreterFrame, Object, Thread};
use pyo3::ffi;
use std::cell::Cell;

/// The callable and its `NULL`, below the arguments of a call.
const CALLEE: usize = 2;

/// A frame in whose place other code is about to run.
#[derive(Clone, Copy)]
pub(crate) struct Replaced {
    /// The frame, which has not begun and is not going to.
    pub(crate) frame: *mut InterpreterFrame,
    /// The number of its arguments.
    pub(crate) slots: usize,
    /// The code that is called with them.
    pub(crate) code: Object,
}

thread_local! {
    static REPLACED: Cell<Option<Replaced>> = const { Cell::new(None) };
}

impl Replaced {
    /// Calls the code; the frame's arguments go to the frame of that call.
    ///
    /// # Safety
    /// The frame and the code live until the call returns, and nobody else looks at the frame's arguments. `call`
    /// passes them to the code in their order.
    pub(crate) unsafe fn hand_over<T>(self, call: impl FnOnce() -> T) -> T {
        let outer = REPLACED.replace(Some(self));
        let result = call();
        REPLACED.set(outer);
        result
    }
}

/// Takes the arguments of `frame` from the frame that it replaces, if it does.
///
/// # Safety
/// The frame has not begun.
#[inline]
pub(crate) unsafe fn take_over(frame: *const InterpreterFrame) {
    // SAFETY: `hand_over` was promised a live frame with these slots, whose objects `frame` owns, too.
    unsafe {
        if let Some(replaced) = REPLACED.get()
            && replaced.code == (*frame).code()
        {
            REPLACED.set(None);
            (0..replaced.slots).for_each(|slot| (*replaced.frame).clear_local(slot));
        }
    }
}

/// Takes the arguments of a resume function's frame from the stack of its caller: a replacement, which has nothing else
/// on its stack; gives that caller's code. Does nothing where the stack is not that of such a call.
///
/// # Safety
/// The thread is this one, which has the interpreter. The frame is live and has not begun; it has as many arguments.
pub(crate) unsafe fn tail_call(thread: &Thread, frame: *const InterpreterFrame, arguments: usize) -> Option<Object> {
    let caller = thread.running();
    // SAFETY: the frame that runs is complete, and its memory has room for its slots and its stack. What lies there
    // may be stale, and is compared with live objects, not looked into. Where the function and its arguments lie as a
    // call leaves them, the caller's evaluator is in that call, and reads the places next when it gives back what they
    // hold.
    unsafe {
        if caller.is_null() || ffi::PyCode_Check((*caller).code()) == 0 {
            return None;
        }
        let stack = state((*caller).code()).and_then(|state| state.stack.clone())?;
        let first = stack.start + CALLEE;
        let called = (stack.start..first).any(|at| (*caller).local(at) == (*frame).function());
        let fits = || (0..arguments).all(|at| (*caller).local(first + at) == (*frame).local(at));
        let is_tail_call = first + arguments <= stack.end && called && fits();
        if is_tail_call {
            (first..first + arguments).for_each(|at| (*caller).forget_operand(at));
        }
        is_tail_call.then(|| (*caller).code())
    }
}
