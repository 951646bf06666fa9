//! Library kernels as text: as they were, and valid to naga.
//!
//! They are written for the software adapter; `UPDATE_EXPECT=1` rewrites what differs.

#[path = "common/cases.rs"]
mod cases;
mod common;

use cases::{Case, cases};
use common::{gpu, validate};
use expect_test::expect_file;
use inductor::device::Device;
use inductor_wgpu::Gpu;
use std::path::Path;
use symshapes::DType;

#[test]
fn library_kernels_are_as_they_were_and_valid() {
    let Some(gpu) = gpu() else { return };
    cases().into_iter().for_each(|case| check(&gpu, case.name, case));
}

#[test]
fn halves_and_windows_are_as_they_were_and_valid() {
    let Some(gpu) = gpu() else { return };
    let named = |name| cases().into_iter().find(|case| case.name == name).expect("a case");
    check(&gpu, "mm_half", named("mm_small").of_dtype(DType::F16));
    let doubled = "kernel doubled(%0: bf16[800] in, %1: bf16[800] out) {
       parallel i0 in 0..800 vector {
         v0: bf16 = load %0[i0]
         v1: f32 = convert v0
         v2: f32 = add v1, v1
         v3: bf16 = convert v2
         store %1[i0] = v3
       }
     }";
    check(&gpu, "mm_bfloat16_doubled", named("mm_small").then(doubled, &[]).of_dtype(DType::BF16));
    check(&gpu.with_longest_binding(2048), "mm_windows", named("mm_small"));
}

/// Asserts that a case's shaders are those of a golden file.
fn check(gpu: &Gpu, name: &str, case: Case) {
    let (call, epilogue, plan) = case.planned();
    let task = gpu.library(&call, epilogue.as_ref(), &plan).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text: Vec<String> = task.work.dispatches.iter().map(|dispatch| gpu.shader_text(dispatch.shader)).collect();
    text.iter().for_each(|module| validate(module));
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.wgsl"));
    expect_file![golden].assert_eq(&text.join("\n"));
}
