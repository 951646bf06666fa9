//! The Python classes by which functions are compiled.

use super::{
    backend::Backend,
    declared::{self, Declared},
    guard_filter::GuardFilter,
    handler::Tracing,
    history::Histories,
    listeners::Listeners,
    others::TorchOff,
    retired,
    stance::{Stance, stance},
};
use dynamo_core::trace::Dynamic;
use frame_hook::{Enabled, Handler, Uncounted};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex};

/// Compiles what is called under it, with one backend and one set of options.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct Dynamo(Arc<Tracing>);

#[pymethods]
impl Dynamo {
    #[new]
    #[pyo3(signature = (backend, *, listener=None, logs=None, dynamic=None, limit=8, fullgraph=false, declared=None,
                        guard_filter=None, symbolic=Vec::new(), caches=false, group=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python class")]
    fn new(
        backend: &Bound<'_, PyAny>,
        listener: Option<Py<PyAny>>,
        logs: Option<Py<PyAny>>,
        dynamic: Option<bool>,
        limit: usize,
        fullgraph: bool,
        declared: Option<(Py<PyAny>, Vec<declared::Row<'_>>)>,
        guard_filter: Option<Py<PyAny>>,
        symbolic: Vec<String>,
        caches: bool,
        group: Option<Py<PyAny>>,
    ) -> PyResult<Dynamo> {
        let declared = declared.map(|(code, rows)| Declared::new(code, rows)).transpose()?;
        let dynamic = match dynamic {
            None => Dynamic::Automatic,
            Some(true) => Dynamic::Always,
            Some(false) => Dynamic::Never,
        };
        let listeners = Listeners { listener, logs };
        let (history, disabled) = (Histories::default(), Mutex::default());
        let (backend, filter) = (Backend::new(backend)?, guard_filter.map(GuardFilter));
        Ok(Dynamo(Arc::new(Tracing {
            backend,
            listeners,
            dynamic,
            limit,
            fullgraph,
            declared,
            filter,
            symbolic,
            caches,
            group,
            history,
            disabled,
        })))
    }

    /// The function, compiled when it is called.
    fn wrap(&self, function: &Bound<'_, PyAny>) -> Optimized {
        let known = retired::revive(&self.0, function).ok().flatten();
        let tracing = known.unwrap_or_else(|| Arc::clone(&self.0));
        let end = tracing.group().and_then(|_| retired::End::new(function.py()).ok());
        Optimized { function: function.clone().unbind(), tracing, end }
    }
}

/// Forgets everything that was compiled, of all functions.
#[pyfunction]
pub(crate) fn reset() {
    crate::device::forget_kept();
    crate::exec::forget_frozen();
    retired::forget();
    frame_hook::reset();
}

/// Calls a function while nothing of this thread is compiled.
#[pyfunction]
#[pyo3(signature = (function, *args, **kwargs))]
pub(crate) fn call_as_it_is<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let off = Enabled::new(function.py(), None);
    let result = function.call(args, kwargs);
    drop(off);
    result
}

/// A function whose calls are compiled.
#[pyclass(frozen, dict, weakref, module = "rust_inductor._native")]
pub(crate) struct Optimized {
    function: Py<PyAny>,
    tracing: Arc<Tracing>,
    /// Whether what it was compiled to can be kept when it ends; `None` if it is not to be.
    end: Option<retired::End>,
}

#[pymethods]
impl Optimized {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let _torch = TorchOff::new(py)?;
        let handler = Arc::clone(&self.tracing) as Arc<dyn Handler>;
        let enabled = Enabled::new(py, (stance(py) != Stance::ForceEager).then_some(handler));
        let _uncounted = Uncounted::stand_in(py);
        let result = self.function.bind(py).call(args, kwargs);
        drop(enabled);
        result
    }

    /// A method, where the function is an attribute of a class.
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyAny>>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match object {
            None => Ok(slf.clone().into_any()),
            Some(object) => slf.py().import("types")?.getattr("MethodType")?.call1((slf, object)),
        }
    }

    /// Visits the objects that it refers to, for the garbage collector. All that can be in a cycle with it clears
    /// itself.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        self.end.as_ref().map_or(Ok(()), |end| end.traverse(&visit))?;
        // What several share is none of them's to tell of: the count would be wrong.
        if Arc::strong_count(&self.tracing) == 1 {
            self.tracing.backend.traverse(&visit)?;
            self.tracing.listeners.traverse(&visit)?;
            self.tracing.filter.as_ref().map_or(Ok(()), |filter| filter.traverse(&visit))?;
            visit.call(&self.tracing.group)?;
        }
        Ok(())
    }

    /// The function as it was given.
    #[getter]
    fn _torchdynamo_orig_callable(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }
}

impl Drop for Optimized {
    fn drop(&mut self) {
        if Arc::strong_count(&self.tracing) > 1 {
            return;
        }
        let Some(end) = &self.end else { return };
        Python::try_attach(|py| {
            // It may end while an exception propagates.
            let raised = PyErr::take(py);
            if end.is_whole(py) {
                // Without what cannot be kept, the next function is compiled anew.
                retired::retire(&self.tracing, self.function.bind(py)).ok();
            }
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
    }
}
