//! Kernels as functions of an item's number, held against the loops.

use crate::support::devices;
use inductor::grid::{lower_items, verify::verify};
use inductor::loop_ir::access::is_elementwise;
use inductor::loop_ir::{Kernel, Param};
use inductor_testing::grid as interp;
use inductor_testing::loops;
use inductor_testing::random::small_inputs;
use std::path::Path;

#[test]
fn items_do_what_the_loops_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/grid");
    let mut elementwise = Vec::new();
    for (_, kernel) in Kernel::read_folder(&folder).expect("the goldens are kernels") {
        if kernel.sizes.is_empty() && kernel.params.keys().any(|param| is_elementwise(&kernel, param)) {
            check(&kernel);
            elementwise.push(kernel.name);
        }
    }
    elementwise.sort();
    expect_test::expect!["add_mul add_mul_to arange_sub constant_pad gelu rotary"].assert_eq(&elementwise.join(" "));
}

fn check(kernel: &Kernel) {
    for (name, caps) in devices() {
        let Ok(grid) = lower_items(kernel, &caps) else { continue };
        verify(&grid, &caps).unwrap_or_else(|error| panic!("{name}: {error}\n{grid}"));
        let (mut ours, mut wanted) = (small_inputs(7, kernel, &[]), small_inputs(7, kernel, &[]));
        loops::run(kernel, &[], &mut wanted).expect("the loops run");
        let params: Vec<Param> = kernel.arguments().map(|(param, _)| param).collect();
        interp::run(&grid, &params, &[], &mut ours).unwrap_or_else(|error| panic!("{name}: {error}\n{grid}"));
        for (ours, wanted) in ours.iter().zip(&wanted) {
            let same = |i| loops::agree(ours.dtype(), ours.get(i), wanted.get(i), 64.0);
            assert!((0..ours.len()).all(same), "{name}\n{kernel}\n{grid}");
        }
    }
}
