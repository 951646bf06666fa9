//! Kernels in text beside what they are lowered to.
//!
//! Each `.loop` file of the folder is a kernel of loop IR; beside it stands the grid kernel for a device that packs
//! words (`.web.grid`) and for one that has everything (`.full.grid`). The backends keep their own text in the same
//! folder: one input, every device's form side by side. `UPDATE_EXPECT=1` rewrites what differs.

use crate::support::{check, devices};
use expect_test::expect_file;
use inductor::grid::{Capabilities, lower};
use inductor::loop_ir::{Kernel, verify::verify};
use inductor_testing::random::small_inputs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/grid")
}

/// Every kernel of the folder, with its file's name.
fn kernels() -> Vec<(String, Kernel)> {
    let files = std::fs::read_dir(folder()).expect("the folder is there");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "loop"));
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        verify(&kernel).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        expect_file![path].assert_eq(&kernel.to_string());
        (path.file_stem().expect("a file").to_string_lossy().into_owned(), kernel)
    };
    paths.iter().map(read).collect()
}

/// Sizes to run a kernel with.
fn sizes(kernel: &Kernel) -> Vec<Vec<i64>> {
    match kernel.sizes.len() {
        0 => vec![Vec::new()],
        n => [3, 17, 300].map(|size| vec![size; n]).to_vec(),
    }
}

fn devices_of_goldens() -> [(&'static str, Capabilities); 2] {
    let [(web, one), _, (full, two)] = devices();
    [(web, one), (full, two)]
}

#[test]
fn goldens_are_as_they_were() {
    for (name, kernel) in kernels() {
        for (device, caps) in devices_of_goldens() {
            let text = match lower(&kernel, &caps) {
                Ok(grid) => grid.to_string(),
                Err(error) => format!("{error}\n"),
            };
            expect_file![folder().join(format!("{name}.{device}.grid"))].assert_eq(&text);
        }
    }
}

#[test]
fn goldens_do_what_the_loops_do() {
    for (name, kernel) in kernels() {
        for (device, caps) in devices() {
            for sizes in sizes(&kernel) {
                for seed in 0..2 {
                    let done = check(&kernel, &caps, &sizes, &small_inputs(seed, &kernel, &sizes), 64.0);
                    assert!(done.is_ok() || device != "full", "{name} on {device}: {done:?}");
                }
            }
        }
    }
}

#[test]
fn a_device_without_wide_integers_refuses_only_what_may_not_fit() {
    let [_, (_, narrow), _] = devices();
    let refused: Vec<String> = kernels()
        .iter()
        .filter_map(|(name, kernel)| lower(kernel, &narrow).err().map(|error| format!("{name}: {}\n", error.reason)))
        .collect();
    expect_test::expect![""].assert_eq(&refused.concat());
}
