//! Random kernels, compiled and interpreted. `RI_FUZZ_KERNELS` sets how many, `RI_FUZZ_SEED` where to begin.

mod support;

use inductor::loop_ir::random::{GenOptions, inputs, kernel};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Compares kernels of these options; primitives that are not correctly rounded may differ by a few units.
fn agree(first: u64, count: u64, options: &GenOptions, tolerance: f64) {
    for seed in first..first + count {
        let kernel = kernel(seed, options);
        support::compare(&kernel, inputs(seed, &kernel), tolerance);
    }
}

#[test]
fn random_kernels_agree_to_the_bit() {
    let (seed, count) = (setting("RI_FUZZ_SEED", 0), setting("RI_FUZZ_KERNELS", 200));
    agree(seed, count, &GenOptions { inexact: false, ..GenOptions::default() }, 0.0);
}

#[test]
fn random_kernels_with_elementary_functions_agree() {
    let (seed, count) = (setting("RI_FUZZ_SEED", 0), setting("RI_FUZZ_KERNELS", 200));
    agree(seed, count / 2, &GenOptions::default(), 4.0);
}
