//! Kernels of loop IR on the software adapter, held against the interpreter: the goldens, and random ones.

mod common;

use common::gpu;
use inductor::device::{Content, Device, Stream};
use inductor::loop_ir::{Kernel, Scalar};
use inductor_testing::loops::{self, Buffer};
use inductor_testing::random::{self, GenOptions};
use inductor_wgpu::Gpu;
use std::path::Path;
use symshapes::DType;

/// Runs a kernel on the device; `None` if it refuses.
fn run(gpu: &Gpu, kernel: &Kernel, sizes: &[i64], inputs: &[Buffer]) -> Option<Vec<Buffer>> {
    let compiled = gpu.compile(kernel).ok()?;
    let work = gpu.launch(&compiled, sizes).ok()?;
    let mut stream = gpu.stream().expect("the device is there");
    let upload = |input: &Buffer| stream.upload(&input.bytes(), input.dtype());
    let blocks = inputs.iter().map(upload).collect::<Result<Vec<_>, _>>().ok()?;
    let args: Vec<_> = blocks.iter().collect();
    stream.run(&work, &args).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let contents = inputs.iter().map(|input| Content { dtype: input.dtype(), bytes: input.bytes().len() });
    let wanted: Vec<_> = blocks.iter().zip(contents).collect();
    let mut outputs = inputs.to_vec();
    let mut sink = |i: usize, bytes: &[u8]| outputs[i] = Buffer::from_bytes(inputs[i].dtype(), inputs[i].len(), bytes);
    stream.download(&wanted, &mut sink).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    Some(outputs)
}

/// True if two elements agree: `tolerance` relative for floats, which may be flushed to 0 below the least normal one.
fn close(a: Scalar, b: Scalar, tolerance: f64) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => {
            let scale = a.abs().max(b.abs()).max(1.0);
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * scale
        }
        (a, b) => a == b,
    }
}

/// Checks a kernel on these inputs; false if the device refuses it.
fn check(gpu: &Gpu, kernel: &Kernel, sizes: &[i64], inputs: &[Buffer], tolerance: f64) -> bool {
    let mut wanted = inputs.to_vec();
    loops::run(kernel, sizes, &mut wanted).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let Some(ours) = run(gpu, kernel, sizes, inputs) else { return false };
    for (at, (ours, wanted)) in ours.iter().zip(&wanted).enumerate() {
        for i in 0..wanted.len() {
            let (a, b) = (ours.get(i), wanted.get(i));
            let half = matches!(wanted.dtype(), DType::BF16 | DType::F16);
            let tolerance = if half { tolerance.max(1.0 / 128.0) } else { tolerance };
            assert!(close(a, b, tolerance), "{sizes:?}: buffer {at}[{i}]: {a:?}, wanted {b:?}\n{kernel}");
        }
    }
    true
}

#[test]
fn goldens_do_what_the_loops_do() {
    let Some(gpu) = gpu() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inductor/tests/golden/grid");
    for (name, kernel) in Kernel::read_folder(&folder).expect("the goldens are kernels") {
        for size in [3, 17, 300] {
            let sizes = vec![size; kernel.sizes.len()];
            let inputs = random::small_inputs(7, &kernel, &sizes);
            assert!(check(&gpu, &kernel, &sizes, &inputs, 1e-5), "{name} is refused");
        }
    }
}

/// Runs the kernels of these seeds; how many the device has taken.
fn random_kernels(gpu: &Gpu, seeds: std::ops::Range<u64>, options: &GenOptions, specials: bool) -> usize {
    let taken = seeds.filter(|&seed| {
        let kernel = random::kernel(seed, options);
        let sizes = random::sizes(seed, &kernel, options.iterations);
        let inputs = random::inputs_with(seed, &kernel, &sizes, specials);
        check(gpu, &kernel, &sizes, &inputs, 1e-5)
    });
    taken.count()
}

/// The dtypes that the device stores: all but `float64` and complex ones.
fn dtypes() -> Vec<DType> {
    let known = |dtype: &DType| !matches!(dtype, DType::F64 | DType::C64 | DType::C128);
    DType::ALL.iter().copied().filter(known).collect()
}

#[test]
fn random_kernels_do_what_the_loops_do() {
    let Some(gpu) = gpu() else { return };
    let options = GenOptions { dtypes: dtypes(), iterations: 1000, ..GenOptions::default() };
    let taken = random_kernels(&gpu, 0..150, &options, false);
    assert!(taken >= 135, "{taken} of 150 run");
}

#[test]
fn random_kernels_of_symbolic_sizes_do_what_the_loops_do() {
    let Some(gpu) = gpu() else { return };
    let options = GenOptions { dtypes: dtypes(), iterations: 1000, sizes: 2, ..GenOptions::default() };
    let taken = random_kernels(&gpu, 0..100, &options, false);
    assert!(taken >= 90, "{taken} of 100 run");
}

#[test]
fn buffers_that_are_too_long_are_bound_in_windows() {
    let Some(gpu) = gpu() else { return };
    let gpu = gpu.with_longest_binding(4096);
    let pointwise = |n: usize| {
        let text = format!(
            "kernel scaled(%0: f32[{n}] in, %1: f16[{n}] in, %2: f32[1] in, %3: f32[{n}] out, %4: bool[{n}] out) {{
               parallel i0 in 0..{n} vector {{
                 v0: f32 = load %0[i0]
                 v1: f16 = load %1[i0]
                 v2: f32 = convert v1
                 v3: f32 = load %2[0]
                 v4: f32 = fma v0, v2, v3
                 store %3[i0] = v4
                 v5: bool = gt v4, v0
                 store %4[i0] = v5
               }}
             }}"
        );
        text.parse::<Kernel>().expect("a kernel")
    };
    for n in [1000, 1024, 1025, 5000, 8192] {
        let kernel = pointwise(n);
        assert!(check(&gpu, &kernel, &[], &random::small_inputs(n as u64, &kernel, &[]), 1e-5), "{n} elements");
    }
    let rows = "kernel rows(%0: f32[32768] in, %1: f32[32768] out) {
       parallel i0 in 0..128 {
         for i1 in 0..256 vector reduce(a0: sum f32) {
           v0: f32 = load %0[256*i0 + i1]
           a0 <- v0
         }
         v1: f32 = reduced a0
         for i2 in 0..256 vector {
           v2: f32 = load %0[256*i0 + i2]
           v3: f32 = sub v2, v1
           store %1[256*i0 + i2] = v3
         }
       }
     }";
    let kernel: Kernel = rows.parse().expect("a kernel");
    assert!(check(&gpu, &kernel, &[], &random::small_inputs(5, &kernel, &[]), 1e-4), "rows of a kilobyte");
    let options = GenOptions { dtypes: dtypes(), iterations: 1000, ..GenOptions::default() };
    random_kernels(&gpu, 0..100, &options, false);
}
