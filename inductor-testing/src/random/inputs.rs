//! Random sizes, and contents for a kernel's buffers.

use crate::loops::Buffer;
use crate::rng::Rng;
use inductor::loop_ir::{Kernel, Loop, Scalar, Stmt};
use symshapes::DType;

/// Values of sizes: nothing, one, and around the lanes of a vector and multiples of them.
const SIZES: &[i64] = &[0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 48, 64, 67, 100, 130];

/// Values of a kernel's sizes with which its innermost statement runs at most `iterations` times, where smaller sizes
/// can have it so.
pub fn sizes(seed: u64, kernel: &Kernel, iterations: i64) -> Vec<i64> {
    let mut rng = Rng::new(seed.rotate_left(17));
    let fits = |sym| move |&&size: &&i64| kernel.exprs.symbol_range(sym).contains(size);
    let choices: Vec<Vec<i64>> =
        kernel.sizes.iter().map(|&sym| SIZES.iter().filter(fits(sym)).copied().collect()).collect();
    let mut chosen: Vec<usize> = choices.iter().map(|choices| rng.below(choices.len())).collect();
    loop {
        let sizes: Vec<i64> = choices.iter().zip(&chosen).map(|(choices, &at)| choices[at]).collect();
        let largest = chosen.iter_mut().max_by_key(|at| **at).filter(|at| **at > 0);
        match largest {
            Some(at) if innermost(kernel, &kernel.root, &sizes) > iterations => *at -= 1,
            _ => return sizes,
        }
    }
}

/// The number of times that the statements of a loop's busiest inner loop run.
fn innermost(kernel: &Kernel, l: &Loop, sizes: &[i64]) -> i64 {
    let inside = |stmt: &Stmt| if let Stmt::Loop(inner) = stmt { innermost(kernel, inner, sizes) } else { 1 };
    let most = l.body.iter().map(inside).max().unwrap_or(1).max(1);
    kernel.size(kernel.axes[l.axis].extent, sizes).expect("every size has a value").saturating_mul(most)
}

/// Buffers for the kernel's arguments, some of whose floats are NaN, infinite, a negative zero or denormal. Buffers
/// that are only written have contents too: what the kernel leaves alone must stay.
pub fn inputs(seed: u64, kernel: &Kernel, sizes: &[i64]) -> Vec<Buffer> {
    inputs_with(seed, kernel, sizes, true)
}

/// As [`inputs`]; without `specials` every float is finite and normal or zero.
pub fn inputs_with(seed: u64, kernel: &Kernel, sizes: &[i64], specials: bool) -> Vec<Buffer> {
    let mut rng = Rng::new(!seed);
    let buffers = kernel.arguments().map(|(_, data)| {
        let specials = specials && rng.one_in(3);
        let len = kernel.size(data.len, sizes).expect("every size has a value");
        let elements: Vec<Scalar> = (0..len).map(|_| element(&mut rng, data.dtype, specials)).collect();
        Buffer::from_scalars(data.dtype, &elements)
    });
    buffers.collect()
}

/// Buffers for the kernel's arguments of small numbers of both signs (0..10 for integers, which may be indices), alike
/// for one seed.
pub fn small_inputs(seed: u64, kernel: &Kernel, sizes: &[i64]) -> Vec<Buffer> {
    let mut rng = Rng::new(seed);
    let buffers = kernel.arguments().map(|(_, data)| {
        let mut element = || match data.dtype {
            DType::Bool => Scalar::Int(rng.below(2) as i64),
            dtype if dtype.is_float() => Scalar::Float(rng.below(20_000) as f64 / 2500.0 - 4.0),
            _ => Scalar::Int(rng.below(10) as i64),
        };
        let len = kernel.size(data.len, sizes).expect("every size has a value");
        let elements: Vec<Scalar> = (0..len).map(|_| element()).collect();
        Buffer::from_scalars(data.dtype, &elements)
    });
    buffers.collect()
}

fn element(rng: &mut Rng, dtype: DType, specials: bool) -> Scalar {
    if dtype.is_float() { float(rng, dtype, specials) } else { Scalar::Int(int(rng)) }
}

/// Mostly small; now and then any bits, which are cut to the dtype's width.
fn int(rng: &mut Rng) -> i64 {
    match rng.below(16) {
        0 => rng.bits() as i64,
        1..6 => rng.between(0, 120),
        _ => rng.between(-10, 10),
    }
}

fn float(rng: &mut Rng, dtype: DType, specials: bool) -> Scalar {
    let value = match rng.below(16) {
        0 if specials => special(rng, dtype),
        1 => (rng.unit() - 0.5) * 2f64.powi(rng.between(-12, 12) as i32),
        2..8 => rng.unit() * 8.0 - 4.0,
        _ => rng.between(-64, 64) as f64 / 4.0,
    };
    Scalar::Float(value)
}

fn special(rng: &mut Rng, dtype: DType) -> f64 {
    let denormal = match dtype {
        DType::F64 => 1e-310,
        DType::F16 => 6e-7,
        _ => 1e-40,
    };
    rng.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, denormal, -denormal])
}
