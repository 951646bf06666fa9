//! Blocks of the device's memory, used again and again.
//!
//! The pool keeps no more than was in use of late: what it holds for nobody goes back to the driver when the blocks of
//! both kinds together take twice what the busiest of the last runs had in use, beside
//! [`heuristics::device_slack_bytes`].
//!
//! A block belongs to one value at a time. It goes back to the pool when the last [`Memory`] of it is dropped, which a
//! stream puts off until the work that uses it has been submitted: whoever takes it next submits later.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use inductor::device::Counters;
use inductor::heuristics;
use rustc_hash::FxHashMap;
use wgpu::{Buffer, BufferDescriptor, BufferUsages, ErrorFilter};

/// The smallest block.
const SMALLEST: u64 = 256;

/// The buffer usages that every block allows.
const USAGES: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::UNIFORM).union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);

/// The buffer usages of blocks to read back through.
const READ_BACK: BufferUsages = BufferUsages::MAP_READ.union(BufferUsages::COPY_DST);

/// The length of the block for so many bytes: four steps to each power of two, so that a fifth is wasted at most.
pub(crate) fn block_bytes(bytes: u64) -> u64 {
    if bytes <= SMALLEST {
        return SMALLEST;
    }
    let step = (1u64 << bytes.ilog2()) / 4;
    bytes.next_multiple_of(step)
}

/// A number of bytes as copies and bindings want it: whole words, and no less than the widest element.
pub(crate) fn whole_words(bytes: usize) -> u64 {
    (bytes as u64).next_multiple_of(4).max(8)
}

/// A piece of the device's memory with a value in it. Clones are the same.
#[derive(Clone, Debug)]
pub struct Memory {
    block: Arc<Block>,
    bytes: usize,
}

impl Memory {
    /// The buffer.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.block.buffer
    }

    /// Bytes of the value.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reuses the block for another value that fits in, if nothing else holds it.
    pub(crate) fn reused(self, bytes: usize) -> Option<Memory> {
        let fits = Arc::strong_count(&self.block) == 1 && whole_words(bytes) <= self.block.buffer.size();
        fits.then_some(Memory { bytes, ..self })
    }

    /// The length of its block.
    pub(crate) fn block_bytes(&self) -> u64 {
        self.block.buffer.size()
    }

    /// True if the block belongs to this pool.
    pub(crate) fn is_of(&self, pool: &Arc<Pool>) -> bool {
        std::ptr::eq(self.block.pool.as_ptr(), Arc::as_ptr(pool))
    }
}

#[derive(Debug)]
struct Block {
    buffer: Buffer,
    pool: Weak<Pool>,
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.put(&self.buffer, USAGES);
        }
    }
}

/// The reason why there is no block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoMemory {
    /// The number of bytes that were asked for.
    pub(crate) bytes: usize,
}

/// The free blocks of a device.
#[derive(Debug)]
pub(crate) struct Pool {
    device: wgpu::Device,
    counters: Arc<Counters>,
    free: Mutex<Free>,
    /// Bytes that all blocks together may take.
    limit: AtomicU64,
}

/// Blocks that nobody uses, and how much is in use.
#[derive(Default, Debug)]
struct Free {
    blocks: FxHashMap<(BufferUsages, u64), Vec<Buffer>>,
    /// Bytes of the blocks.
    idle: u64,
    /// Bytes of the blocks that somebody has.
    used: u64,
    /// The most that was in use, in these runs and in those before.
    peaks: [u64; 2],
    runs: u32,
}

impl Free {
    /// A block of this length, if one is free.
    fn take(&mut self, usages: BufferUsages, size: u64) -> Option<Buffer> {
        let buffer = self.blocks.get_mut(&(usages, size)).and_then(Vec::pop)?;
        self.idle -= size;
        self.lent(size);
        Some(buffer)
    }

    /// Somebody has a block of this length.
    fn lent(&mut self, size: u64) {
        self.used += size;
        self.peaks[0] = self.peaks[0].max(self.used);
    }

