//! Kernels of loop IR on a CUDA device, held against the interpreter: the goldens, and random ones. Skipped where
//! there is no device.

mod common;

use common::gpu::{self, Gpu, Loaded};
use inductor::grid::{GridKernel, lower};
use inductor::loop_ir::{Kernel, Param};
use inductor_testing::loops::{self, Buffer};
use inductor_testing::random::{self, GenOptions};

/// The number of random kernels of each test.
fn count() -> u64 {
    std::env::var("RI_CUDA_KERNELS").ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

/// Runs a kernel on the device and in the interpreter; the message says where they differ.
fn check(
    gpu: &Gpu,
    kernel: &Kernel,
    loaded: &Loaded<'_>,
    sizes: &[i64],
    inputs: &[Buffer],
    ulps: f64,
) -> Result<(), String> {
    let mut wanted = inputs.to_vec();
    loops::run(kernel, sizes, &mut wanted).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let params: Vec<Param> = kernel.arguments().map(|(param, _)| param).collect();
    let ours = gpu.run(loaded, &params, sizes, inputs)?;
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

fn lowered(kernel: &Kernel) -> Option<GridKernel> {
    lower(kernel, &inductor_cuda::capabilities()).ok()
}

#[test]
fn goldens_do_what_the_loops_do() {
    let Some(gpu) = gpu::find() else { return };
    let mut failures = Vec::new();
    for (name, kernel) in common::goldens() {
        let grids = [lowered(&kernel).unwrap_or_else(|| panic!("{name} is not lowered"))];
        let loaded = gpu.load(&grids).unwrap_or_else(|error| panic!("{name}: {error}"));
        for size in [3, 17, 300] {
            let sizes = vec![size; kernel.sizes.len()];
            let inputs = random::small_inputs(7, &kernel, &sizes);
            failures.extend(
                check(gpu, &kernel, &loaded[0], &sizes, &inputs, 128.0).err().map(|why| format!("{name}: {why}")),
            );
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs random kernels, several to a program, the programs on as many threads as there are processors.
fn random_kernels(options: &GenOptions) {
    let Some(gpu) = gpu::find() else { return };
    let seeds: Vec<u64> = (0..count()).collect();
    let program = |seeds: &[u64]| -> Vec<String> {
        let (mut kernels, mut grids) = (Vec::new(), Vec::new());
        for &seed in seeds {
            let kernel = random::kernel(seed, options);
            if let Some(grid) = lowered(&kernel) {
                kernels.push((seed, kernel));
                grids.push(grid);
            }
        }
        assert!(kernels.len() * 10 >= seeds.len() * 9, "{} of {} are lowered", kernels.len(), seeds.len());
        let loaded = gpu.load(&grids).unwrap_or_else(|error| panic!("seeds {seeds:?}: {error}"));
        let run = |((seed, kernel), loaded): (&(u64, Kernel), &Loaded<'_>)| {
            let sizes = random::sizes(*seed, kernel, options.iterations);
            let inputs = random::inputs(*seed, kernel, &sizes);
            check(gpu, kernel, loaded, &sizes, &inputs, 8.0).err().map(|why| format!("seed {seed}: {why}"))
        };
        kernels.iter().zip(&loaded).filter_map(run).collect()
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let lane = |lane| seeds.chunks(20).skip(lane).step_by(workers).flat_map(program).collect::<Vec<String>>();
        let threads: Vec<_> = (0..workers).map(|at| scope.spawn(move || lane(at))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends well")).collect()
    });
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), seeds.len(), failures.join("\n"));
}

#[test]
fn random_kernels_do_what_the_loops_do() {
    random_kernels(&GenOptions { iterations: 1000, ..GenOptions::default() });
}

#[test]
fn random_kernels_of_symbolic_sizes_do_what_the_loops_do() {
    random_kernels(&GenOptions { iterations: 1000, sizes: 2, ..GenOptions::default() });
}
