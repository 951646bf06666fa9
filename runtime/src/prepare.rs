//! From a plan to a program: everything that need not be looked up at each call.

use crate::arena::Arenas;
use crate::buffers::{BufSpec, Buffers, ViewId, ViewSpec, next_id};
use crate::frozen::{Frozen, Latest};
use crate::library::TensorLibrary;
use crate::program::{
    Called, DevicePart, InputSpec, Keep, KernelLaunch, LibraryCall, Output, OwnKernel, Program, Step, Stretch,
};
use crate::stream::{StreamDevice, StreamKernel, StreamLaunch};
use cranelift_entity::{EntityRef, PrimaryMap};
use fx::Arg;
use inductor::backend::{Backend, CompiledKernel, Library, Member};
use inductor::heuristics;
use inductor::memory::ALIGN;
use inductor::offload::{HostStep, Placement, StepDevice};
use inductor::plan::{self, Buf, Call, CallKind, CallResult, KernelId, Launch, ObjectId, Plan, Storage, View};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, OnceLock};
use symshapes::Device;

/// Binds the calls of a plan to the library.
pub trait Binder<L: TensorLibrary> {
    /// An exception of the embedding language's.
    type Error;

    /// The call as the library makes it, or what stands in the way. The binder hands the tensors among the arguments to
    /// `take`, in the order in which [`TensorLibrary::call`] is to get them.
    ///
    /// # Errors
    /// The obstacle: what the library cannot take.
    fn bind(&mut self, call: &Call, take: &mut dyn FnMut(&View)) -> Result<L::Call, String>;

    /// The call as the embedding language makes it, whose results are kept so; `None` if there is no such language.
    ///
    /// # Errors
    /// The language's.
    fn foreign(
        &mut self,
        call: &Call,
        results: &[Keep],
        view: &mut dyn FnMut(&View) -> ViewId,
    ) -> Result<Option<L::Foreign>, Self::Error>;

    /// A value that is constant from call to call.
    ///
    /// # Errors
    /// The language's.
    fn constant(&mut self, value: &Arg) -> Result<L::Object, Self::Error>;

    /// True if two outputs of the graph, by number, are the very same value.
    fn is_same_output(&self, one: usize, other: usize) -> bool;
}

/// The reason why a plan could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError<E> {
    /// The plan has a kernel that there is no code for.
    #[error("`{0}` was not compiled")]
    NotCompiled(String),
    /// A call that neither the library nor an embedding language makes.
    #[error("{target}: {obstacle}")]
    Unbound {
        /// The operator.
        target: String,
        /// The obstacle.
        obstacle: String,
    },
    /// An output that lies in memory which later calls use, or an argument that is no tensor.
    #[error("{0}")]
    Unsound(String),
    /// Sizes that no kernel of the device holds for.
    #[error("{0}")]
    Sizes(String),
    /// An exception of the embedding language's.
    #[error("the embedding language raised an exception")]
    Language(E),
}

/// A kernel on a stream for values of its sizes, or why it does not hold for them.
pub type FindKernel<'a> = dyn Fn(KernelId, &[i64]) -> Result<Box<dyn StreamKernel>, String> + 'a;

/// Kernels on a device that the library's tensors are on.
#[derive(Clone)]
pub struct StreamCode<'a> {
    /// The device.
    pub device: &'a Arc<dyn StreamDevice>,
    /// The kernels.
    pub kernel: &'a FindKernel<'a>,
}

/// The code of a plan's kernels and where it runs.
pub enum Code<'a, L: TensorLibrary> {
    /// The host launches all kernels.
    Host,
    /// A device with memory of its own runs a part of the plan.
    Device(Placement<L::Device>),
    /// Kernels are launched on a device that the library's tensors are on.
    Stream(StreamCode<'a>),
}

