//! What the tests share.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod gpu;
pub(crate) mod nvrtc;

use inductor::loop_ir::Kernel;
use std::path::{Path, PathBuf};

/// The folder of the golden kernels.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../inductor/tests/golden/grid")
}

/// The golden kernels with their names.
pub(crate) fn goldens() -> Vec<(String, Kernel)> {
    let files = std::fs::read_dir(folder()).expect("the folder is there");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "loop"));
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().expect("a file").to_string_lossy().into_owned();
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("it can be read").parse().expect("a kernel");
    paths.iter().map(|path| (name(path), read(path))).collect()
}
