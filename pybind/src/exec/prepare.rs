//! From a plan to a program: everything that need not be looked up at each call.

use super::dispatch;
use super::externs::{self, Form};
use super::frozen::{Frozen, Latest};
use super::{
    Arenas, BufSpec, CUDA, Called, CudaCode, CudaLaunch, CudaPart, DevicePart, ExternCall, InputSpec, Keep,
    KernelLaunch, LibraryCall, Output, Program, PyArg, PyCall, Step, Stretch, ViewId, ViewSpec, Way,
};
use crate::device::Wgpu;
use crate::import::{Imported, to_python};
use crate::torch::Torch;
use cranelift_entity::PrimaryMap;
use fx::{Arg, Meta, NodeId};
use inductor::backend::{Backend, CompiledKernel, Library, Member};
use inductor::memory::ALIGN;
use inductor::offload::{HostStep, Place, Placement};
use inductor::plan::{self, Buf, Call, CallArg, CallKind, CallResult, KernelId, Launch, ObjectId, Plan, Storage, View};
use inductor_cpu::Cpu;
use inductor_wgpu::Gpu;
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, OnceLock};
use symshapes::DeviceKind;

/// So many bytes of arguments that are not read any more are worth dropping before the call ends: that needs the GIL.
const FORGOTTEN_BYTES: usize = 1 << 20;

/// The parts that a program is made of.
pub(crate) struct Parts<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// The kernels that the host launches.
    pub(crate) kernels: &'a dyn Fn(KernelId) -> Option<Arc<dyn CompiledKernel>>,
    /// The graph that it came from.
    pub(crate) imported: &'a Imported,
    /// The processor.
    pub(crate) cpu: &'a Cpu,
    /// The device that runs a part of it, and which part.
    pub(crate) device: Option<(Arc<Wgpu>, Placement<Gpu>)>,
    /// The CUDA device that the tensors are on, with the kernels that it launches.
    pub(crate) cuda: Option<CudaCode<'a>>,
    /// The memory between kernels.
    pub(crate) arenas: Arc<Arenas>,
    /// The frozen results that the graph has kept: those computed from weights alone.
    pub(crate) latest: Arc<Latest>,
}

/// Prepares a plan whose kernels are compiled.
///
/// # Errors
/// A `NotImplementedError` for sizes that a CUDA device's kernels do not hold for.
pub(crate) fn prepare(py: Python<'_>, parts: Parts<'_>) -> PyResult<Program> {
    let Parts { plan, kernels, imported, cpu, device, cuda, arenas, latest } = parts;
    let mut preparer = Preparer {
        py,
        torch: Torch::get(py)?,
        plan,
        kernels,
        imported,
        cpu,
        cuda,
        scratch: 0,
        views: PrimaryMap::new(),
        numbers: FxHashMap::default(),
        written: FxHashSet::default(),
        on_device: FxHashSet::default(),
        steps: Vec::new(),
        calls: Vec::new(),
    };
    let mut frozen = 0;
    let (outputs, device) = match device {
        Some((device, placement)) => preparer.with_device(device, placement)?,
        None => {
            let mut spent = if imported.roles.spends { Spent::of(plan, imported) } else { Spent::default() };
            for (at, step) in plan.steps.iter().enumerate() {
                preparer.step(step)?;
                if at + 1 == plan.frozen {
                    frozen = preparer.steps.len();
                }
                preparer.steps.extend(spent.after(at));
            }
            (preparer.outputs()?, None)
        }
    };
    let Preparer { views, steps, calls, scratch, .. } = preparer;
    let flags: Box<[Buf]> =
        steps.iter().filter_map(|step| if let Step::Check(flag) = step { Some(*flag) } else { None }).collect();
    let cuda = cuda.map(|code| CudaPart::new(Arc::clone(code.device), code.index, flags.len()));
    let scratch_at = plan.arena_bytes.next_multiple_of(ALIGN);
    Ok(Program {
        bufs: plan.bufs.values().map(buf_spec).collect(),
        views,
        stretches: stretches(&steps),
        inputs: inputs(plan, imported)?,
        arity: plan.inputs,
        constants: constants(py, plan, imported)?,
        outputs,
        objects: count_objects(plan),
        arena_bytes: if scratch == 0 { plan.arena_bytes } else { scratch_at + scratch },
        scratch: scratch_at,
        lender: plan.lender,
        arenas,
        flags,
        steps,
        frozen: Frozen::of(plan, frozen, latest),
        calls,
        frames: Mutex::new(Vec::new()),
        device,
        cuda,
    })
}

