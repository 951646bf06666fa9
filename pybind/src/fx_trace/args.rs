//! Arguments of recorded calls, from Python.

use super::Tracer;
use super::proxy::Proxy;
use crate::import::plain_constant;
use fx::Arg;
use pyo3::exceptions::{PyNameError, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyString, PyTuple};
use rustc_hash::FxHashMap;

impl Tracer {
    /// An argument, however nested. A tensor becomes the fetch of an attribute.
    pub(super) fn arg(&self, this: &Bound<'_, Tracer>, value: &Bound<'_, PyAny>) -> PyResult<Arg> {
        if let Ok(proxy) = value.cast::<Proxy>() {
            if !proxy.get().tracer().is(this) {
                return Err(PyRuntimeError::new_err("a proxy of another trace is an argument"));
            }
            return Ok(Arg::Node(proxy.get().node(value.py())?));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Arg::Str(text.to_str()?.to_owned()));
        }
        if let Some(container) = self.container(this, value)? {
            return Ok(container);
        }
        if let Some(constant) = plain_constant(value)? {
            return Ok(constant);
        }
        match self.owned(value)? {
            Some(node) => Ok(node),
            None => self.opaque(value),
        }
    }

    /// Positional arguments.
    pub(super) fn args<'py>(
        &self,
        this: &Bound<'py, Tracer>,
        values: impl IntoIterator<Item = Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Arg>> {
        values.into_iter().map(|v| self.arg(this, &v)).collect()
    }

    /// Keyword arguments.
    pub(super) fn kwargs(
        &self,
        this: &Bound<'_, Tracer>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<(String, Arg)>> {
        let Some(values) = values else { return Ok(Vec::new()) };
        values.iter().map(|(k, v)| Ok((k.extract()?, self.arg(this, &v)?))).collect()
    }

    fn container(&self, this: &Bound<'_, Tracer>, value: &Bound<'_, PyAny>) -> PyResult<Option<Arg>> {
        let py = value.py();
        if let Ok(tuple) = value.cast::<PyTuple>() {
            let items = self.args(this, tuple.iter())?;
            if value.hasattr(intern!(py, "_fields"))? {
                // A named tuple is made by a call, so that its class survives.
                return self.push_function(value.get_type().as_any(), items, vec![]).map(|n| Some(Arg::Node(n)));
            }
            return Ok(Some(Arg::Tuple(items)));
        }
        if let Ok(list) = value.cast::<PyList>() {
            return Ok(Some(Arg::List(self.args(this, list.iter())?)));
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            let items = dict.iter().map(|(k, v)| Ok((self.arg(this, &k)?, self.arg(this, &v)?)));
            return Ok(Some(Arg::Dict(items.collect::<PyResult<_>>()?)));
        }
        if value.cast::<PySlice>().is_ok() {
            let part = |name| self.arg(this, &value.getattr(name)?);
            let parts = [part(intern!(py, "start"))?, part(intern!(py, "stop"))?, part(intern!(py, "step"))?];
            return Ok(Some(Arg::Slice(Box::new(parts))));
        }
        Ok(None)
    }

    /// The fetch of a part of the root, or of a tensor that it does not own.
    fn owned(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<Arg>> {
        let torch = value.py().import("torch")?;
        let key = value.as_ptr() as usize;
        let known = [&self.parameters, &self.buffers, &self.modules, &self.attributes];
        if let Some(path) = known.iter().find_map(|paths| paths.get(&key)) {
            return self.record(|r| Some(Arg::Node(r.graph.get_attr(path.clone()))));
        }
        if value.is_instance(&torch.getattr("nn")?.getattr("Parameter")?)? {
            return Err(PyNameError::new_err("parameter is not a member of this module"));
        }
        if !value.is_instance(&torch.getattr("Tensor")?)? {
            return Ok(None);
        }
        let name = self.constant_name(value)?;
        self.record(|r| Some(Arg::Node(r.graph.get_attr(name))))
    }

    /// The attribute under which the graph keeps a tensor of its own.
    fn constant_name(&self, tensor: &Bound<'_, PyAny>) -> PyResult<String> {
        let known = |r: &mut super::Recording| {
            let constants = &r.objects.constants;
            (constants.iter().find(|(_, t)| t.is(tensor)).map(|(n, _)| n.clone()), constants.len())
        };
        let (name, mut number) = self.record(known)?;
        if let Some(name) = name {
            return Ok(name);
        }
        let root = self.root.bind(tensor.py());
        while root.hasattr(format!("_tensor_constant{number}"))? {
            number += 1;
        }
        let name = format!("_tensor_constant{number}");
        let constant = (name.clone(), tensor.clone().unbind());
        self.record(|r| r.objects.constants.push(constant))?;
        Ok(name)
    }

    fn opaque(&self, value: &Bound<'_, PyAny>) -> PyResult<Arg> {
        let (object, repr) = (value.clone().unbind(), value.repr()?.extract()?);
        self.record(|r| {
            r.objects.opaques.push(object);
            Arg::Opaque(r.objects.opaques.len() as u32 - 1, repr)
        })
    }
}

/// Tensors that are plain attributes of the root's modules, by address.
pub(super) fn tensor_attributes(root: &Bound<'_, PyAny>) -> PyResult<FxHashMap<usize, String>> {
    let tensor = root.py().import("torch")?.getattr("Tensor")?;
    let mut paths = FxHashMap::default();
    for item in root.call_method0("named_modules")?.try_iter()? {
        let (path, module): (String, Bound<'_, PyAny>) = item?.extract()?;
        let prefix = if path.is_empty() { path } else { path + "." };
        for (name, value) in module.getattr("__dict__")?.cast_into::<PyDict>()?.iter() {
            if value.is_instance(&tensor)? {
                paths.entry(value.as_ptr() as usize).or_insert(format!("{prefix}{name}"));
            }
        }
    }
    Ok(paths)
}
