//! Kernels of loop IR as functions of a device, and their launches for known sizes.
//!
//! A kernel is compiled with accesses of whole vectors where its buffers allow it. A launch on a buffer that does not
//! start at a multiple of a vector (a view into another tensor) uses the same kernel without vectors, compiled when
//! that first happens. A kernel whose buffers are too long for 32-bit indices is cut along its parallel loop.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, OnceLock};

use inductor::device::Refusal;
use inductor::grid::pieces::{self, Binds};
use inductor::grid::{Capabilities, GridKernel, Source, Stage};
use inductor::loop_ir::Kernel;
use smallvec::SmallVec;

use crate::{Cuda, CudaError, Function, Launch, Stream};

/// Elements of a buffer at most before a kernel is cut.
const MOST_ELEMENTS: u64 = 1 << 29;

/// Multiples of so many bytes are where temporaries, and the pieces of kernels that are cut, start.
const ALIGNMENT: u64 = 256;

/// A kernel of loop IR, compiled for all sizes.
pub struct CudaKernel {
    kernel: Kernel,
    /// With vectors, if there are any; or why the kernel cannot be compiled as a whole.
    compiled: Result<Compiled, Refusal>,
    /// Without vectors.
    scalar: OnceLock<Result<Compiled, Refusal>>,
}

/// A grid kernel and a function for each of its stages.
pub(crate) struct Compiled {
    pub(crate) grid: GridKernel,
    pub(crate) functions: Vec<Function>,
}

/// A launch of a kernel for known sizes, to be run any number of times.
pub struct Work {
    stages: Vec<Start>,
    /// Bytes of device memory of any contents that a run needs beside the arguments.
    pub scratch_bytes: usize,
    /// Arguments that must start at multiples of so many bytes, by number.
    aligned: Vec<(u32, usize)>,
    /// The kernel and sizes that the launch without vectors is made from, for a run with a misaligned argument.
    origin: Option<(Arc<CudaKernel>, Box<[i64]>)>,
    otherwise: OnceLock<Result<Box<Work>, Refusal>>,
}

/// One start of a function.
struct Start {
    function: Function,
    groups: [u32; 3],
    threads: u32,
    operands: SmallVec<[Operand; 8]>,
    /// Bytes behind each operand.
    bytes: SmallVec<[usize; 8]>,
    /// The launch arguments, which follow the operands.
    args: Box<[i32]>,
}

/// A pointer parameter.
#[derive(Clone, Copy)]
enum Operand {
    /// An argument of the launch, so many bytes behind its start.
    Arg(u32, u64),
    /// So many bytes behind the start of the scratch memory.
    Scratch(u64),
}

impl CudaKernel {
    /// The kernel as it was compiled.
    ///
    /// # Errors
    /// Why it was not, unless its pieces may be.
    pub(crate) fn new(kernel: Kernel, compiled: Result<Compiled, Refusal>) -> Result<CudaKernel, Refusal> {
        match compiled {
            Err(refusal) if !is_long(&kernel, &[]) => Err(refusal),
            compiled => Ok(CudaKernel { kernel, compiled, scalar: OnceLock::new() }),
        }
    }

    /// The launch for these values of the sizes.
    ///
    /// # Errors
    /// Sizes that the kernel's 32-bit arithmetic does not hold for, where it cannot be cut, or more groups than a
    /// device starts.
    pub fn launch(self: &Arc<CudaKernel>, cuda: &Cuda, sizes: &[i64]) -> Result<Work, Refusal> {
        let compiled = match &self.compiled {
            Ok(compiled) if compiled.grid.admits(sizes) || !is_long(&self.kernel, sizes) => compiled,
            _ => return self.in_pieces(cuda, sizes),
        };
        let mut work = Work::new(&self.kernel, compiled, sizes)?;
        if !work.aligned.is_empty() {
            work.origin = Some((Arc::clone(self), sizes.into()));
        }
        Ok(work)
    }

