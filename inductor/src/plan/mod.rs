//! The plan: what a compiled graph does when it is called, step by step.
//!
//! A plan is data. The Python binding runs it (it alone knows how to allocate tensors and call ATen); tests print it.
//! Invariants: a step reads only buffers that an earlier step wrote or that are inputs; arena buffers whose lifetimes
//! overlap do not overlap in memory; a buffer that a fallback call sees, which might keep it, is never in the arena; an
//! input is written to once, if the graph changes it, and only its new value is read after that.
//!
//! The compiler gives a [`SymbolicPlan`], whose sizes are expressions; [`SymbolicPlan::at`] gives the plan for their
//! values, with its buffers placed in the arena, or the [`SizeError`] of what it was not made for. It is all that
//! another process needs beside weights: [`json`] writes it to a file and reads it again.

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use fx::NodeId;
use serde::{Deserialize, Serialize};
use symshapes::DType;

pub mod json;
mod launch_groups;
mod runs;
mod sizes;
mod symbolic;
mod text;
pub(crate) mod uses;
pub mod verify;

pub use sizes::SizeError;
pub use symbolic::{Choices, Lives, SymbolicPlan};

use crate::calls;
pub use crate::calls::{CallKind, ObjectId};
use crate::loop_ir::Kernel;

/// A piece of memory that the plan deals with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Buf(u32);
entity_impl!(Buf, "b");

/// A distinct kernel of the plan.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KernelId(u32);
entity_impl!(KernelId, "k");

/// A tensor's layout in its buffer; `D` is the type of a size.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Layout<D = i64> {
    /// Elements along each dimension.
    pub sizes: Vec<D>,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<D>,
    /// Elements before the first one.
    pub offset: D,
}

impl Layout {
    /// True if the elements lie in row-major order without gaps (strides of dimensions of size 1 do not matter).
    pub fn is_row_major(&self) -> bool {
        let mut expected = Some(1i64);
        self.sizes.contains(&0)
            || self.sizes.iter().zip(&self.strides).rev().all(|(&size, &stride)| {
                let fits = size == 1 || Some(stride) == expected;
                expected = expected.and_then(|expected| expected.checked_mul(size));
                fits
            })
    }

    /// The number of elements that the layout spans from the start of its buffer; `None` if that leaves 64 bits.
    pub fn span(&self) -> Option<i64> {
        if self.sizes.contains(&0) {
            return Some(0);
        }
        let mut dims = self.sizes.iter().zip(&self.strides);
        let last = dims.try_fold(self.offset, |last, (n, s)| last.checked_add(n.checked_sub(1)?.checked_mul(*s)?))?;
        last.checked_add(1)
    }
}

/// A tensor: a layout of a buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct View<D = i64> {
    /// The memory.
    pub buf: Buf,
    /// The element type.
    pub dtype: DType,
    /// Sizes, strides and offset in elements.
    pub layout: Layout<D>,
}

/// The sources of a buffer's memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Storage {
    /// The caller's argument with this number.
    Input(usize),
    /// At this byte offset of the arena, whose contents nobody relies on from call to call. Extern calls may read it
    /// and, where their results say so, write it; fallback calls never see it.
    Arena(usize),
    /// At this byte offset of the memory of the plan's [lender](Plan::lender), which nothing has written by then. Only
    /// a [`Plan`] has such buffers, and they are used as those in the arena are.
    Lent(usize),
    /// Allocated as a tensor of its own in each call before the step that first writes it: outputs, and whatever a
    /// fallback call sees.
    Owned,
    /// Made by the call step that has it among its results.
    Result,
    /// A tensor constant of the graph (an attribute of the module), by number.
    Constant(usize),
}

impl Storage {
    /// True for what is there before the first step.
    pub fn is_given(&self) -> bool {
        matches!(self, Storage::Input(_) | Storage::Constant(_))
    }

    /// True for memory that other buffers use before or afterwards.
    pub fn is_shared(&self) -> bool {
        matches!(self, Storage::Arena(_) | Storage::Lent(_))
    }
}

/// A buffer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BufData<D = i64> {
    /// Type of the elements.
    pub dtype: DType,
    /// The layout with which it is allocated (inputs, constants and results: that which the graph promises).
    pub layout: Layout<D>,
    /// The source of its memory.
    pub storage: Storage,
}

