//! Devices, inputs and the comparison with the interpreter that the tests share.

use inductor::grid::{Capabilities, GridKernel, lower, verify::verify};
use inductor::loop_ir::{Kernel, Param};
use inductor_testing::grid as interp;
use inductor_testing::loops::{self, Buffer, agree};

/// Devices: packed words with and without 64-bit integers, and one that has everything.
pub(crate) fn devices() -> [(&'static str, Capabilities); 3] {
    [("web", Capabilities::web(true)), ("narrow", Capabilities::web(false)), ("full", Capabilities::full())]
}

/// Runs a kernel by both interpreters; results may differ by `tolerance` units of the last place of the larger of
/// them and 1 (floats), else not at all. Gives what it was lowered to, or why it was not.
pub(crate) fn check(
    kernel: &Kernel,
    caps: &Capabilities,
    sizes: &[i64],
    inputs: &[Buffer],
    tolerance: f64,
) -> Result<GridKernel, String> {
    let grid = lower(kernel, caps).map_err(|error| error.reason)?;
    verify(&grid, caps).unwrap_or_else(|error| panic!("{error}\n{kernel}\n{grid}"));
    let (mut ours, mut wanted) = (inputs.to_vec(), inputs.to_vec());
    loops::run(kernel, sizes, &mut wanted).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let params: Vec<Param> = kernel.arguments().map(|(param, _)| param).collect();
    interp::run(&grid, &params, sizes, &mut ours)
        .unwrap_or_else(|error| panic!("sizes {sizes:?}: {error}\n{kernel}\n{grid}"));
    for (at, (ours, wanted)) in ours.iter().zip(&wanted).enumerate() {
        for i in 0..ours.len() {
            let (a, b) = (ours.get(i), wanted.get(i));
            let place = format!("sizes {sizes:?}, buffer {at}[{i}]");
            assert!(agree(ours.dtype(), a, b, tolerance), "{place}: {a:?}, wanted {b:?}\n{kernel}\n{grid}");
        }
    }
    Ok(grid)
}

/// Arguments to try a function at: everything special, small and large numbers of both signs, and in between.
pub(crate) fn inputs_of(op: fx::prim::Pointwise) -> Vec<Vec<f64>> {
    let specials = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, -1e30, 7e5];
    let mut singles: Vec<f64> = specials.to_vec();
    for i in 1..1500 {
        let x = f64::from(i);
        singles.extend([x * 0.0011, -x * 0.0011, x * 0.07, -x * 0.07, x * 61.3, x * 1e5, (x * 0.05 - 37.0).exp2()]);
    }
    let singles: Vec<f64> = singles.iter().map(|&x| f64::from(x as f32)).collect();
    if op.arity() == 1 {
        return vec![singles];
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (i, &a) in singles.iter().enumerate() {
        let others = if i < specials.len() { &singles[..specials.len()] } else { &singles[(i * 7) % 9000..][..2] };
        for &b in others {
            // The exact remainder of very unequal numbers takes its time in the interpreter.
            let unequal = op == fx::prim::Pointwise::Fmod && (a / b).abs() > 1e6;
            first.push(a);
            second.push(if unequal { 3.0 } else { b });
        }
    }
    vec![first, second]
}
