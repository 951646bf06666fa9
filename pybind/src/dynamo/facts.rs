//! The facts of a capture for torch's tools, as plain Python values, and the assumptions that these make in return.
//!
//! Knows nothing of torch's classes: `_fakes.py` makes those of what is here.

use super::check::Check;
use super::lift::Input;
use super::not_captured::NotCaptured;
use crate::torch::Torch;
use dynamo_core::bytecode::Span;
use dynamo_core::trace::{Capture, Origins};
use fx::{Graph, Meta, NodeId};
use guards::{GuardKind, Key, Root, Source, SourceId, Sources, Step, TensorProperty};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use symshapes::{Assertion, Expr, Float, InputKind, Pool, Pred, ShapeEnv};

/// The line where an instruction's text ends, the columns where it starts and ends.
type Columns = (i32, Option<u32>, Option<u32>);

/// The facts of one capture.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct Facts {
    graph: Graph,
    origins: Origins,
    renamed: Vec<(NodeId, Arc<str>)>,
    /// The inputs that the code gives.
    given: Vec<SourceId>,
    /// The inputs of the graph.
    places: Vec<Input>,
    assumed: Mutex<Assumed>,
}

/// The assumptions of the trace and of the backend.
pub(super) struct Assumed {
    /// The symbols, and what was decided about them.
    pub(super) env: ShapeEnv,
    /// The sources that guards name.
    pub(super) sources: Sources,
    /// Guards in addition to the trace's.
    pub(super) guards: Vec<guards::Guard>,
    /// The checks that only Python can make.
    pub(super) checks: Vec<Check>,
    /// True if something was assumed that cannot be checked.
    unguarded: bool,
    /// True if an error is the backend's own.
    blamed: bool,
}

impl Assumed {
    /// The assumptions of the trace alone.
    pub(super) fn of(capture: &Capture) -> Assumed {
        Assumed {
            env: capture.env.clone(),
            sources: capture.sources.clone(),
            guards: Vec::new(),
            checks: Vec::new(),
            unguarded: false,
            blamed: false,
        }
    }
}

impl Facts {
    /// The facts of a capture whose graph has these inputs.
    pub(super) fn new(graph: Graph, origins: Origins, places: &[Input], capture: &Capture, assumed: Assumed) -> Facts {
        let (renamed, given) = (capture.renamed.clone(), capture.inputs.clone());
        Facts { graph, origins, renamed, given, places: places.to_vec(), assumed: Mutex::new(assumed) }
    }

    /// Takes the assumptions out; `None` if they cannot all be checked.
    pub(super) fn finish(&self, capture: &Capture) -> Option<Assumed> {
        let assumed = self.with(|assumed| std::mem::replace(assumed, Assumed::of(capture)));
        (!assumed.unguarded).then_some(assumed)
    }

    /// An error that came out of the description or of the backend.
    pub(super) fn failure(&self, error: PyErr) -> NotCaptured {
        if self.with(|assumed| assumed.blamed) { NotCaptured::Backend(error) } else { NotCaptured::Failed(error) }
    }

    fn with<T>(&self, f: impl FnOnce(&mut Assumed) -> T) -> T {
        f(&mut self.assumed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn given(&self, at: usize) -> PyResult<SourceId> {
        self.given.get(at).copied().ok_or_else(|| PyValueError::new_err(format!("there is no input {at}")))
    }
}

/// A number that a node of the graph gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Number {
    Int(Expr),
    Float(Float),
    Bool(Pred),
}

#[pymethods]
impl Facts {
    /// The symbols that inputs give: name, kind, value in this call, and source.
    fn symbols<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let owned = self.with(|assumed| {
            let env = &assumed.env;
            let rows = env.inputs().filter_map(|input| {
                let sym = input.owned?;
                let name = env.pool().name(sym).to_owned();
                Some((name, kind(input.kind), env.symbol_hint(sym), SourceId::from(input.source)))
            });
            rows.collect::<Vec<_>>()
        });
        let row = |(name, kind, hint, source)| (name, kind, hint, self.source(py, source)?).into_pyobject(py);
        owned.into_iter().map(row).collect()
    }