    /// Takes a block back, or leaves it to be dropped.
    fn put(&mut self, usages: BufferUsages, buffer: &Buffer) {
        let size = buffer.size();
        self.used = self.used.saturating_sub(size);
        if self.used + self.idle + size <= self.most() {
            self.idle += size;
            self.blocks.entry((usages, size)).or_default().push(buffer.clone());
        }
    }

    /// The most bytes that all blocks together may have while some are idle.
    fn most(&self) -> u64 {
        2 * self.peaks[0].max(self.peaks[1]) + heuristics::device_slack_bytes()
    }

    /// Another run begins.
    fn run(&mut self) {
        self.runs += 1;
        if self.runs < heuristics::device_slack_runs() {
            return;
        }
        self.runs = 0;
        self.peaks = [self.used, self.peaks[0]];
        if self.used + self.idle > self.most() {
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.blocks.clear();
        self.idle = 0;
    }
}

impl Pool {
    pub(crate) fn new(device: wgpu::Device, counters: Arc<Counters>) -> Arc<Pool> {
        Arc::new(Pool { device, counters, free: Mutex::default(), limit: AtomicU64::new(u64::MAX) })
    }

    /// A block for so many bytes.
    pub(crate) fn take(self: &Arc<Pool>, bytes: usize) -> Result<Memory, NoMemory> {
        let buffer = self.buffer(bytes, USAGES)?;
        Ok(Memory { block: Arc::new(Block { buffer, pool: Arc::downgrade(self) }), bytes })
    }

    /// A block to read back through, lent until [`Pool::give_back`].
    pub(crate) fn lend(&self, bytes: usize) -> Result<Buffer, NoMemory> {
        self.buffer(bytes, READ_BACK)
    }

    /// Takes a block of [`Pool::lend`] back, which is not mapped.
    pub(crate) fn give_back(&self, buffer: &Buffer) {
        self.put(buffer, READ_BACK);
    }

    /// Gives everything that lies unused back to the driver.
    pub(crate) fn trim(&self) {
        self.lock().clear();
    }

    /// Has the driver, as it were, no more memory than this.
    pub(crate) fn limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Another run begins.
    pub(crate) fn run(&self) {
        self.lock().run();
    }

    /// Bytes in use, and bytes that lie unused.
    pub(crate) fn held(&self) -> [u64; 2] {
        let free = self.lock();
        [free.used, free.idle]
    }

    fn put(&self, buffer: &Buffer, usages: BufferUsages) {
        self.lock().put(usages, buffer);
    }

    fn lock(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn buffer(&self, bytes: usize, usages: BufferUsages) -> Result<Buffer, NoMemory> {
        let size = block_bytes(whole_words(bytes));
        let known = self.lock().take(usages, size);
        if let Some(buffer) = known {
            return Ok(buffer);
        }
        let again = || {
            // What lies unused may be what is missing.
            self.trim();
            self.create(size, usages)
        };
        let buffer = self.create(size, usages).or_else(again).ok_or(NoMemory { bytes })?;
        self.lock().lent(size);
        Ok(buffer)
    }

    fn create(&self, size: u64, usage: BufferUsages) -> Option<Buffer> {
        if self.held().iter().sum::<u64>().saturating_add(size) > self.limit.load(Ordering::Relaxed) {
            return None;
        }
        let validation = self.device.push_error_scope(ErrorFilter::Validation);
        let memory = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let buffer =
            self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let failed = [pollster::block_on(memory.pop()), pollster::block_on(validation.pop())];
        self.counters.allocations.fetch_add(1, Ordering::Relaxed);
        failed.iter().all(Option::is_none).then_some(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::block_bytes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_block_is_long_enough_and_wastes_a_fifth_at_most(bytes in 1u64..1 << 40) {
            let block = block_bytes(bytes);
            prop_assert!(block >= bytes);
            prop_assert!(block == super::SMALLEST || block <= bytes + bytes / 4);
            prop_assert_eq!(block_bytes(block), block);
        }
    }
}
