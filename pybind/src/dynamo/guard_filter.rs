//! The option `guard_filter_fn`: the program says which guards of a trace are dropped.
//!
//! `_guard_filter.py` makes torch's entries of the rows that are handed to it here. As in torch, what the backend
//! assumes and that tensors are distinct is no entry: the first is always checked, the second for the tensors whose
//! guards stay.

use super::objects::CallObjects;
use guards::{Guard, GuardKind, Root, Source, SourceId, Sources};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rustc_hash::FxHashSet;
use std::iter::successors;

/// A function that is given rows, and gives for each whether its guard stays.
pub(super) struct GuardFilter(pub(super) Py<PyAny>);

impl GuardFilter {
    /// Visits the objects that it refers to, for the garbage collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }

    /// The guards that stay; an error is the program's own.
    pub(super) fn kept(
        &self,
        sources: &Sources,
        guards: Vec<Guard>,
        objects: &mut CallObjects<'_, '_>,
    ) -> PyResult<Vec<Guard>> {
        let py = objects.py();
        let is_entry = |guard: &&Guard| !matches!(guard.kind, GuardKind::NoTensorAliasing(_));
        let rows =
            guards.iter().filter(is_entry).map(|guard| row(sources, guard, objects)).collect::<PyResult<Vec<_>>>()?;
        let wanted = rows.len();
        let answers: Vec<bool> = self.0.bind(py).call1((rows,))?.extract()?;
        if answers.len() != wanted {
            return Err(PyValueError::new_err(format!("{} answers to {wanted} guards", answers.len())));
        }
        let mut answers = answers.into_iter();
        let mut kept: Vec<Guard> =
            guards.into_iter().filter(|guard| !is_entry(&guard) || answers.next() == Some(true)).collect();
        let tensors = kept.iter().filter(|guard| matches!(guard.kind, GuardKind::TensorMatch(_)));
        let tensors: FxHashSet<SourceId> = tensors.map(|guard| guard.source).collect();
        kept.retain_mut(|guard| {
            let GuardKind::NoTensorAliasing(distinct) = &mut guard.kind else { return true };
            distinct.retain(|source| tensors.contains(source));
            guard.source = distinct.first().copied().unwrap_or(guard.source);
            distinct.len() > 1
        });
        Ok(kept)
    }
}

/// The row of a guard: its kind, the part of the global state that it looks at if it is one of those, its source as
/// printed, whether that is global, the objects on the way there, the outermost first, as far as there are any, how
/// many there should be, and the check as printed.
fn row<'py>(sources: &Sources, guard: &Guard, objects: &mut CallObjects<'_, 'py>) -> PyResult<Bound<'py, PyDict>> {
    let state = match &guard.kind {
        GuardKind::Global(state) => Some(state.field()),
        _ => None,
    };
    let of_object = state.is_none() && !matches!(guard.kind, GuardKind::ShapeEnv(_));
    let mut path: Vec<SourceId> = successors(Some(guard.source), |&source| sources.base(source)).collect();
    path.reverse();
    let is_global = matches!(sources[path[0]], Source::Root(Root::Global(_) | Root::Module(_)));
    if !of_object {
        path.clear();
    }
    let values: Vec<_> = path.iter().map_while(|&source| sources.read(source, objects)).collect();
    let row = PyDict::new(objects.py());
    row.set_item("kind", guard.kind.row().name)?;
    row.set_item("state", state)?;
    row.set_item("name", if of_object { sources.display(guard.source).to_string() } else { String::new() })?;
    row.set_item("is_global", of_object && is_global)?;
    row.set_item("depth", path.len())?;
    row.set_item("path", values)?;
    row.set_item("text", guard.text(sources))?;
    Ok(row)
}
