//! Results of torch's calls, inferred by running them on tensors without data (the device `meta`).

use super::{PyHost, gives_nothing};
use crate::dynamo::{classify, keeps_mode::Modes};
use crate::fx_module::bare_subgraph;
use crate::import::{to_python, to_python_with};
use crate::names::function;
use crate::torch::Torch;
use dynamo_core::host::{Ask, NumpyResult, View};
use fx::aten::{Aten, Packet};
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta};
use guards::Constant;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};
use std::cell::RefCell;
use symshapes::{Expr, Float, Pool, ShapeEnv};

/// Texts of errors about tensors without data that are copied elsewhere, or meet tensors that a call makes itself.
const OF_DEVICES: [&str; 3] =
    ["Cannot copy out of meta tensor", "must be on the same device as", "to be on the same device"];

/// Tensors without data, and the nodes that they stand for.
pub(super) type Made<'py> = Vec<(Bound<'py, PyAny>, NodeId)>;

/// The values of the numbers in a graph, as far as they are known.
pub(super) struct Known<'a, 'py> {
    pub(super) env: &'a ShapeEnv,
    /// Whether symbolic sizes take their hints, the values that they have now.
    pub(super) by_hints: bool,
    /// The nodes that stand for scalars of NumPy's.
    pub(super) scalars: &'a [NodeId],
    /// The list in which the tensors that are made are noted.
    pub(super) made: Option<&'a RefCell<Made<'py>>>,
    /// Whether inputs that require gradients are leaves of the autograd graph.
    pub(super) leaves: bool,
}

impl<'a> Known<'a, '_> {
    pub(super) fn of(env: &'a ShapeEnv, by_hints: bool) -> Self {
        Known { env, by_hints, scalars: &[], made: None, leaves: true }
    }

    fn int(&self, e: Expr) -> Option<i64> {
        if self.by_hints { self.env.hint(e) } else { self.env.pool().as_int(e) }
    }

    /// A float as it is now: the tracer asks only of calls of which it decides no more than values.
    fn float(&self, float: Float) -> Option<f64> {
        self.env.pool().eval_float(float, &|sym| self.env.symbol_hint(sym))
    }
}

impl<'py> PyHost<'py> {
    /// Runs a node on tensors without data.
    pub(super) fn run_without_data(
        &self,
        graph: &Graph,
        env: &mut ShapeEnv,
        id: NodeId,
        ask: Ask,
    ) -> PyResult<Result<Meta, String>> {
        let torch = Torch::get(self.py)?;
        let chooses = ask.attention.iter().any(Option::is_some) || ask.attention_order.is_some();
        let before = if chooses { Some(Modes::now(self.py, true)?) } else { None };
        let mode = torch.find(self.py, "set_grad_enabled")?.call1((ask.grad,))?;
        let chosen = if chooses { torch.choose_attention(self.py, ask.attention, ask.attention_order) } else { Ok(()) };
        let result = chosen.and_then(|()| self.run_node(graph, env, id, ask));
        if let Some(before) = before {
            before.restore()?;
        }
        mode.call_method1("__exit__", (self.py.None(), self.py.None(), self.py.None()))?;
        result
    }

