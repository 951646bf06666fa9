//! Random kernels, compiled and interpreted. `RI_FUZZ_KERNELS` sets how many, `RI_FUZZ_SEED` where to begin.
//!
//! One that differs is made small, and printed as a test.

mod support;

use inductor::backend::Backend;
use inductor::loop_ir::Kernel;
use inductor_cpu::Cpu;
use inductor_testing::random::{GenOptions, inputs, kernel, sizes, smallest};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// With how many values of its sizes a kernel runs.
const VALUES: u64 = 6;

/// Compares kernels of these options; primitives that are not correctly rounded may differ by a few units.
fn agree(cpu: &Cpu, (first, count): (u64, u64), options: &GenOptions, tolerance: f64) {
    for seed in first..first + count {
        let kernel = kernel(seed, options);
        let rounds = if options.sizes > 0 { VALUES } else { 1 };
        let _compiled_once = cpu.compile(std::slice::from_ref(&kernel));
        for round in seed..seed + rounds {
            let check = |kernel: &Kernel| {
                let sizes = sizes(round, kernel, options.iterations);
                support::difference(cpu, kernel, &sizes, inputs(round, kernel, &sizes), tolerance)
            };
            if check(&kernel).is_err() {
                let small = smallest(kernel, |kernel| check(kernel).is_err());
                let sizes = sizes(round, &small, options.iterations);
                let width = cpu.capabilities().vector_bytes;
                let error = check(&small).expect_err("the smallest kernel fails");
                panic!("{error}\n\n{}", test(seed, &small, &sizes, round, width, tolerance));
            }
        }
    }
}

/// A failing kernel as a test.
fn test(seed: u64, kernel: &Kernel, sizes: &[i64], round: u64, width: usize, tolerance: f64) -> String {
    format!(
        "#[test]\nfn random_kernel_{seed}() {{\n    let kernel = support::parse(r\"{kernel}\");\n    \
         let (cpu, sizes) = (Cpu::with_vector_bytes({width}), {sizes:?});\n    \
         support::compare(&cpu, &kernel, &sizes, inputs({round}, &kernel, &sizes), {tolerance:?});\n}}"
    )
}

/// The range of seeds: `share` of the kernels that are asked for.
fn seeds(share: u64) -> (u64, u64) {
    (setting("RI_FUZZ_SEED", 0), setting("RI_FUZZ_KERNELS", 200) / share)
}

#[test]
fn random_kernels_agree_to_the_bit() {
    agree(&Cpu::new(), seeds(1), &GenOptions { inexact: false, ..GenOptions::default() }, 0.0);
}

#[test]
fn random_kernels_with_elementary_functions_agree() {
    agree(&Cpu::new(), seeds(2), &GenOptions::default(), 4.0);
}

#[test]
fn narrower_vectors_agree() {
    for bytes in [32, 16] {
        let cpu = Cpu::with_vector_bytes(bytes);
        let dtypes = cpu.capabilities().dtypes.clone();
        agree(&cpu, seeds(2), &GenOptions { dtypes, ..GenOptions::default() }, 4.0);
    }
}

#[test]
fn random_kernels_of_symbolic_sizes_agree_to_the_bit() {
    agree(&Cpu::new(), seeds(1), &GenOptions { sizes: 3, inexact: false, ..GenOptions::default() }, 0.0);
}

#[test]
fn random_kernels_of_symbolic_sizes_agree_in_narrower_vectors() {
    let cpu = Cpu::with_vector_bytes(32);
    let dtypes = cpu.capabilities().dtypes.clone();
    agree(&cpu, seeds(2), &GenOptions { sizes: 2, inexact: false, dtypes, ..GenOptions::default() }, 0.0);
}

#[test]
fn results_past_the_caches_agree_to_the_bit() {
    let cpu = Cpu::without_caches();
    for count in [0, 2] {
        agree(&cpu, seeds(2), &GenOptions { sizes: count, inexact: false, ..GenOptions::default() }, 0.0);
    }
}
