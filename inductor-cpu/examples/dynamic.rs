//! Times kernels of symbolic sizes beside the same kernels with constants for them:
//! `cargo run --release -p rust-inductor-cpu --example dynamic [threads [kernel]]`.
//!
//! Both run in turn on the same buffers, so that a busy machine slows them alike; the figures are the ratios of their
//! best times.

#[path = "../tests/support/kernels.rs"]
#[allow(dead_code, reason = "the tests use the others")]
mod kernels;

use inductor::backend::CompiledKernel;
use inductor::loop_ir::{Kernel, Role};
use inductor_cpu::CpuKernel;
use std::time::{Duration, Instant};

/// The time for which each kernel and shape is measured.
const TIME: Duration = Duration::from_millis(600);

/// Buffers begin at so many elements more or less than a page apart: what lies exactly a page apart slows a processor
/// down by accidents of timing.
const APART: usize = 1024 + 16 * 5;

/// A number that no other constant of the kernels contains, which stands for rows and columns until they are replaced.
const MARK: [i64; 2] = [700_001, 900_001];

type Write = fn(i64, i64) -> String;

fn main() {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let writers: [(&str, Write); 8] = [
        ("gelu", kernels::gelu),
        ("softmax", kernels::softmax),
        ("layer_norm", kernels::layer_norm),
        ("column_sum", kernels::column_sum),
        ("bias", kernels::bias),
        ("transpose", kernels::transpose),
        ("back", kernels::transpose_back),
        ("lanes", kernels::transpose_lanes),
    ];
    let wanted = std::env::args().nth(2);
    for (name, write) in writers.into_iter().filter(|(name, _)| wanted.as_deref().is_none_or(|w| w == *name)) {
        for shape in [[1, 1024], [32, 197], [128, 1024], [128, 1000], [2048, 1024]] {
            report(name, write, shape, threads);
        }
    }
}

/// Prints the times of the kernel with both sizes constant, and how much longer symbolic ones take.
fn report(name: &str, write: Write, [rows, cols]: [i64; 2], threads: usize) {
    let fixed = parse(&write(rows, cols));
    let (by_rows, by_both) = (symbolic(write, "s0", None, cols), symbolic(write, "s0", Some("s1"), cols));
    let compiled = [&fixed, &by_rows, &by_both].map(|kernel| CpuKernel::new(kernel).expect("compiles"));
    let mut buffers = buffers(&fixed);
    let args: Vec<*mut u8> = buffers.iter_mut().enumerate().map(|(i, b)| b[i * APART..].as_mut_ptr().cast()).collect();
    let sizes: [&[i64]; 3] = [&[], &[rows], &[rows, cols]];
    let mut best = [f64::INFINITY; 3];
    let start = Instant::now();
    for first in (0..3).cycle().take_while(|_| start.elapsed() < TIME) {
        for at in [first, (first + 1) % 3, (first + 2) % 3] {
            // SAFETY: one buffer for each param, of its length at these sizes.
            let time = timed(|| unsafe { compiled[at].launch(&args, sizes[at], threads) });
            best[at] = best[at].min(time);
        }
    }
    let [fixed, by_rows, by_both] = best;
    let (rows_ratio, both_ratio) = (by_rows / fixed, by_both / fixed);
    println!("{name:12} {rows:5} x {cols:5}: {fixed:9.2} us, rows {rows_ratio:5.2}, both {both_ratio:5.2}");
}

/// The kernel with symbols for its rows and, where there is one, its columns.
fn symbolic(write: Write, rows: &str, cols: Option<&str>, fixed_cols: i64) -> Kernel {
    let width = if cols.is_some() { MARK[1] } else { fixed_cols };
    let text = write(MARK[0], width);
    let both = format!("{rows}*{}", cols.map_or_else(|| width.to_string(), str::to_owned));
    let text = text.replace(&(MARK[0] * width).to_string(), &both);
    let text = text.replace(&MARK[0].to_string(), rows);
    let text = cols.map_or_else(|| text.clone(), |cols| text.replace(&MARK[1].to_string(), cols));
    let sizes: Vec<String> = [Some(rows), cols].into_iter().flatten().map(|size| format!("{size}: 1..")).collect();
    parse(&text.replacen('(', &format!("<{}>(", sizes.join(", ")), 1))
}

fn parse(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Buffers of small numbers.
fn buffers(kernel: &Kernel) -> Vec<Vec<f32>> {
    let lens = kernel.params.values().filter(|p| p.role != Role::Scratch).map(|p| kernel.size(p.len, &[]));
    let lens = lens.map(|len| len.expect("a constant") + 8 * APART as i64);
    lens.map(|len| (0..len).map(|i| ((i * 7919 % 1000) as f32 - 500.0) / 250.0).collect()).collect()
}

/// Microseconds that `f` takes.
fn timed(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64() * 1e6
}
