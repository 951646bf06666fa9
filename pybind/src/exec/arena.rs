//! The memory that a graph keeps between calls.
//!
//! Invariants: an arena is used by one call at a time; between calls it holds nothing that anybody reads, so the next
//! call may be one of another size.

use super::pages::{LARGE, ask_for_large};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Buffers of the arena start at multiples of this: a cache line, and the widest vector.
const ALIGN: usize = 64;

/// A block of memory.
pub(crate) struct Arena {
    start: NonNull<u8>,
    layout: Option<Layout>,
}

// SAFETY: the block belongs to the arena alone.
unsafe impl Send for Arena {}

impl Arena {
    pub(crate) const EMPTY: Arena = Arena { start: NonNull::dangling(), layout: None };

    /// A block of `bytes` bytes; `None` if there is not so much memory.
    pub(crate) fn new(bytes: usize) -> Option<Arena> {
        if bytes == 0 {
            return Some(Arena::EMPTY);
        }
        let layout = Layout::from_size_align(bytes, if bytes < LARGE { ALIGN } else { LARGE }).ok()?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        ask_for_large(start.as_ptr(), bytes);
        Some(Arena { start, layout: Some(layout) })
    }

    fn bytes(&self) -> usize {
        self.layout.map_or(0, |layout| layout.size())
    }

    /// The address `offset` bytes behind the start.
    pub(crate) fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.bytes());
        self.start.as_ptr().wrapping_add(offset)
    }

    /// True for an address in the block.
    pub(crate) fn holds(&self, address: *const u8) -> bool {
        let distance = (address as usize).wrapping_sub(self.start.as_ptr() as usize);
        distance < self.bytes()
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

/// The arenas of a graph that no call is using. The programs for all its sizes take them from here: fresh memory costs
/// more than most kernels that write to it, and a second size finds the first one's.
#[derive(Default)]
pub(crate) struct Arenas(Mutex<Vec<Arena>>);

impl Arenas {
    /// A block of at least `bytes` bytes; `None` if there is not so much memory.
    pub(super) fn take(&self, bytes: usize) -> Option<Arena> {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // One that is too small makes place for one that serves both.
        free.filter(|arena| arena.bytes() >= bytes).or_else(|| Arena::new(bytes))
    }

    /// Takes a block back.
    pub(super) fn give(&self, arena: Arena) {
        if arena.bytes() > 0 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(arena);
        }
    }
}
