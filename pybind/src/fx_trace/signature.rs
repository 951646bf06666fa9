//! Placeholders for the arguments of the root.

use super::Tracer;
use super::proxy::Proxy;
use fx::{Arg, Kind};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// `inspect.CO_VARARGS` and `inspect.CO_VARKEYWORDS`.
const VARARGS: u32 = 4;
const VARKEYWORDS: u32 = 8;

/// The call of the root.
pub(super) struct Prepared<'py> {
    pub(super) function: Bound<'py, PyAny>,
    /// A proxy for each parameter.
    pub(super) args: Bound<'py, PyTuple>,
    /// The type that the root states for its result.
    pub(super) returns: Option<Bound<'py, PyAny>>,
}

/// The function to call for the root, and a proxy for each of its parameters. Keyword-only parameters, `*args` and
/// `**kwargs` are positional parameters of the function that is called, so that each is one proxy.
pub(super) fn prepare<'py>(tracer: &Bound<'py, Tracer>, root: &Bound<'py, PyAny>) -> PyResult<Prepared<'py>> {
    let py = root.py();
    let is_module = root.is_instance(&py.import("torch.nn")?.getattr("Module")?)?;
    let function = if is_module { root.get_type().getattr("forward")? } else { root.clone() };
    let inspect = py.import("inspect")?;
    let inner = inspect.call_method1("unwrap", (&function,))?;
    let code = inner.getattr("__code__")?;
    let number = |name: &str| -> PyResult<u32> { code.getattr(name)?.extract() };
    let (flags, keyword_only) = (number("co_flags")?, number("co_kwonlyargcount")?);
    let plain = number("co_argcount")? + keyword_only;
    let mut names: std::vec::IntoIter<String> = code.getattr("co_varnames")?.extract::<Vec<String>>()?.into_iter();
    let defaults = inspect.call_method1("signature", (&inner,))?.getattr("parameters")?;

    let annotations = inner.getattr("__annotations__")?.cast_into::<PyDict>()?;
    // As in torch, the types of `*args` and `**kwargs` are not looked up.
    let stated = |name: &str| annotations.get_item(name);
    let mut args = vec![];
    if is_module {
        if names.next().is_none() || plain == 0 {
            return Err(PyRuntimeError::new_err("`forward` takes no plain `self`"));
        }
        args.push(root.clone());
    }
    for name in names.by_ref().take(plain as usize - args.len()) {
        let default = defaults.get_item(&name)?.getattr(intern!(py, "default"))?;
        args.push(placeholder(tracer, &name, Some(default), stated(&name)?)?);
    }
    for (flag, stars) in [(VARARGS, "*"), (VARKEYWORDS, "**")] {
        if flags & flag != 0 {
            let name = names.next().unwrap_or_default();
            args.push(placeholder(tracer, &format!("{stars}{name}"), None, None)?);
        }
    }
    let as_written = keyword_only == 0 && flags & (VARARGS | VARKEYWORDS) == 0;
    let function = if as_written { function } else { all_positional(&inner, args.len(), flags)? };
    Ok(Prepared { function, args: PyTuple::new(py, args)?, returns: stated("return")? })
}

fn placeholder<'py>(
    tracer: &Bound<'py, Tracer>,
    name: &str,
    default: Option<Bound<'py, PyAny>>,
    stated: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let empty = tracer.py().import("inspect")?.getattr("Parameter")?.getattr("empty")?;
    let default: Option<Arg> = match default {
        Some(value) if !value.is(&empty) => Some(tracer.get().arg(tracer, &value)?),
        _ => None,
    };
    let id = tracer.get().push(Kind::Placeholder, name, default.into_iter().collect(), vec![])?;
    tracer.get().state_type(id, stated)?;
    Proxy::of(tracer, id)
}

/// A copy of a function with every parameter a positional one.
fn all_positional<'py>(function: &Bound<'py, PyAny>, count: usize, flags: u32) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let changes = PyDict::new(py);
    changes.set_item("co_flags", flags & !(VARARGS | VARKEYWORDS))?;
    changes.set_item("co_argcount", count)?;
    changes.set_item("co_posonlyargcount", 0)?;
    changes.set_item("co_kwonlyargcount", 0)?;
    let code = function.getattr("__code__")?.call_method("replace", (), Some(&changes))?;
    let part = |name| function.getattr(name);
    let parts = (code, part("__globals__")?, part("__name__")?, part("__defaults__")?, part("__closure__")?);
    py.import("types")?.getattr("FunctionType")?.call1(parts)
}
