//! Frames as each version of CPython lays them out, and the entry points of its evaluator.
//!
//! Taken from `Include/internal/pycore_frame.h` of the versions named (3.14: `pycore_interpframe_structs.h` and, for
//! tagged references, `pycore_stackref.h`). Nothing here holds references.

use pyo3::ffi;
use std::ffi::c_int;

pub(crate) type Object = *mut ffi::PyObject;

/// The contents of a slot of a frame: a pointer to an object, or null.
#[cfg(not(Py_3_14))]
#[derive(Clone, Copy)]
#[repr(transparent)]
struct StackRef(Object);

#[cfg(not(Py_3_14))]
impl StackRef {
    /// An empty slot.
    const NULL: StackRef = StackRef(std::ptr::null_mut());

    /// The object; borrowed, null if there is none.
    #[inline]
    fn object(self) -> Object {
        self.0
    }

    /// A reference to `None`.
    fn none() -> StackRef {
        // SAFETY: `None` is there as long as the interpreter is.
        unsafe { StackRef(ffi::Py_NewRef(ffi::Py_None())) }
    }

    /// Gives the slot's reference back.
    ///
    /// # Safety
    /// The slot that it was taken from does not hold it any more.
    unsafe fn close(self) {
        // SAFETY: the caller hands over the reference, if there is one.
        unsafe { ffi::Py_XDECREF(self.0) }
    }
}

/// `_PyStackRef` of a build with the GIL: the address of an object, whose lowest bit is set where the slot holds no
/// count of the object's references, as the object is immortal or somebody else's for the time. An empty slot has
/// that bit alone. Tagged integers, whose two lowest bits are set, are never among what is read here: the code, the
/// function and the arguments of a frame that has not begun.
#[cfg(Py_3_14)]
#[derive(Clone, Copy)]
#[repr(transparent)]
struct StackRef(Object);

#[cfg(Py_3_14)]
impl StackRef {
    /// `Py_TAG_REFCNT`
    const BORROWED: usize = 1;

    /// An empty slot: `PyStackRef_NULL`.
    const NULL: StackRef = StackRef(std::ptr::without_provenance_mut(StackRef::BORROWED));

    /// The object; borrowed, null if there is none.
    #[inline]
    fn object(self) -> Object {
        self.0.map_addr(|address| address & !StackRef::BORROWED)
    }

    /// A reference to `None`, which is immortal.
    fn none() -> StackRef {
        // SAFETY: `None` is there as long as the interpreter is.
        StackRef(unsafe { ffi::Py_None() }.map_addr(|address| address | StackRef::BORROWED))
    }

    /// Gives the slot's reference back, if it holds a count of it.
    ///
    /// # Safety
    /// The slot that it was taken from does not hold it any more.
    unsafe fn close(self) {
        if self.0.addr() & StackRef::BORROWED == 0 {
            // SAFETY: the caller hands over the reference, if there is one.
            unsafe { ffi::Py_XDECREF(self.0) }
        }
    }
}

/// An evaluator of frames. Before 3.14 it unwinds the stack where the process ends while the thread waits for the
/// interpreter (`pthread_exit`).
pub(crate) type EvalFrame =
    unsafe extern "C-unwind" fn(*mut ffi::PyThreadState, *mut InterpreterFrame, c_int) -> Object;

unsafe extern "C-unwind" {
    pub(crate) fn _PyEval_EvalFrameDefault(
        thread: *mut ffi::PyThreadState,
        frame: *mut InterpreterFrame,
        throw: c_int,
    ) -> Object;
}

unsafe extern "C" {
    pub(crate) fn _PyInterpreterState_GetEvalFrameFunc(interpreter: *mut ffi::PyInterpreterState) -> EvalFrame;
    pub(crate) fn _PyInterpreterState_SetEvalFrameFunc(interpreter: *mut ffi::PyInterpreterState, eval: EvalFrame);
    #[cfg(Py_3_13)]
    pub(crate) fn _PyEval_FrameClearAndPop(thread: *mut ffi::PyThreadState, frame: *mut InterpreterFrame);
}

