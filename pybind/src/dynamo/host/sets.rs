//! Sets that are made again as the trace has made them, whose order depends on that.

use super::PyHost;
use crate::dynamo::constant;
use dynamo_core::host::{Obj, SetHistory, SetOperand};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyTuple};

/// An object with a hash that it is given.
#[pyclass(frozen)]
struct Hashed(i64);

#[pymethods]
impl Hashed {
    fn __hash__(&self) -> i64 {
        self.0
    }
}

impl<'py> PyHost<'py> {
    /// True if a dict or set holds these keys under the hashes given. The hash of a frozen set is made of those that
    /// the container which it is made of has stored: no key is asked for its own.
    pub(super) fn have_hashes(&self, container: Obj, keys: &[(Obj, Option<i64>)]) -> PyResult<bool> {
        let py = self.py;
        let class = py.get_type::<PyFrozenSet>();
        let wanted = keys.iter().map(|&(key, hash)| match hash {
            Some(hash) => Ok(Bound::new(py, Hashed(hash))?.into_any()),
            None => Ok(self.object(key)),
        });
        let wanted = class.call1((PyTuple::new(py, wanted.collect::<PyResult<Vec<_>>>()?)?,))?;
        let stored = class.call1((self.object(container),))?;
        Ok(stored.len()? == keys.len() && stored.hash()? == wanted.hash()?)
    }

    /// The callable that makes a set by the steps of its history.
    pub(in crate::dynamo) fn set_maker(&self, history: &SetHistory) -> PyResult<Bound<'py, PyAny>> {
        let remake = self.py.import("rust_inductor._sets")?.getattr("remake")?;
        self.py.import("functools")?.getattr("partial")?.call1((remake, self.steps(history)?))
    }

    /// A history as Python has it, the first step first.
    fn steps(&self, history: &SetHistory) -> PyResult<Bound<'py, PyList>> {
        let py = self.py;
        let mut steps = Vec::new();
        let mut at = history.as_ref();
        while let Some(step) = at {
            let operands = step.operands.iter().map(|operand| match operand {
                SetOperand::Set(history) => Ok((true, self.steps(history)?.into_any())),
                operand => Ok((false, self.set_operand(operand)?)),
            });
            steps.push((step.method, operands.collect::<PyResult<Vec<_>>>()?));
            at = step.before.as_ref();
        }
        steps.reverse();
        PyList::new(py, steps)
    }

    /// The operand of a set's method, as a Python object.
    pub(super) fn set_operand(&self, operand: &SetOperand) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match operand {
            SetOperand::Item(item) => constant::write(py, item),
            SetOperand::Items(items) => {
                let items = items.iter().map(|item| constant::write(py, item)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, items)?.into_any())
            }
            SetOperand::Keys(keys) => {
                let dict = PyDict::new(py);
                for key in keys {
                    dict.set_item(constant::write(py, key)?, py.None())?;
                }
                Ok(dict.into_any())
            }
            SetOperand::Set(history) => self.set_maker(history)?.call0(),
            SetOperand::Frozen(obj) => Ok(self.object(*obj)),
        }
    }
}
