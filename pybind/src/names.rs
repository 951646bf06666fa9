//! Names of Python callables, and callables of names.

use dynamo_core::host::ALLOWED;
use fx::target::Callee;
use pyo3::exceptions::PyLookupError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyFunction};

/// The target of a `call_function` node for a callable, as [`fx::Node::target`] has it: the name that `torch.fx` would
/// print, or the callable's `repr` where it has none or the name is another callable's. `functools.wraps` gives a
/// wrapper the name of what it wraps, such as `torch.func.vmap(torch.dot)` that of `torch.dot`.
pub(crate) fn function_target(callable: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = printed_name(callable)?;
    let is_another = |name: &str| function(callable.py(), name).is_ok_and(|named| !named.is(callable));
    if callable.is_exact_instance_of::<PyFunction>() && is_another(&name) {
        return callable.repr()?.extract();
    }
    if callable.is_exact_instance_of::<PyCFunction>()
        && let Some(operator) = name.strip_prefix("torch.").filter(|rest| !rest.contains('.'))
        && is_another(&name)
    {
        // Behind a function of Python's of the same name.
        let own = format!("torch._C._VariableFunctions.{operator}");
        return Ok(if is_another(&own) { name } else { own });
    }
    Ok(name)
}

/// The name that `torch.fx` would print for a callable, or the callable's `repr` where it has none.
fn printed_name(callable: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = callable.py();
    if callable.is_instance(&py.import("torch._ops")?.getattr("OpOverload")?)? {
        return callable.str()?.extract();
    }
    let text = |name| callable.getattr(name).and_then(|v| v.extract::<String>());
    let (module, name) = (text(intern!(py, "__module__")), text(intern!(py, "__name__")));
    match (module.as_deref(), name) {
        (Ok("_operator"), Ok(name)) => return Ok(format!("operator.{name}")),
        (Ok("builtins"), Ok(name)) => return Ok(format!("builtins.{name}")),
        _ => {}
    }
    match py.import("torch.fx.node")?.getattr("_get_qualified_name")?.call1((callable,)) {
        Ok(name) => name.extract(),
        Err(_) => callable.repr()?.extract(),
    }
}

/// The text that `torch.fx` prints for a type that a program states; `None` if it states none.
pub(crate) fn type_text(stated: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if stated.is_none() {
        return Ok(None);
    }
    stated.py().import("torch.fx.node")?.getattr("_type_repr")?.call1((stated,))?.extract()
}

/// The target of a callable that the program allows in graphs, wherever it is defined. It is known as long as the
/// callable lives.
pub(crate) fn allowed_target(callable: &Bound<'_, PyAny>) -> PyResult<String> {
    let name: String = callable.getattr(intern!(callable.py(), "__name__"))?.extract()?;
    let target = format!("{ALLOWED}{}.{name}", callable.as_ptr() as usize);
    allowed(callable.py())?.set_item(&target, callable)?;
    Ok(target)
}

/// The callables with targets of their own, by these.
fn allowed(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static KNOWN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = || Ok::<_, PyErr>(py.import("weakref")?.getattr("WeakValueDictionary")?.call0()?.unbind());
    KNOWN.get_or_try_init(py, made).map(|known| known.bind(py))
}

/// The callable of a target. No module is imported for it but torch, Python's own and ours.
pub(crate) fn function<'py>(py: Python<'py>, target: &str) -> PyResult<Bound<'py, PyAny>> {
    if target.starts_with(ALLOWED) {
        return allowed(py)?.get_item(target);
    }
    match Callee::of(target) {
        Callee::Operator(name) => py.import("operator")?.getattr(name),
        Callee::Builtin(name) => py.import("builtins")?.getattr(name),
        Callee::Overload { namespace, name, overload } => {
            py.import("torch")?.getattr("ops")?.getattr(namespace)?.getattr(name)?.getattr(overload)
        }
        Callee::Function { module, name } => owner(py, module, target)?.getattr(name),
    }
}

/// The module or class of a dotted path.
fn owner<'py>(py: Python<'py>, path: &str, target: &str) -> PyResult<Bound<'py, PyAny>> {
    if path == "torch" || path.starts_with("torch.") || path.starts_with("rust_inductor.") || path == "math" {
        // A class is no module: its own module is imported in its place, and the class fetched from there.
        if let Ok(module) = py.import(path) {
            return Ok(module.into_any());
        }
    }
    let modules = py.import("sys")?.getattr("modules")?;
    if let Ok(module) = modules.get_item(path) {
        return Ok(module);
    }
    match path.rsplit_once('.') {
        Some((outer, inner)) => owner(py, outer, target)?.getattr(inner),
        None => Err(PyLookupError::new_err(format!("`{target}`: no module `{path}` is loaded"))),
    }
}