    pub(super) fn run_node(
        &self,
        graph: &Graph,
        env: &mut ShapeEnv,
        id: NodeId,
        ask: Ask,
    ) -> PyResult<Result<Meta, String>> {
        let node = &graph[id];
        let by_device = !ask.by_hints && is_chosen_by_device(&node.target);
        if by_device && let Some(meta) = self.attention(graph, env, id)? {
            return Ok(meta);
        }
        if computes(graph, id) || by_device || !ask.by_hints && is_laid_out_by_device(&node.target) {
            if let Some(meta) = self.array_without_data(graph, env, id)? {
                return Ok(Ok(meta));
            }
            return self.with_symbols(graph, env, id, ask);
        }
        let known = Known { leaves: ask.leaves, ..Known::of(env, ask.by_hints) };
        let Some((args, keywords)) = self.arguments(graph, &known, id)? else {
            return self.with_symbols(graph, env, id, ask);
        };
        let (callee, args) = match (node.kind, args.iter().next()) {
            (Kind::CallMethod, Some(this)) => (this.getattr(node.target.as_str()), args.get_slice(1, args.len())),
            _ => (Ok(function(self.py, &node.target)?), args),
        };
        let module = self.py.import("rust_inductor._without_dynamo")?;
        let result = callee.and_then(|callee| module.call_method1("call", (callee, args, keywords)));
        let device = node.inputs().iter().find_map(|&n| Some(graph[n].tensor_meta()?.device));
        Ok(match result {
            Ok(value) => {
                self.meta(env.pool_mut(), &value, device)?.ok_or_else(|| "what it gives is not known".to_owned())
            }
            // Tensors without data cannot be copied elsewhere; fakes that know their device can.
            Err(error) if !ask.by_hints && OF_DEVICES.iter().any(|text| error.to_string().contains(text)) => {
                return self.with_symbols(graph, env, id, ask);
            }
            // An operator of a library that only changes its arguments needs no implementation for these.
            Err(_) if node.target.starts_with("torch.ops.") && gives_nothing(self.py, &node.target)? => {
                Ok(Meta::Plain(Arg::None))
            }
            Err(error) => Err(error.to_string()),
        })
    }

    /// An array that a call of NumPy's makes of no array; `None` for other calls, and for sizes without a value.
    fn array_without_data(&self, graph: &Graph, env: &mut ShapeEnv, id: NodeId) -> PyResult<Option<Meta>> {
        let node = &graph[id];
        let Some(name) = node.target.strip_prefix("rust_inductor._numpy.") else { return Ok(None) };
        let known = Known::of(env, false);
        let Some((args, keywords)) = self.arguments(graph, &known, id)? else { return Ok(None) };
        let module = self.py.import("rust_inductor._numpy")?;
        let result = module.call_method1("without_data", (name, args, keywords))?;
        if result.is_none() { Ok(None) } else { self.meta(env.pool_mut(), &result, Some(symshapes::Device::CPU)) }
    }

    /// The positional and the keyword arguments of a node; `None` if a size is symbolic.
    fn arguments(
        &self,
        graph: &Graph,
        known: &Known<'_, 'py>,
        id: NodeId,
    ) -> PyResult<Option<(Bound<'py, PyTuple>, Bound<'py, PyDict>)>> {
        let node = &graph[id];
        let Some(args) = self.values(graph, known, &node.args)? else { return Ok(None) };
        let keywords = PyDict::new(self.py);
        for (name, arg) in &node.kwargs {
            let Some(value) = self.value(graph, known, arg)? else { return Ok(None) };
            keywords.set_item(name, value)?;
        }
        Ok(Some((PyTuple::new(self.py, args)?, keywords)))
    }

    /// Has a call of NumPy's compared with its node's computation; gives the kind of NumPy's result, if both agree.
    pub(super) fn compare_with_numpy(
        &self,
        graph: &Graph,
        env: &ShapeEnv,
        id: NodeId,
        scalars: &[NodeId],
    ) -> PyResult<Option<NumpyResult>> {
        // Sizes of arrays are constants; integers among the operands vary.
        let (node, known) = (&graph[id], Known { scalars, ..Known::of(env, true) });
        let Some((args, keywords)) = self.arguments(graph, &known, id)? else { return Ok(None) };
        let name = node.target.rsplit('.').next().unwrap_or_default();
        let module = self.py.import("rust_inductor._numpy")?;
        let given = module.call_method1("agrees", (name, args, keywords))?;
        Ok(match given.cast::<PyBool>() {
            Ok(is_scalar) => Some(NumpyResult::One { is_scalar: is_scalar.is_true() }),
            Err(_) if given.is_instance_of::<PyTuple>() => Some(NumpyResult::Tuple(given.extract()?)),
            Err(_) if given.is_instance_of::<PyList>() => Some(NumpyResult::List(given.extract()?)),
            Err(_) => None,
        })
    }

