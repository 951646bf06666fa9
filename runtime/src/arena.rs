//! The memory that graphs keep between calls.
//!
//! Invariants: an arena is used by one call at a time; between calls it holds nothing that anybody reads, so the next
//! call may be one of another size, or of another graph.

use crate::library::{Strided, TensorLibrary};
use crate::pages::{LARGE, ask_for_large};
use inductor::memory::ALIGN;
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use symshapes::{DType, Device};

/// The memory of one call's buffers.
pub(crate) enum Arena<L: TensorLibrary> {
    /// There is none.
    Nothing,
    /// A block of the host's.
    Host(Block),
    /// A device's memory, which the library's allocator gave.
    Tensor {
        /// The tensor that owns the memory.
        _owner: L::Tensor,
        start: NonNull<u8>,
        bytes: usize,
    },
}

impl<L: TensorLibrary> Arena<L> {
    /// So many bytes of a device's memory.
    ///
    /// # Errors
    /// There is not so much memory.
    pub(crate) fn on(library: &L, device: Device, bytes: usize) -> Result<Arena<L>, L::Error> {
        let Ok(len) = i64::try_from(bytes) else { return Err(library.error(format!("an arena of {bytes} bytes"))) };
        let owner = library.empty(Strided { dtype: DType::U8, sizes: &[len], strides: &[1] }, device)?;
        Ok(match NonNull::new(library.data(L::handle(&owner))?) {
            Some(start) => Arena::Tensor { _owner: owner, start, bytes },
            None => Arena::Nothing,
        })
    }

    fn range(&self) -> (*mut u8, usize) {
        match self {
            Arena::Nothing => (NonNull::dangling().as_ptr(), 0),
            Arena::Host(block) => (block.start.as_ptr(), block.layout.size()),
            Arena::Tensor { start, bytes, .. } => (start.as_ptr(), *bytes),
        }
    }

    /// The address `offset` bytes behind the start.
    pub(crate) fn at(&self, offset: usize) -> *mut u8 {
        let (start, bytes) = self.range();
        debug_assert!(offset <= bytes);
        start.wrapping_add(offset)
    }

    /// True for an address in the arena.
    pub(crate) fn holds(&self, address: *const u8) -> bool {
        let (start, bytes) = self.range();
        address.addr().wrapping_sub(start.addr()) < bytes
    }
}

/// A block of the host's memory.
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory.
unsafe impl Send for Block {}

impl Block {
    /// A block of `bytes` bytes, of which there is at least one; `None` if there is not so much memory.
    fn new(bytes: usize) -> Option<Block> {
        let layout = Layout::from_size_align(bytes, if bytes < LARGE { ALIGN } else { LARGE }).ok()?;
        if bytes == 0 {
            return None;
        }
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        ask_for_large(start.as_ptr(), bytes);
        Some(Block { start, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Blocks that nobody uses at the moment, the smallest first.
///
/// Graphs share them: those that run one after the other (forward and backward, a module after another, all sizes of
/// one) use the same block. Blocks are kept as long as a graph is. One that is too small for a call makes place for one
/// that serves both.
#[derive(Default)]
pub struct Arenas {
    free: Mutex<Vec<Block>>,
    fill: Option<u8>,
}

impl Arenas {
    /// The blocks of all graphs of the process.
    pub fn shared() -> Arc<Arenas> {
        static SHARED: Mutex<Weak<Arenas>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let made = Arc::default();
            *shared = Arc::downgrade(&made);
            made
        })
    }

    /// Blocks that are filled with a byte for each call, so that a read of what nothing has written shows: for tests.
    pub fn filled_with(byte: u8) -> Arenas {
        Arenas { fill: Some(byte), ..Arenas::default() }
    }

    /// A block of at least `bytes` bytes, of which there is at least one; `None` if there is not so much memory.
    pub(crate) fn take(&self, bytes: usize) -> Option<Block> {
        let block = self.find(bytes)?;
        if let Some(byte) = self.fill {
            // SAFETY: the block has so many bytes, and nobody else uses it.
            unsafe { block.start.as_ptr().write_bytes(byte, block.layout.size()) };
        }
        Some(block)
    }

    fn find(&self, bytes: usize) -> Option<Block> {
        let too_small = {
            let mut free = self.free();
            let first = free.partition_point(|block| block.layout.size() < bytes);
            if first < free.len() {
                return Some(free.remove(first));
            }
            free.pop()
        };
        // It makes place for one that serves both.
        drop(too_small);
        Block::new(bytes)
    }

    /// Takes a block back.
    pub(crate) fn give(&self, block: Block) {
        let mut free = self.free();
        let at = free.partition_point(|other| other.layout.size() < block.layout.size());
        free.insert(at, block);
    }

    fn free(&self) -> MutexGuard<'_, Vec<Block>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Arenas;

    #[test]
    fn the_smallest_that_fits_is_taken() {
        let arenas = Arenas::default();
        let [small, large] = [4096, 1 << 20].map(|bytes| arenas.take(bytes).expect("there is memory"));
        let starts = [small.start, large.start];
        arenas.give(large);
        arenas.give(small);
        let again = [64, 8192].map(|bytes| arenas.take(bytes).expect("there is memory"));
        assert_eq!([again[0].start, again[1].start], starts);
    }

    #[test]
    fn one_that_is_too_small_makes_place() {
        let arenas = Arenas::default();
        arenas.give(arenas.take(4096).expect("there is memory"));
        arenas.give(arenas.take(8192).expect("there is memory"));
        assert_eq!(arenas.free().len(), 1);
    }
}
