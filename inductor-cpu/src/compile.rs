//! From a kernel to code: emit, optimise by a short list of passes, generate an object, link it.
//!
//! Objects are kept in a [`Store`]. Law: an object follows from its [key](object_key) and the program's version alone,
//! so every object defines the same [`SYMBOL`], which linking replaces by a name of the process.

use crate::emit::emit;
use crate::jit::{self, Code, SYMBOL};
use crate::target::{Host, with_machine};
use inductor::loop_ir::Kernel;
use inductor::store::{Key, Store};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{FileType, TargetMachine};

/// Emission writes vectors by hand; what is left is to promote slots, fold, and hoist what a loop does not change.
const PASSES: &str = "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg,instcombine<no-verify-fixpoint>)";

/// The forms in which a kernel's code can be listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Listing {
    /// The LLVM IR as emitted.
    Emitted,
    /// The LLVM IR after the passes.
    Optimised,
    /// The host's assembly.
    Assembly,
}

/// Compiles and links a kernel.
pub(crate) fn compile(kernel: &Kernel, host: &'static Host, store: &dyn Store) -> Result<Code, String> {
    let key = object_key(host, "kernel", &kernel.canonical_text());
    build(host, store, &key, |context, symbol| emit(context, kernel, symbol, host))
}

/// The cache key of an object: everything that it follows from, which is the host, the generator of its code, and the
/// text of what is emitted; `kind` says what sort of text that is.
pub(crate) fn object_key(host: &Host, kind: &str, text: &str) -> Key {
    let (major, minor, patch) = jit::llvm_version();
    let generator = format!("LLVM {major}.{minor}.{patch} {PASSES} {host:?}");
    Key::new("cpu object", [generator.as_bytes(), kind.as_bytes(), text.as_bytes()])
}

/// Links the object that the store has under the key, or the one made of the function that `emit` gives under a symbol
/// in a module of its own.
pub(crate) fn build(
    host: &'static Host,
    store: &dyn Store,
    key: &Key,
    emit: impl for<'c> FnOnce(&'c Context, &str) -> Result<Module<'c>, String>,
) -> Result<Code, String> {
    if let Some(object) = store.get(key) {
        match jit::link(object) {
            Ok(code) => return Ok(code),
            Err(reason) => tracing::warn!(%reason, "an object of the cache does not link"),
        }
    }
    let context = Context::create();
    let object = with_machine(host, |machine| {
        let module = optimised(emit(&context, SYMBOL)?, machine)?;
        machine.write_to_memory_buffer(&module, FileType::Object).map_err(|e| e.to_string())
    })??;
    store.put(key, &host.label(), object.as_slice());
    jit::link(object.as_slice().to_vec())
}

/// The text of a kernel's code.
pub(crate) fn listing(kernel: &Kernel, host: &'static Host, what: Listing) -> Result<String, String> {
    let context = Context::create();
    let emit = || emit(&context, kernel, "kernel", host);
    with_machine(host, |machine| match what {
        Listing::Emitted => Ok(checked(emit()?, machine)?.to_string()),
        Listing::Optimised => Ok(optimised(emit()?, machine)?.to_string()),
        Listing::Assembly => {
            let module = optimised(emit()?, machine)?;
            let text = machine.write_to_memory_buffer(&module, FileType::Assembly).map_err(|e| e.to_string())?;
            Ok(String::from_utf8_lossy(text.as_slice()).into_owned())
        }
    })?
}

/// The module for the machine; a debug build verifies it.
fn checked<'c>(module: Module<'c>, machine: &TargetMachine) -> Result<Module<'c>, String> {
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    if cfg!(debug_assertions) {
        module.verify().map_err(|e| format!("invalid LLVM IR: {e}\n{}", module.to_string()))?;
    }
    Ok(module)
}

fn optimised<'c>(module: Module<'c>, machine: &TargetMachine) -> Result<Module<'c>, String> {
    let module = checked(module, machine)?;
    module.run_passes(PASSES, machine, PassBuilderOptions::create()).map_err(|e| e.to_string())?;
    Ok(module)
}
