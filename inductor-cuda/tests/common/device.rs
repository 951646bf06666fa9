//! The interface of a device that runs CUDA programs, for tests, and grid kernels run on it: on copies of buffers, with
//! red zones around them.

use inductor::grid::{GridKernel, Source};
use inductor::loop_ir::Param;
use inductor_cuda::Slice;
use inductor_testing::loops::Buffer;
use std::ffi::c_void;

/// Bytes on both sides of each buffer that no kernel may touch.
const REDZONE: usize = 256;

/// The contents of the red zones, and of temporaries before they are written.
const FILL: u8 = 0xa5;

/// A device: a GPU by way of its driver, or the [emulator](super::emulator).
pub(crate) trait Device: Sync {
    /// A program that was compiled and loaded. It may never be unloaded.
    type Program;

    /// Compiles a program with these kernels.
    ///
    /// # Errors
    /// The compiler's log, or the driver's error.
    fn load(&self, text: &str, kernels: &[&str]) -> Result<Self::Program, String>;

    /// Memory with these contents.
    ///
    /// # Errors
    /// The driver's error.
    fn allocate(&self, contents: &[u8]) -> Result<u64, String>;

    /// Reads memory, once the launches are done.
    ///
    /// # Errors
    /// The driver's error, be it of a launch.
    fn read(&self, at: u64, contents: &mut [u8]) -> Result<(), String>;

    /// Frees what [`Device::allocate`] gave.
    fn free(&self, at: u64, bytes: usize);

    /// Launches a kernel.
    ///
    /// # Errors
    /// The driver's error, or what the emulator has found.
    fn launch(&self, program: &Self::Program, launch: &Launch<'_>) -> Result<(), String>;
}

/// A launch: of a kernel whose parameters are pointers, and `int`s after them.
pub(crate) struct Launch<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) groups: [u32; 3],
    pub(crate) threads: u32,
    pub(crate) buffers: &'a [Slice],
    pub(crate) args: &'a [i32],
}

impl Launch<'_> {
    /// The parameters, as `cuLaunchKernel` takes them.
    pub(crate) fn params(&self) -> Vec<*mut c_void> {
        let pointers = self.buffers.iter().map(|buffer| std::ptr::from_ref(&buffer.at).cast_mut().cast());
        pointers.chain(self.args.iter().map(|arg| std::ptr::from_ref(arg).cast_mut().cast())).collect()
    }
}

/// Memory of a device with red zones around it.
pub(crate) struct Memory<'d, D: Device> {
    device: &'d D,
    at: u64,
    bytes: usize,
}

impl<'d, D: Device> Memory<'d, D> {
    /// Memory with these contents.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) fn new(device: &'d D, contents: &[u8]) -> Result<Memory<'d, D>, String> {
        let padded = [&[FILL; REDZONE], contents, &[FILL; REDZONE]].concat();
        Ok(Memory { device, at: device.allocate(&padded)?, bytes: contents.len() })
    }

    /// The contents' place.
    pub(crate) fn slice(&self, name: &str) -> Slice {
        Slice { name: name.to_owned(), at: self.at + REDZONE as u64, bytes: self.bytes }
    }

    /// The contents; an error says that a red zone was written to.
    pub(crate) fn read(&self) -> Result<Vec<u8>, String> {
        let mut padded = vec![0; self.bytes + 2 * REDZONE];
        self.device.read(self.at, &mut padded)?;
        let after = padded.split_off(REDZONE + self.bytes);
        let contents = padded.split_off(REDZONE);
        let is_whole = padded.iter().chain(&after).all(|&byte| byte == FILL);
        is_whole.then_some(contents).ok_or_else(|| "it wrote beside a buffer".to_owned())
    }
}

impl<D: Device> Drop for Memory<'_, D> {
    fn drop(&mut self) {
        self.device.free(self.at, self.bytes + 2 * REDZONE);
    }
}

/// Compiles grid kernels of different names, in one program.
///
/// # Errors
/// The compiler's log, or the driver's error.
pub(crate) fn load<D: Device>(device: &D, grids: &[GridKernel]) -> Result<D::Program, String> {
    let text = inductor_cuda::program(grids);
    let names: Vec<&str> = grids.iter().flat_map(|grid| &grid.stages).map(|stage| stage.name.as_str()).collect();
    device.load(&text, &names)
}

/// Runs a kernel of a program on copies of these arguments, and gives their contents thereafter.
///
/// # Errors
/// That the kernel does not hold for these sizes, the driver's error, what the emulator has found, or that the kernel
/// wrote beside a buffer.
pub(crate) fn run<D: Device>(
    device: &D,
    program: &D::Program,
    grid: &GridKernel,
    params: &[Param],
    sizes: &[i64],
    arguments: &[Buffer],
) -> Result<Vec<Buffer>, String> {
    let args = grid.arguments(sizes).filter(|_| grid.admits(sizes));
    let args = args.ok_or("it does not hold for these sizes")?;
    let position = |param| params.iter().position(|&other| other == param).ok_or("a param is no argument");
    let mut memories = Vec::new();
    for (binding, data) in &grid.bindings {
        let mut contents = match data.source {
            Source::Param(param) => arguments[position(param)?].bytes(),
            Source::Temp => vec![FILL; grid.bytes(binding, sizes).ok_or("a temporary has no size")? as usize],
        };
        // Packed elements are accessed by whole words.
        let whole = if data.packing > 1 { data.mem.bytes() as usize } else { 1 };
        contents.resize(contents.len().next_multiple_of(whole), FILL);
        memories.push(Memory::new(device, &contents)?);
    }
    for stage in &grid.stages {
        let groups = grid.groups(stage, sizes).ok_or("a stage has too many groups")?;
        let slice = |binding: &inductor::grid::Binding| memories[binding.as_u32() as usize].slice(&binding.to_string());
        let buffers: Vec<Slice> = stage.bindings.iter().map(|(binding, _)| slice(binding)).collect();
        let args = if stage.takes_args() { args.as_slice() } else { &[] };
        let launch = Launch { kernel: &stage.name, groups, threads: stage.threads, buffers: &buffers, args };
        if groups[0] > 0 {
            device.launch(program, &launch)?;
        }
    }
    let mut outputs = arguments.to_vec();
    for (memory, data) in memories.iter().zip(grid.bindings.values()) {
        let contents = memory.read()?;
        if let Source::Param(param) = data.source {
            let at = position(param)?;
            outputs[at] = Buffer::from_bytes(arguments[at].dtype(), arguments[at].len(), &contents);
        }
    }
    Ok(outputs)
}
