//! NumPy's arrays and functions, as torch sees them.

use super::members;
use pyo3::intern;
use pyo3::prelude::*;

/// NumPy, if the program has imported it.
fn numpy(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    members::loaded(py, "numpy")
}

/// The tensor that shares the memory of an array; `None` for anything but an array that can be written, in native byte
/// order, of an element type that torch has, too.
pub(super) fn tensor_of<'py>(array: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = array.py();
    let Some(numpy) = numpy(py) else { return Ok(None) };
    if array.is_instance(&numpy.getattr(intern!(py, "generic"))?)? {
        return tensor_of_scalar(&numpy, array).map(Some);
    }
    if !array.get_type().is(numpy.getattr(intern!(py, "ndarray"))?) {
        return Ok(None);
    }
    let flags = array.getattr(intern!(py, "flags"))?;
    let (writable, aligned): (bool, bool) =
        (flags.getattr(intern!(py, "writeable"))?.extract()?, flags.getattr(intern!(py, "aligned"))?.extract()?);
    let dtype = array.getattr(intern!(py, "dtype"))?;
    let kind: char = dtype.getattr(intern!(py, "kind"))?.extract()?;
    let size: usize = dtype.getattr(intern!(py, "itemsize"))?.extract()?;
    let known = match kind {
        'b' => size == 1,
        'i' => matches!(size, 1 | 2 | 4 | 8),
        'u' => size == 1,
        'f' => matches!(size, 4 | 8),
        'c' => matches!(size, 8 | 16),
        _ => false,
    };
    if !(writable && aligned && known && dtype.getattr(intern!(py, "isnative"))?.extract()?) {
        return Ok(None);
    }
    // Strides that are negative, or no multiple of an element, are nothing that a tensor has.
    Ok(py.import(intern!(py, "torch"))?.call_method1(intern!(py, "from_numpy"), (array,)).ok())
}

/// A tensor without dimensions that holds what a scalar is.
fn tensor_of_scalar<'py>(numpy: &Bound<'py, PyAny>, scalar: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = scalar.py();
    let array = numpy.call_method1(intern!(py, "array"), (scalar,))?;
    py.import(intern!(py, "torch"))?.call_method1(intern!(py, "from_numpy"), (array,))
}

/// The name by which a program finds one of NumPy's functions: `numpy.sum`, `numpy.linalg.norm`.
pub(super) fn name_of(function: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let py = function.py();
    let Some(numpy) = numpy(py) else { return Ok(None) };
    let name: String = function.getattr(intern!(py, "__name__"))?.extract()?;
    let found = |module: &Bound<'_, PyAny>| Ok::<_, PyErr>(module.getattr_opt(&*name)?.is_some_and(|f| f.is(function)));
    if found(&numpy)? {
        return Ok(Some(format!("numpy.{name}")));
    }
    for module in ["linalg", "fft"] {
        if found(&numpy.getattr(module)?)? {
            return Ok(Some(format!("numpy.{module}.{name}")));
        }
    }
    Ok(None)
}

/// True for a function of NumPy's own.
pub(super) fn is_function(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    let name = || Ok::<_, PyErr>((class.module()?.to_string(), class.name()?.to_string()));
    matches!(name(), Ok((module, name)) if module == "numpy" && matches!(&*name, "ufunc" | "_ArrayFunctionDispatcher"))
}

/// True for an element type as NumPy itself has it, an object that lasts: none of another byte order, or with fields.
pub(super) fn is_own_dtype(object: &Bound<'_, PyAny>) -> bool {
    let is_own = || {
        let Some(numpy) = numpy(object.py()) else { return Ok(false) };
        let class = numpy.getattr(intern!(object.py(), "dtype"))?;
        let is_builtin = object.is_instance(&class)? && object.getattr(intern!(object.py(), "isbuiltin"))?.eq(1)?;
        Ok::<_, PyErr>(is_builtin && class.call1((object.getattr(intern!(object.py(), "name"))?,))?.is(object))
    };
    is_own().unwrap_or(false)
}
