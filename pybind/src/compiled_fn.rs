//! The callable that torch gets for a graph.
//!
//! A graph is compiled once, for all sizes. What remains to do for given sizes (allotting memory, strides of views) is
//! done when they are first met and kept, up to a bound. A graph that cannot be compiled runs as it is. Invariant:
//! whatever happens inside, the caller sees either the graph's outputs or the exception that the graph itself would
//! raise, never a crash. What a kernel or a library has met may be told otherwise than the operator does: the graph is
//! run as it is, then.

use crate::compiler::{Compiled, compile, describe, panic_text};
use crate::device::Wgpu;
use crate::exec::{Outcome, Program};
use crate::fallback_plan::mutates;
use crate::fx_module::Graph;
use crate::import::{Imported, Roles, import};
use crate::options::Options;
use crate::recording;
use crate::remarks;
use crate::result_views::{ResultRows, Written, results};
use crate::symbols::{Symbols, Values};
use crate::torch::Torch;
use fx::aten::autocast::{self, Cast};
use fx::aten::{Aten, Packet, rules::Rule};
use fx::custom_gradient::forget_custom_gradients;
use fx::markers::marker;
use fx::passes::{NotFunctional, functionalize, spell_sizes};
use fx::pending::carry_out;
use inductor::plan::{CallKind, Plan, Step};
use pyo3::exceptions::{PyException, PyNotImplementedError, PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symshapes::DeviceKind;

/// The maximum number of sets of sizes that a graph is kept prepared for.
const MOST_PREPARED: usize = 64;

/// A compiled graph.
#[pyclass(frozen, dict, weakref, module = "rust_inductor._native")]
pub(crate) struct CompiledFn {
    module: Module,
    options: Options,
    imported: Imported,
    import_time: Duration,
    kind: Kind,
    recording: Recording,
}

/// Whether calls are recorded as CUDA graphs.
enum Recording {
    /// Nobody asked for it.
    No,
    /// They cannot be, for this reason.
    Impossible(String),
    /// By this `Recorder`. The programs whose calls were recorded are kept as long as the recordings.
    By(Py<PyAny>, Mutex<Vec<Arc<Program>>>),
}

impl Recording {
    fn of(py: Python<'_>, imported: &Imported, kind: &Kind, options: &Options) -> PyResult<Recording> {
        if !options.cuda_graphs {
            return Ok(Recording::No);
        }
        let (Kind::Static { compiled, .. } | Kind::Dynamic { compiled, .. }) = kind else {
            return Ok(Recording::Impossible("the graph runs as it is".to_owned()));
        };
        let device = match recording::device(&imported.graph, compiled, options) {
            Ok(device) => device,
            Err(why) => return Ok(Recording::Impossible(why)),
        };
        let module = py.import("rust_inductor._cuda_graphs")?;
        let device = module.getattr("Cuda")?.call1((device,))?;
        let recorder = module.getattr("Recorder")?.call1((imported.roles.weights.clone(), device))?;
        Ok(Recording::By(recorder.unbind(), Mutex::default()))
    }
}

/// The `GraphModule`.
enum Module {
    /// Given by torch.
    Given(Py<PyAny>),
    /// Made of a graph of ours, once it is needed.
    Of(Py<Graph>, PyOnceLock<Py<PyAny>>),
}

impl Module {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Module::Given(module) => Ok(module.bind(py).clone()),
            Module::Of(graph, made) => {
                let make = || graph.get().graph_module(&py.import("torch.nn")?.getattr("Module")?.call0()?, false);
                made.get_or_try_init(py, || make().map(Bound::unbind)).map(|module| module.bind(py).clone())
            }
        }
    }
}

enum Kind {
    /// All shapes are constant.
    Static { compiled: Box<Compiled>, program: Box<Program> },
    /// Prepared for each set of sizes, the latest last.
    Dynamic { compiled: Box<Compiled>, symbols: Symbols, prepared: Mutex<Vec<(Values, Arc<Program>)>> },
    /// Runs as it is; the text says why.
    Eager(String),
}

