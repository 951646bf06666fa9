//! A plan made ready to run, as data.

use crate::activation::{Activation, NoMemory, Slot};
use crate::arena::{Arena, Arenas};
use crate::buffers::{Buffers, ViewId};
use crate::frozen::Frozen;
use crate::library::TensorLibrary;
use crate::stream::StreamLaunch;
use inductor::autotune::Autotuner;
use inductor::backend::CompiledKernel;
use inductor::device::{Content, Task};
use inductor::plan::{Buf, ObjectId, Storage};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use symshapes::Device;

/// The requirements on an argument of the call.
pub struct InputSpec {
    /// The number of the argument.
    pub index: usize,
    /// The buffer that it is.
    pub buf: Buf,
    pub(crate) device: Device,
    /// True if the graph writes to it.
    pub(crate) written: bool,
}

/// The destinations of a call's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Nobody uses it.
    Nothing,
    /// It becomes the buffer's memory.
    Tensor(Buf),
    /// It is copied into the buffer's memory.
    Into(ViewId, Buf),
    /// It is no tensor.
    Object(ObjectId),
}

/// A call of the library's.
pub(crate) struct LibraryCall<L: TensorLibrary> {
    pub(crate) call: L::Call,
    /// The tensors that it takes, in the order in which it was bound to them.
    pub(crate) tensors: Box<[ViewId]>,
    pub(crate) results: Box<[Keep]>,
    /// The message with which the library refused a call that the embedding language could make: it is not asked again.
    pub(crate) refused: OnceLock<String>,
}

/// A kernel on whole buffers, and the values of its sizes.
pub(crate) struct KernelLaunch {
    pub(crate) kernel: Arc<dyn CompiledKernel>,
    pub(crate) args: Box<[Buf]>,
    pub(crate) sizes: Box<[i64]>,
}

/// The backend's own kernel for a library's operator: buffers, and where in them the first elements are, in bytes.
pub(crate) struct OwnKernel {
    pub(crate) kernel: Arc<dyn CompiledKernel>,
    pub(crate) args: Box<[(Buf, isize)]>,
    pub(crate) refuses: bool,
}

/// One step.
pub(crate) enum Step<L: TensorLibrary> {
    Allocate(Buf),
    Launch(KernelLaunch),
    /// A kernel on a stream of the device that the tensors are on.
    Stream(StreamLaunch),
    /// A library's operator as the backend computes it.
    Own(OwnKernel),
    /// A library's operator that the backend may refuse to compute, with the step that is done then.
    Unless(OwnKernel, Box<Step<L>>),
    /// A library's operator as the backend computes it or as the library does, whichever is faster. The launch is that
    /// of the epilogue, which runs after the library's if the backend's computes the epilogue as well.
    Either(OwnKernel, LibraryCall<L>, Option<KernelLaunch>, Autotuner),
    /// The library's call, and the same call by the embedding language should the library refuse it.
    Library(LibraryCall<L>, Option<L::Foreign>),
    Foreign(L::Foreign),
    Free(Buf),
    /// Drops arguments that are not read any more, and that the caller has given away.
    Forget(Box<[(usize, Buf)]>),
    /// Fails if this flag is set.
    Check(Buf),
    /// The caller's tensor gets these elements.
    Write(Buf, ViewId),
    /// A task of the device; this step and those below occur only in programs that have one.
    Device(Task<<L::Device as inductor::device::Device>::Work>),
    /// The host is about to read these.
    Fetch(Box<[Buf]>),
    /// The host has written these.
    Wrote(Box<[Buf]>),
    /// The device's copies are not used any more.
    Release(Box<[Buf]>),
}

/// An output.
pub enum Output<L: TensorLibrary> {
    /// The caller's argument itself.
    Input(usize),
    /// A tensor.
    View(ViewId),
    /// A value that is constant from call to call.
    Constant(L::Object),
    /// A value that some call has given.
    Object(ObjectId),
    /// An earlier output itself.
    Same(usize),
    /// Another tensor with the memory of an earlier output.
    Alias(usize),
}

/// The part of a program that a device with memory of its own runs.
#[derive(Default)]
pub(crate) struct DevicePart {
    /// Flags that kernels set on the device.
    pub(crate) flags: Vec<Buf>,
    /// Results of calls that the device makes which are no tensors: they have no value.
    pub(crate) absent: Vec<ObjectId>,
    /// The steps that the host does, and why.
    pub(crate) refused: Vec<(String, String)>,
}

/// A plan, ready to run.
pub struct Program<L: TensorLibrary> {
    pub(crate) buffers: Buffers<L>,
    pub(crate) steps: Vec<Step<L>>,
    /// The steps that need not run again while weights stay as they are.
    pub(crate) frozen: Option<Frozen<L>>,
    /// Maximal runs of steps that need nothing of the embedding language, alternating with those that do.
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) inputs: Vec<InputSpec>,
    /// Number of arguments.
    pub(crate) arity: usize,
    /// The graph's constants, by number.
    pub(crate) constants: Vec<(Buf, usize)>,
    pub(crate) outputs: Vec<Output<L>>,
    pub(crate) arena_bytes: usize,
    pub(crate) arenas: Arc<Arenas>,
    pub(crate) calls: Vec<Called>,
    pub(crate) activations: Mutex<Vec<Activation<L>>>,
    pub(crate) device: Option<DevicePart>,
}

/// The callee of one of the steps.
pub(crate) struct Called {
    pub(crate) step: usize,
    pub(crate) target: String,
    /// `extern`, or why the embedding language calls it.
    pub(crate) how: String,
}

/// Consecutive steps.
pub(crate) struct Stretch {
    pub(crate) steps: Range<usize>,
    /// True if the embedding language has to make the calls.
    pub(crate) foreign: bool,
}

