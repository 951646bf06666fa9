//! One call of a program.

use crate::activation::{Activation, Slot};
use crate::library::{Info, TensorLibrary};
use crate::program::{InputSpec, Keep, KernelLaunch, LibraryCall, OwnKernel, Program, Step};
use inductor::autotune::Autotuner;
use inductor::device::DeviceError;
use inductor::plan::Buf;
use smallvec::SmallVec;
use std::ops::Range;
use symshapes::{Device, DeviceKind};

/// The language that a program is embedded in, during one call.
pub trait Host<L: TensorLibrary> {
    /// An exception of the language's.
    type Error;

    /// Runs what needs nothing of the language: its lock may be released meanwhile.
    fn detached(&mut self, run: impl FnOnce() -> Result<(), Stop<L>> + Send) -> Result<(), Stop<L>> {
        run()
    }

    /// Makes a call that the library cannot make, and keeps its results.
    ///
    /// # Errors
    /// The exception that the call raises.
    fn call(
        &mut self,
        call: &L::Foreign,
        program: &Program<L>,
        activation: &mut Activation<L>,
    ) -> Result<(), Self::Error>;

    /// Drops an argument, by number, which the caller has given away.
    fn forget(&mut self, index: usize);
}

/// The reason why a call did not end well.
#[derive(Debug)]
pub enum Failure<L: TensorLibrary, E> {
    /// A kernel met an index out of bounds.
    Index,
    /// An exception of the library's.
    Library(L::Error),
    /// A failure of the device.
    Device(DeviceError),
    /// An exception of the embedding language's.
    Host(E),
}

/// The reason why a stretch of steps ended early.
pub enum Stop<L: TensorLibrary> {
    /// This step is the embedding language's: the library refused it, for this reason, and the language has to make the
    /// call or to raise.
    Foreign(usize, Option<L::Error>),
    /// This step drops arguments, which are objects of the language's.
    Forget(usize),
    /// A kernel met an index out of bounds.
    Index,
    /// An exception of the library's.
    Library(L::Error),
    /// A failure of the device.
    Device(DeviceError),
}

/// The reason why an argument does not fit the plan.
pub enum Misfit {
    /// Its layout is not the one that the graph was compiled for, and the graph writes to it: a copy is not the
    /// caller's tensor. Or it has no metadata or no memory.
    Foreign,
    /// It is not of the type or the sizes that the graph was compiled for, or not on that device; the text says so.
    Mismatch(String),
}

impl<L: TensorLibrary> Program<L> {
    /// Puts an argument behind its buffer.
    ///
    /// # Safety
    /// The tensor lives until the activation [is left](Program::leave), or the [`Host`] told to forget it.
    ///
    /// # Errors
    /// An argument that does not fit the plan.
    pub unsafe fn bind(&self, spec: &InputSpec, given: Slot<L>, activation: &mut Activation<L>) -> Result<(), Misfit> {
        activation.assert_is_of(&self.buffers);
        let Some(handle) = given.handle() else { return Err(Misfit::Foreign) };
        let info = self.buffers.library.info(handle).map_err(|_| Misfit::Foreign)?;
        let buf = &self.buffers.bufs[spec.buf];
        if info.dtype != Some(buf.dtype) || info.sizes != &buf.sizes[..] || !spec.takes(info.device) {
            return Err(Misfit::Mismatch(self.mismatch(spec, &info)));
        }
        let given = if info.has_strides(&buf.strides) {
            given
        } else if spec.written {
            return Err(Misfit::Foreign);
        } else {
            let copied = self.buffers.library.restrided(handle, buf.dtype, &buf.strides);
            Slot::Owned(copied.map_err(|error| Misfit::Mismatch(error.to_string()))?)
        };
        activation.put(&self.buffers.library, spec.buf, given).map_err(|_| Misfit::Foreign)
    }

    fn mismatch(&self, spec: &InputSpec, info: &Info<'_>) -> String {
        let (buf, index) = (&self.buffers.bufs[spec.buf], spec.index);
        let dtype = info.dtype.map_or("another dtype", |dtype| dtype.name());
        format!(
            "argument {index} was compiled for sizes {:?} of {} on device {}, but has sizes {:?} of {dtype} on device {}",
            buf.sizes, buf.dtype, spec.device, info.sizes, info.device
        )
    }

