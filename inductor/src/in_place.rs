//! Kernels that write into the caller's tensors.
//!
//! A graph that changes its inputs computes their new values beside the old ones, and writes them back at the end. The
//! kernel that computes a new value can write to the input at once where it reads the old one element by element
//! ([`is_elementwise`]), or where nothing reads that: an optimiser's step then moves each of its tensors once, not
//! three times.
//!
//! Invariants:
//! - no step after the kernel may fail on what tensors hold (an index out of bounds, a matrix that has no factors):
//!   where one does, the caller's tensors are as they were;
//! - what reads an input's old value stands before the kernel that writes to it, or is that kernel, which then reads
//!   each element before it writes it, and no other;
//! - a kernel names a buffer by one param: what was read and what is written there become one
//!   ([`Role::InOut`]);
//! - kernels and buffers that are not used any more are not in the plan.

use std::hash::Hash;
use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use fx::Graph;
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::Expr;

use crate::loop_ir::access::{is_elementwise, reads_first};
use crate::loop_ir::{Kernel, Loop, Op, Param, Role, Stmt};
use crate::plan::uses::Uses;
use crate::plan::{Buf, Fate, KernelId, Launch, Output, Step, Storage, SymbolicPlan, View};
use crate::tensor_ir::same_strides;

/// A param that is read and the one that is written at the same place.
type Merge = (Option<Param>, Param);

/// Makes kernels write to inputs where they can; `graph` is the one that the plan was made of.
pub fn fuse(plan: &mut SymbolicPlan, graph: &Graph) {
    let uses = Uses::of(plan);
    let last_failure = plan.steps.iter().rposition(|step| may_raise(step, graph));
    let mut merges: FxHashMap<usize, Vec<Merge>> = FxHashMap::default();
    let mut renamed: FxHashMap<Buf, Buf> = FxHashMap::default();
    let mut done = FxHashSet::default();
    for (at, step) in plan.steps.iter().enumerate() {
        let Step::Write { into, from } = step else { continue };
        // Another input may have got the value already, and is as good to copy from.
        if !renamed.contains_key(&from.buf)
            && let Some((launch, merge)) = writer(plan, &uses, *into, from)
            && last_failure.is_none_or(|failure| failure < launch)
        {
            merges.entry(launch).or_default().push(merge);
            renamed.insert(from.buf, *into);
            done.insert(at);
        }
    }
    if done.is_empty() {
        return;
    }
    let mut kernels =
        Kernels { all: Arc::unwrap_or_clone(std::mem::take(&mut plan.kernels)), made: FxHashMap::default() };
    let steps = std::mem::take(&mut plan.steps).into_iter().enumerate().filter(|(at, _)| !done.contains(at));
    plan.steps = steps
        .map(|(at, mut step)| {
            step.for_each_buf_mut(&mut |buf| *buf = renamed.get(buf).copied().unwrap_or(*buf));
            if let (Step::Launch(Launch { kernel, args, .. }), Some(merges)) = (&mut step, merges.get(&at)) {
                kernels.merge(kernel, args, merges);
            }
            step
        })
        .collect();
    forget_unused(plan, kernels);
}

/// True if a step may raise for what the tensors hold. A kernel that may has a check behind it.
fn may_raise(step: &Step<Expr>, graph: &Graph) -> bool {
    match step {
        Step::Check(_) => true,
        Step::Call(call) | Step::Fused(call, _) => fx::effects::may_raise(graph, call.node),
        Step::Launch(_) | Step::Group(_) | Step::Free(_) | Step::Write { .. } => false,
    }
}

/// The launch that can write a value to an input, and the params that become one.
fn writer(plan: &SymbolicPlan, uses: &Uses, into: Buf, from: &View<Expr>) -> Option<(usize, Merge)> {
    let [launch] = uses.writes[from.buf][..] else { return None };
    let Step::Launch(Launch { kernel, args, .. }) = &plan.steps[launch] else { return None };
    let (old, new) = (&plan.bufs[into], &plan.bufs[from.buf]);
    let is_whole =
        from.layout == new.layout && same_strides(&old.layout.sizes, &old.layout.strides, &new.layout.strides);
    let is_own = matches!(new.storage, Storage::Arena(_)) && !uses.returned.contains(&from.buf);
    if !is_whole || !is_own || old.dtype != new.dtype || uses.reads[into].iter().any(|&read| read > launch) {
        return None;
    }
    let kernel = &plan.kernels[*kernel];
    let written = param(kernel, args, from.buf)?;
    if !uses.reads[into].contains(&launch) {
        return Some((launch, (None, written)));
    }
    let read = param(kernel, args, into)?;
    let roles = kernel.params[read].role == Role::In && kernel.params[written].role == Role::Out;
    let fits = roles && is_elementwise(kernel, read) && reads_first(kernel, read, written);
    fits.then_some((launch, (Some(read), written)))
}

/// The only param that a buffer is the argument of.
fn param(kernel: &Kernel, args: &[Buf], buf: Buf) -> Option<Param> {
    let mut params = kernel.arguments().zip(args).filter(|(_, arg)| **arg == buf).map(|((param, _), _)| param);
    params.next().filter(|_| params.next().is_none())
}

