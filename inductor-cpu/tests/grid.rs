//! The LLVM IR of the kernels that the other backends have as goldens, beside theirs. Written for hosts with AVX-512.

mod support;

use expect_test::expect_file;
use inductor::backend::Backend;
use inductor_cpu::{Cpu, CpuKernel};
use std::path::{Path, PathBuf};

#[test]
fn goldens_are_as_they_were() {
    if Cpu::new().capabilities().vector_bytes != 64 {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inductor/tests/golden/grid");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "loop"));
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let listing = CpuKernel::new(&support::parse(&text)).expect("it compiles").optimised();
        let is_host = |line: &&str| !line.starts_with("attributes") && !line.starts_with("target");
        let shown: Vec<&str> = listing.lines().filter(is_host).collect();
        expect_file![path.with_extension("ll")].assert_eq(&format!("{}\n", shown.join("\n")));
    }
}
