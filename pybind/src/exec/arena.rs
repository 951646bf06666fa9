//! The memory that a plan keeps between calls.

use super::pages::{LARGE, ask_for_large};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// Buffers of the arena start at multiples of this: a cache line, and the widest vector.
const ALIGN: usize = 64;

/// A block of memory, at first filled with zeros (the flags that kernels set lie in it).
pub(crate) struct Arena {
    start: NonNull<u8>,
    layout: Option<Layout>,
}

// SAFETY: the block belongs to the arena alone.
unsafe impl Send for Arena {}

impl Arena {
    /// A block of `bytes` bytes; `None` if there is not so much memory.
    pub(crate) fn new(bytes: usize) -> Option<Arena> {
        if bytes == 0 {
            return Some(Arena { start: NonNull::dangling(), layout: None });
        }
        let layout = Layout::from_size_align(bytes, if bytes < LARGE { ALIGN } else { LARGE }).ok()?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        ask_for_large(start.as_ptr(), bytes);
        // SAFETY: the block is as long.
        unsafe { start.write_bytes(0, bytes) };
        Some(Arena { start, layout: Some(layout) })
    }

    /// The address `offset` bytes behind the start.
    pub(crate) fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.layout.map_or(0, |l| l.size()));
        self.start.as_ptr().wrapping_add(offset)
    }

    /// True for an address in the block.
    pub(crate) fn holds(&self, address: *const u8) -> bool {
        let distance = (address as usize).wrapping_sub(self.start.as_ptr() as usize);
        self.layout.is_some_and(|layout| distance < layout.size())
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: the block was allocated with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}
