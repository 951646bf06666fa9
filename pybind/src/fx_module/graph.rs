//! The Python classes `Graph`, `Node` and `PythonCode`.

use crate::import;
use fx::{Arg, NodeId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rustc_hash::FxHashMap;

/// The Python objects beside a graph.
#[derive(Default)]
pub(crate) struct Objects {
    /// The callees of the `call_function` nodes.
    pub(crate) callables: FxHashMap<NodeId, Py<PyAny>>,
    /// The objects that `Arg::Opaque` names, by number.
    pub(crate) opaques: Vec<Py<PyAny>>,
    /// The types that the program states.
    pub(crate) types: FxHashMap<NodeId, Py<PyAny>>,
    /// Tensors that tracing met and that no module owns, by the attribute that `get_attr` nodes name.
    pub(crate) constants: Vec<(String, Py<PyAny>)>,
}

/// An FX graph. `str` gives `torch.fx`'s listing.
#[pyclass(frozen, module = "rust_inductor.fx")]
pub(crate) struct Graph {
    pub(crate) graph: fx::Graph,
    pub(crate) objects: Objects,
}

impl From<fx::Graph> for Graph {
    fn from(graph: fx::Graph) -> Graph {
        Graph { graph, objects: Objects::default() }
    }
}

#[pymethods]
impl Graph {
    /// The graph of a `torch.fx.GraphModule`.
    #[staticmethod]
    fn from_torch(module: &Bound<'_, PyAny>) -> PyResult<Graph> {
        let imported = import::import_faithfully(module)?;
        let import::Imported { graph, callables, opaques, types, .. } = imported;
        Ok(Graph { graph, objects: Objects { callables, opaques, types, constants: Vec::new() } })
    }

    /// A `torch.fx.GraphModule` of this graph; `root` is the module that its attributes and submodules come from. If it
    /// is lazy, its Python code is written when it is asked for or called, as it is for torch's own captures.
    #[pyo3(signature = (root, *, lazy = false))]
    fn to_torch<'py>(&self, root: &Bound<'py, PyAny>, lazy: bool) -> PyResult<Bound<'py, PyAny>> {
        self.graph_module(root, lazy)
    }

    /// Reads what `to_text` wrote.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Graph> {
        text.parse::<fx::Graph>().map(Graph::from).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The complete text form; `parse` reads it.
    fn to_text(&self) -> String {
        self.graph.to_text()
    }

    /// Reads what `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Graph> {
        fx::Graph::from_json(text).map(Graph::from).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The graph as JSON.
    fn to_json(&self) -> String {
        self.graph.to_json()
    }

    /// Python source of a `forward` that computes the graph.
    #[pyo3(signature = (root_module = "self"))]
    fn python_code(&self, root_module: &str) -> PythonCode {
        let code = self.graph.python_code(root_module);
        PythonCode { src: code.src, globals: code.globals.into_iter().collect() }
    }

    /// The table that `print_tabular` prints.
    fn tabular(&self) -> String {
        self.graph.tabular()
    }

    /// Prints a table of the nodes.
    fn print_tabular(&self, py: Python<'_>) -> PyResult<()> {
        py.import("builtins")?.call_method1("print", (self.graph.tabular(),)).map(|_| ())
    }

    /// The nodes, in program order.
    #[getter]
    fn nodes(slf: &Bound<'_, Self>) -> Vec<Node> {
        slf.get().graph.nodes().map(|id| Node { graph: slf.clone().unbind(), id }).collect()
    }

    fn __len__(&self) -> usize {
        self.graph.len()
    }

    fn __str__(&self) -> String {
        self.graph.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<rust_inductor.fx.Graph of {} nodes>", self.graph.len())
    }
}

/// Python source and the functions outside torch that it calls: the name in the source, and the function's own name.
#[pyclass(frozen, get_all, module = "rust_inductor.fx")]
pub(crate) struct PythonCode {
    src: String,
    globals: std::collections::BTreeMap<String, String>,
}

#[pymethods]
impl PythonCode {
    fn __str__(&self) -> &str {
        &self.src
    }
}

/// A node of a graph.
#[pyclass(frozen, module = "rust_inductor.fx")]
pub(crate) struct Node {
    graph: Py<Graph>,
    id: NodeId,
}

impl Node {
    fn row(&self) -> &fx::Node {
        &self.graph.get().graph[self.id]
    }

    fn value<'py>(&self, py: Python<'py>, arg: &Arg) -> PyResult<Bound<'py, PyAny>> {
        let view = |id| Ok(Bound::new(py, Node { graph: self.graph.clone_ref(py), id })?.into_any());
        self.graph.get().value(py, arg, &view)
    }
}

#[pymethods]
impl Node {
    /// The unique name.
    #[getter]
    fn name(&self) -> &str {
        &self.row().name
    }

    /// The kind: `placeholder`, `get_attr`, `call_function`, `call_method`, `call_module` or `output`.
    #[getter]
    fn op(&self) -> &'static str {
        self.row().kind.name()
    }

    /// The name of what is called or fetched.
    #[getter]
    fn target(&self) -> &str {
        &self.row().target
    }

    /// The positional arguments.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let args = self.row().args.iter().map(|a| self.value(py, a)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, args)
    }

    /// The keyword arguments.
    #[getter]
    fn kwargs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let kwargs = PyDict::new(py);
        self.row().kwargs.iter().try_for_each(|(k, v)| kwargs.set_item(k, self.value(py, v)?))?;
        Ok(kwargs)
    }

    /// The nodes that use this one.
    #[getter]
    fn users(&self, py: Python<'_>) -> Vec<Node> {
        let users = &self.graph.get().graph.users()[self.id];
        users.iter().map(|&id| Node { graph: self.graph.clone_ref(py), id }).collect()
    }

    /// The place in the user's program that the node comes from.
    #[getter]
    fn stack_trace(&self) -> Option<&str> {
        self.row().stack_trace.as_deref()
    }

    /// The subgraph that a `get_attr` node fetches for a higher-order operator.
    #[getter]
    fn subgraph(&self) -> Option<Graph> {
        self.graph.get().graph.subgraph(self.id).cloned().map(Graph::from)
    }

    fn __eq__(&self, other: &Node) -> bool {
        self.id == other.id && self.graph.is(&other.graph)
    }

    fn __hash__(&self) -> u64 {
        u64::from(self.id.as_u32())
    }

    fn __repr__(&self) -> &str {
        self.name()
    }
}
