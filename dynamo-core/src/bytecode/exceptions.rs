//! The exception table (`co_exceptiontable`): which code units are covered by which handler.

use super::varint::{Reader, write_big};

/// An entry, in code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The first unit that is covered.
    pub start: u32,
    /// The first unit after it that is not.
    pub end: u32,
    /// The first unit of the handler.
    pub target: u32,
    /// To what height the stack is popped.
    pub depth: u32,
    /// Whether the offset of the raising instruction is pushed.
    pub lasti: bool,
}

/// Decodes a table. None if it is malformed.
pub fn decode(table: &[u8]) -> Option<Vec<Entry>> {
    let mut reader = Reader::new(table);
    let mut entries = Vec::new();
    while !reader.is_empty() {
        let (start, length, target, depth) = (reader.big()?, reader.big()?, reader.big()?, reader.big()?);
        let end = start.checked_add(length)?;
        entries.push(Entry { start, end, target, depth: depth >> 1, lasti: depth & 1 != 0 });
    }
    Some(entries)
}

/// Encodes entries, which must be sorted and disjoint.
pub fn encode(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        write_big(&mut out, entry.start, true);
        write_big(&mut out, entry.end - entry.start, false);
        write_big(&mut out, entry.target, false);
        write_big(&mut out, (entry.depth << 1) | u32::from(entry.lasti), false);
    }
    out
}
