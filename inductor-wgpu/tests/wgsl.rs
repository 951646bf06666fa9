//! The WGSL of every golden kernel: as it was, and valid to naga.

mod common;

use common::validate;
use expect_test::expect_file;
use inductor::grid::{Capabilities, GridKernel, lower};
use inductor::loop_ir::Kernel;
use inductor_testing::random::{self, GenOptions};
use inductor_wgpu::wgsl;
use std::path::{Path, PathBuf};
use symshapes::DType;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../inductor/tests/golden/grid")
}

fn kernels() -> Vec<(String, Kernel)> {
    Kernel::read_folder(&folder()).expect("the goldens are kernels")
}

fn print(grid: &GridKernel) -> Vec<String> {
    grid.stages.iter().map(|stage| wgsl::print(grid, stage)).collect()
}

#[test]
fn goldens_are_as_they_were_and_valid() {
    for (name, kernel) in kernels() {
        let text = match lower(&kernel, &Capabilities::web(true)) {
            Ok(grid) => print(&grid),
            Err(error) => panic!("{name}: {error}"),
        };
        text.iter().for_each(|module| validate(module));
        expect_file![folder().join(format!("{name}.wgsl"))].assert_eq(&text.join("\n"));
    }
}

#[test]
fn random_kernels_are_valid() {
    let dtypes =
        DType::ALL.iter().copied().filter(|d| d.size() <= 8 && !matches!(d, DType::F64 | DType::C64)).collect();
    let options = GenOptions { dtypes, sizes: 2, ..GenOptions::default() };
    let caps = Capabilities { bindings: 64, ..Capabilities::web(true) };
    let lowered = (0..100).filter_map(|seed| lower(&random::kernel(seed, &options), &caps).ok());
    let printed = lowered.map(|grid| print(&grid).iter().for_each(|module| validate(module)));
    assert!(printed.count() >= 95, "only kernels with the bits of a float64 are refused");
}

#[test]
fn reductions_in_subgroups_are_valid() {
    let caps = Capabilities { subgroup: Some(32), ..Capabilities::web(true) };
    let mut exchanged = 0;
    for (name, kernel) in kernels() {
        let grid = lower(&kernel, &caps).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = print(&grid);
        text.iter().for_each(|module| validate(module));
        exchanged += usize::from(text.iter().any(|module| module.contains("subgroupShuffleXor")));
    }
    assert!(exchanged >= 3, "{exchanged} kernels exchange values");
}
