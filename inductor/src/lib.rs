//! The device-independent middle of the compiler: from a graph of ATen calls to a [plan](plan::SymbolicPlan) of loop-IR
//! kernels and calls.
//!
//! [`compile_for`] is the whole way on one screen, for a host and for devices. Each stage has its own IR and its own
//! module: a graph is *decomposed* to [tensor IR](tensor_ir), given its *[layout]*, *scheduled* into kernels and calls,
//! each kernel *written* as [loop IR](loop_ir), and everything *planned* in memory and time.
//!
//! Invariant: this crate never names a device. What shares the host's memory implements [`backend::Backend`]; what has
//! memory of its own implements [`device::Device`], and [`offload`] runs what it can of a plan there.

pub mod autotune;
pub mod backend;
pub mod calls;
mod code;
pub mod convolution;
pub mod decompose;
pub mod device;
pub mod epilogue;
pub mod freeze;
pub mod grid;
pub mod heuristics;
pub mod in_place;
pub mod kernel;
pub mod layout;
pub mod loop_ir;
pub mod math;
pub mod memory;
pub mod offload;
pub mod plan;
pub mod planner;
pub mod schedule;
pub mod store;
pub mod tensor_ir;

use std::time::{Duration, Instant};

use fx::{Graph, Kind, NodeId};
use symshapes::Device;

pub use code::Code;

use backend::{Backend, BackendError, Capabilities};
use plan::SymbolicPlan;

/// The configuration of a compilation, which no pass changes: what the user chose, and what the target can do.
#[derive(Clone, Debug)]
pub struct Config {
    /// The user's choices.
    pub options: Options,
    /// The target's capabilities.
    pub target: Capabilities,
}

impl Config {
    /// The configuration for a target.
    pub fn new(options: Options, target: &Capabilities) -> Config {
        Config { options, target: target.clone() }
    }
}

/// The compilation options that the user chose.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// A node without a rule is an error rather than a call.
    pub fallback_error: bool,
    /// The device that tensors must be on for kernels to compute them.
    pub device: Device,
    /// Memory of which the program says nothing is the caller's to make, who fills it.
    pub fills: bool,
    /// The inputs, by number, whose values stay the same, if results may be kept from call to call: what follows from
    /// them and constants alone then stands first in the plan ([`freeze`]).
    pub weights: Option<Vec<usize>>,
}

impl Default for Options {
    fn default() -> Options {
        Options { fallback_error: false, device: Device::CPU, fills: false, weights: None }
    }
}

/// The reason why a graph was not compiled.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Only ATen calls are compiled.
    #[error("{node}: a {kind} node; only calls of ATen operators are compiled")]
    NotAten {
        /// The node.
        node: NodeId,
        /// Its kind.
        kind: Kind,
    },
    /// A size whose value no input gives.
    #[error("{node}: a size that the inputs do not give")]
    Symbolic {
        /// The node.
        node: NodeId,
    },
    /// An input that is neither a tensor nor a plain value.
    #[error("{node}: an input of unknown kind")]
    UnknownInput {
        /// The node.
        node: NodeId,
    },
    /// An operator that writes into its arguments.
    #[error("{node}: {target} writes into its arguments")]
    Mutation {
        /// The node.
        node: NodeId,
        /// The operator.
        target: String,
    },
    /// A use of a value that is not there.
    #[error("{node}: uses a value that is not known")]
    Unresolved {
        /// The node.
        node: NodeId,
    },
    /// A call that sees memory around a tensor, which the plan would have otherwise than the program.
    #[error("{node}: sees memory that is laid out otherwise")]
    Memory {
        /// The node.
        node: NodeId,
    },
    /// The graph returns nothing.
    #[error("the graph has no output")]
    NoOutput,
    /// A node without a rule, where fallbacks are errors.
    #[error("{node}: no kernel for {target}: {reason}")]
    Fallback {
        /// The node.
        node: NodeId,
        /// The operator.
        target: String,
        /// The feature that is missing.
        reason: String,
    },
    /// The input or the result of a stage breaks the rules of its IR: a bug of ours, found by a debug build.
    #[error("{stage}: {reason}")]
    Invalid {
        /// The stage that gave it.
        stage: &'static str,
        /// The invariant that does not hold.
        reason: String,
    },
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// A compiled graph, with its code for some target.
pub struct Compiled<C = Code> {
    /// The steps that it runs.
    pub plan: SymbolicPlan,
    /// Its kernels.
    pub code: C,
    /// The time that each stage took.
    pub stages: Stages,
}