/// `_PyInterpreterFrame`
#[cfg(not(Py_3_12))]
#[repr(C)]
pub(crate) struct InterpreterFrame {
    function: StackRef,
    globals: Object,
    builtins: Object,
    locals: Object,
    code: StackRef,
    frame_object: Object,
    previous: *mut InterpreterFrame,
    previous_instruction: *mut u16,
    stack_top: c_int,
    is_entry: bool,
    owner: u8,
    local_slots: [StackRef; 1],
}

/// `_PyInterpreterFrame`
#[cfg(Py_3_12)]
#[repr(C)]
pub(crate) struct InterpreterFrame {
    code: StackRef,
    previous: *mut InterpreterFrame,
    function: StackRef,
    globals: Object,
    builtins: Object,
    locals: Object,
    frame_object: Object,
    /// The instruction before the next one (3.12), or the next one (3.13 and later).
    instruction: *mut u16,
    #[cfg(not(Py_3_14))]
    stack_top: c_int,
    #[cfg(Py_3_14)]
    stack_pointer: *mut StackRef,
    return_offset: u16,
    owner: u8,
    #[cfg(Py_3_14)]
    visited: u8,
    local_slots: [StackRef; 1],
}

/// The code object as far as to the version of `sys.monitoring`'s events for which it is written, from
/// `Include/cpython/code.h`.
#[cfg(all(Py_3_12, not(Py_3_13)))]
#[repr(C)]
struct Code {
    _head: ffi::PyVarObject,
    _tables: [Object; 3],
    _numbers: [c_int; 11],
    _version: u32,
    _names: [Object; 8],
    instrumentation: u64,
}

/// The first part of `PyThreadState`, from `Include/cpython/pystate.h`.
#[repr(C)]
pub(crate) struct Thread {
    _links: [*mut ffi::PyThreadState; 2],
    _interpreter: *mut ffi::PyInterpreterState,
    /// Flags, and above eight of them the version of `sys.monitoring`'s events.
    #[cfg(Py_3_13)]
    eval_breaker: usize,
    /// States and depths of recursion, an `int` each (3.14: one of them tells who holds the GIL).
    #[cfg(not(Py_3_13))]
    depths: [c_int; 5],
    #[cfg(Py_3_13)]
    depths: [c_int; 7],
    /// The nesting depth in functions that trace or profile.
    tracing: c_int,
    _event: c_int,
    /// The C frame, or the frame (3.13 and later), that runs.
    current: *mut (),
    _profile: *mut (),
    /// The C function that `sys.settrace` has installed, or null.
    trace: *mut (),
}

/// The position of `recursion_remaining` (3.12 and later: `py_recursion_remaining`) among the depths.
const CALLS_LEFT: usize = match () {
    #[cfg(not(Py_3_12))]
    () => 2,
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    () => 1,
    #[cfg(all(Py_3_13, not(Py_3_14)))]
    () => 3,
    #[cfg(Py_3_14)]
    () => 4,
};

/// `_PyCFrame` as far as to the frame that runs.
#[cfg(not(Py_3_13))]
#[repr(C)]
struct CFrame {
    #[cfg(not(Py_3_12))]
    _use_tracing: u8,
    current: *mut InterpreterFrame,
}

impl Thread {
    /// The frame that runs, or null: the caller's, where the evaluator has been given one that has not begun.
    pub(crate) fn running(&self) -> *mut InterpreterFrame {
        #[cfg(not(Py_3_13))]
        // SAFETY: a thread that runs has a C frame.
        return unsafe { (*self.current.cast::<CFrame>()).current };
        #[cfg(Py_3_13)]
        self.current.cast()
    }

    /// The number of further calls of Python functions that may be nested.
    pub(crate) fn calls_left(&mut self) -> &mut c_int {
        &mut self.depths[CALLS_LEFT]
    }