    /// The launches of the kernel's pieces, each on windows of the buffers.
    fn in_pieces(&self, cuda: &Cuda, sizes: &[i64]) -> Result<Work, Refusal> {
        let smallest = self.kernel.arguments().map(|(_, data)| data.dtype.size() as u64).min().unwrap_or(1);
        let binds = Binds { most: MOST_ELEMENTS * smallest, alignment: ALIGNMENT, wide_int: 8 };
        let because = |reason| Refusal(format!("kernel {}: a buffer is too long: {reason}", self.kernel.name));
        let pieces = pieces::cut(&self.kernel, sizes, binds).map_err(because)?;
        let kernels: Vec<&Kernel> = pieces.iter().map(|piece| &piece.kernel).collect();
        let mut all = Work::empty();
        for (piece, compiled) in pieces.iter().zip(cuda.compile_with(&kernels, &crate::capabilities())) {
            let Work { mut stages, scratch_bytes, aligned, .. } = Work::new(&piece.kernel, &compiled?, sizes)?;
            let size = |at: u32| piece.kernel.arguments().nth(at as usize).map_or(1, |(_, data)| data.dtype.size());
            for operand in stages.iter_mut().flat_map(|stage| &mut stage.operands) {
                if let Operand::Arg(at, bytes) = operand {
                    *bytes += piece.windows[*at as usize].offset * size(*at) as u64;
                }
            }
            all.stages.extend(stages);
            all.aligned.extend(aligned);
            all.scratch_bytes = all.scratch_bytes.max(scratch_bytes);
        }
        Ok(all)
    }

    /// The CUDA C++ of its stages.
    pub fn listing(&self) -> String {
        match &self.compiled {
            Ok(compiled) => crate::print(&compiled.grid),
            Err(refusal) => format!("// in pieces: {refusal}\n"),
        }
    }

    fn scalar(&self, cuda: &Cuda) -> Result<&Compiled, Refusal> {
        let compile = || {
            let without = Capabilities { vectors: None, ..crate::capabilities() };
            cuda.compile_with(&[&self.kernel], &without).pop().unwrap_or_else(|| Refusal::because("nothing"))
        };
        self.scalar.get_or_init(compile).as_ref().map_err(Clone::clone)
    }
}

/// True if a buffer of the kernel is longer than indices of 32 bits are used for.
fn is_long(kernel: &Kernel, sizes: &[i64]) -> bool {
    let len = |len| kernel.size(len, sizes).and_then(|len| u64::try_from(len).ok());
    kernel.sizes.len() == sizes.len()
        && kernel.arguments().any(|(_, data)| len(data.len).is_none_or(|len| len > MOST_ELEMENTS))
}

impl Work {
    fn empty() -> Work {
        let (stages, aligned) = (Vec::new(), Vec::new());
        Work { stages, scratch_bytes: 0, aligned, origin: None, otherwise: OnceLock::new() }
    }

    fn new(kernel: &Kernel, Compiled { grid, functions }: &Compiled, sizes: &[i64]) -> Result<Work, Refusal> {
        let too_large = || Refusal(format!("kernel {}: {sizes:?} is too large for 32-bit indices", grid.name));
        let args = grid.arguments(sizes).filter(|_| grid.admits(sizes)).ok_or_else(too_large)?;
        let mut work = Work::empty();
        let mut scratch = 0;
        let mut operands = Vec::new();
        for (binding, data) in &grid.bindings {
            // Elements lie in memory as they are: `capabilities` packs none into words.
            let bytes = grid.len(binding, sizes).and_then(|len| len.checked_mul(data.mem.bytes().into()));
            let bytes = bytes.ok_or_else(too_large)?;
            let operand = match data.source {
                Source::Param(param) => {
                    let at = kernel.arguments().position(|(argument, _)| argument == param);
                    let at = at.ok_or_else(|| Refusal(format!("{param} is no argument")))? as u32;
                    if data.alignment > 1 {
                        work.aligned.push((at, (data.alignment * data.mem.bytes()) as usize));
                    }
                    Operand::Arg(at, 0)
                }
                Source::Temp => {
                    let start = scratch;
                    scratch += bytes.next_multiple_of(ALIGNMENT);
                    Operand::Scratch(start)
                }
            };
            operands.push((operand, usize::try_from(bytes).map_err(|_| too_large())?));
        }
        for (stage, &function) in grid.stages.iter().zip(functions) {
            let groups = grid.groups(stage, sizes).ok_or_else(too_large)?;
            if groups[0] > 0 {
                work.stages.push(Start::new(stage, function, groups, &operands, &args));
            }
        }
        work.scratch_bytes = usize::try_from(scratch).map_err(|_| too_large())?;
        Ok(work)
    }

