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

/// The maximum of each row, and the sum of exponentials less it.
const SUMS: &str = "kernel sums<s0: 0.., s1: 2..>(%0: f32[s0*s1] in, %1: f32[s0] out, %2: f32[s0] out) {
  parallel i0 in 0..s0 {
    for i1 in 0..s1 vector reduce(a0: max f32) {
      v0: f32 = load %0[i0*s1 + i1]
      a0 <- v0
    }
    v1: f32 = reduced a0
    store %1[i0] = v1
    for i2 in 0..s1 vector reduce(a1: sum f32) {
      v2: f32 = load %0[i0*s1 + i2]
      v3: f32 = sub v2, v1
      v4: f32 = exp v3
      a1 <- v4
    }
    v5: f32 = reduced a1
    store %2[i0] = v5
  }
}
";

#[test]
fn what_is_stored_between_the_loops_can_wait() {
    let kernel: Kernel = SUMS.parse().expect("it is a kernel");
    let sizes = [5, 700];
    let elements: Vec<Scalar> = (0..3500).map(|i| Scalar::Float(f64::from(i * 37 % 101) * 0.25 - 9.0)).collect();
    let results = || Buffer::zeroed(DType::F32, 5);
    let inputs = [Buffer::from_scalars(DType::F32, &elements), results(), results()];
    let [.., (_, caps)] = devices();
    let grid = check(&kernel, &caps, &sizes, &inputs, 64.0).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(grid.to_string().matches("for v").count(), 1, "{grid}");
    // Where the second loop reads what is stored, it cannot.
    let text = SUMS.replace("load %0[i0*s1 + i2]", "load %1[i0]").replace("%1: f32[s0] out", "%1: f32[s0] inout");
    let kernel: Kernel = text.parse().expect("it is a kernel");
    let grid = check(&kernel, &caps, &sizes, &inputs, 64.0).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(grid.to_string().matches("for v").count(), 2, "{grid}");
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
