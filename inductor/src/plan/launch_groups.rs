//! Kernels that are launched together.
//!
//! To wake threads for a kernel with little to do takes longer than the kernel. Several such kernels, of which none
//! needs another, have enough to do together: a device that
//! [says so](crate::backend::Capabilities::groups_launches) gets them as one step. How much a kernel has to do is told
//! by the bytes of its buffers.
//!
//! Large kernels are launched together where they walk through the same memory from one end to the other, and all but
//! one of them write little, as reductions do: what one has fetched is there for the others.
//!
//! Invariants:
//! - no kernel of a group touches what another one writes;
//! - kernels move to the front only, past kernels and checks, never past calls;
//! - one that writes to a tensor of the caller's moves past nothing: a check that fails leaves such tensors as they
//!   were;
//! - steps that follow from weights alone keep to themselves.

use crate::heuristics;
use cranelift_entity::SecondaryMap;

use super::{Buf, Launch, Plan, Step, Storage};
use crate::loop_ir::{Op, Param, ParamData, Role};
use symshapes::Expr;

/// Launches kernels together where that pays. The arena is not laid out yet.
pub(super) fn group(plan: &mut Plan) {
    let mut first = std::mem::take(&mut plan.steps);
    let rest = first.split_off(plan.frozen);
    plan.steps = Grouping::new(plan).run(first);
    plan.frozen = plan.steps.len();
    let rest = Grouping::new(plan).run(rest);
    plan.steps.extend(rest);
}

/// A step of large kernels.
struct Walker {
    step: usize,
    /// The large inputs that its first kernel walks through, with how many elements each.
    walks: Vec<(Buf, i64)>,
    /// True if one of its kernels writes much.
    writes_much: bool,
}

/// Steps that are put in order.
struct Grouping<'a> {
    plan: &'a Plan,
    done: Vec<Step>,
    /// The steps of small kernels since the last call, with the bytes that each touches.
    open: Vec<(usize, usize)>,
    /// The large kernels since the last call.
    walkers: Vec<Walker>,
    /// For each buffer, the number behind the last step that reads or writes it.
    used: SecondaryMap<Buf, usize>,
    /// For each buffer, the number behind the last step that writes it.
    written: SecondaryMap<Buf, usize>,
}

