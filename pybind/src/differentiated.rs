//! Graphs that our own Dynamo captured and that autograd follows, differentiated in Rust.
//!
//! The forward graph is compiled at once, a backward graph when it is first needed: one for each set of results that
//! have gradients, so that nothing is computed from zeros. All of them read what one cut of the joint graph saves.

use crate::compiled_fn::{CompiledFn, not_functional};
use crate::fx_module::Graph;
use crate::import::{Roles, to_python, to_python_with};
use crate::options::Options;
use crate::remarks;
use crate::result_views::{ResultRows, Written, is_detached_on_the_way, results};
use crate::torch::Torch;
use autograd::{
    Cut, Joint, NotDifferentiable, Saved, differentiate, followed_results, is_of_latest_release, minimum_cut, recorded,
};
use fx::aten::Aten;
use fx::passes::{Given, functionalize, spell_sizes};
use fx::pending::carry_out;
use fx::symbols::Source;
use fx::{Arg, NodeId};
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use symshapes::{Expr, TensorMeta};

/// A differentiated graph.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct Differentiated {
    functional: fx::Graph,
    requires_grad: Vec<bool>,
    cut: Cut,
    /// The joint graph where all outputs have gradients, as most backward graphs have it: the first of them takes it.
    joint: Mutex<Option<Joint>>,
    /// The calls of `functional` that torch's autograd records.
    recorded: FxHashSet<NodeId>,
    options: Options,
    /// From the inputs to the outputs, and after them what only backward graphs read.
    #[pyo3(get)]
    forward: Py<CompiledFn>,
    /// The number of outputs.
    #[pyo3(get)]
    outputs: usize,
    /// The values that backward graphs read: whether each is an input, and its number among the inputs or outputs.
    #[pyo3(get)]
    saved: Vec<(bool, usize)>,
    /// Values that backward graphs read and that are, perhaps, in the memory of a result, which the program may write
    /// to: the place among `saved`, and the number of the result.
    #[pyo3(get)]
    shared: Vec<(usize, usize)>,
    /// The sizes that backward graphs read besides: the number of an input, and a dimension if it is a tensor, of which
    /// the size is meant, or the stride.
    #[pyo3(get)]
    sizes: Vec<Size>,
    /// The outputs that autograd follows, by number, and the strides that backward graphs expect of gradients by them:
    /// those of the output where they differ between calls.
    #[pyo3(get)]
    followed: Vec<(usize, Option<Vec<i64>>)>,
    /// The inputs, by number, that take the value of the last outputs, in this order: a write that autograd follows.
    #[pyo3(get)]
    followed_writes: Vec<usize>,
    /// The outputs that were written to, by number, and how many of the writes their version counters see.
    #[pyo3(get)]
    rewritten: Written,
    /// The results of the original graph, by number, that are views which autograd does not follow.
    #[pyo3(get)]
    detached: Vec<usize>,
    /// For each input, whether there are gradients by it.
    #[pyo3(get)]
    reached: Vec<bool>,
}

/// A symbolic size, where none is known.
const TYPICAL: i64 = 6;

/// torch, asked by calls on tensors without data.
struct Asked<'py>(Python<'py>);

impl recorded::Torch for Asked<'_> {
    fn follows(&self, graph: &fx::Graph, call: NodeId) -> Option<Vec<bool>> {
        // Sizes do not matter, if they fit.
        let typical = |sym| graph.exprs.symbol_hint(sym).or(Some(TYPICAL));
        self.ask("follows", graph, call, &[], &|e| graph.exprs.eval(e, &typical)).ok()??.extract().ok()
    }

    fn strides(&self, graph: &fx::Graph, call: NodeId, grads: &[Option<NodeId>]) -> Option<Vec<Option<Vec<i64>>>> {
        self.ask("strides", graph, call, grads, &|e| graph.exprs.as_int(e)).ok()??.extract().ok()
    }
}

impl<'py> Asked<'py> {
    /// The answer to a question about a recorded call and gradients by its results; `None` if a size has no value.
    fn ask(
        &self,
        question: &str,
        graph: &fx::Graph,
        call: NodeId,
        grads: &[Option<NodeId>],
        value: &dyn Fn(Expr) -> Option<i64>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let node = &graph[call];
        let [op, followed, _, args @ ..] = &node.args[..] else { return Ok(None) };
        let grads: Vec<Arg> = grads.iter().map(|grad| grad.map_or(Arg::None, Arg::Node)).collect();
        let all =
            |args: &[Arg]| args.iter().map(|arg| self.value(graph, arg, value)).collect::<PyResult<Option<Vec<_>>>>();
        let (Some(args), Some(grads)) = (all(args)?, all(&grads)?) else { return Ok(None) };
        let keywords = PyDict::new(self.0);
        for (name, arg) in &node.kwargs {
            let Some(given) = self.value(graph, arg, value)? else { return Ok(None) };
            keywords.set_item(name, given)?;
        }
        let [op, followed] = [op, followed].map(|arg| to_python(self.0, arg, &[]));
        let module = self.0.import("rust_inductor._recorded")?;
        module.call_method1(question, (op?, followed?, args, keywords, grads)).map(Some)
    }

