//! Weights, as they were when results were computed from them alone.
//!
//! Invariant: kept results are used only where each weight is the tensor that they were made of, at the address and
//! with the number of writes that it had before that.

use super::Activation;
use super::given::Given;
use crate::device::State;
use inductor::plan::Buf;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of times that everything was forgotten.
static FORGOTTEN: AtomicU64 = AtomicU64::new(0);

/// Has every graph compute anew what follows from weights.
pub(crate) fn forget_frozen() {
    FORGOTTEN.fetch_add(1, Ordering::Relaxed);
}

/// A weight and what it was.
type Known = (Py<PyWeakrefReference>, State);

/// The weights of a call, as they were before it.
pub(crate) struct MadeOf {
    weights: Vec<Known>,
    /// The number of times that everything had been forgotten.
    forgotten: u64,
}

/// Uses the results that were kept for the weights of this call. Else gives the weights that the call's own may be kept
/// for: none where torch does not count what writes to them.
pub(super) fn use_frozen(given: &Given<'_, '_>, activation: &mut Activation) -> PyResult<Option<MadeOf>> {
    let (py, prepared) = (given.py, given.prepared);
    let Some(read) = prepared.frozen_weights() else { return Ok(None) };
    let weights = given.tensors().filter(|(buf, _)| read.binary_search(buf).is_ok());
    let state = |(buf, tensor): (Buf, Bound<'_, PyAny>)| {
        let state = State::of(&tensor, prepared.bytes(activation, buf), prepared.content(buf).dtype);
        (activation.slot(buf).is_given() && state.is_counted()).then_some((tensor.unbind(), state))
    };
    let Some(weights) = weights.map(state).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let forgotten = FORGOTTEN.load(Ordering::Relaxed);
    if prepared.use_frozen(activation, |made_of| made_of.is(py, &weights, forgotten))? {
        return Ok(None);
    }
    let weak = |(tensor, state): (Py<PyAny>, State)| Ok((PyWeakrefReference::new(tensor.bind(py))?.unbind(), state));
    let weights = weights.into_iter().map(weak).collect::<PyResult<_>>()?;
    Ok(Some(MadeOf { weights, forgotten }))
}

impl MadeOf {
    /// True if these are the weights.
    fn is(&self, py: Python<'_>, weights: &[(Py<PyAny>, State)], forgotten: u64) -> bool {
        let is_same = |((of, state), (tensor, now)): (&Known, &(Py<PyAny>, State))| {
            state == now && of.bind(py).upgrade().is_some_and(|of| of.is(tensor))
        };
        self.forgotten == forgotten && self.weights.iter().zip(weights).all(is_same)
    }
}