/// The parts that a program is made of.
pub struct Parts<'a, L: TensorLibrary> {
    /// The plan.
    pub plan: &'a Plan,
    /// The kernels that the host launches.
    pub kernels: &'a dyn Fn(KernelId) -> Option<Arc<dyn CompiledKernel>>,
    /// The host.
    pub backend: &'a dyn Backend,
    /// The code that runs on a device, if any does.
    pub code: Code<'a, L>,
    /// The devices of the arguments, by number; `None` for an argument that is no tensor.
    pub devices: Vec<Option<Device>>,
    /// True if the caller gives its arguments away with the call: those that are not [weights](Parts::weights) and not
    /// read any more are dropped.
    pub spends: bool,
    /// The arguments that are parameters or buffers of a module, by number.
    pub weights: &'a [usize],
    /// The memory between kernels.
    pub arenas: Arc<Arenas>,
    /// The frozen results that the graph has kept.
    pub latest: Arc<Latest<L>>,
}

/// The result of a step of the preparation.
type Prepared<T, E> = Result<T, PrepareError<E>>;

type Outputs<L> = Vec<Output<L>>;

/// Prepares a plan whose kernels are compiled.
///
/// # Errors
/// A plan that cannot run with this library.
pub fn prepare<L: TensorLibrary, B: Binder<L>>(
    library: L,
    binder: &mut B,
    parts: Parts<'_, L>,
) -> Prepared<Program<L>, B::Error> {
    let Parts { plan, kernels, backend, code, devices, spends, weights, arenas, latest } = parts;
    let (placement, stream) = match code {
        Code::Host => (None, None),
        Code::Device(placement) => (Some(placement), None),
        Code::Stream(stream) => (None, Some(stream)),
    };
    let mut preparer = Preparer {
        library: &library,
        binder,
        plan,
        kernels,
        backend,
        stream: stream.clone(),
        scratch: 0,
        views: PrimaryMap::new(),
        numbers: FxHashMap::default(),
        written: FxHashSet::default(),
        on_device: FxHashSet::default(),
        steps: Vec::new(),
        calls: Vec::new(),
    };
    let mut frozen = 0;
    let (outputs, device) = match placement {
        Some(placement) => {
            let (outputs, part) = preparer.with_device(placement)?;
            (outputs, Some(part))
        }
        None => {
            let mut spent = if spends { Spent::of(plan, weights) } else { Spent::default() };
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
    let flag = |step: &Step<L>| if let Step::Check(flag) = step { Some(*flag) } else { None };
    let scratch_at = plan.arena_bytes.next_multiple_of(ALIGN);
    let constant = |(buf, data): (Buf, &plan::BufData)| match data.storage {
        Storage::Constant(index) => Some((buf, index)),
        _ => None,
    };
    let buffers = Buffers {
        id: next_id(),
        bufs: plan.bufs.values().map(buf_spec).collect(),
        views,
        objects: plan.steps.iter().flat_map(objects_of).map(|object| object.index() + 1).max().unwrap_or(0),
        flags: steps.iter().filter_map(flag).collect(),
        lender: plan.lender,
        scratch: scratch_at,
        stream: stream.map(|stream| Arc::clone(stream.device)),
        library,
    };
    Ok(Program {
        buffers,
        stretches: stretches(&steps),
        inputs: inputs(plan, &devices)?,
        arity: plan.inputs,
        constants: plan.bufs.iter().filter_map(constant).collect(),
        outputs,
        arena_bytes: if scratch == 0 { plan.arena_bytes } else { scratch_at + scratch },
        arenas,
        steps,
        frozen: Frozen::of(plan, frozen, latest),
        calls,
        activations: Mutex::new(Vec::new()),
        device,
    })
}

struct Preparer<'a, L: TensorLibrary, B> {
    library: &'a L,
    binder: &'a mut B,
    plan: &'a Plan,
    kernels: &'a dyn Fn(KernelId) -> Option<Arc<dyn CompiledKernel>>,
    backend: &'a dyn Backend,
    stream: Option<StreamCode<'a>>,
    /// The most memory that a launch on a stream uses beside its arguments.
    scratch: usize,
    views: PrimaryMap<ViewId, ViewSpec>,
    numbers: FxHashMap<View, ViewId>,
    /// Owned buffers that have been allocated.
    written: FxHashSet<Buf>,
    /// Results of calls that the device has made.
    on_device: FxHashSet<Buf>,
    steps: Vec<Step<L>>,
    calls: Vec<Called>,
}

impl<L: TensorLibrary, B: Binder<L>> Preparer<'_, L, B> {
    fn step(&mut self, step: &plan::Step) -> Prepared<(), B::Error> {
        match step {
            plan::Step::Launch(launch) => {
                launch.args.iter().for_each(|&buf| self.allocate(buf));
                let step = match self.stream.clone() {
                    Some(stream) => Step::Stream(self.launched_on(&stream, launch)?),
                    None => Step::Launch(self.launched(launch)?),
                };
                self.steps.push(step);
            }
            plan::Step::Group(launches) => self.group(launches)?,
            plan::Step::Call(call) => self.call(call)?,
            plan::Step::Fused(call, epilogue) => match self.backend.fused(self.plan, call, epilogue) {
                Some(library) => {
                    step.for_each_buf(&mut |buf| self.allocate(buf));
                    let step = self.fastest(call, self.placed(library), Some(epilogue))?;
                    self.push_call(call, step, "extern".to_owned());
                }
                // The product has no memory of its own.
                None if epilogue.into.is_some() => return Err(PrepareError::NotCompiled(step.to_string())),
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

    fn launched(&self, Launch { kernel, args, sizes }: &Launch) -> Prepared<KernelLaunch, B::Error> {
        let kernel = self.compiled(*kernel)?;
        Ok(KernelLaunch { kernel, args: args.clone().into(), sizes: sizes.clone().into() })
    }

    fn launched_on(&mut self, code: &StreamCode<'_>, launch: &Launch) -> Prepared<StreamLaunch, B::Error> {
        let kernel = (code.kernel)(launch.kernel, &launch.sizes).map_err(PrepareError::Sizes)?;
        self.scratch = self.scratch.max(kernel.scratch_bytes());
        Ok(StreamLaunch { kernel, args: launch.args.clone().into() })
    }

    fn compiled(&self, kernel: KernelId) -> Prepared<Arc<dyn CompiledKernel>, B::Error> {
        (self.kernels)(kernel).ok_or_else(|| PrepareError::NotCompiled(kernel.to_string()))
    }

    fn group(&mut self, launches: &[Launch]) -> Prepared<(), B::Error> {
        let args: Box<[Buf]> = launches.iter().flat_map(|launch| launch.args.iter().copied()).collect();
        args.iter().for_each(|&buf| self.allocate(buf));
        let member = |Launch { kernel, args, sizes }: &Launch| {
            Ok(Member { kernel: self.compiled(*kernel)?, args: args.len(), sizes: sizes.clone().into() })
        };
        let members = launches.iter().map(member).collect::<Prepared<_, _>>()?;
        let kernel = self.backend.group_launches(members, self.plan.is_one_walk(launches));
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
    fn with_device(&mut self, placement: Placement<L::Device>) -> Prepared<(Outputs<L>, DevicePart), B::Error> {
        let mut part = DevicePart::default();
        let plan = self.plan;
        for ((step, place), dead) in placement.steps.iter().zip(placement.places).zip(placement.dead_after) {
            match place {
                StepDevice::Device(task) => {
                    self.on_device.extend(task.args.iter().filter(|(_, access)| access.writes()).map(|(buf, _)| *buf));
                    self.steps.push(Step::Device(task));
                    part.absent.extend(objects_of(step));
                }
                StepDevice::Host(host) => self.host_step(step, &host, &mut part)?,
                StepDevice::Nowhere => match step {
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
        Ok((outputs, part))
    }

    /// A step that the host does, in a plan that a device runs a part of.
    fn host_step(&mut self, step: &plan::Step, host: &HostStep, part: &mut DevicePart) -> Prepared<(), B::Error> {
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

    fn call(&mut self, call: &Call) -> Prepared<(), B::Error> {
        // What has no elements is written by no kernel.
        call.for_each_buf(&mut |buf| self.allocate(buf));
        if let Some(own) = self.own_kernel(call) {
            let step = match own.refuses {
                true => Step::Unless(own, Box::new(self.library_call(call)?.0)),
                false => self.fastest(call, own, None)?,
            };
            self.push_call(call, step, "extern".to_owned());
            return Ok(());
        }
        let (step, how) = self.library_call(call)?;
        self.push_call(call, step, how);
        Ok(())
    }

    /// The step in which the library makes the call, or the embedding language, and the way in which it is made.
    fn library_call(&mut self, call: &Call) -> Prepared<(Step<L>, String), B::Error> {
        let results: Box<[Keep]> = call.results.iter().map(|result| self.keep(result)).collect();
        let Preparer { binder, views, numbers, plan, .. } = self;
        let mut view = |view: &View| number(plan, views, numbers, view);
        let foreign = binder.foreign(call, &results, &mut view).map_err(PrepareError::Language)?;
        match (self.bound(call, results), foreign) {
            (Ok(library), foreign) => Ok((Step::Library(library, foreign), describe(&call.kind, None))),
            (Err(obstacle), Some(foreign)) => Ok((Step::Foreign(foreign), describe(&call.kind, Some(&obstacle)))),
            (Err(obstacle), None) => Err(PrepareError::Unbound { target: call.target.to_string(), obstacle }),
        }
    }

    /// The call by the library; the error says what stands in the way.
    fn bound(&mut self, call: &Call, results: Box<[Keep]>) -> Result<LibraryCall<L>, String> {
        let Preparer { binder, views, numbers, plan, .. } = self;
        let mut tensors = Vec::new();
        let bound = binder.bind(call, &mut |view| tensors.push(number(plan, views, numbers, view)))?;
        Ok(LibraryCall { call: bound, tensors: tensors.into(), results, refused: OnceLock::new() })
    }

    fn push_call(&mut self, call: &Call, step: Step<L>, how: String) {
        self.calls.push(Called { step: self.steps.len(), target: call.target.to_string(), how });
        self.steps.push(step);
    }

    /// The backend's own kernel for a call whose result has memory of the plan's.
    fn own_kernel(&self, call: &Call) -> Option<OwnKernel> {
        let [CallResult::Tensor(buf)] = *call.results.as_slice() else { return None };
        if call.kind != CallKind::Extern || self.plan.bufs[buf].storage == Storage::Result {
            return None;
        }
        self.backend.library(call, &self.plan.whole(buf)).map(|library| self.placed(library))
    }

    /// A kernel with the places of its arguments.
    fn placed(&self, Library { kernel, args, refuses }: Library) -> OwnKernel {
        let place = |view: &View| {
            let elements = view.layout.offset - self.plan.bufs[view.buf].layout.offset;
            (view.buf, elements as isize * view.dtype.size() as isize)
        };
        OwnKernel { kernel, args: args.iter().map(place).collect(), refuses }
    }

    /// The backend's own kernel for a call and its epilogue, or a choice by measurement between that and the library's.
    fn fastest(
        &mut self,
        call: &Call,
        own: OwnKernel,
        epilogue: Option<&plan::Epilogue>,
    ) -> Prepared<Step<L>, B::Error> {
        let what = own.kernel.listing();
        let Some(tuner) = self.backend.autotuner(2, &[self.library.release(), &call.target, &what]) else {
            return Ok(Step::Own(own));
        };
        let results = call.results.iter().map(|result| self.keep(result)).collect();
        Ok(match self.bound(call, results) {
            Ok(library) => {
                let then = epilogue.map(|epilogue| self.launched(&epilogue.launch())).transpose()?;
                Step::Either(own, library, then, tuner)
            }
            Err(_) => Step::Own(own),
        })
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

    fn view(&mut self, view: &View) -> ViewId {
        number(self.plan, &mut self.views, &mut self.numbers, view)
    }

    fn outputs(&mut self) -> Prepared<Outputs<L>, B::Error> {
        let plan = self.plan;
        plan.outputs.iter().enumerate().map(|(at, output)| self.output(at, output)).collect()
    }

    fn output(&mut self, at: usize, output: &plan::Output) -> Prepared<Output<L>, B::Error> {
        let view = match output {
            plan::Output::Tensor(view) => view,
            plan::Output::Plain(arg) => {
                return self.binder.constant(arg).map(Output::Constant).map_err(PrepareError::Language);
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
            return Err(PrepareError::Unsound(format!("output {at} cannot be a view of {}", view.buf)));
        }
        if let Some(same) = self.plan.outputs[..at].iter().position(|earlier| earlier == output) {
            return Ok(if self.binder.is_same_output(same, at) { Output::Same(same) } else { Output::Alias(same) });
        }
        self.allocate(view.buf);
        Ok(Output::View(self.view(view)))
    }
}

/// The number of a view.
fn number(
    plan: &Plan,
    views: &mut PrimaryMap<ViewId, ViewSpec>,
    numbers: &mut FxHashMap<View, ViewId>,
    view: &View,
) -> ViewId {
    if let Some(&number) = numbers.get(view) {
        return number;
    }
    let buf = &plan.bufs[view.buf];
    let number = views.push(ViewSpec {
        buf: view.buf,
        dtype: view.dtype,
        sizes: view.layout.sizes.clone().into(),
        strides: view.layout.strides.clone().into(),
        offset: view.layout.offset - buf.layout.offset,
        whole: view.layout == buf.layout && view.dtype == buf.dtype,
    });
    numbers.insert(view.clone(), number);
    number
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
    fn of(plan: &Plan, weights: &[usize]) -> Spent {
        let mut lives = plan.lives();
        for output in &plan.outputs {
            if let plan::Output::Tensor(view) = output {
                lives[view.buf] = None;
            }
        }
        let of_arg = |(buf, data): (Buf, &plan::BufData)| match data.storage {
            Storage::Input(index) if !plan.written.contains(&buf) && !weights.contains(&index) => {
                Some((lives[buf]?.1, (index, buf), data.bytes()?))
            }
            _ => None,
        };
        let mut last: Vec<_> = plan.bufs.iter().filter_map(of_arg).collect();
        last.sort_by_key(|&(step, ..)| std::cmp::Reverse(step));
        Spent { last, ..Spent::default() }
    }

    /// The step that drops what was read last by this one or before it, once that is worth a step.
    fn after<L: TensorLibrary>(&mut self, at: usize) -> Option<Step<L>> {
        while let Some((_, arg, bytes)) = self.last.pop_if(|(step, ..)| *step == at) {
            self.waiting.push(arg);
            self.bytes += bytes;
        }
        (self.bytes >= heuristics::drop_least_bytes()).then(|| {
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
        dtype: data.dtype,
        bytes: data.bytes().unwrap_or(0),
        sizes: data.layout.sizes.clone().into(),
        strides: data.layout.strides.clone().into(),
        storage: data.storage.clone(),
    }
}

/// The requirements on the arguments that have a buffer.
fn inputs<E>(plan: &Plan, devices: &[Option<Device>]) -> Prepared<Vec<InputSpec>, E> {
    let mut inputs = Vec::new();
    for (buf, data) in plan.bufs.iter() {
        let Storage::Input(index) = data.storage else { continue };
        let Some(Some(device)) = devices.get(index) else {
            return Err(PrepareError::Unsound(format!("{buf}: argument {index} is no tensor")));
        };
        inputs.push(InputSpec { index, buf, device: *device, written: plan.written.contains(&buf) });
    }
    Ok(inputs)
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

/// Cuts the steps where the embedding language is needed and where it is not needed any more.
fn stretches<L: TensorLibrary>(steps: &[Step<L>]) -> Vec<Stretch> {
    let foreign = |step: &Step<L>| matches!(step, Step::Foreign(_));
    let mut stretches = Vec::new();
    let mut start = 0;
    for chunk in steps.chunk_by(|a, b| !foreign(a) && !foreign(b)) {
        stretches.push(Stretch { steps: start..start + chunk.len(), foreign: foreign(&chunk[0]) });
        start += chunk.len();
    }
    stretches
}
