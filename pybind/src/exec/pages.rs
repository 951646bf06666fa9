//! Large pages for large blocks.
//!
//! Memory comes from the system page by page, when it is first touched: for a tensor of 100 MB that is 25,000 faults of
//! 4 KiB each, which take longer than writing it. Linux backs what asks for it with pages of 2 MiB.

/// The size of a large page, on x86-64 and on most of AArch64.
pub(crate) const LARGE: usize = 2 << 20;

/// Asks for large pages behind a block, as far as whole ones fit in. The contents do not change.
#[cfg(target_os = "linux")]
pub(super) fn ask_for_large(start: *mut u8, bytes: usize) {
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
pub(super) fn ask_for_large(_start: *mut u8, _bytes: usize) {}
