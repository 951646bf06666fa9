//! One entry as bytes: a header, then the label and what was put.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | [`MAGIC`], which has the format's version in it |
//! | 8..40 | the key |
//! | 40..48 | length of the label, little-endian |
//! | 48..56 | length of what was put, little-endian |
//! | 56..88 | BLAKE3 of the bytes before, of the label and of what was put |
//! | 88.. | the label in UTF-8, then what was put |
//!
//! The sum is there against damage, not against an adversary: whoever can write into the directory can write a right
//! sum, and a secret of the user's would have to lie in a place that the same adversary can read. The boundary is the
//! directory, which nobody else may write ([`super::private`]).

use super::{Entry, Key};

/// The first bytes of every entry.
const MAGIC: [u8; 8] = *b"rustind2";

/// Bytes before the label.
pub(super) const HEADER: usize = 88;

/// The offset of the checksum.
const SUM: usize = 56;

/// The kinds of damage to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Damage {
    /// The file does not begin as entries of this version do.
    #[error("no entry of this version")]
    Foreign,
    /// The entry of another key.
    #[error("the entry of another key")]
    Misplaced,
    /// Cut off, or longer than it says.
    #[error("{there} bytes, not {wanted}")]
    Length {
        /// Bytes of the file.
        there: u64,
        /// Bytes that the header promises.
        wanted: u64,
    },
    /// The checksum is that of other bytes.
    #[error("wrong checksum")]
    Sum,
    /// The label is no text.
    #[error("a label that is no text")]
    Label,
}

/// The header of an entry.
pub(super) type Header = [u8; HEADER];

/// An entry as bytes.
pub(super) fn encode(key: &Key, label: &str, payload: &[u8]) -> Vec<u8> {
    let mut file = Vec::with_capacity(HEADER + label.len() + payload.len());
    file.extend(MAGIC);
    file.extend(key.0);
    file.extend((label.len() as u64).to_le_bytes());
    file.extend((payload.len() as u64).to_le_bytes());
    let sum = sum(&file, label.as_bytes(), payload);
    file.extend(sum);
    file.extend(label.as_bytes());
    file.extend(payload);
    file
}

/// The key of an entry, by its header.
pub(super) fn key(header: &Header) -> Result<Key, Damage> {
    if header[..8] != MAGIC {
        return Err(Damage::Foreign);
    }
    Ok(Key(std::array::from_fn(|at| header[8 + at])))
}

/// Bytes of an entry, header and all, as its header has it.
pub(super) fn length(header: &Header) -> u64 {
    (HEADER as u64).saturating_add(word(header, 40)).saturating_add(word(header, 48))
}

/// Checks the header of an entry of so many bytes: what can be told before the rest is read.
pub(super) fn check_header(header: &Header, expected: &Key, bytes: u64) -> Result<(), Damage> {
    if key(header)? != *expected {
        return Err(Damage::Misplaced);
    }
    let wanted = length(header);
    if bytes == wanted { Ok(()) } else { Err(Damage::Length { there: bytes, wanted }) }
}

/// The entry whose header is right, and is followed by `rest`.
pub(super) fn decode(header: &Header, mut rest: Vec<u8>) -> Result<Entry, Damage> {
    let end = usize::try_from(word(header, 40)).ok().filter(|&end| end <= rest.len()).ok_or(Damage::Sum)?;
    let bytes = rest.split_off(end);
    if header[SUM..] != sum(&header[..SUM], &rest, &bytes) {
        return Err(Damage::Sum);
    }
    let label = String::from_utf8(rest).map_err(|_| Damage::Label)?;
    Ok(Entry { label, bytes })
}

fn word(header: &Header, start: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|at| header[start + at]))
}

fn sum(head: &[u8], label: &[u8], payload: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new().update(head).update(label).update(payload).finalize().as_bytes()
}
