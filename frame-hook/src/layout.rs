//! Frames as each version of CPython lays them out, and the entry points of its evaluator.
//!
//! Taken from `Include/internal/pycore_frame.h` of the versions named. Nothing here holds references.

use pyo3::ffi;
use std::ffi::c_int;

pub(crate) type Object = *mut ffi::PyObject;

/// An evaluator of frames.
pub(crate) type EvalFrame = unsafe extern "C" fn(*mut ffi::PyThreadState, *mut Frame, c_int) -> Object;

unsafe extern "C" {
    pub(crate) fn _PyEval_EvalFrameDefault(thread: *mut ffi::PyThreadState, frame: *mut Frame, throw: c_int) -> Object;
    pub(crate) fn _PyInterpreterState_GetEvalFrameFunc(interpreter: *mut ffi::PyInterpreterState) -> EvalFrame;
    pub(crate) fn _PyInterpreterState_SetEvalFrameFunc(interpreter: *mut ffi::PyInterpreterState, eval: EvalFrame);
    #[cfg(Py_3_13)]
    pub(crate) fn _PyEval_FrameClearAndPop(thread: *mut ffi::PyThreadState, frame: *mut Frame);
}

/// `_PyInterpreterFrame`
#[cfg(not(Py_3_12))]
#[repr(C)]
pub(crate) struct Frame {
    function: Object,
    globals: Object,
    builtins: Object,
    locals: Object,
    code: Object,
    frame_object: Object,
    previous: *mut Frame,
    previous_instruction: *mut u16,
    stack_top: c_int,
    is_entry: bool,
    owner: u8,
    local_slots: [Object; 1],
}

/// `_PyInterpreterFrame`
#[cfg(Py_3_12)]
#[repr(C)]
pub(crate) struct Frame {
    code: Object,
    previous: *mut Frame,
    function: Object,
    globals: Object,
    builtins: Object,
    locals: Object,
    frame_object: Object,
    /// The instruction before the next one (3.12), or the next one (3.13).
    instruction: *mut u16,
    stack_top: c_int,
    return_offset: u16,
    owner: u8,
    local_slots: [Object; 1],
}

/// The first part of `PyThreadState`, from `Include/cpython/pystate.h`.
#[repr(C)]
pub(crate) struct Thread {
    _links: [*mut ffi::PyThreadState; 2],
    _interpreter: *mut ffi::PyInterpreterState,
    #[cfg(Py_3_13)]
    _eval_breaker: usize,
    /// States and depths of recursion, an `int` each.
    #[cfg(not(Py_3_13))]
    _depths: [c_int; 5],
    #[cfg(Py_3_13)]
    _depths: [c_int; 7],
    /// How deep it is in functions that trace or profile.
    tracing: c_int,
    _event: c_int,
    /// The C frame, or the frame (3.13), that runs.
    _current: *mut (),
    _profile: *mut (),
    /// What `sys.settrace` has put there.
    trace: *mut (),
}

impl Thread {
    /// True while somebody steps through this thread's lines, or through its calls at this moment.
    pub(crate) fn is_traced(&self) -> bool {
        self.tracing > 0 || !self.trace.is_null()
    }
}

impl Frame {
    /// The code object; borrowed.
    pub(crate) fn code(&self) -> Object {
        self.code
    }

    /// The function object; borrowed.
    pub(crate) fn function(&self) -> Object {
        self.function
    }

    /// The global variables; borrowed.
    pub(crate) fn globals(&self) -> Object {
        self.globals
    }

    /// Puts other code in the place of the frame's, to begin at its first instruction; what was there, to be given back.
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    pub(crate) fn set_code(&mut self, code: Object) -> Object {
        // SAFETY: instructions follow the head of a code object, and 3.12 points in front of the next one.
        self.instruction = unsafe {
            let first = code.cast::<u8>().add((*(&raw mut ffi::PyCode_Type)).tp_basicsize as usize);
            first.sub(size_of::<u16>()).cast()
        };
        std::mem::replace(&mut self.code, code)
    }

    /// What is in a slot of the local variables; borrowed, null if empty.
    ///
    /// # Safety
    /// The code has more slots than `at`.
    pub(crate) unsafe fn local(&self, at: usize) -> Object {
        // SAFETY: the caller promises the slot; slots follow the frame's head.
        unsafe { *(&raw const self.local_slots).cast::<Object>().add(at) }
    }
}
