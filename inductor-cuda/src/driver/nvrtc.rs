//! NVRTC, the compiler from CUDA C++ to machine code, as it comes with PyTorch's wheels.
//!
//! The library is found at run time: by its name if the process has it already, else in the folders that the caller
//! names.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::OnceLock;

use cudarc::nvrtc::{result, sys};
use libloading::Library;

use crate::CudaError;

/// Options of every compilation. Products and sums are rounded one by one, as eager's operators round them; NVRTC's
/// defaults are accurate division and square roots, and denormals.
const OPTIONS: [&str; 2] = ["--std=c++17", "--fmad=false"];

/// The compiler, loaded as long as the process.
pub(crate) struct Nvrtc {
    version: (i32, i32),
}

impl Nvrtc {
    /// The compiler of this process; the first call looks into the folders.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn find(folders: &[PathBuf]) -> Result<&'static Nvrtc, CudaError> {
        static FOUND: OnceLock<Option<Nvrtc>> = OnceLock::new();
        let none = || CudaError("no NVRTC (libnvrtc) was found, neither loaded nor beside torch".to_owned());
        FOUND.get_or_init(|| load(folders)).as_ref().ok_or_else(none)
    }

    /// The compiler's fingerprint: all that the machine code follows from besides text and architecture.
    pub(crate) fn fingerprint(&self) -> String {
        let (major, minor) = self.version;
        format!("NVRTC {major}.{minor} {}", OPTIONS.join(" "))
    }

    /// Compiles a program to a cubin for an architecture such as `sm_90`.
    ///
    /// # Errors
    /// The compiler's log.
    pub(crate) fn compile(&self, text: &str, architecture: &str) -> Result<Vec<u8>, CudaError> {
        let text = CString::new(text).map_err(|error| CudaError(error.to_string()))?;
        let failed = |error: result::NvrtcError| CudaError(format!("NVRTC: {error}"));
        let program = result::create_program(&text, None).map_err(failed)?;
        let architecture = format!("--gpu-architecture={architecture}");
        let options: Vec<&str> = OPTIONS.into_iter().chain([architecture.as_str()]).collect();
        // SAFETY: the program was made above and is destroyed once, below.
        let compiled = unsafe { result::compile_program(program, &options) };
        let done = compiled.map_err(|error| {
            // SAFETY: as above.
            let log = unsafe { result::get_program_log(program) }.unwrap_or_default();
            let log: Vec<u8> = log.iter().map(|&c| c as u8).collect();
            CudaError(format!("NVRTC: {error}: {}", String::from_utf8_lossy(&log).trim_end_matches('\0')))
        });
        let cubin = done.and_then(|()| cubin(program).map_err(failed));
        // SAFETY: as above.
        unsafe { result::destroy_program(program) }.map_err(failed)?;
        cubin
    }
}

/// The machine code of a program that was compiled.
fn cubin(program: sys::nvrtcProgram) -> Result<Vec<u8>, result::NvrtcError> {
    let mut size = 0;
    // SAFETY: the program is alive, and the size is written.
    unsafe { sys::nvrtcGetCUBINSize(program, &raw mut size) }.result()?;
    let mut bytes = vec![0; size];
    // SAFETY: there is room for as many bytes as the compiler said.
    unsafe { sys::nvrtcGetCUBIN(program, bytes.as_mut_ptr().cast()) }.result()?;
    Ok(bytes)
}

fn load(folders: &[PathBuf]) -> Option<Nvrtc> {
    // SAFETY: this only looks whether there is a library by one of the compiler's names.
    let is_there = || unsafe { sys::is_culib_present() };
    if !is_there() {
        let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
        let mut paths: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
        paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc")));
        // What the compiler itself loads (`libnvrtc-builtins`) comes before it. Loaded by its path, a library is found
        // by its name thereafter.
        paths.sort();
        for path in paths {
            // SAFETY: the initialisers of NVIDIA's libraries expect nothing.
            if let Ok(library) = unsafe { Library::new(path) } {
                std::mem::forget(library);
            }
        }
    }
    if !is_there() {
        return None;
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both numbers are written.
    unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result().ok()?;
    Some(Nvrtc { version: (major, minor) })
}