/// The stages of a compilation, and how long each took.
pub type Stages = Vec<(&'static str, Duration)>;

/// Compiles a functional graph of ATen calls for what shares the host's memory; see [`compile_for`].
///
/// # Errors
/// See [`Error`].
pub fn compile(graph: &Graph, backend: &dyn Backend, options: &Options) -> Result<Compiled, Error> {
    let config = Config::new(options.clone(), backend.capabilities());
    compile_for(graph, &config, |plan| Code::of(plan, backend))
}

/// Compiles a functional graph of ATen calls; `generate` gives the code of a plan's kernels. Symbolic sizes stay
/// symbolic: one plan serves every value that their ranges admit, and [`SymbolicPlan::at`] decides for some values what
/// depends on them, which is how epilogues are computed, what is launched together, and where buffers lie.
///
/// # Errors
/// See [`Error`]; an operator without a rule is none, unless the options say so.
pub fn compile_for<C>(
    graph: &Graph,
    config: &Config,
    generate: impl FnOnce(&SymbolicPlan) -> Result<C, BackendError>,
) -> Result<Compiled<C>, Error> {
    let Config { options, target } = config;
    let mut log = Log::default();
    check("graph", || fx::verify::verify(graph))?;

    let tensors = log.pass("decompose", || decompose::decompose(graph, config))?;
    tracing::debug!(target: "inductor::tensor_ir", "{tensors}");
    check("decompose", || tensor_ir::verify::verify(&tensors))?;

    let weights = options.weights.as_deref();
    let tensors = log.pass("layout", || Ok(layout::choose(tensors, target, weights.unwrap_or_default())))?;
    check("layout", || tensor_ir::verify::verify(&tensors))?;

    let mut pool = tensors.pool.clone();
    let roots = log.pass("materialize", || schedule::materialize(&tensors, &mut pool))?;
    check("materialize", || schedule::verify::verify_roots(&tensors, &pool, &roots))?;
    let order = log.pass("fuse", || Ok(schedule::schedule(&tensors, &mut pool, roots)))?;
    check("fuse", || schedule::verify::verify(&tensors, &pool, &order))?;

    let mut plan = log.pass("lower", || Ok(planner::plan(graph, &tensors, pool, &order, target)))?;
    check_plan("lower", &plan)?;
    if target.epilogues {
        log.rewrite("epilogues", || epilogue::fuse(&mut plan));
        check_plan("epilogues", &plan)?;
    }
    if target.in_place {
        log.rewrite("in place", || in_place::fuse(&mut plan, graph));
        check_plan("in place", &plan)?;
    }
    if let Some(weights) = weights {
        log.rewrite("freeze", || freeze::hoist(&mut plan, weights));
        check_plan("freeze", &plan)?;
    }
    log.print(&plan);

    let code = log.pass("codegen", || Ok(generate(&plan)?))?;
    Ok(Compiled { plan, code, stages: log.stages })
}

/// Runs a stage's verifier in debug builds.
fn check<E: std::fmt::Display>(stage: &'static str, verify: impl FnOnce() -> Result<(), E>) -> Result<(), Error> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    verify().map_err(|reason| Error::Invalid { stage, reason: reason.to_string() })
}

/// Verifies a plan for typical sizes, and its kernels, in debug builds.
fn check_plan(stage: &'static str, plan: &SymbolicPlan) -> Result<(), Error> {
    plan.kernels.values().try_for_each(|kernel| check(stage, || loop_ir::verify::verify(kernel)))?;
    check(stage, || plan.typical().map_or(Ok(()), |plan| plan::verify::verify(&plan)))
}

/// Times each stage.
#[derive(Default)]
struct Log {
    stages: Stages,
}

impl Log {
    /// A pass over the plan in place.
    fn rewrite(&mut self, name: &'static str, f: impl FnOnce()) {
        let start = Instant::now();
        f();
        self.took(name, start);
    }

    fn pass<T>(&mut self, name: &'static str, f: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let start = Instant::now();
        let result = f();
        self.took(name, start);
        result
    }

    fn took(&mut self, name: &'static str, start: Instant) {
        let took = start.elapsed();
        tracing::debug!(target: "inductor", stage = name, ms = took.as_secs_f64() * 1e3);
        self.stages.push((name, took));
    }

    fn print(&self, plan: &SymbolicPlan) {
        if let Ok(plan) = plan.typical() {
            tracing::debug!(target: "inductor::plan", "{plan}");
        }
        for (id, kernel) in plan.kernels.iter() {
            tracing::debug!(target: "inductor::loop_ir", "{id}: {kernel}");
        }
    }
}
