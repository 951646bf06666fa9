//! A cache of the products of compilation, kept from one process to the next.
//!
//! A [`Store`] gives back bytes that were put into it under a [`Key`], or nothing. The key is a hash of all that the
//! bytes follow from (the text of an IR, options, the machine, versions), so nothing in a store is ever out of date.
//! The meaning of the bytes is the business of who puts them there: a backend's machine code, a shader's text. Entries
//! go from one machine to another in an [`Artifact`].
//!
//! Invariants: what [`Store::get`] gives is, byte for byte, what was put there under that key; no failure of a store is
//! a failure of compilation. Absent: anything of a device, and of the environment (who opens a store says where).

mod artifact;
mod disk;
mod entry;
mod private;

#[cfg(test)]
mod tests;

pub use artifact::{Artifact, ArtifactError};
pub use disk::{Disk, Listed};
pub use private::Untrusted;

use std::fmt;

/// The identity of an entry: a hash of all that it follows from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; Key::BYTES]);

impl Key {
    /// Bytes of a key.
    const BYTES: usize = 32;

    /// The key of what follows from these parts. `kind` keeps entries of different sorts apart: two of one kind have
    /// the same parts in the same order.
    pub fn new<'a>(kind: &'a str, parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
        let mut hash = blake3::Hasher::new_derive_key("rust_inductor: key of a stored entry");
        for part in std::iter::once(kind.as_bytes()).chain(parts) {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Key(*hash.finalize().as_bytes())
    }

    /// The key whose text this is.
    fn named(name: &str) -> Option<Key> {
        let mut bytes = [0; Key::BYTES];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(name.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        let key = Key(bytes);
        (key.to_string() == name).then_some(key)
    }

    /// The hash.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key as 128 bits, where that is enough: in one process.
    pub fn short(&self) -> u128 {
        self.0.iter().take(16).fold(0, |bits, &byte| bits << 8 | u128::from(byte))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// An entry of a store: the bytes under a key, and their label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The kind of content and the machines that it is for, in words, for a list of entries.
    pub label: String,
    /// The bytes that were put.
    pub bytes: Vec<u8>,
}

/// A cache of results of compilation.
pub trait Store: Send + Sync {
    /// The bytes that were put there under this key, if they still are.
    fn get(&self, key: &Key) -> Option<Vec<u8>>;

    /// Keeps bytes under a key, or does not; `label` as in [`Entry`].
    fn put(&self, key: &Key, label: &str, bytes: &[u8]);
}

/// Keeps nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nowhere;

impl Store for Nowhere {
    fn get(&self, _key: &Key) -> Option<Vec<u8>> {
        None
    }

    fn put(&self, _key: &Key, _label: &str, _bytes: &[u8]) {}
}
