//! The values that a traced function computes with: each operation on a proxy is recorded and gives another proxy.

use super::Tracer;
use fx::{Arg, Kind, NodeId};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use std::sync::OnceLock;

/// A value in a trace.
#[pyclass(frozen, module = "rust_inductor.fx")]
pub(crate) struct Proxy {
    tracer: Py<Tracer>,
    value: Value,
}

enum Value {
    Node(NodeId),
    /// An attribute of another value. It is fetched when it is used, and never if it is only called.
    Attribute {
        of: Py<Proxy>,
        name: String,
        node: OnceLock<NodeId>,
    },
}

type Result<'py> = PyResult<Bound<'py, PyAny>>;

impl Proxy {
    pub(super) fn of<'py>(tracer: &Bound<'py, Tracer>, node: NodeId) -> Result<'py> {
        let proxy = Proxy { tracer: tracer.clone().unbind(), value: Value::Node(node) };
        Ok(Bound::new(tracer.py(), proxy)?.into_any())
    }

    pub(super) fn tracer(&self) -> &Py<Tracer> {
        &self.tracer
    }

    /// The node of the value.
    pub(super) fn node(&self, py: Python<'_>) -> PyResult<NodeId> {
        let (of, name, node) = match &self.value {
            Value::Node(id) => return Ok(*id),
            Value::Attribute { of, name, node } => (of, name, node),
        };
        if let Some(id) = node.get() {
            return Ok(*id);
        }
        let args = vec![Arg::Node(of.get().node(py)?), Arg::Str(name.clone())];
        let getattr = py.import("builtins")?.getattr("getattr")?;
        let id = self.tracer.get().push_function(&getattr, args, vec![])?;
        Ok(*node.get_or_init(|| id))
    }

    /// Records the call of a function of `operator`.
    fn operate<'py>(slf: &Bound<'py, Self>, name: &str, operands: [&Bound<'py, PyAny>; 2]) -> Result<'py> {
        let tracer = slf.get().tracer.bind(slf.py());
        let function = slf.py().import("operator")?.getattr(name)?;
        let args = tracer.get().args(tracer, operands.into_iter().cloned())?;
        Proxy::of(tracer, tracer.get().push_function(&function, args, vec![])?)
    }

    fn left<'py>(slf: &Bound<'py, Self>, name: &str, other: &Bound<'py, PyAny>) -> Result<'py> {
        Proxy::operate(slf, name, [slf.as_any(), other])
    }

    fn right<'py>(slf: &Bound<'py, Self>, name: &str, other: &Bound<'py, PyAny>) -> Result<'py> {
        Proxy::operate(slf, name, [other, slf.as_any()])
    }

    fn unary<'py>(slf: &Bound<'py, Self>, name: &str) -> Result<'py> {
        let tracer = slf.get().tracer.bind(slf.py());
        let function = slf.py().import("operator")?.getattr(name)?;
        let args = vec![Arg::Node(slf.get().node(slf.py())?)];
        Proxy::of(tracer, tracer.get().push_function(&function, args, vec![])?)
    }
}

