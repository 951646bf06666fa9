//! The emulator: CUDA programs compiled by the C++ compiler of this machine with `cuda_emulator.h`, and run on the
//! processor with every access to memory checked. It is for tests: it takes a thousand times as long as a device.
//!
//! As a [`Driver`] its device's memory is the processor's. A launch copies each buffer into memory of its own, 64 GiB
//! from the next, so that no access beside one goes unnoticed, and copies what has changed back.
//!
//! Absent: streams. A launch is over when it returns, and its error is its own.

use crate::{CudaError, Driver, Function, Launch, Stream};
use inductor::store::{Key, Store};
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tempfile::TempDir;

/// Flags of every compilation: floats as CUDA has them (contraction apart), and what CUDA programs may do to memory.
const FLAGS: &[&str] = &[
    "-std=c++17",
    "-fPIC",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-strict-aliasing",
    "-fno-exceptions",
    "-fno-rtti",
    "-U_FORTIFY_SOURCE",
];

/// Flags of the runtime, which programs ask for by its name.
const RUNTIME_FLAGS: &[&str] =
    &["-O2", "-shared", "-ftls-model=initial-exec", "-Wl,-soname,librust_inductor_emulator.so"];

/// The name of the runtime's file.
const RUNTIME: &str = "librust_inductor_emulator.so";

/// The sources of the runtime that are compiled.
const COMPILED: [&str; 2] = ["machine.cpp", "memory.cpp"];

/// A table of source files, each with its text.
macro_rules! sources {
    ($($name:literal)*) => { [$(($name, include_str!($name))),*] };
}

/// The emulator's sources.
const SOURCES: [(&str, &str); 12] = sources! {
    "machine.cpp" "memory.cpp" "machine.h" "runtime.h" "cuda_emulator.h" "cuda_fp16.h" "cuda_bf16.h" "atomics.h"
    "halves.h" "mathematics.h" "vectors.h" "warps.h"
};

/// Flags of programs: every access to memory calls the runtime first, and so does undefined arithmetic. Nothing is
/// optimised, so that no access is left out; it takes no longer in all. Programs may have kernels of one name.
const PROGRAM_FLAGS: &[&str] = &[
    "-O0",
    "-w",
    "-c",
    "-fvisibility=hidden",
    "-fsanitize=thread",
    "-fsanitize=integer-divide-by-zero",
    "-fsanitize=signed-integer-overflow",
    "-fsanitize=shift-exponent",
    "-fsanitize=float-cast-overflow",
];

/// Flags that tell volatile accesses from others, in the words of one compiler and the other.
const VOLATILE_GCC: &[&str] = &["--param", "tsan-distinguish-volatile=1"];
const VOLATILE_CLANG: &[&str] = &["-mllvm", "-tsan-distinguish-volatile=1"];

/// Memory with a name, as `runtime.h` has it.
#[repr(C)]
struct Range {
    name: *const c_char,
    at: usize,
    bytes: usize,
}

/// A launch, as `runtime.h` has it.
#[repr(C)]
struct RawLaunch {
    name: *const c_char,
    kernel: *const c_void,
    params: *mut *mut c_void,
    param_count: usize,
    grid: [u32; 3],
    threads: u32,
    buffers: *const Range,
    buffer_count: usize,
    shared: *const Range,
    shared_count: usize,
    message: *mut c_char,
    message_bytes: usize,
}

/// A C++ compiler, and the runtime that it has made.
pub struct Emulator {
    compiler: OsString,
    volatile: &'static [&'static str],
    /// The compiler's version, and the hash of all that the runtime follows from.
    fingerprint: String,
    /// The runtime's library, which programs are linked with.
    runtime: Vec<u8>,
    kernels: Mutex<Vec<Arc<Kernel>>>,
    /// A message with which the next launch fails.
    fails: Mutex<Option<String>>,
    allocate: unsafe extern "C" fn(usize) -> *mut u8,
    free: unsafe extern "C" fn(*mut u8, usize),
    launch: unsafe extern "C" fn(*const RawLaunch) -> c_int,
}

