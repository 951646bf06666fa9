//! The memory that graphs keep between calls.
//!
//! Invariants: an arena is used by one call at a time; between calls it holds nothing that anybody reads, so the next
//! call may be one of another size, or of another graph.

use super::pages::{LARGE, ask_for_large};
use crate::torch::shim::ShimError;
use crate::torch::{Tensor, tensor};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use symshapes::DType;

/// Buffers of the arena start at multiples of this: a cache line, and the widest vector.
const ALIGN: usize = 64;

/// A block of memory.
pub(crate) struct Arena {
    start: NonNull<u8>,
    bytes: usize,
    memory: Memory,
}

/// Who gives a block back.
enum Memory {
    /// There is none.
    Nothing,
    /// The host's allocator.
    Host(Layout),
    /// A tensor that has the block as its storage.
    Tensor { _owner: Tensor },
}

// SAFETY: the block belongs to the arena alone.
unsafe impl Send for Arena {}

impl Arena {
    pub(crate) const EMPTY: Arena = Arena { start: NonNull::dangling(), bytes: 0, memory: Memory::Nothing };

    /// A block of `bytes` bytes; `None` if there is not so much memory.
    pub(crate) fn new(bytes: usize) -> Option<Arena> {
        if bytes == 0 {
            return Some(Arena::EMPTY);
        }
        let layout = Layout::from_size_align(bytes, if bytes < LARGE { ALIGN } else { LARGE }).ok()?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        ask_for_large(start.as_ptr(), bytes);
        Some(Arena { start, bytes, memory: Memory::Host(layout) })
    }

    /// A block of `bytes` bytes of a device's memory, from PyTorch's allocator.
    ///
    /// # Errors
    /// There is not so much memory.
    pub(crate) fn on(device: (i32, i32), bytes: usize) -> Result<Arena, ShimError> {
        let Ok(len) = i64::try_from(bytes) else {
            return Err(ShimError::Call { call: "an arena", reason: format!("{bytes} bytes") });
        };
        let owner = Tensor::empty(&[len], &[1], DType::U8.torch_code(), device)?;
        match NonNull::new(tensor::data_ptr(owner.raw())?) {
            Some(start) => Ok(Arena { start, bytes, memory: Memory::Tensor { _owner: owner } }),
            None => Ok(Arena::EMPTY),
        }
    }

    /// The address `offset` bytes behind the start.
    pub(crate) fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.bytes);
        self.start.as_ptr().wrapping_add(offset)
    }

    /// True for an address in the block.
    pub(crate) fn holds(&self, address: *const u8) -> bool {
        let distance = (address as usize).wrapping_sub(self.start.as_ptr() as usize);
        distance < self.bytes
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Memory::Host(layout) = self.memory {
            // SAFETY: the block was allocated with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

/// The arenas that no call is using, by size. All programs take them from here: fresh memory costs more than most
/// kernels that write to it, and graphs that run one after the other need no more than the largest of them.
#[derive(Default)]
pub(crate) struct Arenas(Mutex<Vec<Arena>>);

impl Arenas {
    /// Those of all graphs; they go with the last graph.
    pub(crate) fn shared() -> Arc<Arenas> {
        static SHARED: Mutex<Weak<Arenas>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let made = Arc::default();
            *shared = Arc::downgrade(&made);
            made
        })
    }

    /// A block of at least `bytes` bytes; `None` if there is not so much memory.
    pub(super) fn take(&self, bytes: usize) -> Option<Arena> {
        if bytes == 0 {
            return Some(Arena::EMPTY);
        }
        let too_small = {
            let mut free = self.free();
            let first = free.partition_point(|arena| arena.bytes < bytes);
            if first < free.len() {
                return Some(free.remove(first));
            }
            free.pop()
        };
        // It makes place for one that serves both.
        drop(too_small);
        Arena::new(bytes)
    }

    /// Takes a block of the host back; those of devices go back to PyTorch.
    pub(super) fn give(&self, arena: Arena) {
        if let Memory::Host(_) = arena.memory {
            let mut free = self.free();
            let at = free.partition_point(|other| other.bytes < arena.bytes);
            free.insert(at, arena);
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Arena>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Arenas;

    #[test]
    fn the_smallest_that_fits_is_taken() {
        let arenas = Arenas::default();
        let [small, large] = [4096, 1 << 20].map(|bytes| arenas.take(bytes).expect("there is memory"));
        let starts = [small.at(0), large.at(0)];
        arenas.give(large);
        arenas.give(small);
        let again = [64, 8192].map(|bytes| arenas.take(bytes).expect("there is memory"));
        assert_eq!([again[0].at(0), again[1].at(0)], starts);
    }

    #[test]
    fn one_that_is_too_small_makes_place() {
        let arenas = Arenas::default();
        arenas.give(arenas.take(4096).expect("there is memory"));
        arenas.give(arenas.take(8192).expect("there is memory"));
        assert_eq!(arenas.free().len(), 1);
        assert_eq!(arenas.take(0).expect("nothing is there").bytes, 0);
    }
}
