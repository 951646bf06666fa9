//! The frame hook's handler: traces a call, has its graph compiled, and installs guards and code.
//!
//! Invariant: whatever fails inside, the function runs as it is; only `fullgraph` makes that an error.

use super::{
    classify, code, constant,
    host::PyHost,
    objects::{CallObjects, Prepared, states},
};
use crate::compiler::panic_text;
use crate::fx_module;
use crate::torch::Torch;
use dynamo_core::trace::{self, Break, Capture, Dynamic, OPAQUE_BASE, Opaque};
use frame_hook::{Call, Enabled, Guard, Handler, Verdict};
use guards::{GuardKind, GuardTree, ShapeGuard};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Compiles what is called under it, with one backend and one set of options.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct Dynamo(Arc<Tracing>);

struct Tracing {
    /// `backend(graph, example_inputs, lowered)`: the graph, and the same in ATen overloads or `None`.
    backend: Py<PyAny>,
    /// Is told of each capture and of each function that runs as it is.
    listener: Option<Py<PyAny>>,
    dynamic: Dynamic,
    limit: usize,
    fullgraph: bool,
    /// What sizes and integers were, by the address of the code object.
    history: Mutex<FxHashMap<usize, History>>,
}

/// Sizes and integers of earlier calls, by their printed source.
#[derive(Default)]
struct History {
    seen: FxHashMap<String, i64>,
    changed: Vec<String>,
}

impl History {
    /// Notes what a trace has seen; true if something changed that was constant before.
    fn learn(&mut self, capture: &Capture) -> bool {
        let mut news = false;
        for &(source, value) in &capture.hints {
            let name = capture.sources.display(source).to_string();
            if *self.seen.entry(name.clone()).or_insert(value) != value && !self.changed.contains(&name) {
                self.changed.push(name);
                news = true;
            }
        }
        news
    }
}

#[pymethods]
impl Dynamo {
    #[new]
    #[pyo3(signature = (backend, *, listener=None, dynamic=None, limit=8, fullgraph=false))]
    fn new(
        backend: Py<PyAny>,
        listener: Option<Py<PyAny>>,
        dynamic: Option<bool>,
        limit: usize,
        fullgraph: bool,
    ) -> Dynamo {
        let dynamic = match dynamic {
            None => Dynamic::Automatic,
            Some(true) => Dynamic::Always,
            Some(false) => Dynamic::Never,
        };
        Dynamo(Arc::new(Tracing { backend, listener, dynamic, limit, fullgraph, history: Mutex::default() }))
    }

    /// The function, compiled when it is called.
    fn wrap(&self, function: Py<PyAny>) -> Optimized {
        Optimized { function, tracing: Arc::clone(&self.0) }
    }
}

/// Forgets everything that was compiled, of all functions.
#[pyfunction]
pub(crate) fn reset() {
    frame_hook::reset();
}

/// A function whose calls are compiled.
#[pyclass(frozen, dict, weakref, module = "rust_inductor._native")]
pub(crate) struct Optimized {
    function: Py<PyAny>,
    tracing: Arc<Tracing>,
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
        let enabled = Enabled::new(py, Some(Arc::clone(&self.tracing) as Arc<dyn Handler>));
        let result = self.function.bind(py).call(args, kwargs);
        drop(enabled);
        result
    }

    /// The function as it was given.
    #[getter]
    fn _torchdynamo_orig_callable(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }
}

