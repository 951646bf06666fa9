//! The elementary functions against `f64`, over a dense sample of all `f32` and every special value, through kernels.

mod support;

use fx::prim::Pointwise;
use inductor::backend::{Backend, CompiledKernel};
use inductor_cpu::{Cpu, CpuKernel};
use support::{pointwise, ulps};

mod c {
    unsafe extern "C" {
        pub(super) safe fn erf(x: f64) -> f64;
        pub(super) safe fn erfc(x: f64) -> f64;
    }
}

/// A primitive, its oracle and the bound on its error in units in the last place.
type Row = (Pointwise, fn(f64) -> f64, f64);

/// Every row that has an algorithm of ours, with its oracle and the bound on its error.
const UNARY: &[Row] = &[
    (Pointwise::Sqrt, f64::sqrt, 0.5),
    (Pointwise::Rsqrt, |x| 1.0 / x.sqrt(), 1.5),
    (Pointwise::Reciprocal, |x| 1.0 / x, 0.5),
    (Pointwise::Exp, f64::exp, 1.5),
    (Pointwise::Exp2, f64::exp2, 1.5),
    (Pointwise::Expm1, f64::exp_m1, 2.0),
    (Pointwise::Log, f64::ln, 1.0),
    (Pointwise::Log2, f64::log2, 2.0),
    (Pointwise::Log10, f64::log10, 2.0),
    (Pointwise::Log1p, f64::ln_1p, 2.0),
    (Pointwise::Sin, f64::sin, 2.0),
    (Pointwise::Cos, f64::cos, 2.0),
    (Pointwise::Tan, f64::tan, 2.0),
    (Pointwise::Asin, f64::asin, 2.0),
    (Pointwise::Acos, f64::acos, 2.0),
    (Pointwise::Atan, f64::atan, 2.0),
    (Pointwise::Sinh, f64::sinh, 2.0),
    (Pointwise::Cosh, f64::cosh, 2.0),
    (Pointwise::Tanh, f64::tanh, 2.0),
    (Pointwise::Sigmoid, |x| 1.0 / (1.0 + (-x).exp()), 2.0),
    (Pointwise::Erf, |x| c::erf(x), 2.0),
    (Pointwise::Erfc, |x| c::erfc(x), 2.0),
];

/// Every 997th bit pattern, both signs of what is special, and the neighbourhood of whole numbers.
fn sample() -> Vec<f32> {
    let mut xs: Vec<f32> = (0..=u32::MAX).step_by(997).map(f32::from_bits).collect();
    let specials = [0.0, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::MAX, f32::from_bits(1), f32::EPSILON];
    xs.extend(specials.into_iter().flat_map(|x| [x, -x]));
    xs.extend(
        (-2000..2000)
            .flat_map(|i| [-1, 0, 1].map(|d| f32::from_bits((i as f32 / 16.0).to_bits().wrapping_add_signed(d)))),
    );
    xs
}

/// Runs every row on these vectors; the functions that miss their bound, with where.
fn misses(cpu: &Cpu) -> Vec<String> {
    let mut xs = sample();
    let mut out = vec![0f32; xs.len()];
    let mut misses = Vec::new();
    for &(op, oracle, bound) in UNARY {
        let kernel = cpu.compile(&[pointwise(op, xs.len() as i64)]).expect("compiles").remove(0);
        // SAFETY: both buffers have the kernel's length.
        unsafe { kernel.launch(&[xs.as_mut_ptr().cast(), out.as_mut_ptr().cast()], &[], 2) };
        let errors = xs.iter().zip(&out).map(|(&x, &y)| (ulps(y, oracle(f64::from(x))), x, y));
        let (error, x, y) = errors.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are samples");
        if error > bound {
            misses.push(format!("{op}({x:e}) = {y:e}, wanted {:e}: {error} ulp", oracle(f64::from(x))));
        }
    }
    misses
}

#[test]
fn unary_functions_are_accurate_everywhere() {
    for bytes in [64, 32, 16] {
        let misses = misses(&Cpu::with_vector_bytes(bytes));
        assert!(misses.is_empty(), "{bytes} bytes: {misses:#?}");
    }
}