/// Compiles a graph module; `weights` are the inputs, by number, that are parameters or buffers of a module, the
/// outputs from `saved_from` on are for a backward graph alone, and who calls a graph that `spends` gives its inputs
/// away.
#[pyfunction]
#[pyo3(signature = (module, options=None, *, weights=Vec::new(), saved_from=None, spends=false))]
pub(crate) fn compile_graph(
    module: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
    weights: Vec<usize>,
    saved_from: Option<usize>,
    spends: bool,
) -> PyResult<CompiledFn> {
    let py = module.py();
    let options = Options::parse(options)?.filling(Torch::get(py)?.fills_memory(py)?);
    let start = Instant::now();
    let imported = Imported { roles: Roles { weights, saved_from, spends }, ..import(module)? };
    let import_time = start.elapsed();
    let device = options.device()?;
    let kind = match kind(py, &imported, &options, device) {
        Ok(kind) => kind,
        Err(error) if options.is_strict() => return Err(error),
        Err(error) => Kind::Eager(error.value(py).to_string()),
    };
    let module = Module::Given(module.clone().unbind());
    let recording = Recording::of(py, &imported, &kind, &options)?;
    Ok(CompiledFn { module, options, imported, import_time, kind, recording })
}

/// Compiles a graph of ATen overloads that our own Dynamo captured; `graph` is the same in torch's names, which runs
/// where the compiled one cannot, `weights` are the inputs, by number, that are parameters or buffers of a module.
/// Without `graph`, the graph of overloads runs there. Gives how results are made of its outputs, too, the inputs that
/// it writes to, which must not share memory then, and the outputs that were written to.
///
/// # Errors
/// A `ValueError` where AOTAutograd has to look after memory: the graph writes in a way that is not understood, or a
/// result is a view whose place is not known; a `NotImplementedError` where it has to run as it is.
#[pyfunction]
#[pyo3(signature = (lowered, graph, options=None, *, weights=Vec::new()))]
pub(crate) fn compile_lowered(
    lowered: &Bound<'_, Graph>,
    graph: Option<&Bound<'_, Graph>>,
    options: Option<&Bound<'_, PyDict>>,
    weights: Vec<usize>,
) -> PyResult<(Py<CompiledFn>, ResultRows, Written, Written)> {
    let py = lowered.py();
    let options = Options::parse(options)?.filling(Torch::get(py)?.fills_memory(py)?);
    let start = Instant::now();
    let refused = |why: String| PyValueError::new_err(why);
    let original = &lowered.get().graph;
    let functional = functionalize(original).map_err(|error| not_functional(&error))?;
    let remarks = remarks::functionalized(original, &functional);
    let mut lowered = options.drawn(functional.graph);
    forget_custom_gradients(&mut lowered);
    // Where nothing is recorded, whether it would be says nothing.
    let markers: FxHashSet<_> = lowered.nodes().filter(|&id| marker(&lowered, id).is_some()).collect();
    lowered.retain(|id| !markers.contains(&id));
    let is_unknown = |op: Aten| op.rule().is_none() && !op.traits().random;
    let mut lowered = autograd::take_apart(lowered, |graph, id| graph[id].op().is_some_and(is_unknown));
    let (written, rewritten) = (functional.written, functional.rewritten);
    let pending =
        carry_out(&mut lowered).map_err(|name| refused(format!("%{name} may be conjugated when it is read")))?;
    let results = results(py, &lowered, &functional.results, &pending, original)?;
    let roles = Roles { weights, saved_from: None, spends: false };
    let compiled = match graph {
        Some(graph) => {
            let module = Module::Of(graph.clone().unbind(), PyOnceLock::new());
            CompiledFn::of_graph(py, lowered, module, options, roles, start.elapsed())?
        }
        None => CompiledFn::of_overloads(py, lowered, options, roles, start.elapsed())?,
    };
    Ok((compiled.with_remarks(py, remarks)?, results, written, rewritten))
}

