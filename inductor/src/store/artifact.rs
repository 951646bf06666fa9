//! Entries of a store in one file, for other machines.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | [`MAGIC`], which has the format's version in it |
//! | 8..16 | length of the program's name, little-endian |
//! | then | the program that has made the entries (`build` of [`Disk::open`](super::Disk::open)) |
//! | then | the entries, as they are in a directory, one after another |
//! | last 32 | BLAKE3 of all bytes before: the artifact's digest |
//!
//! An artifact holds code that is run. Nothing in it can say that it is right: whoever loads one trusts where it comes
//! from, or knows its digest.

use super::entry::{self, Damage, HEADER, Header};
use super::{Entry, Key};

/// The first bytes of every artifact.
const MAGIC: [u8; 8] = *b"rustina1";

/// Bytes of a digest.
const DIGEST: usize = 32;

/// Entries that go from one machine to another together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// The program that has made them; no other one finds them.
    pub build: String,
    /// The entries.
    pub entries: Vec<(Key, Entry)>,
}

/// The reason why a file is no artifact.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no artifact of this version, or a damaged one: {0}")]
pub struct ArtifactError(&'static str);

impl Artifact {
    /// The file.
    pub fn encode(&self) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend((self.build.len() as u64).to_le_bytes());
        file.extend(self.build.as_bytes());
        for (key, entry) in &self.entries {
            file.extend(entry::encode(key, &entry.label, &entry.bytes));
        }
        let digest = blake3::hash(&file);
        file.extend(digest.as_bytes());
        file
    }

    /// The artifact that a file holds, and the file's digest: 64 hexadecimal digits.
    ///
    /// # Errors
    /// Bytes that are not, from the first to the last, those of [`Artifact::encode`].
    pub fn decode(file: &[u8]) -> Result<(Artifact, String), ArtifactError> {
        let whole = file.strip_prefix(&MAGIC).ok_or(ArtifactError("its first bytes"))?;
        let (body, digest) = file.split_last_chunk::<DIGEST>().ok_or(ArtifactError("its length"))?;
        let found = blake3::hash(body);
        if found.as_bytes() != digest {
            return Err(ArtifactError("its digest"));
        }
        let rest = whole.get(..whole.len().saturating_sub(DIGEST)).unwrap_or_default();
        let (length, rest) = rest.split_first_chunk().ok_or(ArtifactError("its length"))?;
        let (build, mut rest) = split(rest, u64::from_le_bytes(*length)).ok_or(ArtifactError("its length"))?;
        let build = String::from_utf8(build.to_vec()).map_err(|_| ArtifactError("its program"))?;
        let mut entries = Vec::new();
        while !rest.is_empty() {
            let (header, _) = rest.split_first_chunk::<HEADER>().ok_or(ArtifactError("an entry's length"))?;
            let (entry, next) = split(rest, entry::length(header)).ok_or(ArtifactError("an entry's length"))?;
            entries.push(read(header, &entry[HEADER..]).map_err(|_| ArtifactError("an entry"))?);
            rest = next;
        }
        Ok((Artifact { build, entries }, found.to_string()))
    }
}

fn read(header: &Header, rest: &[u8]) -> Result<(Key, Entry), Damage> {
    Ok((entry::key(header)?, entry::decode(header, rest.to_vec())?))
}

/// The first bytes, so many, and the rest.
fn split(bytes: &[u8], at: u64) -> Option<(&[u8], &[u8])> {
    bytes.split_at_checked(usize::try_from(at).ok()?)
}