/// A kernel of a program that was loaded. The program is never unloaded, and the file of its library is gone.
struct Kernel {
    name: CString,
    /// Its description, as `runtime.h` has it.
    at: *const c_void,
    shared: Vec<(CString, usize, usize)>,
    /// Held by a launch: a program has one copy of the arrays of shared memory.
    alone: Arc<Mutex<()>>,
}

// SAFETY: what the description points to is constant.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

/// A part of the emulator's memory.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The parameter's name, for messages.
    pub name: String,
    /// Its address.
    pub at: u64,
    /// Its size in bytes.
    pub bytes: usize,
}

/// The first compiler that answers.
fn compiler() -> Option<OsString> {
    let known = ["c++", "g++", "clang++"].map(OsString::from);
    let answers = |name: &OsString| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    std::env::var_os("CXX").into_iter().chain(known).find(answers)
}

/// A new folder with the sources, which goes when it is dropped.
fn folder() -> Result<TempDir, CudaError> {
    let folder = tempfile::Builder::new().prefix("rust_inductor-cuda-").tempdir().map_err(failed)?;
    for (name, text) in SOURCES {
        std::fs::write(folder.path().join(name), text).map_err(failed)?;
    }
    Ok(folder)
}

/// Runs a command and gives what it prints.
fn output(command: &mut Command) -> Result<String, CudaError> {
    let output = command.output().map_err(failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(CudaError(text(&output.stderr))) }
}