/// The plan's kernels, and those made of them.
struct Kernels {
    all: PrimaryMap<KernelId, Kernel>,
    made: FxHashMap<(KernelId, Vec<Merge>), KernelId>,
}

impl Kernels {
    /// Makes a launch name each buffer once.
    fn merge(&mut self, kernel: &mut KernelId, args: &mut Vec<Buf>, merges: &[Merge]) {
        let merges: Vec<Merge> = merges.iter().copied().filter(|(read, _)| read.is_some()).collect();
        if merges.is_empty() {
            return;
        }
        let dropped = |param: Param| merges.iter().any(|&(read, _)| read == Some(param));
        let params: Vec<Param> = self.all[*kernel].arguments().map(|(param, _)| param).collect();
        let mut params = params.into_iter();
        args.retain(|_| !params.next().is_some_and(dropped));
        let key = (*kernel, merges);
        *kernel = match self.made.get(&key) {
            Some(&made) => made,
            None => {
                let one = merged(self.all[*kernel].clone(), &key.1);
                let made = self.all.push(one);
                self.made.insert(key, made);
                made
            }
        };
    }
}

/// The kernel with one param for each pair.
fn merged(mut kernel: Kernel, merges: &[Merge]) -> Kernel {
    let into = |param: Param| merges.iter().find_map(|&(read, written)| (read == Some(param)).then_some(written));
    let mut params = PrimaryMap::new();
    let mut now: SecondaryMap<Param, Option<Param>> = SecondaryMap::new();
    for (param, data) in kernel.params.iter().filter(|(param, _)| into(*param).is_none()) {
        let mut data = data.clone();
        if merges.iter().any(|&(_, written)| written == param) {
            data.role = Role::InOut;
        }
        now[param] = Some(params.push(data));
    }
    let renumber = |param: &mut Param| *param = now[into(*param).unwrap_or(*param)].unwrap_or(*param);
    for value in kernel.values.values_mut() {
        if let Op::Load { param, .. } = &mut value.op {
            renumber(param);
        }
    }
    renumber_stores(&mut kernel.root, &renumber);
    kernel.params = params;
    kernel
}

fn renumber_stores(l: &mut Loop, renumber: &impl Fn(&mut Param)) {
    for stmt in &mut l.body {
        match stmt {
            Stmt::Loop(inner) => renumber_stores(inner, renumber),
            Stmt::Store { param, .. } => renumber(param),
            Stmt::Let(_) | Stmt::Accumulate { .. } => {}
        }
    }
}

/// Leaves out the kernels and buffers that no step uses.
fn forget_unused(plan: &mut SymbolicPlan, kernels: Kernels) {
    let returned = plan.outputs.iter().filter_map(|o| if let Output::Tensor(view) = o { Some(view.buf) } else { None });
    let mut used: FxHashSet<Buf> = returned.collect();
    let mut launched = FxHashSet::default();
    for step in &mut plan.steps {
        step.for_each_buf(&mut |buf| used.extend([buf]));
        step.for_each_kernel_mut(&mut |kernel| launched.extend([*kernel]));
    }
    let (bufs, buf_now) = keep(std::mem::take(&mut plan.bufs), &used);
    let (all, kernel_now) = keep(kernels.all, &launched);
    (plan.bufs, plan.kernels) = (bufs, Arc::new(all));
    let rename = |buf: &mut Buf| *buf = buf_now[*buf].unwrap_or(*buf);
    for step in &mut plan.steps {
        step.for_each_buf_mut(&mut |buf| rename(buf));
        step.for_each_kernel_mut(&mut |kernel| *kernel = kernel_now[*kernel].unwrap_or(*kernel));
    }
    plan.written.iter_mut().for_each(rename);
    for output in &mut plan.outputs {
        if let Output::Tensor(view) = output {
            rename(&mut view.buf);
        }
    }
    let mut made: Vec<(KernelId, KernelId)> = kernels.made.iter().map(|((from, _), to)| (*from, *to)).collect();
    made.sort_unstable();
    let now = |id: KernelId| {
        let of = made.iter().filter(move |(from, _)| *from == id).map(|(_, to)| *to);
        std::iter::once(id).chain(of).filter_map(|id| kernel_now[id])
    };
    let fates = plan.fates.iter().map(|(node, fate)| match fate {
        Fate::Kernel(ids) => (*node, Fate::Kernel(ids.iter().copied().flat_map(now).collect())),
        fate => (*node, fate.clone()),
    });
    plan.fates = fates.collect();
}

/// The entities that are used, and the number that each of them has now.
fn keep<K: EntityRef + Hash, V>(
    all: PrimaryMap<K, V>,
    used: &FxHashSet<K>,
) -> (PrimaryMap<K, V>, SecondaryMap<K, Option<K>>) {
    let (mut kept, mut now) = (PrimaryMap::new(), SecondaryMap::new());
    for (id, value) in all {
        if used.contains(&id) {
            now[id] = Some(kept.push(value));
        }
    }
    (kept, now)
}
