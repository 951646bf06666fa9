//! From [`fx::Graph`] to `torch.fx.GraphModule`.

use super::graph::Graph;
use super::writer::Writer;
use crate::import::to_python;
use fx::{Arg, Kind, NodeId};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyTuple};

impl Graph {
    /// The Python value of an argument; `node` gives that of a node.
    pub(super) fn value<'py>(
        &self,
        py: Python<'py>,
        arg: &Arg,
        node: &dyn Fn(NodeId) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inner = |arg: &Arg| self.value(py, arg, node);
        let all = |items: &[Arg]| items.iter().map(inner).collect::<PyResult<Vec<_>>>();
        Ok(match arg {
            Arg::Node(id) => node(*id)?,
            Arg::Sym(e) => {
                let text = self.graph.exprs.display(*e);
                return Err(PyValueError::new_err(format!("the symbolic size `{text}` has no Python value")));
            }
            Arg::List(items) => PyList::new(py, all(items)?)?.into_any(),
            Arg::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
            Arg::Slice(parts) => py.get_type::<PySlice>().call1(PyTuple::new(py, all(&parts[..])?)?)?,
            Arg::Dict(items) => {
                let dict = PyDict::new(py);
                items.iter().try_for_each(|(k, v)| dict.set_item(inner(k)?, inner(v)?))?;
                dict.into_any()
            }
            plain => to_python(py, plain, &self.objects.opaques)?,
        })
    }

    /// The Python value of an argument that is none of the containers, nor a node.
    pub(crate) fn constant<'py>(&self, py: Python<'py>, arg: &Arg) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, arg, &self.objects.opaques)
    }

    /// A `torch.fx.GraphModule` of this graph, with the attributes and submodules of `root`; a lazy one writes its
    /// Python code when it is needed.
    pub(crate) fn graph_module<'py>(&self, root: &Bound<'py, PyAny>, lazy: bool) -> PyResult<Bound<'py, PyAny>> {
        let py = root.py();
        let (module, class) =
            if lazy { ("torch.fx._lazy_graph_module", "_LazyGraphModule") } else { ("torch.fx", "GraphModule") };
        let mut writer = Writer::new(py)?;
        for id in self.graph.nodes() {
            self.write_node(&mut writer, id)?;
        }
        let name = root.get_type().name()?;
        py.import(module)?.getattr(class)?.call1((self.owners(root)?, writer.finish()?, name))
    }

    fn write_node<'a>(&'a self, writer: &mut Writer<'a, '_>, id: NodeId) -> PyResult<()> {
        let py = writer.graph.py();
        let node = &self.graph[id];
        let value = |arg: &Arg| self.value(py, arg, &|n| Ok(writer.nodes[&n].clone()));
        let args = PyTuple::new(py, node.args.iter().map(value).collect::<PyResult<Vec<_>>>()?)?;
        let kwargs = PyDict::new(py);
        node.kwargs.iter().try_for_each(|(k, v)| kwargs.set_item(k, value(v)?))?;
        let target = match (node.kind, self.objects.callables.get(&id)) {
            (Kind::CallFunction, Some(callable)) => callable.bind(py).clone(),
            (Kind::CallFunction, None) => writer.function(&node.target)?,
            _ => node.target.as_str().into_pyobject(py)?.into_any(),
        };
        let stated = self.objects.types.get(&id).map(|stated| stated.bind(py));
        let made = writer.node((node.kind.name(), target, args, kwargs), &node.name, stated)?;
        if let Some(trace) = &node.stack_trace {
            made.getattr(intern!(py, "meta"))?.set_item(intern!(py, "stack_trace"), &**trace)?;
        }
        writer.nodes.insert(id, made);
        Ok(())
    }

    /// The object that a graph module takes its attributes from: the root, or where the graph has constants or
    /// subgraphs of its own a `dict` of everything that its nodes name.
    fn owners<'py>(&self, root: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = root.py();
        let has_subgraphs = self.graph.nodes().any(|node| self.graph.subgraph(node).is_some());
        if self.objects.constants.is_empty()
            && !has_subgraphs
            && root.is_instance(&py.import("torch.nn")?.getattr("Module")?)?
        {
            return Ok(root.clone());
        }
        let owners = PyDict::new(py);
        for id in self.graph.nodes().filter(|&n| matches!(self.graph[n].kind, Kind::GetAttr | Kind::CallModule)) {
            let path = self.graph[id].target.as_str();
            let own = self.objects.constants.iter().find(|(name, _)| name == path);
            let value = match (own, self.graph.subgraph(id)) {
                (Some((_, constant)), _) => constant.bind(py).clone(),
                (None, Some(subgraph)) => Graph::from(subgraph.clone()).graph_module(root, false)?,
                (None, None) => path.split('.').try_fold(root.clone(), |at, part| at.getattr(part))?,
            };
            owners.set_item(path, value)?;
        }
        Ok(owners.into_any())
    }
}

/// A `torch.fx.GraphModule` of the subgraph that a node fetches, or `None` in Python's sense if it fetches none.
pub(crate) fn bare_subgraph<'py>(py: Python<'py>, graph: &fx::Graph, fetch: NodeId) -> PyResult<Bound<'py, PyAny>> {
    let root = py.import("torch.nn")?.getattr("Module")?.call0()?;
    match graph.subgraph(fetch) {
        Some(subgraph) => Graph::from(subgraph.clone()).graph_module(&root, false),
        None => Ok(py.None().into_bound(py)),
    }
}