#[allow(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn failed(error: impl std::fmt::Display) -> CudaError {
    CudaError(format!("the emulator: {error}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Emulator {
    /// The emulator of this process; the first call makes its runtime, or finds it in the store.
    ///
    /// # Errors
    /// There is no C++ compiler, or it fails at the runtime.
    pub fn find(store: &dyn Store) -> Result<Arc<Emulator>, CudaError> {
        static FOUND: OnceLock<Result<Arc<Emulator>, CudaError>> = OnceLock::new();
        let open = || {
            let compiler = compiler().ok_or_else(|| failed("no C++ compiler (CXX, c++, g++, clang++)"))?;
            Emulator::new(compiler, store).map(Arc::new)
        };
        FOUND.get_or_init(open).clone()
    }

    fn new(compiler: OsString, store: &dyn Store) -> Result<Emulator, CudaError> {
        let version = output(Command::new(&compiler).arg("--version"))?;
        let volatile = if version.contains("clang") { VOLATILE_CLANG } else { VOLATILE_GCC };
        let flags = FLAGS.iter().chain(RUNTIME_FLAGS).chain(PROGRAM_FLAGS).chain(volatile).map(|flag| flag.as_bytes());
        let texts = SOURCES.iter().map(|(_, text)| text.as_bytes());
        let key = Key::new("CUDA emulator", [version.as_bytes()].into_iter().chain(flags).chain(texts));

        let folder = folder()?;
        let path = folder.path().join(RUNTIME);
        let kept = store.get(&key);
        if let Some(kept) = &kept {
            std::fs::write(&path, kept).map_err(failed)?;
        } else {
            let files = COMPILED.map(|name| folder.path().join(name));
            output(Command::new(&compiler).args(FLAGS).args(RUNTIME_FLAGS).args(files).arg("-o").arg(&path))?;
        }
        let runtime = std::fs::read(&path).map_err(failed)?;
        if kept.is_none() {
            store.put(&key, "the emulator of CUDA", &runtime);
        }
        // SAFETY: the library is ours and has no initialisers that expect anything.
        let library = unsafe { Library::new(&path) }.map_err(failed)?;
        // It is never unloaded: what it has allocated and handed out lives as long as the process.
        let library: &'static Library = Box::leak(Box::new(library));
        let fingerprint = format!("{} {key}", version.lines().next().unwrap_or_default());
        // SAFETY: `runtime.h` declares the functions with these types.
        unsafe {
            Ok(Emulator {
                compiler,
                volatile,
                fingerprint,
                runtime,
                kernels: Mutex::default(),
                fails: Mutex::default(),
                allocate: symbol(library, "emulator_allocate")?,
                free: symbol(library, "emulator_free")?,
                launch: symbol(library, "emulator_launch")?,
            })
        }
    }

    /// Has the next launch fail with this message, as one on a device may.
    pub fn fail_next_launch(&self, message: &str) {
        *lock(&self.fails) = Some(message.to_owned());
    }

    /// Memory of the emulator's own, with these contents.
    ///
    /// # Errors
    /// There is no more address space.
    pub fn allocate(&self, contents: &[u8]) -> Result<u64, CudaError> {
        // SAFETY: it takes any size.
        let at = unsafe { (self.allocate)(contents.len()) };
        if at.is_null() {
            return Err(failed(format_args!("no address space for {} bytes", contents.len())));
        }
        // SAFETY: as many bytes were allocated, for this call alone.
        unsafe { at.copy_from_nonoverlapping(contents.as_ptr(), contents.len()) };
        Ok(at.expose_provenance() as u64)
    }

    /// Frees memory of so many bytes.
    ///
    /// # Safety
    /// [`Emulator::allocate`] gave it for as many, and it is freed once.
    pub unsafe fn free(&self, at: u64, bytes: usize) {
        // SAFETY: as the caller says.
        unsafe { (self.free)(std::ptr::with_exposed_provenance_mut(at as usize), bytes) };
    }

    /// Runs a kernel on the emulator's own memory.
    ///
    /// # Errors
    /// The first mistake that was found.
    ///
    /// # Safety
    /// The parameters are those of the kernel; the buffers are those that its pointers point to, in order.
    pub unsafe fn run(
        &self,
        function: Function,
        (groups, threads): ([u32; 3], u32),
        params: &mut [*mut c_void],
        buffers: &[Slice],
    ) -> Result<(), CudaError> {
        let kernel = lock(&self.kernels).get(function.0 as usize).cloned().ok_or_else(|| failed("no such kernel"))?;
        if let Some(message) = lock(&self.fails).take() {
            return Err(CudaError(message));
        }
        let names = buffers.iter().map(|buffer| CString::new(buffer.name.as_str()));
        let names: Vec<CString> = names.collect::<Result<_, _>>().map_err(failed)?;
        let range = |name: &CStr, at, bytes| Range { name: name.as_ptr(), at, bytes };
        let named = buffers.iter().zip(&names);
        let ranges: Vec<Range> = named.map(|(slice, name)| range(name, slice.at as usize, slice.bytes)).collect();
        let shared: Vec<Range> = kernel.shared.iter().map(|(name, at, bytes)| range(name, *at, *bytes)).collect();
        let mut message = vec![0u8; 1024];
        let raw = RawLaunch {
            name: kernel.name.as_ptr(),
            kernel: kernel.at,
            params: params.as_mut_ptr(),
            param_count: params.len(),
            grid: groups,
            threads,
            buffers: ranges.as_ptr(),
            buffer_count: ranges.len(),
            shared: shared.as_ptr(),
            shared_count: shared.len(),
            message: message.as_mut_ptr().cast(),
            message_bytes: message.len(),
        };
        let _alone = lock(&kernel.alone);
        // SAFETY: the launch is as `runtime.h` has it, all of it outlives the call, and the message ends with 0.
        let found = unsafe { (self.launch)(&raw const raw) };
        if found == 0 {
            return Ok(());
        }
        let message = CStr::from_bytes_until_nul(&message).map_err(failed)?;
        Err(CudaError(message.to_string_lossy().into_owned()))
    }
}

/// A function of a library.
///
/// # Safety
/// It has this type.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, CudaError> {
    // SAFETY: as the caller says.
    let symbol: Symbol<'_, T> = unsafe { library.get(name.as_bytes()) }.map_err(failed)?;
    Ok(*symbol)
}

