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