/// The error for a graph that has to run as it is, or that AOTAutograd has to take.
pub(crate) fn not_functional(error: &NotFunctional) -> PyErr {
    let text = error.to_string();
    if error.eager_only { PyNotImplementedError::new_err(text) } else { PyValueError::new_err(text) }
}

/// A graph of our own Dynamo's that runs as it is, for a reason; `lowered` is the same in ATen overloads.
#[pyfunction]
pub(crate) fn graph_as_it_is(
    py: Python<'_>,
    graph: &Bound<'_, Graph>,
    lowered: &Bound<'_, Graph>,
    reason: String,
) -> PyResult<CompiledFn> {
    let module = Module::Of(graph.clone().unbind(), PyOnceLock::new());
    let imported = Imported::of_graph(py, lowered.get().graph.clone())?;
    let (options, import_time) = (Options::parse(None)?, Duration::ZERO);
    Ok(CompiledFn { module, options, imported, import_time, kind: Kind::Eager(reason), recording: Recording::No })
}

/// True for an ATen overload that a library does best, by the compiler's table.
#[pyfunction]
pub(crate) fn is_for_library(target: &str) -> bool {
    // What a device lays out is a library's, though composed of others.
    let is_of_library = |op: Aten| matches!(op.rule(), Some(Rule::Extern(_))) || op.traits().device_layout;
    Aten::named(target).is_some_and(is_of_library)
}

/// The cast policy of automatic mixed precision for an ATen overload on a kind of device, by the tracer's table; where
/// the operator has no such overload, that of its first.
#[pyfunction]
pub(crate) fn autocast_policy(target: &str, device: &str) -> String {
    let kinds = [DeviceKind::Cpu, DeviceKind::Cuda];
    let kind = kinds.into_iter().find(|kind| kind.name() == device).unwrap_or(DeviceKind::Other);
    let first = || Packet::named(target.strip_prefix("aten.")?.split('.').next()?)?.overloads().next();
    let cast = Aten::named(target).or_else(first).map_or(Cast::Unknown, |op| autocast::cast(op, kind));
    format!("{cast:?}")
}

fn kind(py: Python<'_>, imported: &Imported, options: &Options, device: Option<Arc<Wgpu>>) -> PyResult<Kind> {
    if let Some(why) = &imported.obstacle {
        return Err(PyRuntimeError::new_err(why.clone()));
    }
    let mut compiled = Box::new(compile(py, imported, options, device)?);
    let symbols = Symbols::of(&imported.graph);
    if !symbols.is_empty() {
        return Ok(Kind::Dynamic { compiled, symbols, prepared: Mutex::default() });
    }
    let start = Instant::now();
    let program =
        Box::new(compiled.program(py, imported, &|_| None, &|error| PyRuntimeError::new_err(error.to_string()))?);
    compiled.stages.push(("prepare", start.elapsed()));
    Ok(Kind::Static { compiled, program })
}

#[pymethods]
impl CompiledFn {
    #[pyo3(signature = (*args))]
    fn __call__<'py>(slf: &Bound<'py, CompiledFn>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (args.py(), slf.get());
        let mut taken: SmallVec<[Bound<'py, PyAny>; 16]> = SmallVec::new();
        match boxed(args) {
            Some(list) => {
                taken.extend(list.iter());
                list.del_slice(0, list.len())?;
            }
            None => taken.extend(args.iter()),
        }
        if let Recording::By(recorder, _) = &this.recording {
            let call = slf.getattr(intern!(py, "run_to_record"))?;
            let results = recorder.bind(py).call1((call, PyList::new(py, &taken)?))?;
            if !results.is_none() {
                return Ok(results);
            }
        }
        this.run_caught(py, &mut taken)
    }