    /// An argument, with tensors without data.
    fn value(
        &self,
        graph: &fx::Graph,
        arg: &Arg,
        value: &dyn Fn(Expr) -> Option<i64>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.0;
        let open = |arg: &Arg| {
            let meta = match arg {
                Arg::Sym(e) => return Ok(value(*e).map(|value| PyInt::new(py, value).into_any())),
                other => other.as_node().and_then(|node| graph[node].tensor_meta()),
            };
            let Some(meta) = meta else { return Ok(None) };
            let fixed = |exprs: &[Expr]| exprs.iter().map(|&e| value(e)).collect::<Option<Vec<_>>>();
            let (Some(sizes), Some(strides)) = (fixed(&meta.sizes), fixed(&meta.strides)) else { return Ok(None) };
            Torch::get(py)?.without_data(py, meta.dtype, (sizes, strides), false).map(Some)
        };
        to_python_with(py, arg, &open)
    }
}

/// A backward graph, and what is to be known of it.
type Backward = (Py<CompiledFn>, Vec<Option<usize>>, Vec<usize>);

/// An input by number, of a tensor the dimension, and whether its stride is meant.
type Size = (usize, Option<usize>, bool);

/// Differentiates a graph of ATen overloads that our own Dynamo captured by the inputs for which `requires_grad` is
/// true. Gives, too, how results are made of its outputs, and the inputs that it writes to, which must not share memory
/// then.
///
/// # Errors
/// A `ValueError` where AOTAutograd has to look after the graph, a `NotImplementedError` where it has to run as it is.
#[pyfunction]
#[pyo3(signature = (lowered, options=None, *, requires_grad, weights=Vec::new()))]
pub(crate) fn differentiate_lowered(
    lowered: &Bound<'_, Graph>,
    options: Option<&Bound<'_, PyDict>>,
    requires_grad: Vec<bool>,
    weights: Vec<usize>,
) -> PyResult<(Differentiated, ResultRows, Written)> {
    fn refused(why: &dyn std::fmt::Display) -> PyErr {
        PyValueError::new_err(format!("{why}"))
    }
    let py = lowered.py();
    let torch = Torch::get(py)?;
    let options = Options::parse(options)?.filling(torch.fills_memory(py)?);
    let start = Instant::now();
    let lowered = &lowered.get().graph;
    let as_it_is = |error: NotDifferentiable| PyNotImplementedError::new_err(error.to_string());
    let is_followed = followed_results(lowered, &requires_grad).map_err(as_it_is)?;
    let mut functional = functionalize(lowered).map_err(|error| not_functional(&error))?;
    functional.graph = options.drawn(functional.graph);
    let pending = carry_out(&mut functional.graph)
        .map_err(|name| refused(&format!("%{name} may be conjugated when it is read")))?;
    let is_other = |op: &Aten| is_of_latest_release(*op) && !torch.is_of_tables();
    if let Some(op) = functional.graph.nodes().filter_map(|node| functional.graph[node].target.op()).find(is_other) {
        return Err(refused(&format!("another derivative of `{op}` in this release")));
    }
    let joint = differentiate(&functional.graph, &requires_grad, &Asked(py)).map_err(|error| refused(&error))?;
    let is_weight: Vec<bool> = (0..requires_grad.len()).map(|number| weights.contains(&number)).collect();
    let budget = f64::from(options.activation_memory_budget) / 1000.0;
    let cut = minimum_cut(&joint, &is_weight, budget).map_err(|error| refused(&error))?;
    let is_detached = |(number, result): (usize, &Given)| match result {
        Given::View { path, .. } if !is_followed[number] && !is_detached_on_the_way(path) => Some(number),
        _ => None,
    };
    let detached = functional.results.iter().enumerate().filter_map(is_detached).collect();
    let results = results(py, &functional.graph, &functional.results, &pending, lowered)?;
    let reached = joint.gradients.iter().map(Option::is_some).collect();
    let pool = &joint.graph.exprs;
    let strides =
        |meta: &TensorMeta| meta.strides.iter().map(|&stride| pool.as_int(stride)).collect::<Option<Vec<_>>>();
    let followed = joint.tangents.iter();
    let followed =
        followed.map(|&(number, tangent)| (number, joint.graph[tangent].tensor_meta().and_then(strides))).collect();
    let forward = cut.forward(&joint);
    if joint.graph.exprs.all_symbols().next().is_some() {
        for graph in [&forward.graph, &cut.backward(&joint).graph] {
            // What cannot be compiled has to run as it is.
            has_spelling(graph).map_err(|why| refused(&why))?;
        }
    }
    let shared = shared(&forward.graph, &forward.saved, forward.results);
    let by_torch = overloads(&functional.graph, &joint.recorded);
    let mut remarks = remarks::functionalized(lowered, &functional);
    remarks.extend(remarks::saved(&forward, joint.checkpointed.len(), &by_torch));
    let (outputs, saved) = (forward.results, forward.saved);
    let size = |source| match source {
        Source::Int(input) => (input, None, false),
        Source::Size(input, dim) => (input, Some(dim), false),
        Source::Stride(input, dim) => (input, Some(dim), true),
    };
    let sizes = forward.sizes.into_iter().map(size).collect();
    let saved = saved.into_iter().map(|saved| match saved {
        Saved::Input(number) => (true, number),
        Saved::Output(number) => (false, number),
    });
    let roles = Roles { weights, saved_from: Some(outputs), spends: false };
    let forward = CompiledFn::of_overloads(py, forward.graph, options.clone(), roles, start.elapsed())?;
    let made = Differentiated {
        functional: functional.graph,
        requires_grad,
        cut,
        recorded: joint.recorded.clone(),
        options,
        forward: forward.with_remarks(py, remarks)?,
        outputs,
        saved: saved.collect(),
        shared,
        sizes,
        followed,
        followed_writes: joint.followed_writes.clone(),
        rewritten: functional.rewritten,
        detached,
        reached,
        joint: Mutex::new(Some(joint)),
    };
    Ok((made, results, functional.written))
}