struct Preparer<'py, 'a> {
    py: Python<'py>,
    torch: &'static Torch,
    plan: &'a Plan,
    kernels: &'a dyn Fn(KernelId) -> Option<Arc<dyn CompiledKernel>>,
    imported: &'a Imported,
    cpu: &'a Cpu,
    cuda: Option<CudaCode<'a>>,
    /// The most memory that a launch on a CUDA device uses beside its arguments.
    scratch: usize,
    views: PrimaryMap<ViewId, ViewSpec>,
    numbers: FxHashMap<View, ViewId>,
    /// Owned buffers that have been allocated.
    written: FxHashSet<Buf>,
    /// Results of calls that the device has made.
    on_device: FxHashSet<Buf>,
    steps: Vec<Step>,
    calls: Vec<Called>,
}

impl<'py> Preparer<'py, '_> {
    fn step(&mut self, step: &plan::Step) -> PyResult<()> {
        match step {
            plan::Step::Launch(launch) => {
                launch.args.iter().for_each(|&buf| self.allocate(buf));
                let step = match self.cuda {
                    Some(cuda) => Step::Cuda(self.launched_on(cuda, launch)?),
                    None => Step::Launch(self.launched(launch)?),
                };
                self.steps.push(step);
            }
            plan::Step::Group(launches) => self.group(launches)?,
            plan::Step::Call(call) => self.call(call)?,
            plan::Step::Fused(call, epilogue) => match self.cpu.fused(self.plan, call, epilogue) {
                Some(library) => {
                    step.for_each_buf(&mut |buf| self.allocate(buf));
                    let step = self.fastest(call, self.placed(library), Some(epilogue))?;
                    self.push_call(call, step, "extern".to_owned());
                }
                // The product has no memory of its own.
                None if epilogue.into.is_some() => {
                    return Err(PyRuntimeError::new_err(format!("`{step}` was not compiled")));
                }
                None => step.apart().iter().try_for_each(|part| self.step(part))?,
            },
            plan::Step::Free(buf) => self.steps.push(Step::Free(*buf)),
            plan::Step::Check(buf) => self.steps.push(Step::Check(*buf)),
            plan::Step::Write { into, from } => {
                self.allocate(from.buf);
                let from = self.view(from);
                self.steps.push(Step::Write(*into, from));
            }
        }
        Ok(())
    }

    fn launched(&self, Launch { kernel, args, sizes }: &Launch) -> PyResult<KernelLaunch> {
        let kernel = self.compiled(*kernel)?;
        Ok(KernelLaunch { kernel, args: args.clone().into(), sizes: sizes.clone().into() })
    }

    fn launched_on(&mut self, code: CudaCode<'_>, Launch { kernel, args, sizes }: &Launch) -> PyResult<CudaLaunch> {
        let work = code.kernels[*kernel].launch(code.device, sizes);
        let work = work.map_err(|refusal| PyNotImplementedError::new_err(refusal.to_string()))?;
        self.scratch = self.scratch.max(work.scratch_bytes);
        Ok(CudaLaunch { work, args: args.clone().into() })
    }

    fn compiled(&self, kernel: KernelId) -> PyResult<Arc<dyn CompiledKernel>> {
        (self.kernels)(kernel).ok_or_else(|| PyRuntimeError::new_err(format!("{kernel} was not compiled")))
    }

    fn group(&mut self, launches: &[Launch]) -> PyResult<()> {
        let args: Box<[Buf]> = launches.iter().flat_map(|launch| launch.args.iter().copied()).collect();
        args.iter().for_each(|&buf| self.allocate(buf));
        let member = |Launch { kernel, args, sizes }: &Launch| {
            Ok(Member { kernel: self.compiled(*kernel)?, args: args.len(), sizes: sizes.clone().into() })
        };
        let members = launches.iter().map(member).collect::<PyResult<_>>()?;
        let kernel = self.cpu.group_launches(members, self.plan.is_one_walk(launches));
        self.steps.push(Step::Launch(KernelLaunch { kernel, args, sizes: Box::default() }));
        Ok(())
    }

    /// Allocates an owned buffer before the step that is the first to name it.
    fn allocate(&mut self, buf: Buf) {
        let is_own = match self.plan.bufs[buf].storage {
            Storage::Lent(_) => return self.plan.lender.into_iter().for_each(|lender| self.allocate(lender)),
            Storage::Owned => true,
            Storage::Result => self.on_device.contains(&buf),
            Storage::Input(_) | Storage::Constant(_) | Storage::Arena(_) => false,
        };
        if is_own && self.written.insert(buf) {
            self.steps.push(Step::Allocate(buf));
        }
    }

    /// All steps of a plan that a device runs a part of, and what moves between them.
    fn with_device(
        &mut self,
        device: Arc<Wgpu>,
        placement: Placement<Gpu>,
    ) -> PyResult<(Vec<Output>, Option<DevicePart>)> {
        let mut part = DevicePart::new(device, self.plan, self.imported);
        let plan = self.plan;
        for ((step, place), dead) in placement.steps.iter().zip(placement.places).zip(placement.dead_after) {
            match place {
                Place::Device(task) => {
                    self.on_device.extend(task.args.iter().filter(|(_, access)| access.writes()).map(|(buf, _)| *buf));
                    self.steps.push(Step::Device(task));
                    part.nones.extend(objects_of(step));
                }
                Place::Host(host) => self.host_step(step, &host, &mut part)?,
                Place::Nowhere => match step {
                    plan::Step::Check(buf) if self.on_device.contains(buf) => part.flags.push(*buf),
                    _ => self.step(step)?,
                },
            }
            let stays = |buf: &Buf| plan.bufs[*buf].storage.is_given();
            let dead: Box<[Buf]> = dead.into_iter().filter(|buf| !stays(buf) && !part.flags.contains(buf)).collect();
            if !dead.is_empty() {
                self.steps.push(Step::Release(dead));
            }
        }
        let outputs = self.outputs()?;
        let returned = plan.outputs.iter().filter_map(|output| match output {
            plan::Output::Tensor(view) => Some(view.buf),
            plan::Output::Plain(_) | plan::Output::Object(_) => None,
        });
        self.steps.push(Step::Fetch(returned.chain(part.flags.iter().copied()).collect()));
        self.steps.extend(part.flags.iter().map(|&flag| Step::Check(flag)));
        Ok((outputs, Some(part)))
    }

    /// A step that the host does, in a plan that a device runs a part of.
    fn host_step(&mut self, step: &plan::Step, host: &HostStep, part: &mut DevicePart) -> PyResult<()> {
        host.reads.iter().for_each(|&buf| self.allocate(buf));
        self.steps.push(Step::Fetch(host.reads.clone().into()));
        self.step(step)?;
        self.steps.push(Step::Wrote(host.writes.clone().into()));
        let what = match step {
            plan::Step::Launch(Launch { kernel, .. }) => self.plan.kernels[*kernel].name.clone(),
            plan::Step::Call(call) | plan::Step::Fused(call, _) => call.target.to_string(),
            plan::Step::Write { .. } => "write".to_owned(),
            plan::Step::Group(_) | plan::Step::Free(_) | plan::Step::Check(_) => String::new(),
        };
        part.refused.push((what, host.reason.to_string()));
        Ok(())
    }

    fn call(&mut self, call: &Call) -> PyResult<()> {
        // What has no elements is written by no kernel.
        for arg in call.args.iter().chain(call.kwargs.iter().map(|(_, arg)| arg)) {
            arg.for_each_view(&mut |view| self.allocate(view.buf));
        }
        for result in &call.results {
            if let CallResult::Tensor(buf) = result {
                self.allocate(*buf);
            }
        }
        if let Some(library) = self.library_call(call) {
            let step = match library.refuses {
                true => Step::Unless(library, Box::new(self.torch_call(call)?.0)),
                false => self.fastest(call, library, None)?,
            };
            self.push_call(call, step, "extern".to_owned());
            return Ok(());
        }
        let (step, how) = self.torch_call(call)?;
        self.push_call(call, step, how);
        Ok(())
    }

    /// The step in which torch makes the call, and the way in which it does so.
    fn torch_call(&mut self, call: &Call) -> PyResult<(Step, String)> {
        let python = self.python_call(call)?;
        Ok(match self.extern_call(call, &python) {
            Ok(external) => (Step::Extern(external, python), describe(&call.kind, None)),
            Err(obstacle) => (Step::Python(python), describe(&call.kind, Some(&obstacle))),
        })
    }

    fn push_call(&mut self, call: &Call, step: Step, how: String) {
        self.calls.push(Called { step: self.steps.len(), target: call.target.to_string(), how });
        self.steps.push(step);
    }

    /// The device's own kernel for a call whose result has memory of the plan's.
    fn library_call(&self, call: &Call) -> Option<LibraryCall> {
        let [CallResult::Tensor(buf)] = *call.results.as_slice() else { return None };
        if call.kind != CallKind::Extern || self.plan.bufs[buf].storage == Storage::Result {
            return None;
        }
        self.cpu.library(call, &self.plan.whole(buf)).map(|library| self.placed(library))
    }

    /// A kernel with the places of its arguments.
    fn placed(&self, Library { kernel, args, refuses }: Library) -> LibraryCall {
        let place = |view: &View| {
            let elements = view.layout.offset - self.plan.bufs[view.buf].layout.offset;
            (view.buf, elements as isize * view.dtype.size() as isize)
        };
        LibraryCall { kernel, args: args.iter().map(place).collect(), refuses }
    }

    /// The device's own kernel for a call and its epilogue, or a choice by measurement between that and libtorch's.
    fn fastest(&mut self, call: &Call, library: LibraryCall, epilogue: Option<&plan::Epilogue>) -> PyResult<Step> {
        let what = library.kernel.listing();
        let Some(tuner) = self.cpu.autotune(2, &[&self.torch.version, &call.target, &what]) else {
            return Ok(Step::Library(library));
        };
        let python = self.python_call(call)?;
        Ok(match self.extern_call(call, &python) {
            Ok(external) => {
                let then = epilogue.map(|epilogue| self.launched(&epilogue.launch())).transpose()?;
                Step::Either(library, external, then, tuner)
            }
            Err(_) => Step::Library(library),
        })
    }

    /// The call without Python; the error says what stands in the way.
    fn extern_call(&mut self, call: &Call, python: &PyCall) -> Result<ExternCall, String> {
        if !self.torch.tried {
            return Err("this release of torch was not tried".to_owned());
        }
        if !call.target.op().is_some_and(|op| self.torch.declares(self.py, op)) {
            return Err("no operator of ATen, or one that this release of torch declares otherwise".to_owned());
        }
        let results = python.results.clone();
        // The shims are those of the processor's library.
        if self.cuda.is_none()
            && let Some((shim, values)) = externs::find(call, &mut |view| self.view(view))
        {
            let writes = call.results.iter().all(|r| matches!(r, CallResult::Tensor(_)));
            let fits = match shim.row.form {
                Form::Out => writes && call.results.len() == 1,
                Form::New => true,
            };
            if fits {
                return Ok(ExternCall { way: Way::Shim(shim, values), results, refused: OnceLock::new() });
            }
        }
        let dispatch = dispatch::find(call, &mut |view| self.view(view))?;
        Ok(ExternCall { way: Way::Dispatch(dispatch), results, refused: OnceLock::new() })
    }

    fn python_call(&mut self, call: &Call) -> PyResult<PyCall> {
        let args = call.args.iter().map(|a| self.py_arg(a)).collect::<PyResult<_>>()?;
        let kwargs = call
            .kwargs
            .iter()
            .map(|(name, value)| Ok((PyString::intern(self.py, name).into_any().unbind(), self.py_arg(value)?)));
        let kwargs = kwargs.collect::<PyResult<_>>()?;
        let results = call.results.iter().map(|r| self.keep(r)).collect();
        let callable = self.callable(call)?;
        Ok(PyCall { callable, args, kwargs, results, tuple: call.tuple, target: call.target.to_string() })
    }

    fn keep(&mut self, result: &CallResult) -> Keep {
        match *result {
            CallResult::Unused => Keep::Nothing,
            CallResult::Object(object) => Keep::Object(object),
            CallResult::Tensor(buf) if self.plan.bufs[buf].storage == Storage::Result => Keep::Tensor(buf),
            CallResult::Tensor(buf) => {
                let whole = self.plan.whole(buf);
                Keep::Into(self.view(&whole), buf)
            }
        }
    }

    /// The callable of a call: the node's own if it names the same operator, else the overload of that name.
    fn callable(&self, call: &Call) -> PyResult<Py<PyAny>> {
        let own = self.imported.callables.get(&call.node).filter(|_| {
            let node = &self.imported.graph[call.node];
            node.target == call.target
        });
        let callable = match own {
            Some(callable) => callable.bind(self.py).clone(),
            None => self.torch.find(self.py, &format!("ops.{}", call.target))?,
        };
        // The overload's C++ function, without its Python frame.
        if callable.is_instance(self.torch.overload.bind(self.py))? {
            return Ok(callable.getattr("_op")?.unbind());
        }
        Ok(callable.unbind())
    }

    fn py_arg(&mut self, arg: &CallArg) -> PyResult<PyArg> {
        Ok(match arg {
            CallArg::Tensor(view) => PyArg::Tensor(self.view(view)),
            CallArg::Object(object) => PyArg::Object(*object),
            CallArg::List(items) => PyArg::List(items.iter().map(|a| self.py_arg(a)).collect::<PyResult<_>>()?),
            CallArg::Plain(arg) => PyArg::Constant(to_python(self.py, arg, &self.imported.opaques)?.unbind()),
        })
    }

    fn view(&mut self, view: &View) -> ViewId {
        if let Some(&number) = self.numbers.get(view) {
            return number;
        }
        let buf = &self.plan.bufs[view.buf];
        let number = self.views.push(ViewSpec {
            buf: view.buf,
            dtype: view.dtype.torch_code(),
            sizes: view.layout.sizes.clone().into(),
            strides: view.layout.strides.clone().into(),
            offset: view.layout.offset - buf.layout.offset,
            whole: view.layout == buf.layout && view.dtype == buf.dtype,
        });
        self.numbers.insert(view.clone(), number);
        number
    }

    fn outputs(&mut self) -> PyResult<Vec<Output>> {
        let plan = self.plan;
        plan.outputs.iter().enumerate().map(|(at, output)| self.output(at, output)).collect()
    }

    /// The node that gives an output.
    fn result(&self, at: usize) -> Option<NodeId> {
        let graph = &self.imported.graph;
        match &graph[graph.output_node()?].args[..] {
            [Arg::Tuple(results) | Arg::List(results)] => results.get(at)?.as_node(),
            _ => None,
        }
    }

    fn output(&mut self, at: usize, output: &plan::Output) -> PyResult<Output> {
        let view = match output {
            plan::Output::Tensor(view) => view,
            plan::Output::Plain(arg) => {
                return Ok(Output::Constant(to_python(self.py, arg, &self.imported.opaques)?.unbind()));
            }
            plan::Output::Object(object) => return Ok(Output::Object(*object)),
        };
        let buf = &self.plan.bufs[view.buf];
        if let Storage::Input(index) = buf.storage
            && view.layout == buf.layout
        {
            return Ok(Output::Input(index));
        }
        if buf.storage.is_shared() || view.dtype != buf.dtype {
            return Err(PyRuntimeError::new_err(format!("output {at} cannot be a view of {}", view.buf)));
        }
        if let Some(same) = self.plan.outputs[..at].iter().position(|o| o == output) {
            let is_same = self.result(same) == self.result(at);
            return Ok(if is_same { Output::Same(same) } else { Output::Alias(same) });
        }
        self.allocate(view.buf);
        Ok(Output::View(self.view(view)))
    }
}

