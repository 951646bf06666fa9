//! Placement of a plan's steps: on the device or on the host.

use cranelift_entity::PrimaryMap;

use crate::device::{Access, Device, Refusal, Task};
use crate::loop_ir::{Kernel, Role};
use crate::plan::{Buf, BufData, Call, CallKind, KernelId, Launch, Plan, Step, Storage};

/// The device that does a step.
pub enum StepDevice<W> {
    /// The device.
    Device(Task<W>),
    /// The host.
    Host(HostStep),
    /// Neither: the step only bounds a buffer's life, or reads a flag.
    Nowhere,
}

/// A step that the host does.
pub struct HostStep {
    /// The buffers that it reads, or writes only in part: the host must have the value.
    pub reads: Vec<Buf>,
    /// The buffers that it writes.
    pub writes: Vec<Buf>,
    /// The reason why the device does not do it.
    pub reason: Refusal,
}

/// The placement of a plan for known sizes.
pub struct Placement<D: Device> {
    /// The steps of the plan; a kernel that the device does not compute with a call is a step after it.
    pub steps: Vec<Step>,
    /// One for each step.
    pub places: Vec<StepDevice<D::Work>>,
    /// For each step, the buffers that no later one uses and that are not returned.
    pub dead_after: Vec<Vec<Buf>>,
}

impl<D: Device> Placement<D> {
    /// Places every step. A kernel is `None` with the reason where the device has refused to compile it.
    pub fn of(device: &D, plan: &Plan, kernels: &PrimaryMap<KernelId, Result<D::Kernel, Refusal>>) -> Placement<D> {
        let mut steps = Vec::new();
        let mut places = Vec::new();
        for step in &plan.steps {
            let parts = match fused(device, plan, step) {
                Some(Ok(task)) => {
                    steps.push(step.clone());
                    places.push(StepDevice::Device(task));
                    continue;
                }
                Some(Err(_)) | None => step.apart(),
            };
            places.extend(parts.iter().map(|step| Placement::place(device, plan, kernels, step)));
            steps.extend(parts);
        }
        let dead_after = dead_after(plan, &steps);
        Placement { steps, places, dead_after }
    }

    fn place(
        device: &D,
        plan: &Plan,
        kernels: &PrimaryMap<KernelId, Result<D::Kernel, Refusal>>,
        step: &Step,
    ) -> StepDevice<D::Work> {
        match step {
            Step::Launch(Launch { kernel, args, sizes }) => {
                let launched = launch(device, plan, kernels, *kernel, args, sizes);
                launched.map_or_else(
                    |reason| StepDevice::Host(host_launch(plan, *kernel, args, reason)),
                    StepDevice::Device,
                )
            }
            Step::Call(call) => match library(device, plan, call) {
                Ok(task) => StepDevice::Device(task),
                Err(reason) => StepDevice::Host(host_call(plan, call, reason)),
            },
            Step::Write { into, from } => {
                let reason = Refusal("it writes into the caller's tensor".to_owned());
                StepDevice::Host(HostStep { reads: vec![from.buf, *into], writes: vec![*into], reason })
            }
            Step::Fused(..) | Step::Group(_) | Step::Free(_) | Step::Check(_) => StepDevice::Nowhere,
        }
    }

    /// The reasons of the steps that the host does, with the step's number.
    pub fn refused(&self) -> impl Iterator<Item = (usize, &Refusal)> {
        self.places.iter().enumerate().filter_map(|(at, place)| match place {
            StepDevice::Host(HostStep { reason, .. }) => Some((at, reason)),
            StepDevice::Device(_) | StepDevice::Nowhere => None,
        })
    }
}

