//! The cache of compiled code that processes share: what the environment says of it.
//!
//! | variable | meaning |
//! |---|---|
//! | `RUST_INDUCTOR_CACHE=0` | nowhere |
//! | `TORCHINDUCTOR_FORCE_DISABLE_CACHES=1` | nowhere, as for torch's own caches |
//! | `RUST_INDUCTOR_CACHE_DIR` | the directory; else `rust_inductor` in the user's directory for caches |
//! | `RUST_INDUCTOR_CACHE_MB` | its limit in megabytes ([`LIMIT`]) |
//!
//! The variables are read at each compilation, while Python's lock is held (nobody changes them then).
//!
//! All that a process has needed can be taken to others as an artifact. The entries of one are found before anything on
//! disk, and stay in memory.

use inductor::store::{Artifact, ArtifactError, Disk, Entry, Key, Listed, Store};
use inductor_cpu::Cpu;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;

/// Megabytes that a directory takes up at most.
const LIMIT: u64 = 1024;

/// The identity of this program: entries of others are not for it.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("RUST_INDUCTOR_BUILD"));

/// The user's store.
pub(crate) struct Cache;

impl Cache {
    /// True if there is a store to put anything into, or an artifact was loaded.
    pub(crate) fn is_on() -> bool {
        let current = current();
        current.disk.is_some() || !current.loaded.is_empty()
    }
}

impl Store for Cache {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let (loaded, disk) = {
            let current = current();
            (current.loaded.get(key).map(|entry| entry.bytes.clone()), current.disk.clone())
        };
        let found = loaded.or_else(|| disk?.get(key))?;
        current().used.insert(*key);
        Some(found)
    }

    fn put(&self, key: &Key, label: &str, bytes: &[u8]) {
        let disk = current().disk.clone();
        if let Some(disk) = disk {
            disk.put(key, label, bytes);
            current().used.insert(*key);
        }
    }
}

/// The settings of the cache, read from the environment.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Settings {
    off: bool,
    directory: Option<OsString>,
    megabytes: Option<OsString>,
}

impl Settings {
    fn read() -> Settings {
        let is = |name, value| std::env::var_os(name).is_some_and(|found| found == value);
        Settings {
            off: is("RUST_INDUCTOR_CACHE", "0") || is("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1"),
            directory: std::env::var_os("RUST_INDUCTOR_CACHE_DIR").filter(|name| !name.is_empty()),
            megabytes: std::env::var_os("RUST_INDUCTOR_CACHE_MB"),
        }
    }

    fn directory(&self) -> Option<PathBuf> {
        let own = self.directory.as_ref().map(PathBuf::from);
        own.or_else(|| Some(dirs::cache_dir()?.join("rust_inductor")))
    }

    fn limit(&self) -> Option<u64> {
        let megabytes = match &self.megabytes {
            None => LIMIT,
            Some(text) => text.to_str()?.parse().ok()?,
        };
        megabytes.checked_mul(1 << 20)
    }

    /// Opens the directory; why it cannot be used is said.
    fn open(&self) -> Option<Arc<Disk>> {
        if self.off {
            return None;
        }
        let Some(limit) = self.limit() else {
            let value = self.megabytes.as_ref();
            tracing::warn!(target: "rust_inductor", ?value, "RUST_INDUCTOR_CACHE_MB is no number; nothing is cached");
            return None;
        };
        let opened = Disk::open(&self.directory()?, limit, BUILD);
        let told = opened.inspect_err(|reason| tracing::warn!(target: "rust_inductor", "nothing is cached: {reason}"));
        told.ok().map(Arc::new)
    }
}

/// The store for the settings that were last read.
#[derive(Default)]
struct Current {
    settings: Option<Settings>,
    disk: Option<Arc<Disk>>,
    /// The entries that artifacts have brought.
    loaded: FxHashMap<Key, Entry>,
    /// The entries that this process has found or made.
    used: FxHashSet<Key>,
}

