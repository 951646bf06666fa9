//! Large blocks: the pages behind them, and the places of earlier ones.
//!
//! Memory comes from the system page by page, when it is first touched: for a tensor of 100 MB that is 25,000 faults of
//! 4 KiB each, which take longer than writing it. Linux backs what asks for it with pages of 2 MiB.
//!
//! Data that the last call has written is still in the processor's caches, if the next call's block lies in the same
//! place. glibc's malloc prevents that: torch asks for aligned blocks, each is cut out of one that is a little longer,
//! and the pieces cut off go to the thread's cache of small chunks. So the hole that a block leaves is shorter than
//! what the next one like it is cut from, which then lies elsewhere. An RMS norm of 16 MiB takes 0.4 instead of 0.7 ms
//! where it always writes to the same place.

/// The size of a large page, on x86-64 and on most of AArch64.
pub const LARGE: usize = 2 << 20;

/// Asks for large pages behind a block, as far as whole ones fit in. The contents do not change.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_large(start: *mut u8, bytes: usize) {
    let skipped = start.align_offset(LARGE);
    let whole = bytes.saturating_sub(skipped) / LARGE * LARGE;
    if whole > 0 {
        // SAFETY: the range lies within one block of ours. The advice changes nothing that a program can see, and a
        // system that does not know it refuses.
        unsafe { libc::madvise(start.wrapping_add(skipped).cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

/// Elsewhere the system decides alone.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_large(_start: *mut u8, _bytes: usize) {}

/// Gives malloc what it has cut off blocks back, so that the holes they have left are whole.
///
/// Of each size that is cut off, all chunks that the thread's cache has are taken, and as many again; they are given
/// back in reverse, so that the others fill the cache, and those from it join the holes that they lie beside.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn mend_holes() {
    /// Chunks of a size that a thread's cache holds at most.
    const CACHED: usize = 7;
    /// The sizes to ask for to get chunks of 32, 48, …, 112 bytes, those that an alignment of 64 cuts off.
    const SIZES: [usize; 6] = [24, 40, 56, 72, 88, 104];

    for bytes in SIZES {
        // SAFETY: each chunk is freed once and not used; where there is none, `free` is given null.
        unsafe {
            let chunks = std::hint::black_box([(); 2 * CACHED].map(|()| libc::malloc(bytes)));
            chunks.into_iter().rev().for_each(|chunk| libc::free(chunk));
        }
    }
}

/// Other allocators keep nothing back.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn mend_holes() {}
