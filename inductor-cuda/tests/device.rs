//! Kernels of loop IR as CUDA programs, held against the interpreter: the goldens, and random ones. They run on the
//! emulator, and on a GPU where there is one.

mod common;

use common::device::{self, Device};
use inductor::grid::{Capabilities, GridKernel, lower};
use inductor::loop_ir::{Kernel, Param};
use inductor_testing::loops::{self, Buffer};
use inductor_testing::random::{self, GenOptions};

/// The number of random kernels of each test: `RI_CUDA_KERNELS`, or this many.
fn count(default: u64) -> u64 {
    std::env::var("RI_CUDA_KERNELS").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

/// Runs a kernel on the device and in the interpreter; the message says where they differ.
fn check<D: Device>(
    (device, program): (&D, &D::Program),
    (kernel, grid): (&Kernel, &GridKernel),
    sizes: &[i64],
    inputs: &[Buffer],
    ulps: f64,
) -> Result<(), String> {
    let mut wanted = inputs.to_vec();
    loops::run(kernel, sizes, &mut wanted).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let params: Vec<Param> = kernel.arguments().map(|(param, _)| param).collect();
    let ours = device::run(device, program, grid, &params, sizes, inputs)?;
    for (at, (ours, wanted)) in ours.iter().zip(&wanted).enumerate() {
        for i in 0..wanted.len() {
            let (a, b) = (ours.get(i), wanted.get(i));
            if !loops::agree(wanted.dtype(), a, b, ulps) {
                return Err(format!("{sizes:?}: buffer {at}[{i}]: {a:?}, wanted {b:?}"));
            }
        }
    }
    Ok(())
}

/// Vectors wherever they can be, several of them on their way, and no warps: what small kernels do not have otherwise.
fn vectors() -> Capabilities {
    Capabilities { vectors: Some(1), busy_threads: 1, subgroup: None, ..inductor_cuda::capabilities() }
}

/// Bytes in words, which threads change by atomic instructions.
fn words() -> Capabilities {
    Capabilities { narrow_memory: false, atomic_floats: false, ..inductor_cuda::capabilities() }
}

/// Runs the goldens, all of one program.
fn goldens<D: Device>(device: &D) {
    let kernels = common::goldens();
    let capabilities = inductor_cuda::capabilities();
    let lowered = kernels.iter().map(|(_, kernel)| lower(kernel, &capabilities));
    let grids = lowered.collect::<Result<Vec<GridKernel>, _>>().unwrap_or_else(|error| panic!("{error}"));
    let program = device::load(device, &grids).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = Vec::new();
    for ((name, kernel), grid) in kernels.iter().zip(&grids) {
        for size in [3, 17, 300] {
            let sizes = vec![size; kernel.sizes.len()];
            let inputs = random::small_inputs(7, kernel, &sizes);
            let done = check((device, &program), (kernel, grid), &sizes, &inputs, 128.0);
            failures.extend(done.err().map(|why| format!("{name}: {why}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs random kernels, several to a program, the programs on as many threads as there are processors.
fn random_kernels<D: Device>(device: &D, count: u64, options: &GenOptions, capabilities: &Capabilities) {
    let seeds: Vec<u64> = (0..count).collect();
    let run = |seeds: &[u64]| -> Vec<String> {
        let (mut kernels, mut grids) = (Vec::new(), Vec::new());
        for &seed in seeds {
            let kernel = random::kernel(seed, options);
            if let Ok(grid) = lower(&kernel, capabilities) {
                kernels.push((seed, kernel));
                grids.push(grid);
            }
        }
        assert!(kernels.len() * 10 >= seeds.len() * 9, "{} of {} are lowered", kernels.len(), seeds.len());
        let program = device::load(device, &grids).unwrap_or_else(|error| panic!("seeds {seeds:?}: {error}"));
        let run = |((seed, kernel), grid): (&(u64, Kernel), &GridKernel)| {
            let sizes = random::sizes(*seed, kernel, options.iterations);
            let inputs = random::inputs(*seed, kernel, &sizes);
            let done = check((device, &program), (kernel, grid), &sizes, &inputs, 8.0);
            done.err().map(|why| format!("seed {seed}: {why}"))
        };
        kernels.iter().zip(&grids).filter_map(run).collect()
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let lane = |lane| seeds.chunks(20).skip(lane).step_by(workers).flat_map(run).collect::<Vec<String>>();
        let threads: Vec<_> = (0..workers).map(|at| scope.spawn(move || lane(at))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends well")).collect()
    });
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), seeds.len(), failures.join("\n"));
}

/// The tests, for each device, with the number of random kernels.
macro_rules! on_devices {
    ($($name:ident $kernels:literal)*) => {$(
        mod $name {
            use super::*;
            use common::$name::find;

            fn random(sizes: usize, capabilities: &Capabilities) {
                let Some(device) = find() else { return };
                let options = GenOptions { iterations: 1000, sizes, ..GenOptions::default() };
                random_kernels(device, count($kernels), &options, capabilities);
            }

            #[test]
            fn goldens_do_what_the_loops_do() {
                find().into_iter().for_each(goldens);
            }

            #[test]
            fn random_kernels_do_what_the_loops_do() {
                random(0, &inductor_cuda::capabilities());
            }

            #[test]
            fn random_kernels_of_symbolic_sizes_do_what_the_loops_do() {
                random(2, &inductor_cuda::capabilities());
            }

            #[test]
            fn random_kernels_of_vectors_do_what_the_loops_do() {
                random(0, &vectors());
            }

            #[test]
            fn random_kernels_of_words_do_what_the_loops_do() {
                random(2, &words());
            }
        }
    )*};
}

on_devices! { emulator 200 gpu 60 }