/// An argument of a call: as in the graph, with tensors as views.
pub type CallArg<D = i64> = calls::CallArg<View<D>>;

/// A result of a call step. A tensor of `Storage::Result` the call allocates, and the executor makes sure that its
/// dtype, sizes and strides are those promised (copying where they are not); into any other storage the call writes
/// (`out=`).
pub type CallResult = calls::CallResult<Buf>;

/// A call of an operator, on views of buffers.
pub type Call<D = i64> = calls::Call<View<D>, Buf>;

/// A kernel on whole buffers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Launch<D = i64> {
    /// The kernel.
    pub kernel: KernelId,
    /// The buffers, in the order of its params.
    pub args: Vec<Buf>,
    /// The values of the kernel's sizes.
    pub sizes: Vec<D>,
}

/// A kernel that is computed with the only result of a call, element by element ([`epilogue`](crate::epilogue)).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Epilogue<D = i64> {
    /// The kernel.
    pub kernel: KernelId,
    /// The buffers of a launch.
    pub args: Vec<Buf>,
    /// The values of the kernel's sizes.
    pub sizes: Vec<D>,
    /// The number, among the buffers, of the call's result. Nothing else reads it.
    pub product: usize,
    /// The buffer in whose memory the result is until the kernel reads it; its own is not touched.
    pub into: Option<usize>,
}

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Step<D = i64> {
    /// Launch a kernel.
    Launch(Launch<D>),
    /// Launch kernels that have nothing to do with each other, in any order or at the same time. Only a [`Plan`] has
    /// such steps: which kernels are small depends on sizes.
    Group(Vec<Launch<D>>),
    /// Call an operator.
    Call(Call<D>),
    /// Call an operator and launch a kernel on its result, which need not be stored in between.
    Fused(Call<D>, Epilogue<D>),
    /// An owned buffer or call result is not used any more.
    Free(Buf),
    /// If this byte of the arena, which nothing else shares and which is 0 at first, is not 0: a kernel has met an
    /// index out of bounds, and the call fails with an index error.
    Check(Buf),
    /// The caller's tensor gets these elements.
    Write {
        /// The input's buffer.
        into: Buf,
        /// The new elements, of the same dtype and sizes.
        from: View<D>,
    },
}

/// One output of the plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Output<D = i64> {
    /// A tensor; a view of an input, constant, owned buffer or result. Identical views may be returned as one tensor.
    Tensor(View<D>),
    /// A value without tensors.
    Plain(fx::Arg),
    /// A value from an opaque call.
    Object(ObjectId),
}

/// The outcomes of compilation for a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Fate {
    /// Computed in this kernel (a node may be computed in several).
    Kernel(Vec<KernelId>),
    /// Called, as an extern kernel.
    Extern,
    /// Called, since no rule covers it.
    Fallback(String),
    /// Only changes how memory is seen: costs nothing.
    View,
    /// Known at compile time.
    Constant,
    /// It is the new value of an input.
    Write,
    /// Nothing needs it.
    Dead,
}

/// A compiled graph, but for the machine code of its kernels.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Every buffer.
    pub bufs: PrimaryMap<Buf, BufData>,
    /// The distinct kernels.
    pub kernels: Arc<PrimaryMap<KernelId, Kernel>>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The number of leading steps that follow from weights alone ([`freeze`](crate::freeze)).
    pub frozen: usize,
    /// Number of inputs that the graph takes; inputs that nothing reads have no buffer.
    pub inputs: usize,
    /// The buffers of inputs that the graph changes.
    pub written: Vec<Buf>,
    /// The outputs that are returned.
    pub outputs: Vec<Output>,
    /// Bytes of the arena.
    pub arena_bytes: usize,
    /// The result in whose memory buffers lie that are not used any more when it is written ([`Storage::Lent`]).
    pub lender: Option<Buf>,
    /// The fate of each node, in the order of the graph.
    pub fates: Arc<[(NodeId, Fate)]>,
}

