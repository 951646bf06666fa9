//! Times matrix products: `cargo run --release -p rust-inductor-cpu --example gemm -- THREADS`.

use inductor_cpu::{Cpu, Gemm, Product};
use std::time::Instant;

fn main() {
    let threads = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(2);
    let cpu = Cpu::new();
    let start = Instant::now();
    cpu.product(Product::Gemm(Gemm { batch: 0, m: 0, n: 0, k: 0, a: [0; 3], b: [0; 3], init: None, out: [0; 3] }))
        .expect("compiles");
    println!("compiled in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let shapes = [
        (12544, 64, 256),
        (784, 512, 128),
        (128, 768, 768),
        (128, 768, 3072),
        (128, 3072, 768),
        (512, 768, 3072),
        (512, 3072, 768),
        (128, 1024, 1024),
        (1024, 1024, 1024),
        (128, 768, 50257),
        (3136, 64, 256),
        (12544, 64, 256),
        (784, 512, 128),
        (196, 512, 2048),
    ];
    for (m, k, n) in shapes {
        let x: Vec<f32> = (0..m * k).map(|i| (i * 7919 % 1000) as f32 / 1000.0 - 0.5).collect();
        let w: Vec<f32> = (0..n * k).map(|i| (i * 104729 % 1000) as f32 / 1000.0 - 0.5).collect();
        let bias = vec![0.25f32; n];
        print!("{m} {k} {n}:");
        for (name, b) in [("x·wᵀ", [0, 1, k]), ("x·w", [0, n, 1])] {
            let mut out = vec![0f32; m * n];
            let gemm = Gemm { batch: 1, m, n, k, a: [0, k, 1], b, init: Some([0, 0, 1]), out: [0, n, 1] };
            let kernel = cpu.product(Product::Gemm(gemm)).expect("compiles");
            let inputs = [&x, &w, &bias].map(|v| v.as_ptr().cast_mut().cast());
            let args = [inputs[0], inputs[1], inputs[2], out.as_mut_ptr().cast()];
            let mut times: Vec<f64> = (0..60)
                .map(|_| {
                    let start = Instant::now();
                    // SAFETY: the matrices have these sizes.
                    unsafe { kernel.launch(&args, &[], threads) };
                    start.elapsed().as_secs_f64()
                })
                .collect();
            times.sort_by(f64::total_cmp);
            let gflop = 2.0 * (m * n * k) as f64 / 1e9;
            print!(
                "  {name} min {:.2} median {:.2} ms, {:.0} GFLOP/s",
                times[0] * 1e3,
                times[30] * 1e3,
                gflop / times[0]
            );
            let exact = |i: usize, j: usize| -> f64 {
                0.25 + (0..k).map(|s| f64::from(x[i * k + s]) * f64::from(w[s * b[1] + j * b[2]])).sum::<f64>()
            };
            let error = (0..500).map(|at| {
                let (i, j) = (at * 31 % m, at * 97 % n);
                (exact(i, j) - f64::from(out[i * n + j])).abs()
            });
            print!(" error {:.1e}", error.fold(0.0, f64::max));
        }
        println!();
    }
}
