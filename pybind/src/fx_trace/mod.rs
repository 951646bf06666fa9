//! `symbolic_trace`: the graph of a plain module or function, found by running it on proxies.
//!
//! Leaf modules (those of `torch.nn`, containers apart) become `call_module`, parameters `get_attr`, operators and
//! torch functions `call_function`, methods `call_method`. What depends on a value (a branch, a loop, a length) cannot
//! be recorded: it raises `torch.fx.proxy.TraceError` with the user's line.
//!
//! Not done, of what `torch.fx` does: `concrete_args`, functions marked with `torch.fx.wrap`, functions of `math`.

mod args;
mod patch;
mod proxy;
mod signature;

use crate::fx_module::{Graph, Objects};
use crate::names::{function_target, type_text};
use fx::{Arg, Kind, NodeId};
use patch::Patch;
use pyo3::exceptions::{PyNameError, PyRuntimeError};
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// Adds tracing to the submodule `fx`.
pub(crate) fn register(fx: &Bound<'_, PyModule>) -> PyResult<()> {
    fx.add_class::<proxy::Proxy>()?;
    fx.add_function(wrap_pyfunction!(symbolic_trace, fx)?)
}

/// Records what `root`, a module or a function, does with its arguments.
#[pyfunction]
pub(crate) fn symbolic_trace(root: &Bound<'_, PyAny>) -> PyResult<Graph> {
    let py = root.py();
    let tracer = Bound::new(py, Tracer::new(root)?)?;
    let signature::Prepared { function, args, returns } = signature::prepare(&tracer, root)?;
    let result = {
        let _patch = Patch::install(&tracer)?;
        function.call1(args)?
    };
    let value = tracer.get().arg(&tracer, &result)?;
    let output = tracer.get().push(Kind::Output, "output", vec![value], vec![])?;
    tracer.get().state_type(output, returns)?;
    tracer.get().finish()
}

/// The recording.
#[pyclass(frozen)]
pub(crate) struct Tracer {
    /// Paths of the root's parts, by the address of the part; the root keeps them alive.
    modules: FxHashMap<usize, String>,
    parameters: FxHashMap<usize, String>,
    buffers: FxHashMap<usize, String>,
    /// Other tensors among the attributes of the root's modules.
    attributes: FxHashMap<usize, String>,
    root: Py<PyAny>,
    /// `None` once the trace is over. Never locked while Python runs.
    recording: Mutex<Option<Recording>>,
}

#[derive(Default)]
struct Recording {
    graph: fx::Graph,
    objects: Objects,
    /// The one node of each parameter that was fetched as an attribute.
    fetched: FxHashMap<usize, NodeId>,
}

/// The arguments of a node.
type Kwargs = Vec<(String, Arg)>;

impl Tracer {
    fn new(root: &Bound<'_, PyAny>) -> PyResult<Tracer> {
        let is_module = root.is_instance(&root.py().import("torch.nn")?.getattr("Module")?)?;
        let paths = |method| if is_module { paths(root, method) } else { Ok(FxHashMap::default()) };
        Ok(Tracer {
            modules: paths("named_modules")?,
            parameters: paths("named_parameters")?,
            buffers: paths("named_buffers")?,
            attributes: if is_module { args::tensor_attributes(root)? } else { FxHashMap::default() },
            root: root.clone().unbind(),
            recording: Mutex::new(Some(Recording::default())),
        })
    }

    /// Does something to the recording, which must still be on.
    fn record<T>(&self, f: impl FnOnce(&mut Recording) -> T) -> PyResult<T> {
        let mut guard = self.recording.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let over = || PyRuntimeError::new_err("a proxy was used after the trace that made it");
        guard.as_mut().map(f).ok_or_else(over)
    }

    fn push(&self, kind: Kind, target: &str, args: Vec<Arg>, kwargs: Kwargs) -> PyResult<NodeId> {
        self.record(|r| r.graph.push(kind, target, args, kwargs, None))
    }

    /// Notes the type that the program states for a value, if it states one.
    fn state_type(&self, id: NodeId, stated: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(stated) = stated else { return Ok(()) };
        let Some(text) = type_text(&stated)? else { return Ok(()) };
        let stated = stated.unbind();
        self.record(|r| {
            r.graph[id].type_expr = Some(text);
            r.objects.types.insert(id, stated);
        })
    }

    /// Records the call of a Python function.
    fn push_function(&self, callable: &Bound<'_, PyAny>, args: Vec<Arg>, kwargs: Kwargs) -> PyResult<NodeId> {
        let target = function_target(callable)?;
        // What cannot be named by a path is still called by what Python calls it.
        let hint: Option<String> = callable.getattr("__name__").and_then(|n| n.extract()).ok();
        let hint = hint.map(|name| fx::target::snake_case(&name));
        let callable = callable.clone().unbind();
        self.record(|r| {
            let id = r.graph.push(Kind::CallFunction, target, args, kwargs, hint.as_deref());
            r.objects.callables.insert(id, callable);
            id
        })
    }

    /// The proxy of a parameter that is fetched as an attribute; `None` if the root does not own it.
    fn parameter(&self, parameter: &Bound<'_, PyAny>) -> PyResult<Option<NodeId>> {
        let key = parameter.as_ptr() as usize;
        let Some(path) = self.parameters.get(&key) else { return Ok(None) };
        let fetch = |r: &mut Recording| *r.fetched.entry(key).or_insert_with(|| r.graph.get_attr(path.clone()));
        self.record(fetch).map(Some)
    }

    /// The path of a module in the root.
    fn module_path(&self, module: &Bound<'_, PyAny>) -> PyResult<&str> {
        let path = self.modules.get(&(module.as_ptr() as usize));
        path.map(String::as_str).ok_or_else(|| PyNameError::new_err("module is not installed as a submodule"))
    }

    fn finish(&self) -> PyResult<Graph> {
        let mut guard = self.recording.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match guard.take() {
            Some(Recording { graph, objects, .. }) => Ok(Graph { graph, objects }),
            None => Err(PyRuntimeError::new_err("the trace is over")),
        }
    }
}

/// Paths by address, from `named_modules()` or one of its kin.
fn paths(root: &Bound<'_, PyAny>, method: &str) -> PyResult<FxHashMap<usize, String>> {
    let mut paths = FxHashMap::default();
    for item in root.call_method0(method)?.try_iter()? {
        let (path, part): (String, Bound<'_, PyAny>) = item?.extract()?;
        paths.entry(part.as_ptr() as usize).or_insert(path);
    }
    Ok(paths)
}