impl Plan {
    /// All of a buffer.
    pub fn whole(&self, buf: Buf) -> View {
        let BufData { dtype, layout, .. } = &self.bufs[buf];
        View { buf, dtype: *dtype, layout: layout.clone() }
    }
}

impl<D> Call<D> {
    /// Calls `f` on every buffer that the call touches.
    pub fn for_each_buf(&self, f: &mut impl FnMut(Buf)) {
        self.for_each_tensor(&mut |view| f(view.buf));
        self.result_tensors().for_each(|&buf| f(buf));
    }

    /// Calls `f` on every buffer that the call touches, to change it.
    pub fn for_each_buf_mut(&mut self, f: &mut impl FnMut(&mut Buf)) {
        self.for_each_tensor_mut(&mut |view| f(&mut view.buf));
        self.result_tensors_mut().for_each(f);
    }
}

impl<D> Epilogue<D> {
    /// The kernel's launch alone.
    pub fn launch(&self) -> Launch<D>
    where
        D: Clone,
    {
        Launch { kernel: self.kernel, args: self.args.clone(), sizes: self.sizes.clone() }
    }
}

impl<D> Step<D> {
    /// A fused step as a call and a launch, several launches one by one; another as it is.
    pub fn apart(&self) -> Vec<Step<D>>
    where
        D: Clone,
    {
        match self {
            Step::Fused(call, epilogue) => vec![Step::Call(call.clone()), Step::Launch(epilogue.launch())],
            Step::Group(launches) => launches.iter().cloned().map(Step::Launch).collect(),
            Step::Launch(_) | Step::Call(_) | Step::Free(_) | Step::Check(_) | Step::Write { .. } => {
                vec![self.clone()]
            }
        }
    }

    /// The step's launches, but for that of a kernel that is fused with a call.
    pub fn launches(&self) -> &[Launch<D>] {
        match self {
            Step::Launch(launch) => std::slice::from_ref(launch),
            Step::Group(launches) => launches,
            Step::Call(_) | Step::Fused(..) | Step::Free(_) | Step::Check(_) | Step::Write { .. } => &[],
        }
    }

    /// Calls `f` on every kernel that the step computes, to change it.
    pub fn for_each_kernel_mut(&mut self, f: &mut impl FnMut(&mut KernelId)) {
        match self {
            Step::Launch(Launch { kernel, .. }) | Step::Fused(_, Epilogue { kernel, .. }) => f(kernel),
            Step::Group(launches) => launches.iter_mut().for_each(|launch| f(&mut launch.kernel)),
            Step::Call(_) | Step::Free(_) | Step::Check(_) | Step::Write { .. } => {}
        }
    }

    /// Calls `f` on every buffer that the step touches.
    pub fn for_each_buf(&self, f: &mut impl FnMut(Buf)) {
        match self {
            Step::Launch(_) | Step::Group(_) => {
                self.launches().iter().flat_map(|launch| &launch.args).copied().for_each(f);
            }
            Step::Call(call) => call.for_each_buf(f),
            Step::Fused(call, epilogue) => {
                let untouched = epilogue.into.map(|_| epilogue.args[epilogue.product]);
                let mut touched = |buf| {
                    if untouched != Some(buf) {
                        f(buf);
                    }
                };
                call.for_each_buf(&mut touched);
                epilogue.args.iter().copied().for_each(touched);
            }
            Step::Free(buf) | Step::Check(buf) => f(*buf),
            Step::Write { into, from } => {
                f(from.buf);
                f(*into);
            }
        }
    }

    /// Calls `f` on every buffer that the step touches, to change it.
    pub fn for_each_buf_mut(&mut self, f: &mut impl FnMut(&mut Buf)) {
        match self {
            Step::Launch(Launch { args, .. }) => args.iter_mut().for_each(f),
            Step::Group(launches) => launches.iter_mut().flat_map(|launch| &mut launch.args).for_each(f),
            Step::Call(call) => call.for_each_buf_mut(f),
            Step::Fused(call, epilogue) => {
                call.for_each_buf_mut(f);
                epilogue.args.iter_mut().for_each(f);
            }
            Step::Free(buf) | Step::Check(buf) => f(buf),
            Step::Write { into, from } => {
                f(&mut from.buf);
                f(into);
            }
        }
    }
}
