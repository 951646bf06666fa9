//! One call of a program: Python objects in, Python objects out.

use super::bind::TorchBinder;
use super::cuda::{CudaCode, CudaPart};
use super::device::DevicePart;
use super::frozen::use_frozen;
use super::given::Given;
use super::libtorch::LibTorch;
use super::python_step::Call;
use super::{Activation, Failed, Prepared, Slot, no_memory, not_prepared};
use crate::device::Wgpu;
use crate::import::Imported;
use crate::options::Options;
use crate::torch::{Shim, Torch};
use fx::Meta;
use inductor::backend::{Backend, CompiledKernel};
use inductor::device::DeviceError;
use inductor::offload::Placement;
use inductor::plan::{Buf, KernelId, Plan};
use inductor_wgpu::Gpu;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use runtime::{Arenas, Code, Latest, Misfit, Output, StreamDevice};
use smallvec::SmallVec;
use std::sync::Arc;

/// The parts that a program is made of.
pub(crate) struct Parts<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// The kernels that the host launches.
    pub(crate) kernels: &'a dyn Fn(KernelId) -> Option<Arc<dyn CompiledKernel>>,
    /// The graph that it came from.
    pub(crate) imported: &'a Imported,
    /// The processor.
    pub(crate) cpu: &'a dyn Backend,
    /// The launcher of the kernels that the host does not launch, if there are any.
    pub(crate) launcher: Launcher<'a>,
    /// The memory between kernels.
    pub(crate) arenas: Arc<Arenas>,
    /// The frozen results that the graph has kept: those computed from weights alone.
    pub(crate) latest: Arc<Latest<LibTorch>>,
}

/// The launchers of kernels, by where they run.
pub(crate) enum Launcher<'a> {
    /// The processor alone.
    Host,
    /// A device that runs a part of the plan, and which part.
    Device(Arc<Wgpu>, Placement<Gpu>),
    /// The CUDA device that the tensors are on, with the kernels that it launches.
    Cuda(CudaCode<'a>),
}

/// A plan, ready to run, with the Python objects that it names.
pub(crate) struct Program {
    prepared: Prepared,
    constants: Vec<(Buf, Py<PyAny>)>,
    device: Option<DevicePart>,
    cuda: Option<Arc<CudaPart>>,
}

/// Prepares a plan whose kernels are compiled.
///
/// # Errors
/// A `NotImplementedError` for sizes that a CUDA device's kernels do not hold for.
pub(crate) fn prepare(py: Python<'_>, parts: Parts<'_>) -> PyResult<Program> {
    let Parts { plan, kernels, imported, cpu, launcher, arenas, latest } = parts;
    let torch = Torch::get(py)?;
    let mut binder = TorchBinder { py, torch, imported, on_host: !matches!(launcher, Launcher::Cuda(_)) };
    let device = |node| match &imported.graph[node].meta {
        Some(Meta::Tensor(meta)) => Some(meta.device),
        _ => None,
    };
    let parts = |code| runtime::Parts {
        plan,
        kernels,
        backend: cpu,
        code,
        devices: imported.graph.placeholders().map(device).collect(),
        spends: imported.roles.spends,
        weights: &imported.roles.weights,
        arenas,
        latest,
    };
    let prepare = |code| runtime::prepare(LibTorch(torch), &mut binder, parts(code)).map_err(not_prepared);
    let (prepared, device, cuda) = match launcher {
        Launcher::Host => (prepare(Code::Host)?, None, None),
        Launcher::Device(device, placement) => {
            (prepare(Code::Device(placement))?, Some(DevicePart::new(device, plan, imported)), None)
        }
        Launcher::Cuda(code) => {
            let part = Arc::new(CudaPart::new(Arc::clone(code.device), code.place));
            let device = Arc::clone(&part) as Arc<dyn StreamDevice>;
            let kernel = |id, sizes: &[i64]| code.kernel(id, sizes);
            (prepare(Code::Stream(runtime::StreamCode { device: &device, kernel: &kernel }))?, None, Some(part))
        }
    };
    let constant = |&(buf, index): &(Buf, usize)| match imported.constants.get(index) {
        Some((_, object)) => Ok((buf, object.clone_ref(py))),
        None => Err(PyRuntimeError::new_err(format!("{buf}: no constant {index}"))),
    };
    let constants = prepared.constants().iter().map(constant).collect::<PyResult<_>>()?;
    Ok(Program { prepared, constants, device, cuda })
}

/// The outcomes of a call.
pub(crate) enum Outcome<'py> {
    /// The outputs.
    Done(Bound<'py, PyAny>),
    /// An argument is something that only the graph itself can deal with: a subclass of tensor, a tensor without
    /// memory.
    Foreign,
}

