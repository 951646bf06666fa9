//! Histories of code objects: the sizes and integers that have changed between earlier calls.
//!
//! Invariant: a code object's history ends with it, since its address may be another one's next.

use dynamo_core::trace::Capture;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The histories of code objects that are alive.
#[derive(Default)]
pub(super) struct Histories(Arc<ByAddress>);

type ByAddress = Mutex<FxHashMap<usize, History>>;

/// The history of a code object's calls.
pub(super) struct History {
    /// A weak reference that takes this away together with the code object.
    _end: Option<Py<PyAny>>,
    /// The epoch in which it began: a reset ends it.
    epoch: u64,
    /// The code object's number.
    pub(super) frame: usize,
    /// The number of its captures, entries that it shares with another function included.
    pub(super) captures: usize,
    /// The number of entries, as their guards read it.
    pub(super) entries: Arc<AtomicUsize>,
    /// Whether a call was let by, that the next may tell what changes.
    pub(super) delayed: bool,
    /// Sizes and integers, by their printed source.
    seen: FxHashMap<String, i64>,
    /// The sizes and integers that have changed.
    pub(super) changed: Vec<String>,
    /// The changed sizes and integers that nobody was told of yet.
    pub(super) news: Vec<String>,
    /// Of a resume function, which goes on after a graph break: the code of the function that the program has written,
    /// by address, and the code of the functions that it continues.
    root: Option<usize>,
    parents: Vec<usize>,
    /// Of a function of the program's: the code of all its resume functions.
    resumed: Resumed,
}

/// The code of resume functions.
#[derive(Default)]
struct Resumed(Vec<Py<PyAny>>);

impl Drop for Resumed {
    fn drop(&mut self) {
        // Functions that go on with themselves would keep their entries, which lead to their code.
        Python::try_attach(|py| self.0.iter().for_each(|code| frame_hook::forget(code.bind(py))));
    }
}

/// Turns of a loop that have resume functions of their own, at most.
const MOST_TURNS: usize = 8;

/// Resume functions of one of the program's functions from which on turns of loops have none of their own.
const MOST_RESUMED: usize = 100;

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
            root: None,
            parents: Vec::new(),
            resumed: Resumed::default(),
        }
    }

    /// Counts one more entry; gives the number of entries, as their guards read it.
    pub(super) fn count_entry(&mut self) -> Arc<AtomicUsize> {
        self.captures += 1;
        self.entries.store(self.captures, Ordering::Relaxed);
        Arc::clone(&self.entries)
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
    /// The number of entries of all code objects.
    pub(super) fn captures(&self) -> usize {
        lock(&self.0).values().map(|history| history.captures).sum()
    }

    /// Calls `f` with the history of a code object, which is a new one if there is none, or none since the last reset.
    pub(super) fn with<T>(&self, code: &Bound<'_, PyAny>, f: impl FnOnce(&mut History) -> T) -> T {
        let key = code.as_ptr() as usize;
        // Made outside of the lock, since it runs Python, which may end other code objects.
        let is_new = !lock(&self.0).contains_key(&key);
        let end = if is_new { ends_with(code, key, &self.0).ok() } else { None };
        let mut all = lock(&self.0);
        let history = all.entry(key).or_insert_with(History::new);
        // Dropped outside of the lock: it holds code objects.
        let mut gone = None;
        if history.epoch != frame_hook::epoch() {
            let new = History { frame: history.frame, _end: history._end.take(), ..History::new() };
            gone = Some(std::mem::replace(history, new));
        }
        if let Some(end) = end {
            history._end = Some(end);
        }
        let result = f(history);
        drop(all);
        drop(gone);
        result
    }
}

/// Ways through a program that meet again go on in the same function.
///
/// The first turns of a loop have functions of their own, in which what differs from turn to turn is constant; those
/// that come after them share one, which goes on with itself.
impl Histories {
    /// The code of a function that goes on with `parent`: `made`, or an equal one that was made before.
    pub(super) fn join<'py>(&self, made: Bound<'py, PyAny>, parent: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, from) = (made.py(), parent.as_ptr() as usize);
        let root = self.with(parent, |history| history.root).unwrap_or(from);
        let known: Vec<Py<PyAny>> = match lock(&self.0).get(&root) {
            Some(history) => history.resumed.0.iter().map(|code| code.clone_ref(py)).collect(),
            None => return Ok(made),
        };
        let mut equal = Vec::new();
        for code in &known {
            let code = code.bind(py);
            if code.eq(&made)? {
                equal.push(code);
            }
        }
        let in_line = equal.iter().find(|code| !self.goes_on_with(from, code.as_ptr() as usize));
        let is_full = equal.len() >= MOST_TURNS || known.len() >= MOST_RESUMED;
        if let Some(code) = in_line.or_else(|| equal.last().filter(|_| is_full)) {
            self.with(code, |history| {
                if !history.parents.contains(&from) {
                    history.parents.push(from);
                }
            });
            return Ok((*code).clone());
        }
        self.with(&made, |history| (history.root, history.parents) = (Some(root), vec![from]));
        if let Some(history) = lock(&self.0).get_mut(&root) {
            history.resumed.0.push(made.clone().unbind());
        }
        Ok(made)
    }

    /// True if the code at one address is that of a function that goes on with the one at another.
    fn goes_on_with(&self, code: usize, with: usize) -> bool {
        let all = lock(&self.0);
        let (mut seen, mut open) = (Vec::new(), vec![code]);
        while let Some(next) = open.pop() {
            if next == with {
                return true;
            }
            if !seen.contains(&next) {
                seen.push(next);
                open.extend(all.get(&next).into_iter().flat_map(|history| &history.parents));
            }
        }
        false
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
