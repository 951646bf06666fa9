//! Frozen results: those computed from weights alone, kept from call to call.
//!
//! Invariants: kept tensors are used only where the library says that each weight is as it was when they were computed;
//! a graph's programs for all sizes share them, and they are the same for all.

use crate::library::TensorLibrary;
use inductor::plan::{Buf, Plan};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The latest frozen results of a graph, if it has kept any.
pub struct Latest<L: TensorLibrary>(Mutex<Option<Arc<Kept<L>>>>);

impl<L: TensorLibrary> Default for Latest<L> {
    fn default() -> Latest<L> {
        Latest(Mutex::default())
    }
}

/// Tensors, and the weights that they were computed from.
pub(crate) struct Kept<L: TensorLibrary> {
    weights: L::Weights,
    pub(crate) results: Vec<(Buf, L::Tensor)>,
}

/// The steps of a program that follow from weights alone.
pub(crate) struct Frozen<L: TensorLibrary> {
    /// The first ones, up to this.
    pub(crate) end: usize,
    /// The weights that they read, in order.
    pub(crate) weights: Vec<Buf>,
    /// The buffers that they write and that later steps read.
    results: Vec<Buf>,
    latest: Arc<Latest<L>>,
}

impl<L: TensorLibrary> Frozen<L> {
    /// The frozen steps of a plan, of which a program has `end`; `None` if there are none.
    pub(crate) fn of(plan: &Plan, end: usize, latest: Arc<Latest<L>>) -> Option<Frozen<L>> {
        let lives = plan.lives();
        let touched = plan.bufs.keys().filter(|&buf| lives[buf].is_some_and(|(first, _)| first < plan.frozen));
        let is_given = |buf: &Buf| plan.bufs[*buf].storage.is_given();
        let (weights, own): (Vec<Buf>, Vec<Buf>) = touched.partition(is_given);
        let is_read_later = |buf: &Buf| lives[*buf].is_some_and(|(_, last)| last >= plan.frozen);
        let results = own.into_iter().filter(is_read_later).collect();
        (plan.frozen > 0).then_some(Frozen { end, weights, results, latest })
    }

    /// The results that were kept, if they were computed from the right weights.
    pub(crate) fn kept(&self, are_the_weights: impl FnOnce(&L::Weights) -> bool) -> Option<Arc<Kept<L>>> {
        let kept = self.latest.lock().clone();
        kept.filter(|kept| are_the_weights(&kept.weights))
    }

    /// Keeps the results that `take` gives, computed from these weights.
    pub(crate) fn keep(&self, weights: L::Weights, mut take: impl FnMut(Buf) -> Option<L::Tensor>) {
        let results = self.results.iter().filter_map(|&buf| Some((buf, take(buf)?))).collect();
        let older = self.latest.lock().replace(Arc::new(Kept { weights, results }));
        drop(older);
    }
}

impl<L: TensorLibrary> Latest<L> {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Kept<L>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
