//! Arguments of nodes, from Python.

use super::Importer;
use super::meta::device;
use super::number::number;
use crate::torch::Torch;
use fx::Arg;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis, PyList, PySlice, PyString, PyTuple};
use symshapes::DeviceKind;

impl<'py> Importer<'py> {
    /// An argument, however nested.
    pub(super) fn arg(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Arg> {
        if value.is_none() {
            return Ok(Arg::None);
        }
        if let Some(node) = self.nodes.get(&(value.as_ptr() as usize)) {
            let attribute = self.attributes.get(&(value.as_ptr() as usize));
            return Ok(attribute.map_or(Arg::Node(*node), |(_, arg)| arg.clone()));
        }
        if let Some(number) = number(value)? {
            return Ok(number);
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Arg::Str(text.to_str()?.to_owned()));
        }
        if let Some(container) = self.container(value)? {
            return Ok(container);
        }
        if let Some(constant) = self.torch_constant(value)? {
            return Ok(constant);
        }
        self.opaque(value)
    }

    /// A list, tuple, dict or slice.
    fn container(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Option<Arg>> {
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return Ok(Some(Arg::Tuple(tuple.iter_borrowed().map(|v| self.arg(&v)).collect::<PyResult<_>>()?)));
        }
        if let Ok(list) = value.cast::<PyList>() {
            return Ok(Some(Arg::List(list.iter().map(|v| self.arg(&v)).collect::<PyResult<_>>()?)));
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            let items = dict.iter().map(|(k, v)| Ok((self.arg(&k)?, self.arg(&v)?)));
            return Ok(Some(Arg::Dict(items.collect::<PyResult<_>>()?)));
        }
        if value.cast::<PySlice>().is_ok() {
            let mut part = |name| self.arg(&value.getattr(name)?);
            let py = value.py();
            let parts = [part(intern!(py, "start"))?, part(intern!(py, "stop"))?, part(intern!(py, "step"))?];
            return Ok(Some(Arg::Slice(Box::new(parts))));
        }
        Ok(None)
    }

    /// One of torch's own plain values.
    fn torch_constant(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Option<Arg>> {
        if value.is_instance(self.torch.sym_int.bind(self.py))? {
            return Ok(self.sym_expr(value)?.map(Arg::Sym));
        }
        plain_constant(value)
    }

    /// Keeps an object that has no place in `fx`.
    pub(super) fn opaque(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Arg> {
        let number = self.into.opaques.len() as u32;
        self.into.opaques.push(value.clone().unbind());
        Ok(Arg::Opaque(number, value.repr()?.extract()?))
    }
}

/// `None`, `...`, a number, or a plain value of torch's that has a place in `fx`.
pub(crate) fn plain_constant(value: &Bound<'_, PyAny>) -> PyResult<Option<Arg>> {
    let py = value.py();
    let torch = Torch::get(py)?;
    if value.is_none() {
        return Ok(Some(Arg::None));
    }
    if let Some(number) = number(value)? {
        return Ok(Some(number));
    }
    if value.is_instance(torch.dtype.bind(py))? {
        return Ok(torch.dtype_of(value).map(Arg::DType));
    }
    if value.is_instance(torch.device.bind(py))? {
        let device = device(value)?;
        return Ok((device.kind != DeviceKind::Other).then_some(Arg::Device(device)));
    }
    if value.is_instance(torch.layout.bind(py))? {
        return Ok(Some(Arg::Layout(bare_name(value)?)));
    }
    if value.is_instance(torch.memory_format.bind(py))? {
        return Ok(Some(Arg::MemoryFormat(bare_name(value)?)));
    }
    Ok(value.is(PyEllipsis::get(py)).then_some(Arg::Ellipsis))
}

/// `strided` of `torch.strided`.
fn bare_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text: String = value.str()?.extract()?;
    Ok(text.strip_prefix("torch.").unwrap_or(&text).to_owned())
}