    /// Starts the functions on a stream, in order, and returns at once. `args` are the addresses of the kernel's
    /// arguments, in order, and `scratch` that of [`Work::scratch_bytes`] bytes.
    ///
    /// # Errors
    /// The driver's.
    ///
    /// # Safety
    /// The addresses are those of memory of the device that holds what the kernel's params say, and that lives until
    /// the stream has done the work; what the kernel writes overlaps no other argument.
    pub unsafe fn run(&self, cuda: &Cuda, stream: Stream, args: &[u64], scratch: u64) -> Result<(), CudaError> {
        let is_aligned = |&(at, bytes): &(u32, usize)| args[at as usize].is_multiple_of(bytes as u64);
        if self.aligned.iter().all(is_aligned) {
            // SAFETY: the caller's promise.
            return self.stages.iter().try_for_each(|stage| unsafe { stage.run(cuda, stream, args, scratch) });
        }
        // SAFETY: the caller's promise.
        unsafe { self.otherwise(cuda)?.run(cuda, stream, args, scratch) }
    }

    /// The launch of the kernel without vectors.
    fn otherwise(&self, cuda: &Cuda) -> Result<&Work, CudaError> {
        let make = || {
            let Some((kernel, sizes)) = &self.origin else { return Refusal::because("a buffer of a piece lies askew") };
            let work = Work::new(&kernel.kernel, kernel.scalar(cuda)?, sizes)?;
            let fits = work.aligned.is_empty() && work.scratch_bytes <= self.scratch_bytes;
            if fits { Ok(Box::new(work)) } else { Refusal::because("more memory without vectors") }
        };
        let work = self.otherwise.get_or_init(make).as_ref();
        work.map(|work| &**work).map_err(|refusal| CudaError(refusal.to_string()))
    }
}

impl Start {
    fn new(stage: &Stage, function: Function, groups: [u32; 3], operands: &[(Operand, usize)], args: &[i32]) -> Start {
        let taken = stage.bindings.iter().map(|(binding, _)| operands[binding.as_u32() as usize]);
        let (operands, bytes) = taken.unzip();
        let args = if stage.takes_args() { args.into() } else { Box::default() };
        Start { function, groups, threads: stage.threads, operands, bytes, args }
    }

    /// # Safety
    /// As for [`Work::run`].
    unsafe fn run(&self, cuda: &Cuda, stream: Stream, args: &[u64], scratch: u64) -> Result<(), CudaError> {
        let address = |operand: &Operand| match *operand {
            Operand::Arg(at, bytes) => args[at as usize] + bytes,
            Operand::Scratch(bytes) => scratch + bytes,
        };
        let pointers: SmallVec<[u64; 16]> = self.operands.iter().map(address).collect();
        let mut params: SmallVec<[*mut c_void; 24]> = SmallVec::new();
        params.extend(pointers.iter().map(|pointer| ptr::from_ref(pointer).cast_mut().cast()));
        params.extend(self.args.iter().map(|arg| ptr::from_ref(arg).cast_mut().cast()));
        let Start { function, groups, threads, ref bytes, .. } = *self;
        let launch = Launch { function, groups, threads, params: &mut params, buffers: bytes };
        // SAFETY: the parameters are those that the stage was printed with; the caller vouches for what they point to.
        unsafe { cuda.driver.launch(stream, launch) }
    }
}