    /// Puts a constant of the graph behind its buffer.
    ///
    /// # Safety
    /// As for [`Program::bind`]; and it has the type, sizes and strides that the graph has for it.
    ///
    /// # Errors
    /// The library's.
    pub unsafe fn bind_constant(
        &self,
        buf: Buf,
        constant: Slot<L>,
        activation: &mut Activation<L>,
    ) -> Result<(), L::Error> {
        activation.assert_is_of(&self.buffers);
        activation.put(&self.buffers.library, buf, constant)
    }

    /// Runs the steps; `threads` bounds the threads of a kernel.
    ///
    /// # Errors
    /// The first failure, and whether the call had written to an argument by then.
    ///
    /// # Panics
    /// An argument or a constant is not [bound](Program::bind).
    pub fn run<H: Host<L>>(
        &self,
        host: &mut H,
        activation: &mut Activation<L>,
        threads: usize,
    ) -> Result<(), (Failure<L, H::Error>, bool)> {
        activation.assert_is_of(&self.buffers);
        let given = self.inputs.iter().map(|spec| spec.buf).chain(self.constants.iter().map(|&(buf, _)| buf));
        given.for_each(|buf| assert!(activation.slot(buf).handle().is_some(), "{buf} is not bound"));
        for stretch in &self.stretches {
            let steps = stretch.steps.start.max(activation.first)..stretch.steps.end;
            self.stretch(host, steps, stretch.foreign, activation, threads)
                .map_err(|error| (error, activation.has_written))?;
        }
        Ok(())
    }

    fn stretch<H: Host<L>>(
        &self,
        host: &mut H,
        steps: Range<usize>,
        foreign: bool,
        activation: &mut Activation<L>,
        threads: usize,
    ) -> Result<(), Failure<L, H::Error>> {
        let mut at = steps.start;
        while at < steps.end {
            if foreign {
                self.foreign_step(host, at, None, activation)?;
                at += 1;
                continue;
            }
            let native = Detached { program: self, activation };
            match host.detached(move || native.run(at..steps.end, threads)) {
                Ok(()) => at = steps.end,
                Err(Stop::Forget(step)) => {
                    self.forget(host, step, activation);
                    at = step + 1;
                }
                Err(Stop::Foreign(step, why)) => {
                    self.foreign_step(host, step, why, activation)?;
                    at = step + 1;
                }
                Err(Stop::Index) => return Err(Failure::Index),
                Err(Stop::Library(error)) => return Err(Failure::Library(error)),
                Err(Stop::Device(error)) => return Err(Failure::Device(error)),
            }
        }
        Ok(())
    }

    /// Drops arguments.
    fn forget<H: Host<L>>(&self, host: &mut H, step: usize, activation: &mut Activation<L>) {
        let Step::Forget(dead) = &self.steps[step] else { return };
        for &(index, buf) in dead {
            activation.free(buf);
            host.forget(index);
        }
    }

    /// Has the embedding language make a call, which the library may have refused.
    fn foreign_step<H: Host<L>>(
        &self,
        host: &mut H,
        at: usize,
        refusal: Option<L::Error>,
        activation: &mut Activation<L>,
    ) -> Result<(), Failure<L, H::Error>> {
        let step = if let Step::Unless(_, otherwise) = &self.steps[at] { otherwise } else { &self.steps[at] };
        let call = match step {
            Step::Foreign(call) | Step::Library(_, Some(call)) => call,
            _ => {
                return Err(Failure::Library(
                    refusal.unwrap_or_else(|| self.buffers.library.error("no call".to_owned())),
                ));
            }
        };
        let done = host.call(call, self, activation);
        activation.end_step();
        done.map_err(Failure::Host)?;
        if let (Step::Library(call, _), Some(why)) = (step, refusal) {
            tracing::debug!(target: "rust_inductor::exec", "step {at}: {why}; the embedding language called it");
            let _ = call.refused.set(why.to_string());
        }
        Ok(())
    }

