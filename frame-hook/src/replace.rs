//! Runs replacement code with the arguments of a frame.

use crate::code_state::{Entry, state};
use crate::handover::Replaced;
use crate::layout::{InterpreterFrame, Object};
use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::{iter, ptr};

/// The result of the replacement, as a new reference; `prefetched` is what its guard has found. The frame's arguments
/// are the replacement's afterwards.
///
/// # Safety
/// The frame has not begun, and the interpreter is attached.
pub(crate) unsafe fn run(
    frame: *mut InterpreterFrame,
    entry: &Entry,
    prefetched: Option<&Bound<'_, PyAny>>,
) -> PyResult<Object> {
    // SAFETY: the caller promises a live frame, which is cleared after this call. It owns its arguments until the frame
    // of the replacement does.
    unsafe {
        let py = Python::assume_attached();
        let function = function(py, &*frame, entry)?;
        let slots = state((*frame).code()).map_or(0, |state| state.slots);
        let prefetched = entry.takes_prefetched.then(|| prefetched.map_or_else(|| ffi::Py_None(), Bound::as_ptr));
        let arguments = (0..slots).map(|slot| (*frame).local(slot)).chain(prefetched);
        let replaced = Replaced { frame, slots, code: entry.code.as_ptr() };
        let result = replaced.hand_over(|| call(function.as_ptr(), arguments));
        if result.is_null() { Err(PyErr::fetch(py)) } else { Ok(result) }
    }
}

/// Calls a function with arguments by position; the result is a new reference, null for an exception.
///
/// # Safety
/// The interpreter is attached, and the objects live until the frame of the call has references of its own.
pub(crate) unsafe fn call(function: Object, arguments: impl Iterator<Item = Object>) -> Object {
    // One place in front, which the callee may use.
    let mut arguments: SmallVec<[Object; 16]> = iter::once(ptr::null_mut()).chain(arguments).collect();
    let count = (arguments.len() - 1) | ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
    // SAFETY: as the caller promises; the callee may write to the place in front, which is the array's own.
    unsafe { ffi::PyObject_Vectorcall(function, arguments.as_mut_ptr().add(1), count, ptr::null_mut()) }
}

/// A function of the replacement with the frame's closure and global variables.
unsafe fn function<'py>(py: Python<'py>, frame: &InterpreterFrame, entry: &Entry) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the frame owns its function, and that its closure; `PyFunction_New` gives a new reference.
    unsafe {
        let function = ffi::PyFunction_New(entry.code.as_ptr(), frame.globals());
        let function = Bound::from_owned_ptr_or_err(py, function)?;
        let closure = ffi::PyFunction_GetClosure(frame.function());
        if !closure.is_null() && ffi::PyFunction_SetClosure(function.as_ptr(), closure) < 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(function)
    }
}
