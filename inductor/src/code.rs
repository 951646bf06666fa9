//! The machine code of a plan's kernels, and the choice of those that are compiled.
//!
//! The launched kernels depend on sizes: those that typical sizes launch are compiled with the plan. Whoever runs it
//! for other sizes has the rest compiled then.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::backend::{Backend, BackendError, CompiledKernel};
use crate::loop_ir::Kernel;
use crate::plan::{Call, Epilogue, KernelId, Plan, Step, SymbolicPlan};

/// The machine code of a plan's kernels, as far as typical sizes need it.
#[derive(Default)]
pub struct Code {
    /// The code of kernels that are launched.
    pub launched: FxHashMap<KernelId, Arc<dyn CompiledKernel>>,
    /// The code of kernels that are computed with a product, as the device [has them then](Backend::part).
    pub fused: FxHashMap<KernelId, Arc<dyn CompiledKernel>>,
}

impl Code {
    /// Compiles what typical sizes launch.
    ///
    /// # Errors
    /// The first kernel that cannot be compiled.
    pub fn of(plan: &SymbolicPlan, backend: &dyn Backend) -> Result<Code, BackendError> {
        let modes = |plan: &Plan, call: &Call, epilogue: &Epilogue| backend.epilogue_mode(plan, call, epilogue);
        let (mut launched, mut fused): (FxHashSet<KernelId>, FxHashMap<KernelId, Kernel>) = Default::default();
        match plan.fused_at(&|sym| plan.pool.symbol_hint(sym), &modes) {
            Ok(typical) => {
                for step in &typical.steps {
                    launched.extend(step.launches().iter().map(|launch| launch.kernel));
                    if let Step::Fused(_, Epilogue { kernel, into, .. }) = step {
                        fused.extend(backend.part(&plan.kernels[*kernel]).map(|part| (*kernel, part)));
                        launched.extend(into.is_none().then_some(*kernel));
                    }
                }
            }
            Err(_) => launched.extend(plan.kernels.keys()),
        }
        let kernels = launched.iter().map(|id| &plan.kernels[*id]).chain(fused.values()).cloned();
        let mut compiled = backend.compile(&kernels.collect::<Vec<_>>())?.into_iter();
        let launched = launched.into_iter().zip(&mut compiled).collect();
        Ok(Code { launched, fused: fused.into_keys().zip(compiled).collect() })
    }

    /// The generated code of a kernel as text; nothing if there is none.
    pub fn listing(&self, kernel: KernelId) -> String {
        let found = self.launched.get(&kernel).or_else(|| self.fused.get(&kernel));
        found.map(|kernel| kernel.listing()).unwrap_or_default()
    }
}