    /// The decisions of the trace about the symbols.
    fn known(&self) -> Vec<String> {
        let text = |env: &ShapeEnv, guard: &symshapes::Guard| env.pool().display_pred(guard.pred).to_string();
        self.with(|assumed| assumed.env.guards().iter().map(|guard| text(&assumed.env, guard)).collect())
    }

    /// The assertions of the trace about symbols without a value in this call.
    fn stated(&self) -> Vec<String> {
        let text = |env: &ShapeEnv, stated: &Assertion| env.pool().display_pred(stated.pred).to_string();
        self.with(|assumed| assumed.env.assertions().iter().map(|stated| text(&assumed.env, stated)).collect())
    }

    /// Notes an assertion about symbols without a value in this call; false if it is not understood.
    fn state(&self, text: &str) -> bool {
        self.with(|assumed| {
            let mut env = assumed.env.clone();
            let symbols = env.pool().all_symbols().count();
            let Ok(pred) = env.pool_mut().parse_pred(text) else { return false };
            let known = env.pool().all_symbols().count() == symbols;
            let stated = known && env.check(pred, "the backend", "").is_ok();
            if stated {
                assumed.env = env;
            }
            stated
        })
    }

    /// The origin of each input of the graph: `given`, `size`, `stride` or `storage_offset`, the number of the input
    /// that the code gives, and the dimension.
    #[getter]
    fn places(&self) -> Vec<(&'static str, usize, usize)> {
        let row = |place: &Input| match *place {
            Input::Given(at) => ("given", at, 0),
            Input::Size(at, dim) => ("size", at, dim),
            Input::Stride(at, dim) => ("stride", at, dim),
            Input::Offset(at) => ("storage_offset", at, 0),
        };
        self.places.iter().map(row).collect()
    }