    /// Calls the hook of a lazy module on tensors without data; false if a size is symbolic.
    pub(super) fn infer_parameters(
        &self,
        module: &Bound<'py, PyAny>,
        graph: &Graph,
        env: &ShapeEnv,
        args: &[Arg],
    ) -> PyResult<bool> {
        let known = Known::of(env, false);
        let Some(args) = self.values(graph, &known, args)? else { return Ok(false) };
        let args = std::iter::once(module.clone()).chain(args).collect::<Vec<_>>();
        module.call_method1("_infer_parameters", PyTuple::new(self.py, args)?)?;
        Ok(true)
    }

    /// Asks torch's own fake tensors, which know the devices that they stand for.
    pub(super) fn with_symbols(
        &self,
        graph: &Graph,
        env: &mut ShapeEnv,
        id: NodeId,
        ask: Ask,
    ) -> PyResult<Result<Meta, String>> {
        if ask.by_hints {
            return Ok(Err("its sizes have no values".to_owned()));
        }
        crate::dynamo::symbolic::infer(self.py, graph, env, id, ask)
    }

    /// Arguments with tensors on the device `meta`; `None` if a size is symbolic.
    pub(super) fn values(
        &self,
        graph: &Graph,
        known: &Known<'_, 'py>,
        args: &[Arg],
    ) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        args.iter().map(|arg| self.value(graph, known, arg)).collect()
    }

    /// An argument with tensors on the device `meta`; `None` if a size is symbolic.
    pub(super) fn value(
        &self,
        graph: &Graph,
        known: &Known<'_, 'py>,
        arg: &Arg,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = |arg: &Arg| match arg {
            Arg::Node(id) => self.operand(graph, known, *id),
            other => to_python(self.py, other, &[]).map(Some),
        };
        to_python_with(self.py, arg, &open)
    }

    /// The value of a node, with tensors on the device `meta`; `None` if a size is symbolic.
    fn operand(&self, graph: &Graph, known: &Known<'_, 'py>, id: NodeId) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.py;
        Ok(Some(match &graph[id].meta {
            None if graph.subgraph(id).is_some() => bare_subgraph(py, graph, id)?,
            Some(Meta::Tensor(meta)) => match self.without_data(known, meta)? {
                // Only inputs may be leaves of the autograd graph.
                Some(tensor)
                    if known.made.is_none()
                        && meta.requires_grad
                        && !(known.leaves && graph[id].kind == Kind::Placeholder) =>
                {
                    self.recorded(&tensor)?
                }
                Some(tensor) if known.scalars.contains(&id) => {
                    py.import("rust_inductor._numpy")?.call_method1("Scalar", (tensor,))?
                }
                Some(tensor) => {
                    if let Some(made) = known.made {
                        made.borrow_mut().push((tensor.clone(), id));
                    }
                    tensor
                }
                None => return Ok(None),
            },
            Some(Meta::Int(expr)) => match known.int(*expr) {
                Some(value) if known.scalars.contains(&id) => {
                    py.import("rust_inductor._numpy")?.call_method1("Integer", (value,))?
                }
                Some(value) => value.into_pyobject(py)?.into_any(),
                None => return Ok(None),
            },
            Some(Meta::Float(float)) => match known.float(*float) {
                Some(value) => value.into_pyobject(py)?.into_any(),
                None => return Ok(None),
            },
            Some(Meta::Tuple(items)) => {
                let mut all = Vec::new();
                for item in items {
                    let Some(Meta::Tensor(meta)) = item else { return Ok(None) };
                    let Some(tensor) = self.without_data(known, meta)? else { return Ok(None) };
                    all.push(tensor);
                }
                PyTuple::new(py, all)?.into_any()
            }
            Some(Meta::Bool(_) | Meta::Plain(_)) | None => return Ok(None),
        }))
    }

    fn without_data(&self, known: &Known<'_, 'py>, meta: &TensorMeta) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.py;
        let fixed = |exprs: &[Expr]| exprs.iter().map(|&e| known.int(e)).collect::<Option<Vec<i64>>>();
        let (Some(sizes), Some(strides)) = (fixed(&meta.sizes), fixed(&meta.strides)) else { return Ok(None) };
        // Calls are taken apart where nothing is recorded.
        let requires_grad = meta.requires_grad && known.made.is_none();
        Torch::get(py)?.without_data(py, meta.dtype, (sizes, strides), requires_grad).map(Some)
    }

    /// A tensor like this leaf that is none, and no view: one of the same strides that is written in place while
    /// autograd records, whether or not it does where the call is asked about.
    fn recorded(&self, leaf: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let torch = Torch::get(self.py)?;
        let fresh = leaf.call_method0("detach")?;
        let scalar = leaf.call_method1("new_empty", (PyTuple::empty(self.py),))?.call_method0("requires_grad_")?;
        let mode = torch.find(self.py, "set_grad_enabled")?.call1((true,))?;
        let recorded = fresh.call_method1("copy_", (scalar,));
        mode.call_method1("__exit__", (self.py.None(), self.py.None(), self.py.None()))?;
        recorded
    }

    pub(super) fn meta(
        &self,
        pool: &mut Pool,
        value: &Bound<'py, PyAny>,
        device: Option<symshapes::Device>,
    ) -> PyResult<Option<Meta>> {
        Ok(match classify::look(value)? {
            View::Tensor(tensor) => {
                let mut exprs = |values: &[i64]| values.iter().map(|&value| pool.int(value)).collect();
                Some(Meta::Tensor(TensorMeta {
                    dtype: tensor.dtype,
                    device: device.unwrap_or(tensor.device),
                    sizes: exprs(&tensor.sizes),
                    strides: exprs(&tensor.strides),
                    offset: pool.int(tensor.offset),
                    requires_grad: tensor.requires_grad,
                }))
            }
            View::Tuple(items) | View::List(items) | View::Record(_, _, items) => {
                let items = items.iter().map(|item| self.meta(pool, item, device)).collect::<PyResult<Vec<_>>>()?;
                items.iter().all(Option::is_some).then_some(Meta::Tuple(items))
            }
            View::Constant(Constant::None) => Some(Meta::Plain(Arg::None)),
            // The results of `_higher_order.vjp` are a tuple that carries more.
            _ if value.is_instance(&self.py.import("rust_inductor._higher_order")?.getattr("Pulled")?)? => {
                let plain = self.py.get_type::<PyTuple>().call1((value,))?;
                self.meta(pool, &plain, device)?
            }
            _ => None,
        })
    }
}

