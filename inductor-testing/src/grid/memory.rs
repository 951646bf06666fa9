//! Arrays in memory, and who has accessed their elements.

use crate::loops::Buffer;
use rustc_hash::FxHashMap;
use symshapes::DType;

/// The threads that have accessed an element, and since when.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) writer: Option<Toucher>,
    pub(super) reader: Option<Toucher>,
}

/// A thread, the interval of its group, and whether its access was atomic.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Toucher {
    pub(super) group: i64,
    pub(super) thread: usize,
    pub(super) interval: usize,
    pub(super) atomic: bool,
}

impl Toucher {
    /// True if two accesses of which one writes are not ordered.
    fn meets(self, other: Toucher) -> bool {
        let apart = self.group != other.group || (self.thread != other.thread && self.interval == other.interval);
        apart && !(self.atomic && other.atomic)
    }
}

/// An array in memory, as bytes.
#[derive(Clone, Default)]
pub(super) struct Array {
    pub(super) mem_bytes: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) cells: FxHashMap<usize, Cell>,
}

impl Array {
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / self.mem_bytes.max(1)
    }

    /// Takes over a caller's elements.
    pub(super) fn take(&mut self, buffer: &Buffer, narrowed: bool) {
        let size = if narrowed { 4 } else { buffer.dtype().size() };
        let fits = buffer.len().min(self.bytes.len() / size);
        for i in 0..fits {
            self.bytes[i * size..(i + 1) * size].copy_from_slice(&buffer.bits(i).to_le_bytes()[..size]);
        }
    }

    /// Hands the elements back.
    pub(super) fn give(&self, buffer: &mut Buffer, narrowed: bool) {
        let size = if narrowed { 4 } else { buffer.dtype().size() };
        let fits = buffer.len().min(self.bytes.len() / size);
        for i in 0..fits {
            let mut word = [0; 8];
            word[..size].copy_from_slice(&self.bytes[i * size..(i + 1) * size]);
            let bits = u64::from_le_bytes(word);
            let bits = if narrowed { i64::from(bits as i32) as u64 } else { bits };
            let is_bool = buffer.dtype() == DType::Bool;
            buffer.set_bits(i, if is_bool { u64::from(bits != 0) } else { bits });
        }
    }

    pub(super) fn bits(&self, i: usize) -> u64 {
        let mut word = [0; 8];
        word[..self.mem_bytes].copy_from_slice(&self.bytes[i * self.mem_bytes..(i + 1) * self.mem_bytes]);
        u64::from_le_bytes(word)
    }

    pub(super) fn set(&mut self, i: usize, bits: u64) {
        let n = self.mem_bytes;
        self.bytes[i * n..(i + 1) * n].copy_from_slice(&bits.to_le_bytes()[..n]);
    }

    /// Notes an access; false if it races. A write of what is there already, or of what another one has just written,
    /// does not.
    pub(super) fn touch(&mut self, i: usize, who: Toucher, write: Option<u64>) -> bool {
        let same = write.is_some_and(|bits| self.bits(i) == bits & (u64::MAX >> (64 - 8 * self.mem_bytes)));
        let cell = self.cells.entry(i).or_default();
        let against_writer = cell.writer.is_some_and(|writer| writer.meets(who));
        let against_reader = write.is_some() && cell.reader.is_some_and(|reader| reader.meets(who));
        match write {
            Some(_) => cell.writer = Some(who),
            None => cell.reader = Some(who),
        }
        same || !(against_writer || against_reader)
    }
}
