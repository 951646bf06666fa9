//! The CUDA C++ of every golden kernel: as it was, and compiled by NVRTC for each generation of GPUs, with no GPU.

mod common;

use common::{folder, goldens, nvrtc};
use expect_test::expect_file;
use inductor::grid::{GridKernel, lower};
use inductor::loop_ir::Kernel;
use inductor_testing::random::{self, GenOptions};

/// The architectures that the programs are compiled for.
const ARCHITECTURES: [&str; 3] = ["sm_80", "sm_90", "sm_100"];

fn lowered(kernel: &Kernel) -> GridKernel {
    lower(kernel, &inductor_cuda::capabilities()).unwrap_or_else(|error| panic!("{error}\n{kernel}"))
}

#[test]
fn goldens_are_as_they_were() {
    for (name, kernel) in goldens() {
        expect_file![folder().join(format!("{name}.cu"))].assert_eq(&inductor_cuda::print(&lowered(&kernel)));
    }
}

/// The lines of the compiler's log that tell of a kernel's registers and spills.
fn resources(log: &str) -> impl Iterator<Item = &str> {
    log.lines().filter(|line| line.contains("spill") || line.contains("registers"))
}

/// The goldens compile, and none keeps registers in memory. `RI_CUDA_RESOURCES=1` prints what they use.
#[test]
fn goldens_compile_without_spills() {
    let Some(nvrtc) = nvrtc::find() else { return };
    let prints = std::env::var_os("RI_CUDA_RESOURCES").is_some();
    for (name, kernel) in goldens() {
        for architecture in ARCHITECTURES {
            let text = inductor_cuda::program([&lowered(&kernel)]);
            let compiled = nvrtc.compile(&text, architecture);
            let log = compiled.unwrap_or_else(|log| panic!("{name} for {architecture}: {log}\n{text}")).log;
            let spills: Vec<&str> = resources(&log).filter(|line| line.contains("spill")).collect();
            assert!(!spills.is_empty(), "{name} for {architecture}: {log}");
            let is_free = |line: &&str| line.contains(" 0 bytes spill stores, 0 bytes spill loads");
            assert!(spills.iter().all(is_free), "{name} for {architecture}: {spills:?}");
            if prints {
                resources(&log).for_each(|line| println!("{name} {architecture}: {}", line.trim()));
            }
        }
    }
}

#[test]
fn random_kernels_compile() {
    let Some(nvrtc) = nvrtc::find() else { return };
    let options = GenOptions { sizes: 2, ..GenOptions::default() };
    // One program of many kernels: NVRTC takes longer to start than to compile one.
    let grids: Vec<GridKernel> = (0..500).map(|seed| lowered(&random::kernel(seed, &options))).collect();
    let text = inductor_cuda::program(&grids);
    for architecture in ARCHITECTURES {
        nvrtc.compile(&text, architecture).unwrap_or_else(|log| panic!("{architecture}: {log}\n{text}"));
    }
}