    /// True while somebody steps through this thread's lines, or through its calls at this moment.
    pub(crate) fn is_traced(&self) -> bool {
        self.tracing > 0 || !self.trace.is_null()
    }

    /// The number of further calls from C that may be nested.
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    pub(crate) fn calls_from_c_left(&mut self) -> &mut c_int {
        &mut self.depths[3]
    }

    /// A number that changes when somebody asks `sys.monitoring` for other events; 0 if nobody ever has.
    #[cfg(Py_3_13)]
    pub(crate) fn monitoring_version(&self) -> Option<u64> {
        Some((self.eval_breaker >> 8) as u64)
    }

    /// A number that changes when somebody asks `sys.monitoring` for other events; 0 if nobody ever has. Each code
    /// object that is running has been written for the latest one, so the caller's tells; `None` if there is no such
    /// caller.
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    pub(crate) fn monitoring_version(&self) -> Option<u64> {
        // SAFETY: a thread that runs has a C frame, whose first member is the frame that runs, or null. Frames in it
        // are complete, with live code objects; those of the evaluator itself have another code object, which is passed
        // by.
        unsafe {
            let mut frame = self.running();
            while !frame.is_null() && (*frame).owner == OWNED_BY_C_STACK {
                frame = (*frame).previous;
            }
            (!frame.is_null()).then(|| (*(*frame).code().cast::<Code>()).instrumentation)
        }
    }
}

/// The owner of a frame that lies on its thread's stack of frames.
const OWNED_BY_THREAD: u8 = 0;

/// The owner of a frame that stands for the evaluator itself.
#[cfg(all(Py_3_12, not(Py_3_13)))]
const OWNED_BY_C_STACK: u8 = 3;

impl InterpreterFrame {
    /// The code object; borrowed.
    pub(crate) fn code(&self) -> Object {
        self.code.object()
    }

    /// True for the frame of a call, which has not begun; false for one of a generator, which may have.
    pub(crate) fn is_new(&self) -> bool {
        self.owner == OWNED_BY_THREAD
    }

    /// The function object; borrowed.
    pub(crate) fn function(&self) -> Object {
        self.function.object()
    }

    /// The global variables; borrowed.
    pub(crate) fn globals(&self) -> Object {
        self.globals
    }

    /// Puts other code in the place of the frame's, to begin at its first instruction; what was there, to be given
    /// back.
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    pub(crate) fn set_code(&mut self, code: Object) -> Object {
        // SAFETY: instructions follow the head of a code object, and 3.12 points in front of the next one.
        self.instruction = unsafe {
            let head = (&raw const ffi::PyCode_Type.tp_basicsize).read();
            let first = code.cast::<u8>().add(head as usize);
            first.sub(size_of::<u16>()).cast()
        };
        std::mem::replace(&mut self.code, StackRef(code)).object()
    }

    /// The object in a slot of the local variables, or of the stack, which follows them; borrowed, null if empty.
    ///
    /// # Safety
    /// The code has more slots than `at`.
    pub(crate) unsafe fn local(&self, at: usize) -> Object {
        // SAFETY: the caller promises the slot; slots follow the frame's head.
        unsafe { (*(&raw const self.local_slots).cast::<StackRef>().add(at)).object() }
    }

    /// Empties a slot of the local variables, and gives its reference back.
    ///
    /// # Safety
    /// The code has more slots than `at`, and somebody else holds a reference to the object.
    pub(crate) unsafe fn clear_local(&mut self, at: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.put(at, StackRef::NULL) }
    }

    /// Puts `None` in the place of a value on the stack, and gives its reference back.
    ///
    /// # Safety
    /// As for [`InterpreterFrame::clear_local`].
    pub(crate) unsafe fn forget_operand(&mut self, at: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.put(at, StackRef::none()) }
    }

    unsafe fn put(&mut self, at: usize, new: StackRef) {
        // SAFETY: the callers promise the slot, and that its object lives on without it.
        unsafe { (&raw mut self.local_slots).cast::<StackRef>().add(at).replace(new).close() }
    }
}
