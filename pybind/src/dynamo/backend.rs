//! Backends: the input that one is given of a capture, and its answer.
//!
//! A backend that is [described](Backend::described) to gets what torch's Dynamo would give it: the symbols of sizes as
//! inputs of the graph, and [`Facts`], of which `_fakes.py` makes torch's own environment. What it assumed while it
//! compiled comes back through the same facts.
//!
//! Invariant: an assumption that cannot be checked on a later call is never dropped: the backend is asked again with
//! constant sizes.

use super::check::Check;
use super::facts::{Assumed, Facts};
use super::keeps_mode::{KeepsMode, Modes};
use super::lift::{self, Input};
use super::not_captured::NotCaptured;
use super::objects::{CallObjects, Prepared};
use crate::fx_module;
use crate::torch::Torch;
use dynamo_core::trace::Capture;
use frame_hook::{Call, Enabled};
use fx::{Meta, NodeId};
use guards::{Source, SourceId, Step, TensorProperty};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyTuple};
use symshapes::Policy;

/// A compiler of graphs.
pub(super) struct Backend {
    /// `backend(graph, inputs, lowered)`, for our own with the numbers of its weights; or
    /// `backend(graph, inputs, facts)` for one that is described to.
    compiler: Py<PyAny>,
    described: bool,
    /// True if what it raises is the program's to see; else the function runs as it is.
    is_blamed: bool,
    /// The one that is described to, for graphs of which the compiler says that it cannot take them as they are.
    through: Option<Py<PyAny>>,
}

/// A graph that was compiled.
pub(super) struct Compiled<'py> {
    /// The function that the code calls; `None` if there is nothing in the graph.
    pub(super) function: Option<Bound<'py, PyAny>>,
    /// The assumptions that have to hold for it, in addition to the trace's guards.
    pub(super) assumed: Assumed,
}

/// The answers of a backend.
pub(super) enum Answer<'py> {
    Compiled(Box<Compiled<'py>>),
    /// It assumed something about the numbers that cannot be checked, or cannot take their symbols.
    Unguarded,
    /// The function is to run as it is.
    Declined,
}

impl<'py> Answer<'py> {
    fn compiled(function: Option<Bound<'py, PyAny>>, assumed: Assumed) -> Answer<'py> {
        Answer::Compiled(Box::new(Compiled { function, assumed }))
    }
}

impl Backend {
    /// The backend that Python calls; one with a true attribute `described` is given facts.
    pub(super) fn new(compiler: &Bound<'_, PyAny>) -> PyResult<Backend> {
        let is = |flag| -> PyResult<bool> { compiler.getattr_opt(flag)?.map_or(Ok(false), |flag| flag.is_truthy()) };
        let (described, is_blamed) =
            (is(intern!(compiler.py(), "described"))?, is(intern!(compiler.py(), "is_blamed"))?);
        let through = compiler.getattr_opt(intern!(compiler.py(), "through"))?.map(Bound::unbind);
        Ok(Backend { compiler: compiler.clone().unbind(), described, is_blamed, through })
    }

    /// True if inference mode in a graph is in force when the graph runs. Our own compiler runs none of torch's modes.
    pub(super) fn runs_modes(&self) -> bool {
        self.through.is_none()
    }

    /// Visits the objects that it refers to, for the garbage collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.compiler)
    }

