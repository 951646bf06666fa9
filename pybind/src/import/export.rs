//! Plain arguments, back to Python.

use crate::torch::Torch;
use fx::Arg;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyEllipsis, PyList, PySlice, PyTuple};

/// The Python value of an argument of which `open` gives the nodes and symbols; `None` if it gives nothing for one.
pub(crate) fn to_python_with<'py>(
    py: Python<'py>,
    arg: &Arg,
    open: &dyn Fn(&Arg) -> PyResult<Option<Bound<'py, PyAny>>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let all =
        |items: &[Arg]| items.iter().map(|item| to_python_with(py, item, open)).collect::<PyResult<Option<Vec<_>>>>();
    Ok(match arg {
        Arg::Node(_) | Arg::Sym(_) => open(arg)?,
        Arg::List(items) => all(items)?.map(|items| PyList::new(py, items)).transpose()?.map(Bound::into_any),
        Arg::Tuple(items) => all(items)?.map(|items| PyTuple::new(py, items)).transpose()?.map(Bound::into_any),
        Arg::Slice(parts) => match all(&parts[..])? {
            Some(parts) => Some(py.get_type::<PySlice>().call1(PyTuple::new(py, parts)?)?),
            None => None,
        },
        plain => Some(to_python(py, plain, &[])?),
    })
}

/// The Python value of an argument without nodes and symbols.
pub(crate) fn to_python<'py>(py: Python<'py>, arg: &Arg, opaques: &[Py<PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    let torch = Torch::get(py)?;
    let inner = |arg: &Arg| to_python(py, arg, opaques);
    Ok(match arg {
        Arg::None => py.None().into_bound(py),
        Arg::Bool(v) => v.into_pyobject(py)?.to_owned().into_any(),
        Arg::Int(v) => v.into_pyobject(py)?.into_any(),
        Arg::Float(v) => v.into_pyobject(py)?.into_any(),
        Arg::Complex(re, im) => PyComplex::from_doubles(py, *re, *im).into_any(),
        Arg::Str(v) => v.into_pyobject(py)?.into_any(),
        Arg::DType(v) => torch.dtype_object(py, *v).expect("every dtype has its object").clone(),
        Arg::Device(v) => torch.device_object(py, *v)?,
        Arg::Layout(name) | Arg::MemoryFormat(name) => torch.find(py, name)?,
        Arg::Slice(parts) => {
            let [start, stop, step] = parts.as_ref();
            py.import("builtins")?.call_method1("slice", (inner(start)?, inner(stop)?, inner(step)?))?
        }
        Arg::Ellipsis => PyEllipsis::get(py).to_owned().into_any(),
        Arg::List(items) => PyList::new(py, items.iter().map(inner).collect::<PyResult<Vec<_>>>()?)?.into_any(),
        Arg::Tuple(items) => PyTuple::new(py, items.iter().map(inner).collect::<PyResult<Vec<_>>>()?)?.into_any(),
        Arg::Dict(items) => {
            let dict = PyDict::new(py);
            items.iter().try_for_each(|(k, v)| dict.set_item(inner(k)?, inner(v)?))?;
            dict.into_any()
        }
        Arg::Opaque(number, text) => match opaques.get(*number as usize) {
            Some(object) => object.bind(py).clone(),
            None => return Err(PyValueError::new_err(format!("nothing is kept for `{text}`"))),
        },
        Arg::Node(_) | Arg::Sym(_) => return Err(PyValueError::new_err(format!("{arg:?} is no plain value"))),
    })
}
