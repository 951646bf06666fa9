//! NVRTC as it comes with torch's wheels: found by asking the Python that has them.

use cudarc::nvrtc::{result, sys};
use libloading::Library;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Prints the folder of the wheels' libraries.
const ASK: &str = "import nvidia; print(list(nvidia.__path__)[0])";

/// The compiler, loaded for as long as the process lives.
pub(crate) struct Nvrtc {
    _libraries: Vec<Library>,
}

/// The compiler; without one, says so loudly and gives nothing.
pub(crate) fn find() -> Option<&'static Nvrtc> {
    static FOUND: OnceLock<Option<Nvrtc>> = OnceLock::new();
    let found = FOUND.get_or_init(load);
    if found.is_none() {
        eprintln!("SKIPPED: no libnvrtc.so.13 in the Python of PYO3_PYTHON or .venv; nothing was compiled");
    }
    found.as_ref()
}

fn load() -> Option<Nvrtc> {
    let folder = folder()?;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).ok()?.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc")));
    // Loaded by their paths, they are found by their names thereafter.
    paths.sort();
    // SAFETY: the libraries' initialisers are those of NVIDIA's own packages and expect nothing.
    let libraries: Vec<Library> = paths.iter().filter_map(|path| unsafe { Library::new(path) }.ok()).collect();
    // SAFETY: as above; this only looks whether there is one by a name that cudarc knows.
    let is_there = unsafe { sys::is_culib_present() };
    is_there.then_some(Nvrtc { _libraries: libraries })
}

/// The folder with the libraries.
fn folder() -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin/python");
    let python = std::env::var_os("PYO3_PYTHON").map_or(venv, PathBuf::from);
    let output = Command::new(python).args(["-c", ASK]).output().ok()?;
    let root = String::from_utf8(output.stdout).ok()?;
    let folder = Path::new(root.trim()).join("cu13/lib");
    folder.is_dir().then_some(folder)
}

/// A program's machine code, and what the compilers have said of it.
pub(crate) struct Compiled {
    pub(crate) cubin: Vec<u8>,
    pub(crate) log: String,
}

impl Nvrtc {
    /// Compiles a program to a cubin. The log lists what each kernel uses.
    ///
    /// # Errors
    /// The compiler's log.
    pub(crate) fn compile(&self, text: &str, architecture: &str) -> Result<Compiled, String> {
        let text = CString::new(text).map_err(|error| error.to_string())?;
        let program = result::create_program(&text, None).map_err(|error| error.to_string())?;
        let architecture = format!("--gpu-architecture={architecture}");
        let options = [architecture, "--std=c++17".to_owned(), "--ptxas-options=-v".to_owned()];
        // SAFETY: the program was made above and is destroyed once, below.
        let compiled = unsafe { result::compile_program(program, &options) };
        // SAFETY: as above.
        let log = unsafe { result::get_program_log(program) }.unwrap_or_default();
        let log: Vec<u8> = log.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
        let log = String::from_utf8_lossy(&log).into_owned();
        let done = compiled.map_err(|error| format!("{error}: {log}"));
        let cubin = done.and_then(|()| cubin(program));
        // SAFETY: as above.
        let destroyed = unsafe { result::destroy_program(program) };
        destroyed.map_err(|error| error.to_string())?;
        Ok(Compiled { cubin: cubin?, log })
    }
}

/// The machine code of a program that was compiled.
fn cubin(program: sys::nvrtcProgram) -> Result<Vec<u8>, String> {
    let mut size = 0;
    // SAFETY: the program is alive, and the size is written.
    unsafe { sys::nvrtcGetCUBINSize(program, &raw mut size) }.result().map_err(|error| error.to_string())?;
    let mut bytes = vec![0; size];
    // SAFETY: there is room for as many bytes as the compiler said.
    unsafe { sys::nvrtcGetCUBIN(program, bytes.as_mut_ptr().cast()) }.result().map_err(|error| error.to_string())?;
    Ok(bytes)
}
