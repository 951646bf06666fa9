//! The buffers and views of a program: what an activation has addresses of.

use crate::library::TensorLibrary;
use crate::stream::StreamDevice;
use cranelift_entity::{PrimaryMap, entity_impl};
use inductor::device::Content;
use inductor::plan::{Buf, Storage};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use symshapes::{DType, Device};

/// A view that some call or output uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ViewId(u32);
entity_impl!(ViewId, "v");

/// A buffer, as the executor needs it.
pub(crate) struct BufSpec {
    pub(crate) dtype: DType,
    /// Bytes of all elements.
    pub(crate) bytes: usize,
    pub(crate) sizes: Box<[i64]>,
    pub(crate) strides: Box<[i64]>,
    pub(crate) storage: Storage,
}

/// A layout of a buffer.
pub(crate) struct ViewSpec {
    pub(crate) buf: Buf,
    pub(crate) dtype: DType,
    pub(crate) sizes: Box<[i64]>,
    pub(crate) strides: Box<[i64]>,
    /// Elements between the buffer's first element and the view's.
    pub(crate) offset: i64,
    /// True if this is the buffer as it is.
    pub(crate) whole: bool,
}

/// All that activations are laid out by.
pub(crate) struct Buffers<L: TensorLibrary> {
    /// The program's number in this process, by which an activation knows its program.
    pub(crate) id: u64,
    pub(crate) library: L,
    pub(crate) bufs: PrimaryMap<Buf, BufSpec>,
    pub(crate) views: PrimaryMap<ViewId, ViewSpec>,
    /// The number of values that are no tensors.
    pub(crate) objects: usize,
    /// The flags that kernels set if an index is out of bounds.
    pub(crate) flags: Box<[Buf]>,
    /// The result in whose memory others lie before it is written.
    pub(crate) lender: Option<Buf>,
    /// The offset in the arena of the memory that each launch on a stream may use, in bytes.
    pub(crate) scratch: usize,
    /// The device that the library's tensors are on, if it is not the host.
    pub(crate) stream: Option<Arc<dyn StreamDevice>>,
}

/// A number that no other program of this process has.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<L: TensorLibrary> Buffers<L> {
    /// The device on which the program's own memory lies.
    pub(crate) fn memory(&self) -> Device {
        self.stream.as_ref().map_or(Device::CPU, |stream| stream.device())
    }

    /// The element type and the bytes of a buffer.
    pub(crate) fn content(&self, buf: Buf) -> Content {
        let BufSpec { dtype, bytes, .. } = self.bufs[buf];
        Content { dtype, bytes }
    }
}