fn current() -> MutexGuard<'static, Current> {
    static CURRENT: LazyLock<Mutex<Current>> = LazyLock::new(Mutex::default);
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Follows the environment.
pub(crate) fn refresh(_: Python<'_>) {
    let settings = Settings::read();
    if current().settings.as_ref() != Some(&settings) {
        // Whoever hears that it cannot be opened may run Python, which waits for nobody who waits for us.
        let disk = settings.open();
        let mut current = current();
        current.disk = disk;
        current.settings = Some(settings);
    }
}

/// The directory of the cache, if there is one.
#[pyfunction]
pub(crate) fn cache_directory(py: Python<'_>) -> Option<PathBuf> {
    refresh(py);
    current().disk.as_ref().map(|disk| disk.root().to_owned())
}

/// A file of the cache: its name, its label, why it has none, its bytes, and the time of its last use in seconds.
type File = (String, Option<String>, Option<String>, u64, f64);

/// The files of the cache, each read as a whole; none without a cache.
///
/// # Errors
/// An `OSError` for a directory that cannot be read.
#[pyfunction]
pub(crate) fn cache_files(py: Python<'_>) -> PyResult<Vec<File>> {
    refresh(py);
    let Some(disk) = current().disk.clone() else { return Ok(Vec::new()) };
    let listed = py.detach(|| disk.list())?;
    let row = |Listed { name, label, bytes, used }: Listed| {
        let used = used.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let (label, reason) = label.map_or_else(|reason| (None, Some(reason)), |label| (Some(label), None));
        (name, label, reason, bytes, used)
    };
    Ok(listed.into_iter().map(row).collect())
}

/// Removes the files of the cache, and gives how many there were.
///
/// # Errors
/// An `OSError` for a file that cannot be removed.
#[pyfunction]
pub(crate) fn clear_cache(py: Python<'_>) -> PyResult<usize> {
    refresh(py);
    let disk = current().disk.clone();
    Ok(disk.map_or(Ok(0), |disk| py.detach(|| disk.clear()))?)
}

/// The contents of an artifact: its digest, the version that made it, and of each entry its key, label and size.
type Contents = (String, String, Vec<(String, String, usize)>);

/// All entries that this process has found in the cache or made, as the bytes of an artifact.
#[pyfunction]
pub(crate) fn save_artifact(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    refresh(py);
    let (disk, mut used) = {
        let current = current();
        let used: Vec<_> = current.used.iter().map(|key| (*key, current.loaded.get(key).cloned())).collect();
        (current.disk.clone(), used)
    };
    let Some(disk) = disk else {
        return Err(PyRuntimeError::new_err("the cache is off, so nothing that was compiled is kept"));
    };
    used.sort_by_key(|(key, _)| *key);
    let entries = used.into_iter().filter_map(|(key, loaded)| Some((key, loaded.or_else(|| disk.entry(&key))?)));
    let entries = entries.collect();
    Ok(PyBytes::new(py, &Artifact { build: BUILD.to_owned(), entries }.encode()))
}

/// The contents of an artifact, which is not loaded.
#[pyfunction]
pub(crate) fn read_artifact(bytes: &[u8]) -> PyResult<Contents> {
    let (artifact, digest) = decode(bytes)?;
    let row = |(key, entry): &(Key, Entry)| (key.to_string(), entry.label.clone(), entry.bytes.len());
    Ok((digest, artifact.build, artifact.entries.iter().map(row).collect()))
}

/// Loads an artifact's entries, which this process finds from then on; false for those of another version.
#[pyfunction]
pub(crate) fn load_artifact(bytes: &[u8]) -> PyResult<bool> {
    let (artifact, _) = decode(bytes)?;
    let fits = artifact.build == BUILD;
    if fits {
        current().loaded.extend(artifact.entries);
    }
    Ok(fits)
}

/// The label of machine code for this process's processor.
#[pyfunction]
pub(crate) fn host_label() -> String {
    Cpu::new().label()
}

fn decode(bytes: &[u8]) -> PyResult<(Artifact, String)> {
    Artifact::decode(bytes).map_err(|error: ArtifactError| PyValueError::new_err(error.to_string()))
}