/// The name of a function's variable: `_ZZ4k_upE2w0` is `w0` of `k_up`, and so is `k_up.w0`.
fn variable_of<'a>(symbol: &'a str, function: &str) -> Option<&'a str> {
    let mangled = symbol.strip_prefix(&format!("_ZZ{}{function}E", function.len()));
    let name = mangled.map(|name| name.trim_start_matches(|c: char| c.is_ascii_digit()));
    name.or_else(|| symbol.strip_prefix(function)?.strip_prefix('.'))
}

/// The symbols of a library that have a size: name, address within the library, bytes.
fn symbols(library: &Path) -> Result<Vec<(String, usize, usize)>, CudaError> {
    let listing = output(Command::new("nm").arg("--print-size").arg(library))?;
    let number = |word: &str| usize::from_str_radix(word, 16).ok();
    let symbol = |line: &str| match line.split_whitespace().collect::<Vec<&str>>()[..] {
        [at, bytes, _, name] => Some((name.to_owned(), number(at)?, number(bytes)?)),
        _ => None,
    };
    let mut symbols: Vec<_> = listing.lines().filter_map(symbol).collect();
    symbols.sort_by_key(|&(_, at, _)| at);
    Ok(symbols)
}

/// Loads a program's library.
fn open(path: &Path, names: &[&str]) -> Result<Vec<Kernel>, CudaError> {
    let symbols = symbols(path)?;
    // SAFETY: the library is a program of ours, which has no initialisers but the sanitizer's, and that does nothing.
    let library = unsafe { Library::new(path) }.map_err(failed)?;
    let library: &'static Library = Box::leak(Box::new(library));
    let alone = Arc::new(Mutex::new(()));
    let kernel = |&name: &&str| {
        let entry = format!("emulator_kernel_{name}");
        // SAFETY: `EMULATOR_KERNEL` defines the function with this type.
        let describe: unsafe extern "C" fn() -> *const c_void = unsafe { symbol(library, &entry) }?;
        let offset = symbols.iter().find(|symbol| symbol.0 == entry).ok_or_else(|| failed("nm lacks a function"))?.1;
        let base = describe as usize - offset;
        let array = |(symbol, at, bytes): &(String, usize, usize)| {
            Some((CString::new(variable_of(symbol, name)?).ok()?, base + at, *bytes))
        };
        // SAFETY: it is as above, and takes nothing.
        let at = unsafe { describe() };
        let shared = symbols.iter().filter_map(array).collect();
        Ok(Kernel { name: CString::new(name).map_err(failed)?, at, shared, alone: Arc::clone(&alone) })
    };
    names.iter().map(kernel).collect()
}

impl Driver for Emulator {
    fn name(&self) -> &str {
        "CUDA emulated on the processor"
    }

