//! From an imported graph to a program: the compiler, with its safety net.

use crate::cache::{self, Cache};
use crate::cuda;
use crate::device::{TargetDevice, Wgpu};
use crate::exec::{CudaCode, Launcher, LibTorch, Parts, Program, prepare};
use crate::fallback_plan::fallback_plan;
use crate::import::{Imported, Roles};
use crate::options::Options;
use crate::torch::{library_reach, pool};
use cranelift_entity::PrimaryMap;
use inductor::Config;
use inductor::backend::{Backend, CompiledKernel};
use inductor::device::{Device as _, Refusal};
use inductor::offload::{Placement, StepDevice};
use inductor::plan::{CallKind, Fate, KernelId, Launch, Plan, SizeError, Step, SymbolicPlan};
use inductor_cpu::Cpu;
use inductor_cuda::{Cuda, CudaKernel};
use inductor_wgpu::{Gpu, GpuKernel};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use runtime::{Arenas, LARGE, Latest};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use symshapes::{Device, DeviceKind, Sym};

/// A compiled graph, for all sizes.
pub(crate) struct Compiled {
    pub(crate) plan: SymbolicPlan,
    pub(crate) code: Code,
    /// The processor, as the device that host code is compiled for.
    pub(crate) cpu: &'static Cpu,
    /// The memory between kernels, which all graphs share.
    pub(crate) arenas: Arc<Arenas>,
    /// The results computed from weights alone, kept for all sizes.
    pub(crate) latest: Arc<Latest<LibTorch>>,
    /// Time spent, stage by stage.
    pub(crate) stages: Vec<(&'static str, Duration)>,
}

/// The code of a graph's kernels.
pub(crate) enum Code {
    /// For the processor.
    Host(inductor::Code),
    /// For a CUDA device, and the place of the tensors: the device, or the processor, if it is emulated.
    Cuda(Arc<Cuda>, Device, PrimaryMap<KernelId, Arc<CudaKernel>>),
    /// For a device, or why it takes a kernel not.
    Device(Arc<Wgpu>, PrimaryMap<KernelId, Result<GpuKernel, Refusal>>),
}

impl Compiled {
    /// The program for these values of the symbols; `explain` makes the exception for sizes that there is no plan for.
    pub(crate) fn program(
        &self,
        py: Python<'_>,
        imported: &Imported,
        value: &dyn Fn(Sym) -> Option<i64>,
        explain: &dyn Fn(SizeError) -> PyErr,
    ) -> PyResult<Program> {
        let plan = self.plan_at(value).map_err(explain)?;
        if cfg!(debug_assertions) {
            inductor::plan::verify::verify(&plan).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        }
        let (arenas, latest) = (Arc::clone(&self.arenas), Arc::clone(&self.latest));
        let prepare = |kernels: &dyn Fn(KernelId) -> Option<Arc<dyn CompiledKernel>>, launcher| {
            prepare(py, Parts { plan: &plan, kernels, imported, cpu: self.cpu, launcher, arenas, latest })
        };
        match &self.code {
            Code::Host(code) => {
                let compile = |id| self.cpu.compile(std::slice::from_ref(&plan.kernels[id])).ok()?.pop();
                prepare(&|id| code.launched.get(&id).cloned().or_else(|| compile(id)), Launcher::Host)
            }
            Code::Cuda(device, place, kernels) => {
                prepare(&|_| None, Launcher::Cuda(CudaCode { device, place: *place, kernels }))
            }
            Code::Device(device, kernels) => {
                let placement = Placement::of(&device.gpu, &plan, kernels);
                let compiled = py.detach(|| on_host(self.cpu, &plan, &placement)).map_err(PyRuntimeError::new_err)?;
                let find = |id| compiled.iter().find(|(known, _)| *known == id).map(|(_, kernel)| Arc::clone(kernel));
                prepare(&find, Launcher::Device(Arc::clone(device), placement))
            }
        }
    }