/// Arguments that are not read to the end, with their last readers.
#[derive(Default)]
struct Spent {
    /// The step of the plan, the argument and its bytes; the latest step first.
    last: Vec<(usize, (usize, Buf), usize)>,
    waiting: Vec<(usize, Buf)>,
    bytes: usize,
}

impl Spent {
    fn of(plan: &Plan, imported: &Imported) -> Spent {
        let mut lives = plan.lives();
        for output in &plan.outputs {
            if let plan::Output::Tensor(view) = output {
                lives[view.buf] = None;
            }
        }
        let of_arg = |(buf, data): (Buf, &plan::BufData)| match data.storage {
            Storage::Input(index) if !plan.written.contains(&buf) && !imported.roles.weights.contains(&index) => {
                Some((lives[buf]?.1, (index, buf), data.bytes()?))
            }
            _ => None,
        };
        let mut last: Vec<_> = plan.bufs.iter().filter_map(of_arg).collect();
        last.sort_by_key(|&(step, ..)| std::cmp::Reverse(step));
        Spent { last, ..Spent::default() }
    }

    /// The step that drops what was read last by this one or before it, once that is worth a step.
    fn after(&mut self, at: usize) -> Option<Step> {
        while let Some((_, arg, bytes)) = self.last.pop_if(|(step, ..)| *step == at) {
            self.waiting.push(arg);
            self.bytes += bytes;
        }
        (self.bytes >= FORGOTTEN_BYTES).then(|| {
            self.bytes = 0;
            Step::Forget(std::mem::take(&mut self.waiting).into())
        })
    }
}

