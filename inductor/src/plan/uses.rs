//! Uses of buffers by the steps of a plan, for passes that move steps or memory.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;
use symshapes::Expr;

use super::{Buf, Call, Epilogue, Output, Step, SymbolicPlan};
use crate::loop_ir::{Kernel, Role};

/// The steps that read and write each buffer.
pub(crate) struct Uses {
    pub(crate) reads: SecondaryMap<Buf, Vec<usize>>,
    pub(crate) writes: SecondaryMap<Buf, Vec<usize>>,
    pub(crate) returned: FxHashSet<Buf>,
}

impl Uses {
    pub(crate) fn of(plan: &SymbolicPlan) -> Uses {
        let mut uses = Uses { reads: SecondaryMap::new(), writes: SecondaryMap::new(), returned: FxHashSet::default() };
        for (at, step) in plan.steps.iter().enumerate() {
            match step {
                Step::Launch(_) | Step::Group(_) => {
                    for launch in step.launches() {
                        uses.launch(&plan.kernels[launch.kernel], &launch.args, at);
                    }
                }
                Step::Call(call) => uses.call(call, at),
                Step::Fused(call, Epilogue { kernel, args, .. }) => {
                    uses.call(call, at);
                    uses.launch(&plan.kernels[*kernel], args, at);
                }
                Step::Write { into, from } => {
                    uses.reads[from.buf].push(at);
                    uses.writes[*into].push(at);
                }
                Step::Free(buf) | Step::Check(buf) => {
                    uses.reads[*buf].push(at);
                    uses.writes[*buf].push(at);
                }
            }
        }
        for output in &plan.outputs {
            if let Output::Tensor(view) = output {
                uses.returned.insert(view.buf);
            }
        }
        uses
    }

    fn call(&mut self, call: &Call<Expr>, at: usize) {
        call.for_each_tensor(&mut |view| self.reads[view.buf].push(at));
        call.result_tensors().for_each(|&buf| self.writes[buf].push(at));
    }

    fn launch(&mut self, kernel: &Kernel, args: &[Buf], at: usize) {
        for ((_, param), &buf) in kernel.arguments().zip(args) {
            if param.role != Role::Out {
                self.reads[buf].push(at);
            }
            if param.role != Role::In {
                self.writes[buf].push(at);
            }
        }
    }

    /// Records that a launch is made at another step.
    pub(crate) fn moved(&mut self, kernel: &Kernel, args: &[Buf], from: usize, to: usize) {
        for ((_, param), &buf) in kernel.arguments().zip(args) {
            let uses = if param.role == Role::In { &mut self.reads[buf] } else { &mut self.writes[buf] };
            uses.iter_mut().filter(|at| **at == from).for_each(|at| *at = to);
        }
    }
}
