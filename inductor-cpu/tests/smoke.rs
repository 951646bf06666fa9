//! One pointwise kernel, end to end.

use cranelift_entity::PrimaryMap;
use fx::prim::Pointwise;
use inductor::backend::{Backend, CompiledKernel};
use inductor::loop_ir::*;
use inductor_cpu::{Cpu, CpuKernel};
use smallvec::smallvec;
use symshapes::{DType, Pool, Range};

/// `out = op(x)` over `n` elements.
fn unary(op: Pointwise, n: i64) -> Kernel {
    let mut exprs = Pool::new();
    let sym = exprs.symbol("i0", Range::index(n));
    let index = exprs.sym(sym);
    let mut k = Kernel {
        name: op.name().to_owned(),
        exprs,
        params: PrimaryMap::new(),
        axes: PrimaryMap::new(),
        values: PrimaryMap::new(),
        accs: PrimaryMap::new(),
        root: Loop { axis: Axis::from_u32(0), vector: true, accs: vec![], body: vec![] },
    };
    let x = k.params.push(ParamData { dtype: DType::F32, len: n, role: Role::In });
    let o = k.params.push(ParamData { dtype: DType::F32, len: n, role: Role::Out });
    k.axes.push(AxisData { sym, extent: n });
    let v = k.values.push(ValueData { op: Op::Load { param: x, index, mask: None }, dtype: DType::F32 });
    let w = k.values.push(ValueData { op: Op::Map(op, smallvec![v]), dtype: DType::F32 });
    k.root.body =
        vec![Stmt::Let(v), Stmt::Let(w), Stmt::Store { param: o, index, value: w, mask: None, mode: StoreMode::Set }];
    k
}

#[test]
fn pointwise() {
    for n in [1, 15, 16, 17, 64, 100, 1000, 100_003] {
        for (op, f) in
            [(Pointwise::Sqrt, f32::sqrt as fn(f32) -> f32), (Pointwise::Exp, f32::exp), (Pointwise::Neg, |x| -x)]
        {
            let kernel = unary(op, n);
            let compiled = CpuKernel::new(&kernel).unwrap();
            let mut x: Vec<f32> = (0..n).map(|i| i as f32 * 0.001).collect();
            let mut o = vec![0f32; n as usize];
            unsafe { compiled.launch(&[x.as_mut_ptr().cast(), o.as_mut_ptr().cast()], 2) };
            for (x, o) in x.iter().zip(&o) {
                assert_eq!(f(*x).to_bits(), o.to_bits(), "{op} {n}\n{}", compiled.optimised());
            }
        }
    }
    assert_eq!(Cpu::new().compile(&[unary(Pointwise::Abs, 100), unary(Pointwise::Erf, 7)]).unwrap().len(), 2);
}
