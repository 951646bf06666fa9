//! Times hand-written kernels: `cargo run --release -p rust-inductor-cpu --example kernels [assembly]`.

#[path = "../tests/support/kernels.rs"]
#[allow(dead_code, reason = "the tests use the others")]
mod kernels;

use inductor::backend::CompiledKernel;
use inductor::loop_ir::{Kernel, Role};
use inductor_cpu::CpuKernel;
use std::time::{Duration, Instant};

const COLS: i64 = 1024;

/// The number of times that each kernel is compiled.
const COMPILES: u32 = 20;

fn main() {
    let assembly = std::env::args().nth(1).is_some_and(|a| a == "assembly");
    type Write = fn(i64, i64) -> String;
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
    let before = processor_time();
    for _ in 0..COMPILES {
        drop(CpuKernel::new(kernel));
    }
    let compiling = (processor_time() - before) / f64::from(COMPILES);
    let compiled = CpuKernel::new(kernel).expect("compiles");
    let mut buffers: Vec<Vec<f32>> = kernel
        .params
        .values()
        .filter(|p| p.role != Role::Scratch)
        .map(|p| {
            (0..kernel.size(p.len, &[]).expect("sizes are constant"))
                .map(|i| ((i * 7919 % 1000) as f32 - 500.0) / 250.0)
                .collect()
        })
        .collect();
    let args: Vec<*mut u8> = buffers.iter_mut().map(|b| b.as_mut_ptr().cast()).collect();
    print!("{name:12} {rows:5} rows: compile {compiling:5.2} ms");
    for threads in [1, 2] {
        // SAFETY: one buffer for each param, of its length.
        let run = || unsafe { compiled.launch(&args, &[], threads) };
        let (start, mut times) = (Instant::now(), Vec::new());
        while start.elapsed() < Duration::from_millis(400) || times.len() < 20 {
            times.push(timed(run));
        }
        times.sort_by(f64::total_cmp);
        print!("   {threads} thread(s) {:8.1} us (best {:8.1})", times[times.len() / 2], times[0]);
    }
    println!();
}

/// Microseconds that `f` takes.
fn timed(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64() * 1e6
}

/// Milliseconds that this thread has spent on a processor; 0 where the system does not say.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or(0.0, |ns| ns / 1e6)
}
