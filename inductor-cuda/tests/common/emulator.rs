//! The emulator: CUDA programs compiled by the C++ compiler of this machine with `tests/emulator/cuda_emulator.h`, and
//! run on the processor with every access to memory checked.

use super::device::{Device, Launch};
use libloading::{Library, Symbol};
use std::collections::HashMap;
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

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

/// Flags of the runtime, and its sources.
const RUNTIME_FLAGS: &[&str] = &["-O2", "-shared", "-ftls-model=initial-exec"];
const SOURCES: [&str; 2] = ["machine.cpp", "memory.cpp"];
const HEADERS: [&str; 2] = ["runtime.h", "machine.h"];

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

/// A compiler and the runtime that it has made.
pub(crate) struct Emulator {
    compiler: OsString,
    volatile: &'static [&'static str],
    /// The runtime's file, which programs are linked with.
    runtime: PathBuf,
    allocate: unsafe extern "C" fn(usize) -> *mut u8,
    free: unsafe extern "C" fn(*mut u8, usize),
    launch: unsafe extern "C" fn(*const RawLaunch) -> c_int,
}

/// A program that was loaded. The file of its library is gone.
pub(crate) struct Program {
    _library: Library,
    kernels: HashMap<String, Kernel>,
    /// Held by a launch: there is one copy of the arrays of shared memory.
    lock: Mutex<()>,
}

/// A kernel of a program.
struct Kernel {
    /// Its description, as `runtime.h` has it.
    at: *const c_void,
    shared: Vec<(CString, usize, usize)>,
}

/// The emulator; without a C++ compiler, says so loudly and gives nothing.
///
/// # Panics
/// If the compiler fails at the runtime.
pub(crate) fn find() -> Option<&'static Emulator> {
    static FOUND: OnceLock<Option<Emulator>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let compiler = compiler()?;
        Some(Emulator::new(compiler).unwrap_or_else(|log| panic!("the emulator's runtime: {log}")))
    });
    if found.is_none() {
        eprintln!("SKIPPED: no C++ compiler (CXX, c++, g++, clang++); nothing was run");
    }
    found.as_ref()
}

/// The first compiler that answers.
fn compiler() -> Option<OsString> {
    let known = ["c++", "g++", "clang++"].map(OsString::from);
    let answers = |name: &OsString| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    std::env::var_os("CXX").into_iter().chain(known).find(answers)
}

/// The folder of the emulator's sources.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulator")
}

/// A name that no other file of the folder for what is built has.
fn fresh(end: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emulator-{}-{count}{end}", std::process::id()))
}

/// Runs a command and gives what it prints.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

impl Emulator {
    fn new(compiler: OsString) -> Result<Emulator, String> {
        let version = output(Command::new(&compiler).arg("--version"))?;
        let volatile = if version.contains("clang") { VOLATILE_CLANG } else { VOLATILE_GCC };
        let runtime = runtime(&compiler)?;
        // SAFETY: the library is ours and has no initialisers that expect anything.
        let library = unsafe { Library::new(&runtime) }.map_err(|error| error.to_string())?;
        // It is never unloaded: what it has allocated and handed out lives as long as the process.
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: `runtime.h` declares the functions with these types.
        unsafe {
            Ok(Emulator {
                compiler,
                volatile,
                runtime,
                allocate: symbol(library, "emulator_allocate")?,
                free: symbol(library, "emulator_free")?,
                launch: symbol(library, "emulator_launch")?,
            })
        }
    }

    /// Compiles a program to a library.
    fn compile(&self, text: &str, kernels: &[&str], library: &Path) -> Result<(), String> {
        let (source, object) = (library.with_extension("cpp"), library.with_extension("o"));
        let entries: String = kernels.iter().map(|name| format!("EMULATOR_KERNEL({name})\n")).collect();
        let whole = format!("#include \"cuda_emulator.h\"\n#line 1 \"program\"\n{text}\n{entries}");
        std::fs::write(&source, whole).map_err(|error| error.to_string())?;
        let compile = Command::new(&self.compiler)
            .args(FLAGS)
            .args(PROGRAM_FLAGS)
            .args(self.volatile)
            .arg("-I")
            .arg(sources())
            .arg(&source)
            .arg("-o")
            .arg(&object)
            .output();
        std::fs::remove_file(&source).ok();
        let compiled = compile.map_err(|error| error.to_string())?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
        }
        // Without the sanitizers' flags, for their functions are the runtime's.
        let linked =
            output(Command::new(&self.compiler).arg("-shared").args([&object, &self.runtime]).arg("-o").arg(library));
        std::fs::remove_file(&object).ok();
        linked.map(|_| ())
    }
}

/// A function of a library.
///
/// # Safety
/// It has this type.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
    // SAFETY: as the caller says.
    let symbol: Symbol<'_, T> = unsafe { library.get(name.as_bytes()) }.map_err(|error| error.to_string())?;
    Ok(*symbol)
}

/// The runtime's library: made once for the same sources and compiler.
fn runtime(compiler: &OsString) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    (compiler, FLAGS, RUNTIME_FLAGS).hash(&mut hasher);
    for name in SOURCES.iter().chain(&HEADERS) {
        std::fs::read(sources().join(name)).map_err(|error| format!("{name}: {error}"))?.hash(&mut hasher);
    }
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emulator-{:016x}.so", hasher.finish()));
    if !made.exists() {
        // Renamed when it is whole: other processes may be at the same.
        let fresh = fresh(".so");
        let files = SOURCES.map(|name| sources().join(name));
        output(Command::new(compiler).args(FLAGS).args(RUNTIME_FLAGS).args(files).arg("-o").arg(&fresh))?;
        std::fs::rename(&fresh, &made).map_err(|error| error.to_string())?;
    }
    Ok(made)
}

