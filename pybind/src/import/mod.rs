//! From `torch.fx.GraphModule` to [`fx::Graph`].
//!
//! The graph is read once, attribute by attribute; what has no place in `fx` (Python callables, tensor constants, other
//! objects) stays beside it in [`Imported`]. An import never guesses: what it does not understand of a placeholder or
//! of a symbolic size makes [`Imported::obstacle`] say why the graph has to run as it is.

mod args;
mod export;
mod meta;
mod number;
mod target;

pub(crate) use args::plain_constant;
pub(crate) use export::{to_python, to_python_with};

use crate::names::{function, type_text};
use crate::torch::Torch;
use fx::{Arg, Graph, Kind, Meta, NodeId};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::Expr;

/// A graph with the Python objects that it names.
pub(crate) struct Imported {
    /// The graph.
    pub(crate) graph: Graph,
    /// The Python callables of the `call_function` nodes.
    pub(crate) callables: FxHashMap<NodeId, Py<PyAny>>,
    /// The tensors of the `get_attr` nodes, in program order.
    pub(crate) constants: Vec<(NodeId, Py<PyAny>)>,
    /// The objects that `Arg::Opaque` names, by number.
    pub(crate) opaques: Vec<Py<PyAny>>,
    /// The types that the program states, where every node stays as it is.
    pub(crate) types: FxHashMap<NodeId, Py<PyAny>>,
    /// The reason why the graph cannot be compiled, if it cannot.
    pub(crate) obstacle: Option<String>,
    /// The roles that the caller gives inputs and outputs.
    pub(crate) roles: Roles,
}

/// The roles of inputs and outputs for the caller, as far as it states them.
#[derive(Default)]
pub(crate) struct Roles {
    /// The inputs that are parameters or buffers of a module, by number.
    pub(crate) weights: Vec<usize>,
    /// The outputs from this one on are kept for a backward graph and seen by nobody else.
    pub(crate) saved_from: Option<usize>,
    /// The caller gives its inputs away with the call: what is not read any more may be freed.
    pub(crate) spends: bool,
}

impl Imported {
    /// A graph of ATen overloads that names nothing but them.
    pub(crate) fn of_graph(py: Python<'_>, graph: Graph) -> PyResult<Imported> {
        let mut callables = FxHashMap::default();
        for id in graph.nodes().filter(|&id| graph[id].kind == Kind::CallFunction) {
            callables.insert(id, function(py, &graph[id].target)?.unbind());
        }
        let (constants, opaques, types) = (Vec::new(), Vec::new(), FxHashMap::default());
        Ok(Imported { graph, callables, constants, opaques, types, obstacle: None, roles: Roles::default() })
    }
}

/// Positional and keyword arguments.
type Arguments = (Vec<Arg>, Vec<(String, Arg)>);

/// The state of one import.
struct Importer<'py> {
    py: Python<'py>,
    torch: &'static Torch,
    module: Bound<'py, PyAny>,
    purpose: Purpose,
    into: Imported,
    /// Nodes by the address of their Python object; the module keeps those alive.
    nodes: FxHashMap<usize, NodeId>,
    /// `get_attr` nodes whose value is no strided tensor, by the same address; they leave the graph in the end.
    attributes: FxHashMap<usize, (NodeId, Arg)>,
    /// Qualified names of callables, by address.
    names: FxHashMap<usize, String>,
    /// Symbolic sizes that were met, by their text.
    exprs: FxHashMap<String, Option<Expr>>,
}

/// The purposes of an import.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To be compiled: an ATen graph whose attributes are constants.
    Compile,
    /// To be looked at and handed back: every node stays as it is.
    Keep,
}

/// Imports the graph of a graph module as something to compile.
pub(crate) fn import(module: &Bound<'_, PyAny>) -> PyResult<Imported> {
    import_for(Purpose::Compile, module)
}

/// Imports the graph of a graph module of any kind, node by node as it stands.
pub(crate) fn import_faithfully(module: &Bound<'_, PyAny>) -> PyResult<Imported> {
    import_for(Purpose::Keep, module)
}

fn import_for(purpose: Purpose, module: &Bound<'_, PyAny>) -> PyResult<Imported> {
    let py = module.py();
    let into = Imported {
        graph: Graph::new(),
        callables: FxHashMap::default(),
        constants: Vec::new(),
        opaques: Vec::new(),
        types: FxHashMap::default(),
        obstacle: None,
        roles: Roles::default(),
    };
    let mut importer = Importer {
        py,
        torch: Torch::get(py)?,
        module: module.clone(),
        purpose,
        into,
        nodes: FxHashMap::default(),
        attributes: FxHashMap::default(),
        names: FxHashMap::default(),
        exprs: FxHashMap::default(),
    };
    let nodes = module.getattr(intern!(py, "graph"))?.getattr(intern!(py, "nodes"))?;
    for node in nodes.try_iter()? {
        importer.node(&node?)?;
    }
    let Importer { mut into, attributes, .. } = importer;
    let opaque: FxHashSet<NodeId> = attributes.into_values().map(|(id, _)| id).collect();
    into.graph.retain(|id| !opaque.contains(&id));
    Ok(into)
}