/// The values among `saved` that may be views of what a result is a view of, by place, with the number of that result.
/// A value that is a result itself has its version.
fn shared(graph: &fx::Graph, saved: &[Saved], results: usize) -> Vec<(usize, usize)> {
    let mut roots: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    for id in graph.nodes() {
        let node = &graph[id];
        let is_view = |op: Aten| op.is_view() || op.traits().alias.is_some();
        let first = node.args.first().and_then(Arg::as_node);
        // The results of other calls have memory of their own each.
        let call = if node.target == "operator.getitem" { first.map_or(node, |call| &graph[call]) } else { node };
        let of = first.filter(|_| call.op().is_some_and(is_view));
        let root = of.map_or(id, |of| roots.get(&of).copied().unwrap_or(of));
        roots.insert(id, root);
    }
    let outputs = graph.output_node().and_then(|output| graph[output].args.first());
    let Some(Arg::Tuple(outputs) | Arg::List(outputs)) = outputs else { return Vec::new() };
    let root = |number: usize| outputs.get(number).and_then(Arg::as_node).and_then(|node| roots.get(&node));
    let result_of =
        |number: usize| (0..results).find(|&result| root(result).is_some_and(|of| root(number) == Some(of)));
    let places = saved.iter().enumerate().filter_map(|(place, saved)| match saved {
        Saved::Output(number) if *number >= results => Some((place, result_of(*number)?)),
        _ => None,
    });
    places.collect()
}

/// The overloads of these calls, each once.
fn overloads(graph: &fx::Graph, calls: &FxHashSet<NodeId>) -> Vec<String> {
    let calls = graph.nodes().filter(|node| calls.contains(node));
    let mut names: Vec<String> = calls.map(|node| graph[node].target.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Tells of symbolic sizes that Python cannot compute.
fn has_spelling(graph: &fx::Graph) -> Result<(), String> {
    let mut is_symbolic = false;
    for id in graph.nodes() {
        graph[id].all_args().for_each(|arg| arg.for_each_expr(&mut |_| is_symbolic = true));
    }
    if is_symbolic { spell_sizes(&mut graph.clone()) } else { Ok(()) }
}

#[pymethods]
impl Differentiated {
    /// Compiles the backward graph for gradients by some of the outputs that autograd follows: from what is saved and
    /// these gradients to the gradients by inputs. For each input of the graph comes the number of the gradient by it,
    /// then the inputs of the backward graph that it reads.
    #[expect(clippy::needless_pass_by_value, reason = "lists come from Python as vectors")]
    fn backward(&self, py: Python<'_>, has_gradient: Vec<bool>) -> PyResult<Backward> {
        let start = Instant::now();
        let whole = || self.joint.lock().unwrap_or_else(PoisonError::into_inner).take();
        let joint = match has_gradient.iter().all(|&has_gradient| has_gradient).then(whole).flatten() {
            Some(joint) => joint,
            None => {
                let (requires_grad, recorded) = (&self.requires_grad, &self.recorded);
                Joint::with_gradients(&self.functional, requires_grad, &has_gradient, recorded, &Asked(py))
                    .map_err(|error| PyValueError::new_err(error.to_string()))?
            }
        };
        let backward = self.cut.backward(&joint);
        let remarks = remarks::recomputed(&backward);
        let users = backward.graph.users();
        let inputs = backward.graph.placeholders().enumerate();
        let read = inputs.filter(|&(_, input)| !users[input].is_empty()).map(|(number, _)| number).collect();
        let roles = Roles { weights: Vec::new(), saved_from: None, spends: true };
        let options = self.options.clone();
        let compiled = CompiledFn::of_overloads(py, backward.graph, options, roles, start.elapsed())?;
        Ok((compiled.with_remarks(py, remarks)?, backward.gradients, read))
    }
}
