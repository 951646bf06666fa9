//! Kernels that are launched together do what each of them does alone, on any number of threads.

mod support;

use inductor::backend::{Backend, CompiledKernel, Member};
use inductor::loop_ir::Kernel;
use inductor_cpu::Cpu;
use inductor_testing::loops::{self, Buffer};
use inductor_testing::random::{GenOptions, inputs, kernel, sizes};
use std::sync::Arc;
use support::{kernels, parse};

/// Kernels with the values of their sizes.
type Group = Vec<(Kernel, Vec<i64>)>;

fn bytes(buffer: &mut Buffer) -> Vec<u8> {
    let length = buffer.len() * buffer.dtype().size();
    // SAFETY: the buffer has so many bytes, which nobody else uses.
    unsafe { std::slice::from_raw_parts(buffer.as_mut_ptr(), length) }.to_vec()
}

/// The contents of each kernel's buffers after the launch of a group; `launch` is handed the addresses of each.
fn results(group: &Group, launch: impl Fn(&[Vec<*mut u8>])) -> Vec<Vec<Vec<u8>>> {
    let drawn = group.iter().enumerate().map(|(seed, (kernel, sizes))| inputs(seed as u64, kernel, sizes));
    let mut buffers: Vec<Vec<Buffer>> = drawn.collect();
    let args: Vec<Vec<*mut u8>> =
        buffers.iter_mut().map(|own| own.iter_mut().map(Buffer::as_mut_ptr).collect()).collect();
    launch(&args);
    buffers.iter_mut().map(|own| own.iter_mut().map(bytes).collect()).collect()
}

fn check(group: &Group) {
    let cpu = Cpu::new();
    let all: Vec<Kernel> = group.iter().map(|(kernel, _)| kernel.clone()).collect();
    let compiled = cpu.compile(&all).expect("the kernels compile");
    let alone = results(group, |args| {
        for ((kernel, (_, sizes)), args) in compiled.iter().zip(group).zip(args) {
            // SAFETY: one buffer for each param, of its length.
            unsafe { kernel.launch(args, sizes, 1) };
        }
    });
    for (threads, side_by_side) in [(1, false), (2, false), (5, false), (1, true), (2, true), (5, true)] {
        let together = results(group, |args| {
            let members = compiled.iter().zip(group).zip(args).map(|((kernel, (_, sizes)), args)| Member {
                kernel: Arc::clone(kernel),
                args: args.len(),
                sizes: (&**sizes).into(),
            });
            let members = members.collect();
            // SAFETY: as above.
            unsafe { cpu.group_launches(members, side_by_side).launch(&args.concat(), &[], threads) };
        });
        assert!(together == alone, "on {threads} threads, side by side: {side_by_side}");
    }
}

fn fixed(text: &str) -> (Kernel, Vec<i64>) {
    (parse(text), Vec::new())
}

#[test]
fn small_kernels() {
    let (scale, gelu) = (fixed(&kernels::gelu(1, 7)), fixed(&kernels::gelu(5, 33)));
    check(&vec![gelu.clone(), scale, fixed(&kernels::softmax(3, 40)), gelu]);
}

#[test]
fn small_kernels_and_large_ones() {
    let large = [
        kernels::softmax(300, 1000),
        kernels::column_sum(900, 515),
        kernels::gelu(1, 3),
        kernels::layer_norm(700, 300),
    ];
    check(&large.iter().map(|text| fixed(text)).collect());
    check(&(0..200).map(|n| fixed(&kernels::gelu(1 + n % 3, 3000 + n % 5))).collect());
}

#[test]
fn random_kernels() {
    let options = GenOptions { sizes: 3, ..GenOptions::default() };
    for first in (0..60).step_by(12) {
        let one = |seed| {
            let kernel = kernel(seed, &options);
            let sizes = sizes(seed, &kernel, options.iterations);
            (kernel, sizes)
        };
        let runs =
            |(kernel, sizes): &(Kernel, Vec<i64>)| loops::run(kernel, sizes, &mut inputs(0, kernel, sizes)).is_ok();
        check(&(first..first + 12).map(one).filter(runs).collect());
    }
}

#[test]
fn kernels_of_other_devices_run_in_turn() {
    struct Adds;

    impl CompiledKernel for Adds {
        unsafe fn launch(&self, args: &[*mut u8], sizes: &[i64], _threads: usize) {
            // SAFETY: the test passes the address of a byte.
            unsafe { *args[0] += sizes[0] as u8 };
        }

        fn listing(&self) -> String {
            "adds".to_owned()
        }
    }

    let member = |amount| Member { kernel: Arc::new(Adds), args: 1, sizes: Box::new([amount]) };
    let mut bytes = [1u8, 2];
    let args = bytes.each_mut().map(std::ptr::from_mut);
    let together = Cpu::new().group_launches(vec![member(10), member(20)], false);
    // SAFETY: an address for each kernel.
    unsafe { together.launch(&args, &[], 2) };
    assert_eq!(bytes, [11, 22]);
    assert_eq!(together.listing(), "adds\nadds");
}