    /// Runs the graph on a list of arguments. The program for their sizes is kept as long as the graph: what it
    /// launches may be recorded.
    fn run_to_record<'py>(&self, args: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
        let (py, mut taken): (_, SmallVec<[Bound<'py, PyAny>; 16]>) = (args.py(), args.iter().collect());
        if let (Kind::Dynamic { compiled, symbols, prepared }, Recording::By(_, kept)) = (&self.kind, &self.recording)
            && let Some(program) = self.prepared(py, &taken, compiled, symbols, prepared)?
        {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(program);
        }
        self.run_caught(py, &mut taken)
    }

    /// Whether calls are recorded as a CUDA graph, in words; `None` if nobody asked for it.
    #[getter]
    fn cuda_graph(&self, py: Python<'_>) -> PyResult<Option<String>> {
        match &self.recording {
            Recording::No => Ok(None),
            Recording::Impossible(why) => Ok(Some(format!("not recorded: {why}"))),
            Recording::By(recorder, _) => recorder.bind(py).getattr(intern!(py, "state"))?.extract().map(Some),
        }
    }

    /// The reason why the graph runs as it is; `None` if it is compiled.
    #[getter]
    fn eager_because(&self) -> Option<&str> {
        if let Kind::Eager(why) = &self.kind { Some(why) } else { None }
    }

    /// The fate of each node: name, target, fate in words.
    #[getter]
    fn fates(&self) -> Vec<(String, String, String)> {
        let row = |(node, fate): &(fx::NodeId, inductor::plan::Fate)| {
            let data = &self.imported.graph[*node];
            (data.name.to_string(), data.target.to_string(), describe(fate))
        };
        self.of_compiled(|compiled| compiled.plan.fates.iter().map(row).collect())
    }

    /// The seconds that each stage took.
    #[getter]
    fn stages(&self) -> Vec<(&'static str, f64)> {
        let import = ("import", self.import_time.as_secs_f64());
        self.of_compiled(|compiled| {
            let stages = compiled.stages.iter().map(|(name, time)| (*name, time.as_secs_f64()));
            std::iter::once(import).chain(stages).collect()
        })
    }

    /// The kernels: name, loop IR, generated code.
    #[getter]
    fn kernels(&self) -> Vec<(String, String, String)> {
        self.of_compiled(|compiled| {
            let kernels = compiled.plan.kernels.iter();
            kernels.map(|(id, kernel)| (id.to_string(), kernel.to_string(), compiled.listing(id))).collect()
        })
    }

    /// The plan for all sizes as JSON, which is all that another process needs to run the graph, beside its tensors;
    /// empty if the graph runs as it is.
    #[getter]
    fn plan(&self) -> String {
        self.of_compiled(|compiled| compiled.plan.to_json())
    }

    /// The calls of operators: target, and how it is called. `extern` is a call of libtorch without Python, `extern: …`
    /// one for want of a rule; `fallback: …` goes through Python. Of a graph for all sizes, those of the latest.
    #[getter]
    fn calls(&self) -> Vec<(String, String)> {
        match &self.kind {
            Kind::Static { program, .. } => program.calls(),
            Kind::Dynamic { prepared, .. } => {
                let prepared = prepared.lock().unwrap_or_else(PoisonError::into_inner);
                prepared.last().map(|(_, program)| program.calls()).unwrap_or_else(|| self.planned_calls())
            }
            Kind::Eager(_) => Vec::new(),
        }
    }

    /// Bytes of the arena, which is kept between calls; of a graph for all sizes, those of typical ones.
    #[getter]
    fn arena_bytes(&self) -> usize {
        self.of_compiled(|compiled| compiled.typical().map_or(0, |plan| plan.arena_bytes))
    }

    /// The device that runs what it can of the graph; `None` where that is the processor.
    #[getter]
    fn device(&self) -> Option<String> {
        self.of_compiled(Compiled::device)
    }

    /// The steps that the device leaves to the processor, each with the reason. Of a graph for all sizes, those of the
    /// latest.
    #[getter]
    fn on_host(&self) -> Vec<(String, String)> {
        let refused = match &self.kind {
            Kind::Static { program, .. } => program.refused(),
            Kind::Dynamic { prepared, .. } => {
                let prepared = prepared.lock().unwrap_or_else(PoisonError::into_inner);
                return prepared.last().map(|(_, program)| program.refused().to_vec()).unwrap_or_default();
            }
            Kind::Eager(_) => &[],
        };
        refused.to_vec()
    }

    /// The number of steps that launch kernels.
    #[getter]
    fn launches(&self) -> usize {
        self.count(|step| matches!(step, Step::Launch(_) | Step::Group(_)))
    }

    /// The number of kernels that are computed with a product or a convolution.
    #[getter]
    fn fused(&self) -> usize {
        self.count(|step| matches!(step, Step::Fused(..)))
    }

    fn __repr__(&self) -> String {
        match &self.kind {
            Kind::Static { .. } => format!("<rust_inductor graph of {} nodes>", self.imported.graph.len()),
            Kind::Dynamic { .. } => format!("<rust_inductor graph of {} nodes, dynamic>", self.imported.graph.len()),
            Kind::Eager(why) => format!("<rust_inductor graph run eagerly: {why}>"),
        }
    }
}

/// The list of a boxed call.
fn boxed<'py>(args: &Bound<'py, PyTuple>) -> Option<Bound<'py, PyList>> {
    if args.len() != 1 {
        return None;
    }
    args.get_item(0).ok()?.cast_into::<PyList>().ok()
}

