//! Names of what nodes call.

use super::{Importer, Purpose};
use crate::names::function_target;
use fx::Kind;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

impl<'py> Importer<'py> {
    /// The name of a node's target, as [`fx::Node::target`] has it.
    pub(super) fn target_name(&mut self, kind: Kind, target: &Bound<'py, PyAny>) -> PyResult<String> {
        if kind != Kind::CallFunction {
            return Ok(target.cast::<PyString>()?.to_str()?.to_owned());
        }
        let key = target.as_ptr() as usize;
        if let Some(known) = self.names.get(&key) {
            return Ok(known.clone());
        }
        let name = match self.purpose {
            Purpose::Compile => self.function_name(target)?,
            Purpose::Keep => function_target(target)?,
        };
        self.names.insert(key, name.clone());
        Ok(name)
    }

    fn function_name(&self, target: &Bound<'py, PyAny>) -> PyResult<String> {
        let py = self.py;
        if target.is_instance(self.torch.overload.bind(py))? {
            return target.str()?.extract();
        }
        let text = |name| target.getattr(name).and_then(|v| v.extract::<String>());
        let name = text(intern!(py, "__qualname__")).or_else(|_| text(intern!(py, "__name__")));
        let (Ok(module), Ok(name)) = (text(intern!(py, "__module__")), name) else {
            return target.str()?.extract();
        };
        let module = if module == "_operator" { "operator" } else { &module };
        Ok(format!("{module}.{name}"))
    }
}
