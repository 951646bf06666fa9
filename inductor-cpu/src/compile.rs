//! From a kernel to code: emit, optimise by a short list of passes, generate an object, link it.

use crate::emit::emit;
use crate::jit::{self, Code};
use crate::target::{Host, with_machine};
use inductor::loop_ir::Kernel;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{FileType, TargetMachine};
use std::sync::atomic::{AtomicU64, Ordering};

/// Emission writes vectors by hand; what is left is to promote slots, fold, and hoist what a loop does not change.
const PASSES: &str = "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg,instcombine<no-verify-fixpoint>)";

/// What to show of a kernel.
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
pub(crate) fn compile(kernel: &Kernel, host: &'static Host) -> Result<Code, String> {
    build(host, |context, symbol| emit(context, kernel, symbol, host))
}

/// Compiles and links the function that `emit` gives under a symbol in a module of its own.
pub(crate) fn build(
    host: &'static Host,
    emit: impl for<'c> FnOnce(&'c Context, &str) -> Result<Module<'c>, String>,
) -> Result<Code, String> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let symbol = format!("kernel_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let context = Context::create();
    let object = with_machine(host, |machine| {
        let module = optimised(emit(&context, &symbol)?, machine)?;
        machine.write_to_memory_buffer(&module, FileType::Object).map_err(|e| e.to_string())
    })??;
    jit::link(object.as_slice(), &symbol)
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
