//! The changes that tracing makes to `torch.nn.Module`, for as long as it lasts: calls of leaf modules and fetches of
//! parameters are recorded.

use super::Tracer;
use super::proxy::Proxy;
use fx::Kind;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

/// The changes; dropping it takes them back.
pub(super) struct Patch<'py> {
    class: Bound<'py, PyAny>,
    call: Bound<'py, PyAny>,
    getattr: Bound<'py, PyAny>,
}

impl<'py> Patch<'py> {
    pub(super) fn install(tracer: &Bound<'py, Tracer>) -> PyResult<Patch<'py>> {
        let py = tracer.py();
        let class = py.import("torch.nn")?.getattr("Module")?;
        let patch = Patch { call: class.getattr("__call__")?, getattr: class.getattr("__getattr__")?, class };
        patch.class.setattr("__call__", method(tracer, &patch.call, call)?)?;
        patch.class.setattr("__getattr__", method(tracer, &patch.getattr, getattr)?)?;
        Ok(patch)
    }
}

impl Drop for Patch<'_> {
    fn drop(&mut self) {
        let restored = self.class.setattr("__call__", &self.call);
        let restored = restored.and(self.class.setattr("__getattr__", &self.getattr));
        if let Err(error) = restored {
            error.write_unraisable(self.class.py(), Some(&self.class));
        }
    }
}

/// The replacement of a method; it takes the tracer, the method itself, and the arguments with `self` first.
type Replacement = for<'py> fn(
    &Bound<'py, Tracer>,
    &Bound<'py, PyAny>,
    &Bound<'py, PyTuple>,
    Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>>;

fn method<'py>(tracer: &Bound<'py, Tracer>, original: &Bound<'py, PyAny>, f: Replacement) -> PyResult<Method> {
    let py = tracer.py();
    let (tracer, original) = (tracer.clone().unbind(), original.clone().unbind());
    let closure = move |args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>| {
        let py = args.py();
        f(tracer.bind(py), original.bind(py), args, kwargs).map(Bound::unbind)
    };
    Ok(Method { function: PyCFunction::new_closure(py, None, None, closure)?.unbind() })
}

/// A builtin function that binds `self` as a Python function does.
#[pyclass(frozen)]
struct Method {
    function: Py<PyCFunction>,
}

#[pymethods]
impl Method {
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: &Bound<'py, PyAny>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if object.is_none() {
            return Ok(slf.clone().into_any());
        }
        slf.py().import("types")?.getattr("MethodType")?.call1((&slf.get().function, object))
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(args.py()).call(args, kwargs)
    }
}

/// A call of a module: recorded if it is a leaf, carried out if not.
fn call<'py>(
    tracer: &Bound<'py, Tracer>,
    original: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = args.get_item(0)?;
    if !is_leaf(&module)? {
        return original.call(args, kwargs);
    }
    let this = tracer.get();
    let path = this.module_path(&module)?;
    let positional = this.args(tracer, args.iter().skip(1))?;
    let keyword = this.kwargs(tracer, kwargs)?;
    Proxy::of(tracer, this.push(Kind::CallModule, path, positional, keyword)?)
}

/// A fetch of a module's attribute that is no plain one.
fn getattr<'py>(
    tracer: &Bound<'py, Tracer>,
    original: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    _kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let value = original.call1(args)?;
    match tracer.get().parameter(&value)? {
        Some(node) => Proxy::of(tracer, node),
        None => Ok(value),
    }
}

/// True for the modules of `torch.nn`, but not for its containers that only chain others.
fn is_leaf(module: &Bound<'_, PyAny>) -> PyResult<bool> {
    let home: String = module.get_type().getattr("__module__")?.extract()?;
    let torch_nn = home.starts_with("torch.nn") || home.starts_with("torch.ao.nn");
    Ok(torch_nn && !module.is_instance(&module.py().import("torch.nn")?.getattr("Sequential")?)?)
}
