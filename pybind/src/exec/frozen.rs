//! Frozen results: those computed from weights alone, kept from call to call.
//!
//! Invariants: kept tensors are used only where each weight is the tensor that they were made of, at the address and
//! with the number of writes that it had before that; a graph's programs for all sizes share them, and they are the
//! same for all.

use super::Program;
use super::device::bytes_of;
use super::frame::{Frame, Slot};
use crate::device::State;
use crate::torch::Tensor;
use inductor::plan::{Buf, Plan};
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The latest frozen results of a graph, if it has kept any.
#[derive(Default)]
pub(crate) struct Latest(Mutex<Option<Arc<Kept>>>);

/// The number of times that everything was forgotten.
static FORGOTTEN: AtomicU64 = AtomicU64::new(0);

/// Has every graph compute anew what follows from weights.
pub(crate) fn forget_frozen() {
    FORGOTTEN.fetch_add(1, Ordering::Relaxed);
}

/// Tensors, and what they were made of.
pub(crate) struct Kept {
    made_of: MadeOf,
    results: Vec<(Buf, Tensor)>,
}

/// A weight and what it was.
type Known = (Py<PyWeakrefReference>, State);

/// The weights of a call, as they were before it.
pub(super) struct MadeOf {
    weights: Vec<Known>,
    /// The number of times that everything had been forgotten.
    forgotten: u64,
}

/// The steps of a program that follow from weights alone.
pub(super) struct Frozen {
    /// The first ones, up to this.
    end: usize,
    /// The weights that they read.
    weights: Vec<Buf>,
    /// The buffers that they write and that later steps read.
    results: Vec<Buf>,
    latest: Arc<Latest>,
}

/// The steps that a call may begin at.
pub(super) enum Start {
    /// Behind the frozen steps.
    Kept(usize),
    /// With them; what they give may be kept for these weights, unless torch does not count what writes to them.
    Fresh(Option<MadeOf>),
}

impl Start {
    /// The first step.
    pub(super) fn step(&self) -> usize {
        if let Start::Kept(step) = self { *step } else { 0 }
    }
}

impl Frozen {
    /// The frozen steps of a plan, of which a program has `end`; `None` if there are none.
    pub(super) fn of(plan: &Plan, end: usize, latest: Arc<Latest>) -> Option<Frozen> {
        let lives = plan.lives();
        let touched = plan.bufs.keys().filter(|&buf| lives[buf].is_some_and(|(first, _)| first < plan.frozen));
        let is_given = |buf: &Buf| plan.bufs[*buf].storage.is_given();
        let (weights, own): (Vec<Buf>, Vec<Buf>) = touched.partition(is_given);
        let is_read_later = |buf: &Buf| lives[*buf].is_some_and(|(_, last)| last >= plan.frozen);
        let results = own.into_iter().filter(is_read_later).collect();
        (plan.frozen > 0).then_some(Frozen { end, weights, results, latest })
    }

    /// Puts kept tensors behind their buffers, if they are good for the weights of this call.
    pub(super) fn begin<'py>(
        &self,
        py: Python<'py>,
        program: &Program,
        args: &[Bound<'py, PyAny>],
        frame: &mut Frame,
    ) -> PyResult<Start> {
        let given = program.given(py, args).filter(|(buf, _)| self.weights.binary_search(buf).is_ok());
        let state = |(buf, tensor): (Buf, Bound<'py, PyAny>)| {
            let state = State::of(&tensor, bytes_of(program, frame, buf), program.bufs[buf].element);
            (frame.slot(buf).is_given() && state.is_counted()).then_some((tensor, state))
        };
        let Some(weights) = given.map(state).collect::<Option<Vec<_>>>() else { return Ok(Start::Fresh(None)) };
        let forgotten = FORGOTTEN.load(Ordering::Relaxed);
        let kept = self.latest.lock().clone();
        let Some(kept) = kept.filter(|kept| kept.made_of.is(py, &weights, forgotten)) else {
            let weak = |(tensor, state)| Ok((PyWeakrefReference::new(&tensor)?.unbind(), state));
            let weights = weights.into_iter().map(weak).collect::<PyResult<_>>()?;
            return Ok(Start::Fresh(Some(MadeOf { weights, forgotten })));
        };
        for (buf, tensor) in &kept.results {
            frame.put(*buf, Slot::Borrowed(tensor.raw()))?;
        }
        frame.kept = Some(kept);
        Ok(Start::Kept(self.end))
    }

    /// Keeps what the steps have given.
    pub(super) fn keep(&self, made_of: MadeOf, frame: &mut Frame) {
        let results = self.results.iter().filter_map(|&buf| Some((buf, frame.take(buf)?))).collect();
        let older = self.latest.lock().replace(Arc::new(Kept { made_of, results }));
        drop(older);
    }
}

impl MadeOf {
    /// True if these are the weights.
    fn is(&self, py: Python<'_>, weights: &[(Bound<'_, PyAny>, State)], forgotten: u64) -> bool {
        let is_same = |((of, state), (tensor, now)): (&Known, &(Bound<'_, PyAny>, State))| {
            state == now && of.bind(py).upgrade().is_some_and(|of| of.is(tensor))
        };
        self.forgotten == forgotten && self.weights.iter().zip(weights).all(is_same)
    }
}

impl Latest {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Kept>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