    fn architecture(&self) -> &str {
        "emulator"
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn compile(&self, text: &str, names: &[&str]) -> Result<Vec<u8>, CudaError> {
        let folder = folder()?;
        let [source, object, library, runtime] =
            ["program.cpp", "program.o", "program.so", RUNTIME].map(|name| folder.path().join(name));
        std::fs::write(&runtime, &self.runtime).map_err(failed)?;
        let entries: String = names.iter().map(|name| format!("EMULATOR_KERNEL({name})\n")).collect();
        let whole = format!("#include \"cuda_emulator.h\"\n#line 1 \"program\"\n{text}\n{entries}");
        std::fs::write(&source, whole).map_err(failed)?;
        let mut compile = Command::new(&self.compiler);
        output(compile.args(FLAGS).args(PROGRAM_FLAGS).args(self.volatile).arg(&source).arg("-o").arg(&object))?;
        // Without the sanitizers' flags, for their functions are the runtime's.
        output(Command::new(&self.compiler).arg("-shared").args([&object, &runtime]).arg("-o").arg(&library))?;
        std::fs::read(&library).map_err(failed)
    }

    fn load(&self, code: &[u8], names: &[&str]) -> Result<Vec<Function>, CudaError> {
        let folder = folder()?;
        let library = folder.path().join("program.so");
        std::fs::write(&library, code).map_err(failed)?;
        let opened = open(&library, names)?;
        let mut kernels = lock(&self.kernels);
        let first = kernels.len();
        kernels.extend(opened.into_iter().map(Arc::new));
        Ok((first..kernels.len()).map(|number| Function(number as u64)).collect())
    }

    unsafe fn launch(&self, _: Stream, launch: Launch<'_>) -> Result<(), CudaError> {
        let Launch { function, groups, threads, params, buffers } = launch;
        let pointers = params.iter().zip(buffers);
        // SAFETY: the caller vouches for the parameters, of which the first are pointers.
        let places = pointers.map(|(param, &bytes)| (unsafe { param.cast::<u64>().read() } as usize, bytes));
        let places: Vec<(usize, usize)> = places.collect();
        let copies = Copies::new(self, &places)?;
        let mut moved: Vec<u64> = places.iter().map(|&place| copies.of(place)).collect();
        for (param, moved) in params.iter_mut().zip(&mut moved) {
            *param = std::ptr::from_mut(moved).cast();
        }
        let slice = |(number, (&at, &(_, bytes)))| Slice { name: format!("b{number}"), at, bytes };
        let slices: Vec<Slice> = moved.iter().zip(&places).enumerate().map(slice).collect();
        // SAFETY: the parameters are the caller's, but for the pointers, which lead to copies of what they led to.
        let done = unsafe { self.run(function, (groups, threads), params, &slices) };
        copies.bring_back();
        done
    }
}

/// Copies of the memory of a launch: one of each stretch that its buffers share.
struct Copies<'e> {
    emulator: &'e Emulator,
    stretches: Vec<Stretch>,
}

/// A stretch of memory and its copy.
struct Stretch {
    at: usize,
    bytes: usize,
    copy: u64,
}

impl<'e> Copies<'e> {
    /// Copies of the memory at these places.
    fn new(emulator: &'e Emulator, places: &[(usize, usize)]) -> Result<Copies<'e>, CudaError> {
        let mut sorted: Vec<(usize, usize)> = places.iter().copied().filter(|&(_, bytes)| bytes > 0).collect();
        sorted.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (at, bytes) in sorted {
            match merged.last_mut() {
                Some((start, length)) if at < *start + *length => *length = (*length).max(at + bytes - *start),
                _ => merged.push((at, bytes)),
            }
        }
        let mut copies = Copies { emulator, stretches: Vec::new() };
        for (at, bytes) in merged {
            // SAFETY: whoever launches vouches for the memory.
            let contents = unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(at), bytes) };
            copies.stretches.push(Stretch { at, bytes, copy: emulator.allocate(contents)? });
        }
        Ok(copies)
    }

    /// The place of a copy. Nothing lies behind a pointer to no bytes.
    fn of(&self, (at, bytes): (usize, usize)) -> u64 {
        let holds = |stretch: &&Stretch| bytes > 0 && (stretch.at..stretch.at + stretch.bytes).contains(&at);
        self.stretches.iter().find(holds).map_or(0, |stretch| stretch.copy + (at - stretch.at) as u64)
    }

    /// Brings what has changed back to where it was copied from; memory that nothing was written to may be read-only.
    fn bring_back(&self) {
        for &Stretch { at, bytes, copy } in &self.stretches {
            let copy = std::ptr::with_exposed_provenance::<u8>(copy as usize);
            let at = std::ptr::with_exposed_provenance_mut::<u8>(at);
            // SAFETY: both have as many bytes, and no launch runs on the copy.
            unsafe {
                if std::slice::from_raw_parts(copy, bytes) != std::slice::from_raw_parts(at, bytes) {
                    at.copy_from_nonoverlapping(copy, bytes);
                }
            }
        }
    }
}

impl Drop for Copies<'_> {
    fn drop(&mut self) {
        for &Stretch { bytes, copy, .. } in &self.stretches {
            // SAFETY: it was allocated for as many bytes, and nobody has it any more.
            unsafe { self.emulator.free(copy, bytes) };
        }
    }
}
