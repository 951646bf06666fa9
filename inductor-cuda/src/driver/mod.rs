//! Drivers: compilers of CUDA programs, and launches of the kernels that they were compiled to.
//!
//! [`Nvidia`] is the real one, with NVRTC as its compiler; [`Emulator`](crate::Emulator) runs the same text on the
//! processor. What launches kernels knows neither.
//!
//! Invariant: programs are never unloaded, so a [`Function`] is valid as long as its driver.

mod nvidia;
mod nvrtc;

pub use nvidia::Nvidia;

use crate::CudaError;
use std::ffi::c_void;

/// A kernel of a loaded program, as its driver knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function(pub u64);

/// A stream of the device by the address that PyTorch gives for it (`torch.cuda.Stream.cuda_stream`); 0 is the default
/// stream.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stream(pub usize);

/// A launch of a kernel.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub function: Function,
    /// The number of blocks in each dimension.
    pub groups: [u32; 3],
    /// The number of threads of a block.
    pub threads: u32,
    /// The addresses of the parameters: of pointers to memory of the device, and of `int`s behind them.
    pub params: &'a mut [*mut c_void],
    /// Bytes of the memory that each of the pointers points to.
    pub buffers: &'a [usize],
}

/// A device with a compiler for it.
pub trait Driver: Send + Sync {
    /// The device's name.
    fn name(&self) -> &str;

    /// The kind of device that machine code is for, such as `sm_90`.
    fn architecture(&self) -> &str;

    /// All that machine code follows from besides the program's text and the architecture.
    fn fingerprint(&self) -> String;

    /// Compiles a program with these kernels to machine code.
    ///
    /// # Errors
    /// The compiler's log.
    fn compile(&self, text: &str, names: &[&str]) -> Result<Vec<u8>, CudaError>;

    /// The functions of these names in machine code, which is loaded.
    ///
    /// # Errors
    /// The driver's.
    fn load(&self, code: &[u8], names: &[&str]) -> Result<Vec<Function>, CudaError>;

    /// Starts a function on a stream.
    ///
    /// # Errors
    /// The driver's, which may be that of an earlier launch.
    ///
    /// # Safety
    /// The function is one of this driver's. The parameters are of the types that it was compiled with; the memory
    /// that they point to is the device's, has as many bytes as the launch says, and lives until the stream has done
    /// the work.
    unsafe fn launch(&self, stream: Stream, launch: Launch<'_>) -> Result<(), CudaError>;
}