impl<'py> Importer<'py> {
    fn node(&mut self, node: &Bound<'py, PyAny>) -> PyResult<()> {
        let py = self.py;
        let kind = kind(node.getattr(intern!(py, "op"))?.cast::<PyString>()?.to_str()?)?;
        let target = node.getattr(intern!(py, "target"))?;
        let name = self.target_name(kind, &target)?;
        let hint = node.getattr(intern!(py, "name"))?;
        let (args, kwargs) = self.arguments(node)?;
        let id = self.into.graph.push(kind, name, args, kwargs, Some(hint.cast::<PyString>()?.to_str()?));
        self.nodes.insert(node.as_ptr() as usize, id);
        let meta = node.getattr(intern!(py, "meta"))?.cast_into::<PyDict>()?;
        self.annotate(id, &meta)?;
        if self.purpose == Purpose::Keep {
            self.keep_type(id, node.getattr(intern!(py, "type"))?)?;
        }
        match kind {
            Kind::CallFunction => {
                self.into.callables.insert(id, target.unbind());
            }
            _ if self.purpose == Purpose::Keep => {}
            Kind::GetAttr => self.attribute(id, node)?,
            Kind::Placeholder => self.check_placeholder(id, &meta)?,
            Kind::CallMethod | Kind::CallModule => {
                self.obstacle(|| format!("{kind} node `{hint}`: not an ATen graph"));
            }
            Kind::Output => {}
        }
        Ok(())
    }

    fn arguments(&mut self, node: &Bound<'py, PyAny>) -> PyResult<Arguments> {
        let py = self.py;
        let args = node.getattr(intern!(py, "args"))?.cast_into::<PyTuple>()?;
        let args = args.iter_borrowed().map(|a| self.arg(&a)).collect::<PyResult<_>>()?;
        let kwargs = node.getattr(intern!(py, "kwargs"))?.cast_into::<PyDict>()?;
        let kwargs =
            kwargs.iter().map(|(key, value)| Ok((key.extract()?, self.arg(&value)?))).collect::<PyResult<_>>()?;
        Ok((args, kwargs))
    }

    fn annotate(&mut self, id: NodeId, meta: &Bound<'py, PyDict>) -> PyResult<()> {
        if let Some(value) = meta.get_item(intern!(self.py, "val"))? {
            self.into.graph[id].meta = self.meta(&value)?;
        }
        if let Some(trace) = meta.get_item(intern!(self.py, "stack_trace"))? {
            self.into.graph[id].stack_trace = trace.extract::<String>().ok().map(Into::into);
        }
        Ok(())
    }

    fn keep_type(&mut self, id: NodeId, stated: Bound<'py, PyAny>) -> PyResult<()> {
        if let Some(text) = type_text(&stated)? {
            self.into.graph[id].type_expr = Some(text);
            self.into.types.insert(id, stated.unbind());
        }
        Ok(())
    }

    /// Keeps the value of a `get_attr` node: a tensor as a constant, anything else as an opaque argument.
    fn attribute(&mut self, id: NodeId, node: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut value = self.module.clone();
        for part in self.into.graph[id].target.split('.') {
            value = value.getattr(part)?;
        }
        if self.torch.is_plain_tensor(&value) && self.into.graph[id].meta.is_none() {
            self.into.graph[id].meta = self.meta(&value)?;
        }
        if self.torch.is_plain_tensor(&value) && self.into.graph[id].tensor_meta().is_some() {
            self.into.constants.push((id, value.unbind()));
        } else {
            let arg = self.opaque(&value)?;
            self.attributes.insert(node.as_ptr() as usize, (id, arg));
        }
        Ok(())
    }

    /// A placeholder must be something that the executor can check and hand on.
    fn check_placeholder(&mut self, id: NodeId, meta: &Bound<'py, PyDict>) -> PyResult<()> {
        let name = self.into.graph[id].name.clone();
        match &self.into.graph[id].meta {
            Some(Meta::Tensor(tensor)) => {
                let value = meta.get_item(intern!(self.py, "val"))?;
                let dtype = tensor.dtype;
                let negated =
                    |value: &Bound<'py, PyAny>, method| -> PyResult<bool> { value.call_method0(method)?.extract() };
                if let Some(value) = value
                    && (negated(&value, intern!(self.py, "is_neg"))? || negated(&value, intern!(self.py, "is_conj"))?)
                {
                    self.obstacle(|| {
                        format!("input `{name}` is a {dtype} tensor with a pending negation or conjugation")
                    });
                }
            }
            Some(Meta::Int(_) | Meta::Plain(_)) => {}
            Some(Meta::Float(_) | Meta::Bool(_) | Meta::Tuple(_)) | None => {
                self.obstacle(|| format!("input `{name}` is not a strided tensor or a number"));
            }
        }
        Ok(())
    }

    fn obstacle(&mut self, why: impl FnOnce() -> String) {
        self.into.obstacle.get_or_insert_with(why);
    }
}

fn kind(op: &str) -> PyResult<Kind> {
    const KINDS: [Kind; 6] =
        [Kind::Placeholder, Kind::GetAttr, Kind::CallFunction, Kind::CallMethod, Kind::CallModule, Kind::Output];
    let known = KINDS.into_iter().find(|k| k.name() == op);
    known.ok_or_else(|| PyValueError::new_err(format!("unknown kind of node `{op}`")))
}