    /// Step `at`, or what is done in its stead.
    fn native_step(
        &self,
        step: &Step<L>,
        at: usize,
        activation: &mut Activation<L>,
        threads: usize,
    ) -> Result<(), Stop<L>> {
        match step {
            Step::Allocate(buf) => activation.allocate(&self.buffers, *buf).map_err(Stop::Library),
            Step::Launch(launch) => {
                launch.run(activation, threads);
                Ok(())
            }
            Step::Stream(launch) => {
                let args: SmallVec<[u64; 16]> =
                    launch.args.iter().map(|&buf| activation.data(buf).addr() as u64).collect();
                let scratch = activation.scratch(&self.buffers).addr() as u64;
                // SAFETY: inputs and results were checked against the layouts that the kernel was compiled for, other
                // buffers were allocated by them on this device; the plan keeps overlapping buffers apart, and memory
                // that is given back is only used by work that comes later on this stream.
                let done = unsafe { launch.kernel.launch(activation.stream, &args, scratch) };
                done.map_err(|reason| Stop::Library(self.buffers.library.error(format!("a compiled kernel: {reason}"))))
            }
            Step::Own(kernel) => {
                kernel.launch(activation, threads);
                Ok(())
            }
            Step::Unless(kernel, otherwise) => match kernel.launch(activation, threads) {
                true => Ok(()),
                false => self.native_step(otherwise, at, activation, threads),
            },
            Step::Either(own, library, then, tuner) => {
                self.either(own, (library, then.as_ref()), tuner, activation, threads)
            }
            Step::Library(call, _) if call.refused.get().is_some() => Err(Stop::Foreign(at, None)),
            Step::Library(call, _) => {
                let done = self.call_library(call, activation).map_err(|error| Stop::Foreign(at, Some(error)));
                activation.end_step();
                done
            }
            Step::Free(buf) => {
                activation.free(*buf);
                Ok(())
            }
            Step::Forget(_) => Err(Stop::Forget(at)),
            Step::Check(flag) => self.check(*flag, activation),
            Step::Write(into, from) => {
                activation.has_written = true;
                let done = self.write(*into, *from, activation).map_err(Stop::Library);
                activation.end_step();
                done
            }
            Step::Foreign(_) => Err(Stop::Foreign(at, None)),
            Step::Device(task) => self.run_task(task, activation),
            Step::Fetch(bufs) => self.fetch(bufs, activation),
            Step::Wrote(bufs) => {
                activation.session.iter_mut().for_each(|session| bufs.iter().for_each(|&buf| session.host_wrote(buf)));
                Ok(())
            }
            Step::Release(bufs) => {
                activation.session.iter_mut().for_each(|session| bufs.iter().for_each(|&buf| session.release(buf)));
                Ok(())
            }
        }
    }

    fn check(&self, flag: Buf, activation: &Activation<L>) -> Result<(), Stop<L>> {
        let flag = activation.data(flag);
        match &self.buffers.stream {
            // SAFETY: the address is that of a flag of the device's.
            Some(device) => unsafe { device.check(activation.stream, flag) }
                .map_err(|reason| Stop::Library(self.buffers.library.error(format!("a compiled kernel: {reason}")))),
            // SAFETY: the flag is a byte of the activation's arena that nothing else shares.
            None if unsafe { flag.read() } == 0 => Ok(()),
            None => Err(Stop::Index),
        }
    }

    fn write(&self, into: Buf, from: crate::ViewId, activation: &mut Activation<L>) -> Result<(), L::Error> {
        let into = activation
            .slot(into)
            .handle()
            .ok_or_else(|| self.buffers.library.error(format!("{into} was not given")))?;
        let from = activation.handle(&self.buffers, from)?;
        self.buffers.library.copy(into, from)
    }

    /// The backend's own kernel or the library's, whichever has been found to be faster: both write all of their
    /// result.
    fn either(
        &self,
        own: &OwnKernel,
        (library, then): (&LibraryCall<L>, Option<&KernelLaunch>),
        tuner: &Autotuner,
        activation: &mut Activation<L>,
        threads: usize,
    ) -> Result<(), Stop<L>> {
        let mut run = |way: usize| {
            if way == 0 {
                own.launch(activation, threads);
                return Ok(());
            }
            let done = self.call_library(library, activation);
            activation.end_step();
            if let (Ok(()), Some(then)) = (&done, then) {
                then.run(activation, threads);
            }
            done
        };
        let winner = tuner.winner().unwrap_or_else(|| tuner.decide(&[threads as i64], &mut run));
        // The library may refuse what it took before; the kernel is always there.
        run(winner).or_else(|_| run(0)).map_err(Stop::Library)
    }