    /// Has a capture's graph compiled.
    pub(super) fn compile<'py>(&self, call: &Call<'py>, capture: &Capture) -> Result<Answer<'py>, NotCaptured> {
        if !capture.computes {
            return Ok(Answer::compiled(None, Assumed::of(capture)));
        }
        let inputs = inputs(call, capture)?;
        // A compiler may run the graph, and fail while it does.
        let before = if capture.sets_mode { Some(Modes::now(call.py(), capture.sets_attention)?) } else { None };
        let answer = self.ask(call, inputs, capture);
        if let (Err(_), Some(before)) = (&answer, before) {
            before.restore().unwrap_or_default();
        }
        let mut answer = answer?;
        if let (Answer::Compiled(compiled), true) = (&mut answer, capture.sets_mode)
            && let Some(function) = compiled.function.take()
        {
            compiled.function =
                Some(Bound::new(call.py(), KeepsMode::new(function.unbind(), capture.sets_attention))?.into_any());
        }
        Ok(answer)
    }

    fn ask<'py>(
        &self,
        call: &Call<'py>,
        inputs: Vec<Bound<'py, PyAny>>,
        capture: &Capture,
    ) -> Result<Answer<'py>, NotCaptured> {
        if self.described {
            return describe(self.compiler.bind(call.py()), inputs, capture);
        }
        let py = call.py();
        let lowered = capture.lowered.clone().map(fx_module::Graph::from);
        let graph = fx_module::Graph::from(capture.graph.clone());
        let (compiler, given) = (self.compiler.bind(py), PyList::new(py, &inputs)?);
        let made = match self.through {
            Some(_) => compiler.call1((graph, given, lowered, weights(capture))),
            None => compiler.call1((graph, given, lowered)),
        };
        let made = made.map_err(|error| match self.is_blamed {
            true => NotCaptured::Backend(error),
            false => NotCaptured::Failed(error),
        })?;
        if made.is(py.NotImplemented()) {
            return match &self.through {
                Some(through) => describe(through.bind(py), inputs, capture),
                None => Ok(Answer::Unguarded),
            };
        }
        let mut assumed = Assumed::of(capture);
        let Ok(checked) = made.cast::<PyTuple>() else { return Ok(Answer::compiled(Some(made), assumed)) };
        let (function, test, text): (Bound<'py, PyAny>, Py<PyAny>, String) = checked.extract()?;
        assumed.checks.push(Check::new(test, text, capture.inputs.clone()));
        Ok(Answer::compiled(Some(function), assumed))
    }
}

/// The inputs, by number, that are parameters or buffers of modules.
fn weights(capture: &Capture) -> Vec<usize> {
    let sources = &capture.sources;
    let is_weight = |id: SourceId| match sources[id] {
        Source::Step { base, step: Step::Item(_) } => match sources[base] {
            Source::Step { step: Step::Attr(name) | Step::GenericAttr(name), .. } => {
                ["_parameters", "_buffers"].contains(&&*sources.strings()[name])
            }
            _ => false,
        },
        _ => false,
    };
    capture.inputs.iter().enumerate().filter(|&(_, &id)| is_weight(id)).map(|(at, _)| at).collect()
}

/// Has a graph compiled by a compiler that is described to: it is told what torch's Dynamo would tell.
fn describe<'py>(
    compiler: &Bound<'py, PyAny>,
    inputs: Vec<Bound<'py, PyAny>>,
    capture: &Capture,
) -> Result<Answer<'py>, NotCaptured> {
    let py = compiler.py();
    let (lifted, facts, places) = with_facts(py, &inputs, capture)?;
    let made = compiler.call1((lifted, PyList::new(py, inputs)?, &facts));
    let made = made.map_err(|error| facts.get().failure(error))?;
    if made.is_none() {
        return Ok(Answer::Declined);
    }
    let Some(assumed) = facts.get().finish(capture) else { return Ok(Answer::Unguarded) };
    let function = Bound::new(py, GraphCall { function: made.unbind(), places })?.into_any();
    Ok(Answer::compiled(Some(function), assumed))
}

/// A capture's graph with the symbols of sizes as inputs, the facts that torch's Dynamo would tell of it, and the
/// origin of each input.
fn with_facts<'py>(
    py: Python<'py>,
    inputs: &[Bound<'py, PyAny>],
    capture: &Capture,
) -> PyResult<(fx_module::Graph, Bound<'py, Facts>, Vec<Input>)> {
    let mut graph = capture.graph.clone();
    let mut assumed = Assumed::of(capture);
    place_in_storage(&mut graph, &mut assumed, inputs, capture)?;
    let mut origins = capture.origins.clone();
    let places = lift::sizes(&mut graph, &mut origins, &capture.inputs, &capture.sources);
    let lifted = fx_module::Graph::from(graph.clone());
    Ok((lifted, Bound::new(py, Facts::new(graph, origins, &places, capture, assumed))?, places))
}

