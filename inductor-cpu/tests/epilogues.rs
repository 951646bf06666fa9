//! Products with epilogues give what the product and the kernel give one after the other, to the bit.

mod support;

use cranelift_entity::{EntityRef, PrimaryMap};
use fx::{Arg, NodeId};
use inductor::backend::EpilogueMode;
use inductor::backend::{Backend, CompiledKernel, Library};
use inductor::heuristics::product_least_side;
use inductor::plan::{Buf, BufData, Call, CallArg, CallKind, CallResult, Epilogue, KernelId, Layout, Plan, Storage};
use inductor_cpu::Cpu;
use proptest::prelude::*;
use std::sync::Arc;
use support::parse;
use symshapes::DType;

/// A product that is added to a residual, scaled by a row and passed through an activation.
struct Case {
    target: &'static str,
    /// The factors, and what else the call takes.
    factors: Vec<Layout>,
    plain: Vec<Arg>,
    result: Layout,
    kernel: String,
    /// Elements of what the kernel reads beside the product.
    others: Vec<i64>,
}

fn layout(sizes: &[i64], strides: &[i64]) -> Layout {
    Layout { sizes: sizes.to_vec(), strides: strides.to_vec(), offset: 0 }
}

fn row_major(sizes: &[i64]) -> Layout {
    let strides = (1..=sizes.len()).map(|dim| sizes[dim..].iter().product()).collect();
    Layout { sizes: sizes.to_vec(), strides, offset: 0 }
}

/// `tanh(product + residual)`, in one loop.
fn flat(len: i64) -> (String, Vec<i64>) {
    let text = format!(
        "kernel flat(%0: f32[{len}] in, %1: f32[{len}] in, %2: f32[{len}] out) {{
           parallel i0 in 0..{len} vector {{
             v0: f32 = load %0[i0]
             v1: f32 = load %1[i0]
             v2: f32 = add v0, v1
             v3: f32 = tanh v2
             store %2[i0] = v3
           }}
         }}"
    );
    (text, vec![len])
}

/// `tanh(product * scale + residual)`, a scale for each row, or for each column.
fn in_rows(rows: i64, columns: i64, by_row: bool) -> (String, Vec<i64>) {
    let (len, scales) = (rows * columns, if by_row { rows } else { columns });
    let (outside, inside) = if by_row { ("v0: f32 = load %1[i0]", "") } else { ("", "v0: f32 = load %1[i1]") };
    let text = format!(
        "kernel in_rows(%0: f32[{len}] in, %1: f32[{scales}] in, %2: f32[{len}] in, %3: f32[{len}] out) {{
           parallel i0 in 0..{rows} {{
             {outside}
             for i1 in 0..{columns} vector {{
               {inside}
               v1: f32 = load %0[{columns}*i0 + i1]
               v2: f32 = load %2[{columns}*i0 + i1]
               v3: f32 = fma v1, v0, v2
               v4: f32 = tanh v3
               store %3[{columns}*i0 + i1] = v4
             }}
           }}
         }}"
    );
    (text, vec![scales, len])
}

fn plan(case: &Case) -> (Plan, Call, Epilogue) {
    let mut bufs: PrimaryMap<Buf, BufData> = PrimaryMap::new();
    let mut buf = |layout: Layout, storage| bufs.push(BufData { dtype: DType::F32, layout, storage });
    let factors: Vec<Buf> =
        case.factors.iter().enumerate().map(|(at, own)| buf(own.clone(), Storage::Input(at))).collect();
    let product = buf(case.result.clone(), Storage::Arena(0));
    let others = case.others.iter().map(|&len| buf(row_major(&[len]), Storage::Owned));
    let others: Vec<Buf> = others.collect();
    let out = buf(case.result.clone(), Storage::Owned);
    let mut kernels = PrimaryMap::new();
    let kernel: KernelId = kernels.push(parse(&case.kernel));
    let plan = Plan {
        bufs,
        kernels: Arc::new(kernels),
        steps: Vec::new(),
        frozen: 0,
        inputs: 0,
        written: Vec::new(),
        outputs: Vec::new(),
        arena_bytes: 0,
        lender: None,
        fates: Arc::new([]),
    };
    let tensors = factors.iter().map(|&buf| CallArg::Tensor(plan.whole(buf)));
    let call = Call {
        target: case.target.into(),
        node: NodeId::new(0),
        args: tensors.chain(case.plain.iter().cloned().map(CallArg::Plain)).collect(),
        kwargs: Vec::new(),
        results: vec![CallResult::Tensor(product)],
        tuple: false,
        kind: CallKind::Extern,
    };
    let args = [product].into_iter().chain(others).chain([out]).collect();
    (plan, call, Epilogue { kernel, args, sizes: Vec::new(), product: 0, into: None })
}

/// The memory of a plan's buffers.
struct Memory(Vec<Vec<f32>>);

impl Memory {
    fn of(plan: &Plan) -> Memory {
        let values = |(at, data): (usize, &BufData)| {
            let len = data.layout.span().expect("it is small");
            (0..len).map(|i| ((i * 7 + at as i64 * 3) % 19) as f32 / 16.0 - 0.5).collect()
        };
        Memory(plan.bufs.values().enumerate().map(values).collect())
    }