/// The way in which a call is made, and why it is one: `extern`, `extern: no rule`, `fallback: no rule`.
fn describe(kind: &CallKind, obstacle: Option<&str>) -> String {
    match (kind, obstacle) {
        (CallKind::Extern, None) => "extern".to_owned(),
        (CallKind::Extern, Some(obstacle)) => format!("fallback: {obstacle}"),
        (CallKind::Fallback(why), None) => format!("extern: {why}"),
        (CallKind::Fallback(why), Some(obstacle)) => format!("fallback: {why}; {obstacle}"),
    }
}

fn buf_spec(data: &plan::BufData) -> BufSpec {
    BufSpec {
        dtype: data.dtype.torch_code(),
        element: data.dtype,
        size: data.dtype.size(),
        bytes: data.bytes().unwrap_or(0),
        sizes: data.layout.sizes.clone().into(),
        strides: data.layout.strides.clone().into(),
        storage: data.storage.clone(),
    }
}

/// The requirements on the arguments that have a buffer.
fn inputs(plan: &Plan, imported: &Imported) -> PyResult<Vec<InputSpec>> {
    let placeholders: Vec<_> = imported.graph.placeholders().collect();
    let mut inputs = Vec::new();
    for (buf, data) in plan.bufs.iter() {
        let Storage::Input(index) = data.storage else { continue };
        let meta = placeholders.get(index).and_then(|&n| imported.graph[n].meta.as_ref());
        let Some(Meta::Tensor(meta)) = meta else {
            return Err(PyRuntimeError::new_err(format!("{buf}: argument {index} is no tensor")));
        };
        let kind = match meta.device.kind {
            DeviceKind::Cpu => 0,
            DeviceKind::Cuda => CUDA,
            DeviceKind::Meta => -1,
            DeviceKind::Other => -2,
        };
        let device = (kind, meta.device.index.map(i32::from));
        inputs.push(InputSpec { index, buf, device, written: plan.written.contains(&buf) });
    }
    Ok(inputs)
}