/// Bases and exponents of a power: what is special in every combination, and random bits.
fn powers() -> Vec<[f32; 2]> {
    let special = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e30, 1e-30, 16_777_215.0, 16_777_216.0, f32::INFINITY, f32::NAN];
    let special: Vec<f32> = special.into_iter().flat_map(|x: f32| [x, -x]).collect();
    let pairs = special.iter().flat_map(|&a| special.iter().map(move |&b| [a, b]));
    let mut bits = 1_u64;
    let mut random = || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from_bits((bits >> 32) as u32)
    };
    let any: Vec<[f32; 2]> = (0..200_000).map(|_| [random(), random()]).collect();
    let usual = (0..200_000).map(|i| [(i % 449) as f32 / 16.0, (i / 449) as f32 / 16.0 - 14.0]);
    pairs.chain(any).chain(usual).collect()
}

#[test]
fn powers_are_those_of_the_c_library() {
    for bytes in [64, 32, 16] {
        let pairs = powers();
        let [mut a, mut b]: [Vec<f32>; 2] = [0, 1].map(|k| pairs.iter().map(|pair| pair[k]).collect());
        let mut out = vec![0f32; pairs.len()];
        let kernel = pointwise(Pointwise::Pow, pairs.len() as i64);
        let kernel = Cpu::with_vector_bytes(bytes).compile(&[kernel]).expect("compiles").remove(0);
        // SAFETY: the three buffers have the kernel's length.
        unsafe { kernel.launch(&[a.as_mut_ptr().cast(), b.as_mut_ptr().cast(), out.as_mut_ptr().cast()], &[], 1) };
        for ([a, b], y) in pairs.into_iter().zip(out) {
            let exact = f64::from(a).powf(f64::from(b));
            assert!(ulps(y, exact) <= 0.51, "{bytes} bytes: {a:e}^{b:e} = {y:e}, wanted {exact:e}");
        }
    }
}

/// Runs a function of one double on each of these.
fn doubles(op: &str, cpu: &Cpu, xs: &mut [f64]) -> Vec<f64> {
    let n = xs.len();
    let text = format!(
        "kernel {op}(%0: f64[{n}] in, %1: f64[{n}] out) {{
           parallel i0 in 0..{n} vector {{
             v0: f64 = load %0[i0]
             v1: f64 = {op} v0
             store %1[i0] = v1
           }}
         }}"
    );
    let kernel = cpu.compile(&[text.parse().expect("a kernel")]).expect("compiles").remove(0);
    let mut out = vec![0f64; n];
    // SAFETY: both buffers have the kernel's length.
    unsafe { kernel.launch(&[xs.as_mut_ptr().cast(), out.as_mut_ptr().cast()], &[], 1) };
    out
}

#[test]
fn doubles_are_those_of_the_c_library() {
    let special = [0.0, 1.0, 1e-310, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN, 709.7, 710.0, 745.0];
    let mut xs: Vec<f64> = special.into_iter().flat_map(|x| [x, -x]).collect();
    xs.extend((0..u64::MAX).step_by(0x3_1415_9265_3589).map(f64::from_bits));
    xs.extend((-80_000..80_000).map(|i| f64::from(i) / 100.3));
    xs.extend((1..4000).map(|i| 1.0 + f64::from(i - 2000) * 1e-9));
    type Function = (&'static str, fn(f64) -> f64);
    let functions: [Function; 2] = [("exp", f64::exp), ("log", f64::ln)];
    for bytes in [64, 32, 16] {
        for (op, oracle) in functions {
            let out = doubles(op, &Cpu::with_vector_bytes(bytes), &mut xs);
            for (&x, y) in xs.iter().zip(out) {
                let exact = oracle(x);
                // Positive doubles are ordered as their bits are; the library is off by a unit at most.
                let apart = (y.to_bits() as i64).abs_diff(exact.to_bits() as i64);
                assert!(
                    apart <= 2 || (y.is_nan() && exact.is_nan()),
                    "{bytes} bytes: {op}({x:e}) = {y:e}, not {exact:e}"
                );
            }
        }
    }
}

#[test]
fn zeros_keep_their_sign() {
    use Pointwise::{Asin, Atan, Erf, Expm1, Log1p, Sin, Sinh, Sqrt, Tan, Tanh};
    for op in [Asin, Atan, Erf, Expm1, Log1p, Sin, Sinh, Sqrt, Tan, Tanh] {
        let kernel = CpuKernel::new(&pointwise(op, 2)).expect("compiles");
        let (mut xs, mut out) = ([0.0f32, -0.0], [1f32; 2]);
        // SAFETY: both buffers have the kernel's length.
        unsafe { kernel.launch(&[xs.as_mut_ptr().cast(), out.as_mut_ptr().cast()], &[], 1) };
        assert_eq!(out.map(f32::to_bits), xs.map(f32::to_bits), "{op}");
    }
}