    fn launch(&mut self, kernel: &dyn CompiledKernel, args: impl Iterator<Item = Buf>, threads: usize) {
        let args: Vec<*mut u8> = args.map(|buf| self.0[buf.index()].as_mut_ptr().cast()).collect();
        // SAFETY: the buffers have the elements that the plan says.
        unsafe { kernel.launch(&args, &[], threads) };
    }
}

fn check(case: &Case, threads: usize) {
    let cpu = Cpu::new();
    if !cpu.capabilities().epilogues {
        return;
    }
    let (plan, call, epilogue) = plan(case);
    let (product, out) = (epilogue.args[0], epilogue.args[epilogue.args.len() - 1]);
    let bufs = |library: &Library| library.args.iter().map(|view| view.buf).collect::<Vec<_>>();

    let mut apart = Memory::of(&plan);
    let library = cpu.library(&call, &plan.whole(product)).expect("a product of ours");
    apart.launch(&*library.kernel, bufs(&library).into_iter(), threads);
    let kernel = cpu.compile(&[plan.kernels[epilogue.kernel].clone()]).expect("it compiles");
    apart.launch(&*kernel[0], epilogue.args.iter().copied(), threads);

    let into = Epilogue { into: Some(epilogue.args.len() - 1), ..epilogue.clone() };
    for epilogue in [epilogue, into] {
        assert_eq!(cpu.epilogue_mode(&plan, &call, &epilogue), EpilogueMode::InPlace);
        let mut fused = Memory::of(&plan);
        let library = cpu.fused(&plan, &call, &epilogue).expect("it is taken");
        fused.launch(&*library.kernel, bufs(&library).into_iter(), threads);
        let bits = |memory: &Memory| memory.0[out.index()].iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&fused) == bits(&apart), "in the memory of {:?}: {}", epilogue.into, case.kernel);
        let whole = Memory::of(&plan);
        assert!(
            epilogue.into.is_none() || fused.0[product.index()] == whole.0[product.index()],
            "the product's is free"
        );
    }
}

/// The product of two matrices, a few of them; all lie in memory column by column if they are `turned`.
fn product(batch: i64, [m, n, k]: [i64; 3], turned: bool) -> (Vec<Layout>, Layout) {
    let lay = |rows, columns| {
        let strides = if turned { [rows * columns, 1, rows] } else { [rows * columns, columns, 1] };
        layout(&[batch, rows, columns], &strides)
    };
    (vec![lay(m, k), lay(k, n)], lay(m, n))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn of_products(
        batch in 1i64..4, m in 100i64..200, n in 100i64..200, k in 100i64..160,
        turned: bool, form in 0..3, threads in 1usize..3,
    ) {
        let (factors, result) = product(batch, [m, n, k], turned);
        let (rows, columns) = if turned { (n, m) } else { (m, n) };
        let (kernel, others) = match form {
            0 => flat(batch * m * n),
            form => in_rows(batch * rows, columns, form == 1),
        };
        check(&Case { target: "aten.bmm.default", factors, plain: Vec::new(), result, kernel, others }, threads);
    }

    #[test]
    fn of_convolutions(
        images in 1i64..4, channels in 13i64..40, outputs in 7i64..20, groups in 1i64..3,
        size in 12i64..24, window in 1i64..4, form in 0..2, threads in 1usize..3,
    ) {
        let outputs = 2 * groups * outputs.max(product_least_side() as i64);
        let factors = vec![row_major(&[images, channels * groups, size, size + 3]),
            row_major(&[outputs, channels, window, window])];
        let (rows, columns) = (size - window + 1, size + 3 - window + 1);
        let result = row_major(&[images, outputs, rows, columns]);
        let pair = |n| Arg::List(vec![Arg::Int(n), Arg::Int(n)]);
        let plain = vec![Arg::None, pair(1), pair(0), pair(1), Arg::Bool(false), pair(0), Arg::Int(groups)];
        let flop = 2 * images * outputs * rows * columns * channels * window * window;
        prop_assume!(flop >= 2_000_000);
        let (kernel, others) = match form {
            0 => flat(images * outputs * rows * columns),
            _ => in_rows(images * outputs, rows * columns, true),
        };
        check(&Case { target: "aten.convolution.default", factors, plain, result, kernel, others }, threads);
    }
}

#[test]
fn kernels_whose_rows_are_others_are_not_taken() {
    let (factors, result) = product(1, [128, 96, 128], false);
    for (rows, columns) in [(96, 128), (256, 48)] {
        let (kernel, others) = in_rows(rows, columns, true);
        let (factors, result) = (factors.clone(), result.clone());
        let case = Case { target: "aten.bmm.default", factors, plain: Vec::new(), result, kernel, others };
        let (plan, call, epilogue) = plan(&case);
        assert_eq!(Cpu::new().epilogue_mode(&plan, &call, &epilogue), EpilogueMode::Apart, "{rows} rows");
    }
}
