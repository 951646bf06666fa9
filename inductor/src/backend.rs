//! The interface of a device: all that the middle knows of one.

use crate::autotune::Autotuner;
use crate::loop_ir::Kernel;
use crate::plan::{Call, Epilogue, Plan, View};
use std::any::Any;
use std::sync::Arc;
use symshapes::DType;

/// The capabilities of a backend; the middle decides by this table and nothing else.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Capabilities {
    /// Bytes of one vector register; a vector loop has `vector_bytes / dtype.size()` lanes.
    pub vector_bytes: usize,
    /// Element types that kernels may load, compute with and store.
    pub dtypes: Vec<DType>,
    /// Bytes of private scratch that a kernel may use for each thread.
    pub scratch_bytes: usize,
    /// True if the library convolves faster where images lie with channels last.
    pub channels_last: bool,
    /// True if the device computes matrix products itself ([`Backend::library`]), and convolutions as such where
    /// [`Convolution::is_product`](crate::convolution::Convolution::is_product) says so.
    pub multiplies: bool,
    /// True if the device adds floats at indexed places itself ([`Backend::library`]).
    pub scatters: bool,
    /// True if the device applies pointwise kernels to products on the way to memory ([`crate::epilogue`]).
    pub epilogues: bool,
    /// True if kernels may write into the caller's tensors, in place of what they read there ([`crate::in_place`]).
    pub in_place: bool,
    /// True if the device has nothing to share among its threads in a reduction to few results, and gains from one in
    /// parts.
    pub splits: bool,
    /// True if the device gains from launching small kernels together ([`Backend::group_launches`]).
    pub groups_launches: bool,
    /// True if calls of libraries may write their results into memory of the plan's.
    pub plans_calls: bool,
}

/// A device without vectors, scratch or a library of its own, for every element type.
impl Default for Capabilities {
    fn default() -> Capabilities {
        Capabilities {
            vector_bytes: 8,
            dtypes: DType::ALL.to_vec(),
            scratch_bytes: 0,
            channels_last: false,
            multiplies: false,
            scatters: false,
            epilogues: false,
            in_place: false,
            splits: false,
            groups_launches: false,
            plans_calls: false,
        }
    }
}

/// An error of a backend; it names the kernel.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{backend}: kernel {kernel}: {reason}")]
pub struct BackendError {
    /// The backend's name.
    pub backend: &'static str,
    /// The kernel's name.
    pub kernel: String,
    /// The cause.
    pub reason: String,
}

/// A device that kernels are compiled for.
pub trait Backend: Send + Sync {
    /// A short name (`cpu`).
    fn name(&self) -> &'static str;

    /// The backend's capabilities.
    fn capabilities(&self) -> &Capabilities;

    /// Compiles kernels, possibly in parallel; the results stand in the order of the arguments.
    ///
    /// # Errors
    /// The first kernel that cannot be compiled.
    fn compile(&self, kernels: &[Kernel]) -> Result<Vec<Arc<dyn CompiledKernel>>, BackendError>;

    /// Kernels that have nothing to do with each other as one, which runs them in any order or at the same time. It
    /// takes the arguments of one after those of the other, and no sizes. `side_by_side` says that all of them walk
    /// through the same memory, from one end of their root axis to the other.
    fn group_launches(&self, members: Vec<Member>, _side_by_side: bool) -> Arc<dyn CompiledKernel> {
        in_turn(members)
    }

    /// The mode in which a call and its epilogue are computed.
    fn epilogue_mode(&self, _plan: &Plan, _call: &Call, _epilogue: &Epilogue) -> EpilogueMode {
        EpilogueMode::Apart
    }

    /// A kernel that is computed with a product, as the device has it then.
    fn part(&self, _kernel: &Kernel) -> Option<Kernel> {
        None
    }

    /// A call and its epilogue as one, where that is [the mode](Backend::epilogue_mode).
    fn fused(&self, _plan: &Plan, _call: &Call, _epilogue: &Epilogue) -> Option<Library> {
        None
    }

    /// The device's own way to compute a call of a library's operator that writes its only result into `out`, where it
    /// is known to be faster.
    fn library(&self, _call: &Call, _out: &View) -> Option<Library> {
        None
    }

    /// An autotuner for so many ways to compute what these texts identify on this device; `None` if the cost model has
    /// the word.
    fn autotuner(&self, _ways: usize, _what: &[&str]) -> Option<Autotuner> {
        None
    }
}

/// The modes in which a device computes a call and its epilogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EpilogueMode {
    /// One after the other.
    Apart,
    /// At once. The product has memory of its own, should the device change its mind.
    Fused,
    /// At once. The product can grow in the memory of a result of the epilogue.
    InPlace,
}

/// A kernel of several that are launched together.
pub struct Member {
    /// The kernel.
    pub kernel: Arc<dyn CompiledKernel>,
    /// The number of its arguments.
    pub args: usize,
    /// The values of its sizes.
    pub sizes: Box<[i64]>,
}

/// Kernels as one that launches them one after the other.
pub fn in_turn(members: Vec<Member>) -> Arc<dyn CompiledKernel> {
    Arc::new(InTurn(members))
}

struct InTurn(Vec<Member>);

impl CompiledKernel for InTurn {
    unsafe fn launch(&self, mut args: &[*mut u8], _sizes: &[i64], threads: usize) {
        for member in &self.0 {
            let (own, rest) = args.split_at(member.args);
            // SAFETY: the caller promises the arguments of each.
            unsafe { member.kernel.launch(own, &member.sizes, threads) };
            args = rest;
        }
    }

    fn listing(&self) -> String {
        let listings: Vec<String> = self.0.iter().map(|member| member.kernel.listing()).collect();
        listings.join("\n")
    }
}

/// A library's operator as the device computes it.
pub struct Library {
    /// The kernel to launch; it has no sizes.
    pub kernel: Arc<dyn CompiledKernel>,
    /// The tensors whose first elements are the arguments of the launch.
    pub args: Vec<View>,
    /// True if the kernel may refuse: it takes the address of one byte more, which is 0, and sets it if it has not
    /// done its work. The library's own operator says why.
    pub refuses: bool,
}

/// A kernel that can be launched.
pub trait CompiledKernel: Any + Send + Sync {
    /// Runs the kernel and returns when it is done.
    ///
    /// `args` are the addresses of the kernel's params other than `Scratch`, and `sizes` the values of its sizes, both
    /// in order; `threads` bounds the threads used.
    ///
    /// # Safety
    /// Each address holds as many elements of its dtype as the param's `len`, lives through the call, and a buffer
    /// that the kernel writes overlaps no other argument (but where two arguments are the very same buffer).
    unsafe fn launch(&self, args: &[*mut u8], sizes: &[i64], threads: usize);

    /// The generated code as text, for logs.
    fn listing(&self) -> String;
}
