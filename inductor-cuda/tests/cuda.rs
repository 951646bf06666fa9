//! The CUDA C++ of every golden kernel: as it was, and compiled by NVRTC for two architectures, with no GPU.

mod common;

use common::{folder, goldens, nvrtc};
use expect_test::expect_file;
use inductor::grid::lower;
use inductor::loop_ir::Kernel;
use inductor_testing::random::{self, GenOptions};

/// What the programs are compiled for.
const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];

fn print(kernel: &Kernel) -> String {
    let grid = lower(kernel, &inductor_cuda::capabilities()).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    inductor_cuda::print(&grid)
}

#[test]
fn goldens_are_as_they_were() {
    for (name, kernel) in goldens() {
        expect_file![folder().join(format!("{name}.cu"))].assert_eq(&print(&kernel));
    }
}

#[test]
fn goldens_compile() {
    let Some(nvrtc) = nvrtc::find() else { return };
    for (name, kernel) in goldens() {
        for architecture in ARCHITECTURES {
            let text = print(&kernel);
            nvrtc.compile(&text, architecture).unwrap_or_else(|log| panic!("{name} for {architecture}: {log}\n{text}"));
        }
    }
}

#[test]
fn random_kernels_compile() {
    let Some(nvrtc) = nvrtc::find() else { return };
    let options = GenOptions { sizes: 2, ..GenOptions::default() };
    // One program of many kernels: NVRTC takes longer to start than to compile one.
    let text: String = (0..40).map(|seed| print(&random::kernel(seed, &options))).collect();
    nvrtc.compile(&text, ARCHITECTURES[1]).unwrap_or_else(|log| panic!("{log}\n{text}"));
}
