//! The guards of one trace, as the frame hook evaluates them.

use super::{
    backend::Compiled,
    check::Check,
    facts::Assumed,
    guard_filter::GuardFilter,
    host::PyHost,
    not_captured::NotCaptured,
    objects::{CallObjects, Prepared},
    promises::keeps_promises,
    snapshots::Snapshots,
    stance::skips_guards,
    states::states,
};
use crate::torch::Torch;
use dynamo_core::trace::Capture;
use frame_hook::{Call, Fit, Guard};
use guards::{Failure, GuardKind, GuardTree, ShapeGuard, SourceId};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number for each code object, and how often it has been captured.
pub(super) type FrameId = (usize, usize);

/// An earlier entry whose guards did not hold: the number of its capture, and why.
pub(super) struct Recompile {
    pub(super) frame: FrameId,
    pub(super) failure: Failure,
}

/// The guards of one trace, over the calls of one code object, as one compiled function checks them: several may share
/// the entry, each with snapshots of its own calls.
pub(super) struct CallGuard {
    pub(super) conditions: Arc<Conditions>,
    snapshots: Snapshots,
    /// The number of entries of its function.
    entries: Arc<AtomicUsize>,
}

/// The conditions that have to hold in a call.
pub(super) struct Conditions {
    pub(super) tree: GuardTree,
    /// The sources of what the compiled code takes as prefetched.
    prefetched: Vec<SourceId>,
    prepared: Prepared,
    /// The capture that they come from.
    frame: FrameId,
    /// The checks that the backend wants besides.
    pub(super) checks: Vec<Check>,
}

impl CallGuard {
    /// The guards of a capture that is compiled, but for those that a filter drops.
    pub(super) fn new(
        call: &Call<'_>,
        host: &PyHost<'_>,
        capture: &Capture,
        (compiled, filter): (Compiled<'_>, Option<&GuardFilter>),
        (frame, entries): (FrameId, Arc<AtomicUsize>),
    ) -> Result<CallGuard, NotCaptured> {
        let py = call.py();
        let torch = Torch::get(py)?;
        let Assumed { mut env, mut sources, guards, checks, .. } = compiled.assumed;
        let mut all = capture.guards.clone();
        let global = sources.global_state();
        let calls = |part: &str| capture.graph.nodes().any(|node| capture.graph[node].target.contains(part));
        all.extend(
            states(py, torch, calls).into_iter().map(|state| guards::Guard::new(global, GuardKind::Global(state))),
        );
        let solved = env.solve().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        keeps_promises(py, &env, &solved, &sources)?;
        let shapes = ShapeGuard::new(&env, &solved, &sources);
        if let Some(first) = shapes.reads.first() {
            all.push(guards::Guard::new(first.source, GuardKind::ShapeEnv(Box::new(shapes))));
        }
        if let Some(filter) = filter {
            let prepared = Prepared::new(py, &sources, &call.code(), host.named(), 0)?;
            let mut objects = CallObjects::new(call, &prepared, torch);
            all = filter.kept(&sources, all, &mut objects).map_err(NotCaptured::Backend)?;
        }
        all.extend(guards);
        let tree = GuardTree::new(sources, all).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let prepared = Prepared::new(py, tree.sources(), &call.code(), host.named(), tree.dicts())?;
        let prefetched = capture.prefetched.clone();
        let conditions = Arc::new(Conditions { tree, prefetched, prepared, frame, checks });
        Ok(CallGuard { conditions, snapshots: Snapshots::default(), entries })
    }

    /// A copy of these guards for another compiled function that shares the entry; it has snapshots of its own.
    pub(super) fn shared(&self, entries: Arc<AtomicUsize>) -> CallGuard {
        CallGuard { conditions: Arc::clone(&self.conditions), snapshots: Snapshots::default(), entries }
    }

    /// Whether the call is one that was compiled for, whatever the stance says of guards.
    pub(super) fn fits<'py>(&self, call: &Call<'py>) -> PyResult<Fit<'py>> {
        let Conditions { tree, prefetched, prepared, checks, .. } = &*self.conditions;
        let torch = Torch::get(call.py())?;
        let fit = self.snapshots.fit((tree, prefetched), call, prepared, torch);
        if matches!(fit, Fit::No) {
            return Ok(fit);
        }
        let mut objects = CallObjects::new(call, prepared, torch);
        for check in checks {
            if !check.holds(tree.sources(), &mut objects)? {
                return Ok(Fit::No);
            }
        }
        Ok(fit)
    }
}

impl Guard for CallGuard {
    fn fit<'py>(&self, call: &Call<'py>) -> PyResult<Fit<'py>> {
        if skips_guards() && self.entries.load(Ordering::Relaxed) == 1 {
            return Ok(Fit::Yes(None));
        }
        Python::attach(|_| self.fits(call))
    }
}

/// The reasons for which these guards, made by this handler, do not hold.
pub(super) fn why_not(call: &Call<'_>, failed: &[Rc<dyn Guard>]) -> PyResult<Vec<Recompile>> {
    let guards = failed.iter().filter_map(|guard| (&**guard as &dyn Any).downcast_ref::<CallGuard>());
    let torch = Torch::get(call.py())?;
    let explained = guards.filter_map(|guard| {
        let Conditions { tree, prepared, frame, .. } = &*guard.conditions;
        let mut objects = CallObjects::new(call, prepared, torch);
        Some(Recompile { frame: *frame, failure: tree.explain(&mut objects)? })
    });
    Ok(explained.collect())
}
