//! The interface of a device with memory of its own.
//!
//! The host keeps a [`Backend`](crate::backend::Backend) that runs every kernel; a [`Device`] runs what it can of a
//! plan, and refuses the rest with a reason. [`offload`](crate::offload) moves values between the two and needs no more
//! than this: compile a kernel, know library kernels, and a [`Stream`] that allocates, uploads, runs and downloads.
//!
//! Invariants: work that a stream was given happens in that order; nothing of it is seen by the host before a download
//! returns; after an error a stream is of no more use, while the device is (a lost one is opened anew by the next
//! stream).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::Capabilities;
use crate::loop_ir::Kernel;
use crate::plan::{Buf, Call, Epilogue, Plan};
use symshapes::DType;

/// The reason why a device leaves a step to the host. It is no error.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Refusal {
    /// The reason as a refusal.
    pub fn because<T>(reason: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal(reason.into()))
    }
}

/// The failures of a device while it runs a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeviceError {
    /// The driver has given the device up. The next stream opens it anew.
    #[error("{device}: the device was lost: {reason}")]
    Lost {
        /// The device's name.
        device: String,
        /// The driver's message.
        reason: String,
    },
    /// No memory is left.
    #[error("{device}: out of memory, allocating {bytes} bytes")]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// The size of the allocation, in bytes.
        bytes: usize,
    },
    /// An integer that the device has no type for. The plan has to run on the host.
    #[error("{device}: an int64 is too large for the device, which has 32 bits")]
    TooWide {
        /// The device's name.
        device: String,
    },
    /// A library kernel met an index out of bounds. The plan has to run on the host, which says which one it is.
    #[error("{device}: an index is out of bounds")]
    OutOfBounds {
        /// The device's name.
        device: String,
    },
    /// The device does not accept what it was given: a bug of ours.
    #[error("{device}: {reason}")]
    Invalid {
        /// The device's name.
        device: String,
        /// The driver's message.
        reason: String,
    },
}

/// The content of a block, as the host has it. A device may hold it otherwise (`int64` in 32 bits).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Content {
    /// Type of the elements.
    pub dtype: DType,
    /// Bytes of all of them.
    pub bytes: usize,
}

/// The kinds of access of a step to one of its buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Only read.
    Read,
    /// Written without regard to what was there, but perhaps only in part.
    Write,
    /// Read and written.
    ReadWrite,
}

impl Access {
    /// True if the step changes the buffer.
    pub fn writes(self) -> bool {
        self != Access::Read
    }
}

/// A step that a device can do: the work, and the buffers that it is done on, in the order that the work wants.
#[derive(Clone, Debug)]
pub struct Task<W> {
    /// The work.
    pub work: W,
    /// The buffers that it is done on, each of them once.
    pub args: Vec<(Buf, Access)>,
}

/// A device that runs parts of plans.
pub trait Device: Send + Sync + 'static {
    /// A block of the device's memory. Clones are the same block, which goes back with the last of them.
    type Memory: Clone + Send + Sync;
    /// A kernel of loop IR, compiled for all sizes.
    type Kernel: Send + Sync;
    /// A step for known sizes, to be run any number of times.
    type Work: Send + Sync;
    /// One run of a plan.
    type Stream: Stream<Memory = Self::Memory, Work = Self::Work>;

    /// The device's name, for people.
    fn name(&self) -> &str;

    /// The capabilities that kernels are lowered for. Their dtypes are those of the host: [`Device::compile`] refuses a
    /// kernel with a dtype that the device lacks.
    fn capabilities(&self) -> &Capabilities;

    /// Compiles a kernel.
    ///
    /// # Errors
    /// A kernel that the device cannot run.
    fn compile(&self, kernel: &Kernel) -> Result<Self::Kernel, Refusal>;

    /// A launch of a kernel with these values of its sizes. Its arguments are those of the kernel, in order.
    ///
    /// # Errors
    /// Sizes that the device cannot do.
    fn launch(&self, kernel: &Self::Kernel, sizes: &[i64]) -> Result<Self::Work, Refusal>;

    /// A library kernel for a call of a plan, with a kernel that is computed on its result before that is stored. A
    /// result of such a call that is no tensor is `None`.
    ///
    /// # Errors
    /// A call that the device has no library kernel for.
    fn library(&self, call: &Call, epilogue: Option<&Epilogue>, plan: &Plan) -> Result<Task<Self::Work>, Refusal>;

    /// Bytes of the largest buffer that a step may use.
    fn largest_buffer(&self) -> usize;

    /// Begins a run.
    ///
    /// # Errors
    /// A lost device that cannot be opened again.
    fn stream(&self) -> Result<Self::Stream, DeviceError>;

    /// The counts of work done since the device was opened.
    fn counters(&self) -> &Counters;

    /// The generated code of a kernel, for logs.
    fn listing(&self, kernel: &Self::Kernel) -> String;
}

/// One run of a plan: work in order, recorded and handed to the device in as few submissions as possible.
pub trait Stream: Send {
    /// See [`Device::Memory`].
    type Memory;
    /// See [`Device::Work`].
    type Work;

    /// A block of any content.
    ///
    /// # Errors
    /// No memory.
    fn allocate(&mut self, content: Content) -> Result<Self::Memory, DeviceError>;

    /// A block of zeros.
    ///
    /// # Errors
    /// No memory.
    fn zeros(&mut self, content: Content) -> Result<Self::Memory, DeviceError>;

    /// A block that holds these bytes as they are now.
    ///
    /// # Errors
    /// No memory, or a value that the device has no type for.
    fn upload(&mut self, bytes: &[u8], dtype: DType) -> Result<Self::Memory, DeviceError>;

    /// A block that this run does not use any more, to be used for another value.
    fn release(&mut self, memory: Self::Memory);

    /// True if a block kept from an earlier run still holds what it held: false after the device was lost.
    fn keeps(&self, memory: &Self::Memory) -> bool;

    /// Does a step.
    ///
    /// # Errors
    /// Any failure that is known by now.
    fn run(&mut self, work: &Self::Work, args: &[&Self::Memory]) -> Result<(), DeviceError>;

    /// Waits for all that was recorded and calls `sink` with the number and the bytes of each block.
    ///
    /// # Errors
    /// Any failure since the stream began.
    fn download(
        &mut self,
        blocks: &[(&Self::Memory, Content)],
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DeviceError>;
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts of the work that a device has done.
        #[derive(Default, Debug)]
        pub struct Counters {
            $($(#[$doc])* pub $name: AtomicU64,)*
        }

        impl Counters {
            /// The names and values at the moment.
            pub fn values(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.load(Ordering::Relaxed)),)*]
            }

            /// Counts from 0 again.
            pub fn reset(&self) {
                $(self.$name.store(0, Ordering::Relaxed);)*
            }
        }
    };
}

counters! {
    /// Kernels started.
    dispatches,
    /// Batches of work handed to the driver.
    submissions,
    /// Bytes copied to the device.
    bytes_up,
    /// Bytes copied from the device.
    bytes_down,
    /// Pipelines built.
    pipelines,
    /// Blocks of memory asked of the driver.
    allocations,
    /// Times that a run waited for the device.
    waits,
    /// Steps of plans that the host did.
    host_steps,
}

impl Counters {
    /// Adds to a counter.
    pub fn add(counter: &AtomicU64, amount: usize) {
        counter.fetch_add(amount as u64, Ordering::Relaxed);
    }
}
