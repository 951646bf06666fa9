//! One entry as a file: a header, then what was put.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | [`MAGIC`], which has the format's version in it |
//! | 8..40 | the key |
//! | 40..48 | length of the payload, little-endian |
//! | 48..80 | BLAKE3 of the bytes before, and of the payload |
//! | 80.. | the payload |
//!
//! The sum is there against damage, not against an adversary: whoever can write into the directory can write a right
//! sum, and a secret of the user's would have to lie in a place that the same adversary can read. The boundary is the
//! directory, which nobody else may write ([`super::private`]).

use super::Key;

/// The first bytes of every entry.
const MAGIC: [u8; 8] = *b"rustind1";

/// Bytes before the payload.
pub(super) const HEADER: usize = 80;

/// The offset of the checksum.
const SUM: usize = 48;

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
}

/// The file of an entry.
pub(super) fn encode(key: &Key, payload: &[u8]) -> Vec<u8> {
    let mut file = Vec::with_capacity(HEADER + payload.len());
    file.extend(MAGIC);
    file.extend(key.0);
    file.extend((payload.len() as u64).to_le_bytes());
    let sum = sum(&file, payload);
    file.extend(sum);
    file.extend(payload);
    file
}

/// Checks the header of a file of so many bytes: what can be told before the rest is read.
pub(super) fn check_header(header: &[u8; HEADER], key: &Key, bytes: u64) -> Result<(), Damage> {
    if header[..8] != MAGIC {
        return Err(Damage::Foreign);
    }
    if header[8..40] != key.0 {
        return Err(Damage::Misplaced);
    }
    let payload: [u8; 8] = std::array::from_fn(|at| header[40 + at]);
    let wanted = u64::from_le_bytes(payload).saturating_add(HEADER as u64);
    if bytes == wanted { Ok(()) } else { Err(Damage::Length { there: bytes, wanted }) }
}

/// Checks the payload of a file whose header is right.
pub(super) fn check_payload(header: &[u8; HEADER], payload: &[u8]) -> Result<(), Damage> {
    if header[SUM..] == sum(&header[..SUM], payload) { Ok(()) } else { Err(Damage::Sum) }
}

fn sum(head: &[u8], payload: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new().update(head).update(payload).finalize().as_bytes()
}