    fn call_library(&self, call: &LibraryCall<L>, activation: &mut Activation<L>) -> Result<(), L::Error> {
        let tensors = call.tensors.iter().map(|&view| activation.handle(&self.buffers, view));
        let tensors: SmallVec<[L::Handle; 12]> = tensors.collect::<Result<_, _>>()?;
        if L::writes_result(&call.call) {
            let out = match call.results.first() {
                Some(&Keep::Tensor(buf)) => {
                    activation.allocate(&self.buffers, buf)?;
                    activation.slot(buf).handle()
                }
                Some(&Keep::Into(view, _)) => Some(activation.handle(&self.buffers, view)?),
                Some(Keep::Nothing | Keep::Object(_)) | None => None,
            };
            return out.map_or(Ok(()), |out| self.buffers.library.call_into(&call.call, &tensors, out));
        }
        // All of them are ours before any is looked at.
        let made = self.buffers.library.call(&call.call, &tensors)?;
        for (made, &keep) in made.into_iter().zip(&call.results) {
            if let Some(made) = made {
                self.keep(keep, made, activation)?;
            }
        }
        Ok(())
    }

    /// Keeps a tensor that a call made as the plan says, with the layout that it promises.
    ///
    /// # Errors
    /// A tensor of other sizes, and the library's.
    pub fn keep(&self, keep: Keep, made: L::Tensor, activation: &mut Activation<L>) -> Result<(), L::Error> {
        activation.assert_is_of(&self.buffers);
        let buf = match keep {
            Keep::Nothing | Keep::Object(_) => return Ok(()),
            Keep::Tensor(buf) | Keep::Into(_, buf) => buf,
        };
        let (library, spec, handle) = (&self.buffers.library, &self.buffers.bufs[buf], L::handle(&made));
        let info = library.info(handle)?;
        if info.sizes != &spec.sizes[..] {
            let reason = format!("result of a call: promised sizes {:?}, got {:?}", spec.sizes, info.sizes);
            return Err(library.error(reason));
        }
        let is_as_promised = info.dtype == Some(spec.dtype) && info.has_strides(&spec.strides);
        match keep {
            Keep::Into(view, _) => {
                let into = activation.handle(&self.buffers, view)?;
                library.copy(into, handle)
            }
            _ if is_as_promised && !activation.lends(library, handle)? => {
                activation.put(library, buf, Slot::Owned(made))
            }
            // Some operators do not keep what their metadata promises, which all later steps rely on.
            _ => {
                let kept = library.restrided(handle, spec.dtype, &spec.strides)?;
                activation.put(library, buf, Slot::Owned(kept))
            }
        }
    }
}

impl KernelLaunch {
    fn run<L: TensorLibrary>(&self, activation: &Activation<L>, threads: usize) {
        let args: SmallVec<[*mut u8; 16]> = self.args.iter().map(|&buf| activation.data(buf)).collect();
        // SAFETY: inputs and results were checked against the layouts that the kernel was compiled for, other buffers
        // were allocated by them; the plan keeps overlapping buffers apart.
        unsafe { self.kernel.launch(&args, &self.sizes, threads) };
    }
}

impl OwnKernel {
    /// False if the kernel has refused.
    fn launch<L: TensorLibrary>(&self, activation: &Activation<L>, threads: usize) -> bool {
        let address = |&(buf, bytes): &(Buf, isize)| activation.data(buf).wrapping_offset(bytes);
        let mut args: SmallVec<[*mut u8; 8]> = self.args.iter().map(address).collect();
        let mut refused = 0u8;
        args.extend(self.refuses.then_some(&raw mut refused));
        // SAFETY: as for a [`KernelLaunch`]; the views lie in their buffers.
        unsafe { self.kernel.launch(&args, &[], threads) };
        refused == 0
    }
}

/// The data that a stretch of native steps works on.
struct Detached<'a, L: TensorLibrary> {
    program: &'a Program<L>,
    activation: &'a mut Activation<L>,
}

impl<L: TensorLibrary> Detached<'_, L> {
    fn run(self, steps: Range<usize>, threads: usize) -> Result<(), Stop<L>> {
        for at in steps {
            self.program.native_step(&self.program.steps[at], at, self.activation, threads)?;
        }
        Ok(())
    }
}

impl InputSpec {
    /// True if the device is the one that the graph was made for. A graph of `meta` tensors, or of a device that we do
    /// not compile for, takes any.
    fn takes(&self, given: Device) -> bool {
        match self.device.kind {
            DeviceKind::Meta | DeviceKind::Other => true,
            DeviceKind::Cpu => given.kind == DeviceKind::Cpu,
            DeviceKind::Cuda => {
                given.kind == DeviceKind::Cuda && self.device.index.is_none_or(|index| given.index == Some(index))
            }
        }
    }
}
