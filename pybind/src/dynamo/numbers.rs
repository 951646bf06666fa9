//! A graph with floats, taken apart: the numbers, which Python computes as the program does, and the tensors, which
//! take each float as a tensor without dimensions. Our own compiler knows no numbers but integers.
//!
//! Invariant: the parts together give what the whole gives. A float is converted as torch converts a number that meets
//! a tensor; a call that could tell it from such a tensor is a reason not to take the graph apart.

use super::number_calls;
use crate::fx_module;
use fx::effects::{SideEffect, side_effect};
use fx::{Arg, Graph, Kind, Meta, NodeId, infer, torch_ops};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rustc_hash::FxHashSet;
use symshapes::DType;

/// The parts of a graph.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct Parts {
    numbers: Graph,
    tensors: Option<Graph>,
    #[pyo3(get)]
    kept: Vec<usize>,
    #[pyo3(get)]
    given: usize,
    #[pyo3(get)]
    results: Vec<(bool, usize)>,
}

#[pymethods]
impl Parts {
    /// Computes the numbers: first those that become tensors, then those that are results.
    #[getter]
    fn numbers(&self) -> fx_module::Graph {
        self.numbers.clone().into()
    }

    /// Computes the tensors, from those of the inputs that it needs, and from numbers.
    #[getter]
    fn tensors(&self) -> Option<fx_module::Graph> {
        self.tensors.clone().map(Into::into)
    }

    /// The graph that computes the tensors in ATen overloads, if each call has one.
    #[getter]
    fn lowered(&self) -> Option<fx_module::Graph> {
        let mut lowered = torch_ops::lower_torch(self.tensors.as_ref()?).ok()?;
        infer::fill(&mut lowered).ok()?;
        Some(lowered.into())
    }
}

/// Takes a graph apart; `None` if there is no number in it but integers.
///
/// # Errors
/// It cannot be done.
#[pyfunction]
pub(crate) fn take_numbers_out(graph: &Bound<'_, fx_module::Graph>) -> PyResult<Option<Parts>> {
    let graph = &graph.get().graph;
    let numbers = numbers(graph);
    let mut results = graph.output_node().map(|output| graph[output].inputs()).into_iter().flatten();
    if numbers.is_empty() && !results.any(|node| is_int(graph, node)) {
        return Ok(None);
    }
    let parts = split(graph, &numbers);
    parts.map(Some).ok_or_else(|| PyValueError::new_err("a float is used otherwise than in arithmetic"))
}

/// True if a graph has symbols: sizes or numbers that differ between calls.
#[pyfunction]
pub(crate) fn has_symbols(graph: &Bound<'_, fx_module::Graph>) -> bool {
    let graph = &graph.get().graph;
    let mut symbolic = false;
    for node in graph.nodes() {
        if let Some(meta) = &graph[node].meta {
            meta.for_each_expr(&mut |expr| symbolic |= graph.exprs.as_int(expr).is_none());
            symbolic |= matches!(meta, Meta::Float(_) | Meta::Bool(_));
        }
    }
    symbolic
}

/// True if a call of the graph's may change a tensor, as far as is known of it.
#[pyfunction]
pub(crate) fn changes_tensors(graph: &Bound<'_, fx_module::Graph>) -> bool {
    let graph = &graph.get().graph;
    graph.nodes().any(|node| side_effect(graph, node) == Some(SideEffect::Changes))
}

fn is_int(graph: &Graph, node: NodeId) -> bool {
    matches!(graph[node].meta, Some(Meta::Int(_)))
}

/// The nodes that are floats or bools, or integers that are made of them.
fn numbers(graph: &Graph) -> FxHashSet<NodeId> {
    let mut found = FxHashSet::default();
    for id in graph.nodes() {
        let is_number = match graph[id].meta {
            Some(Meta::Float(_) | Meta::Bool(_)) => true,
            Some(Meta::Int(_)) => graph[id].inputs().iter().any(|input| found.contains(input)),
            _ => false,
        };
        if is_number {
            found.insert(id);
        }
    }
    found
}

