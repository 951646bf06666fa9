//! Helpers that the tests share.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod kernels;

use cranelift_entity::{EntityRef, PrimaryMap};
use fx::prim::Pointwise;
use inductor::backend::Backend;
use inductor::loop_ir::{Axis, AxisData, Kernel, Loop, Op, ParamData, Role, Scalar, Stmt, StoreMode, Value, ValueData};
use inductor_cpu::Cpu;
use inductor_testing::loops::{self, Buffer, agree};
use symshapes::{DType, Pool};

/// `out = op(in…)` on `f32` over `n` elements.
pub(crate) fn pointwise(op: Pointwise, n: i64) -> Kernel {
    let mut exprs = Pool::new();
    let n = exprs.int(n);
    let sym = exprs.position("i0", n);
    let index = exprs.sym(sym);
    let mut kernel = Kernel {
        name: op.name().to_owned(),
        exprs,
        sizes: Vec::new(),
        params: PrimaryMap::new(),
        axes: PrimaryMap::new(),
        values: PrimaryMap::new(),
        accs: PrimaryMap::new(),
        root: Loop { axis: Axis::new(0), vector: true, accs: Vec::new(), body: Vec::new() },
    };
    kernel.axes.push(AxisData { sym, extent: n });
    let args: Vec<Value> = (0..op.arity())
        .map(|_| {
            let param = kernel.params.push(ParamData { dtype: DType::F32, len: n, role: Role::In });
            kernel.values.push(ValueData { op: Op::Load { param, index, mask: None }, dtype: DType::F32 })
        })
        .collect();
    let dtype = op.result_dtype(DType::F32);
    let value = kernel.values.push(ValueData { op: Op::Map(op, args.iter().copied().collect()), dtype });
    let param = kernel.params.push(ParamData { dtype, len: n, role: Role::Out });
    kernel.root.body = args.into_iter().chain([value]).map(Stmt::Let).collect();
    kernel.root.body.push(Stmt::Store { param, index, value, mask: None, mode: StoreMode::Set });
    kernel
}

/// The error of `y` in units of its last place: infinite where one is NaN or infinite and the other is not.
pub(crate) fn ulps(y: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if y.to_bits() == rounded.to_bits() || (y.is_nan() && rounded.is_nan()) {
        return 0.0;
    }
    if y.is_nan() || rounded.is_nan() {
        return f64::INFINITY;
    }
    // The spacing of f32 at the result; infinity stands one step beyond the largest.
    let exponent = (exact.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor() as i32).clamp(-126, 127);
    let y = if y.is_infinite() { f64::from(y.signum()) * 2f64.powi(128) } else { f64::from(y) };
    let exact = exact.clamp(-(2f64.powi(128)), 2f64.powi(128));
    (y - exact).abs() / 2f64.powi(exponent - 23)
}

/// Reads a kernel.
pub(crate) fn parse(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Inputs for a kernel: small numbers of both signs (0..10 for integers), alike for one seed.
pub(crate) fn inputs(kernel: &Kernel, sizes: &[i64], seed: u64) -> Vec<Buffer> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let params = kernel.params.values().filter(|p| p.role != Role::Scratch);
    params
        .map(|param| {
            let mut element = || match param.dtype {
                DType::Bool => Scalar::Int((draw() % 2) as i64),
                d if d.is_float() => Scalar::Float((draw() % 20_000) as f64 / 2500.0 - 4.0),
                _ => Scalar::Int((draw() % 10) as i64),
            };
            let elements: Vec<Scalar> =
                (0..kernel.size(param.len, sizes).expect("sizes have values")).map(|_| element()).collect();
            Buffer::from_scalars(param.dtype, &elements)
        })
        .collect()
}

/// Runs a kernel compiled and interpreted; results may differ by `tolerance` units of the last place of the larger of
/// them and 1 (floats), else not at all.
pub(crate) fn check(kernel: &Kernel, seed: u64, tolerance: f64) {
    check_at(kernel, &[], seed, tolerance);
}

/// [`check`] for these sizes.
pub(crate) fn check_at(kernel: &Kernel, sizes: &[i64], seed: u64, tolerance: f64) {
    compare(&Cpu::new(), kernel, sizes, inputs(kernel, sizes, seed), tolerance);
}

/// [`check`] on these inputs.
pub(crate) fn compare(cpu: &Cpu, kernel: &Kernel, sizes: &[i64], inputs: Vec<Buffer>, tolerance: f64) {
    if let Err(error) = difference(cpu, kernel, sizes, inputs, tolerance) {
        panic!("{error}");
    }
}

/// Non-panicking counterpart of [`compare`]: the error tells of the first difference.
pub(crate) fn difference(
    cpu: &Cpu,
    kernel: &Kernel,
    sizes: &[i64],
    inputs: Vec<Buffer>,
    tolerance: f64,
) -> Result<(), String> {
    let compiled = cpu.compile(std::slice::from_ref(kernel)).map_err(|e| format!("{e}\n{kernel}"))?;
    let (mut ours, mut wanted) = (inputs.clone(), inputs);
    loops::run(kernel, sizes, &mut wanted).map_err(|e| format!("{sizes:?}: {e}\n{kernel}"))?;
    let args: Vec<*mut u8> = ours.iter_mut().map(Buffer::as_mut_ptr).collect();
    // SAFETY: one buffer for each param, of its length.
    unsafe { compiled[0].launch(&args, sizes, 2) };
    for (at, (ours, wanted)) in ours.iter().zip(&wanted).enumerate() {
        for i in 0..ours.len() {
            let (a, b) = (ours.get(i), wanted.get(i));
            let same = agree(ours.dtype(), a, b, tolerance);
            let place = format!("sizes {sizes:?}, buffer {at}[{i}]");
            if !same {
                return Err(format!("{place}: {a:?}, wanted {b:?}\n{kernel}\n{}", compiled[0].listing()));
            }
        }
    }
    Ok(())
}