impl<'a> Grouping<'a> {
    fn new(plan: &'a Plan) -> Grouping<'a> {
        let (used, written) = (SecondaryMap::new(), SecondaryMap::new());
        Grouping { plan, done: Vec::new(), open: Vec::new(), walkers: Vec::new(), used, written }
    }

    fn run(mut self, steps: Vec<Step>) -> Vec<Step> {
        for step in steps {
            match step {
                Step::Launch(launch) => self.launch(launch),
                step => self.other(step),
            }
        }
        self.done
    }

    fn other(&mut self, step: Step) {
        if !matches!(step, Step::Check(_)) {
            self.open.clear();
            self.walkers.clear();
        }
        let end = self.done.len() + 1;
        step.for_each_buf(&mut |buf| (self.used[buf], self.written[buf]) = (end, end));
        self.done.push(step);
    }

    fn launch(&mut self, launch: Launch) {
        let bytes = launch.args.iter().filter_map(|buf| self.plan.bufs[*buf].bytes()).fold(0, usize::saturating_add);
        let first = self.first(&launch);
        let end = self.done.len();
        let fits = |&(step, taken): &(usize, usize)| {
            let most = if step + 1 == end { heuristics::group_bytes() } else { heuristics::group_moved_bytes() };
            step >= first && taken.saturating_add(bytes) <= most
        };
        let at = if bytes > heuristics::group_kernel_bytes() {
            self.beside(&launch, first).unwrap_or(end)
        } else if let Some(number) = self.open.iter().position(fits) {
            let (step, taken) = &mut self.open[number];
            *taken += bytes;
            *step
        } else {
            end
        };
        for (buf, role) in self.plan.roles(&launch) {
            self.used[buf] = self.used[buf].max(at + 1);
            if role != Role::In {
                self.written[buf] = at + 1;
            }
        }
        match self.done.get_mut(at) {
            Some(Step::Group(launches)) => launches.push(launch),
            Some(step) => *step = Step::Group(step.launches().iter().cloned().chain([launch]).collect()),
            None => {
                self.open.extend((bytes <= heuristics::group_kernel_bytes()).then_some((at, bytes)));
                self.done.push(Step::Launch(launch));
            }
        }
    }

    /// The step of a large kernel that walks through the same memory, from the step `first` on; where there is none,
    /// this one may have others beside it.
    fn beside(&mut self, launch: &Launch, first: usize) -> Option<usize> {
        let (walks, writes_much) =
            (self.plan.walks(launch), self.plan.written_bytes(launch) > heuristics::group_kernel_bytes());
        let suits = |walker: &&mut Walker| {
            let is_shared = walker.walks.iter().any(|walk| walks.contains(walk));
            walker.step >= first && is_shared && !(writes_much && walker.writes_much)
        };
        if let Some(walker) = self.walkers.iter_mut().find(suits) {
            walker.writes_much |= writes_much;
            return Some(walker.step);
        }
        self.walkers.push(Walker { step: self.done.len(), walks, writes_much });
        None
    }

    /// The first step in whose place a kernel could stand.
    fn first(&self, launch: &Launch) -> usize {
        let mut first = 0;
        for (buf, role) in self.plan.roles(launch) {
            first = first.max(if role == Role::In { self.written[buf] } else { self.used[buf] });
            if role != Role::In && matches!(self.plan.bufs[buf].storage, Storage::Input(_)) {
                first = first.max(self.done.len().saturating_sub(1));
            }
        }
        first
    }
}

impl Plan {
    /// The buffers of a launch, and what becomes of each.
    pub(super) fn roles<'a>(&'a self, launch: &'a Launch) -> impl Iterator<Item = (Buf, Role)> + 'a {
        let params = self.kernels[launch.kernel].arguments().map(|(_, param)| param.role);
        launch.args.iter().copied().zip(params)
    }

    /// True if kernels that are launched together all walk through memory that the first one does.
    pub fn is_one_walk(&self, launches: &[Launch]) -> bool {
        let [first, others @ ..] = launches else { return false };
        let walks = self.walks(first);
        others.iter().all(|launch| self.walks(launch).iter().any(|walk| walks.contains(walk)))
    }

    /// The large inputs that a kernel walks through from one end to the other, with how many elements.
    fn walks(&self, launch: &Launch) -> Vec<(Buf, i64)> {
        let kernel = &self.kernels[launch.kernel];
        let axis = &kernel.axes[kernel.root.axis];
        let Some(extent) = kernel.exprs.as_int(axis.extent) else { return Vec::new() };
        let step = |index: Expr| {
            let (_, steps) = kernel.exprs.affine(index)?;
            steps.iter().find(|(sym, _)| *sym == axis.sym).map(|&(_, step)| step)
        };
        let walk = |(&buf, (param, data)): (&Buf, (Param, &ParamData))| {
            let is_large = self.bufs[buf].bytes().is_some_and(|bytes| bytes >= heuristics::group_shared_bytes());
            let mut loads = kernel.values.values().filter_map(|value| match value.op {
                Op::Load { param: from, index, .. } if from == param => Some(step(index)),
                _ => None,
            });
            let first = loads.next()??;
            let is_one = is_large && data.role == Role::In && loads.all(|step| step == Some(first));
            is_one.then_some((buf, first * extent))
        };
        launch.args.iter().zip(kernel.arguments()).filter_map(walk).collect()
    }

    /// The bytes of what a launch writes, as far as they are known.
    fn written_bytes(&self, launch: &Launch) -> usize {
        let written = self.roles(launch).filter(|&(_, role)| role != Role::In);
        written.filter_map(|(buf, _)| self.bufs[buf].bytes()).fold(0, usize::saturating_add)
    }
}
