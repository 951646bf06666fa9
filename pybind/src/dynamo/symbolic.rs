//! torch is asked about calls on tensors of symbolic sizes that have no rule: `_symbolic.py` runs them on tensors
//! without data, and what it decides about symbols is decided in our environment too.
//!
//! Invariant: an answer over symbols that we do not have, or under a decision that we cannot repeat, is no answer.

use crate::fx_module::bare_subgraph;
use crate::import::{to_python, to_python_with};
use crate::names::function;
use crate::torch::Torch;
use dynamo_core::host::Ask;
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyTuple};
use symshapes::{Expr, Pool, ShapeEnv, Sym};

/// The metadata of a node's result; the error says why it is not known.
pub(super) fn infer(
    py: Python<'_>,
    graph: &Graph,
    env: &mut ShapeEnv,
    id: NodeId,
    ask: Ask,
) -> PyResult<Result<Meta, String>> {
    debug_assert!(!ask.by_hints, "hints are no symbols");
    if !is_askable(graph, env, id) {
        return Ok(Err("its numbers have no values".to_owned()));
    }
    let asker = Asker::new(py, graph, env, id)?;
    let node = &graph[id];
    let args = node.args.iter().map(|arg| asker.value(arg)).collect::<PyResult<Vec<_>>>()?;
    let kwargs = PyDict::new(py);
    for (name, arg) in &node.kwargs {
        kwargs.set_item(name, asker.value(arg)?)?;
    }
    let (call, args) = match (node.kind, args.split_first()) {
        (Kind::CallMethod, Some((this, rest))) => (this.getattr(node.target.as_str())?, PyTuple::new(py, rest)?),
        _ => (function(py, &node.target)?, PyTuple::new(py, args)?),
    };
    let row = match asker.object.call_method1("ask", (call, args, kwargs)) {
        Ok(row) => row,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut trial = env.clone();
    for text in asker.object.call_method0("guards")?.extract::<Vec<String>>()? {
        if !decide(&mut trial, &text) {
            return Ok(Err(format!("torch decides that {text}, which cannot be checked")));
        }
    }
    let meta = meta(py, trial.pool_mut(), &row)?;
    if meta.is_some() && !has_news(env.pool(), trial.pool()) {
        *env = trial;
        return Ok(meta.ok_or_else(String::new));
    }
    Ok(Err("what it gives is not known".to_owned()))
}

/// True if every number among a call's operands is an integer whose value for this call is known.
fn is_askable(graph: &Graph, env: &ShapeEnv, id: NodeId) -> bool {
    graph[id].inputs().iter().filter_map(|&input| graph[input].meta.as_ref()).all(|meta| {
        let mut known = !matches!(meta, Meta::Float(_) | Meta::Bool(_));
        meta.for_each_expr(&mut |expr| known &= env.hint(expr).is_some());
        known
    })
}

/// Repeats a decision; false if it is not understood, or is not what we would decide.
fn decide(env: &mut ShapeEnv, text: &str) -> bool {
    let before = env.pool().clone();
    let Ok(pred) = env.pool_mut().parse_pred(text) else { return false };
    !has_news(&before, env.pool()) && env.evaluate(pred, "torch") == Ok(true)
}

/// True if there are symbols that were not there before.
fn has_news(before: &Pool, after: &Pool) -> bool {
    before.all_symbols().count() != after.all_symbols().count()
}

/// The symbols of a call, as Python has them.
struct Asker<'a, 'py> {
    graph: &'a Graph,
    pool: &'a Pool,
    object: Bound<'py, PyAny>,
}

impl<'a, 'py> Asker<'a, 'py> {
    fn new(py: Python<'py>, graph: &'a Graph, env: &'a ShapeEnv, id: NodeId) -> PyResult<Asker<'a, 'py>> {
        let pool = env.pool();
        let mut symbols: Vec<Sym> = Vec::new();
        for input in graph[id].inputs() {
            if let Some(meta) = &graph[input].meta {
                meta.for_each_expr(&mut |expr| symbols.extend(pool.symbols(expr)));
            }
        }
        symbols.sort_unstable();
        symbols.dedup();
        let row = |sym: Sym| {
            let range = env.ranges().find(|&(known, _)| known == sym).map(|(_, range)| range);
            let range = range.unwrap_or(symshapes::Range::ALL);
            let hint = env.symbol_hint(sym)?;
            let value = if pool.is_float(sym) {
                PyFloat::new(py, f64::from_bits(hint.cast_unsigned())).into_any()
            } else {
                PyInt::new(py, hint).into_any()
            };
            Some((pool.name(sym).to_owned(), value, range.lo, range.hi))
        };
        let rows: Vec<_> = symbols.into_iter().filter_map(row).collect();
        let object = py.import("rust_inductor._symbolic")?.getattr("Asker")?.call1((rows,))?;
        Ok(Asker { graph, pool, object })
    }

    fn number(&self, expr: Expr) -> PyResult<Bound<'py, PyAny>> {
        self.object.call_method1("number", (self.text(expr)?,))
    }

    /// A number, or the text of a symbolic one.
    fn text(&self, expr: Expr) -> PyResult<Bound<'py, PyAny>> {
        super::facts::number(self.object.py(), self.pool, expr)
    }

    fn tensor(&self, meta: &TensorMeta, leaf: bool) -> PyResult<Bound<'py, PyAny>> {
        let (py, torch) = (self.object.py(), Torch::get(self.object.py())?);
        let all = |exprs: &[Expr]| exprs.iter().map(|&expr| self.text(expr)).collect::<PyResult<Vec<_>>>();
        let (dtype, device) = (torch.dtype_object(py, meta.dtype), torch.device_object(py, meta.device)?);
        let row = (dtype, device, all(&meta.sizes)?, all(&meta.strides)?, meta.requires_grad, leaf);
        self.object.call_method1("tensor", row)
    }

    fn value(&self, arg: &Arg) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        let open = |arg: &Arg| match arg {
            Arg::Node(id) => self.operand(*id).map(Some),
            other => to_python(py, other, &[]).map(Some),
        };
        let value = to_python_with(py, arg, &open)?;
        Ok(value.unwrap_or_else(|| py.None().into_bound(py)))
    }

    /// The value of a node; `None` of Python's for one that torch is not told.
    fn operand(&self, id: NodeId) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        Ok(match &self.graph[id].meta {
            // Only inputs may be leaves of the autograd graph.
            Some(Meta::Tensor(meta)) => self.tensor(meta, self.graph[id].kind == Kind::Placeholder)?,
            Some(Meta::Int(expr)) => self.number(*expr)?,
            Some(Meta::Tuple(items)) => {
                let one = |item: &Option<Meta>| match item {
                    Some(Meta::Int(expr)) => self.number(*expr),
                    Some(Meta::Tensor(meta)) => self.tensor(meta, false),
                    _ => Ok(py.None().into_bound(py)),
                };
                PyTuple::new(py, items.iter().map(one).collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            Some(Meta::Plain(arg)) => to_python(py, arg, &[])?,
            None if self.graph.subgraph(id).is_some() => bare_subgraph(py, self.graph, id)?,
            Some(Meta::Float(_) | Meta::Bool(_)) | None => py.None().into_bound(py),
        })
    }
}

