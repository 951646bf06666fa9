//! Plans as JSON: what another process needs to run a compiled graph, beside its weights.
//!
//! The form is versioned: `{"version":2,"pool":…,"bufs":[…],"kernels":["kernel k0(…) {…}",…],"steps":[…],…}`. A
//! kernel is its [text](crate::loop_ir), which a backend compiles, or finds compiled in its [store](crate::store).
//! Equal layers are written once (`runs.rs`): a plan of 96 is as short as one of 12.
//!
//! Invariant: whatever the text is, reading it ends in a plan whose parts name only what it has, or in an error. That
//! the steps make sense is for [`verify`](super::verify) to say, once sizes are known.

use super::runs::Runs;
use super::{Buf, BufData, Call, CallArg, Choices, Epilogue, Fate, KernelId, Launch, Output, Step, SymbolicPlan, View};
use crate::loop_ir::{Kernel, text::TextError};
use cranelift_entity::EntityRef;
use fx::json::{FormError, versioned};
use fx::{Arg, NodeId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use symshapes::{Expr, Pool};

/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 2;

/// The reason why a text is not a plan.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not the JSON form.
    #[error(transparent)]
    Form(#[from] FormError),
    /// A text that is no kernel.
    #[error("kernel {0}: {1}")]
    Kernel(usize, TextError),
    /// The expressions name rows that there are not.
    #[error("the expressions are damaged")]
    Exprs,
    /// A part names what the plan does not have.
    #[error("{0} is not in the plan")]
    Dangling(String),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    pool: Pool,
    bufs: Runs<BufData<Expr>>,
    kernels: Vec<String>,
    steps: Runs<Step<Expr>>,
    frozen: usize,
    choices: Choices,
    inputs: usize,
    written: Vec<Buf>,
    outputs: Vec<Output<Expr>>,
    fates: Runs<(NodeId, Fate)>,
}

impl SymbolicPlan {
    /// The plan as one line of JSON.
    pub fn to_json(&self) -> String {
        let plan = self.clone();
        let stored = Stored {
            version: VERSION,
            pool: plan.pool,
            bufs: Runs(plan.bufs.into_iter().map(|(_, data)| data).collect()),
            kernels: plan.kernels.values().map(Kernel::to_string).collect(),
            steps: Runs(plan.steps),
            frozen: plan.frozen,
            choices: plan.choices,
            inputs: plan.inputs,
            written: plan.written,
            outputs: plan.outputs,
            fates: Runs(plan.fates.to_vec()),
        };
        serde_json::to_string(&stored).expect("a plan has only string keys and floats are written as JSON can")
    }

    /// Reads what [`SymbolicPlan::to_json`] wrote.
    ///
    /// # Errors
    /// Any other text.
    pub fn from_json(text: &str) -> Result<SymbolicPlan, Error> {
        versioned::<Stored>(text, VERSION)?.plan()
    }
}

impl Stored {
    fn plan(self) -> Result<SymbolicPlan, Error> {
        if !self.pool.is_closed() {
            return Err(Error::Exprs);
        }
        Check { exprs: self.pool.len(), bufs: self.bufs.0.len(), kernels: self.kernels.len() }.plan(&self)?;
        let kernels = self.kernels.iter().enumerate();
        let kernels = kernels.map(|(at, text)| text.parse().map_err(|error| Error::Kernel(at, error)));
        Ok(SymbolicPlan {
            pool: self.pool,
            bufs: self.bufs.0.into_iter().collect(),
            kernels: Arc::new(kernels.collect::<Result<_, _>>()?),
            steps: self.steps.0,
            frozen: self.frozen,
            choices: self.choices,
            inputs: self.inputs,
            written: self.written,
            outputs: self.outputs,
            fates: self.fates.0.into(),
        })
    }
}

/// The numbers of what a plan has.
struct Check {
    exprs: usize,
    bufs: usize,
    kernels: usize,
}

impl Check {
    fn plan(&self, plan: &Stored) -> Result<(), Error> {
        for data in &plan.bufs.0 {
            self.exprs(data.layout.sizes.iter().chain(&data.layout.strides).chain([&data.layout.offset]))?;
        }
        plan.steps.0.iter().try_for_each(|step| self.step(step))?;
        plan.written.iter().try_for_each(|&buf| self.buf(buf))?;
        plan.outputs.iter().try_for_each(|output| match output {
            Output::Tensor(view) => self.view(view),
            Output::Plain(arg) => self.plain(arg),
            Output::Object(_) => Ok(()),
        })?;
        let in_kernels = |fate: &Fate| if let Fate::Kernel(kernels) = fate { kernels.clone() } else { Vec::new() };
        plan.fates.0.iter().flat_map(|(_, fate)| in_kernels(fate)).try_for_each(|kernel| self.kernel(kernel))
    }

    fn step(&self, step: &Step<Expr>) -> Result<(), Error> {
        match step {
            Step::Launch(launch) => self.launch(launch),
            Step::Group(launches) => launches.iter().try_for_each(|launch| self.launch(launch)),
            Step::Call(call) => self.call(call),
            Step::Fused(call, epilogue) => {
                let Epilogue { args, product, into, .. } = epilogue;
                if [Some(*product), *into].into_iter().flatten().any(|place| place >= args.len()) {
                    return Err(Error::Dangling("an argument of an epilogue".to_owned()));
                }
                self.call(call)?;
                self.launch(&epilogue.launch())
            }
            Step::Free(buf) | Step::Check(buf) => self.buf(*buf),
            Step::Write { into, from } => {
                self.buf(*into)?;
                self.view(from)
            }
        }
    }

    fn launch(&self, Launch { kernel, args, sizes }: &Launch<Expr>) -> Result<(), Error> {
        self.kernel(*kernel)?;
        args.iter().try_for_each(|&buf| self.buf(buf))?;
        self.exprs(sizes)
    }

    fn call(&self, call: &Call<Expr>) -> Result<(), Error> {
        call.arguments().try_for_each(|arg| self.arg(arg))?;
        let mut bufs = Vec::new();
        call.for_each_buf(&mut |buf| bufs.push(buf));
        bufs.into_iter().try_for_each(|buf| self.buf(buf))
    }

    fn arg(&self, arg: &CallArg<Expr>) -> Result<(), Error> {
        match arg {
            CallArg::Tensor(view) => self.view(view),
            CallArg::Object(_) => Ok(()),
            CallArg::List(items) => items.iter().try_for_each(|item| self.arg(item)),
            CallArg::Plain(arg) => self.plain(arg),
        }
    }

    fn plain(&self, arg: &Arg) -> Result<(), Error> {
        let mut exprs = Vec::new();
        arg.for_each_expr(&mut |expr| exprs.push(expr));
        self.exprs(&exprs)
    }

    fn view(&self, view: &View<Expr>) -> Result<(), Error> {
        self.buf(view.buf)?;
        self.exprs(view.layout.sizes.iter().chain(&view.layout.strides).chain([&view.layout.offset]))
    }

    fn buf(&self, buf: Buf) -> Result<(), Error> {
        if buf.index() < self.bufs { Ok(()) } else { Err(Error::Dangling(buf.to_string())) }
    }

    fn kernel(&self, kernel: KernelId) -> Result<(), Error> {
        if kernel.index() < self.kernels { Ok(()) } else { Err(Error::Dangling(kernel.to_string())) }
    }

    fn exprs<'a>(&self, exprs: impl IntoIterator<Item = &'a Expr>) -> Result<(), Error> {
        match exprs.into_iter().find(|expr| expr.index() >= self.exprs) {
            None => Ok(()),
            Some(expr) => Err(Error::Dangling(expr.to_string())),
        }
    }
}
