//! torch's own compiler beside ours: of two that a thread's calls are within, the inner one sees the frames.
//!
//! torch keeps to this among its own: its wrappers put their callback in the place of the one that was there. Ours does
//! the same, and torch's wrappers turn us off, as all is left alone that the code of their file calls.

use super::members;
use frame_hook::has_company;
use pyo3::intern;
use pyo3::prelude::*;

/// While this lives, torch's compiler sees nothing of this thread.
pub(super) struct TorchOff<'py> {
    /// torch's function that sets the callback, and the callback that was there.
    before: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
}

impl<'py> TorchOff<'py> {
    /// Turns torch's compiler off from now on. Where nobody but us sees frames, this costs a comparison.
    ///
    /// # Errors
    /// None but torch's.
    pub(super) fn new(py: Python<'py>) -> PyResult<TorchOff<'py>> {
        if !has_company(py) {
            return Ok(TorchOff { before: None });
        }
        let Some(evaluator) = members::loaded(py, "torch._C._dynamo.eval_frame") else {
            return Ok(TorchOff { before: None });
        };
        let set = evaluator.getattr(intern!(py, "set_eval_frame"))?;
        let callback = set.call1((py.None(),))?;
        Ok(TorchOff { before: (!callback.is_none()).then_some((set, callback)) })
    }
}

impl Drop for TorchOff<'_> {
    fn drop(&mut self) {
        let Some((set, callback)) = self.before.take() else { return };
        // What is under way as an exception goes on; that torch takes back what it gave cannot fail.
        let pending = PyErr::take(set.py());
        set.call1((callback,)).map(drop).unwrap_or_default();
        if let Some(pending) = pending {
            pending.restore(set.py());
        }
    }
}
