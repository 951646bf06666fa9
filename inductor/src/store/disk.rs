//! A store in a directory, shared by all processes of a user.
//!
//! One file for each entry, `<first byte of the key>/<the rest>`. A file is written under another name and renamed when
//! it is complete: a process that is killed in between leaves nothing that is read, and of several that write the same
//! entry each leaves a whole one. There is no lock. Each of the 256 directories keeps to its share of the limit by
//! itself: whoever adds to it removes what was used longest ago. That looks at every file, so small entries do it one
//! time in sixteen, and in the mean a directory is over its share by a quarter at most.
//!
//! Invariants: a file is used only if all of it is as it was written ([`super::entry`]), is an ordinary file of this
//! user's, in a directory that was private when the store was opened ([`super::private`]). What is not, is as if it
//! were not there, and said once. A failure to write is said once.

use super::entry::{self, Damage, HEADER};
use super::{Entry, Key, Store, Untrusted, private};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Directories that share the limit.
const SHARDS: u64 = 256;

/// The unit of disk space, in bytes: a file takes up a multiple of it.
const BLOCK: u64 = 4096;

/// A file's time is that of its last use, but for this much: so few uses write anything.
const HOUR: Duration = Duration::from_secs(3600);

/// A name that does not end so is an entry's.
const UNFINISHED: &str = ".new";

/// Writes a file that did not exist.
type Writer = fn(&Path, &[u8]) -> io::Result<()>;

/// A store in a directory.
#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    /// The program that uses it: a part of every key.
    build: String,
    /// Bytes that each of the directories may hold.
    share: u64,
    /// The function that writes files; tests make it fail.
    write: Writer,
    told_damage: AtomicBool,
    told_failure: AtomicBool,
}

/// A file of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The name: a hash of the entry's key, and of the program that it is for.
    pub name: String,
    /// The label of the entry, or why there is none.
    pub label: Result<String, String>,
    /// Bytes of the file.
    pub bytes: u64,
    /// The time of its last use, to the hour.
    pub used: SystemTime,
}

/// The reason why there is an entry that cannot be used.
#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error(transparent)]
    Damage(#[from] Damage),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not an ordinary file of this user's")]
    NotOurs,
}

impl Disk {
    /// Opens a directory, which is made if it is not there, for at most so many bytes. `build` says which program this
    /// is, to the last line: another one finds nothing of what this one has put there.
    ///
    /// # Errors
    /// A directory that cannot be made, or to which others have access.
    pub fn open(path: &Path, limit: u64, build: &str) -> Result<Disk, Untrusted> {
        let (told_damage, told_failure) = Default::default();
        let root = private::directory(path)?;
        Ok(Disk { root, build: build.to_owned(), share: limit / SHARDS, write, told_damage, told_failure })
    }

    /// The path of the directory, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    #[cfg(test)]
    pub(super) fn fail_with(&mut self, write: Writer) {
        self.write = write;
    }

    /// The key of an entry of this program's.
    fn own(&self, key: &Key) -> Key {
        Key::new(&self.build, [&key.0[..]])
    }

    fn path(&self, key: &Key) -> PathBuf {
        let name = key.to_string();
        let (shard, rest) = name.split_at(2);
        self.root.join(shard).join(rest)
    }

    fn read(&self, key: &Key) -> Result<Option<Entry>, Unreadable> {
        Ok(self.look(key)?.map(|(entry, file, found)| {
            note_use(&file, &found);
            entry
        }))
    }

    /// The entry in a file, which stays as it is.
    fn look(&self, key: &Key) -> Result<Option<(Entry, File, fs::Metadata)>, Unreadable> {
        let opened = match private::open(&self.path(key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let (mut file, found) = opened.ok_or(Unreadable::NotOurs)?;
        let mut header = [0; HEADER];
        file.read_exact(&mut header).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Damage::Foreign.into(),
            _ => Unreadable::Io(error),
        })?;
        entry::check_header(&header, key, found.len())?;
        let mut rest = Vec::with_capacity(found.len() as usize - HEADER);
        file.read_to_end(&mut rest)?;
        let entry = entry::decode(&header, rest)?;
        Ok(Some((entry, file, found)))
    }

    fn write(&self, key: &Key, label: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(key);
        let Some(shard) = path.parent() else { return Ok(()) };
        let file = entry::encode(key, label, bytes);
        let size = room(file.len() as u64);
        if size > self.share {
            tracing::debug!(target: "rust_inductor", %key, size, "too large to be kept");
            return Ok(());
        }
        match fs::create_dir(shard) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if precedes_sweep(key, size, self.share) {
            sweep(shard, self.share - size)?;
        }
        let unfinished = shard.join(unfinished_name());
        let done = (self.write)(&unfinished, &file).and_then(|()| fs::rename(&unfinished, &path));
        done.inspect_err(|_| drop(fs::remove_file(&unfinished)))
    }
}