impl<L: TensorLibrary> Program<L> {
    /// The number of arguments of a call.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The arguments that have a buffer.
    pub fn inputs(&self) -> &[InputSpec] {
        &self.inputs
    }

    /// The constants of the graph that have a buffer, by number.
    pub fn constants(&self) -> &[(Buf, usize)] {
        &self.constants
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> &[Output<L>] {
        &self.outputs
    }

    /// The number of index-out-of-bounds flags that kernels may set.
    pub fn flag_count(&self) -> usize {
        self.buffers.flags.len()
    }

    /// The element type and the bytes of a buffer.
    pub fn content(&self, buf: Buf) -> Content {
        self.buffers.content(buf)
    }

    /// The source of a buffer's memory.
    pub fn storage(&self, buf: Buf) -> &Storage {
        &self.buffers.bufs[buf].storage
    }

    /// The operators that are called, each with the way in which it is called: `extern`, or why the embedding language
    /// makes the call.
    pub fn calls(&self) -> Vec<(String, String)> {
        let calls = self.calls.iter().map(|Called { step, target, how }| {
            let refused = match &self.steps[*step] {
                Step::Library(call, _) => call.refused.get(),
                _ => None,
            };
            (target.clone(), refused.map_or_else(|| how.clone(), |why| format!("fallback: {why}")))
        });
        calls.collect()
    }

    /// The arguments that a call may drop before its end, by number.
    pub fn forgotten(&self) -> impl Iterator<Item = usize> {
        let dead = self.steps.iter().filter_map(|step| if let Step::Forget(dead) = step { Some(dead) } else { None });
        dead.flatten().map(|&(index, _)| index)
    }

    /// True if a device with memory of its own runs a part of it.
    pub fn has_device(&self) -> bool {
        self.device.is_some()
    }

    /// The steps that the host does though there is a device, and why.
    pub fn refused(&self) -> &[(String, String)] {
        self.device.as_ref().map_or(&[], |device| &device.refused)
    }

    /// An activation to run a call in, with memory between kernels, where all flags are down.
    ///
    /// # Errors
    /// There is not so much memory: the number of bytes, or the library's exception.
    pub fn enter(&self) -> Result<Activation<L>, NoMemory<L>> {
        let arena = match (self.arena_bytes, &self.buffers.stream) {
            (0, _) => Arena::Nothing,
            (bytes, None) => self.arenas.take(bytes).map(Arena::Host).ok_or(NoMemory::Host(bytes))?,
            (bytes, Some(_)) => {
                Arena::on(&self.buffers.library, self.buffers.memory(), bytes).map_err(NoMemory::Device)?
            }
        };
        let free = self.activations.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut activation = free.unwrap_or_else(|| Activation::new(&self.buffers));
        activation.begin(&self.buffers, arena);
        Ok(activation)
    }

    /// Ends a call: gives its memory back, and keeps the activation for the next one.
    ///
    /// # Panics
    /// It is an activation of another program, here and in whatever else takes one.
    pub fn leave(&self, mut activation: Activation<L>) {
        activation.assert_is_of(&self.buffers);
        if let Arena::Host(block) = activation.end() {
            self.arenas.give(block);
        }
        self.activations.lock().unwrap_or_else(PoisonError::into_inner).push(activation);
    }

    /// The host's memory of a buffer whose value it has.
    pub fn bytes<'f>(&self, activation: &'f Activation<L>, buf: Buf) -> &'f [u8] {
        activation.assert_is_of(&self.buffers);
        let (data, length) = (activation.data(buf), self.buffers.bufs[buf].bytes);
        if data.is_null() || length == 0 {
            return &[];
        }
        // SAFETY: inputs were checked against the plan's layout, other buffers were allocated by it; nothing writes to
        // the buffer while the step reads it.
        unsafe { std::slice::from_raw_parts(data, length) }
    }

    /// The handle of a view, valid until the end of the step.
    ///
    /// # Errors
    /// The library's.
    pub fn handle(&self, view: ViewId, activation: &mut Activation<L>) -> Result<L::Handle, L::Error> {
        activation.assert_is_of(&self.buffers);
        activation.handle(&self.buffers, view)
    }

    /// The argument that a view is, as it was given; `None` for any other view.
    pub fn argument(&self, view: ViewId, activation: &Activation<L>) -> Option<usize> {
        activation.argument(&self.buffers, view)
    }

    /// Uses the results kept of an earlier call, if `are_the_weights` says that this call has the weights that they
    /// were computed from; false if frozen steps have to run.
    ///
    /// # Errors
    /// The library's.
    pub fn use_frozen(
        &self,
        activation: &mut Activation<L>,
        are_the_weights: impl FnOnce(&L::Weights) -> bool,
    ) -> Result<bool, L::Error> {
        activation.assert_is_of(&self.buffers);
        let Some(frozen) = &self.frozen else { return Ok(false) };
        let Some(kept) = frozen.kept(are_the_weights) else { return Ok(false) };
        for (buf, tensor) in &kept.results {
            activation.put(&self.buffers.library, *buf, Slot::Borrowed(L::handle(tensor)))?;
        }
        activation.kept = Some(kept);
        activation.first = frozen.end;
        Ok(true)
    }

    /// Keeps what the frozen steps of this call have given, computed from these weights.
    pub fn keep_frozen(&self, weights: L::Weights, activation: &mut Activation<L>) {
        activation.assert_is_of(&self.buffers);
        if let Some(frozen) = &self.frozen {
            frozen.keep(weights, |buf| activation.take(buf));
        }
    }

    /// The weights that frozen steps read, in order; `None` if there are no such steps.
    pub fn frozen_weights(&self) -> Option<&[Buf]> {
        self.frozen.as_ref().map(|frozen| &frozen.weights[..])
    }
}
