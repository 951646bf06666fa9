//! What earlier calls of a code object have shown: which sizes and integers change between calls.
//!
//! Invariant: a code object's history ends with it, since its address may be another one's next.

use dynamo_core::trace::Capture;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is known of code objects that are alive.
#[derive(Default)]
pub(super) struct Histories(Arc<ByAddress>);

type ByAddress = Mutex<FxHashMap<usize, History>>;

/// What is known of a code object's earlier calls.
pub(super) struct History {
    /// A weak reference that takes this away together with the code object.
    _end: Option<Py<PyAny>>,
    /// When that was: nothing is known after a reset.
    epoch: u64,
    /// The code object's number.
    pub(super) frame: usize,
    /// How often it has been captured.
    pub(super) captures: usize,
    /// The same, for its entries' guards.
    pub(super) entries: Arc<AtomicUsize>,
    /// Whether a call was let by, that the next may tell what changes.
    pub(super) delayed: bool,
    /// Sizes and integers, by their printed source.
    seen: FxHashMap<String, i64>,
    /// Those that have changed.
    pub(super) changed: Vec<String>,
    /// Those of them that nobody was told of yet.
    pub(super) news: Vec<String>,
}

/// The next code object's number.
static FRAMES: AtomicUsize = AtomicUsize::new(0);

impl History {
    fn new() -> History {
        History {
            _end: None,
            epoch: frame_hook::epoch(),
            frame: FRAMES.fetch_add(1, Ordering::Relaxed),
            captures: 0,
            entries: Arc::default(),
            delayed: false,
            seen: FxHashMap::default(),
            changed: Vec::new(),
            news: Vec::new(),
        }
    }

    /// Notes what a trace has seen; true if something changed that was constant before.
    pub(super) fn learn(&mut self, capture: &Capture) -> bool {
        let mut news = false;
        for &(source, value) in &capture.hints {
            let name = capture.sources.display(source).to_string();
            if *self.seen.entry(name.clone()).or_insert(value) != value && !self.changed.contains(&name) {
                self.changed.push(name.clone());
                self.news.push(name);
                news = true;
            }
        }
        news
    }
}

impl Histories {
    /// What is known of this code object.
    pub(super) fn with<T>(&self, code: &Bound<'_, PyAny>, f: impl FnOnce(&mut History) -> T) -> T {
        let key = code.as_ptr() as usize;
        // Made outside of the lock, since it runs Python, which may end other code objects.
        let is_new = !lock(&self.0).contains_key(&key);
        let end = if is_new { ends_with(code, key, &self.0).ok() } else { None };
        let mut all = lock(&self.0);
        let history = all.entry(key).or_insert_with(History::new);
        if history.epoch != frame_hook::epoch() {
            *history = History { frame: history.frame, _end: history._end.take(), ..History::new() };
        }
        if let Some(end) = end {
            history._end = Some(end);
        }
        f(history)
    }
}

fn lock(histories: &ByAddress) -> MutexGuard<'_, FxHashMap<usize, History>> {
    histories.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A weak reference that forgets the history of a code object when that ends.
fn ends_with(code: &Bound<'_, PyAny>, key: usize, histories: &Arc<ByAddress>) -> PyResult<Py<PyAny>> {
    let histories = Arc::downgrade(histories);
    let forget = move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        // Dropped outside of the lock: it holds Python objects.
        let gone = histories.upgrade().and_then(|histories| lock(&histories).remove(&key));
        drop(gone);
    };
    let forget = PyCFunction::new_closure(code.py(), None, None, forget)?;
    Ok(code.py().import("weakref")?.getattr("ref")?.call1((code, forget))?.unbind())
}
