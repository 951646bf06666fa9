//! Runs plans.
//!
//! [`prepare`] turns a plan into a [`Program`] once: targets, constants and shims are resolved, views numbered. Each
//! call then takes a [`Frame`] (buffer table) from the program's pool and an arena of those that all graphs share, and
//! runs the steps in them. Steps that need Python run attached to the interpreter; all others run in stretches without
//! the GIL. Where a device runs a part of the plan, the steps between say what moves (`device`); where tensors are on a
//! CUDA device, so is all memory of the program's, and calls return before the device is done (`cuda`).
//!
//! Invariants: inputs are checked against the plan's promise before any step reads them; a frame is used by one thread
//! at a time; what is borrowed from an input lives as long as the call holds it: to its end, or to a [`Step::Forget`].

mod arena;
mod cuda;
mod device;
mod dispatch;
pub(crate) mod externs;
mod frame;
mod frozen;
mod pages;
mod prepare;
mod python_step;
mod run;

pub(crate) use arena::Arenas;
pub(crate) use cuda::{CudaCode, CudaPart};
pub(crate) use device::DevicePart;
pub(crate) use frame::Frame;
pub(crate) use frozen::{Latest, forget_frozen};
pub(crate) use pages::LARGE;
pub(crate) use prepare::{Parts, prepare};
pub(crate) use run::Outcome;

use cranelift_entity::{PrimaryMap, entity_impl};
use cuda::{CUDA, CudaLaunch};
use dispatch::Dispatch;
use externs::{Extern, Value};
use frozen::Frozen;
use inductor::autotune::Autotuner;
use inductor::backend::CompiledKernel;
use inductor::device::Task;
use inductor::plan::{Buf, ObjectId, Storage};
use inductor_wgpu::Work;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};
use symshapes::DType;

/// A view that some call or output uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ViewId(u32);
entity_impl!(ViewId, "v");

/// A buffer, as the executor needs it.
pub(crate) struct BufSpec {
    dtype: i32,
    element: DType,
    /// Bytes of one element.
    size: usize,
    /// Bytes of all of them.
    bytes: usize,
    sizes: Box<[i64]>,
    strides: Box<[i64]>,
    storage: Storage,
}

/// A layout of a buffer.
pub(crate) struct ViewSpec {
    buf: Buf,
    dtype: i32,
    sizes: Box<[i64]>,
    strides: Box<[i64]>,
    /// Elements between the buffer's first element and the view's.
    offset: i64,
    /// True if this is the buffer as it is.
    whole: bool,
}

/// The requirements on an argument of the call.
pub(crate) struct InputSpec {
    /// The number of the argument.
    index: usize,
    buf: Buf,
    device: (i32, Option<i32>),
    /// True if the graph writes to it.
    written: bool,
}

/// An argument of a call through Python.
pub(crate) enum PyArg {
    /// An object that is constant from call to call.
    Constant(Py<PyAny>),
    Tensor(ViewId),
    Object(ObjectId),
    List(Vec<PyArg>),
}

/// The destinations of a call's result.
#[derive(Clone, Copy)]
pub(crate) enum Keep {
    Nothing,
    /// It becomes the buffer's memory.
    Tensor(Buf),
    /// It is copied into the buffer's memory.
    Into(ViewId, Buf),
    Object(ObjectId),
}

/// A call through Python.
pub(crate) struct PyCall {
    callable: Py<PyAny>,
    args: Vec<PyArg>,
    kwargs: Vec<(Py<PyAny>, PyArg)>,
    results: Vec<Keep>,
    tuple: bool,
    target: String,
}

/// A call of libtorch without Python.
pub(crate) struct ExternCall {
    way: Way,
    results: Vec<Keep>,
    /// The message with which libtorch refused a call that Python could make: it is not asked again.
    refused: OnceLock<String>,
}

/// The ways of calling libtorch.
pub(crate) enum Way {
    /// By the operator's own function.
    Shim(Extern, Vec<Value<ViewId>>),
    /// As any operator.
    Dispatch(Dispatch),
}

/// A kernel on whole buffers, and the values of its sizes.
pub(crate) struct KernelLaunch {
    kernel: Arc<dyn CompiledKernel>,
    args: Box<[Buf]>,
    sizes: Box<[i64]>,
}

/// A kernel on tensors: buffers, and where in them the first elements are, in bytes.
pub(crate) struct LibraryCall {
    kernel: Arc<dyn CompiledKernel>,
    args: Box<[(Buf, isize)]>,
    refuses: bool,
}

/// One step.
pub(crate) enum Step {
    Allocate(Buf),
    Launch(KernelLaunch),
    /// A kernel on a CUDA device.
    Cuda(CudaLaunch),
    /// A library's operator as the device computes it.
    Library(LibraryCall),
    /// A library's operator that the device may refuse to compute, with the step that is done then.
    Unless(LibraryCall, Box<Step>),
    /// A library's operator as the device computes it or as libtorch does, whichever is faster. The kernel is that of
    /// the epilogue, which runs after libtorch's if the device's computes the epilogue as well.
    Either(LibraryCall, ExternCall, Option<KernelLaunch>, Autotuner),
    /// The call, and the same call through Python should libtorch refuse it.
    Extern(ExternCall, PyCall),
    Python(PyCall),
    Free(Buf),
    /// These arguments are not read any more, and the caller has given them away.
    Forget(Box<[(usize, Buf)]>),
    /// Fails if this flag is set.
    Check(Buf),
    /// The caller's tensor gets these elements.
    Write(Buf, ViewId),
    /// A task of the device; this step and those below occur only in programs that have one.
    Device(Task<Work>),
    /// The host is about to read these.
    Fetch(Box<[Buf]>),
    /// The host has written these.
    Wrote(Box<[Buf]>),
    /// The device's copies are not used any more.
    Release(Box<[Buf]>),
}

/// An output.
pub(crate) enum Output {
    /// The caller's argument itself.
    Input(usize),
    View(ViewId),
    Constant(Py<PyAny>),
    Object(ObjectId),
    /// An earlier output itself.
    Same(usize),
    /// Another tensor with the memory of an earlier output.
    Alias(usize),
}

/// A plan, ready to run.
pub(crate) struct Program {
    bufs: PrimaryMap<Buf, BufSpec>,
    views: PrimaryMap<ViewId, ViewSpec>,
    steps: Vec<Step>,
    /// The steps that need not run again while weights stay as they are.
    frozen: Option<Frozen>,
    /// Maximal runs of steps that need no Python, alternating with those that do.
    stretches: Vec<Stretch>,
    inputs: Vec<InputSpec>,
    /// Number of arguments.
    arity: usize,
    constants: Vec<(Buf, Py<PyAny>)>,
    outputs: Vec<Output>,
    objects: usize,
    arena_bytes: usize,
    /// Where the memory of the arena begins that each launch on a CUDA device may use.
    scratch: usize,
    /// The result in whose memory others lie before it is written.
    lender: Option<Buf>,
    arenas: Arc<Arenas>,
    /// The flags that kernels set if an index is out of bounds.
    flags: Box<[Buf]>,
    calls: Vec<Called>,
    frames: Mutex<Vec<Frame>>,
    device: Option<DevicePart>,
    cuda: Option<CudaPart>,
}

/// The callee of one of the steps.
struct Called {
    step: usize,
    target: String,
    /// `extern`, or why Python calls it.
    how: String,
}

/// Consecutive steps.
pub(crate) struct Stretch {
    steps: Range<usize>,
    python: bool,
}
