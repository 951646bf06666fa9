//! The Python package's native half: graphs in, callables out.
//!
//! Everything `unsafe` that touches CPython or libtorch lives in this crate: `torch` (handles and their metadata) and
//! `exec` (what runs a plan). Invariant: importing the module does not import torch; the first graph does.

mod cache;
#[cfg(test)]
mod columns;
mod compiled_fn;
mod compiler;
mod cuda;
mod device;
mod device_functions;
mod differentiated;
mod dynamo;
mod exec;
mod fallback_plan;
mod fx_module;
mod fx_trace;
#[cfg(all(feature = "static-llvm", target_os = "linux", target_env = "gnu"))]
mod glibc;
#[cfg(any(test, feature = "sweep"))]
mod heuristics;
mod import;
mod logging;
mod names;
mod options;
mod recording;
mod remarks;
mod result_views;
mod symbols;
mod torch;

/// The native half of `rust_inductor`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::cache::{
        cache_directory, cache_files, clear_cache, host_label, load_artifact, read_artifact, save_artifact,
    };
    #[pymodule_export]
    use crate::compiled_fn::{
        CompiledFn, autocast_policy, compile_graph, compile_lowered, graph_as_it_is, is_for_library,
    };
    #[pymodule_export]
    use crate::device_functions::{device_counters, fail_next_cuda_launch, limit_device_memory, lose_device};
    #[pymodule_export]
    use crate::differentiated::{Differentiated, differentiate_lowered};
    #[pymodule_export]
    use crate::dynamo::{
        Dynamo, Optimized, Parts, bytecode_of, call_as_it_is, changes_tensors, has_symbols, is_library, reset,
        take_numbers_out,
    };
    #[cfg(feature = "sweep")]
    #[pymodule_export]
    use crate::heuristics::{heuristics, replace_heuristic};
    #[pymodule_export]
    use crate::options::check_options;
    #[pymodule_export]
    use crate::recording::{addresses, layout};
    #[pymodule_export]
    use crate::result_views::SymbolicPlace;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::logging::init();
        let fx = crate::fx_module::register(module)?;
        crate::fx_trace::register(&fx)
    }
}
