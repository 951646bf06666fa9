//! Devices whose tensors the library owns: kernels are launched on the library's current stream, in memory of its
//! allocator, and are done some time later.
//!
//! Nothing here waits for the device. Memory that a call gives back may be used again at once, by work that comes later
//! on the same stream. An index out of bounds fails on the device.

use inductor::plan::Buf;
use symshapes::Device;

/// A stream of a device, by the address that the library gives for it; 0 is the default stream.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stream(pub usize);

/// A device that the library's tensors are on.
pub trait StreamDevice: Send + Sync {
    /// The device, by its number.
    fn device(&self) -> Device;

    /// The address, on the device, of the byte that a kernel sets if an index is out of bounds: one for each flag of a
    /// program, by number.
    fn flag(&self, number: usize) -> *mut u8;

    /// Has the stream fail if the flag at this address is set.
    ///
    /// # Safety
    /// The address is that of a [flag](StreamDevice::flag).
    ///
    /// # Errors
    /// The driver's.
    unsafe fn check(&self, stream: Stream, flag: *mut u8) -> Result<(), String>;
}

/// A kernel for known sizes.
pub trait StreamKernel: Send + Sync {
    /// Bytes of memory that a launch uses beside its arguments.
    fn scratch_bytes(&self) -> usize;

    /// Launches the kernel.
    ///
    /// # Safety
    /// The addresses are on the device, each with as many elements as the kernel's param has, and a buffer that is
    /// written overlaps no other; `scratch` has [`StreamKernel::scratch_bytes`]. No work before this one on the stream
    /// gives that memory back to anyone but later work on the stream.
    ///
    /// # Errors
    /// The driver's.
    unsafe fn launch(&self, stream: Stream, args: &[u64], scratch: u64) -> Result<(), String>;
}

/// A kernel on whole buffers.
pub(crate) struct StreamLaunch {
    pub(crate) kernel: Box<dyn StreamKernel>,
    pub(crate) args: Box<[Buf]>,
}
