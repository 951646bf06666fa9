//! Random contents for a kernel's buffers.

use super::rng::Rng;
use crate::loop_ir::{Kernel, Scalar, interp::Buffer};
use symshapes::DType;

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