/// True for a call whose kernel, and with it the layout of the result, is chosen by the device of the tensors.
pub(super) fn is_chosen_by_device(target: &fx::Target) -> bool {
    packet(target).is_some_and(|packet| packet.traits().device_kernel)
}

/// True for a call whose kernels lay out the result each in its own way.
fn is_laid_out_by_device(target: &fx::Target) -> bool {
    packet(target).is_some_and(|packet| packet.traits().device_layout)
}

/// The operator of a target, or that of its name.
fn packet(target: &fx::Target) -> Option<Packet> {
    target.op().map(Aten::packet).or_else(|| target.rsplit('.').next().and_then(Packet::named))
}

/// True for a call that would compute, and draw random numbers, though its tensors are without data: it is given no
/// tensor, or names the device of what it makes. So does one with such a call in a subgraph.
pub(super) fn computes(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let is_call = |kind| matches!(kind, Kind::CallFunction | Kind::CallMethod);
    let within = |inner: &Graph| inner.nodes().any(|call| is_call(inner[call].kind) && computes(inner, call));
    if node.inputs().iter().any(|&input| graph.subgraph(input).is_some_and(within)) {
        return true;
    }
    let on_device = node.args.iter().any(|arg| matches!(arg, Arg::Device(_)))
        || node.kwargs.iter().any(|(name, arg)| name == "device" && !matches!(arg, Arg::None));
    on_device || !node.inputs().iter().any(|&input| graph[input].tensor_meta().is_some())
}