    /// The sources of what the code gives.
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.given.iter().map(|&id| self.source(py, id)).collect()
    }

    /// The metadata of each node, in the graph's order: `("tensor", dtype, device, sizes, strides, offset,
    /// requires_grad)`, `("int", value)`, `("number", text)`, `("tuple", [...])` or `None`; symbolic numbers are texts.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let value = |node| self.value(py, self.graph[node].meta.as_ref());
        self.graph.nodes().map(value).collect()
    }

    /// True if a node computes a number that depends on symbols.
    fn computes_numbers(&self) -> bool {
        let mut computing = self.graph.nodes().filter(|&node| self.graph[node].kind != fx::Kind::Placeholder);
        computing.any(|node| match self.graph[node].meta {
            Some(Meta::Int(expr)) => self.graph.exprs.as_int(expr).is_none(),
            Some(Meta::Float(_) | Meta::Bool(_)) => true,
            _ => false,
        })
    }

    /// The nodes of numbers that depend on symbols, each with the first node that gives the same number, which may be
    /// itself; by their places in the graph.
    ///
    /// `None` where torch's pass over a graph's numbers does more than to put earlier ones in the place of equal ones:
    /// symbols without a value, assertions, sizes that inputs have to be asked for, or sizes of intermediate tensors.
    fn equal_numbers(&self) -> Option<Vec<(usize, usize)>> {
        let (graph, exprs) = (&self.graph, &self.graph.exprs);
        let is_decided = self.with(|assumed| {
            let env = &assumed.env;
            let mut owned = env.inputs().filter_map(|input| input.owned);
            env.assertions().is_empty() && owned.all(|symbol| env.symbol_hint(symbol).is_some())
        });
        if !is_decided {
            return None;
        }
        let (mut known, mut results) = (FxHashMap::<Number, usize>::default(), FxHashSet::default());
        let mut numbers = Vec::new();
        for (place, node) in graph.nodes().enumerate() {
            let is_input = graph[node].kind == fx::Kind::Placeholder;
            let number = match &graph[node].meta {
                Some(Meta::Int(expr)) if exprs.as_int(*expr).is_none() => Number::Int(*expr),
                Some(Meta::Float(float)) if exprs.as_float(*float).is_none() => Number::Float(*float),
                Some(Meta::Bool(pred)) if exprs.as_bool(*pred).is_none() => Number::Bool(*pred),
                Some(Meta::Tensor(meta)) if is_input => {
                    let told = |expr| exprs.as_sym(expr).is_none() || known.contains_key(&Number::Int(expr));
                    let mut all = meta.sizes.iter().chain(&meta.strides).copied().chain([meta.offset]);
                    if !all.all(told) {
                        return None;
                    }
                    continue;
                }
                Some(Meta::Tensor(_) | Meta::Tuple(_)) => {
                    results.insert(node);
                    continue;
                }
                _ => continue,
            };
            let first = match known.entry(number) {
                Entry::Occupied(first) => *first.get(),
                Entry::Vacant(_) if graph[node].inputs().iter().any(|input| results.contains(input)) => return None,
                Entry::Vacant(first) => *first.insert(place),
            };
            numbers.push((place, first));
        }
        Some(numbers)
    }

    /// For each node, in the graph's order, what the lines of its `stack_trace` span, if it is known: the line where
    /// that ends, the columns where it starts and ends. And the library's function whose line comes after them, if one
    /// does.
    fn origins(&self) -> Vec<(Vec<Option<Columns>>, Option<&str>)> {
        let row = |span: &Span| (span.end_line, span.columns.map(|c| c.0), span.columns.map(|c| c.1));
        let spans = |node| self.origins[node].spans.iter().map(|span| span.as_ref().map(row)).collect();
        self.graph.nodes().map(|node| (spans(node), self.origins[node].within.as_deref())).collect()
    }

    /// The name of each node before it was named after a variable.
    fn first_names(&self) -> Vec<&str> {
        let first = |node| self.renamed.iter().find(|(renamed, _)| *renamed == node).map(|(_, name)| &**name);
        self.graph.nodes().map(|node| first(node).unwrap_or(&self.graph[node].name)).collect()
    }

    /// The names that nodes of the graph have or had, and the last suffix of each base of a name.
    fn names(&self) -> (Vec<&str>, Vec<(&str, u64)>) {
        (self.graph.spent_names().collect(), self.graph.name_suffixes().collect())
    }

    /// Notes a decision about the symbols; false if it is not understood, or does not hold now.
    fn assume(&self, text: &str) -> bool {
        self.with(|assumed| {
            let mut env = assumed.env.clone();
            let symbols = env.pool().all_symbols().count();
            let Ok(pred) = env.pool_mut().parse_pred(text) else { return false };
            let holds = env.pool().all_symbols().count() == symbols && env.evaluate(pred, "the backend") == Ok(true);
            if holds {
                assumed.env = env;
            }
            holds
        })
    }

    /// Notes that two inputs of the code are one object.
    fn assume_same(&self, one: usize, other: usize) -> PyResult<()> {
        let guard = guards::Guard::new(self.given(other)?, GuardKind::DuplicateInput(self.given(one)?));
        self.with(|assumed| assumed.guards.push(guard));
        Ok(())
    }

    /// Notes that `test`, given the list of the code's inputs, has to be true.
    fn assume_check(&self, test: Py<PyAny>, text: String) {
        let check = Check::new(test, text, self.given.clone());
        self.with(|assumed| assumed.checks.push(check));
    }

    /// Notes that an error is the backend's own.
    fn blame_backend(&self) {
        self.with(|assumed| assumed.blamed = true);
    }

    /// Notes an assumption that nothing checks.
    fn refuse(&self) {
        self.with(|assumed| assumed.unguarded = true);
    }
}