#[pymethods]
#[rustfmt::skip]
impl Proxy {
    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "add", other) }
    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "add", other) }
    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "sub", other) }
    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "sub", other) }
    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "mul", other) }
    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "mul", other) }
    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "truediv", other) }
    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "truediv", other) }
    fn __floordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "floordiv", other) }
    fn __rfloordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "floordiv", other) }
    fn __mod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "mod", other) }
    fn __rmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "mod", other) }
    fn __pow__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, _modulo: Option<&Bound<'py, PyAny>>) -> Result<'py> { Proxy::left(slf, "pow", other) }
    fn __rpow__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, _modulo: Option<&Bound<'py, PyAny>>) -> Result<'py> { Proxy::right(slf, "pow", other) }
    fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "matmul", other) }
    fn __rmatmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "matmul", other) }
    fn __lshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "lshift", other) }
    fn __rlshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "lshift", other) }
    fn __rshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "rshift", other) }
    fn __rrshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "rshift", other) }
    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "and_", other) }
    fn __rand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "and_", other) }
    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "or_", other) }
    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "or_", other) }
    fn __xor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "xor", other) }
    fn __rxor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<'py> { Proxy::right(slf, "xor", other) }
    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> Result<'py> { Proxy::left(slf, "getitem", index) }
    fn __neg__<'py>(slf: &Bound<'py, Self>) -> Result<'py> { Proxy::unary(slf, "neg") }
    fn __pos__<'py>(slf: &Bound<'py, Self>) -> Result<'py> { Proxy::unary(slf, "pos") }
    fn __abs__<'py>(slf: &Bound<'py, Self>) -> Result<'py> { Proxy::unary(slf, "abs") }
    fn __invert__<'py>(slf: &Bound<'py, Self>) -> Result<'py> { Proxy::unary(slf, "invert") }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> Result<'py> {
        let name = match op {
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        Proxy::left(slf, name, other)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> usize {
        slf.as_ptr() as usize
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> Result<'py> {
        if name.starts_with("__") && name.ends_with("__") {
            return Err(PyAttributeError::new_err(format!("a proxy has no attribute `{name}`")));
        }
        let value = Value::Attribute { of: slf.clone().unbind(), name: name.to_owned(), node: OnceLock::new() };
        let proxy = Proxy { tracer: slf.get().tracer.clone_ref(slf.py()), value };
        Ok(Bound::new(slf.py(), proxy)?.into_any())
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<'py> {
        let py = slf.py();
        let tracer = slf.get().tracer.bind(py);
        let (receiver, method) = match &slf.get().value {
            Value::Node(id) => (*id, "__call__"),
            Value::Attribute { of, name, .. } => (of.get().node(py)?, name.as_str()),
        };
        let mut positional = vec![Arg::Node(receiver)];
        positional.extend(tracer.get().args(tracer, args.iter())?);
        let keyword = tracer.get().kwargs(tracer, kwargs)?;
        Proxy::of(tracer, tracer.get().push(Kind::CallMethod, method, positional, keyword)?)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> Result<'py> {
        let py = slf.py();
        let Some(count) = unpacked(py)? else {
            return Err(trace_error(py, "a traced value cannot be iterated over"));
        };
        let items = PyList::empty(py);
        for i in 0..count {
            items.append(Proxy::left(slf, "getitem", &i.into_pyobject(py)?.into_any())?)?;
        }
        Ok(items.try_iter()?.into_any())
    }

    fn __bool__(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Err(trace_error(slf.py(), "a traced value cannot decide control flow"))
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        let (py, message) = (slf.py(), "the length of a traced value is not known");
        Err(PyRuntimeError::new_err(format!("{message}{}", place(py).unwrap_or_default())))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = slf.get();
        let id = this.node(slf.py())?;
        this.tracer.get().record(|r| format!("Proxy({})", r.graph[id].name))
    }

    #[classmethod]
    #[pyo3(signature = (function, _types, args = None, kwargs = None))]
    fn __torch_function__<'py>(
        cls: &Bound<'py, PyType>,
        function: &Bound<'py, PyAny>,
        _types: &Bound<'py, PyAny>,
        args: Option<&Bound<'py, PyTuple>>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<'py> {
        let py = cls.py();
        let found = match (args.map(|a| tracer_in(a)), kwargs.map(|k| tracer_in(k))) {
            (Some(Some(tracer)), _) | (_, Some(Some(tracer))) => tracer,
            _ => return Err(PyRuntimeError::new_err("a torch function was traced without a proxy")),
        };
        let tracer = found.get();
        let positional = args.map_or(Ok(vec![]), |args| tracer.args(&found, args.iter()))?;
        let keyword = tracer.kwargs(&found, kwargs)?;
        let is_method = py.import("torch.overrides")?.call_method1("is_tensor_method_or_property", (function,))?;
        let id = if is_method.is_truthy()? {
            let name: String = function.getattr(intern!(py, "__name__"))?.extract()?;
            tracer.push(Kind::CallMethod, &name, positional, keyword)?
        } else {
            tracer.push_function(function, positional, keyword)?
        };
        Proxy::of(&found, id)
    }
}

/// The tracer of the first proxy in a value.
fn tracer_in<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, Tracer>> {
    if let Ok(proxy) = value.cast::<Proxy>() {
        return Some(proxy.get().tracer.bind(value.py()).clone());
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        return items.iter().find_map(|v| tracer_in(&v));
    }
    if let Ok(items) = value.cast::<PyList>() {
        return items.iter().find_map(|v| tracer_in(&v));
    }
    value.cast::<PyDict>().ok()?.iter().find_map(|(_, v)| tracer_in(&v))
}

/// If the caller is unpacking into a fixed number of variables, that number.
fn unpacked(py: Python<'_>) -> PyResult<Option<usize>> {
    let frame = py.import("sys")?.call_method1("_getframe", (0,))?;
    let at: usize = frame.getattr("f_lasti")?.extract()?;
    let code: Vec<u8> = frame.getattr("f_code")?.getattr("co_code")?.extract()?;
    let opcode = |name| -> PyResult<u8> { py.import("dis")?.getattr("opmap")?.get_item(name)?.extract() };
    let (unpack, extended) = (opcode("UNPACK_SEQUENCE")?, opcode("EXTENDED_ARG")?);
    let Some(&[op, low]) = code.get(at..at + 2).and_then(|pair| pair.first_chunk::<2>()) else { return Ok(None) };
    let high = match at.checked_sub(2).map(|before| (code[before], code[before + 1])) {
        Some((op, arg)) if op == extended => usize::from(arg) << 8,
        _ => 0,
    };
    Ok((op == unpack).then_some(high | usize::from(low)))
}

fn trace_error(py: Python<'_>, message: &str) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let class = py.import("torch.fx.proxy")?.getattr("TraceError")?;
        let text = format!("{message}{}", place(py)?);
        Ok(PyErr::from_value(class.call1((text,))?))
    };
    make().unwrap_or_else(|error| error)
}

/// The user's line: that of the innermost frame outside torch.
fn place(py: Python<'_>) -> PyResult<String> {
    let mut frame = py.import("sys")?.call_method1("_getframe", (0,))?;
    loop {
        let module: String =
            frame.getattr("f_globals")?.get_item("__name__").and_then(|n| n.extract()).unwrap_or_default();
        let back = frame.getattr("f_back")?;
        if !(module == "torch" || module.starts_with("torch.")) || back.is_none() {
            break;
        }
        frame = back;
    }
    let code = frame.getattr("f_code")?;
    Ok(format!(" ({}:{}, in {})", code.getattr("co_filename")?, frame.getattr("f_lineno")?, code.getattr("co_name")?))
}
