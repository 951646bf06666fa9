//! The snapshot of the last check of a compiled entry's guards that passed, and when to take the next one.
//!
//! A change is no reason to compile again: the guards are read once. If they hold, the next snapshot is taken of that
//! check. If they do not, another entry may fit, and the snapshot stays for when its model is called again.
//!
//! A snapshot costs several checks, so one that is of little use makes the next one wait longer. What has broken it
//! though the guards held all the time is relied on no more: a dict that changes at each call is read entry by entry
//! then, a root is read again. A model that is trained and evaluated by turns breaks snapshots, too, but its guards
//! have failed in between.

use super::{
    objects::{CallObjects, Prepared},
    seal::Seal,
    watchers::Watch,
};
use crate::torch::Torch;
use frame_hook::{Call, Fit};
use guards::{GuardTree, NodeId, Snapshot, SourceId, Validation};
use pyo3::Bound;
use pyo3::types::PyTuple;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A snapshot that held in fewer checks was of no use.
const WORTHWHILE: u32 = 32;

/// Objects that a check reads, at least, for a snapshot to be worth its making.
const LEAST_READS: usize = 24;

/// Checks between snapshots that are of no use, at most, as a power of two.
const LONGEST_WAIT: u32 = 14;

/// Addresses that are remembered as changing, at most: after that no snapshot is taken any more.
const MOST_CHANGING: usize = 64;

/// The snapshots of one entry's checks.
#[derive(Default)]
pub(super) struct Snapshots {
    kept: Mutex<Kept>,
    /// The number of checks in which the latest one held.
    uses: AtomicU32,
}

/// The parts of a snapshot that may have changed.
#[derive(Clone, Copy)]
enum Changed {
    Root(NodeId),
    Location(usize),
}

#[derive(Default)]
struct Kept {
    latest: Option<Arc<Snapshot<Seal>>>,
    /// Whether the guards have failed since something of the latest one changed.
    failed: bool,
    /// The number of snapshots in a row that were of no use.
    wasted: u32,
    /// The number of checks to pass before the next one is taken; `u32::MAX` for ever.
    wait: u32,
    /// The roots that have changed too often.
    roots: Vec<NodeId>,
    /// The addresses of the locations that have.
    changing: Arc<Vec<usize>>,
}

impl Snapshots {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the guards of a tree hold in a call. While nothing changes that the last passed check has read, most of
    /// them are not looked at, and the objects at the sources `prefetched` are found on the way.
    pub(super) fn fit<'py>(
        &self,
        (tree, prefetched): (&GuardTree, &[SourceId]),
        call: &Call<'py>,
        prepared: &Prepared,
        torch: &'static Torch,
    ) -> Fit<'py> {
        // Nothing of this is held while guards run the program's code, which may come here again.
        let latest = self.kept().latest.clone();
        let mut objects = CallObjects::new(call, prepared, torch);
        let mut broken = None;
        if let Some(snapshot) = latest {
            match tree.check_against(&mut objects, &snapshot) {
                Validation::Holds => {
                    self.uses.fetch_add(1, Ordering::Relaxed);
                    let prefetched = std::mem::take(&mut objects.prefetched);
                    let tuple = (!prefetched.is_empty()).then(|| PyTuple::new(call.py(), prefetched).ok());
                    return Fit::Yes(tuple.flatten().map(Bound::into_any));
                }
                Validation::Fails => return Fit::No,
                Validation::Unknown => return tree.check(&mut objects).into(),
                Validation::OtherRoot(id) => broken = Some((snapshot, Changed::Root(id))),
                Validation::Stale(at) => broken = Some((snapshot, Changed::Location(at))),
            }
        }
        let holds = tree.check(&mut objects);
        if let Some((snapshot, changed)) = broken {
            if !holds {
                self.kept().failed = true;
                return Fit::No;
            }
            self.discard(&snapshot, changed);
        }
        if holds && tree.reads() >= LEAST_READS {
            self.take((tree, prefetched), call, prepared, torch);
        }
        holds.into()
    }

    /// Drops a snapshot that is broken though the guards hold, and notes what has broken it if it was of no use.
    fn discard(&self, broken: &Arc<Snapshot<Seal>>, changed: Changed) {
        let mut guard = self.kept();
        let kept = &mut *guard;
        if !kept.latest.as_ref().is_some_and(|latest| Arc::ptr_eq(latest, broken)) {
            return;
        }
        let dropped = kept.latest.take();
        let failed = std::mem::take(&mut kept.failed);
        if self.uses.swap(0, Ordering::Relaxed) >= WORTHWHILE {
            kept.wasted = 0;
        } else {
            kept.wasted += 1;
            match changed {
                _ if failed => {}
                Changed::Root(id) => kept.roots.push(id),
                Changed::Location(at) => Arc::make_mut(&mut kept.changing).push(at),
            }
        }
        let gives_up = kept.changing.len() + kept.roots.len() > MOST_CHANGING;
        kept.wait = if gives_up { u32::MAX } else { (1 << kept.wasted.min(LONGEST_WAIT)) - 1 };
        drop(guard);
        drop(dropped);
    }

    /// Takes a snapshot, if it is time.
    fn take(
        &self,
        (tree, prefetched): (&GuardTree, &[SourceId]),
        call: &Call<'_>,
        prepared: &Prepared,
        torch: &'static Torch,
    ) {
        let (roots, changing) = match &mut *self.kept() {
            Kept { wait: 0, roots, changing, .. } => (roots.clone(), Arc::clone(changing)),
            Kept { wait: u32::MAX, .. } => return,
            kept => {
                kept.wait -= 1;
                return;
            }
        };
        let watch = Watch::new(call.py()).map(Arc::new);
        let mut objects =
            CallObjects { changing: &changing, watch: watch.as_ref(), ..CallObjects::new(call, prepared, torch) };
        let latest = tree.snapshot(&mut objects, &roots, prefetched).map(Arc::new);
        let mut kept = self.kept();
        // Without tags there never will be any.
        kept.wait = if latest.is_some() { 0 } else { u32::MAX };
        kept.failed = false;
        let before = std::mem::replace(&mut kept.latest, latest);
        drop(kept);
        drop(before);
    }
}