impl Handler for Tracing {
    fn compile(&self, call: &Call<'_>) -> PyResult<Verdict> {
        let file: String = call.code().getattr("co_filename")?.extract()?;
        if classify::is_skipped(call.py(), &file) || file.starts_with('<') && file.contains("eval_with_key") {
            return Ok(Verdict::Skip);
        }
        match catch_unwind(AssertUnwindSafe(|| self.capture(call))) {
            Ok(Ok(verdict)) => Ok(verdict),
            Ok(Err(error)) if self.fullgraph => Err(error),
            Ok(Err(error)) => {
                let why = error.to_string();
                tracing::warn!(target: "rust_inductor", "{why}; `{file}` runs as it is");
                self.tell_skipped(call, &why)?;
                Ok(Verdict::Skip)
            }
            Err(panic) => {
                let why = format!("internal error of the tracer: {}", panic_text(panic.as_ref()));
                tracing::error!(target: "rust_inductor", "{why}");
                self.tell_skipped(call, &why)?;
                Ok(Verdict::Skip)
            }
        }
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn at_limit(&self, code: &Bound<'_, PyAny>) {
        tracing::warn!(target: "rust_inductor", "{code} was compiled {} times; it runs as it is from now on", self.limit);
    }
}

impl Tracing {
    fn capture(&self, call: &Call<'_>) -> PyResult<Verdict> {
        let py = call.py();
        let mut host = PyHost::new(py);
        let capture = match self.trace(call, &mut host) {
            Ok(capture) => capture,
            Err(ended) => {
                let why = ended.reason.to_string();
                return if self.fullgraph { Err(broken(&ended)) } else { Err(PyRuntimeError::new_err(why)) };
            }
        };
        if let (Some(ended), true) = (&capture.ended, self.fullgraph) {
            return Err(broken(ended));
        }
        let graph = self.backend_result(py, call, &capture)?;
        let code = self.write(py, call, &mut host, &capture, graph.as_ref())?;
        let guard = CallGuard::new(call, &host, &capture)?;
        self.tell(py, &capture, &guard, &code, graph.as_ref())?;
        Ok(Verdict::Replace { guard: Box::new(guard), code: code.unbind() })
    }

    /// Traces; a second time with symbols where values have changed since an earlier call.
    fn trace<'py>(&self, call: &Call<'py>, host: &mut PyHost<'py>) -> Result<Capture, Break> {
        let function = host.handle(&call.function());
        let arguments: Vec<_> =
            (0..call.slots()).map(|slot| call.argument(slot).map(|object| host.handle(&object))).collect();
        let key = call.code().as_ptr() as usize;
        let changed = self.with_history(key, |history| history.changed.clone());
        let mut options = trace::Options { dynamic: self.dynamic, changed, ..trace::Options::default() };
        let capture = trace::trace(host, function, &arguments, &options)?;
        let automatic = self.dynamic == Dynamic::Automatic;
        if !self.with_history(key, |history| history.learn(&capture)) || !automatic {
            return Ok(capture);
        }
        options.changed = self.with_history(key, |history| history.changed.clone());
        trace::trace(host, function, &arguments, &options)
    }

    fn with_history<T>(&self, code: usize, f: impl FnOnce(&mut History) -> T) -> T {
        let mut all = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        f(all.entry(code).or_default())
    }

