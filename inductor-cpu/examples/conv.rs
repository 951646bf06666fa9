//! Times convolutions: `cargo run --release -p rust-inductor-cpu --example conv -- THREADS IMAGES`.

use inductor::convolution::Convolution;
use inductor_cpu::{Convolve, Cpu, Product};
use std::time::Instant;

/// Channels of image and result, side of the image, side of the window, stride: ResNet-50's.
const SHAPES: [[usize; 5]; 16] = [
    [3, 64, 224, 7, 2],
    [64, 64, 56, 1, 1],
    [64, 64, 56, 3, 1],
    [64, 256, 56, 1, 1],
    [256, 64, 56, 1, 1],
    [128, 128, 56, 3, 2],
    [256, 512, 56, 1, 2],
    [128, 128, 28, 3, 1],
    [128, 512, 28, 1, 1],
    [512, 128, 28, 1, 1],
    [256, 256, 14, 3, 1],
    [256, 1024, 14, 1, 1],
    [1024, 256, 14, 1, 1],
    [512, 512, 7, 3, 1],
    [512, 2048, 7, 1, 1],
    [2048, 512, 7, 1, 1],
];

fn main() {
    let argument = |at, default| std::env::args().nth(at).and_then(|s| s.parse().ok()).unwrap_or(default);
    let (threads, images) = (argument(1, 2), argument(2, 1));
    let cpu = Cpu::new();
    for [inputs, outputs, side, window, stride] in SHAPES {
        let padding = window / 2;
        let to = (side + 2 * padding - window) / stride + 1;
        let numbers = Convolution { stride: [stride; 2], padding: [padding; 2], dilation: [1; 2], groups: 1 };
        let form = Convolve {
            numbers,
            images,
            channels: [inputs, outputs],
            size: [side; 2],
            window: [window; 2],
            out_size: [to; 2],
            image: [inputs * side * side, side * side, side],
            out: [outputs * to * to, to * to],
            bias: None,
        };
        let numbers =
            |count: usize| -> Vec<f32> { (0..count).map(|i| (i * 7919 % 1000) as f32 / 1000.0 - 0.5).collect() };
        let (weight, image) = (numbers(outputs * inputs * window * window), numbers(images * inputs * side * side));
        let mut out = vec![0f32; images * outputs * to * to];
        let kernel = cpu.product(Product::Convolve(form)).expect("compiles");
        let args = [weight.as_ptr().cast_mut().cast(), image.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
        let mut times: Vec<f64> = (0..40)
            .map(|_| {
                let start = Instant::now();
                // SAFETY: the operands have these sizes.
                unsafe { kernel.launch(&args, &[], threads) };
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let gflop = 2.0 * (outputs * inputs * window * window * images * to * to) as f64 / 1e9;
        let [least, median] = [times[0], times[times.len() / 2]];
        println!(
            "{inputs:4} → {outputs:4} {side:3}² {window}×{window} /{stride}: min {:.3} median {:.3} ms, {:.0} GFLOP/s",
            least * 1e3,
            median * 1e3,
            gflop / least
        );
    }
}
