//! Appends nodes to a `torch.fx.Graph`.
//!
//! torch's `create_node` looks through every argument for symbolic numbers, to warn of them: most of its time. Graphs
//! of ours have none, so in releases that were tried a node is made and entered as `create_node` does so after that.

use crate::names;
use crate::torch::Torch;
use fx::NodeId;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rustc_hash::FxHashMap;

/// Kind, target, arguments by position and by name.
pub(super) type Parts<'py> = (&'static str, Bound<'py, PyAny>, Bound<'py, PyTuple>, Bound<'py, PyDict>);

/// A `torch.fx.Graph` in the making.
pub(super) struct Writer<'a, 'py> {
    /// The graph.
    pub(super) graph: Bound<'py, PyAny>,
    /// The nodes that it has, by those that they stand for.
    pub(super) nodes: FxHashMap<NodeId, Bound<'py, PyAny>>,
    functions: FxHashMap<&'a str, Bound<'py, PyAny>>,
    inside: Option<Inside<'py>>,
}

/// The parts of the graph that a node is entered into.
struct Inside<'py> {
    /// `torch.fx.Node`
    class: Bound<'py, PyAny>,
    /// Gives a name that no other node has.
    create_name: Bound<'py, PyAny>,
    /// Notes whose a name is.
    associate: Bound<'py, PyAny>,
    /// Puts a node at the end.
    append: Bound<'py, PyAny>,
    /// Enters a node into the table by kind and target.
    enter: Bound<'py, PyAny>,
}

impl<'a, 'py> Writer<'a, 'py> {
    /// An empty graph.
    pub(super) fn new(py: Python<'py>) -> PyResult<Writer<'a, 'py>> {
        let fx = py.import("torch.fx")?;
        let graph = fx.getattr("Graph")?.call0()?;
        let inside = if Torch::get(py)?.tried { Inside::of(&graph, &fx).ok() } else { None };
        Ok(Writer { graph, nodes: FxHashMap::default(), functions: FxHashMap::default(), inside })
    }

    /// The callable of a target.
    pub(super) fn function(&mut self, target: &'a str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.functions.get(target) {
            return Ok(known.clone());
        }
        let found = names::function(self.graph.py(), target)?;
        self.functions.insert(target, found.clone());
        Ok(found)
    }

    /// Appends a node, under this name if no other has it; `stated` is the type that the program states.
    pub(super) fn node(
        &self,
        (kind, target, args, kwargs): Parts<'py>,
        name: &str,
        stated: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.graph.py();
        let Some(inside) = &self.inside else {
            let parts = (kind, target, args, kwargs, name, stated);
            return self.graph.call_method1(intern!(py, "create_node"), parts);
        };
        let name = inside.create_name.call1((name, py.None()))?;
        let node = inside.class.call1((&self.graph, &name, kind, target, args, kwargs, stated))?;
        inside.associate.call1((name, &node))?;
        inside.append.call1((&node,))?;
        inside.enter.call1((&node,))?;
        Ok(node)
    }

    /// The graph, complete.
    pub(super) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        if self.inside.is_some() {
            self.graph.setattr(intern!(self.graph.py(), "_len"), self.nodes.len())?;
        }
        Ok(self.graph)
    }
}

impl<'py> Inside<'py> {
    fn of(graph: &Bound<'py, PyAny>, fx: &Bound<'py, PyModule>) -> PyResult<Inside<'py>> {
        graph.getattr("_len")?;
        let names = graph.getattr("_graph_namespace")?;
        Ok(Inside {
            class: fx.getattr("Node")?,
            create_name: names.getattr("create_name")?,
            associate: names.getattr("associate_name_with_obj")?,
            append: graph.getattr("_insert")?,
            enter: graph.getattr("_find_nodes_lookup_table")?.getattr("insert")?,
        })
    }
}
