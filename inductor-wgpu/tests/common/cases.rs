//! Calls of library operators, each with the plan around it.
#![allow(dead_code, reason = "each test uses a part")]

use cranelift_entity::{EntityRef, PrimaryMap};
use fx::{Arg, NodeId};
use inductor::loop_ir::Kernel;
use inductor::plan::{
    Buf, BufData, Call, CallArg, CallKind, CallResult, Epilogue, KernelId, Layout, Plan, Storage, View,
};
use std::sync::Arc;
use symshapes::DType;

/// A call in the making, and the buffers of its plan.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    target: &'static str,
    bufs: PrimaryMap<Buf, BufData>,
    args: Vec<CallArg>,
    results: Vec<CallResult>,
    kernels: PrimaryMap<KernelId, Kernel>,
    epilogue: Option<Epilogue>,
}

fn layout(sizes: &[i64]) -> Layout {
    let strides = (0..sizes.len()).map(|at| sizes[at + 1..].iter().product()).collect();
    Layout { sizes: sizes.to_vec(), strides, offset: 0 }
}

fn ints(values: &[i64]) -> Arg {
    Arg::List(values.iter().map(|&value| Arg::Int(value)).collect())
}

impl Case {
    /// The call, the kernel on its result, and the plan.
    pub(crate) fn planned(self) -> (Call, Option<Epilogue>, Plan) {
        let Case { target, bufs, args, results, kernels, epilogue, .. } = self;
        let tuple = results.len() > 1;
        let (node, kwargs, kind) = (NodeId::new(0), Vec::new(), CallKind::Extern);
        let call = Call { target: target.into(), node, args, kwargs, results, tuple, kind };
        let (steps, outputs, kernels) = (Vec::new(), Vec::new(), Arc::new(kernels));
        let (written, fates) = (Vec::new(), Arc::from([]));
        (
            call,
            epilogue,
            Plan { bufs, kernels, steps, frozen: 0, inputs: 3, written, outputs, arena_bytes: 0, lender: None, fates },
        )
    }

    /// True if a kernel is computed on the result.
    pub(crate) fn has_kernel(&self) -> bool {
        self.epilogue.is_some()
    }

    /// The call with this dtype in place of `float32`.
    pub(crate) fn of_dtype(mut self, dtype: DType) -> Case {
        let other = |dtype_of: &mut DType| {
            if *dtype_of == DType::F32 {
                *dtype_of = dtype;
            }
        };
        self.bufs.values_mut().for_each(|data| other(&mut data.dtype));
        for arg in &mut self.args {
            if let CallArg::Tensor(view) = arg {
                other(&mut view.dtype);
            }
        }
        self
    }

    fn new(name: &'static str, target: &'static str) -> Case {
        let (bufs, kernels) = (PrimaryMap::new(), PrimaryMap::new());
        Case { name, target, bufs, args: Vec::new(), results: Vec::new(), kernels, epilogue: None }
    }

    fn buf(&mut self, dtype: DType, sizes: &[i64], storage: Storage) -> Buf {
        self.bufs.push(BufData { dtype, layout: layout(sizes), storage })
    }

    /// An argument that is a tensor.
    fn of(mut self, sizes: &[i64]) -> Case {
        let buf = self.buf(DType::F32, sizes, Storage::Input(self.args.len()));
        self.args.push(CallArg::Tensor(View { buf, dtype: DType::F32, layout: layout(sizes) }));
        self
    }

    /// An argument that is a tensor of indices.
    fn of_indices(mut self, sizes: &[i64]) -> Case {
        let buf = self.buf(DType::I64, sizes, Storage::Input(self.args.len()));
        self.args.push(CallArg::Tensor(View { buf, dtype: DType::I64, layout: layout(sizes) }));
        self
    }

    /// The last argument as a list of one.
    fn listed(mut self) -> Case {
        let last = self.args.pop().expect("an argument");
        self.args.push(CallArg::List(vec![last]));
        self
    }