    /// What the backend makes of the graph; `None` if there is nothing in it.
    fn backend_result<'py>(
        &self,
        py: Python<'py>,
        call: &Call<'py>,
        capture: &Capture,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if !capture.computes {
            return Ok(None);
        }
        let prepared = Prepared::new(py, &capture.sources, &call.code(), std::iter::empty())?;
        let mut objects = CallObjects { call, prepared: &prepared, torch: Torch::get(py)? };
        let read = |source| capture.sources.read(source, &mut objects);
        let inputs: Option<Vec<_>> = capture.inputs.iter().copied().map(read).collect();
        let inputs = inputs.ok_or_else(|| PyValueError::new_err("an input of the graph cannot be read again"))?;
        let graph = fx_module::Graph::from(capture.graph.clone());
        let lowered = capture.lowered.clone().map(fx_module::Graph::from);
        let made = self.backend.bind(py).call1((graph, PyList::new(py, inputs)?, lowered))?;
        Ok(Some(made))
    }

    fn write<'py>(
        &self,
        py: Python<'py>,
        call: &Call<'py>,
        host: &mut PyHost<'py>,
        capture: &Capture,
        graph: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let original = host.handle(&call.code());
        let missing = || PyValueError::new_err("the code names an object that is not there");
        let opaque = |index: u32| -> PyResult<Bound<'py, PyAny>> {
            let Some(place) = index.checked_sub(OPAQUE_BASE) else {
                return host.constant(original, index).ok_or_else(missing);
            };
            match capture.opaque.get(place as usize).ok_or_else(missing)? {
                Opaque::Graph => graph.cloned().ok_or_else(missing),
                Opaque::Object(obj) => Ok(host.object(*obj)),
                Opaque::Named(name) => named(py, name),
                Opaque::Constant(value) => constant::write(py, value),
            }
        };
        code::write(py, &capture.code, &opaque)
    }

    fn tell<'py>(
        &self,
        py: Python<'py>,
        capture: &Capture,
        guard: &CallGuard,
        code: &Bound<'py, PyAny>,
        graph: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let event = PyDict::new(py);
        event.set_item("graph", capture.computes.then(|| fx_module::Graph::from(capture.graph.clone())))?;
        event.set_item("compiled", graph)?;
        let sources = guard.tree.sources();
        let texts: Vec<String> = guard.tree.guards().iter().map(|guard| guard.text(sources)).collect();
        event.set_item("guards", texts)?;
        event.set_item("code", code)?;
        let ended = capture.ended.as_ref();
        event.set_item("break_reason", ended.map(|ended| ended.reason.to_string()))?;
        event.set_item("line", ended.map(|ended| ended.line))?;
        event.set_item("stack", ended.map(|ended| ended.stack.clone()))?;
        listener.bind(py).call1((event,)).map(drop)
    }

    fn tell_skipped(&self, call: &Call<'_>, why: &str) -> PyResult<()> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let event = PyDict::new(call.py());
        event.set_item("skipped", why)?;
        event.set_item("code", call.code())?;
        listener.bind(call.py()).call1((event,)).map(drop)
    }
}

/// The error that `fullgraph` makes of a graph's end.
fn broken(ended: &Break) -> PyErr {
    let lines: String =
        ended.stack.iter().map(|(file, line, name)| format!("\n  File \"{file}\", line {line}, in {name}")).collect();
    PyRuntimeError::new_err(format!("{}{lines}", ended.reason))
}

/// A builtin, a class of `types`, or something of torch's, by its dotted name.
fn named<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Some(method) = name.strip_prefix("Tensor.") {
        return Torch::get(py)?.tensor.bind(py).getattr(method);
    }
    if let Some(path) = name.strip_prefix("builtins.") {
        return path.split('.').try_fold(py.import("builtins")?.into_any(), |owner, part| owner.getattr(part));
    }
    match name.rsplit_once('.') {
        Some((owner @ ("str" | "int" | "float"), method)) => py.import("builtins")?.getattr(owner)?.getattr(method),
        Some((owner, member)) if owner == "types" => py.import(owner)?.getattr(member),
        _ => fx_module::function(py, name),
    }
}

/// The guards of one trace, over the calls of one code object.
struct CallGuard {
    tree: GuardTree,
    prepared: Prepared,
}

impl CallGuard {
    fn new(call: &Call<'_>, host: &PyHost<'_>, capture: &Capture) -> PyResult<CallGuard> {
        let py = call.py();
        let torch = Torch::get(py)?;
        let mut sources = capture.sources.clone();
        let mut all = capture.guards.clone();
        let global = sources.global_state();
        all.extend(states(py, torch).into_iter().map(|state| guards::Guard::new(global, GuardKind::Global(state))));
        let mut env = capture.env.clone();
        let solved = env.solve().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let shapes = ShapeGuard::new(&env, &solved, &sources);
        if let Some(first) = shapes.reads.first() {
            all.push(guards::Guard::new(first.source, GuardKind::ShapeEnv(Box::new(shapes))));
        }
        let tree = GuardTree::new(sources, all).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let prepared = Prepared::new(py, tree.sources(), &call.code(), host.named())?;
        Ok(CallGuard { tree, prepared })
    }
}

impl Guard for CallGuard {
    fn holds(&self, call: &Call<'_>) -> PyResult<bool> {
        Python::attach(|_| {
            let torch = Torch::get(call.py())?;
            let mut objects = CallObjects { call, prepared: &self.prepared, torch };
            Ok(self.tree.check(&mut objects))
        })
    }
}
