//! Softmax by one pass over rows, at elements that are infinite or NaN.

use crate::support::{check, devices};
use fx::Scalar;
use inductor::loop_ir::Kernel;
use inductor_testing::loops::Buffer;
use std::path::Path;
use symshapes::DType;

/// The elements of a row: few kinds, in places that differ from row to row.
fn row(kinds: &[f64], len: usize, seed: usize) -> impl Iterator<Item = Scalar> + '_ {
    (0..len).map(move |i| Scalar::Float(kinds[(i * i + seed * (i + 7)) % kinds.len()]))
}

#[test]
fn infinities_and_nan_are_as_by_two_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/grid");
    let kernels = Kernel::read_folder(&folder).expect("the goldens are kernels");
    let (_, kernel) =
        kernels.into_iter().find(|(name, _)| name == "dynamic").expect("it is a softmax of symbolic sizes");
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    let least = f64::from(f32::MIN);
    let rows: [&[f64]; 9] = [
        &[low],
        &[low, 1.0],
        &[low, low, low, -3e38],
        &[high, 2.0],
        &[high],
        &[f64::NAN, 1.0, 2.0],
        &[high, low],
        &[least, low],
        &[3e38, least, 0.0],
    ];
    for len in [2, 5, 300, 700] {
        let elements: Vec<Scalar> = rows.iter().enumerate().flat_map(|(seed, kinds)| row(kinds, len, seed)).collect();
        let inputs = [Buffer::from_scalars(DType::F32, &elements), Buffer::zeroed(DType::F32, elements.len())];
        let sizes = [rows.len() as i64, len as i64];
        for (name, caps) in devices() {
            let done = check(&kernel, &caps, &sizes, &inputs, 64.0);
            let grid = done.unwrap_or_else(|error| panic!("{name}: {error}"));
            let loops = grid.to_string().matches("for v").count();
            assert_eq!(loops, if caps.sees_nan { 2 } else { 3 }, "{name}: {grid}");
        }
    }
}