impl Program {
    /// Runs the program. `options.threads` bounds the threads of a kernel; torch's own number where it is `None`.
    /// Arguments that the caller has given away may be `None` when it ends.
    pub(crate) fn run<'py>(
        &self,
        py: Python<'py>,
        args: &mut [Bound<'py, PyAny>],
        options: &Options,
    ) -> PyResult<Outcome<'py>> {
        let arity = self.prepared.arity();
        if args.len() != arity {
            return Err(PyTypeError::new_err(format!("the graph takes {arity} arguments, not {}", args.len())));
        }
        if let Some(cuda) = &self.cuda {
            cuda.make_flags(py, self.prepared.flag_count())?;
        }
        let mut activation = self.prepared.enter().map_err(no_memory)?;
        let outcome = self.run_in(py, args, options, &mut activation);
        self.prepared.leave(activation);
        outcome
    }

    /// True if a call has dropped some of these arguments.
    pub(crate) fn lacks(&self, args: &[Bound<'_, PyAny>]) -> bool {
        self.prepared.forgotten().any(|index| args[index].is_none())
    }

    /// The operators that are called, each with the way in which it is called.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        self.prepared.calls()
    }

    /// True if a device runs a part of it.
    pub(crate) fn has_device(&self) -> bool {
        self.prepared.has_device()
    }

    /// The steps that the host does though there is a device, and why.
    pub(crate) fn refused(&self) -> &[(String, String)] {
        self.prepared.refused()
    }

    /// The tensors that the run is given.
    fn given<'a, 'py>(&'a self, py: Python<'py>, args: &'a [Bound<'py, PyAny>]) -> Given<'a, 'py> {
        Given { py, prepared: &self.prepared, constants: &self.constants, args }
    }

    fn run_in<'py>(
        &self,
        py: Python<'py>,
        args: &mut [Bound<'py, PyAny>],
        options: &Options,
        activation: &mut Activation,
    ) -> PyResult<Outcome<'py>> {
        let torch = Torch::get(py)?;
        for spec in self.prepared.inputs() {
            let arg = &args[spec.index];
            if !torch.is_plain_tensor(arg) {
                return Ok(Outcome::Foreign);
            }
            // SAFETY: the arguments are held to the end of the call, but for those that it is told to forget.
            match unsafe { self.prepared.bind(spec, slot_of(torch, arg)?, activation) } {
                Ok(()) => {}
                Err(Misfit::Foreign) => return Ok(Outcome::Foreign),
                Err(Misfit::Mismatch(text)) => return Err(PyRuntimeError::new_err(text)),
            }
        }
        for (buf, object) in &self.constants {
            // SAFETY: the program holds them; their metadata was read from them when the graph was imported.
            unsafe { self.prepared.bind_constant(*buf, slot_of(torch, object.bind(py))?, activation) }?;
        }
        let threads = match options.threads.or_else(|| Shim::get().num_threads()) {
            Some(threads) => threads,
            None => torch.find(py, "get_num_threads")?.call0()?.extract()?,
        };
        let states = match &self.device {
            Some(device) => Some(device.begin(&self.given(py, args), options.freezing, activation)?),
            None => None,
        };
        if let Some(cuda) = &self.cuda {
            activation.stream = cuda.stream(py)?;
        }
        let weights = use_frozen(&self.given(py, args), activation)?;
        let mut call = Call::new(py, args);
        if let Err((failure, has_written)) = self.prepared.run(&mut call, activation, threads) {
            // Again, a write would count twice.
            return if is_for_host(&failure) && !has_written { Ok(Outcome::Foreign) } else { Err(call.error(failure)) };
        }
        if let (Some(device), Some(states)) = (&self.device, &states) {
            device.end(&self.given(py, args), states, activation)?;
        }
        let outputs = self.outputs(py, args, activation)?;
        if let Some(weights) = weights {
            self.prepared.keep_frozen(weights, activation);
        }
        Ok(Outcome::Done(outputs.into_any()))
    }

    fn outputs<'py>(
        &self,
        py: Python<'py>,
        args: &[Bound<'py, PyAny>],
        activation: &mut Activation,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let torch = Torch::get(py)?;
        let mut outputs: SmallVec<[Bound<'py, PyAny>; 8]> = SmallVec::with_capacity(self.prepared.outputs().len());
        for output in self.prepared.outputs() {
            let value = match output {
                Output::Input(index) => args[*index].clone(),
                Output::View(view) => torch.wrap(py, self.prepared.handle(*view, activation)?)?,
                Output::Constant(value) => value.bind(py).clone(),
                Output::Object(object) => match activation.object(*object) {
                    Some(value) => value.bind(py).clone(),
                    None => return Err(PyRuntimeError::new_err(format!("{object} was never given"))),
                },
                Output::Same(earlier) => outputs[*earlier].clone(),
                Output::Alias(earlier) => outputs[*earlier].call_method0(intern!(py, "detach"))?,
            };
            outputs.push(value);
        }
        if let Some(device) = &self.device {
            device.keep_results(py, &self.prepared, &outputs, activation)?;
        }
        PyTuple::new(py, outputs)
    }
}

/// True if the graph has to run without the device, which has no type for an integer, or met an index out of bounds:
/// the graph says so itself.
fn is_for_host(failure: &Failed) -> bool {
    matches!(failure, Failed::Device(DeviceError::TooWide { .. } | DeviceError::OutOfBounds { .. }))
}

/// The tensor of a Python object: borrowed where its address is known.
fn slot_of(torch: &Torch, object: &Bound<'_, PyAny>) -> PyResult<Slot> {
    Ok(match torch.borrow_raw(object) {
        Some(raw) => Slot::Borrowed(raw),
        None => Slot::Shared(torch.share(object)?),
    })
}
