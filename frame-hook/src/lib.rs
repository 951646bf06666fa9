//! PEP 523 from Rust: a [`Handler`] is shown each call of a Python function and may have other code run in its place.
//!
//! ```text
//! call ── hook off in this thread, or a frame that is never ours ──────────────────────▶ CPython's evaluator
//!   └─ the code's entries for this handler, the last hit first ── one's guard holds ──▶ its replacement
//!        └─ none, and the limit is not reached ── Handler::compile ── Verdict::Replace ─▶ the new replacement
//!                                                                  └─ Verdict::Skip ────▶ CPython's evaluator
//! ```
//!
//! The hook is installed while some thread is [`Enabled`], and only such threads' frames are looked at. Generators,
//! coroutines, class bodies and modules are never ours, nor is code that runs as a replacement. While `sys.settrace` is
//! in force every frame of its thread runs as it is, so that debuggers and coverage see the lines of the program; so it
//! is with all threads while a tool of `sys.monitoring` may look at lines, and with the functions that trace and
//! profile.
//!
//! Replacement code takes the frame's argument slots, one positional parameter each (`*args` as the tuple, `**kwargs`
//! as the dict), has the free variables of the original in the same order, and neither cells among its parameters'
//! slots that the original has not made yet. Names, lines and the exception table are its own. With one parameter more
//! it takes what its guard has prefetched, or `None`.
//!
//! Invariants: every reference taken is given back, on errors too; a frame that does not run is cleared as its version
//! of CPython clears it; no panic crosses into C. `unsafe` is all over this crate and nowhere above it: it reads
//! frames, whose layouts are CPython's own business and stand in `layout` for each version.

#[cfg(not(all(Py_3_11, not(Py_3_15))))]
compile_error!("the layout of frames is known for CPython 3.11 to 3.14");
#[cfg(Py_GIL_DISABLED)]
compile_error!("the layout of frames is known for builds of CPython with the GIL alone");

mod chain;
mod clear;
mod code_state;
mod eval;
mod handover;
mod layout;
#[cfg(Py_3_12)]
mod monitoring;
#[cfg(feature = "python-module")]
mod python_module;
mod replace;
mod stack;

pub use code_state::{epoch, forget, is_replacement, mark_resume, reset, shared};
pub use eval::{Enabled, Uncounted, has_company};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;
use std::rc::Rc;

/// Decides what becomes of calls. Others may look at it, as what it is.
pub trait Handler: Any + Send + Sync {
    /// Is shown a call for which no entry's guard holds, and these guards. Python code that runs meanwhile is not
    /// shown.
    ///
    /// # Errors
    /// An exception is raised in the caller's place.
    fn compile(&self, call: &Call<'_>, failed: &[Rc<dyn Guard>]) -> PyResult<Verdict>;

    /// The maximum number of entries of a code object; further calls run as they are.
    fn limit(&self) -> usize;

    /// Is told of each call for which it would be asked, had the code object not reached its limit; `first` is true
    /// once for each code object.
    ///
    /// # Errors
    /// An exception is raised in the caller's place.
    fn at_limit(&self, call: &Call<'_>, failed: &[Rc<dyn Guard>], first: bool) -> PyResult<()>;
}

/// The decisions of a handler on a call.
pub enum Verdict {
    /// This call runs as it is; the next one is shown again.
    NotNow,
    /// This code object runs as it is, now and later.
    Skip,
    /// This code object runs as it is, now and later, and so does whatever its calls call.
    SkipAll,
    /// Calls for which the guard holds run the code, this one included.
    Replace {
        /// The condition for that.
        guard: Box<dyn Guard>,
        /// The replacement.
        code: Py<PyAny>,
    },
}

/// Whether a replacement may run in a call.
#[derive(Debug)]
pub enum Fit<'py> {
    /// It may not.
    No,
    /// It may, with what the guard has prefetched for it.
    Yes(Option<Bound<'py, PyAny>>),
}

impl From<bool> for Fit<'_> {
    fn from(may: bool) -> Self {
        if may { Fit::Yes(None) } else { Fit::No }
    }
}

/// The condition under which a replacement may run. Its maker may look at it again, as its own type.
pub trait Guard: Any + Send + Sync {
    /// Whether it may. Python code that runs meanwhile is not shown to the handler. Runs within no [`Python::attach`],
    /// which would cost as much as a quick guard does: one that lets go of a [`Py`] has to attach for itself.
    ///
    /// # Errors
    /// An exception is raised in the caller's place.
    fn fit<'py>(&self, call: &Call<'py>) -> PyResult<Fit<'py>>;
}

/// A call that has not begun: its arguments are bound to their slots, its cells are not made.
pub struct Call<'py> {
    py: Python<'py>,
    frame: *const layout::InterpreterFrame,
    slots: usize,
}

impl<'py> Call<'py> {
    /// The interpreter.
    pub fn py(&self) -> Python<'py> {
        self.py
    }

    /// The code object that is called.
    pub fn code(&self) -> Bound<'py, PyAny> {
        // SAFETY: the frame is live and owns a reference to its code.
        unsafe { Bound::from_borrowed_ptr(self.py, (*self.frame).code()) }
    }

    /// The function's global variables.
    pub fn globals(&self) -> Bound<'py, PyAny> {
        // SAFETY: the frame is live and borrows from its function, which it owns.
        unsafe { Bound::from_borrowed_ptr(self.py, (*self.frame).globals()) }
    }

    /// The function itself.
    pub fn function(&self) -> Bound<'py, PyAny> {
        // SAFETY: the frame is live and owns a reference to its function.
        unsafe { Bound::from_borrowed_ptr(self.py, (*self.frame).function()) }
    }

    /// The number of argument slots: parameters, then `*args` and `**kwargs` where there are such.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The argument in a slot; `None` beyond the last.
    pub fn argument(&self, slot: usize) -> Option<Borrowed<'_, 'py, PyAny>> {
        if slot >= self.slots {
            return None;
        }
        // SAFETY: the slot exists, and the live frame owns what is in it.
        unsafe { Borrowed::from_ptr_or_opt(self.py, (*self.frame).local(slot)) }
    }

    /// The arguments by name.
    ///
    /// # Errors
    /// None but exhausted memory.
    pub fn locals(&self) -> PyResult<Bound<'py, PyDict>> {
        let names = self.code().getattr("co_varnames")?;
        let locals = PyDict::new(self.py);
        for slot in 0..self.slots {
            if let Some(value) = self.argument(slot) {
                locals.set_item(names.get_item(slot)?, value)?;
            }
        }
        Ok(locals)
    }
}
