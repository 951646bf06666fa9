//! Declarations of `compile(dynamic_shapes=...)` for one function's parameters; `_dynamic_shapes.py` has read them.

use dynamo_core::host::Mark;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use symshapes::{NamedSize, Range};

/// A row: the source as guards print it, the kind, and what else there is to say.
pub(super) type Row<'py> = (String, String, Bound<'py, PyAny>);

/// Name, factor, offset, least and greatest value of the name, whether the size is unbacked (decides nothing).
type Named = (String, i64, i64, Option<i64>, Option<i64>, bool);

/// The declarations for the sizes and integers that one code object is given. Those without one are static.
pub(super) struct Declared {
    code: Py<PyAny>,
    marks: Vec<(String, Mark)>,
}

impl Declared {
    pub(super) fn new(code: Py<PyAny>, rows: Vec<Row<'_>>) -> PyResult<Declared> {
        let marks = rows.into_iter().map(|(source, kind, what)| Ok((source, mark(&kind, &what)?)));
        Ok(Declared { code, marks: marks.collect::<PyResult<_>>()? })
    }

    /// The declarations, if they are for this code.
    pub(super) fn of(&self, code: &Bound<'_, PyAny>) -> Option<&[(String, Mark)]> {
        self.code.bind(code.py()).is(code).then_some(&self.marks)
    }
}

fn mark(kind: &str, what: &Bound<'_, PyAny>) -> PyResult<Mark> {
    Ok(match kind {
        "static" => Mark::Static,
        "dynamic" => Mark::Dynamic(None, None),
        "auto" => Mark::Maybe,
        "pinned" => Mark::Pinned(what.extract()?),
        "bounded" => {
            let (_, _, _, min, max, _): Named = what.extract()?;
            Mark::Dynamic(min, max)
        }
        "named" => {
            let (name, factor, offset, min, max, unbacked): Named = what.extract()?;
            let range = Range::new(min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
            Mark::Named(NamedSize { name, factor, offset, range, unbacked, at: String::new() })
        }
        _ => return Err(PyValueError::new_err(format!("a dimension of the kind {kind}"))),
    })
}
