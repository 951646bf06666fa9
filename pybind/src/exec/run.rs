//! One call of a program.

use super::arena::Arena;
use super::dispatch::{Dispatch, Made};
use super::externs::{Extern, Form, Value};
use super::frame::{Frame, Slot};
use super::frozen::Start;
use super::{
    CUDA, Called, ExternCall, InputSpec, Keep, KernelLaunch, LibraryCall, Output, Program, PyCall, Step, ViewId, Way,
    device,
};
use crate::options::Options;
use crate::torch::shim::ShimError;
use crate::torch::{Info, RawTensor, Shim, Tensor, Torch, tensor};
use inductor::autotune::Autotuner;
use inductor::device::DeviceError;
use inductor::plan::Buf;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use std::ops::Range;
use std::ptr;
use std::sync::PoisonError;

/// The outcomes of a call.
pub(crate) enum Outcome<'py> {
    /// The outputs.
    Done(Bound<'py, PyAny>),
    /// An argument is something that only the graph itself can deal with: a subclass of tensor, a tensor without
    /// memory.
    Foreign,
}

/// Why a stretch of steps ended early.
pub(super) enum Stop {
    /// This step is Python's: libtorch refused it, for this reason, and Python has to make the call or to raise.
    Refused(usize, Option<ShimError>),
    /// This step drops arguments, which are objects of Python's.
    Forget(usize),
    /// A kernel met an index out of bounds.
    Index,
    Error(ShimError),
    Device(DeviceError),
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
        if args.len() != self.arity {
            let message = format!("the graph takes {} arguments, not {}", self.arity, args.len());
            return Err(PyTypeError::new_err(message));
        }
        let none = || PyMemoryError::new_err(format!("no memory for {} bytes between kernels", self.arena_bytes));
        if let Some(cuda) = &self.cuda {
            cuda.make_flags(py)?;
        }
        let arena = match &self.cuda {
            None => self.arenas.take(self.arena_bytes).ok_or_else(none)?,
            Some(_) if self.arena_bytes == 0 => Arena::EMPTY,
            Some(_) => Arena::on(self.memory(), self.arena_bytes)?,
        };
        let frames = || self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        let free = frames().pop();
        let mut frame = free.unwrap_or_else(|| Frame::new(self));
        frame.enter(py, self, arena);
        let outcome = self.run_in(py, args, options, &mut frame);
        self.arenas.give(frame.leave());
        frames().push(frame);
        outcome
    }

    /// Type and index of the device on which the program's own memory lies.
    pub(super) fn memory(&self) -> (i32, i32) {
        self.cuda.as_ref().map_or((0, 0), |cuda| (CUDA, cuda.index))
    }

    /// True if a call has dropped some of these arguments.
    pub(crate) fn lacks(&self, args: &[Bound<'_, PyAny>]) -> bool {
        self.steps.iter().any(|step| match step {
            Step::Forget(dead) => dead.iter().any(|&(index, _)| args[index].is_none()),
            _ => false,
        })
    }

    /// The operators that are called, each with the way in which it is called.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        let calls = self.calls.iter().map(|Called { step, target, how }| {
            let refused = match &self.steps[*step] {
                Step::Extern(call, _) => call.refused.get(),
                _ => None,
            };
            (target.clone(), refused.map_or_else(|| how.clone(), |why| format!("fallback: {why}")))
        });
        calls.collect()
    }

    fn run_in<'py>(
        &self,
        py: Python<'py>,
        args: &mut [Bound<'py, PyAny>],
        options: &Options,
        frame: &mut Frame,
    ) -> PyResult<Outcome<'py>> {
        let torch = Torch::get(py)?;
        for spec in &self.inputs {
            if !self.bind(torch, spec, &args[spec.index], frame)? {
                return Ok(Outcome::Foreign);
            }
        }
        for (buf, object) in &self.constants {
            let slot = slot_of(torch, object.bind(py))?;
            frame.put(*buf, slot)?;
        }
        let threads = match options.threads.or_else(|| Shim::get().num_threads()) {
            Some(threads) => threads,
            None => torch.find(py, "get_num_threads")?.call0()?.extract()?,
        };
        if let Some(device) = &self.device {
            device.begin(py, self, args, options.freezing, frame)?;
        }
        if let Some(cuda) = &self.cuda {
            frame.stream = cuda.stream(py)?;
        }
        let frozen = self.frozen.as_ref();
        let start = frozen.map(|frozen| frozen.begin(py, self, args, frame)).transpose()?;
        let first = start.as_ref().map_or(0, Start::step);
        for stretch in &self.stretches {
            let steps = stretch.steps.start.max(first)..stretch.steps.end;
            match self.stretch(py, steps, stretch.python, args, threads, frame) {
                Ok(()) => {}
                // Again, a write would count twice.
                Err(Failure::Host(error)) if frame.has_written => return Err(error),
                Err(Failure::Host(_)) => return Ok(Outcome::Foreign),
                Err(Failure::Python(error)) => return Err(error),
            }
        }
        if let Some(device) = &self.device {
            device.end(py, self, args, frame)?;
        }
        let outputs = self.outputs(py, args, frame)?;
        if let (Some(frozen), Some(Start::Fresh(Some(weights)))) = (frozen, start) {
            frozen.keep(weights, frame);
        }
        Ok(Outcome::Done(outputs.into_any()))
    }

    /// Puts an argument behind its buffer; false if it is none that the plan can read.
    fn bind(&self, torch: &Torch, spec: &InputSpec, arg: &Bound<'_, PyAny>, frame: &mut Frame) -> PyResult<bool> {
        if !torch.is_plain_tensor(arg) {
            return Ok(false);
        }
        let slot = slot_of(torch, arg)?;
        let raw = slot.raw().unwrap_or(ptr::null_mut());
        let Ok(info) = tensor::info(raw) else { return Ok(false) };
        let buf = &self.bufs[spec.buf];
        if info.dtype != buf.dtype || info.sizes != &buf.sizes[..] || !spec.takes(info.device) {
            return Err(self.mismatch(spec, &info));
        }
        let bound = if info.has_strides(&buf.strides) {
            frame.put(spec.buf, slot)
        } else if spec.written {
            // A copy with other strides is not the caller's tensor.
            return Ok(false);
        } else {
            frame.put(spec.buf, Slot::Owned(Tensor::restrided(raw, &buf.strides)?))
        };
        Ok(bound.is_ok())
    }

    fn mismatch(&self, spec: &InputSpec, info: &Info<'_>) -> PyErr {
        let (buf, index) = (&self.bufs[spec.buf], spec.index);
        PyRuntimeError::new_err(format!(
            "argument {index} was compiled for sizes {:?}, dtype code {} on device {:?}, \
             but has sizes {:?}, dtype code {} on device {:?}",
            buf.sizes, buf.dtype, spec.device, info.sizes, info.dtype, info.device
        ))
    }

    fn stretch<'py>(
        &self,
        py: Python<'py>,
        steps: Range<usize>,
        python: bool,
        args: &mut [Bound<'py, PyAny>],
        threads: usize,
        frame: &mut Frame,
    ) -> Result<(), Failure> {
        let mut at = steps.start;
        while at < steps.end {
            if python {
                self.python_step(py, at, args, frame)?;
                at += 1;
                continue;
            }
            let native = Detached { program: self, frame };
            let done = py.detach(move || native.run(at..steps.end, threads));
            // A call that torch's modes made in Python leaves what it raised there, which nothing else may run into.
            let raised = done.as_ref().err().and_then(|_| PyErr::take(py));
            match done {
                Ok(()) => at = steps.end,
                Err(Stop::Forget(step)) => {
                    self.forget(py, step, args, frame);
                    at = step + 1;
                }
                Err(Stop::Index) => {
                    return Err(PyIndexError::new_err("index out of bounds in a compiled kernel").into());
                }
                Err(Stop::Error(error)) => return Err(raised.unwrap_or_else(|| error.into()).into()),
                Err(Stop::Device(error)) => return Err(error.into()),
                Err(Stop::Refused(step, why)) => {
                    self.python_step(py, step, args, frame)?;
                    if let (Step::Extern(call, _), Some(why)) = (&self.steps[step], why) {
                        tracing::debug!(target: "rust_inductor::exec", "step {step}: {why}; Python called it");
                        let _ = call.refused.set(why.to_string());
                    }
                    at = step + 1;
                }
            }
        }
        Ok(())
    }

    /// Drops arguments.
    fn forget<'py>(&self, py: Python<'py>, step: usize, args: &mut [Bound<'py, PyAny>], frame: &mut Frame) {
        let Step::Forget(dead) = &self.steps[step] else { return };
        for &(index, buf) in dead {
            frame.free(buf);
            args[index] = py.None().into_bound(py);
        }
    }

    fn python_step(&self, py: Python<'_>, at: usize, args: &[Bound<'_, PyAny>], frame: &mut Frame) -> PyResult<()> {
        let step = if let Step::Unless(_, otherwise) = &self.steps[at] { otherwise } else { &self.steps[at] };
        let call: &PyCall = match step {
            Step::Python(call) | Step::Extern(_, call) => call,
            Step::Allocate(_) | Step::Launch(..) | Step::Cuda(_) | Step::Library(_) => return Ok(()),
            Step::Unless(..) | Step::Either(..) => return Ok(()),
            Step::Free(_) | Step::Forget(_) | Step::Check(_) | Step::Write(..) => return Ok(()),
            Step::Device(_) | Step::Fetch(_) | Step::Wrote(_) | Step::Release(_) => return Ok(()),
        };
        let done = call.run(py, self, args, frame);
        frame.end_step();
        done
    }

    /// Step `at`, or what is done in its stead.
    fn native_step(&self, step: &Step, at: usize, frame: &mut Frame, threads: usize) -> Result<(), Stop> {
        match step {
            Step::Allocate(buf) => frame.allocate(self, *buf).map_err(Stop::Error),
            Step::Launch(launch) => {
                launch.run(frame, threads);
                Ok(())
            }
            Step::Cuda(launch) => self.cuda.as_ref().map_or(Ok(()), |cuda| cuda.launch(self, launch, frame)),
            Step::Library(call) => {
                call.launch(frame, threads);
                Ok(())
            }
            Step::Unless(call, otherwise) => match call.launch(frame, threads) {
                true => Ok(()),
                false => self.native_step(otherwise, at, frame, threads),
            },
            Step::Either(own, library, then, tuner) => {
                self.either(own, (library, then.as_ref()), tuner, frame, threads)
            }
            Step::Extern(call, _) if call.refused.get().is_some() => Err(Stop::Refused(at, None)),
            Step::Extern(call, _) => {
                let done = self.call_extern(call, frame).map_err(|error| Stop::Refused(at, Some(error)));
                frame.end_step();
                done
            }
            Step::Free(buf) => {
                frame.free(*buf);
                Ok(())
            }
            Step::Forget(_) => Err(Stop::Forget(at)),
            Step::Check(buf) => match &self.cuda {
                Some(cuda) => cuda.check(frame.data(*buf), frame),
                None => check_flag(frame.data(*buf)),
            },
            Step::Write(into, from) => {
                let into = frame.slot(*into).raw().unwrap_or(ptr::null_mut());
                frame.has_written = true;
                let done = frame.handle(self, *from).and_then(|from| tensor::copy(into, from)).map_err(Stop::Error);
                frame.end_step();
                done
            }
            Step::Python(_) => Err(Stop::Refused(at, None)),
            Step::Device(task) => device::run(self, task, frame),
            Step::Fetch(bufs) => device::fetch(self, bufs, frame),
            Step::Wrote(bufs) => {
                device::wrote(bufs, frame);
                Ok(())
            }
            Step::Release(bufs) => {
                device::release(bufs, frame);
                Ok(())
            }
        }
    }

    /// The device's own kernel or libtorch's, whichever has been found to be faster: both write all of their result.
    fn either(
        &self,
        own: &LibraryCall,
        (library, then): (&ExternCall, Option<&KernelLaunch>),
        tuner: &Autotuner,
        frame: &mut Frame,
        threads: usize,
    ) -> Result<(), Stop> {
        let mut run = |way: usize| {
            if way == 0 {
                own.launch(frame, threads);
                return Ok(());
            }
            let done = self.call_extern(library, frame);
            frame.end_step();
            if let (Ok(()), Some(then)) = (&done, then) {
                then.run(frame, threads);
            }
            done
        };
        let winner = tuner.winner().unwrap_or_else(|| tuner.decide(&[threads as i64], &mut run));
        // Libtorch may refuse what it took before; the kernel is always there.
        run(winner).or_else(|_| run(0)).map_err(Stop::Error)
    }

    fn call_extern(&self, call: &ExternCall, frame: &mut Frame) -> Result<(), ShimError> {
        match &call.way {
            Way::Dispatch(dispatch) => self.call_dispatch(dispatch, &call.results, frame),
            Way::Shim(shim, values) => self.call_shim(*shim, values, &call.results, frame),
        }
    }

    /// Calls an operator through the dispatcher.
    fn call_dispatch(&self, dispatch: &Dispatch, results: &[Keep], frame: &mut Frame) -> Result<(), ShimError> {
        let mut tensors: SmallVec<[RawTensor; 12]> = SmallVec::new();
        dispatch.for_each_view(|view| {
            tensors.push(frame.handle(self, view)?);
            Ok(())
        })?;
        // SAFETY: the handles live until the end of the step.
        let made = unsafe { dispatch.call(&tensors) }?;
        for (made, keep) in made.into_iter().zip(results) {
            if let (Some(made), Keep::Tensor(_) | Keep::Into(..)) = (made, keep) {
                self.keep(*keep, dispatch.settled(made, &tensors)?, frame)?;
            }
        }
        Ok(())
    }

    fn call_shim(
        &self,
        shim: Extern,
        values: &[Value<ViewId>],
        results: &[Keep],
        frame: &mut Frame,
    ) -> Result<(), ShimError> {
        let mut tensors: SmallVec<[RawTensor; 12]> = SmallVec::new();
        for value in values {
            let handle = match value {
                Value::Tensor(view) => frame.handle(self, *view)?,
                _ => ptr::null_mut(),
            };
            tensors.push(handle);
        }
        match shim.row.form {
            Form::Out => self.call_out(shim, values, &tensors, results, frame),
            Form::New => {
                let mut raw: SmallVec<[RawTensor; 4]> = SmallVec::from_elem(ptr::null_mut(), shim.row.results);
                // SAFETY: the values were bound for this row; all handles are live.
                let code = unsafe { shim.call(values, &tensors, &mut raw) };
                Shim::get().check(shim.row.op.target(), code)?;
                // SAFETY: on success each result is a new handle or null. All are ours before any is looked at.
                let made: Made = raw.iter().map(|&r| unsafe { Tensor::from_raw(r) }).collect();
                let mut made = made.into_iter().zip(results);
                made.try_for_each(|(made, keep)| made.map_or(Ok(()), |made| self.keep(*keep, made, frame)))
            }
        }
    }

    /// Calls a shim that writes its result into a tensor.
    fn call_out(
        &self,
        shim: Extern,
        values: &[Value<ViewId>],
        tensors: &[RawTensor],
        results: &[Keep],
        frame: &mut Frame,
    ) -> Result<(), ShimError> {
        let out = match results[0] {
            Keep::Tensor(buf) => {
                frame.allocate(self, buf)?;
                frame.slot(buf).raw().unwrap_or(ptr::null_mut())
            }
            Keep::Into(view, _) => frame.handle(self, view)?,
            Keep::Nothing | Keep::Object(_) => return Ok(()),
        };
        // SAFETY: the values were bound for this row; all handles are live.
        let code = unsafe { shim.call(values, tensors, &mut [out]) };
        Shim::get().check(shim.row.op.target(), code)
    }

    /// Keeps a tensor that a call made as the plan says, with the layout that it promises.
    pub(super) fn keep(&self, keep: Keep, made: Tensor, frame: &mut Frame) -> Result<(), ShimError> {
        let buf = match keep {
            Keep::Nothing | Keep::Object(_) => return Ok(()),
            Keep::Tensor(buf) | Keep::Into(_, buf) => buf,
        };
        let spec = &self.bufs[buf];
        let info = tensor::info(made.raw())?;
        if info.sizes != &spec.sizes[..] {
            let reason = format!("promised sizes {:?}, got {:?}", spec.sizes, info.sizes);
            return Err(ShimError::Call { call: "result of a call", reason });
        }
        match keep {
            Keep::Into(view, _) => {
                let into = frame.handle(self, view)?;
                tensor::copy(into, made.raw())
            }
            // Some operators of torch do not keep what its metadata promises, which all later steps rely on.
            _ if info.dtype != spec.dtype => {
                let kept = Tensor::empty(&spec.sizes, &spec.strides, spec.dtype, info.device)?;
                tensor::copy(kept.raw(), made.raw())?;
                frame.put(buf, Slot::Owned(kept))
            }
            _ if info.has_strides(&spec.strides) && !frame.lends(made.raw())? => frame.put(buf, Slot::Owned(made)),
            _ => frame.put(buf, Slot::Owned(Tensor::restrided(made.raw(), &spec.strides)?)),
        }
    }

    fn outputs<'py>(
        &self,
        py: Python<'py>,
        args: &[Bound<'py, PyAny>],
        frame: &mut Frame,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut outputs: SmallVec<[Bound<'py, PyAny>; 8]> = SmallVec::with_capacity(self.outputs.len());
        for output in &self.outputs {
            let value = match output {
                Output::Input(index) => args[*index].clone(),
                Output::View(view) => tensor::to_python(py, frame.handle(self, *view)?)?.into_bound(py),
                Output::Constant(value) => value.bind(py).clone(),
                Output::Object(object) => match &frame.objects[object.as_u32() as usize] {
                    Some(value) => value.bind(py).clone(),
                    None => return Err(PyRuntimeError::new_err(format!("{object} was never given"))),
                },
                Output::Same(earlier) => outputs[*earlier].clone(),
                Output::Alias(earlier) => outputs[*earlier].call_method0(intern!(py, "detach"))?,
            };
            outputs.push(value);
        }
        if let Some(device) = &self.device {
            device.keep_results(py, self, &outputs, frame)?;
        }
        PyTuple::new(py, outputs)
    }
}

