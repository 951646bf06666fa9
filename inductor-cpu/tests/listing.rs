//! The LLVM IR of two small kernels, as a reader sees it. Written for hosts with AVX-512, where the lanes are sixteen.

mod support;

use expect_test::expect_file;
use inductor::backend::Backend;
use inductor_cpu::{Cpu, CpuKernel};

fn golden(name: &str, text: &str) {
    if Cpu::new().capabilities().vector_bytes != 64 {
        return;
    }
    let listing = CpuKernel::new(&support::parse(text)).expect("compiles").optimised();
    let is_host = |line: &&str| !line.starts_with("attributes") && !line.starts_with("target");
    let shown: Vec<&str> = listing.lines().filter(is_host).collect();
    let file = format!("{}/tests/golden/{name}.ll", env!("CARGO_MANIFEST_DIR"));
    expect_file![file].assert_eq(&format!("{}\n", shown.join("\n")));
}

#[test]
fn a_pointwise_kernel_with_a_tail() {
    golden(
        "scale",
        "kernel scale(%0: f32[35] in, %1: f32[35] out) {
  parallel i0 in 0..35 vector {
    v0: f32 = load %0[i0]
    v1: f32 = const 2
    v2: f32 = mul v0, v1
    store %1[i0] = v2
  }
}",
    );
}

#[test]
fn a_row_maximum() {
    golden(
        "row_max",
        "kernel row_max(%0: f32[256] in, %1: f32[4] out) {
  parallel i0 in 0..4 {
    for i1 in 0..64 vector reduce(a0: max f32) {
      v0: f32 = load %0[64*i0 + i1]
      a0 <- v0
    }
    v1: f32 = reduced a0
    store %1[i0] = v1
  }
}",
    );
}
