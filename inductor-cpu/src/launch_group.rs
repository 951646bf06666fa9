//! Small kernels in one launch: their parts are dealt out to threads as those of one kernel are.
//!
//! A part is a range of iterations of one kernel. So many parts that they are worth a piece make a unit; threads draw
//! units from one counter, so that kernels with less to do than others hold nobody up.
//!
//! Of kernels that walk through the same memory, a unit has a part of each: what the first of them fetches the others
//! find in the core's cache.

use crate::heuristics;
use crate::launch::{Pool, in_pieces, with_scratch};
use crate::tuned::Tuned;
use crate::{CpuKernel, Facts};
use inductor::backend::{CompiledKernel, Member};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// One of the kernels.
struct Kernel {
    kernel: Arc<CpuKernel>,
    args: Range<usize>,
    sizes: Box<[i64]>,
    facts: Facts,
}

/// Some iterations of a kernel.
struct Part {
    kernel: usize,
    begin: i64,
    end: i64,
}

/// Kernels that have nothing to do with each other.
pub(crate) struct LaunchGroup {
    kernels: Vec<Kernel>,
    parts: Vec<Part>,
    /// The end of each unit among the parts.
    units: Vec<usize>,
    /// Nanoseconds that all of it takes on one thread.
    ns: f64,
    pool: Arc<dyn Pool>,
}

impl LaunchGroup {
    /// The kernels as one; `None` if one of them is not this crate's.
    pub(crate) fn new(members: &[Member], side_by_side: bool, pool: &Arc<dyn Pool>) -> Option<LaunchGroup> {
        let mut together =
            LaunchGroup { kernels: Vec::new(), parts: Vec::new(), units: Vec::new(), ns: 0.0, pool: Arc::clone(pool) };
        let mut args = 0;
        for member in members {
            let kernel = own(&member.kernel)?;
            let facts = Facts::of(&kernel.kernel, kernel.host, &member.sizes);
            kernel.check(member.args, &member.sizes);
            together.ns += facts.ns();
            together.kernels.push(Kernel {
                kernel,
                args: args..args + member.args,
                sizes: member.sizes.clone(),
                facts,
            });
            args += member.args;
        }
        match side_by_side {
            true => together.cut_side_by_side(),
            false => together.cut_in_turn(),
        }
        Some(together)
    }

    /// One kernel after the other; each part of one is worth a piece unless it is the only one.
    fn cut_in_turn(&mut self) {
        let (piece, mut filled) = (self.pool.piece_ns(), 0.0);
        for (kernel, facts) in self.kernels.iter().map(|kernel| kernel.facts).enumerate() {
            let Facts { work, extent, .. } = facts;
            let count = ((facts.ns() / piece) as i64).clamp(1, extent.max(1));
            let length = (extent + count - 1) / count;
            let length = (length + work.grain - 1) / work.grain * work.grain;
            let mut begin = 0;
            while begin < extent {
                let end = (begin + length).min(extent);
                self.parts.push(Part { kernel, begin, end });
                filled += work.ns * (end - begin) as f64;
                if filled >= piece {
                    self.units.push(self.parts.len());
                    filled = 0.0;
                }
                begin = end;
            }
        }
        if self.units.last().is_none_or(|&end| end < self.parts.len()) {
            self.units.push(self.parts.len());
        }
    }

    /// Equal shares of all kernels in each unit.
    fn cut_side_by_side(&mut self) {
        let count = ((self.ns / heuristics::group_piece_ns()) as i64).max(1);
        for unit in 0..count {
            for (kernel, Facts { work, extent, .. }) in self.kernels.iter().map(|kernel| kernel.facts).enumerate() {
                let share =
                    |unit: i64| ((extent * unit / count + work.grain - 1) / work.grain * work.grain).min(extent);
                let (begin, end) = (share(unit), share(unit + 1));
                if begin < end {
                    self.parts.push(Part { kernel, begin, end });
                }
            }
            self.units.push(self.parts.len());
        }
    }
}

/// The kernel as the cost model has it, if it is one of this crate's.
pub(crate) fn own(kernel: &Arc<dyn CompiledKernel>) -> Option<Arc<CpuKernel>> {
    let kernel: Arc<dyn Any + Send + Sync> = Arc::clone(kernel) as _;
    match kernel.downcast::<CpuKernel>() {
        Ok(kernel) => Some(kernel),
        Err(other) => other.downcast::<Tuned>().ok().map(|tuned| Arc::clone(tuned.usual())),
    }
}

/// The addresses of a launch, for all its threads.
struct Args<'a>(&'a [*mut u8]);

// SAFETY: parts of one kernel write disjoint elements, and kernels do not write what others touch.
unsafe impl Sync for Args<'_> {}

impl Args<'_> {
    fn of(&self, kernel: &Kernel) -> *const *mut u8 {
        self.0[kernel.args.clone()].as_ptr()
    }
}

impl CompiledKernel for LaunchGroup {
    unsafe fn launch(&self, args: &[*mut u8], _sizes: &[i64], threads: usize) {
        let count = self.units.len() as i64;
        let is_little = threads <= 1 || self.ns < heuristics::group_least_pieces() * self.pool.piece_ns();
        let pieces = if is_little { 1 } else { threads as i64 * heuristics::launch_pieces_per_thread() };
        let args = Args(args);
        in_pieces(count, (count + pieces - 1) / pieces, threads, &*self.pool, &|begin, end| {
            let start = if begin == 0 { 0 } else { self.units[begin as usize - 1] };
            for part in &self.parts[start..self.units[end as usize - 1]] {
                let kernel = &self.kernels[part.kernel];
                with_scratch(kernel.facts.scratch_bytes, |scratch| {
                    let (entry, sizes) = (kernel.kernel.code.entry(), kernel.sizes.as_ptr());
                    // SAFETY: the caller promises the arguments; scratch is large enough and this thread's own; the
                    // code lives as long as the kernel.
                    unsafe { entry(args.of(kernel), scratch, sizes, part.begin, part.end) }
                });
            }
        });
    }

    fn listing(&self) -> String {
        let listings: Vec<String> = self.kernels.iter().map(|member| member.kernel.listing()).collect();
        listings.join("\n")
    }
}
