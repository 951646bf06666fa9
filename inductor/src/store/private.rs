//! Directories that nobody but their owner can write to: the boundary of trust of a store on disk.
//!
//! Code is read from there and run. So the directory must belong to the user who runs this process, and nobody else may
//! do anything in it; otherwise it is not used at all.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum Untrusted {
    /// It cannot be made, or looked at.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        reason: io::Error,
    },
    /// There is something else of that name.
    #[error("{} is no directory", .0.display())]
    NoDirectory(PathBuf),
    /// It belongs to another user.
    #[error("{} belongs to another user (number {owner})", path.display())]
    Owner {
        /// The directory.
        path: PathBuf,
        /// The user's number.
        owner: u32,
    },
    /// Others than its owner may read or write it.
    #[error("{} is open to other users (mode {mode:03o}, not 700)", path.display())]
    Mode {
        /// The directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A system on which it is not known how to ask.
    #[error("this system does not tell who may write to {}", .0.display())]
    Unknown(PathBuf),
}

/// Makes a directory for its owner alone, or checks that one which is there is such. Gives its path without links.
#[cfg(unix)]
pub(super) fn directory(path: &Path) -> Result<PathBuf, Untrusted> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};

    let unusable = |reason| Untrusted::Unusable { path: path.to_owned(), reason };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(unusable)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(unusable(error)),
        _ => {}
    }
    let path = path.canonicalize().map_err(unusable)?;
    let found = std::fs::symlink_metadata(&path).map_err(unusable)?;
    let (owner, mode) = (found.uid(), found.mode() & 0o777);
    match () {
        () if !found.is_dir() => Err(Untrusted::NoDirectory(path)),
        () if owner != user() => Err(Untrusted::Owner { path, owner }),
        () if mode & 0o077 != 0 => Err(Untrusted::Mode { path, mode }),
        () => Ok(path),
    }
}

/// Opens a file for reading if it is an ordinary one of ours. A link is not followed, and a pipe is not waited for.
#[cfg(unix)]
pub(super) fn open(path: &Path) -> io::Result<Option<(std::fs::File, std::fs::Metadata)>> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = std::fs::File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let found = file.metadata()?;
    Ok((found.is_file() && found.uid() == user()).then_some((file, found)))
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// No directory: who owns a file is not known here.
#[cfg(not(unix))]
pub(super) fn directory(path: &Path) -> Result<PathBuf, Untrusted> {
    Err(Untrusted::Unknown(path.to_owned()))
}

/// No file.
#[cfg(not(unix))]
pub(super) fn open(_path: &Path) -> io::Result<Option<(std::fs::File, std::fs::Metadata)>> {
    Ok(None)
}