impl CompiledFn {
    /// An object of Python's that has these lines for `explain`.
    pub(crate) fn with_remarks(self, py: Python<'_>, remarks: Vec<String>) -> PyResult<Py<CompiledFn>> {
        let compiled = Bound::new(py, self)?;
        compiled.setattr(intern!(py, "remarks"), remarks)?;
        Ok(compiled.unbind())
    }

    /// Compiles a graph of ATen overloads; made in so much time.
    fn of_graph(
        py: Python<'_>,
        graph: fx::Graph,
        module: Module,
        options: Options,
        roles: Roles,
        made_in: Duration,
    ) -> PyResult<CompiledFn> {
        let start = Instant::now();
        let imported = Imported { roles, ..Imported::of_graph(py, graph)? };
        let import_time = made_in + start.elapsed();
        let device = options.device()?;
        let kind = match kind(py, &imported, &options, device) {
            Ok(kind) => kind,
            Err(error) if options.is_strict() => return Err(error),
            Err(error) => Kind::Eager(error.value(py).to_string()),
        };
        let recording = Recording::of(py, &imported, &kind, &options)?;
        Ok(CompiledFn { module, options, imported, import_time, kind, recording })
    }

    /// Compiles a graph of ATen overloads that runs as it is where that fails.
    pub(crate) fn of_overloads(
        py: Python<'_>,
        graph: fx::Graph,
        options: Options,
        roles: Roles,
        made_in: Duration,
    ) -> PyResult<CompiledFn> {
        let mut spelled = graph.clone();
        spell_sizes(&mut spelled).map_err(PyValueError::new_err)?;
        let module = Module::Of(Py::new(py, Graph::from(spelled))?, PyOnceLock::new());
        CompiledFn::of_graph(py, graph, module, options, roles, made_in)
    }

    /// Runs the graph; a panic becomes an exception.
    fn run_caught<'py>(&self, py: Python<'py>, args: &mut [Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
        match catch_unwind(AssertUnwindSafe(|| self.run(py, args))) {
            Ok(result) => result,
            Err(panic) => {
                let message = format!("internal error of rust_inductor: {}", panic_text(panic.as_ref()));
                Err(PyRuntimeError::new_err(message))
            }
        }
    }

    fn run<'py>(&self, py: Python<'py>, args: &mut [Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
        let outcome = match &self.kind {
            Kind::Static { program, .. } => self.run_program(py, program, args)?,
            Kind::Dynamic { compiled, symbols, prepared } => {
                match self.prepared(py, args, compiled, symbols, prepared)? {
                    Some(program) => self.run_program(py, &program, args)?,
                    None => Outcome::Foreign,
                }
            }
            Kind::Eager(_) => Outcome::Foreign,
        };
        match outcome {
            Outcome::Done(outputs) => Ok(outputs),
            Outcome::Foreign => self.module.get(py)?.call1(PyTuple::new(py, &*args)?),
        }
    }

