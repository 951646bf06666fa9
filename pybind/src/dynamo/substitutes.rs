//! Functions that the program wants traced in the place of others: `torch._dynamo.substitute_in_graph`.
//!
//! Those that torch has registered for itself are left alone: they stand for what our tracer has rules for.

use super::members;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The substitute that is registered for a function, if torch's Dynamo is there at all.
pub(super) fn find<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    let Some(owner) = members::loaded(py, "torch._dynamo.variables.functions") else { return Ok(None) };
    let owner = owner.getattr(intern!(py, "PolyfilledFunctionVariable"))?;
    let table = owner.call_method0(intern!(py, "_get_polyfill_handlers"))?.cast_into::<PyDict>()?;
    let Some(registered) = table.get_item(function)? else { return Ok(None) };
    let substitute = registered.getattr(intern!(py, "__torch_dynamo_polyfill__"))?;
    let module: String = substitute.getattr(intern!(py, "__module__"))?.extract()?;
    Ok((!module.starts_with("torch.")).then_some(substitute))
}