fn launch<D: Device>(
    device: &D,
    plan: &Plan,
    kernels: &PrimaryMap<KernelId, Result<D::Kernel, Refusal>>,
    id: KernelId,
    args: &[Buf],
    sizes: &[i64],
) -> Result<Task<D::Work>, Refusal> {
    let kernel = kernels.get(id).ok_or_else(|| Refusal(format!("{id} was not compiled")))?;
    let kernel = kernel.as_ref().map_err(Clone::clone)?;
    let args: Vec<_> = args.iter().copied().zip(roles(&plan.kernels[id])).collect();
    let task = Task { work: device.launch(kernel, sizes)?, args };
    suits(device, &plan.bufs, &task)?;
    Ok(task)
}

/// A call with the kernel on its result, as the device does both at once.
fn fused<D: Device>(device: &D, plan: &Plan, step: &Step) -> Option<Result<Task<D::Work>, Refusal>> {
    let Step::Fused(call, epilogue) = step else { return None };
    let task = device.library(call, Some(epilogue), plan);
    Some(task.and_then(|task| suits(device, &plan.bufs, &task).map(|()| task)))
}

fn library<D: Device>(device: &D, plan: &Plan, call: &Call) -> Result<Task<D::Work>, Refusal> {
    let task = device.library(call, None, plan).map_err(|refusal| match &call.kind {
        CallKind::Extern => refusal,
        CallKind::Fallback(why) => Refusal(why.clone()),
    })?;
    suits(device, &plan.bufs, &task)?;
    Ok(task)
}

/// Refuses buffers that are too long, that start behind their first element, or that stand twice among the arguments.
fn suits<D: Device>(device: &D, bufs: &PrimaryMap<Buf, BufData>, task: &Task<D::Work>) -> Result<(), Refusal> {
    for (at, &(buf, _)) in task.args.iter().enumerate() {
        let bytes = bufs[buf].bytes().unwrap_or(usize::MAX);
        if bytes > device.largest_buffer() {
            let most = device.largest_buffer();
            return Refusal::because(format!("{buf} has {bytes} bytes, and the device takes {most} at most"));
        }
        if bufs[buf].layout.offset != 0 {
            return Refusal::because(format!("{buf} begins behind its first element"));
        }
        if task.args[..at].iter().any(|&(other, _)| other == buf) {
            return Refusal::because(format!("{buf} stands twice among the arguments"));
        }
    }
    Ok(())
}

fn roles(kernel: &Kernel) -> impl Iterator<Item = Access> + '_ {
    kernel.arguments().map(|(_, param)| match param.role {
        Role::In => Access::Read,
        Role::Out => Access::Write,
        Role::InOut | Role::Scratch => Access::ReadWrite,
    })
}

fn host_launch(plan: &Plan, id: KernelId, args: &[Buf], reason: Refusal) -> HostStep {
    let with_roles = || args.iter().copied().zip(roles(&plan.kernels[id]));
    HostStep {
        // What is written in part keeps the rest, so the host must have that.
        reads: with_roles().map(|(buf, _)| buf).collect(),
        writes: with_roles().filter(|(_, access)| access.writes()).map(|(buf, _)| buf).collect(),
        reason,
    }
}

fn host_call(plan: &Plan, call: &Call, reason: Refusal) -> HostStep {
    let mut reads = Vec::new();
    call.for_each_tensor(&mut |view| reads.push(view.buf));
    let writes: Vec<Buf> = call.result_tensors().copied().collect();
    reads.extend(writes.iter().copied().filter(|&buf| plan.bufs[buf].storage != Storage::Result));
    reads.sort_unstable();
    reads.dedup();
    HostStep { reads, writes, reason }
}

fn dead_after(plan: &Plan, steps: &[Step]) -> Vec<Vec<Buf>> {
    let mut seen = cranelift_entity::EntitySet::<Buf>::new();
    for output in &plan.outputs {
        if let crate::plan::Output::Tensor(view) = output {
            seen.insert(view.buf);
        }
    }
    let mut dead: Vec<Vec<Buf>> = steps.iter().map(|_| Vec::new()).collect();
    for (step, dead) in steps.iter().zip(&mut dead).rev() {
        step.for_each_buf(&mut |buf| {
            if seen.insert(buf) {
                dead.push(buf);
            }
        });
    }
    dead
}
