//! Matrix products against sums in double precision.

use inductor_cpu::{Cpu, Gemm, Product};
use proptest::prelude::*;
use std::sync::OnceLock;

/// The strides of a matrix that lies row by row, column by column, or with gaps; and the elements that a stack of
/// `batch` of them spans.
fn lay(rows: usize, columns: usize, how: u8, batch: usize) -> ([usize; 3], usize) {
    let (row, column) = match how {
        0 => (columns, 1),
        1 => (1, rows),
        2 => (columns + 3, 1),
        _ => (2 * columns + 1, 2),
    };
    let span = (rows - 1) * row + (columns - 1) * column + 1;
    ([span, row, column], span * batch)
}

fn values(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed | 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(next).take(count).collect()
}

#[derive(Clone, Copy, Debug)]
struct Case {
    batch: usize,
    sizes: [usize; 3],
    layouts: [u8; 3],
    /// None, a row, a column, a matrix.
    init: u8,
    threads: usize,
    vector_bytes: usize,
}

fn case() -> impl Strategy<Value = Case> {
    let sizes = (1..70usize, 1..90usize, prop_oneof![1..40usize, 250..530usize]).prop_map(<[usize; 3]>::from);
    let numbers = (1..4usize, 0..4u8, 1..4usize, prop_oneof![Just(16), Just(32), Just(64)]);
    (numbers, sizes, [0..4u8, 0..4u8, 0..4u8]).prop_map(|((batch, init, threads, vector_bytes), sizes, layouts)| Case {
        batch,
        sizes,
        layouts,
        init,
        threads,
        vector_bytes,
    })
}

/// The host with vectors of at most so many bytes.
fn cpu(vector_bytes: usize) -> &'static Cpu {
    static HOSTS: [OnceLock<Cpu>; 3] = [const { OnceLock::new() }; 3];
    HOSTS[vector_bytes.trailing_zeros() as usize - 4].get_or_init(|| Cpu::with_vector_bytes(vector_bytes))
}

fn check(case: Case) -> Result<(), TestCaseError> {
    let Case { batch, sizes: [m, n, k], layouts, init, threads, vector_bytes } = case;
    let (a, a_len) = lay(m, k, layouts[0], batch);
    let (b, b_len) = lay(k, n, layouts[1], batch);
    let (out, out_len) = lay(m, n, layouts[2], batch);
    let init = match init {
        0 => None,
        1 => Some([0, 0, 1]),
        2 => Some([0, 1, 0]),
        _ => Some([m * n, 1, m]),
    };
    let gemm = Gemm { batch, m, n, k, a, b, init, out };
    let (x, y, z) = (values(a_len, 1), values(b_len, 2), values(batch * m * n, 3));
    // What lies between the elements of the result keeps its value.
    let mut result = vec![f32::NEG_INFINITY; out_len];
    let kernel = cpu(vector_bytes).product(Product::Gemm(gemm)).expect("it compiles");
    let inputs = [&x, &y, &z].map(|v| v.as_ptr().cast_mut().cast());
    let to = result.as_mut_ptr().cast();
    let with_init = [inputs[0], inputs[1], inputs[2], to];
    let without = [inputs[0], inputs[1], to];
    // SAFETY: the buffers have the elements that the strides span.
    unsafe { kernel.launch(if init.is_some() { &with_init } else { &without }, &[], threads) };
    let place =
        |strides: [usize; 3], at: [usize; 3]| at.iter().zip(strides).map(|(at, stride)| at * stride).sum::<usize>();
    let mut written = vec![false; out_len];
    let step = if batch * m * n * k > 10_000_000 { 97 } else { 1 };
    for number in 0..batch * m * n {
        let (which, i, j) = (number / (m * n), number / n % m, number % n);
        let at = place(out, [which, i, j]);
        written[at] = true;
        if number % step != 0 {
            continue;
        }
        let product = |s| f64::from(x[place(a, [which, i, s])]) * f64::from(y[place(b, [which, s, j])]);
        let start = init.map_or(0.0, |init| f64::from(z[place(init, [which, i, j])]));
        let exact = start + (0..k).map(product).sum::<f64>();
        let error = (f64::from(result[at]) - exact).abs();
        prop_assert!(error <= 1e-6 * (k as f64).max(4.0), "[{which}, {i}, {j}]: {} is not {exact}", result[at]);
    }
    for (value, written) in result.iter().zip(written) {
        prop_assert!(written || *value == f32::NEG_INFINITY, "something else was written");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn equal_sums_in_double_precision(case in case()) {
        check(case)?;
    }
}

#[test]
fn large_ones_are_cut_in_every_direction() {
    let layouts = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [2, 3, 2]];
    for (number, layouts) in layouts.into_iter().enumerate() {
        let sizes = [[300, 1100, 700], [1100, 130, 1030]][number % 2];
        let case = Case { batch: 1, sizes, layouts, init: number as u8, threads: 2, vector_bytes: 64 };
        check(case).expect("the product is right");
    }
}

#[test]
fn sums_may_be_long() {
    let case = Case { batch: 1, sizes: [40, 33, 200_000], layouts: [1, 0, 0], init: 1, threads: 2, vector_bytes: 64 };
    check(case).expect("the product is right");
}

#[test]
fn what_is_not_finite_stays_where_it_is() {
    let (m, n, k) = (13, 33, 5);
    let gemm = Gemm { batch: 1, m, n, k, a: [0, k, 1], b: [0, n, 1], init: None, out: [0, n, 1] };
    let (mut x, mut y, mut out) = (vec![1f32; m * k], vec![1f32; k * n], vec![0f32; m * n]);
    x[12 * k] = f32::INFINITY;
    y[32] = f32::NAN;
    let kernel = Cpu::new().product(Product::Gemm(gemm)).expect("it compiles");
    // SAFETY: the buffers have the product's sizes.
    unsafe { kernel.launch(&[x.as_mut_ptr().cast(), y.as_mut_ptr().cast(), out.as_mut_ptr().cast()], &[], 1) };
    for (at, value) in out.iter().enumerate() {
        match (at / n, at % n) {
            (_, 32) => assert!(value.is_nan()),
            (12, _) => assert_eq!(*value, f32::INFINITY),
            _ => assert_eq!(*value, 5.0),
        }
    }
}