    /// The plan for these values of the symbols.
    fn plan_at(&self, value: &dyn Fn(Sym) -> Option<i64>) -> Result<Plan, SizeError> {
        match self.code {
            Code::Host(_) => {
                self.plan.fused_at(value, &|plan, call, epilogue| self.cpu.epilogue_mode(plan, call, epilogue))
            }
            Code::Cuda(..) | Code::Device(..) => self.plan.at(value),
        }
    }

    /// The plan for typical values of the symbols; `None` if there are none.
    pub(crate) fn typical(&self) -> Option<Plan> {
        self.plan_at(&|sym| self.plan.pool.symbol_hint(sym)).ok()
    }

    /// The name of the device, if there is one.
    pub(crate) fn device(&self) -> Option<String> {
        match &self.code {
            Code::Host(_) => None,
            Code::Cuda(device, ..) => Some(device.name().to_owned()),
            Code::Device(device, _) => Some(device.gpu.name().to_owned()),
        }
    }

    /// The generated code of a kernel.
    pub(crate) fn listing(&self, id: KernelId) -> String {
        match &self.code {
            Code::Host(code) => code.listing(id),
            Code::Cuda(_, _, kernels) => kernels.get(id).map(|kernel| kernel.listing()).unwrap_or_default(),
            Code::Device(device, kernels) => match kernels.get(id) {
                Some(Ok(kernel)) => device.gpu.listing(kernel),
                Some(Err(reason)) => format!("on the processor: {reason}"),
                None => String::new(),
            },
        }
    }
}

/// Some kernels of a plan, compiled.
type HostKernels = Vec<(KernelId, Arc<dyn CompiledKernel>)>;

/// The kernels that the host launches in a plan that a device runs a part of, compiled for the host.
fn on_host(cpu: &Cpu, plan: &Plan, placement: &Placement<Gpu>) -> Result<HostKernels, String> {
    let mut ids: Vec<KernelId> = Vec::new();
    for (step, place) in plan.steps.iter().zip(&placement.places) {
        if let (Step::Launch(Launch { kernel, .. }), StepDevice::Host(_)) = (step, place)
            && !ids.contains(kernel)
        {
            ids.push(*kernel);
        }
    }
    let kernels: Vec<_> = ids.iter().map(|&id| plan.kernels[id].clone()).collect();
    let compiled = cpu.compile(&kernels).map_err(|error| error.to_string())?;
    Ok(ids.into_iter().zip(compiled).collect())
}
/// Compiles a graph. A failure of the compiler is no failure of the program: then every operator is
/// called as eager would.
pub(crate) fn compile(
    py: Python<'_>,
    imported: &Imported,
    options: &Options,
    device: Option<Arc<Wgpu>>,
) -> PyResult<Compiled> {
    cache::refresh(py);
    let inductor::Compiled { mut plan, code, stages } = match guarded(py, imported, options, device) {
        Ok(compiled) => compiled,
        Err(why) if options.is_strict() => return Err(PyRuntimeError::new_err(why)),
        Err(why) => {
            tracing::warn!(target: "rust_inductor", "{why}; every operator of this graph is called instead");
            let plan = fallback_plan(&imported.graph, &why).map_err(PyRuntimeError::new_err)?;
            inductor::Compiled { plan, code: Code::Host(inductor::Code::default()), stages: Vec::new() }
        }
    };
    if options.fallback_error {
        forbid_fallbacks(&plan)?;
    }
    match code {
        Code::Host(_) => suit(&mut plan, &imported.roles),
        Code::Cuda(..) if imported.roles.spends => plan.choices.own_from = Some(LARGE),
        Code::Cuda(..) | Code::Device(..) => {}
    }
    let (arenas, latest) = (Arenas::shared(), Arc::default());
    Ok(Compiled { plan, code, cpu: host(options), arenas, latest, stages })
}

/// Suits a plan to what is known of its inputs from call to call.
fn suit(plan: &mut SymbolicPlan, roles: &Roles) {
    if roles.spends {
        // Large buffers take the memory of inputs that were read.
        plan.choices.own_from = Some(LARGE);
    } else {
        plan.choices.lends_from = Some(LARGE);
    }
}

/// Runs the compiler without the GIL; a panic becomes an error.
fn guarded(
    py: Python<'_>,
    imported: &Imported,
    options: &Options,
    device: Option<Arc<Wgpu>>,
) -> Result<inductor::Compiled<Code>, String> {
    let graph = &imported.graph;
    let on = match device {
        Some(device) => On::Device(device),
        None => match cuda::device_of(graph)? {
            Some(index) => {
                let folders = cuda::folders(py).map_err(|error| error.to_string())?;
                let place = Device { kind: DeviceKind::Cuda, index: Some(index) };
                On::Cuda(cuda::open(index, &folders, options.cache)?, place)
            }
            None if options.target == TargetDevice::EmulatedCuda => {
                On::Cuda(cuda::emulated(options.cache)?, Device::CPU)
            }
            None => On::Host,
        },
    };
    let run = || catch_unwind(AssertUnwindSafe(|| middle(graph, &imported.roles, options, on)));
    match py.detach(run) {
        Ok(result) => result,
        Err(panic) => Err(format!("internal error of the compiler: {}", panic_text(panic.as_ref()))),
    }
}

/// The processor, as the device that plans run on; with the user's cache or without any, with the cost model's kernels
/// or those that turn out to be the fastest.
fn host(options: &Options) -> &'static Cpu {
    static HOSTS: [OnceLock<Cpu>; 4] = [const { OnceLock::new() }; 4];
    let Options { cache, max_autotune, .. } = *options;
    HOSTS[2 * usize::from(cache) + usize::from(max_autotune)].get_or_init(|| {
        let cpu = Cpu::new().with_pool(pool()).with_library(library_reach());
        let cpu = if cache { cpu.with_store(Arc::new(Cache)) } else { cpu };
        if max_autotune { cpu.with_tuning() } else { cpu }
    })
}

