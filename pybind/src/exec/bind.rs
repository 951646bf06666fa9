//! Binds the calls of a graph's plan: to libtorch, and to Python where libtorch cannot make them.

use super::dispatch;
use super::externs::{self, Form};
use super::libtorch::{LibCall, LibTorch};
use super::py_call::{PyArg, PyCall};
use crate::import::{Imported, to_python};
use crate::torch::Torch;
use fx::{Arg, NodeId};
use inductor::plan::{Call, CallArg, CallResult, View};
use pyo3::prelude::*;
use pyo3::types::PyString;
use runtime::{Binder, Keep, ViewId};

/// The binder of one graph's calls.
pub(crate) struct TorchBinder<'py, 'a> {
    pub(crate) py: Python<'py>,
    pub(crate) torch: &'static Torch,
    /// The graph that the plan is of.
    pub(crate) imported: &'a Imported,
    /// True if the tensors are the processor's, whose operators have functions of their own in the shim.
    pub(crate) on_host: bool,
}

/// Numbers a view.
type Number<'a> = dyn FnMut(&View) -> ViewId + 'a;

impl Binder<LibTorch> for TorchBinder<'_, '_> {
    type Error = PyErr;

    fn bind(&mut self, call: &Call, take: &mut dyn FnMut(&View)) -> Result<LibCall, String> {
        if !self.torch.tried {
            return Err("this release of torch was not tried".to_owned());
        }
        if !call.target.op().is_some_and(|op| self.torch.declares(self.py, op)) {
            return Err("no operator of ATen, or one that this release of torch declares otherwise".to_owned());
        }
        let mut tensors = Vec::new();
        let shim = if self.on_host { externs::find(call, &mut |view| tensors.push(view.clone())) } else { None };
        let bound = match shim.filter(|(shim, _)| is_written_as(call, shim.row.form)) {
            Some((shim, values)) => LibCall::Shim(shim, values),
            None => {
                tensors.clear();
                LibCall::Dispatch(dispatch::find(call, &mut |view| tensors.push(view.clone()))?)
            }
        };
        tensors.iter().for_each(take);
        Ok(bound)
    }

    fn foreign(&mut self, call: &Call, results: &[Keep], view: &mut Number<'_>) -> PyResult<Option<PyCall>> {
        let args = call.args.iter().map(|arg| self.py_arg(arg, view)).collect::<PyResult<_>>()?;
        let mut kwargs = Vec::with_capacity(call.kwargs.len());
        for (name, value) in &call.kwargs {
            kwargs.push((PyString::intern(self.py, name).into_any().unbind(), self.py_arg(value, view)?));
        }
        let (callable, target) = (self.callable(call)?, call.target.to_string());
        Ok(Some(PyCall { callable, args, kwargs, results: results.into(), tuple: call.tuple, target }))
    }

    fn constant(&mut self, value: &Arg) -> PyResult<Py<PyAny>> {
        Ok(to_python(self.py, value, &self.imported.opaques)?.unbind())
    }

    fn is_same_output(&self, one: usize, other: usize) -> bool {
        self.output_node(one) == self.output_node(other)
    }
}

/// True if a shim of this form can give the call's results where the plan wants them.
fn is_written_as(call: &Call, form: Form) -> bool {
    match form {
        Form::Out => matches!(call.results[..], [CallResult::Tensor(_)]),
        Form::New => true,
    }
}

impl TorchBinder<'_, '_> {
    /// The callee: the node's own if it names the same operator, else the overload of that name.
    fn callable(&self, call: &Call) -> PyResult<Py<PyAny>> {
        let is_own = self.imported.graph[call.node].target == call.target;
        let callable = match self.imported.callables.get(&call.node).filter(|_| is_own) {
            Some(callable) => callable.bind(self.py).clone(),
            None => self.torch.find(self.py, &format!("ops.{}", call.target))?,
        };
        // The overload's C++ function, without its Python frame.
        if callable.is_instance(self.torch.overload.bind(self.py))? {
            return Ok(callable.getattr("_op")?.unbind());
        }
        Ok(callable.unbind())
    }

    fn py_arg(&self, arg: &CallArg, view: &mut Number<'_>) -> PyResult<PyArg> {
        Ok(match arg {
            CallArg::Tensor(tensor) => PyArg::Tensor(view(tensor)),
            CallArg::Object(object) => PyArg::Object(*object),
            CallArg::List(items) => {
                PyArg::List(items.iter().map(|item| self.py_arg(item, view)).collect::<PyResult<_>>()?)
            }
            CallArg::Plain(arg) => PyArg::Constant(to_python(self.py, arg, &self.imported.opaques)?.unbind()),
        })
    }

    /// The node that gives an output.
    fn output_node(&self, at: usize) -> Option<NodeId> {
        let graph = &self.imported.graph;
        match &graph[graph.output_node()?].args[..] {
            [Arg::Tuple(results) | Arg::List(results)] => results.get(at)?.as_node(),
            _ => None,
        }
    }
}
