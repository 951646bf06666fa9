//! Kernels in several versions, of which the first launch keeps the fastest (`mode="max-autotune"`).
//!
//! The first version is the cost model's. The others use the host otherwise ([`Host::variants`]), or leave the work to
//! one thread. All compute the same elements; sums may be added up in another order.

use crate::compile::object_key;
use crate::target::Host;
use crate::{CpuKernel, NAME};
use inductor::autotune::Autotuner;
use inductor::backend::CompiledKernel;
use inductor::loop_ir::{Role, Stmt, StoreMode};
use inductor::store::Store;
use std::convert::Infallible;
use std::sync::Arc;

/// A kernel whose fastest version is found by its first launch.
pub(crate) struct Tuned {
    versions: Vec<Version>,
    /// The role of each argument.
    roles: Vec<Role>,
    /// Something is added to what is there.
    adds: bool,
    tuner: Autotuner,
}

struct Version {
    kernel: Arc<CpuKernel>,
    /// Whether one thread does all, though the cost model might wake others.
    alone: bool,
}

impl Tuned {
    /// A kernel in its usual version and the others that could be compiled.
    pub(crate) fn new(usual: CpuKernel, others: Vec<CpuKernel>, store: Arc<dyn Store>) -> Tuned {
        let usual = Arc::new(usual);
        let loop_ir = &usual.kernel;
        let roles = loop_ir.params.values().map(|param| param.role).filter(|role| *role != Role::Scratch).collect();
        let mut adds = false;
        loop_ir.walk(&mut |stmt| adds |= matches!(stmt, Stmt::Store { mode: StoreMode::Add, .. }));
        let hosts: Vec<&Host> = others.iter().map(|other| other.host).collect();
        let what = format!("{hosts:?}\n{}", loop_ir.canonical_text());
        let of = object_key(usual.host, "versions", &what);
        let others = others.into_iter().map(|kernel| Version { kernel: Arc::new(kernel), alone: false });
        let both = [false, true].map(|alone| Version { kernel: Arc::clone(&usual), alone });
        let versions: Vec<Version> = both.into_iter().chain(others).collect();
        let tuner = Autotuner::new(of, versions.len(), store);
        Tuned { versions, roles, adds, tuner }
    }

    /// The version of the cost model.
    pub(crate) fn usual(&self) -> &Arc<CpuKernel> {
        &self.versions[0].kernel
    }

    /// True if launching twice is not launching once: what is written is read as well.
    fn changes_operands(&self, args: &[*mut u8]) -> bool {
        let written = |at: usize| self.roles[at] != Role::In;
        self.adds
            || self.roles.contains(&Role::InOut)
            || (0..args.len()).any(|at| written(at) && args.iter().filter(|&&arg| arg == args[at]).count() > 1)
    }
}

impl CompiledKernel for Tuned {
    unsafe fn launch(&self, args: &[*mut u8], sizes: &[i64], threads: usize) {
        // SAFETY: the caller's promise, which is the same for each version.
        let launch = |at: usize| unsafe { self.versions[at].launch(args, sizes, threads) };
        let winner = match self.tuner.winner() {
            Some(winner) => winner,
            None if self.changes_operands(args) => 0,
            None => {
                let circumstances: Vec<i64> = sizes.iter().copied().chain([threads as i64]).collect();
                let winner = self.tuner.decide(&circumstances, |at| {
                    launch(at);
                    Ok::<(), Infallible>(())
                });
                let Version { kernel, alone } = &self.versions[winner];
                let (name, host) = (&kernel.kernel.name, kernel.host);
                tracing::debug!(target: "rust_inductor::autotune", backend = NAME, kernel = %name, alone,
                    vector_bytes = host.vector_bytes, copies = host.copies, "the fastest version");
                winner
            }
        };
        launch(winner);
    }

    fn listing(&self) -> String {
        self.versions[self.tuner.winner().unwrap_or(0)].kernel.listing()
    }
}

impl Version {
    /// # Safety
    /// As [`CompiledKernel::launch`].
    unsafe fn launch(&self, args: &[*mut u8], sizes: &[i64], threads: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.launch(args, sizes, if self.alone { 1 } else { threads }) };
    }
}