    /// Runs what was compiled. Where it fails, and running the graph a second time is possible and does no harm, the
    /// graph has the last word: the exception is its own, or, should it know better (an operator whose results are not
    /// what torch's metadata said), the result.
    fn run_program<'py>(
        &self,
        py: Python<'py>,
        program: &Program,
        args: &mut [Bound<'py, PyAny>],
    ) -> PyResult<Outcome<'py>> {
        let error = match program.run(py, args, &self.options) {
            Ok(outcome) => return Ok(outcome),
            Err(error) => error,
        };
        if mutates(&self.imported.graph) || program.lacks(args) || !error.is_instance_of::<PyException>(py) {
            return Err(error);
        }
        // Not the module itself, which prints what it raises.
        let again = self.module.get(py)?.call_method1(intern!(py, "forward"), PyTuple::new(py, &*args)?)?;
        // A device that is lost or full is the user's to know of.
        if self.options.is_strict() || program.has_device() {
            return Err(error);
        }
        tracing::warn!(target: "rust_inductor", "{error}; the graph ran as it is");
        Ok(Outcome::Done(again))
    }

    /// The program for the sizes of these arguments; `None` if there can be none.
    fn prepared(
        &self,
        py: Python<'_>,
        args: &[Bound<'_, PyAny>],
        compiled: &Compiled,
        symbols: &Symbols,
        known: &Mutex<Vec<(Values, Arc<Program>)>>,
    ) -> PyResult<Option<Arc<Program>>> {
        let Some(values) = symbols.read(Torch::get(py)?, args) else { return Ok(None) };
        let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, program)) = lock().iter().rev().find(|(v, _)| *v == values) {
            return Ok(Some(Arc::clone(program)));
        }
        let explain = |error| symbols.exception(&error, &values, &self.imported.graph);
        let program = match compiled.program(py, &self.imported, &|sym| symbols.find(sym, &values), &explain) {
            Ok(program) => Arc::new(program),
            // Sizes that no kernel of the device holds for.
            Err(error) if error.is_instance_of::<PyNotImplementedError>(py) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut all = lock();
        if all.len() == MOST_PREPARED {
            all.remove(0);
        }
        all.push((values, Arc::clone(&program)));
        Ok(Some(program))
    }

    /// The calls of a graph that was not prepared for any sizes yet.
    fn planned_calls(&self) -> Vec<(String, String)> {
        self.of_compiled(|compiled| {
            let calls = compiled.plan.steps.iter().filter_map(|step| match step {
                Step::Call(call) | Step::Fused(call, _) => Some(match &call.kind {
                    CallKind::Extern => (call.target.to_string(), "extern".to_owned()),
                    CallKind::Fallback(why) => (call.target.to_string(), format!("fallback: {why}")),
                }),
                Step::Launch(_) | Step::Group(_) | Step::Free(_) | Step::Check(_) | Step::Write { .. } => None,
            });
            calls.collect()
        })
    }

    /// The number of steps that are like this; of a graph for all sizes, in the plan for typical ones.
    fn count(&self, is_like_this: impl Fn(&Step) -> bool) -> usize {
        let count = |plan: Plan| plan.steps.iter().filter(|step| is_like_this(step)).count();
        self.of_compiled(|compiled| compiled.typical().map_or(0, count))
    }

    /// Applies `f` to the compiled graph; gives the default value if the graph runs as it is.
    fn of_compiled<T: Default>(&self, f: impl FnOnce(&Compiled) -> T) -> T {
        match &self.kind {
            Kind::Static { compiled, .. } | Kind::Dynamic { compiled, .. } => f(compiled),
            Kind::Eager(_) => T::default(),
        }
    }
}