/// Why a call did not end well.
enum Failure {
    /// The device has no type for an integer, or met an index out of bounds: the graph runs without it, and says so
    /// itself.
    Host(PyErr),
    Python(PyErr),
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Failure {
        match error {
            DeviceError::TooWide { .. } => Failure::Host(PyRuntimeError::new_err(error.to_string())),
            DeviceError::OutOfBounds { .. } => Failure::Host(PyIndexError::new_err(error.to_string())),
            DeviceError::OutOfMemory { .. } => Failure::Python(PyMemoryError::new_err(error.to_string())),
            DeviceError::Lost { .. } | DeviceError::Invalid { .. } => {
                Failure::Python(PyRuntimeError::new_err(error.to_string()))
            }
        }
    }
}

impl KernelLaunch {
    fn run(&self, frame: &Frame, threads: usize) {
        let args: SmallVec<[*mut u8; 16]> = self.args.iter().map(|&buf| frame.data(buf)).collect();
        // SAFETY: inputs and results were checked against the layouts that the kernel was compiled for, other buffers
        // were allocated by them; the plan keeps overlapping buffers apart.
        unsafe { self.kernel.launch(&args, &self.sizes, threads) };
    }
}

impl LibraryCall {
    /// False if the kernel has refused.
    fn launch(&self, frame: &Frame, threads: usize) -> bool {
        let address = |&(buf, bytes): &(Buf, isize)| frame.data(buf).wrapping_offset(bytes);
        let mut args: SmallVec<[*mut u8; 8]> = self.args.iter().map(address).collect();
        let mut refused = 0u8;
        args.extend(self.refuses.then_some(&raw mut refused));
        // SAFETY: as for a [`KernelLaunch`]; the views lie in their buffers.
        unsafe { self.kernel.launch(&args, &[], threads) };
        refused == 0
    }
}