/// A row of `_symbolic.py` as metadata.
fn meta(py: Python<'_>, pool: &mut Pool, row: &Bound<'_, PyAny>) -> PyResult<Option<Meta>> {
    if row.is_none() {
        return Ok(None);
    }
    let kind: String = row.get_item(0)?.extract()?;
    let mut read = |text: &str| pool.parse(text).ok();
    Ok(match &*kind {
        "tensor" => {
            let torch = Torch::get(py)?;
            let Some(dtype) = torch.dtype_of(&row.get_item(1)?) else { return Ok(None) };
            let device = super::constant::read(&row.get_item(2)?);
            let Some(guards::Constant::Device(device)) = device else { return Ok(None) };
            let mut all = |at: usize| -> PyResult<Option<Vec<Expr>>> {
                Ok(row.get_item(at)?.extract::<Vec<String>>()?.iter().map(|text| read(text)).collect())
            };
            let (Some(sizes), Some(strides)) = (all(3)?, all(4)?) else { return Ok(None) };
            let requires_grad = row.get_item(5)?.extract()?;
            let offset = Expr::ZERO;
            Some(Meta::Tensor(TensorMeta { dtype, device, sizes, strides, offset, requires_grad }))
        }
        "int" => read(&row.get_item(1)?.extract::<String>()?).map(Meta::Int),
        "tuple" => {
            let parts =
                row.get_item(1)?.try_iter()?.map(|part| meta(py, pool, &part?)).collect::<PyResult<Vec<_>>>()?;
            parts.iter().all(Option::is_some).then_some(Meta::Tuple(parts))
        }
        _ => Some(Meta::Plain(Arg::None)),
    })
}