/// The name of a function's variable: `_ZZ4k_upE2w0` is `w0` of `k_up`, and so is `k_up.w0`.
fn variable_of<'a>(symbol: &'a str, function: &str) -> Option<&'a str> {
    let mangled = symbol.strip_prefix(&format!("_ZZ{}{function}E", function.len()));
    let name = mangled.map(|name| name.trim_start_matches(|c: char| c.is_ascii_digit()));
    name.or_else(|| symbol.strip_prefix(function)?.strip_prefix('.'))
}

/// The symbols of a library that have a size: name, address within the library, bytes.
fn symbols(library: &Path) -> Result<Vec<(String, usize, usize)>, String> {
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
fn open(path: &Path, kernels: &[&str]) -> Result<Program, String> {
    let symbols = symbols(path)?;
    // SAFETY: the library is a program of ours, which has no initialisers but the sanitizer's, and that does nothing.
    let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
    let kernel = |&name: &&str| {
        let entry = format!("emulator_kernel_{name}");
        // SAFETY: `EMULATOR_KERNEL` defines the function with this type.
        let describe: unsafe extern "C" fn() -> *const c_void = unsafe { symbol(&library, &entry) }?;
        let (_, offset, _) = symbols.iter().find(|symbol| symbol.0 == entry).ok_or("nm lacks a function")?;
        let base = describe as usize - offset;
        let array = |(symbol, at, bytes): &(String, usize, usize)| {
            Some((CString::new(variable_of(symbol, name)?).ok()?, base + at, *bytes))
        };
        // SAFETY: it is as above, and takes nothing.
        let at = unsafe { describe() };
        Ok(((*name).to_owned(), Kernel { at, shared: symbols.iter().filter_map(array).collect() }))
    };
    let kernels = kernels.iter().map(kernel).collect::<Result<_, String>>()?;
    Ok(Program { _library: library, kernels, lock: Mutex::new(()) })
}

impl Device for Emulator {
    type Program = Program;

    fn load(&self, text: &str, kernels: &[&str]) -> Result<Program, String> {
        let library = fresh(".so");
        self.compile(text, kernels, &library)?;
        let program = open(&library, kernels);
        std::fs::remove_file(&library).ok();
        program
    }

    fn allocate(&self, contents: &[u8]) -> Result<u64, String> {
        // SAFETY: it takes any size.
        let at = unsafe { (self.allocate)(contents.len()) };
        if at.is_null() {
            return Err(format!("no address space for {} bytes", contents.len()));
        }
        // SAFETY: as many bytes were allocated, for this call alone.
        unsafe { at.copy_from_nonoverlapping(contents.as_ptr(), contents.len()) };
        Ok(at as u64)
    }

    fn read(&self, at: u64, contents: &mut [u8]) -> Result<(), String> {
        // SAFETY: as many bytes were allocated, and no launch runs: they are over when they return.
        unsafe { contents.as_mut_ptr().copy_from_nonoverlapping(at as *const u8, contents.len()) };
        Ok(())
    }

    fn free(&self, at: u64, bytes: usize) {
        // SAFETY: it was allocated by `allocate`, and is freed once.
        unsafe { (self.free)(at as *mut u8, bytes) };
    }

    fn launch(&self, program: &Program, launch: &Launch<'_>) -> Result<(), String> {
        let kernel = program.kernels.get(launch.kernel).ok_or_else(|| format!("no kernel {}", launch.kernel))?;
        let c_string = |text: &str| CString::new(text).expect("names are identifiers");
        let names: Vec<CString> = launch.buffers.iter().map(|buffer| c_string(&buffer.name)).collect();
        let range = |name: &CStr, at, bytes| Range { name: name.as_ptr(), at, bytes };
        let buffers = launch.buffers.iter().zip(&names);
        let buffers: Vec<Range> = buffers.map(|(slice, name)| range(name, slice.at as usize, slice.bytes)).collect();
        let shared: Vec<Range> = kernel.shared.iter().map(|(name, at, bytes)| range(name, *at, *bytes)).collect();
        let (name, mut params, mut message) = (c_string(launch.kernel), launch.params(), vec![0u8; 1024]);
        let raw = RawLaunch {
            name: name.as_ptr(),
            kernel: kernel.at,
            params: params.as_mut_ptr(),
            param_count: params.len(),
            grid: launch.groups,
            threads: launch.threads,
            buffers: buffers.as_ptr(),
            buffer_count: buffers.len(),
            shared: shared.as_ptr(),
            shared_count: shared.len(),
            message: message.as_mut_ptr().cast(),
            message_bytes: message.len(),
        };
        let _alone = program.lock.lock().expect("no launch has panicked");
        // SAFETY: the launch is as `runtime.h` has it, all of it outlives the call, and the message ends with 0.
        let failed = unsafe { (self.launch)(&raw const raw) };
        if failed == 0 {
            return Ok(());
        }
        let message = CStr::from_bytes_until_nul(&message).expect("the runtime ends it with 0");
        Err(message.to_string_lossy().into_owned())
    }
}