/// The targets that a graph is compiled for.
enum On {
    /// The processor.
    Host,
    /// A CUDA device, and the place of the tensors.
    Cuda(Arc<Cuda>, Device),
    /// A device with memory of its own, which runs what it can.
    Device(Arc<Wgpu>),
}

fn middle(graph: &fx::Graph, roles: &Roles, options: &Options, on: On) -> Result<inductor::Compiled<Code>, String> {
    let Options { fallback_error, fills, freezing, .. } = *options;
    let chosen = inductor::Options { fallback_error, fills, ..inductor::Options::default() };
    let compiled = match on {
        On::Host => {
            // Weights that are trained are written to between calls.
            let weights = (freezing && roles.saved_from.is_none()).then(|| roles.weights.clone());
            let cpu = host(options);
            let config = Config::new(inductor::Options { weights, ..chosen }, cpu.capabilities());
            inductor::compile_for(graph, &config, |plan| Ok(Code::Host(inductor::Code::of(plan, cpu)?)))
        }
        On::Cuda(cuda, device) => {
            let config = Config::new(inductor::Options { device, ..chosen }, cuda.capabilities());
            inductor::compile_for(graph, &config, |plan| {
                let kernels = cuda.compile_all(plan.kernels.values())?;
                Ok(Code::Cuda(Arc::clone(&cuda), device, kernels.into_iter().collect()))
            })
        }
        On::Device(device) => {
            let config = Config::new(chosen, device.gpu.capabilities());
            inductor::compile_for(graph, &config, |plan| {
                let kernels = plan.kernels.values().map(|kernel| device.gpu.compile(kernel)).collect();
                Ok(Code::Device(Arc::clone(&device), kernels))
            })
        }
    };
    compiled.map_err(|error| error.to_string())
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn forbid_fallbacks(plan: &SymbolicPlan) -> PyResult<()> {
    let fallbacks = plan.steps.iter().filter_map(|step| match step {
        Step::Call(call) | Step::Fused(call, _) => match &call.kind {
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
        Fate::Write => "write".to_owned(),
        Fate::Dead => "dead".to_owned(),
    }
}
