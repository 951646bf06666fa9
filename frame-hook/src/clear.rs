//! Clears frames that are not going to run, each version of CPython in its way.

use crate::layout::InterpreterFrame;
use pyo3::ffi;

/// Clears a frame that is not going to run. A pending exception stays pending.
///
/// # Safety
/// The frame has been handed to our evaluator and to no other one.
#[cfg(not(Py_3_12))]
pub(crate) unsafe fn clear(_thread: *mut ffi::PyThreadState, _frame: *mut InterpreterFrame) {
    // Whoever called the evaluator clears the frame.
}

/// Clears a frame that is not going to run. A pending exception stays pending.
///
/// # Safety
/// The frame has been handed to our evaluator and to no other one.
#[cfg(Py_3_13)]
pub(crate) unsafe fn clear(thread: *mut ffi::PyThreadState, frame: *mut InterpreterFrame) {
    // SAFETY: the evaluator has to clear and pop its frame; this is what CPython's own does so with.
    unsafe { crate::layout::_PyEval_FrameClearAndPop(thread, frame) }
}

/// Clears a frame that is not going to run. A pending exception stays pending.
///
/// The evaluator has to clear its frame, and nothing is exported to do so with: CPython's own is given the frame, with
/// code of the same slots that does nothing but return.
///
/// # Safety
/// The frame has been handed to our evaluator and to no other one.
#[cfg(all(Py_3_12, not(Py_3_13)))]
pub(crate) unsafe fn clear(thread: *mut ffi::PyThreadState, frame: *mut InterpreterFrame) {
    use crate::code_state::{returns_nothing, state};
    use crate::layout::_PyEval_EvalFrameDefault;
    use pyo3::prelude::*;

    // SAFETY: the frame is valid, and owns a reference to its code, before and after.
    unsafe {
        let py = Python::assume_attached();
        let pending = PyErr::take(py);
        let code = (*frame).code();
        let ending = match state(code) {
            Some(state) => state.ending(&Bound::from_borrowed_ptr(py, code)),
            None => returns_nothing(&Bound::from_borrowed_ptr(py, code)),
        };
        if let Ok(ending) = ending {
            let before = (*frame).set_code(ending.into_ptr());
            ffi::Py_XDECREF(_PyEval_EvalFrameDefault(thread, frame, 0));
            ffi::Py_DECREF(before);
        }
        if let Some(pending) = pending {
            pending.restore(py);
        }
    }
}
