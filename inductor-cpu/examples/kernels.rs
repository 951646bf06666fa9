//! Times hand-written kernels: `cargo run --release -p rust-inductor-cpu --example kernels [assembly]`.

#[path = "../tests/support/kernels.rs"]
#[allow(dead_code, reason = "the tests use the others")]
mod kernels;

use inductor::backend::CompiledKernel;
use inductor::loop_ir::{Kernel, Role};
use inductor_cpu::CpuKernel;
use std::time::{Duration, Instant};

const COLS: i64 = 1024;

fn main() {
    let assembly = std::env::args().nth(1).is_some_and(|a| a == "assembly");
    type Write = fn(i64, i64) -> String;
    let writers: [(&str, Write); 5] = [
        ("gelu", kernels::gelu),
        ("softmax", kernels::softmax),
        ("layer_norm", kernels::layer_norm),
        ("column_sum", kernels::column_sum),
        ("bias", kernels::bias),
    ];
    for (name, write) in writers {
        if assembly {
            let kernel: Kernel = write(128, COLS).parse().expect("a kernel");
            println!("{}", CpuKernel::new(&kernel).expect("compiles").assembly());
            continue;
        }
        for rows in [128, 4096] {
            let kernel: Kernel = write(rows, COLS).parse().expect("a kernel");
            report(name, rows, &kernel);
        }
    }
}

/// Prints how long a kernel takes to compile and to run.
fn report(name: &str, rows: i64, kernel: &Kernel) {
    let mut compiling: Vec<f64> = (0..9).map(|_| timed(|| drop(CpuKernel::new(kernel)))).collect();
    let compiled = CpuKernel::new(kernel).expect("compiles");
    let mut buffers: Vec<Vec<f32>> = kernel
        .params
        .values()
        .filter(|p| p.role != Role::Scratch)
        .map(|p| (0..p.len).map(|i| ((i * 7919 % 1000) as f32 - 500.0) / 250.0).collect())
        .collect();
    let args: Vec<*mut u8> = buffers.iter_mut().map(|b| b.as_mut_ptr().cast()).collect();
    print!("{name:12} {rows:5} rows: compile {:6.2} ms", median(&mut compiling) / 1e3);
    for threads in [1, 2] {
        // SAFETY: one buffer for each param, of its length.
        let run = || unsafe { compiled.launch(&args, threads) };
        let (start, mut times) = (Instant::now(), Vec::new());
        while start.elapsed() < Duration::from_millis(400) || times.len() < 20 {
            times.push(timed(run));
        }
        print!("   {threads} thread(s) {:8.1} us", median(&mut times));
    }
    println!();
}

/// Microseconds that `f` takes.
fn timed(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64() * 1e6
}

fn median(xs: &mut [f64]) -> f64 {
    xs.sort_by(f64::total_cmp);
    xs[xs.len() / 2]
}
