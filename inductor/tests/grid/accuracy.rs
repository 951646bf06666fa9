//! Errors of the functions that are spelled out, against the exact values.

use crate::support::inputs_of;
use expect_test::expect;
use fx::prim::Pointwise as P;
use inductor::grid::{Capabilities, FUNCTIONS, lower};
use inductor::loop_ir::{Kernel, Param, Scalar};
use inductor_testing::grid as interp;
use inductor_testing::loops::Buffer;
use symshapes::DType;

/// `out = op(in…)` over `n` elements.
fn kernel(op: P, n: usize) -> Kernel {
    let params: String = (0..op.arity()).map(|i| format!("%{i}: f32[{n}] in, ")).collect();
    let loads: String = (0..op.arity()).map(|i| format!("v{i}: f32 = load %{i}[i0]\n")).collect();
    let args: Vec<String> = (0..op.arity()).map(|i| format!("v{i}")).collect();
    let (k, args) = (op.arity(), args.join(", "));
    format!(
        "kernel {op}({params}%{k}: f32[{n}] out) {{
           parallel i0 in 0..{n} vector {{
             {loads}v{k}: f32 = {op} {args}
             store %{k}[i0] = v{k}
           }}
         }}"
    )
    .parse()
    .expect("a kernel")
}

/// The error in units of the last place: infinite where one is NaN or infinite and the other is not.
fn ulps(y: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if y.to_bits() == rounded.to_bits() || (y.is_nan() && rounded.is_nan()) {
        return 0.0;
    }
    if y.is_nan() || rounded.is_nan() {
        return f64::INFINITY;
    }
    let exponent = (exact.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor() as i32).clamp(-126, 127);
    let y = if y.is_infinite() { f64::from(y.signum()) * 2f64.powi(128) } else { f64::from(y) };
    let exact = exact.clamp(-(2f64.powi(128)), 2f64.powi(128));
    (y - exact).abs() / 2f64.powi(exponent - 23)
}

/// The largest error of a function over many arguments, and where.
fn worst(op: P) -> (f64, Vec<f64>) {
    let columns = inputs_of(op);
    let n = columns[0].len();
    let (kernel, caps) = (kernel(op, n), Capabilities::web(true));
    let grid = lower(&kernel, &caps).expect("it is spelled out");
    let mut buffers: Vec<Buffer> = columns
        .iter()
        .map(|column| {
            let scalars: Vec<Scalar> = column.iter().map(|&x| Scalar::Float(x)).collect();
            Buffer::from_scalars(DType::F32, &scalars)
        })
        .collect();
    buffers.push(Buffer::zeroed(DType::F32, n));
    let params: Vec<Param> = kernel.arguments().map(|(param, _)| param).collect();
    interp::run(&grid, &params, &[], &mut buffers).expect("it runs");
    let mut worst = (0.0, Vec::new());
    for i in 0..n {
        let args: Vec<Scalar> = buffers[..columns.len()].iter().map(|column| column.get(i)).collect();
        let exact = fx_interp::scalar::pointwise(op, DType::F64, &args).as_f64();
        let error = ulps(buffers[columns.len()].get(i).as_f64() as f32, exact);
        if error > worst.0 {
            worst = (error, args.iter().map(|arg| arg.as_f64()).collect());
        }
    }
    worst
}

#[test]
fn functions_are_within_a_few_units_of_the_last_place() {
    let shown = FUNCTIONS.iter().map(|&op| {
        let (error, at) = worst(op);
        if error > 8.0 { format!("{op}: {error:.1} at {at:?}") } else { format!("{op}: {}", error.ceil()) }
    });
    expect![[r#"
        exp: 1
        exp2: 1
        expm1: 2
        log: 1
        log2: 1
        log10: 1
        log1p: 2
        sin: 2
        cos: 3
        tan: 4
        asin: 2
        acos: 2
        atan: 2
        atan2: 2
        sinh: 2
        cosh: 2
        tanh: 2
        erf: 1
        erfc: 4
        pow: 9.1 at [1.3530000448226929, 256.0]
        fmod: 0"#]]
    .assert_eq(&shown.collect::<Vec<String>>().join("\n"));
}
