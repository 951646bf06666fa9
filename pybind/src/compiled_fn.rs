//! The callable that torch gets for a graph.
//!
//! A graph of constant shapes is compiled at once; one with symbolic sizes for each set of sizes that it meets, up to a
//! bound; one that cannot be compiled runs as it is. Invariant: whatever happens inside, the caller sees either the
//! graph's outputs or the exception that the graph itself would raise, never a crash.

use crate::compiler::{Compiled, compile, describe, panic_text};
use crate::exec::Outcome;
use crate::import::{Imported, import};
use crate::options::Options;
use crate::symbols::{Source, Symbols, with_graph};
use crate::torch::{Torch, tensor};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many sets of sizes one graph is compiled for at a time.
const MOST_SPECIALISATIONS: usize = 64;

type Key = SmallVec<[i64; 6]>;

/// A compiled graph.
#[pyclass(frozen, dict, weakref, module = "rust_inductor._native")]
pub(crate) struct CompiledFn {
    /// The `GraphModule`.
    module: Py<PyAny>,
    options: Options,
    imported: Imported,
    import_time: Duration,
    kind: Kind,
}

enum Kind {
    /// All shapes are constant.
    Static(Box<Compiled>),
    /// Compiled for each set of sizes, the latest last.
    Dynamic { symbols: Symbols, compiled: Mutex<Vec<(Key, Arc<Compiled>)>> },
    /// Runs as it is; the text says why.
    Eager(String),
}

