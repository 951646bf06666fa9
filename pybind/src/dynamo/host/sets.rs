//! Sets that are made again as the trace has made them, whose order depends on that.

use super::PyHost;
use crate::dynamo::constant;
use dynamo_core::host::{SetHistory, SetOperand};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

impl<'py> PyHost<'py> {
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
