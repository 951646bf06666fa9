//! The machine as the heuristics see it.
//!
//! Invariant: it is read once per process, and nothing here decides what is computed, only how fast.

/// Bytes of a cache line, on x86-64 and on most of AArch64.
pub(crate) const LINE_BYTES: u32 = 64;

/// Bytes of a page, the least that an entry of the address cache (TLB) stands for.
pub(crate) const PAGE_BYTES: i64 = 4096;

/// Bytes of the caches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MachineModel {
    /// A core's second-level cache.
    pub(crate) l2: usize,
    /// The largest cache; 0 if the processor does not say.
    pub(crate) last: usize,
}

impl MachineModel {
    /// A processor that says nothing of itself.
    const TYPICAL: MachineModel = MachineModel { l2: 1 << 20, last: 0 };

    /// The processor that this process runs on.
    pub(crate) fn read() -> MachineModel {
        #[cfg(target_arch = "x86_64")]
        if let Some(caches) = raw_cpuid::CpuId::new().get_cache_parameters() {
            use raw_cpuid::CacheType::{Data, Unified};
            let caches: Vec<_> = caches.filter(|cache| matches!(cache.cache_type(), Data | Unified)).collect();
            let bytes = |cache: &raw_cpuid::CacheParameter| {
                cache.associativity() * cache.physical_line_partitions() * cache.coherency_line_size() * cache.sets()
            };
            let of_level = |level: u8| caches.iter().find(|cache| cache.level() == level);
            return MachineModel {
                l2: of_level(2).map_or(MachineModel::TYPICAL.l2, bytes),
                last: caches.iter().map(bytes).max().unwrap_or(0),
            };
        }
        MachineModel::TYPICAL
    }

    /// A kernel's scratch, at most, for each thread: a row that stays in the second-level cache.
    pub(crate) fn scratch_bytes(self) -> usize {
        (self.l2 / 4).min(1 << 18)
    }

    /// The panels of a product that all rows of a block meet: half of a second-level cache.
    pub(crate) fn block_bytes(self) -> usize {
        (self.l2 / 2).min(512 << 10)
    }

    /// Kernels whose buffers take less find them in smaller caches than the largest.
    pub(crate) fn prefetched_from(self) -> usize {
        self.last / 8
    }

    /// The buffers of a kernel together from which on results go past the caches; 0 if they never do. A kernel that
    /// writes a little of many rows in turn waits longer for what its stores read.
    pub(crate) fn streamed_from(self, many_rows: bool) -> usize {
        self.last / 4 * if many_rows { 3 } else { 5 }
    }
}

/// The vectors that the tensor library's products use on a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LibraryReach {
    /// The widest that the processor has.
    Full,
    /// Narrower ones.
    Narrow,
    /// The library does not say.
    Unknown,
}