    /// An argument that is a matrix, transposed.
    fn of_transposed(mut self, sizes: [i64; 2]) -> Case {
        self = self.of(&sizes);
        if let Some(CallArg::Tensor(view)) = self.args.last_mut() {
            view.layout.sizes.reverse();
            view.layout.strides.reverse();
        }
        self
    }

    /// Arguments that are none.
    fn with(mut self, args: impl IntoIterator<Item = Arg>) -> Case {
        self.args.extend(args.into_iter().map(CallArg::Plain));
        self
    }

    fn gives(mut self, dtype: DType, sizes: &[i64]) -> Case {
        let buf = self.buf(dtype, sizes, Storage::Result);
        self.results.push(CallResult::Tensor(buf));
        self
    }

    /// A kernel on the result, which is its first argument; `others` are its other inputs, and its last argument is
    /// like the result.
    pub(crate) fn then(mut self, text: &str, others: &[&[i64]]) -> Case {
        let CallResult::Tensor(result) = self.results[0] else { panic!("the call gives a tensor") };
        let sizes = self.bufs[result].layout.sizes.clone();
        let mut args = vec![result];
        args.extend(others.iter().map(|sizes| self.buf(DType::F32, sizes, Storage::Input(9))));
        args.push(self.buf(DType::F32, &sizes, Storage::Owned));
        let kernel = self.kernels.push(text.parse().expect("a kernel"));
        self.epilogue = Some(Epilogue { kernel, args, sizes: Vec::new(), product: 0, into: None });
        self
    }
}

/// The calls whose shaders are goldens.
pub(crate) fn cases() -> Vec<Case> {
    let pair = |n| ints(&[n, n]);
    let convolution = |name| Case::new(name, "aten.convolution.default").of(&[2, 3, 9, 8]).of(&[5, 3, 3, 3]);
    let heads: &[i64] = &[2, 3, 19, 16];
    vec![
        Case::new("mm_small", "aten.mm.default").of(&[20, 30]).of(&[30, 40]).gives(DType::F32, &[20, 40]),
        Case::new("mm_large", "aten.mm.default").of(&[70, 30]).of_transposed([90, 30]).gives(DType::F32, &[70, 90]),
        Case::new("addmm", "aten.addmm.default").of(&[40]).of(&[20, 30]).of(&[30, 40]).gives(DType::F32, &[20, 40]),
        Case::new("mm_gelu", "aten.mm.default")
            .of(&[100, 30])
            .of(&[30, 100])
            .gives(DType::F32, &[100, 100])
            .then(include_str!("../../../inductor/tests/golden/grid/pointwise.loop"), &[&[100], &[100]]),
        convolution("convolution")
            .of(&[5])
            .with([pair(1), pair(1), pair(1), Arg::Bool(false), pair(0), Arg::Int(1)])
            .gives(DType::F32, &[2, 5, 9, 8]),
        Case::new("convolution_transposed", "aten.convolution.default")
            .of(&[2, 6, 5, 4])
            .of(&[6, 3, 3, 3])
            .with([Arg::None, pair(2), pair(1), pair(1), Arg::Bool(true), pair(1), Arg::Int(1)])
            .gives(DType::F32, &[2, 3, 10, 8]),
        Case::new("max_pool2d", "aten.max_pool2d_with_indices.default")
            .of(&[2, 3, 9, 8])
            .with([pair(3), pair(2), pair(1)])
            .gives(DType::F32, &[2, 3, 5, 4])
            .gives(DType::I64, &[2, 3, 5, 4]),
        Case::new("avg_pool2d", "aten.avg_pool2d.default")
            .of(&[2, 3, 9, 8])
            .with([pair(3), pair(2), pair(1)])
            .gives(DType::F32, &[2, 3, 5, 4]),
        Case::new("adaptive_avg_pool2d", "aten._adaptive_avg_pool2d.default")
            .of(&[2, 3, 9, 8])
            .with([ints(&[2, 3])])
            .gives(DType::F32, &[2, 3, 2, 3]),
        Case::new("max_pool3d", "aten.max_pool3d_with_indices.default")
            .of(&[2, 3, 5, 6, 7])
            .with([ints(&[2, 3, 2]), ints(&[1, 2, 2]), ints(&[0, 1, 1])])
            .gives(DType::F32, &[2, 3, 4, 3, 4])
            .gives(DType::I64, &[2, 3, 4, 3, 4]),
        Case::new("scatter_add", "aten.scatter_add.default")
            .of(&[6, 5])
            .with([Arg::Int(0)])
            .of_indices(&[20, 5])
            .of(&[20, 5])
            .gives(DType::F32, &[6, 5]),
        Case::new("index_put", "aten.index_put.default")
            .of(&[6, 5])
            .of_indices(&[20])
            .listed()
            .of(&[20, 5])
            .gives(DType::F32, &[6, 5]),
        Case::new("sort", "aten.sort.default")
            .of(&[3, 20])
            .with([Arg::Int(1), Arg::Bool(true)])
            .gives(DType::F32, &[3, 20])
            .gives(DType::I64, &[3, 20]),
        Case::new("cumsum", "aten.cumsum.default").of(&[3, 20]).with([Arg::Int(1)]).gives(DType::F32, &[3, 20]),
        Case::new("attention", "aten._scaled_dot_product_flash_attention_for_cpu.default")
            .of(heads)
            .of(heads)
            .of(heads)
            .with([Arg::Float(0.0), Arg::Bool(true)])
            .gives(DType::F32, heads)
            .gives(DType::F32, &heads[..3]),
    ]
}

