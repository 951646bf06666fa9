//! The code memory of the process: objects go in, addresses come out, dropping a [`Code`] frees its pages.
//!
//! Every object defines [`SYMBOL`]; before it is linked, that name is replaced in its table of names by one that no
//! other object of the process has. So objects follow from what they compute, and may come from another process.
//!
//! Invariant: an entry address is used only while its [`Code`] lives.

use crate::libm;
use llvm_sys::core::{LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMGetVersion};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcCreateLLJITBuilder, LLVMOrcLLJITAddObjectFileWithRT, LLVMOrcLLJITGetMainJITDylib,
    LLVMOrcLLJITLookup, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCSymbolMapPair, LLVMOrcJITDylibCreateResourceTracker, LLVMOrcJITDylibDefine, LLVMOrcReleaseResourceTracker,
    LLVMOrcResourceTrackerRef, LLVMOrcResourceTrackerRemove,
};
use memchr::memmem;
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A kernel's entry: pointers to the buffers, scratch, the values of the sizes, and the range of the root axis.
pub(crate) type Entry =
    unsafe extern "C" fn(args: *const *mut u8, scratch: *mut u8, sizes: *const i64, begin: i64, end: i64);

/// The one JIT of the process; it lives as long as the process does.
struct Jit(LLVMOrcLLJITRef);

// SAFETY: LLJIT locks its session; objects may be added and looked up from any thread.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

/// The code of one kernel.
pub(crate) struct Code {
    entry: Entry,
    tracker: LLVMOrcResourceTrackerRef,
}

// SAFETY: a resource tracker is reference counted under the session's lock, and code is immutable.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// The entry point of the kernel.
    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the tracker is ours and used for the last time; nobody runs the code once its owner is gone.
        unsafe {
            if let Err(reason) = check(LLVMOrcResourceTrackerRemove(self.tracker)) {
                tracing::warn!(%reason, "code not freed");
            }
            LLVMOrcReleaseResourceTracker(self.tracker);
        }
    }
}

/// The name that an object gives its entry.
pub(crate) const SYMBOL: &str = "rust_inductor_kernel_0000000000000000";

/// The number of the last characters of [`SYMBOL`] that are replaced.
const DIGITS: usize = 16;

/// The version of the LLVM that is linked to.
pub(crate) fn llvm_version() -> (u32, u32, u32) {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places to write to.
    unsafe { LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut patch) };
    (major, minor, patch)
}

/// Links an object file and finds its entry.
pub(crate) fn link(mut object: Vec<u8>) -> Result<Code, String> {
    let jit = jit()?.0;
    let name = CString::new(rename(&mut object)?).map_err(|e| e.to_string())?;
    // SAFETY: the buffer is copied before the call returns; the tracker is handed to `Code`, or released on failure.
    unsafe {
        let tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), name.as_ptr());
        let mut address = 0;
        let linked = check(LLVMOrcLLJITAddObjectFileWithRT(jit, tracker, buffer))
            .and_then(|()| check(LLVMOrcLLJITLookup(jit, &raw mut address, name.as_ptr())));
        if let Err(reason) = linked {
            LLVMOrcReleaseResourceTracker(tracker);
            return Err(reason);
        }
        Ok(Code { entry: std::mem::transmute::<usize, Entry>(address as usize), tracker })
    }
}

/// Gives the entry a name of its own, and tells it.
fn rename(object: &mut [u8]) -> Result<String, String> {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let mut finder = memmem::find_iter(object, SYMBOL);
    let (Some(at), None) = (finder.next(), finder.next()) else {
        return Err("an object without the one entry that it should have".to_owned());
    };
    let name = format!("{}{:0DIGITS$x}", &SYMBOL[..SYMBOL.len() - DIGITS], COUNT.fetch_add(1, Ordering::Relaxed));
    object[at..at + name.len()].copy_from_slice(name.as_bytes());
    Ok(name)
}

fn jit() -> Result<&'static Jit, String> {
    static JIT: OnceLock<Result<Jit, String>> = OnceLock::new();
    JIT.get_or_init(create).as_ref().map_err(Clone::clone)
}

fn create() -> Result<Jit, String> {
    crate::target::host();
    let mut jit = ptr::null_mut();
    // SAFETY: the builder is consumed; on success `jit` is a live LLJIT that is never disposed of.
    unsafe {
        check(LLVMOrcCreateLLJIT(&raw mut jit, LLVMOrcCreateLLJITBuilder()))?;
        define_libm(jit)?;
    }
    Ok(Jit(jit))
}

/// Makes the functions of [`libm`] visible to kernels.
///
/// # Safety
/// `jit` is live.
unsafe fn define_libm(jit: LLVMOrcLLJITRef) -> Result<(), String> {
    let flags = || LLVMJITSymbolFlags {
        GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
            | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8,
        TargetFlags: 0,
    };
    let mut pairs = Vec::new();
    for (name, address) in libm::symbols() {
        let name = CString::new(name).map_err(|e| e.to_string())?;
        // SAFETY: `jit` is live and the name ends in NUL.
        let interned = unsafe { LLVMOrcLLJITMangleAndIntern(jit, name.as_ptr()) };
        let symbol = LLVMJITEvaluatedSymbol { Address: address as u64, Flags: flags() };
        pairs.push(LLVMOrcCSymbolMapPair { Name: interned, Sym: symbol });
    }
    // SAFETY: the unit takes over the interned names; the dylib takes over the unit.
    unsafe {
        let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
        check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), unit))
    }
}

/// Turns LLVM's error into its message.
///
/// # Safety
/// `error` is null or a live error, which is consumed.
unsafe fn check(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the message is a C string that we dispose of after copying it.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}