/// The arguments that a described backend would be given for a capture: the graph, its inputs, the facts.
pub(super) fn described<'py>(call: &Call<'py>, capture: &Capture) -> PyResult<Bound<'py, PyTuple>> {
    let py = call.py();
    let inputs = inputs(call, capture)?;
    let (lifted, facts, _) = with_facts(py, &inputs, capture)?;
    (lifted, PyList::new(py, inputs)?, facts).into_pyobject(py)
}

/// Makes symbols of the storage offsets of inputs with symbolic sizes. The tracer's own graphs do not depend on them.
fn place_in_storage(
    graph: &mut fx::Graph,
    assumed: &mut Assumed,
    inputs: &[Bound<'_, PyAny>],
    capture: &Capture,
) -> PyResult<()> {
    let placeholders: Vec<NodeId> = graph.placeholders().collect();
    for ((node, &tensor), input) in placeholders.into_iter().zip(&capture.inputs).zip(inputs) {
        let Some(Meta::Tensor(mut meta)) = graph[node].meta.clone() else { continue };
        if meta.exprs().any(|expr| graph.exprs.as_int(expr).is_none()) {
            let hint = input.call_method0(intern!(input.py(), "storage_offset"))?.extract()?;
            let source = assumed.sources.step(tensor, Step::Tensor(TensorProperty::StorageOffset));
            meta.offset = assumed.env.storage_offset(source.into(), hint, Policy::Dynamic);
        }
        graph[node].meta = Some(Meta::Tensor(meta));
    }
    lift::simplify(graph, &mut assumed.env);
    Ok(())
}

/// The values of the graph's inputs in the call.
fn inputs<'py>(call: &Call<'py>, capture: &Capture) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = call.py();
    let prepared = Prepared::new(py, &capture.sources, &call.code(), std::iter::empty(), 0)?;
    let mut objects = CallObjects::new(call, &prepared, Torch::get(py)?);
    let read = |source| capture.sources.read(source, &mut objects);
    let inputs: Option<Vec<_>> = capture.inputs.iter().copied().map(read).collect();
    let inputs = inputs.ok_or_else(|| PyValueError::new_err("an input of the graph cannot be read again"))?;
    let as_tensor = Torch::get(py)?.find(py, "_as_tensor_fullprec")?;
    let given = |input: Bound<'py, PyAny>| match input.is_exact_instance_of::<PyFloat>() {
        true => as_tensor.call1((input,)),
        false => Ok(input),
    };
    inputs.into_iter().map(given).collect()
}

/// True beneath the frames of torch's compilers: a backward graph is compiled when it first runs, which may be within a
/// function that we have compiled.
pub(super) fn is_at_work(py: Python<'_>) -> PyResult<bool> {
    let mut frame = py.import("sys")?.getattr("_getframe")?.call0()?;
    while !frame.is_none() {
        let file: String = frame.getattr(intern!(py, "f_code"))?.getattr(intern!(py, "co_filename"))?.extract()?;
        if file.contains("/torch/_functorch/_aot_autograd/") || file.contains("/torch/_inductor/") {
            return Ok(true);
        }
        frame = frame.getattr(intern!(py, "f_back"))?;
    }
    Ok(false)
}

/// A compiled graph that takes its symbols as inputs, and into which the frame hook does not look.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct GraphCall {
    function: Py<PyAny>,
    places: Vec<Input>,
}

#[pymethods]
impl GraphCall {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let _off = Enabled::new(py, None);
        let function = self.function.bind(py);
        if self.places.iter().all(|place| matches!(place, Input::Given(_))) {
            return function.call(args, kwargs);
        }
        let values = self.places.iter().map(|place| place.of(args)).collect::<PyResult<Vec<_>>>()?;
        function.call(PyTuple::new(py, values)?, kwargs)
    }

    /// The function that the backend made.
    #[getter]
    fn function(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }
}