/// Calls that are run only: backward, more dimensions.
pub(crate) fn others() -> Vec<Case> {
    let (pair, triple) = (|n| ints(&[n, n]), |n| ints(&[n, n, n]));
    let all = || Arg::List(vec![Arg::Bool(true); 3]);
    vec![
        Case::new("linear", "aten.linear.default")
            .of(&[3, 20, 30])
            .of(&[40, 30])
            .of(&[40])
            .gives(DType::F32, &[3, 20, 40]),
        Case::new("bmm", "aten.bmm.default").of(&[3, 20, 30]).of(&[3, 30, 40]).gives(DType::F32, &[3, 20, 40]),
        Case::new("convolution over three dimensions", "aten.convolution.default")
            .of(&[2, 4, 5, 6, 7])
            .of(&[6, 2, 2, 3, 2])
            .of(&[6])
            .with([triple(1), triple(1), triple(1), Arg::Bool(false), triple(0), Arg::Int(2)])
            .gives(DType::F32, &[2, 6, 6, 6, 8]),
        Case::new("convolution's backward", "aten.convolution_backward.default")
            .of(&[2, 5, 9, 8])
            .of(&[2, 3, 9, 8])
            .of(&[5, 3, 3, 3])
            .with([ints(&[5]), pair(1), pair(1), pair(1), Arg::Bool(false), pair(0), Arg::Int(1), all()])
            .gives(DType::F32, &[2, 3, 9, 8])
            .gives(DType::F32, &[5, 3, 3, 3])
            .gives(DType::F32, &[5]),
        Case::new("sorting of long lines", "aten.sort.stable")
            .of(&[2, 3000])
            .with([Arg::Bool(true), Arg::Int(1), Arg::Bool(false)])
            .gives(DType::F32, &[2, 3000])
            .gives(DType::I64, &[2, 3000]),
        Case::new("avg_pool2d's backward", "aten.avg_pool2d_backward.default")
            .of(&[2, 3, 5, 4])
            .of(&[2, 3, 9, 8])
            .with([pair(3), pair(2), pair(1), Arg::Bool(false), Arg::Bool(true), Arg::None])
            .gives(DType::F32, &[2, 3, 9, 8]),
    ]
}