impl Facts {
    /// A source as `(variant, base, argument)`, with `None` for what a source has not.
    fn source<'py>(&self, py: Python<'py>, id: SourceId) -> PyResult<Bound<'py, PyAny>> {
        self.with(|assumed| source(py, &assumed.sources, id))
    }

    fn value<'py>(&self, py: Python<'py>, meta: Option<&Meta>) -> PyResult<Bound<'py, PyAny>> {
        let pool = &self.graph.exprs;
        let all = |exprs: &[Expr]| exprs.iter().map(|&expr| number(py, pool, expr)).collect::<PyResult<Vec<_>>>();
        Ok(match meta {
            Some(Meta::Tensor(meta)) => {
                let torch = Torch::get(py)?;
                let (dtype, device) = (torch.dtype_object(py, meta.dtype), torch.device_object(py, meta.device)?);
                let (sizes, strides, offset) = (all(&meta.sizes)?, all(&meta.strides)?, number(py, pool, meta.offset)?);
                let row = ("tensor", dtype, device, sizes, strides, offset, meta.requires_grad);
                row.into_pyobject(py)?.into_any()
            }
            Some(Meta::Int(expr)) => ("int", number(py, pool, *expr)?).into_pyobject(py)?.into_any(),
            Some(Meta::Float(float)) => {
                ("number", pool.display_float(*float).to_string()).into_pyobject(py)?.into_any()
            }
            Some(Meta::Bool(pred)) => ("number", pool.display_pred(*pred).to_string()).into_pyobject(py)?.into_any(),
            Some(Meta::Tuple(items)) => {
                let items = items.iter().map(|item| self.value(py, item.as_ref())).collect::<PyResult<Vec<_>>>()?;
                ("tuple", items).into_pyobject(py)?.into_any()
            }
            Some(Meta::Plain(_)) | None => py.None().into_bound(py),
        })
    }
}

/// A number as an `int`, or as text if it is symbolic.
pub(super) fn number<'py>(py: Python<'py>, pool: &Pool, expr: Expr) -> PyResult<Bound<'py, PyAny>> {
    Ok(match pool.as_int(expr) {
        Some(value) => value.into_pyobject(py)?.into_any(),
        None => pool.display(expr).to_string().into_pyobject(py)?.into_any(),
    })
}

const fn kind(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Size => "size",
        InputKind::Stride => "stride",
        InputKind::Offset => "offset",
        InputKind::Int => "int",
        InputKind::Float => "float",
    }
}

fn source<'py>(py: Python<'py>, sources: &Sources, id: SourceId) -> PyResult<Bound<'py, PyAny>> {
    let text = |id| sources.strings().name(id).text;
    let other = || sources.display(id).to_string();
    let Some(found) = sources.get(id) else { return Err(PyValueError::new_err("no such source")) };
    let row = |variant: &str, base: Option<SourceId>, arg: Bound<'py, PyAny>| {
        let base = base.map(|base| source(py, sources, base)).transpose()?;
        Ok((variant, base, arg).into_pyobject(py)?.into_any())
    };
    let string = |text: &str| PyString::new(py, text).into_any();
    match found {
        Source::Root(Root::Local(name) | Root::Cell(name)) => row("local", None, string(text(name))),
        Source::Root(Root::Global(name)) => row("global", None, string(text(name))),
        Source::Step { base, step: Step::Attr(name) } => row("attr", Some(base), string(text(name))),
        Source::Step { base, step: Step::Item(Key::Int(key)) } => {
            row("item", Some(base), key.into_pyobject(py)?.into_any())
        }
        Source::Step { base, step: Step::Item(Key::Str(key)) } => row("item", Some(base), string(text(key))),
        Source::Step { base, step: Step::Tensor(TensorProperty::Size(dim)) } => {
            row("size", Some(base), dim.into_pyobject(py)?.into_any())
        }
        Source::Step { base, step: Step::Tensor(TensorProperty::Stride(dim)) } => {
            row("stride", Some(base), dim.into_pyobject(py)?.into_any())
        }
        Source::Step { base, step: Step::Tensor(TensorProperty::StorageOffset) } => {
            row("storage_offset", Some(base), py.None().into_bound(py))
        }
        Source::Root(_) | Source::Step { .. } => row("other", None, string(&other())),
    }
}
