//! The first CUDA device: grid kernels compiled for it, and run on copies of buffers.

use super::nvrtc::{self, Nvrtc};
use cudarc::driver::sys::{CUdeviceptr, CUfunction, CUmodule};
use cudarc::driver::{CudaContext, DriverError, result};
use inductor::grid::{GridKernel, Source, Stage};
use inductor::loop_ir::Param;
use inductor_testing::loops::Buffer;
use std::ffi::{CString, c_void};
use std::sync::{Arc, OnceLock};

/// Bytes on both sides of each buffer that no kernel may touch.
const REDZONE: usize = 256;

/// The contents of the red zones, and of temporaries before they are written.
const FILL: u8 = 0xa5;

/// A device and its compiler.
pub(crate) struct Gpu {
    context: Arc<CudaContext>,
    nvrtc: &'static Nvrtc,
    /// Such as `sm_90`.
    architecture: String,
}

/// The first device; without one, says so loudly and gives nothing.
pub(crate) fn find() -> Option<&'static Gpu> {
    static FOUND: OnceLock<Option<Gpu>> = OnceLock::new();
    let found = FOUND.get_or_init(open);
    if found.is_none() {
        eprintln!("SKIPPED: no CUDA device; nothing was run");
    }
    found.as_ref()
}

fn open() -> Option<Gpu> {
    // SAFETY: this only looks whether there is a driver by a name that cudarc knows.
    let is_there = unsafe { cudarc::driver::sys::is_culib_present() };
    let context = is_there.then(|| CudaContext::new(0).ok()).flatten()?;
    let (major, minor) = context.compute_capability().ok()?;
    Some(Gpu { context, nvrtc: nvrtc::find()?, architecture: format!("sm_{major}{minor}") })
}

/// A kernel's stages as functions of the device. The module they are of is never unloaded.
pub(crate) struct Loaded<'a> {
    pub(crate) grid: &'a GridKernel,
    functions: Vec<CUfunction>,
}

/// Memory of the device with red zones around it.
struct Memory {
    at: CUdeviceptr,
    bytes: usize,
}

impl Memory {
    fn new(contents: &[u8]) -> Result<Memory, DriverError> {
        let padded = [&[FILL; REDZONE], contents, &[FILL; REDZONE]].concat();
        // SAFETY: as many bytes are allocated as are copied.
        unsafe {
            let at = result::malloc_sync(padded.len())?;
            result::memcpy_htod_sync(at, &padded)?;
            Ok(Memory { at, bytes: contents.len() })
        }
    }

    /// The address of the contents.
    fn address(&self) -> CUdeviceptr {
        self.at + REDZONE as u64
    }

    /// The contents; an error says that a red zone was written to.
    fn read(&self) -> Result<Vec<u8>, String> {
        let mut padded = vec![0; self.bytes + 2 * REDZONE];
        // SAFETY: as many bytes were allocated.
        unsafe { result::memcpy_dtoh_sync(&mut padded, self.at) }.map_err(|error| error.to_string())?;
        let after = padded.split_off(REDZONE + self.bytes);
        let contents = padded.split_off(REDZONE);
        let is_whole = padded.iter().chain(&after).all(|&byte| byte == FILL);
        is_whole.then_some(contents).ok_or_else(|| "it wrote beside a buffer".to_owned())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it was allocated by `malloc_sync` and is freed once; a device that has failed has freed it already.
        unsafe { result::free_sync(self.at) }.ok();
    }
}

impl Gpu {
    /// Compiles kernels of different names, in one program.
    ///
    /// # Errors
    /// The compiler's log, or the driver's error.
    pub(crate) fn load<'a>(&self, grids: &'a [GridKernel]) -> Result<Vec<Loaded<'a>>, String> {
        self.context.bind_to_thread().map_err(|error| error.to_string())?;
        let text: String = grids.iter().map(inductor_cuda::print).collect();
        let cubin = self.nvrtc.compile(&text, &self.architecture)?;
        // SAFETY: the bytes are a whole cubin, which the driver copies.
        let module = unsafe { result::module::load_data(cubin.as_ptr().cast()) }.map_err(|error| error.to_string())?;
        let load = |grid: &'a GridKernel| {
            let functions = grid.stages.iter().map(|stage| function(module, stage)).collect::<Result<_, _>>()?;
            Ok(Loaded { grid, functions })
        };
        grids.iter().map(load).collect::<Result<_, DriverError>>().map_err(|error| error.to_string())
    }

    /// Runs a kernel on copies of these arguments, and gives their contents thereafter.
    ///
    /// # Errors
    /// That the kernel does not hold for these sizes, the driver's error, or that the kernel wrote beside a buffer.
    pub(crate) fn run(
        &self,
        loaded: &Loaded<'_>,
        params: &[Param],
        sizes: &[i64],
        arguments: &[Buffer],
    ) -> Result<Vec<Buffer>, String> {
        let grid = loaded.grid;
        let args = grid.arguments(sizes).filter(|_| grid.admits(sizes));
        let args = args.ok_or("it does not hold for these sizes")?;
        self.context.bind_to_thread().map_err(|error| error.to_string())?;
        let mut memories = Vec::new();
        for (binding, data) in &grid.bindings {
            let contents = match data.source {
                Source::Param(param) => {
                    let at = params.iter().position(|&other| other == param).ok_or("a param is no argument")?;
                    arguments[at].bytes()
                }
                Source::Temp => vec![FILL; grid.bytes(binding, sizes).ok_or("a temporary has no size")? as usize],
            };
            memories.push(Memory::new(&contents).map_err(|error| error.to_string())?);
        }
        for (stage, &function) in grid.stages.iter().zip(&loaded.functions) {
            let groups = grid.groups(stage, sizes).ok_or("a stage has too many groups")?;
            launch(stage, function, groups, &memories, &args).map_err(|error| error.to_string())?;
        }
        self.context.synchronize().map_err(|error| error.to_string())?;
        let mut outputs = arguments.to_vec();
        for (memory, data) in memories.iter().zip(grid.bindings.values()) {
            let contents = memory.read()?;
            if let Source::Param(param) = data.source {
                let at = params.iter().position(|&other| other == param).ok_or("a param is no argument")?;
                outputs[at] = Buffer::from_bytes(arguments[at].dtype(), arguments[at].len(), &contents);
            }
        }
        Ok(outputs)
    }
}

fn function(module: CUmodule, stage: &Stage) -> Result<CUfunction, DriverError> {
    let name = CString::new(stage.name.as_str()).expect("names are identifiers");
    // SAFETY: the module is loaded and stays so.
    unsafe { result::module::get_function(module, name) }
}

fn launch(
    stage: &Stage,
    function: CUfunction,
    [x, y, z]: [u32; 3],
    memories: &[Memory],
    args: &[i32],
) -> Result<(), DriverError> {
    if x == 0 {
        return Ok(());
    }
    let pointers: Vec<CUdeviceptr> =
        stage.bindings.iter().map(|(binding, _)| memories[binding.as_u32() as usize].address()).collect();
    let mut params: Vec<*mut c_void> = pointers.iter().map(|at| std::ptr::from_ref(at).cast_mut().cast()).collect();
    if stage.takes_args() {
        params.extend(args.iter().map(|arg| std::ptr::from_ref(arg).cast_mut().cast::<c_void>()));
    }
    let (groups, threads) = ((x, y, z), (stage.threads, 1, 1));
    // SAFETY: the parameters are those that the stage was printed with, and their memory outlives the launch.
    unsafe { result::launch_kernel(function, groups, threads, 0, std::ptr::null_mut(), &mut params) }
}
