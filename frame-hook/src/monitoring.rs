//! Tools of `sys.monitoring` (from 3.12 on) that would see a difference.
//!
//! A debugger or a tool for coverage wants the lines of a function, which the code in its place has not got: while one
//! is there, functions run as they are. A profiler sees calls and returns, which are the same.
//!
//! Invariant: nothing but a comparison is done on a call as long as no tool has asked for other events.

use crate::layout::Thread;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers of tools that may look at lines: all but the profiler's (2) and the optimiser's (5).
const LOOKING: [u8; 4] = [0, 1, 3, 4];

/// The latest version of the events of which it is known that no such tool is there; 0 is that of an interpreter which
/// nobody has asked for any.
static QUIET: AtomicU64 = AtomicU64::new(0);

/// True while there is a tool that may look at the lines of functions.
pub(crate) fn is_monitored(thread: &Thread) -> bool {
    let version = thread.monitoring_version();
    if version == Some(QUIET.load(Ordering::Relaxed)) {
        return false;
    }
    // Where that cannot be told, nothing is replaced.
    let there = Python::attach(has_tool).unwrap_or(true);
    if let (false, Some(version)) = (there, version) {
        QUIET.store(version, Ordering::Relaxed);
    }
    there
}

fn has_tool(py: Python<'_>) -> PyResult<bool> {
    // No import, which may be the user's function.
    // SAFETY: the interpreter is attached, and lends the attribute.
    let monitoring = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PySys_GetObject(c"monitoring".as_ptr())) };
    let monitoring = monitoring.ok_or_else(|| PyAttributeError::new_err("sys.monitoring"))?;
    for tool in LOOKING {
        if !monitoring.call_method1("get_tool", (tool,))?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}
