//! Callbacks of weak references: what is called once an object is gone.

use super::policies;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;

/// True for an object whose weak references call something of the program's once it is gone, and for such a reference.
/// Nothing of the program depends on the callbacks by which torch forgets what it has kept.
pub(super) fn has_callback(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyWeakrefReference>() {
        return calls_program(object);
    }
    let weakref = object.py().import("weakref")?;
    for reference in weakref.call_method1("getweakrefs", (object,))?.try_iter()? {
        if calls_program(&reference?)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True for a weak reference with a callback that is not torch's.
fn calls_program(reference: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = reference.py();
    let mut callback = reference.getattr(intern!(py, "__callback__"))?;
    let is_of = |callback: &Bound<'_, PyAny>, module: &str, name: &str| -> PyResult<bool> {
        Ok(callback.get_type().is(&py.import(module)?.getattr(name)?))
    };
    if is_of(&callback, "weakref", "finalize")? {
        // The object, the function and its arguments, unless it has been called.
        let parts = callback.call_method0("peek")?;
        callback = if parts.is_none() { parts } else { parts.get_item(1)? };
    }
    if is_of(&callback, "functools", "partial")? {
        callback = callback.getattr("func")?;
    }
    if is_of(&callback, "types", "MethodType")? {
        callback = callback.getattr("__func__")?;
    }
    Ok(!callback.is_none() && !policies::is_of_torch(&callback))
}
