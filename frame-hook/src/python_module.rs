//! The hook as a Python module: for tests, and for whoever writes a handler in Python.
//!
//! ```python
//! # handler(code, locals, globals, function) -> None | False | (guard | None, code)
//! # guard(locals) -> bool, or a tuple for the replacement's last parameter
//! with frame_hook.Hook(handler, limit=8):
//!     f(1)
//! ```

use crate::{Call, Enabled, Fit, Guard, Handler, Verdict};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A handler written in Python.
struct PythonHandler {
    callback: Py<PyAny>,
    limit: usize,
    at_limit: AtomicUsize,
}

impl Handler for PythonHandler {
    fn compile(&self, call: &Call<'_>, _failed: &[Rc<dyn Guard>]) -> PyResult<Verdict> {
        let arguments = (call.code(), call.locals()?, call.globals(), call.function());
        let answer = self.callback.bind(call.py()).call1(arguments)?;
        if answer.is_none() {
            return Ok(Verdict::Skip);
        }
        if answer.is(PyBool::new(call.py(), false)) {
            return Ok(Verdict::SkipAll);
        }
        let (guard, code): (Option<Py<PyAny>>, Py<PyAny>) = answer.extract()?;
        Ok(Verdict::Replace { guard: Box::new(PythonGuard(guard)), code })
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn at_limit(&self, _call: &Call<'_>, _failed: &[Rc<dyn Guard>], first: bool) -> PyResult<()> {
        self.at_limit.fetch_add(usize::from(first), Ordering::Relaxed);
        Ok(())
    }
}

/// A guard written in Python; none always holds.
struct PythonGuard(Option<Py<PyAny>>);

impl Guard for PythonGuard {
    fn fit<'py>(&self, call: &Call<'py>) -> PyResult<Fit<'py>> {
        let Some(guard) = &self.0 else { return Ok(Fit::Yes(None)) };
        Python::attach(|_| {
            let answer = guard.bind(call.py()).call1((call.locals()?,))?;
            Ok(match answer.is_truthy()? {
                false => Fit::No,
                true => Fit::Yes(answer.is_instance_of::<PyTuple>().then_some(answer)),
            })
        })
    }
}

/// Shows calls to a handler, within `with` and in the thread that entered it.
#[pyclass(frozen, unsendable)]
struct Hook {
    handler: Arc<PythonHandler>,
    enabled: RefCell<Vec<Enabled>>,
}

#[pymethods]
impl Hook {
    #[new]
    #[pyo3(signature = (callback, limit=8))]
    fn new(callback: Py<PyAny>, limit: usize) -> Hook {
        let handler = PythonHandler { callback, limit, at_limit: AtomicUsize::new(0) };
        Hook { handler: Arc::new(handler), enabled: RefCell::default() }
    }

    fn __enter__(&self, py: Python<'_>) {
        let enabled = Enabled::new(py, Some(Arc::clone(&self.handler) as Arc<dyn Handler>));
        self.enabled.borrow_mut().push(enabled);
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyAny>) -> PyResult<()> {
        let enabled = self.enabled.borrow_mut().pop();
        enabled.map(drop).ok_or_else(|| PyRuntimeError::new_err("the hook was not entered"))
    }

    /// The number of code objects that have reached the limit.
    #[getter]
    fn at_limit(&self) -> usize {
        self.handler.at_limit.load(Ordering::Relaxed)
    }
}

/// Shows this thread's calls to nobody, within `with`.
#[pyclass(frozen, unsendable)]
struct Off(RefCell<Vec<Enabled>>);

#[pymethods]
impl Off {
    #[new]
    fn new() -> Off {
        Off(RefCell::default())
    }

    fn __enter__(&self, py: Python<'_>) {
        let enabled = Enabled::new(py, None);
        self.0.borrow_mut().push(enabled);
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyAny>) {
        let enabled = self.0.borrow_mut().pop();
        drop(enabled);
    }
}

#[pymodule]
mod frame_hook {
    #[pymodule_export]
    use super::{Hook, Off};

    use pyo3::prelude::*;

    /// Whether the hook is installed in the interpreter.
    #[pyfunction]
    fn installed() -> bool {
        crate::eval::is_installed()
    }

    /// Marks a code object as that of a resume function.
    #[pyfunction]
    fn mark_resume(code: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::mark_resume(code)
    }

    /// Forgets all that is known of any code.
    #[pyfunction]
    fn reset() {
        crate::reset();
    }
}
