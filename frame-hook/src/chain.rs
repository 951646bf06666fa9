//! Chains of resume functions, which do not grow with the turns of a loop.
//!
//! The replacement of a frame ends with the call of a resume function, whose replacement ends with the call of another,
//! and so on: a loop that has a graph break in it adds two links with each turn. Each is a call through C, whose stack
//! is short. So where a chain has become long, its next call is postponed: all the links return, as nothing is left for
//! them to do, and the hook's frame in which the chain began makes the call.
//!
//! Invariants: a postponed call is made by the innermost chain that has begun, before that ends; what the links return
//! then is `None`, which nobody looks at.

use crate::code_state::CodeState;
use crate::layout::{InterpreterFrame, Object};
use crate::replace::call;
use pyo3::ffi;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::ptr;

/// The links of a chain from which on calls are postponed.
const MOST: usize = 8;

thread_local! {
    /// The links of the innermost chain, the frame that began it among them; 0 where there is none.
    static LINKS: Cell<usize> = const { Cell::new(0) };
    /// The replacement that the innermost link runs.
    static CODE: Cell<Object> = const { Cell::new(ptr::null_mut()) };
    /// The call that the links of the innermost chain return for.
    static POSTPONED: RefCell<Option<Postponed>> = const { RefCell::new(None) };
    /// The call that is being made, until its frame owns the arguments.
    static CALLED: RefCell<Option<Postponed>> = const { RefCell::new(None) };
}

/// A call of a resume function; it owns the references.
pub(crate) struct Postponed {
    function: Object,
    arguments: SmallVec<[Object; 16]>,
}

impl Postponed {
    /// The call that made a frame, which has begun no more than that.
    ///
    /// # Safety
    /// The frame is live, and its code has so many argument slots, all of them filled.
    unsafe fn of(frame: *const InterpreterFrame, slots: usize) -> Postponed {
        // SAFETY: the caller promises live objects.
        unsafe {
            Postponed {
                function: ffi::Py_NewRef((*frame).function()),
                arguments: (0..slots).map(|slot| ffi::Py_NewRef((*frame).local(slot))).collect(),
            }
        }
    }

    /// The result, as a new reference; null for an exception.
    ///
    /// # Safety
    /// The interpreter is attached.
    unsafe fn call(self) -> Object {
        let (function, arguments) = (self.function, self.arguments.clone());
        let outer = CALLED.replace(Some(self));
        // SAFETY: the references are there until the frame of the call has its own.
        let result = unsafe { call(function, arguments.into_iter()) };
        drop(CALLED.replace(outer));
        result
    }
}

impl Drop for Postponed {
    fn drop(&mut self) {
        for object in self.arguments.drain(..).chain([self.function]) {
            // SAFETY: the references are its own, and whoever drops it has the interpreter attached.
            unsafe { ffi::Py_DECREF(object) }
        }
    }
}

/// A frame of a chain, for as long as that lives.
pub(crate) struct Link {
    /// Of the first one: the links and the postponed call of the chain around it.
    around: Option<(usize, Option<Postponed>)>,
    /// The replacement that the innermost link before it runs.
    code: Object,
}

impl Link {
    /// The frame of a call of the program's, which begins a chain.
    pub(crate) fn first() -> Link {
        Link { around: Some((LINKS.replace(1), POSTPONED.take())), code: CODE.get() }
    }

    /// The frame of a resume function that goes on in its caller's place; `None` outside of a chain.
    pub(crate) fn next() -> Option<Link> {
        let links = LINKS.get();
        (links > 0).then(|| {
            LINKS.set(links + 1);
            Link { around: None, code: CODE.get() }
        })
    }

    /// It is about to run this replacement.
    pub(crate) fn runs(&self, code: Object) {
        CODE.set(code);
    }

    /// Makes the calls that the links of this chain have returned for; `result` is what the replacement gave.
    ///
    /// # Safety
    /// The interpreter is attached, and `result` a reference of the caller's or null, with an exception.
    pub(crate) unsafe fn finish(self, mut result: Object) -> Object {
        if self.around.is_some() {
            // An exception that came between, such as an interrupt, is the result.
            while let Some(postponed) = POSTPONED.take()
                && !result.is_null()
            {
                // SAFETY: the caller hands over the reference, which is that of `None`.
                unsafe {
                    ffi::Py_DECREF(result);
                    result = postponed.call();
                }
            }
        }
        result
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        CODE.set(self.code);
        match self.around.take() {
            Some((links, postponed)) => {
                LINKS.set(links);
                drop(POSTPONED.replace(postponed));
            }
            None => LINKS.set(LINKS.get() - 1),
        }
    }
}

/// Postpones the call of a resume function in a chain that is long. The frame has to be cleared then, and `None`
/// returned in its place.
///
/// # Safety
/// The frame is live and has not begun; code that is a replacement calls it, and returns what the call gives.
pub(crate) unsafe fn postpone(frame: *const InterpreterFrame, state: &CodeState, caller: Object) -> bool {
    // The call of a generator function is no tail call; a replacement that is not run in its place is no link.
    if LINKS.get() < MOST || state.never || caller != CODE.get() {
        return false;
    }
    // SAFETY: a resume function takes arguments by position alone, which are in the slots.
    let call = unsafe { Postponed::of(frame, state.slots) };
    drop(POSTPONED.replace(Some(call)));
    true
}

/// True for the frame of a call that was postponed; it owns its arguments from now on.
pub(crate) fn take_over(frame: *const InterpreterFrame) -> bool {
    // SAFETY: the hook is given a live frame.
    let function = unsafe { (*frame).function() };
    let called = CALLED.with_borrow_mut(|called| called.take_if(|called| called.function == function));
    called.is_some()
}
