//! Random kernels on every device.

use crate::support::{check, devices};
use inductor::grid::Capabilities;
use inductor_testing::random::{self, GenOptions};
use symshapes::DType;

/// One random kernel; whether the device could run it.
fn try_one(seed: u64, options: &GenOptions, caps: &Capabilities) -> Result<(), String> {
    let kernel = random::kernel(seed, options);
    let sizes = random::sizes(seed, &kernel, options.iterations);
    let inputs = random::inputs_with(seed, &kernel, &sizes, options.sizes == 0);
    check(&kernel, caps, &sizes, &inputs, 16.0).map(drop).map_err(|reason| format!("{reason}\n{kernel}"))
}

/// Seeds of a range; the share of kernels that the device runs, in percent.
fn run(seeds: std::ops::Range<u64>, options: &GenOptions, caps: &Capabilities) -> usize {
    let count = (seeds.end - seeds.start) as usize;
    let refused: Vec<String> = seeds.filter_map(|seed| try_one(seed, options, caps).err()).collect();
    refused.iter().for_each(|reason| println!("refused: {reason}"));
    100 * (count - refused.len()) / count
}

#[test]
fn a_full_device_runs_everything() {
    let [.., (_, full)] = devices();
    assert_eq!(run(0..500, &GenOptions { iterations: 400, ..GenOptions::default() }, &full), 100);
}

#[test]
fn a_device_without_float64_runs_the_rest() {
    let [(_, web), ..] = devices();
    let dtypes =
        DType::ALL.iter().copied().filter(|d| d.size() <= 8 && !matches!(d, DType::F64 | DType::C64)).collect();
    let options = GenOptions { dtypes, iterations: 600, ..GenOptions::default() };
    let share = run(0..500, &options, &Capabilities { bindings: 32, ..web });
    assert!(share >= 90, "only kernels with the bits of a float64 are refused; {share} % run");
}

#[test]
fn symbolic_sizes_are_arguments() {
    let [.., (_, full)] = devices();
    assert_eq!(run(0..500, &GenOptions { iterations: 300, sizes: 3, ..GenOptions::default() }, &full), 100);
}

#[test]
fn vectors_change_nothing() {
    let [.., (_, full)] = devices();
    let caps = Capabilities { vectors: Some(1), busy_threads: 1, ..full };
    assert_eq!(run(500..800, &GenOptions { iterations: 400, ..GenOptions::default() }, &caps), 100);
}

#[test]
fn a_small_device_keeps_rows_in_buffers() {
    let [.., (_, full)] = devices();
    let options = GenOptions { iterations: 400, ..GenOptions::default() };
    let caps = Capabilities { threads: 32, shared_bytes: 1 << 10, narrow_memory: false, ..full };
    assert_eq!(run(800..1100, &options, &caps), 100);
}

#[test]
fn a_device_without_wide_integers_refuses_rather_than_err() {
    let [_, (_, narrow), _] = devices();
    let dtypes = vec![DType::F32, DType::I32, DType::Bool, DType::U8];
    let options = GenOptions { dtypes, iterations: 400, ..GenOptions::default() };
    let share = run(1100..1400, &options, &Capabilities { bindings: 32, ..narrow });
    assert!(share >= 40, "{share} % run");
}