/// The data that a stretch without the GIL works on.
struct Detached<'a> {
    program: &'a Program,
    frame: &'a mut Frame,
}

impl Detached<'_> {
    fn run(self, steps: Range<usize>, threads: usize) -> Result<(), Stop> {
        for at in steps {
            self.program.native_step(&self.program.steps[at], at, self.frame, threads)?;
        }
        Ok(())
    }
}

impl InputSpec {
    /// True if the device is the one that the graph was made for.
    fn takes(&self, (kind, index): (i32, i32)) -> bool {
        let (want, at) = self.device;
        want < 0 || (want == kind && at.is_none_or(|at| at == index || want == 0))
    }
}

/// Reads the flag of a kernel that looks things up.
fn check_flag(flag: *mut u8) -> Result<(), Stop> {
    // SAFETY: the flag is a byte of the frame's arena that nothing else shares.
    if unsafe { flag.read() } == 0 { Ok(()) } else { Err(Stop::Index) }
}

/// The tensor of a Python object: borrowed where its address is known.
fn slot_of(torch: &Torch, object: &Bound<'_, PyAny>) -> PyResult<Slot> {
    Ok(match torch.borrow_raw(object) {
        Some(raw) => Slot::Borrowed(raw),
        None => Slot::Shared(torch.share(object)?),
    })
}
