//! Where compiled code is kept between processes: what the environment says of it.
//!
//! | variable | meaning |
//! |---|---|
//! | `RUST_INDUCTOR_CACHE=0` | nowhere |
//! | `TORCHINDUCTOR_FORCE_DISABLE_CACHES=1` | nowhere, as for torch's own caches |
//! | `RUST_INDUCTOR_CACHE_DIR` | the directory; else `rust_inductor` in the user's directory for caches |
//! | `RUST_INDUCTOR_CACHE_MB` | its limit in megabytes ([`LIMIT`]) |
//!
//! The variables are read at each compilation, while Python's lock is held (nobody changes them then).

use inductor::store::{Disk, Key, Store};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Megabytes that a directory takes up at most.
const LIMIT: u64 = 1024;

/// Which program this is: entries of others are not for it.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("RUST_INDUCTOR_BUILD"));

/// The user's store.
pub(crate) struct Cache;

impl Store for Cache {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        disk()?.get(key)
    }

    fn put(&self, key: &Key, bytes: &[u8]) {
        if let Some(disk) = disk() {
            disk.put(key, bytes);
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
struct Current {
    settings: Option<Settings>,
    disk: Option<Arc<Disk>>,
}

fn current() -> MutexGuard<'static, Current> {
    static CURRENT: Mutex<Current> = Mutex::new(Current { settings: None, disk: None });
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn disk() -> Option<Arc<Disk>> {
    current().disk.clone()
}

/// Follows the environment.
pub(crate) fn refresh(_: Python<'_>) {
    let settings = Settings::read();
    let mut current = current();
    if current.settings.as_ref() != Some(&settings) {
        *current = Current { disk: settings.open(), settings: Some(settings) };
    }
}