/// Compiles a graph module.
#[pyfunction]
#[pyo3(signature = (module, options=None))]
pub(crate) fn compile_graph(module: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<CompiledFn> {
    let py = module.py();
    let options = Options::parse(options)?;
    let start = Instant::now();
    let imported = import(module)?;
    let import_time = start.elapsed();
    let kind = kind(py, &imported, &options)?;
    Ok(CompiledFn { module: module.clone().unbind(), options, imported, import_time, kind })
}

fn kind(py: Python<'_>, imported: &Imported, options: &Options) -> PyResult<Kind> {
    let symbols = match &imported.obstacle {
        Some(why) => Err(why.clone()),
        None => Symbols::of(&imported.graph),
    };
    let symbols = match symbols {
        Ok(symbols) => symbols,
        Err(why) if options.fallback_error => return Err(PyRuntimeError::new_err(why)),
        Err(why) => return Ok(Kind::Eager(why)),
    };
    if !symbols.is_empty() {
        return Ok(Kind::Dynamic { symbols, compiled: Mutex::new(Vec::new()) });
    }
    match compile(py, imported, options) {
        Ok(compiled) => Ok(Kind::Static(Box::new(compiled))),
        Err(error) if options.fallback_error => Err(error),
        Err(error) => Ok(Kind::Eager(error.to_string())),
    }
}

#[pymethods]
impl CompiledFn {
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let mut taken: SmallVec<[Bound<'py, PyAny>; 16]> = SmallVec::new();
        match boxed(args) {
            Some(list) => {
                taken.extend(list.iter());
                list.del_slice(0, list.len())?;
            }
            None => taken.extend(args.iter()),
        }
        match catch_unwind(AssertUnwindSafe(|| self.run(py, &taken))) {
            Ok(result) => result,
            Err(panic) => {
                let message = format!("internal error of rust_inductor: {}", panic_text(panic.as_ref()));
                Err(PyRuntimeError::new_err(message))
            }
        }
    }

    /// Why the graph runs as it is; `None` if it is compiled.
    #[getter]
    fn eager_because(&self) -> Option<&str> {
        if let Kind::Eager(why) = &self.kind { Some(why) } else { None }
    }

    /// For each specialisation, what became of each node: name, target, fate.
    #[getter]
    fn fates(&self) -> Vec<Vec<(String, String, String)>> {
        let row = |(node, fate): &(fx::NodeId, inductor::plan::Fate)| {
            let data = &self.imported.graph[*node];
            (data.name.clone(), data.target.clone(), describe(fate))
        };
        self.each_compiled(|compiled| compiled.plan.fates.iter().map(row).collect())
    }

    /// For each specialisation, the seconds that each stage took.
    #[getter]
    fn stages(&self) -> Vec<Vec<(&'static str, f64)>> {
        let import = ("import", self.import_time.as_secs_f64());
        self.each_compiled(|compiled| {
            let stages = compiled.stages.iter().map(|(name, time)| (*name, time.as_secs_f64()));
            std::iter::once(import).chain(stages).collect()
        })
    }

    /// For each specialisation, the kernels: name, loop IR, generated code.
    #[getter]
    fn kernels(&self) -> Vec<Vec<(String, String, String)>> {
        self.each_compiled(|compiled| {
            let kernels = compiled.plan.kernels.iter();
            kernels
                .map(|(id, kernel)| {
                    let listing = compiled.kernels.get(id).map(|k| k.listing()).unwrap_or_default();
                    (id.to_string(), kernel.to_string(), listing)
                })
                .collect()
        })
    }

    /// For each specialisation, how often each operator is called: target, why (`extern` or the reason), times.
    #[getter]
    fn calls(&self) -> Vec<Vec<(String, String)>> {
        use inductor::plan::{CallKind, Step};
        self.each_compiled(|compiled| {
            let calls = compiled.plan.steps.iter().filter_map(|step| match step {
                Step::Call(call) => Some(match &call.kind {
                    CallKind::Extern => (call.target.clone(), "extern".to_owned()),
                    CallKind::Fallback(why) => (call.target.clone(), format!("fallback: {why}")),
                }),
                _ => None,
            });
            calls.collect()
        })
    }

    /// The number of kernel launches of each specialisation.
    #[getter]
    fn launches(&self) -> Vec<usize> {
        use inductor::plan::Step;
        let launch = |step: &&Step| matches!(step, Step::Launch { .. });
        self.each_compiled(|compiled| compiled.plan.steps.iter().filter(launch).count())
    }

    fn __repr__(&self) -> String {
        match &self.kind {
            Kind::Static(_) => format!("<rust_inductor graph of {} nodes>", self.imported.graph.len()),
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
    fn run<'py>(&self, py: Python<'py>, args: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
        let outcome = match &self.kind {
            Kind::Static(compiled) => compiled.program.run(py, args, self.options.threads)?,
            Kind::Dynamic { symbols, compiled } => match key(py, symbols, args)? {
                Some(key) => match self.specialised(py, symbols, compiled, key)? {
                    Some(compiled) => compiled.program.run(py, args, self.options.threads)?,
                    None => Outcome::Foreign,
                },
                None => Outcome::Foreign,
            },
            Kind::Eager(_) => Outcome::Foreign,
        };
        match outcome {
            Outcome::Done(outputs) => Ok(outputs.into_any()),
            Outcome::Foreign => self.module.bind(py).call1(PyTuple::new(py, args)?),
        }
    }

    /// The program for these sizes; `None` if there can be none.
    fn specialised(
        &self,
        py: Python<'_>,
        symbols: &Symbols,
        known: &Mutex<Vec<(Key, Arc<Compiled>)>>,
        key: Key,
    ) -> PyResult<Option<Arc<Compiled>>> {
        let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = lock().iter().find(|(k, _)| *k == key) {
            return Ok(Some(compiled.clone()));
        }
        let graph = match symbols.specialise(&self.imported.graph, &key) {
            Ok(graph) => graph,
            Err(why) => {
                tracing::warn!(target: "rust_inductor", "{why}; the graph runs as it is");
                return Ok(None);
            }
        };
        let imported = with_graph(&self.imported, graph, py);
        let compiled = Arc::new(compile(py, &imported, &self.options)?);
        let mut all = lock();
        if all.len() == MOST_SPECIALISATIONS {
            all.remove(0);
        }
        all.push((key, compiled.clone()));
        Ok(Some(compiled))
    }

    fn each_compiled<T>(&self, f: impl Fn(&Compiled) -> T) -> Vec<T> {
        match &self.kind {
            Kind::Static(compiled) => vec![f(compiled)],
            Kind::Dynamic { compiled, .. } => {
                let all = compiled.lock().unwrap_or_else(PoisonError::into_inner);
                all.iter().map(|(_, compiled)| f(compiled)).collect()
            }
            Kind::Eager(_) => Vec::new(),
        }
    }
}

/// The values of the symbols; `None` if an argument that gives one is no plain tensor or number.
fn key(py: Python<'_>, symbols: &Symbols, args: &[Bound<'_, PyAny>]) -> PyResult<Option<Key>> {
    let torch = Torch::get(py)?;
    let value = |source| -> Option<i64> {
        let (index, dim) = match source {
            Source::Int(index) => return args.get(index)?.extract().ok(),
            Source::Size(index, dim) | Source::Stride(index, dim) => (index, dim),
        };
        let arg = args.get(index).filter(|a| torch.is_plain_tensor(a))?;
        let shared = torch.borrow_raw(arg).is_none().then(|| torch.share(arg)).transpose().ok()?;
        let raw = torch.borrow_raw(arg).or_else(|| shared.as_ref().map(tensor::Tensor::raw))?;
        let info = tensor::info(raw).ok()?;
        let dims = if matches!(source, Source::Size(..)) { info.sizes } else { info.strides };
        dims.get(dim).copied()
    };
    Ok(symbols.sources().map(value).collect())
}