fn constants(py: Python<'_>, plan: &Plan, imported: &Imported) -> PyResult<Vec<(Buf, Py<PyAny>)>> {
    let mut constants = Vec::new();
    for (buf, data) in plan.bufs.iter() {
        let Storage::Constant(index) = data.storage else { continue };
        let constant = imported.constants.get(index);
        let (_, object) = constant.ok_or_else(|| PyRuntimeError::new_err(format!("{buf}: no constant {index}")))?;
        constants.push((buf, object.clone_ref(py)));
    }
    Ok(constants)
}

fn count_objects(plan: &Plan) -> usize {
    plan.steps.iter().flat_map(objects_of).map(|object| object.as_u32() as usize + 1).max().unwrap_or(0)
}

/// The results of a step that are no tensors.
fn objects_of(step: &plan::Step) -> impl Iterator<Item = ObjectId> + '_ {
    let results = match step {
        plan::Step::Call(call) | plan::Step::Fused(call, _) => &call.results[..],
        plan::Step::Launch(_)
        | plan::Step::Group(_)
        | plan::Step::Free(_)
        | plan::Step::Check(_)
        | plan::Step::Write { .. } => &[],
    };
    results.iter().filter_map(|result| if let CallResult::Object(object) = result { Some(*object) } else { None })
}

/// Cuts the steps where Python is needed and where it is not needed any more.
fn stretches(steps: &[Step]) -> Vec<Stretch> {
    let python = |step: &Step| matches!(step, Step::Python(_));
    let mut stretches = Vec::new();
    let mut start = 0;
    for chunk in steps.chunk_by(|a, b| !python(a) && !python(b)) {
        stretches.push(Stretch { steps: start..start + chunk.len(), python: python(&chunk[0]) });
        start += chunk.len();
    }
    stretches
}
