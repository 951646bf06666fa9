//! The snapshot of the last check of a compiled entry's guards that passed, and when to take the next one.
//!
//! A snapshot costs several checks, so one that is of little use makes the next one wait longer; and what has broken it
//! is relied on no more: a dict that changes at each call is read entry by entry then, a root is read again.

use super::{
    objects::{CallObjects, Prepared},
    version_tags::Tag,
};
use crate::torch::Torch;
use frame_hook::Call;
use guards::{GuardTree, NodeId, Snapshot, Validation};
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
    /// In how many checks the latest one held.
    uses: AtomicU32,
}

#[derive(Default)]
struct Kept {
    latest: Option<Arc<Snapshot<Tag>>>,
    /// The number of snapshots in a row that were of no use.
    wasted: u32,
    /// The number of checks to pass before the next one is taken; `u32::MAX` for ever.
    wait: u32,
    /// The roots that have changed too often.
    roots: Vec<NodeId>,
    /// The addresses of what has.
    changing: Arc<Vec<usize>>,
}

impl Snapshots {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the guards of a tree hold in a call. While nothing changes that the last passed check has read, most of
    /// them are not looked at.
    pub(super) fn hold(&self, tree: &GuardTree, call: &Call<'_>, prepared: &Prepared, torch: &'static Torch) -> bool {
        // Nothing of this is held while guards run the program's code, which may come here again.
        let (latest, changing) = {
            let kept = self.kept();
            (kept.latest.clone(), Arc::clone(&kept.changing))
        };
        let mut objects = CallObjects { call, prepared, torch, changing: &changing };
        if let Some(snapshot) = latest {
            match tree.check_against(&mut objects, &snapshot) {
                Validation::Holds => {
                    self.uses.fetch_add(1, Ordering::Relaxed);
                    return true;
                }
                Validation::Fails => return false,
                Validation::Unknown => return tree.check(&mut objects),
                Validation::OtherRoot(id) => self.discard(|kept| kept.roots.push(id)),
                Validation::Stale(at) => self.discard(|kept| Arc::make_mut(&mut kept.changing).push(at)),
            }
        }
        let holds = tree.check(&mut objects);
        if holds && tree.reads() >= LEAST_READS {
            self.take(tree, &mut objects);
        }
        holds
    }

    /// Drops the latest snapshot, and notes what has broken it if it was of no use.
    fn discard(&self, note: impl FnOnce(&mut Kept)) {
        let mut kept = self.kept();
        kept.latest = None;
        if self.uses.swap(0, Ordering::Relaxed) >= WORTHWHILE {
            kept.wasted = 0;
        } else {
            kept.wasted += 1;
            note(&mut kept);
        }
        let gives_up = kept.changing.len() + kept.roots.len() > MOST_CHANGING;
        kept.wait = if gives_up { u32::MAX } else { (1 << kept.wasted.min(LONGEST_WAIT)) - 1 };
    }

    /// Takes a snapshot, if it is time.
    fn take(&self, tree: &GuardTree, objects: &mut CallObjects<'_, '_>) {
        let roots = match &mut *self.kept() {
            Kept { wait: 0, roots, .. } => roots.clone(),
            Kept { wait: u32::MAX, .. } => return,
            kept => {
                kept.wait -= 1;
                return;
            }
        };
        let latest = tree.snapshot(objects, &roots).map(Arc::new);
        let mut kept = self.kept();
        // Without tags there never will be any.
        kept.wait = if latest.is_some() { 0 } else { u32::MAX };
        kept.latest = latest;
    }
}