fn split(graph: &Graph, numbers: &FxHashSet<NodeId>) -> Option<Parts> {
    let mut tensors = graph.clone();
    let mut wanted: Vec<NodeId> = Vec::new();
    for id in graph.nodes().filter(|id| !numbers.contains(id) && graph[*id].kind != Kind::Output) {
        if !graph[id].inputs().iter().any(|input| numbers.contains(input)) {
            continue;
        }
        let mut tensor_of = |tensors: &mut Graph, number: NodeId, dtype: DType, id: NodeId| {
            let input = input_of(tensors, &mut wanted, number);
            let args = vec![Arg::Node(input), Arg::DType(dtype)];
            let cast = tensors.insert_before(id, Kind::CallMethod, "to", args, vec![], None);
            tensors[cast].meta = Some(number_calls::scalar(dtype));
            cast
        };
        number_calls::write(&mut tensors, id, &mut tensor_of)?;
        if tensors[id].inputs().iter().any(|input| numbers.contains(input)) {
            return None;
        }
    }
    let given = wanted.len();
    let results = share_results(graph, &mut tensors, numbers, &mut wanted)?;
    let places: Vec<NodeId> = graph.placeholders().collect();
    tensors.retain(|node| !numbers.contains(&node));
    let users = tensors.users();
    let idle: Vec<NodeId> = places.iter().copied().filter(|&place| users[place].is_empty()).collect();
    tensors.retain(|node| !idle.contains(&node));
    let kept = (0..).zip(&places).filter(|(_, place)| !idle.contains(place)).map(|(at, _)| at).collect();
    let computes = tensors.nodes().any(|id| !matches!(tensors[id].kind, Kind::Placeholder | Kind::Output));
    let tensors = computes.then_some(tensors);
    Some(Parts { numbers: only_numbers(graph, &wanted)?, tensors, kept, given, results })
}

fn input_name(at: usize) -> String {
    format!("number_{at}")
}

/// The input of the tensors' graph that is this number.
fn input_of(tensors: &mut Graph, wanted: &mut Vec<NodeId>, number: NodeId) -> NodeId {
    let at = wanted.iter().position(|&known| known == number);
    at.and_then(|at| tensors.find(&input_name(at))).unwrap_or_else(|| {
        wanted.push(number);
        let name = input_name(wanted.len() - 1);
        let input = tensors.placeholder_named(&name, &name);
        tensors[input].meta = Some(number_calls::scalar(DType::F64));
        input
    })
}

/// Divides the results: which part gives each, and at which place. Only tensors are left in the one part's output.
fn share_results(
    graph: &Graph,
    tensors: &mut Graph,
    numbers: &FxHashSet<NodeId>,
    wanted: &mut Vec<NodeId>,
) -> Option<Vec<(bool, usize)>> {
    let output = graph.output_node()?;
    let [Arg::Tuple(results)] = &graph[output].args[..] else { return None };
    let mut kept = Vec::new();
    let mut places = Vec::new();
    for result in results {
        let node = result.as_node()?;
        if numbers.contains(&node) || is_int(graph, node) {
            places.push((false, wanted.len()));
            wanted.push(node);
        } else {
            places.push((true, kept.len()));
            kept.push(result.clone());
        }
    }
    tensors[output].args = vec![Arg::Tuple(kept)];
    Some(places)
}

/// The graph that gives these numbers; `None` if a tensor has to be computed for them.
fn only_numbers(graph: &Graph, wanted: &[NodeId]) -> Option<Graph> {
    let mut needed: FxHashSet<NodeId> = FxHashSet::default();
    let mut open = wanted.to_vec();
    while let Some(id) = open.pop() {
        let is_number = matches!(graph[id].meta, Some(Meta::Int(_) | Meta::Float(_) | Meta::Bool(_)));
        if graph[id].kind == Kind::Placeholder || !needed.insert(id) {
            continue;
        }
        if !is_number {
            return None;
        }
        open.extend(graph[id].inputs());
    }
    let mut numbers = graph.clone();
    let output = numbers.output_node()?;
    numbers[output].args = vec![Arg::Tuple(wanted.iter().map(|&id| Arg::Node(id)).collect())];
    numbers.retain(|id| matches!(graph[id].kind, Kind::Placeholder | Kind::Output) || needed.contains(&id));
    Some(numbers)
}
