//! `print FILE.loop …`: the CUDA C++ of kernels of loop IR, and the threads and groups of each stage.

use inductor::grid::lower;
use inductor::loop_ir::Kernel;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
        let grid = lower(&kernel, &inductor_cuda::capabilities()).unwrap_or_else(|error| panic!("{path}: {error}"));
        for stage in &grid.stages {
            println!("// {}: {} threads, {:?} groups", stage.name, stage.threads, grid.groups(stage, &[]));
        }
        println!("{}", inductor_cuda::print(&grid));
    }
}
