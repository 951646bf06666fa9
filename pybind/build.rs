//! Tells the program which build of it this is, a number that changes with any source file of the workspace, and which
//! CPython it is built for.
//!
//! A build does not take what another one keeps on disk. Where only this crate's sources are at hand (a published
//! package), the others are pinned by its version.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let workspace = own.parent().unwrap_or(&own);
    let mut sources: Vec<PathBuf> = below(workspace)?.iter().map(|member| member.join("src")).collect();
    sources.push(workspace.join("Cargo.lock"));
    let mut hash = DefaultHasher::new();
    for path in sources.iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
        add(path, &mut hash)?;
    }
    pyo3_build_config::use_pyo3_cfgs();
    println!("cargo::rustc-env=RUST_INDUCTOR_BUILD={:016x}", hash.finish());
    Ok(())
}

/// Adds a file, or all in a directory.
fn add(path: &Path, hash: &mut DefaultHasher) -> io::Result<()> {
    if path.is_file() {
        path.file_name().hash(hash);
        fs::read(path)?.hash(hash);
        return Ok(());
    }
    below(path)?.iter().try_for_each(|path| add(path, hash))
}

/// The entries of a directory, in order.
fn below(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}
