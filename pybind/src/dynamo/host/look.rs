//! Views of objects: their kinds, as far as the tracer tells them apart.

use super::PyHost;
use crate::dynamo::classify;
use dynamo_core::host::{RecordClass, View};
use pyo3::prelude::*;
use pyo3::types::PyType;

impl<'py> PyHost<'py> {
    pub(super) fn see(&mut self, object: &Bound<'py, PyAny>) -> PyResult<View> {
        Ok(classify::look(object)?.map(&mut |part| self.handle(&part)))
    }

    pub(super) fn record(&mut self, class: &Bound<'py, PyAny>) -> PyResult<Option<RecordClass>> {
        let Ok(class) = class.cast::<PyType>() else { return Ok(None) };
        let Some(record) = classify::record(class)? else { return Ok(None) };
        let RecordClass { name, fields, defaults, of_sequence } = record;
        Ok(Some(RecordClass { name, fields, defaults: self.all(&defaults), of_sequence }))
    }
}
