//! From [`fx::Graph`] to `torch.fx.GraphModule`.

use super::graph::Graph;
use super::names;
use crate::import::to_python;
use fx::{Arg, Kind, NodeId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyTuple};
use rustc_hash::FxHashMap;

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

    /// A `torch.fx.GraphModule` of this graph, with the attributes and submodules of `root`.
    pub(crate) fn graph_module<'py>(&self, root: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = root.py();
        let torch_fx = py.import("torch.fx")?;
        let graph = torch_fx.getattr("Graph")?.call0()?;
        let mut nodes: FxHashMap<NodeId, Bound<'py, PyAny>> = FxHashMap::default();
        for id in self.graph.nodes() {
            let node = self.torch_node(&graph, id, &nodes)?;
            nodes.insert(id, node);
        }
        let owners = self.owners(root)?;
        let name = root.get_type().name()?;
        torch_fx.getattr("GraphModule")?.call1((owners, graph, name))
    }

    fn torch_node<'py>(
        &self,
        graph: &Bound<'py, PyAny>,
        id: NodeId,
        nodes: &FxHashMap<NodeId, Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = graph.py();
        let node = &self.graph[id];
        let value = |arg: &Arg| self.value(py, arg, &|n| Ok(nodes[&n].clone()));
        let args = PyTuple::new(py, node.args.iter().map(value).collect::<PyResult<Vec<_>>>()?)?;
        let kwargs = PyDict::new(py);
        node.kwargs.iter().try_for_each(|(k, v)| kwargs.set_item(k, value(v)?))?;
        let target = match (node.kind, self.objects.callables.get(&id)) {
            (Kind::CallFunction, Some(callable)) => callable.bind(py).clone(),
            (Kind::CallFunction, None) => names::function(py, &node.target)?,
            _ => node.target.as_str().into_pyobject(py)?.into_any(),
        };
        let stated = self.objects.types.get(&id);
        let made = (node.kind.name(), target, args, kwargs, &node.name, stated);
        let made = graph.call_method1("create_node", made)?;
        if let Some(trace) = &node.stack_trace {
            made.getattr("meta")?.set_item("stack_trace", trace)?;
        }
        Ok(made)
    }

    /// What a graph module takes its attributes from: the root, or where the graph has constants of its own a `dict` of
    /// everything that its nodes name.
    fn owners<'py>(&self, root: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = root.py();
        if self.objects.constants.is_empty() && root.is_instance(&py.import("torch.nn")?.getattr("Module")?)? {
            return Ok(root.clone());
        }
        let owners = PyDict::new(py);
        for id in self.graph.nodes().filter(|&n| matches!(self.graph[n].kind, Kind::GetAttr | Kind::CallModule)) {
            let path = &self.graph[id].target;
            let own = self.objects.constants.iter().find(|(name, _)| name == path);
            let value = match own {
                Some((_, constant)) => constant.bind(py).clone(),
                None => path.split('.').try_fold(root.clone(), |at, part| at.getattr(part))?,
            };
            owners.set_item(path, value)?;
        }
        Ok(owners.into_any())
    }
}
