//! Conversion of constants from Python objects and back.

use crate::torch::Torch;
use guards::Constant;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyComplexMethods, PyEllipsis, PyFloat, PyFrozenSet, PyInt, PyNone, PySlice, PyString,
    PyTuple,
};
#[cfg(Py_3_14)]
use std::ffi::c_int;
#[cfg(not(Py_3_14))]
use std::slice;
use symshapes::{Device, DeviceKind};

/// The constant that an object is; `None` if it is none, or a subclass's.
pub(super) fn read(value: &Bound<'_, PyAny>) -> Option<Constant> {
    if value.is_none() {
        return Some(Constant::None);
    }
    if let Ok(value) = value.cast_exact::<PyBool>() {
        return Some(Constant::Bool(value.is_true()));
    }
    if value.is_exact_instance_of::<PyInt>() {
        let short = value.extract::<i64>().map(Constant::Int);
        return short.ok().or_else(|| Some(Constant::BigInt(value.str().ok()?.extract().ok()?)));
    }
    if let Ok(value) = value.cast_exact::<PyFloat>() {
        return Some(Constant::float(value.value()));
    }
    if let Ok(value) = value.cast_exact::<PyString>() {
        return Some(Constant::Str(value.to_str().ok()?.to_owned()));
    }
    if let Ok(value) = value.cast_exact::<PyTuple>() {
        return value.iter().map(|item| read(&item)).collect::<Option<_>>().map(Constant::Tuple);
    }
    if let Ok(value) = value.cast_exact::<PyBytes>() {
        return Some(Constant::Bytes(value.as_bytes().to_vec()));
    }
    if let Ok(value) = value.cast_exact::<PyComplex>() {
        return Some(Constant::complex(value.real(), value.imag()));
    }
    if value.is_instance_of::<PyEllipsis>() {
        return Some(Constant::Ellipsis);
    }
    if let Ok(value) = value.cast_exact::<PyFrozenSet>() {
        let items: Option<Vec<Constant>> = value.iter().map(|item| read(&item)).collect();
        return items.map(Constant::frozenset);
    }
    of_torch(value)
}

fn of_torch(value: &Bound<'_, PyAny>) -> Option<Constant> {
    // Without torch there is no object of torch's.
    let torch = Torch::get(value.py()).ok()?;
    if let Some(dtype) = torch.dtype_of(value) {
        return Some(Constant::DType(dtype));
    }
    if !value.get_type().is(torch.device.bind(value.py())) {
        return None;
    }
    let kind = match value.getattr("type").ok()?.extract::<String>().ok()?.as_str() {
        "cpu" => DeviceKind::Cpu,
        "cuda" => DeviceKind::Cuda,
        "meta" => DeviceKind::Meta,
        _ => return None,
    };
    let index: Option<u16> = value.getattr("index").ok()?.extract().ok()?;
    Some(Constant::Device(Device { kind, index }))
}

/// The object of a constant.
pub(super) fn write<'py>(py: Python<'py>, constant: &Constant) -> PyResult<Bound<'py, PyAny>> {
    let all = |items: &[Constant]| items.iter().map(|item| write(py, item)).collect::<PyResult<Vec<_>>>();
    Ok(match constant {
        Constant::None => PyNone::get(py).to_owned().into_any(),
        Constant::Ellipsis => PyEllipsis::get(py).to_owned().into_any(),
        Constant::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Constant::Int(value) => value.into_pyobject(py)?.into_any(),
        Constant::BigInt(digits) => py.import("builtins")?.getattr("int")?.call1((digits,))?,
        Constant::Float(bits) => PyFloat::new(py, f64::from_bits(*bits)).into_any(),
        Constant::Complex(re, im) => PyComplex::from_doubles(py, f64::from_bits(*re), f64::from_bits(*im)).into_any(),
        Constant::Str(text) => PyString::new(py, text).into_any(),
        Constant::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Constant::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
        Constant::FrozenSet(items) => PyFrozenSet::new(py, all(items)?)?.into_any(),
        Constant::Slice(parts) => py.get_type::<PySlice>().call1((parts[0], parts[1], parts[2]))?,
        Constant::DType(dtype) => {
            let found = Torch::get(py)?.dtype_object(py, *dtype).cloned();
            found.ok_or_else(|| pyo3::exceptions::PyValueError::new_err(format!("torch has no {dtype}")))?
        }
        Constant::Device(device) => Torch::get(py)?.device_object(py, *device)?,
    })
}

/// True if two constants have the same type and value.
pub(super) fn identical(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    if a.is(b) {
        return true;
    }
    if a.get_type_ptr() != b.get_type_ptr() {
        return false;
    }
    if let (Ok(a), Ok(b)) = (a.cast_exact::<PyString>(), b.cast_exact::<PyString>()) {
        return same_text(a, b);
    }
    match (a.cast_exact::<PyFloat>(), b.cast_exact::<PyFloat>()) {
        (Ok(a), Ok(b)) => a.value().to_bits() == b.value().to_bits() || (a.value().is_nan() && b.value().is_nan()),
        _ => a.eq(b).unwrap_or(false),
    }
}

#[cfg(Py_3_14)]
unsafe extern "C" {
    fn PyUnicode_Equal(a: *mut ffi::PyObject, b: *mut ffi::PyObject) -> c_int;
}

/// True if two strings are equal.
#[cfg(Py_3_14)]
#[inline]
fn same_text(a: &Bound<'_, PyString>, b: &Bound<'_, PyString>) -> bool {
    // SAFETY: both are live strings; for such the comparison raises nothing.
    unsafe { PyUnicode_Equal(a.as_ptr(), b.as_ptr()) == 1 }
}

/// True if two strings are equal. Names are ASCII, mostly: they are compared in place.
#[cfg(not(Py_3_14))]
#[inline]
fn same_text(a: &Bound<'_, PyString>, b: &Bound<'_, PyString>) -> bool {
    let (a, b) = (a.as_ptr(), b.as_ptr());
    // SAFETY: both are live strings; ASCII ones have as many bytes as characters, behind their heads.
    unsafe {
        if ffi::PyUnicode_IS_COMPACT_ASCII(a) == 0 || ffi::PyUnicode_IS_COMPACT_ASCII(b) == 0 {
            return ffi::PyUnicode_Compare(a, b) == 0;
        }
        let bytes = |text| {
            slice::from_raw_parts(ffi::PyUnicode_DATA(text).cast::<u8>(), ffi::PyUnicode_GET_LENGTH(text) as usize)
        };
        bytes(a) == bytes(b)
    }
}
