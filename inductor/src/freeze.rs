//! Weights that stay as they are from call to call.
//!
//! Where a user says so, what follows from weights alone (autocast's conversions of them, their transposed copies) need
//! not be computed at each call. `hoist` has the kernels that compute it stand first, and write tensors that outlive
//! the call: whoever runs the plan again, with the same weights, may begin behind them.
//!
//! Invariants: such a kernel reads weights and what others of its kind have written, cannot fail, and has the same
//! sizes in every call; nobody else writes to its results, and they are not returned.

use rustc_hash::FxHashSet;
use symshapes::Expr;

use crate::loop_ir::Role;
use crate::plan::uses::Uses;
use crate::plan::{Buf, Launch, Layout, Step, Storage, SymbolicPlan};

/// Moves the steps that follow from weights alone to the beginning of a plan. Weights are these inputs, by number, and
/// constants of the graph.
pub(crate) fn hoist(plan: &mut SymbolicPlan, weights: &[usize]) {
    let uses = Uses::of(plan);
    let mut known: FxHashSet<Buf> = FxHashSet::default();
    for (buf, data) in plan.bufs.iter() {
        let stays = match data.storage {
            Storage::Input(index) => weights.contains(&index) && !plan.written.contains(&buf),
            Storage::Constant(_) => true,
            Storage::Arena(_) | Storage::Lent(_) | Storage::Owned | Storage::Result => false,
        };
        known.extend(stays.then_some(buf));
    }
    let mut frozen = Vec::new();
    for (at, step) in plan.steps.iter().enumerate() {
        if let Some(results) = results(plan, &uses, &known, step) {
            known.extend(results);
            frozen.push(at);
        }
    }
    let is_frozen = |at: usize| frozen.binary_search(&at).is_ok();
    let steps = std::mem::take(&mut plan.steps).into_iter().enumerate();
    let (first, rest): (Vec<_>, Vec<_>) = steps.partition(|(at, _)| is_frozen(*at));
    plan.frozen = first.len();
    plan.steps = first.into_iter().chain(rest).map(|(_, step)| step).collect();
    for at in 0..plan.frozen {
        let mut bufs = Vec::new();
        plan.steps[at].for_each_buf(&mut |buf| bufs.push(buf));
        for buf in bufs {
            let storage = &mut plan.bufs[buf].storage;
            if matches!(storage, Storage::Arena(_)) {
                *storage = Storage::Owned;
            }
        }
    }
}

/// The buffers that a step writes, if they follow from known ones alone.
fn results(plan: &SymbolicPlan, uses: &Uses, known: &FxHashSet<Buf>, step: &Step<Expr>) -> Option<Vec<Buf>> {
    let Step::Launch(Launch { kernel, args, sizes }) = step else { return None };
    let is_fixed = |layout: &Layout<Expr>| layout.sizes.iter().all(|&size| plan.pool.as_int(size).is_some());
    let (mut results, mut reads) = (Vec::new(), 0);
    for ((_, param), buf) in plan.kernels[*kernel].arguments().zip(args) {
        let data = &plan.bufs[*buf];
        let is_own = || matches!(data.storage, Storage::Arena(_)) && uses.writes[*buf].len() == 1;
        match param.role {
            Role::In if known.contains(buf) => reads += 1,
            Role::Out if is_own() && is_fixed(&data.layout) => results.push(*buf),
            _ => return None,
        }
    }
    (reads > 0 && sizes.is_empty() && results.iter().all(|buf| !uses.returned.contains(buf))).then_some(results)
}
