//! From an imported graph to a program: the compiler, with its safety net.

use crate::exec::{Program, prepare};
use crate::fallback_plan::fallback_plan;
use crate::import::Imported;
use crate::options::Options;
use cranelift_entity::PrimaryMap;
use inductor::backend::CompiledKernel;
use inductor::plan::{CallKind, Fate, KernelId, SizeError, Step, SymbolicPlan};
use inductor_cpu::Cpu;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use symshapes::Sym;

/// A compiled graph, for all sizes.
pub(crate) struct Compiled {
    pub(crate) plan: SymbolicPlan,
    pub(crate) kernels: PrimaryMap<KernelId, Arc<dyn CompiledKernel>>,
    /// Time spent, stage by stage.
    pub(crate) stages: Vec<(&'static str, Duration)>,
}

impl Compiled {
    /// What runs for these values of the symbols; `explain` makes the exception for sizes that there is no plan for.
    pub(crate) fn program(
        &self,
        py: Python<'_>,
        imported: &Imported,
        value: &dyn Fn(Sym) -> Option<i64>,
        explain: &dyn Fn(SizeError) -> PyErr,
    ) -> PyResult<Program> {
        let plan = self.plan.at(value).map_err(explain)?;
        if cfg!(debug_assertions) {
            inductor::plan::verify::verify(&plan).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        }
        prepare(py, &plan, self.kernels.clone(), imported)
    }
}

/// Compiles a graph. A failure of the compiler is no failure of the program: then every operator is
/// called as eager would.
pub(crate) fn compile(py: Python<'_>, imported: &Imported, options: &Options) -> PyResult<Compiled> {
    let (plan, kernels, stages) = match guarded(py, imported, options) {
        Ok(parts) => parts,
        Err(why) if options.fallback_error => return Err(PyRuntimeError::new_err(why)),
        Err(why) => {
            tracing::warn!(target: "rust_inductor", "{why}; every operator of this graph is called instead");
            let plan = fallback_plan(&imported.graph, &why).map_err(PyRuntimeError::new_err)?;
            (plan, PrimaryMap::new(), Vec::new())
        }
    };
    if options.fallback_error {
        forbid_fallbacks(&plan)?;
    }
    Ok(Compiled { plan, kernels, stages })
}

type Parts = (SymbolicPlan, PrimaryMap<KernelId, Arc<dyn CompiledKernel>>, Vec<(&'static str, Duration)>);

/// Runs the compiler without the GIL; a panic becomes an error.
fn guarded(py: Python<'_>, imported: &Imported, options: &Options) -> Result<Parts, String> {
    let graph = &imported.graph;
    let run = || catch_unwind(AssertUnwindSafe(|| middle(graph, options)));
    match py.detach(run) {
        Ok(result) => result,
        Err(panic) => Err(format!("internal error of the compiler: {}", panic_text(panic.as_ref()))),
    }
}

/// The device that plans run on.
pub(crate) fn host() -> &'static Cpu {
    static HOST: LazyLock<Cpu> = LazyLock::new(|| Cpu::new().with_pool(crate::torch::pool()));
    &HOST
}

fn middle(graph: &fx::Graph, options: &Options) -> Result<Parts, String> {
    let options = inductor::Options { fallback_error: options.fallback_error, ..inductor::Options::default() };
    let compiled = inductor::compile(graph, host(), &options).map_err(|error| error.to_string())?;
    Ok((compiled.plan, compiled.kernels, compiled.stages))
}

/// What a panic says.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn forbid_fallbacks(plan: &SymbolicPlan) -> PyResult<()> {
    let fallbacks = plan.steps.iter().filter_map(|step| match step {
        Step::Call(call) => match &call.kind {
            CallKind::Fallback(why) => Some(format!("{}: {why}", call.target)),
            CallKind::Extern => None,
        },
        _ => None,
    });
    let mut fallbacks: Vec<_> = fallbacks.collect();
    fallbacks.dedup();
    if fallbacks.is_empty() {
        return Ok(());
    }
    let message =
        format!("fallbacks are forbidden (option `fallback`), but the graph needs\n  {}", fallbacks.join("\n  "));
    Err(PyRuntimeError::new_err(message))
}

/// A node's fate in words.
pub(crate) fn describe(fate: &Fate) -> String {
    match fate {
        Fate::Kernel(kernels) => {
            let names: Vec<_> = kernels.iter().map(ToString::to_string).collect();
            format!("kernel {}", names.join(", "))
        }
        Fate::Extern => "extern".to_owned(),
        Fate::Fallback(why) => format!("fallback: {why}"),
        Fate::View => "view".to_owned(),
        Fate::Constant => "constant".to_owned(),
        Fate::Dead => "dead".to_owned(),
    }
}