impl Disk {
    /// The entry under this key, with its label, if there is one.
    pub fn entry(&self, key: &Key) -> Option<Entry> {
        let key = &self.own(key);
        let read = self.read(key);
        read.inspect_err(|reason| {
            if !self.told_damage.swap(true, Ordering::Relaxed) {
                let path = self.path(key);
                tracing::warn!(target: "rust_inductor", path = %path.display(), %reason,
                    "a file of the cache is damaged or not ours; it, and others like it, are made again");
            }
        })
        .ok()
        .flatten()
    }
}

impl Disk {
    /// The files, what was used last before others. Each is read as a whole and its checksum compared.
    ///
    /// # Errors
    /// A directory that cannot be read.
    pub fn list(&self) -> io::Result<Vec<Listed>> {
        let mut listed = Vec::new();
        for (name, path) in self.files()? {
            // Another process may have removed it.
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            let label = match Key::named(&name).map(|key| self.look(&key)) {
                Some(Ok(Some((entry, ..)))) => Ok(entry.label),
                Some(Ok(None)) => continue,
                Some(Err(reason)) => Err(reason.to_string()),
                None => Err("unfinished".to_owned()),
            };
            let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            listed.push(Listed { name, label, bytes: found.len(), used });
        }
        listed.sort_by(|a, b| (b.used, &a.name).cmp(&(a.used, &b.name)));
        Ok(listed)
    }

    /// Removes all files; gives how many there were.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn clear(&self) -> io::Result<usize> {
        let mut removed = 0;
        for (_, path) in self.files()? {
            match fs::remove_file(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => {
                    done?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }

    /// The names and paths of the files that are a store's.
    fn files(&self) -> io::Result<Vec<(String, PathBuf)>> {
        let is_hex = |name: &str| name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let mut files = Vec::new();
        for shard in fs::read_dir(&self.root)? {
            let shard = shard?;
            let first = shard.file_name().to_string_lossy().into_owned();
            if first.len() != 2 || !is_hex(&first) {
                continue;
            }
            for file in fs::read_dir(shard.path())? {
                let file = file?;
                let name = format!("{first}{}", file.file_name().to_string_lossy());
                if Key::named(&name).is_some() || name.ends_with(UNFINISHED) {
                    files.push((name, file.path()));
                }
            }
        }
        Ok(files)
    }
}

impl Store for Disk {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        Some(self.entry(key)?.bytes)
    }

    fn put(&self, key: &Key, label: &str, bytes: &[u8]) {
        if let Err(reason) = self.write(&self.own(key), label, bytes)
            && !self.told_failure.swap(true, Ordering::Relaxed)
        {
            let path = self.root.display();
            tracing::warn!(target: "rust_inductor", %path, %reason, "what was compiled is not kept in the cache");
        }
    }
}

/// A name that no other thread of any process uses.
fn unfinished_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    format!("{}-{nanos}-{}{UNFINISHED}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    File::options().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Sets a file's time to now, if that tells anything.
fn note_use(file: &File, found: &fs::Metadata) {
    let now = SystemTime::now();
    let recent = found.modified().is_ok_and(|time| now.duration_since(time).is_ok_and(|since| since < HOUR));
    if !recent {
        // On a file system that cannot be written to nothing is removed either.
        drop(file.set_modified(now));
    }
}

/// The disk space that a file of so many bytes takes up.
fn room(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK)
}

/// True if a directory is swept before this entry comes to it.
fn precedes_sweep(key: &Key, size: u64, share: u64) -> bool {
    size > share / 64 || key.0[1].is_multiple_of(16)
}

/// Removes files until those left take up at most `most` bytes: first what a process has left unfinished, then what was
/// used longest ago. If there are too many, an eighth more goes, so that the next few entries find room.
fn sweep(shard: &Path, most: u64) -> io::Result<()> {
    let now = SystemTime::now();
    let mut files = Vec::new();
    for file in fs::read_dir(shard)? {
        let path = file?.path();
        // Another process may have removed it.
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let unfinished = path.to_string_lossy().ends_with(UNFINISHED);
        let abandoned = unfinished && now.duration_since(used).is_ok_and(|since| since > HOUR);
        files.push((!abandoned, used, room(found.len()), path));
    }
    let mut total: u64 = files.iter().map(|(.., size, _)| size).sum();
    let target = if total > most { most - most / 8 } else { total };
    files.sort();
    for (fresh, _, size, path) in files {
        if fresh && total <= target {
            break;
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => total -= size,
        }
    }
    Ok(())
}
