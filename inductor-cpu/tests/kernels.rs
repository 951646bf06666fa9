//! Kernels as the middle writes them, against the interpreter.

mod support;

use inductor::backend::{Backend, CompiledKernel};
use inductor_cpu::{Cpu, CpuKernel};
use std::sync::Arc;
use support::{check, kernels, parse};

/// Shapes with and without tails, smaller than a vector, and with several unrolled rounds.
const SHAPES: [(i64, i64); 7] = [(1, 1), (3, 7), (2, 16), (5, 33), (4, 64), (3, 197), (40, 1024)];

#[test]
fn agree_with_the_interpreter() {
    type Write = fn(i64, i64) -> String;
    let writers: [(Write, f64); 11] = [
        (kernels::gelu, 4.0),
        (kernels::softmax, 8.0),
        (kernels::layer_norm, 64.0),
        (kernels::column_sum, 32.0),
        (kernels::transpose, 0.0),
        (kernels::transpose_back, 0.0),
        (kernels::transpose_lanes, 0.0),
        (kernels::argmax, 0.0),
        (kernels::pad, 0.0),
        (kernels::embedding, 0.0),
        (kernels::bias, 0.0),
    ];
    for (write, tolerance) in writers {
        for (rows, cols) in SHAPES {
            check(&parse(&write(rows, cols)), 7, tolerance);
        }
    }
    for n in [1, 16, 31, 1000] {
        check(&parse(&kernels::gather(n)), 7, 0.0);
    }
}

#[test]
fn transposed_reads_of_every_type_agree() {
    for dtype in ["bool", "u8", "i16", "i64", "bf16", "f16", "f64"] {
        for (rows, cols) in [(16, 16), (67, 40), (100, 33), (3, 50)] {
            check(&parse(&kernels::add_transposed(rows, cols, dtype)), 7, 0.0);
        }
    }
}

/// Rows of more than 64 vectors are written from one end to the other.
#[test]
fn long_transposed_rows_agree() {
    for (rows, cols) in [(1024, 16), (1031, 35), (2111, 67), (1500, 5)] {
        check(&parse(&kernels::transpose_lanes(rows, cols)), 7, 0.0);
        check(&parse(&kernels::transpose_scaled(rows, cols, "in")), 7, 0.0);
        check(&parse(&kernels::transpose_scaled(rows, cols, "inout")), 7, 0.0);
    }
}

#[test]
fn long_sums_are_accurate() {
    let n = 1 << 22;
    let text = format!(
        "kernel total(%0: f32[{n}] in, %1: f32[1] out) {{
  parallel i0 in 0..1 {{
    for i1 in 0..{n} vector reduce(a0: sum f32) {{
      v0: f32 = load %0[i1]
      a0 <- v0
    }}
    v1: f32 = reduced a0
    store %1[i0] = v1
  }}
}}"
    );
    let kernel = CpuKernel::new(&parse(&text)).expect("compiles");
    let mut xs: Vec<f32> = (0..n).map(|i| 0.1 + (i % 7) as f32 * 1e-3).collect();
    let exact: f64 = xs.iter().map(|&x| f64::from(x)).sum();
    let mut sum = [0f32];
    // SAFETY: the buffers have the kernel's lengths.
    unsafe { kernel.launch(&[xs.as_mut_ptr().cast(), sum.as_mut_ptr().cast()], &[], 2) };
    assert!(support::ulps(sum[0], exact) <= 1.0, "{} {exact}", sum[0]);
}

#[test]
fn kernels_run_from_several_threads_at_once() {
    let cpu = Cpu::new();
    let compiled = cpu.compile(&[parse(&kernels::softmax(4096, 256))]).expect("compiles");
    let run = || {
        let (mut x, mut y) = (vec![1f32; 4096 * 256], vec![0f32; 4096 * 256]);
        // SAFETY: the buffers have the kernel's lengths.
        unsafe { compiled[0].launch(&[x.as_mut_ptr().cast(), y.as_mut_ptr().cast()], &[], 3) };
        assert!(y.iter().all(|&y| y == 1.0 / 256.0));
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| run()));
        }
    });
}

#[test]
fn equal_kernels_are_compiled_once() {
    let cpu = Cpu::new();
    let texts = [kernels::gelu(4, 64), kernels::softmax(4, 64), kernels::gelu(4, 64)];
    let parsed: Vec<_> = texts.iter().map(|text| parse(text)).collect();
    let compiled = cpu.compile(&parsed).expect("compiles");
    assert!(Arc::ptr_eq(&compiled[0], &compiled[2]) && !Arc::ptr_eq(&compiled[0], &compiled[1]));
    let again = cpu.compile(&parsed[1..2]).expect("compiles");
    assert!(Arc::ptr_eq(&again[0], &compiled[1]));
}

#[test]
fn code_is_freed_and_listed() {
    let kernel = CpuKernel::new(&parse(&kernels::bias(4, 64))).expect("compiles");
    assert!(kernel.listing().contains("define void @kernel(ptr"), "{}", kernel.listing());
    drop(kernel);
}
